# AOT ID: ['0_inference']
import torch
from math import inf, nan
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels
from torch._inductor.runtime.triton_heuristics import grid
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
import triton
import triton.language as tl

aten = torch.ops.aten
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
async_compile = AsyncCompile()
triton_helpers.set_driver_to_gpu()


@triton.jit
def triton_poi_fused_mul_relu_0(in_ptr0, out_ptr0, ks0, ks1, xnumel, XBLOCK: tl.constexpr):
    xindex = tl.program_id(0).to(tl.int64) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex // ks1) * ks0 + xindex % ks1, xmask).to(tl.float32)
    tmp1 = tl.full([1], 0, tl.int32)
    tmp2 = triton_helpers.maximum(tmp1, tmp0)
    tl.store(out_ptr0 + xindex, tmp2 * tmp2, xmask)


async_compile.wait(globals())
del async_compile


def call(args):
    arg0_1, = args
    args.clear()
    s0, s1 = arg0_1.size()
    assert_size_stride(arg0_1, (s0, s1), (arg0_1.stride(0), 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf0 = empty_strided_cuda((s0, s1), (s1, 1), arg0_1.dtype)
        get_raw_stream(0)
        triton_poi_fused_mul_relu_0[grid(s0 * s1)](arg0_1, buf0, arg0_1.stride(0), s1, s0 * s1, XBLOCK=256, num_warps=4, num_stages=1)
        del arg0_1
    return buf0,


def run(x):
    return call([x])[0]
# --- host_error: wrong size or stride
assert_size_stride = torch._C._dynamo.guards.assert_size_stride


def run(x):
    assert_size_stride(x, (4, 4), (4, 1))
    return launch(x)
# --- parse_reject: torch.ops.aten
aten = torch.ops.aten


def run(x):
    return aten.relu(x)
