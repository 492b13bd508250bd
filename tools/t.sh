#!/bin/sh
# t.sh BUILD TEST... - builds the tests named by their sources, and runs them one after another.
set -u
build=$1
shift
programs=$(printf '%s\n' "$@" | sed -n "s|^\(test/.*\)\.c\$|$build/\1|p")
scripts=$(printf '%s\n' "$@" | grep '\.sh$')
# shellcheck disable=SC2086
make --no-print-directory -j"$(nproc 2>/dev/null || echo 2)" $programs ${scripts:+$build/ouroboros} || exit 1
failed=0
for t in $programs; do "$t" || failed=1; done
for t in $scripts; do
    log=$(mktemp)
    sh "$t" "$build/ouroboros" | tee "$log"
    if grep -q '^not ok' "$log" || ! grep -q '^ok ' "$log"; then failed=1; fi
    rm -f "$log"
done
exit $failed
