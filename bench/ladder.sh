#!/bin/sh
# ladder.sh - the stream at level ladder as a training loop loads it: of 100 requests 40 hold a wrong kernel, 40 one that was
# asked before, 20 a right one that is new by structure. Prints verdicts per second and processor time for each, with the
# levels that the answers reached. On a machine that others use, too, the second number is the one to compare.
# GROUP=8: requests come as a training loop sends them, eight in a row of one op, which are one group: its best is judged at full.
# GROUP=8 NAMED= : in the same order, without a group, to compare with.
# N=1000 OPS="softmax rmsnorm" LEVEL=ladder SEED=1 OUROBOROS=build/ouroboros JOBS= GROUP= NAMED=1
set -u
bin=${OUROBOROS:-build/ouroboros}
n=${N:-1000}
level=${LEVEL:-ladder}
seed=${SEED:-1}
group=${GROUP:-1}
named=${NAMED-1}
ops=${OPS:-softmax rmsnorm layernorm add_rmsnorm swiglu log_softmax cross_entropy l2norm geglu kl_div}
work=$(mktemp -d "${TMPDIR:-/tmp}/ladder.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
set -- $ops
each=$((n * 2 / 5 / $# + 1))
for op in $ops; do
    "$bin" propose "$op" -n "$each" --seed "$seed" --json >>"$work/right" 2>/dev/null
    for flaw in sign mean_over_block last_block swapped_operands; do
        "$bin" propose "$op" -n "$((each / 4 + 1))" --seed "$seed" --flaw "$flaw" --json >>"$work/wrong" 2>/dev/null
    done
done
# In an order that the seed fixes: wrong ones, right ones in turn, and right ones that have been there.
awk -v n="$n" -v seed="$seed" -v right="$work/right" -v wrong="$work/wrong" '
    function bare(line) { sub(/^\{"id": *\{[^}]*\}, */, "", line); return line }
    BEGIN {
        srand(seed)
        nr = nw = had = fresh = wrongs = 0
        while ((getline line < right) > 0) if (line ~ /^\{"id".*"source"/) r[nr++] = bare(line)
        while ((getline line < wrong) > 0) if (line ~ /^\{"id".*"source"/) w[nw++] = bare(line)
        for (i = nr - 1; i > 0; i--) { k = int(rand() * (i + 1)); t = r[i]; r[i] = r[k]; r[k] = t }
        for (i = nw - 1; i > 0; i--) { k = int(rand() * (i + 1)); t = w[i]; w[i] = w[k]; w[k] = t }
        for (i = 0; i < n; i++) {
            kind = i % 5
            if (kind == 4 && fresh < nr) { line = r[fresh]; past[had++] = line; fresh++ }
            else if (kind >= 2 && had) line = past[int(rand() * had)]
            else line = w[wrongs++ % nw]
            printf "{\"id\":%d,%s\n", i, line
        }
    }' >"$work/drawn"
# The same requests, those of one op together, in pieces of GROUP, and these in the order of their first members.
awk -v group="$group" -v named="$named" '
    group == 1 { print; next }
    {
        match($0, /"op": *"[^"]*"/)
        op = substr($0, RSTART, RLENGTH)
        if (!(op in held) || size[held[op]] == group) held[op] = ++pieces
        piece[held[op]] = piece[held[op]] $0 "\n"
        size[held[op]]++
    }
    END {
        for (i = 1; i <= pieces; i++) {
            if (named) gsub(/\n\{/, "\n{\"group\":\"" i "\",\"of\":" size[i] ",", piece[i])
            if (named) sub(/^\{/, "{\"group\":\"" i "\",\"of\":" size[i] ",", piece[i])
            printf "%s", piece[i]
        }
    }' "$work/drawn" >"$work/asked"
started=$(date +%s.%N)
if ! TIMEFORMAT='%U %S' bash -c "time \"$bin\" referee --stream --level $level ${JOBS:+--jobs $JOBS} --state '$work/state' <'$work/asked' >'$work/answers' 2>'$work/errors'" 2>"$work/times"; then
    head -3 "$work/errors" >&2
    exit 1
fi
ended=$(date +%s.%N)
answers=$(wc -l <"$work/answers")
full=$(grep -c '"level": *"full"' "$work/answers")
accepted=$(grep -c '"accepted": *true' "$work/answers")
cached=$(grep -c '"cached": *true' "$work/answers")
undecided=$(grep -c '"status": *"\(unreached\|unsupported\|referee_error\|timeout\)"' "$work/answers")
[ -z "${KEEP:-}" ] || cp "$work/answers" "$KEEP"
tail -n 1 "$work/times" | awk -v s="$started" -v e="$ended" -v n="$answers" -v full="$full" -v ok="$accepted" -v cached="$cached" -v un="$undecided" -v level="$level" '
    { printf "%s: %d answers (%d accepted, %d from the journal, %d at level full, %d undecided), %.1f a second; %.2f ms of processor time each: %.1f a second on two cores\n",
             level, n, ok, cached, full, un, n / (e - s), 1000 * ($1 + $2) / n, 2 * n / ($1 + $2) }'
