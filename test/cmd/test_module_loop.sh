#!/bin/sh
# References in module form where drafts are asked for and judged many at a time: mint, eval, propose, and the stream.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
made=$here/../module/verdict
ref=$made/reference
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
says() { grep -qF -- "$1" "$tmp/out" "$tmp/err" || { echo "no: $1"; cat "$tmp/out" "$tmp/err"; return 1; }; }
says_not() { ! says "$1" >/dev/null; }
smith() { echo "cmd:python3 $here/replies.py $1 $2"; }
right=$made/right/linear.py wrong=$made/wrong/linear.no_bias.py
obeys() { python3 "$here/schema.py" "$@"; }

# ---- mint: a wrong draft is tried again with the referee's sentence
mended() {
    REPLIES_LOG=$tmp/asked exits 0 "$bin" mint "$ref/linear.py" -n 2 --feedback 1 --seed 3 --smith "$(smith "$wrong" "$right")" &&
        says 'class ModelNew' && says '# Minted by ouroboros' && says '# module: linear, Model(' && says '# long, one at a time: ' &&
        says '# parameters: bound by ' && says 'draft 1, try 2: accepted at quick'
}
check mended mended
# The prompt holds the reference as it was published, and the question after a mistake what was wrong.
asked() {
    python3 - "$tmp/asked" "$ref/linear.py" <<'P'
import json, sys
asked = [json.loads(line) for line in open(sys.argv[1])]
text = open(sys.argv[2]).read()
assert all(text.strip() in q["prompt"]["user"] for q in asked), "the reference is not in the prompt"
assert "ModelNew" in asked[0]["prompt"]["user"] and "run(" not in asked[0]["prompt"]["user"]
assert any("Values are wrong" in q["prompt"]["user"] for q in asked), "no feedback"
P
}
check asked asked
kept() { "$bin" mint "$ref/linear.py" -n 1 --seed 3 --smith "$(smith "$right" "$right")" -o "$tmp/new.py" 2>/dev/null && exits 0 "$bin" referee "$tmp/new.py" --module "$ref/linear.py" --level quick; }
check the_file_is_accepted_again kept
minted_json() { exits 0 "$bin" mint "$ref/linear.py" -n 1 --smith "$(smith "$right" "$right")" --json && obeys mint "$tmp/out" && says '"long_sizes":['; }
check minted_json minted_json
none() { exits 1 "$bin" mint "$ref/linear.py" -n 2 --smith "$(smith "$wrong" "$wrong")" && says 'none of 1 kernels for linear was accepted'; }
check nothing_right none
kernelllm() {
    REPLIES_LOG=$tmp/llm exits 0 "$bin" mint "$ref/linear.py" -n 1 --profile kernelllm --smith "$(smith "$right" "$right")" &&
        grep -q 'Replace the PyTorch operators' "$tmp/llm" && grep -q '"temperature":0.6' "$tmp/llm"
}
check kernelllm kernelllm
# At quick right, wrong where a size is long: no champion.
long_is_found() { exits 1 "$bin" mint "$ref/gelu.py" -n 1 --smith "$(smith "$made/long/gelu.grid.py" "$made/long/gelu.grid.py")" && says 'none of 1 kernels'; }
check long_is_found long_is_found
tf32() {
    sed 's/, input_precision="ieee"//' "$made/right/matmul.py" >"$tmp/tf32.py"
    exits 1 "$bin" mint "$ref/matmul.py" -n 1 --smith "$(smith "$tmp/tf32.py" "$tmp/tf32.py")" &&
        exits 0 "$bin" mint "$ref/matmul.py" -n 1 --tf32 --smith "$(smith "$tmp/tf32.py" "$tmp/tf32.py")" && says '(--tf32)'
}
check tf32 tf32
usage() {
    exits 3 "$bin" mint "$ref/linear.py" -n 1 && says 'of a reference in module form a model does' &&
        exits 2 "$bin" mint "$ref/linear.py" --shape 8x8 && says 'own sizes' && exits 2 "$bin" mint "$ref/linear.py" --prove &&
        exits 3 "$bin" mint softmax -n 1 --tf32 && says 'allow_tf32' &&
        exits 3 "$bin" mint "$ref/linear.py" -n 1 --profile ouroboros --smith "$(smith "$right" "$right")" && says 'is for ops' &&
        exits 3 "$bin" mint softmax -n 1 --profile kernelbench --smith "$(smith "$right" "$right")" && says 'is for references in module form'
}
check usage usage
# Verbs that know nothing of modules say so.
elsewhere() {
    for verb in "explain $right --op" "prove" "bench $right --op"; do
        # shellcheck disable=SC2086
        "$bin" $verb "$ref/linear.py" >"$tmp/out" 2>"$tmp/err" </dev/null
        grep -qE 'a reference in module form|a module has no built-in kernel|GPU|driver' "$tmp/err" || { cat "$tmp/err"; return 1; }
    done
}
check elsewhere elsewhere
reply() { printf 'no code at all\n' >"$tmp/none.txt" && exits 1 "$bin" mint "$ref/linear.py" -n 1 --smith "cmd:python3 -c 'import json; q = json.loads(input()); print(json.dumps({\"id\": q[\"id\"], \"text\": \"Sorry.\"}))'" && says 'defines class ModelNew'; }
check a_reply_without_code reply
proposed() { exits 0 "$bin" propose "$ref/linear.py" --smith "$(smith "$right" "$right")" --json && obeys propose "$tmp/out" --lines; }
check proposed proposed

