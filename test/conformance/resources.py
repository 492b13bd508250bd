"""Shared memory that loops around tl.dot need: our estimate beside what Triton 3.6 compiles for compute capability 9.0.

resources.py CHECK [PROGRAMS [SEED]]   CHECK: the program build/conform-check

Random loops, of which any may hold what keeps Triton from fetching ahead: conditions, barriers, loads that wait for
others, addresses that stay, loops of one iteration. No GPU is asked. It fails when an estimate is larger than what the
compiler takes, for then a kernel that fits might be refused; how many of those that do not fit were found is printed.
"""
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

scratch = tempfile.TemporaryDirectory(prefix="resources")
os.environ["TRITON_CACHE_DIR"] = scratch.name + "/cache"

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler import ASTSource, compiler

LIMIT = 232448
HEAD = """import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sam + rk[None, :]
    b = b_ptr + rk[:, None] * sbk + rn[None, :]
    outside = tl.load(a)
    acc = tl.zeros((BM, BN), tl.float32)
"""
TAIL = """    tl.store(c_ptr + rm[:, None] * scm + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))
"""
NAMES = ("a_ptr", "b_ptr", "c_ptr", "M", "N", "K", "sam", "sbk", "scm")


def load(r, pointer, steady):
    mask = r.choice(["", "", ", mask=rm[:, None] < M, other=0.0", ", mask=rk[None, :] < K - k, other=0.0"])
    if pointer == "b":
        mask = mask.replace("rm[:, None] < M", "rn[None, :] < N").replace("rk[None, :]", "rk[:, None]")
    at = {
        "a": ["a", "a + k", "a_ptr + rm[:, None] * sam + (rk[None, :] + k)", "a_ptr + (rm[:, None] % M) * sam + rk[None, :] + k"],
        "b": ["b", "b + k * sbk", "b_ptr + (rk[:, None] + k) * sbk + rn[None, :]", "b_ptr + rn[None, :] * sbk + (rk[:, None] + k)"],
    }[pointer]
    return f"tl.load({at[0] if steady else r.choice(at)}{mask})"


def operand(r, pointer):
    text = load(r, pointer, r.random() < 0.15)
    x = r.random()
    if x < 0.08 and pointer == "a":
        return "outside"
    if x < 0.16:
        return f"({text} * 2.0)"
    if x < 0.22:
        return f"{text}.to(tl.float16).to(tl.float32)"
    if x < 0.28:
        return f"tl.where(rk[{'None, :' if pointer == 'a' else ':, None'}] < K - k, {text}, 0.0)"
    if x < 0.32:
        return f"({text} + tl.load(c_ptr + k))"
    return text


def body(r, indent):
    precision = r.choice(["", "", ", input_precision='ieee'", ", input_precision='tf32x3'"])
    lines = [f"x = {operand(r, 'a')}", f"y = {operand(r, 'b')}", f"acc = tl.dot(x, y, acc{precision})"]
    if r.random() < 0.15:
        lines.append(f"acc += tl.dot(x, {operand(r, 'b')}{precision})")
    if r.random() < 0.1:
        lines.append(f"acc += tl.dot({operand(r, 'a')}, y{precision})")
    if r.random() < 0.08:
        lines = ["if k < M:"] + ["    " + line for line in lines]
    if r.random() < 0.05:
        lines = ["j = tl.load(c_ptr + k).to(tl.int32)", "a += j"] + lines
    extra = r.random()
    if extra < 0.04:
        lines.append("tl.debug_barrier()")
    elif extra < 0.08:
        lines.append("tl.device_print('k', k)")
    elif extra < 0.12:
        lines.append("tl.store(c_ptr + k, 1.0)")
    elif extra < 0.16:
        lines.append("acc += tl.sum(x)")
    elif extra < 0.20:
        lines.append("tl.atomic_add(c_ptr + k, 1.0)")
    step = r.random()
    if step < 0.7:
        lines.append("a += BK")
    if step < 0.5 or step > 0.9:
        lines.append("b += BK * sbk")
    return "".join(indent + line + "\n" for line in lines)


