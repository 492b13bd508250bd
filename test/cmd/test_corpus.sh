#!/bin/sh
# corpus: the store from a smith, killed and resumed, beside a stream and a mint; what it holds; what goes in and out.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
tool() { python3 "$here/corpus.py" "$@"; }
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
check stats exits 0 "$bin" corpus stats --state "$tmp/a" --json --check
check counted holds '"programs":24,"judged":24,"accepted_at_full":24,"rejected":0,'
check statuses holds '"statuses":{"ok at full":24},"smiths":{"grammar":24},"licences":{"MIT":24}'
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
"$bin" corpus build --suite "$tmp/suite" --ops small_gate,small_sum -n 12 --seed 3 --state "$tmp/once" >/dev/null 2>&1
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
check the_store_is_whole exits 0 "$bin" corpus stats --state "$tmp/side" --check

# Two builds of one store.
build "$tmp/two" >"$tmp/two1" 2>&1 &
one=$!
check two_builds exits 0 build "$tmp/two"
check both wait $one
tool programs "$tmp/two" >"$tmp/2"
check one_corpus cmp "$tmp/1" "$tmp/2"

check prune_needs_what exits 2 "$bin" corpus prune --state "$tmp/a"
check prune exits 0 "$bin" corpus prune --per-structure 1 --old-verdicts --state "$tmp/a" --json
check pruned_is_whole exits 0 "$bin" corpus stats --state "$tmp/a" --check
