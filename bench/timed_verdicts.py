"""How many timed verdicts a second one GPU gives: distinct kernels of the built-in smith, judged at full and timed at six
shapes each, through one stream.

    timed_verdicts.py BINARY [-n 200] [--ops softmax,gelu] [--shapes 512x64] [--beside] [--twice 20]
                     [--seconds 300] [--state DIR] [-o FILE]

One JSON line of results on standard output, for people a table on standard error. --beside: with PyTorch's baselines beside
each kernel (they are tuned where DIR holds none of this GPU and these versions); without it, alone. --twice K: the first K
kernels once more at the end, to see how far apart two verdicts on one kernel are. -o: every answer, a line each.
"""

import argparse
import json
import subprocess
import sys
import threading
import time

import script

OPS = "softmax,log_softmax,rmsnorm,layernorm,gelu,silu,swiglu,cross_entropy"
SHAPES = "1024x4096,4096x4096,8192x4096,4096x8192,16384x2048,256x16384"
STAGES = ("prepare", "compile", "baseline", "timing", "windows", "check")  # windows are a part of timing


def proposals(binary, ops, n):
    """Distinct kernels, op by op in turn, so that neighbours share nothing."""
    each = -(-n // len(ops))
    lists = []
    for op in ops:
        command = [binary, "propose", op, "-n", str(2 * each), "--seed", "11", "--json"]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        sources = list(dict.fromkeys(json.loads(line)["source"] for line in text.splitlines()))
        lists.append([(op, source) for source in sources[:each]])
    return [pair for group in zip(*lists) for pair in group][:n]


def apart(seen, twice, first):
    """Of each cell of a kernel that was timed twice: the later device time beside the earlier one, sorted."""
    ratios = []
    for i in range(twice):
        one, two = seen.get(i, {}), seen.get(first + i, {})
        ratios += [two[key] / one[key] for key in one if key in two]
    return sorted(ratios)


def answers(command, pairs, shapes, seconds):
    """(when it came, answer) for each, until all are there or the time is over."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lines = [
        json.dumps({"id": i, "op": op, "source": source, "level": "full", "time": shapes}) + "\n"
        for i, (op, source) in enumerate(pairs)
    ]

    def send():
        try:
            process.stdin.writelines(lines)
            process.stdin.close()
        except OSError:
            pass

    threading.Thread(target=send, daemon=True).start()
    timer = threading.Timer(seconds, process.terminate)
    timer.start()
    begun = time.monotonic()
    for line in process.stdout:
        yield time.monotonic() - begun, json.loads(line)
    timer.cancel()
    process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("-n", type=int, default=200)
    parser.add_argument("--ops", default=OPS)
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--twice", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--state")
    parser.add_argument("-o", dest="file")
    o = parser.parse_args()
    pairs = proposals(o.binary, o.ops.split(","), o.n)
    first = len(pairs)
    pairs += [(op, source + "# once more\n") for op, source in pairs[: o.twice]]
    command = [o.binary, "referee", "--stream", "--fresh"] + ([] if o.beside else ["--alone"])
    command += ["--state", o.state] if o.state else []
    kept = open(o.file, "w", encoding="utf-8") if o.file else None
    spent = dict.fromkeys(STAGES, 0.0)
    spent["judge"] = 0.0
    cells, statuses, gone, compiles, gpu, seen, kept_yardsticks = {}, {}, [], {}, "", {}, 0
    for when, answer in answers(command, pairs, o.shapes.split(","), o.seconds):
        if kept:
            kept.write(json.dumps(answer) + "\n")
        times = answer.get("times") or {}
        statuses[answer["status"]] = statuses.get(answer["status"], 0) + 1
        spent["judge"] += answer["elapsed_ms"] / 1e3
        for cell in times.get("cells", []):
            cells[cell["status"]] = cells.get(cell["status"], 0) + 1
            kept_yardsticks += cell["yardstick_kept"]
            if cell["device"]:
                seen.setdefault(answer["id"], {})[str(cell["shape"])] = cell["device"]["us"]
            for stage in STAGES:
                spent[stage] += cell["seconds"][stage]
        if times.get("cells"):
            gone.append(when)
            compiles, gpu = times["compiles"], times["gpu"]
        elif times.get("why"):
            print(times["why"], file=sys.stderr)
    # The first ones bring Python, Triton and the GPU up: the rate is told with and without them.
    warm = [t for t in gone if t > gone[0]]
    ratios = apart(seen, o.twice, first)
    result = {
        "gpu": gpu,
        "kernels": len(pairs),
        "timed": len(gone),
        "seconds": round(gone[-1], 2) if gone else None,
        "a_second": round(len(gone) / gone[-1], 3) if gone else 0,
        "a_second_warm": round(len(warm) / (gone[-1] - gone[0]), 3) if len(warm) > 1 else None,
        "first_after": round(gone[0], 2) if gone else None,
        "beside": o.beside,
        "verdicts": statuses,
        "cells": cells,
        "yardsticks_kept": kept_yardsticks,
        "twice": {"cells": len(ratios), "lowest": ratios[0], "highest": ratios[-1]} if ratios else None,
        "compiles": compiles,
        "seconds_spent": {k: round(v, 2) for k, v in spent.items()},
    }
    print(json.dumps(result))
    whole = sum(spent.values()) - spent["windows"] or 1
    for stage, seconds in spent.items():
        print(f"{stage:9} {seconds:8.1f} s {100 * seconds / whole:5.1f} %", file=sys.stderr)
    print(f"{result['timed']} of {result['kernels']}, {result['a_second']} a second ({result['a_second_warm']} warm)", file=sys.stderr)
    return 0 if gone else 1


script.run(main)
