"""Imports: which names Triton's modules have. Every public name of each module, and every name that any table of ours or
another of those modules has, imported by a kernel file that never uses it. Ours must say `cannot import name` exactly
where Python would raise ImportError. Usage: names.py OUROBOROS
"""
import importlib
import json
import re
import subprocess
import sys
import tempfile
import typing

MODULES = [
    "triton.language", "triton.language.math", "triton.language.extra", "triton.language.extra.cuda",
    "triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice",
]
# One list of libdevice here; the CUDA half of Triton 3.6's leaves this one out. A loop variable of an __init__.
KNOWN = {("triton.language.extra.cuda.libdevice", "fast_tanhf"), ("triton.language.extra", "module")}
KERNEL = """import torch
import triton
import triton.language as tl
from {module} import {name} as imported


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + i, mask=i < n, other=0.0).to(tl.float32), 0.0)
    tl.store(out_ptr + i, x * x, mask=i < n)


def run(x):
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return out
"""


def is_triton(module, value):
    """What a module has of Python's own (typing.List, a TypeVar) is not Triton's."""
    if isinstance(value, type(sys)):
        return value.__name__.startswith(module.__name__ + ".")
    return not isinstance(value, typing.TypeVar) and str(getattr(value, "__module__", "")).startswith("triton") or type(value) is int


def main():
    binary = sys.argv[1]
    module = {name: importlib.import_module(name) for name in MODULES}
    reference = subprocess.run([binary, "lang"], capture_output=True, text=True, check=True).stdout
    ours = set(re.findall(r"(?:tl|libdevice|x)\.(?:math\.|core\.)?(\w+)", reference))
    names = ours.union(*(dir(m) for m in module.values()))
    asked = [(m, n) for m in MODULES for n in sorted(names) if not n.startswith("_")]
    lines = [json.dumps({"id": i, "op": "relu2", "source": KERNEL.format(module=m, name=n)}) for i, (m, n) in enumerate(asked)]
    with tempfile.TemporaryDirectory() as state:
        out = subprocess.run([binary, "referee", "--stream", "--state", state], input="\n".join(lines) + "\n",
                             capture_output=True, text=True, check=True).stdout
    verdict = {v["id"]: v for v in map(json.loads, out.splitlines())}
    equal = wrong = 0
    for i, (m, n) in enumerate(asked):
        there = hasattr(module[m], n)
        if there and not is_triton(module[m], getattr(module[m], n)):
            continue
        missing = f"cannot import name '{n}' from '{m}'" in verdict[i]["feedback"]
        if (missing or verdict[i]["accepted"]) and (missing != there or (m, n) in KNOWN):
            equal += 1
        else:
            wrong += 1
            print(f"from {m} import {n}: {'there' if there else 'missing'} in Triton; here: {verdict[i]['feedback'][:100]}")
    print(f"imports: {equal} of {equal + wrong} names as in Triton")
    return 1 if wrong or equal < 1000 else 0


sys.exit(main())
