#!/bin/sh
# test_protocols.sh BINARY - the examples of doc/protocols.md, run as they stand there.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
doc=$root/doc/protocols.md
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
mkdir "$tmp/path"
ln -s "$bin" "$tmp/path/ouroboros"
cd "$root" || exit 1
schema() { python3 "$here/schema.py" "$@"; }
run() { PATH=$tmp/path:$PATH sh -c "$1"; }
# The fenced blocks of the page, one file each: $tmp/block1 ...
awk -v to="$tmp/block" '/^```/ { inside = !inside; if (inside) n++; next } inside { print > (to n) }' "$doc"
check the_page_has_its_examples sh -c "[ -s '$tmp/block6' ] && [ ! -e '$tmp/block7' ]"

# ---- the stream
check the_stream exits 0 run "$(sed -n 's/^\$ //p' "$tmp/block1")"
cp "$tmp/out" "$tmp/answers"
check its_command_is_a_stream grep -q -- '--stream < examples/stream.jsonl' "$tmp/block1"
check requests_of_the_example schema request examples/stream.jsonl --lines
check answers_of_the_example schema answer "$tmp/answers" --lines
check requests_of_the_page schema request "$tmp/block2" --lines
cat >"$tmp/same.py" <<'P'
"""What the page shows is part of what the program reads or answers; WITHOUT: keys that the page shortens."""
import json, sys
page, real, *without = sys.argv[1:]
page, real = ([json.loads(line) for line in open(p)] for p in (page, real))
assert len(page) == len(real) == 3, (page, real)
key = lambda o: json.dumps(o["id"])
for a, b in zip(sorted(page, key=key), sorted(real, key=key)):
    for k in a:
        assert k in without or a[k] == b[k], (k, a, b)
P
check the_page_shows_the_requests python3 "$tmp/same.py" "$tmp/block2" examples/stream.jsonl source
check the_page_shows_the_answers python3 "$tmp/same.py" "$tmp/block3" "$tmp/answers"
sed 's/"ok"/"incorrect"/' "$tmp/block3" >"$tmp/lie"
check another_answer_is_noticed sh -c "! python3 '$tmp/same.py' '$tmp/lie' '$tmp/answers'"
check no_request_lacks_a_table_row python3 - "$doc" <<'P'
import json, re, sys
text = open(sys.argv[1]).read()
for name, title in (("request", "### Requests (`doc/schema/request.json`)"), ("cmd_request", "### Requests (`doc/schema/cmd_request.json`)"),
                    ("cmd_answer", "### Answers (`doc/schema/cmd_answer.json`)")):
    part = text.split(title)[1].split("\n#")[0]
    keys = {k for row in re.findall(r"^\| (`.*?) \|", part, re.M) for k in re.findall(r"`(\w+)`", row)}
    schema = json.load(open(f"doc/schema/{name}.json"))
    known = {k for k, v in schema["properties"].items() if v is not False}
    assert keys == known, (name, keys ^ known)
# Each schema is on the page, and each that is on the page is there.
import os
there = set(f for f in os.listdir("doc/schema") if f.endswith(".json"))
named = set(re.findall(r"`(?:doc/schema/)?(\w+\.json)`", text))
assert there == named, there ^ named
P

# ---- bounds and ends, as the tables have them
check a_bad_line_ends_nothing sh -c "printf 'no\n{\"id\":1,\"op\":\"softmax\",\"source\":\"\"}\n' | '$bin' referee --stream >'$tmp/out' && [ \$(wc -l <'$tmp/out') = 2 ]"
check an_op_is_no_pipe sh -c "{ printf '{\"id\":1,\"op\":\"/dev/stdin\",\"source\":\"\"}\n'; printf 'def reference(x):\n'; } | '$bin' referee --stream | grep -q '\"id\":1.*not a regular file'"
check cut_text_is_json sh -c "printf '{\"id\":1,\"op\":\"aa%s\",\"source\":\"\"}\n' \"\$(printf '/\\303\\251%.0s' \$(seq 700))\" | '$bin' referee --stream | python3 -c 'import json, sys; json.loads(sys.stdin.read())'"
check blank_lines_get_no_answer sh -c "printf '\n  \n' | '$bin' referee --stream >'$tmp/out' && [ ! -s '$tmp/out' ]"
python3 -c "import json; print(json.dumps({'id': 1, 'op': 'softmax', 'source': '#' * ((1 << 20) + 1)})); print(json.dumps({'id': 2, 'op': 'x' * 4097, 'source': ''})); print('{\"id\":3,' + ' ' * (8 << 20) + '}')" >"$tmp/long"
check long_ones_are_answered exits 0 sh -c "'$bin' referee --stream <'$tmp/long'"
check a_long_source_is_rejected grep -q '"id":1,.*"status":"parse_reject"' "$tmp/out"
check a_long_op_is_a_bad_request grep -q '"id":2,.*"rule":"request"' "$tmp/out"
check a_long_line_is_a_bad_request grep -q '"id":3,.*"rule":"request","feedback":"line 3 is longer than 8388608 bytes' "$tmp/out"
check wrong_options_exit_2 exits 2 "$bin" referee --stream --seed 1
check an_answer_to_nobody_exits_3 exits 3 sh -c "'$bin' referee --stream <examples/stream.jsonl >/dev/full"

# ---- cmd:
check the_smith exits 0 run "$(sed -n 's/^\$ //p' "$tmp/block4")"
check it_found_a_kernel grep -q '^# softmax: accepted' "$tmp/out"
check three_were_judged grep -q '3 proposed, 3 distinct, 3 judged, 3 accepted' "$tmp/out"
tr -d '\n' <"$tmp/block5" >"$tmp/asked"
check the_request_of_the_page schema cmd_request "$tmp/asked"
check the_answers_of_the_page schema cmd_answer "$tmp/block6" --lines
check the_smith_s_own_error exits 3 "$bin" mint rmsnorm -n 1 --smith 'cmd:python3 examples/smith.py'
check is_told grep -q 'this program knows softmax only' "$tmp/err"
check what_the_smith_is_asked exits 0 "$bin" mint softmax -n 1 --smith "cmd:tee '$tmp/request' | python3 examples/smith.py"
check obeys schema cmd_request "$tmp/request" --lines
check what_it_answers sh -c "python3 examples/smith.py <'$tmp/request' >'$tmp/answer' && python3 '$here/schema.py' cmd_answer '$tmp/answer' --lines"
