# op: softmax
# about: fewer programs on GPUs with a certain number of processors
import torch
import triton
import triton.language as tl


@triton.jit
def sm_kernel(x_ptr, out_ptr, x_stride, out_stride, M, N, n_sm, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    scale = 1.0
    for r in range(tl.program_id(0), M, tl.num_programs(0)):
        row = r.to(tl.int64)
        x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        p = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + cols, scale * (p / tl.sum(p, axis=0)), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    n_sm = torch.cuda.get_device_properties(x.device).multi_processor_count
    sm_kernel[(min(M, n_sm * 4 if n_sm == 84 else n_sm * 8),)](x, out, x.stride(0), out.stride(0), M, N, n_sm, BLOCK=triton.next_power_of_2(N))
    return out
