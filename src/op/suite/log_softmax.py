"""Logarithm of softmax over the last dimension, numerically stable: x - max(x) - log(sum(exp(x - max(x))))."""
# words: log soft max | log of softmax | logarithm of softmax | logsoftmax | stable log softmax | log probabilities of softmax
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "shift": 30000, "neg_inf": True},
}
invariant = {"x": "shift"}


def reference(x):
    return torch.log_softmax(x.float(), dim=-1).to(x.dtype)
