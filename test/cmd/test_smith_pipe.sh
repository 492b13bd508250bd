#!/bin/sh
# Programs as smiths: good ones, slow ones, and every way to break the protocol; what is printed, and the exit code.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
gold=$here/../../src/op/suite/gold/softmax.py
smith() { echo "cmd:exec python3 '$here/drafts.py' $1 '$gold'"; }
# One size is enough where the program's answers are what is looked at: the first ones are judged at all.
mint() { # MODE OPTIONS...
    mode=$1
    shift
    # shellcheck disable=SC2086
    "$bin" mint softmax --smith "$(smith "$mode")" --timeout "${timeout:-30}" $sizes "$@"
}
says() { grep -q -- "$1" "$tmp/err"; }

sizes=
check good exits 0 mint good -n 3 --json
check counts grep -q '"proposed":3,"distinct":1,"judged":1,"accepted":1' "$tmp/out"
check tokens_and_statuses grep -q '"statuses":{"ok":3},"tokens":150' "$tmp/out"
check a_kernel_is_printed exits 0 mint good -n 1
sed '/^# /d' "$tmp/out" >"$tmp/k.py"
check it_is_accepted_again exits 0 "$bin" referee "$tmp/k.py" --op softmax
check evidence_names_draft_and_prompt sh -c "'$bin' mint softmax --smith \"$(smith good)\" -n 1 2>/dev/null | grep -q '^# Minted by .*draft 1, prompt [0-9a-f]*$'"
check mixed exits 0 mint mixed -n 4 --json
check every_reply_has_its_status grep -q '"statuses":{"ok":1,"incorrect":1,"no_kernel":1,"truncated":1}' "$tmp/out"
check a_line_for_each_verdict sh -c "[ \$(grep -c '^draft [1-4]: ' $tmp/err) = 4 ]"
sizes='--shape 3x100'
check wrong_only exits 1 mint wrong -n 2
check backwards exits 0 mint backwards -n 3
check a_program_may_serve_once_and_end exits 0 mint once -n 2
check blank_lines_say_nothing exits 0 mint blank -n 2
check a_last_line_without_its_end exits 0 mint unended -n 2 --json
check counts_too grep -q '"statuses":{"ok":2}' "$tmp/out"
check also_when_it_is_the_only_one exits 0 mint unended -n 1
check an_error_without_its_end exits 3 mint unended-error -n 2
check is_told_as_well says 'no memory'
check half_a_line exits 3 mint torn -n 1
check is_none says 'ended with exit code 0 with 1 of 1 answers missing'
timeout=8
check fewer_than_asked_for exits 0 mint few -n 3
check is_told_while_it_is_waited_for says 'ouroboros mint: the program has been silent for 4 seconds, 1 of 3 answers are missing; .*--timeout'
check and_at_the_end says 'no answer for 8 seconds (--timeout) with 1 of 3 answers missing'
# Silence is told after 5 seconds here: all together it takes longer than that, and each answer much less.
timeout=10
check a_slow_one_is_not_silent exits 0 mint slower -n 7
timeout=30
check so_nothing_is_said sh -c "! grep -q silent '$tmp/err'"
check first_stops_early exits 0 mint slow -n 20 --first --json
check few_were_asked sh -c "[ \$(sed 's/.*\"proposed\":\\([0-9]*\\).*/\\1/' $tmp/out) -lt 10 ]"
check learns exits 0 mint learns -n 2 --feedback 2 --json
check one_retry_each grep -q '"proposed":4,.*"statuses":{"ok":2,"incorrect":2}' "$tmp/out"
check without_feedback_it_learns_nothing exits 1 mint learns -n 2
check a_program_that_ended_is_started_again exits 0 mint once-learns -n 2 --feedback 1 --json
check for_each_retry grep -q '"proposed":4,.*"statuses":{"ok":2,"incorrect":2}' "$tmp/out"
check retries_are_asked exits 0 env DRAFTS_LOG="$tmp/retries" "$bin" mint softmax --smith "$(smith learns)" $sizes -n 2 --feedback 1
check by_number_with_their_own_sentence sh -c "python3 -c 'import json,sys
first, *retries = [json.loads(line) for line in open(sys.argv[1])]
assert [q[\"first\"] for q in retries] == [0, 1] and all(q[\"n\"] == 1 for q in retries), retries
assert all(\"harness feedback\" in q[\"prompt\"][\"user\"] and q[\"seed\"] != first[\"seed\"] for q in retries), retries
assert \"harness feedback\" not in first[\"prompt\"][\"user\"], first
' '$tmp/retries'"

# What a program is asked.
DRAFTS_LOG=$tmp/log exits 0 env DRAFTS_LOG="$tmp/log" "$bin" mint softmax --smith "$(smith good)" -n 2 --seed 8 --temperature 0.25 --top-p 0.5 --max-tokens 99
check the_request_is_json sh -c "python3 -c 'import json,sys
q = json.loads(open(sys.argv[1]).readline())
assert q[\"n\"] == 2 and q[\"first\"] == 0 and q[\"seed\"] == 4 and q[\"temperature\"] == 0.25 and q[\"top_p\"] == 0.5 and q[\"max_tokens\"] == 99, q
assert q[\"prompt\"][\"system\"].startswith(\"You are an expert GPU kernel engineer.\")
assert \"DIFFERENT op (\`rmsnorm\`)\" in q[\"prompt\"][\"user\"] and \"def rmsnorm_kernel(\" in q[\"prompt\"][\"user\"]
' $tmp/log"
printf 'max_tokens 5\n--- user\nWrite {op}.\n' >"$tmp/mine.txt"
rm -f "$tmp/log"
DRAFTS_LOG=$tmp/log "$bin" mint softmax --smith "$(smith good)" $sizes -n 1 --profile "$tmp/mine.txt" >/dev/null 2>&1
check a_profile_of_ones_own grep -q '"prompt":{"system":null,"user":"Write softmax."}.*"max_tokens":5' "$tmp/log"
check no_such_profile exits 3 mint good --profile "$tmp/none.txt"
check a_profile_with_a_mistake exits 3 sh -c "echo '--- user
{oops}' >$tmp/bad.txt; '$bin' mint softmax --smith 'cmd:true' --profile $tmp/bad.txt"
check it_is_named says 'bad.txt:2: {oops} is no placeholder'

# Trouble: the reason in a sentence, exit 3, quickly; what came before it is kept.
for row in "exit|ended with exit code 7 with 2 of 2" "silent|no answer for 2 seconds" "garbage|no JSON" "stranger|an answer to request \"99\"" \
    "huge|a line of more than 8388608 bytes" "killed|was killed by signal 9" "twice|for the second time" "complains|no memory"; do
    mode=${row%%|*}
    if [ "$mode" = twice ]; then want=0; else want=3; fi
    if [ "$mode" = silent ]; then timeout=2; else timeout=30; fi
    check "trouble_${mode}" exits $want mint "$mode" -n 2
    check "trouble_${mode}_is_told" says "${row#*|}"
done
timeout=30
check no_escape_reaches_the_terminal sh -c "! LC_ALL=C grep -q '$(printf '\033')' $tmp/err"
check half_is_enough exits 0 mint half -n 4 --json
check half_were_judged grep -q '"proposed":2,' "$tmp/out"
check that_it_ended_is_told says 'stopped early: .*with 2 of 4 answers missing'
check no_such_program exits 3 "$bin" mint softmax --smith cmd:/no/such/program -n 1
check no_program exits 2 "$bin" mint softmax --smith 'cmd: '
check no_adapter exits 2 mint good --adapter x
check the_grammar_smith_takes_no_temperature exits 2 "$bin" mint softmax --temperature 1
check too_hot exits 2 mint good --temperature 11
check proposals_are_extracted exits 0 "$bin" propose softmax --smith "$(smith mixed)" -n 4
check two_of_four_hold_a_kernel sh -c "[ \$(grep -c '^def run' $tmp/out) = 2 ]"

# Ctrl-C: what is finished is judged and printed, the program goes.
check interrupted exits 0 interrupted 1.6 "$bin" mint softmax --smith "$(smith slow)" $sizes -n 1000 --json
check what_was_there_is_reported grep -q '"accepted":1,.*"interrupted":true' "$tmp/out"
check interrupted_before_anything exits 1 interrupted 0.7 "$bin" mint softmax --smith "$(smith silent)" --timeout 30 -n 4
check it_is_said_so grep -q 'mint: interrupted; none of 0 kernels' "$tmp/err"
sleep 0.2
check no_program_is_left sh -c "! pgrep -f '[d]rafts.py [a-z]* $gold' >/dev/null"
