"""Silu(a) times b, of three dimensions."""
inputs = {
    "a": {"shape": ("B", "T", "N"), "scale": (1e-4, 64)},
    "b": {"shape": ("B", "T", "N"), "scale": (1e-4, 64)},
}


def reference(a, b):
    return (a.float() * torch.sigmoid(a.float()) * b.float()).to(a.dtype)


def rounded(a, b):
    return (a.float() * torch.sigmoid(a.float())).to(a.dtype) * b


roundings = {"gate": rounded}
