#!/bin/sh
# fuzz.sh DIR: every libFuzzer target in DIR for SECS (default 60) seconds of processor time, so that the number says
# the same on a busy machine. What it learns stays in build/corpus. TARGETS="parse tile": only those.
set -u
secs=${SECS:-60}

seeds() {
    case $1 in
    fuzz_tokenizer | fuzz_chat) echo test/text/golden ;;
    fuzz_adapter | fuzz_safetensors) echo test/model/golden ;;
    fuzz_op) echo src/op/suite test/op/user ;;
    fuzz_module) echo test/module/problem ;;
    fuzz_parse | fuzz_host | fuzz_tile | fuzz_manifest) echo src/op/suite/gold src/op/suite/honest test/exploit test/tile/golden ;;
    esac
}

spent() { # seconds of the process, its own and the kernel's
    [ -r "/proc/$1/stat" ] && awk -v hz="$(getconf CLK_TCK)" '{ print int(($14 + $15) / hz) }' "/proc/$1/stat"
}

for target in "$1"/fuzz_*; do
    name=$(basename "$target")
    case $name in *.o | *.d) continue ;; esac
    case " ${TARGETS:-${name#fuzz_}} " in *" ${name#fuzz_} "*) ;; *) continue ;; esac
    mkdir -p "build/corpus/$name"
    # shellcheck disable=SC2046 # several folders
    "$target" -timeout=60 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 -artifact_prefix="build/corpus/$name." \
        "build/corpus/$name" $(seeds "$name") >"build/corpus/$name.log" 2>&1 &
    pid=$!
    trap 'kill $pid; exit 130' INT TERM
    at=0
    while now=$(spent $pid) && [ -n "$now" ]; do
        at=$now
        [ "$at" -lt "$secs" ] || { kill -USR1 $pid && break; } # libFuzzer's way to end well
        sleep 1
    done
    if ! wait $pid; then
        tail -40 "build/corpus/$name.log"
        echo "$name: FAILED after $at s; the input is build/corpus/$name.*"
        exit 1
    fi
    echo "$name: $at s of processor time, $(sed -n 's/^stat::number_of_executed_units: *//p' "build/corpus/$name.log") inputs, clean"
done
