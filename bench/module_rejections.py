"""module_rejections.py OUROBOROS KERNELBENCH IN.jsonl OUT.jsonl - rejections of module_candidates.py, looked at by others.

Needs torch and triton. Each rejected program runs in Triton's interpreter, beside its Model in PyTorch, in float64 and in
float32, at the sizes and with the weights of `ouroboros ops --values`; nothing of our referee judges. What was refused before it
ran is written as it is. Inputs are drawn by several kinds, one after the other. What is told of the first one that shows a
mistake, else of the worst:
  input, at, x      the kind; the element that is wrong most, and of elementwise operators its input
  got, right, torch the program's value, float64's and float32's; times: |got - right| over the error of float32, the largest
                    of the answer, or of elementwise operators the largest for inputs like this one; at least 2^-24 of the value
  access            a load or store outside of every tensor that the kernel was given, where there is one
  error             what Triton's interpreter or Python says, where it does not come to its end
`python3 module_rejections.py table FILE.jsonl` prints the table of doc/results.md.
"""
import glob
import importlib.util
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

SECONDS = 120  # of processor time
FLOAT32 = 2.0**-24
ENOUGH = 64.0  # times the largest error of float32: no rounding


def kinds(torch, x, seed):
    g = torch.Generator().manual_seed(seed)
    normal = lambda: torch.randn(x.shape, generator=g, dtype=torch.float64)
    rand = lambda: torch.rand(x.shape, generator=g, dtype=torch.float64)
    yield "drawn by the referee", lambda: x
    yield "mean 1,000, spread 1", lambda: 1000 + normal()
    yield "around 1e-4", lambda: 1e-4 * normal()
    yield "rand", rand
    yield "randn", normal
    yield "randn, 30 times", lambda: 30 * normal()
    yield "uniform, -90 to 90", lambda: 180 * rand() - 90
    yield "below -100", lambda: -100 - 50 * rand()
    yield "magnitudes from 1e-9 to 1e3", lambda: torch.sign(normal()) * 10 ** (12 * rand() - 9)
    yield "one large value first", lambda: torch.where(torch.arange(x.shape[-1]) == 0, 1e4, 1e-3 * normal())
    yield "zeros of both signs and ones", lambda: torch.floor(3 * rand()).sub(1)
    yield "some infinite", lambda: torch.where(rand() < 0.01, torch.inf * torch.sign(normal()), normal())


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # inspect.getsource() of kernels
    spec.loader.exec_module(module)
    return module


def on_a_cpu(source):
    """What asks for a GPU, without it."""
    source = re.sub(r"[\w.\[\]]+\.is_cuda\b", "True", source)
    source = re.sub(r"\.cuda\(\)", "", source)
    return re.sub(r"""(["'])cuda(:0)?\1""", '"cpu"', source)


def bind(torch, new, state):
    """The referee's values by name, else in order, else by shapes that only one has."""
    own = dict(new.named_parameters())
    state = {k: v for k, v in state.items() if "running" not in k and "num_batches" not in k}
    names = list(own)
    if all(k in state and state[k].shape == own[k].shape for k in own):
        pairs = [(k, k) for k in own]
    elif len(own) == len(state) and all(own[a].shape == state[b].shape for a, b in zip(own, state)):
        pairs = list(zip(own, state))
    else:
        pairs = [(k, [s for s in state if state[s].shape == own[k].shape]) for k in names]
        if any(len(found) != 1 for _, found in pairs):
            raise ValueError("parameters that are not bound")
        pairs = [(k, found[0]) for k, found in pairs]
    with torch.no_grad():
        for k, s in pairs:
            own[k].copy_(state[s])


def first_config():
    """Autotuned kernels, without a GPU to tune on."""
    from triton.runtime.autotuner import Autotuner

    def run(self, *args, **kw):
        self.nargs = dict(zip(self.arg_names, args))
        config = self.configs[0]
        return self.fn.run(*args, **{**kw, **config.all_kwargs()})

    Autotuner.run = run


def float32_errors(torch, x, right, single):
    """What PyTorch in float32 is off by: the largest, or of elementwise operators the largest of 129 neighbours by input."""
    error = torch.where(torch.isfinite(right) & torch.isfinite(single), (single - right).abs(), 0.0)
    if x.shape != right.shape:
        return error.max()
    order = x.reshape(-1).argsort()
    near = torch.nn.functional.max_pool1d(error.reshape(1, 1, -1)[:, :, order], 129, stride=1, padding=64).reshape(-1)
    return torch.empty_like(near).scatter_(0, order, near).reshape(right.shape)


