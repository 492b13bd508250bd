"""Mistakes as language models make them, planted into right kernels; and right statements planted the same way.

A template is put behind a load of a kernel of the grammar smith. In it {v} is the loaded tile, {m} its mask, {o} the
columns, {p} the pointer, {n} a runtime integer, {B} a constexpr of the kernel. MISTAKES holds (weight, templates): weights
follow how often one-shot and reinforcement-learned kernels make each mistake (percent of kernels, mean of both).
"""
import random
import re

NAMES = ["tanh", "round", "pow", "mean", "norm", "random", "pi", "square", "relu", "matmul", "dot_product", "isnan", "log1p", "std", "var", "select", "concat"]
MISTAKES = {
    "unknown name": (24, [f"q = tl.{n}({{v}})" for n in NAMES] + ["q = tl.math.tanh({v})", "q = tl.grid(0)", "q = tl.grid_dim(0)", "q = tl.block_size", "q = tl.block_dim(0)", "q = tl.bitcast({v}, tl.int32)", "q = tl.transpose({v})", "q = {v} * tl.pi", "q = tl.math.pow({v}, 2.0)", "q = tl.thread_id(0)", "q = tl.float({v})", "q = tl.libdevice.tanh({v})", "q = tl.nn.softmax({v})", "q = tl.int"]),
    "index": (25, ["q = {v}[0]", "q = {p}[0]", "q = {p}[{n}]", "q = {v}[{n}]", "q = {p}[{o}]", "q = {v}[{o}]", "q = {v}[-1]", "q = {v}[0, 0]"]),
    "store by index": (22, ["{v}[0] = 0.0", "{p}[0] = 1.0", "{p}[{o}] = {v}", "{v}[0] += 1.0", "{p}[{n}] = {v}"]),
    "slice": (14, ["q = {v}[0:4]", "q = {v}[:4]", "q = {v}[0:4:2]", "q = {p}[0:16]", "q = {v}[:, 0]", "q = {v}[0, :]", "q = {v}[...]"]),
    "runtime arange": (10, ["q = tl.arange(0, {n})", "q = {n} + tl.arange(0, {n})", "q = tl.arange({n}, {n} + 16)"]),
    "arange of a local": (4, ["w = 64\n    q = tl.arange(0, w)", "w = {B} * 2\n    q = tl.arange(0, w)"]),
    "unknown keyword": (10.6, ["q = tl.load({p}, offset=0)", "q = tl.load({p}, stride=1)", "q = tl.load({p}, dtype=tl.float32)", "q = tl.softmax({v}, axis=0)", "q = tl.sum({v}, dim=0)", "q = tl.max({v}, axis=0, keepdim=True)", "q = tl.sum({v}, axis=0, keepdims=True)", "q = tl.exp({v}, fast=True)", "q = tl.zeros([16], tl.float32, device=0)", "q = tl.arange(0, 16, dtype=tl.int32)"]),
    "power": (2.7, ["q = {v} ** 2", "q = {v} ** 0.5", "q = 2 ** {v}", "q = {v} ** {v}"]),
    "unknown method": (7.5, ["q = {v}.stride(0)", "q = {v}.size(0)", "q = {v}.transpose(0, 1)", "q = {v}.astype(tl.float32)", "q = {v}.unsqueeze(0)", "q = {v}.float()", "q = {v}.mean()", "q = {v}.clone()", "q = {v}.item()", "q = {p}.stride(0)", "q = {v}.view({n})"]),
    "argument count": (5, ["q = tl.arange(16)", "q = tl.program_id()", "q = tl.num_programs()", "q = tl.arange(0)", "q = tl.exp()", "q = tl.where({m})", "q = tl.maximum({v})", "q = tl.zeros()", "q = tl.full([16], 0.0)", "q = tl.exp({v}, {v}, {v})", "tl.store({p})", "q = tl.rand(0)"]),
    "plain global": (4, ["q = {v} * PLAIN", "q = tl.arange(0, PLAIN)", "q = {v} + PLAIN * 2"]),
    "host API": (10.6, ["q = triton.load({p})", "q = triton.program_id(0)", "q = triton.exp({v})", "q = torch.exp({v})", "q = torch.zeros(16)", "q = torch.sum({v})", "q = {v}.to(torch.float32)", "q = triton.language.sigmoidx({v})", "q = triton.next_power_of_2({n})"]),
    "chained comparison": (0.7, ["q = 0 < {o} < {n}", "q = 0 <= {n} <= 5"]),
    "statement": (2.5, ["for k in range(4):\n        break", "for k in range(4):\n        continue", "q = lambda a: a", "raise ValueError", "q = {{1: 2}}", "del {v}", "def inner(a):\n        return a\n    q = inner({v})", "q = {{1, 2}}", "global G", "q = [a for a in range(3)]", "try:\n        q = 1\n    except Exception:\n        q = 2", "import math", "q = yield {v}"]),
    "operator": (1, ["q = {v} @ {v}", "q = 1 in (1, 2)", "q = 1 not in (1, 2)"]),
    "return in a loop": (0.5, ["for k in range({n}):\n        return"]),
    "builtin": (2.2, ["q = sum({v})", "q = abs({v}) + zip({v})", "q = sorted({v})", "q = tuple({v})", "q = enumerate({v})", "q = pow({v}, 2)", "q = round({v})", "q = helper({v})", "q = any({v})", "q = str({n})"]),
    "loop type": (4, ["t = 0\n    for k in range({n}):\n        t += 0.5", "t = tl.zeros([16], tl.float32)\n    for k in range({n}):\n        t = tl.sum(t, axis=0)", "t = 0.0\n    for k in range({n}):\n        t = tl.zeros([16], tl.float32)", "t = 0\n    for k in range({n}):\n        t = t + {v}", "t = tl.zeros([16], tl.float16)\n    for k in range({n}):\n        t = t + tl.zeros([16], tl.float32)", "t = 1\n    while t < {n}:\n        t = t * 2.0"]),
    "half precision function": (3, ["q = tl.exp({v}.to(tl.float16))", "q = tl.sqrt({o})", "q = tl.log({v}.to(tl.bfloat16))", "q = tl.sigmoid({v}.to(tl.float16))", "q = tl.sin({n})", "q = tl.erf({o})", "q = tl.rsqrt({v}.to(tl.bfloat16))", "q = tl.floor({o})"]),
    "sizes": (3, ["q = tl.arange(0, 100)", "q = tl.zeros([3], tl.float32)", "q = tl.full([4, 3], 0, tl.int32)", "q = tl.arange(0, 4194304)", "q = tl.zeros([2048, 2048], tl.float32)", "q = tl.arange(8, 8)", "q = tl.arange(16, 0)", "q = tl.zeros([{n}], tl.float32)", "q = tl.zeros([0], tl.float32)", "q = tl.arange(1, 4)"]),
    "shapes": (4, ["q = tl.arange(0, 16) + tl.arange(0, 32)", "q = tl.zeros([4, 8], tl.float32) + tl.zeros([8, 4], tl.float32)", "q = tl.where(tl.arange(0, 16) < 3, tl.arange(0, 8), 0)", "q = tl.reshape(tl.arange(0, 16), [4, 8])", "q = tl.broadcast_to(tl.arange(0, 16), [32])", "q = tl.arange(0, 16)[:, None] + tl.zeros([4, 16, 8], tl.float32)", "q = tl.trans(tl.arange(0, 16), 1, 0)", "q = tl.sum({v}, axis=7)", "q = tl.expand_dims({v}, 9)", "q = tl.join(tl.arange(0, 4), tl.arange(0, 8))"]),
    "load": (2, ["q = tl.load({p}, other=0.0)", "q = tl.load({p} + {o}, mask={m}, other={v}, bogus=1)", "q = tl.load({v})", "q = tl.load({n})", "q = tl.load({p}, mask={m}, other=0.0)"]),
    "store": (2, ["tl.store({p}, tl.arange(0, 16))", "tl.store({n}, 1.0)", "tl.store({p} + tl.arange(0, 16), tl.zeros([16, 16], tl.float32))", "tl.store({p} + tl.arange(0, 16), tl.arange(0, 8))", "tl.store({v}, {v})"]),
    "dot": (2, ["q = tl.dot({v}, tl.zeros([4], tl.float32))", "q = tl.dot(tl.zeros([16, 16], tl.float32), tl.zeros([16, 16], tl.float16))", "q = tl.dot(tl.zeros([16, 8], tl.float16), tl.zeros([8, 16], tl.float16))", "q = tl.dot(tl.zeros([16, 16], tl.float16), tl.zeros([32, 16], tl.float16))", "q = tl.dot(tl.zeros([16, 16], tl.float16), tl.zeros([16, 16], tl.float16), trans_b=True)", "q = tl.dot(tl.zeros([16, 16], tl.int32), tl.zeros([16, 16], tl.int32))"]),
    "branch on a tile": (2, ["if {v} > 0.0:\n        q = 1.0", "while {v} > 0.0:\n        q = 1.0", "q = {v} if {m} else 0.0", "if {m}:\n        q = 2.0"]),
    "arms": (2, ["q = 0\n    if {n} > 5:\n        q = 1.5", "q = 1 if {n} > 5 else 2.5", "q = 0.0\n    if {n} > 5:\n        q = tl.zeros([16], tl.float32)", "if {n} > 5:\n        r = 1.0\n    q = r + 1.0"]),
    "undefined": (3, ["q = {v} + undefined_name", "q = accumulator * 2", "for k in range({n}):\n        r = k\n    q = r + 1"]),
    "loop bounds": (1, ["for k in range(0.5):\n        q = 1", "for k in range(0, {n}, 0.5):\n        q = k", "for k in {v}:\n        q = k", "for k in (1, 2, 3):\n        q = k", "for a, b in ((1, 2), (3, 4)):\n        q = a"]),
    "pointers": (2, ["q = {p} + {p}", "q = {p} * 2", "q = {p} + 1.5", "q = {p} + {v}", "q = {p} & 1", "q = -{p}", "q = {p} / 2", "q = {p} < {p}", "q = ~{v}", "q = {v} & {v}", "q = {v} << 1", "q = not {v}", "q = {v} and {m}", "q = {v} or 1"]),
    "signs": (1, ["q = {o} // {o}.to(tl.uint32)", "q = {o} % {o}.to(tl.uint64)", "q = {o}.to(tl.uint32) / {o}", "q = {v} // {v}", "q = {v} // 2.0"]),
    "atomics": (1, ["tl.atomic_max({p} + {o}, {v}.to(tl.float16), mask={m})", "tl.atomic_add({o}, 1)", "tl.atomic_and({p} + {o}, {v})", "tl.atomic_cas({p}, 0, 1, mask=True)", "tl.atomic_add({p} + {o}, {v}, sem=\"strong\")", "tl.atomic_add({p} + {o}, {v}, scope=\"all\")"]),
    "casts": (2, ["q = {v}.to(float32)", "q = {v}.to(\"float32\")", "q = {v}.to(tl.int4)", "q = {v}.to(tl.float32, bitcast=1, x=2)", "q = tl.cast({v})", "q = {v}.to()", "q = {v}.to(tl.int16, bitcast=True)", "q = {v}.to(tl.float64).to(tl.int8, bitcast=True)", "q = {n}.astype(tl.int32)", "q = {v}.to(int)", "q = {v}.to(float)"]),
    "reductions": (2, ["q = tl.sum({v}, axis=\"0\")", "q = tl.max({v}, {v})", "q = tl.reduce({v}, 0, max)", "q = tl.reduce({v}, 0)", "q = tl.argmax({v})", "q = tl.cumsum({v}, axis=5)", "q = tl.sum({n})", "q = tl.max(3.0, axis=0)", "q = tl.sort({n})", "q = tl.sum()", "a, b = tl.max({v}, axis=0)", "a, b, c = tl.sum({v}, axis=0), 1"]),
    "static": (1, ["tl.static_assert({n} > 3)", "tl.static_assert(1 > 3, \"three\")", "tl.static_print({n})", "q: tl.constexpr = {n}", "q: tl.constexpr = {v}", "assert {n} > 0", "q = a = 1", "(q, w), r = (1, 2), 3", "{B} = 3", "q, w = {v}", "q, w = 1, 2, 3"]),
}
RIGHT = [
    "q = {v} * 2.0 + 1", "q = tl.maximum({v}, 0.0)", "q = tl.where({m}, {v}, 0.0)", "q = {v}.to(tl.float16).to(tl.float32)", "q = tl.exp(tl.minimum({v}, 0.0))",
    "q = {n} // 3 + {n} % 7", "q = tl.sum({v}.to(tl.float32))", "q = tl.max(tl.abs({v}))", "q = -{v}", "q = {v} if {n} > 0 else {v}", "q = tl.cdiv({n}, 16)",
    "q = {o} < {n}\n    q &= {m}", "if {n} > 4:\n        q = 1\n    else:\n        q = 2\n    r = q + 1", "for k in range(0, {n}, 16):\n        pass", "q = 0\n    for k in range({n}):\n        q += k",
    "q = 1.0\n    while q < 100.0:\n        q *= 2.0", "w: tl.constexpr = 32\n    q = tl.arange(0, w)", "q = tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4)[None, :]",
    "q = tl.zeros((4, 8), dtype=tl.float32)\n    r = tl.sum(q, axis=1)", "q = tl.full([16], 7, tl.int8)", "q = tl.reshape(tl.arange(0, 16), (4, 4))", "q = tl.trans(tl.reshape(tl.arange(0, 16), (2, 8)))",
    "q, r = 1, 2.5", "q = (1, {n}, {v})\n    r = q[1]", "q = tl.sigmoid({v}.to(tl.float32))", "q = tl.sqrt(tl.abs({v}.to(tl.float32)))", "q = tl.math.exp2({v}.to(tl.float32))", "q = 3 ** 2",
    "q = not ({n} > 3)", "q = ({n} > 3) and ({n} < 9)", "q = ({n} > 3) or True", "q = min({n}, 4)", "q = max({v}, 0.0)", "q = abs({v})", "q = float(\"inf\")", "q = len((1, 2, 3))",
    "tl.static_assert(2 > 1)", "tl.static_print(\"x\")", "q = tl.cumsum(tl.arange(0, 16), axis=0)", "q = tl.argmax(tl.arange(0, 16), axis=0)", "q = {v}.dtype\n    r = tl.zeros([4], q)", "q = {p}.dtype.element_ty\n    r = tl.zeros([4], q)",
    "q = {v}.shape[0]", "q = {o} & 7 | 3 ^ 1", "q = {o} >> 2 << 1", "q = ~{o}", "q = {o}.to(tl.int64) * {n}", "q = {v} / 3", "q = {o} / 3", "q = {n} / 2", "q = 1 / {v}", "q = {o} % 3", "q = {v} % 2.0",
    "q = {v} > 0.5\n    r = q.to(tl.int32)", "q = {v} == {v}", "q = {v} != 0", "q = tl.dot(tl.zeros([16, 16], tl.float16), tl.zeros([16, 16], tl.float16))", "q = tl.fma({v}.to(tl.float32), 2.0, 1.0)", "q = tl.clamp({v}.to(tl.float32), -1.0, 1.0)",
    "q = tl.load({p})", "q = tl.load({p} + 0, mask=True, other=0.0)", "q = tl.load({p} + tl.arange(0, 16))", "q = tl.num_programs(0)", "q = tl.program_id(axis=0)", "q = tl.multiple_of({o}, 16)", "tl.device_assert({n} > 0)",
    "q = {v}.to(tl.float32).to(tl.int32, bitcast=True)", "q = tl.cast({v}, tl.bfloat16)", "q = tl.split(tl.zeros([4, 2], tl.float32))", "q = tl.join(tl.arange(0, 4), tl.arange(0, 4))", "q = tl.interleave(tl.arange(0, 4), tl.arange(0, 4))",
    "q = tl.flip(tl.arange(0, 8), 0)", "q = tl.sort(tl.arange(0, 8))", "q = tl.rand(3, tl.arange(0, 16))", "q = tl.histogram(tl.arange(0, 16), 16)", "q = tl.gather(tl.arange(0, 16), tl.arange(0, 16), axis=0)", "q = tl.xor_sum(tl.arange(0, 16), axis=0)",
    "q, r = tl.max({v}, axis=0, return_indices=True)", "q = tl.sum({v}, axis=0, keep_dims=True)", "for k in tl.range(0, {n}, 8, num_stages=2):\n        q = k", "for k in tl.static_range(3):\n        q = k", "q = tl.broadcast_to({n}, [16])", "q = tl.expand_dims(tl.arange(0, 16), 0)",
    "q = tl.umulhi({o}, {o})", "q = tl.ravel(tl.zeros([4, 4], tl.int32))", "q = tl.floor({v}.to(tl.float32)) + tl.ceil({v}.to(tl.float32))", "q = {v}.sum()", "q = {v}.to(tl.float32).exp()", "q = {o}.max(0)", "q = tl.zeros_like({v})", "q = tl.softmax(tl.zeros([16], tl.float32))",
]


