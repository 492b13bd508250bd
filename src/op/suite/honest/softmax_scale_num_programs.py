# op: softmax_scale
# about: grid-stride over rows by tl.num_programs, the scale loaded once and folded into base two
import torch
import triton
import triton.language as tl


@triton.jit
def scaled_softmax(x_ptr, scale_ptr, y_ptr, M, N, sx, sy, BLOCK: tl.constexpr):
    qk_scale = tl.load(scale_ptr).to(tl.float32) * 1.4426950408889634
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    step = tl.num_programs(0)
    while row < M:
        x = tl.load(x_ptr + row.to(tl.int64) * sx + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x * qk_scale, float("-inf"))
        # a negative scale turns -inf into +inf only where the input has -inf
        p = tl.math.exp2(x - tl.max(x, 0))
        tl.store(y_ptr + row.to(tl.int64) * sy + cols, p / tl.sum(p, 0), mask=cols < N)
        row += step


def run(x, scale):
    M, N = x.shape
    y = torch.empty_like(x)
    programs = min(M, 4 * torch.cuda.get_device_properties(x.device).multi_processor_count)
    scaled_softmax[(programs,)](x, scale, y, M, N, x.stride(0), y.stride(0), BLOCK=triton.next_power_of_2(N))
    return y
