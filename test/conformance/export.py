"""The package that `ouroboros export` writes, held against PyTorch itself, without a GPU: the references run in the kernels' places.

    build/ouroboros export -o build/ouroboros-kernels
    python3 test/conformance/export.py build/ouroboros-kernels [OP ...]

`make conformance` does that for five ops. Needs PyTorch 2.4 or newer and pip; nothing is fetched. The package is installed by pip without an index first. For each op:
torch.library.opcheck (schema, registration of gradients, fake tensors, tracing with dynamic shapes), torch.compile with the backends
eager and aot_eager at static and dynamic shapes, gradients and gradients of gradients, strides, shapes, errors, torch.export. Where
Triton is there, its interpreter runs the kernels themselves on a CPU, behind the package's own checks. What a
check finds is tried as well: an op that returns its input, one whose fake has another shape, one whose kernel was changed.
Last line: N passed, N failed.
"""

import contextlib
import hashlib
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import export_gpu  # noqa: E402 - inputs from definitions, comparisons

counts = {"passed": 0, "failed": 0}


def check(name, call):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            call()
        counts["passed"] += 1
    except Exception as e:
        counts["failed"] += 1
        print(f"not ok {name}: {type(e).__name__}: {str(e)[:400]}", flush=True)


def expect(truth, what="it does not hold"):
    if not truth:
        raise AssertionError(what)


def fails(call):
    """The control: `call` has to find something."""
    try:
        call()
    except Exception:
        return
    raise AssertionError("nothing was found")


def try_op(torch, kernels, name):
    op, call = kernels.OPS[name], getattr(kernels, name)
    operator = getattr(torch.ops.ouroboros, name).default
    sizes = [((3,), 16), ((2, 3), 8), ((), 32)]

    def inputs(lead, n, dtype=torch.float32, grad=False, seed=0):
        t = export_gpu.draw(torch, op, lead, n, dtype, "cpu", seed)
        return [x.requires_grad_() if grad and x.is_floating_point() else x for x in t]

    for lead, n in sizes:
        check(f"{name} opcheck {lead + (n,)}", lambda: torch.library.opcheck(operator, inputs(lead, n, grad=True)))
    check(f"{name} opcheck float16", lambda: torch.library.opcheck(operator, inputs((3,), 16, torch.float16)))
    for backend in ("eager", "aot_eager"):
        for dynamic in (False, True):
            def compiled():
                torch._dynamo.reset()
                f = torch.compile(lambda *t: call(*t) + 1, fullgraph=True, backend=backend, dynamic=dynamic)
                for lead, n in (((4,), 16), ((6,), 16), ((2, 5), 32)):
                    t = inputs(lead, n, torch.float16)
                    expect(torch.equal(f(*t), call(*t) + 1), "another answer")
                t, plain = inputs((4,), 16, grad=True), inputs((4,), 16, grad=True)
                f(*t).pow(2).sum().backward()
                (op._by_reference(plain) + 1).pow(2).sum().backward()
                for a, b in zip(t, plain):
                    expect(not a.is_floating_point() or torch.allclose(a.grad, b.grad, rtol=1e-5, atol=1e-6), "another gradient")
            check(f"{name} compiled {backend} {'dynamic' if dynamic else 'static'}", compiled)

    def twice():  # float32 all the way: differences would be too coarse, so beside autograd itself
        t, plain = inputs((3,), 16, grad=True), inputs((3,), 16, grad=True)
        for f, x in ((call, t), (lambda *x: op._by_reference(x), plain)):
            floats = [i for i in x if i.is_floating_point()]
            first = torch.autograd.grad(f(*x).pow(3).sum(), floats, create_graph=True)
            sum(g.pow(2).sum() for g in first).backward()
        for a, b in zip(t, plain):
            expect(not a.is_floating_point() or torch.allclose(a.grad, b.grad, rtol=1e-4, atol=1e-4), "another second gradient")
    if all(export_gpu.is_any_float(d) or d["dtype"] != "float16" for d in op.inputs.values()):
        check(f"{name} gradients of gradients", twice)

    def laid_out():
        for what, t in export_gpu.strided(torch, inputs((4,), 16, torch.bfloat16), op):
            export_gpu.same(torch, what, call(*t), export_gpu.expected(torch, op, t))
    check(f"{name} strides", laid_out)

    def shapes():
        t = inputs((2, 3), 8)
        wanted = op._by_reference(t)
        expect(call(*t).shape == wanted.shape and call(*t).dtype == wanted.dtype)
        expect(call(*inputs((0,), 8)).numel() == 0)
        out = call(*t)
        expect(all(out.untyped_storage().data_ptr() != x.untyped_storage().data_ptr() for x in t), "memory of an input")
    check(f"{name} shapes", shapes)

    def errors():
        t = inputs((3,), 16)
        export_gpu.raises(torch, "a scalar", ValueError, lambda: call(*[x.reshape(-1)[0] for x in t]))
        export_gpu.raises(torch, "integers", TypeError, lambda: call(t[0].int(), *t[1:]))
        if len(t) > 1:
            export_gpu.raises(torch, "another size", ValueError, lambda: call(t[0], torch.cat([t[1], t[1]]), *t[2:]))
    check(f"{name} errors", errors)

    def exported():
        class Net(torch.nn.Module):
            def forward(self, *t):
                return call(*t)
        t = tuple(inputs((3,), 16))
        program = torch.export.export(Net(), t)
        expect(any(node.target is operator for node in program.graph.nodes), "the op is not in the graph")
        expect(torch.equal(program.module()(*t), call(*t)))
    check(f"{name} torch.export", exported)

    def kept():
        text = (pathlib.Path(kernels.__file__).parent / "kernels" / f"{name}.py").read_bytes()
        expect(hashlib.sha256(text).hexdigest() == op.evidence["source_sha256"], "not the file that was judged")
        compile(text, name, "exec")
    check(f"{name} is the file that was judged", kept)


