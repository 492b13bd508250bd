#!/bin/sh
# quick.sh - what `make quick` does in less than a minute: house rules, unit tests, thirty programs of the self-test. It is no
# replacement of `make check`, which has every test in every build. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
logs=build/quick
rm -rf "$logs"
mkdir -p "$logs"
make --no-print-directory -j"$(nproc 2>/dev/null || echo 2)" tests all || exit 1
for rule in layers opnames banned params; do echo "tools/$rule.sh"; done | sh tools/run_tests.sh $logs rules
sh tools/list_tests.sh build/release | sh tools/run_tests.sh $logs "unit tests"
echo "tools/goldens.sh build/ouroboros 30" | sh tools/run_tests.sh $logs "sample of the self-test"
awk '{ passed += $1; failed += $2 } END { printf "\n%d passed, %d failed\n", passed, failed; exit failed > 0 }' $logs/*.results
