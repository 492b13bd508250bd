#!/bin/sh
# The same seed gives byte-identical verdicts (times aside) from gcc and clang, optimised and debug, and from the
# portable, AVX2 and AVX-512 loops.
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc 2>/dev/null || echo 2)
make --no-print-directory -j"$jobs" all >/dev/null || exit 1
make --no-print-directory -j"$jobs" MODE=debug build/debug/ouroboros >/dev/null || exit 1
make --no-print-directory -j"$jobs" CC=clang build/release-clang/ouroboros >/dev/null || exit 1
make --no-print-directory -j"$jobs" PORTABLE=1 build/release-portable/ouroboros >/dev/null || exit 1
out=build/same
rm -rf $out
mkdir -p $out
verdicts() { # BINARY ISA OUT: every gold and wrong kernel with one seed
    for f in src/op/suite/gold/*.py src/op/suite/wrong/*.py; do
        op=$(sed -n 's/^# op: *//p' "$f" | head -n 1)
        OUROBOROS_ISA=$2 "$1" referee "$f" --op "$op" --level quick --seed 20261 --json --state "$3.state" 2>/dev/null |
            sed 's/"elapsed_ms":[^,]*,//'
    done >"$3"
    # And the same kernels from the same seed.
    for op in softmax add_layernorm_gelu rope cumsum; do
        OUROBOROS_ISA=$2 "$1" mint $op -n 6 --seed 5 --state "$3.state" 2>/dev/null | sed '/^# /d'
    done >>"$3"
}
# Two lists at a time, each with a journal of its own.
verdicts build/release/ouroboros avx512 $out/gcc-avx512 &
verdicts build/debug/ouroboros avx512 $out/gcc-debug &
wait
verdicts build/release/ouroboros avx2 $out/gcc-avx2 &
verdicts build/release/ouroboros base $out/gcc-base &
wait
verdicts build/release-clang/ouroboros avx512 $out/clang-avx512 &
verdicts build/release-portable/ouroboros base $out/gcc-portable &
wait
[ "$(wc -l <$out/gcc-avx512)" -ge 20 ] || { echo "too few verdicts"; exit 1; }
grep -q '"accepted":true' $out/gcc-avx512 && grep -q '"accepted":false' $out/gcc-avx512 || { echo "verdicts are all alike"; exit 1; }
bad=0
for f in gcc-avx2 gcc-base clang-avx512 gcc-debug gcc-portable; do
    cmp $out/gcc-avx512 $out/$f || bad=1
done
exit $bad
