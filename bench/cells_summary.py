#!/usr/bin/env python3
"""cells_summary.py FOLDER...: what folders of `ouroboros bench -o` hold: a line a cell, and geometric means.

ratio: the better of torch.compile and max-autotune over the kernel, above 1 is faster. share: our plain streaming of the same
bytes over the kernel. A cell without a number is told and is in no mean.
"""
import glob
import json
import math
import sys

import script


def mean(x):
    return math.exp(sum(map(math.log, x)) / len(x)) if x else float("nan")


def cells(folder):
    for name in sorted(glob.glob(folder + "/*.jsonl")):
        lines = [json.loads(line) for line in open(name)]
        for line in lines[1:]:
            yield lines[0]["op"], line["cell"] if "cell" in line else line


def main():
    for folder in sys.argv[1:]:
        rows = list(cells(folder))
        ratio, share, by_op, by_shape, none = [], [], {}, {}, 0
        print(f"{folder}: {len(rows)} cells")
        for op, c in rows:
            shape = "%dx%d" % tuple(c["shape"])
            if c["status"] != "ok":
                none += 1
                print(f"  {op:18} {shape:11} {c['status']}: {c['why']}")
                continue
            us, floor = c["device"]["us"], (c.get("yardstick") or {}).get("us")
            beside = {b["name"]: round((b["device"] or b["own_device"])["us"], 2) for b in c["baselines"] if b["device"] or b["own_device"]}
            if floor:
                share.append(floor / us)
            if c["ratio"]:
                ratio.append(c["ratio"])
                by_op.setdefault(op, []).append(c["ratio"])
                by_shape.setdefault(shape, []).append(c["ratio"])
            print(f"  {op:18} {shape:11} {us:8.2f} us  share {floor / us if floor else 0:.3f}  ratio {c['ratio'] or 0:.3f}  {'kept' if c['kept'] else ''} {beside}")
        if share:
            print(f"  share of streaming: geometric mean {mean(share):.3f}, lowest {min(share):.3f}, of {len(share)} cells; {none} without a number")
        if ratio:
            print(f"  ratio: geometric mean {mean(ratio):.3f} of {len(ratio)} cells, lowest {min(ratio):.3f}, below 0.98: {sum(x < 0.98 for x in ratio)}")
            for what, by in (("op", by_op), ("shape", by_shape)):
                print("  by " + what + ": " + ", ".join(f"{k} {mean(v):.3f}" for k, v in by.items()))


script.run(main, __doc__, 1)
