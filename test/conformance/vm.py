#!/usr/bin/env python3
"""Our machine against Triton's interpreter (TRITON_INTERPRET=1), and against what a GPU gave (gpu.py's language section).

Random expression programs (language.py): every value bit for bit, functions such as exp within 4 ulp of float32, exp itself within 24.
The smith's kernels: small cases of our draws in float32 and float16; both results have to be within the bound.

Skipped by name where the interpreter is no witness: programs with bfloat16 (it computes with the bit patterns and
truncates conversions), kernels that ask the index of a loop for its type (it is Python's there).

usage: vm.py --kit DIR --conform FILE [--smith N] [--gpu FILE.jsonl]
"""
import argparse
import base64
import collections
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys

os.environ["TRITON_INTERPRET"] = "1"

import torch

import gpu
import language
import nogpu

# The interpreter walks Python's range(): its index is Python's, and has no methods.
UNTYPED = "'int' object has no attribute 'to'"


def our_results(o, questions):
    text = "".join(json.dumps(q) + "\n" for q in questions)
    done = subprocess.run([o.conform, "run"], input=text, capture_output=True, text=True, check=True)
    return {a["id"]: a for a in map(json.loads, done.stdout.splitlines())}


def hexed(t):
    return {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "stride": list(t.stride()), "offset": 0, "hex": t.contiguous().view(torch.uint8).numpy().tobytes().hex()}


def doubles(raw):
    return struct.unpack(f"{len(raw) // 8}d", raw)


def ulps32(a, b):
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return abs(a - b) / 2.0 ** (max(math.frexp(max(abs(a), abs(b)))[1], -125) - 24)


def statements(source):
    return [line.strip() for line in source.splitlines() if re.match(r"    t\d+ = ", line)]


def first_difference(program, ours, theirs):
    """(row, statement, inputs' place, ours, theirs): of the first statement that differs; later ones follow from it."""
    lines = statements(program["source"])
    for row, line in enumerate(lines):
        # A function's operands differ once they come from another function: only those of the inputs are compared.
        if not program["exact"] and re.search(r"\bt\d+\b", line.split("=", 1)[1]):
            continue
        for k in range(64):
            a, b = ours[64 * row + k], theirs[64 * row + k]
            same = a == b or (math.isnan(a) and math.isnan(b))
            # The error of exp grows with its argument, here at most 20, as doc/error-bound.md says.
            most = 24 if re.search(r"tl\.(exp|exp2|sigmoid)\(", line) else 4
            if not same and not (not program["exact"] and ulps32(a, b) <= most):
                return row, line, k, a, b
    return None


def language_check(o, bench, programs, peer_name, peer):
    """peer(program): bytes, or None with a reason."""
    questions = []
    kinds = {"x": torch.float32, "y": torch.float32, "i": torch.int32, "j": torch.int32}
    inputs = [torch.tensor(language.INPUTS[k], dtype=t) for k, t in kinds.items()]
    for p in programs:
        questions.append({"id": p["name"], "source": p["source"], "inputs": [hexed(t) for t in inputs]})
    ours = our_results(o, questions)
    count, failed = collections.Counter(), []
    for p in programs:
        mine = ours[p["name"]]
        theirs = peer(p, inputs)
        if theirs is None:
            count["no answer of the peer"] += 1
            continue
        if "hex" not in mine:
            count["we refuse"] += 1
            failed.append((p["name"], mine["kind"], mine["message"]))
            continue
        if peer_name == "interpreter" and "bfloat16" in p["source"]:
            count["skipped: bfloat16"] += 1
            continue
        difference = first_difference(p, doubles(bytes.fromhex(mine["hex"])), doubles(theirs))
        if difference:
            count["different"] += 1
            failed.append((p["name"],) + difference)
        else:
            count["equal"] += 1
            count["values"] += len(theirs) // 8
    print(f"language programs, {peer_name}: {dict(count)}")
    for f in failed[:40]:
        print("  ", *f)
    return failed


