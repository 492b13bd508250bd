"""Does a contender's time depend on which one ran before it? Reads what `gpu-floors --order N` printed.

    order_of_rounds.py FILE

A line for each kernel, in each kind of job: the median of its rounds, and that of the rounds behind each kind of contender, as
a share of it. All shares are within LIMIT of 1 where the clock is right. Jobs whose windows begin with whatever the L2 holds are the
control: there a share further away has to be found. Exit 1 where either is not so, or a time is missing.
"""

import collections
import json
import statistics
import sys

import script

LIMIT, ROUNDS, KINDS = 0.005, 21, 6


def kind(name):
    return name.rsplit(" ", 1)[0]


def words(job):
    return ("copies, " if job[0] else "") + ("evict_last, " if job[1] else "") + ("cleared" if job[2] else "not cleared")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.startswith('{"job"')]
    of = lambda x: (x["copies"], x["last"], x["cleared"])
    name = {(x["job"], of(x), x["place"]): x["name"] for x in lines}
    rounds = collections.defaultdict(lambda: collections.defaultdict(list))
    for x in lines:
        if x["why"] or len(x["us"]) != ROUNDS:
            sys.exit(f"{x['name']}: {len(x['us'])} rounds of {ROUNDS}: {x['why']}")
        for us, before in zip(x["us"], x["rounds"]):
            behind = "round before" if before < 0 else kind(name[x["job"], of(x), before])
            rounds[of(x), x["name"]][behind].append(us)
    if len({of(x) for x in lines}) != KINDS:
        sys.exit("not all kinds of jobs are there")
    worst = {0: 0, 1: 0}
    for (job, contender), by in sorted(rounds.items(), reverse=True):
        whole = statistics.median(us for list_ in by.values() for us in list_)
        shares = {behind: statistics.median(list_) / whole for behind, list_ in sorted(by.items()) if len(list_) >= 5}
        worst[job[2]] = max([worst[job[2]]] + [abs(share - 1) for share in shares.values()])
        print(f"{words(job):34} {contender:14} {whole:9.3f} us  " + "  ".join(f"{behind}: {share:.4f}" for behind, share in shares.items()))
    print(f"furthest from 1: {100 * worst[1]:.2f} %; where the L2 is not cleared: {100 * worst[0]:.2f} %")
    if worst[1] > LIMIT:
        sys.exit("a time depends on who ran before")
    if worst[0] <= LIMIT:
        sys.exit("the control shows nothing: these jobs could not tell")


script.run(main, __doc__, 1)