def loop(r):
    kind = r.random()
    if kind < 0.06:
        return "    k = 0\n    while k < K:\n" + body(r, "        ") + "        k += BK\n"
    if kind < 0.12:
        return "    for j in range(0, M):\n        for k in range(0, K, BK):\n" + body(r, "            ")
    if kind < 0.16:
        return "    for k in range(0, M):\n" + body(r, "        ") + "        for j in range(0, K, BK):\n            acc += j\n"
    over = r.choice(["0, K, BK"] * 6 + ["0, BK, BK", "0, 4 * BK, BK", "K, 1, -1", "0, tl.cdiv(K, BK)", "M"])
    stages = r.choice([", num_stages=1", ", num_stages=4", ", loop_unroll_factor=2"]) if r.random() < 0.15 else ""
    if stages and over == "M":
        over = "0, M"
    return f"    for k in {'tl.range' if stages else 'range'}({over}{stages}):\n" + body(r, "        ")


def program(r):
    text = HEAD + loop(r)
    if r.random() < 0.1:
        text += loop(r)
    size = [r.choice([16, 32, 64, 64, 128]) for _ in range(3)]
    options = {"num_stages": r.choice([1, 2, 3, 3, 4, 5]), "num_warps": r.choice([1, 2, 4, 4, 8, 16])}
    return text + TAIL, size, options, r.random() < 0.7


def stop_before_ptx():
    """Shared memory is laid out by then; registers, which ptxas takes minutes and gigabytes for, are not asked about."""
    whole = CUDABackend.add_stages

    def add_stages(backend, stages, options, language):
        whole(backend, stages, options, language)
        del stages["ptx"], stages["cubin"]

    def read(kernel, src, group, key):
        (path,) = (p for name, p in group.items() if name.endswith(".json"))
        kernel.shared = json.loads(pathlib.Path(path).read_text())["shared"]

    CUDABackend.add_stages = add_stages
    compiler.CompiledKernel.__init__ = read


def compiled(at, text, size, options, aligned):
    path = pathlib.Path(scratch.name) / f"program_{at}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    signature = {n: "*fp32" if n.endswith("_ptr") else "i32" for n in NAMES} | {n: "constexpr" for n in ("BM", "BN", "BK")}
    attrs = {(i,): [["tt.divisibility", 16]] for i in range(9 if aligned else 3)}
    source = ASTSource(module.product, signature=signature, constexprs=dict(zip(("BM", "BN", "BK"), size)), attrs=attrs)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options).shared


def main():
    count, seed = int(sys.argv[2]) if len(sys.argv) > 2 else 300, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    ours = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    r = random.Random(seed)
    stop_before_ptx()
    tally = {"compared": 0, "exact": 0, "counted": 0, "too large": 0, "not compiled": 0}
    beyond, found = 0, 0
    for at in range(count):
        text, size, options, aligned = program(r)
        launch = "*fp32 *fp32 *fp32 64 64 64 64 64 64 " + " ".join(map(str, size))
        launch += "".join(f" {k}={v}" for k, v in options.items())
        ours.stdin.write(json.dumps({"id": at, "source": text, "launch": launch}) + "\n")
        ours.stdin.flush()
        answer = json.loads(ours.stdout.readline())
        try:
            theirs = compiled(at, text, size, options, aligned)
        except Exception as e:
            tally["not compiled"] += 1
            if answer["kind"] == "ok":
                print(f"{at}: Triton does not compile it: {type(e).__name__} {str(e).splitlines()[-1][:100] if str(e) else ''}")
            continue
        if answer["kind"] != "ok" and "out of resource" not in answer["message"]:
            print(f"{at}: {answer}")
            continue
        need = answer["shared"]
        once = max(size[0], size[1]) * size[2] * 4
        tally["compared"] += 1
        tally["exact"] += need == theirs
        tally["counted"] += need > once
        beyond += theirs > LIMIT
        found += need > LIMIT and theirs > LIMIT
        if need > theirs:
            tally["too large"] += 1
            print(f"{at}: {need} bytes, Triton takes {theirs}; {size} {options}\n{text}")
    print(", ".join(f"{n} {what}" for what, n in tally.items()))
    print(f"{beyond} do not fit into {LIMIT} bytes, {found} of them by our estimate")
    sys.exit(tally["too large"] > 0 or tally["compared"] < count // 2)


main()
