#!/usr/bin/env python3
"""What seedling learns from: names of chains, and definitions of made-up ops, written to a folder.

    seedling_ops.py OUROBOROS FOLDER [--chains 500] [--made 0] [--seed 1]

FOLDER/known.txt holds the ops that `ouroboros ops` lists; FOLDER/chains.txt chains of two and three epilogues;
FOLDER/made.txt paths of FOLDER/made/*.py. Nothing here has the norm, residual and epilogue of a held-out chain, or an
epilogue that is held out (src/op/suite/held_out.txt); listed ops that are held out stay in known.txt, so that the store
knows their structures and the export can leave these out of the training split.
"""
import argparse
import os
import re
import subprocess

import script

HELD_EPILOGUES = {"mish", "softsign"}
HELD_CHAINS = {("rmsnorm", "add", "silu"), ("rmsnorm", "-", "gelu"), ("layernorm", "add", "relu"),
               ("layernorm", "-", "gelu_erf"), ("rmsnorm", "add", "tanh"), ("rmsnorm", "-", "relu6"),
               ("layernorm", "-", "elu"), ("layernorm", "add", "sigmoid"), ("rmsnorm", "add", "square")}
EPILOGUES = ("gelu gelu_erf silu relu relu2 tanh sigmoid square abs hardsigmoid hardswish leaky_relu relu6 hardtanh "
             "elu selu softplus").split()


class Draw:
    """Numbers that are the same wherever this runs: a 64-bit linear congruential generator."""

    def __init__(self, seed):
        self.state = seed * 2862933555777941757 + 3037000493 & (1 << 64) - 1

    def below(self, n):
        self.state = self.state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        return (self.state >> 33) % n

    def of(self, items):
        return items[self.below(len(items))]

    def chance(self, percent):
        return self.below(100) < percent


def chain_names(draw, count):
    """Two thirds have two epilogues, the others three; none contains a held-out chain."""
    names = []
    while len(names) < count:
        norm, residual = draw.of(["rmsnorm", "layernorm"]), draw.of(["add", "-"])
        parts = [draw.of(EPILOGUES) for _ in range(3 if draw.chance(33) else 2)]
        if any((norm, residual, p) in HELD_CHAINS for p in parts):
            continue
        name = "_".join((["add"] if residual == "add" else []) + [norm] + parts)
        if name not in names:
            names.append(name)
    return names


# ---- made-up ops

DATA = "x y z h inp inputs hidden states a feats tokens".split()
SECOND = "residual skip r prev shortcut other res y2 identity".split()
GATE = "gate up g u v1 lhs rhs scores mod".split()
WEIGHT = "w weight scale gamma s k".split()
BIAS = "b bias beta shift offset".split()
CONSTANTS = ["0.1", "0.25", "0.3", "0.5", "0.7", "0.75", "1.25", "1.5", "1.702", "2.0", "3.0", "4.0", "6.0", "8.0", "10.0"]


def epilogue(draw):
    """A function of h: of torch's own, or of a few put together. The forms of what is held out are not among them:
    h * tanh(softplus(h)), and h over a constant plus its magnitude."""
    c, d = draw.of(CONSTANTS), draw.of(CONSTANTS)
    return draw.of([
        "torch.nn.functional.gelu(h, approximate=\"tanh\")", "torch.nn.functional.gelu(h)", "h * torch.sigmoid(h)",
        "torch.relu(h)", "torch.relu(h).square()", "torch.tanh(h)", "torch.sigmoid(h)", "h * h", "torch.abs(h)",
        "torch.clamp(h + 3, 0, 6) / 6", "h * (torch.clamp(h + 3, 0, 6) / 6)", "torch.clamp(h, 0, 6)",
        "torch.clamp(h, -1, 1)", "torch.nn.functional.elu(h)", "torch.nn.functional.selu(h)",
        "torch.nn.functional.softplus(h)",
        f"torch.where(h > 0, h, {draw.of(['0.01', '0.1', '0.2', '0.05'])} * h)", f"torch.clamp(h, -{c}, {d})",
        f"h * {c}", f"h + {c}", f"{c} - h", f"h * torch.sigmoid({c} * h)", f"{c} * torch.tanh(h / {c})",
        "torch.exp(-torch.abs(h))", "torch.log1p(torch.abs(h))", f"h / ({c} + h * h)",
        f"torch.sqrt(h * h + {c})", f"h * torch.rsqrt(h * h + {c})", "torch.exp(-(h * h))", "h * torch.relu(h)",
        f"torch.maximum(h, {c} * h)" if float(c) < 1 else f"torch.minimum(h, {c} * h)", "-h",
        "torch.tanh(torch.nn.functional.softplus(h))", "h * torch.tanh(h)", "h * torch.clamp(h, 0, 1)",
        f"torch.sigmoid({c} * h + {d})", f"{c} * torch.sigmoid(h) - {d}", "torch.exp(torch.clamp(h, -10, 10))",
        "1.0 / (1.0 + h * h)", f"torch.where(h > {c}, h, {d})", f"torch.abs(h) + {c}", "h * torch.abs(h)",
        "torch.relu(h) - torch.relu(-h) * 0.5",
    ])


