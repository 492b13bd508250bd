#!/bin/sh
# quick.sh - what `make quick` does in less than a minute: house rules, unit tests, thirty programs of the self-test. It is no
# replacement of `make check`, which has every test in every build. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
logs=build/quick
rm -rf "$logs"
mkdir -p "$logs"
make --no-print-directory -j"$(nproc 2>/dev/null || echo 2)" tests all || exit 1
{ printf "rules tools/%s.sh\n" layers opnames banned params named
    sh tools/list_tests.sh build/release | sed "s|^|unit |"
    echo "selftest tools/goldens.sh build/ouroboros 30"
} | sh tools/run_tests.sh $logs
sh tools/run_tests.sh $logs -s
