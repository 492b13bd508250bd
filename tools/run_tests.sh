#!/bin/sh
# run_tests.sh LOGS [JOBS] - runs the tests that standard input names, some at a time, as soon as their lines come: whoever writes
# the lines may still be building what later ones need. A line is a section, a test, and its arguments:
#   unit build/release/test/base/test_str    a cmocka program: every "[       OK ]" is a check
#   cli test/cmd/test_cli.sh build/ouroboros  a shell script: every "ok NAME" is a check
#   rules tools/layers.sh                     any other command is one check, passed when it succeeds
#   asan NAME=VALUE build/asan/...            with a variable of its own
# Each has a log and a state folder of its own, and a line "SECTION PASSED FAILED SECONDS CPU TEST" in LOGS/*.results, where
# CPU is the processor time of the test and of all that it started. What comes first starts first: put there what takes
# long. Fails if a check does. `run_tests.sh LOGS -s` sums up what ran: sections, the slowest ten tests, the
# time since the first test, the processor time of all and the idle time of the machine, "N passed, N failed".
set -u

uptime() { read -r now _ </proc/uptime && now=${now%.*}; } # without a process, of which one for each test is seconds
idle() { # of all cores, whichever programs they run, in hundredths of a second
    read -r _ _ _ _ resting waiting _ </proc/stat
    echo $((100 * (resting + waiting) / $(getconf CLK_TCK)))
}
progress() { # a line every ten seconds; on a terminal one line that changes
    uptime
    read -r told <"$results.told" || return 0 # another test writes it just now
    [ -t 2 ] || [ $((now - told)) -ge 10 ] || return 0
    echo "$now" >"$results.told"
    line=$(printf '%4d s  %d of %d tests' $((now - started)) "$(wc -l <"$results")" "$(wc -l <"$list")")
    if [ -t 2 ]; then printf '\r\033[K%s' "$line" >&2; else echo "$line" >&2; fi
}
counts() { # LOG GOOD BAD, TIMES as standard input: lines that are good, different ones that are bad, seconds of processor time
    GOOD=$2 BAD=$3 awk '
        FILENAME == "-" { if (FNR == 2) { split($1 "m" $2, t, /[ms]+/); cpu = 60 * (t[1] + t[3]) + t[2] + t[4] }; next }
        $0 ~ ENVIRON["GOOD"] { good++ }
        $0 ~ ENVIRON["BAD"] && !($0 in known) { known[$0]; bad++ }
        END { printf "%d %d %.1f\n", good, bad, cpu }' - "$1"
}
one() { # SECTION TEST ARGUMENT... : counts single checks, and a crash as one failure
    section=$1
    shift
    while :; do case $1 in *=*) export "${1?}"; shift ;; *) break ;; esac; done
    name=$(IFS='/ '; set -f; set -- $*; IFS=-; echo "$*")
    # A file's name has a limit, and two tests may begin alike: the sum keeps their logs apart.
    [ ${#name} -le 100 ] || name=$(echo "$name" | cut -c1-100).$(echo "$name" | cksum | cut -d' ' -f1)
    log=$logs/$section.$name.log
    XDG_STATE_HOME=$logs/state/$section.$name
    CMOCKA_MESSAGE_OUTPUT=stdout
    export XDG_STATE_HOME CMOCKA_MESSAGE_OUTPUT
    mkdir -p "$XDG_STATE_HOME"
    case $1 in
    */test_*.sh | *goldens.sh) limit=1800 good='^ok ' bad='^not ok ' ;;
    */test_*) limit=600 good='^\[       OK \]' bad='^\[  FAILED  \] [a-zA-Z_0-9]*$' ;;
    *) limit=1800 good= bad= ;;
    esac
    case $1 in *.sh) shell=sh ;; *) shell= ;; esac
    uptime
    since=$now
    timeout $limit $shell "$@" >"$log" 2>&1 </dev/null
    code=$?
    times >"$log.times" # of this shell, which has run nothing else that takes time; `$(times)` would be another shell
    counts=$(counts "$log" "$good" "$bad" <"$log.times")
    passed=${counts%% *} cpu=${counts##* } failed=${counts#* }
    failed=${failed%% *}
    [ -n "$good" ] || passed=$((code == 0)) failed=0
    # Died before it could tell, or told nothing at all.
    if [ "$failed" = 0 ] && { [ "$code" != 0 ] || [ "$passed" = 0 ]; }; then failed=1; fi
    uptime
    echo "$section $passed $failed $((now - since)) $cpu $*" >>"$results"
    if [ "$failed" != 0 ]; then
        (
            flock 9
            [ ! -t 2 ] || printf '\r\033[K' >&2
            echo "FAILED: $section: $* (exit $code)"
            grep -vE '^(\[ RUN|\[       OK|ok )' "$log" | tail -n 25 | sed 's/^/    /'
        ) 9>"$results.lock"
    fi
    progress
}
sum_up() {
    echo
    cat "$logs"/*.results | awk '
        !($1 in tests) { order[++sections] = $1 }
        { tests[$1]++; passed[$1] += $2; failed[$1] += $3; cpu[$1] += $5 }
        END {
            for (i = 1; i <= sections; i++) {
                s = order[i]
                printf "%-12s %4d tests %5d passed %3d failed %6.0f s of processor time\n", s, tests[s], passed[s], failed[s], cpu[s]
            }
        }'
    echo "slowest:"
    sort -k5,5 -rn "$logs"/*.results | head -n 10 | awk '{ t = $6; for (i = 7; i <= NF; i++) t = t " " $i; printf "%8.1f s  %s: %.90s\n", $5, $1, t }'
    read -r began idle_then <"$logs/started"
    uptime
    cat "$logs"/*.results | awk -v wall=$((now - began)) -v idle=$((($(idle) - idle_then) / 100)) '{ passed += $2; failed += $3; cpu += $5 }
        END { printf "%d s, %.0f s of processor time; all programs of the machine left cores idle for %d s\n", wall, cpu, idle
               printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || passed == 0 }'
}

logs=$1
case $logs in /*) ;; *) logs=$PWD/$logs ;; esac
case ${2:-} in
-s) sum_up; exit ;;
--one)
    shift 2
    one "$@"
    exit 0
    ;;
esac
mkdir -p "$logs"
results=$logs/$$.results
list=$results.list
uptime
started=$now
: >"$results"
: >"$list"
echo "$started" >"$results.told"
[ -f "$logs/started" ] || echo "$started $(idle)" >"$logs/started"
export results list started
# `read` takes one line at a time, so that none waits in a buffer.
while read -r line; do
    [ -z "$line" ] || printf '%s\n' "$line"
done | tee "$list" | xargs -P "${2:-$(nproc 2>/dev/null || echo 2)}" -L 1 sh "$0" "$logs" --one
[ ! -t 2 ] || printf '\r\033[K' >&2
[ -s "$list" ] || { echo "FAILED: no test found"; echo "none 0 1 0 0 nothing" >>"$results"; }
# A test that left no line has not run.
[ "$(wc -l <"$results")" -ge "$(wc -l <"$list")" ] || { echo "FAILED: tests did not run"; echo "lost 0 1 0 0 lost" >>"$results"; }
! grep -qv '^[^ ]* [0-9]* 0 ' "$results"
