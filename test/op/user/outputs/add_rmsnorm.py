"""RMSNorm of x plus a residual; the sum is the second output, which the next block adds to."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "residual": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "w": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
}
outputs = {"y": {}, "total": {}}
EPS = 1e-5


def reference(x, residual, w):
    total = x.float() + residual.float()
    y = total * torch.rsqrt(total.square().mean(-1, keepdim=True) + EPS) * w.float()
    return y.to(x.dtype), total.to(x.dtype)
