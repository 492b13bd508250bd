#!/usr/bin/env python3
"""Our verdicts against a real GPU: torch, Triton and the programs of a kit (prepare.py writes it).

Before, where Ouroboros builds (the kit is about 10 MB):

    make conformance-kit                                  # writes build/conformance/kit

On the machine with the GPU, with the repository and the kit (two commands of at most ten minutes each; results are JSON
lines, written as they come, so that a limit loses nothing; 16 cores and one H200 are what the budgets are made for):

    python3 test/conformance/gpu.py --kit build/conformance/kit --out $OUT/first.jsonl --total 560 \\
        --sections facts,language,accept --budget facts=100,language=60,accept=400
    python3 test/conformance/gpu.py --kit build/conformance/kit --out $OUT/second.jsonl --total 560 \\
        --sections usual,times,hostile --budget usual=170,times=320,hostile=70

Sections
  facts      what hardware does where Triton leaves it open (facts.py), and the accuracy of every function
  language   random expression programs: what they store, as base64 of float64, to be compared with our machine
  accept     golds, honest kernels and the smith's: do they compile and run, and is every element within our bound?
             Inputs, values and bounds are those of our own draws (kit/conform), all input classes, both layouts.
  usual      wrong programs and cheats: refused by Triton (its words are recorded), or accepted by a usual checker
             (torch.allclose, one shape, random inputs, 1e-2 and 1e-4), or caught by our draw and bound on real hardware?
  times      median GPU time with a flushed L2 of golds and the smith's kernels at published shapes
  hostile    programs that read or write out of bounds, race or never end: last, each in a process of its own

Every program runs in a worker process. One that dies, faults the GPU or takes too long costs a line and is replaced.
Without a GPU: TRITON_INTERPRET=1 runs the same on the CPU, slowly (use --limit).
"""
import argparse
import base64
import collections
import fcntl
import importlib.util
import json
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import modelnew

SECTIONS = ["facts", "language", "accept", "usual", "times", "hostile"]
HOSTILE = ("oob", "race", "timeout", "crash", "bad_value")
SHAPES = [(4096, 4096), (16384, 2048), (1024, 4096)]
KAPPA_U = 2.0 * 2.0**-24


# ---- the parent: a pool of workers that may die ----------------------------------------------------------------


class Pool:
    """Hands tasks to worker processes. A task: {"section", "name", "limit": seconds, "fresh": bool, ...}."""

    def __init__(self, jobs, setup, out):
        self.context = multiprocessing.get_context("spawn")
        self.jobs, self.setup, self.out = jobs, setup, out
        self.workers = {}  # connection -> [process, task or None, deadline, ready]

    def start(self):
        here, there = self.context.Pipe()
        process = self.context.Process(target=worker_main, args=(there, self.setup), daemon=True)
        process.start()
        there.close()
        self.workers[here] = [process, None, time.time() + 180, False]

    def stop(self, connection):
        process = self.workers.pop(connection)[0]
        if process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        connection.close()

    def write(self, record):
        self.out.write(json.dumps(record) + "\n")
        self.out.flush()

    def run(self, tasks, until):
        queue = collections.deque(tasks)
        while len(self.workers) < min(self.jobs, len(queue)):
            self.start()
        while (queue or any(w[1] for w in self.workers.values())) and time.time() < until:
            for connection, w in list(self.workers.items()):
                if queue and w[3] and w[1] is None:
                    w[1] = queue.popleft()
                    w[2] = time.time() + w[1]["limit"]
                    connection.send(w[1])
            for connection in multiprocessing.connection.wait(list(self.workers), timeout=0.2):
                self.receive(connection)
            now = time.time()
            for connection, w in list(self.workers.items()):
                if now > w[2] and (w[1] or not w[3]):
                    self.lost(connection, "timeout")
            while queue and len(self.workers) < self.jobs:
                self.start()
        unfinished = len(queue)
        for connection, w in list(self.workers.items()):
            if w[1]:
                self.lost(connection, "out of time")
        return unfinished

    def receive(self, connection):
        w = self.workers[connection]
        try:
            answer = connection.recv()
        except (EOFError, OSError):
            self.lost(connection, "died")
            return
        if answer == "ready":
            w[3], w[2] = True, float("inf")
            return
        task, w[1], w[2] = w[1], None, float("inf")
        for record in answer["records"]:
            self.write({"section": task["section"], "name": task["name"]} | record)
        if answer["broken"] or task["fresh"]:
            self.stop(connection)

    def lost(self, connection, how):
        task = self.workers[connection][1]
        if task:
            self.write({"section": task["section"], "name": task["name"], "op": task.get("op"), "expect": task.get("expect"), "outcome": how})
        self.stop(connection)

    def close(self):
        for connection in list(self.workers):
            self.stop(connection)


