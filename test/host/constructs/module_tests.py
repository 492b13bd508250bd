import logging

import torch
import triton
import triton.language as tl

logging.basicConfig(level="INFO")
logging.getLogger("triton").setLevel(logging.ERROR)
torch.set_grad_enabled(False)


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y


def test_relu2():
    results = {}
    x = torch.randn(4, 5, device="cuda")
    results["test_case_1"] = run(x).cpu()
    assert torch.allclose(results["test_case_1"], torch.relu(x).square().cpu())
    return results


result_gold = test_relu2()
print(result_gold)
# --- parse_reject: module level
def run(x):
    return launch(x)


TABLE = launch(torch.zeros((8, 8), device="cuda"))
# --- parse_reject: allow_tf32
torch.backends.cuda.matmul.allow_tf32 = True


def run(x):
    return launch(x)
# --- parse_reject: .empty
def run(x):
    return launch(x)


def test_it():
    setattr(torch, "empty", torch.zeros)


test_it()
