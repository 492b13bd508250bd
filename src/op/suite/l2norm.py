"""L2 normalisation of each row: x * rsqrt(sum(x^2) + 1e-6)."""
# words: l2 norm | l2 normalization | l2 normalisation | l2 normalize | l2 normalise | euclidean normalization | euclidean normalisation | unit norm rows | l2 normalize rows
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
}


def reference(x):
    h = x.float()
    return (h * torch.rsqrt(h.pow(2).sum(-1, keepdim=True) + 1e-6)).to(x.dtype)
