#!/bin/sh
# list_tests.sh BUILD - the unit tests of a build, one to a line; those that take long come first, so that none is left to run
# alone at the end. A binary whose source has gone is no test.
slow="judge/shapes/test_production service/test_service judge/test_judge cases/domain/test_domain grammar/test_honest
      service/test_verdict_cache_text sandbox/test_record judge/test_roundings judge/shapes/test_large_tensors judge/shapes/test_own_sizes
      cases/test_dependence cases/test_draw model/test_draft model/product/test_product mutate/test_mutant"
slow=$(echo $slow) # one space between two
cd "$(dirname "$0")/.." || exit 1
all=$(find test -name 'test_*.c' | sort)
for name in $slow; do
    [ ! -f "test/$name.c" ] || echo "$1/test/$name"
done
for source in $all; do
    name=${source#test/}
    case " $slow " in *" ${name%.c} "*) ;; *) echo "$1/${source%.c}" ;; esac
done
