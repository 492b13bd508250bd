#!/bin/sh
# compiles.sh - what no other check builds still compiles: benchmarks, fuzz targets, programs of the conformance suite.
# The control is a file that does not: a check that finds nothing wrong with it checks nothing.
set -u
compile() { ${CC:-cc} -std=c17 -D_GNU_SOURCE -DISA=base -Isrc -Itest -Wall -Wextra -fsyntax-only "$1"; }
bad=0
for f in bench/*.c test/fuzz/*.c test/conformance/*.c test/valgrind/*.c; do
    compile "$f" || { echo "$f does not compile"; bad=1; }
done
control=$(mktemp -d) || exit 1
echo '#include "service/service.h"
int main(void) { return service_room(); }' >"$control/x.c"
compile "$control/x.c" 2>/dev/null && { echo "the control compiles"; bad=1; }
rm -rf "$control"
exit $bad