# ---- eval
smiths=$(smith "$right" "$right")
eval_paths() {
    exits 0 "$bin" eval --ops "$ref/linear.py,$ref/relu.py" -n 3 --level quick --seed 1 --smith "$smiths" -o "$tmp/e.jsonl" --json && obeys eval "$tmp/out" &&
        obeys eval_log "$tmp/e.jsonl" --lines && says '"op":"linear","n":3,"accepted":3' && says '"op":"relu","n":3,"accepted":0'
}
check eval_paths eval_paths
mkdir -p "$tmp/bench/level1" "$tmp/bench/level2" "$tmp/bench/level10"
cp "$ref/relu.py" "$tmp/bench/level1/10_relu.py"
cp "$ref/linear.py" "$tmp/bench/level1/2_linear.py"
cp "$ref/linear.py" "$tmp/bench/level2/1_linear.py"
sed 's/return torch.relu(x)/return torch.softmax(x[:, :1], dim=1)/' "$ref/relu.py" >"$tmp/bench/level2/3_constant.py"
cp "$ref/sign.py" "$tmp/bench/level10/1_sign.py"
by_level() {
    exits 0 "$bin" eval --kernelbench "$tmp/bench" -n 2 --level quick --seed 1 --smith "$smiths" -o "$tmp/b.jsonl" &&
        says 'level1 pass@1   0.500' && says 'level2 pass@1   1.000' && says 'level10 pass@1   0.000' && says '1 of 5 definitions are none to judge by' &&
        says 'level2/3_constant' && [ "$(awk '/^level.*\// { printf "%s ", $1 }' "$tmp/out")" = "level1/2_linear level1/10_relu level2/1_linear level2/3_constant level10/1_sign " ]
}
check by_level by_level
resumed() {
    exits 0 "$bin" eval --kernelbench "$tmp/bench" -n 2 --level quick --resume --smith "$smiths" -o "$tmp/b.jsonl" --json && obeys eval "$tmp/out" &&
        says '"levels":{"level1"' && says '"unjudged":"' && [ "$(wc -l <"$tmp/b.jsonl")" = 9 ]
}
check resumed resumed
some() { exits 0 "$bin" eval --kernelbench "$tmp/bench" --problems 'level2/*,level1/2_*' -n 1 --level quick --smith "$smiths" -o "$tmp/s.jsonl" && says level1/2_linear && says_not relu; }
check some_problems some
eval_usage() {
    exits 2 "$bin" eval --kernelbench "$tmp/none" --smith "$smiths" && exits 2 "$bin" eval --kernelbench "$tmp/bench" --problems 'level7/*' --smith "$smiths" &&
        exits 2 "$bin" eval --ops "softmax,$ref/relu.py" -n 1 --smith "$smiths" && says 'two runs' && exits 2 "$bin" eval --ops softmax --problems x &&
        exits 2 "$bin" eval --kernelbench "$tmp/bench" --ops softmax && exits 2 "$bin" eval --kernelbench "$tmp/bench" --dtype fp16 --smith "$smiths"
}
check eval_usage eval_usage

