"""Backward of dynamic tanh: the gradients of x, and of gamma for each program row."""
inputs = {
    "dy": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "x": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "alpha": {"shape": (1,), "range": (0.1, 2)},
    "gamma": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
}
outputs = {"dx": {}, "dg": {}}
dims = {"M": {"max": 65535}}


def reference(dy, x, alpha, gamma):
    a, d = alpha.float(), dy.float()
    t = torch.tanh(a * x.float())
    return (a * ((1 - t * t) * d * gamma.float())).to(x.dtype), d * t
