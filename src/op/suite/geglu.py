"""Gated linear unit with gelu (tanh form): gelu(gate) times up, element by element."""
# words: ge glu | gelu glu | gelu and mul | gelu gate times up | gated gelu | gelu times up | gated linear unit with gelu | gelu gated linear unit | gelu of gate times up | gelu mul | gelu gate up | gelu of gate up
inputs = {
    "gate": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
    "up": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
}
invariant = {"up": ("scale", 1)}


def reference(gate, up):
    return (torch.nn.functional.gelu(gate.float(), approximate="tanh") * up.float()).to(gate.dtype)


def rounded_gate(gate, up):
    g = torch.nn.functional.gelu(gate.float(), approximate="tanh").to(gate.dtype)
    return (g.float() * up.float()).to(gate.dtype)


roundings = {"gate": rounded_gate}
