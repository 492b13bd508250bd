"""Drops a quarter of the elements by Triton's random numbers of seed 7, in blocks of 4 times 512; with the mask."""
inputs = {"x": {"shape": ("B", "N"), "scale": (1e-3, 64)}}
outputs = {"y": {}, "mask": {}}
dims = {"B": {"max": 64}, "N": {"max": 4096}}


def reference(x):
    blocks = (x.numel() + 2047) // 2048
    words = torch.stack(tl.rand4x(7, torch.arange(512 * blocks).reshape(blocks, 512)), 1)
    kept = (words > 0.25).reshape(-1)[: x.numel()].reshape(x.shape)
    return torch.where(kept, x.float() / 0.75, 0.0).to(x.dtype), kept
