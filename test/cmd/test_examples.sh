#!/bin/sh
# The programs below examples/: each does what its first lines say.
. "$(dirname "$0")/lib.sh"
judged() { # CODE STATUS FILE OPTIONS...
    code=$1 status=$2 file=$3
    shift 3
    exits "$code" "$bin" referee "examples/$file" --json "$@" && grep -q "\"status\":\"$status\"" "$tmp/out"
}
check softmax_is_right judged 0 ok softmax.py --op softmax
check wrong_is_wrong judged 1 incorrect wrong.py --op softmax
check wrong_is_wrong_for_training_too judged 1 incorrect wrong.py --op softmax --level quick
# ... and right where a test would look first: the mistake shows where a row does not fill its block.
check wrong_is_plausible judged 0 ok wrong.py --op softmax --shape 64x1024
check module_is_right judged 0 ok module.py --op rmsnorm
check launched_is_right judged 0 ok launched.py --op silu --manifest examples/launch.json
check launched_needs_its_manifest judged 1 parse_reject launched.py --op silu
sed 's/"grid": .*,$/"grid": ["M", 1],/' examples/launch.json >"$tmp/launch.json"
check a_wrong_manifest_is_wrong judged 1 uncovered_output launched.py --op silu --manifest "$tmp/launch.json"
check op_is_understood exits 0 "$bin" ops examples/leaky_scale.py
check op_is_minted exits 0 "$bin" mint examples/leaky_scale.py -n 8 --first --seed 1 -o "$tmp/minted.py"
check minted_is_accepted exits 0 "$bin" referee "$tmp/minted.py" --op examples/leaky_scale.py --level quick
sed 's/0\.1/0.2/' examples/leaky_scale.py >"$tmp/leaky_scale.py"
check for_this_op_only exits 1 "$bin" referee "$tmp/minted.py" --op "$tmp/leaky_scale.py" --level quick

check several_outputs judged 0 ok layernorm_forward.py --op examples/layernorm_stats.py
sed 's/return y, mean, rstd/return y, rstd, mean/' examples/layernorm_forward.py >"$tmp/swapped.py"
check outputs_in_order exits 1 "$bin" referee "$tmp/swapped.py" --op examples/layernorm_stats.py --level quick

# The six of doc/worked-examples.md: a right kernel, and a wrong one that one plausible test does not see.
for op in rope_in_place cross_entropy_grad dropout paged_copy matmul_relu; do
    definition=examples/$op/$op.py
    check "right_$op" judged 0 ok "$op/kernel.py" --op "$definition" --seed 1
    check "wrong_$op" judged 1 incorrect "$op/wrong.py" --op "$definition" --seed 1
    check "definition_$op" exits 0 "$bin" ops "$definition"
done
check wrong_layernorm judged 1 incorrect layernorm_wrong.py --op examples/layernorm_stats.py --seed 1
plausible() { judged 0 ok "$1" --op "examples/$2" --shape "$3" --seed 1; }
check plausible_layernorm plausible layernorm_wrong.py layernorm_stats.py 8x1024
check plausible_cross_entropy plausible cross_entropy_grad/wrong.py cross_entropy_grad/cross_entropy_grad.py 8x512

export OUROBOROS="$bin" PYTHONPATH=clients/python PYTHONDONTWRITEBYTECODE=1
check training exits 0 python3 examples/train.py
check it_learns grep -q "^learned: {'other': \"-float('inf')\", 'shifted': 'x - tl.max(x, axis=0)', 'mask': ', mask=cols < N'}$" "$tmp/out"
check little_is_right_at_first sh -c "sed -n 1p '$tmp/out' | grep -q 'mean reward 0\\.[0-3]'"
