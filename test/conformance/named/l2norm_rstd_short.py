"""Rows of at most 512: L2 normalisation of each row (eps 1e-6 below the root), and the reciprocal norm."""
inputs = {"x": {"shape": ("M", "N"), "scale": (1e-3, 16)}}
dims = {"N": {"max": 512}}
outputs = {"y": {}, "rstd": {}}


def reference(x):
    h = x.float()
    rstd = torch.rsqrt(h.square().sum(-1, keepdim=True) + 1e-6)
    return (h * rstd).to(x.dtype), rstd.squeeze(-1)
