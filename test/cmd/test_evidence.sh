#!/bin/sh
# What an acceptance says about its own test: lines that no case has executed, and sizes that the source compares with,
# which cases were drawn for.
. "$(dirname "$0")/lib.sh"
cat >"$tmp/k.py" <<'END'
import torch
import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x * 2.0


@triton.jit
def kernel(x, out, sx, so, N, FLAG: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r * sx + i, mask=i < N, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    if FLAG:
        e = e * 1.5
    if N == 700000:
        e = twice(e)
    tl.store(out + r * so + i, e / tl.sum(e, axis=0), mask=i < N)


def run(x):
    out = torch.empty_like(x)
    M, N = x.shape
    warps = 8 if N > 1000000 else 4
    if N == 50:
        warps = 2
    kernel[(M,)](x, out, x.stride(0), out.stride(0), N, False, BLOCK=triton.next_power_of_2(N), num_warps=warps)
    return out
END
check accepted exits 0 "$bin" referee "$tmp/k.py" --op softmax --seed 5 --json
check unexecuted grep -q '"unexecuted":\[18\]' "$tmp/out"
check sizes_tried grep -q '"sizes_tried":\[50\]' "$tmp/out"
check sizes_untested grep -q '"sizes_untested":\[\(700000,1000000\|1000000,700000\)\]' "$tmp/out"
check accepted_in_words exits 0 "$bin" referee "$tmp/k.py" --op softmax --seed 5
check unexecuted_in_words grep -q '^not covered: line 18 of the source, which no case executed$' "$tmp/out"
check sizes_in_words grep -q '^also judged at row lengths that its numbers and conditions lead to: 50$' "$tmp/out"
check untested_in_words grep -q '^not covered: sizes that the source compares with: [17]00*, [17]00*$' "$tmp/out"
# Level quick draws nothing more, and says so: the branch for 50 has not run.
check quick exits 0 "$bin" referee "$tmp/k.py" --op softmax --seed 5 --level quick --json
check quick_unexecuted grep -q '"unexecuted":\[8,18,20,27,29\],"sizes_tried":\[\]' "$tmp/out"
check quick_untested grep -q '"sizes_untested":\[50,' "$tmp/out"
sed 's/warps = 2/return x/' "$tmp/k.py" >"$tmp/wrong.py"
check wrong_for_one_size exits 1 "$bin" referee "$tmp/wrong.py" --op softmax --seed 5
cp "$tmp/out" "$tmp/said"
# A size beyond the rows that every draw has is drawn for as a number of rows, too: a grid that ends there is found
# out, programs that walk on are not accused.
sed 's/kernel\[(M,)\]/kernel[(min(M, 20000),)]/' "$tmp/k.py" >"$tmp/ends.py"
check grid_that_ends exits 1 "$bin" referee "$tmp/ends.py" --op softmax --seed 5
check grid_that_ends_row grep -q 'unwritten on input [a-z]*[0-9]* 20001x[0-9]*; the first is row 20000' "$tmp/out"
sed -e 's/kernel\[(M,)\](x, out,/kernel[(min(M, 20000),)](x, out, M,/' -e 's/def kernel(x, out,/def kernel(x, out, M,/' \
    -e 's/^    r = tl.program_id(0)$/    for r in range(tl.program_id(0), M, tl.num_programs(0)):/' \
    -e '/^    i = tl.arange/,/^    tl.store/s/^/    /' "$tmp/k.py" >"$tmp/walks.py"
check grid_that_walks exits 0 "$bin" referee "$tmp/walks.py" --op softmax --seed 5 --json
check grid_that_walks_tried grep -q '"sizes_tried":\[[0-9,]*20000' "$tmp/out"
# Rows beyond every plan may be refused, in so many words, but not answered wrongly.
sed 's/if N == 50:/if N > 70000:/; s/warps = 2/raise ValueError("too long")/' "$tmp/k.py" >"$tmp/refuses.py"
check refuses_what_it_cannot exits 0 "$bin" referee "$tmp/refuses.py" --op softmax --seed 5 --json
check says_what_is_untested grep -q '"sizes_untested":\[\(70000\|[0-9]*,70000\|[0-9]*,[0-9]*,70000\)' "$tmp/out"
sed 's/if N == 50:/if N > 70000:/; s/warps = 2/return out/' "$tmp/k.py" >"$tmp/wide.py"
check wrong_beyond exits 1 "$bin" referee "$tmp/wide.py" --op softmax --seed 5
check wrong_beyond_explained exits 1 "$bin" explain "$tmp/wide.py" --op softmax --seed 5
# explain sees the same cases, and shrinks them.
check explained exits 1 "$bin" explain "$tmp/wrong.py" --op softmax --seed 5 --minimize
check explains_the_same sh -c "grep -qF \"\$(sed -n 2p '$tmp/said')\" '$tmp/out'"
check explains_the_case grep -q '^fails on [a-z]*[0-9]* [0-9]*x50.*, a case for sizes that the source compares with' "$tmp/out"
check explains_the_least grep -q '^smallest failure: .* 1 row of 50' "$tmp/out"
check explained_well exits 0 "$bin" explain "$tmp/k.py" --op softmax --seed 5
check explains_evidence grep -q '^also judged at row lengths that its numbers and conditions lead to: 50$' "$tmp/out"
check explains_giant grep -q '^large tensors: addresses are right up to 2147471360 elements, but at 2147495936 elements, line 15' "$tmp/out"
check mint exits 0 "$bin" mint softmax -n 4 --seed 3 --json
check mint_evidence grep -q '"unexecuted":\[\]' "$tmp/out"
# Candidates that share a draw have further cases of their own, each of them.
python3 -c 'import json, sys
for n in (50, 60, 70):
    source = open(sys.argv[1]).read().replace("N == 50", "N == %d" % n)
    print(json.dumps({"id": n, "op": "softmax", "level": "full", "source": source}))' "$tmp/k.py" >"$tmp/lines"
check shared sh -c "'$bin' referee --stream --fresh <'$tmp/lines' >'$tmp/out' 2>&1"
for n in 50 60 70; do
    check "shared_$n" grep -q "\"id\":$n,.*\"status\":\"ok\".*\"sizes_tried\":\[$n\]" "$tmp/out"
done
# Shifts that the definition declares: softmax of differences has the same bits, folding log2(e) into x first has not; an
# op that declares none says nothing; a declaration that is false is an error of the definition.
check invariant_bits exits 0 "$bin" referee src/op/suite/gold/softmax.py --op softmax --seed 5 --json
check invariant_bits_same grep -q '"invariant_bits":"same"' "$tmp/out"
sed 's/e = tl.exp(v - tl.max(v, axis=0))/v = v * 1.4426950408889634; e = tl.exp2(v - tl.max(v, axis=0))/' "$tmp/k.py" >"$tmp/folded.py"
check folded exits 0 "$bin" referee "$tmp/folded.py" --op softmax --seed 5 --json
check folded_differs grep -q '"invariant_bits":"differ"' "$tmp/out"
check gelu exits 0 "$bin" referee src/op/suite/gold/gelu.py --op gelu --seed 5 --json
check nothing_declared grep -q '"invariant_bits":null' "$tmp/out"
"$bin" ops l2norm | sed -n '/^"""/,$p' | sed 's/^}$/}\ninvariant = {"x": "scale"}/' >"$tmp/l2.py"
check false_declaration exits 3 "$bin" referee src/op/suite/gold/l2norm.py --op "$tmp/l2.py"
check says_which grep -q 'invariant says "x": "scale", but with a row of it multiplied by' "$tmp/err"
# Tensors of more than 2^31 elements: a fact about addresses, and a rejection only where the definition declares them.
check giant exits 0 "$bin" referee src/op/suite/gold/softmax.py --op softmax --seed 5
check giant_safe grep -q '^large tensors: addresses are right up to 2147495936 elements (a few programs of each launch)$' "$tmp/out"
check narrow exits 0 "$bin" referee "$tmp/k.py" --op softmax --seed 5 --json
check narrow_line grep -q '"giant":{"safe_elements":2147471360,"fails_at":2147495936,"line":15,"why":"int32 overflow' "$tmp/out"
"$bin" ops softmax | sed -n '/^"""/,$p' | sed 's/^invariant/giant = True\ninvariant/' >"$tmp/giant.py"
check narrow_where_declared exits 1 "$bin" referee "$tmp/k.py" --op "$tmp/giant.py" --seed 5
check says_the_line grep -q 'line 15:.*int32 overflow.* on input float16 524291x4096' "$tmp/out"
check explained_where_declared exits 1 "$bin" explain "$tmp/k.py" --op "$tmp/giant.py" --seed 5
check explains_the_line grep -q 'k.py:15:.*int32 overflow in an address' "$tmp/out"
check wide_where_declared exits 0 "$bin" referee src/op/suite/gold/softmax.py --op "$tmp/giant.py" --seed 5
sed 's/^giant/dims = {"M": {"max": 4096}}\ngiant/' "$tmp/giant.py" >"$tmp/none.py"
check no_such_shapes exits 3 "$bin" referee "$tmp/k.py" --op "$tmp/none.py" --seed 5
check says_the_domain_ends grep -q 'giant = True, but its domain ends before' "$tmp/err"
# A machine that has no room for them is nobody's fault; where the definition declares them, the machine failed (3).
small() { (ulimit -v 20000000 && "$bin" referee src/op/suite/gold/softmax.py --op "$1" --seed 5 --json); }
check no_room exits 0 small softmax
check no_room_is_told grep -q '"giant":{"safe_elements":0,"fails_at":null,"why":"child: memory' "$tmp/out"
check no_room_where_declared exits 3 small "$tmp/giant.py"
check no_room_is_no_verdict grep -q '"status":"referee_error","rule":"world"' "$tmp/out"
check quick_asks_nothing exits 0 "$bin" referee "$tmp/k.py" --op softmax --seed 5 --level quick --json
check quick_is_null grep -q '"giant":null' "$tmp/out"
# How strong the test of a built-in op is; nothing of a definition that was never measured, or of a part of the cases.
proved() { awk -F', ' -v level="LEVEL_$1" -v part="$2" '$1 == "PROVED(\"silu\"" && $2 == level { print $part }' src/op/suite/proved.def; }
quick=$(proved QUICK 7) full=$(proved FULL 7)
check some_were_killed [ "$quick" -gt 40 -a "$full" -ge "$quick" ]
check strength exits 0 "$bin" referee src/op/suite/gold/silu.py --op silu --seed 5 --level quick --json
check strength_counts grep -q "\"op_strength\":{\"mutants\":$(proved QUICK 6),\"killed\":$quick,\"survived\":0,.*\"smallest_margin\":[0-9.]*,\"version\":" "$tmp/out"
check strength_in_words exits 0 "$bin" explain src/op/suite/gold/silu.py --op silu --seed 5 --level quick
check strength_is_told grep -q "^test strength: these cases reject $quick of $quick small mistakes in a right kernel of this op, the least of them" "$tmp/out"
check strength_of_ops exits 0 "$bin" ops silu --long
check ops_tell_it grep -q "^# level full: test strength: these cases reject $full of $full " "$tmp/out"
"$bin" ops silu | sed -n '/^"""/,$p' | sed 's/1e-4/1e-3/' >"$tmp/silu.py"
check unmeasured exits 0 "$bin" referee src/op/suite/gold/silu.py --op "$tmp/silu.py" --level quick --json
check unmeasured_is_null grep -q '"op_strength":null' "$tmp/out"
check part exits 0 "$bin" referee src/op/suite/gold/silu.py --op silu --level quick --shape 7x64 --json
check part_is_null grep -q '"op_strength":null' "$tmp/out"
# What the checker has warned of is told where values are wrong, and only there.
check view_is_wrong exits 1 "$bin" referee src/op/suite/wrong/softmax_viewed_rows.py --op softmax --seed 5 --level quick
check view_is_warned_of grep -q 'with the reference. Note that tl.view may change the order of the elements; tl.reshape keeps it.$' "$tmp/out"
check reshape_is_right exits 0 "$bin" referee src/op/suite/honest/softmax_reshaped_rows.py --op softmax --seed 5 --level quick
sed 's/e \/ tl.sum/e + tl.sum/' src/op/suite/honest/softmax_reshaped_rows.py >"$tmp/reshaped.py"
check reshape_is_wrong exits 1 "$bin" referee "$tmp/reshaped.py" --op softmax --seed 5 --level quick
check nothing_is_warned_of sh -c "! grep -q 'Note that' '$tmp/out'"
# What a program is called does not depend on the seed: among many rows of nearly constant values some variance of one pass is
# negative in every draw.
for seed in 1 2 3 128000 2654435761; do
    check one_pass_is_wrong exits 1 "$bin" referee src/op/suite/wrong/layernorm_one_pass.py --op layernorm --seed $seed --level quick
    check one_pass_gives_nan grep -q '^layernorm: rejected (nan_class, level quick)$' "$tmp/out"
done
# A tensor that just about fits into a judge's memory leaves nothing to anything else: that says nothing of the program.
check memory_is_no_finding exits 0 "$bin" referee src/op/suite/gold/softmax.py --op softmax --shape 2114x31697 --dtype float16 --level full --seed 1
check memory_is_told grep -q 'not covered: float16 2114x31697, the tensors of one call take more memory than' "$tmp/out"
