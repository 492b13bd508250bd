# op: rmsnorm
# about: autotuned, at most as many programs as twice the processors, which walk over the rows
# attack: A60
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"CHUNK": 256}, num_warps=2), triton.Config({"CHUNK": 1024}, num_warps=4)], key=["N"])
@triton.jit
def rms_kernel(x_ptr, w_ptr, out_ptr, x_stride, out_stride, M, N, CHUNK: tl.constexpr):
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        x_row = x_ptr + row.to(tl.int64) * x_stride
        out_row = out_ptr + row.to(tl.int64) * out_stride
        acc = tl.zeros([CHUNK], dtype=tl.float32)
        for at in range(0, N, CHUNK):
            cols = at + tl.arange(0, CHUNK)
            x = tl.load(x_row + cols, mask=cols < N, other=0.0).to(tl.float32)
            acc += x * x
        r = tl.rsqrt(tl.sum(acc, axis=0) / N + 1e-6)
        for at in range(0, N, CHUNK):
            cols = at + tl.arange(0, CHUNK)
            x = tl.load(x_row + cols, mask=cols < N, other=0.0).to(tl.float32)
            w = tl.load(w_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(out_row + cols, x * r * w, mask=cols < N)


def run(x, w):
    M, N = x.shape
    out = torch.empty_like(x)
    programs = min(M, 2 * torch.cuda.get_device_properties(x.device).multi_processor_count)
    rms_kernel[(programs,)](x, w, out, x.stride(0), out.stride(0), M, N)
    return out