def watch_accesses(found):
    """Addresses that lie in no tensor that a kernel was given."""
    from triton.runtime import interpreter as it

    ranges = []
    launch, masked_load, masked_store = it.GridExecutor.__call__, it.InterpreterBuilder.create_masked_load, it.InterpreterBuilder.create_masked_store

    def remember(self, *args, **kw):
        for x in list(args) + list(kw.values()):
            if hasattr(x, "untyped_storage"):
                at = x.untyped_storage().data_ptr()
                ranges.append((at, at + x.untyped_storage().nbytes()))
        return launch(self, *args, **kw)

    def inside(ptrs, mask, what):
        import numpy as np

        at = ptrs.data.ravel()[np.broadcast_to(mask.data, ptrs.data.shape).ravel().astype(bool)].astype(np.int64)
        ok = np.zeros(at.shape, dtype=bool)
        for low, high in ranges:
            ok |= (at >= low) & (at < high)
        if not ok.all() and not found:
            first = int(at[~ok][0])
            low, high = min(ranges, key=lambda r: min(abs(first - r[0]), abs(first - r[1])))
            found.append("%s %d bytes %s" % (what, first - high + 1 if first >= high else low - first, "behind a tensor" if first >= high else "before a tensor"))
        return ok.reshape(-1), at

    def checked(f, what):
        def go(self, ptrs, *rest):
            mask = rest[0] if what == "load" else rest[1]
            ok, _ = inside(ptrs, mask, what)
            if not ok.all():
                raise MemoryError(found[0])
            return f(self, ptrs, *rest)

        return go

    it.GridExecutor.__call__ = remember
    it.InterpreterBuilder.create_masked_load = checked(masked_load, "load")
    it.InterpreterBuilder.create_masked_store = checked(masked_store, "store")


