"""Backward of gelu(e) (tanh form) times g by three tensors in place: the product, dw times gelu(e), the gradient of e."""
inputs = {
    "dw": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "e": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "g": {"shape": ("M", "N"), "scale": (1e-3, 16)},
}
outputs = {"dw": {"init": "dw"}, "e": {"init": "e"}, "g": {"init": "g"}}
layout = "contiguous"


def reference(dw, e, g):
    h = e.float()
    t = torch.tanh(0.7978845608028654 * (h + 0.044715 * h * h * h))
    f = (0.5 * (1 + t) * h).to(e.dtype)
    return f * g, dw * f, ((dw * g).float() * (0.5 * (1 + t) + 0.5 * (1 - t * t) * 0.7978845608028654 * (h + 0.134145 * h * h * h))).to(g.dtype)
