#!/bin/sh
# champions, and mint --gpu --search, with the GPU of the tests: found, kept, gone on with, judged again, changed by hand.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$bin")
[ -d "$build/test" ] || build=$build/release
gpu() { # STEER VERB ARGUMENTS...
    steer=$1
    shift
    env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python \
        VM_GPU="memory=400000000 l2=40000 scale=60 $steer" "$bin" "$@"
}
small="--gpu --search 1 --shape 512x64 --shape 256x64"
check found exits 0 gpu "" champions relu2 $small -o "$tmp/kept"
check told grep -q '^  [0-9]* kernels proposed, [0-9]* accepted at full, [1-9][0-9]* timed at 2 shapes' "$tmp/out"
check both_shapes sh -c "[ \$(grep -c 'float16: [0-9.]* us, timed again, apart' '$tmp/out') = 2 ]"
check in_the_store exits 0 "$bin" corpus stats --json --check
check with_its_times grep -q '"accepted_at_full":1,.*"champions":{"virtual machine":4},"times":{"virtual machine":4}' "$tmp/out"
check evidence python3 -c '
import hashlib, json, sys
o = json.load(open(sys.argv[1] + "/relu2.json"))
text = open(sys.argv[1] + "/relu2.py", "rb").read()
assert o["op"] == "relu2" and o["gpu"] == "virtual machine" and o["source_sha256"] == hashlib.sha256(text).hexdigest()
assert o["verdict"]["accepted"] and o["verdict"]["level"] == "full", o["verdict"]
for times, dtype in (("times", "float16"), ("times_bf16", "bfloat16")):
    cells = o[times]["cells"]
    assert [c["shape"] for c in cells] == [[512, 64], [256, 64]] and all(c["dtype"] == dtype and c["device"]["us"] > 0 for c in cells)
