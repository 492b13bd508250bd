"""The matrix product of x and w plus a bias for each column, then the larger of that and zero."""
inputs = {
    "x": {"shape": ("M", "K"), "scale": (1e-2, 4)},
    "w": {"shape": ("K", "N"), "scale": (1e-2, 4)},
    "b": {"shape": ("N",), "scale": (1e-2, 4), "role": "bias"},
}
dims = {"M": {"max": 512}, "K": {"max": 512}, "N": {"max": 512}}


def reference(x, w, b):
    return torch.relu(x.float() @ w.float() + b.float()).to(x.dtype)
