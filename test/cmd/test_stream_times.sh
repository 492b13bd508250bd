#!/bin/sh
# Times in the stream, with the GPU of the tests (test/gpu/libcuda.c), and what is said without one.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$bin")
[ -d "$build/test" ] || build=$build/release
request() { # ID OP FILE MORE : one line
    python3 -c 'import json, sys
print(json.dumps({"id": sys.argv[1], "op": sys.argv[2], "source": open(sys.argv[3]).read(), **json.loads(sys.argv[4])}))' "$@"
}
stream() { # STEER FILE OPTIONS... : answers
    steer=$1
    lines=$2
    shift 2
    env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python \
        VM_GPU="memory=400000000 l2=40000 scale=60 $steer" "$bin" referee --stream --state "$tmp/state-$state" "$@" <"$lines"
}
gold=src/op/suite/gold/relu2.py
schema() { python3 "$(dirname "$0")/schema.py" "$@"; }
state=one
{
    request timed relu2 $gold '{"time": ["512x64", "256x64"]}'
    request plain relu2 $gold '{"level": "full"}'
    request wrong softmax src/op/suite/wrong/softmax_no_max.py '{"time": ["512x64"]}'
} >"$tmp/lines"
request stored relu2 $gold '{}' >"$tmp/row"
check stored exits 0 "$bin" corpus import "$tmp/row" --state "$tmp/state-one"
check answers exits 0 stream "" "$tmp/lines"
times_kept() { "$bin" corpus stats --json --state "$tmp/state-one" | grep -q "\"times\":{\"virtual machine\":$1}"; }
check times_are_kept times_kept 2
cp "$tmp/out" "$tmp/answers"
check three sh -c "[ \$(wc -l <'$tmp/answers') = 3 ]"
check schema schema answer "$tmp/answers" --lines
grep '"id":"timed"' "$tmp/answers" >"$tmp/timed"
check at_full grep -q '"level":"full"' "$tmp/timed"
check two_cells grep -q '"shape":\[512,64\],"dtype":"float16","status":"ok".*"shape":\[256,64\],"dtype":"float16","status":"ok"' "$tmp/timed"
check a_ratio grep -q '"bar":"[a-z_]*","ratio":[0-9]' "$tmp/timed"
check nobody_else_has_times sh -c "[ \$(grep -c '\"times\"' '$tmp/answers') = 1 ]"
check wrong_is_wrong sh -c "grep '\"id\":\"wrong\"' '$tmp/answers' | grep -q '\"accepted\":false'"
# A verdict from the journal is timed all the same.
check again exits 0 stream "" "$tmp/lines"
check known sh -c "grep '\"id\":\"timed\"' '$tmp/out' | grep -q '\"cached\":true.*\"times\":.*\"status\":\"ok\"'"
check nothing_compiled sh -c "grep '\"id\":\"timed\"' '$tmp/out' | grep -q '\"compiled\":0'"
check alone exits 0 stream "" "$tmp/lines" --alone
check no_ratio sh -c "grep '\"id\":\"timed\"' '$tmp/out' | grep -q '\"ratio\":null'"

# ---- whatever is killed: an answer, times for the next one, and in the end no process
killed() {
    env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python \
        VM_GPU="memory=400000000 l2=40000 scale=60" python3 "$(dirname "$0")/killed.py" "$bin" $gold "$tmp/state-killed"
}
check killed exits 0 killed
check killed_none grep -qx 'first: ok' "$tmp/out"
check killed_measurer grep -qx 'measurer: 1 killed; accepted True, failed (the measuring process has ended); then ok, a ratio' "$tmp/out"
check killed_keeper grep -qx 'keeper: 1 killed; accepted True, failed (the measuring process has ended); then ok, a ratio' "$tmp/out"
check killed_compiler grep -qx 'compiler: 1 killed; accepted True, ok (); then ok, a ratio' "$tmp/out"
check killed_pytorch grep -qx 'pytorch: 1 killed; accepted True, ok (.* gives no baseline: it was killed by signal 9); then ok, a ratio' "$tmp/out"
check killed_stream_leaves_nothing grep -qx 'left: 0 \[\]' "$tmp/out"

