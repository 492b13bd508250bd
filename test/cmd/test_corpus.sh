#!/bin/sh
# corpus: the store from a smith, killed and resumed, beside a stream and a mint; what it holds; what goes in and out.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
tool() { python3 "$here/corpus.py" "$@"; }
obeys() { python3 "$here/schema.py" --mutate "$1" "$tmp/out"; }
holds() { grep -q -- "$1" "$tmp/out"; }
says() { grep -q -- "$1" "$tmp/err"; }
tool small "$tmp/suite"
build() { # STATE [options]
    state=$1
    shift
    "$bin" corpus build --suite "$tmp/suite" --ops small_gate,small_sum -n 12 --seed 3 --state "$state" "$@"
}
check needs_ops exits 2 "$bin" corpus build --state "$tmp/a"
check no_store_yet exits 3 "$bin" corpus stats --state "$tmp/none"
check how_to_make_one says 'no store yet; `ouroboros corpus build` makes one'

check a_build exits 0 build "$tmp/a" --json
check all_answered holds '"drafts":24,"before":0,"accepted":24,"new":24,'
check build_obeys_its_schema obeys corpus_build
check stats exits 0 "$bin" corpus stats --state "$tmp/a" --json --check
check counted holds '"programs":24,"judged":24,"accepted_at_full":24,"rejected":0,'
check statuses holds '"statuses":{"ok at full":24},"smiths":{"grammar":24},"licences":{"MIT":24}'
check stats_obey_their_schema python3 "$here/schema.py" corpus_stats "$tmp/out"
check of_another_they_do_not python3 "$here/schema.py" corpus_build "$tmp/out" --not
cp -r "$tmp/a" "$tmp/once" # a build that nothing stopped
check again exits 0 build "$tmp/a" --json
check nothing_to_do holds '"drafts":24,"before":24,"accepted":0,"new":0,'
check more_drafts exits 0 "$bin" corpus build --suite "$tmp/suite" --ops small_gate -n 14 --seed 3 --state "$tmp/a" --json
check two_more holds '"drafts":14,"before":12,"accepted":2,"new":2,'
check by_op exits 0 "$bin" corpus stats --state "$tmp/a" --ops
check a_line_for_each holds '^small_gate  *14  *14  *0  *'

# Killed at twenty moments: the store is whole, and what was answered is not judged again.
tool kill 20 1.5 "$bin" corpus build --suite "$tmp/suite" --ops small_gate,small_sum -n 12 --seed 3 --state "$tmp/k" >"$tmp/kills"
if [ -f "$tmp/k/store.db" ]; then check whole_after_kills exits 0 "$bin" corpus stats --state "$tmp/k" --check; fi
check it_goes_on exits 0 build "$tmp/k"
check whole exits 0 "$bin" corpus stats --state "$tmp/k" --check
tool programs "$tmp/once" >"$tmp/1"
tool programs "$tmp/k" >"$tmp/2"
check the_same_corpus cmp "$tmp/1" "$tmp/2"
check not_an_empty_one [ "$(wc -l <"$tmp/1")" = 24 ]
check nothing_was_judged_twice sh -c "python3 $here/corpus.py twice $tmp/k | grep -q '^0 of [1-9]'"

# A stream, a mint and a build side by side in one state directory.
gold=$here/../../src/op/suite/gold/relu2.py
python3 -c 'import json,sys
source = open(sys.argv[1]).read()
for i in range(30): print(json.dumps({"id": i, "op": "relu2", "source": source + "\n# %d\n" % i}))' "$gold" >"$tmp/requests"
build "$tmp/side" >"$tmp/side1" 2>&1 &
one=$!
"$bin" referee --stream --state "$tmp/side" <"$tmp/requests" >"$tmp/side2" 2>/dev/null &
two=$!
check a_mint_beside exits 0 "$bin" mint small_gate --suite "$tmp/suite" -n 4 --seed 1 --state "$tmp/side" --json
check the_build_ended wait $one
check the_stream_ended wait $two
check all_of_the_stream [ "$(grep -c '"status":"ok"' "$tmp/side2")" = 30 ]
check the_build_has_all grep -q '24 accepted at full, 24 new' "$tmp/side1"
check a_champion exits 0 "$bin" corpus stats --state "$tmp/side" --json
check of_the_mint holds '"champions":{"h200":1}'
check the_store_is_whole exits 0 "$bin" corpus stats --state "$tmp/side" --check

