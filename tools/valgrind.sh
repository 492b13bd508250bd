#!/bin/sh
# valgrind.sh BUILD - memcheck. Its C library and its kernel interface know neither AVX-512 nor seccomp: the vector code of AVX2
# runs, the sandbox does not. So the whole `ouroboros selftest` cannot be run under it ("sandbox: no filter from libseccomp");
# instead the code of children runs every self-test program in a plain process (test/valgrind/inside.c), and every unit test runs
# that needs no sandbox; the others are named. Any error, and any definitely lost byte of a unit test, fails.
#   FROM=n TO=n of the programs (TO=0: none)   TESTS="base tile" folders
set -u
build=${1:-build/valgrind}
command -v valgrind >/dev/null || { echo "valgrind.sh: valgrind is missing (apt-get install valgrind)" >&2; exit 3; }
OUROBOROS_ISA=avx2
export OUROBOROS_ISA
work=$(mktemp -d "$build/memcheck.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
check() { valgrind -q --error-exitcode=99 --track-origins=no --undef-value-errors=yes "$@"; }
unit() { # a unit test, as all of them are run below
    check --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite "$@" >"$work/out" 2>"$work/errors"
}
failed=0
# A tool that notices nothing would pass everything.
check "$build/inside" --read-unset >"$work/control" 2>&1
[ $? = 99 ] || { echo "valgrind.sh: an unset byte was not noticed"; exit 1; }
unit "$build/inside" --read-unset
[ $? = 99 ] || { echo "valgrind.sh: an unset byte was not noticed in a unit test"; exit 1; }
unit "$build/inside" --lose
[ $? = 99 ] || { echo "valgrind.sh: a lost byte was not noticed in a unit test"; exit 1; }
unit "$build/inside" --nothing || { echo "valgrind.sh: an error where there is none"; exit 1; }
if [ "${TO:-1}" -gt 0 ]; then
    check "$build/inside" "${FROM:-0}" "${TO:-1000000}" >"$work/inside" 2>"$work/errors" || failed=1
    tail -n 20 "$work/inside"
    head -n 60 "$work/errors"
fi
ran=0
skipped=
for folder in ${TESTS:-base lang tensor tile host op referee smith text weights}; do
    for t in "$build/test/$folder"/test_*; do
        case $t in *.o | *.d) continue ;; esac
        # These open a broker, or measure how long something takes.
        case ${t##*/} in test_broker* | test_child | test_referee | test_sandbox | test_takeover | test_explain | test_mutant | test_prove | test_honest | test_attempt | test_giant)
            skipped="$skipped ${t##*/}"
            continue
            ;;
        esac
        unit "$t"
        code=$?
        ran=$((ran + 1))
        # Something that they assert needs 80-bit floats, which are 64 bits wide here, a process of their own under another
        # instruction set, or the sandbox: of these only memcheck's errors count.
        case ${t##*/} in test_fmath | test_special | test_pyvalue | test_rng | test_needed | test_rank | test_spelling)
            [ $code != 99 ] && [ $code -lt 100 ] && continue
            ;;
        esac
        [ $code = 0 ] && continue
        failed=1
        echo "FAILED: $t (exit $code)"
        grep -E '^\[  (ERROR|FAILED)' "$work/out" | head -n 5
        head -n 40 "$work/errors"
    done
done
echo "$ran unit tests under memcheck; without it, because they need the sandbox or a clock:$skipped"
exit $failed
