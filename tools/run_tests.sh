#!/bin/sh
# run_tests.sh LOGS SECTION [JOBS] - runs the tests that standard input names, some at a time, and tells how far it is:
# "SECTION done/total seconds". A line of input is one test and its arguments:
#   build/release/test/base/test_str     a cmocka program: every "[       OK ]" is a check
#   test/cmd/test_cli.sh build/ouroboros a shell script: every "ok NAME" is a check
#   any other command                    one check, passed when it succeeds
# Each has a log of its own, a state folder of its own, and a line "PASSED FAILED SECONDS TEST" in LOGS/SECTION.results. The first
# lines start first: put what takes long there. Fails if a check does.
set -u

progress() { # under the lock: a line every ten seconds and at the end; on a terminal one line that changes
    done=$(wc -l <"$results")
    now=$(date +%s)
    line=$(printf '%-28s %4d/%d %4d s' "$section" "$done" "$total" $((now - started)))
    if [ -t 2 ]; then
        printf '\r\033[K%s' "$line" >&2
        [ "$done" -lt "$total" ] || echo >&2
    elif [ "$done" = "$total" ] || [ $((now - $(cat "$results.told"))) -ge 10 ]; then
        echo "$now" >"$results.told"
        echo "$line" >&2
    fi
}
one() { # TEST ARGUMENT... : counts single checks, and a crash as one failure
    name=$(echo "$*" | tr '/ ' '--' | cut -c1-120) # a file's name has a limit
    log=$logs/$section_file.$name.log
    XDG_STATE_HOME=$logs/state/$section_file.$name
    CMOCKA_MESSAGE_OUTPUT=stdout
    export XDG_STATE_HOME CMOCKA_MESSAGE_OUTPUT
    mkdir -p "$XDG_STATE_HOME"
    case $1 in
    */test_*.sh | *goldens.sh) limit=900 good='^ok ' bad='^not ok ' ;;
    */test_*) limit=600 good='^\[       OK \]' bad='^\[  FAILED  \] [a-zA-Z_0-9]*$' ;;
    *) limit=1800 good= bad= ;;
    esac
    case $1 in *.sh) shell=sh ;; *) shell= ;; esac
    since=$(date +%s)
    timeout $limit $shell "$@" >"$log" 2>&1 </dev/null
    code=$?
    if [ -n "$good" ]; then
        passed=$(grep -c "$good" "$log")
        failed=$(grep -c "$bad" "$log")
    else
        passed=$((code == 0))
        failed=0
    fi
    # Died before it could tell, or told nothing at all.
    if [ "$failed" = 0 ] && { [ "$code" != 0 ] || [ "$passed" = 0 ]; }; then failed=1; fi
    (
        flock 9
        echo "$passed $failed $(($(date +%s) - since)) $*" >>"$results"
        if [ "$failed" != 0 ]; then
            [ ! -t 2 ] || printf '\r\033[K' >&2
            echo "FAILED: $* (exit $code)"
            grep -vE '^(\[ RUN|\[       OK|ok )' "$log" | tail -n 25 | sed 's/^/    /'
        fi
        progress
    ) 9>"$results.lock"
}

if [ "$1" = --one ]; then
    shift
    one "$@"
    exit 0
fi
logs=$1
section=$2
jobs=${3:-$(nproc 2>/dev/null || echo 2)}
case $logs in /*) ;; *) logs=$PWD/$logs ;; esac
section_file=$(echo "$section" | tr ' ,' '-_')
mkdir -p "$logs"
results=$logs/$section_file.results
list=$results.list
grep . >"$list"
total=$(wc -l <"$list")
started=$(date +%s)
: >"$results"
echo "$started" >"$results.told"
export logs section section_file results total started
[ "$total" -gt 0 ] || { echo "FAILED: $section: no test found"; exit 1; }
xargs -P "$jobs" -L 1 sh "$0" --one <"$list"
# A test that left no line has not run.
[ "$(wc -l <"$results")" = "$total" ] || { echo "FAILED: $section: tests did not run"; echo "0 1 0 lost" >>"$results"; }
! grep -qv '^[0-9]* 0 ' "$results"
