#!/bin/sh
# Host Python that harms nobody: each file of test/host/constructs is a program that must be accepted and, behind a line
# "# --- STATUS: words", one beside it that must not be, whose answer holds these words. A part without an import of
# triton begins with common.txt. All of an op (the first line of a file may name one) are judged by one process on one shape.
. "$(dirname "$0")/lib.sh"
from=$(dirname "$0")/../host/constructs
mkdir "$tmp/parts"
for f in "$from"/*.py; do
    awk -v out="$tmp/parts/$(basename "$f" .py)" -v list="$tmp/list" -v name="$(basename "$f" .py)" '
        function part(status, words) { file = out "." n++ ".py"; print name "\t" status "\t" words "\t" file >list }
        BEGIN { part("ok", "") }
        /^# --- / { line = substr($0, 7); at = index(line, ": "); part(substr(line, 1, at - 1), substr(line, at + 2)); next }
        { print >file }' "$f"
    cat "$tmp/list" >>"$tmp/all"
done
for f in "$tmp"/parts/*.py; do
    grep -q 'import t[a-z]*[, ]*triton\|import triton' "$f" && continue
    cat "$from/common.txt" "$f" >"$tmp/whole" && mv "$tmp/whole" "$f"
done
awk 'FNR == 1 && /^# op: / { name = FILENAME; gsub(".*/|[.]py$", "", name); print name "\t" $3 }' "$from"/*.py >"$tmp/ops"
for op in relu2 $(cut -f 2 "$tmp/ops" | sort -u); do
    awk -F '\t' -v op="$op" 'NR == FNR { of[$1] = $2; next } (($1 in of) ? of[$1] : "relu2") == op' "$tmp/ops" "$tmp/all" >"$tmp/all.$op"
    "$bin" referee $(cut -f 4 "$tmp/all.$op") --op "$op" --level quick --dtype fp32 --shape 3x300 --seed 1 --json >>"$tmp/lines" 2>>"$tmp/err"
    cat "$tmp/all.$op" >>"$tmp/sorted"
done
mv "$tmp/sorted" "$tmp/all"
sed 's/.*"status":"\([a-z_]*\)".*"feedback":"\(.*\)".*/\1	\2/' "$tmp/lines" | paste "$tmp/all" - >"$tmp/answers"
check every_part_is_answered [ "$(wc -l <"$tmp/lines")" = "$(wc -l <"$tmp/all")" ]
check there_are_many [ "$(wc -l <"$tmp/all")" -ge 50 ]
check each_has_its_answer sh -c "! awk -F '\t' '\$2 != \$5 || !index(\$6, \$3) { print; bad = 1 } END { exit !bad }' $tmp/answers"
# Larger inputs have more memory: 128 MiB of tensors are too much beside 3x300 (above), not beside 3x1048576.
for k in 1 3; do
    "$bin" referee "$tmp/parts/memory_of_a_call.$k.py" --op relu2 --level quick --dtype fp32 --shape 3x1048576 --seed 1 --json
done >"$tmp/large" 2>>"$tmp/err"
check memory_grows_with_the_inputs sh -c "head -n 1 $tmp/large | grep -q '\"status\":\"ok\"'"
check within_bounds sh -c "tail -n 1 $tmp/large | grep -q '\"status\":\"unsupported.*192 MiB'"
# A control that would be accepted is noticed.
awk -F '\t' -v OFS='\t' '{ $5 = "ok"; print }' "$tmp/answers" >"$tmp/accepted"
check an_accepted_control_would_be_noticed sh -c "awk -F '\t' '\$2 != \$5 || !index(\$6, \$3) { bad = 1 } END { exit !bad }' $tmp/accepted"
