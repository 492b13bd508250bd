"""Gated linear unit with silu: silu(gate) times up, element by element."""
# words: swi glu | swish glu | silu glu | silu and mul | silu gate times up | gated silu | gated swish | silu times up | swish gated linear unit | swish gate times up | silu gated linear unit | gated linear unit with silu | gated linear unit with swish | silu mul | silu of gate times up | silu gate up | silu of gate up
inputs = {
    "gate": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
    "up": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
}
invariant = {"up": ("scale", 1)}


def reference(gate, up):
    g = gate.float()
    return (g * torch.sigmoid(g) * up.float()).to(gate.dtype)


def rounded_gate(gate, up):
    g = gate.float()
    return ((g * torch.sigmoid(g)).to(gate.dtype).float() * up.float()).to(gate.dtype)


roundings = {"gate": rounded_gate}
