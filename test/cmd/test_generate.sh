#!/bin/sh
# Models that run here: generate, and mint with one as its smith. The models are tiny and random; what they write is noise.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")/../.." && pwd)
llama=$here/test/model/golden/llama
qwen=$here/test/model/golden/qwen2
printf 'def run(x):\n' >"$tmp/p"
run="$bin generate $llama --prompt $tmp/p --max-tokens 12"

check greedy_twice sh -c "$run --temperature 0 >$tmp/a && $run --temperature 0 --seed 9 >$tmp/b && cmp $tmp/a $tmp/b && [ \$(wc -c <$tmp/a) -gt 1 ]"
check prompt_from_stdin sh -c "$bin generate $llama --max-tokens 12 --temperature 0 <$tmp/p | cmp - $tmp/a"
check the_prompt_counts sh -c "! echo 'import x' | $bin generate $llama --max-tokens 12 --temperature 0 | cmp -s - $tmp/a"
check an_adapter_counts sh -c "! $run --temperature 0 --adapter $llama/adapter | cmp -s - $tmp/a"
$run --seed 5 -n 20 --json 2>"$tmp/err" | sort >"$tmp/many"
check a_line_each sh -c "[ \$(wc -l <$tmp/many) = 20 ] && [ \$(grep -c '\"end\":\"' $tmp/many) = 20 ]"
check summary_on_stderr grep -q "^20 drafts, .* tok/s; prompt: .* seed 5$" "$tmp/err"
$run --seed 5 --json >"$tmp/one" 2>/dev/null
check alone_as_among_many sh -c "[ -s $tmp/one ] && grep -qxFf $tmp/one $tmp/many"
check drafts_differ sh -c "[ \$(sed 's/.*\"text\"://' $tmp/many | sort -u | wc -l) -gt 15 ]"
check another_seed sh -c "! $run --seed 6 --json | cmp -s - $tmp/one"
check text_with_headers sh -c "$run -n 3 | grep -ac '^== draft [123], [0-9]* tokens, [a-z]*$' | grep -qx 3"
cat >"$tmp/same.py" <<'E'
import json, sys
text = json.load(open(sys.argv[1], encoding="utf-8"))["text"] + "\n"
assert text == open(sys.argv[2], newline="", encoding="utf-8").read()
E
check streamed_as_json_says sh -c "$run --seed 5 >$tmp/text; python3 $tmp/same.py $tmp/one $tmp/text"
check chat_is_another_prompt sh -c "$bin generate $qwen --prompt $tmp/p --max-tokens 12 --temperature 1 --seed 1 >$tmp/b; ! $bin generate $qwen --prompt $tmp/p --max-tokens 12 --temperature 1 --seed 1 --chat --chat-family qwen25 | cmp -s - $tmp/b"
check system_turn sh -c "echo brief >$tmp/s; $bin generate $qwen --prompt $tmp/p --max-tokens 4 --chat --chat-family qwen25 --system $tmp/s --seed 1"
check stop_string sh -c "$run --temperature 0 --json --stop \"\$(head -c 1 $tmp/a)\" | grep -q '\"text\":\"\".*\"end\":\"stop\"'"
check the_nearer_stop_string_counts sh -c "$run --temperature 0 --json --stop 'nowhere at all' --stop=\"\$(head -c 1 $tmp/a)\" | grep -q '\"text\":\"\".*\"end\":\"stop\"'"
check too_many_stop_strings exits 2 $run --stop 1 --stop 2 --stop 3 --stop 4 --stop 5 --stop 6 --stop 7 --stop 8 --stop 9
check half_a_character exits 2 $run --stop "$(printf '\200')"
check a_whole_one exits 0 $run --stop "$(printf '\303\200')"
check an_empty_stop_string exits 2 $run --stop ''
check wide_keys_and_values sh -c "$run --temperature 0 --kv f32 | cmp - $tmp/a && $run --temperature 0 --kv=f16 | cmp - $tmp/a"
# Values that F16 has no room for: the message says what to do, and doing it helps.
cp -r "$llama" "$tmp/large"
python3 -c 'import array, json, sys
raw = bytearray(open(sys.argv[1], "rb").read())
n = int.from_bytes(raw[:8], "little")
a, b = (8 + n + x for x in json.loads(raw[8:8 + n])["model.layers.1.self_attn.v_proj.weight"]["data_offsets"])
raw[a:b] = array.array("f", [1e6 * x for x in array.array("f", bytes(raw[a:b]))]).tobytes()
open(sys.argv[1], "wb").write(raw)' "$tmp/large/model.safetensors"
check too_large_for_f16 exits 3 "$bin" generate "$tmp/large" --prompt "$tmp/p" --max-tokens 5
check it_says_what_helps grep -q -- '--kv f32' "$tmp/err"
check it_helps exits 0 "$bin" generate "$tmp/large" --prompt "$tmp/p" --max-tokens 5 --kv f32
python3 -c 'import json, sys
raw = bytearray(open(sys.argv[1], "rb").read())
n = int.from_bytes(raw[:8], "little")
a = 8 + n + json.loads(raw[8:8 + n])["model.layers.1.self_attn.v_proj.weight"]["data_offsets"][0]
raw[a:a + 4] = b"\0\0\300\177"
open(sys.argv[1], "wb").write(raw)' "$tmp/large/model.safetensors"
check a_weight_that_is_no_number exits 3 "$bin" generate "$tmp/large" --prompt "$tmp/p" --max-tokens 5
check neither_way exits 3 "$bin" generate "$tmp/large" --prompt "$tmp/p" --max-tokens 5 --kv f32
check it_is_called_damaged grep -q 'weights are damaged' "$tmp/err"
check no_other_keys_and_values exits 2 $run --kv q8_0
for row in '--top-p 0' '--top-p 1.5' '--min-p 2' '--temperature 101' '--top-k 1.5' '--top-k 0.5'; do
    check "no $row" exits 2 $run $row
    check "it is named: $row" grep -q -- "generate: ${row% *} is .*, not ${row#* }\$" "$tmp/err"
