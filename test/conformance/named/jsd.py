"""Jensen-Shannon divergence (beta one half) of log probabilities x and y, each element, and its gradient."""
inputs = {
    "x": {"shape": ("M", "N"), "range": (-12, 0)},
    "y": {"shape": ("M", "N"), "range": (-12, 0)},
}
outputs = {"loss": {}, "dx": {}}


def reference(x, y):
    a, b = x.float(), y.float()
    p, q, top = torch.exp(a), torch.exp(b), torch.maximum(a, b)
    log_m = top + torch.log(0.5 * torch.exp(b - top) + 0.5 * torch.exp(a - top))
    dx = 0.5 * p * (a - log_m)
    return 0.5 * q * (b - log_m) + dx, dx.to(x.dtype)
