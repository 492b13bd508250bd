#!/bin/sh
# Grammar kernels of every op are accepted at full, none rejected: a small sweep (`make sweep` is the large one).
. "$(dirname "$0")/lib.sh"
OUROBOROS=$bin PER_OP=2 SEED=20262 LEAST=150 SMITH_ONLY=1 SWEEP_TMP=$tmp
export OUROBOROS PER_OP SEED LEAST SMITH_ONLY SWEEP_TMP
check two_kernels_of_every_op_at_full sh tools/sweep.sh
# And the check can fail: planted mistakes are not accepted.
"$bin" propose rmsnorm -n 4 --flaw eps_dropped --seed 1 --json >"$tmp/flawed"
check flawed_kernels_are_made sh -c "[ \$(wc -l <$tmp/flawed) -ge 1 ]"
"$bin" referee --stream --level full <"$tmp/flawed" >"$tmp/verdicts"
check flawed_kernels_are_rejected sh -c "! grep -q '\"accepted\":true' $tmp/verdicts && grep -q '\"accepted\":false' $tmp/verdicts"
# Rows in two tiles, where the length has fewer lanes so: at full over all shapes, and at lengths of both kinds.
for op in softmax layernorm_square add_layernorm cumsum swiglu; do
    "$bin" propose "$op" --shape 6144x5120 -n 12 --seed 1 --json | grep '"schedule":"row in two tiles' | head -1
done >"$tmp/two_tiles"
check two_tiles_are_proposed sh -c "[ \$(wc -l <$tmp/two_tiles) = 5 ]"
check not_for_a_power_of_two sh -c "! $bin propose softmax --shape 8192x4096 -n 32 --seed 1 --json | grep -q 'row in two tiles'"
"$bin" referee --stream --level full <"$tmp/two_tiles" >"$tmp/verdicts"
check two_tiles_are_right sh -c "[ \$(grep -c '\"accepted\":true' $tmp/verdicts) = 5 ]"
for n in 1 2 3 5 1023 1024 1025 1536 5120 12288; do
    sed -n "2s/^{/{\"shape\":\"5x$n\",/p" "$tmp/two_tiles"
done >"$tmp/lengths"
"$bin" referee --stream --level full <"$tmp/lengths" >"$tmp/verdicts"
check right_at_every_length sh -c "[ \$(grep -c '\"accepted\":true' $tmp/verdicts) = 10 ]"
# A second tile that begins a column late is found.
sed 's/_A + tl.arange/_A + 1 + tl.arange/' "$tmp/two_tiles" >"$tmp/late"
check all_are_late sh -c "[ \$(grep -c '_A + 1 + tl.arange' $tmp/late) = 5 ]"
"$bin" referee --stream --level full <"$tmp/late" >"$tmp/verdicts"
check late_tiles_are_rejected sh -c "[ \$(grep -c '\"accepted\":false' $tmp/verdicts) = 5 ]"
