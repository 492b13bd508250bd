# op: l2norm
# about: partial sums of column chunks into a workspace, added up by every program of the second launch
import torch
import triton
import triton.language as tl


@triton.jit
def partial_squares(x_ptr, ws_ptr, N, stride, CHUNK: tl.constexpr):
    row, chunk = tl.program_id(0), tl.program_id(1)
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    x = tl.load(x_ptr + row.to(tl.int64) * stride + cols, mask=cols < N, other=0.0)
    x = x.to(tl.float32)
    tl.store(ws_ptr + row * tl.num_programs(1) + chunk, tl.sum(x * x))


@triton.jit
def apply_norm(x_ptr, ws_ptr, y_ptr, N, x_stride, y_stride, CHUNKS, CHUNK: tl.constexpr, CHUNKS_P2: tl.constexpr):
    row, chunk = tl.program_id(0), tl.program_id(1)
    each = tl.arange(0, CHUNKS_P2)
    total = tl.sum(tl.load(ws_ptr + row * CHUNKS + each, mask=each < CHUNKS, other=0.0))
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    x = tl.load(x_ptr + row.to(tl.int64) * x_stride + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(y_ptr + row.to(tl.int64) * y_stride + cols, x * tl.rsqrt(total + 1e-6), mask=cols < N)


def run(x):
    M, N = x.shape
    CHUNK = 512 if N <= 8192 else 4096
    chunks = triton.cdiv(N, CHUNK)
    workspace = x.new_empty((M, chunks), dtype=torch.float32)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    grid = (M, chunks)
    partial_squares[grid](x, workspace, N, x.stride(0), CHUNK=CHUNK)
    apply_norm[grid](
        x, workspace, y, N, x.stride(0), y.stride(0), chunks, CHUNK=CHUNK, CHUNKS_P2=triton.next_power_of_2(chunks)
    )
    return y