# ---- the stream
cat >"$tmp/requests.py" <<'P'
import json, sys
made = sys.argv[1] + "/"
text = lambda path: open(made + path).read()
tf32 = text("right/matmul.py").replace(', input_precision="ieee"', "")
unmasked = text("right/layernorm.py").replace("mask=i < n)", "mask=i < BLOCK)") # right at powers of two
# Of 3e9 numbers 32 bits count only some; in one dimension, because its draws are small.
flat = text("reference/relu.py").replace("batch_size = 2048\n", "").replace("features = 16384", "size = 3000000000").replace("batch_size, features", "size")
narrow = text("right/relu.py")
wide = narrow.replace("tl.program_id(0)", "tl.program_id(0).to(tl.int64)")
rows = [
    ("right", dict(module=text("reference/linear.py"), source=text("right/linear.py"))),
    ("wrong", dict(module=text("reference/linear.py"), source=text("wrong/linear.no_bias.py"))),
    ("path", dict(op=made + "reference/linear.py", source=text("right/linear.py"), level="full")),
    ("short", dict(module=text("reference/gelu.py"), source=text("long/gelu.grid.py"), level="quick")),
    ("long", dict(module=text("reference/gelu.py"), source=text("long/gelu.grid.py"), level="ladder")),
    ("tf32", dict(module=text("reference/matmul.py"), source=tf32, tf32=True)),
    ("no tf32", dict(module=text("reference/matmul.py"), source=tf32, tf32=False)),
    ("gaps", dict(module=text("reference/softmax.py"), source=text("right/softmax.py"), layout="any")),
    ("no gaps", dict(module=text("reference/softmax.py"), source=text("right/softmax.py"))),
    ("no module", dict(module=text("right/relu.py"), source=text("right/relu.py"))),
    ("constant", dict(module=text("reference/relu.py").replace("torch.relu(x)", "0.0 * x"), source=text("right/relu.py"))),
    ("both", dict(module=text("reference/relu.py"), op="relu", source="")),
    ("shape", dict(module=text("reference/relu.py"), shape="8x8", source="")),
    ("time", dict(module=text("reference/relu.py"), time=True, source="")),
    ("manifest", dict(module=text("reference/relu.py"), manifest={"kernel": "k"}, source="")),
    ("published", dict(module=flat, source=wide, level="full", shapes="published")),
    ("not there", dict(module=flat, source=narrow, level="ladder", shapes="published")),
    ("shapes", dict(module=text("reference/relu.py"), shapes="all", source="")),
    ("op shapes", dict(op="softmax", shapes="published", source="")),
    ("op tf32", dict(op="softmax", tf32=True, source="")),
    ("even", dict(module=text("reference/layernorm.py"), source=unmasked, level="quick", ragged=False)),
    ("odd", dict(module=text("reference/layernorm.py"), source=unmasked, level="quick", ragged=True)),
    ("odd and masked", dict(module=text("reference/layernorm.py"), source=text("right/layernorm.py"), level="quick", ragged=True)),
    ("op ragged", dict(op="softmax", ragged=True, source="")),
    ("misspelt", dict(modul=text("reference/relu.py"), op="softmax", source="")),
]
for name, row in rows:
    print(json.dumps({"id": name, **row}))
P
python3 "$tmp/requests.py" "$made" >"$tmp/requests"
streamed() { exits 0 "$bin" referee --stream <"$tmp/requests" && cp "$tmp/out" "$tmp/answers" && obeys answer "$tmp/answers" --lines; }
check streamed streamed
answers() {
    python3 - "$tmp/answers" <<'P'
import json, sys
got = {v["id"]: v for v in map(json.loads, open(sys.argv[1]))}
want = {"right": "ok", "wrong": "incorrect", "path": "ok", "short": "ok", "long": "uncovered_output", "tf32": "ok", "no tf32": "inaccurate", "no gaps": "ok", "published": "ok", "not there": "bad_value", "even": "ok", "odd and masked": "ok"}
bad = [f"{k}: {got[k]['status']}" for k in want if got[k]["status"] != want[k]]
bad += ["gaps accepted"] if got["gaps"]["accepted"] else []
for k in ("no module", "constant", "both", "shape", "time", "manifest", "op tf32", "misspelt", "shapes", "op shapes", "op ragged"):
    bad += [f"{k}: {got[k]['rule']} {got[k]['feedback']}"] if got[k]["rule"] != "request" or got[k]["accepted"] else []
assert got["right"]["module"]["binding"] == "order" and got["right"]["module"]["sizes"][0]["published"] == 512
assert got["published"]["module"]["published_sizes"] == "right" and got["not there"]["module"]["published_sizes"] == "wrong"
assert got["path"]["module"]["long_sizes"] and not got["right"]["module"]["long_sizes"]
assert [s["name"] for s in got["long"]["module"]["wrong_long"]] == ["features"], got["long"]
assert not got["odd"]["accepted"] and got["odd"]["module"]["ragged"] == got["odd"]["status"] and got["odd"]["status"] != "referee_error"
assert got["even"]["module"]["ragged"] is None and got["odd and masked"]["module"]["ragged"] == "ok"
assert got["wrong"]["module"]["wrong_long"] == [] and not got["right"]["module"]["long_pairs"]
assert got["tf32"]["module"]["tf32"] and got["tf32"]["module"]["sha256"] != got["no tf32"]["module"]["sha256"]
print("\n".join(bad))
sys.exit(len(bad) > 0)
P
}
check answers answers
# The same requests again: what decided is answered from the journal, with what it said of the module.
again() {
    "$bin" referee --stream <"$tmp/requests" >"$tmp/second" && python3 - "$tmp/answers" "$tmp/second" <<'P'
import json, sys
first, second = ({v["id"]: v for v in map(json.loads, open(p))} for p in sys.argv[1:])
for k in ("right", "wrong", "path", "short", "tf32", "no tf32", "even", "odd"):
    assert second[k].get("cached") and second[k]["module"] == first[k]["module"] and second[k]["status"] == first[k]["status"], k
P
}
check again again
requests_obey() { { head -n 11 "$tmp/requests" && grep '"ragged": true' "$tmp/requests"; } >"$tmp/good" && obeys request "$tmp/good" --lines && sed -n 12p "$tmp/requests" >"$tmp/both" && obeys request "$tmp/both" --lines --not; }
check requests_obey requests_obey
