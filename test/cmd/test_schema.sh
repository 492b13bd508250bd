#!/bin/sh
# test_schema.sh BINARY - everything that --json prints, what the stream and cmd: exchange, and the file of an evaluation
# obey doc/schema; and each schema notices damage. (selftest and its attacks: test_exploit.sh, which runs them anyway.)
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
suite=$root/src/op/suite
gold=$suite/gold/softmax.py
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
obeys() { # SCHEMA FILE [--lines|--not|--mutate ...]
    python3 "$here/schema.py" "$@"
}
# says SCHEMA CODE ARGUMENT... : exit code, and what is printed obeys the schema; SCHEMA "x --lines" for lines
says() {
    schema=$1
    shift
    exits "$@" || return 1
    # shellcheck disable=SC2086
    obeys $schema "$tmp/out"
}
keep() { cp "$tmp/out" "$tmp/$1"; }

check the_checker_and_the_schemas obeys --self

# ---- verdicts
sed 's/tl.max(x, axis=0)/0.0/' "$gold" >"$tmp/wrong.py"
sed 's/other=-float("inf")/other=0.0/' "$gold" >"$tmp/masked.py"
printf 'def (\n' >"$tmp/broken.py"
check accepted says verdict 0 "$bin" referee "$gold" --op softmax --json
keep accepted
check rejected says verdict 1 "$bin" referee "$tmp/wrong.py" --op softmax --json --seed 3
keep rejected
check no_python says verdict 1 "$bin" referee "$tmp/broken.py" --op softmax --json
check quick says verdict 0 "$bin" referee "$gold" --op softmax --level quick --json
check restricted says verdict 0 "$bin" referee "$gold" --op softmax --shape 64x64 --dtype fp16 --json
check every_size says verdict 0 "$bin" referee "$gold" --op softmax --every-size 40 --json
check old_names says verdict 0 "$bin" referee "$gold" --op softmax --old-names --json
mkdir "$tmp/lib"
printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef below(x, m):\n    return tl.exp(x - m)\n' >"$tmp/lib/helpers.py"
check include says verdict 0 "$bin" referee "$gold" --op softmax --include "$tmp/lib" --json
cat >"$tmp/hostless.py" <<'K'
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)
K
cat >"$tmp/launch.json" <<'K'
{"kernel": "softmax_kernel", "values": {"M": "x.shape[0]", "N": "x.shape[1]"},
 "outputs": {"out": {"shape": ["M", "N"], "dtype": "x.dtype"}}, "args": ["x", "out", "x.stride(0)", "out.stride(0)", "N"],
 "constexprs": {"BLOCK": "triton.next_power_of_2(N)"}, "grid": ["M"], "num_warps": "8 if N > 2048 else 4"}
K
check a_manifest obeys manifest "$tmp/launch.json"
check judged says verdict 0 "$bin" referee "$tmp/hostless.py" --op softmax --manifest "$tmp/launch.json" --json
check judged_is_there grep -q '"judged":"import triton' "$tmp/out"
sed 's/"grid"/"gird"/' "$tmp/launch.json" >"$tmp/bad.json"
check no_manifest obeys manifest "$tmp/bad.json" --not

# ---- explain
check explained says explain 1 "$bin" explain "$tmp/wrong.py" --op softmax --json --minimize --seed 3
keep explained
check every_part sh -c "for part in case region by_line minimal; do grep -q '\"'\$part'\":' '$tmp/out' || exit 1; done"
check explained_with_a_place says explain 1 "$bin" explain "$tmp/broken.py" --op softmax --json
check a_place grep -q '"place":' "$tmp/out"
check explained_and_proved says explain 0 "$bin" explain "$gold" --op softmax --level quick --prove --json
keep proved
check its_strength grep -q '"strength":' "$tmp/out"
check explained_tile says explain 1 "$bin" explain "$tmp/masked.py" --op softmax --json --minimize

# ---- the suite, the smith, proofs
check ops says ops 0 "$bin" ops --json
check op says op 0 "$bin" ops rmsnorm --json
keep op
check module says module 0 "$bin" ops "$(dirname "$0")/../module/problem/pad_avgpool_scalar.py" --json
made=$(dirname "$0")/../module/verdict
check module_verdict says module_verdict 0 "$bin" referee "$made/right/linear.py" --module "$made/reference/linear.py" --level quick --json
keep module_verdict
check module_rejected says module_verdict 1 "$bin" referee "$made/wrong/linear.no_bias.py" --module "$made/reference/linear.py" --level quick --json
check proposals says "propose --lines" 0 "$bin" propose softmax -n 3 --seed 3 --json
keep proposals
check flawed says "propose --lines" 0 "$bin" propose softmax -n 2 --seed 3 --flaw contiguous --json
check they_are_requests obeys request "$tmp/proposals" --lines
check proof says prove 0 "$bin" prove softmax --level quick --json
keep proof
check a_proof_that_failed says prove 1 "$bin" prove softmax "$tmp/wrong.py" --level quick --json
check minted says mint 0 "$bin" mint softmax -n 4 --seed 3 --json --prove
keep minted
check best_has_a_strength grep -q '"strength":' "$tmp/out"
check minted_nothing says mint 1 "$bin" mint softmax -n 2 --json --smith "cmd:exec python3 '$here/drafts.py' wrong '$gold'"
check best_is_null grep -q '"best":null' "$tmp/out"

