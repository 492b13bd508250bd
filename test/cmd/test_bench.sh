#!/bin/sh
# bench: what it says without a GPU, and with the GPU of the tests (test/gpu/libcuda.c), where a stand-in compiles.
. "$(dirname "$0")/lib.sh"
gold=src/op/suite/gold/relu2.py
no_gpu() { env OUROBOROS_LIBCUDA=/nowhere/libcuda.so "$bin" bench "$@"; }
check without_a_gpu exits 3 no_gpu $gold --op relu2
check says_so_in_one_line sh -c "[ \$(wc -l <'$tmp/err') = 1 ] && grep -q '^ouroboros bench: no NVIDIA driver here' '$tmp/err'"
check without_a_gpu_json exits 3 no_gpu $gold --op relu2 --json
check json_error grep -q '^{"error":{"kind":"io"' "$tmp/out"
check needs_an_op exits 2 no_gpu $gold
check no_such_grid exits 2 no_gpu $gold --op relu2 --grid mine
check no_such_dtype exits 2 no_gpu $gold --op relu2 --dtype int8
check grid_or_shape exits 2 no_gpu $gold --op relu2 --grid six --shape 4x4
check too_many_rounds exits 2 no_gpu $gold --op relu2 --rounds 65

build=$(dirname "$bin")
[ -d "$build/test" ] || build=$build/release
timed() { # STEER ARGUMENTS...
    steer=$1
    shift
    env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python \
        VM_GPU="memory=400000000 l2=40000 scale=60 $steer" "$bin" bench "$@"
}
check times exits 0 timed "" $gold --op relu2 --shape 512x64 --shape 16x16 --alone --json
check schema python3 "$(dirname "$0")/schema.py" bench "$tmp/out"
check its_status grep -q '"status":"ok".*"times":{"gpu":"virtual machine"' "$tmp/out"
check one_has_times grep -q '"shape":\[512,64\],"dtype":"float16","status":"ok"' "$tmp/out"
check one_has_none grep -q '"shape":\[16,16\],"dtype":"float16","status":"below_floor"' "$tmp/out"
# The GPU has the last word.
check disagrees exits 1 timed wrong=relu2 $gold --op relu2 --shape 512x64 --alone
check says_where grep -q '^On a GPU, at 512x64 float16: the kernel: \|^On a GPU, at 512x64 float16: [0-9]* of 32768 elements are wrong' "$tmp/out"
check rule grep -q '^relu2: rejected (incorrect, level full)' "$tmp/out"
# A kernel that the referee rejects is not timed.
check rejected exits 1 timed "" src/op/suite/wrong/softmax_no_max.py --op softmax --shape 64x64 --alone --json
check not_timed grep -q '"cells":\[\]' "$tmp/out"
