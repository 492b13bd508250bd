# op: relu2
# about: a table of sizes whose entries go in a loop
import torch
import triton
import triton.language as tl
@triton.jit
def _k(x_ptr, y_ptr, s, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * s + c, mask=c < N, other=0.0).to(tl.float32)
        r = tl.maximum(x, 0.0)
        tl.store(y_ptr + row * N + c, (r * r).to(y_ptr.dtype.element_ty), mask=c < N)

_cache = {}
def run(x):
    M, N = x.shape
    if len(_cache) > 8:
        for k, v in list(_cache.items()):
            if v > 128:
                _cache.pop(k)
    if N not in _cache:
        _cache[N] = min(triton.next_power_of_2(N), 1024)
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    _k[(M,)](x, y, x.stride(0), N, BLOCK=_cache[N])
    return y
