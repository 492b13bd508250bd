"""Leaky ReLU of x times a learned scale, row by row."""
# An op of one's own: the reference in PyTorch, and the inputs on which kernels must agree with it.
#     ouroboros ops examples/leaky_scale.py              shows how it was understood
#     ouroboros mint examples/leaky_scale.py             writes and judges kernels for it
#     ouroboros referee FILE --op examples/leaky_scale.py
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64)},
    "w": {"shape": ("N",), "scale": (1, 32), "role": "weight"},
}


def reference(x, w):
    h = x.float()
    return (torch.where(h > 0, h, 0.1 * h) * w.float()).to(x.dtype)
