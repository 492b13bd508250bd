"""Does a contender's time depend on which one ran before it? Reads what `gpu-floors --order N` printed.

    order_of_rounds.py FILE

A line for each kernel, in jobs without and with copies: the median of its rounds, and that of the rounds behind each kind of
contender, as a share of it. All of them are 1.000 where the clock is right.
"""

import collections
import json
import statistics
import sys


def kind(name):
    return name.rsplit(" ", 1)[0]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.startswith('{"job"')]
    name = {(x["job"], x["copies"], x["place"]): x["name"] for x in lines}
    rounds = collections.defaultdict(lambda: collections.defaultdict(list))
    for x in lines:
        for us, before in zip(x["us"], x["rounds"]):
            behind = "round before" if before < 0 else kind(name[x["job"], x["copies"], before])
            rounds[x["copies"], x["name"]][behind].append(us)
    worst = 0
    for (copies, contender), by in sorted(rounds.items()):
        whole = statistics.median(us for list_ in by.values() for us in list_)
        shares = {behind: statistics.median(list_) / whole for behind, list_ in sorted(by.items()) if len(list_) >= 5}
        worst = max([worst] + [abs(share - 1) for share in shares.values()])
        print(f"{'with copies' if copies else 'without copies':14} {contender:14} {whole:9.3f} us  "
              + "  ".join(f"behind {behind}: {share:.4f}" for behind, share in shares.items()))
    print(f"furthest from 1: {100 * worst:.2f} %")


main()
