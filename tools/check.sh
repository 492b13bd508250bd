#!/bin/sh
# check.sh - everything `make check` does: set-up, house rules, unit tests (release, AddressSanitizer, ThreadSanitizer), the
# command line, the self-test, and the same verdicts from every build. Each section tells how far it is; tests of a section run
# beside each other, as many as there are cores (tools/run_tests.sh). Ends with "N passed, N failed".
# CHECK_ONLY="rules unit cli selftest builds asan tsan" limits the sections.
set -u
cd "$(dirname "$0")/.." || exit 1
sh tools/deps.sh check || exit 1
# Private state: a check never touches the user's journal.
logs=$PWD/build/check
rm -rf "$logs"
mkdir -p "$logs"
only=${CHECK_ONLY:-rules unit cli selftest builds asan tsan}
jobs=$(nproc 2>/dev/null || echo 2)
wanted() { case " $only " in *" $1 "*) true ;; *) false ;; esac; }
run() { sh tools/run_tests.sh "$logs" "$@"; } # SECTION <TESTS
build() { # NAME MAKE-ARGUMENTS... : a build that the section cannot go on without; one check
    name=$1
    shift
    echo "env MAKEFLAGS= make --no-print-directory -j$jobs $*" | sh tools/run_tests.sh "$logs" "build $name" 1
}

if wanted rules; then printf 'tools/%s.sh\n' banned compiles layers mirror opnames params | run rules; fi
if wanted unit || wanted cli || wanted selftest; then build release tests all || only=rules; fi
if wanted unit; then sh tools/list_tests.sh build/release | run "unit tests"; fi
if wanted cli; then
    # The first of them take longest.
    for name in mint grammar front_door python_client stream; do echo "test/cmd/test_$name.sh"; done >"$logs/first"
    printf '%s\n' test/cmd/test_*.sh | grep -vxFf "$logs/first" | cat "$logs/first" - | sed 's|$| build/ouroboros|' | run "command line"
fi
if wanted selftest; then echo "./build/ouroboros selftest --seed 1" | run "self-test"; fi
if wanted builds; then
    build debug MODE=debug build/debug/ouroboros
    build clang CC=clang build/release-clang/ouroboros
    build portable PORTABLE=1 build/release-portable/ouroboros
    echo "test/same_verdicts.sh" | run "the same from every build"
fi
if wanted asan && build asan MODE=asan tests; then
    sh tools/list_tests.sh build/asan | run "unit tests, sanitizers"
    # What talks to models, with real sockets and files. A report has a file and an exit code of its own: neither a check
    # that expects a failure nor a process in the background hides it.
    ASAN_OPTIONS=exitcode=99:log_path=$logs/report UBSAN_OPTIONS=$ASAN_OPTIONS
    export ASAN_OPTIONS UBSAN_OPTIONS
    printf 'test/cmd/test_%s.sh build/asan/ouroboros\n' smith_url smith_pipe generate model | run "command line, sanitizers"
    unset ASAN_OPTIONS UBSAN_OPTIONS
    echo "tools/no_reports.sh $logs" | run "reports of sanitizers"
fi
# ThreadSanitizer finds nothing in a test that starts no thread.
if wanted tsan; then
    wanted unit || build release tests
    echo "tools/threaded_tests.sh build/release" | run "tests with threads"
    sh tools/threaded_tests.sh build/release | sed 's|^build/release|build/tsan|' >"$logs/threaded"
    if build tsan MODE=tsan build/tsan/ouroboros $(cat "$logs/threaded"); then
        run "unit tests, threads" <"$logs/threaded"
        echo "test/stream_tsan.sh build/tsan/ouroboros" | run "stream, threads"
    fi
fi
echo
awk '{ passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || passed == 0 }' "$logs"/*.results