# Two builds of one store.
build "$tmp/two" >"$tmp/two1" 2>&1 &
one=$!
check two_builds exits 0 build "$tmp/two"
check both wait $one
tool programs "$tmp/two" >"$tmp/2"
check one_corpus cmp "$tmp/1" "$tmp/2"

# From elsewhere: nothing is believed, hostile lines are told with their numbers.
"$bin" propose small_gate --suite "$tmp/suite" >"$tmp/gold.py" 2>/dev/null
sed "s/tl.sigmoid/tl.abs/" "$tmp/gold.py" >"$tmp/wrong.py"
tool lines "$tmp/gold.py" "$tmp/wrong.py" | "$bin" corpus import - --suite "$tmp/suite" --state "$tmp/i" --json >"$tmp/out" 2>"$tmp/err"
check import_ends_well [ $? = 0 ]
check each_is_judged holds '"lines":12,"bad":6,"new":5,'
check the_right_one_is_accepted holds '"accepted":[12],"rejected":1,"undecided":0,"unverifiable":3,"lost":0'
check broken_bytes says 'standard input:8: this line: .*decode byte'
check double_keys says 'standard input:9: this line: .*duplicate'
check wrong_types says 'standard input:10: this line: "op": a text belongs here'
check cut_off says 'standard input:11: this line: '
check a_line_of_a_gigabyte says 'standard input:12: longer than 8 MiB'
check no_json says 'standard input:13: this line: '
check counted_apart exits 0 "$bin" corpus stats --state "$tmp/i" --json --check
check unverifiable_is_kept holds '"unverifiable":3'
check nothing_readable sh -c "echo x | '$bin' corpus import - --state '$tmp/i' 2>/dev/null; [ \$? = 1 ]"
mkdir "$tmp/bad"
sed 's/(h \* torch.sigmoid(h))/(h * 0)/' "$tmp/suite/small_gate.py" >"$tmp/bad/small_gate.py"
tool lines "$tmp/gold.py" "$tmp/wrong.py" 2>/dev/null | head -n 1 >"$tmp/first"
check a_definition_that_zeros_satisfy exits 3 "$bin" corpus import "$tmp/first" --suite "$tmp/bad" --state "$tmp/b"
check the_same_line_with_a_right_one exits 0 "$bin" corpus import "$tmp/first" --suite "$tmp/suite" --state "$tmp/b"
check and_verified_by_it exits 3 "$bin" corpus verify --all --suite "$tmp/bad" --state "$tmp/b"
check no_file exits 3 "$bin" corpus import "$tmp/nothing" --state "$tmp/i"

# A program that another build has accepted wrongly is demoted; nothing else is judged again.
tool forge "$tmp/i" "$tmp/wrong.py"
check before exits 0 "$bin" corpus stats --state "$tmp/i" --json
check the_wrong_one_counts holds '"accepted_at_full":2,"rejected":0'
check demoted exits 1 "$bin" corpus verify --state "$tmp/i" --suite "$tmp/suite" --json
check one_of_two holds '"programs":2,"judged":1,"demoted":1,"promoted":0,'
check said_which says 'small_gate [0-9a-f]* is [a-z_]* now'
check after exits 0 "$bin" corpus stats --state "$tmp/i" --json
check it_counts_no_more holds '"accepted_at_full":1,"rejected":1'
check settled exits 0 "$bin" corpus verify --state "$tmp/i" --json
check nothing_to_judge holds '"programs":2,"judged":0,"demoted":0,'
check all_again exits 0 "$bin" corpus verify --all --state "$tmp/i" --json
check both_judged holds '"programs":2,"judged":2,"demoted":0,"promoted":0,'

# Data sets.
for form in chat prompt-completion kernelbook; do
    check "export_$form" exits 0 "$bin" corpus export --format $form -o "$tmp/x/$form" --state "$tmp/once" --json
    check "all_rows_$form" holds '"programs":24,"unlicensed":0,"contaminated":0,"stale":0,"of_modules":0,"beyond":0'
    check "files_of_$form" tool export "$tmp/x/$form" $form
