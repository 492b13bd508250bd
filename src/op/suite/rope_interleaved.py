"""Rotary embedding of neighbours: each pair (x[2i], x[2i+1]) is rotated by (cos[i], sin[i])."""
# words: interleaved rope | interleaved rotary embedding | rotary embedding interleaved | rope with interleaved pairs | gpt j rope | rotary embedding of neighbours | pairwise rope | pairwise rotary embedding
inputs = {
    "x": {"shape": ("M", "D"), "scale": (1e-4, 64), "large": True},
    "cos": {"shape": ("M", "D/2"), "range": (-1, 1)},
    "sin": {"shape": ("M", "D/2"), "range": (-1, 1)},
}
dims = {"M": {"usual": 32768}, "D": {"multiple_of": 2, "min": 2, "usual": 128}}
invariant = {"x": ("scale", 1)}


def reference(x, cos, sin):
    even = x[:, 0::2].float()
    odd = x[:, 1::2].float()
    c = cos.float()
    s = sin.float()
    return torch.stack((even * c - odd * s, even * s + odd * c), dim=-1).flatten(-2).to(x.dtype)
