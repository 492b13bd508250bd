"""Backward of silu(a) times b: the gradients of a and b, in place."""
inputs = {
    "dc": {"shape": ("M", "N"), "scale": (1e-4, 64)},
    "a": {"shape": ("M", "N"), "scale": (1e-4, 64)},
    "b": {"shape": ("M", "N"), "scale": (1e-4, 64)},
}
outputs = {"a": {"init": "a"}, "b": {"init": "b"}}
layout = "contiguous"


def reference(dc, a, b):
    d, g = dc.float(), a.float()
    s = torch.sigmoid(g)
    return (d * (g * s * (1 - s) + s) * b.float()).to(a.dtype), (d * (g * s)).to(b.dtype)
