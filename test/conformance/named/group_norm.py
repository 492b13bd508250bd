"""Group normalisation (eps 1e-5) of groups of 2 channels with places of equal number, with mean and reciprocal deviation."""
inputs = {
    "x": {"shape": ("M", 4, "N"), "scale": (1e-3, 16), "shift": 30},
    "w": {"shape": (4, 2), "scale": (1, 16), "role": "weight"},
    "b": {"shape": (4, 2), "scale": (1e-3, 4), "role": "bias"},
}
dims = {"N": {"multiple_of": 2, "min": 2, "max": 4096}}
outputs = {"y": {}, "mean": {}, "rstd": {}}


def reference(x, w, b):
    h = x.float()
    mean = h.mean(-1, keepdim=True)
    rstd = torch.rsqrt((h - mean).square().mean(-1, keepdim=True) + 1e-5)
    y = ((h - mean) * rstd).reshape(x.shape[0], 4, 2, -1) * w.float()[None, :, :, None] + b.float()[None, :, :, None]
    return y.reshape(x.shape).to(x.dtype), mean.squeeze(-1), rstd.squeeze(-1)
