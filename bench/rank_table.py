#!/usr/bin/env python3
"""rank_table.py CELLS LAUNCHES >bench/h100_times.tsv

Joins what was measured with what the rank model is told. CELLS: a table with the columns run, op, M, N, dtype, contender
and device_us; contender "o07" is proposal 7 of `propose OP --seed 0` by the grammar of its time, autotuned ones left out.
LAUNCHES: what bench_launches printed for those programs, in the same order. Lines of the result:
  k  op, schedule, hints, counters, case, launches there      a kernel
  t  rows, row, bytes of a float, run, us, launches there     one measured time of the kernel above
Times of one op, shape, size of floats and run are comparable with each other, and with no others.
"""
import csv
import re
import sys

import script


def main():
    times = {}
    for x in csv.DictReader(open(sys.argv[1]), delimiter="\t", quoting=csv.QUOTE_NONE):
        number = re.match(r"o(\d+)$", x["contender"])
        if number and x["device_us"] and x["run"] in ("call2_full", "call4_light_notorch"):
            at = (int(x["M"]), int(x["N"]), 4 if x["dtype"] == "fp32" else 2)
            run = "a" if x["run"] == "call2_full" else "b"
            if x["dtype"] == "bf16":
                run += "x"
            times.setdefault((x["op"], int(number.group(1))), {}).setdefault(at, []).append((run, x["device_us"]))
    kernels = list(times)
    order = sorted(kernels, key=lambda k: (list(dict.fromkeys(o for o, _ in kernels)).index(k[0]), k[1]))
    n = -1
    for line in open(sys.argv[2]):
        line = line.rstrip("\n")
        kind, rest = line.split("\t", 1)
        if kind == "k":
            n += 1
            assert rest.split("\t")[0] == order[n][0], (rest, order[n])
            print(line)
            continue
        m, width, size, launches = rest.split("\t")
        for run, us in times[order[n]].get((int(m), int(width), int(size)), []):
            print("t", m, width, size, run, us, launches, sep="\t")


script.run(main, __doc__, 2)
