#!/bin/sh
# gpu_runs.sh PART OUT - runs on a machine with an NVIDIA GPU, Python with Triton 3.6 and PyTorch; the program is $BIN.
# Everything that a part prints and writes is in OUT/PART.tar.gz; OUT/PART.log says how each step ended and how long it took.
#   first   baselines tuned and kept, fresh processes, replayed runs, why replays are quicker, timed verdicts a second
#   second  mint --gpu, the published grid of softmax with its picture, timed verdicts beside PyTorch, several outputs
#   third   timed verdicts a second again, kernels beside twins and slower ones, faults, fresh processes; $FLOORS is gpu-floors
#   fourth  an op that changes its input in place beside PyTorch, in fresh processes, and the same work into memory of its own
#   fifth   the model's picks, minted without a GPU: eight ops at the six published shapes beside streaming and, as far as the time
#           goes, beside PyTorch; then mint --gpu. $BASELINES: a folder that an earlier fifth has left (fifth/baselines), so that
#           a second run tunes what the first did not get to. $SECONDS_IN_ALL (470)
#   sixth   champions of the published grid's ops; $CHAMPIONS: a folder of an earlier sixth, which goes on then. $SEARCH seconds an op (8);
#           $OPS and $SHAPES, with commas and with spaces between: others than the grid's
#   seventh cells of the grid beside PyTorch, with the kernels of $CHAMPIONS; $CELLS: a file of an earlier seventh, $BASELINES as above;
#           $DTYPES (fp16,bf16); $UNSEEN: these ops first, at six shapes that no search saw ($UNSEEN_CELLS as $CELLS). Cells of this run are
#           added to $STATE/cells.jsonl. Baselines come back apart: cat baselines.tar.xz.* | tar -xJ; $STAYS: they stay in $STATE
#           $LIKE: a file of cells; no others are timed
#   eighth  calls from Python beside CUDA graphs, 12 cells; a replay of cross_entropy
#   ninth   24 cells: 8 ops at 3 sizes, each op's own kernel, the model's pick and three forms written by hand (forms.py), by both clocks
#   tenth   the model's picks, minted without a GPU, at the cells of the grid whose baselines are kept in $STATE (its cells.jsonl), or at
#           those of $LIKE
#   unseen  champions at six shapes that no search saw, float16
#   clock   is it right? Who ran before (order_of_rounds.py), twins and a planted 3 %, one kernel in ten processes; $FLOORS as above
#   stable  champions at one shape each in five fresh processes; baselines as they are kept
# A part takes 6 to 8 minutes, or as long as $SECONDS_IN_ALL says; no step may take longer than its own limit. $OPS: these ops only.
# fleet.sh runs parts on several GPUs of one machine side by side, each with a share of the ops.
part=$1
out=$2
bin=${BIN:-build/release/ouroboros}
here=$(dirname "$0")
state=${STATE:-/tmp/ouroboros-gpu-state}
work=$out/$part
mkdir -p "$work" || exit 2
log=$out/$part.log
step() { # NAME SECONDS COMMAND... : its output in NAME.out and NAME.err
    name=$1
    limit=$2
    shift 2
    from=$(date +%s)
    timeout "$limit" "$@" >"$work/$name.out" 2>"$work/$name.err"
    code=$?
    echo "$name: exit $code, $(($(date +%s) - from)) s" | tee -a "$log"
    [ $code = 0 ] || tail -n 5 "$work/$name.err" | tee -a "$log"
}
bench() { # NAME SECONDS OP FILE ARGUMENTS...
    name=$1
    limit=$2
    op=$3
    file=$4
    shift 4
    step "$name" "$limit" "$bin" bench "$file" --op "$op" --state "$state" --json "$@"
}
short() { # NAME : what its JSON says, in a line for each cell
    python3 - "$work/$1.out" <<'EOF' | tee -a "$log"
import json
import sys

try:
    times = json.load(open(sys.argv[1]))["times"]
except (OSError, ValueError, KeyError) as e:
    print("  nothing to read:", e)
    sys.exit()
print("  compiles", times["compiles"])
for c in times["cells"]:
    us = lambda f: f and round(f["us"], 2)
    beside = {b["name"]: (us(b["device"]), us(b["own_device"])) for b in c["baselines"]}
    s = c["stability"]
    print("  ", c["shape"], c["dtype"], c["status"], us(c["device"]), "yardstick", us(c["yardstick"]), "ratio", c["ratio"] and round(c["ratio"], 3), "kept" if c["kept"] else "tuned", beside, {k: round(v, 2) for k, v in c["seconds"].items()}, s and {k: s[k] for k in ("us", "spread", "ratio_spread")}, c["why"] or "")
EOF
}
twins_tell() {
    python3 - "$work/twins.out" <<'EOF' | tee -a "$log"
import json
import sys

pairs = [r for r in map(json.loads, open(sys.argv[1])) if "pair" in r]
twin, slower = sorted(r["twin"] for r in pairs), sorted(r["slower"] for r in pairs)
if pairs:
    print("  %d pairs: twins %.4f to %.4f, 3 %% slower %.4f to %.4f" % (len(pairs), twin[0], twin[-1], slower[0], slower[-1]))
    print("  within 1 %%: %d, found (above 1.01): %d" % (sum(abs(x - 1) < 0.01 for x in twin), sum(x > 1.01 for x in slower)))
EOF
}
gold=$here/../src/op/suite/gold
echo "$part: $("$bin" --version), $(date -u +%Y-%m-%dT%H:%MZ)" | tee "$log"
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.draw,temperature.gpu --format=csv,noheader | tee -a "$log"
case $part in
first)
    bench tuned 120 softmax "$gold/softmax.py" --shape 1024x4096 --shape 4096x4096 --stability 10
    short tuned
    bench replayed 60 softmax "$gold/softmax.py" --shape 1024x4096 --shape 4096x4096 --stability 5
    short replayed
    for op in softmax rmsnorm layernorm; do
        step "gap-$op-small" 60 python3 "$here/replay_gap.py" "$bin" --op $op --shape 1024x4096
        cat "$work/gap-$op-small.out" | tee -a "$log"
    done
    step gap-softmax-middle 60 python3 "$here/replay_gap.py" "$bin" --op softmax --shape 4096x4096
    cat "$work/gap-softmax-middle.out" | tee -a "$log"
    step verdicts 260 python3 "$here/timed_verdicts.py" "$bin" -n 200 --seconds 230 --state "$state" -o "$work/verdicts.jsonl"
    cat "$work/verdicts.out" "$work/verdicts.err" | tail -n 12 | tee -a "$log"
    ;;
