#!/bin/sh
# explain: the facts it tells about known mistakes, and that it tells none where there is none.
. "$(dirname "$0")/lib.sh"
wrong=src/op/suite/wrong
gold=src/op/suite/gold/softmax.py
explain() { # CODE FILE OP OPTIONS...
    code=$1 file=$2 op=$3
    shift 3
    exits "$code" "$bin" explain "$file" --op "$op" --level "${level:-quick}" --seed 7 "$@"
}
told() { grep -qE -- "$1" "$tmp/out"; }
untold() { ! grep -qE -- "$1" "$tmp/out"; }

# No maximum subtraction: values decide, the class is named, one element shows it.
check no_max explain 1 $wrong/softmax_no_max.py softmax --minimize
check no_max_class told '^fails on float32 30x1, class mean_1000: mean 1000 with standard deviation 1$'
check no_max_other_classes told '^  1 of 1 spike_first '
check no_max_right_classes untold '^  . of . (bell|zero|tiny_1e4) '
check no_max_region told '^the output: 9 NaN or infinity of 30 elements'
check no_max_picture told '^ +4  N$'
check no_max_minimal told '^smallest failure: float32 1 row of 1, class mean_1000 '
check no_max_element told '^  row 0, column 0: expected 1, got nan,'
check no_max_lines told '^  line 15: 245760 loaded   x = tl.load'
check no_max_passes told '^passes over the data: 1.00 .*; the fewest: 1.00$'
check no_max_seed told '^repeat with --seed 7$'
cp "$tmp/out" "$tmp/first"
explain 1 $wrong/softmax_no_max.py softmax --minimize
check the_same_again cmp "$tmp/first" "$tmp/out"

# What cannot be judged has no failing case.
sed 's/tl.exp(x - tl.max(x, axis=0))/tl.inline_asm_elementwise("", "=r,r", [x], tl.float32, True, 1)/' $gold >"$tmp/asm.py"
check undecided explain 4 "$tmp/asm.py" softmax --minimize
check undecided_says_why told 'inline assembly'
check undecided_has_no_failing_case untold '^fails on|^smallest failure'

# Nor has one that fails between calls, or that cannot be read: --minimize says so.
cat >"$tmp/calls.py" <<'END'
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.maximum(x, 0) * tl.maximum(x, 0) * scale, mask=i < n)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        x = x.contiguous()
        self.calls += 1
        out = torch.empty_like(x)
        n = x.numel()
        relu_kernel[(triton.cdiv(n, 1024),)](x, out, n, 2.0 if self.calls > 3 else 1.0, BLOCK=1024)
        return out
END
none='^smallest failure: not looked for: no single input fails here'
check calls explain 1 "$tmp/calls.py" relu2 --minimize
check calls_why told 'in call 4 on the same object'
check calls_minimize told "$none"
check calls_alone explain 1 "$tmp/calls.py" relu2
check calls_not_asked untold '^smallest failure'
sed 's/self.calls += 1/global calls/' "$tmp/calls.py" >"$tmp/global.py"
check global explain 1 "$tmp/global.py" relu2 --minimize
check global_next_step told 'global and nonlocal: what a later call needs is kept by .*\(self.x = ...\), .*\(_cache = \{\}'
check global_minimize told "$none"

# A tail that nobody stores: its columns, its tile, and the least shape.
check tail explain 1 $wrong/rmsnorm_partial_tail.py rmsnorm --minimize --shape 5x300
check tail_region told 'unwritten of 1500 elements: exactly all rows \(5\), columns 256 to 299 of 0 to 299$'
check tail_any_class told 'the class of the values does not decide$'
check tail_picture told '^ +4  \.+u?U+$'
check tail_minimal told '^smallest failure: float32 1 row of 1, any values '
check last_row explain 1 $wrong/softmax_misses_last_row.py softmax --shape 6x64
check last_row_region told '64 unwritten of 384 elements: exactly row 5 of 0 to 5, all columns \(64\)$'
check last_row_less_traffic told '^passes over the data: 0\.83 '

# No carry from one block to the next: wrong from the second tile on; the least row has one element more than a tile.
check carry explain 1 $wrong/cumsum_no_carry.py cumsum --minimize
check carry_region told 'column 1024 of 0 to 1024, from the start of a tile of 1024 columns on$'
check carry_ruler told '\|  *\|  *tiles of 1024 columns$'
check carry_minimal told '^smallest failure: float32 1 row of 1025, '
check carry_json explain 1 $wrong/cumsum_no_carry.py cumsum --minimize --json
check carry_is_one_object sh -c "[ \$(wc -l <$tmp/out) = 1 ]"
check carry_facts told '"status":"incorrect".*"column_first":1024.*"minimal":\{"found":true.*"rows":1,"row":1025,.*"expected":-?[0-9.]+,"got":-?[0-9.]+'

