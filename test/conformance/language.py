"""Random expression programs: small kernels over all operators, types and functions of the language.

Each is a file like a candidate's: `run(x, y, i, j)` takes 64 float32, 64 float32, 64 int32 and 64 int32 numbers and
returns one float64 tensor, a row for each statement: every intermediate value shows. The inputs are the same for all and stand in INPUTS (made here, from fixed numbers). What must come
out is not known here: Triton on a GPU, Triton's interpreter and our machine are asked, and compared.
"""
import random
import struct

N = 64
FLOATS = ["fp32", "fp16", "bf16"]
INTS = ["int32", "int64", "int16", "int8", "uint8", "uint32"]
TRITON = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"} | {t: t for t in INTS} | {"int1": "int1"}
# Exact in every implementation, given the same operands; the others are approximate and compared by ulp.
APPROXIMATE = ["tl.exp", "tl.log", "tl.sqrt", "tl.rsqrt", "tl.sin", "tl.cos", "tl.erf", "tl.exp2", "tl.log2", "tl.sigmoid"]


def f32(v):
    return struct.unpack("f", struct.pack("f", v))[0]


def inputs():
    r = random.Random(20)
    x = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 127.0, 128.0, -129.0, 255.0, 256.0, 65504.0, -70000.0, 1e-3, -1e-5]
    x += [r.gauss(0, 4) for _ in range(N - len(x))]
    y = [r.gauss(0, 2) for _ in range(N)]
    i = [0, 1, -1, 2, -2, 7, -7, 127, 128, -128, -129, 255, 256, 32767, -32768, 65535]
    i += [r.randint(-1000, 1000) for _ in range(N - len(i))]
    j = [r.choice([1, 2, 3, 5, 7, 11, 31, -1, -3, -8]) for _ in range(N)]
    return {"x": [f32(v) for v in x], "y": [f32(v) for v in y], "i": i, "j": j}


INPUTS = inputs()


