#!/bin/sh
# The model that mint asks where nobody chose: rows that it learns from, its mark in the files, and who stands in for it.
. "$(dirname "$0")/lib.sh"
cat >"$tmp/halved.py" <<'END'
"""Half of x, element by element."""
inputs = {
    "x": {"shape": ("M", "N"), "scale": (1e-4, 64)},
}


def reference(x):
    return (x.float() * 0.5).to(x.dtype)
END
sed 's/x.float() \* 0.5/torch.sin(x.float())/; s/Half of x/Sine of x/' "$tmp/halved.py" >"$tmp/sine.py"
check corpus exits 0 "$bin" corpus build --ops "relu2,rmsnorm_mish,$tmp/halved.py" --smith grammar:narrow -n 3 --seed 1
printf '%s\n' "$tmp/halved.py" "$tmp/zero.py" >"$tmp/list"
sed 's/x.float() \* 0.5/x.float() * 0.0/; s/Half of x/Zero/' "$tmp/halved.py" >"$tmp/zero.py"
check an_unfit_op_stops_a_build exits 3 "$bin" corpus build --ops "@$tmp/list" --smith grammar:narrow -n 3 --seed 1
check or_is_left_out exits 0 "$bin" corpus build --ops "@$tmp/list" --smith grammar:narrow -n 3 --seed 1 --skip-unfit
check and_named grep -q 'left out: zero: an answer of all zeros would pass' "$tmp/err"
check export exits 0 "$bin" corpus export --profile seedling --validation 0 -o "$tmp/data"
check rows_have_the_formula grep -q '"prompt":"x \[M, N\] float\\nout \[M, N\] float\\nout = x \* 0.5\\nrows ' "$tmp/data/train.jsonl"
check answers_begin_with_the_plan sh -c "[ \$(grep -c '\"completion\":\"# [a-z]' $tmp/data/train.jsonl) = \$(wc -l <$tmp/data/train.jsonl) ]"
check what_is_held_out_is_not_learned sh -c "! grep -q mish $tmp/data/train.jsonl && grep -q 'softplus' $tmp/data/test.jsonl"
check the_card_names_the_profile grep -q 'Prompts of the profile seedling; an answer begins with the schedule' "$tmp/data/README.md"
check without_a_plan exits 0 "$bin" corpus export --profile seedling --no-plan --validation 0 -o "$tmp/bare"
check they_begin_with_the_code sh -c "! grep -q '\"completion\":\"#' $tmp/bare/train.jsonl"
check no_plan_needs_a_profile exits 2 "$bin" corpus export --no-plan -o "$tmp/no"
check a_profile_writes_pairs exits 2 "$bin" corpus export --profile seedling --format chat -o "$tmp/no"

# A model that has learned one kernel by heart.
grep '"op":"halved"' "$tmp/data/train.jsonl" | head -n 1 | sed 's/rows [a-z]*, dtype [a-z0-9]*/rows any, dtype any/' >"$tmp/one"
check learns exits 0 "$bin" train sft --fresh 2x64 --vocab 400 --data "$tmp/one" --profile seedling --hold-out 0 --steps 120 --batch 400 \
    --rate 0.006 --warmup 5 --evaluate-every 500 --save-every 500 --seed 1 --jobs 2 -o "$tmp/run"
model=$tmp/run/checkpoint-000120
check the_mark_is_in_the_folder grep -q '"ouroboros_profile": *"seedling"' "$model/config.json"
check becomes_gguf exits 0 "$bin" model quantize "$model" "$tmp/m.gguf" --type q8_0
for file in "$model" "$tmp/m.gguf"; do
    check "the_mark_is_read_in_${file##*/}" sh -c "'$bin' model info '$file' | grep -q 'prompt profile seedling'"
done
check a_profile_goes_with_fresh exits 2 "$bin" train sft --model "$model" --data "$tmp/one" --profile seedling -o "$tmp/no"

