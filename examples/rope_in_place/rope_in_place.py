"""Rotary position embedding: turns the two halves of each row of x by its angles, in place."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-3, 64)},
    "cos": {"shape": ("M", "N/2"), "range": (-1, 1)},
    "sin": {"shape": ("M", "N/2"), "range": (-1, 1)},
}
dims = {"N": {"multiple_of": 2, "min": 2, "usual": 128}}
outputs = {"x": {"init": "x"}}


def reference(x, cos, sin):
    n = x.shape[-1] // 2
    a, b = x[:, :n].float(), x[:, n:].float()
    c, s = cos.float(), sin.float()
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1).to(x.dtype)
