"""Tables of 24 cells (8 ops, 3 sizes, float16): each op's own kernel, the model's pick and three forms written by hand, by both clocks.

    cells24.py --collect FOLDER... -o FILE.jsonl    what `gpu_runs.sh ninth` left, FORM-OP.out in each folder, one cell a line
    cells24.py FILE.jsonl [--beside h100_cells.tsv] device and call times; device times beside those that others measured on such a GPU

A time of the other file counts where it is of the same kernel in form and in hints. One that it has several times is taken from its
run with tuning alone, else from the first.
"""

import argparse
import glob
import json
import os
import statistics
import sys

import script

OPS = "softmax log_softmax rmsnorm layernorm add_rmsnorm_gelu gelu swiglu cross_entropy".split()
FORMS = "own pick rule pair loop".split()
FLAT = ("gelu", "swiglu")
# Ours: theirs, of ops with rows and of flat ones.
THEIRS = {"eager": ("eager",) * 2, "default": ("tc",) * 2, "max_autotune": ("man",) * 2, "rule": ("v_s_e16_cs", "v_f_e8_w16_f"),
          "pair": ("v_r2_e16_f", "v_f_e16_w4_f"), "loop": ("v_p_e16_o4_pf", "v_p_e8_w8_o8"), "yardstick": ("st_",) * 2}
RUNS = ("call4_solo_tuned_alone", "call2_full", "call4_light_notorch", "call5_fix_clock", "call1_smoke")
WITHIN = 0.05


def collect(folders, path):
    with open(path, "w", encoding="utf-8") as out:
        for file in sorted(f for folder in folders for f in glob.glob(os.path.join(folder, "*-*.out"))):
            form, op = os.path.basename(file)[: -len(".out")].split("-", 1)
            if form not in FORMS:
                continue
            with open(file, encoding="utf-8") as f:
                answer = json.load(f)
            for cell in answer["times"]["cells"]:
                record = {"op": op, "form": form, "sha256": answer["source_sha256"], "gpu": answer["times"]["gpu"],
                          "compiler": answer["times"]["compiler"], "cell": cell}
                out.write(json.dumps(record) + "\n")


def us(x):
    return x["us"] if x else None


def times_of(path):
    """By op, shape and contender: device and call time; contenders of PyTorch from the cell in which they were tuned."""
    device, call, ratio = {}, {}, {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            r = json.loads(line)
            c = r["cell"]
            at = (r["op"], "x".join(map(str, c["shape"])))
            device[at + (r["form"],)], call[at + (r["form"],)], ratio[at + (r["form"],)] = us(c["device"]), us(c["call"]), c["ratio"]
            if r["form"] != "own":
                continue
            device[at + ("yardstick",)] = us(c["yardstick"])
            for b in c["baselines"]:
                device[at + (b["name"],)] = us(b["device"]) or us(b["own_device"])
                call[at + (b["name"],)] = us(b["own_call"])
    return device, call, ratio


def number(x):
    return f"{x:.2f}" if x else ""


def table(title, names, times, cells):
    print(f"\n{title}\n\n| cell | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for op, shape in cells:
        print(f"| {op} {shape} | {' | '.join(number(times.get((op, shape, n))) for n in names)} |")


def theirs_of(path):
    with open(path, encoding="utf-8") as f:
        head = f.readline().rstrip("\n").split("\t")
        rows = [dict(zip(head, line.rstrip("\n").split("\t"))) for line in f]
    out = {}
    for r in sorted(rows, key=lambda r: RUNS.index(r["run"]) if r["run"] in RUNS else len(RUNS)):
        if r["dtype"] == "fp16" and r["device_us"]:
            out.setdefault((r["op"], r["M"] + "x" + r["N"], r["contender"]), float(r["device_us"]))
    return out


def beside(device, path, cells):
    theirs, ratios = theirs_of(path), {}
    for op, shape in cells:
        for ours, names in THEIRS.items():
            name, mine = names[op in FLAT], device.get((op, shape, ours))
            found = [t for (o, s, n), t in theirs.items() if (o, s) == (op, shape) and (n.startswith(name) if name == "st_" else n == name)]
            if mine and found:
                ratios.setdefault(ours, []).append((mine / min(found), op, shape, mine, min(found)))
    print("\nOurs over theirs:\n\n| contender | cells | median | lowest | highest | within 5 % |\n|---|---|---|---|---|---|")
    for ours, r in ratios.items():
        x = [q[0] for q in r]
        print(f"| {ours} | {len(x)} | {statistics.median(x):.3f} | {min(x):.3f} | {max(x):.3f} | {sum(abs(q - 1) <= WITHIN for q in x)} |")
    print("\nFurther apart: " + ("; ".join(f"{ours} {op} {shape} {mine:.2f} / {other:.2f}" for ours, r in ratios.items()
                                           for q, op, shape, mine, other in r if abs(q - 1) > WITHIN) or "none"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--collect", nargs="+")
    parser.add_argument("-o", dest="out")
    parser.add_argument("--beside")
    o = parser.parse_args()
    if o.collect and o.out:
        return collect(o.collect, o.out)
    if not o.file:
        parser.error("FILE, or --collect FOLDER... -o FILE")
    device, call, ratio = times_of(o.file)
    cells = [(op, s) for op in OPS for s in ("1024x4096", "4096x4096", "8192x4096") if (op, s, "own") in device]
    table("Device time, microseconds:", FORMS + ["yardstick", "eager", "default", "max_autotune"], device, cells)
    table("Ratio, the better of default and max-autotune over the kernel:", FORMS, ratio, cells)
    table("Call time from an idle queue; kernels by our launcher, without Python:", FORMS + ["eager", "default", "max_autotune"], call, cells)
    if o.beside:
        beside(device, o.beside, cells)
    return 0


script.run(main)