second)
    for op in softmax layernorm add_rmsnorm_gelu; do
        step "mint-$op" 90 "$bin" mint $op -n 24 --seed 3 --gpu --shape 4096x4096 --dtype fp16 --state "$state" -o "$work/mint-$op.py"
        grep '^# on ' "$work/mint-$op.py" | tee -a "$log"
    done
    bench grid 240 softmax "$gold/softmax.py" --grid six --dtype fp16 -o "$work/cells" --svg "$work/grid.svg"
    short grid
    bench resumed 60 softmax "$gold/softmax.py" --grid six --dtype fp16 -o "$work/cells" --svg "$work/grid.svg"
    short resumed
    step beside 120 python3 "$here/timed_verdicts.py" "$bin" -n 40 --ops softmax --beside --seconds 100 --state "$state" -o "$work/beside.jsonl"
    cat "$work/beside.out" "$work/beside.err" | tail -n 12 | tee -a "$log"
    bench outputs 90 "$here/../examples/layernorm_stats.py" "$here/../examples/layernorm_forward.py" --shape 1024x4096 --shape 4096x4096
    short outputs
    ;;
third)
    step verdicts 250 python3 "$here/timed_verdicts.py" "$bin" -n 200 --twice 20 --seconds 220 --state "$state" -o "$work/verdicts.jsonl"
    cat "$work/verdicts.out" "$work/verdicts.err" | tail -n 14 | tee -a "$log"
    floors=${FLOORS:-build/release/gpu-floors}
    step twins 60 "$floors" --twins 50
    twins_tell
    step faults 60 "$floors" --faults 2
    grep -E '"(fault|after)"' "$work/faults.out" | tee -a "$log"
    bench stability 60 softmax "$gold/softmax.py" --shape 1024x4096 --shape 4096x4096 --shape 8192x4096 --stability 10 --alone
    short stability
    # The yardstick moves by 3.6 % with the kernel beside it: is it the kernel?
    "$bin" propose softmax -n 50 --seed 11 --json >"$work/softmax.jsonl"
    for i in 18 19 20; do
        python3 -c 'import json, sys
