#!/bin/sh
# labels.sh - whether what a wrong program is called depends on the seed: each file is judged with SEEDS seeds far apart (their
# upper bits choose, too), and the statuses are counted. Only the numeric ones count: inaccurate, incorrect, nan_class are one finding of different size, and
# the label is to follow from the worst of the whole draw. Fails if a file has more than one of them.
# SEEDS=40 LEVEL=quick OUROBOROS=build/ouroboros; files: arguments, or the wrong programs of the suite
set -u
bin=${OUROBOROS:-build/ouroboros}
seeds=${SEEDS:-40}
level=${LEVEL:-quick}
work=$(mktemp -d "${TMPDIR:-/tmp}/labels.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
[ $# -gt 0 ] || set -- src/op/suite/wrong/*.py
files=0
changed=0
order=0
for file in "$@"; do
    op=$(sed -n 's/^# op: *\([^ ]*\).*/\1/p' "$file" | head -n 1)
    [ -n "$op" ] || continue
    files=$((files + 1))
    seed=1
    while [ "$seed" -le "$seeds" ]; do
        "$bin" referee "$file" --op "$op" --level "$level" --seed "$((seed * 2654435761))" --json --state "$work/state" 2>"$work/err" |
            sed -n 's/.*"status": *"\([a-z_]*\)".*/\1/p'
        seed=$((seed + 1))
    done | sort | uniq -c | awk '{ printf "%s%s %d", (NR > 1 ? ", " : ""), $2, $1 } END { print "" }' >"$work/line"
    all=$(tr ',' '\n' <"$work/line" | grep -c .)
    [ "$all" -gt 1 ] || continue
    numeric=$(tr ',' '\n' <"$work/line" | grep -c 'inaccurate\|incorrect\|nan_class')
    printf '%s: %s\n' "$(basename "$file")" "$(cat "$work/line")"
    if [ "$numeric" -gt 1 ]; then changed=$((changed + 1)); else order=$((order + 1)); fi
done
printf '%d files, %d seeds, level %s: %d change between numeric labels, %d otherwise\n' "$files" "$seeds" "$level" "$changed" "$order"
[ "$changed" = 0 ]
