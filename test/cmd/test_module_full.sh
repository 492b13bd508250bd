#!/bin/sh
# Level full has few cases of a module at its own sizes and most at level quick's, and long sizes with as little else as can be. What
# is not right at the smaller ones is judged at its own: nobody is rejected for small sizes, and what hangs on larger ones is found.
. "$(dirname "$0")/lib.sh"
says() { grep -qF -- "$1" "$tmp/out" "$tmp/err" || { echo "no: $1"; cat "$tmp/out" "$tmp/err"; return 1; }; }
cat >"$tmp/relu.py" <<'P'
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


batch_size, dim = 4096, 393216


def get_inputs():
    return [torch.rand(batch_size, dim)]


def get_init_inputs():
    return []
P
cat >"$tmp/masked.py" <<'P'
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu(x_ptr, y_ptr, m, n, M: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    column = tl.program_id(1) * N + tl.arange(0, N)[None, :]
    at, inside = row * n + column, (row < m) & (column < n)
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.maximum(x, 0.0)
    tl.store(y_ptr + at, y, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        relu[(triton.cdiv(m, ROWS), triton.cdiv(n, COLUMNS))](x, y, m, n, M=ROWS, N=COLUMNS)
        return y
P
# NAME ROWS COLUMNS [SED]
made() { sed "s/ROWS/$2/g; s/COLUMNS/$3/g; ${4:-}" "$tmp/masked.py" >"$tmp/$1.py"; }
unmasked='s/, mask=inside//'
made right 64 16
made wide 64 16 "$unmasked"
made rows 8 128 "$unmasked"
made later 64 16 's/tl.maximum(x, 0.0)/tl.maximum(x, tl.where(row < 100, 0.0, 0.1))/'
made minus 64 16 's/tl.maximum(x, 0.0)/x * (x > 0)/'
made minus_wide 64 16 "$unmasked; s/tl.maximum(x, 0.0)/x * (x > 0)/"
# Chosen by a size or a place that smaller sizes have not: there are infinite values in a later case than the first few.
made size 64 16 's/tl.maximum(x, 0.0)/tl.where(m > 100, x * (x > 0), tl.maximum(x, 0.0))/'
made place 64 16 's/tl.maximum(x, 0.0)/tl.where(row >= 100, x * (x > 0), tl.maximum(x, 0.0))/'
made both 64 16 's/tl.maximum(x, 0.0)/tl.where(m > 100, tl.maximum(0.0, x), tl.maximum(x, 0.0))/'
# For odd sizes alone: one ordinary case does not show what large values come to.
made odd 64 16 's/y = tl.maximum(x, 0.0)/y = tl.maximum(x, 0.0)\n    if n % 2 == 1:\n        y = tl.minimum(tl.maximum(x, 0.0), 100.0)/'
made odd_right 64 16 's/y = tl.maximum(x, 0.0)/y = tl.maximum(x, 0.0)\n    if n % 2 == 1:\n        y = tl.maximum(0.0, x)/'
made far 8 128 "$unmasked; s/tl.maximum(x, 0.0)/tl.maximum(x, tl.where(column < 200000, 0.0, 0.1))/"
# FILE LEVEL STATUS: at full always with the rows of its own sizes
tells() {
    "$bin" referee "$tmp/$1.py" --module "$tmp/relu.py" --seed 7 --json --level "$2" >"$tmp/out" 2>"$tmp/err"
    python3 - "$tmp/out" "$2" "$3" <<'P'
import json, sys
v = json.load(open(sys.argv[1]))
print(v["status"], v["module"]["inputs"][0]["shape"], v["feedback"])
sys.exit(v["status"] != sys.argv[3] or (sys.argv[2] == "full" and v["module"]["inputs"][0]["shape"][0] != 512))
P
}
check "what goes wrong in a row that smaller sizes have not" eval 'tells later quick ok && tells later full incorrect'
# The first few cases have no infinite values.
check "what one kind of values shows at smaller sizes" eval 'tells right full ok && tells minus full nan_class'
check "what one kind of values shows where a size or a place is as at no smaller size" eval 'tells size full nan_class && tells place full nan_class'
more() { cp "$tmp/out" "$tmp/fewer" && tells both full ok && python3 -c 'import json, sys; a, b = (json.load(open(f))["cases_run"] for f in sys.argv[1:]); sys.exit(b != a + 12)' "$tmp/fewer" "$tmp/out"; }
check "such a choice has all cases there, and is right" eval 'tells right full ok && more'
check "a line that odd sizes alone come to has all of their cases" eval 'tells odd_right full ok && tells odd full unreached'
check "blocks that smaller sizes are too small for" eval 'tells wide full ok'
check "and wrong besides" eval 'tells minus_wide full nan_class'
# Beside the long size there are eight rows, or four.
long_ones() {
    exits 0 "$bin" referee "$tmp/rows.py" --module "$tmp/relu.py" --level full --seed 7 && says 'dim 393216' && tells far quick ok && tells far full incorrect && says 393216
}
check "blocks that the least beside a long size is too small for" long_ones
