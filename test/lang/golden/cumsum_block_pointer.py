# functions: _combine scan_kernel run
import torch, triton, triton.language as tl

@triton.jit
def _combine(a, b): return a + b

@triton.jit(do_not_specialize=["n"], debug=False)
def scan_kernel(src, dst, n, stride: tl.int64, BLOCK: tl.constexpr, REVERSE: tl.constexpr = False):
    row = tl.program_id(0)
    p = tl.make_block_ptr(base=src + row * stride, shape=(n,), strides=(1,), offsets=(0,), block_shape=(BLOCK,), order=(0,))
    q = tl.make_block_ptr(dst + row * stride, (n,), (1,), (0,), (BLOCK,), (0,))
    carry = 0.0
    while n > 0:
        x = tl.load(p, boundary_check=(0,), padding_option="zero").to(tl.float32)
        y = tl.associative_scan(x, axis=0, combine_fn=_combine, reverse=REVERSE) + carry
        tl.store(q, y.to(dst.dtype.element_ty), boundary_check=[0])
        carry += tl.sum(x, axis=0)
        p, q = tl.advance(p, (BLOCK,)), tl.advance(q, (BLOCK,))
        n -= BLOCK

def run(x):
    y = torch.empty_like(x)
    scan_kernel[(x.shape[0],)](x, y, x.shape[1], x.stride(0), BLOCK=512)
    return y
