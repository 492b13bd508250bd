#!/usr/bin/env python3
"""corpus.py WHAT ... - looks into a store and a journal for test_corpus.sh.
   programs STATE                a line for each program: op, canonical hash, status, level
   twice STATE                   keys of verdicts that the journal has twice: programs that were judged again
   kill N SECONDS COMMAND...     starts COMMAND N times and kills its process with SIGKILL after 0 to SECONDS
   small DIR                     writes two definitions of small tensors: their draws are cheap
"""
import json, os, random, signal, sqlite3, subprocess, sys, time

SMALL = '''"""{what}, of small tensors."""
inputs = {{
    "x": {{"shape": ("M", "N"), "scale": (1e-2, 8)}},
    "w": {{"shape": ("N",), "scale": (1, 8), "role": "weight"}},
}}
dims = {{"M": {{"max": 64}}, "N": {{"max": 256}}}}


def reference(x, w):
    h = x.float() * w.float()
    return {result}.to(x.dtype)
'''


def programs(state):
    db = sqlite3.connect(f"file:{state}/store.db?mode=ro", uri=True)
    rows = db.execute("SELECT p.op, hex(p.canonical), v.status, v.level FROM programs p"
                      " LEFT JOIN verdicts v ON v.id = p.standing ORDER BY 1, 2")
    for row in rows:
        print(*row)


def twice(state):
    seen, again = set(), 0
    for line in open(f"{state}/journal.log", "rb"):
        try:
            record = json.loads(line[9:])
        except ValueError:
            continue  # torn by a kill, or damaged: nobody was answered from it
        if record.get("record") != "verdict" or "key" not in record:
            continue
        again += record["key"] in seen
        seen.add(record["key"])
    print(again, "of", len(seen))


def kill(n, seconds, *command):
    moments = random.Random(7)
    ended = 0
    for _ in range(int(n)):
        p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            p.wait(moments.uniform(0, float(seconds)))
            ended += 1
        except subprocess.TimeoutExpired:
            p.send_signal(signal.SIGKILL)
            p.wait()
    print(ended, "of", n, "ended before they were killed")


def small(folder):
    os.makedirs(folder, exist_ok=True)
    for name, what, result in (("small_gate", "A gate", "(h * torch.sigmoid(h))"), ("small_sum", "A sum", "h.sum(-1)")):
        with open(f"{folder}/{name}.py", "w") as f:
            f.write(SMALL.format(what=what, result=result))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
