#!/bin/sh
# eval: counts, pass@k, intervals, resuming after an end of any kind, exit codes.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
gold=$here/../../src/op/suite/gold
smith() { echo "cmd:exec python3 '$here/drafts.py' $1 '$gold/${2:-softmax}.py'"; }
holds() { grep -q -- "$1" "$tmp/out"; }
says() { grep -q -- "$1" "$tmp/err"; }
drafts() { grep -c '"record":"draft"' "$1"; }

check grammar exits 0 "$bin" eval --ops 'softmax,relu2' -n 4 --k 1,4 --seed 5 --json -o "$tmp/g.jsonl"
check all_pass holds '"pass":{"1":{"mean":1.0,"low":1.0,"high":1.0,"ops":2}'
check all_are_kept [ "$(drafts "$tmp/g.jsonl")" = 8 ]
check complete holds '"complete":true'
"$bin" eval --ops 'softmax,relu2' -n 4 --k 1,4 --seed 5 -o "$tmp/g2.jsonl" >"$tmp/table" 2>/dev/null
check a_table grep -q '^softmax  *4  *4  1.000 ' "$tmp/table"
sed 's/"verdict":.*//' "$tmp/g.jsonl" >"$tmp/1"
sed 's/"verdict":.*//' "$tmp/g2.jsonl" >"$tmp/2"
check the_seed_decides_the_drafts cmp "$tmp/1" "$tmp/2"