print(list(dict.fromkeys(json.loads(l)["source"] for l in open(sys.argv[1])))[int(sys.argv[2])])' "$work/softmax.jsonl" $i >"$work/beside-$i.py"
        for run in a b; do
            bench "beside-$i-$run" 30 softmax "$work/beside-$i.py" --shape 8192x4096 --alone
            short "beside-$i-$run"
        done
    done
    ;;
fourth)
    rope=$here/../examples/rope_in_place
    bench in-place 240 "$rope/rope_in_place.py" "$rope/kernel.py" --shape 1024x4096 --shape 4096x4096 --shape 8192x4096
    short in-place
    # The same loads and stores into a tensor of its own, timed without restoring anything: how far are the two methods apart?
    sed -e '/^outputs = /d' -e 's/, in place\././' "$rope/rope_in_place.py" >"$work/rope_elsewhere.py"
    sed -e 's/^def rotate(x, /def rotate(x, out, /' -e 's/tl.store(x + /tl.store(out + row * 2 * n + /' \
        -e 's/^    rotate\[(M,)\](x, /    out = torch.empty((M, N), dtype=x.dtype, device=x.device)\n    rotate[(M,)](x, out, /' \
        -e 's/^    return x$/    return out/' "$rope/kernel.py" >"$work/elsewhere.py"
    for run in a b; do
        bench "in-place-$run" 60 "$rope/rope_in_place.py" "$rope/kernel.py" --shape 1024x4096 --shape 4096x4096 --shape 8192x4096 --stability 5 --alone
        short "in-place-$run"
        bench "elsewhere-$run" 60 "$work/rope_elsewhere.py" "$work/elsewhere.py" --shape 1024x4096 --shape 4096x4096 --shape 8192x4096 --stability 5 --alone
        short "elsewhere-$run"
    done
    bench elsewhere 240 "$work/rope_elsewhere.py" "$work/elsewhere.py" --shape 1024x4096 --shape 4096x4096
    short elsewhere
    ;;
