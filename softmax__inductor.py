import torch
import triton
import triton.language as tl
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime import triton_helpers


@triton.jit
def triton_red_fused__softmax_0(in_ptr0, out_ptr2, ks0, xnumel, rnumel, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = (xoffset + tl.arange(0, XBLOCK)[:, None]).to(tl.int64)
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    x0 = xindex
    _tmp2 = tl.full([XBLOCK, RBLOCK], float("-inf"), tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp0 = tl.load(in_ptr0 + (rindex + ks0 * x0), rmask & xmask, eviction_policy="evict_last", other=0.0).to(tl.float32)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, RBLOCK])
        tmp3 = triton_helpers.maximum(_tmp2, tmp1)
        _tmp2 = tl.where(rmask & xmask, tmp3, _tmp2)
    tmp2 = triton_helpers.max2(_tmp2, 1)[:, None]
    _tmp8 = tl.full([XBLOCK, RBLOCK], 0, tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp4 = tl.load(in_ptr0 + (rindex + ks0 * x0), rmask & xmask, eviction_policy="evict_last", other=0.0).to(tl.float32)
        tmp5 = tmp4 - tmp2
        tmp6 = tl_math.exp(tmp5)
        tmp7 = tl.broadcast_to(tmp6, [XBLOCK, RBLOCK])
        tmp9 = _tmp8 + tmp7
        _tmp8 = tl.where(rmask & xmask, tmp9, _tmp8)
    tmp8 = tl.sum(_tmp8, 1)[:, None]
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp10 = tl.load(in_ptr0 + (rindex + ks0 * x0), rmask & xmask, eviction_policy="evict_first", other=0.0).to(tl.float32)
        tmp11 = tmp10 - tmp2
        tmp12 = tl_math.exp(tmp11)
        tmp13 = tmp12 / tmp8
        tl.store(out_ptr2 + (rindex + rnumel * x0), tmp13, rmask & xmask)


def call(args):
    arg0_1, = args
    args.clear()
    s0, s1 = arg0_1.size()
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf2 = torch.empty((s0, s1), device="cuda", dtype=arg0_1.dtype)
        grid = lambda meta: (triton.cdiv(s0, meta["XBLOCK"]),)
        triton_red_fused__softmax_0[grid](arg0_1, buf2, arg0_1.stride(0), s0, s1, XBLOCK=4, RBLOCK=1024, num_warps=8, num_stages=1)
        del arg0_1
    return (buf2,)


def run(x):
    return call([x])[0]
