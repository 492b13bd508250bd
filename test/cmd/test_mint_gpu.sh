#!/bin/sh
# mint --gpu with the GPU of the tests: the fastest of the model's first 8 is kept, and timed again, apart.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$bin")
[ -d "$build/test" ] || build=$build/release
mint() { # STEER ARGUMENTS...
    steer=$1
    shift
    env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python \
        VM_GPU="memory=400000000 l2=40000 scale=60 $steer" "$bin" mint relu2 -n 10 --seed 7 --shape 512x64 --dtype fp16 --gpu --alone "$@"
}
check mints exits 0 mint "" --json
check schema python3 "$(dirname "$0")/schema.py" mint "$tmp/out"
cp "$tmp/out" "$tmp/first"
check several_are_measured sh -c "python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
t = o[\"times\"]
us = [c[\"device\"][\"us\"] for c in t[\"first\"][\"cells\"]]
assert 2 <= len(us) <= 8, us
assert us[t[\"best\"]] == min(us), (us, t[\"best\"])
assert len(t[\"again\"][\"cells\"]) == 1 and t[\"again\"][\"cells\"][0][\"status\"] == \"ok\"
' '$tmp/first'"
check as_a_file exits 0 mint ""
check says_so grep -q '^# on virtual machine: the fastest of [2-8] that were measured (number [1-8] by the model, [0-9.]* us); again, apart: 512x64 float16: device' "$tmp/out"
# The GPU contradicts all of them: nothing is found, and the journal knows.
check all_wrong exits 1 mint "wrong=def" --json
check none_is_kept grep -q '"best":null' "$tmp/out"
check journaled sh -c "grep -q '\"rule\":\"gpu\"' '$XDG_STATE_HOME/ouroboros/journal.log'"
# Too small for a number: the model's best stays.
tiny() { env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python VM_GPU="memory=400000000 l2=40000" "$bin" mint relu2 -n 4 --seed 7 --shape 16x16 --dtype fp16 --gpu --alone; }
check tiny exits 0 tiny
check no_number grep -q '^# on virtual machine: none of the [1-4] measured has a number; this one is the model.s best' "$tmp/out"
check no_gpu exits 3 env OUROBOROS_LIBCUDA=/nowhere/libcuda.so "$bin" mint relu2 --gpu
check no_gpu_one_line sh -c "[ \$(wc -l <'$tmp/err') = 1 ] && grep -q 'no NVIDIA driver here' '$tmp/err'"
check gpu_first exits 2 mint "" --first
check alone_belongs_to_gpu exits 2 "$bin" mint relu2 --alone
