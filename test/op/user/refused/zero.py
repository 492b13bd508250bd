"""Nothing but zeros, whatever the input."""
inputs = {"x": {"shape": ("M", "N")}}


def reference(x):
    return (x.float() * 0.0).to(x.dtype)
