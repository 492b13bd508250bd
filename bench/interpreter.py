#!/usr/bin/env python3
"""Our machine side by side with Triton's interpreter (TRITON_INTERPRET=1): the same kernels on the same tensors.

For each kernel every case of one quick draw (42 or so: short and long rows, float32, float16, bfloat16, both layouts).
  interpreter  one pass over all cases in a warm process: torch, Triton and the kernel are loaded, and the smallest cases
               were run once before the clock starts. Only run(...) is counted, on tensors made before, in seconds of a core:
               a busy machine does not make it slower.
  ours         what the sandboxed child of a verdict takes on the wall clock, median of REPEAT: from fork to exit, so with parsing and
               checking the source, every memory check, and the second run of tiny cases in another order. Not warm.

usage: interpreter.py --conform build/release/conform [--ops "softmax rmsnorm"] [--honest N] [--seed S] [--least RATIO]
Kernels: the right kernel of each op in OPS, and N hand-written ones of the self-test. Fails when the geometric mean of the
ratios is below --least, or the peer is missing.
"""
import argparse
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

os.environ["TRITON_INTERPRET"] = "1"
try:
    import torch
    import triton  # noqa: F401
except ImportError as missing:
    sys.exit(
        f"interpreter.py: {missing}\nThe peer is needed: run this with build/conformance/venv/bin/python (make conformance makes it), or\n"
        '  python3 -m venv v && v/bin/python -m pip install torch==2.11.0 triton==3.6.0 "numpy<2.3"'
    )

OPS = "softmax log_softmax rmsnorm layernorm add_rmsnorm_gelu add_layernorm_silu l2norm swiglu bias_gelu cross_entropy entropy cumsum rope dequant_int8"


def lines(command, given=""):
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"interpreter.py: {' '.join(map(str, command))}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def load(program, folder):
    path = pathlib.Path(folder) / (program["name"] + ".py")
    path.write_text(program["source"])
    spec = importlib.util.spec_from_file_location(program["name"], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.run


def tensor(data, t):
    raw = data[t["at"] : t["at"] + t["bytes"]].clone()
    return torch.as_strided(raw.view(getattr(torch, t["dtype"])), t["shape"], t["stride"], t["offset"])


def interpreter_seconds(run, cases, data):
    """Of one pass over all cases, and how many of them it could not run."""
    inputs = [[tensor(data, t) for t in c["inputs"]] for c in cases]
    for x in sorted(inputs, key=lambda x: x[0].numel())[:3]:
        try:
            run(*x)
        except Exception:
            pass
    total, failed = 0.0, 0
    for x in inputs:
        start = time.process_time()
        try:
            run(*x)
        except Exception:
            failed += 1
        total += time.process_time() - start
    return total, failed


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--conform", required=True)
    p.add_argument("--ops", default=OPS)
    p.add_argument("--honest", type=int, default=6)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--repeat", type=int, default=9)
    p.add_argument("--least", type=float, default=100)
    o = p.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    wanted = o.ops.split()
    programs = lines([o.conform, "programs"])
    chosen = [next(q for q in programs if q["kind"] == "gold" and q["op"] == op) for op in wanted]
    honest = [q for q in programs if q["kind"] == "honest"]
    chosen += honest[:: max(1, len(honest) // max(1, o.honest))][: o.honest]
    print(f"{'kernel':44} {'op':20} cases  interpreter       ours     ratio")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for program in chosen:
            prefix = os.path.join(folder, program["op"])
            if not os.path.exists(prefix + ".json"):
                subprocess.run([o.conform, "draw", program["op"], "quick", str(o.seed), prefix], check=True)
            cases = json.load(open(prefix + ".json"))["cases"]
            data = torch.frombuffer(bytearray(open(prefix + ".bin", "rb").read()), dtype=torch.uint8)
            question = json.dumps({"id": program["name"], "source": program["source"]}) + "\n"
            ours = lines([o.conform, "time", program["op"], "quick", str(o.seed), str(o.repeat)], question)[0]
            if ours["status"] != "ok" or ours["cases"] != len(cases):
                sys.exit(f"interpreter.py: {program['name']}: {ours['status']}, {ours['cases']} of {len(cases)} cases")
            theirs, failed = interpreter_seconds(load(program, folder), cases, data)
            ratio = theirs / ours["seconds"]
            note = f"  (it cannot run {failed} of them)" if failed else ""
            print(f"{program['name']:44} {program['op']:20} {len(cases):5}  {1e3 * theirs:8.0f} ms  {1e3 * ours['seconds']:6.2f} ms  {ratio:8.0f}{note}", flush=True)
            if not failed:
                ratios.append(ratio)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} kernels: geometric mean {mean:.0f}, lowest {min(ratios):.0f}, highest {max(ratios):.0f}")
    return mean < o.least


if __name__ == "__main__":
    sys.exit(main())
