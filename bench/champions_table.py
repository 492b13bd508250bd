"""doc/champions.md from the folder of champions, and from cells that were timed beside PyTorch (grid.py).

    champions_table.py [--folder champions] [--cells FILE.jsonl]... -o doc/champions.md

Times are those of the champion's own record, measured once more by a fresh process after the search. A ratio is told where the cells
hold one for the very same kernel. Nothing here is measured or judged: `ouroboros champions --check` does that.
"""

import argparse
import glob
import json
import math
import os
import sys


def mean(x):
    return math.exp(sum(map(math.log, x)) / len(x)) if x else None


def ratios_of(paths):
    """By op, kernel, shape and dtype; the last line of a file counts."""
    out = {}
    for path in paths:
        with open(path, encoding="utf-8") as f:
            for line in f:
                c = json.loads(line)
                if c["cell"]["ratio"]:
                    out[(c["op"], c["sha256"], "x".join(map(str, c["cell"]["shape"])), c["cell"]["dtype"])] = c["cell"]["ratio"]
    return out


def number(x, digits):
    return f"{x:.{digits}f}" if x else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default="champions")
    parser.add_argument("--cells", action="append", default=[])
    parser.add_argument("-o", dest="file", required=True)
    o = parser.parse_args()
    ratio, kept = ratios_of(o.cells), []
    for path in sorted(glob.glob(os.path.join(o.folder, "*.json"))):
        with open(path, encoding="utf-8") as f:
            kept.append(json.load(f))
    if not kept:
        print(f"{o.folder}: no champions", file=sys.stderr)
        return 1
    rows, all_ratios, shares, losses = [], [], [], []
    for c in kept:
        mine = []
        for times in ("times", "times_bf16"):
            for cell in (c[times] or {"cells": []})["cells"]:
                shape = "x".join(map(str, cell["shape"]))
                r = ratio.get((c["op"], c["source_sha256"], shape, cell["dtype"]))
                us = cell["device"] and cell["device"]["us"]
                share = cell["share_of_yardstick"]
                rows.append(f"| {c['op']} | {shape} | {cell['dtype']} | {number(us, 2) or cell['status']} | {number(share, 3)} | {number(r, 3)} |")
                if share:
                    shares.append(share)
                if r:
                    mine.append(r)
                    if r < 0.98:
                        losses.append(f"{c['op']} {shape} {cell['dtype']} ({r:.3f})")
        all_ratios += mine
        c["mean"], c["cells"] = mean(mine), len(mine)
    gpus = ", ".join(sorted({c["gpu"] for c in kept}))
    with open(o.file, "w", encoding="utf-8") as f:
        f.write("# Champions\n\nMade by `python3 bench/champions_table.py`; do not edit. The fastest kernel of each op that "
                "`ouroboros champions` found, in `champions/`,\neach with its verdict at full and its times. `ouroboros champions --check` judges them again.\n\n")
        f.write(f"{len(kept)} ops, on {gpus}. Device times in microseconds, inputs and answers not in the L2 ([timing.md](timing.md)).\n"
                "Share: plain streaming of the same bytes over the kernel. Ratio: the better of `torch.compile` and max-autotune over the kernel, "
                "where that cell was\ntimed beside PyTorch.\n\n")
        f.write(f"Geometric mean of {len(all_ratios)} ratios: {number(mean(all_ratios), 3) or 'none yet'}. Share of streaming: "
                f"{number(mean(shares), 3)} of {len(shares)} cells.\nBelow 0.98: {'; '.join(losses) or 'none'}.\n\n")
        f.write("## By op\n\n| op | kernel by shape | timed | ratio (cells) |\n|---|---|---|---|\n")
        for c in kept:
            table = "<br>".join(c["search"]["table"])
            f.write(f"| {c['op']} | {table} | {c['search']['timed']} | {number(c['mean'], 3)} ({c['cells']}) |\n")
        f.write("\n## By cell\n\n| op | shape | dtype | us | share | ratio |\n|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n")
    return 0


sys.exit(main())
