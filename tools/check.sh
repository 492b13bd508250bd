#!/bin/sh
# check.sh - everything `make check` does: set-up, house rules, unit tests (release, AddressSanitizer, ThreadSanitizer), the
# command line, the self-test, and the same verdicts from every build. Ends with "N passed, N failed".
# CHECK_ONLY="rules unit cli selftest builds asan tsan" limits the sections.
set -u
cd "$(dirname "$0")/.." || exit 1
sh tools/deps.sh check || exit 1
logs=build/check
rm -rf "$logs"
mkdir -p "$logs"
passed=0
failed=0
only=${CHECK_ONLY:-rules unit cli selftest builds asan tsan}
jobs=$(nproc 2>/dev/null || echo 2)
wanted() { case " $only " in *" $1 "*) true ;; *) false ;; esac; }
# Private state: a check never touches the user's journal.
XDG_STATE_HOME=$PWD/$logs/state
export XDG_STATE_HOME
CMOCKA_MESSAGE_OUTPUT=stdout
export CMOCKA_MESSAGE_OUTPUT

pass() { passed=$((passed + 1)); }
fail() { # NAME LOG
    failed=$((failed + 1))
    echo "FAILED: $1"
    [ -f "$2" ] && tail -n 30 "$2" | sed 's/^/    /'
}
step() { # NAME COMMAND... : one check, passed when the command succeeds
    name=$1
    shift
    if "$@" >"$logs/$name.log" 2>&1; then pass; else fail "$name" "$logs/$name.log"; fi
}
build() { # NAME MAKE-ARGUMENTS... : a build that the section cannot go on without
    name=$1
    shift
    if make --no-print-directory -j"$jobs" "$@" >"$logs/build-$name.log" 2>&1; then pass; else
        fail "build $name" "$logs/build-$name.log"
        return 1
    fi
}
unit() { # FOLDER : every unit test of a build; counts single tests, and a crash as one failure
    for t in "$1"/test/*/test_* "$1"/test/*/*/test_*; do
        [ -x "$t" ] && [ ! -d "$t" ] || continue
        case $t in *.o | *.d) continue ;; esac
        log=$logs/$(echo "$t" | tr / -).log
        timeout 600 "$t" >"$log" 2>&1
        code=$?
        ok=$(grep -c '^\[       OK \]' "$log")
        bad=$(grep -c '^\[  FAILED  \] [a-zA-Z_0-9]*$' "$log")
        passed=$((passed + ok))
        if [ "$code" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
        if [ "$code" = 0 ] && [ "$ok" = 0 ]; then bad=1; fi
        if [ "$bad" != 0 ]; then
            failed=$((failed + bad))
            echo "FAILED: $t (exit $code)"
            grep -vE '^\[( RUN|       OK)' "$log" | tail -n 25 | sed 's/^/    /'
        fi
    done
}
cli() { # BINARY TEST... : shell tests of the command line; a test prints "ok NAME" or "not ok NAME" for each check
    bin=$1
    shift
    for t in "$@"; do
        [ -f "$t" ] || continue
        log=$logs/$(basename "$t")-$(echo "$bin" | tr / -).log
        timeout 900 sh "$t" "$bin" >"$log" 2>&1
        code=$?
        ok=$(grep -c '^ok ' "$log")
        bad=$(grep -c '^not ok ' "$log")
        passed=$((passed + ok))
        if [ "$bad" = 0 ] && { [ "$code" != 0 ] || [ "$ok" = 0 ]; }; then bad=1; fi
        if [ "$bad" != 0 ]; then
            failed=$((failed + bad))
            echo "FAILED: $t $bin"
            grep -v '^ok ' "$log" | tail -n 25 | sed 's/^/    /'
        fi
    done
}

if wanted rules; then
    step layers sh tools/layers.sh
    step opnames sh tools/opnames.sh
    step banned sh tools/banned.sh
fi
if wanted unit || wanted cli || wanted selftest; then build release tests all || only=rules; fi
if wanted unit; then echo "unit tests, release"; unit build/release; fi
if wanted cli; then echo "command line"; cli build/ouroboros test/cmd/test_*.sh; fi
if wanted selftest; then echo "self-test"; step selftest ./build/ouroboros selftest --seed 1; fi
if wanted builds; then echo "the same verdicts from every build"; step builds sh test/same_verdicts.sh; fi
if wanted asan; then
    echo "unit tests, AddressSanitizer and UndefinedBehaviorSanitizer"
    if build asan MODE=asan tests; then
        unit build/asan
        # What talks to models, with real sockets and files. A report has a file and an exit code of its own:
        # neither a check that expects a failure nor a process in the background hides it.
        ASAN_OPTIONS=exitcode=99:log_path=$PWD/$logs/report UBSAN_OPTIONS=$ASAN_OPTIONS
        export ASAN_OPTIONS UBSAN_OPTIONS
        cli build/asan/ouroboros test/cmd/test_smith_url.sh test/cmd/test_smith_pipe.sh test/cmd/test_generate.sh test/cmd/test_model.sh
        unset ASAN_OPTIONS UBSAN_OPTIONS
        step sanitizer_reports sh -c "! cat $logs/report.* 2>/dev/null"
    fi
fi
if wanted tsan; then
    echo "unit tests, ThreadSanitizer"
    build tsan MODE=tsan tests && { unit build/tsan; step stream_tsan sh test/stream_tsan.sh build/tsan/ouroboros; }
fi
echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