done
check nothing_else_is_told sh -c "! grep -q drafts $tmp/err"
check the_ends_of_their_ranges sh -c "$run --top-p 1 --min-p 1 --temperature 100 --top-k 0 && $run --top-p 1e-30 --top-k 1000000 --min-p 0 --temperature 1e-9"

# A folder with a template of its own, as file or in tokenizer_config.json; and one with another default system turn.
cat >"$tmp/template" <<'E'
{%- if tools %}{{- 'No tools here.' }}{%- else %}
{%if messages[0].role=='system'%}{{'<|im_start|>system\n'+messages[0].content+'<|im_end|>\n'}}{%else%}{{'<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n'}}{%endif%}{%- endif %}{%for message in messages%}{%if(message.role=='user')or(message.role=='system'and not loop.first)or(message.role=='assistant'and not message.tool_calls)%}{{'<|im_start|>'+message.role+'\n'+message.content+'<|im_end|>'+'\n'}}{%endif%}{%endfor%}{%if add_generation_prompt%}{{'<|im_start|>assistant\n'}}{%endif%}
E
for form in file config other; do
    cp -r "$qwen" "$tmp/$form" && rm -f "$tmp/$form/chat_template.jinja" "$tmp/$form/tokenizer_config.json"
done
cp "$tmp/template" "$tmp/file/chat_template.jinja"
python3 -c 'import json,sys; print(json.dumps(dict(chat_template=sys.stdin.read())))' <"$tmp/template" >"$tmp/config/tokenizer_config.json"
sed 's/helpful/harmless/' "$tmp/template" >"$tmp/other/chat_template.jinja"
chat="--prompt $tmp/p --max-tokens 12 --temperature 1 --seed 1 --chat"
"$bin" generate "$qwen" $chat --chat-family qwen25 >"$tmp/b" 2>/dev/null
check template_in_a_file sh -c "$bin generate $tmp/file $chat | cmp - $tmp/b"
check template_in_the_config sh -c "$bin generate $tmp/config $chat | cmp - $tmp/b"
check another_template exits 3 "$bin" generate "$tmp/other" $chat
check it_says_where grep -q 'differs from qwen25 at .*harmless' "$tmp/err"

