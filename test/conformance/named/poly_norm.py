"""Weighted sum of the normalised cube, square and row (eps 1e-6) plus a bias, with the three reciprocal roots."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-2, 8)},
    "w": {"shape": (3,), "range": (-2, 2)},
    "b": {"shape": (1,), "range": (-2, 2)},
}
outputs = {"y": {}, "rstd": {}}


def reference(x, w, b):
    h = x.float()
    u = torch.stack([h * h * h, h * h, h], 1)
    rstd = torch.rsqrt(u.square().mean(-1, keepdim=True) + 1e-6)
    return ((u * rstd * w.float()[None, :, None]).sum(1) + b.float()).to(x.dtype), rstd.squeeze(-1)
