"""Relu squared: max(x, 0)^2, element by element."""
# words: elementwise relu2 | relu squared of x | elementwise squared relu | square of relu
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
}
invariant = {"x": ("scale", 2)}


def reference(x):
    return torch.relu(x.float()).square().to(x.dtype)