def look(path, values):
    """Of one program, in a process of its own."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../test/conformance"))
    import torch

    torch.set_num_threads(1)
    import modules as conformance

    found = []
    watch_accesses(found)
    first_config()
    meta, had = conformance.read(values)
    text = tempfile.NamedTemporaryFile("w", suffix=".py", delete=False)
    text.write(on_a_cpu(open(path).read()))
    text.close()
    scope = {}
    exec(compile(had["source"], "module", "exec"), scope)
    arguments = scope["get_init_inputs"]() if "get_init_inputs" in scope else []
    state = {k[len("state.") :]: v for k, v in had.items() if k.startswith("state.")}
    torch.manual_seed(0)
    candidate = load(text.name, "candidate")
    inputs = []
    for i in range(int(meta["inputs"])):
        x = had.get("input.%d" % i)
        inputs.append(eval(meta["input.%d" % i]) if x is None else x)
    floats = [i for i, x in enumerate(inputs) if torch.is_tensor(x) and x.is_floating_point()]

    def answers(kind, given, dtype):
        model = kind(*arguments).to(dtype)
        with torch.no_grad():
            if kind is scope["Model"]:
                for k, v in model.state_dict().items():
                    if k in state:
                        v.copy_(state[k])
            else:
                bind(torch, model, state)
            y = model(*[x.to(dtype) if torch.is_tensor(x) and x.is_floating_point() else x for x in given])
        return [t.detach().to(torch.float64) for t in (y if isinstance(y, (tuple, list)) else [y])]

    worst = {"times": -1.0}
    for name, draw in kinds(torch, inputs[floats[0]], 7):
        given = list(inputs)
        given[floats[0]] = draw().float().double()
        right, single = answers(scope["Model"], given, torch.float64)[0], answers(scope["Model"], given, torch.float32)[0]
        try:
            got = answers(candidate.ModelNew, given, torch.float32)[0]
        except MemoryError as e:
            return {"input": name, "access": str(e)}
        if got.shape != right.shape:
            return {"input": name, "error": "shape %s, right is %s" % (list(got.shape), list(right.shape))}
        if got.numel() == 0:
            continue
        fit = lambda a, b: (a == b) | (torch.isnan(a) & torch.isnan(b))
        off = torch.where(fit(got, right), 0.0, torch.nan_to_num((got - right).abs(), nan=torch.inf, posinf=torch.inf))
        # Where float32 itself has another class of value than float64, nothing is said.
        same = torch.isfinite(single) == torch.isfinite(right)
        off = torch.where(same, off, 0.0)
        error = float32_errors(torch, given[floats[0]], right, single)
        scale = torch.maximum(error, FLOAT32 * torch.nan_to_num(right.abs(), posinf=0.0)) + 1e-45
        times = (off / scale).reshape(-1)
        at = int(times.argmax())
        where = [int(k) for k in torch.unravel_index(torch.tensor(at), right.shape)] if right.dim() else []
        here = {"input": name, "at": where, "times": times[at].item(), "wrong": int((times > ENOUGH).sum()), "of": right.numel()}
        x = given[floats[0]]
        if x.shape == right.shape:
            here["x"] = x.reshape(-1)[at].item()
        here.update(got=got.reshape(-1)[at].item(), right=right.reshape(-1)[at].item(), torch=single.reshape(-1)[at].item())
        if here["times"] > worst["times"]:
            worst = here
        if worst["times"] > ENOUGH:
            break
    return worst


def apart(path, values):
    """look() in a process of its own, which has torch already."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        try:
            said = look(path, values)
        except BaseException as e:
            said = {"error": ("%s: %s" % (type(e).__name__, e)).strip().splitlines()[0][:300]}
        said = {k: str(v) if isinstance(v, float) and not math.isfinite(v) else v for k, v in said.items()}
        os.write(write, json.dumps(said).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        text = f.read()
    code = os.waitpid(child, 0)[1]
    if text:
        return json.loads(text)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    late = os.WIFSIGNALED(code) and used > SECONDS - 5
    return {"error": "the interpreter took over %d seconds" % SECONDS if late else "ended by signal %d" % os.WTERMSIG(code)}


def main(ouroboros, root, rows, out):
    os.environ["TRITON_INTERPRET"] = "1"
    import torch  # once for all
    import triton  # noqa: F401

    torch.set_num_threads(1)
    static = ("parse_reject", "compile_fail", "unsupported", "referee_error")
    rejected = [row for row in map(json.loads, open(rows)) if row["status"] != "ok"]
    with open(out, "w") as f:
        for row in rejected:
            if row["status"] in static:  # nothing was run: its sentence is all there is
                f.write(json.dumps(row) + "\n")
                continue
            (reference,) = glob.glob("%s/level*/%s.py" % (root, row["problem"]))
            with tempfile.NamedTemporaryFile(suffix=".safetensors") as values:
                subprocess.run([ouroboros, "ops", reference, "--values", values.name], capture_output=True)
                row.update(apart(os.path.join(root, "candidates", row["file"]), values.name))
            f.write(json.dumps(row) + "\n")
            f.flush()


def number(x):
    return "%.6g" % float(x)  # "nan" and "inf" are texts in JSON


def table(path):
    """A row for programs of one problem that fail in the same way."""
    same = {}
    for row in map(json.loads, open(path)):
        place = row.get("input", "")
        if "x" in row:
            place += ", x = " + number(row["x"])
        elif row.get("at"):
            place += ", " + str(row["at"])
        if "got" in row and float(row["times"]) > ENOUGH:
            rest = (place, number(row["got"]), number(row["right"]), number(row["torch"]), "%.3g" % float(row["times"]))
        else:
            said = row.get("access") or row.get("error") or row["feedback"].split(", on input")[0].split(". ")[0]
            rest = (re.sub(r"^line \d+(:\d+)?: ", "", said).replace("|", "\\|"), "", "", "", "")
        key = (row["file"].split("/")[0][-1], row["problem"], row["status"], *rest)
        same[key] = same.get(key, 0) + 1
    print("| level, problem (programs) | status | input and place, or what is said | its value | float64 | PyTorch's float32 | times |")
    print("|---|---|---|---|---|---|---|")
    for (level, problem, status, *rest), n in same.items():
        print("| %s, `%s` (%d) | `%s` | %s |" % (level, problem[:40], n, status, " | ".join(rest)))


if __name__ == "__main__":
    if sys.argv[1] == "table":
        table(sys.argv[2])
    else:
        main(*sys.argv[1:])
