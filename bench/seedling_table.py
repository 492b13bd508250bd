#!/usr/bin/env python3
"""The table of a model's drafts: seedling_table.py KNOWN TRAIN FILE...

KNOWN: names of the suite's ops, a line each. TRAIN: the training split (JSON Lines with "op"). FILE: what
`ouroboros eval -o FILE` kept. Prints, for ops that were learned from and for each kind of held-out op, the share of
accepted drafts (valid@1), the share of ops of whose first eight drafts one is accepted, on average over draws of eight
(best-of-8), and the median of distinct accepted programs; macro means, with 95 % intervals by bootstrap over ops.
"""
import json
import math
import random
import statistics
import sys

import script


def pass_at(n, c, k):
    """Share of draws of k among n drafts, c of them accepted, that hold an accepted one."""
    return 1.0 - math.comb(n - c, k) / math.comb(n, k) if n >= k else float(c > 0)


def interval(values):
    r = random.Random(1)
    means = sorted(statistics.fmean(r.choices(values, k=len(values))) for _ in range(2000))
    return means[50], means[1949]


def main():
    known = [line.strip() for line in open(sys.argv[1]) if line.strip()]
    learned = set()
    for line in open(sys.argv[2]):
        learned.add(json.loads(line)["op"])
    drafts = {}
    for path in sys.argv[3:]:
        for line in open(path):
            d = json.loads(line)
            if d.get("record") == "draft":
                status = (d.get("verdict") or {}).get("status") or d.get("end") or "no verdict"
                drafts.setdefault(d["op"], []).append({"status": status, "source": d.get("source")})
    groups = {"seen": [], "held-out chain": [], "held-out epilogue": []}
    for op in known:
        if op in drafts:
            kind = "seen" if op in learned else \
                "held-out epilogue" if op.endswith(("_mish", "_softsign")) else "held-out chain"
            groups[kind].append(op)
    print("| ops | number | valid@1 | best-of-8 | median distinct accepted |\n|---|---|---|---|---|")
    for kind, ops in groups.items():
        if not ops:
            continue
        good = {op: [d for d in drafts[op] if d["status"] == "ok"] for op in ops}
        first = [len(good[op]) / len(drafts[op]) for op in ops]
        eight = [pass_at(len(drafts[op]), len(good[op]), 8) for op in ops]
        distinct = [len({d["source"] for d in good[op]}) for op in ops]
        (a, b), (c, d) = interval(first), interval(eight)
        print(f"| {kind} | {len(ops)} | {statistics.fmean(first):.3f} ({a:.3f} to {b:.3f}) | "
              f"{statistics.fmean(eight):.3f} ({c:.3f} to {d:.3f}) | {statistics.median(distinct):g} |")
    print("\n| op | drafts | accepted | distinct | others |\n|---|---|---|---|---|")
    for kind, ops in groups.items():
        for op in ops:
            other = {}
            for d in drafts[op]:
                if d["status"] != "ok":
                    other[d["status"]] = other.get(d["status"], 0) + 1
            good = [d for d in drafts[op] if d["status"] == "ok"]
            distinct = len({d["source"] for d in good})
            print(f"| {op}{'' if kind == 'seen' else ' (' + kind + ')'} | {len(drafts[op])} | {len(good)} | {distinct} | "
                  f"{', '.join(f'{k} {v}' for k, v in sorted(other.items()))} |")


script.run(main, __doc__, 3)