def interpreted(names):
    """In a process of its own, with TRITON_INTERPRET=1: the package takes CPU tensors for those of a GPU."""
    import torch

    import ouroboros_kernels as kernels
    from ouroboros_kernels import _op

    _op.Op._why = lambda op, tensors, shapes: None if op._loaded() else op._missing
    torch.cuda.current_device = lambda: None  # the index of a CPU
    for name in names:
        op, call = kernels.OPS[name], getattr(kernels, name)

        def right():
            for lead, n in (((2, 3), 40), ((5,), 64), ((), 16)):
                for dtype in (torch.float16, torch.float32):
                    t = export_gpu.draw(torch, op, lead, n, dtype, "cpu", 3)
                    export_gpu.same(torch, f"{lead} {n} {dtype}", call(*t), export_gpu.expected(torch, op, t))
            for what, t in export_gpu.strided(torch, export_gpu.draw(torch, op, (4,), 16, torch.float16, "cpu"), op):
                export_gpu.same(torch, what, call(*t), export_gpu.expected(torch, op, t))
        check(f"{name} interpreted", right)
    print(f"{counts['passed']} {counts['failed']}")


def interpret(site, names):
    if not importlib.util.find_spec("triton"):
        print("no Triton here: its interpreter is passed over", file=sys.stderr)
        return
    run = subprocess.run([sys.executable, __file__, "--interpreted", *names], stdout=subprocess.PIPE, text=True,
                         env=dict(os.environ, TRITON_INTERPRET="1", PYTHONPATH=site))
    print("\n".join(run.stdout.splitlines()[:-1]))
    passed, failed = map(int, run.stdout.splitlines()[-1].split()) if run.returncode == 0 else (0, 1)
    counts["passed"] += passed
    counts["failed"] += failed


