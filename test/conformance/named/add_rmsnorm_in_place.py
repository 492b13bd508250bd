"""Adds x to the residual r in place; x becomes its root mean square normalisation (eps 1e-6) times w."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "r": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "w": {"shape": ("N",), "scale": (1, 16), "role": "weight"},
}
outputs = {"x": {"init": "x"}, "r": {"init": "r"}}
dims = {"N": {"min": 128, "usual": 4096}}
layout = "contiguous"


def reference(x, r, w):
    s = (x.float() + r.float()).to(x.dtype)
    h = s.float()
    n = (h * torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-6)).to(x.dtype)
    return (n.float() * w.float()).to(x.dtype), s
