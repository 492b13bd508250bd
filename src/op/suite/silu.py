"""Sigmoid linear unit: x * sigmoid(x), element by element."""
# words: silu elementwise | elementwise silu | silu of x | x times sigmoid of x | x sigmoid x
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
}


def reference(x):
    h = x.float()
    return (h * torch.sigmoid(h)).to(x.dtype)
