#!/bin/sh
# test_stream.sh BINARY - the stream as a reward server: duplicates, bounded memory, dead children and fork servers, signals, kill -9.
. "$(dirname "$0")/lib.sh"
state() { # DIR : a journal of its own
    XDG_STATE_HOME=$tmp/$1
}
lines() { [ "$(wc -l <"$2")" = "$1" ]; }
counts() { # N PATTERN FILE
    n=$(grep -c "$2" "$3")
    [ "$n" = "$1" ] && return 0
    echo "$n lines with $2 in $3, expected $1"
    head -c 2000 "$3"
    return 1
}
children() { cat "/proc/$1/task/$1/children" 2>/dev/null; }
name() { cat "/proc/$1/comm" 2>/dev/null; }
fork_server_of() { # PID : the fork server of a stream, its own child or its keeper's
    for c in $(children "$1"); do
        [ "$(name "$c")" = fork-server ] && echo "$c" && return
        for d in $(children "$c"); do [ "$(name "$d")" = fork-server ] && echo "$d" && return; done
    done
}
until_true() { # COMMAND... : within 20 seconds
    for _ in $(seq 200); do
        "$@" && return 0
        sleep 0.1
    done
    echo "never: $*"
    return 1
}
# Twenty ops, ten kernels each, one of them wrong on purpose.
ops=$("$bin" ops | awk '/^[a-z]/ { print $1 }' | head -n 20)
for op in $ops; do "$bin" propose "$op" -n 10 --seed 5 --json; done >"$tmp/kernels"
check twenty_ops_propose lines 200 "$tmp/kernels"
cat >"$tmp/one" <<'END'
{"id":"one","op":"softmax","source":"import torch\nimport triton\nimport triton.language as tl\n@triton.jit\ndef k(p, q, n, stride, B: tl.constexpr):\n    row_id = tl.program_id(0).to(tl.int64)\n    o = tl.arange(0, B)\n    v = tl.load(p + row_id * stride + o, mask=o < n, other=-float('inf')).to(tl.float32)\n    e = tl.exp(v - tl.max(v, axis=0))\n    tl.store(q + row_id * n + o, e / tl.sum(e, axis=0), mask=o < n)\ndef run(x):\n    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n    k[(x.shape[0],)](x, y, x.shape[1], x.stride(0), B=triton.next_power_of_2(x.shape[1]))\n    return y\n"}
END
# The same program, spelled otherwise.
sed 's/row_id/this_row/g; s/"source":"/"source":"# spelled otherwise\\n/' "$tmp/one" >"$tmp/respelled"
# Not the same: to Triton the name is the module's until the kernel gives it to something of its own.
cat >"$tmp/late" <<'END'
{"id":"late","op":"softmax","source":"import torch\nimport triton\nimport triton.language as tl\nONE = tl.constexpr(1.0)\nTWO = tl.constexpr(2.0)\n@triton.jit\ndef k(p, q, n, stride, B: tl.constexpr):\n    row = tl.program_id(0).to(tl.int64)\n    o = tl.arange(0, B)\n    v = tl.load(p + row * stride + o, mask=o < n, other=-float('inf')).to(tl.float32)\n    e = tl.exp(v - tl.max(v, axis=0)) * LATE\n    LATE = tl.sum(tl.exp(v - tl.max(v, axis=0)), axis=0)\n    tl.store(q + row * n + o, e / LATE, mask=o < n)\ndef run(x):\n    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n    k[(x.shape[0],)](x, y, x.shape[1], x.stride(0), B=triton.next_power_of_2(x.shape[1]))\n    return y\n"}
END
# A finding, and the same program two lines further down under other names.
cat >"$tmp/finding" <<'END'
{"id":"first","op":"softmax","source":"import torch\nimport triton\nimport triton.language as tl\n@triton.jit\ndef k(p, q, n, B: tl.constexpr):\n    o = tl.arange(0, B)\n    v = tl.load(p + o, mask=o < n) + missing_name\n    tl.store(q + o, v, mask=o < n)\ndef run(x):\n    y = torch.empty_like(x)\n    k[(x.shape[0],)](x, y, x.shape[1], B=triton.next_power_of_2(x.shape[1]))\n    return y\n"}
{"id":"second","op":"softmax","source":"# more\n# text\nimport torch\nimport triton\nimport triton.language as tl\n@triton.jit\ndef k(p, q, n, B: tl.constexpr):\n    offsets = tl.arange(0, B)\n    v = tl.load(p + offsets, mask=offsets < n) + missing_name\n    tl.store(q + offsets, v, mask=offsets < n)\ndef run(x):\n    y = torch.empty_like(x)\n    k[(x.shape[0],)](x, y, x.shape[1], B=triton.next_power_of_2(x.shape[1]))\n    return y\n"}
END

