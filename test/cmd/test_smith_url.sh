#!/bin/sh
# Models behind servers: a good one, one that lacks half of the API, and every way to fail; real sockets, real libcurl.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
gold=$here/../../src/op/suite/gold/softmax.py
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY OPENAI_API_KEY OUROBOROS_API_KEY SSL_CERT_FILE
serve() { # PORT-FILE [CERTIFICATE]
    python3 "$here/chat_server.py" "$gold" "$@" &
    servers="$servers $!"
    for _ in $(seq 100); do [ -s "$1" ] && return; sleep 0.1; done
}
servers=""
trap 'kill $servers 2>/dev/null; rm -rf "$tmp"' EXIT
serve "$tmp/port"
base=http://127.0.0.1:$(cat "$tmp/port")/v1
# One size is enough where what the server says is looked at: the first drafts are judged at all.
mint() { # MODEL OPTIONS...
    model=$1
    shift
    # shellcheck disable=SC2086
    "$bin" mint softmax --smith "$base#$model" --timeout "${patience:-30}" $sizes "$@"
}
holds() { grep -q -- "$1" "$tmp/out"; }
says() { grep -q -- "$1" "$tmp/err"; }
requests() { grep -c "\"model\": \"$1\"" "$tmp/port.log"; }

sizes=
check good exits 0 mint good -n 4 --json --seed 3
check four_in_one_request [ "$(requests good)" = 1 ]
check counts holds '"proposed":4,.*"statuses":{"ok":2,"incorrect":2},"tokens":30'
check the_request python3 -c 'import json, sys
o = json.loads(open(sys.argv[1]).readline())
q = o["request"]
assert o["path"] == "/v1/chat/completions" and o["key"] is None, o
assert q["n"] == 4 and 0 <= q["seed"] < 2**31 and q["temperature"] == 0.7 and q["top_p"] == 0.97 and q["max_tokens"] == 768 and q["stream"] is True, q
assert q["chat_template_kwargs"] == {"enable_thinking": False} and q["stream_options"] == {"include_usage": True}
assert [m["role"] for m in q["messages"]] == ["system", "user"] and "Op `softmax`" in q["messages"][1]["content"]
assert "top_k" not in q and "stop" not in q
' "$tmp/port.log"
# A teacher behind a server: a corpus to the end, with who answered what, and pairs in every form.
teach() { "$bin" corpus build --ops softmax -n 4 --seed 2 --smith "$base#$1" --licence Apache-2.0 --state "$tmp/teacher" --json; }
check a_teacher exits 0 teach teacher
check its_drafts holds '"drafts":4,"before":0,"accepted":2,"new":2,"without_kernel":0,"lost":0,.*"complete":true'
check one_request_for_all [ "$(requests teacher)" = 1 ]
check teaching_is_over exits 0 teach teacher
check nobody_was_asked_again sh -c "grep -q '\"before\":4,' $tmp/out && [ \$(grep -c '\"model\": \"teacher\"' $tmp/port.log) = 1 ]"
check provenance python3 -c 'import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT p.model, length(p.prompt), p.licence, v.accepted FROM programs p JOIN verdicts v ON v.id = p.standing").fetchall()
assert sorted(rows) == [(sys.argv[2], 64, "Apache-2.0", 0), (sys.argv[2], 64, "Apache-2.0", 1)], rows' "$tmp/teacher/store.db" "$base#teacher"
for form in chat prompt-completion kernelbook; do
    check "pairs_$form" exits 0 "$bin" corpus export --format $form -o "$tmp/pairs-$form" --held-out /dev/null --validation 0 --state "$tmp/teacher"
    check "one_right_pair_$form" python3 -c 'import json, sys
row, = map(json.loads, open(sys.argv[1] + "/train.jsonl"))
text = json.dumps(row)
assert "def run(" in text and "2.0 * p" not in text and row["model"] == "teacher" and "127.0.0.1" not in text and "Apache-2.0" in text, text' "$tmp/pairs-$form"
done
check a_broken_teacher exits 3 "$bin" corpus build --ops relu2 -n 2 --smith "$base#broken" --state "$tmp/teacher"
check is_told says 'stopped early (the same call goes on): .*#broken'
check whole_responses exits 0 mint whole -n 2 --json
check tokens_of_whole_responses holds '"tokens":60'
sizes='--shape 3x100'
check packed_all_the_same exits 0 mint packed -n 2 --json
check packed_counts holds '"statuses":{"ok":1,"incorrect":1}'
check no_type_no_reason_for_the_end exits 0 mint typeless -n 2 --json
check typeless_counts holds '"statuses":{"ok":1,"incorrect":1}'
check what_unpacks_to_too_much exits 3 mint bomb -n 2
check the_bomb_is_told says 'a response of more than 67108864 bytes'
check a_server_that_ignores_n exits 0 mint ignores-n -n 5 --json
check it_is_asked_five_times [ "$(requests ignores-n)" = 5 ]
check five_drafts holds '"proposed":5,'
check trouble_between exits 0 mint ignores-n-busy -n 6 --json
check six_drafts holds '"proposed":6,'
check a_busy_server_is_asked_again exits 0 mint busy -n 2
check three_times [ "$(requests busy)" = 3 ]
check a_strict_server exits 0 mint strict -n 2
check it_gets_what_it_knows sh -c "grep '\"strict\"' $tmp/port.log | tail -n 1 | grep -q '\"max_completion_tokens\": 768' && ! grep '\"strict\"' $tmp/port.log | tail -n 1 | grep -q chat_template"
check truncated exits 1 mint truncated -n 2 --json
check truncated_it_is holds '"statuses":{"truncated":2}'
check a_connection_that_closes exits 0 mint closes -n 4 --json
check only_the_rest_is_asked_for_again holds '"proposed":4,'
check an_error_in_the_stream exits 0 mint error-in-stream -n 2
check first exits 0 mint slow -n 16 --first --json
check few sh -c "[ \$(sed 's/.*\"proposed\":\\([0-9]*\\).*/\\1/' $tmp/out) -lt 12 ]"
check feedback exits 0 mint good -n 2 --feedback 1 --json
check the_sentence_is_sent grep -q "harness feedback: " "$tmp/port.log"
check redirected exits 0 mint redirect -n 2
check eval exits 0 "$bin" eval --smith "$base#ignores-n" --ops softmax -n 2 --k 1,2 --json
check pass_at_1 holds '"pass":{"1":0.5,"2":1.0}'

