"""Cells of the published grid (op, shape, dtype), timed beside PyTorch in pieces: what a file holds already is not timed again.

    grid.py BINARY --kernels DIR -o FILE.jsonl [--ops a,b | --ops @FILE] [--dtypes fp16,bf16] [--shapes 512x64] [--seconds 450]
            [--state DIR] [--alone] [--one-after-the-other] [--like OTHER.jsonl]
    grid.py --sum FILE.jsonl [--svg FILE.svg] [--replays]

DIR holds OP.py for each op (folder champions, or what `ouroboros mint` wrote). Without --one-after-the-other cells come in an order
that a fixed seed draws, so that those finished so far are a fair sample of the grid. One process times all of them: compilers and
PyTorch are started once. Each line of FILE is a cell with its op and the kernel's sha256; a cell that failed is tried again
by the next piece. Baselines that were tuned are kept in DIR/gpu/baselines of --state: bring that folder back, and what was tuned once
is only replayed. --unseen: at six other shapes, of row lengths that no search has; they are changed whenever a search or the generator
follows what was seen at them. --replays: what PyTorch generated, as the measurer replays it, beside PyTorch's own graph of it, where it
was tuned in that run. --like: only cells that another file has, whatever kernels it timed.
"""

import argparse
import hashlib
import json
import math
import os
import random
import subprocess
import sys
import threading
import time

import script

OPS = (
    "softmax,swiglu,add_rmsnorm_gelu,geglu,layernorm_gelu,rmsnorm_silu,softmax_scale,add_layernorm,reglu,add_rmsnorm,rmsnorm_gelu,"
    "add_layernorm_gelu,layernorm_relu,rmsnorm_relu,add_rmsnorm_silu,add_layernorm_silu,add_rmsnorm_rope,qknorm_rope,"
    "layernorm_square,layernorm_sigmoid,layernorm_tanh,rmsnorm_square,rmsnorm_sigmoid,rmsnorm_tanh,add_rmsnorm_relu,add_rmsnorm_square,"
    "add_rmsnorm_sigmoid,add_rmsnorm_tanh,add_layernorm_relu,add_layernorm_square,add_layernorm_sigmoid,add_layernorm_tanh"
)
SIX = "1024x4096,4096x4096,8192x4096,4096x8192,16384x2048,256x16384".split(",")
SHORT = "16384x256,8192x128,32768x128,65536x64".split(",")  # of ops with "rope" in their names
UNSEEN = "2304x3584,640x24576,5632x6656,14336x2304,3072x9216,24576x1152".split(",")  # of ops without short rows
DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
LOSS, AHEAD, SEED, KILL_S = 0.98, 3, 20, 60  # the cell that is being tuned when the time is over may take so long


def cells_of(path):
    """Finished cells, the last line of each (op, kernel, shape, dtype) first."""
    out = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                try:
                    c = json.loads(line)
                except ValueError:
                    continue  # the line that an end cut off
                out[(c["op"], c["sha256"], "x".join(map(str, c["cell"]["shape"])), c["cell"]["dtype"])] = c
    return out


def is_done(record, alone):
    cell = record["cell"]
    if cell["status"] in ("unfit", "below_floor", "unsupported"):
        return True
    return cell["status"] == "ok" and (alone or cell["ratio"] is not None)


def wanted(o):
    ops = o.ops
    if ops.startswith("@"):
        with open(ops[1:], encoding="utf-8") as f:
            ops = ",".join(line.split("#")[0].strip() for line in f)
    have, out = cells_of(o.file), []
    like = o.like and {(op, shape, dtype) for op, _, shape, dtype in cells_of(o.like)}
    for op in filter(None, ops.split(",")):
        path = os.path.join(o.kernels, op + ".py")
        if not os.path.exists(path):
            print(f"{op}: no kernel in {o.kernels}", file=sys.stderr)
            continue
        with open(path, "rb") as f:
            text = f.read()
        sha = hashlib.sha256(text).hexdigest()
        shapes = o.shapes.split(",") if o.shapes else SHORT if "rope" in op else UNSEEN if o.unseen else SIX
        for dtype in o.dtypes.split(","):
            for shape in shapes:
                record = have.get((op, sha, shape, DTYPES[dtype]))
                if like is not None and (op, shape, DTYPES[dtype]) not in like:
                    continue
                if not record or not is_done(record, o.alone):
                    out.append({"op": op, "sha256": sha, "source": text.decode(), "shape": shape, "dtype": dtype})
    if not o.ordered:
        random.Random(SEED).shuffle(out)
        out.sort(key=lambda c: o.dtypes.split(",").index(c["dtype"]))
    return out