# ---- the ladder: quick, then full for what quick accepts
state ladder
sed 's/"one"/"right"/' "$tmp/one" >"$tmp/rungs"
sed 's/"one"/"wrong"/; s/tl.sum(e/1.5 * tl.sum(e/' "$tmp/one" >>"$tmp/rungs"
# Quick knows nothing of this length.
sed 's/"one"/"fools quick"/; s/x.shape\[1\], x.stride(0), B/x.shape[1] - (x.shape[1] == 2999), x.stride(0), B/' "$tmp/one" >"$tmp/fools"
cat "$tmp/fools" >>"$tmp/rungs"
sed 's/"one"/"spelled otherwise"/' "$tmp/respelled" >>"$tmp/rungs"
of_rung() { grep "\"id\":\"$1\"" "$tmp/d" >"$tmp/rung" && [ "$(json "$tmp/rung" accepted) $(json "$tmp/rung" level)" = "$2" ]; }
check quick_is_fooled sh -c "'$bin' referee --stream <$tmp/fools | grep -q '\"accepted\":true'"
check all_rungs_are_answered sh -c "'$bin' referee --stream --level ladder <$tmp/rungs >$tmp/d && [ \$(wc -l <$tmp/d) = 4 ]"
check accepted_after_full of_rung right "true full"
check rejected_by_quick of_rung wrong "false quick"
check the_ladder_is_not_fooled of_rung "fools quick" "false full"
check an_equal_program_is_full_too of_rung "spelled otherwise" "true full"
check a_request_may_ask_for_it sh -c "sed 's/\"op\":/\"level\":\"ladder\",\"op\":/' $tmp/one | '$bin' referee --stream --fresh | grep -q '\"level\":\"full\"'"
check a_file_has_one_level exits 2 "$bin" referee "$tmp/one" --op softmax --level ladder

