#!/bin/sh
# --layout, "layout" and --domain: who may ask, that the verdict names it, and that one domain never answers for another.
. "$(dirname "$0")/lib.sh"
programs=$(dirname "$0")/../op/user/layout
says() { grep -q -- "$1" "$tmp/out"; }
judge() { f=$1; shift; "$bin" referee "$programs/$f.py" --op softmax --level quick --seed 1 "$@"; }
line() { # ID PROGRAM MORE : a request
    python3 -c 'import json, sys; print(json.dumps({"id": sys.argv[1], "op": "softmax", "source": open(sys.argv[2]).read(), **json.loads(sys.argv[3])}))' "$1" "$programs/$2.py" "$3"
}

check gaps_are_the_default exits 1 judge flat --json
check the_verdict_names_it says '"domain":{"layout":"any","values":"declared"}'
check judged_again_without_gaps says '"strided_only":{"contiguous":"ok"}'
check contiguous exits 0 judge flat --layout contiguous
check the_text_names_it says '^softmax: accepted on contiguous inputs'
check and_what_is_not_covered says 'not covered: inputs with gaps'
check contiguous_json exits 0 judge flat --layout contiguous --json
check contiguous_is_named says '"domain":{"layout":"contiguous","values":"declared"}'
check a_guard_against_gaps_is_no_line_that_matters exits 0 "$bin" referee "$programs/guarded.py" --op softmax --seed 1 --layout contiguous
check nor_elsewhere exits 0 "$bin" referee "$programs/guarded.py" --op softmax --seed 1
check unaligned_bases_stay exits 1 judge aligned --layout contiguous
check wrong_is_wrong exits 1 judge no_mask --layout contiguous
check explain_takes_it exits 0 "$bin" explain "$programs/flat.py" --op softmax --level quick --seed 1 --layout contiguous
check explain_judges_again sh -c "'$bin' explain '$programs/flat.py' --op softmax --level quick --seed 1 | grep -q 'With --layout contiguous it is accepted'"
check explain_keeps_a_journal_if_asked sh -c "'$bin' explain '$programs/flat.py' --op softmax --level quick --seed 1 --state '$tmp/explained' >/dev/null; [ -e '$tmp/explained/journal.log' ]"
check ops_prints_it sh -c "'$bin' ops softmax --layout contiguous | grep -q '^# inputs are contiguous'"
check mint_takes_it exits 0 "$bin" mint softmax -n 2 --layout contiguous
check minted_says_so says '^# softmax: accepted on contiguous inputs'
check no_such_layout exits 2 judge flat --layout dense

# The stream: a key of a request, the default of all, and a memory that keeps domains apart.
{ line a flat '{}'; line b flat '{"layout": "contiguous"}'; line c flat '{"layout": "any"}'; } >"$tmp/lines"
"$bin" referee --stream --state "$tmp/state" <"$tmp/lines" >"$tmp/out"
check any_by_default grep -q '"id":"a","op":"softmax".*"status":"oob"' "$tmp/out"
check contiguous_if_asked grep -q '"id":"b","op":"softmax".*"accepted":true.*"layout":"contiguous"' "$tmp/out"
check any_if_asked grep -q '"id":"c","op":"softmax".*"status":"oob".*"layout":"any"' "$tmp/out"
sed -n 1p "$tmp/lines" | "$bin" referee --stream --layout contiguous --state "$tmp/state" >"$tmp/out"
check the_default_of_all grep -q '"accepted":true.*"cached":true' "$tmp/out"
line d flat '{"layout": "dense"}' | "$bin" referee --stream >"$tmp/out"
check refuses_a_layout says '"rule":"request"'
line e flat '{"domain": "published"}' | "$bin" referee --stream >"$tmp/out"
check no_published_request says '"rule":"request"'

# The published domain: for files alone, of ops that declare one.
cat >"$tmp/positive.py" <<'END'
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, scale_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    scale = tl.load(scale_ptr).to(tl.float32)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=-float("inf")).to(tl.float32)
    e = tl.exp((x - tl.max(x, 0)) * scale)
    tl.store(y_ptr + row * n + cols, (e / tl.sum(e, 0)).to(y_ptr.dtype.element_ty), mask=cols < n)


def run(x, scale):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    kernel[(x.shape[0],)](x, scale, y, x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
END
scaled() { "$bin" referee "$1" --op softmax_scale --level quick --seed 1 --json $2; }
check negative_scales_are_declared exits 1 scaled "$tmp/positive.py" ''
check not_published exits 0 scaled "$tmp/positive.py" '--domain published'
check published_is_named says '"domain":{"layout":"any","values":"published"}'
sed 's/ \* scale)/)/' "$tmp/positive.py" >"$tmp/unscaled.py"
check wrong_there_too exits 1 scaled "$tmp/unscaled.py" '--domain published'
check softmax_has_none exits 3 "$bin" referee "$programs/flat.py" --op softmax --domain published
check no_published_stream exits 2 "$bin" referee --stream --domain published
check no_published_champion exits 2 "$bin" mint softmax_scale --domain published
check no_published_evaluation exits 2 "$bin" eval --ops softmax_scale --domain published
# Lazy answers, in the domain that is asked for: in this one every right answer is one.
cat >"$tmp/lazy.py" <<'END'
"""1 where s is positive, else x."""
inputs = {"x": {"shape": ("M", "N")}, "s": {"shape": (1,), "range": (0.5, 4), "signs": "both"}}
published = {"s": {"signs": "positive"}}


def reference(x, s):
    return torch.where(s.float() + x.float() * 0 > 0, 1.0, x.float()).to(x.dtype)
END
check its_whole_domain_is_good exits 1 "$bin" referee "$programs/flat.py" --op "$tmp/lazy.py"
check its_published_one_is_not exits 3 "$bin" referee "$programs/flat.py" --op "$tmp/lazy.py" --domain published
check says_so grep -q 'an answer of all ones would pass' "$tmp/err"
