"""Counts which kernels of a package's files are read here, unmodified: pulled out of their file by a manifest, with all
that they reach, and checked up to the launch.

    python3 test/conformance/read_kernels.py build/ouroboros DIR [GLOB]

DIR holds the files of an unpacked wheel; GLOB is **/*.py without one. Each @triton.jit function that no other of its
file calls is a kernel. Its manifest is made up: pointers get the op's input, sizes and strides 1, constants 16. So what
comes out is no verdict about the kernel. Not read is a file whose imports, helpers or decorators stop it (parse_reject,
unsupported), or a kernel that misses a name which its file has. Nothing is fetched.
"""
import ast
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ONE_LETTER = set("x y o q k v g h w dy dx do dq dk dv X Y W A B".split())


def kernels_of(tree):
    jit = [f for f in tree.body if isinstance(f, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in f.decorator_list)]
    called = {c.func.id for f in jit for c in ast.walk(f) if isinstance(c, ast.Call) and isinstance(c.func, ast.Name)}
    return [f for f in jit if f.name not in called]


def made_up_manifest(kernel):
    args, constexprs = [], {}
    for a in kernel.args.args:
        constant = a.annotation is not None and "constexpr" in ast.unparse(a.annotation)
        pointer = a.arg.endswith(("_ptr", "_ptrs")) or a.arg in ONE_LETTER
        value = 16 if constant else "x" if pointer else 1
        if constant or constexprs:
            constexprs[a.arg] = value
        else:
            args.append(value)
    for option in ("num_warps", "num_stages"):
        constexprs.pop(option, None)
    output = {"read_kernels_out": {"shape": "x.shape", "dtype": "x.dtype"}}
    return {"kernel": kernel.name, "outputs": output, "args": args, "constexprs": constexprs, "grid": [1]}


def reason_not_read(program, file, manifest):
    run = subprocess.run(
        [program, "referee", str(file), "--op", "relu2", "--manifest", manifest, "--level", "quick", "--shape", "3x16",
         "--dtype", "fp32", "--seed", "1", "--json"], capture_output=True, text=True)
    if not run.stdout:
        return "usage: " + run.stderr.split("\n")[0]
    verdict = json.loads(run.stdout)
    status, words = verdict["status"], verdict["feedback"].split(": ", 1)[-1]
    missing = status == "compile_fail" and any(w in words for w in ("NameError", "ImportError"))
    return f"{status}: {words[:110]}" if missing or status in ("parse_reject", "unsupported") else None


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, folder, pattern = sys.argv[1], pathlib.Path(sys.argv[2]), (sys.argv[3:] or ["**/*.py"])[0]
    stopped, kernels = collections.defaultdict(list), 0
    with tempfile.NamedTemporaryFile("w+", suffix=".json") as manifest:
        for file in sorted(folder.glob(pattern)):
            text = file.read_text(errors="replace")
            if "triton.jit" not in text:
                continue
            for kernel in kernels_of(ast.parse(text)):
                manifest.seek(0)
                manifest.truncate()
                json.dump(made_up_manifest(kernel), manifest)
                manifest.flush()
                kernels += 1
                why = reason_not_read(program, file, manifest.name)
                if why:
                    stopped[why].append(f"{file.name}:{kernel.name}")
    if not kernels:
        sys.exit(f"{folder}: no @triton.jit functions in {pattern}")
    print(f"{kernels} kernels, {kernels - sum(map(len, stopped.values()))} read")
    for why, names in sorted(stopped.items(), key=lambda s: -len(s[1])):
        print(f"{len(names):5} {why} ({names[0]})")


main()