# ---- duplicates
state duplicates
check first_is_judged sh -c "'$bin' referee --stream <$tmp/one >$tmp/a && ! grep -q cached $tmp/a && grep -q '\"accepted\":true' $tmp/a"
check a_duplicate_is_answered sh -c "'$bin' referee --stream <$tmp/one >$tmp/b && grep -q '\"cached\":true' $tmp/b"
check so_is_another_spelling sh -c "'$bin' referee --stream <$tmp/respelled >$tmp/c && grep -q '\"cached\":true' $tmp/c"
check with_its_own_hash sh -c "! grep -q $(json "$tmp/a" source_sha256) $tmp/c && grep -q '\"record\":\"duplicate\",\"sha256\":\"$(json "$tmp/c" source_sha256)' $XDG_STATE_HOME/ouroboros/journal.log"
check the_same_judgment [ "$(json "$tmp/a" seed)" = "$(json "$tmp/c" seed)" ]
check fresh_judges_again sh -c "'$bin' referee --stream --fresh <$tmp/one >$tmp/d && ! grep -q cached $tmp/d"
check another_level_is_another_question sh -c "sed 's/\"op\":/\"level\":\"full\",\"op\":/' $tmp/one | '$bin' referee --stream >$tmp/d && ! grep -q cached $tmp/d"
check another_dtype_is_another_question sh -c "sed 's/\"op\":/\"dtype\":\"fp16\",\"op\":/' $tmp/one | '$bin' referee --stream >$tmp/d && ! grep -q cached $tmp/d && ! grep -q referee_error $tmp/d"
check another_program_is_judged sh -c "sed 's/tl.sum(e/1.5 * tl.sum(e/' $tmp/one | '$bin' referee --stream >$tmp/d && ! grep -q cached $tmp/d"
check a_name_used_before_it_is_given sh -c "sed 's/LATE/ONE/g' $tmp/late | '$bin' referee --stream >$tmp/d && grep -q '\"accepted\":true' $tmp/d"
check makes_another_program sh -c "sed 's/LATE/TWO/g' $tmp/late | '$bin' referee --stream >$tmp/d && grep -q '\"accepted\":false' $tmp/d && ! grep -q cached $tmp/d"
sed 's/tl.exp(v/tl.inline_asm_elementwise(v/' "$tmp/one" >"$tmp/unsupported"
check undecided_is_never_cached sh -c "for i in 1 2; do '$bin' referee --stream <$tmp/unsupported; done >$tmp/d; [ \$(grep -c unsupported $tmp/d) = 2 ] && ! grep -q cached $tmp/d"
"$bin" referee --stream <"$tmp/finding" >"$tmp/d"
# A sentence about one spelling is never said about another: the second is judged for itself.
check a_finding_is_for_its_own_text counts 0 '"cached":true' "$tmp/d"
check both_see_their_own_lines sh -c "grep -q '\"id\":\"first\".*line 7:' $tmp/d && grep -q '\"id\":\"second\".*line 9:' $tmp/d"
state findings
for id in first again; do sed -n "1s/first/$id/p" "$tmp/finding"; done | "$bin" referee --stream >"$tmp/d"
check equals_under_way_share_a_judgment counts 1 '"cached":true' "$tmp/d"
check and_its_line counts 2 'line 7:' "$tmp/d"
state equals
check many_equals_one_judgment sh -c "for i in \$(seq 100); do cat $tmp/one $tmp/respelled; done | '$bin' referee --stream >$tmp/d; [ \$(grep -c '\"accepted\":true' $tmp/d) = 200 ] && [ \$(grep -c cached $tmp/d) = 199 ]"
check one_record counts 1 '"record":"verdict"' "$XDG_STATE_HOME/ouroboros/journal.log"

# ---- a poisoned journal: a record that was tampered with answers for nothing
state poisoned
sed 's/"source":"[^}]*"/"source":"def run(x): return x\\n"/' "$tmp/one" >"$tmp/wrong"
"$bin" referee --stream <"$tmp/wrong" >"$tmp/a"
check a_wrong_kernel_is_rejected counts 1 '"accepted":false' "$tmp/a"
was=$(json "$tmp/a" status)
sed "s/\"accepted\":false,\"status\":\"$was\"/\"accepted\":true,\"status\":\"ok\"/" "$XDG_STATE_HOME/ouroboros/journal.log" >"$tmp/log"
check it_was_tampered_with sh -c "! cmp -s $tmp/log $XDG_STATE_HOME/ouroboros/journal.log"
cp "$tmp/log" "$XDG_STATE_HOME/ouroboros/journal.log"
check a_poisoned_record_does_not_answer sh -c "'$bin' referee --stream <$tmp/wrong >$tmp/b; grep -q '\"accepted\":false,\"status\":\"$was\"' $tmp/b && ! grep -q cached $tmp/b"
check its_successor_does sh -c "'$bin' referee --stream <$tmp/wrong >$tmp/b; grep -q '\"accepted\":false,\"status\":\"$was\"' $tmp/b && grep -q cached $tmp/b"

# ---- bad lines, with their ids
state odd
printf '{"id":1,"op":"softmax"}\n{"id":2,"op":\n\n[]\n{"id":[3],"op":"softmax","source":"","policy":"tf32"}\n{"id":4,"op":"../none.py","source":""}\n' >"$tmp/bad"
"$bin" referee --stream <"$tmp/bad" >"$tmp/a"
check every_bad_line_is_answered lines 5 "$tmp/a"
check with_its_id sh -c "for i in 1 2 '\\[3\\]' 4 null; do [ \$(grep -c \"^{\\\"id\\\":\$i,\" $tmp/a) = 1 ] || exit 1; done"
check as_undecided counts 5 referee_error "$tmp/a"
check a_line_of_nine_megabytes sh -c "{ printf '{\"id\":\"long\",\"x\":\"'; head -c 9000000 /dev/zero | tr '\\0' 'x'; echo '\"}'; cat $tmp/one; } | '$bin' referee --stream >$tmp/a; grep -q '^{\"id\":\"long\".*longer' $tmp/a && grep -q '\"accepted\":true' $tmp/a && [ \$(wc -l <$tmp/a) = 2 ]"
check options_of_files_are_refused exits 2 "$bin" referee --stream --seed 1

