"""Entropy of softmax over each row, one number a row: -sum(p * log(p)), p = softmax(x)."""
# words: softmax entropy | entropy of softmax | row entropy | entropy of the softmax | shannon entropy of softmax | entropy of logits | entropy of each row
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "shift": 30000},
}
invariant = {"x": "shift"}


def reference(x):
    logp = torch.log_softmax(x.float(), dim=-1)
    return (-(logp.exp() * logp).sum(-1)).to(x.dtype)
