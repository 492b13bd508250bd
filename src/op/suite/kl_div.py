"""Kullback-Leibler divergence of two softmax distributions, one number a row: sum(p * (log(p) - log(q))), p = softmax(x), q = softmax(y)."""
# words: kl divergence | kullback leibler divergence | kl | kl div of softmax | kl of softmax x and softmax y | kl divergence of softmax x and softmax y | relative entropy | kl divergence of two softmaxes | kl loss
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "shift": 30000},
    "y": {"shape": ("M", "N"), "scale": (1e-4, 64), "shift": 30000},
}
invariant = {"x": "shift", "y": "shift"}


def reference(x, y):
    logp = torch.log_softmax(x.float(), dim=-1)
    logq = torch.log_softmax(y.float(), dim=-1)
    return (logp.exp() * (logp - logq)).sum(-1).to(x.dtype)