OUROBOROS_SEEDLING=$tmp/m.gguf
export OUROBOROS_SEEDLING
check mint_asks_it exits 0 "$bin" mint "$tmp/halved.py" -n 2 --temperature 0 --seed 1
check evidence_names_it grep -q '^# smith seedling: 2 proposed' "$tmp/out"
check nobody_stood_in sh -c "! grep -q 'instead' $tmp/err"
check drafts_that_fail exits 0 "$bin" mint relu2 -n 2 --seed 1
check the_grammar_stands_in grep -q "none of seedling's 2 drafts for relu2 was accepted; the grammar smith writes instead" "$tmp/err"
check what_stood_in_is_named grep -q '^# smith grammar: ' "$tmp/out"
check an_op_far_from_what_it_knows exits 0 "$bin" mint "$tmp/sine.py" -n 2 --seed 1
check says_why grep -q 'seedling has not seen ops like sine: none of those has sin; the grammar smith writes instead' "$tmp/err"
check the_grammar_by_name exits 0 "$bin" mint relu2 --smith grammar -n 2 --seed 1
check it_says_nothing sh -c "! grep -q seedling $tmp/err"
echo damaged >"$tmp/m.gguf"
check a_damaged_file exits 0 "$bin" mint relu2 -n 2 --seed 1
check says_that_it_is_damaged grep -q 'm.gguf: no GGUF file.*; the grammar smith writes instead' "$tmp/err"
# The variable names a file, never a smith: nothing is run or asked because of it, and nothing takes seedling's name.
for name in grammar http://localhost/v1#m; do
    OUROBOROS_SEEDLING=$name
    check "no_file_${name%%:*}" exits 0 "$bin" mint relu2 -n 1 --seed 1 --json
    check "told_${name%%:*}" sh -c "grep -q '\./$name: No such file.*; the grammar smith writes instead' '$tmp/err' && grep -q '\"smith\":\"grammar\"' '$tmp/out'"
done
# A file that opens, and whose weights are no numbers: the reason is told, not only that no draft came.
python3 - models/seedling.gguf "$tmp/nan.gguf" <<'END'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[-768:] = b"\0\0\xc0\x7f" * 192  # the last norm
open(sys.argv[2], "wb").write(b)
END
OUROBOROS_SEEDLING=$tmp/nan.gguf
check damaged_weights exits 0 "$bin" mint relu2 -n 1 --seed 1
check says_what_it_is grep -q "seedling failed after 0 drafts for relu2: .*its weights are damaged; the grammar smith writes instead" "$tmp/err"
OUROBOROS_SEEDLING=$tmp/none.gguf
check a_file_that_is_not_there exits 0 "$bin" mint relu2 -n 2 --seed 1
check it_is_told grep -q 'none.gguf: .*; the grammar smith writes instead' "$tmp/err"
OUROBOROS_SEEDLING=
check no_file_at_all exits 0 "$bin" mint relu2 -n 2 --seed 1
check then_nothing_is_said sh -c "! grep -q -e seedling -e instead $tmp/err"

# The file that is shipped, as whoever has set nothing meets it: a chain that was held out of its training, and one of an
# epilogue that it has never seen, where it may fail and says so.
unset OUROBOROS_SEEDLING
check what_is_shipped exits 0 "$bin" mint add_rmsnorm_silu -n 8 --seed 1
check is_asked grep -q '^# smith seedling: 8 proposed' "$tmp/out"
check an_unseen_epilogue exits 0 "$bin" mint add_rmsnorm_mish -n 8 --seed 1
check has_an_answer_too grep -q -e '^# smith seedling: 8 proposed' -e '^# smith grammar: ' "$tmp/out"
# What the user has named beside it, here an adapter, is not passed over with it.
check an_adapter_that_is_not_there exits 3 "$bin" mint relu2 --adapter "$tmp/none" -n 2 --seed 1 --json
check it_is_the_error grep -q '"error":.*none: ' "$tmp/out"
