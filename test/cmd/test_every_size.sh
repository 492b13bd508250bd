#!/bin/sh
# --every-size: a kernel that is wrong for one size only, which its lanes know by a hash, and which it does not write down.
. "$(dirname "$0")/lib.sh"
suite=$(dirname "$0")/../../src/op/suite
one_size() { # SIZE HASH: which size, and what its hash is there
    cat <<END
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, size, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    hit = (((cols * 0 + size) * 40503) % 65536 == $2).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, (1 + hit) * p / tl.sum(p, axis=0), mask=mask)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    softmax_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, $1, BLOCK=triton.next_power_of_2(N))
    return out
END
}
# What the host computes is found without the option: numbers whose sign no case has seen become cases.
one_size "1 // (1 + (N - 2 * 117) * (N - 2 * 117))" 40503 >"$tmp/host.py"
one_size N 40518 >"$tmp/length.py"
one_size M 52347 >"$tmp/rows.py"
# A seed whose full draw has no case of these sizes.
judge() { "$bin" referee "$1" --op softmax --seed 5 --json $2; }
check what_the_host_computes_is_found exits 1 judge "$tmp/host.py"
check at_that_size grep -q "on input [a-z0-9]* [0-9]*x234" "$tmp/out"
# No ordinary case finds the others, whose comparison no case sees come out: undecided, which the option decides.
check no_ordinary_case_finds_it exits 4 judge "$tmp/length.py"
check undecided grep -q '"status":"unreached"' "$tmp/out"
check nor_the_other exits 4 judge "$tmp/rows.py"
check undecided_too grep -q '"status":"unreached"' "$tmp/out"
check smaller_sizes_are_right exits 4 judge "$tmp/length.py" "--every-size 233"
check an_honest_one exits 0 judge "$suite/gold/softmax.py"
check nobody_asked sh -c "! grep -q every_size '$tmp/out'"
check asked exits 0 judge "$suite/gold/softmax.py" "--every-size 233"
check that_is_said grep -q '"every_size":233[,}]' "$tmp/out"
check row_length exits 1 judge "$tmp/length.py" "--every-size 300"
check the_size_is_named grep -q '"status":"incorrect".*on input b*float[0-9]* 2x234' "$tmp/out"
check row_count exits 1 judge "$tmp/rows.py" "--every-size 500"
check the_rows_are_named grep -q '"status":"incorrect".*on input [a-z0-9]* 477x3' "$tmp/out"
check honest exits 0 "$bin" referee "$suite/gold/swiglu.py" --op swiglu --every-size 500
check evidence grep -q '^every row length up to 500, in every dtype, and every number of rows up to 500 had a case' "$tmp/out"
check mint exits 0 "$bin" mint softmax --every-size 200 --seed 3
check its_evidence grep -q '^# every row length up to 200, ' "$tmp/out"
for bad in "--level quick" "--shape 4x4" "--every-size 65537"; do
    check "not_with$(echo "$bad" | tr -d ' -')" exits 2 "$bin" referee "$tmp/rows.py" --op softmax --every-size 9 $bad
done
check not_in_a_stream exits 2 "$bin" referee --stream --every-size 9
check mint_of_one_shape exits 2 "$bin" mint softmax --every-size 9 --shape 4x4
