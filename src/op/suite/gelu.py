"""Gaussian error linear unit in its tanh form: 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x^3))), element by element."""
# words: gelu elementwise | elementwise gelu | gelu of x
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
}


def reference(x):
    return torch.nn.functional.gelu(x.float(), approximate="tanh").to(x.dtype)