done
"$bin" corpus export --format chat -o "$tmp/x/again" --state "$tmp/once" >/dev/null 2>&1
check the_same_files cmp "$tmp/x/chat/train.jsonl" "$tmp/x/again/train.jsonl"
check another_seed exits 0 "$bin" corpus export --format chat -o "$tmp/x/other" --state "$tmp/once" --seed 2
check other_words sh -c "! cmp -s $tmp/x/chat/train.jsonl $tmp/x/other/train.jsonl"
check balanced exits 0 "$bin" corpus export --per-op 3 --validation 0 -o "$tmp/x/three" --state "$tmp/once" --json
check three_of_each holds '"train":6,'
check a_rejected_one_is_no_row exits 0 "$bin" corpus export -o "$tmp/x/i" --state "$tmp/i" --unlicensed --json
check only_the_right_one holds '"programs":1,"unlicensed":0,'
check no_licence_no_row exits 1 "$bin" corpus export -o "$tmp/x/i" --state "$tmp/i" --json
check counted_as_unlicensed holds '"train":0,"validation":0,"test":0,"programs":1,"unlicensed":1,'
# Spelled otherwise, a program is still the one that must not be there.
sed 's/tmp/other_name/g; s/^    tokens, hidden/    # another comment\n    tokens, hidden/' "$tmp/gold.py" >"$tmp/spelled.py"
check against exits 1 "$bin" corpus export -o "$tmp/x/i" --state "$tmp/i" --unlicensed --against "$tmp/spelled.py" --json
check is_contaminated holds '"contaminated":1,'
check against_something_else exits 0 "$bin" corpus export -o "$tmp/x/i" --state "$tmp/i" --unlicensed --against "$gold" --json
check is_not holds '"contaminated":0,'
printf '# nothing\n' >"$tmp/none"
# Right on one shape, or in one dtype: the first is no row, the prompt of the second says so.
for only in "--shape 8x16" "--dtype fp16"; do
    # shellcheck disable=SC2086
    "$bin" corpus build --suite "$tmp/suite" --ops small_gate -n 2 --state "$tmp/n" $only >/dev/null 2>&1
done
check narrow exits 0 "$bin" corpus export -o "$tmp/x/n" --state "$tmp/n" --validation 0 --held-out "$tmp/none" --json
check one_shape_is_no_row holds '"train":2,"validation":0,"test":0,"programs":4,'
check the_dtype_is_named [ "$(grep -c 'for float16 tensors' "$tmp/x/n/train.jsonl")" = 2 ]
printf 'schedule whole row\n' >"$tmp/held"
check held_out exits 0 "$bin" corpus export --held-out "$tmp/held" -o "$tmp/x/held" --state "$tmp/once"
check in_test_alone sh -c "[ -s $tmp/x/held/test.jsonl ] && grep -q '| .schedule whole row. | [1-9]' $tmp/x/held/README.md"
check a_bad_list exits 3 "$bin" corpus export --held-out "$gold" -o "$tmp/x/held" --state "$tmp/once"
# What was written can be read in again: our own rows are known.
check its_own_rows exits 0 "$bin" corpus import "$tmp/x/chat/train.jsonl" "$tmp/x/kernelbook/test.jsonl" "$tmp/x/kernelbook/train.jsonl" --suite "$tmp/suite" --state "$tmp/once" --json
check are_known holds '"bad":0,"new":0,'

# KernelBook's rows name no op: they are judged by the module that they bring, and again after a change of the referee.
tool pairs >"$tmp/pairs"
check pairs exits 0 "$bin" corpus import "$tmp/pairs" --state "$tmp/pairs-state" --json
check judged_by_their_modules holds '"lines":4,"bad":0,"new":4,"known":0,"accepted":1,"rejected":1,"undecided":0,"unverifiable":2,"lost":0'
check pairs_again exits 0 "$bin" corpus import "$tmp/pairs" --state "$tmp/pairs-state" --json
check pairs_are_known holds '"new":0,"known":2,"accepted":0,"rejected":0,"undecided":0,"unverifiable":2,'
check pairs_verified exits 0 "$bin" corpus verify --all --state "$tmp/pairs-state" --json
check both_judged_again holds '"programs":2,"judged":2,"demoted":0,"promoted":0,"without_op":0,'
check pairs_are_no_rows exits 1 "$bin" corpus export -o "$tmp/x/pairs" --state "$tmp/pairs-state" --json
check counted_as_of_modules holds '"programs":1,"unlicensed":0,"contaminated":0,"stale":0,"of_modules":1,'

check prune_needs_what exits 2 "$bin" corpus prune --state "$tmp/a"
check prune exits 0 "$bin" corpus prune --per-structure 1 --old-verdicts --state "$tmp/a" --json
check prune_obeys_its_schema obeys corpus_prune
check pruned_is_whole exits 0 "$bin" corpus stats --state "$tmp/a" --check
