"""Champions beside kernels of experts, by one clock: the same op, the same inputs, one process.

    pip download --no-deps -d build liger-kernel==0.8.5           # where there is a network; not needed without --liger
    python3 bench/experts.py BINARY --champions champions --liger WHEEL_OR_FOLDER -o FILE.jsonl
            [--ops a,b] [--shapes 4096x4096] [--dtype fp16] [--seconds 200] [--search 12] [--beside] [--state DIR]
    python3 bench/experts.py --sum FILE.jsonl                     # the table of an earlier run

Experts are the kernels of bench/experts/: forms of Triton's tutorials and of QuACK, written by us, and Liger's own files as they are,
each launched by a manifest of experts/liger.json as Liger's host code launches it on an H100. Every kernel is judged at full first, in the
dtype that is timed, by the definition of the champion's op; what is not accepted is told and not timed. All go through one stream, twice,
the second time in reverse, and a time is the mean of both: how far they are apart is told. An op without a champion is searched for
--search seconds first (0: not), and what is found is kept beside FILE.

Not here: Liger's rope changes queries and keys in place and reads one half of cos and sin, which our definition does not let it do;
backward passes; ops for which there is no expert.
"""

import argparse
import glob
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile

import script

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = "1024x4096,4096x4096,8192x4096,256x16384"
ITEM = {"fp16": 2, "bf16": 2, "fp32": 4}
LOSS, KILL_S = 0.98, 20


# ---- who takes part

def header(source, key):
    """A comment of the file's head, "# key: text", and the lines that go on with it."""
    found = []
    for line in source.splitlines():
        if line.startswith(f"# {key}: "):
            found = [line[len(key) + 4:]]
        elif found and line.startswith("#   "):
            found.append(line[4:])
        elif found:
            break
    return " ".join(found)


def forms():
    for path in sorted(glob.glob(os.path.join(HERE, "experts", "*.py"))):
        with open(path, encoding="utf-8") as f:
            source = f.read()
        stem = os.path.basename(path)[:-3]
        extra = {"extra_row": 8} if "8 bytes a row more" in header(source, "form") else {}
        yield {"op": header(source, "op"), "name": stem[len(header(source, "op")) + 1:], "source": source, "note": header(source, "form"), **extra}


def file_of(liger, name):
    """A file of the package: in its wheel, in a folder with the wheel, or anywhere below a folder that it was unpacked to."""
    wheels = [liger] if liger.endswith(".whl") else glob.glob(os.path.join(liger, "liger_kernel-*.whl"))
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as z:
            return z.read(name).decode()
    for folder, _, _ in os.walk(liger):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                return f.read()
    sys.exit(f"{liger}: no {name} below it")


def liger_rows(liger):
    with open(os.path.join(HERE, "experts", "liger.json"), encoding="utf-8") as f:
        for row in json.load(f):
            yield {"name": "liger", "source": file_of(liger, row["file"]), **row}


def champion(folder, op):
    path = os.path.join(folder, op + ".py")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return {"op": op, "name": "champion", "source": f.read()}


def search(o, missing, folder):
    """Champions of the ops that have none, found now; those that cannot be found stay without."""
    if not missing or not o.search:
        return
    command = [o.binary, "champions", ",".join(missing), "--gpu", "--search", str(o.search), "-o", folder]
    command += [x for s in o.shapes.split(",") for x in ("--shape", s)] + (["--state", o.state] if o.state else [])
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=30 + len(missing) * (o.search + 30))
        print((run.stdout + run.stderr).strip(), file=sys.stderr, flush=True)
    except subprocess.TimeoutExpired:
        print("the search for champions took too long", file=sys.stderr)


def programs(o):
    experts = [e for e in [*forms(), *(liger_rows(o.liger) if o.liger else [])] if not o.ops or e["op"] in o.ops.split(",")]
    ops = list(dict.fromkeys(e["op"] for e in experts))
    kept = o.file + ".champions"
    os.makedirs(kept, exist_ok=True)
    for op in ops:
        for end in (".py", ".json"):
            if os.path.exists(os.path.join(o.champions, op + end)):
                shutil.copy(os.path.join(o.champions, op + end), kept)
    search(o, [op for op in ops if not champion(kept, op)], kept)
    out = []
    for op in ops:
        best = champion(kept, op)
        if best:
            out += [best, *(e for e in experts if e["op"] == op)]
        else:
            print(f"{op}: no champion, so nothing to compare with", file=sys.stderr)
    return out