check no_template_is_told exits 3 "$bin" generate "$llama" --prompt "$tmp/p" --chat
check it_names_the_way_on grep -q -- --chat-family "$tmp/err"
check unknown_family exits 2 "$bin" generate "$llama" --prompt "$tmp/p" --chat --chat-family mistral
check no_model_is_usage exits 2 "$bin" generate
check raw_and_chat exits 2 "$bin" generate "$llama" --raw --chat
check family_without_chat exits 2 "$bin" generate "$llama" --chat-family qwen25
check no_such_model exits 3 "$bin" generate "$tmp/none" --prompt "$tmp/p"
check no_such_prompt exits 3 "$bin" generate "$llama" --prompt "$tmp/none"
check prompt_too_long sh -c "head -c 100000 /dev/zero | tr '\\000' x >$tmp/long; ! $bin generate $llama --prompt $tmp/long 2>$tmp/err && grep -q positions $tmp/err"
check no_utf8 sh -c "printf '\\377' >$tmp/bad; ! $bin generate $llama --prompt $tmp/bad 2>$tmp/err && grep -q '$tmp/bad: .* UTF-8' $tmp/err"
check no_utf8_on_stdin sh -c "! $bin generate $llama <$tmp/bad 2>$tmp/err && grep -q 'standard input: .* UTF-8' $tmp/err"
cat >"$tmp/logprobs.py" <<'E'
import json, math, sys
mean = []
for name in sys.argv[1:]:
    sum = count = 0
    for line in open(name, encoding="utf-8"):
        o = json.loads(line)
        assert len(o["ids"]) == len(o["logprobs"]) == o["tokens"] and all(0 <= i < 270 for i in o["ids"]), o
        assert all(p <= 0 for p in o["logprobs"]), o
        sum += math.fsum(o["logprobs"])
        count += o["tokens"]
    mean.append(sum / count)
assert mean[0] > -math.log(270) and mean[0] > mean[1] + 0.1, mean  # the best tokens have more than their share
E
check logprobs sh -c "$run --temperature 0 -n 2 --json --logprobs >$tmp/greedy && $run --temperature 9 --seed 3 -n 9 --json --logprobs >$tmp/hot"
check greedy_is_likelier python3 "$tmp/logprobs.py" "$tmp/greedy" "$tmp/hot"
check without_the_option_there_are_none sh -c "! grep -q logprobs $tmp/many"
check logprobs_are_json exits 2 $run --logprobs
check closed_output sh -c "{ $run -n 500 2>$tmp/err; echo \$? >$tmp/code; } | head -c 10 >/dev/null; [ \$(cat $tmp/code) = 3 ] && grep -q 'standard output' $tmp/err"

# Ctrl-C keeps what is finished. (A shell starts what runs behind it deaf to Ctrl-C; SIGTERM means the same here.)
"$bin" generate "$llama" --prompt "$tmp/p" --max-tokens 200 -n 100000 --json >"$tmp/cut" 2>"$tmp/err" &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -s "$tmp/cut" ] && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
code=$?
check interrupted_keeps_drafts sh -c "[ $code = 0 ] && [ \$(grep -c '\"end\":' $tmp/cut) -ge 1 ] && [ \$(wc -l <$tmp/cut) -lt 100000 ]"
check its_lines_are_whole python3 -c "import json,sys; [json.loads(l) for l in open(sys.argv[1], encoding='utf-8')]" "$tmp/cut"

# The smith PATH.
printf 'max_tokens 10\n--- user\nWrite {op}.\n--- raw\n{user}\n' >"$tmp/profile"
check mint_with_a_model exits 1 "$bin" mint softmax --smith "$llama" --profile "$tmp/profile" -n 5 --seed 1 --json
check its_drafts_are_judged sh -c "grep -qE '\"(no_kernel|truncated)\"' $tmp/out && grep -q '\"proposed\":5' $tmp/out"
check propose_with_a_model exits 0 "$bin" propose softmax --smith "$llama" --profile "$tmp/profile" -n 2 --seed 1
check smiths_adapter exits 1 "$bin" mint softmax --smith "$llama" --adapter "$llama/adapter" --profile "$tmp/profile" -n 2
check smiths_chat_family exits 1 "$bin" mint softmax --smith "$qwen" --chat-family qwen25 --profile "$tmp/profile" -n 2
check an_adapter_of_another exits 3 "$bin" mint softmax --smith "$llama" --adapter "$qwen/adapter" --profile "$tmp/profile" -n 2
check a_smiths_top_p exits 2 "$bin" mint softmax --smith "$llama" --profile "$tmp/profile" --top-p 0
check a_smiths_top_k exits 2 "$bin" mint softmax --smith "$llama" --profile "$tmp/profile" --top-k 2.5

