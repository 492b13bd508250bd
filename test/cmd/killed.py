"""A stream of timed requests, whose processes are killed one after the other: each request is answered, and the one behind it has times.

    killed.py PROGRAM KERNEL STATE

Prints a line for each kind of process: what was killed, what the next answer said, and how the one behind it ended. At last the
stream itself is killed, while it measures, and what is left of it is counted.
"""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
program, kernel, state = sys.argv[1:]
KINDS = {  # what the process is called, as /proc tells it; a word of its command line
    "measurer": ("measurer", ""),
    "keeper": ("gpu keeper", ""),
    "compiler": ("", "worker-"),
    "pytorch": ("", "torch_baseline.py"),
}
source = open(kernel, encoding="utf-8").read()
number = 0


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def descendants(of):
    """pid: (name, command line) of what descends from a process and has not ended."""
    parents, names = {}, {}
    for entry in os.listdir("/proc"):
        m = re.match(rb"\d+ \((.*)\) (\S) (\d+)", read(f"/proc/{entry}/stat"), re.S) if entry.isdigit() else None
        if m and m[2] != b"Z":
            parents[int(entry)] = int(m[3])
            names[int(entry)] = (m[1].decode(), read(f"/proc/{entry}/cmdline").decode(errors="replace"))

    def descends(pid):
        while pid > 1 and pid != of:
            pid = parents.get(pid, 0)
        return pid == of

    return {pid: names[pid] for pid in parents if pid != of and descends(pid)}


def ask(stream):
    global number
    number += 1
    # Another program and another shape each time, so that nothing is known of it.
    line = {"id": number, "op": "relu2", "source": source + f"\n# {number}\n", "level": "full", "time": [f"{512 + 16 * number}x64"]}
    stream.stdin.write(json.dumps(line).encode() + b"\n")
    stream.stdin.flush()


def answer(stream):
    line = stream.stdout.readline()
    if not line:
        sys.exit("the stream has ended")
    a = json.loads(line)
    cell = (a["times"]["cells"] or [{"status": "none", "why": a["times"]["why"]}])[0]
    return a["accepted"], cell


def main():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    command = [program, "referee", "--stream", "--level", "full", "--state", state]
    stream = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    ask(stream)
    print("first:", answer(stream)[1]["status"])
    for kind, (name, word) in KINDS.items():
        found = [p for p, (n, c) in descendants(stream.pid).items() if (n == name or not name) and word in c]
        for pid in found[:1]:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        ask(stream)
        accepted, cell = answer(stream)
        ask(stream)
        after = answer(stream)[1]
        whys = [b["why"] for b in cell.get("baselines", []) if b["why"]]
        print(f"{kind}: {len(found[:1])} killed; accepted {accepted}, {cell['status']} ({cell['why'] or '; '.join(whys)}); "
              f"then {after['status']}, {'a' if after['ratio'] else 'no'} ratio")
    for _ in range(3):
        ask(stream)
    answer(stream)
    stream.kill()
    stream.wait()
    until, left = time.monotonic() + 20, {1: 1}
    while left and time.monotonic() < until:
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
        left = descendants(os.getpid())
        time.sleep(0.1)
    print("left:", len(left), sorted(left.values()))


main()
