#!/bin/sh
# sweep.sh - right kernels against the referee, all judged at full: for every op of the suite PER_OP proposals of the smith,
# then the right kernels that are built in (one for each op, and those written by hand in every style there is). Prints a
# table op x schedule (accepted/judged), then every rejection with its reason. Fails if there is one, or fewer than LEAST
# kernels in all. With OPS or SMITH_ONLY=1 the smith's alone.
# PER_OP=28 SEED=1 OPS="softmax cumsum" LEVEL=full KEEP=folder for the proposals OUROBOROS=build/ouroboros LEAST=3000
set -u
bin=${OUROBOROS:-build/ouroboros}
per_op=${PER_OP:-28}
seed=${SEED:-1}
level=${LEVEL:-full}
least=${LEAST:-3000}
[ -z "${OPS:-}" ] || least=${LEAST:-1}
mkdir -p build && work=$(mktemp -d "${SWEEP_TMP:-build}/sweep.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
ops=${OPS:-$($bin ops | awk '/^[a-z]/ {print $1}')}
started=$(date +%s)
for op in $ops; do
    if ! $bin propose "$op" -n "$per_op" --seed "$seed" --json >"$work/one" 2>"$work/err"; then
        printf '%s\tPROPOSE\t%s\n' "$op" "$(head -n 1 "$work/err")" >>"$work/failed"
        continue
    fi
    cat "$work/one" >>"$work/asked"
    if [ -n "${KEEP:-}" ]; then
        mkdir -p "$KEEP"
        cp "$work/one" "$KEEP/$op.jsonl"
    fi
done
touch "$work/asked"
# By one process: each new one pays again for memory that it touches first, a sixth to a third of what judging takes.
counted() { # on a terminal: how many of them have come
    if [ -t 2 ]; then show=1; else show=0; fi
    awk -v all="$(wc -l <"$work/asked")" -v show=$show '{ print } show { printf "\r\033[K%d/%d", NR, all >"/dev/stderr" }'
}
{
    $bin referee --stream --level "$level" --state "$work/state" <"$work/asked" 2>"$work/errors" ||
        printf 'all\tREFEREE\t%s\n' "$(tail -n 1 "$work/errors")" >>"$work/failed"
} | counted >"$work/answers"
[ "$(wc -l <"$work/answers")" = "$(wc -l <"$work/asked")" ] || printf 'all\tREFEREE\tnot all were answered\n' >>"$work/failed"
if [ -t 2 ]; then printf '\r\033[K' >&2; fi
if [ -z "${OPS:-}" ] && [ -z "${SMITH_ONLY:-}" ] && [ "$level" = full ]; then # the self-test knows no other level
    "$bin" selftest --json --seed "$seed" >"$work/selftest" 2>>"$work/errors"
    sed -n 's/^{"program":"\([^"]*\)","kind":"\(gold\|honest\)",.*"status":"\([a-z_]*\)","as_expected":[a-z]*,"feedback":"\(.*\)"}$/\1\t\2\t\3\t\4/p' \
        "$work/selftest" >"$work/builtin"
fi
seconds=$(($(date +%s) - started))
touch "$work/builtin"
touch "$work/failed"
# One line an answer: op, schedule, index, accepted, status, feedback.
sed -n 's/.*"id": *{"op": *"\([^"]*\)", *"schedule": *"\([^",]*\)\([^"]*\)", *"flaw": *[^,]*, *"index": *\([0-9]*\)}.*/\1\t\2\t\2\3\t\4/p' \
    "$work/answers" >"$work/ids"
sed 's/.*"accepted": *\([a-z]*\).*"status": *"\([^"]*\)".*"feedback": *"\(\([^"\\]\|\\.\)*\)".*/\1\t\2\t\3/' "$work/answers" >"$work/verdicts"
paste "$work/ids" "$work/verdicts" | sort -s -k1,1 | awk -F '\t' -v seconds="$seconds" -v least="$least" -v failed="$work/failed" -v builtin="$work/builtin" '
    {
        if (!($1 in op)) { op[$1] = 1; ops[++nops] = $1 }
        if (!($2 in sch)) { sch[$2] = 1; schs[++nsch] = $2 }
        judged[$1, $2]++; all++; by[$2]++
        if ($5 == "true") { ok[$1, $2]++; good++; bygood[$2]++ }
        else bad[++nbad] = sprintf("%s #%s (%s): %s: %s", $1, $4, $3, $6, $7)
    }
    END {
        width = 12
        for (i = 1; i <= nops; i++) if (length(ops[i]) > width) width = length(ops[i])
        printf "%-*s", width, "op"
        for (s = 1; s <= nsch; s++) printf "  %s", schs[s]
        print ""
        for (i = 1; i <= nops; i++) {
            printf "%-*s", width, ops[i]
            for (s = 1; s <= nsch; s++) {
                j = judged[ops[i], schs[s]] + 0
                printf "  %*s", length(schs[s]), j ? (ok[ops[i], schs[s]] + 0) "/" j : "-"
            }
            print ""
        }
        printf "%-*s", width, "all"
        for (s = 1; s <= nsch; s++) printf "  %*s", length(schs[s]), (bygood[schs[s]] + 0) "/" by[schs[s]]
        print ""
        while ((getline line < failed) > 0) { bad[++nbad] = line }
        smith = all
        while ((getline line < builtin) > 0) {
            split(line, part, "\t")
            all++
            kind[part[2]]++
            if (part[3] == "ok") { good++; right[part[2]]++ }
            else bad[++nbad] = sprintf("%s: %s: %s", part[1], part[3], part[4])
        }
        print ""
        for (i = 1; i <= nbad; i++) print "not accepted: " bad[i]
        printf "%d ops, %d kernels of the smith", nops, smith
        if (kind["gold"]) printf ", %d/%d built in, %d/%d written by hand", right["gold"], kind["gold"], right["honest"], kind["honest"]
        printf ": %d judged, %d accepted, %d not, %d s\n", all, good, nbad, seconds
        exit nbad > 0 || good < least
    }'
