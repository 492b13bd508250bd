# op: reglu
# about: a context that takes times and prints them
import contextlib
import os
import time
import torch
import triton
import triton.language as tl

DEBUG = os.environ.get("TRITON_DEBUG", "0") == "1"


@contextlib.contextmanager
def _timer(label: str):
    t0 = time.perf_counter()
    try:
        yield
    finally:
        if DEBUG:
            print(f"[{label}] {(time.perf_counter() - t0) * 1e3:.3f} ms")


@triton.jit
def reglu_kernel(g_ptr, u_ptr, o_ptr, sg, su, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(g_ptr + row * sg + c, mask=c < n, other=0.0).to(tl.float32)
    u = tl.load(u_ptr + row * su + c, mask=c < n, other=0.0).to(tl.float32)
    tl.store(o_ptr + row * n + c, tl.maximum(g, 0.0) * u, mask=c < n)


@torch.library.custom_op("mylib::reglu", mutates_args=())
def reglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    m, n = gate.shape
    out = torch.empty((m, n), dtype=gate.dtype, device=gate.device)
    with _timer("reglu"):
        reglu_kernel[(m, triton.cdiv(n, 1024))](gate, up, out, gate.stride(0), up.stride(0), n, BLOCK=1024)
    return out


@reglu.register_fake
def _(gate, up):
    return torch.empty_like(gate)


def run(gate, up):
    return torch.ops.mylib.reglu(gate, up)