def norm(draw, take, eps):
    """Lines that make h of h, and what they take besides."""
    weight = lambda: take(WEIGHT if draw.chance(30) else ["w"], "N", "weight")
    bias = lambda: take(BIAS if draw.chance(30) else ["b"], "N", "bias")
    kind = draw.of(["rms"] * 4 + ["layer"] * 4 + ["l2", "softmax", "log_softmax", "less_mean", "less_max", "over_max",
                                                   "spread", "mean_abs"])
    if kind == "rms":
        line = f"h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + {eps})"
        if draw.chance(75):
            line += f" * {weight()}.float()"
        if draw.chance(20):
            line += f" + {bias()}.float()"
        return [line]
    if kind == "layer":
        line = f"h = c * torch.rsqrt(c.pow(2).mean(-1, keepdim=True) + {eps})"
        if draw.chance(75):
            line += f" * {weight()}.float()"
        if draw.chance(70):
            line += f" + {bias()}.float()"
        return ["c = h - h.mean(-1, keepdim=True)", line]
    return [{"l2": f"h = h * torch.rsqrt(h.pow(2).sum(-1, keepdim=True) + {eps})",
             "softmax": "h = torch.softmax(h, dim=-1)", "log_softmax": "h = torch.log_softmax(h, dim=-1)",
             "less_mean": "h = h - h.mean(-1, keepdim=True)", "less_max": "h = h - h.amax(-1, keepdim=True)",
             "over_max": "h = h / (torch.abs(h).amax(-1, keepdim=True) + 1e-3)",
             "spread": "h = (h - h.amin(-1, keepdim=True)) / (h.amax(-1, keepdim=True) - h.amin(-1, keepdim=True) + 1e-3)",
             "mean_abs": "h = h / (torch.abs(h).mean(-1, keepdim=True) + 1e-3)"}[kind]]


