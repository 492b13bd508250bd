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
