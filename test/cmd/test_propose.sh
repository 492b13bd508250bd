#!/bin/sh
# What a smith writes, unjudged: text and JSON lines, wrong kernels on request, and the road to the referee.
. "$(dirname "$0")/lib.sh"

check one_kernel sh -c "$bin propose softmax | grep -c '^def run(' | grep -qx 1"
check as_many_as_asked sh -c "$bin propose softmax -n 7 | grep -c '^def run(' | grep -qx 7"
"$bin" propose softmax -n 6 --seed 3 --json >"$tmp/a"
"$bin" propose softmax -n 6 --seed 3 --json >"$tmp/b"
"$bin" propose softmax -n 6 --seed 4 --json >"$tmp/c"
check a_line_each sh -c "[ \$(wc -l <$tmp/a) = 6 ]"
for key in id op name smith schedule flaw source; do
    check "line_has_$key" sh -c "[ \$(grep -c '\"$key\":' $tmp/a) = 6 ]"
done
check the_seed_decides cmp "$tmp/a" "$tmp/b"
check another_seed_differs sh -c "! cmp -s $tmp/a $tmp/c"
check the_referee_takes_the_lines sh -c "[ \$($bin referee --stream --level quick <$tmp/a | grep -c '\"accepted\":true') = 6 ]"
check flaws_are_wrong sh -c "$bin propose softmax -n 4 --flaw contiguous --json | $bin referee --stream --level quick | grep -c '\"accepted\":false' | grep -qx 4"
check flaws_say_so sh -c "$bin propose softmax --flaw no_max --json | grep -q '\"flaw\":\"no_max\"'"
check unknown_flaw_is_usage exits 2 "$bin" propose softmax --flaw typo
check flaws_are_listed sh -c "$bin propose softmax --flaw typo 2>&1 | grep -q last_block"
check a_flaw_without_a_place exits 3 "$bin" propose cumsum --flaw no_max
check no_op_is_usage exits 2 "$bin" propose
check no_such_op_is_usage exits 2 "$bin" propose no_such_op_at_all
