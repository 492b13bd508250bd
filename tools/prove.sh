#!/bin/sh
# prove.sh - the referee's own examination: every small edit of every built-in right kernel, judged at both levels. Prints
# a table op x level (killed of those that can be told apart, score, claimed equivalent), then every mutant that was not
# told from its original and every one that stayed undecided. Fails if an op misses its score.
# OPS="op op" LEVELS="quick full" OUROBOROS=build/ouroboros KEEP=folder for the certificates
# TABLE=src/op/suite/proved.def: what accepted kernels are told about the strength of their test; rows of what was judged are
# made new, others stay.
set -u
bin=${OUROBOROS:-build/ouroboros}
levels=${LEVELS:-quick full}
work=$(mktemp -d "${TMPDIR:-/tmp}/prove.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
ops=${OPS:-$("$bin" ops | awk '/^[a-z]/ {print $1}')}
[ -n "$ops" ] || { echo "prove: no op found" >&2; exit 3; }
started=$(date +%s)
bad=0
state=$(git describe --always --dirty 2>/dev/null || echo "an unknown state")
field() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$2" | head -n 1; }
whole() { # the counts of a certificate stand before its "kinds"
    sed 's/"kinds".*//' "$1"
}
printf '%-28s %-5s %8s %8s %8s %10s %8s %9s %8s\n' op level mutants killed survived equivalent refused undecided score
for op in $ops; do
    for level in $levels; do
        if [ -t 2 ]; then printf '\r\033[K%s %s' "$op" "$level" >&2; fi
        "$bin" prove "$op" --level "$level" --json >"$work/json" 2>"$work/err"
        code=$?
        if [ -t 2 ]; then printf '\r\033[K' >&2; fi
        if [ ! -s "$work/json" ]; then
            printf '%-28s %-5s no certificate (exit %d): %s\n' "$op" "$level" "$code" "$(head -n 1 "$work/err")"
            bad=$((bad + 1))
            continue
        fi
        if [ -n "${KEEP:-}" ]; then mkdir -p "$KEEP" && cp "$work/json" "$KEEP/$op.$level.json"; fi
        whole "$work/json" >"$work/head"
        mark=
        if [ "$code" != 0 ]; then
            mark=" FAILED"
            bad=$((bad + 1))
        fi
        printf '%-28s %-5s %8d %8d %8d %10d %8d %9d %7.2f%%%s\n' "$op" "$level" "$(field mutants "$work/head")" \
            "$(field killed "$work/head")" "$(field survived "$work/head")" "$(field equivalent "$work/head")" \
            "$(field refused "$work/head")" "$(field undecided "$work/head")" "$(field score "$work/head")" "$mark" | tee -a "$work/rows"
        text() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$work/head" | head -n 1; }
        if [ "$code" = 0 ]; then
            printf 'PROVED("%s", LEVEL_%s, "%.16s", "%.16s", "%s at %s", %d, %d, %d, %d, %d, %d, %s)\n' "$op" \
                "$(echo "$level" | tr a-z A-Z)" "$(text definition_sha256)" "$(text kernel_sha256)" "$(text version)" "$state" \
                "$(field mutants "$work/head")" "$(field killed "$work/head")" "$(field survived "$work/head")" \
                "$(field equivalent "$work/head")" "$(field refused "$work/head")" "$(field undecided "$work/head")" \
                "$(sed -n 's/.*"margin": *\([0-9.e+-]*\).*/\1/p' "$work/head" | sed 's/^$/0/')" >>"$work/proved"
        fi
        # One line for each mutant that is left: a separator before every object, fields cut out by name.
        sed 's/.*"left": *\[//; s/\], *"smallest_margin".*//; s/{"fate"/\n{"fate"/g' "$work/json" | sed -n '/^{/p' |
            sed "s/^/$op $level /; s/, *$//" >>"$work/left"
    done
done
if [ -n "${TABLE:-}" ] && [ -s "$work/proved" ]; then
    sed 's/^PROVED("\([^"]*\)", \([A-Z_]*\),.*/\1 \2/' "$work/proved" >"$work/done"
    {
        echo "// proved.def - mutants of the built-in kernels and what became of them; made by tools/prove.sh, which see. Judged again"
        echo "// when a definition or a kernel has changed: TABLE=src/op/suite/proved.def OPS=\"op op\" sh tools/prove.sh"
        echo "// PROVED(op, level, definition, kernel: first digits of their SHA-256, version that judged, mutants, killed, survived,"
        echo "// equivalent, refused, undecided, smallest margin of those killed by values, in bounds; 0: none was)"
        {
            sed -n '/^PROVED/p' "$TABLE" 2>/dev/null | while IFS= read -r row; do
                key=$(printf '%s\n' "$row" | sed 's/^PROVED("\([^"]*\)", \([A-Z_]*\),.*/\1 \2/')
                grep -qxF "$key" "$work/done" || printf '%s\n' "$row"
            done
            cat "$work/proved"
        } | LC_ALL=C sort
    } >"$work/table"
    cp "$work/table" "$TABLE"
fi
touch "$work/left" "$work/rows"
echo
for level in $levels; do
    awk -v level="$level" '$2 == level {
            ops++; m += $3; k += $4; s += $5; q += $6; r += $7; u += $8
            if (least == "" || $9 + 0 < least) { least = $9 + 0; name = $1 }
        }
        END {
            if (k + s == 0) exit
            printf "%s: %d ops, %d mutants: %d killed, %d survived, %d equivalent (%.2f %%), %d refused before running, %d undecided; score %.2f %%, least %.2f %% (%s)\n",
                level, ops, m, k, s, q, 100 * q / (k + s + q), r, u, 100 * k / (k + s), least, name
        }' "$work/rows"
done
for fate in survived undecided equivalent; do
    grep "{\"fate\": *\"$fate\"" "$work/left" >"$work/some" || continue
    printf '\n%s:\n' "$fate"
    cat "$work/some"
done
printf '\n%d not as wanted, %d s\n' "$bad" "$(($(date +%s) - started))"
[ "$bad" = 0 ]
