"""Dynamic tanh: tanh(alpha times x) times gamma plus beta."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "alpha": {"shape": (1,), "range": (0.1, 2)},
    "gamma": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
    "beta": {"shape": ("N",), "scale": (1e-3, 4), "role": "bias"},
}


def reference(x, alpha, gamma, beta):
    return (torch.tanh(alpha.float() * x.float()) * gamma.float() + beta.float()).to(x.dtype)
