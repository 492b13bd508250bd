"""A program that proposes kernels: ouroboros mint softmax -n 3 --smith 'cmd:python3 examples/smith.py'

A line of JSON comes in for each request, n lines go out. A real one would ask its model with q["prompt"]; this one knows
one kernel, and varies how many warps run it. doc/protocols.md tells the rest.
"""

import json
import sys

KERNEL = '''import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * N + cols, p / tl.sum(p, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    BLOCK = triton.next_power_of_2(N)
    softmax_kernel[(M,)](x, y, x.stride(0), N, BLOCK=BLOCK, num_warps={warps})
    return y
'''


def answer(**members):
    print(json.dumps(members), flush=True)  # whoever waits for a line gets it at once


for line in sys.stdin:
    q = json.loads(line)
    if not q["prompt"]["user"].startswith("Op `softmax`"):  # so the usual prompt begins (--profile)
        answer(id=q["id"], error="this program knows softmax only")
        continue
    for index in range(q["n"]):
        kernel = KERNEL.replace("{warps}", str((8, 16, 32)[(q["first"] + index) % 3]))
        answer(id=q["id"], index=index, text="```python\n" + kernel + "```\n", end="stop")
