#!/bin/sh
# compare.sh OLD NEW [PAIRS [PART...]] - how much processor time two builds take for the same work: OLD and NEW are programs, or
# revisions, which are built below build/compare. Parts: referee (gold kernels at level full), stream (kernels of the
# grammar at level quick), model (tokens of the checkpoint that MODEL names; left out without one). Runs alternate, and the
# order within a pair as well, so that a busy machine slows both; PAIRS is 10. Prints medians, the ratio of each pair's
# times as median and quartiles, and fails if a median ratio is above 1.03.
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -ge 2 ] || { echo "usage: compare.sh OLD NEW [PAIRS [referee|stream|model...]]" >&2; exit 2; }
program() { # REVISION or a program; prints the program
    if [ -x "$1" ] && [ ! -d "$1" ]; then echo "$1"; return; fi
    sha=$(git rev-parse --verify --quiet "$1^{commit}") || { echo "compare.sh: \"$1\" is neither a program nor a revision" >&2; return 1; }
    tree=build/compare/$sha
    [ -d "$tree" ] || git worktree add --quiet --detach "$tree" "$sha" >&2 || return 1
    make --no-print-directory -C "$tree" -j"$(nproc 2>/dev/null || echo 2)" build/ouroboros >"$tree.log" 2>&1 ||
        { echo "compare.sh: $1 does not build: see $tree.log" >&2; return 1; }
    echo "$tree/build/ouroboros"
}
mkdir -p build/compare
old=$(program "$1") && new=$(program "$2") || exit 1
pairs=${3:-10}
if [ $# -ge 3 ]; then shift 3; else shift 2; fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
XDG_STATE_HOME=$tmp/state
export XDG_STATE_HOME
golds="softmax rmsnorm layernorm gelu rope cross_entropy swiglu add_layernorm_gelu"
# The same requests for both.
for op in $golds; do "$new" propose "$op" -n 12 --seed 7 --json; done >"$tmp/requests" 2>/dev/null
work() { # PART PROGRAM
    case $1 in
    # shellcheck disable=SC2086
    referee) "$2" selftest $golds --seed 11 ;;
    stream) "$2" referee --stream --fresh <"$tmp/requests" ;;
    model) echo "A kernel that adds two vectors:" | "$2" generate "$MODEL" --seed 3 --temperature 1 --max-tokens 64 ;;
    *) echo "compare.sh: no part \"$1\"" >&2; return 1 ;;
    esac >"$tmp/out" 2>"$tmp/err"
}
seconds() ( # PART PROGRAM : of a process that has run nothing else
    work "$1" "$2" || { cat "$tmp/err" >&2; exit 1; }
    times >"$tmp/times"
    awk 'NR == 2 { split($1 "m" $2, t, /[ms]+/); printf "%.2f\n", 60 * (t[1] + t[3]) + t[2] + t[4] }' "$tmp/times"
)
failed=0
for part in ${*:-referee stream ${MODEL:+model}}; do
    : >"$tmp/pairs"
    for i in $(seq "$pairs"); do
        if [ $((i % 2)) = 0 ]; then a=$(seconds "$part" "$old") && b=$(seconds "$part" "$new")
        else b=$(seconds "$part" "$new") && a=$(seconds "$part" "$old"); fi || exit 1
        echo "$a $b" >>"$tmp/pairs"
    done
    middle() { sort -n | awk -v q="$1" '{ v[NR] = $1 } END { x = 1 + (NR - 1) * q; l = int(x); h = l < NR ? l + 1 : l; printf "%.3f", v[l] + (x - l) * (v[h] - v[l]) }'; }
    ratios() { awk '$1 > 0 { print $2 / $1 }' "$tmp/pairs"; }
    ratio=$(ratios | middle 0.5)
    printf '%-8s %8.2f s %8.2f s of processor time, medians of %d pairs; new/old %s (quartiles %s, %s)\n' "$part" \
        "$(cut -d' ' -f1 "$tmp/pairs" | middle 0.5)" "$(cut -d' ' -f2 "$tmp/pairs" | middle 0.5)" "$pairs" \
        "$ratio" "$(ratios | middle 0.25)" "$(ratios | middle 0.75)"
    awk -v r="$ratio" 'BEGIN { exit !(r <= 1.03) }' || failed=1
done
exit $failed