class Writer:
    """Grows statements `tN = ...`; keeps the type of every value as Triton's rules give it, or None where unknown."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.body = []
        self.values = [("x", "fp32"), ("y", "fp32"), ("i", "int32"), ("j", "int32")]
        self.exact = True

    def let(self, text, kind):
        name = f"t{len(self.body)}"
        self.body.append(f"{name} = {text}")
        self.values.append((name, kind))

    def pick(self, wanted):
        fit = [v for v in self.values if v[1] in wanted]
        return self.r.choice(fit[-6:] if self.r.random() < 0.7 else fit) if fit else None

    def cast(self):
        v = self.pick(FLOATS + INTS + ["int1"])
        to = self.r.choice(FLOATS + INTS)
        if v[1] in FLOATS and to not in FLOATS:  # only what is defined: values that fit
            self.let(f"tl.minimum(tl.maximum({v[0]}.to(tl.float32), 0.0), 100.0).to(tl.{TRITON[to]})", to)
        else:
            self.let(f"{v[0]}.to(tl.{TRITON[to]})", to)

    def arithmetic(self):
        a, b = self.pick(FLOATS + INTS), self.pick(FLOATS + INTS)
        kind = promote(a[1], b[1])
        self.let(f"{a[0]} {self.r.choice('+-*')} {b[0]}", kind)

    def weak(self):
        a = self.pick(FLOATS + ["int32", "int64"])
        number = self.r.choice(["2", "3", "-1", "7"] if a[1] in INTS else ["2.0", "0.5", "-3", "1.25"])
        left = f"{a[0]} {self.r.choice('+-*')} {number}"
        right = f"{number} {self.r.choice('+-*')} {a[0]}"
        self.let(self.r.choice([left, right]), a[1])

    def divide(self):
        a = self.pick(["int32", "int64", "int16"])
        self.let(f"{a[0]} {self.r.choice(['//', '%'])} {self.r.choice(['3', '7', '16'])}", a[1])

    def bits(self):
        a, b = self.pick(["int32"]), self.pick(["int32"])
        form = self.r.choice(["{a} & {b}", "{a} | {b}", "{a} ^ {b}", "{a} >> 3", "{a} << 2", "~{a}", "{a} & 15"])
        self.let(form.format(a=a[0], b=b[0]), "int32")

    def compare(self):
        a, b = self.pick(FLOATS + ["int32"]), self.pick(FLOATS + ["int32"])
        self.let(f"{a[0]} {self.r.choice(['<', '<=', '>', '>=', '==', '!='])} {b[0]}", "int1")

    def choose(self):
        c, a, b = self.pick(["int1"]), self.pick(FLOATS + INTS), self.pick(FLOATS + INTS)
        if c:
            self.let(f"tl.where({c[0]}, {a[0]}, {b[0]})", promote(a[1], b[1]))

    def extremes(self):
        a, b = self.pick(FLOATS), self.pick(FLOATS)
        self.let(f"tl.{self.r.choice(['maximum', 'minimum'])}({a[0]}, {b[0]})", promote(a[1], b[1]))

    def round(self):
        a = self.pick(["fp32"])
        form = self.r.choice(["tl.floor({a})", "tl.ceil({a})", "tl.abs({a})", "-{a}", "tl.sqrt_rn(tl.abs({a}))"])
        self.let(form.format(a=a[0]), "fp32")

    def reduce(self):
        a = self.pick(FLOATS + INTS)
        if self.r.random() < 0.5:
            self.let(f"{a[0]} + 0 * {a[0]} + tl.{self.r.choice(['max', 'min'])}({a[0]}, axis=0)", None)
        else:
            b = self.pick(["int32", "int16", "int8", "int1"])
            self.let(f"tl.zeros([64], tl.int32) + tl.sum({b[0]}, axis=0)", None)

    def scan(self):
        b = self.pick(["int32"])
        self.let(f"tl.cumsum({b[0]} & 255, axis=0)", "int32")

    def shape(self):
        a = self.pick(FLOATS + INTS)
        forms = [
            "tl.reshape(tl.trans(tl.reshape({a}, (8, 8))), (64,))",
            "tl.reshape({a}.reshape(4, 16).trans(1, 0), (64,))",
            "tl.flip({a}, 0)",
        ]
        form = self.r.choice(forms)
        self.let(form.format(a=a[0]), a[1])

    def function(self):
        a = self.pick(["fp32"])
        self.exact = False
        guarded = f"tl.minimum(tl.maximum({a[0]}, -20.0), 20.0)"
        name = self.r.choice(APPROXIMATE)
        if name in ("tl.log", "tl.log2", "tl.sqrt", "tl.rsqrt"):
            guarded = f"(tl.abs({guarded}) + 0.125)"
        self.let(f"{name}({guarded})", "fp32")


def promote(a, b):
    """Section 6 of the facts on Triton: two tensors."""
    for t in ("fp64", "fp32", "fp16"):
        if t in (a, b):
            return t
    if a == b:
        return a
    if "bf16" in (a, b):
        return "fp32"
    if None in (a, b):
        return None
    if "int1" in (a, b):
        return b if a == "int1" else a
    width = {"int8": 8, "uint8": 8, "int16": 16, "int32": 32, "uint32": 32, "int64": 64}
    sign = {t: not t.startswith("u") for t in width}
    if sign[a] == sign[b]:
        return a if width[a] >= width[b] else b
    u, s = (b, a) if sign[a] else (a, b)
    return u if width[u] >= width[s] else s


EXACT = ["cast", "cast", "arithmetic", "arithmetic", "weak", "divide", "bits", "compare", "choose", "extremes", "round", "reduce", "scan", "shape"]


def program(seed):
    w = Writer(seed)
    if seed % 4 == 0:
        for _ in range(3):
            w.function()
    else:
        w.compare()
        for _ in range(w.r.randint(3, 9)):
            getattr(w, w.r.choice(EXACT))()
    stores = [f"tl.store(p_out + {64 * k} + o, {name})" for k, (name, _) in enumerate(w.values[4:])]
    body = "\n".join("    " + s for s in w.body + stores)
    return {
        "name": f"language_{seed}",
        "kind": "language",
        "op": "language",
        "exact": w.exact,
        "expect": "ok",
        "source": f"""import torch
import triton
import triton.language as tl


@triton.jit
def kernel(p_x, p_y, p_i, p_j, p_out):
    o = tl.arange(0, 64)
    x = tl.load(p_x + o)
    y = tl.load(p_y + o)
    i = tl.load(p_i + o)
    j = tl.load(p_j + o)
{body}


def run(x, y, i, j):
    out = torch.empty(({len(stores)}, 64), dtype=torch.float64, device=x.device)
    kernel[(1,)](x, y, i, j, out, enable_fp_fusion=False)
    return out
""",
    }


def programs(count):
    return [program(seed) for seed in range(count)]
