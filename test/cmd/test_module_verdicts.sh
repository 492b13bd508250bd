#!/bin/sh
# Verdicts on a ModelNew by a reference in module form: `referee FILE --module REF.py`. Of test/module/verdict, every right program
# is accepted, and every wrong one gets a status of its "# expect:" line. Those in long/ are wrong where a size is long alone, or choose by a
# far number; those in pairs/ are wrong where two sizes are long, and those in published/ at the published sizes alone, where addresses of a
# few programs are tried.
. "$(dirname "$0")/lib.sh"
made=$(dirname "$0")/../module/verdict
ref=$made/reference
says_times() { [ "$(grep -cF -- "$2" "$tmp/out")" = "$1" ] || { echo "not $1 times: $2"; cat "$tmp/out" "$tmp/err"; return 1; }; }
says() { grep -qF -- "$1" "$tmp/out" "$tmp/err" || { echo "no: $1"; cat "$tmp/out" "$tmp/err"; return 1; }; }

# answered FORM REFERENCE ARGUMENT...: the right program and all wrong ones, of every folder, on one draw, and files among the arguments.
# What is said of them goes to $tmp/REFERENCE.FORM, so that no check judges again what another has had judged from the same seed.
answered() {
    form=$1 name=$2
    shift 2
    for f in "$made/right/$name.py" "$made"/wrong/"$name".*.py "$made"/long/"$name".*.py "$made"/pairs/"$name".*.py "$made"/published/"$name".*.py; do
        [ ! -f "$f" ] || set -- "$@" "$f"
    done
    "$bin" referee --module "$made/reference/$name.py" --seed 20261126 "$@" >"$tmp/$name.$form" 2>&1
}
# judged REFERENCE FOLDER: the answers in $tmp/REFERENCE.json, or in words in $tmp/REFERENCE.words, to its right program and to all of the
# folder's are those expected.
judged() {
    answers=$tmp/$1.json
    [ -f "$answers" ] || answers=$tmp/$1.words
    python3 - "$answers" "$made/right/$1.py" "$made/$2/$1".*.py <<'END'
import json, re, sys
answers, *files = sys.argv[1:]
text = open(answers).read()
if answers.endswith(".words"):  # a headline for each file, then what it comes to and why
    said = re.findall(r"^== (.*)\n\w+: (accepted|rejected|undecided)\b.* \((\w+), level full\)\n(.*)$", text, re.M)
    all = [dict(file=f, accepted=w == "accepted", status=s, feedback=why) for f, w, s, why in said]
else:
    all = map(json.loads, text.splitlines())
verdicts = {v["file"]: v for v in all}
wrong = 0
for file in files:
    v = verdicts[file]
    head = re.search(r"^# expect: (.*)$", open(file).read(), re.M)
    expected = head.group(1).split("|") if head else ["ok"]
    if v["status"] not in expected:
        print(file, v["status"], v["feedback"])
        wrong += 1
    wrong += v["accepted"] != (v["status"] == "ok")
sys.exit(wrong > 0)
END
}
# One program that goes through all of it: see unknown_there.
sed 's/scale_kernel\[(rows, triton.cdiv(n, 1024))\]/scale_kernel[(1, 1)]/; s/scale_kernel(x_ptr, scale_ptr, y_ptr, n, BLOCK/scale_kernel(x_ptr, scale_ptr, y_ptr, rows, n, BLOCK/
     s/(x, self.scale, y, n, /(x, self.scale, y, rows, n, /' "$made/right/scale_huge.py" >"$tmp/one.py"
python3 - "$tmp/one.py" <<'P'
import sys
text = open(sys.argv[1]).read()
head, tail = text.split("    row = tl.program_id(0).to(tl.int64)\n")
body, rest = tail.split("\n\n\nclass", 1)
loop = "    for r in range(rows):\n        row = r.to(tl.int64)\n        for start in range(0, n, BLOCK):\n"
body = body.replace("tl.program_id(1) * BLOCK", "start").replace("    ", "            ")
open(sys.argv[1], "w").write(head + loop + body + "\n\n\nclass" + rest)
P
right=0
for f in "$made"/reference/*.py; do
    name=$(basename "$f" .py)
    [ -f "$made/right/$name.py" ] && right=$((right + 1))
    case $name in
    # In words where checks below look at them.
    scale_huge)
        answered words "$name" --level full "$tmp/one.py"
        huge_code=$?
        ;;
    conv2d | matmul | softmax) answered words "$name" --level full ;;
    *) answered json "$name" --level full --json ;;
    esac
    check "judged $name" judged "$name" wrong
done
for name in $(ls "$made/long" | sed 's/\..*//' | sort -u); do
    check "long sizes of $name" judged "$name" long
done
# Wrong where two sizes are long together: with either of them small they are right, as the verdict says.
for name in $(ls "$made/pairs" | sed 's/\..*//' | sort -u); do
    check "two long sizes of $name" judged "$name" pairs
done
# What is said of gelu is needed in both forms: in words of those that checks below ask about.
gelu_flaw=$(ls "$made"/wrong/gelu.*.py | head -n 1)
"$bin" referee --module "$ref/gelu.py" --level full --seed 20261126 "$made/pairs/gelu.area.py" "$made/long/gelu.grid.py" "$gelu_flaw" >"$tmp/gelu.words" 2>&1
of_file() { awk -v head="== $2" '/^== / { mine = $0 == head } mine' "$tmp/$1.words" >"$tmp/out" && : >"$tmp/err" && [ -s "$tmp/out" ]; } # REFERENCE FILE
# shown_of WORD FILE: what is said of it, which `says` looks at; WORD is "accepted" or "rejected".
shown_of() {
    name=$(basename "$2" | sed 's/\..*//')
    of_file "$name" "$2" && says "$name: $1 at "
}
# Several files share draws of long sizes: alone, one gets the same verdict.
alone_as_among_others() {
    exits 1 "$bin" referee "$made/pairs/gelu.area.py" --module "$ref/gelu.py" --seed 20261126 --level full --json || return 1
    for of in gelu.json out; do sed 's/"elapsed_ms":[^,]*,//; s/,"elapsed_ms":[^,}]*//' "$tmp/$of" | grep '/gelu\.area' >"$tmp/$of.own"; done
    [ -s "$tmp/out.own" ] && cmp "$tmp/gelu.json.own" "$tmp/out.own"
}
check alone_as_among_others alone_as_among_others
two_long_are_named() {
    for f in "$made"/pairs/*.py; do
        name=$(basename "$f" | sed 's/\..*//')
        shown_of rejected "$f" && says "$name: rejected at two long sizes" &&
            says 'wrong where two sizes are long: ' && says ', and with ' || return 1
    done
    shown_of accepted "$made/right/matmul.py" && says 'long, two at a time: '
}
check two_long_are_named two_long_are_named
# Wrong at the published sizes alone, which take far more memory than there is.
check "published sizes of scale_huge" judged scale_huge published
# What these checks could ask about alone was judged with the others above, on one draw.
published_and_one_in_words() {
    for f in "$made"/published/*.py "$tmp/one.py"; do of_file scale_huge "$f" || return 1; done
    [ "$huge_code" = 1 ]
}
check published_and_one_in_words published_and_one_in_words
right_and_one_as_published() {
    exits 4 "$bin" referee "$made/right/scale_huge.py" "$tmp/one.py" --shapes published --module "$ref/scale_huge.py" --level full &&
        cp "$tmp/out" "$tmp/huge_published.words"
}
check right_and_one_as_published right_and_one_as_published
published_shown() {
    for f in "$made"/published/*.py; do
        of_file scale_huge "$f" && says 'scale_huge: rejected at the published sizes' && says 'published float32[300000, 8000]' &&
            says 'published sizes: wrong there' || return 1
    done
    of_file huge_published "$made/right/scale_huge.py" && says 'scale_huge: accepted at ' &&
        says 'published sizes: addresses are right (a few programs of each launch, no values)' &&
        exits 0 "$bin" referee "$made/published/scale_huge.int32.py" --module "$ref/scale_huge.py" --level quick && ! grep -q 'published sizes' "$tmp/out"
}
check published_shown published_shown
# Of one program that goes through all of it nothing is found out there, which --shapes published makes an undecided verdict.
unknown_there() {
    of_file scale_huge "$tmp/one.py" && says 'scale_huge: accepted at ' && says 'published sizes: not known: ' &&
        of_file huge_published "$tmp/one.py" && says 'scale_huge: undecided at ' && says 'unsupported'
}
check unknown_there unknown_there
# What a comparison comes out as there, it has to have come out as in a case: else nobody has looked at values.
choices_at_the_published_sizes() {
    n=$(ls "$made"/long/gelu.far_*.py | wc -l)
    exits 4 "$bin" referee "$made"/long/gelu.far_*.py --module "$ref/gelu.py" --level full && says_times "$n" 'No case reached line 14 (`' &&
        says_times "$n" 'published sizes: not known: a condition of a kernel comes out there as it did in no case' || return 1
    # Bounds that are constants of a launch, a bound that holds everywhere, and a number beyond the published sizes.
    sed 's/, n, BLOCK: tl/, n: tl.constexpr, BLOCK: tl/; s/    tl.store/    y = tl.where(i >= 0, y, 0.0)\n    y = tl.where(i < 400000000, y, 0.0)\n    tl.store/' \
        "$made/right/gelu.py" >"$tmp/constants.py"
    exits 0 "$bin" referee "$tmp/constants.py" --module "$ref/gelu.py" --level full && says 'published sizes: addresses are right'
}
check choices_at_the_published_sizes choices_at_the_published_sizes
shapes_usage() {
    exits 2 "$bin" referee "$made/right/relu.py" --module "$ref/relu.py" --level quick --shapes published && exits 2 "$bin" referee "$made/right/relu.py" --op softmax --shapes published &&
        exits 2 "$bin" referee "$made/right/relu.py" --module "$ref/relu.py" --shapes all
}
check shapes_usage shapes_usage
# At level quick, which has none, the same programs are accepted.
short() {
    answered json matmul --level quick --json
    ! judged matmul long >"$tmp/short" && [ "$(grep -c " ok " "$tmp/short")" = 2 ]
    code=$?
    rm "$tmp/matmul.json" # what was said at full is in words
    return $code
}
check "short sizes find none of them" short
enough() { [ "$right" -ge 12 ] && [ "$(ls "$made"/wrong | wc -l)" -ge 24 ]; }
check enough enough

# The control: a program with another one's expectation fails.
control() {
    mkdir -p "$tmp/c/right" "$tmp/c/wrong" "$tmp/c/reference"
    cp "$made/reference/relu.py" "$tmp/c/reference"
    cp "$made/right/relu.py" "$tmp/c/right"
    sed 's/^# expect: .*/# expect: ok/' "$made/wrong/relu.copy.py" >"$tmp/c/wrong/relu.copy.py"
    was=$made made=$tmp/c
    answered json relu --level full --json
    ! judged relu wrong >"$tmp/control" && grep -q 'relu\.copy\.py ' "$tmp/control"
    code=$?
    made=$was
    return $code
}
check control control

referee() { # CODE ARGUMENT...
    code=$1
    shift
    exits "$code" "$bin" referee "$@" --level quick
}

shown() {
    referee 0 "$made/right/linear.py" --module "$ref/linear.py" && says 'linear: accepted at small sizes (ok, level quick)' &&
        says 'module: linear, Model(' && says ', published float32[512, 1024]' && says 'parameters: bound by order' &&
        says 'size, line 15 of the reference: batch_size ' && says 'values: inputs of both signs'
}
check shown shown
long_sizes_shown() {
    shown_of accepted "$made/right/conv2d.py" && says 'long, one at a time: ' &&
        says 'height 200' && exits 0 "$bin" referee "$made/right/conv2d.py" --module "$ref/conv2d.py" --level quick &&
        ! grep -q 'long, one' "$tmp/out"
}
check long_sizes_shown long_sizes_shown
# A long case that says nothing, because the program is not made for the other sizes there, is not told as passed.
void_cases_are_told() {
    shown_of accepted "$made/long/matmul.unmasked.py" && ! grep -q 'one at a time: .*N 2048' "$tmp/out" &&
        shown_of accepted "$made/right/matmul.py" && grep -q 'one at a time: .*N 2048' "$tmp/out" &&
        ! grep -q 'never long' "$tmp/out"
}
check void_cases_are_told void_cases_are_told
wrong_long_is_named() {
    shown_of rejected "$made/long/gelu.grid.py" && says 'gelu: rejected at one long size' &&
        says 'wrong where one size is long: features 8192; right with features ' && shown_of rejected "$gelu_flaw" && says 'gelu: rejected at small sizes' &&
        ! grep -q 'one size is long' "$tmp/out"
}
check wrong_long_is_named wrong_long_is_named
by_name() { referee 0 "$made/right/conv2d.py" --module "$ref/conv2d.py" && says 'parameters: bound by name'; }
check by_name by_name
# Other names in another order: shapes that only one has.
by_shape() {
    sed 's/self.weight = nn.Parameter(torch.empty((out_features, in_features)))/self.first = nn.Parameter(torch.zeros(out_features))/
         s/self.bias = nn.Parameter(torch.zeros(out_features))/self.second = nn.Parameter(torch.empty((out_features, in_features)))/
         s/self\.weight/self.second/g; s/self\.bias/self.first/g' "$made/right/linear.py" >"$tmp/shapes.py"
    referee 0 "$tmp/shapes.py" --module "$ref/linear.py" && says 'parameters: bound by shape'
}
check by_shape by_shape
not_bound() {
    referee 4 "$made/wrong/linear.declared_transposed.py" --module "$ref/linear.py" && says 'undecided' &&
        says 'the parameters of ModelNew (weight[' && says 'are not those of Model (fc.weight['
}
check not_bound not_bound
library() { referee 1 "$made/wrong/linear.library.py" --module "$ref/linear.py" && says 'line 34' && says 'F.linear'; }
check library library

# What __init__ computes of its parameters is computed of the referee's values.
of_weights() {
    sed 's/        nn.init.normal_(self.weight, std=0.02)/        self.kept = self.weight.t().contiguous()/
         s/w_ptr + cols\[None, :\] \* K + k\[:, None\]/w_ptr + k[:, None] * N + cols[None, :]/
         s/linear_kernel\[grid\](x, self.weight/linear_kernel[grid](x, self.kept/' "$made/right/linear.py" >"$tmp/kept.py"
    referee 0 "$tmp/kept.py" --module "$ref/linear.py"
}
check of_weights of_weights

# The same seed, the same verdict; another draw without one.
again() {
    for i in 1 2; do
        "$bin" referee "$made/right/softmax.py" --module "$ref/softmax.py" --seed 9 --level quick --json |
            sed 's/"elapsed_ms":[^,]*,//' >"$tmp/again.$i" || return 1
    done
    cmp "$tmp/again.1" "$tmp/again.2"
}
check again again

# TF32: tl.dot's own reading of float32 is refused, told of, and allowed where a caller says so.
tf32() {
    sed 's/, input_precision="ieee"//' "$made/right/matmul.py" >"$tmp/tf32.py"
    referee 1 "$tmp/tf32.py" --module "$ref/matmul.py" && says 'inaccurate' && says 'TF32 explains that' &&
        referee 0 "$tmp/tf32.py" --module "$ref/matmul.py" --tf32 && says '(--tf32)' &&
        referee 1 "$made/wrong/matmul.tail.py" --module "$ref/matmul.py" --tf32
}
check tf32 tf32

# Gaps between rows are no business of a benchmark's; --layout any adds them.
gaps() {
    referee 0 "$made/right/softmax.py" --module "$ref/softmax.py" && referee 1 "$made/right/softmax.py" --module "$ref/softmax.py" --layout any
}
check gaps gaps

# Definitions that no test can judge by, and files that are none.
degenerate() {
    sed 's/return torch.relu(x)/return torch.softmax(x[:, :1], dim=1)/' "$ref/relu.py" >"$tmp/constant.py"
    referee 3 "$made/right/relu.py" --module "$tmp/constant.py" && says 'not a definition to judge by'
}
check degenerate degenerate
copies() {
    sed 's/return torch.relu(x)/return x + 0.0/' "$ref/relu.py" >"$tmp/copy.py"
    referee 3 "$made/right/relu.py" --module "$tmp/copy.py" && says 'a copy of input x would pass'
}
check copies copies
no_reference() { referee 3 "$made/right/relu.py" --module "$made/right/relu.py" && says 'class Model(nn.Module)'; }
check no_reference no_reference
usage() {
    referee 2 "$made/right/relu.py" --module "$ref/relu.py" --op softmax && says 'op does not go with --module REF.py' &&
        exits 2 "$bin" referee "$made/right/relu.py" --op softmax --tf32 && says 'belongs to --module'
}
check usage usage
no_new() { printf 'import torch\n\n\ndef run(x):\n    return x\n' >"$tmp/run.py" && referee 1 "$tmp/run.py" --module "$ref/relu.py"; }
check only_modelnew no_new
