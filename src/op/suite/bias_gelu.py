"""Gelu (tanh form) of x plus a bias for each column: gelu(x + bias)."""
# words: bias add gelu | gelu with bias | gelu of x plus bias | add bias then gelu | bias plus gelu | bias then gelu | bias add then gelu | gelu x plus bias | fused bias gelu | add bias gelu
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
    "bias": {"shape": ("N",), "scale": (1, 8), "role": "bias"},
}


def reference(x, bias):
    return torch.nn.functional.gelu(x.float() + bias.float(), approximate="tanh").to(x.dtype)
