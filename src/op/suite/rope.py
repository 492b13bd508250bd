"""Rotary embedding: x * cos + rotate_half(x) * sin, where rotate_half swaps the halves of a row and negates the second."""
# words: rotary embedding | rotary | rotary embeddings | rotary position embedding | rotary positional embedding | rotary position embeddings | rotary positional encoding | rotary position encoding | rotate half | rotate half embedding
inputs = {
    "x": {"shape": ("M", "D"), "scale": (1e-4, 64), "large": True},
    "cos": {"shape": ("M", "D"), "range": (-1, 1)},
    "sin": {"shape": ("M", "D"), "range": (-1, 1)},
}
dims = {"M": {"usual": 32768}, "D": {"multiple_of": 2, "min": 2, "usual": 128}}
invariant = {"x": ("scale", 1)}


def reference(x, cos, sin):
    h = x.float()
    half = x.shape[-1] // 2
    rotated = torch.cat((-h[:, half:], h[:, :half]), dim=-1)
    return (h * cos.float() + rotated * sin.float()).to(x.dtype)
