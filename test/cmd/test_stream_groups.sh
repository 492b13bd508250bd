#!/bin/sh
# test_stream_groups.sh BINARY - groups of the stream: their best is judged at full, all others have quick's answer; groups that
# wait in vain, the end of input, a pause, signals, bounds.
. "$(dirname "$0")/lib.sh"
state() { # DIR : a journal of its own
    XDG_STATE_HOME=$tmp/$1
}
answers() { # FILE : id, accepted, level, best, from the journal; by id
    python3 -c '
import json, sys
for v in sorted(map(json.loads, open(sys.argv[1])), key=lambda v: str(v["id"])):
    print(v["id"], v["status"], v["level"], "best" if v.get("group", {}).get("best") else "-", "cached" if v.get("cached") else "-")
' "$1"
}
is() { # FILE LINES : what answers says, without what comes from the journal
    answers "$1" | sed 's/ [a-z-]*$//' >"$tmp/is"
    printf '%s\n' "$2" | diff - "$tmp/is"
}
python3 - "$tmp" <<'END'
import sys
head = "import torch\nimport triton\nimport triton.language as tl\n"
kernel = """@triton.jit
def k(p, q, n, stride, B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    o = tl.arange(0, B)
    v = tl.load(p + row * stride + o, mask=o < n, other=-float('inf')).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(q + row * n + o, e / tl.sum(e, axis=0), mask=o < n)
"""
run = """def run(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    k[(x.shape[0],)](x, y, x.shape[1], x.stride(0), B=triton.next_power_of_2(x.shape[1]))
    return y
"""
load = "tl.load(p + row * stride + o, mask=o < n, other=-float('inf')).to(tl.float32)"
programs = {
    "once": kernel + run,
    # Right, and reads everything twice.
    "twice": kernel.replace("e = tl.exp(v", f"w = {load}\n    e = tl.exp(w") + run,
    "again": kernel.replace("tl.max(v", f"tl.max({load}") + run,
    "wrong": kernel.replace("tl.sum(e", "1.5 * tl.sum(e") + run,
    "worse": kernel.replace("tl.sum(e", "2.5 * tl.sum(e") + run,
    # Quick knows nothing of these lengths.
    "fools": kernel + run.replace("x.shape[1], x.stride", "x.shape[1] - (x.shape[1] == 2999), x.stride"),
    "fools_too": kernel + run.replace("x.shape[1], x.stride", "x.shape[1] - (x.shape[1] == 3001), x.stride"),
}
for name, text in programs.items():
    open(f"{sys.argv[1]}/{name}.py", "w").write(head + text)
END
ask() { # ID PROGRAM GROUP OF [MORE] : a request
    python3 -c '
import json, sys
id, program, group, of, *more = sys.argv[1:]
print(json.dumps({"id": id, "op": "softmax", "source": open(program).read(), "group": group, "of": int(of), **json.loads((more or ["{}"])[0])}))
' "$1" "$tmp/$2.py" "$3" "$4" ${5:+"$5"}
}
# From a file: a pause between two of them would end their group.
stream() { timeout 120 "$bin" referee --stream --level ladder "$@"; }

# ---- the best of a group
state best
{ ask 1 twice g 4; ask 2 wrong g 4; ask 3 once g 4; ask 4 worse g 4; } >"$tmp/in"
check a_group_is_answered sh -c "timeout 120 '$bin' referee --stream --level ladder <$tmp/in >$tmp/a"
check its_best_reaches_full is "$tmp/a" "1 ok quick -
2 incorrect quick -
3 ok full best
4 incorrect quick -"
check answers_name_the_group sh -c "[ \$(grep -c '\"group\":{\"name\":\"g\",' $tmp/a) = 4 ]"
check and_again_from_the_journal sh -c "timeout 120 '$bin' referee --stream --level ladder <$tmp/in >$tmp/b && [ \$(grep -c '\"cached\":true' $tmp/b) = 4 ]"
check with_the_same_best is "$tmp/b" "$(answers "$tmp/a" | sed 's/ [a-z-]*$//')"
check without_groups_all_climb sh -c "sed 's/, \"group\": \"g\", \"of\": 4//' $tmp/in | timeout 120 '$bin' referee --stream --level ladder >$tmp/b && [ \$(grep -c '\"level\":\"full\"' $tmp/b) = 2 ] && ! grep -q '\"group\"' $tmp/b"
state climbing
{ ask 1 twice g 3; ask 2 fools g 3; ask 3 fools_too g 3; } >"$tmp/in"
stream <"$tmp/in" >"$tmp/a"
check whom_full_rejects_makes_room is "$tmp/a" "1 ok full best
2 uncovered_output full -
3 uncovered_output full -"
# What full has said before is told, whoever is the best: all of these have been there.
{ ask 1 twice h 4; ask 2 once h 4; ask 3 fools h 4; ask 4 once h 4; } >"$tmp/in"
stream <"$tmp/in" >"$tmp/a"
check what_full_is_known_to_reject_is_rejected is "$tmp/a" "1 ok full -
2 ok full best
3 uncovered_output full -
4 ok full -"
state interleaved
{ ask 1 once g 2; ask 2 again h 3; ask 3 twice g 2; ask 4 wrong h 3; ask 5 fools h 3; } >"$tmp/in"
stream <"$tmp/in" >"$tmp/a"
check groups_may_be_mixed is "$tmp/a" "1 ok full best
2 ok full best
3 ok quick -
4 incorrect quick -
5 uncovered_output full -"
check a_name_may_be_used_again sh -c "{ cat $tmp/in; sed 's/\"id\": \"/&x/' $tmp/in; } | timeout 120 '$bin' referee --stream --level ladder >$tmp/a; [ \$(wc -l <$tmp/a) = 10 ] && [ \$(grep -c '\"best\":true' $tmp/a) = 4 ]"
state timed
{ ask 1 once g 2 '{"time":["64x64"]}'; ask 2 twice g 2 '{"time":["64x64"]}'; } >"$tmp/in"
OUROBOROS_LIBCUDA=/none stream <"$tmp/in" >"$tmp/a"
check the_best_alone_is_timed sh -c "[ \$(grep -c '\"times\"' $tmp/a) = 1 ] && grep '\"times\"' $tmp/a | grep -q '\"best\":true'"