# ---- timing

def requests(o, todo):
    """All of them, and all again in reverse."""
    for at in [*range(len(todo)), *reversed(range(len(todo)))]:
        p = todo[at]
        request = {"id": at, "op": p["op"], "source": p["source"], "level": "full", "dtype": o.dtype, "time": o.shapes.split(",")}
        yield {**request, **{k: p[k] for k in ("manifest", "layout") if k in p}}


def run(o):
    todo, started, seen = programs(o), time.monotonic(), 0
    command = [o.binary, "referee", "--stream"] + ([] if o.beside else ["--alone"]) + (["--state", o.state] if o.state else [])
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send():
        try:
            for request in requests(o, todo):
                process.stdin.write(json.dumps(request) + "\n")
            process.stdin.close()
        except OSError:
            pass

    def end():
        process.terminate()
        late = threading.Timer(KILL_S, process.kill)
        late.daemon = True
        late.start()

    threading.Thread(target=send, daemon=True).start()
    timer = threading.Timer(o.seconds, end)
    timer.start()
    with open(o.file, "w", encoding="utf-8") as out:
        for line in process.stdout:
            answer, seen = json.loads(line), seen + 1
            p, times = todo[answer["id"]], answer.get("times") or {}
            record = {k: p[k] for k in ("op", "name", "note", "layout", "extra_row", "extra_element") if p.get(k)}
            record.update(sha256=hashlib.sha256(p["source"].encode()).hexdigest(), status=answer["status"], feedback=answer.get("feedback"),
                          rounding=answer.get("rounding"), dtype=o.dtype, why=times.get("why"))
            record.update({k: times.get(k) for k in ("gpu", "cuda", "compiler", "cells")})
            out.write(json.dumps(record) + "\n")
            out.flush()
            cells = {"x".join(map(str, c["shape"])): c["device"] and round(c["device"]["us"], 2) or c["status"] for c in record["cells"] or []}
            print(f"{p['op']} {p['name']}: {answer['status']} {cells or times.get('why') or answer.get('feedback')}", file=sys.stderr, flush=True)
    timer.cancel()
    process.wait()
    print(f"{seen} of {2 * len(todo)} answers in {time.monotonic() - started:.0f} s", file=sys.stderr)
    o.sum = o.file
    summary(o)
    return 0 if seen == 2 * len(todo) else 1


# ---- what it amounts to

def mean(x):
    return math.exp(sum(map(math.log, x)) / len(x)) if x else float("nan")


