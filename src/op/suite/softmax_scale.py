"""Softmax over the last dimension of x times one scale, numerically stable: softmax(x * scale)."""
# words: scaled softmax | softmax with scale | softmax with a scale | softmax of x times scale | softmax of scaled x | scale then softmax | softmax scaled | scaled soft max
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "shift": 30000, "neg_inf": True},
    "scale": {"shape": (1,), "range": (0.01, 4), "signs": "both"},
}
invariant = {"x": "shift"}
published = {"scale": {"signs": "positive"}}


def reference(x, scale):
    return torch.softmax(x.float() * scale.float(), dim=-1).to(x.dtype)