fifth)
    # What is tuned fastest comes first.
    ops="swiglu gelu rmsnorm add_rmsnorm_gelu layernorm log_softmax softmax cross_entropy"
    from_all=$(date +%s)
    in_all=${SECONDS_IN_ALL:-470}
    left() { echo $((in_all - $(date +%s) + from_all)); }
    within() { # NAME SECONDS COMMAND... : not at all in the last 15 seconds, and never beyond the last
        name=$1
        limit=$2
        shift 2
        [ "$(left)" -gt 15 ] || {
            echo "$name: no time is left" | tee -a "$log"
            return
        }
        [ "$limit" -le "$(left)" ] || limit=$(left)
        step "$name" "$limit" "$@"
    }
    mkdir -p "$state/gpu/baselines" "$work/picks"
    if [ -n "${BASELINES:-}" ]; then cp "$BASELINES"/* "$state/gpu/baselines/"; fi
    for op in $ops; do # eight processes, no GPU
        "$bin" mint $op --seed 3 --target h100 --state "$work/state-$op" -o "$work/picks/$op.py" >"$work/pick-$op.out" 2>"$work/pick-$op.err" &
    done
    wait
    for op in $ops; do grep -h '^# Minted by\|^# rank model' "$work/picks/$op.py" | tee -a "$log"; done
    echo "picks: $((in_all - $(left))) s" | tee -a "$log"
    for op in $ops; do
        within "alone-$op" 40 "$bin" bench "$work/picks/$op.py" --op $op --grid six --dtype fp16 --alone -o "$work/alone" --state "$state" --json
    done
    for op in $ops; do
        within "cells-$op" 150 "$bin" bench "$work/picks/$op.py" --op $op --grid six --dtype fp16 -o "$work/cells" --state "$state" --json
    done
    for op in $ops; do
        within "search-$op" 40 "$bin" mint $op -n 24 --seed 3 --gpu --alone --target h100 --shape 4096x4096 --dtype fp16 --state "$state" -o "$work/search-$op.py"
        grep -h '^# on ' "$work/search-$op.py" 2>/dev/null | tee -a "$log"
    done
    cp -r "$state/gpu/baselines" "$work/baselines"
    rm -rf "$work"/state-*
    python3 "$here/cells_summary.py" "$work/alone" "$work/cells" | tee -a "$log"
    ;;
sixth)
    kept=$work/champions
    mkdir -p "$kept"
    if [ -n "${CHAMPIONS:-}" ]; then cp "$CHAMPIONS"/* "$kept/"; fi
    ops=${OPS:-$(python3 "$here/grid.py" --ops-of-the-grid)}
    shapes=
    for s in ${SHAPES:-}; do shapes="$shapes --shape $s"; done
    # An interrupt ends the search of the op at hand, which is still decided.
    step champions "${SECONDS_IN_ALL:-480}" timeout -s INT -k 40 $((${SECONDS_IN_ALL:-480} - 45)) "$bin" champions "$ops" --gpu --search "${SEARCH:-8}" -o "$kept" --state "$state" $shapes
    cat "$work/champions.out" | tee -a "$log"
    mkdir -p "$state/champions" && cp "$kept"/* "$state/champions/"
    ;;
seventh)
    from_all=$(date +%s)
    in_all=${SECONDS_IN_ALL:-480}
    left() { echo $((in_all - $(date +%s) + from_all)); }
    mkdir -p "$state/gpu/baselines"
    if [ -n "${BASELINES:-}" ]; then cp "$BASELINES"/* "$state/gpu/baselines/"; fi
    touch "$state/cells.jsonl"
    cat ${CELLS:+"$CELLS"} "$state/cells.jsonl" >"$work/grid.jsonl"
    lines=$(wc -l <"$work/grid.jsonl")
    champions=${CHAMPIONS:-$state/champions}
    which="--ops ${OPS:-$(python3 "$here/grid.py" --ops-of-the-grid)}"
    if [ -n "${SHAPES:-}" ]; then which="$which --shapes $(echo $SHAPES | tr ' ' ,)"; fi
    if [ -n "${LIKE:-}" ]; then which="$which --like $LIKE"; fi
    if [ -n "${UNSEEN:-}" ]; then # first, and no more than half of the time
        if [ -n "${UNSEEN_CELLS:-}" ]; then cp "$UNSEEN_CELLS" "$work/unseen.jsonl"; fi
        step unseen $((in_all / 2)) python3 "$here/grid.py" "$bin" --kernels "$champions" -o "$work/unseen.jsonl" --unseen --ops "$UNSEEN" --dtypes fp16 --seconds $((in_all / 2 - 50)) --state "$state"
        cat "$work/unseen.out" | tee -a "$log"
        python3 "$here/grid.py" --sum "$work/unseen.jsonl" | tee -a "$log"
    fi
    step grid $(($(left) - 5)) python3 "$here/grid.py" "$bin" --kernels "$champions" -o "$work/grid.jsonl" $which --dtypes "${DTYPES:-fp16,bf16}" --seconds $(($(left) - 60)) --state "$state"
    cat "$work/grid.out" | tee -a "$log"
    python3 "$here/grid.py" --sum "$work/grid.jsonl" --svg "$work/grid.svg" | tee -a "$log"
    python3 "$here/grid.py" --sum "$work/grid.jsonl" --replays | tail -n 40 | tee -a "$log"
    tail -n +$((lines + 1)) "$work/grid.jsonl" >>"$state/cells.jsonl" # those whose baselines are here
    # Apart, in pieces that are not too large to be brought back.
    [ -n "${STAYS:-}" ] || tar -cJf - -C "$state/gpu" baselines | split -b 15000000 - "$out/baselines.tar.xz."
    ;;
eighth)
    for op in cross_entropy softmax; do
        step "gap-$op" 60 python3 "$here/replay_gap.py" "$bin" --once --op $op
        cat "$work/gap-$op.out" | tee -a "$log"
    done
    for op in softmax swiglu rmsnorm layernorm; do
        bench "calls-$op" 120 $op "$gold/$op.py" --shape 1024x4096 --shape 4096x4096 --shape 8192x4096 --calls
        short "calls-$op"
    done
    ;;
ninth)
    python3 "$here/forms.py" "$work/forms"
    mkdir -p "$work/forms/own" "$work/forms/pick"
    for op in $(echo "${OPS:-softmax,log_softmax,rmsnorm,layernorm,add_rmsnorm_gelu,gelu,swiglu,cross_entropy}" | tr , ' '); do
        cp "$gold/$op.py" "$work/forms/own/"
        step "pick-$op" 60 "$bin" mint $op --seed 3 --target h100 --state "$work/state-$op" -o "$work/forms/pick/$op.py"
        rm -rf "$work/state-$op"
        for form in own pick rule pair loop; do # PyTorch is tuned beside the first and replayed beside the others
            bench "$form-$op" 150 $op "$work/forms/$form/$op.py" --shape 1024x4096 --shape 4096x4096 --shape 8192x4096 --dtype fp16
            short "$form-$op"
        done
    done
    ;;
tenth)
    mkdir -p "$work/picks"
    for op in $(echo "${OPS:-$(python3 "$here/grid.py" --ops-of-the-grid)}" | tr , ' '); do # no GPU
        "$bin" mint $op --seed 3 --target h100 --state "$work/state-$op" -o "$work/picks/$op.py" >"$work/pick-$op.out" 2>"$work/pick-$op.err" &
    done
    wait
    rm -rf "$work"/state-*
    grep -h '^# Minted by' "$work/picks/"*.py | tee -a "$log"
    step grid "${SECONDS_IN_ALL:-480}" python3 "$here/grid.py" "$bin" --kernels "$work/picks" -o "$work/grid.jsonl" ${OPS:+--ops "$OPS"} --like "${LIKE:-$state/cells.jsonl}" --seconds $((${SECONDS_IN_ALL:-480} - 60)) --state "$state"
    python3 "$here/grid.py" --sum "$work/grid.jsonl" | tee -a "$log"
    ;;
clock)
    floors=${FLOORS:-build/release/gpu-floors}
    step order 120 "$floors" --order 8
    step shares 20 python3 "$here/order_of_rounds.py" "$work/order.out"
    tee -a "$log" <"$work/shares.out"
    step twins 60 "$floors" --twins 50
    twins_tell
    for op in softmax add_rmsnorm_relu; do
        bench "ten-$op" 120 $op "${CHAMPIONS:-champions}/$op.py" --shape 1024x4096 --shape 8192x4096 --dtype fp16 --stability 10 --alone
        short "ten-$op"
    done
    ;;
unseen)
    ops=$(echo "${OPS:-$(python3 "$here/grid.py" --ops-of-the-grid)}" | tr , '\n' | grep -v rope | paste -sd, -)
    step unseen "${SECONDS_IN_ALL:-480}" python3 "$here/grid.py" "$bin" --kernels "${CHAMPIONS:-$state/champions}" -o "$work/unseen.jsonl" --unseen --ops "$ops" --dtypes fp16 --seconds $((${SECONDS_IN_ALL:-480} - 60)) --state "$state"
    python3 "$here/grid.py" --sum "$work/unseen.jsonl" | tee -a "$log"
    ;;
stable)
    for op in $(echo "${OPS:-$(python3 "$here/grid.py" --ops-of-the-grid)}" | tr , ' '); do
        case $op in *rope*) shape=32768x128 ;; *) shape=8192x4096 ;; esac
        bench "stable-$op" 60 $op "${CHAMPIONS:-$state/champions}/$op.py" --shape $shape --dtype "${DTYPES:-bf16}" --stability 5
        short "stable-$op"
    done
    ;;
*)
    echo "PART is first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, unseen, clock or stable" >&2
    exit 2
    ;;
esac
tar -czf "$out/$part.tar.gz" -C "$out" "$part" && rm -rf "$work"
