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

import script


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
                    at = (c["op"], c["sha256"], "x".join(map(str, c["cell"]["shape"])), c["cell"]["dtype"])
                    out[at] = (c["cell"]["ratio"], c["cell"]["device"]["us"])
    return out


ROWS = "1024x4096 4096x4096 8192x4096 4096x8192 16384x2048 256x16384".split()
SHORT = "16384x256 8192x128 32768x128 65536x64 8192x4096".split()  # of ops with short rows; the last for the table of all ops
HINTS = """"N a thread": each thread has N elements of a tile, and warps follow from that. "timed": kernels that the search timed at every shape.
"hints" are what loads and stores tell the caches:

| hints | loads of rows | loads that rows share | stores |
|---|---|---|---|
| 0 | nothing | nothing | nothing |
| 1 | evicted first, or last where a later pass reads them again | nothing | nothing |
| 2 | as 1 | evicted last | evicted first |
| 3 | `.cg`, or `.ca` where a later pass reads them again | `.ca` | nothing |
| 4 | as 1 | nothing | streamed, `.cs` |

"""


def headline(ratios, dtypes):
    """The mean of all, what it is without the shape that lifts it most, and which dtypes have no baseline. ratios: of (shape, dtype, ratio)."""
    if not ratios:
        return "Geometric mean of ratios: none yet. "
    without = {s: [r for t, _, r in ratios if t != s] for s in {s for s, _, _ in ratios}}
    out = f"Geometric mean of {len(ratios)} ratios: {number(mean([r for _, _, r in ratios]), 3)}"
    least = min((s for s in sorted(without) if without[s]), key=lambda s: mean(without[s]), default=None)
    if least:
        out += f"; without {least}, the shape that lifts it most, {number(mean(without[least]), 3)} of {len(without[least])}"
    missing = sorted(dtypes - {d for _, d, _ in ratios})
    return out + (f". No cell in {' or '.join(missing)} was timed beside PyTorch. " if missing else ". ")


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
    cells, all_ratios, shares, losses, dtypes = {}, [], [], [], set()
    for c in kept:
        mine = []
        for times in ("times", "times_bf16"):
            for cell in (c[times] or {"cells": []})["cells"]:
                at = (c["op"], cell["dtype"], "x".join(map(str, cell["shape"])))
                cells[at] = [number(cell["device"] and cell["device"]["us"], 2) or cell["status"], None]
                dtypes.add(cell["dtype"])
                if cell["share_of_yardstick"]:
                    shares.append(cell["share_of_yardstick"])
        for (op, sha, shape, dtype), (r, us) in ratio.items():
            if (op, sha) != (c["op"], c["source_sha256"]):
                continue
            cells.setdefault((op, dtype, shape), [number(us, 2), None])[1] = r
            mine.append(r)
            all_ratios.append((shape, dtype, r))
            if r < 0.98:
                losses.append(f"{op} {shape} {dtype} ({r:.3f})")
        c["mean"], c["cells"] = mean(mine), len(mine)
    gpus = ", ".join(sorted({c["gpu"] for c in kept}))
    with open(o.file, "w", encoding="utf-8") as f:
        f.write("# Champions\n\nMade by `python3 bench/champions_table.py`; do not edit. The fastest kernel of each op that "
                "`ouroboros champions` found, in `champions/`,\neach with its verdict at full and its times. `ouroboros champions --check` judges them again.\n\n")
        f.write(f"{len(kept)} ops, on {gpus}. Device times in microseconds, inputs and answers not in the L2 ([timing.md](timing.md)).\n"
                "Share: plain streaming of the same bytes over the kernel. Ratio: the better of `torch.compile` and max-autotune over the kernel, "
                "where that cell was\ntimed beside PyTorch.\n\n")
        f.write(headline(all_ratios, dtypes) + f"Share of streaming: {number(mean(shares), 3)} of {len(shares)} cells.\nBelow 0.98: {'; '.join(losses) or 'none'}.\n\n")
        f.write("## By op\n\n" + HINTS + "| op | kernel by shape | timed | ratio (cells) |\n|---|---|---|---|\n")
        for c in kept:
            table = "<br>".join(c["search"]["table"])
            f.write(f"| {c['op']} | {table} | {c['search']['timed']} | {number(c['mean'], 3)} ({c['cells']}) |\n")
        f.write("\n## By cell\n\nMicroseconds; behind a slash the ratio, where there is one. Shares stand in the records.\n")
        short = {op for op, _, shape in cells if shape == SHORT[0]}
        for shapes in (ROWS, SHORT):
            f.write(f"\n| op | dtype | {' | '.join(shapes)} |\n|{'---|' * (len(shapes) + 2)}\n")
            for op, dtype in sorted({k[:2] for k in cells if (k[0] in short) == (shapes is SHORT)}):
                told = [cells.get((op, dtype, s)) for s in shapes]
                f.write(f"| {op} | {dtype} | {' | '.join(t[0] + (f' / {t[1]:.3f}' if t[1] else '') if t else '' for t in told)} |\n")
    return 0


script.run(main)
