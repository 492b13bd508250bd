#!/bin/sh
# The verbs as a user meets them: results, exit codes, messages.
. "$(dirname "$0")/lib.sh"
gold=src/op/suite/gold
wrong=src/op/suite/wrong

check help exits 0 "$bin" --help
check version exits 0 "$bin" --version
check no_verb_is_usage exits 2 "$bin"
check unknown_verb_is_usage exits 2 "$bin" frobnicate
check unknown_option_is_usage exits 2 "$bin" mint softmax --frobnicate
check bad_number_is_usage exits 2 "$bin" mint softmax -n zero
check bad_shape_is_usage exits 2 "$bin" mint softmax --shape 12by3
check bad_dtype_is_usage exits 2 "$bin" mint softmax --dtype int9
check no_such_op_is_usage exits 2 "$bin" mint no_such_op_at_all
check missing_file_is_the_world exits 3 "$bin" referee "$tmp/none.py" --op softmax
check missing_op_is_usage exits 2 "$bin" referee "$tmp/none.py"

check ops_lists sh -c "$bin ops | grep -q '^softmax '"
check ops_lists_chains sh -c "$bin ops | grep -q '^add_rmsnorm_gelu '"
check ops_shows_one sh -c "$bin ops softmax | grep -q 'def reference'"
check ops_json sh -c "$bin ops --json | grep -q '\"op\":\"softmax\"'"
check plain_words sh -c "$bin ops 'rmsnorm with residual, then gelu' | grep -q '^# add_rmsnorm_gelu:'"
check nearest_is_listed sh -c "$bin ops softmux 2>&1 | grep -q softmax"

