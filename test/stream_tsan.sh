#!/bin/sh
# stream_tsan.sh BINARY - the stream's threads under ThreadSanitizer: several ops, duplicates in flight and from the journal,
# findings, bad lines, a dead fork server, and a signal in the middle. A race ends the program with exit code 66.
set -eu
bin=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
XDG_STATE_HOME=$tmp/state
export XDG_STATE_HOME
for op in softmax rmsnorm gelu; do "$bin" propose "$op" -n 3 --seed 2 --json; done >"$tmp/kernels"
{
    cat "$tmp/kernels"
    printf '%s\n' '{"id":1,"op":'
    printf '%s\n' '{"id":2,"op":"no such op","source":""}'
    printf '%s\n' '{"id":3,"op":"softmax","source":"def run(x):\n    first = x.item()\n    return first\n"}'
    printf '%s\n' '{"id":4,"op":"softmax","source":"\n\ndef run(x):\n    other = x.item()\n    return other\n"}'
    printf '%s\n' '{"id":5,"op":"softmax","source":"def run(x):\n    first = x.item()\n    return first\n"}'
    cat "$tmp/kernels"
} >"$tmp/in"
"$bin" referee --stream --jobs 4 <"$tmp/in" >"$tmp/out"
[ "$(wc -l <"$tmp/out")" = 23 ]
[ "$(grep -c cached "$tmp/out")" = 10 ]
# With a fork server that dies, and --fresh.
"$bin" referee --stream --jobs 3 --fresh <"$tmp/in" >"$tmp/out" &
pid=$!
for c in $(sleep 0.5; cat /proc/$pid/task/$pid/children); do
    [ "$(cat /proc/$c/comm)" != fork-server ] || kill -9 "$c"
done
wait $pid
[ "$(wc -l <"$tmp/out")" = 23 ]
# A signal while it is at work and its input stays open.
mkfifo "$tmp/fifo"
sh -c "cat '$tmp/in' && exec sleep 60" >"$tmp/fifo" &
feeder=$!
"$bin" referee --stream --jobs 4 --fresh <"$tmp/fifo" >"$tmp/out" &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
kill $feeder
# Groups: three that are complete, three that are not, while the input stays open; then a signal while some of them wait.
for op in softmax rmsnorm gelu; do
    grep "\"op\": *\"$op\"" "$tmp/kernels" | sed "s/^{/{\"group\":\"$op\",\"of\":3,\"level\":\"ladder\",/"
    grep "\"op\": *\"$op\"" "$tmp/kernels" | sed "s/^{/{\"group\":\"$op too\",\"of\":4,\"level\":\"ladder\",/"
done >"$tmp/in"
"$bin" referee --stream --jobs 4 --fresh <"$tmp/in" >"$tmp/out"
[ "$(grep -c '"best":true' "$tmp/out")" = 6 ]
[ "$(grep -c '"level":"quick"' "$tmp/out")" = 12 ]
sh -c "cat '$tmp/in' && exec sleep 60" >"$tmp/fifo" &
feeder=$!
"$bin" referee --stream --jobs 4 --fresh <"$tmp/fifo" >"$tmp/out" &
pid=$!
sleep 2
kill -TERM $pid
wait $pid
[ "$(wc -l <"$tmp/out")" -le 18 ]
kill $feeder
echo "stream_tsan: no races"
