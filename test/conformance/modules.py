"""modules.py OUROBOROS [-o OUT.jsonl] FILE.py... - references in module form, evaluated here and by PyTorch.

Each file's inputs, weights, right answers and allowed errors come from `ouroboros ops FILE --values`, with the
file at the sizes that were used. That text is then run by PyTorch on the same inputs and weights:
  float64: |difference| <= 2^-44 e for every element, where 2 * 2^-24 * e is the allowed error;
  float32: the difference must lie within the allowed error. The ratio of the two medians says how loose the bound is.
Needs torch. A line for each file, and with -o one of JSON, without the folders above the last; ends with counts.
"""
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import torch

UNIT = 2.0 * 2.0**-24


def read(path):
    data = open(path, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + n])
    meta, out = header.pop("__metadata__"), {}
    for name, row in header.items():
        lo, hi = row["data_offsets"]
        piece = bytearray(data[8 + n + lo : 8 + n + hi])
        kind = {"F64": torch.float64, "I64": torch.int64, "U8": torch.uint8, "BOOL": torch.bool}[row["dtype"]]
        flat = torch.frombuffer(piece, dtype=kind) if piece else torch.empty(0, dtype=kind)
        out[name] = bytes(piece).decode() if name == "source" else flat.reshape(row["shape"])
    return meta, out


def run(meta, values, dtype):
    scope = {}
    exec(compile(values["source"], "module", "exec"), scope)
    torch.manual_seed(0)
    model = scope["Model"](*scope["get_init_inputs"]()).to(dtype)
    own = {k[len("state.") :]: v for k, v in values.items() if k.startswith("state.")}
    with torch.no_grad():
        state = model.state_dict()
        for name, v in own.items():
            state[name].copy_(v)
        missing = [k for k in state if k not in own and not k.endswith("num_batches_tracked")]
        if missing:
            raise ValueError("not evaluated: " + ", ".join(missing))
        args = []
        for i in range(int(meta["inputs"])):
            x = values.get("input.%d" % i)
            if x is None:
                x = eval(meta["input.%d" % i])
            args.append(x.to(dtype) if torch.is_tensor(x) and x.is_floating_point() else x)
        y = model(*args)
    return [t.detach().to(torch.float64) for t in (y if isinstance(y, (tuple, list)) else [y])]


def difference(v, y, unknown):
    same = (v == y) | (torch.isnan(v) & torch.isnan(y)) | unknown
    return torch.where(same, 0.0, torch.nan_to_num((v - y).abs(), nan=torch.inf))


def use(d, e):
    return torch.where(e > 0, d / e, torch.where(d > 0, torch.inf, 0.0)).max().item() if d.numel() else 0.0


def compare(meta, values):
    """How much of 2^-44 e float64 uses, how much of the bound float32 does, and how many times the float32 error
    (its median, and the largest) the median bound is."""
    exact, single = run(meta, values, torch.float64), run(meta, values, torch.float32)
    worst = share = typical = most = 0.0
    unjudged = 0
    for i, (y, z) in enumerate(zip(exact, single)):
        v, e = values["output.%d" % i].to(torch.float64), values["error.%d" % i].to(torch.float64)
        if v.shape != y.shape:
            raise ValueError("shape %s, PyTorch has %s" % (tuple(v.shape), tuple(y.shape)))
        unknown = torch.isinf(e)
        unjudged += int(unknown.sum())
        e = torch.where(unknown, 1.0, e)
        worst = max(worst, use(difference(v, y, unknown), 2.0**-44 * e / UNIT))
        f = difference(v, z, unknown)
        rounding = torch.nan_to_num((v - v.float().double()).abs(), nan=0.0)  # the last one is not in the bound
        share = max(share, use((f - rounding).clamp(min=0), e))
        judged = ~unknown & (e > 0)
        if judged.any() and f[judged].max() > 0:
            middle = f[judged].median().item()
            typical = max(typical, e[judged].median().item() / middle if middle else 0.0)
            most = max(most, e[judged].median().item() / f[judged].max().item())
    return worst, share, typical, most, unjudged


def row(out, **what):
    if out:
        out.write(json.dumps({k: float("%.3g" % v) if isinstance(v, float) else v for k, v in what.items()}) + "\n")


def main(ouroboros, files):
    lines = None
    if files[0] == "-o":
        lines, files = open(files[1], "w"), files[2:]
    good = bad = refused = 0
    ratios, largest = [], []
    for path in files:
        with tempfile.NamedTemporaryFile(suffix=".safetensors") as out:
            began = time.time()
            p = subprocess.run([ouroboros, "ops", path, "--values", out.name], capture_output=True, text=True)
            took = time.time() - began
            name = "/".join(path.split("/")[-2:])
            if p.returncode:
                refused += 1
                why = p.stderr.strip().split(": ", 1)[-1].replace(path, name)
                print("%s: refused: %s" % (name, why))
                row(lines, file=name, refused=why)
                if not os.path.getsize(out.name):  # its values may be there all the same
                    continue
            try:
                worst, share, typical, most, unjudged = compare(*read(out.name))
            except Exception as e:
                bad += 1
                print("%s: BAD %s: %s" % (name, type(e).__name__, str(e)[:300]))
                row(lines, file=name, error=str(e)[:300])
                continue
        fine = worst <= 1 and share <= 1
        good, bad = good + fine, bad + (not fine)
        if typical:
            ratios.append(typical)
        if most:
            largest.append(most)
        print(
            "%s: %s %.2f s, float64 %.2g of 2^-44 e, float32 %.2g of the bound; the median bound is %.3g times its median "
            "error, %.3g times its largest; %d unjudged"
            % (name, "ok" if fine else "BAD", took, worst, share, typical, most, unjudged)
        )
        if not p.returncode:
            row(
                lines,
                file=name,
                seconds=took,
                float64_of_2p44_e=worst,
                float32_of_bound=share,
                bound_over_median_error=typical,
                bound_over_largest_error=most,
                unjudged=unjudged,
            )
    for what, list_ in (("median", ratios), ("largest", largest)):
        if list_:
            print(
                "bound over the %s error of float32: median %.3g, largest %.3g"
                % (what, statistics.median(list_), max(list_))
            )
    print("refused: %d" % refused)
    print("%d passed, %d failed" % (good, bad))
    return bad > 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
