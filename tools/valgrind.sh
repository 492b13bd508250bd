#!/bin/sh
# valgrind.sh BUILD - memcheck. Its C library and its kernel interface know neither AVX-512 nor seccomp: the vector code of AVX2
# runs, the sandbox does not. So the whole `ouroboros selftest` cannot be run under it ("sandbox: no filter from libseccomp");
# instead the code of children runs every self-test program in a plain process (test/valgrind/inside.c), and every unit test runs;
# of one that needs the sandbox only the errors of memcheck count. Any error, and any definitely lost byte of a unit test, fails.
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
sandboxed=
differ=
for t in $(find test -name 'test_*.c' | sort); do
    t=${t%.c}
    case " ${TESTS:-all} " in " all "*) ;; *) echo "$t" | grep -qE "^test/($(echo $TESTS | tr ' ' '|'))/" || continue ;; esac
    # These take very long.
    case ${t##*/} in test_mutant | test_honest) skipped="$skipped ${t##*/}"; continue ;; esac
    unit "$build/$t"
    code=$?
    ran=$((ran + 1))
    # System call 317, seccomp: it asked for the sandbox. What fails for want of it leaves memory behind; other errors count.
    if grep -q 'unhandled amd64-linux syscall: 317' "$work/errors"; then
        sandboxed="$sandboxed ${t##*/}"
        check --leak-check=no "$build/$t" >"$work/out" 2>"$work/errors"
        code=$?
        [ $code != 99 ] && continue
    fi
    # An assertion that holds outside and fails here needs 80-bit floats, which are 64 bits wide here, a process of its own under
    # another instruction set, or time: of these tests only memcheck's errors count.
    if [ $code != 0 ] && [ $code != 99 ] && [ $code -lt 100 ] && "$build/$t" >/dev/null 2>&1; then
        differ="$differ ${t##*/}"
        continue
    fi
    [ $code = 0 ] && continue
    failed=1
    echo "FAILED: $t (exit $code)"
    grep -E '^\[  (ERROR|FAILED)' "$work/out" | head -n 5
    head -n 40 "$work/errors"
done
echo "$ran unit tests under memcheck"
echo "only memcheck's errors counted, because of the sandbox:$sandboxed"
echo "and because what they assert holds only outside:$differ"
echo "left out, because they take very long:$skipped"
exit $failed
