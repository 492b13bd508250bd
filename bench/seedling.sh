#!/bin/sh
# seedling.sh OUROBOROS WORK - makes the default model from nothing: ops, a corpus that the referee accepted, a tokenizer,
# training, and the file WORK/seedling.gguf. What is there already is not made again, so a call that was interrupted goes
# on where it ended. `make seedling` calls it.
#   JOBS     threads; all cores without it. Their number changes no byte of the result.
#   SIZE, STEPS, BATCH, RATE, WARMUP, SCHEDULE   of the training
#   KNOWN, CHAINS, MADE, DRAFTS        ops and drafts of the corpus
#   ONLY     corpus: stop before the training; train: after it, without the file
set -eu
program=$1
work=$2
here=$(dirname "$0")
size=${SIZE:-6x192} steps=${STEPS:-1800} batch=${BATCH:-8192} rate=${RATE:-0.003} warmup=${WARMUP:-100}
schedule=${SCHEDULE:-wsd}
jobs=${JOBS:+--jobs $JOBS}
mkdir -p "$work"
say() { echo "seedling: $*" >&2; }

# Drafts without a verdict (exit code 4) leave a corpus that is smaller, and good.
build() {
    [ -s "$1" ] || return 0
    code=0
    "$program" corpus build --ops "@$1" -n "$2" --smith grammar:narrow --skip-unfit --seed 1 --state "$work/state" $jobs >&2 || code=$?
    case $code in 0 | 4) ;; *) exit $code ;; esac
}

if [ ! -e "$work/ops/made.txt" ]; then
    say "ops to learn from"
    python3 "$here/seedling_ops.py" "$program" "$work/ops" --chains "${CHAINS:-500}" --made "${MADE:-1000}"
fi
if [ ! -e "$work/data/train.jsonl" ]; then
    say "corpus: kernels of these ops, each judged at full"
    build "$work/ops/known.txt" "${KNOWN:-40}"
    build "$work/ops/chains.txt" "${DRAFTS:-8}"
    build "$work/ops/made.txt" "${DRAFTS:-8}"
    "$program" corpus export --profile seedling --per-op 40 --seed 1 --state "$work/state" -o "$work/data" >&2
fi
if [ ! -e "$work/tokenizer.json" ]; then
    "$program" train tokenizer --data "$work/data/train.jsonl" --vocab 2048 -o "$work/tokenizer.json" >&2
fi
[ "${ONLY:-}" = corpus ] && exit 0

say "training: $size, $steps steps of $batch tokens"
resume=
[ -d "$work/run" ] && resume=--resume
set -- train sft --fresh "$size" --data "$work/data/train.jsonl" --tokenizer "$work/tokenizer.json" --profile seedling \
    --steps "$steps" --batch "$batch" --rate "$rate" --schedule "$schedule" --warmup "$warmup" --floor 0.02 --decay 0.05 --seed 1 \
    --hold-out 0.005 --evaluate-every 200 --save-every 100 --kv f32 $jobs $resume -o "$work/run"
[ "${ONLY:-}" = train ] && exec "$program" "$@" # a signal to this process is one to the training
"$program" "$@" >&2

last=$work/run/checkpoint-$(printf %06d "$steps")
[ -d "$last" ] || { say "stopped before step $steps; the same call goes on"; exit 4; }
"$program" model quantize "$last" "$work/seedling.gguf" --type q8_0 >&2
say "$work/seedling.gguf"