# ---- a worker ---------------------------------------------------------------------------------------------------


def worker_main(connection, setup):
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.environ["TRITON_CACHE_DIR"] = setup["scratch"] + "/triton"
    os.environ["OMP_NUM_THREADS"] = "1"
    bench = Bench(setup)
    connection.send("ready")
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        broken = False
        try:
            records = list(getattr(bench, task["section"])(task))
        except BaseException as error:  # whatever a program raises, SystemExit included, is a result
            records = [failure(error) | {"op": task.get("op"), "expect": task.get("expect")}]
            broken = faulted(error) or not isinstance(error, Exception)
        connection.send({"records": records, "broken": broken or any(r.get("broken") for r in records)})


def faulted(error):
    """After a fault of the GPU a process can do nothing more with it."""
    return "CUDA error" in str(error) or "Triton Error [CUDA]" in str(error)


def failure(error):
    """The message, and those of its causes: Triton says what is wrong in a helper in the last of them."""
    texts, cause = [str(error)[-500:]], error.__cause__
    while cause is not None and len(texts) < 4:
        texts.append(str(cause)[-300:])
        cause = cause.__cause__
    return {"outcome": "error", "type": type(error).__name__, "message": texts[0], "causes": texts[1:], "broken": faulted(error),
            "where": traceback.format_tb(error.__traceback__)[-1][-200:]}