def made_op(draw, number):
    inputs, lines, columns = {}, [], "N"

    def take(names, shape, role=None):
        name = next(n for n in [draw.of(names) for _ in range(8)] + [f"t{len(inputs)}"] if n not in inputs)
        inputs[name] = (shape, role)
        return name

    x = take(DATA if draw.chance(30) else ["x"], "MN")
    lines.append(f"h = {x}.float()")
    before = draw.below(100)
    if before < 35:
        lines[0] += f" + {take(SECOND if draw.chance(30) else ['residual'], 'MN')}.float()"
    elif before < 42:
        lines[0] += f" * {take(GATE, 'MN')}.float()"
    elif before < 50:
        lines[0] += f" + {take(BIAS, 'N', 'bias')}.float()"
    elif before < 58:
        lines[0] += f" * {draw.of(CONSTANTS)}"
    elif before < 64:
        lines.append(f"h = {epilogue(draw)}")
    rope = draw.chance(4)
    normed = draw.chance(70)
    if normed:
        lines += norm(draw, take, draw.of(["1e-6", "1e-5", "1e-6", "1e-5", "1e-3"]))
    if rope:
        columns = "D"
        cos, sin = take(["cos"], "MN", "unit"), take(["sin"], "MN", "unit")
        lines += ["half = h.shape[-1] // 2", "turned = torch.cat((-h[:, half:], h[:, :half]), dim=-1)",
                  f"h = h * {cos}.float() + turned * {sin}.float()"]
    for _ in range(draw.of([0, 1, 1, 2, 2, 3]) if normed or rope else draw.of([1, 2, 2, 3, 3])):
        lines.append(f"h = {epilogue(draw)}")
    after = draw.below(100)
    if after < 14:
        lines.append(f"h = h * {take(GATE, 'MN')}.float()")
    elif after < 22:
        lines.append(f"h = h + {take(SECOND, 'MN')}.float()")
    elif after < 28:
        lines.append(f"h = h * {take(WEIGHT, 'N', 'weight')}.float()")
    elif after < 33:
        lines.append(f"h = h + {take(BIAS, 'N', 'bias')}.float()")
    elif after < 37 and not rope:
        lines.append(f"h = h.{draw.of(['sum', 'mean', 'amax'])}(-1)")
    kinds = {"MN": '{"shape": ("M", "%s"), "scale": (1e-4, 64), "large": True}' % columns,
             "N": '{"shape": ("%s",), "scale": (1, 8), "role": "%s"}'}
    text = f'"""Made-up op {number}."""\ninputs = {{\n'
    for name, (shape, role) in inputs.items():
        value = kinds[shape] if role is None else kinds[shape] % (columns, role) if role != "unit" else \
            '{"shape": ("M", "%s"), "range": (-1, 1)}' % columns
        text += f'    "{name}": {value},\n'
    text += "}\n"
    if rope:
        text += 'dims = {"M": {"usual": 32768}, "D": {"multiple_of": 2, "min": 2, "usual": 128}}\n'
    body = "".join(f"    {line}\n" for line in lines)
    return text + f"\n\ndef reference({', '.join(inputs)}):\n{body}    return h.to({x}.dtype)\n"


HELD_LINES = {"silu": "h = h * torch.sigmoid(h)", "gelu": 'h = torch.nn.functional.gelu(h, approximate="tanh")',
              "relu": "h = torch.relu(h)", "gelu_erf": "h = torch.nn.functional.gelu(h)", "tanh": "h = torch.tanh(h)",
              "relu6": "h = torch.clamp(h, 0, 6)", "elu": "h = torch.nn.functional.elu(h)",
              "sigmoid": "h = torch.sigmoid(h)", "square": "h = h * h"}


def is_held_out(text):
    """Whether a made-up op holds a norm, what goes before it, and an epilogue that are held out together. The export
    leaves out equal structures; this leaves out what contains them, too."""
    lines = [line.strip() for line in text[text.index("def reference"):].splitlines()]
    residual = "add" if ".float() + " in lines[1] else "-"
    norm = "layernorm" if "c = h - h.mean(-1, keepdim=True)" in lines else \
        "rmsnorm" if any("h.pow(2).mean" in line for line in lines) else None
    return any(n == norm and r == residual and HELD_LINES[e] in lines for n, r, e in HELD_CHAINS)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("ouroboros")
    p.add_argument("folder")
    p.add_argument("--chains", type=int, default=500)
    p.add_argument("--made", type=int, default=0)
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    os.makedirs(f"{o.folder}/made", exist_ok=True)
    listed = subprocess.run([o.ouroboros, "ops"], check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in listed.splitlines() if re.match("[a-z0-9_]+ ", line)]
    draw = Draw(o.seed)
    texts = {"known": names, "chains": chain_names(draw, o.chains), "made": []}
    seen = set()
    while len(texts["made"]) < o.made:
        number = len(texts["made"])
        text = made_op(draw, number)
        body = text[text.index("def reference"):]
        if body in seen or is_held_out(text):
            continue
        seen.add(body)
        path = f"{o.folder}/made/made{number:04d}.py"
        with open(path, "w") as f:
            f.write(text)
        texts["made"].append(path)
    for name, lines in texts.items():
        with open(f"{o.folder}/{name}.txt", "w") as f:
            f.write("".join(line + "\n" for line in lines))


script.run(main)