def interpreter_of(bench):
    def run(p, inputs):
        try:
            return bench.load(p).run(*inputs).contiguous().view(torch.uint8).numpy().tobytes()
        except Exception as error:
            print("   interpreter:", p["name"], repr(error)[:150])
            return None

    return run


def gpu_of(path):
    kept = {}
    for line in open(path):
        r = json.loads(line)
        if r.get("section") == "language" and r.get("outcome") == "ran":
            kept[r["name"]] = base64.b64decode(r["out"])
    return lambda p, inputs: kept.get(p["name"])


def smith_check(o, bench, programs):
    """Both within the bound on small cases; the interpreter loops in Python, so not on the large ones."""
    count, failed, questions, places = collections.Counter(), [], [], []
    for number, p in enumerate(programs):
        cases, data = bench.draw(p["op"])
        small = [i for i, c in enumerate(cases) if c["dtype"] in ("float32", "float16") and 3 <= max(c["dims"]) <= 130 and min(c["dims"]) <= 9]
        i = small[number % len(small)]
        c = cases[i]
        at = [{k: t[k] for k in ("dtype", "shape", "stride", "offset")} | {"hex": data[t["at"] : t["at"] + t["bytes"]].numpy().tobytes().hex()} for t in c["inputs"]]
        questions.append({"id": p["name"], "source": p["source"], "inputs": at})
        places.append((p, c, data))
    ours = our_results(o, questions)
    for p, c, data in places:
        mine = ours[p["name"]]
        if "hex" not in mine:
            count["we refuse"] += 1
            failed.append((p["name"], mine))
            continue
        raw = bytearray(bytes.fromhex(mine["hex"]))
        us = bench.compare(torch.frombuffer(raw, dtype=getattr(torch, mine["dtype"])).reshape(mine["shape"]), data, c)
        try:
            peer = bench.load(p).run(*[bench.tensor_of(data, t) for t in c["inputs"]])
            them = bench.compare(peer, data, c)
        except Exception as error:
            if UNTYPED in repr(error).replace("\\", "") and re.search(r"for \w+ in (tl\.)?range\(", p["source"]):
                count["skipped: the interpreter's loop index has no type"] += 1
                continue
            count["interpreter raises"] += 1
            failed.append((p["name"], repr(error)[:200]))
            continue
        both = ("right" if not us["wrong"] else "wrong", "right" if not them["wrong"] else "wrong")
        count[f"ours {both[0]}, interpreter {both[1]}"] += 1
        count["values"] += us.get("of", 0)
        if both != ("right", "right"):
            failed.append((p["name"], c["dtype"], c["dims"], us if us["wrong"] else "", them if them["wrong"] else ""))
    print(f"smith kernels, interpreter: {dict(count)}")
    for f in failed[:40]:
        print("  ", *f)
    return failed


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--kit", required=True)
    p.add_argument("--conform", required=True)
    p.add_argument("--smith", type=int, default=412)
    p.add_argument("--gpu", help="what gpu.py wrote: its language section is compared, too")
    o = p.parse_args()
    torch.set_num_threads(1)
    nogpu.pretend()
    scratch = pathlib.Path(o.kit).parent / "draws"
    scratch.mkdir(exist_ok=True)
    bench = gpu.Bench({"kit": o.kit, "scratch": str(scratch), "cases": {}})
    index = [json.loads(line) for line in open(pathlib.Path(o.kit) / "index.jsonl")]
    for p in index:
        p["source"] = (pathlib.Path(o.kit) / p["file"]).read_text()
    spoken = [p for p in index if p["kind"] == "language"]
    smith = sorted((p for p in index if p["kind"] == "smith"), key=lambda p: int(p["name"].rsplit("_", 1)[1]))
    failed = language_check(o, bench, spoken, "interpreter", interpreter_of(bench))
    if o.gpu:
        failed += language_check(o, bench, spoken, "GPU", gpu_of(o.gpu))
    failed += smith_check(o, bench, smith[: o.smith])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
