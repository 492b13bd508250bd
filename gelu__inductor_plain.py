import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

empty_strided_cuda = torch.empty_strided


@triton.jit
def triton_poi_fused_gelu_0(in_ptr0, out_ptr0, ks0, ncols, xnumel, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0).to(tl.int64) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % ncols
    x1 = xindex // ncols
    tmp0 = tl.load(in_ptr0 + (x0 + ks0 * x1), xmask).to(tl.float32)
    tmp1 = 0.5
    tmp2 = tmp0 * tmp1
    tmp3 = tmp0 * tmp0 * tmp0
    tmp4 = 0.044715
    tmp5 = tmp0 + tmp3 * tmp4
    tmp6 = 0.7978845608028654
    tmp7 = libdevice.tanh(tmp5 * tmp6)
    tmp8 = tmp2 * (tmp7 + 1.0)
    tl.store(out_ptr0 + xindex, tmp8, xmask)


def call(args):
    (arg0_1,) = args
    args.clear()
    s0 = arg0_1.size(0)
    s1 = arg0_1.size(1)
    buf0 = empty_strided_cuda((s0, s1), (s1, 1), device="cuda", dtype=arg0_1.dtype)
    triton_poi_fused_gelu_0_xnumel = s0 * s1
    triton_poi_fused_gelu_0[(triton.cdiv(triton_poi_fused_gelu_0_xnumel, 1024), 1, 1)](arg0_1, buf0, arg0_1.stride(0), s1, triton_poi_fused_gelu_0_xnumel, 1024)
    del arg0_1
    return (buf0,)


def run(x):
    buf, = call([x])
    return buf
