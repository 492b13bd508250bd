import os

if os.environ.get("TRITON_DEBUG", "0") == "1":

    @triton.jit
    def squares(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
        tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)
else:

    @triton.jit
    def squares(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * n + cols, tl.where(x > 0, x * x, 0.0), mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    squares[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- incorrect: wrong
if torch.cuda.get_device_capability()[0] >= 9:

    @triton.jit
    def squares(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
        tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)
else:

    @triton.jit
    def squares(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * n + cols, tl.where(x > 0, x * x * 2, 0.0), mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    squares[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- incorrect: wrong
if torch.cuda.get_device_capability()[0] >= 9:

    @triton.jit
    def squares(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * n + cols, tl.where(x > 0, x * x * 2, 0.0), mask=cols < n)
else:

    @triton.jit
    def squares(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
        tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    squares[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
# --- unsupported: module level
if torch.cuda.get_device_capability()[0] >= 9:

    @triton.jit
    def squares(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
        tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    squares[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
