# A stand-in for src/measure/baseline.py: PyTorch that knows relu2 alone, whose "compiled" kernels are text for the GPU of the
# tests. It says on standard error that it was asked.
import json
import sys

KERNEL = """import triton
import triton.language as tl


@triton.jit
def %s(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.maximum(tl.load(x + i, mask=i < n).to(tl.float32), 0.0)
    tl.store(out + i, (v * v).to(out.dtype.element_ty), mask=i < n)
"""
TYPES = {"float16": ("*fp16", 2), "bfloat16": ("*bf16", 2), "float32": ("*fp32", 4)}


def run(request, name):
    x = request["inputs"][0]
    kind, size = TYPES[x["dtype"]]
    count = 1
    for n in x["shape"]:
        count *= n
    image = {
        "kernel": name, "warps": 4, "stages": 3, "source": KERNEL % name,
        "params": [{"name": "x", "type": kind}, {"name": "out", "type": kind}, {"name": "n", "type": "i32"},
                   {"name": "BLOCK", "type": "constexpr", "value": 1024}],
    }
    out = 0 if request["in_place"] == [0] else 1
    return {
        "buffers": [{"input": 0, "bytes": count * size}, {"bytes": count * size}],
        "kernels": [{"entry": name, "image": json.dumps(image).encode().hex()}],
        "steps": [{"launch": 0, "grid": [(count + 1023) // 1024, 1, 1], "block": [128, 1, 1],
                   "args": [[0, 0], [out, 0], count.to_bytes(4, "little").hex()]}],
        "setups": 0,
        "outputs": [[out, 0]],
    }


for line in sys.stdin:
    request = json.loads(line)
    modes = {"eager": {"device": [50, 51], "call": [60]}}
    for k in range(request["draws"]):
        name = "max_autotune" if k == 0 else f"max_autotune_{k + 1}"
        modes[name] = {"device": [40], "call": [70], "run": run(request, "k_tuned")}
    modes["default"] = {"device": [41], "call": [71], "run": run(request, "k_default")}
    print("stand-in: tuned", file=sys.stderr, flush=True)
    print(json.dumps({"torch": "2.11.0", "triton": "3.6.0", "modes": modes, "errors": {}}), flush=True)
