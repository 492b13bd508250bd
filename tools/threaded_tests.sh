#!/bin/sh
# threaded_tests.sh BUILD - those of the unit tests of a build, one to a line, that start a thread, as test/threaded.txt names
# them: ThreadSanitizer finds nothing in the others. `threaded_tests.sh -g BUILD` prints the others behind a variable
# that makes them fail if they do start one (test/no_threads.c). Fails if that would not be noticed.
set -u
usage() { echo "usage: threaded_tests.sh [-g] BUILD" >&2; exit 2; }
others=
if [ "${1:-}" = -g ]; then others=1; shift; fi
[ $# = 1 ] || usage
cd "$(dirname "$0")/.." || exit 1
guard=$PWD/build/release/test/no_threads.so
threaded=$(sed "s|^|$1/test/|" test/threaded.txt)
for t in $threaded; do
    [ -f "test/${t#"$1"/test/}.c" ] || { echo "test/threaded.txt names ${t#"$1"/test/}, which is no test" >&2; exit 1; }
done
if [ -n "$others" ]; then
    sh tools/list_tests.sh "$1" | grep -vxF "$threaded" | sed "s|^|LD_PRELOAD=$guard |"
    exit
fi
if [ -f "$guard" ] && [ -x build/release/test/base/test_pool ]; then
    said=$(LD_PRELOAD=$guard build/release/test/base/test_pool 2>&1 >/dev/null) &&
        { echo "threaded_tests.sh: test_pool starts threads, and it is not noticed" >&2; exit 1; }
    case $said in *"test_pool starts a thread"*) ;; *) echo "threaded_tests.sh: test_pool failed otherwise: $said" >&2; exit 1 ;; esac
fi
echo "$threaded"
