"""x times a weight of 64 columns."""
inputs = {
    "x": {"shape": ("M", "K"), "scale": (1e-2, 8)},
    "w": {"shape": ("K", 64), "scale": (1e-2, 2)},
}
allow_tf32 = True
dims = {"K": {"max": 512}, "M": {"max": 200}}

def reference(x, w):
    return (x.float() @ w.float()).to(x.dtype)