class Bench:
    """What a worker can do. Torch and Triton are imported here, after the process has its own environment."""

    def __init__(self, setup):
        import torch
        import triton

        self.torch, self.triton = torch, triton
        self.kit, self.scratch = pathlib.Path(setup["kit"]), pathlib.Path(setup["scratch"])
        self.cases = setup["cases"]
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.backends.cuda.matmul.allow_tf32 = False
        self.ops = {}
        for line in open(self.kit / "ops.jsonl"):
            o = json.loads(line)
            self.ops[o["op"]] = o
        self.draws = collections.OrderedDict()
        self.compile_only = False
        self.allclose = torch.allclose
        torch.zeros(1, device=self.device)
        if self.device == "cuda":
            self.teach_compile_only()

    def teach_compile_only(self):
        """While compile_only is set, a launch compiles and does not run."""
        cls = self.triton.runtime.jit.JITFunction
        original = cls.run

        def run(kernel, *args, grid, warmup, **kwargs):
            return original(kernel, *args, grid=grid, warmup=warmup or self.compile_only, **kwargs)

        cls.run = run

    def wait(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def load(self, task):
        spec = importlib.util.spec_from_file_location("program_" + task["name"], self.kit / task["file"])
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return modelnew.with_run(module)

    # -- inputs

    def draw(self, op):
        """Our own draw of an op: inputs in all classes and layouts, values and bounds."""
        if op not in self.draws:
            prefix = self.scratch / f"draw_{op}"
            with open(str(prefix) + ".lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not prefix.with_suffix(".done").exists():
                    subprocess.run([self.kit / "conform", "draw", op, "quick", "1", prefix], check=True, capture_output=True)
                    prefix.with_suffix(".done").touch()
            data = self.torch.from_file(str(prefix) + ".bin", size=os.path.getsize(str(prefix) + ".bin"), dtype=self.torch.uint8)
            self.draws[op] = (json.load(open(str(prefix) + ".json"))["cases"], data)
            while len(self.draws) > 6:
                self.draws.popitem(last=False)
        return self.draws[op]

    def chosen(self, op, count, salt):
        """Cases that show most with few compilations: all classes first, then a walk over row lengths and dtypes."""
        cases, data = self.draw(op)
        by_rows = sorted(range(len(cases)), key=lambda i: -len(cases[i]["classes"]) * max(cases[i]["dims"]))
        rest = sorted(set(range(len(cases))) - set(by_rows[:6]))
        want = [by_rows[0]] + [i for i in by_rows[1:6] if cases[i]["dtype"] != cases[by_rows[0]]["dtype"]][:2]
        step = max(1, len(rest) // max(1, count - len(want)))
        want += [rest[(salt * 7 + k * step) % len(rest)] for k in range(count - len(want)) if rest]
        return [(i, cases[i], data) for i in sorted(set(want))]

    def tensor_of(self, data, t):
        dtype = getattr(self.torch, t["dtype"])
        flat = data[t["at"] : t["at"] + t["bytes"]].clone().view(dtype).to(self.device)
        return flat.as_strided(t["shape"], t["stride"], t["offset"])

    def truth(self, data, c):
        n = 1
        for d in c["out_shape"]:
            n *= d
        f64 = lambda at: data[at : at + 8 * n].clone().view(self.torch.float64).to(self.device)
        return f64(c["v_at"]), f64(c["e_at"]) if c["e_at"] >= 0 else self.torch.zeros(n, dtype=self.torch.float64, device=self.device)

    def usual_inputs(self, op, m, n, dtype, how):
        """What a usual benchmark draws: one shape, torch.randn or torch.rand, and legal values for the rest."""
        torch = self.torch
        scope = {"torch": torch}
        exec(self.ops[op]["definition"], scope)
        spec = scope["inputs"]
        row, sizes = list(spec.values())[0]["shape"][-1], {"M": m}
        sizes[row] = n
        out = {}
        for name, s in spec.items():
            shape = [sizes.get(d, n // 2 if d == f"{row}/2" else d) for d in s["shape"]]
            shape = [d if isinstance(d, int) else 8 for d in shape]
            kind = dtype if s.get("dtype", "float") == "float" else getattr(torch, s["dtype"])
            if "range" in s:
                lo, hi = s["range"]
                if isinstance(hi, str) or not kind.is_floating_point:
                    hi = sizes[hi] - 1 if isinstance(hi, str) else hi
                    out[name] = torch.randint(int(lo), int(hi) + 1, shape, device=self.device).to(kind)
                else:
                    out[name] = (torch.rand(shape, device=self.device) * (hi - lo) + lo).to(kind)
            else:
                out[name] = (torch.randn if how == "randn" else torch.rand)(shape, device=self.device).to(kind)
        return list(out.values()), scope["reference"]

    # -- comparison with our bound

    def cell(self, o):
        """Both ends, in float64, of the reals that round to each element of o."""
        torch = self.torch
        bits, top = {torch.float32: (torch.int32, 2**31), torch.float16: (torch.int16, 2**15), torch.bfloat16: (torch.int16, 2**15)}[o.dtype]
        b = o.view(bits).to(torch.int64)
        line = torch.where(b < 0, -(b + top), b)  # a monotone number for each pattern; both zeros are 0

        def at(k):
            back = torch.where(k < 0, -k - top, k)
            return back.to(bits).view(o.dtype).double()

        mid, up, down = at(line), at(line + 1), at(line - 1)
        most = torch.finfo(o.dtype).max
        last = most + (most - float(at(torch.tensor([int(self.pattern(most, o.dtype)) - 1], device=o.device))[0])) / 2
        hi = torch.where(up.isinf(), torch.full_like(mid, last), (mid + up) / 2)
        lo = torch.where(down.isinf(), torch.full_like(mid, -last), (mid + down) / 2)
        hi = torch.where(mid == float("inf"), mid, torch.where(mid == -float("inf"), torch.full_like(mid, -last), hi))
        lo = torch.where(mid == -float("inf"), mid, torch.where(mid == float("inf"), torch.full_like(mid, last), lo))
        return lo, hi

    def pattern(self, value, dtype):
        t = self.torch.tensor([value], dtype=dtype)
        return t.view(self.torch.int32 if dtype == self.torch.float32 else self.torch.int16)[0]

    def compare(self, out, data, c):
        """doc/error-bound.md section 1, on the GPU in float64."""
        torch = self.torch
        if list(out.shape) != c["out_shape"] or str(out.dtype)[6:] != c["out_dtype"]:
            return {"wrong": -1, "what": f"{out.dtype}{list(out.shape)} instead of {c['out_dtype']}{c['out_shape']}"}
        v, e = self.truth(data, c)
        o = out.detach().contiguous().flatten().clone()
        lo, hi = self.cell(o)
        o64 = o.double()
        off = torch.maximum((lo - v).clamp(min=0), (v - hi).clamp(min=0))
        use = torch.where(off > 0, off / (KAPPA_U * e), torch.zeros_like(off))
        use = torch.where(v.isnan() | o64.isnan(), torch.where(v.isnan() & o64.isnan(), 0.0, float("inf")), use)
        use = torch.where(v.isinf(), torch.where(o64 == v, 0.0, float("inf")), use)
        use = torch.where(e.isinf() & ~v.isnan(), torch.zeros_like(use), use)
        wrong = ~(use <= 1)
        at = int(torch.nan_to_num(use, nan=float("inf")).argmax())
        rows = max(1, len(c["classes"]))
        row = at * rows // max(1, v.numel())
        spacing = (hi - lo).clamp(min=1e-300)
        # Where the bound is below one ulp; elsewhere ulps say little.
        finite = v.isfinite() & o64.isfinite() & (KAPPA_U * e < spacing)
        return {
            "wrong": int(wrong.sum()),
            "of": v.numel(),
            "unjudged": int((e.isinf() & ~v.isnan()).sum()),
            "use": round(float(use[at]), 4),
            "ulp": round(float(torch.where(finite, (o64 - v).abs() / spacing, torch.zeros_like(v)).max()), 3),
            "at": at,
            "class": c["classes"][min(row, rows - 1)] if c["classes"] else "",
            "got": repr(float(o64[at])),
            "want": repr(float(v[at])),
            "bound": repr(float(KAPPA_U * e[at])),
        }

    def judge(self, module, op, count, salt):
        """Runs a program on cases of our draw: (failed cases, all comparisons)."""
        every = []
        for i, c, data in self.chosen(op, count, salt):
            out = module.run(*[self.tensor_of(data, t) for t in c["inputs"]])
            self.wait()
            result = self.compare(out, data, c)
            every.append(result | {"case": i, "dtype": c["dtype"], "dims": c["dims"], "strided": c["strided"]})
        return [r for r in every if r["wrong"]], every

    # -- sections

    def facts(self, task):
        import facts

        yield {"fact": task["name"], "result": facts.FACTS[task["name"]](self.device)}

    def language(self, task):
        import language

        torch = self.torch
        kinds = {"x": torch.float32, "y": torch.float32, "i": torch.int32, "j": torch.int32}
        inputs = [torch.tensor(language.INPUTS[k], dtype=t, device=self.device) for k, t in kinds.items()]
        out = self.load(task).run(*inputs)
        self.wait()
        raw = out.cpu().contiguous().view(torch.uint8).numpy().tobytes()
        yield {"outcome": "ran", "exact": task["exact"], "out": base64.b64encode(raw).decode()}

    def accept(self, task):
        begun = time.time()
        count = self.cases["smith"] if task["kind"] == "smith" else self.cases["gold"]
        failed, every = self.judge(self.load(task), task["op"], count, task["number"])
        yield {
            "outcome": "wrong" if failed else "right",
            "kind": task["kind"],
            "op": task["op"],
            "schedule": task.get("schedule"),
            "cases": len(every),
            "use": max(r.get("use", float("inf")) for r in every),
            "ulp": max(r.get("ulp", float("inf")) for r in every),
            "seconds": round(time.time() - begun, 2),
            "failed": failed[:4],
        }

    def usual(self, task):
        torch = self.torch
        record = {"op": task["op"], "kind": task["kind"], "expect": task["expect"], "outcome": "ran", "accepted": {}}
        module = self.load(task)
        usual = self.ops[task["op"]]["definition"]
        n = 128 if '"D"' in usual else 1024
        for dtype in (torch.float32, torch.float16):
            for how in ("randn", "rand"):
                torch.manual_seed(42)
                inputs, reference = self.usual_inputs(task["op"], 1024, n, dtype, how)
                want = reference(*[t.clone() for t in inputs])
                got = module.run(*inputs)
                self.wait()
                for tolerance in (1e-2, 1e-4):
                    same = isinstance(got, torch.Tensor) and got.shape == want.shape
                    # The attribute of torch, as a usual checker calls it: a program may have replaced it.
                    same = same and bool(torch.allclose(got.to(want.dtype), want, atol=tolerance, rtol=tolerance))
                    record["accepted"][f"{str(dtype)[6:]} {how} {tolerance:g}"] = same
        if task["kind"] == "cheat" and torch.allclose is not self.allclose:
            record["patched"] = True
        try:
            failed, every = self.judge(module, task["op"], self.cases["wrong"], task["number"])
            record |= {"our_bound": "rejects" if failed else "accepts", "failed": failed[:2], "cases": len(every)}
        except Exception as error:
            record |= {"our_bound": "error", "judged": failure(error)["message"][-300:], "broken": faulted(error)}
        yield record

    def hostile(self, task):
        yield from self.usual(task)

    def times(self, task):
        text = (self.kit / task["file"]).read_text()
        module = self.load(task)
        short = '"D"' in self.ops[task["op"]]["definition"]
        for m, n in [(32768, 128), (8192, 128)] if short else SHAPES:
            for dtype in (self.torch.float16, self.torch.float32):
                record = {"op": task["op"], "kind": task["kind"], "schedule": task.get("schedule"), "m": m, "n": n, "dtype": str(dtype)[6:]}
                try:
                    record |= {"us": self.time_of(module, task["op"], m, n, dtype, "autotune" in text)}
                except Exception as error:
                    record |= failure(error)
                yield record

    def time_of(self, module, op, m, n, dtype, tuned):
        """Compiles beside the others, then measures alone: only one process at a time gives the GPU work."""
        torch = self.torch
        with open(self.scratch / "gpu.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            torch.manual_seed(1)
            inputs, _ = self.usual_inputs(op, m, n, dtype, "randn")
            self.wait()
            fcntl.flock(lock, fcntl.LOCK_UN)
            if self.device != "cuda":
                begun = time.time()
                module.run(*inputs)
                return round((time.time() - begun) * 1e6, 1)
            if not tuned:
                self.compile_only = True
                try:
                    module.run(*inputs)
                finally:
                    self.compile_only = False
            fcntl.flock(lock, fcntl.LOCK_EX)
            ms = self.triton.testing.do_bench(lambda: module.run(*inputs), warmup=5, rep=25, return_mode="median")
            self.wait()
            del inputs
            torch.cuda.empty_cache()
            return round(ms * 1e3, 3)


# ---- the whole ---------------------------------------------------------------------------------------------------


def task_of(section, p, number, limit, fresh=False):
    return p | {"section": section, "number": number, "limit": limit, "fresh": fresh}


def turn(task):
    """The smith's kernels last, in an order that goes over all ops early: a limit then cuts evenly."""
    return int(task["name"].rsplit("_", 1)[1]) if task["kind"] == "smith" else -1


def tasks_of(section, index, o):
    numbered = list(enumerate(index))
    if section == "facts":
        import facts  # only the names; the parent never touches the GPU

        return [{"section": section, "name": n, "limit": 90, "fresh": False} for n in facts.FACTS]
    if section == "language":
        return [task_of(section, p, k, 40) for k, p in numbered if p["kind"] == "language"]
    if section == "accept":
        return sorted([task_of(section, p, k, 90) for k, p in numbered if p["kind"] in ("gold", "honest", "smith")], key=turn)
    if section == "times":
        return sorted([task_of(section, p, k, 120) for k, p in numbered if p.get("time")], key=turn)
    hostile = lambda p: any(s in HOSTILE for s in p["expect"].split("|"))
    wrong = [(k, p) for k, p in numbered if p["kind"] in ("wrong", "cheat")]
    if section == "usual":
        return [task_of(section, p, k, 45, p["kind"] == "cheat") for k, p in wrong if not hostile(p)]
    return [task_of(section, p, k, 20, True) for k, p in wrong if hostile(p)]


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--kit", default="build/conformance/kit")
    p.add_argument("--out", required=True)
    p.add_argument("--sections", default=",".join(SECTIONS))
    p.add_argument("--budget", default="", help="seconds of a section: facts=60,accept=300")
    p.add_argument("--total", type=float, default=3600, help="seconds of all")
    p.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    p.add_argument("--cases", default="gold=12,smith=5,wrong=4", help="cases of a draw that a program gets")
    p.add_argument("--only", default="", help="programs whose name holds this")
    p.add_argument("--limit", type=int, default=0, help="at most so many programs of a section")
    return p.parse_args()


def numbers(text):
    return {k: float(v) for k, v in (part.split("=") for part in text.split(",") if part)}


def main():
    o = parse()
    begun = time.time()
    index = [json.loads(line) for line in open(pathlib.Path(o.kit) / "index.jsonl")]
    budget = numbers(o.budget)
    base = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="conformance", dir=base) as scratch, open(o.out, "a") as out:
        setup = {"kit": str(pathlib.Path(o.kit).resolve()), "scratch": scratch, "cases": {k: int(v) for k, v in numbers(o.cases).items()}}
        pool = Pool(o.jobs, setup, out)
        for section in [s for s in o.sections.split(",") if s]:
            tasks = [t for t in tasks_of(section, index, o) if o.only in t["name"]]
            tasks = tasks[: o.limit] if o.limit else tasks
            start = time.time()
            until = min(begun + o.total - 5, start + budget.get(section, 1e9))
            left = pool.run(tasks, until)
            done = {"section": section, "summary": True, "tasks": len(tasks), "left": left, "seconds": round(time.time() - start, 1)}
            pool.write(done)
            print(json.dumps(done), flush=True)
        pool.close()


if __name__ == "__main__":
    main()
