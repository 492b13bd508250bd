"""One half everywhere: the input cancels."""
inputs = {"x": {"shape": ("M", "N"), "scale": (0.5, 4)}}


def reference(x):
    s = torch.sigmoid(x.float())
    return ((s - s) + 0.5).to(x.dtype)