one_gold=$(grep -l '^# op: softmax' $gold/*.py | head -n 1)
one_wrong=$(grep -l '^# expect: incorrect *$' $wrong/*.py | head -n 1)
wrong_op=$(sed -n 's/^# op: *//p' "$one_wrong")
check accepted_exits_0 exits 0 "$bin" referee "$one_gold" --op softmax --level quick
check rejected_exits_1 exits 1 "$bin" referee "$one_wrong" --op "$wrong_op" --level quick
check default_level_is_full sh -c "$bin referee $one_gold --op softmax --json | grep -q '\"level\":\"full\"'"
check stdin_is_dash sh -c "$bin referee - --op softmax --level quick <$one_gold | grep -q accepted"
printf 'import torch\nimport triton\nimport triton.language as tl\n@triton.jit\ndef k(x, y, B: tl.constexpr):\n    p = tl.inline_asm_elementwise("", "=r,r", [x], tl.float32, True, 1)\ndef run(x):\n    y = torch.empty_like(x)\n    k[(1,)](x, y, B=16)\n    return y\n' >"$tmp/later.py"
check unsupported_exits_4 exits 4 "$bin" referee "$tmp/later.py" --op softmax --level quick

"$bin" referee "$one_gold" --op softmax --level quick --seed 9 --json >"$tmp/v.json" 2>/dev/null
check verdict_is_one_line sh -c "[ \$(wc -l <$tmp/v.json) = 1 ]"
for key in op source_sha256 accepted status rule feedback cases_run cases_passed worst error_ulp bound_ulp traffic bytes_loaded bytes_stored ideal_bytes ratio launches seed replay level elapsed_ms version; do
    check "verdict_has_$key" grep -q "\"$key\":" "$tmp/v.json"
done
check replay_is_marked grep -q '"replay":true' "$tmp/v.json"
check replay_keeps_the_seed grep -q '"seed":9,' "$tmp/v.json"
sha=$(sha256sum <"$one_gold" | cut -d' ' -f1)
check hash_is_of_the_source grep -q "\"source_sha256\":\"$sha\"" "$tmp/v.json"
check journal_is_kept sh -c "grep -q $sha $tmp/state/ouroboros/*"

check fmt_prints exits 0 "$bin" fmt "$one_gold"
"$bin" fmt "$one_gold" >"$tmp/once.py"
"$bin" fmt "$tmp/once.py" >"$tmp/twice.py"
check fmt_is_stable cmp "$tmp/once.py" "$tmp/twice.py"
printf 'def f(:\n' >"$tmp/bad.py"
check fmt_rejects exits 1 "$bin" fmt "$tmp/bad.py"
check fmt_shows_the_place grep -q "bad.py:1:7" "$tmp/err"
check lang_prints sh -c "$bin lang | grep -q 'tl.load'"
check lang_host_prints sh -c "$bin lang --host | grep -q 'torch.empty'"

# The stream: answers carry ids, bad lines are answered, nothing is fatal.
python_free_json() { sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g' "$1" | awk '{printf "%s\\n", $0}'; }
{
    printf '{"id":1,"op":"softmax","source":"%s"}\n' "$(python_free_json "$one_gold")"
    printf 'this is not JSON\n'
    printf '{"id":"two","op":"softmax","source":"x = ("}\n'
    printf '{"id":3,"op":"nothing like it","source":""}\n'
    printf '{"id":4,"op":"softmax","source":"","level":"sideways"}\n'
    printf '\n'
    printf '{"id":5,"op":"softmax","source":""}'
} >"$tmp/stream.in"
check stream_exits_0 exits 0 sh -c "$bin referee --stream <$tmp/stream.in"
cp "$tmp/out" "$tmp/stream.out"
check stream_answers_every_line sh -c "[ \$(wc -l <$tmp/stream.out) = 6 ]"
check stream_accepts sh -c "grep '\"id\":1,' $tmp/stream.out | grep -q '\"accepted\":true'"
check stream_rejects sh -c "grep '\"id\":\"two\",' $tmp/stream.out | grep -q parse_reject"
check stream_answers_bad_json sh -c "grep '\"id\":null,' $tmp/stream.out | grep -q 'referee_error'"
check stream_answers_unknown_op sh -c "grep '\"id\":3,' $tmp/stream.out | grep -q 'referee_error'"
check stream_answers_bad_level sh -c "grep '\"id\":4,' $tmp/stream.out | grep -q 'referee_error'"
check stream_reads_a_last_line_without_newline sh -c "grep '\"id\":5,' $tmp/stream.out | grep -q parse_reject"
# Started without standard streams: no file of ours stands in for one of them.
check stream_without_stdin exits 3 timeout 20 sh -c "'$bin' referee --stream <&-"
check stream_without_stdin_says_so grep -q 'cannot read the stream: Bad file descriptor' "$tmp/err"
check stream_without_stdout exits 3 timeout 20 sh -c "'$bin' referee --stream <$tmp/stream.in >&-"
check stream_without_stdout_says_so grep -q 'Bad file descriptor' "$tmp/err"
check stream_without_stderr exits 0 sh -c "'$bin' referee --stream <$tmp/stream.in 2>&-"
check stream_without_stderr_answers sh -c "[ \$(wc -l <$tmp/out) = 6 ]"
check result_without_stdout exits 3 sh -c "'$bin' fmt $one_gold >&-"
# The world fails: exit code 3 and a sentence in every verb that judges, never a signal, never a verdict.
for verb in "referee $one_gold --op softmax" "mint softmax -n 2" "eval --ops softmax -n 2 --k 1" "prove softmax --level quick --state $tmp/limit" "explain $one_gold --op softmax"; do
    name=${verb%% *}
    check "${name}_meets_a_file_size_limit" exits 3 sh -c "ulimit -f 1; '$bin' $verb"
    check "${name}_says_so" grep -q "^ouroboros $name: .*File too large" "$tmp/err"
    [ $name = explain ] || check "${name}_without_a_place_for_its_journal" exits 3 "$bin" ${verb%--state*} --state /dev/null/here
done
check a_stream_on_a_full_disk exits 3 sh -c "for i in 1 2 3 4; do echo '{\"id\":1,\"op\":\"softmax\",\"source\":\"x\"}'; done | { ulimit -f 0; '$bin' referee --stream; }"
check a_candidate_that_cannot_be_run exits 3 sh -c "ulimit -n 10; '$bin' referee $one_gold --op softmax --level quick --json"
check is_undecided_by_the_world grep -q '"status":"referee_error","rule":"world"' "$tmp/out"
check so_is_every_draft exits 3 sh -c "ulimit -n 10; '$bin' mint softmax -n 2"
check and_every_mutant exits 3 sh -c "ulimit -n 10; '$bin' prove softmax --level quick"
# Which op plain words were taken for.
check words_are_understood exits 0 "$bin" mint 'layernorm+gelu' -n 1
check aloud grep -q '^ouroboros mint: "layernorm+gelu" is understood as layernorm_gelu, of x, w, b$' "$tmp/err"
check an_input_only_where_it_is_asked_for exits 0 "$bin" propose 'layernorm + residual, then gelu' -n 1
check aloud_too grep -q 'is understood as add_layernorm_gelu, of x, residual, w, b$' "$tmp/err"
check a_name_is_no_news exits 0 "$bin" propose softmax -n 1
check so_nothing_is_said sh -c "! grep -q understood '$tmp/err'"
