"""Three forms of the eight ops whose times doc/h100.md tells, written by hand: nothing of them comes from the grammar or a model.

    forms.py DIR        writes DIR/FORM/OP.py, 24 kernels that `ouroboros referee --level full` accepts

| form | ops with rows | gelu, swiglu |
|---|---|---|
| rule | a row a program, 16 elements a thread (32 from 16,384 on), loads evicted first, stores `.cs` | flat tiles of 4,096, 16 warps |
| pair | two rows a program, 16 elements a thread, loads evicted first | flat tiles of 2,048, 4 warps |
| loop | 528 programs, each over many rows, the next row loaded before this one is computed | 1,056 programs, each over many tiles of 2,048 |
"""

import os
import sys

import script

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
GELU = "{0} * tl.sigmoid(1.5957691216057308 * ({0} + 0.044715 * {0} * {0} * {0}))"

# Of each op with rows: its inputs of a row, its inputs that rows share, what a masked lane holds, and the body of the kernel: from the rows
# in float32 to y, which is stored. {axis}: the axis that is reduced; {keep}: how a number a row meets its row again.
ROWS = {
    "softmax": (["x"], [], '-float("inf")', "    e = tl.exp(x - tl.max(x, {axis}){keep})\n    y = e / tl.sum(e, {axis}){keep}\n"),
    "log_softmax": (["x"], [], '-float("inf")',
                    "    c = x - tl.max(x, {axis}){keep}\n    y = c - tl.log(tl.sum(tl.exp(c), {axis})){keep}\n"),
    "rmsnorm": (["x"], ["w"], "0.0", "    rstd = tl.rsqrt(tl.sum(x * x, {axis}) / N + 1e-6){keep}\n    y = x * rstd * w\n"),
    "layernorm": (["x"], ["w", "b"], "0.0",
                  "    mean = (tl.sum(x, {axis}) / N){keep}\n    c = tl.where(mask, x - mean, 0.0)\n"
                  "    rstd = tl.rsqrt(tl.sum(c * c, {axis}) / N + 1e-5){keep}\n    y = c * rstd * w + b\n"),
    "add_rmsnorm_gelu": (["x", "residual"], ["w"], "0.0",
                         "    h = x + residual\n    rstd = tl.rsqrt(tl.sum(h * h, {axis}) / N + 1e-6){keep}\n    h = h * rstd * w\n"
                         "    y = " + GELU.format("h") + "\n"),
    "cross_entropy": (["x"], [], '-float("inf")',
                      "    top = tl.max(x, {axis})\n    sums = tl.sum(tl.exp(x - top{keep}), {axis})\n    y = top + tl.log(sums) - aim\n"),
}
FLAT = {"gelu": (["x"], GELU.format("x")), "swiglu": (["gate", "up"], "gate * tl.sigmoid(gate) * up")}


def load(name, where, fill, hint):
    return f"tl.load({where}, mask={'live' if name == 'aim' else 'mask'}, other={fill}{hint}).to(tl.float32)"


