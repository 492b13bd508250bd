#!/bin/sh
# The kernels of experts' forms, and the script that times champions beside them, with the GPU of the tests.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$bin")
[ -d "$build/test" ] || build=$build/release
for f in bench/experts/*.py; do
    check "$(basename "$f" .py)" exits 0 "$bin" referee "$f" --op "$(sed -n 's/^# op: //p' "$f")" --level quick
done
check all_have_a_form sh -c '[ "$(grep -l "^# form: " bench/experts/*.py | wc -l)" = "$(ls bench/experts/*.py | wc -l)" ]'
# A copy with another expert, which is wrong, and a package of one file that is launched by a manifest.
mkdir -p "$tmp/bench/experts" "$tmp/liger/liger_kernel/ops"
cp bench/experts.py bench/script.py "$tmp/bench/" && cp bench/experts/softmax_row.py bench/experts/softmax_quack.py "$tmp/bench/experts/"
sed 's/^# form: .*/# form: wrong on purpose/; s/tl.sum(numerator, axis=0)/1.01/' bench/experts/softmax_row.py >"$tmp/bench/experts/softmax_wrong.py"
check differs grep -q '1\.01' "$tmp/bench/experts/softmax_wrong.py"
cat >"$tmp/liger/liger_kernel/ops/launched.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def gated(a, b, y, stride, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * stride + tl.arange(0, BLOCK)
    mask = tl.arange(0, BLOCK) < n
    g = tl.load(a + at, mask=mask, other=0.0).to(tl.float32)
    u = tl.load(b + at, mask=mask, other=0.0)
    tl.store(y + at, (g * tl.sigmoid(g)).to(u.dtype) * u, mask=mask)
PY
cat >"$tmp/bench/experts/liger.json" <<'JSON'
[{"op": "swiglu", "file": "liger_kernel/ops/launched.py", "layout": "contiguous", "extra_element": 1, "manifest": {"kernel": "gated",
  "values": {"N": "gate.shape[1]"}, "outputs": {"y": {"shape": "gate.shape", "dtype": "gate.dtype"}},
  "args": ["gate", "up", "y", "y.stride(0)", "N"], "constexprs": {"BLOCK": "triton.next_power_of_2(N)"}, "grid": ["gate.shape[0]"]}}]
JSON
cp champions/softmax.* champions/swiglu.* "$tmp/"
run() {
    env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python VM_GPU="memory=400000000 l2=40000 scale=60" \
        python3 "$tmp/bench/experts.py" "$@"
}
check runs exits 0 run "$bin" --champions "$tmp" --liger "$tmp/liger" -o "$tmp/experts.jsonl" --shapes 512x64 --search 0 --state "$tmp/state"
check two_cells grep -q '^2 cells beside the best expert of each: geometric mean [0-9.]*, ' "$tmp/out"
check everyone_beside grep -q '^| softmax | 512x64 | [0-9.]* | [a-z]* | [0-9.]* | [0-9.]* | [0-9.]* | [a-z]* [0-9.]* |$' "$tmp/out"
check by_the_rounding grep -q '^| swiglu | liger | 1 | [0-9.]* | +33.33 % | [0-9.]* | ok, contiguous inputs, by the rounding gate |' "$tmp/out"
check wrong_is_told grep -q '^| softmax | wrong | 0 |  | the same |  | incorrect: ' "$tmp/out"
check all_answers grep -q '^12 of 12 answers in ' "$tmp/err"
cp "$tmp/out" "$tmp/first"
check the_table_again exits 0 run --sum "$tmp/experts.jsonl"
check the_same_table cmp "$tmp/first" "$tmp/out"
# An op without a champion has nothing to be compared with; a package without the file is an error.
rm "$tmp/swiglu.py"
check no_champion exits 0 run "$bin" --champions "$tmp" --liger "$tmp/liger" -o "$tmp/again.jsonl" --shapes 512x64 --search 0 --state "$tmp/state"
check no_champion_told grep -q '^swiglu: no champion, so nothing to compare with' "$tmp/err"
rm "$tmp/liger/liger_kernel/ops/launched.py"
check no_file exits 1 run "$bin" --champions "$tmp" --liger "$tmp/liger" -o "$tmp/again.jsonl" --search 0
check no_file_told grep -q 'no liger_kernel/ops/launched.py below it' "$tmp/err"
# What the scripts of bench/ have in common: sentences in the place of tracebacks, and silence where nobody reads any more.
sentences() { # of every script that takes part, without arguments and with a wrong one
    for f in $(grep -l '^ *script\.run(' bench/*.py); do
        python3 -B "$f" --no-such 2>"$tmp/said" >&2 && return 1
        { grep -q Traceback "$tmp/said" || [ ! -s "$tmp/said" ]; } && { echo "# $f" >&2; return 1; }
    done
    return 0
}
check scripts_say_sentences sentences
check many_take_part sh -c "[ \$(grep -l '^ *script\.run(' bench/*.py | wc -l) -ge 13 ]"
check no_such_file exits 1 python3 -B bench/grid.py --sum "$tmp/none"
check no_such_file_told grep -qx "grid.py: $tmp/none: No such file or directory" "$tmp/err"
unread() { # SCRIPT OPTION : writes into a pipe that nobody reads
    python3 -B - "$@" <<'PY'
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
done = subprocess.run([sys.executable, *sys.argv[2:], "-B", "-c", "import sys; sys.path.insert(0, 'bench'); " + sys.argv[1]], stdout=w, stderr=subprocess.PIPE)
sys.exit(done.stderr != b"")
PY
}
for how in -B -u; do check "silent_where_nobody_reads$how" unread "import script; script.run(lambda: print('x'))" $how; done
unread "print('x')" && echo "not ok control_of_unread" || echo "ok control_of_unread"
