#!/bin/sh
# Ops mint an accepted kernel with default settings, and what is printed is what was judged. Every third op: test_grammar.sh
# judges kernels of every op.
. "$(dirname "$0")/lib.sh"
for op in $("$bin" ops | awk '/^[a-z]/ && n++ % 3 == 0 { print $1 }'); do
    check "mints_$op" exits 0 "$bin" mint "$op"
done
check kernel_file exits 0 "$bin" mint softmax --seed 3 -o "$tmp/k.py"
check nothing_on_stdout sh -c "[ ! -s $tmp/out ]"
check file_is_accepted_again exits 0 "$bin" referee "$tmp/k.py" --op softmax
check json exits 0 "$bin" mint swiglu --seed 3 -n 4 --json
for key in op smith proposed distinct judged accepted best source verdict elapsed_ms; do
    check "mint_json_has_$key" grep -q "\"$key\":" "$tmp/out"
done
check winner_was_judged_at_full grep -q '"level":"full"' "$tmp/out"
"$bin" mint rope --seed 17 2>/dev/null | sed '/^# /d' >"$tmp/a.py"
"$bin" mint rope --seed 17 2>/dev/null | sed '/^# /d' >"$tmp/b.py"
check the_seed_decides_the_kernel cmp "$tmp/a.py" "$tmp/b.py"
check shape_and_dtype exits 0 "$bin" mint rmsnorm --shape 64x2048 --dtype bf16
# Of an op without reductions no kernel with one program a row is picked: 256 rows of 16,384 leave most of a GPU idle.
for op in swiglu geglu reglu gelu; do
    check "grid_is_filled_$op" sh -c "'$bin' mint $op --seed 3 --target h100 | grep -Eq '^# Minted by .* for $op: (flat|grid of blocks)'"
done
check rows_of_a_reduction sh -c "'$bin' mint softmax --seed 3 --target h100 | grep -q '^# Minted by .* for softmax: whole row'"
check target exits 0 "$bin" mint softmax --seed 3 -n 4 --target l4
check evidence_names_model_and_target grep -q '^# rank model (not a timing), target l4: [0-9.]* us at 8192x4096' "$tmp/out"
check target_in_json sh -c "'$bin' mint softmax --seed 3 -n 2 --json | grep -q '\"rank_model\":{\"target\":\"h200\"'"
check unknown_target_is_usage exits 2 "$bin" mint softmax --target h201
check unwritable_file_is_the_world exits 3 "$bin" mint softmax -n 2 -o "$tmp/no/such/folder/k.py"
# Ctrl-C: no half-written file, no stray process, the journal still reads. Of an op that is cheap to judge: what is being judged is waited for.
for delay in 0.02 0.1 0.3 0.6; do
    rm -f "$tmp/c.py"
    interrupted $delay "$bin" mint silu -n 5000 --json -o "$tmp/c.py" >"$tmp/stopped" 2>/dev/null
    if [ -e "$tmp/c.py" ]; then
        check "interrupt_at_${delay}_leaves_a_whole_file" exits 0 "$bin" referee "$tmp/c.py" --op silu --level quick
    else
        check "interrupt_at_${delay}_leaves_nothing" sh -c "! ls $tmp/c.py* $tmp/.c.py* 2>/dev/null | grep -q ."
    fi
done
sleep 0.5
check the_last_was_interrupted grep -q '"interrupted":true' "$tmp/stopped"
check no_process_is_left sh -c "! pgrep -f '[-]o $tmp/c.py' >/dev/null"
check the_journal_still_reads exits 0 "$bin" mint softmax -n 2
# --prove: how strong the winner's test was, beside its evidence.
# Both forms of one answer: the file has the evidence in words.
check prove exits 0 "$bin" mint softmax --seed 3 -n 2 --prove --json -o "$tmp/proved.py"
check prove_says grep -q '^# how strong this test was: of [0-9]* small edits of this kernel, the very same cases rejected' "$tmp/proved.py"
check prove_margin grep -q '^# smallest margin: line [0-9]*, .* times the bound$' "$tmp/proved.py"
check prove_json python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$tmp/out"
check prove_json_says grep -q '"strength":{"mutants":' "$tmp/out"