def rows_kernel(op, form):
    rows, shared, fill, body = ROWS[op]
    loss, two, loop = op == "cross_entropy", form == "pair", form == "loop"
    hint = "" if loop else ", eviction_policy='evict_first'"
    body = body.format(axis="axis=1" if two else "axis=0", keep="[:, None]" if two else "")
    strides = [n + "_stride" for n in rows] + ([] if loss else ["out_stride"])
    targets = ["target"] if loss else []
    parameters = [n + "_ptr" for n in rows + shared + targets + ["out"]] + strides + (["M"] if two or loop else []) + ["N", "BLOCK: tl.constexpr"]
    text = HEAD + f"def {op}_kernel({', '.join(parameters)}):\n"
    columns, row = ("cols[None, :]", "row[:, None]") if two else ("cols", "row")
    text += "    cols = tl.arange(0, BLOCK)\n"
    if two:
        text += "    row = tl.program_id(0).to(tl.int64) * 2 + tl.arange(0, 2)\n    live = row < M\n    mask = live[:, None] & (cols < N)[None, :]\n"
    elif loop:
        text += "    mask = cols < N\n    first = tl.program_id(0)\n"
    else:
        text += "    row = tl.program_id(0).to(tl.int64)\n    mask = cols < N\n"
    for n in shared:
        text += f"    {n} = tl.load({n}_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)" + ("[None, :]\n" if two else "\n")
    place = {n: f"{n}_ptr + {row} * {n}_stride + {columns}" for n in rows}
    aim = f"tl.load({rows[0]}_ptr + row * {rows[0]}_stride + tl.load(target_ptr + row{', mask=live, other=0' if two else ''})"
    aim = f"    aim = {aim}{', mask=live, other=0.0' if two else ''}).to(tl.float32)\n" if loss else ""
    to = "out_ptr + row" if loss else f"out_ptr + {row} * out_stride + {columns}"
    mask = (", mask=live" if two else "") if loss else ", mask=mask"
    store = f"    tl.store({to}, y{mask}{', cache_modifier=' + repr('.cs') if form == 'rule' else ''})\n"
    if not loop:
        text += "".join(f"    {n} = {load(n, place[n], fill, hint)}\n" for n in rows) + aim + body + store
    else:
        ahead = [f"    next_{n} = tl.load({n}_ptr + {{}}.to(tl.int64) * {n}_stride + cols, mask=mask{{}}, other={fill})\n" for n in rows]
        text += "".join(a.format("first", "") for a in ahead)
        text += "    for here in tl.range(first, M, tl.num_programs(0)):\n"
        inner = "".join(f"    {n} = next_{n}.to(tl.float32)\n" for n in rows)
        inner += "    after = here + tl.num_programs(0)\n" + "".join(a.format("after", " & (after < M)") for a in ahead)
        inner += "    row = here.to(tl.int64)\n" + aim + body + store
        text += "".join("    " + line + "\n" for line in inner.splitlines())
    a_thread = "512" if form != "rule" else "(1024 if N >= 16384 else 512)"
    warps = f"min({32 if two else 16}, max(1, {'2 * ' if two else ''}BLOCK // {a_thread}))"
    grid = {"rule": "M,", "pair": "triton.cdiv(M, 2),", "loop": "min(M, 528),"}[form]
    out = "torch.empty((M,), dtype=x.dtype, device=x.device)" if loss else "torch.empty_like(x)"
    arguments = rows + shared + targets + ["out"] + [n + ".stride(0)" for n in rows + ([] if loss else ["out"])]
    arguments += (["M"] if two or loop else []) + ["N", "BLOCK=BLOCK", f"num_warps={warps}"]
    return text + (f"\n\ndef run({', '.join(rows + shared + targets)}):\n    M, N = x.shape\n    out = {out}\n    BLOCK = triton.next_power_of_2(N)\n"
                   f"    {op}_kernel[({grid})]({', '.join(arguments)})\n    return out\n")


def flat_kernel(op, form):
    names, value = FLAT[op]
    block, warps = {"rule": (4096, 16), "pair": (2048, 4), "loop": (2048, 8)}[form]
    hint = "" if form == "loop" else ", eviction_policy='evict_first'"
    text = HEAD + f"def {op}_kernel({', '.join(n + '_ptr' for n in names + ['out'])}, n, BLOCK: tl.constexpr):\n"
    inner = "    index = tile.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)\n    mask = index < n\n"
    inner += "".join(f"    {n} = tl.load({n}_ptr + index, mask=mask, other=0.0{hint}).to(tl.float32)\n" for n in names)
    inner += f"    tl.store(out_ptr + index, {value}, mask=mask)\n"
    if form == "loop":
        text += "    for tile in tl.range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):\n"
        text += "".join("    " + line + "\n" for line in inner.splitlines())
    else:
        text += "    tile = tl.program_id(0)\n" + inner
    tiles = f"triton.cdiv(n, {block})"
    text += f"\n\ndef run({', '.join(names)}):\n    n = {names[0]}.numel()\n    out = torch.empty({names[0]}.shape, dtype={names[0]}.dtype, device={names[0]}.device)\n"
    text += "".join(f"    {n} = {n}.contiguous()\n" for n in names)
    grid = f"min(1056, {tiles})," if form == "loop" else f"{tiles},"
    return text + f"    {op}_kernel[({grid})]({', '.join(names)}, out, n, BLOCK={block}, num_warps={warps})\n    return out\n"


def main():
    for form in ("rule", "pair", "loop"):
        folder = os.path.join(sys.argv[1], form)
        os.makedirs(folder, exist_ok=True)
        for op in list(ROWS) + list(FLAT):
            with open(os.path.join(folder, op + ".py"), "w", encoding="utf-8") as f:
                f.write((rows_kernel if op in ROWS else flat_kernel)(op, form))


script.run(main, __doc__, 1)
