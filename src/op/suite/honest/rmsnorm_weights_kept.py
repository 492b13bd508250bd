# op: rmsnorm
# about: each program keeps the weights in registers and walks over a contiguous chunk of rows
import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_chunk(x_ptr, w_ptr, y_ptr, M, N, x_stride, y_stride, eps, rows_per_program, BLOCK: tl.constexpr):
    first = tl.program_id(0) * rows_per_program
    last = tl.minimum(first + rows_per_program, M)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    w = tl.load(w_ptr + cols, mask=mask, other=0.0, eviction_policy="evict_last").to(tl.float32)
    x_ptr += first.to(tl.int64) * x_stride
    y_ptr += first.to(tl.int64) * y_stride
    for _ in range(first, last):
        x = tl.load(x_ptr + cols, mask=mask, other=0.0, cache_modifier=".cg").to(tl.float32)
        rstd = tl.math.rsqrt(tl.sum(x * x, axis=0) / N + eps)
        tl.store(y_ptr + cols, (x * rstd * w).to(y_ptr.dtype.element_ty), mask=mask)
        x_ptr += x_stride
        y_ptr += y_stride


def run(x, w, eps: float = 1e-6):
    M, N = x.shape
    y = torch.empty_like(x)
    sm_count = torch.cuda.get_device_properties(x.device).multi_processor_count
    rows_per_program = triton.cdiv(M, sm_count)
    programs = triton.cdiv(M, rows_per_program)
    BLOCK = triton.next_power_of_2(N)
    num_warps = 1
    while num_warps < 16 and num_warps * 256 < BLOCK:
        num_warps *= 2
    rmsnorm_chunk[(programs,)](
        x, w, y, M, N, x.stride(0), y.stride(0), eps, rows_per_program, BLOCK=BLOCK, num_warps=max(num_warps, 4)
    )
    return y
