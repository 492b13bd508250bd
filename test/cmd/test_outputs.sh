#!/bin/sh
# Several outputs, and outputs in place: each program below test/op/user/outputs gets the status that its first lines
# name (# expect:, else ok); what is said names the output; a definition whose outputs make no sense is refused.
. "$(dirname "$0")/lib.sh"
ops=test/op/user/outputs
for file in "$ops"/right/*.py "$ops"/wrong/*.py; do
    op=$(sed -n 's/^# op: *//p' "$file") want=$(sed -n 's/^# expect: *//p' "$file")
    "$bin" referee "$file" --op "$ops/$op.py" --level quick --seed 5 --json >"$tmp/out" 2>"$tmp/err"
    check "$(basename "$file" .py)" grep -qE "\"status\":\"(${want:-ok})\"" "$tmp/out"
done
says() { # CODE PATTERN COMMAND...
    code=$1 pattern=$2
    shift 2
    exits "$code" "$@" && cat "$tmp/out" "$tmp/err" | grep -qE "$pattern"
}
referee() { # NAME OP OPTIONS...
    file=$1 op=$2
    shift 2
    "$bin" referee "$ops/$file.py" --op "$ops/$op.py" --seed 5 "$@"
}

# One of each kind on all that level full has: large tensors, production shapes, calls on one object.
for name in row_max_views:row_max rope_inplace_module:rope_inplace cross_entropy_grad:cross_entropy_grad; do
    check "full_${name%:*}" says 0 'production shapes: right on .*, .* \(a few programs\)' referee "right/${name%:*}" "${name#*:}"
done
sed 's/row = tl.program_id(0).to(tl.int64)/row = (tl.program_id(0) % 65536).to(tl.int64)/' "$ops/right/rope_inplace.py" >"$tmp/period.py"
check production_in_place says 1 'race|incorrect' "$bin" referee "$tmp/period.py" --op "$ops/rope_inplace.py" --seed 5
sed 's/tl.store(indices + row, at)/tl.store(indices + row % 65536, at)/' "$ops/right/row_max.py" >"$tmp/second.py"
check production_second_output says 1 'rejected \((race|incorrect|uncovered_output)' "$bin" referee "$tmp/second.py" --op "$ops/row_max.py" --seed 5
sed 's/tl.store(indices + row, at)/tl.store(indices + row, tl.where(N == 1000, 0, at))/' "$ops/right/row_max.py" >"$tmp/branch.py"
check size_of_the_source says 1 'output indices' "$bin" referee "$tmp/branch.py" --op "$ops/row_max.py" --seed 5

# What is said names the output.
check feedback_names_it says 1 'elements of output rstd on input' referee wrong/layernorm_stats_variance layernorm_stats --level quick
check overlap_names_both says 1 'outputs y and total share memory' referee wrong/add_rmsnorm_same add_rmsnorm --level quick
check overlap_names_the_input says 1 'output total and input residual share' referee wrong/add_rmsnorm_returns_input add_rmsnorm --level quick
check overlap_shows_the_allocation says 1 '^line 24:9: outputs y and total' referee wrong/add_rmsnorm_same add_rmsnorm --level quick
check or_what_is_returned says 1 '^line 30:5: output total and input' referee wrong/add_rmsnorm_returns_input add_rmsnorm --level quick
check json_names_it says 1 '"worst":\{[^}]*"output":"indices"' referee wrong/row_max_one_off row_max --level quick --json
check evidence_names_it says 0 'largest error: .* on output (y|total) of ' referee right/add_rmsnorm add_rmsnorm --level quick
check explain_names_it says 1 '^output loss: ' "$bin" explain "$ops/wrong/cross_entropy_grad_late_loss.py" --op "$ops/cross_entropy_grad.py" --seed 5 --level quick
check explain_finds_the_smallest says 1 'output loss' "$bin" explain "$ops/wrong/cross_entropy_grad_late_loss.py" --op "$ops/cross_entropy_grad.py" --seed 5 --level quick --minimize
check ops_shows_outputs says 0 'run\(x: Tensor\[M, N\], target: Tensor\[M\]\) -> \(loss: Tensor, x changed in place\)' "$bin" ops "$ops/cross_entropy_grad.py"
check grammar_refuses says 3 'the grammar smith writes kernels that return one tensor' "$bin" mint "$ops/row_max.py" -n 1

# The stream.
json_request() { python3 -c 'import json, sys; print(json.dumps({"id": 1, "op": sys.argv[1], "source": open(sys.argv[2]).read(), "level": "quick"}))' "$@"; }
json_request "$ops/row_max.py" "$ops/wrong/row_max_one_off.py" >"$tmp/lines"
check stream sh -c "'$bin' referee --stream <'$tmp/lines' 2>/dev/null | grep -q '\"output\":\"indices\"'"

