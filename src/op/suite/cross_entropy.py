"""Cross entropy of each row of logits with its target class: minus log_softmax(x) at the target, one number a row."""
# words: cross entropy loss | crossentropy | crossentropyloss | crossentropy loss | softmax cross entropy | softmax cross entropy loss | negative log likelihood of softmax | ce loss | xent | log loss of logits
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "shift": 30000, "neg_inf": True, "keep": "target"},
    "target": {"shape": ("M",), "dtype": "int64", "range": (0, "N")},
}
invariant = {"x": "shift"}


def reference(x, target):
    logp = torch.log_softmax(x.float(), dim=-1)
    return (-logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)).to(x.dtype)