# One of four drafts is right: pass@1 is 1/4, pass@2 is 1/2.
check mixed exits 0 "$bin" eval --smith "$(smith mixed)" --ops softmax -n 4 --k 1,2,4 --json -o "$tmp/m.jsonl"
check unbiased_pass_at_k holds '"pass":{"1":0.25,"2":0.5,"4":1.0},"statuses":{"ok":1,"incorrect":1,"no_kernel":1,"truncated":1}'
check tokens holds '"tokens":200'
check drafts_have_all sh -c "python3 -c 'import json,sys
first, *rest = map(json.loads, open(sys.argv[1]))
assert first[\"record\"] == \"eval\" and first[\"settings\"][\"model\"][\"temperature\"] == 0.7, first
assert sorted(d[\"index\"] for d in rest) == [0, 1, 2, 3]
for d in rest:
    assert len(d[\"prompt\"]) == 64 and d[\"reply\"] and d[\"verdict\"][\"status\"]
    assert (d[\"source\"] is None) == (d[\"verdict\"][\"status\"] in (\"no_kernel\", \"truncated\")), d
    assert d[\"end\"] == (\"length\" if d[\"index\"] == 3 else \"stop\")
' $tmp/m.jsonl"
check nothing_accepted exits 1 "$bin" eval --smith "$(smith wrong)" --ops softmax -n 2 -o "$tmp/w.jsonl"
check a_file_is_not_overwritten exits 2 "$bin" eval --smith "$(smith wrong)" --ops softmax -n 2 -o "$tmp/w.jsonl"
check and_is_named grep -qF "$tmp/w.jsonl is there already; to go on with it: --resume -o $tmp/w.jsonl" "$tmp/err"
check resumed_for_more exits 1 "$bin" eval --smith "$(smith wrong)" --ops softmax -n 5 -o "$tmp/w.jsonl" --resume
check three_more [ "$(drafts "$tmp/w.jsonl")" = 5 ]
check other_settings_are_refused exits 3 "$bin" eval --smith "$(smith wrong)" --ops softmax -n 5 -o "$tmp/w.jsonl" --resume --temperature 0.1
check the_setting_is_named says 'w.jsonl was begun with model.temperature 0.7, not 0.1$'
check a_long_name_is_shown_where_it_differs exits 3 "$bin" eval --smith "$(smith wrong) # $(printf '%0200d' 0)another" --ops softmax -n 5 -o "$tmp/w.jsonl" --resume
check in_the_middle sh -c "grep -q 'begun with smith ' $tmp/err && grep -q '0000' $tmp/err"
long=$tmp/$(printf 'x%0100d' 0)/$(printf 'y%0100d' 0)/$(printf 'z%0100d' 0)
mkdir -p "$long"
cp "$tmp/w.jsonl" "$long/w.jsonl"
check a_long_path_cuts_nothing_off exits 3 "$bin" eval --smith "$(smith wrong)" --ops softmax -n 5 -o "$long/w.jsonl" --resume --temperature 0.1
check the_difference_is_there says 'w.jsonl was begun with model.temperature 0.7, not 0.1$'
check another_seed_is_refused exits 3 "$bin" eval --smith "$(smith wrong)" --ops softmax -n 5 -o "$tmp/w.jsonl" --resume --seed 1
# A torn line; then a smith that fails half way, and one that goes on.
printf '{"record":"dra' >>"$tmp/w.jsonl"
check a_torn_line_is_cut exits 1 "$bin" eval --smith "$(smith wrong)" --ops softmax -n 6 -o "$tmp/w.jsonl" --resume
check six [ "$(drafts "$tmp/w.jsonl")" = 6 ]
printf '#!/bin/sh\nexec python3 "%s" "$(cat "%s")" "%s"\n' "$here/drafts.py" "$tmp/mode" "$gold/softmax.py" >"$tmp/smith.sh"
echo half >"$tmp/mode"
check a_smith_that_fails exits 3 "$bin" eval --smith "cmd:sh $tmp/smith.sh" --ops softmax,swiglu -n 4 --k 1 --json -o "$tmp/h.jsonl"
check what_was_there_is_counted holds '"op":"softmax","n":2,"accepted":2'
check not_complete holds '"complete":false'
echo good >"$tmp/mode"
check it_goes_on exits 0 "$bin" eval --smith "cmd:sh $tmp/smith.sh" --ops softmax,swiglu -n 4 --k 1 --json -o "$tmp/h.jsonl" --resume
check all_eight holds '"drafts":8,'
check softmax_for_swiglu_is_wrong holds '"op":"swiglu","n":4,"accepted":0'
check an_interval holds '"1":{"mean":0.5,"low":0.0,"high":1.0,"ops":2}'
check no_draft_twice sh -c "[ \$(sed -n 's/.*\"op\":\"\\([a-z]*\\)\",\"definition\".*\"index\":\\([0-9]*\\).*/\\1 \\2/p' $tmp/h.jsonl | sort -u | wc -l) = 8 ]"
check a_smith_in_trouble_is_not_an_op_beyond_it exits 3 "$bin" eval --smith "$(smith garbage)" --ops softmax -n 2 --k 1 --json
check nothing_is_refused holds '"refused":null'
# An op that the grammar smith cannot write.
cat >"$tmp/beyond.py" <<'PY'
"""Columns of a transposed."""
inputs = {"x": {"shape": ("M", "N"), "scale": (0.1, 4)}, "w": {"shape": ("N", 8), "scale": (0.1, 4)}}


def reference(x, w):
    return (x.float() @ w.float()).to(x.dtype)
PY
check an_op_beyond_the_smith exits 0 "$bin" eval --ops "softmax,$tmp/beyond.py" -n 2 --k 1 --json --level quick
check it_is_refused_with_the_reason holds '"op":"beyond","n":0,.*"refused":".'
check nothing_passes_there holds '"mean":0.5,'
# kill -9, then on.
echo slow >"$tmp/mode"
"$bin" eval --smith "cmd:sh $tmp/smith.sh" --ops softmax -n 6 --k 1 -o "$tmp/k.jsonl" --level quick >/dev/null 2>&1 &
pid=$!
for _ in $(seq 600); do # on a busy machine the first draft takes its time
    [ "$(drafts "$tmp/k.jsonl" 2>/dev/null || echo 0)" -ge 1 ] 2>/dev/null && break
    sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
echo good >"$tmp/mode"
check some_were_kept [ "$(drafts "$tmp/k.jsonl")" -ge 1 ]
check on_after_kill exits 0 "$bin" eval --smith "cmd:sh $tmp/smith.sh" --ops softmax -n 6 --k 1 -o "$tmp/k.jsonl" --level quick --resume
check all_six [ "$(drafts "$tmp/k.jsonl")" = 6 ]
# Ctrl-C: what is finished is kept and counted; it goes on where it stopped.
check interrupted exits 4 interrupted 1.6 "$bin" eval --smith "$(smith slow)" --ops softmax -n 500 --k 1 -o "$tmp/i.jsonl" --level quick --json
check it_is_not_complete holds '"complete":false,"interrupted":true'
kept=$(drafts "$tmp/i.jsonl")
check some_are_kept [ "$kept" -ge 1 ]
check they_are_counted holds "\"drafts\":$kept,"
check on_after_ctrl_c exits 0 "$bin" eval --smith "$(smith slow)" --ops softmax -n $((kept + 1)) --k 1 -o "$tmp/i.jsonl" --level quick --resume
check one_more [ "$(drafts "$tmp/i.jsonl")" = $((kept + 1)) ]

# Of ops that never ran nothing is known; the way on can be typed as it stands, with and without -o.
check interrupted_in_the_first exits 4 interrupted 1.6 "$bin" eval --smith "$(smith slow)" --ops softmax,swiglu,relu2 -n 500 --k 1 --level quick
check a_table_says_so grep -qx 'swiglu  *0  *0  -  *not run' "$tmp/out"
check in_a_sentence holds '^interrupted: 2 of 3 ops never ran; -o .*/eval/[0-9a-f]*.jsonl --resume goes on$'
check the_mean_is_of_one_op holds 'bootstrap over 1 op'
file=$(sed -n 's/^interrupted: .* -o \(.*\) --resume goes on$/\1/p' "$tmp/out")
check it_does exits 4 interrupted 1.6 "$bin" eval --smith "$(smith slow)" --ops softmax,swiglu,relu2 -n 500 --k 1 --level quick --json -o "$file" --resume
check null_is_not_zero holds '"op":"swiglu","n":0,"accepted":0,"undecided":0,"pass":{"1":null}'
check a_known_one_has_a_number holds '"op":"softmax","n":[0-9]*,"accepted":[0-9]*,"undecided":0,"pass":{"1":1.0}'
check interrupted_before_all exits 4 interrupted 0.5 "$bin" eval --smith "$(smith silent)" --ops softmax -n 5 --k 1 --level quick
check no_number_at_all holds '^pass@1 *-  (no op has a decided draft)$'

printf '# ops\nsoftmax, swiglu # two\n\nrel*2\n' >"$tmp/set"
check ops_from_a_file exits 0 "$bin" eval --ops "@$tmp/set" -n 1 --json --level quick
check three_ops holds '"ops":3'
check its_file_is_told says 'drafts are kept in .*/eval/[0-9a-f]*.jsonl'
check no_op exits 2 "$bin" eval --ops ' , '
check no_such_op exits 2 "$bin" eval --ops 'softmx'
check no_such_glob exits 2 "$bin" eval --ops 'nothing*'
check k_beyond_n exits 2 "$bin" eval --ops softmax -n 4 --k 5
check k_is_numbers exits 2 "$bin" eval --ops softmax --k 1,,2
check k_is_positive exits 2 "$bin" eval --ops softmax --k 0
check resume_needs_a_file exits 2 "$bin" eval --ops softmax --resume
check no_level exits 2 "$bin" eval --ops softmax --level hard
