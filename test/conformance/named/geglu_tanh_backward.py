"""Backward of gelu (tanh form) of a times b: the gradients of a and b, in place."""
inputs = {
    "dc": {"shape": ("M", "N"), "scale": (1e-4, 64)},
    "a": {"shape": ("M", "N"), "scale": (1e-4, 64)},
    "b": {"shape": ("M", "N"), "scale": (1e-4, 64)},
}
outputs = {"a": {"init": "a"}, "b": {"init": "b"}}
layout = "contiguous"


def reference(dc, a, b):
    h = a.float()
    t = torch.tanh(0.7978845608028654 * (h + 0.044715 * h * h * h))
    f = (0.5 * h * (1 + t)).to(dc.dtype).float()
    slope = 0.5 * (1 + t) + 0.5 * h * (1 - t * t) * (0.7978845608028654 * (1 + 0.134145 * h * h))
    return ((dc * b).float() * slope).to(a.dtype), (dc.float() * f).to(b.dtype)