def read(path):
    """(op, name) -> its records; (op, name, shape) -> times and bytes."""
    kernels, times = {}, {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            r = json.loads(line)
            kernels.setdefault((r["op"], r["name"]), []).append(r)
            for c in r["cells"] or []:
                rows, columns = c["shape"]
                more = r.get("extra_row", 0) * rows + r.get("extra_element", 0) * ITEM[r["dtype"]] * rows * columns
                at = times.setdefault((r["op"], r["name"], f"{rows}x{columns}"), {"us": [], "why": None, "share": 1 + more / c["bytes"], "yardstick": None})
                if c["device"]:
                    at["us"].append(c["device"]["us"])
                    at["yardstick"] = c["yardstick"] and c["yardstick"]["us"]
                else:
                    at["why"] = c["why"] or c["status"]
    for t in times.values():
        t["mean"] = sum(t["us"]) / len(t["us"]) if t["us"] else None
    return kernels, times


def summary(o):
    kernels, times = read(o.sum)
    cells, by_expert, apart = [], {}, []
    for (op, name, shape), t in times.items():
        if len(t["us"]) == 2:
            apart.append(abs(t["us"][0] / t["us"][1] - 1))
        mine = times.get((op, "champion", shape))
        if name != "champion" and t["mean"] and mine and mine["mean"]:
            by_expert.setdefault((op, name), []).append(t["mean"] / mine["mean"])
            cells.append((t["mean"] / mine["mean"], op, shape, mine, name, t))
    best = {}
    for cell in sorted(cells, key=lambda c: c[0]):
        best.setdefault((cell[1], cell[2]), cell)
    first = next(iter(kernels.values()), [{}])[0]
    print(f"On {first.get('gpu')}, {first.get('compiler')}; {first.get('dtype')}; microseconds of device time, inputs and answers not in the L2. Ratio: the expert's "
          "time over the champion's; below 1 the champion loses.\n")
    ratios = [c[0] for c in best.values()]
    lost = sum(r < 1 for r in ratios)
    print(f"{len(best)} cells beside the best expert of each: geometric mean {mean(ratios):.3f}, {lost} losses, {sum(r < LOSS for r in ratios)} of them by more than "
          f"{100 * (1 - LOSS):.0f} %. Both times of one kernel are {100 * max(apart, default=0):.1f} % apart at most"
          f"{', ' + format(100 * sorted(apart)[len(apart) // 2], '.1f') + ' % in the median' if apart else ''}.\n")
    print("| op | shape | champion | best expert | its time | ratio | plain streaming | other experts |\n|---|---|---|---|---|---|---|---|")
    for ratio, op, shape, mine, name, t in best.values():
        others = ", ".join(f"{n} {x['mean']:.2f}" for _, o2, s2, _, n, x in cells if (o2, s2) == (op, shape) and n != name)
        print(f"| {op} | {shape} | {mine['mean']:.2f} | {name} | {t['mean']:.2f} | {ratio:.3f} | {format(mine['yardstick'], '.2f') if mine['yardstick'] else ''} | {others} |")
    print("\n| op | expert | cells | ratio | bytes | ratio a byte | judged | what it is |\n|---|---|---|---|---|---|---|---|")
    for (op, name), rs in sorted(kernels.items(), key=lambda kv: mean(by_expert.get(kv[0], [1e9]))):
        if name == "champion" and (op, name) not in by_expert:
            continue
        r, x = rs[-1], by_expert.get((op, name), [])
        shares = [t["share"] for (o2, n, _), t in times.items() if (o2, n) == (op, name)]
        share = mean(shares) if shares else 1
        whys = sorted({t["why"] for (o2, n, _), t in times.items() if (o2, n) == (op, name) and t["why"]} | ({r["why"]} - {None}))
        judged = r["status"] + (", contiguous inputs" if r.get("layout") else "") + (f", by the rounding {r['rounding']}" if r.get("rounding") else "")
        judged += f": {r['feedback']}" if r["status"] != "ok" else "; ".join([""] + whys)
        print(f"| {op} | {name} | {len(x)} | {format(mean(x), '.3f') if x else ''} | {f'+{100 * (share - 1):.2f} %' if share > 1 else 'the same'} "
              f"| {format(mean(x) / share, '.3f') if x and share > 1.005 else ''} | {judged} | {r.get('note', '')} |")
    silent = sorted(op for op, name in kernels if name == "champion" and not any(o2 == op and t["mean"] and n == "champion" for (o2, n, _), t in times.items()))
    for op in silent:
        r = kernels[(op, "champion")][-1]
        print(f"\n{op}: the champion has no time: {r['why'] or r['feedback']}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--champions", default="champions")
    parser.add_argument("--liger")
    parser.add_argument("-o", dest="file")
    parser.add_argument("--ops")
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--dtype", default="fp16", choices=tuple(ITEM))
    parser.add_argument("--seconds", type=float, default=200, help="for all of the timing")
    parser.add_argument("--search", type=int, default=12, help="seconds for each op without a champion")
    parser.add_argument("--beside", action="store_true", help="with PyTorch's baselines, which are tuned: minutes")
    parser.add_argument("--state")
    parser.add_argument("--sum")
    o = parser.parse_args()
    if o.sum:
        return summary(o)
    if not o.binary or not o.file:
        parser.error("BINARY and -o FILE, or --sum FILE")
    return run(o)


if __name__ == "__main__":
    script.run(main)
