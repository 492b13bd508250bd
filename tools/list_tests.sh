#!/bin/sh
# list_tests.sh BUILD - the unit tests of a build, one to a line; those that take long come first, so that none is left to run
# alone at the end. A binary whose source has gone is no test.
slow="mutate/test_mutant sandbox/test_takeover sandbox/test_fork_server cases/test_draw judge/test_spelling cases/test_dependence"
cd "$(dirname "$0")/.." || exit 1
all=$(find test -name 'test_*.c' | sort)
for name in $slow; do
    [ ! -f "test/$name.c" ] || echo "$1/test/$name"
done
for source in $all; do
    name=${source#test/}
    case " $slow " in *" ${name%.c} "*) ;; *) echo "$1/${source%.c}" ;; esac
done
