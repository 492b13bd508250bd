"""Backward of exact gelu(e) times g by three tensors in place: the product, dw times gelu(e), the gradient of e."""
inputs = {
    "dw": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "e": {"shape": ("M", "N"), "scale": (1e-3, 16)},
    "g": {"shape": ("M", "N"), "scale": (1e-3, 16)},
}
outputs = {"dw": {"init": "dw"}, "e": {"init": "e"}, "g": {"init": "g"}}
layout = "contiguous"


def reference(dw, e, g):
    h = e.float()
    half = 0.5 * (torch.erf(h * 0.7071067811865476) + 1)
    f = (half * h).to(e.dtype)
    return f * g, dw * f, ((dw * g).float() * (half + 0.3989422804014327 * h * torch.exp(-0.5 * h * h))).to(g.dtype)
