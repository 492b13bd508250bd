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

export OUROBOROS="$bin" PYTHONPATH=clients/python PYTHONDONTWRITEBYTECODE=1
check training exits 0 python3 examples/train.py
check it_learns grep -q "^learned: {'other': \"-float('inf')\", 'shifted': 'x - tl.max(x, axis=0)', 'mask': ', mask=cols < N'}$" "$tmp/out"
check little_is_right_at_first sh -c "sed -n 1p '$tmp/out' | grep -q 'mean reward 0\\.[0-3]'"
