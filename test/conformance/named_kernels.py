"""Judges kernels of packages on PyPI, unmodified, and writes a table of verdicts.

    pip download --no-deps -d DIR liger-kernel==0.8.5 unsloth==2026.10.9 fla-core==0.6.0 flag-gems==5.0.2
    (unpack each wheel into DIR)
    python3 test/conformance/named_kernels.py [--entries] build/ouroboros DIR [PART OF A NAME ...] > table.tsv

With --entries first, host functions are judged as they stand, by `--entry`: those of named_entries.tsv.
named_kernels.verdicts.tsv and named_entries.verdicts.tsv are what came out last. named_kernels.tsv beside this file lists the kernels, and was written before any was judged. Definitions (at most 15 lines
that are not empty) and manifests stand in named/; nothing of the packages does. DIR may hold the wheels' files in folders of
any name. A row is: package, version, file, kernel, verdict, seconds, and for a rejection what explains it: the smallest
failing case with the input, the value in float64 and what the kernel gave. Where the program ends before it has values, a
copy is judged as well, in a folder of its own, that is mended in one place: it says what the rest of the kernel computes.
- Undefined lanes reach a sum: masked loads without `other` get other=1.0, one of the values that Triton allows there, and
  the smallest failure of that copy is told; then other=0.0, which Triton's code for NVIDIA happens to give.
- `tl.float32(x)`, which Triton refuses: tl.full((), x, tl.float32).
The last line counts. Nothing is fetched.
"""
import ast
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
DECIDED = {"accepted", "rejected"}
CODE = {0: "accepted", 1: "rejected", 4: "undecided"}


def definition_lines(path):
    return sum(1 for line in path.read_text().split("\n") if line.strip())


def listed(table, names):
    for line in (HERE / table).read_text().split("\n"):
        if not line or line.startswith("#"):
            continue
        row = line.split("\t")
        if not names or any(n in row[0] + " " + row[2] + " " + row[3] for n in names):
            yield row


def file_of(folder, name):
    found = sorted(p for p in folder.rglob(pathlib.PurePath(name).name) if str(p).endswith("/" + name))
    return found[0] if found else None


def judged(file, definition, manifest, entry):
    op = HERE / "named" / definition if definition.endswith(".py") else definition
    if definition.endswith(".py") and definition_lines(op) > 15:
        sys.exit(f"{op}: more than 15 lines")
    how = ["--entry", entry] if manifest is None else ["--manifest", str(HERE / "named" / manifest)]
    return [str(file), "--op", str(op), *how, "--seed", "1"]


def smallest_failure(program, arguments):
    run = subprocess.run([program, "explain", *arguments, "--minimize"], capture_output=True, text=True)
    return re.sub(r"\s+", " ", run.stdout.partition("smallest failure: ")[2].partition("\n\n")[0])[:400]


def filled(source, value):
    """Masked loads that leave lanes undefined, with a value for these."""
    lines, ends = source.split("\n"), []
    for call in ast.walk(ast.parse(source)):
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "tl.load"):
            continue
        names = {k.arg for k in call.keywords}
        if (len(call.args) > 1 or "mask" in names) and len(call.args) < 3 and not names & {"other", "boundary_check"}:
            last = max([*call.args, *(k.value for k in call.keywords)], key=lambda n: (n.end_lineno, n.end_col_offset))
            ends.append((last.end_lineno, last.end_col_offset))
    for line, column in sorted(ends, reverse=True):
        text = lines[line - 1].encode()
        lines[line - 1] = (text[:column] + f", other={value}".encode() + text[column:]).decode()
    return "\n".join(lines)


def mended(program, arguments, source):
    """What is said of a copy of the file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / pathlib.Path(arguments[0]).name
        file.write_text(source)
        run = subprocess.run([program, "referee", str(file), *arguments[1:], "--json"], capture_output=True, text=True)
        verdict = json.loads(run.stdout)
        if verdict["status"] in ("incorrect", "inaccurate", "nan_class"):
            return smallest_failure(program, [str(file), *arguments[1:]]) or f"{verdict['status']}: {verdict['feedback'][:300]}"
        return "accepted" if run.returncode == 0 else f"{verdict['status']}: {verdict['feedback'][:200]}"


def reason(program, arguments, verdict):
    """Why it is rejected: the smallest failure, with its float64 value."""
    if verdict["status"] in ("incorrect", "inaccurate", "nan_class"):
        smallest = smallest_failure(program, arguments)
        if smallest:
            return smallest
    source, said = pathlib.Path(arguments[0]).read_text(), re.sub(r"\s+", " ", verdict["feedback"])[:400]
    if verdict["status"] == "uninit_read":
        one, zero = (mended(program, arguments, filled(source, value)) for value in ("1.0", "0.0"))
        return f"{said} If undefined lanes hold 1: {one}. If they hold 0: {zero}."
    if verdict["status"] == "compile_fail" and "'dtype' object is not callable" in said:
        copy = re.sub(r"tl\.float32\(((?:[^()]|\([^()]*\))*)\)", r"tl.full((), \1, tl.float32)", source)
        return f"{said} With tl.full in its place: {mended(program, arguments, copy)}."
    return said


def main():
    entries = sys.argv[1:2] == ["--entries"]
    if entries:
        del sys.argv[1]
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, folder, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    count = {}
    print("package\tversion\tfile\tkernel\tverdict\tseconds\treason", flush=True)
    for package, version, name, kernel, definition, *rest in listed("named_entries.tsv" if entries else "named_kernels.tsv", names):
        manifest = rest[0] if rest else None
        file = file_of(folder, name)
        if not file:
            sys.exit(f"{folder}: no {name} of {package} {version}")
        arguments = judged(file, definition, manifest, kernel)
        begin = time.monotonic()
        run = subprocess.run([program, "referee", *arguments, "--json"], capture_output=True, text=True)
        seconds = time.monotonic() - begin
        if run.returncode not in CODE or not run.stdout:
            sys.exit(f"{manifest or kernel}: {run.stderr.strip()}")
        verdict, word = json.loads(run.stdout), CODE[run.returncode]
        why = "" if word == "accepted" else reason(program, arguments, verdict)
        if word == "accepted" and verdict.get("rounding"):
            why = f"by the rounding {verdict['rounding']}"
        count[word] = count.get(word, 0) + 1
        status = word if word == "accepted" else f"{word} ({verdict['status']})"
        print(f"{package}\t{version}\t{name}\t{kernel}\t{status}\t{seconds:.1f}\t{why}", flush=True)
    total, decided = sum(count.values()), sum(count.get(w, 0) for w in DECIDED)
    print(f"# {total} kernels: " + ", ".join(f"{n} {w}" for w, n in sorted(count.items())) + f"; {decided / max(total, 1):.0%} decided")


main()
