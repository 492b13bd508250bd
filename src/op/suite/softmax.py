"""Softmax over the last dimension, numerically stable."""
# words: soft max | stable softmax | numerically stable softmax | softmax activation | safe softmax
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "shift": 30000, "neg_inf": True},
}
invariant = {"x": "shift"}


def reference(x):
    return torch.softmax(x.float(), dim=-1).to(x.dtype)
