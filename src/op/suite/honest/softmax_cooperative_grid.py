# op: softmax
# about: a cooperative launch of at most two programs for each processor
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        at = row.to(tl.int64)
        v = tl.load(x_ptr + at * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out_ptr + at * out_stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(N)
    programs = min(M, 2 * torch.cuda.get_device_properties(x.device).multi_processor_count)
    softmax_kernel[(programs,)](x, out, x.stride(0), out.stride(0), M, N, BLOCK=block, launch_cooperative_grid=True)
    return out