def controls(torch, kernels):
    from types import SimpleNamespace

    from ouroboros_kernels import _op

    rows = {"x": {"shape": ("M", "N")}}
    judged = {"longest_row": 64, "most_elements": 1 << 20, "contiguous": False}

    def made(name, reference):
        return _op.register(name, SimpleNamespace(inputs=rows, reference=reference), **judged)

    # What returns its input is given memory of its own by the package; opcheck says so of one that is not.
    alias = made("control_alias", lambda x: x)
    check("an answer that is the input is copied", lambda: torch.library.opcheck(alias, (torch.randn(3, 4),)))
    raw = torch.library.custom_op("ouroboros::control_raw", lambda x: x, mutates_args=(), schema="(Tensor x) -> Tensor")
    raw.register_fake(lambda x: torch.empty_like(x))
    check("control: opcheck finds an alias", lambda: fails(lambda: torch.library.opcheck(raw, (torch.randn(3, 4),))))
    lies = torch.library.custom_op("ouroboros::control_fake", lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor")
    lies.register_fake(lambda x: x.new_empty(x.shape[:-1]))
    check("control: opcheck finds a wrong fake", lambda: fails(lambda: torch.library.opcheck(lies, (torch.randn(3, 4),))))
    want = torch.rand(4, 8)
    check("control: a wrong answer is found", lambda: fails(lambda: export_gpu.same(torch, "", want + 1e-3, want)))
    check("control: a wrong shape is found", lambda: fails(lambda: export_gpu.same(torch, "", want[:2], want)))
    # Why the reference runs, of tensors that say they are on a GPU.
    op = _op.Op("control_why", SimpleNamespace(inputs=dict(rows, w={"shape": ("N",)}), reference=None), **judged)

    def said(shape, dtypes=(torch.float16, torch.float16), cuda="12.8", loaded=True, fixed=False):
        op.inputs["x"]["dtype"], op.inputs["w"]["dtype"] = ("int8", "float16") if fixed else ("float", "float")
        fakes = [SimpleNamespace(device=SimpleNamespace(type="cuda"), dtype=d) for d in dtypes]
        saved = torch.version.cuda, torch.cuda.get_device_capability, op._kernel
        try:
            torch.version.cuda, torch.cuda.get_device_capability = cuda, lambda d: (9, 0)
            op._kernel = (lambda *t: None) if loaded else None
            return op._why(fakes, [shape, shape[1:]])
        finally:
            torch.version.cuda, torch.cuda.get_device_capability, op._kernel = saved

    def reasons():
        expect(said((4, 64)) is None)
        expect("rows of up to 64" in said((4, 65)))
        expect("elements" in said((1 << 15, 64)))
        expect("empty" in said((0, 64)))
        expect(said((4, 64), (torch.int8, torch.float16), fixed=True) is None)
        expect("several" in said((4, 64), (torch.float16, torch.float32)))
        expect("float64" in said((4, 64), (torch.float64, torch.float64)))
        expect("NVIDIA" in said((4, 64), cuda=None))
        expect("imported" in said((4, 64), loaded=False))
    check("why the reference runs", reasons)


def main():
    if sys.argv[1] == "--interpreted":
        return interpreted(sys.argv[2:])
    folder = sys.argv[1]
    with tempfile.TemporaryDirectory() as tmp:
        failed = export_gpu.installed(folder, os.path.join(tmp, "site"))
        check("pip installs it without an index", lambda: expect(not failed, failed))
        site = folder if failed else os.path.join(tmp, "site")
        sys.path.insert(0, site)
        import torch

        import ouroboros_kernels as kernels

        controls(torch, kernels)
        names = sys.argv[2:] or sorted(n for n in kernels.OPS if not n.startswith("control"))
        interpret(site, names)
        for name in names:
            try_op(torch, kernels, name)
            print(f"{name}: {counts['passed']} passed, {counts['failed']} failed so far", file=sys.stderr, flush=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


sys.exit(main())