# ---- evaluations and their files
check evaluated says eval 0 "$bin" eval --ops softmax,rmsnorm -n 3 --seed 3 --level quick -o "$tmp/grammar.jsonl" --json
keep evaluated
check its_file obeys eval_log "$tmp/grammar.jsonl" --lines
check by_a_program says eval 0 "$bin" eval --ops softmax -n 4 --level quick --dtype fp16 -o "$tmp/program.jsonl" --json \
    --smith "cmd:exec python3 '$here/drafts.py' mixed '$gold'"
check the_file_of_a_program obeys eval_log "$tmp/program.jsonl" --lines

# ---- the stream
python3 - "$gold" "$tmp/wrong.py" >"$tmp/requests" <<'P'
import json, sys
good, wrong = (open(p).read() for p in sys.argv[1:])
for i, (op, source, more) in enumerate([
    ("softmax", good, {}), ("softmax", wrong, {"level": "full"}), ("softmax", good, {"dtype": "bf16", "shape": "8x64"}),
    ("softmax", "def (", {"id": {"of": ["mine", None]}}), ("softmax", good, {"level": None, "manifest": None, "mine": 7}),
    ("softmax", good, {"level": "ladder", "group": "g", "of": 1}), ("softmax", "def (", {"time": True, "group": "h", "of": 1}),
    ("no such op", good, {"id": None}), ("softmax", "import torch\n" + good, {"policy": "default"})]):
    print(json.dumps({"id": i, "op": op, "source": source, **more}))
P
cat >"$tmp/no-requests" <<'K'
{"id":1,"op":"softmax"}
{"id":1,"source":""}
{"id":1,"op":3,"source":""}
{"id":1,"op":"softmax","source":"","level":"best"}
{"id":1,"op":"softmax","source":"","shape":"8"}
{"id":1,"op":"softmax","source":"","dtype":"int8"}
{"id":1,"op":"softmax","source":"","seed":7}
{"id":1,"op":"softmax","source":"","manifest":{}}
{"id":1,"op":"softmax","source":"","level":"ladder","group":"g"}
{"id":1,"op":"softmax","source":"","level":"ladder","of":2}
{"id":1,"op":"softmax","source":"","level":"full","group":"g","of":2}
{"id":1,"op":"softmax","source":"","level":"ladder","group":"","of":2}
{"id":1,"op":"softmax","source":"","level":"ladder","group":"g","of":1025}
[]
K
check requests obeys request "$tmp/requests" --lines
check no_requests obeys request "$tmp/no-requests" --lines --not
cat "$tmp/requests" "$tmp/no-requests" >"$tmp/all"
check answers says "answer --lines" 0 sh -c "'$bin' referee --stream <'$tmp/all'"
keep answers
check of_groups_too grep -q '"group":{"name":"g","best":true}' "$tmp/answers"
check to_each_line sh -c "[ \$(wc -l <'$tmp/answers') = \$(wc -l <'$tmp/all') ]"
check no_request_was_judged sh -c "[ \$(grep -c '\"rule\":\"request\"' '$tmp/answers') = 15 ]" # and the unknown op
check answers_from_the_journal says "answer --lines" 0 sh -c "sed 's/return y/return (y)/' '$tmp/requests' | '$bin' referee --stream"
check some_are_cached grep -q '"cached":true' "$tmp/out"

# ---- cmd:
check asked exits 0 env DRAFTS_LOG="$tmp/asked" "$bin" mint softmax -n 2 --smith "cmd:exec python3 '$here/drafts.py' good '$gold'"
check what_a_program_is_asked obeys cmd_request "$tmp/asked" --lines
check asked_with_a_profile exits 0 env DRAFTS_LOG="$tmp/kwen" "$bin" mint softmax -n 1 --profile plain --temperature 0 --smith "cmd:exec python3 '$here/drafts.py' good '$gold'"
check what_it_is_asked_then obeys cmd_request "$tmp/kwen" --lines
cat >"$tmp/replies" <<'K'
{"id":"1","text":"x"}
{"id":"1","text":"","end":"length","index":0,"tokens":3,"mine":[]}
{"id":"1","error":"out of memory"}
{"id":"1","text":"x","error":null,"end":null,"index":null,"tokens":null}
K
cat >"$tmp/no-replies" <<'K'
{"id":1,"text":"x"}
{"text":"x"}
{"id":"1"}
{"id":"1","text":null}
{"id":"1","text":"x","index":"0"}
{"id":"1","text":"x","tokens":1.5}
{"id":"1","text":"x","end":1}
K
check what_it_answers obeys cmd_answer "$tmp/replies" --lines
check what_it_must_not obeys cmd_answer "$tmp/no-replies" --lines --not
# The program and the schemas are of one opinion about each of these lines.
while read -r line; do
    printf '%s\n' "$line" >"$tmp/said"
    taken=0
    "$bin" mint softmax -n 1 --smith "cmd:read q; cat '$tmp/said'" >/dev/null 2>"$tmp/why" || true
    grep -qE 'an answer: |no JSON|is a JSON object' "$tmp/why" && taken=1
    obeys cmd_answer "$tmp/said" >/dev/null
    [ $? = $taken ] || echo "$line" >>"$tmp/otherwise"
