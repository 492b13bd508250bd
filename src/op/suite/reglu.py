"""Gated linear unit with relu: relu(gate) times up, element by element."""
# words: re glu | relu glu | relu and mul | relu gate times up | gated relu | relu times up | gated linear unit with relu | relu gated linear unit | relu of gate times up | relu mul | relu gate up | relu of gate up
inputs = {
    "gate": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
    "up": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
}
invariant = {"gate": ("scale", 1), "up": ("scale", 1)}


def reference(gate, up):
    return (torch.relu(gate.float()) * up.float()).to(gate.dtype)
