"""Drops each element of x with probability 0.25, by Triton's random numbers for a seed, and scales the others."""
inputs = {
    "x": {"shape": ("B", "N"), "scale": (1e-3, 64)},
    "seed": {"shape": (1,), "dtype": "int64", "range": (0, 2147483647)},
}
dims = {"B": {"max": 512}, "N": {"max": 8192, "usual": 4096}}
P = 0.25


def reference(x, seed):
    place = torch.arange(x.shape[0] * x.shape[1]).reshape(x.shape)
    kept = tl.rand(seed, place) > P
    return torch.where(kept, x.float() / (1 - P), 0.0).to(x.dtype)