# ---- nobody reads: then nothing is read, and memory stays
state pressure
mkfifo "$tmp/in" "$tmp/pipe"
yes "$(cat "$tmp/one")" >"$tmp/in" 2>/dev/null &
"$bin" referee --stream --jobs 2 <"$tmp/in" >"$tmp/pipe" 2>"$tmp/err" &
pid=$!
exec 3<"$tmp/pipe"
quiet() { # PID : it reads no more
    before=$(awk '/^rchar/ { print $2 }' "/proc/$1/io")
    sleep 1
    [ "$before" -gt 1000000 ] && [ "$before" = "$(awk '/^rchar/ { print $2 }' "/proc/$1/io")" ]
}
check it_stops_reading until_true quiet "$pid"
check in_little_memory sh -c "[ \$(awk '/^VmRSS/ { print \$2 }' /proc/$pid/status) -lt 200000 ]"
before=$(awk '/^rchar/ { print $2 }' "/proc/$pid/io")
head -n 5000 <&3 >"$tmp/a"
check and_goes_on_when_read sh -c "[ \$(wc -l <$tmp/a) = 5000 ] && [ \$(awk '/^rchar/ { print \$2 }' /proc/$pid/io) -gt $before ]"
exec 3<&-
gone() { ! kill -0 "$1" 2>/dev/null; }
check nobody_listens_it_ends until_true gone "$pid"
wait

# ---- a child is killed, the fork server is killed: nothing is lost
state dead
rm -f "$tmp/a"
"$bin" referee --stream --jobs 2 <"$tmp/kernels" >"$tmp/a" 2>"$tmp/err" &
pid=$!
killed=0
servers=0
# Not before it has begun: a referee whose fork server dies while it starts says so and ends.
while kill -0 $pid 2>/dev/null && [ ! -s "$tmp/a" ]; do sleep 0.01; done
while kill -0 $pid 2>/dev/null && [ $servers -lt 2 ]; do
    b=$(fork_server_of $pid)
    [ -n "$b" ] || continue
    for c in $(children "$b"); do kill -9 "$c" 2>/dev/null && killed=$((killed + 1)); done
    if [ $killed -gt 2 ]; then
        kill -9 "$b" 2>/dev/null && servers=$((servers + 1))
        killed=0
    fi
done
wait $pid
code=$?
check it_ends_well [ $code = 0 ]
[ $code = 0 ] || sed 's/^/    /' "$tmp/err"
check fork_servers_were_killed [ $servers = 2 ]
check all_are_answered lines 200 "$tmp/a"
ids() { grep -o '"id":{[^}]*}' "$1" | sort -u | wc -l; }
check each_once [ "$(ids "$tmp/a")" = 200 ]
# A kernel is tried twice: bad luck twice is undecided, never a rejection.
none_is_condemned() {
    accepted=$(grep -c '"accepted":true' "$tmp/a")
    others=$(grep -v -e '"accepted":true' -e referee_error "$tmp/a" | head -n 3)
    [ "$accepted" -ge 190 ] && [ -z "$others" ] && return
    echo "$accepted of 200 accepted; others: $others"
    grep -o '"feedback":"[^"]*"' "$tmp/a" | grep -v Accepted | sort | uniq -c
    false
}
check none_is_condemned none_is_condemned
check controls_without_killing sh -c "'$bin' referee --stream --fresh <$tmp/kernels | grep -c '\"accepted\":true' | grep -qx 200"

