"""Rotary embedding of queries (4 heads) and keys (2 heads) in place, with the angles of each place."""
inputs = {
    "q": {"shape": ("S", 4, "D"), "scale": (1e-3, 16)},
    "k": {"shape": ("S", 2, "D"), "scale": (1e-3, 16)},
    "cos": {"shape": ("S", "D"), "dtype": "float32", "range": (-1, 1)},
    "sin": {"shape": ("S", "D"), "dtype": "float32", "range": (-1, 1)},
}
outputs = {"q": {"init": "q"}, "k": {"init": "k"}}
dims = {"D": {"multiple_of": 2, "min": 2, "max": 512, "usual": 128}}
layout = "contiguous"


def turned(x, c, s):
    (a, b), c, s = torch.chunk(x.float(), 2, 2), torch.chunk(c[:, None], 2, 2)[0], torch.chunk(s[:, None], 2, 2)[0]
    return torch.cat([a * c - b * s, b * c + a * s], -1).to(x.dtype)


def reference(q, k, cos, sin):
    return turned(q, cos, sin), turned(k, cos, sin)