# What does not pass: exit 3, with the reason.
for row in "stranger|status 404: The model .stranger. does not exist" "locked|status 401: no key; no key was sent" "never|status 400: temperature must be a fish" \
    "redirect-scheme|another kind of address" "redirect-file|another kind of address" "redirect-loop|redirects"; do
    check "trouble_${row%%|*}" exits 3 mint "${row%%|*}" -n 2
    check "trouble_${row%%|*}_is_told" says "${row#*|}"
done
check a_scheme_is_never_followed [ "$(requests redirect-file)" = 1 ]
# These are tried five times, seconds apart: together.
for row in "broken|status 500: always .31m (tried 5 times)" "garbage|no JSON" "no-choices|has no \"choices\"" "garbage-stream|no JSON" "wrong-index|choice 99 of the 2" \
    "empty|no JSON" "hangs|silent for 1 seconds" "huge|a line of more than 8388608 bytes" "closes-for-good|tried 5 times"; do
    model=${row%%|*}
    (
        patience=1
        mint "$model" -n 2 --state "$tmp/state-$model" >"$tmp/$model.out" 2>"$tmp/$model.err"
        echo $? >"$tmp/$model.code"
    ) &
    echo "$row" >>"$tmp/rows"
    waits="$waits $!"
done
for w in $waits; do wait "$w"; done
while read -r row; do
    model=${row%%|*}
    check "trouble_$model" sh -c "[ \$(cat $tmp/$model.code) = 3 ] && [ ! -s $tmp/$model.out ]"
    check "trouble_${model}_is_told" grep -q -- "${row#*|}" "$tmp/$model.err"
done <"$tmp/rows"
check no_escape_reaches_the_terminal sh -c "! LC_ALL=C grep -q '$(printf '\033')' $tmp/broken.err"
check nobody_listens exits 3 "$bin" mint softmax --smith "http://127.0.0.1:9/v1#x" -n 1
check it_is_told says '[Cc]onnect'
check no_model exits 2 "$bin" mint softmax --smith "$base"
check no_http exits 2 "$bin" mint softmax --smith "ftp://127.0.0.1/#x"
check no_password_in_the_address exits 2 "$bin" mint softmax --smith "http://me:secret@127.0.0.1/#x"

# Keys.
OUROBOROS_API_KEY=k1 OPENAI_API_KEY=k2 mint right -n 1 >/dev/null 2>&1
check our_key_first sh -c "tail -n 1 $tmp/port.log | grep -q '\"key\": \"Bearer k1\"'"
OPENAI_API_KEY=k2 mint right -n 1 >/dev/null 2>&1
check their_key_to_this_machine sh -c "tail -n 1 $tmp/port.log | grep -q '\"key\": \"Bearer k2\"'"
check a_key_with_a_newline_is_refused exits 2 env "OUROBOROS_API_KEY=a
X: y" "$bin" mint softmax --smith "$base#right" -n 1

# TLS: an unknown authority is refused, a known one is not, and the name has to be right.
serve "$tmp/tls" "$here/localhost.pem"
tls=$(cat "$tmp/tls")
check unknown_authority exits 3 "$bin" mint softmax --smith "https://localhost:$tls/v1#right" -n 1
check it_is_said_why says 'not who it says it is'
check nothing_was_sent sh -c "[ ! -s $tmp/tls.log ]"
check known_authority exits 0 env SSL_CERT_FILE="$here/localhost.pem" "$bin" mint softmax --smith "https://localhost:$tls/v1#right" $sizes -n 1
check another_name exits 3 env SSL_CERT_FILE="$here/localhost.pem" "$bin" mint softmax --smith "https://127.0.0.1:$tls/v1#right" -n 1
check it_is_said_why_again says 'not who it says it is'