# ---- members that share too little
state odd
{ ask 1 once g 2; ask 2 once g 3; ask 3 once g 2 '{"dtype":"fp16"}'; ask 4 once g 2 '{"layout":"contiguous"}'; ask 5 once g 2 '{"op":"log_softmax"}'; ask 6 once g 2 '{"level":"full"}'; ask 7 twice g 2; } >"$tmp/in"
stream <"$tmp/in" >"$tmp/a"
check they_are_bad_requests is "$tmp/a" "1 ok full best
2 referee_error quick -
3 referee_error quick -
4 referee_error quick -
5 referee_error quick -
6 referee_error full -
7 ok quick -"
check and_say_why sh -c "[ \$(grep -c 'all of .*g.* have one op or module' $tmp/a) = 4 ]"

# ---- members that never come
state missing
{ ask 1 twice g 3; ask 2 once g 3; } >"$tmp/in"
stream <"$tmp/in" >"$tmp/a"
check the_end_of_input_closes_a_group is "$tmp/a" "1 ok quick -
2 ok full best"
until_true() { # COMMAND... : within 30 seconds
    for _ in $(seq 300); do
        "$@" && return 0
        sleep 0.1
    done
    echo "never: $*"
    return 1
}
answered() { [ -f "$tmp/a" ] && [ "$(wc -l <"$tmp/a")" = "$1" ]; }
mkfifo "$tmp/fifo"
state pause
rm -f "$tmp/a"
sh -c "cat '$tmp/in' && exec sleep 120" >"$tmp/fifo" &
feeder=$!
stream <"$tmp/fifo" >"$tmp/a" &
pid=$!
check so_does_a_pause until_true answered 2
check in_the_same_way is "$tmp/a" "1 ok quick -
2 ok full best"
kill "$feeder"
wait "$pid"
check and_it_ends [ $? = 0 ]
# Empty lines are no requests, but whoever writes them has not paused.
for signal in TERM INT; do
    state "stop$signal"
    rm -f "$tmp/a" "$tmp/late"
    { ask 1 once g 3; ask 2 wrong g 3; ask 3 wrong h 1; } >"$tmp/in"
    sh -c "trap 'exit 0' TERM; cat '$tmp/in'; while [ ! -f '$tmp/late' ]; do echo; sleep 0.1; done; sleep 120" >"$tmp/fifo" 2>/dev/null &
    feeder=$!
    env --default-signal=INT "$bin" referee --stream --level ladder <"$tmp/fifo" >"$tmp/a" &
    pid=$!
    until_true answered 2 # what quick rejects is answered at once
    sleep 2
    check "it_waits_before_$signal" answered 2
    kill -$signal "$pid"
    wait "$pid"
    check "it_ends_on_$signal" [ $? = 0 ]
    check "what_waited_is_told_on_$signal" is "$tmp/a" "1 referee_error full -
2 incorrect quick -
3 incorrect quick -"
    touch "$tmp/late"
    kill "$feeder" 2>/dev/null
    wait "$feeder"
done

# ---- bounds: 3,000 groups that are never complete, of right programs, and of wrong ones
state many
for program in once wrong; do
    ask N $program G 2 | awk '{ for (i = 0; i < 3000; i++) { line = $0; sub(/"N"/, i, line); sub(/"G"/, "\"" i "\"", line); print line } }' >"$tmp/in"
    rm -f "$tmp/a"
    sh -c "cat '$tmp/in' && exec sleep 120" >"$tmp/fifo" &
    feeder=$!
    stream <"$tmp/fifo" >"$tmp/a" &
    pid=$!
    check "three_thousand_groups_of_$program" until_true answered 3000
    check "each_once_of_$program" sh -c "[ \$(cut -d, -f1 $tmp/a | sort -u | wc -l) = 3000 ]"
    check "in_little_memory_of_$program" sh -c "[ \$(awk '/^VmRSS/ { print \$2 }' /proc/$(ps -o pid= --ppid "$pid" | tr -d ' ')/status) -lt 200000 ]"
    kill "$feeder"
    wait "$pid"
done
check each_right_one_is_its_group_s_best sh -c "sed 's/1.5 . tl.sum/tl.sum/' $tmp/in | timeout 120 '$bin' referee --stream --level ladder >$tmp/a; [ \$(grep -c '\"best\":true' $tmp/a) = 3000 ]"

# ---- nobody reads the answers
state deaf
{ ask 1 once g 3; ask 2 twice g 3; for i in $(seq 20); do ask w$i wrong h$i 1; done; } >"$tmp/in"
check nobody_listens_it_ends sh -c "{ timeout 60 '$bin' referee --stream --level ladder <$tmp/in 2>/dev/null; echo \$? >$tmp/code; } | true; [ \$(cat $tmp/code) = 3 ]"
