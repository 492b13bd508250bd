"""The larger of x and minus infinity, which is x."""
inputs = {"x": {"shape": ("M", "N")}}


def reference(x):
    return torch.clamp(x.float(), min=-1e30).to(x.dtype)
