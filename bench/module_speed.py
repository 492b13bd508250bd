"""module_speed.py OUROBOROS KERNELBENCH [LEVEL [COPIES [PROBLEMS]]] - how many verdicts on modules of level 1 a second.

KERNELBENCH as for module_candidates.py. For each reference one stream with all of its candidates that compute in Triton only,
each COPIES times (default 12; copies differ in a number that nobody reads), so that they share draws as a training loop's do.
LEVEL is quick (the default) or full; PROBLEMS a regular expression that the file names of references have to match.

Time is that of processors, user and system, of the whole process tree, the reference's shrinking and draws included: on an idle
machine with two cores, 2 / (seconds of a verdict) verdicts come in a second. A file's own time is the median of its copies'
elapsed_ms, which holds no draw, and waits where the machine has other work.
"""
import collections
import glob
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

CORES = 2


def candidates(root):
    rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(root, "candidates/table.tsv"))][1:]
    found = collections.defaultdict(list)
    for file, problem, compute, *_ in rows:
        if compute != "triton" or not file.startswith("level1/"):
            continue
        (reference,) = glob.glob(os.path.join(root, "level1", problem + "_*.py"))
        found[reference].append(file)
    return found


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def judge(ouroboros, state, lines):
    command = [ouroboros, "referee", "--stream", "--fresh", "--state", state]
    before = processor_seconds()
    p = subprocess.run(command, input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    return processor_seconds() - before, [json.loads(line) for line in p.stdout.splitlines()]


def main(ouroboros, root, level="quick", copies="12", problems=""):
    spent, files, undecided = [], collections.defaultdict(list), 0
    with tempfile.TemporaryDirectory() as state:
        for reference, of in candidates(root).items():
            if not re.search(problems, os.path.basename(reference)):
                continue
            text = open(reference).read()
            lines = []
            for k in range(int(copies)):
                for file in of:
                    source = open(os.path.join(root, "candidates", file)).read() + "\nCOPY = %d\n" % k
                    lines.append(json.dumps({"id": file, "module": text, "level": level, "tf32": True, "source": source}))
            seconds, verdicts = judge(ouroboros, state, lines)
            for v in verdicts:
                files[v["id"]].append(v["elapsed_ms"])
                undecided += v["status"] == "referee_error"
            each = seconds / len(lines)
            spent.append((each, len(of), os.path.basename(reference)))
            print("%8.1f ms  %d files  %s" % (1e3 * each, len(of), os.path.basename(reference)), flush=True)
    if not spent:
        sys.exit("module_speed.py: no such problem")
    by_file = sorted(each for each, n, _ in spent for _ in range(n))
    mean, median = statistics.mean(by_file), statistics.median(by_file)
    print("level %s, %d files by %d references, %s copies of each; %d verdicts undecided" % (level, len(by_file), len(spent), copies, undecided))
    for name, x in (("mean", mean), ("median", median)):
        print("%s: %.1f ms of a core for a verdict, %.1f verdicts a second on %d cores" % (name, 1e3 * x, CORES / x, CORES))
    print("a tenth of the files take less than %.1f ms, a tenth more than %.1f ms" % tuple(1e3 * by_file[int(q * (len(by_file) - 1))] for q in (0.1, 0.9)))
    print("files whose verdicts come at %d a second or more: %d of %d" % (100 if level == "quick" else 10, sum(CORES / x >= (100 if level == "quick" else 10) for x in by_file), len(by_file)))
    print("the slowest ten, without draws:")
    for ms, file in sorted(((statistics.median(t), file) for file, t in files.items()), reverse=True)[:10]:
        print("%8.0f ms  %s" % (ms, file))


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