# ---- signals: what runs is finished and answered, the rest is told so
for signal in TERM INT; do
    state "stop$signal"
    rm -f "$tmp/a" # what is there then is of this run
    sh -c "cat '$tmp/kernels' && exec sleep 60" >"$tmp/in" &
    feeder=$!
    # An interactive shell's children hear SIGINT, a script's background jobs do not: env gives it back.
    env --default-signal=INT "$bin" referee --stream --jobs 2 <"$tmp/in" >"$tmp/a" 2>"$tmp/err" &
    pid=$!
    until_true test -s "$tmp/a"
    kill -$signal "$pid"
    wait "$pid"
    check "ends_well_on_$signal" [ $? = 0 ]
    check "whole_lines_on_$signal" sh -c "[ \$(grep -c '^{\"id\".*}\$' $tmp/a) = \$(wc -l <$tmp/a) ]"
    check "running_ones_finish_on_$signal" sh -c "grep -q '\"accepted\":true' $tmp/a"
    check "each_at_most_once_on_$signal" sh -c "[ \$(grep -o '\"id\":{[^}]*}' $tmp/a | sort | uniq -d | wc -l) = 0 ]"
    kill "$feeder" 2>/dev/null
    wait "$feeder"
done

# ---- kill -9 at random moments: every verdict that was printed is in the journal, and the next start can read it
state killed
for op in $ops; do "$bin" propose "$op" -n 16 --seed 6 --json; done >"$tmp/many"
: >"$tmp/told"
told() { sed -n 's/^{\("id":{[^}]*}\).*\("source_sha256":"[0-9a-f]*"\).*\("status":"[a-z_]*"\).*\("seed":[0-9]*\).*}$/\1 \2 \3 \4/p' "$1"; }
# Judged, not answered from the journal: what a kill could lose.
judged() { cat "$tmp/told" | wc -l; }
kills=0
# At least three times, however fast the machine is.
while { [ "$(judged)" -lt "${VERDICTS:-300}" ] || [ $kills -lt 3 ]; } && [ $kills -lt "${KILLS:-40}" ]; do
    : >"$tmp/a" # the shell that starts it may be slow: what an earlier run answered, to another journal, is not this one's
    "$bin" referee --stream --jobs 2 ${VERDICTS:+--fresh} <"$tmp/many" >"$tmp/a" 2>"$tmp/err" &
    pid=$!
    kills=$((kills + 1))
    # After so many new verdicts, whatever the machine's speed.
    some=$(awk -v s="$kills" 'BEGIN { srand(s); print int(1 + rand() * 90) }')
    while [ "$(grep -vc cached "$tmp/a")" -lt "$some" ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -9 $pid 2>/dev/null || break
    wait $pid 2>/dev/null
    grep -v cached "$tmp/a" >"$tmp/b"
    told "$tmp/b" >>"$tmp/told"
done
check it_was_killed_in_the_middle [ $kills -ge 3 ]
check verdicts_were_told [ "$(judged)" -ge 200 ]
check the_journal_is_read_to_its_end exits 0 sh -c "'$bin' referee --stream <$tmp/many"
cp "$tmp/out" "$tmp/a"
check every_line_of_it_is_whole sh -c "! grep -qvE '^[0-9a-f]{8} \\{.*\\}\$' $XDG_STATE_HOME/ouroboros/journal.log"
check all_are_answered_in_the_end sh -c "[ \$(wc -l <$tmp/a) = 320 ] && ! grep -q referee_error $tmp/a"
# What was told is in the journal, and (when it was judged once) told again from there: same text, same judgment.
sed -n 's/.*"record":"verdict".*\("source_sha256":"[0-9a-f]*"\).*\("status":"[a-z_]*"\).*\("seed":[0-9]*\).*/\1 \2 \3/p' "$XDG_STATE_HOME/ouroboros/journal.log" | sort -u >"$tmp/kept"
sed 's/^"id":{[^}]*} //' "$tmp/told" | sort -u >"$tmp/before"
check nothing_told_was_lost sh -c "[ -s $tmp/before ] && [ -z \"\$(comm -23 $tmp/before $tmp/kept)\" ]"
grep cached "$tmp/a" >"$tmp/b"
told "$tmp/b" | sort -u >"$tmp/again"
sort -u "$tmp/told" >"$tmp/before"
[ -n "${VERDICTS:-}" ] || check all_told_is_told_again sh -c "[ -s $tmp/again ] && [ -z \"\$(comm -23 $tmp/before $tmp/again)\" ]"
[ -z "${VERDICTS:-}" ] || echo "# $(judged) verdicts told before $kills kills"
