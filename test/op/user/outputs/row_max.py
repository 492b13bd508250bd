"""The largest value of each row, and where it stands: the first of equal ones."""
inputs = {"x": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True, "neg_inf": True}}
outputs = {"values": {}, "indices": {}}


def reference(x):
    return torch.max(x, dim=-1)