# Findings: the line, with a caret; no output to look at, and the bytes until it stopped.
check oob explain 1 $wrong/softmax_store_without_mask.py softmax --minimize
check oob_line told "^$wrong/softmax_store_without_mask.py:16:5: store outside the tensor's memory"
check oob_caret told '^ +\^~+$'
check oob_no_picture untold '^the output:'
check oob_stopped told ', until it was stopped\):$'
check oob_minimal told '^smallest failure: float32 1 row of 3, any values '
check race explain 1 $wrong/softmax_total_same_launch.py softmax --minimize
check race_line told 'softmax_total_same_launch.py:23:5: atomic on element'
check race_atomic_line told '^  line 23: [0-9]+ loaded, [0-9]+ stored   tl.atomic_add'
check race_minimal told '^smallest failure: float32 1 row of 65, any values '
check orders explain 1 $wrong/softmax_ticket.py softmax --minimize
check orders_need_two_rows told '^smallest failure: float32 2 rows of 2, class '
level=full
check configs explain 1 $wrong/softmax_autotune_one_unstable.py softmax --minimize
level=
check configs_minimal told '^smallest failure: float32 1 row of 1, class mean_1000 '
# What only further cases show, of branches, and what no case is: production shapes, lines that none reached.
x=test/exploit
level=full
check branch explain 1 $x/branch_of_rows_and_columns.py softmax --minimize
check branch_case told '^fails on [a-z0-9]+ [0-9x]+.*, a case for sizes that the source compares with'
check branch_minimal told '^smallest failure: '
check production explain 1 $x/grid_capped.py softmax
check production_told told '^softmax: rejected '
check unreached explain 4 $x/branch_of_one_stride.py softmax
check unreached_told told '^No case reached line 25 '
level=
check syntax explain 1 $wrong/syntax_error.py softmax
check syntax_caret told '^        \^~$'
check syntax_no_case untold '^fails on|^bytes by line|^smallest'
check compile_error explain 1 $wrong/compile_astype.py softmax
check compile_caret told 'compile_astype.py:14:9: AttributeError'

check no_proof_of_a_wrong_kernel explain 1 $wrong/softmax_no_max.py softmax --prove
check no_proof_is_told told '^no mutants: '
check no_proof_no_strength untold '^how strong'

# A right kernel has no failure to show; its own mutants say how strong the test was.
check accepted explain 0 $gold softmax --minimize --prove
check accepted_closest told '^largest error: [0-9.]+ % of the allowed error, on float'
check accepted_traffic told '^all traffic: 1\.00 times the fewest possible 491520 bytes$'
check accepted_strength told '^how strong this test was: of 73 small edits of this kernel, the very same cases rejected 64, accepted 0; 9 never'
check accepted_margin told '^smallest margin: line 15, accumulator, at '
check accepted_nothing_fails untold '^fails on|^the output:|^smallest failure'
check accepted_json explain 0 $gold softmax --json
check accepted_json_facts told '"status":"ok".*"by_line":\{.*"passes":1\.0'
check accepted_json_no_failure untold '"(region|minimal|place|strength)":'

# Nothing is journaled; without a seed one is drawn and told; wrong usage is refused.
check nothing_journaled sh -c "[ ! -e $tmp/state ]"
check a_seed_is_drawn exits 0 "$bin" explain $gold --op softmax --level quick
check a_drawn_seed_is_told told '^repeat with --seed [0-9]+$'
# A kernel without its host code, launched as a manifest says.
sed '/^def run/,$d' $gold >"$tmp/k.py"
cat >"$tmp/m.json" <<'EOF'
{"kernel": "softmax_kernel", "args": ["x", "out", "x.stride(0)", "out.stride(0)", "x.shape[1]"],
 "constexprs": {"BLOCK": "triton.next_power_of_2(x.shape[1])"}, "grid": ["x.shape[0] - 1"],
 "outputs": {"out": {"shape": "x.shape", "dtype": "x.dtype"}}}
EOF
check manifest explain 1 "$tmp/k.py" softmax --manifest "$tmp/m.json" --shape 5x40
check manifest_region told 'exactly row 4 of 0 to 4, all columns'
check no_op exits 2 "$bin" explain $gold
check no_file exits 2 "$bin" explain --op softmax
check no_such_file exits 3 "$bin" explain "$tmp/none.py" --op softmax
check bad_level exits 2 "$bin" explain $gold --op softmax --level best
