#!/bin/sh
# Level quick judges a module at smaller sizes than level full, and tells them. What such sizes alone come to is judged at full's.
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
    tl.store(y_ptr + at, tl.maximum(x, 0.0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        m, n = x.shape
        y = torch.empty_like(x)
        relu[(triton.cdiv(m, 64), triton.cdiv(n, 16))](x, y, m, n, M=64, N=16)
        return y
P
# Blocks of 64 x 16 divide the published sizes and full's small ones, but not the 32 rows of quick.
sed 's/, mask=inside//' "$tmp/masked.py" >"$tmp/unmasked.py"
sed 's/tl.maximum(x, 0.0)/tl.maximum(x, 0.1)/' "$tmp/unmasked.py" >"$tmp/wrong.py"
sed 's/m, 64)/m + 64, 64)/' "$tmp/unmasked.py" >"$tmp/far.py"
sed 's/inside = row \* n + column, (row < m)/inside = row * n + column, (row < m - 1)/' "$tmp/masked.py" >"$tmp/short.py"
judged() { "$bin" referee "$tmp/$1.py" --module "$tmp/relu.py" --seed 7 --json --level "$2" >"$tmp/out" 2>"$tmp/err"; }
# FILE LEVEL STATUS ROWS UNALIGNED
tells() {
    judged "$1" "$2"
    python3 - "$tmp/out" "$3" "$4" "$5" <<'P'
import json, sys
v = json.load(open(sys.argv[1]))
m = v["module"]
got = [v["status"], str(m["inputs"][0]["shape"][0]), str(m["unaligned"])]
rows = [s["size"] for s in m["sizes"] if s["name"] == "batch_size"]
print(got, rows, v["feedback"])
sys.exit(got != sys.argv[2:5] or rows != [int(sys.argv[3])])
P
}
smaller() { tells masked quick ok 32 None && exits 0 "$bin" referee "$tmp/masked.py" --module "$tmp/relu.py" --level quick && says 'batch_size 32 instead of 4096'; }
check "quick is smaller, and says so" smaller
full() { tells masked full ok 512 None && tells unmasked full ok 512 None; }
check "full is as it was" full
second() { tells unmasked quick ok 512 oob && exits 0 "$bin" explain "$tmp/unmasked.py" --module "$tmp/relu.py" --level quick && says 'at smaller ones it is wrong (oob)'; }
check "blocks that quick's sizes are too small for" second
wrong() {
    tells far quick oob 32 None && tells short quick uncovered_output 32 None && tells far full oob 512 None
}
check "wrong ones stay rejected, at quick's sizes" wrong
# At 32 rows its blocks reach too far, which is not what is wrong with it.
otherwise() {
    tells wrong quick incorrect 512 None && tells wrong full incorrect 512 None && sed 's/tl.maximum(x, 0.0)/tl.where(row < 40, tl.maximum(x, 0.1), x \/ 0.0)/' "$tmp/masked.py" >"$tmp/values.py" &&
        tells values quick incorrect 32 None && tells values full nan_class 512 None
}
check "wrong in another way at full's sizes: that is the verdict" otherwise
ladder() {
    python3 - "$tmp" >"$tmp/requests" <<'P'
import json, sys
text = lambda f: open(f"{sys.argv[1]}/{f}.py").read()
for source in ("masked", "unmasked", "wrong"):
    for level in ("quick", "ladder"):
        print(json.dumps({"id": f"{source} {level}", "module": text("relu"), "source": text(source), "level": level}))
P
    exits 0 "$bin" referee --stream <"$tmp/requests" && python3 - "$tmp/out" <<'P'
import json, sys
got = {v["id"]: (v["status"], v["level"], v["module"]["inputs"][0]["shape"][0]) for v in map(json.loads, open(sys.argv[1]))}
want = {"masked quick": ("ok", "quick", 32), "masked ladder": ("ok", "full", 512), "unmasked quick": ("ok", "quick", 512),
        "unmasked ladder": ("ok", "full", 512), "wrong quick": ("incorrect", "quick", 512), "wrong ladder": ("incorrect", "quick", 512)}
print(got)
sys.exit(got != want)
P
}
check "the ladder tells the sizes of the level that decided" ladder
# Over 32 rows this is zero whatever the input is: quick has full's sizes there. Over all of full's it is refused, at quick as at full.
degenerate() {
    sed 's/torch.relu(x)/torch.relu(x) * (torch.arange(x.shape[0]) >= ROWS).float().unsqueeze(1)/' "$tmp/relu.py" >"$tmp/late.py"
    sed 's/tl.maximum(x, 0.0)/tl.where(row >= ROWS, tl.maximum(x, 0.0), 0.0)/' "$tmp/masked.py" >"$tmp/late_new.py"
    for rows in 100 1000; do
        sed "s/ROWS/$rows/" "$tmp/late.py" >"$tmp/late_$rows.py" && sed "s/ROWS/$rows/" "$tmp/late_new.py" >"$tmp/late_new_$rows.py"
    done
    exits 0 "$bin" referee "$tmp/late_new_100.py" --module "$tmp/late_100.py" --level quick && says 'batch_size 512 instead of 4096' &&
        exits 3 "$bin" referee "$tmp/late_new_1000.py" --module "$tmp/late_1000.py" --level quick && says 'not a definition to judge by' &&
        exits 3 "$bin" referee "$tmp/late_new_1000.py" --module "$tmp/late_1000.py" --level full && says 'not a definition to judge by'
}
check "a definition that says nothing at quick's sizes" degenerate
# Over 32 rows it is all zeros in some draws, and in some not. The same seed gives the same verdict, so the same sizes.
same_sizes() {
    sed 's/torch.relu(x)/torch.relu(torch.minimum(torch.minimum(x[:, 5], -x[:, 6]), x[:, 7]) - 1.0)/' "$tmp/relu.py" >"$tmp/seldom.py"
    for turn in 1 2 3 4 5 6 7 8 9 10 11 12; do
        "$bin" referee "$tmp/masked.py" --module "$tmp/seldom.py" --level quick --seed 7 >"$tmp/out" 2>"$tmp/err"
        sed -n "s/^size, .*batch_size /$turn /p" "$tmp/out"
    done >"$tmp/all_sizes"
    [ "$(wc -l <"$tmp/all_sizes")" = 12 ] && [ "$(sed 's/^[0-9]* //' "$tmp/all_sizes" | sort -u | wc -l)" = 1 ] || { cat "$tmp/all_sizes"; return 1; }
}
check "the same sizes each time" same_sizes
# A variance that is a difference of means shows where whole samples, or whole channels, are nearly one value: in each draw some are.
made=$(dirname "$0")/../module/verdict
one_pass() {
    for name in sample_norm batchnorm; do
        for seed in 1 2 3 4 5 6; do
            "$bin" referee --module "$made/reference/$name.py" --seed $seed --level quick --json "$made/right/$name.py" "$made/wrong/$name.one_pass.py"
        done
    done >"$tmp/out" 2>"$tmp/err"
    [ "$(grep -c '"status": *"ok"' "$tmp/out")" = 12 ] && [ "$(grep -c '"status": *"\(inaccurate\|nan_class\)"' "$tmp/out")" = 12 ] || { cat "$tmp/out" "$tmp/err"; return 1; }
}
check "one-pass variances, at each seed" one_pass
