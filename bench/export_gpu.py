"""The package that `ouroboros export` wrote, tried on a GPU: one JSON object for each op, and one for the whole at the end.

    ouroboros export -o build/ouroboros-kernels
    python3 bench/export_gpu.py build/ouroboros-kernels [-o FILE.jsonl] [--ops a,b] [--seconds 90] [--workers N]

Needs PyTorch, Triton and an NVIDIA GPU; no network. The package is installed by pip into a folder of its own first. For each op:

    answers     float16, bfloat16 and float32 at several shapes, with one and with many leading dimensions, beside the reference in float64
    strides     gaps between rows, a stride inside of rows, rows that are one row in memory (expand), an offset
    compiled    the same answer inside torch.compile(fullgraph=True), at two shapes
    gradients   those of the reference
    outside     mixed dtypes, float64, empty tensors: the reference's answer; wrong shapes: an error
    guarded     with several GPUs: inputs on the last while the first is current

A comparison that cannot fail says nothing: one element of each answer is changed, and must be found.
"""

import argparse
import json
import os
import queue
import subprocess
import sys
import tempfile
import time

import script

DTYPES = ("float16", "bfloat16", "float32")
LONG = [((1024,), 4096), ((2, 3, 100), 1000), ((5,), 16384)]
SHORT = [((8192,), 128), ((2, 3, 100), 96), ((7,), 256)]  # of ops whose definition says so
GRADIENT_MOST = 1 << 16


# ---- inputs, from the definition alone

def row_name(op):
    return next(iter(op.inputs.values()))["shape"][-1]


def shapes_of(op):
    usual = op.dims.get(row_name(op), {}).get("usual", 4096)
    return SHORT if usual <= 1024 else LONG


def size_of(dim, sizes):
    if isinstance(dim, int):
        return dim
    if "/" in dim:
        whole, part = dim.split("/")
        return sizes[whole] // int(part)
    return sizes[dim]


def is_any_float(declared):
    return declared.get("dtype", "float") == "float"


def draw(torch, op, lead, n, dtype, device, seed=0):
    """Tensors as the definition declares them; of ordinary size, since a verdict is not what this is about."""
    g = torch.Generator(device="cpu").manual_seed(seed)
    sizes, out = {row_name(op): n}, []
    for declared in op.inputs.values():
        shape = declared["shape"]
        size = (tuple(lead) if shape[0] == "M" else ()) + tuple(size_of(d, sizes) for d in shape if d != "M")
        low, high = declared.get("range", (None, None))
        own = dtype if is_any_float(declared) else getattr(torch, declared["dtype"])
        if not own.is_floating_point:
            t = torch.randint(int(low), int(size_of(high, sizes)), size, generator=g)
        elif low is None:
            t = torch.randn(size, generator=g)
            t = 1 + 0.2 * t if declared.get("role") == "weight" else t
        else:
            t = low + (high - low) * torch.rand(size, generator=g)
        t = t.to(own)
        out.append(t.to(device))
    return out


# ---- comparison

def wide(torch, t):
    return t.double() if t.is_floating_point() else t


def expected(torch, op, tensors):
    """The reference on the same values in float64, with the leading dimensions of the inputs. It says .float(), which means that here."""
    single = torch.Tensor.float
    torch.Tensor.float = torch.Tensor.double
    try:
        return op._by_reference([wide(torch, t) for t in tensors])
    finally:
        torch.Tensor.float = single


def allowed(torch, dtype, want):
    """Of each element: some roundings of the dtype, of the element and of a usual one. Sums and exponentials are float32 in any dtype:
    where an exponent goes up to 30, as in a capped softmax, two roundings of it are 60 of the answer. The referee's bounds are finer."""
    return (64 if dtype == torch.float32 else 3) * torch.finfo(dtype).eps * (want.abs() + want.pow(2).mean().sqrt())


def excess(torch, got, want):
    """The largest error, in parts of what is allowed."""
    if tuple(got.shape) != tuple(want.shape):
        return float("inf")
    if not got.numel():
        return 0.0
    return ((got.double() - want).abs() / allowed(torch, got.dtype, want)).nan_to_num(nan=float("inf")).max().item()


class Wrong(Exception):
    pass


def same(torch, what, got, want):
    worst = excess(torch, got, want)
    if not worst <= 1:
        raise Wrong(f"{what}: {worst:.3g} times the allowed error")
    if got.numel():
        changed = got.clone()
        at = changed.numel() // 3
        changed.view(-1)[at] = want.reshape(-1)[at] + 4 * allowed(torch, got.dtype, want).reshape(-1)[at]
        if excess(torch, changed, want) <= 1:
            raise Wrong(f"{what}: a changed element was not found")
    return worst