# A model that cannot be asked is in trouble; that is not an op beyond it, with nothing passed and all complete.
sed '/raw/,$d' "$tmp/profile" >"$tmp/turns"
check eval_without_a_template exits 3 "$bin" eval --smith "$llama" --profile "$tmp/turns" --ops softmax,rmsnorm -n 2 --json
check it_is_not_complete grep -q '"refused":null.*"complete":false' "$tmp/out"
check it_says_why grep -q -- 'stopped early.*there is no chat template.*--chat-family' "$tmp/err"
check eval_with_a_family exits 1 "$bin" eval --smith "$qwen" --chat-family qwen25 --profile "$tmp/turns" --ops softmax -n 2 --json -o "$tmp/e.jsonl"
check it_is_complete grep -q '"n":2,.*"complete":true' "$tmp/out"
check the_family_is_a_setting exits 3 "$bin" eval --smith "$qwen" --chat-family llama31 --profile "$tmp/turns" --ops softmax -n 2 -o "$tmp/e.jsonl" --resume
check it_is_told grep -q 'begun with chat_family "qwen25", not "llama31"' "$tmp/err"
check none_is_another exits 3 "$bin" eval --smith "$qwen" --profile "$tmp/turns" --ops softmax -n 2 -o "$tmp/e.jsonl" --resume
check that_is_told grep -q 'begun with chat_family "qwen25", not unsaid' "$tmp/err"
check the_same_goes_on exits 1 "$bin" eval --smith "$qwen" --chat-family qwen25 --profile "$tmp/turns" --ops softmax -n 3 -o "$tmp/e.jsonl" --resume
check kv_is_a_setting exits 3 "$bin" eval --smith "$qwen" --chat-family qwen25 --kv f32 --profile "$tmp/turns" --ops softmax -n 4 -o "$tmp/e.jsonl" --resume
check kv_is_told grep -q 'begun with kv unsaid, not "f32"' "$tmp/err"
for row in '--kv f32' '--chat-family qwen25' '--adapter x'; do
    check "models elsewhere have no $row" exits 2 "$bin" mint softmax --smith cmd:true $row
    check "the grammar has no $row" exits 2 "$bin" mint softmax $row
    check "it is told: $row" grep -q -- "${row% *} is for models that run here" "$tmp/err"
done

# The same path with another model behind it is another setting.
cp -r "$qwen" "$tmp/mine"
again="--smith $tmp/mine --chat-family qwen25 --profile $tmp/turns --ops softmax -o $tmp/m.jsonl"
check a_copy exits 1 "$bin" eval $again -n 1
check a_family_of_other_tokens_is_told grep -q 'no token <|im_end|>' "$tmp/err"
cp "$llama/tokenizer.json" "$tmp/mine/"
printf ' ' >>"$tmp/mine/tokenizer.json"
check another_tokenizer exits 3 "$bin" eval $again -n 2 --resume
check it_is_called_weights grep -q 'begun with weights' "$tmp/err"
cp "$qwen/tokenizer.json" "$tmp/mine/"
check the_old_one_goes_on exits 1 "$bin" eval $again -n 2 --resume

# A path is bytes, JSON is text.
odd=$tmp/$(printf 'x\377y')
cp -r "$llama" "$odd"
cp "$tmp/profile" "$odd/profile"
parses='import json, sys; o = json.load(open(sys.argv[1], encoding="utf-8")); assert o["smith"].endswith("x?y"), o'
check mint_from_an_odd_path exits 1 "$bin" mint softmax --smith "$odd" --profile "$odd/profile" -n 2 --json
check its_json_is_json python3 -c "$parses" "$tmp/out"
check eval_from_an_odd_path exits 1 "$bin" eval --smith "$odd" --adapter "$odd/adapter" --profile "$odd/profile" --ops softmax -n 2 --json -o "$odd/d.jsonl"
check that_is_json_too python3 -c "$parses" "$tmp/out"
check and_it_goes_on exits 1 "$bin" eval --smith "$odd" --adapter "$odd/adapter" --profile "$odd/profile" --ops softmax -n 3 -o "$odd/d.jsonl" --resume

# A configuration may name the largest number of positions that there is.
cp -r "$llama" "$tmp/endless"
sed -i 's/"max_position_embeddings": *[0-9]*/"max_position_embeddings": 2147483647/' "$tmp/endless/config.json"
check endless_positions exits 0 "$bin" generate "$tmp/endless" --prompt "$tmp/p" --max-tokens 12 --temperature 0
check write_the_same cmp "$tmp/out" "$tmp/a"
check also_in_the_telling exits 0 "$bin" model info "$tmp/endless"
