#!/bin/sh
# seedling_experiments.sh OUROBOROS WORK OUT - what in the recipe matters: small runs that differ in one thing, of the same
# number of tokens, each followed by 20 drafts of every op of the suite. WORK is a folder of seedling.sh that has a corpus.
#   STEPS=600    of 8,192 tokens
#   AT=2         runs at a time, each with CORES_EACH=1 threads
# OUT gets NAME.metrics.jsonl, NAME.eval.jsonl and NAME.md, the table of bench/seedling_table.py.
set -eu
program=$1 work=$2 out=$3
here=$(dirname "$0")
steps=${STEPS:-600} at=${AT:-2} each=${CORES_EACH:-1}
mkdir -p "$out" "$work/experiments"

data() { # NAME OPTIONS... : the corpus written out in another way
    name=$1
    shift
    [ -e "$work/experiments/$name/train.jsonl" ] ||
        "$program" corpus export --per-op 40 --seed 1 --state "$work/state" -o "$work/experiments/$name" "$@" >&2
}

one() { # NAME DATA PROFILE SIZE : trained, quantised, and asked
    [ -e "$out/$1.md" ] && return 0
    run=$work/experiments/run_$1
    resume=
    [ -d "$run" ] && resume=--resume
    "$program" train tokenizer --data "$2" --vocab 2048 -o "$run.tokenizer.json" >&2
    "$program" train sft --fresh "$4" --data "$2" --tokenizer "$run.tokenizer.json" --steps "$steps" --batch 8192 \
        --rate 0.0025 --warmup 60 --floor 0.02 --decay 0.05 --seed 1 --hold-out 0.005 --evaluate-every 100 --save-every 100 \
        --kv f32 --jobs "$each" $resume -o "$run" >"$run.log" 2>&1
    "$program" model quantize "$(ls -d "$run"/checkpoint-* | sort | tail -1)" "$run.gguf" --type q8_0 >&2
    "$program" eval --ops "@$work/ops/known.txt" --smith "$run.gguf" --profile "$3" -n 20 --k 1,8 --temperature 0.7 --top-p 0.97 \
        --top-k 0 --seed 1 --level full --state "$run.state" -o "$out/$1.eval.jsonl" >"$run.eval.log" 2>&1 || true
    cp "$run/metrics.jsonl" "$out/$1.metrics.jsonl"
    python3 "$here/seedling_table.py" "$work/ops/known.txt" "$2" "$out/$1.eval.jsonl" >"$out/$1.md"
}

data base --profile seedling
data no_plan --profile seedling --no-plan
data no_formula --profile "$here/seedling_name.txt"
whole=$work/experiments/base/train.jsonl
# A quarter of the rows, by turns: the same ops, fewer kernels of each.
awk 'NR % 4 == 1' "$whole" >"$work/experiments/quarter.jsonl"

running=0
start() {
    one "$@" &
    running=$((running + 1))
    if [ $((running % at)) = 0 ]; then wait; fi
}
start base "$whole" seedling 6x192
start small "$whole" seedling 4x128
start large "$whole" seedling 6x256
start quarter "$work/experiments/quarter.jsonl" seedling 6x192
start no_plan "$work/experiments/no_plan/train.jsonl" seedling 6x192
start no_formula "$work/experiments/no_formula/train.jsonl" "$here/seedling_name.txt" 6x192
wait
"$program" eval --ops "@$work/ops/known.txt" --smith grammar -n 20 --k 1,8 --seed 1 --level full --state "$work/experiments/grammar.state" \
    -o "$out/grammar.eval.jsonl" >&2 || true
python3 "$here/seedling_table.py" "$work/ops/known.txt" "$whole" "$out/grammar.eval.jsonl" >"$out/grammar.md"
head -n 5 "$out"/*.md
