#!/bin/sh
# export: champions as a Python package. What it does under PyTorch is test/conformance/export.py; this needs no PyTorch.
. "$(dirname "$0")/lib.sh"
kept=$tmp/kept
mkdir "$kept"
cp champions/softmax.* champions/swiglu.* champions/qknorm_rope.* "$kept/"
pack=$tmp/pack
inner=$pack/ouroboros_kernels
check exports exits 0 "$bin" export --champions "$kept" -o "$pack"
check told grep -qx "3 ops in $pack; to use them: pip install $pack" "$tmp/out"
check files sh -c "cd '$pack' && [ -f pyproject.toml ] && [ -f README.md ] && [ -f build_backend/plain_wheel.py ] && [ -f ouroboros_kernels/_op.py ]"
check kernels_as_they_are sh -c "for op in softmax swiglu qknorm_rope; do cmp '$kept/'\$op.py '$inner/kernels/'\$op.py || exit 1; done"
# Every file is Python: by our own parser, and by Python itself.
parsed() {
    for f in $(find "$pack" -name '*.py'); do
        [ "${f##*/}" = plain_wheel.py ] || "$bin" fmt "$f" >/dev/null || return 1
    done
}
check parses parsed
echo 'def broken(:' >"$pack/broken.py"
check parser_can_fail sh -c "! '$bin' fmt '$pack/broken.py'"
rm "$pack/broken.py"
compiles() { python3 -c 'import ast, pathlib, sys
for p in pathlib.Path(sys.argv[1]).rglob("*.py"): ast.parse(p.read_text(), str(p))' "$pack"; }
command -v python3 >/dev/null && check compiles compiles
# A definition is the one that `ops` prints.
"$bin" ops softmax | grep -v '^#' >"$tmp/definition"
check definition sh -c "grep -qxF 'inputs = {' '$inner/definitions/softmax.py' && head -n 1 '$inner/definitions/softmax.py' | grep -qx 'import torch' && grep -q '^def reference(x):\$' '$inner/definitions/softmax.py'"
check signature grep -qx 'def qknorm_rope(x, w, cos, sin):' "$inner/ops/qknorm_rope.py"
check registered grep -qx '    return _operator(x, w, cos, sin)' "$inner/ops/qknorm_rope.py"
sha=$(sed 's/.*"source_sha256":"\([0-9a-f]*\)".*/\1/' "$kept/softmax.json")
check hash_told grep -qx "    source_sha256=\"$sha\"," "$inner/ops/softmax.py"
check verdict_told grep -q '^    verdict="Accepted: [0-9]* of [0-9]* cases passed (full)' "$inner/ops/softmax.py"
check domain_told grep -q '^    x\[M, N\]: float16, bfloat16 or float32' "$inner/ops/softmax.py"
# The longest row is the verdict's own, and that of level full where no longer one is there.
longest=$(sed 's/.*"sizes":\[\([^]]*\)\].*/\1/' "$kept/softmax.json" | grep -o 'x[0-9]*' | tr -d x | sort -n | tail -n 1)
check longest_row sh -c "[ '$longest' -gt 65537 ] && grep -qx '    longest_row=$longest,' '$inner/ops/softmax.py'"
sed 's/"sizes":\[[^]]*\]/"sizes":[{"shape":"float32 5x900000","said":"unknown"}]/; s/"giant":{[^}]*}/"giant":null/' "$kept/softmax.json" >"$tmp/short.json"
check differs sh -c "! cmp -s '$kept/softmax.json' '$tmp/short.json'"
mkdir "$tmp/short" && cp "$kept/softmax.py" "$tmp/short/" && cp "$tmp/short.json" "$tmp/short/softmax.json"
check short exits 0 "$bin" export --champions "$tmp/short" -o "$tmp/short-pack"
check one_op grep -q '^1 op in ' "$tmp/out"
check bounds_of_full sh -c "grep -qx '    longest_row=65537,' '$tmp/short-pack/ouroboros_kernels/ops/softmax.py' && grep -qx '    most_elements=2147483647,' '$tmp/short-pack/ouroboros_kernels/ops/softmax.py'"
check imports sh -c "[ \$(grep -c '^from .ops.[a-z_]* import ' '$inner/__init__.py') = 3 ]"
check readme grep -q '^| `softmax(x)` | ' "$pack/README.md"
# Which ops.
mkdir "$tmp/few" && cp champions/softmax.* champions/softmax_scale.* champions/swiglu.* "$tmp/few/"
few() { "$bin" export "$1" --champions "$tmp/few" -o "$2"; }
check some exits 0 few 'soft*,swiglu' "$tmp/some"
check globs_choose grep -q '^3 ops in ' "$tmp/out"
check one_of_them exits 0 few 'sw*' "$tmp/one"
check one_is_there grep -q '^1 op in ' "$tmp/out"
check none_like_it exits 3 few 'cums*' "$tmp/like"
check none_like_it_told grep -q 'few: no champion of such an op is kept here' "$tmp/err"
check exit_of_missing exits 3 few gelu,swiglu "$tmp/missing"
check missing_told grep -q '^gelu: not exported: .*few/gelu.json: No such file' "$tmp/out"
check others_are_written sh -c "[ -f '$tmp/missing/ouroboros_kernels/ops/swiglu.py' ] && [ ! -f '$tmp/missing/ouroboros_kernels/ops/gelu.py' ]"
# What is there already is not mixed with.
check again exits 3 "$bin" export --champions "$kept" -o "$pack"
check again_told grep -q 'ouroboros_kernels is there already: remove it, or name another folder by -o' "$tmp/err"
# Nor is what belongs to somebody else written over.
for own in README.md pyproject.toml build_backend; do
    mkdir "$tmp/theirs-$own" && echo theirs >"$tmp/theirs-$own/$own" && echo other >"$tmp/theirs-$own/other"
    check "${own}_of_others" exits 3 "$bin" export softmax --champions champions -o "$tmp/theirs-$own"
    check "${own}_stays" sh -c "[ \"\$(cat '$tmp/theirs-$own/$own')\" = theirs ] && [ \$(ls '$tmp/theirs-$own' | wc -l) = 2 ]"
    rm "$tmp/theirs-$own/$own"
    check "without_${own}" exits 0 "$bin" export softmax --champions champions -o "$tmp/theirs-$own"
done
check no_name exits 2 "$bin" export softmax --champions champions -o ''
odd="$tmp/it's a \$pack"
check odd_folder exits 0 "$bin" export softmax --champions champions -o "$odd"
check one_word_for_a_shell sh -c "eval \"set -- \$(sed 's/.*pip install //' '$tmp/out')\" && [ \$# = 1 ] && [ -f \"\$1/pyproject.toml\" ]"
# Refused: a changed kernel, a changed record, another definition, no verdict at full, no acceptance, another domain.
refused() { # NAME SED-OF-THE-RECORD TEXT
    cp champions/softmax.* "$kept/"
    sed "$2" "$kept/softmax.json" >"$tmp/record" && cp "$tmp/record" "$kept/softmax.json"
    [ "$1" = kernel ] && sed 's/inv = 1.0/inv = 2.0/' champions/softmax.py >"$kept/softmax.py"
    check "$1_refused" exits 1 "$bin" export --champions "$kept" -o "$tmp/refused-$1"
    check "$1_why" grep -q "^softmax: not exported: .*$3" "$tmp/out"
    check "$1_left_out" sh -c "[ ! -e '$tmp/refused-$1/ouroboros_kernels/ops/softmax.py' ] && [ -f '$tmp/refused-$1/ouroboros_kernels/ops/swiglu.py' ] && ! grep -q softmax '$tmp/refused-$1/ouroboros_kernels/__init__.py'"
}
refused kernel '' 'the kernel or its record was changed by hand'
refused record 's/"source_sha256":"[0-9a-f]/"source_sha256":"x/' 'the kernel or its record was changed by hand'
refused name 's/"op":"softmax"/"op":"swiglu"/' 'the kernel or its record was changed by hand'
refused definition 's/"op_hash":"./"op_hash":"x/' 'judged by another definition of this op'
refused level 's/"level":"full"/"level":"quick"/' 'it was not accepted at full'
refused acceptance 's/"accepted":true/"accepted":false/' 'it was not accepted at full'
refused layout 's/"layout":"any"/"layout":"contiguous"/' 'it was judged in another domain'
refused values 's/"values":"declared"/"values":"published"/' 'it was judged in another domain'
refused verdict 's/"domain":{[^}]*}/"domain":3/' 'no verdict with a domain'
# Texts of a record do not leave their quotes.
cp champions/softmax.* "$kept/"
sed 's/"gpu":"NVIDIA H100 80GB HBM3","cuda":13000,"search"/"gpu":"a\\"\\"\\"\\n)\\\\","cuda":13000,"search"/' "$kept/softmax.json" >"$tmp/record" && cp "$tmp/record" "$kept/softmax.json"
check quotes exits 0 "$bin" export softmax --champions "$kept" -o "$tmp/quotes"
pack=$tmp/quotes
check quoted parsed
check quoted_text grep -qF 'gpu="a\"\"\"\n)\\",' "$tmp/quotes/ouroboros_kernels/ops/softmax.py"
# What cannot be asked or read.
echo '{' >"$kept/softmax.json"
check unreadable exits 3 "$bin" export softmax --champions "$kept" -o "$tmp/unread"
check nothing_written sh -c "[ ! -e '$tmp/unread' ]"
check no_folder exits 3 "$bin" export --champions "$tmp/nowhere"
check no_folder_hint grep -q 'nowhere: No such file or directory; --champions FOLDER says where' "$tmp/err"
check no_op exits 2 few qqqqq "$tmp/none"
# Found in the folder, and not in the suite.
rm "$kept/softmax.json" "$kept/softmax.py"
cp champions/softmax.py "$kept/nosuchop.py" && sed 's/"op":"softmax"/"op":"nosuchop"/g' champions/softmax.json >"$kept/nosuchop.json"
check unknown exits 1 "$bin" export --champions "$kept" -o "$tmp/unknown"
check unknown_told grep -q '^nosuchop: not exported: ' "$tmp/out"