# ---- one op

def strided(torch, tensors, op):
    """(what, inputs): the same values, laid out otherwise."""
    def each(change):
        return [change(t) if d["shape"][0] == "M" and t.dim() >= 2 else t for t, d in zip(tensors, op.inputs.values())]

    def gaps(t):
        room = torch.empty(t.shape[:-1] + (t.shape[-1] + 24,), dtype=t.dtype, device=t.device)
        room[..., : t.shape[-1]] = t
        return room[..., : t.shape[-1]]

    def inside(t):
        room = torch.empty(t.shape[:-1] + (2 * t.shape[-1],), dtype=t.dtype, device=t.device)
        room[..., ::2] = t
        return room[..., ::2]

    def turned(t):
        return t.transpose(-1, -2).contiguous().transpose(-1, -2)

    def offset(t):
        room = torch.empty(t.numel() + 3, dtype=t.dtype, device=t.device)
        room[3:] = t.reshape(-1)
        return room[3:].view(t.shape)

    for name, change in (("gaps", gaps), ("inside", inside), ("turned", turned), ("offset", offset)):
        yield name, each(change)
    first = tensors[0]
    yield "one_row", [first[:1].expand(first.shape)] + list(tensors[1:])


def raises(torch, what, kind, call):
    try:
        call()
    except kind as e:
        if len(str(e)) > 10:
            return
    except Exception as e:
        raise Wrong(f"{what}: {type(e).__name__} instead of {kind.__name__}: {e}")
    raise Wrong(f"{what}: no error")