# ---- the GPU has the last word, and the journal keeps it
request liar relu2 $gold '{"time": ["512x64"]}' >"$tmp/lines"
check disagrees exits 0 stream wrong=relu2 "$tmp/lines"
check takes_back grep -q '"accepted":false,"status":"incorrect","rule":"gpu","feedback":"On a GPU, at 512x64 float16: ' "$tmp/out"
check schema_of_taken_back schema answer "$tmp/out" --lines
# The whole case: the program, and the seeds of what was drawn.
check archived python3 -c 'import glob, json, sys
case, = map(json.load, map(open, glob.glob(sys.argv[1])))
assert case["source"].strip() in open(sys.argv[2]).read() and case["op"] == "relu2" and "def reference" in case["definition"]
assert case["shape"] == [512, 64] and case["dtype"] == "float16" and case["inputs_seed"] > 0 and case["sets_seed"] > 0
assert "elements are wrong" in case["feedback"] and case["gpu"] == "virtual machine"' "$tmp/state-$state/gpu/taken_back/*.json" $gold
check tells_where grep -q '"taken_back":{"at":"512x64 float16","gpu":"virtual machine"' "$tmp/out"
for level in quick full; do request "$level" relu2 $gold "{\"level\": \"$level\"}"; done >"$tmp/lines"
check later exits 0 stream "" "$tmp/lines"
check remembers sh -c "[ \$(grep -c '\"cached\":true' '$tmp/out') = 2 ] && [ \$(grep -c '\"rule\":\"gpu\"' '$tmp/out') = 2 ]"
check schema_of_remembered schema answer "$tmp/out" --lines
# bench has it recorded, too; another state folder knows nothing.
state=two
check bench_takes_back exits 1 env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python VM_GPU="memory=400000000 l2=40000 scale=60 wrong=relu2" "$bin" bench $gold --op relu2 --shape 512x64 --alone --json --state "$tmp/state-$state"
check schema_of_bench schema bench "$tmp/out"
check from_bench exits 0 stream "" "$tmp/lines"
check bench_is_remembered sh -c "[ \$(grep -c '\"rule\":\"gpu\"' '$tmp/out') = 2 ]"
state=three
check elsewhere exits 0 stream "" "$tmp/lines"
check accepted_there sh -c "[ \$(grep -c '\"accepted\":true' '$tmp/out') = 2 ]"

# ---- without a GPU
request timed relu2 $gold '{"time": true}' >"$tmp/lines"
no_gpu() { env OUROBOROS_LIBCUDA=/nowhere/libcuda.so "$bin" referee --stream --state "$tmp/state-none" <"$tmp/lines"; }
check no_gpu exits 0 no_gpu
check accepted_without grep -q '"accepted":true' "$tmp/out"
check says_why grep -q '"times":{"gpu":"",.*"why":"no NVIDIA driver here' "$tmp/out"
check schema_without schema answer "$tmp/out" --lines

# ---- what cannot be asked
{
    request a relu2 $gold '{"time": 3}'
    request b relu2 $gold '{"time": []}'
    request c relu2 $gold '{"time": ["big"]}'
    request d relu2 $gold '{"time": true, "level": "quick"}'
    request e relu2 $gold '{"times": true}'
    request f relu2 $gold '{"time": ["1x1","1x1","1x1","1x1","1x1","1x1","1x1","1x1","1x1"]}'
} >"$tmp/lines"
check bad exits 0 stream "" "$tmp/lines"
check all_bad sh -c "[ \$(grep -c '\"rule\":\"request\"' '$tmp/out') = 6 ]"
check one_word_each sh -c "grep -q 'only what level full accepts is timed' '$tmp/out' && grep -q 'did you mean ..time' '$tmp/out'"
check python_belongs_to_streams exits 2 "$bin" referee $gold --op relu2 --alone

# ---- a signal: what waits is answered without times
state=four
for i in 32 64 128 256 512 1024 2048 4096; do
    sed "s/1024/$i/g" $gold >"$tmp/one.py"
    request "$i" relu2 "$tmp/one.py" '{"time": ["512x64"]}'
done >"$tmp/lines"
stopped() {
    env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python \
        VM_GPU="memory=400000000 l2=40000 scale=100" "$bin" referee --stream --alone --level full \
        --state "$tmp/state-$state" <"$tmp/lines" >"$tmp/stopped" &
    pid=$!
    for _ in $(seq 500); do
        [ -s "$tmp/stopped" ] && break
        sleep 0.02
    done
    kill -TERM $pid
    wait $pid
}
check stopped exits 0 stopped
check all_are_answered sh -c "[ \$(wc -l <'$tmp/stopped') = 8 ]"
check some_without_times grep -q 'asked to stop before this was timed' "$tmp/stopped"
check none_lost sh -c "[ \$(grep -c '\"status\":\"ok\"' '$tmp/stopped') = 8 ]"