def places(source):
    """Where a template fits: (end of the line, indentation, names)."""
    params = re.search(r"@triton\.jit\ndef \w+\((.*?)\):", source, re.S)
    offs = re.search(r"^\s+(\w+) = .*tl\.arange\(", source, re.M)
    if not params or not offs:
        return
    plain = [p.strip() for p in params.group(1).split(",") if ":" not in p]
    const = [p.split(":")[0].strip() for p in params.group(1).split(",") if "constexpr" in p]
    for load in re.finditer(r"^([ ]+)(\w+) = tl\.load\((?:\w+).*mask=(\w+).*$", source, re.M):
        if load.group(0).count("(") == load.group(0).count(")"):
            yield load.end(), load.group(1), {"v": load.group(2), "m": load.group(3), "o": offs.group(1), "p": plain[0], "n": plain[-1], "B": const[0] if const else "16"}


def plant(source, template, r):
    spots = list(places(source))
    if not spots:
        return None
    end, indent, names = r.choice(spots)
    lines = template.format(**names).split("\n    ")
    text = "".join(f"\n{indent}{line}" for line in lines)
    out = source[:end] + text + source[end:]
    if "PLAIN" in template:
        out = out.replace("\n\n\n@triton.jit", "\n\nPLAIN = 64\n\n\n@triton.jit", 1)
    if "helper(" in template:
        out = out.replace("\n\n\n@triton.jit", "\n\n\ndef helper(a):\n    return a\n\n\n@triton.jit", 1)
    return out


def wrong(sources, count, seed):
    """(kind of mistake, template, base, source) in the proportions of MISTAKES."""
    r = random.Random(seed)
    kinds, weights = list(MISTAKES), [MISTAKES[k][0] for k in MISTAKES]
    while count:
        kind, base = r.choices(kinds, weights)[0], r.choice(sources)
        template = r.choice(MISTAKES[kind][1])
        text = plant(base["source"], template, r)
        if text:
            count -= 1
            yield kind, template, base, text


def right(sources, count, seed):
    r = random.Random(seed)
    while count:
        base, template = r.choice(sources), r.choice(RIGHT)
        text = plant(base["source"], template, r)
        if text:
            count -= 1
            yield "right", template, base, text
