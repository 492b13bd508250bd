#!/bin/sh
# check.sh - everything `make check` does: house rules, unit tests (release, AddressSanitizer, ThreadSanitizer), the command
# line, the self-test, and the same verdicts from every build. There is one queue of tests, and cores never wait: the tests of
# a build run while the next one is compiled (tools/run_tests.sh). Ends with the processor time of each section, the slowest
# ten tests, the time of all and of cores that were idle, and "N passed, N failed".
# CHECK_ONLY="rules unit cli selftest builds asan tsan" limits the sections.
set -u
cd "$(dirname "$0")/.." || exit 1
sh tools/deps.sh check || exit 1
# Private state: a check never touches the user's journal.
logs=$PWD/build/check
rm -rf "$logs"
mkdir -p "$logs/bin"
# Tests start Python hundreds of times. The `python3` of a version manager is a script, and each start loads what is installed
# beside the standard library, which no test needs: together they take ten times as long as Python itself.
python=$(python3 -c 'import sys; print(sys.executable)') && [ -x "$python" ] || exit 1
printf '#!/bin/sh\nexec "%s" -S "$@"\n' "$python" >"$logs/bin/python3"
chmod +x "$logs/bin/python3"
PATH=$logs/bin:$PATH
only=${CHECK_ONLY:-rules unit cli selftest builds asan tsan}
cores=$(nproc 2>/dev/null || echo 2)
wanted() { # SECTION... : one of them
    for name in "$@"; do case " $only " in *" $name "*) return 0 ;; esac; done
    false
}
queue() { sed "s|^|$1 |"; } # SECTION <TESTS
build() { # NAME JOBS MAKE-ARGUMENTS... : a build that its tests cannot go on without; one check
    name=$1 jobs=$2
    shift 2
    echo "build env MAKEFLAGS= make --no-print-directory -j$jobs $*" | sh tools/run_tests.sh "$logs" 1 >&2 && return
    echo "$name: not built, so its tests do not run" >&2
    false
}
scripts() { # those that take longest first
    first="test_module_verdicts test_grammar test_corpus test_mint test_module_loop test_champions test_front_door test_python_client test_stream"
    for name in $first; do echo "test/cmd/$name.sh"; done
    for script in test/cmd/test_*.sh; do
        name=$(basename "$script" .sh)
        case " $first test_exploit " in *" $name "*) ;; *) echo "$script" ;; esac
    done
}

# Builds are made one after another, and each writes its tests to the queue. Every build may use all cores, although tests run
# beside it: when those have run out, no core waits for it. The first has few tests beside it, and one more job for that. Two
# more tests run than there are cores, because some wait for a clock or for another process, and of such ones two may meet.
{
    wanted rules && printf 'tools/%s.sh\n' banned compiles layers mirror named opnames params | queue rules
    wanted unit cli selftest builds tsan && { build release $((cores + 1)) tests all || only=none; }
    # All programs with one seed (test_exploit.sh); golds, every third wrong program and every third attack with a second one.
    wanted selftest && {
        echo "test/cmd/test_exploit.sh build/ouroboros"
        printf '%s\n' src/op/suite/wrong/*.py test/exploit/*.py |
            awk 'NR % 3 == 0 { sub(/.*\//, ""); sub(/\.py$/, ""); print }' |
            xargs echo ./build/ouroboros selftest --seed 5 gold
        echo "./build/ouroboros champions --check"
    } | queue selftest
    wanted cli && scripts | sed 's|$| build/ouroboros|' | queue cli
    wanted unit && { sh tools/threaded_tests.sh build/release; sh tools/threaded_tests.sh -g build/release; } | queue unit
    # ThreadSanitizer finds nothing in a test that starts no thread.
    if wanted tsan; then
        echo "tools/threaded_tests.sh build/release" | queue tsan
        sh tools/threaded_tests.sh build/release | sed 's|^build/release|build/tsan|' >"$logs/threaded"
        if build tsan "$cores" MODE=tsan FROM=build/release build/tsan/ouroboros $(cat "$logs/threaded"); then
            queue tsan <"$logs/threaded"
            echo "test/stream_tsan.sh build/tsan/ouroboros" | queue tsan
        fi
    fi
    if wanted builds; then
        printf 'test/same_verdicts.sh build/release/ouroboros %s\n' avx2 base | queue same
        build clang "$cores" MODE=verdicts CC=clang FROM=build/release build/verdicts-clang/ouroboros &&
            echo "test/same_verdicts.sh build/verdicts-clang/ouroboros avx512" | queue same
        build portable "$cores" PORTABLE=1 FROM=build/release build/release-portable/ouroboros &&
            echo "test/same_verdicts.sh build/release-portable/ouroboros base" | queue same
    fi
    # clang's sanitizers: they compile in less time than gcc's, and find more (values of a bool). Last, since of its tests there
    # are so many short ones that no core is idle at the end; what waits or takes long comes first.
    if wanted asan && build asan "$cores" MODE=asan CC=clang tests; then
        # What talks to models, with real sockets and files. A report has a file and an exit code of its own: neither a
        # check that expects a failure nor a process in the background hides it.
        report="exitcode=99:log_path=$logs/report"
        printf 'test/cmd/test_%s.sh build/asan-clang/ouroboros\n' smith_url smith_pipe generate model |
            sed "s|^|ASAN_OPTIONS=$report UBSAN_OPTIONS=$report |" | queue asan
        # This is the build with all assertions, too; it takes six times as long.
        echo "test/same_verdicts.sh build/asan-clang/ouroboros avx512 4" | queue same
        sh tools/list_tests.sh build/asan-clang | queue asan
        echo "tools/planted.sh build/asan-clang" | queue asan
    fi
} | sh tools/run_tests.sh "$logs" $((cores + 2))
! wanted asan || echo "asan tools/no_reports.sh $logs" | sh tools/run_tests.sh "$logs"
sh tools/run_tests.sh "$logs" -s
