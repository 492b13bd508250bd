"""module_candidates.py OUROBOROS KERNELBENCH OUT.jsonl [LEVEL] - the Triton-only candidates for KernelBench's problems, judged.

KERNELBENCH has level1, level2 and candidates (table.tsv: file, problem, "triton" or "mixed", ...). Every candidate that
computes in Triton only goes through one stream, with "tf32", at level quick unless LEVEL says otherwise. A line of JSON for
each: file, problem, status, rule, feedback; explained by module_rejections.py. Counts go to standard output.
"""
import collections
import glob
import json
import os
import subprocess
import sys


def requests(root):
    rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(root, "candidates/table.tsv"))][1:]
    for file, problem, compute, *_ in rows:
        level = file.split("/")[0]
        (reference,) = glob.glob(os.path.join(root, level, problem + "_*.py"))
        if compute == "triton" and level in ("level1", "level2"):
            yield file, os.path.basename(reference)[:-3], open(reference).read()


def main(ouroboros, root, out, level="quick"):
    asked = {file: (problem, reference) for file, problem, reference in requests(root)}
    lines = [
        json.dumps({"id": file, "module": r, "level": level, "tf32": True, "source": open(os.path.join(root, "candidates", file)).read()})
        for file, (_, r) in asked.items()
    ]
    command = [ouroboros, "referee", "--stream", "--fresh"]
    p = subprocess.run(command, input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    verdicts = {v["id"]: v for v in map(json.loads, p.stdout.splitlines())}
    counts = collections.Counter()
    with open(out, "w") as f:
        for file, (problem, _) in asked.items():
            v = verdicts[file]
            counts[file.split("/")[0], v["status"]] += 1
            row = {"file": file, "problem": problem, "status": v["status"], "rule": v["rule"]}
            if not v["accepted"]:
                row["feedback"] = v["feedback"]
            f.write(json.dumps(row) + "\n")
    for (folder, status), n in sorted(counts.items()):
        print("%s %-18s %d" % (folder, status, n))
    undecided = sum(n for (_, s), n in counts.items() if s in ("unsupported", "unreached", "referee_error"))
    print("%d candidates, %d undecided" % (len(asked), undecided))


main(*sys.argv[1:])
