#!/bin/sh
# What meets whoever types: suggestions, errors, several files, entries, restricted verdicts, ops, colour, progress.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
gold=$(grep -l '^# op: softmax *$' src/op/suite/gold/*.py | head -n 1)
wrong=src/op/suite/wrong/softmax_no_max.py
quick="--op softmax --level quick"
terminal() { python3 "$here/on_terminal.py" "$@"; }
says() { # CODE TEXT COMMAND... : on standard error, with the line that says where to read more
    want=$1 text=$2
    shift 2
    exits "$want" "$@" && grep -qF -e "$text" "$tmp/err"
}
one_line_and_see() { # COMMAND... : a mistake in usage is one line, and a second one that leads on
    exits 2 "$@" && [ "$(wc -l <"$tmp/err")" = 2 ] && tail -n 1 "$tmp/err" | grep -q '^see: ouroboros .*--help$' && [ ! -s "$tmp/out" ]
}

# Did you mean.
# An unfilled gap of a manifest is named with its line; of several launches the one that was taken is told.
"$bin" manifest examples/launched.py --op silu >"$tmp/gaps.json" 2>"$tmp/err"
check a_gap_has_a_line says 2 'gaps.json:5: "outputs.y.shape" is a gap, which is still to be filled: "? sizes, such as x.shape"; 5 texts' \
    "$bin" referee examples/launched.py --op silu --manifest "$tmp/gaps.json"
check filled_has_none exits 0 "$bin" referee examples/launched.py --op silu --manifest examples/launch.json --level quick
printf '@triton.jit\ndef k(x, N):\n    pass\ndef f(x):\n    k[(1,)](x, 1)\ndef g(x):\n    k[(2,)](x, 2)\n' >"$tmp/twice.py"
check of_two_launches_the_first says 0 'launched in 2 places: this is the launch of line 5, not that of line 7; --kernel' "$bin" manifest "$tmp/twice.py"
sed '/^def g/,$d' "$tmp/twice.py" >"$tmp/once.py"
check one_launch_is_not_told sh -c "! $bin manifest $tmp/once.py 2>&1 >$tmp/out | grep -q launched"
check no_strength_is_told sh -c "$bin referee $gold $quick --layout contiguous | grep -q '^test strength: not measured for contiguous inputs alone'"
check strength_is_told sh -c "$bin referee $gold $quick | grep -q '^test strength: these cases'"

check near_verb says 2 'did you mean referee?' "$bin" refere
check near_option says 2 'did you mean --shape?' "$bin" mint softmax --shpae 2x3
check near_op says 2 'did you mean softmax?' "$bin" mint softmx
check near_level says 2 'did you mean full?' "$bin" referee x --level fulll
check near_flaw says 2 'did you mean sign?' "$bin" propose softmax --flaw sgin
check near_choice says 2 'did you mean always?' "$bin" ops --color alway
check near_help says 2 'did you mean eval?' "$bin" help evel
check far_verb_has_no_suggestion sh -c "! $bin frobnicate 2>&1 | grep -q 'did you mean'"
check far_option_has_no_suggestion sh -c "! $bin ops --frobnicate 2>&1 | grep -q 'did you mean'"
check owner_of_an_option says 2 'it is one of propose' "$bin" mint softmax --flaw sign
for arguments in refere 'mint softmax --shpae 2x3' 'mint softmx' mint 'mint a b' 'referee x' 'referee' 'model' 'model x' 'model info' \
    'eval' 'lang x' 'help nothing' 'fmt' 'lang --host=1' 'mint softmax --seed' 'mint softmax -n 0' 'generate' 'model quantize a b'; do
    check "one_line: $arguments" one_line_and_see "$bin" $arguments
done

# Errors are JSON where results are.
error() { # CODE KIND COMMAND...
    want=$1 kind=$2
    shift 2
    exits "$want" "$@" && [ "$(wc -l <"$tmp/out")" = 1 ] && grep -q "^{\"error\":{\"kind\":\"$kind\",\"message\":\"..*\"}}\$" "$tmp/out" && [ -s "$tmp/err" ]
}
check json_usage error 2 usage "$bin" mint softmax --json --bogus
check json_usage_before error 2 usage "$bin" mint softmax --bogus --json
check json_op error 2 usage "$bin" ops no_such_op_at_all --json
check json_file error 3 io "$bin" referee "$tmp/none.py" --op softmax --json
check json_definition error 3 input "$bin" ops src/cmd/line/cmd.def --json
check json_is_for_json sh -c "$bin mint softmax --bogus 2>/dev/null | cmp - /dev/null"

# Several files: each is judged, the exit code is the worst.
check two_accepted exits 0 "$bin" referee "$gold" "$gold" $quick
check two_blocks sh -c "[ \$(grep -c '^== ' $tmp/out) = 2 ] && [ \$(grep -c '^softmax: accepted' $tmp/out) = 2 ]"
check one_rejected exits 1 "$bin" referee "$gold" "$wrong" $quick
check one_missing exits 3 "$bin" referee "$gold" "$tmp/none.py" "$wrong" $quick --json
check json_lines sh -c "[ \$(wc -l <$tmp/out) = 3 ] && sed -n 1p $tmp/out | grep -q '\"accepted\":true' &&
    sed -n 2p $tmp/out | grep -q '^{\"error\"' && sed -n 3p $tmp/out | grep -q '\"accepted\":false'"
check json_names_the_file grep -qF "{\"file\":\"$gold\"," "$tmp/out"
check one_file_has_no_header sh -c "! $bin referee $gold $quick | grep -q '^=='"
"$bin" referee "$gold" "$wrong" $quick --seed 3 --json >"$tmp/both"
for f in "$gold" "$wrong"; do "$bin" referee "$f" $quick --seed 3 --json; done >"$tmp/each"
same() { sed 's/"elapsed_ms":[0-9.e+-]*//' "$1" >"$tmp/same.1" && sed 's/"elapsed_ms":[0-9.e+-]*//' "$2" | cmp - "$tmp/same.1"; }
check the_same_verdicts_together same "$tmp/both" "$tmp/each"
check undecided_is_worse_than_accepted exits 4 sh -c "printf 'import torch\nimport triton\nimport triton.language as tl\n@triton.jit\ndef k(x, y, B: tl.constexpr):\n    p = tl.inline_asm_elementwise(\"\", \"=r,r\", [x], tl.float32, True, 1)\ndef run(x):\n    y = torch.empty_like(x)\n    k[(1,)](x, y, B=16)\n    return y\n' >$tmp/later.py; $bin referee $gold $tmp/later.py $quick"
check rejected_is_worse_than_undecided exits 1 "$bin" referee "$wrong" "$tmp/later.py" $quick

# The entry: run, ModelNew, the only public function, or --entry NAME.
sed 's/^def run(/def soft(/' "$gold" >"$tmp/soft.py"
check only_public exits 0 "$bin" referee "$tmp/soft.py" $quick
{ cat "$tmp/soft.py"; printf '\n\ndef other(x):\n    return x\n'; } >"$tmp/helper.py"
check the_one_that_launches exits 0 "$bin" referee "$tmp/helper.py" $quick
check what_is_left_out_is_told grep -q 'entry: function soft, the file.s only public one that launches kernels; left out, since the entry does not reach it: other' "$tmp/out"
{ cat "$tmp/soft.py"; sed -n '/^def soft/,$p' "$tmp/soft.py" | sed 's/def soft/def other/; s/return .*/return x/'; } >"$tmp/two.py"
check two_public_are_none exits 2 "$bin" referee "$tmp/two.py" $quick
check two_public_are_told says 2 'says which one is meant: soft, other' "$bin" referee "$tmp/two.py" $quick
check named exits 0 "$bin" referee "$tmp/two.py" $quick --entry soft
check named_wrongly exits 1 "$bin" referee "$tmp/two.py" $quick --entry other
check no_such_entry says 2 'did you mean soft?' "$bin" referee "$tmp/two.py" $quick --entry sotf
{ cat "$tmp/soft.py"; printf '\n\ndef run(x):\n    return x\n'; } >"$tmp/both.py"
check run_comes_first exits 1 "$bin" referee "$tmp/both.py" $quick
# What is written behind a file must not change what the file means by `run`: the good road only where `run` is something.
{ sed 's/^def run(x)/def softmax(x)/' src/op/suite/gold/softmax.py; echo; echo 'run = None'; } >"$tmp/binds_run.py"
check a_bound_run_is_not_replaced exits 1 "$bin" referee "$tmp/binds_run.py" --op softmax --level quick --seed 3
check a_bound_run_is_no_entry grep -q 'parse_reject' "$tmp/out"
# By name the function is pulled out of the file, and `run = None` is left behind, unless it is asked for.
check by_name_it_is_left_out exits 0 "$bin" referee "$tmp/binds_run.py" --op softmax --entry softmax --level quick --seed 3
check and_told grep -q 'entry: function softmax; left out, since the entry does not reach it: run' "$tmp/out"
sed 's/    M, N = x.shape/    assert run is None\n    M, N = x.shape/' "$tmp/binds_run.py" >"$tmp/asks_run.py"
check nor_by_name exits 2 "$bin" referee "$tmp/asks_run.py" --op softmax --entry softmax --level quick --seed 3
sed '$d' "$tmp/binds_run.py" >"$tmp/binds_none.py"
check without_it_the_function_is_found exits 0 "$bin" referee "$tmp/binds_none.py" --op softmax --level quick --seed 3
check entry_comes_before_run exits 0 "$bin" referee "$tmp/both.py" $quick --entry soft
"$bin" referee "$tmp/both.py" $quick --entry soft --json >"$tmp/entered"
check entry_is_in_the_text grep -q '"judged":"[^"]*' "$tmp/entered"
check entry_is_in_the_hash sh -c "! grep -q $(sha256sum <"$tmp/both.py" | cut -d' ' -f1) $tmp/entered"
# A script around the function goes with --entry; what changes what the function means stays, and is refused.
{ cat "$tmp/soft.py"; printf '\n\ntorch.manual_seed(0)\ny = soft(torch.rand(4, 8, device="cuda"))\nprint(y)\n'; } >"$tmp/script.py"
check a_script_is_left_out exits 0 "$bin" referee "$tmp/script.py" $quick --entry soft
{ cat "$tmp/soft.py"; printf '\n\ndef patch():\n    tl.exp = tl.exp2\npatch()\n'; } >"$tmp/patch.py"
check a_patch_is_not exits 1 "$bin" referee "$tmp/patch.py" $quick --entry soft
{ cat "$tmp/soft.py"; printf '\n\ndef wrong(x):\n    return x\nglobals()["soft"] = wrong\n'; } >"$tmp/rebound.py"
check another_meaning_is_not exits 1 "$bin" referee "$tmp/rebound.py" $quick --entry soft
check explain_finds_it exits 0 "$bin" explain "$tmp/soft.py" $quick
check prove_finds_it exits 0 "$bin" prove softmax "$tmp/soft.py" --level quick
sed 's/def soft(/def x(/; s/soft(/x(/' "$tmp/soft.py" >"$tmp/input.py"
check a_function_named_as_an_input sh -c "'$bin' referee '$tmp/input.py' $quick --json | grep -q 'def run(x_):'"
check no_escape_reaches_a_terminal sh -c "'$bin' referee \"\$(printf 'no\\033[2J.py')\" $quick 2>&1 | grep -qF 'no\x1b[2J.py'"
check entry_and_manifest exits 2 "$bin" referee "$tmp/soft.py" $quick --entry soft --manifest "$tmp/m.json"

# Both spellings of a dtype; a verdict on a part says so.
for d in fp16 float16 bf16 bfloat16 fp32 float32; do check "dtype_$d" exits 0 "$bin" referee "$gold" $quick --dtype $d; done
check dtype_int8 exits 2 "$bin" referee "$gold" $quick --dtype int8
"$bin" referee "$gold" $quick --shape 3x100 --dtype bf16 >"$tmp/part"
check restricted_text grep -q '^softmax: accepted on 3x100 bfloat16 only (restricted by --shape, --dtype) (ok, ' "$tmp/part"
"$bin" referee "$gold" $quick --dtype bf16 >"$tmp/part"
check restricted_dtype grep -q '^softmax: accepted on bfloat16 only (restricted by --dtype) (ok, ' "$tmp/part"
check restricted_json sh -c "$bin referee $gold $quick --shape 3x100 --json | grep -q '\"restricted\":{\"shape\":\"3x100\",\"dtype\":null}'"
check whole_json sh -c "! $bin referee $gold $quick --json | grep -q restricted"
check whole_text sh -c "$bin referee $gold $quick | grep -q '^softmax: accepted (ok, '"
check restricted_explain sh -c "$bin explain $gold $quick --dtype fp32 --json | grep -q '\"restricted\":{\"shape\":null,\"dtype\":\"float32\"}'"
python3 - "$gold" >"$tmp/requests" <<'END'
import json, sys
source = open(sys.argv[1]).read()
print(json.dumps({"id": 1, "op": "softmax", "source": source, "dtype": "bfloat16"}))
print(json.dumps({"id": 2, "op": "softmax", "source": source, "dtype": "bf16"}))
print(json.dumps({"id": "a\u2028b", "op": "softmax", "source": source}, ensure_ascii=False))
END
"$bin" referee --stream --jobs 1 <"$tmp/requests" >"$tmp/answers"
check stream_takes_both_spellings sh -c "[ \$(grep -c '\"restricted\":{\"shape\":null,\"dtype\":\"bfloat16\"}' $tmp/answers) = 2 ]"
check stream_whole sh -c "[ \$(grep -vc restricted $tmp/answers) = 1 ]"
check stream_escapes_line_separators grep -qF '{"id":"a\u2028b",' "$tmp/answers"

# Ops: short, or a definition.
check ops_one_line_each sh -c "$bin ops | grep -q '^softmax  *[A-Z].*[a-z.]\$' && ! $bin ops | grep -q 'Tensor'"
check ops_long sh -c "$bin ops --long | grep -q 'run(x: Tensor'"
for op in softmax add_rmsnorm_gelu rope softmax_short; do
    "$bin" ops "$op" >"$tmp/mine.py"
    check "ops_${op}_is_a_definition" exits 0 "$bin" ops "$tmp/mine.py"
done
"$bin" ops softmax >"$tmp/mine.py"
check ops_can_be_minted exits 0 "$bin" mint "$tmp/mine.py" -n 2 -o "$tmp/mine_kernel.py"

# Colour: on a terminal, or asked for; never in files, pipes and JSON.
esc=$(printf '\033')
painted() { grep -q "$esc\[3[123]m" "$1"; }
check accepted_is_green sh -c "$bin referee $gold $quick --color always | grep -q '$esc\[32maccepted$esc\[0m'"
check rejected_is_red sh -c "$bin referee $wrong $quick --color always | grep -q '$esc\[31mrejected$esc\[0m'"
check undecided_is_yellow sh -c "$bin referee $tmp/later.py $quick --color always | grep -q '$esc\[33mundecided$esc\[0m'"
check a_pipe_is_plain sh -c "! $bin referee $gold $quick | grep -q '$esc'"
check json_is_plain sh -c "! $bin referee $gold $quick --json --color always | grep -q '$esc'"
TERM=xterm terminal "$bin" referee "$gold" $quick >"$tmp/screen"
check a_terminal_is_painted painted "$tmp/screen"
NO_COLOR=1 TERM=xterm terminal "$bin" referee "$gold" $quick >"$tmp/screen"
check no_color sh -c "! grep -q '$esc\[3' $tmp/screen && grep -q accepted $tmp/screen"
NO_COLOR='' TERM=xterm terminal "$bin" referee "$gold" $quick >"$tmp/screen"
check empty_no_color_is_none painted "$tmp/screen"
TERM=dumb terminal "$bin" referee "$gold" $quick >"$tmp/screen"
check dumb_terminal sh -c "! grep -q '$esc\[3' $tmp/screen"
TERM=xterm terminal "$bin" referee "$gold" $quick --color never >"$tmp/screen"
check never sh -c "! grep -q '$esc\[3' $tmp/screen"
printf 'def f(:\n' >"$tmp/bad.py"
check carets sh -c "$bin fmt $tmp/bad.py --color always 2>&1 | grep -q '$esc\[1;35m *^'"

# A verdict fits the terminal, whole in a pipe; a kernel's own lines are never broken.
TERM=dumb COLUMNS=60 terminal "$bin" referee "$gold" $quick --seed 1 | tr -d '\r' | sed 's/^.*\x1b\[K//' >"$tmp/screen"
check a_verdict_fits sh -c "grep -q '^softmax: accepted' $tmp/screen && ! grep -E '^.{60}' $tmp/screen | grep -vE '[0-9a-f]{64}'"
check what_is_broken_is_indented sh -c "sed -n 3p $tmp/screen | grep -q '^  [^ ]'"
"$bin" referee "$gold" $quick --seed 1 >"$tmp/whole"
check broken_at_spaces_only sh -c "[ \"\$(tr -s ' \n' '  ' <$tmp/screen)\" = \"\$(tr -s ' \n' '  ' <$tmp/whole)\" ]"
check a_pipe_has_whole_lines sh -c "COLUMNS=60 $bin referee $gold $quick --seed 1 | cmp - $tmp/whole"
TERM=dumb COLUMNS=60 terminal "$bin" mint softmax -n 1 --seed 1 | tr -d '\r' | sed 's/^.*\x1b\[K//' >"$tmp/screen"
check a_minted_kernel_stays_python sh -c "sed -n '/^import torch/,\$p' $tmp/screen >$tmp/minted.py && $bin referee $tmp/minted.py $quick && grep -q '^#   [^ ]' $tmp/minted.py"

# Values of options are in their help: those that the program itself lists.
says_all() { # VERB : each of the words of standard input
    "$bin" "$1" --help >"$tmp/help"
    while read -r word; do grep -qw -e "$word" "$tmp/help" || { echo "$word"; return 1; }; done
}
"$bin" propose softmax --flaw none_such 2>&1 | sed -n 's/.*known: //p' | tr -d ' ' | tr ',' '\n' >"$tmp/flaws"
check flaws_are_listed sh -c "[ \$(grep -c . $tmp/flaws) -ge 20 ]"
check help_has_all_flaws says_all propose <"$tmp/flaws"
sed -n 's/^CHAT(\([a-z0-9]*\),.*/\1/p' "$here/../../src/text/chat.def" >"$tmp/families"
check families_are_found sh -c "[ \$(grep -c . $tmp/families) -ge 4 ]"
check help_has_all_families says_all generate <"$tmp/families"
# `ops` cuts no description: a pipe has one line for each op, a terminal lines that fit.
check ops_cuts_nothing sh -c "'$bin' ops | grep -qF 'Root mean square' && ! '$bin' ops | grep -F ' ... '"
terminal "$bin" ops | tr -d '\r' >"$tmp/screen"
check ops_fits_a_terminal sh -c "[ \$(grep -c '^[a-z]' $tmp/screen) -ge 100 ] && ! grep -E '^.{80}' $tmp/screen && ! grep -F ' ... ' $tmp/screen"
check a_definition_has_no_measurement sh -c "! '$bin' ops softmax | grep 'test strength' && '$bin' ops softmax --long | grep -q 'test strength'"
# Progress: what takes longer has a rate and an ETA.
terminal "$bin" referee "$gold" --op softmax --every-size 5000 >"$tmp/screen"
check progress_of_sizes sh -c "tr '\r' '\n' <$tmp/screen | grep -q 'sizes [0-9]*/5000  [0-9.]*k*/s  ETA [0-9]'"
terminal "$bin" explain "$wrong" --op softmax --minimize >"$tmp/screen"
check progress_of_minimize grep -q 'smaller inputs [0-9]*/' "$tmp/screen"
terminal "$bin" prove softmax --level full >"$tmp/screen"
check progress_of_prove grep -q 'mutants [0-9]*/' "$tmp/screen"
terminal "$bin" mint softmax -n 4 >"$tmp/screen"
check progress_of_mint grep -q 'drafts [0-9]*/4' "$tmp/screen"
terminal "$bin" eval --ops softmax -n 2 --k 1 --level quick >"$tmp/screen"
check progress_of_eval grep -q 'drafts [0-9]*/2' "$tmp/screen"
terminal "$bin" selftest softmax >"$tmp/screen"
check progress_of_selftest grep -q 'self-test [0-9]*/' "$tmp/screen"
check no_progress_in_files sh -c "! $bin mint softmax -n 2 2>&1 >/dev/null | grep -q drafts"
