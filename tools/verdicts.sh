#!/bin/sh
# verdicts.sh BINARY OUT [LEVELS] - records what a build decides about the built-in programs and the grammar's kernels, one line each,
# to compare two versions:  sh tools/verdicts.sh OLD old.txt && sh tools/verdicts.sh NEW new.txt && cmp old.txt new.txt
# Texts, seeds and times are left out: accepted, status, rule, cases, the worst element and the traffic must stay.
# KERNELS=DIR keeps the grammar's kernels there and uses what is there already, so that two builds judge the same files.
# PROGRAMS=TREE takes the built-in programs of another checkout: those of the older build, when two are compared.
# FULL_EVERY=N judges every Nth file alone at full, which takes ten times as long as quick.
set -u
[ $# -ge 2 ] || { echo "usage: verdicts.sh BINARY OUT [LEVELS]" >&2; exit 2; }
bin=$(realpath "$1") here=$(realpath "$0") out=$(realpath -m "$2") levels=${3:-quick full}
cd "${PROGRAMS:-$(dirname "$0")/..}" || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
kernels=${KERNELS:-$tmp/kernels}
if [ ! -d "$kernels" ]; then
    mkdir -p "$kernels"
    for op in $("$bin" ops | sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p'); do
        for seed in 1 2 3; do
            { echo "# op: $op"; "$bin" propose "$op" -n 1 --seed $seed; } >"$kernels/${op}_$seed.py" 2>"$tmp/err"
        done
        { echo "# op: $op"; "$bin" propose "$op" -n 1 --seed 4 --flaw sign; } >"$kernels/${op}_flaw.py" 2>"$tmp/err"
    done
    find "$kernels" -size -100c -delete
fi
one() { # FILE LEVEL
    op=$(sed -n 's/^# op: *//p' "$1" | head -n 1)
    verdict=$("$bin" referee "$1" --op "$op" --level "$2" --seed 20262 --json --state "$tmp/state-$$" 2>/dev/null)
    code=$?
    echo "$(basename "$(dirname "$1")")/$(basename "$1") $2 $code $(echo "$verdict" |
        grep -oE '"(accepted|status|rule|cases_run|cases_passed|error_ulp|bound_ulp|case|bytes_loaded|bytes_stored|ideal_bytes|launches)":("[^"]*"|[^,}]*)' | tr '\n' ' ')"
}
if [ "${VERDICTS_ONE:-}" ]; then one "$VERDICTS_ONE" "$VERDICTS_LEVEL"; exit 0; fi
for level in $levels; do
    every=1
    [ "$level" != full ] || every=${FULL_EVERY:-1}
    find src/op/suite/gold src/op/suite/wrong src/op/suite/honest test/exploit "$kernels" -name '*.py' | sort |
        awk -v every="$every" 'NR % every == 0' |
        VERDICTS_LEVEL=$level KERNELS=$kernels xargs -P "$(nproc)" -I@ env VERDICTS_ONE=@ sh "$here" "$bin" -
done | sort >"$tmp/all"
wc -l <"$tmp/all"
cp "$tmp/all" "$out"
