#!/bin/sh
# An op of the user's own: minted, judged, and bound to its definition: another eps or another operator makes the old
# gold wrong and a new one right.
. "$(dirname "$0")/lib.sh"
user=test/op/user
for op in peak_swish peak_swish_eps peak_swish_sum; do
    check "mints_$op" exits 0 "$bin" mint $user/$op.py -o "$tmp/$op.py"
    check "minted_${op}_is_accepted" exits 0 "$bin" referee "$tmp/$op.py" --op $user/$op.py
done
for other in peak_swish_eps peak_swish_sum; do
    check "old_kernel_is_wrong_for_$other" exits 1 "$bin" referee "$tmp/peak_swish.py" --op $user/$other.py
    check "new_kernel_of_${other}_is_wrong_for_the_old_op" exits 1 "$bin" referee "$tmp/$other.py" --op $user/peak_swish.py
done
for k in $user/kernel/*.py; do
    name=$(basename "$k" .py)
    [ -e "$user/$name.py" ] || continue
    check "gold_$name" exits 0 "$bin" referee "$k" --op "$user/$name.py"
done
# Dimensions that are neither rows nor their length are large enough for several tiles, in some cases.
k=$user/kernel/matrix_product.py
sed -e 's/BN=256/BN=32/' $k >"$tmp/narrow.py"
sed -e 's/BN=256/BN=32/' -e 's/% across \* BN/% across * 0/' $k >"$tmp/first.py"
check wide_tiles_quick exits 0 "$bin" referee $k --op $user/matrix_product.py --level quick
check narrow_tiles_quick exits 0 "$bin" referee "$tmp/narrow.py" --op $user/matrix_product.py --level quick
check first_tile_only exits 1 "$bin" referee "$tmp/first.py" --op $user/matrix_product.py --level quick
# Tensors of rank 3 are parts of larger ones along two axes; a size that counts neither rows nor a row's elements is large once.
k=$user/kernel/token_sum.py
sed 's/row \* x0 + t\[:, None\] \* x1/(row * T + t[:, None]) * x1/' $k >"$tmp/flat.py"
sed 's/range(0, T, ROWS)/range(0, tl.minimum(T, 1024), ROWS)/' $k >"$tmp/few.py"
# statuses SEED FILE... : one for each file, on one draw
statuses() {
    seed=$1
    shift
    "$bin" referee "$@" --op $user/token_sum.py --json --seed "$seed" | sed 's/.*"status":"\([a-z_]*\)".*/\1/'
}
statuses 3 "$tmp/flat.py" "$tmp/few.py" >"$tmp/with_3"
statuses 4 "$tmp/few.py" >"$tmp/with_4"
gaps_between_sub_tensors_are_met() { sed -n 1p "$tmp/with_3" | grep -qxE 'oob|incorrect'; }
check gaps_between_sub_tensors_are_met gaps_between_sub_tensors_are_met
other_sizes_are_large_once() {
    for status in "$(sed -n 2p "$tmp/with_3")" "$(cat "$tmp/with_4")"; do case $status in incorrect | inaccurate) ;; *) return 1 ;; esac; done
}
check other_sizes_are_large_once other_sizes_are_large_once
# The same with an op of the suite: its definition copied and changed.
"$bin" ops rmsnorm | sed -n '/^"""/,$p' >"$tmp/same.py"
sed 's/1e-6/1e-3/' "$tmp/same.py" >"$tmp/eps.py"
gold=$(grep -l '^# op: rmsnorm *$' src/op/suite/gold/*.py | head -n 1)
check copied_definition_accepts_the_gold exits 0 "$bin" referee "$gold" --op "$tmp/same.py"
check changed_eps_rejects_the_gold exits 1 "$bin" referee "$gold" --op "$tmp/eps.py"
check changed_eps_mints_a_new_one exits 0 "$bin" mint "$tmp/eps.py"

# A matrix product by tl.dot, whose default is tf32: only the definition may allow that. Half operands lose nothing.
k=$user/tf32/kernel.py
sed 's/tl.dot(a, b, acc)/tl.dot(a, b, acc, input_precision="ieee")/' $k >"$tmp/ieee.py"
sed 's/tl.dot(a, b, acc)/tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16), acc)/' $k >"$tmp/half.py"
check ieee_product exits 0 "$bin" referee "$tmp/ieee.py" --op $user/tf32/product.py
check ieee_product_where_tf32_is_allowed exits 0 "$bin" referee "$tmp/ieee.py" --op $user/tf32/product_tf32.py
check tf32_product exits 1 "$bin" referee $k --op $user/tf32/product.py --json
check tf32_product_is_wrong grep -q '"status":"incorrect"' "$tmp/out"
check tf32_product_where_it_is_allowed exits 0 "$bin" referee $k --op $user/tf32/product_tf32.py
check half_product_where_tf32_is_allowed exits 1 "$bin" referee "$tmp/half.py" --op $user/tf32/product_tf32.py
# 8-bit inputs.
sed 's/v \* scale/(v * scale).to(tl.float8e4nv)/' $user/fp8/kernel.py >"$tmp/coarse.py"
check fp8_inputs exits 0 "$bin" referee $user/fp8/kernel.py --op $user/fp8/scaled.py
check fp8_rounding_too_many exits 1 "$bin" referee "$tmp/coarse.py" --op $user/fp8/scaled.py

definition() { printf '"""An op."""\ninputs = {"x": {"shape": ("M", "N")}}\n\n\ndef reference(x):\n    return %s\n' "$1" >"$tmp/def.py"; }
refused() { # NAME EXPRESSION WORDS
    definition "$2"
    check "refuses_$1" exits 3 "$bin" mint "$tmp/def.py"
    check "says_why_$1" grep -q "$3" "$tmp/err"
    check "does_not_show_$1" exits 3 "$bin" ops "$tmp/def.py"
}
refused copy 'x.float().to(x.dtype)' 'copy of input x'
refused zeros '(x.float() * 0.0).to(x.dtype)' 'zeros'
refused constant '(x.float() * 0.0 + 3.0).to(x.dtype)' 'constant'
for bad in $user/refused/*.py; do
    name=$(basename "$bad" .py)
    check "refuses_definition_$name" sh -c "! $bin mint $bad >$tmp/out 2>$tmp/err"
    check "names_the_place_in_$name" grep -q "$name" "$tmp/err"
    check "does_not_show_$name" exits 3 "$bin" ops "$bad"
done
definition 'torch.fft.fft(x)'
check names_what_it_does_not_know sh -c "! $bin mint $tmp/def.py 2>$tmp/err >/dev/null && grep -q fft $tmp/err"