assert o["search"]["table"] and o["search"]["timed"] > 0
' "$tmp/kept"
# A second from the GPU's first answer on, and no longer the twelve that it has to start in. Where all that takes longer, little was begun.
check the_start_is_over_with_an_answer python3 -c '
import json, sys
search = json.load(open(sys.argv[1]))["search"]
assert search["seconds"] < 12 or search["proposed"] <= 24, (search["seconds"], search["proposed"])
' "$tmp/kept/relu2.json"
check record_schema python3 "$(dirname "$0")/schema.py" champion "$tmp/kept/relu2.json" --mutate
check accepted exits 0 "$bin" referee "$tmp/kept/relu2.py" --op relu2 --level quick
check judged_again exits 0 "$bin" champions --check -o "$tmp/kept"
check says_so grep -q '^1 of 1 champions are accepted at quick$' "$tmp/out"
cp "$tmp/kept/relu2.json" "$tmp/first.json"
check goes_on exits 0 gpu "" champions relu2,silu $small -o "$tmp/kept"
check only_the_other sh -c "[ -f '$tmp/kept/silu.py' ] && ! grep -q '^relu2' '$tmp/out' && cmp -s '$tmp/kept/relu2.json' '$tmp/first.json'"
check again_if_asked exits 0 gpu "" champions relu2 $small --again -o "$tmp/kept"
check was_searched grep -q '^relu2$' "$tmp/out"
# A kernel that was changed by hand is no champion: it is told, and searched again.
sed 's/v \* v/v * v * v/' "$tmp/kept/relu2.py" >"$tmp/changed.py"
check differs sh -c "! cmp -s '$tmp/kept/relu2.py' '$tmp/changed.py'"
cp "$tmp/changed.py" "$tmp/kept/relu2.py"
check change_is_told exits 1 "$bin" champions --check -o "$tmp/kept"
check which grep -q '^relu2: the kernel or its record was changed by hand$' "$tmp/out"
# With the record changed, too, it is the referee that says no.
python3 -c '
import hashlib, json, sys
o = json.load(open(sys.argv[1] + "/relu2.json"))
o["source_sha256"] = hashlib.sha256(open(sys.argv[1] + "/relu2.py", "rb").read()).hexdigest()
json.dump(o, open(sys.argv[1] + "/relu2.json", "w"))
' "$tmp/kept"
check wrong_is_rejected exits 1 "$bin" champions --check -o "$tmp/kept"
check by_the_referee grep -q '^relu2: \(incorrect\|nan_class\): ' "$tmp/out"
echo '{"op": 3' >"$tmp/kept/silu.json"
check no_json exits 3 "$bin" champions --check -o "$tmp/kept"
check no_json_told grep -q "^silu: $tmp/kept/silu.json: line [0-9]*, column" "$tmp/out"
mv "$tmp/kept/silu.json" "$tmp/silu.json"
check no_record exits 3 "$bin" champions --check -o "$tmp/kept"
check no_record_told grep -q "^silu: $tmp/kept/silu.json: " "$tmp/out"
check of_two grep -q '^0 of 2 champions are accepted at quick$' "$tmp/out"
mv "$tmp/silu.json" "$tmp/kept/silu.json"
mkdir "$tmp/empty"
check nothing_kept exits 3 "$bin" champions --check -o "$tmp/empty"
check nothing_kept_told grep -q "$tmp/empty: no champions are kept here" "$tmp/err"
# The GPU contradicts all of them: nothing is kept, and the journal knows.
check all_wrong exits 1 gpu "wrong=def" champions relu2 $small -o "$tmp/none"
check none_is_kept sh -c "[ ! -f '$tmp/none/relu2.py' ] && grep -q '^relu2: no champion: ' '$tmp/out'"
check journaled sh -c "grep -q '\"rule\":\"gpu\"' '$XDG_STATE_HOME/ouroboros/journal.log'"
# What is slow at long rows alone: another plan there, and both are judged and timed in one file.
check by_the_shape exits 0 gpu "slow=8192:300" champions softmax --gpu --search 1 --shape 4x8192 --shape 512x64 -o "$tmp/table"
check few_long grep -q '^  few long rows: ' "$tmp/out"
check all_others grep -q '^  all others: ' "$tmp/out"
check a_condition grep -q '^    if M < 512 and N > 6144:$' "$tmp/table/softmax.py"
check the_table_is_right exits 0 "$bin" referee "$tmp/table/softmax.py" --op softmax --level quick
# One op.
check mints exits 0 gpu "" mint silu --gpu --search 1 --shape 512x64 --json
check mint_schema python3 "$(dirname "$0")/schema.py" mint_search "$tmp/out" --mutate
check mint_json python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
assert o["op"] == "silu" and o["verdict"]["accepted"] and len(o["times"]["cells"]) == 1 and "def run(" in o["source"]
' "$tmp/out"
check as_a_file exits 0 gpu "" mint silu --gpu --search 1 --shape 512x64 -o "$tmp/silu.py"
check says_where grep -q '^# Found by ouroboros .* for silu on virtual machine$' "$tmp/silu.py"
check is_accepted exits 0 "$bin" referee "$tmp/silu.py" --op silu --level quick
# Cells of a grid, in pieces: what is there is not timed again, and a line that an end cut off is.
grid() { env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python VM_GPU="memory=400000000 l2=40000 scale=60" python3 bench/grid.py "$@"; }
pieces="--kernels $tmp/kept -o $tmp/cells.jsonl --ops relu2 --dtypes fp16 --shapes 512x64,256x64 --seconds 60"
cp src/op/suite/gold/relu2.py "$tmp/kept/relu2.py" # the stand-in for PyTorch is right for this op
check first_piece exits 0 grid "$bin" $pieces
check two_cells sh -c "[ \$(wc -l <'$tmp/cells.jsonl') = 2 ] && ! grep -q '\"ratio\": null' '$tmp/cells.jsonl'"
check nothing_left exits 0 grid "$bin" $pieces
check says_nothing_left grep -q '^0 cells to be timed' "$tmp/err"
head -c -20 "$tmp/cells.jsonl" >"$tmp/cut" && cp "$tmp/cut" "$tmp/cells.jsonl"
check cut_off exits 0 grid "$bin" $pieces
check one_again grep -q '^1 cells to be timed' "$tmp/err"
check sum exits 0 grid --sum "$tmp/cells.jsonl" --svg "$tmp/grid.svg"
check sum_of_two grep -q '^2 cells with a ratio, 0 without; geometric mean [0-9.]*' "$tmp/out"
check picture grep -q '<svg' "$tmp/grid.svg"
# What cannot be asked.
check search_belongs_to_gpu exits 2 "$bin" mint silu --search 3
check ops_need_a_gpu exits 2 "$bin" champions relu2
check check_takes_no_ops exits 2 "$bin" champions relu2 --check
check no_folder exits 3 "$bin" champions --check -o "$tmp/nowhere"
check no_folder_hint grep -q 'nowhere: No such file or directory; -o FOLDER says where' "$tmp/err"
check no_gpu exits 3 env OUROBOROS_LIBCUDA=/nowhere/libcuda.so "$bin" champions relu2 --gpu -o "$tmp/kept"
check no_gpu_one_line sh -c "[ \$(wc -l <'$tmp/err') = 1 ] && grep -q 'no NVIDIA driver here' '$tmp/err'"
