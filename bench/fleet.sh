#!/bin/sh
# fleet.sh GPUS OUT OPS PART... - parts of gpu_runs.sh, one after the other, on the first GPUS cards of a machine side by side.
# Each card has a share of the ops (every GPUS-th of OPS, with commas between), of the processors, and $STATE.K for itself. What a part
# writes is in OUT/K. $EACH: so many processors a card, so that others are free for other work. Variables that gpu_runs.sh knows hold for all cards; $SECONDS_IN_ALL is for each part.
gpus=$1
out=$2
ops=$3
shift 3
here=$(dirname "$0")
each=${EACH:-$(($(nproc) / gpus))}
gpu=0
while [ $gpu -lt "$gpus" ]; do
    mine=$(echo "$ops" | tr , '\n' | awk -v k=$gpu -v n="$gpus" 'NR % n == k' | paste -sd, -)
    [ -n "$mine" ] || break # fewer ops than cards
    mkdir -p "$out/$gpu"
    (
        export CUDA_VISIBLE_DEVICES=$gpu STATE="${STATE:-/tmp/ouroboros-gpu-state}.$gpu" OPS="$mine"
        for part in "$@"; do
            taskset -c $((gpu * each))-$((gpu * each + each - 1)) sh "$here/gpu_runs.sh" "$part" "$out/$gpu"
        done
    ) >"$out/$gpu/all.log" 2>&1 &
    gpu=$((gpu + 1))
done
wait
tail -n 12 "$out"/*/all.log
