"""Total variation distance: half the row's sum of |p - q|, and its gradient with respect to p."""
inputs = {
    "p": {"shape": ("M", "N"), "range": (0, 1)},
    "q": {"shape": ("M", "N"), "range": (0, 1)},
}
outputs = {"loss": {}, "grad": {}}


def reference(p, q):
    a, b = p.float(), q.float()
    return (0.5 * torch.abs(p - q)).float().sum(-1), torch.where(a == b, 0.0, torch.where(a > b, 0.5, -0.5)).to(p.dtype)
