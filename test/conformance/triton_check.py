"""What Triton's own front-end says of kernels: JSON lines in, JSON lines out, one for each.

In: {"id", "source", "launch"}: the last jit function of the source, with arguments as test/tile/launch.h reads them;
or {"id", "source", "shape", "inputs": [[dtype, shape, stride]...]}: the file's run(), whose launches are compiled.
Out: {"id", "kind": ok or refused, "type", "messages": from the outermost to the innermost, "line"}.
"""
import importlib.util
import json
import os
import pathlib
import re
import sys
import tempfile

os.environ.pop("TRITON_INTERPRET", None)
base = "/dev/shm" if os.path.isdir("/dev/shm") else None
directory = tempfile.TemporaryDirectory(prefix="conformance", dir=base)
scratch = directory.name
os.environ["TRITON_CACHE_DIR"] = scratch + "/cache"

import frontend
import modelnew
import torch
import triton
import triton.language as tl

frontend.install()
DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "int1": "bool", "i1": "bool"}
DTYPES |= {"fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2"}
DTYPES |= {f"i{n}": f"int{n}" for n in (8, 16, 32, 64)} | {f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)}
PRELUDE = "import torch; import triton; import triton.language as tl; from triton.language.extra import libdevice; import math; "


def argument(word):
    if word[0] == "*":
        return torch.zeros(64, dtype=getattr(torch, DTYPES.get(word[1:], word[1:])))
    if word[0] == "(":
        return tuple(argument(w) for w in word[1:-1].split(",") if w)
    if word in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[word]
    if word.startswith("tl."):
        return getattr(tl, word[3:])
    if word[0] == "'":
        return word[1:-1]
    return float(word) if re.search(r"[.e]|inf", word) else int(word)


def arguments(line):
    plain, named = [], {}
    for word in line.split():
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            named[name] = argument(value)
        else:
            plain.append(argument(word))
    return plain, named


def load(task):
    path = pathlib.Path(scratch) / "program.py"
    source = task["source"]
    # The prelude shares the first line's place in the file, so that lines keep their numbers.
    first, _, rest = source.partition("\n")
    source = source if "import triton" in source else PRELUDE + (first if not first.startswith("@") else "\n" + first) + "\n" + rest
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(f"program_{task['id']}".replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    import linecache

    linecache.checkcache(str(path))
    spec.loader.exec_module(module)
    return module


def tensor(dtype, shape, stride):
    size = 1 + sum((n - 1) * s for n, s in zip(shape, stride))
    return torch.zeros(size, dtype=getattr(torch, dtype)).as_strided(shape, stride)


def launch(task):
    module = load(task)
    if "inputs" in task:
        modelnew.with_run(module).run(*[tensor(*i) for i in task["inputs"]])
        return
    kernels = [v for k, v in vars(module).items() if isinstance(v, triton.runtime.jit.KernelInterface) and f"def {k}(" in task["source"]]
    plain, named = arguments(task["launch"])
    kernels[-1][(1,)](*plain, **named)


def own_words(error):
    """A CompilationError without its excerpt of the source."""
    text = str(error)
    return text.split("^\n", 1)[1] if "^\n" in text else "" if text.startswith("at ") and text.rstrip().endswith("^") else text


def judge(task):
    try:
        launch(task)
        return {"id": task["id"], "kind": "ok"}
    except BaseException as error:
        out = {"id": task["id"], "kind": "refused", "type": type(error).__name__, "messages": [own_words(error)[:600]]}
        node = getattr(error, "node", None)
        out["line"] = getattr(node, "lineno", 0)
        cause = error.__cause__
        while cause is not None and len(out["messages"]) < 5:
            out["messages"].append(own_words(cause)[:600])
            out["cause"] = type(cause).__name__
            cause = cause.__cause__
        return out


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # programs print
    for line in sys.stdin:
        answers.write(json.dumps(judge(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