def whole_lines(path):
    """What ends a line that an earlier end has cut off, so that the next one is read for itself."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return ""
    with open(path, "rb") as f:
        f.seek(-1, os.SEEK_END)
        return "" if f.read() == b"\n" else "\n"


def run(o):
    todo, started = wanted(o), time.monotonic()
    print(f"{len(todo)} cells to be timed", file=sys.stderr)
    if not todo:
        return 0
    command = [o.binary, "referee", "--stream"] + (["--alone"] if o.alone else []) + (["--state", o.state] if o.state else [])
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    room, over, done, failed = threading.Semaphore(AHEAD), threading.Event(), 0, 0

    def send():
        try:
            for i, c in enumerate(todo):
                room.acquire()
                if over.is_set():
                    break
                request = {"id": i, "op": c["op"], "source": c["source"], "level": "full", "dtype": c["dtype"], "time": [c["shape"]]}
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
            process.stdin.close()
        except OSError:
            pass

    def end():
        over.set()
        process.terminate()
        late = threading.Timer(KILL_S, process.kill)
        late.daemon = True
        late.start()

    threading.Thread(target=send, daemon=True).start()
    timer = threading.Timer(o.seconds, end)
    timer.start()
    cut = whole_lines(o.file)
    with open(o.file, "a", encoding="utf-8") as out:
        out.write(cut)
        for line in process.stdout:
            answer = json.loads(line)
            room.release()
            c, times = todo[answer["id"]], answer.get("times") or {}
            if not times.get("cells"):
                if not over.is_set():
                    print(f"{c['op']} {c['shape']} {c['dtype']}: {answer['status']}: {times.get('why') or answer.get('feedback')}", file=sys.stderr)
                    failed += 1
                continue
            for cell in times["cells"]:
                record = {k: c[k] for k in ("op", "sha256")}
                record.update(gpu=times["gpu"], cuda=times["cuda"], compiler=times["compiler"], cell=cell)
                out.write(json.dumps(record) + "\n")
                out.flush()
                os.fsync(out.fileno())
                done += 1
                us = cell["device"] and round(cell["device"]["us"], 2)
                ratio = cell["ratio"] and round(cell["ratio"], 3)
                print(f"{c['op']} {c['shape']} {c['dtype']}: {cell['status']} {us} us, ratio {ratio}, {cell['bar']}, "
                      f"baseline {cell['seconds']['baseline']:.1f} s{' (kept)' if cell['kept'] else ''} {cell['why'] or ''}", flush=True)
    timer.cancel()
    process.wait()
    print(f"{done} cells in {time.monotonic() - started:.0f} s, {failed} without any, {len(todo) - done} of them left", file=sys.stderr)
    return 0 if done else 1


# ---- what it amounts to

def mean(x):
    return math.exp(sum(map(math.log, x)) / len(x)) if x else float("nan")


def latest(records):
    """Of each (op, shape, dtype) the kernel that was timed last."""
    out = {}
    for record in records:
        cell = record["cell"]
        key = (record["op"], "x".join(map(str, cell["shape"])), cell["dtype"])
        out.pop(key, None)
        out[key] = record
    return out


def color(ratio):
    """Red below 1, white at 1, green above: paler and darker by the logarithm."""
    x = max(-1.0, min(1.0, math.log(ratio) / math.log(1.6)))
    low, high = (255 - int(110 * abs(x)), 255 - int(175 * abs(x)))
    return f"rgb({255 if x < 0 else high},{low if x < 0 else 255 - int(60 * x)},{high if x < 0 else high})"


def picture(cells, path):
    rows = sorted({(op, d) for op, _, d in cells})
    columns = SIX + SHORT
    columns = [s for s in columns if any(k[1] == s for k in cells)] + sorted({k[1] for k in cells} - set(columns))
    wide, high, left, top = 84, 18, 240, 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide * len(columns) + 10}" height="{top + high * len(rows) + 30}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']
    for j, s in enumerate(columns):
        out.append(f'<text x="{left + wide * j + wide / 2}" y="{top - 8}" text-anchor="middle">{s}</text>')
    for i, (op, dtype) in enumerate(rows):
        out.append(f'<text x="{left - 8}" y="{top + high * i + 13}" text-anchor="end">{op} {dtype}</text>')
        for j, s in enumerate(columns):
            record = cells.get((op, s, dtype))
            ratio = record and record["cell"]["ratio"]
            text = f"{ratio:.2f}" if ratio else record["cell"]["status"] if record else ""
            out.append(f'<rect x="{left + wide * j}" y="{top + high * i}" width="{wide - 1}" height="{high - 1}" '
                       f'fill="{color(ratio) if ratio else "#eeeeee"}"/>')
            out.append(f'<text x="{left + wide * j + wide / 2}" y="{top + high * i + 13}" text-anchor="middle">{text}</text>')
    gpus = sorted({r["gpu"] for r in cells.values()})
    out.append(f'<text x="{left}" y="{top + high * len(rows) + 18}">times as fast as the better of torch.compile and max-autotune, device '
               f'time; {", ".join(gpus)}</text></svg>')
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def replays(cells):
    """The measurer's time of what was generated over PyTorch's own, in its own process."""
    ratios = []
    for key, record in sorted(cells.items()):
        for b in record["cell"]["baselines"]:
            if b["device"] and b["own_device"] and b["name"] != "eager" and not record["cell"]["kept"]:
                ratios.append((b["device"]["us"] / b["own_device"]["us"], b["own_device"]["us"], key, b["name"]))
    for ratio, us, key, name in ratios:
        print(f"{' '.join(key)} {name}: {ratio:.4f} of {us:.2f} us")
    inside = [r for r in ratios if abs(r[0] - 1) <= 0.02]
    print(f"{len({r[2] for r in ratios})} cells, {len(ratios)} graphs: {len(inside)} within 2 %, geometric mean {mean([r[0] for r in ratios]):.4f}")
    return 0


def summary(o):
    open(o.sum, encoding="utf-8").close()  # one that is not there is no empty one
    cells = latest(cells_of(o.sum).values())
    if o.replays:
        return replays(cells)
    ratios, by_op, by_shape, losses, none, shares = [], {}, {}, [], [], []
    for key, record in sorted(cells.items()):
        cell = record["cell"]
        if not cell["ratio"]:
            none.append(f"{' '.join(key)} ({cell['status']})")
            continue
        ratios.append(cell["ratio"])
        by_op.setdefault(key[0], []).append(cell["ratio"])
        by_shape.setdefault(key[1], []).append(cell["ratio"])
        if cell["ratio"] < LOSS:
            losses.append(f"{' '.join(key)}: {cell['ratio']:.3f}")
        if cell["bytes"] >= 40e6 and cell["share_of_yardstick"]:
            shares.append(cell["share_of_yardstick"])
    print(f"{len(ratios)} cells with a ratio, {len(none)} without; geometric mean {mean(ratios):.3f}; "
          f"with {LOSS} for those without one {mean(ratios + [LOSS] * len(none)):.3f}")
    if shares:
        print(f"share of plain streaming from 40 MB on: median {sorted(shares)[len(shares) // 2]:.3f} of {len(shares)} cells")
    print("\n| op | cells | geometric mean | lowest |\n|---|---|---|---|")
    for op, x in sorted(by_op.items(), key=lambda kv: mean(kv[1])):
        print(f"| {op} | {len(x)} | {mean(x):.3f} | {min(x):.3f} |")
    print("\n| shape | cells | geometric mean | lowest |\n|---|---|---|---|")
    for shape, x in by_shape.items():
        print(f"| {shape} | {len(x)} | {mean(x):.3f} | {min(x):.3f} |")
    print(f"\nBelow {LOSS}: " + ("; ".join(losses) or "none"))
    print("Without a ratio: " + ("; ".join(none) or "none"))
    if o.svg:
        picture(cells, o.svg)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", nargs="?")
    parser.add_argument("--kernels", default="champions")
    parser.add_argument("-o", dest="file")
    parser.add_argument("--ops", default=OPS)
    parser.add_argument("--dtypes", default="fp16,bf16")
    parser.add_argument("--shapes")
    parser.add_argument("--seconds", type=float, default=450)
    parser.add_argument("--state")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--one-after-the-other", dest="ordered", action="store_true")
    parser.add_argument("--like")
    parser.add_argument("--unseen", action="store_true")
    parser.add_argument("--ops-of-the-grid", action="store_true")
    parser.add_argument("--sum")
    parser.add_argument("--replays", action="store_true")
    parser.add_argument("--svg")
    o = parser.parse_args()
    if o.ops_of_the_grid:
        return print(OPS)
    if o.sum:
        return summary(o)
    if not o.binary or not o.file:
        parser.error("BINARY and -o FILE, or --sum FILE")
    return run(o)


script.run(main)
