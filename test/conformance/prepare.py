#!/usr/bin/env python3
"""Writes what gpu.py takes along to a machine with a GPU: build/conformance/kit.

  kit/conform            our oracle and its draws, a static program
  kit/programs/NAME.py   the self-test's programs, kernels of the grammar smith, random expression programs
  kit/index.jsonl        one line a program: name, file, kind, op, schedule, what we expect of it or said about it
  kit/ops.jsonl          one line an op: its definition and the inputs' names

usage: prepare.py [--smith N] [--language N] [--ouroboros FILE] [--conform FILE] [--kit DIR]     (or: make conformance-kit)
"""
import argparse
import json
import pathlib
import shutil
import subprocess

import language

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--smith", type=int, default=1200, help="kernels of the grammar smith, over all ops")
    p.add_argument("--language", type=int, default=400, help="random expression programs")
    p.add_argument("--times", type=int, default=5, help="kernels of an op that are timed")
    p.add_argument("--ouroboros", default=str(ROOT / "build/ouroboros"))
    p.add_argument("--conform", default=str(ROOT / "build/release/conform"))
    p.add_argument("--kit", default=str(ROOT / "build/conformance/kit"))
    return p.parse_args()


def lines(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command[:3]}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def definitions(binary, names):
    for name in names:
        (one,) = lines([binary, "ops", name, "--json"])
        yield {"op": name, "definition": one["definition"], "signature": one["signature"]}


def smith_kernels(binary, ops, total):
    """Every op gets as many; the referee's quick verdict of each stands beside it."""
    each = -(-total // len(ops))
    for op in ops:
        proposed = lines([binary, "propose", op, "-n", str(each), "--seed", "7", "--json"])
        text = "".join(json.dumps(p | {"level": "quick", "id": i}) + "\n" for i, p in enumerate(proposed))
        verdicts = {v.get("id"): v for v in lines([binary, "referee", "--stream"], text)}
        for i, p in enumerate(proposed):
            yield {
                "name": f"smith_{op}_{i}",
                "kind": "smith",
                "op": op,
                "schedule": p["schedule"],
                "expect": "ok",
                "status": verdicts.get(i, {}).get("status", "none"),
                "source": p["source"],
            }


def mark_times(index, most):
    """The golds, and of each op the first kernels of different schedules."""
    seen = {}
    for p in index:
        if p["kind"] == "gold":
            p["time"] = True
        if p["kind"] != "smith" or p["status"] != "ok":
            continue
        schedules = seen.setdefault(p["op"], set())
        if p["schedule"] not in schedules and len(schedules) < most:
            schedules.add(p["schedule"])
            p["time"] = True


def exploits():
    """The programs of test/exploit that are meant for one op, where that folder is there."""
    for path in sorted((ROOT / "test/exploit").rglob("*.py")):
        source = path.read_text()
        head = dict(line[2:].split(": ", 1) for line in source.splitlines() if line.startswith("# ") and ": " in line)
        if "op" in head and "def run" in source:
            yield {
                "name": f"exploit_{path.stem}",
                "kind": "cheat",
                "op": head["op"].strip(),
                "expect": head.get("expect", "").strip(),
                "source": source,
            }


def main():
    o = parse()
    kit = pathlib.Path(o.kit)
    shutil.rmtree(kit, ignore_errors=True)
    (kit / "programs").mkdir(parents=True)
    shutil.copy(o.conform, kit / "conform")
    index = lines([o.conform, "programs"]) + list(exploits())
    names = json.loads(subprocess.run([o.ouroboros, "ops", "--json"], capture_output=True, text=True, check=True).stdout)
    listed = [n["op"] for n in names]
    index += smith_kernels(o.ouroboros, listed, o.smith)
    index += language.programs(o.language)
    mark_times(index, o.times)
    every = dict.fromkeys(listed + [p["op"] for p in index if p["kind"] != "language"])
    with open(kit / "ops.jsonl", "w") as f:
        for d in definitions(o.ouroboros, every):
            f.write(json.dumps(d) + "\n")
    with open(kit / "index.jsonl", "w") as f:
        for p in index:
            p["file"] = f"programs/{p['kind']}_{p['name']}.py"
            (kit / p["file"]).write_text(p.pop("source"))
            f.write(json.dumps(p) + "\n")
    kinds = {}
    for p in index:
        kinds[p["kind"]] = kinds.get(p["kind"], 0) + 1
    bad = [p["name"] for p in index if p["kind"] == "smith" and p["status"] != "ok"]
    print(f"{kit}: {kinds}, {sum(bool(p.get('time')) for p in index)} to be timed; smith kernels not accepted: {bad or 'none'}")


if __name__ == "__main__":
    main()
