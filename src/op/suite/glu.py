"""Gated linear unit: sigmoid(gate) times up, element by element."""
# words: gated linear unit | sigmoid glu | sigmoid gate times up | sigmoid times up | gated linear unit with sigmoid | sigmoid of gate times up | sigmoid gate up | sigmoid of gate up | sigmoid gated linear unit
inputs = {
    "gate": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
    "up": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
}
invariant = {"up": ("scale", 1)}


def reference(gate, up):
    return (torch.sigmoid(gate.float()) * up.float()).to(gate.dtype)


def rounded_gate(gate, up):
    return (torch.sigmoid(gate.float()).to(gate.dtype).float() * up.float()).to(gate.dtype)


roundings = {"gate": rounded_gate}
