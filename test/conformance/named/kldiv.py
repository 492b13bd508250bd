"""Kullback-Leibler divergence of each row from log probabilities y and probabilities t: sum of t (log t - y)."""
inputs = {
    "y": {"shape": ("M", "N"), "range": (-16, 0)},
    "t": {"shape": ("M", "N"), "range": (0.00001, 1)},
}


def reference(y, t):
    p = t.float()
    return (p * (torch.log(torch.clamp(p, min=1e-10)) - y.float())).sum(-1)