# Manifests.
grep -v '^# ' "$ops/right/cross_entropy_grad.py" | sed '/^def run/,$d' >"$tmp/kernel.py"
manifest() { # CODE PATTERN OUTPUTS
    printf '{"kernel": "kernel", "args": ["x", "target", "loss", "x.stride(0)", "N"], "values": {"N": "x.shape[1]"},
        "constexprs": {"BLOCK": "triton.next_power_of_2(N)"}, "grid": ["x.shape[0]"], "outputs": %s}' "$3" >"$tmp/m.json"
    says "$1" "$2" "$bin" referee "$tmp/kernel.py" --op "$ops/cross_entropy_grad.py" --manifest "$tmp/m.json" --level quick --seed 5
}
loss='"loss": {"shape": ["x.shape[0]"], "dtype": "torch.float32"}'
check manifest_in_place manifest 0 accepted "{$loss, \"x\": {\"init\": \"x\"}}"
check manifest_in_place_left_out manifest 0 accepted "{$loss}"
check manifest_lacks_one manifest 2 'outputs.loss.*missing; the op.s outputs are loss, x' '{"x": {"init": "x"}}'
check manifest_unknown_output manifest 2 'no output of this name; it has loss, x' "{$loss, \"y\": {\"init\": \"x\"}}"
check manifest_wrong_init manifest 2 'changed in place: write' "{$loss, \"x\": {\"init\": \"target\"}}"
drafts() { # PATTERN FILE OP: the first manifest, on one line
    "$bin" manifest "$2" --op "$3" 2>"$tmp/err" | tr -d '\n ' >"$tmp/out"
    grep -qE "$1" "$tmp/out"
}
check draft_in_place drafts '"x":\{"init":"x"\}\},"args":\["x","target","loss","x.stride\(0\)","\?N:' "$tmp/kernel.py" "$ops/cross_entropy_grad.py"
check draft_of_host_code drafts '"outputs":\{"values":\{"shape":\["M"\].*"indices":\{"shape".*"args":\["x","values","indices"' "$ops/right/row_max.py" "$ops/row_max.py"
check draft_spread drafts '"cos_stride":"\?cos_stride' examples/rope_in_place/kernel.py examples/rope_in_place/rope_in_place.py
sed 's/values, indices$/indices, values/' "$ops/right/row_max.py" >"$tmp/turned.py"
check draft_by_place drafts '"args":\["x","indices","values"' "$tmp/turned.py" "$ops/row_max.py"
check manifest_not_in_place manifest 2 'no such key' '{"loss": {"init": "x"}}'

# Definitions.
define() { # PATTERN OUTPUTS RETURNED
    cat >"$tmp/op.py" <<END
"""Twice and thrice x."""
inputs = {"x": {"shape": ("M", "N")}, "w": {"shape": ("N",)}}
outputs = $2


def reference(x, w):
    h = x.float() * w.float()
    return $3
END
    says 3 "$1" "$bin" referee "$ops/right/row_max.py" --op "$tmp/op.py" --level quick
}
both='(2 * h).to(x.dtype), (3 * h).to(x.dtype)'
check outputs_too_many define 'returned 2 tensors, but outputs names 3' '{"a": {}, "b": {}, "c": {}}' "$both"
check outputs_too_few define 'returned 1 tensors, but outputs names 2' '{"a": {}, "b": {}}' '(2 * h).to(x.dtype)'
check outputs_empty define 'outputs is empty' '{}' "$both"
check outputs_no_dict define 'outputs must be' '["a"]' "$both"
check outputs_unknown_key define 'an output has one key: init' '{"a": {"shape": ("M",)}, "b": {}}' "$both"
check outputs_unknown_input define 'must name an input' '{"a": {"init": "z"}, "b": {}}' "$both"
check outputs_twice_in_place define 'changed in place by another output' '{"a": {"init": "x"}, "b": {"init": "x"}}' "$both"
check outputs_take_an_input define 'is an input: give this output another name' '{"x": {}, "b": {}}' "$both"
check outputs_other_shape define 'must return that input.s shape and dtype' '{"a": {"init": "w"}, "b": {}}' "$both"
check outputs_not_tensors define 'must return tensors' '{"a": {}, "b": {}}' '(2 * h).to(x.dtype), 3'
check outputs_degenerate define 'a copy of input x would pass in place of output b' '{"a": {}, "b": {}}' '(2 * h).to(x.dtype), x'
check outputs_zeros define 'an answer of output b of all zeros would pass' '{"a": {}, "b": {}}' '(2 * h).to(x.dtype), (h - h).to(x.dtype)'
check outputs_in_place_idle define 'a copy of input x would pass in place of output x' '{"x": {"init": "x"}}' 'x'
sed -i '/^outputs/d' "$tmp/op.py"
check outputs_unnamed says 3 'name them: outputs' sh -c "sed -i 's/return x/return x, h/' '$tmp/op.py'; '$bin' referee '$ops/right/row_max.py' --op '$tmp/op.py' --level quick"
