#!/usr/bin/env python3
"""Our oracle against torch, op by op, on our own draws.

float64: the definition with every .float() made .double(): values must agree to a thousandth of the bound's unit (the
oracle's own error, doc/error-bound.md section 6), or exactly where the bound is zero.
float32: the definition as it stands, eager: torch is an honest float32 implementation, so every element must be accepted.

usage: oracle.py --kit DIR --conform FILE [--ops NAME,NAME]
"""
import argparse
import json
import pathlib
import subprocess
import sys

import torch

import gpu

U = 2.0**-24


def doubled(reference, inputs):
    """The reference on float64 tensors, with float() and casts back to half types left out."""
    keep_float, keep_to = torch.Tensor.float, torch.Tensor.to
    halves = (torch.float16, torch.bfloat16, torch.float32)
    torch.Tensor.float = torch.Tensor.double
    torch.Tensor.to = lambda t, *a, **k: t.double() if a and a[0] in halves else keep_to(t, *a, **k)
    try:
        return reference(*[t.double() if t.is_floating_point() else t for t in inputs])
    finally:
        torch.Tensor.float, torch.Tensor.to = keep_float, keep_to


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--kit", required=True)
    p.add_argument("--conform", required=True)
    p.add_argument("--ops", default="")
    o = p.parse_args()
    torch.set_num_threads(1)
    scratch = pathlib.Path(o.kit).parent
    bench = gpu.Bench({"kit": o.kit, "scratch": str(scratch), "cases": {}})
    total = {"ops": 0, "elements": 0, "unjudged": 0, "beyond a thousandth": 0, "torch float32 outside": 0}
    worst, failed = (0.0, ""), []
    for op in o.ops.split(",") if o.ops else bench.ops:
        prefix = scratch / "oracle"
        subprocess.run([o.conform, "draw", op, "quick", "3", str(prefix)], check=True)
        data = torch.from_file(f"{prefix}.bin", size=(scratch / "oracle.bin").stat().st_size, dtype=torch.uint8)
        scope = {"torch": torch}
        exec(bench.ops[op]["definition"], scope)
        total["ops"] += 1
        for k, c in enumerate(json.load(open(f"{prefix}.json"))["cases"]):
            inputs = [bench.tensor_of(data, t) for t in c["inputs"]]
            v, e = bench.truth(data, c)
            theirs = doubled(scope["reference"], inputs).double().flatten()
            same = (theirs == v) | (theirs.isnan() & v.isnan()) | e.isinf()
            off = torch.where(same, torch.zeros_like(v), (theirs - v).abs() / (U * e))
            beyond = int((~(off <= 1e-3)).sum())
            most = float(torch.nan_to_num(off, nan=float("inf")).max())
            if most > worst[0]:
                worst = (most, f"{op} case {k}")
            accepted = bench.compare(scope["reference"](*inputs), data, c)
            total["elements"] += v.numel()
            total["unjudged"] += accepted.get("unjudged", 0)
            total["beyond a thousandth"] += beyond
            total["torch float32 outside"] += abs(accepted["wrong"])
            if beyond or accepted["wrong"]:
                failed.append((op, k, c["dtype"], c["dims"], beyond, most, accepted))
                print(*failed[-1], flush=True)
    print(json.dumps(total), f"largest difference in units of the bound's unit: {worst[0]:.2e} ({worst[1]})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
