#!/usr/bin/env python3
"""How fast the best of eight drafts is by the rank model, beside the grammar smith's best of eight.

    seedling_rank.py OUROBOROS MODEL OP...

A line for each op with both estimates in microseconds and their ratio; then the median and the largest ratio, and the ops
of which one of the two had nothing that was accepted.
"""
import json
import statistics
import subprocess
import sys

import script


def best(program, smith, op):
    out = subprocess.run([program, "mint", op, "--smith", smith, "-n", "8", "--seed", "1", "--json"], capture_output=True,
                         text=True).stdout
    try:
        found = json.loads(out)
    except json.JSONDecodeError:
        return None
    return found["rank_model"]["estimate_us"] if found.get("best") else None


def main():
    program, model, ops = sys.argv[1], sys.argv[2], sys.argv[3:]
    ratios, without = [], []
    print("| op | seedling, us | grammar, us | ratio |\n|---|---|---|---|")
    for op in ops:
        ours, theirs = best(program, model, op), best(program, "grammar", op)
        if ours is None or theirs is None:
            without.append(op)
            continue
        ratios.append(ours / theirs)
        print(f"| {op} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.3f} |", flush=True)
    if ratios:
        within = sum(r <= 1.10 for r in ratios)
        print(f"\nmedian {statistics.median(ratios):.3f}, largest {max(ratios):.3f}, within 1.10: {within} of {len(ratios)}; "
              f"without a kernel: {', '.join(without) or 'none'}")


script.run(main, __doc__, 3)
