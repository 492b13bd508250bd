# op: layernorm_relu
# about: mean and spread of every chunk in a workspace, merged by counts in the second launch
import torch
import triton
import triton.language as tl


@triton.jit
def chunk_moments(x_ptr, mean_ptr, m2_ptr, sx, N, CHUNK: tl.constexpr):
    row, chunk = tl.program_id(0), tl.program_id(1)
    chunks = tl.num_programs(1)
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < N
    count = tl.minimum(N - chunk * CHUNK, CHUNK)
    x = tl.load(x_ptr + row.to(tl.int64) * sx + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / count
    d = tl.where(mask, x - mean, 0.0)
    tl.store(mean_ptr + row * chunks + chunk, mean)
    tl.store(m2_ptr + row * chunks + chunk, tl.sum(d * d, axis=0))


@triton.jit
def normalise(
    x_ptr, mean_ptr, m2_ptr, w_ptr, b_ptr, y_ptr, sx, sy, N, chunks, eps,
    CHUNK: tl.constexpr, CHUNKS: tl.constexpr,
):
    row, chunk = tl.program_id(0), tl.program_id(1)
    k = tl.arange(0, CHUNKS)
    kept = k < chunks
    n = tl.where(kept, tl.minimum(N - k * CHUNK, CHUNK), 0).to(tl.float32)
    means = tl.load(mean_ptr + row * chunks + k, mask=kept, other=0.0)
    m2s = tl.load(m2_ptr + row * chunks + k, mask=kept, other=0.0)
    mean = tl.sum(means * (n / N), axis=0)
    off = means - mean
    var = tl.sum(m2s + n * off * off, axis=0) / N
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < N
    x = tl.load(x_ptr + row.to(tl.int64) * sx + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = (x - mean) * tl.rsqrt(var + eps) * w + b
    tl.store(y_ptr + row.to(tl.int64) * sy + cols, tl.where(y > 0, y, 0.0), mask=mask)


def run(x, w, b):
    M, N = x.shape
    CHUNK = 1024
    chunks = triton.cdiv(N, CHUNK)
    stats = torch.empty((2, M, chunks), device=x.device, dtype=torch.float32)
    means, m2s = stats.unbind(0)
    y = torch.empty((M, N), device=x.device, dtype=x.dtype)
    chunk_moments[(M, chunks)](x, means, m2s, x.stride(0), N, CHUNK=CHUNK)
    normalise[(M, chunks)](
        x, means, m2s, w, b, y, x.stride(0), y.stride(0), N, chunks, 1e-5,
        CHUNK=CHUNK, CHUNKS=triton.next_power_of_2(chunks),
    )
    return y