def try_op(torch, kernels, name, device, graphs):
    op, call, record = kernels.OPS[name], getattr(kernels, name), {"op": name, "calls": 0, "worst": 0.0, "ran": "reference"}

    def check(what, tensors, answer=None, kernel=device.type == "cuda"):
        why = op.why_reference(*tensors)
        if (why is None) != kernel:
            raise Wrong(f"{what}: {why or 'the kernel would run'}")
        got = call(*tensors) if answer is None else answer
        if not got.is_contiguous():
            raise Wrong(f"{what}: the answer is not contiguous")
        record["worst"] = max(record["worst"], same(torch, what, got, expected(torch, op, tensors)))
        record["calls"] += 1
        if kernel:
            record["ran"] = "kernel"

    for k, (lead, n) in enumerate(shapes_of(op)):
        for dtype in DTYPES if k < 2 else DTYPES[:1]:
            check(f"{lead + (n,)} {dtype}", draw(torch, op, lead, n, getattr(torch, dtype), device, seed=k))
    lead, n = shapes_of(op)[0]
    lead = (min(lead[0], 256),)
    tensors = draw(torch, op, lead, n, torch.float16, device, seed=7)
    for what, inputs in strided(torch, tensors, op):
        check(what, inputs)
    # Inside a compiled function, with something around it; the second shape is another one for the compiler, too.
    torch._dynamo.reset()  # its limit counts the ops before, too: they share this line
    compiled = torch.compile(lambda *t: call(*t) * 2, fullgraph=True)
    for lead2, n2 in ((lead, n), ((3,) + lead, n)):
        t = draw(torch, op, lead2, n2, torch.bfloat16, device, seed=8)
        check(f"compiled {lead2 + (n2,)}", t, answer=compiled(*t) / 2)
    if graphs:
        replayed = torch.compile(lambda *t: call(*t) * 2, fullgraph=True, mode="reduce-overhead")
        for seed in (9, 10, 11, 12):
            t = draw(torch, op, lead, n, torch.float16, device, seed=seed)
            check("CUDA graphs", t, answer=replayed(*t).clone() / 2)
        record["cuda_graphs"] = True
    # Gradients: the package's backward beside plain PyTorch.
    small = (max(1, min(lead[0], GRADIENT_MOST // n)),)
    a, b = (draw(torch, op, small, n, torch.float32, device, seed=13) for _ in range(2))
    for t in a + b:
        if t.is_floating_point():
            t.requires_grad_()
    answers = call(*a), op._by_reference(b)
    weight = torch.randn(answers[0].shape, generator=torch.Generator().manual_seed(14)).to(device)  # a mean of squares has no gradient after l2norm
    for answer in answers:
        (answer.float() * weight).sum().backward()
    for (input_name, _), ta, tb in zip(op.inputs.items(), a, b):
        if ta.is_floating_point() and (excess(torch, ta.grad, tb.grad) > 1 or not tb.grad.abs().max() > 0):
            raise Wrong(f"the gradient of {input_name} is not the reference's")
    # What the kernel was not judged on: the reference answers, or an error does.
    floats = [is_any_float(d) for d in op.inputs.values()]
    if any(floats):
        double = [t.double() if f else t for t, f in zip(tensors, floats)]
        check("float64", double, answer=call(*double).float(), kernel=False)
    else:
        raises(torch, "float64", TypeError, lambda: call(*[t.double() for t in tensors]))
    if sum(floats) > 1:
        check("mixed dtypes", [tensors[0].float()] + tensors[1:], kernel=False)
    empty = draw(torch, op, (0,), n, torch.float16, device)
    if call(*empty).shape[0] != 0:
        raise Wrong("an empty tensor has an answer")
    raises(torch, "no dimension", ValueError, lambda: call(*[t.reshape(-1)[0] for t in tensors]))
    if len(tensors) > 1 and tensors[1].dim():
        raises(torch, "another size", ValueError, lambda: call(tensors[0], torch.cat([tensors[1], tensors[1]], 0), *tensors[2:]))
    raises(torch, "integers", TypeError, lambda: call(tensors[0].int(), *tensors[1:]))
    if device.type == "cuda" and torch.cuda.device_count() > 1:
        with torch.cuda.device(0):
            last = torch.device("cuda", torch.cuda.device_count() - 1)
            check("another GPU", draw(torch, op, lead, n, torch.float16, last))
        record["guarded"] = True
    record["worst"] = round(record["worst"], 4)
    return record


# ---- workers: Triton's compiler is what takes the time

def work(package, device, first, todo, done):
    sys.path.insert(0, package)
    import torch

    import ouroboros_kernels as kernels

    torch.backends.cuda.matmul.allow_tf32 = False
    while True:
        try:
            name = todo.get_nowait()
        except queue.Empty:
            return
        start = time.monotonic()
        try:
            record = dict(try_op(torch, kernels, name, torch.device(device), graphs=first and device == "cuda"), ok=True)
        except Exception as e:
            record = {"op": name, "ok": False, "why": f"{type(e).__name__}: {e}"[:500]}
        first = False
        record["seconds"] = round(time.monotonic() - start, 2)
        done.put(record)


def installed(package, into):
    """By pip, without an index: its own requirements are met by what is here, and the folder builds offline."""
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", "--quiet"]
    for more in (["--dry-run", package], ["--no-deps", "--target", into, package]):
        run = subprocess.run(pip + more, capture_output=True, text=True)
        if run.returncode:
            return (run.stderr or run.stdout).strip()[-300:]
    return None


def main():
    import multiprocessing

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package")
    parser.add_argument("-o", dest="file")
    parser.add_argument("--ops")
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--workers", type=int, default=min(16, os.cpu_count() or 1))
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="cpu: the same with the reference alone")
    o = parser.parse_args()
    start = time.monotonic()
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    out = open(o.file, "a", encoding="utf-8") if o.file else None

    def say(record):
        line = json.dumps(record)
        print(line, flush=True)
        if out:
            out.write(line + "\n")
            out.flush()

    with tempfile.TemporaryDirectory() as tmp:
        os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(tmp, "triton"))
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(tmp, "inductor"))
        site = os.path.join(tmp, "site")
        failed = installed(o.package, site)
        package = os.path.abspath(o.package) if failed else site
        names = sorted(f[:-3] for f in os.listdir(os.path.join(package, "ouroboros_kernels", "ops")) if f.endswith(".py") and f[0] != "_")
        if o.ops:
            names = [n for n in names if n in o.ops.split(",")]
        context = multiprocessing.get_context("spawn")
        todo, done = context.Queue(), context.Queue()
        for n in names:
            todo.put(n)
        time.sleep(0.2)  # the queue is filled by a thread
        workers = [context.Process(target=work, args=(package, o.device, i == 0, todo, done), daemon=True) for i in range(min(o.workers, len(names)))]
        for w in workers:
            w.start()
        left, good, kernels = set(names), 0, 0
        while left and time.monotonic() - start < o.seconds:
            try:
                record = done.get(timeout=1)
            except queue.Empty:
                if not any(w.is_alive() for w in workers):
                    break
                continue
            left.discard(record["op"])
            good += record["ok"]
            kernels += record.get("ran") == "kernel"
            say(record)
        for w in workers:
            w.terminate()
        import torch

        say({"package": o.package, "ops": len(names), "ok": good, "kernel_ran": kernels, "not_reached": sorted(left), "pip": failed or "installed",
             "torch": torch.__version__, "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
             "seconds": round(time.monotonic() - start, 1)})
    return 0 if good == len(names) and not failed else 1


if __name__ == "__main__":
    script.run(main)
