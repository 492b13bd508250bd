"""Rotary embedding of x in place: x * cos + rotate_half(x) * sin."""
inputs = {
    "x": {"shape": ("M", "D"), "scale": (1e-4, 64)},
    "cos": {"shape": ("M", "D"), "range": (-1, 1)},
    "sin": {"shape": ("M", "D"), "range": (-1, 1)},
}
outputs = {"x": {"init": "x"}}
dims = {"D": {"multiple_of": 2, "min": 2, "usual": 128}}


def reference(x, cos, sin):
    h = x.float()
    half = x.shape[-1] // 2
    rotated = torch.cat((-h[:, half:], h[:, :half]), dim=-1)
    return (h * cos.float() + rotated * sin.float()).to(x.dtype)