done <<K
$(cat "$tmp/replies" "$tmp/no-replies")
K
check the_program_agrees test ! -e "$tmp/otherwise"

# ---- models
model=$root/test/model/golden/llama
check model says model_info 0 "$bin" model info "$model" --json
keep model
check generated says "generate --lines" 0 sh -c "echo a | '$bin' generate '$model' -n 2 --max-tokens 4 --json"
check with_logprobs says "generate --lines" 0 sh -c "echo a | '$bin' generate '$model' -n 2 --max-tokens 4 --json --logprobs"
keep generated

# ---- what fails prints an error
for row in "2 referee $gold --json" "3 referee $tmp/none.py --op softmax --json" "2 eval --json" "3 model info $tmp/none --json"; do
    # shellcheck disable=SC2086
    set -- $row
    code=$1
    shift
    check "fails_$1_$code" says error "$code" "$bin" "$@"
    [ "$code" = 2 ] && cp "$tmp/out" "$tmp/usage"
done
check an_error_of_usage grep -q '^{"error":{"kind":"usage","message":' "$tmp/usage"
check several_files exits 3 "$bin" referee "$gold" "$tmp/none.py" "$tmp/broken.py" --op softmax --json
grep -v '^{"error":' "$tmp/out" >"$tmp/verdicts"
grep '^{"error":' "$tmp/out" >"$tmp/errors"
check a_line_for_each_file obeys verdict "$tmp/verdicts" --lines
check which_may_be_an_error obeys error "$tmp/errors" --lines
check two_and_one sh -c "[ \$(wc -l <'$tmp/verdicts') = 2 ] && [ \$(wc -l <'$tmp/errors') = 1 ]"
printf '{"error":{"kind":"usage","message":"--op is missing"}}\n' >"$tmp/error"
check an_error obeys error "$tmp/error"
printf '{"error":{"kind":"usage"}}\n{"error":"no"}\n{"error":{"kind":"usage","message":"x","more":1}}\n{"error":{"kind":"Usage!","message":"x"}}\n{}\n' >"$tmp/no-error"
check no_error obeys error "$tmp/no-error" --lines --not
python3 - "$tmp/accepted" >"$tmp/restrictions" <<'P'
import json, sys
v = json.load(open(sys.argv[1]))
for r in (None, {"shape": "64x64", "dtype": "fp16"}, {"shape": None, "dtype": "bf16"}, {"shape": "8x8", "dtype": None}):  # as --shape and --dtype give them
    print(json.dumps({**v, "restricted": r}))
P
check restrictions obeys verdict "$tmp/restrictions" --lines

# ---- damage is noticed: a key lost or too many, a value of another type, everywhere
for row in "verdict accepted" "verdict rejected" "explain explained" "explain proved" "op op" "prove proof" "mint minted" "eval evaluated" \
    "model_info model" "error error" "propose proposals --lines" "generate generated --lines" "answer answers --lines" "eval_log grammar.jsonl --lines" \
    "eval_log program.jsonl --lines" "cmd_request asked --lines" "module_verdict module_verdict"; do
    # shellcheck disable=SC2086
    set -- $row
    check "damage_$1_$2" obeys --mutate "$1" "$tmp/$2" $3
done
python3 - "$tmp/accepted" "$tmp/rejected" >"$tmp/lies" <<'P'
import json, sys
good, bad = (json.load(open(p)) for p in sys.argv[1:])
lies = [{**bad, "accepted": True}, {**bad, "accepted": True, "status": "ok"}, {**good, "accepted": False}, {**good, "status": "incorrect"},
        {**good, "status": "fine"}, {**good, "level": "best"}, {**good, "source_sha256": "abc"}, {**good, "cases_run": -1},
        {**good, "restricted": {"shape": 7}}, {**good, "restricted": {"shape": "8x8"}}, {**good, "cached": True}, {**bad, "row_bits": "same"}]
for lie in lies:
    print(json.dumps(lie))
P
check lies obeys verdict "$tmp/lies" --lines --not
