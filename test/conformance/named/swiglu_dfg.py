"""Backward of silu(e) times g by three tensors in place: the product, dw times silu(e), the gradient of e."""
inputs = {
    "dw": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "e": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "g": {"shape": ("M", "N"), "scale": (1e-3, 16)},
}
outputs = {"dw": {"init": "dw"}, "e": {"init": "e"}, "g": {"init": "g"}}
layout = "contiguous"


def reference(dw, e, g):
    h = e.float()
    s = torch.sigmoid(h)
    f = (h * s).to(e.dtype)
    return f * g, dw * f, ((dw * g).float() * s * (1 + h * (1 - s))).to(g.dtype)
