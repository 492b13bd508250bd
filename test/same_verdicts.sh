#!/bin/sh
# same_verdicts.sh BINARY ISA [EVERY] - the same seed gives byte-identical verdicts (times aside) from this binary, with the loops of
# this instruction set, and from the release build with AVX-512 loops: every gold and wrong kernel, and kernels of the
# grammar; with EVERY = 4, of every fourth op. `make check` asks gcc and clang, AddressSanitizer's build, and the portable, AVX2 and AVX-512 loops.
set -u
cd "$(dirname "$0")/.." || exit 1
out=build/same
every=${3:-1}
reference=$out/reference-$every
mkdir -p $out
of_ops() { # op FILE... : a line for each op that is asked; the kernels of one op in one process share a draw
    for f in src/op/suite/gold/*.py src/op/suite/wrong/*.py; do
        printf '%s %s\n' "$(sed -n 's/^# op: *//p;T;q' "$f")" "$f"
    done | sort | awk '{ files[$1] = files[$1] " " $2 } END { for (op in files) print op files[op] }' | sort |
        awk -v every="$every" 'NR % every == 0'
}
verdicts() { # BINARY ISA OUT
    state=$(mktemp -d)
    OUROBOROS_ISA=$2
    export OUROBOROS_ISA
    of_ops | while read -r op files; do
        # shellcheck disable=SC2086
        "$1" referee $files --op "$op" --level quick --seed 20261 --json --state "$state" 2>/dev/null |
            sed 's/"elapsed_ms":[^,]*,//'
    done >"$3"
    # And the same kernels from the same seed.
    for op in softmax add_layernorm_gelu rope cumsum; do
        "$1" mint $op -n 6 --seed 5 --state "$state" 2>/dev/null | sed '/^# /d'
    done >>"$3"
    rm -rf "$state"
}
# What is compared with is made once for each release build.
(
    flock 9
    [ "$reference" -nt build/release/ouroboros ] ||
        { verdicts build/release/ouroboros avx512 $out/part && mv $out/part "$reference"; }
) 9>$out/lock
kernels=$(of_ops | awk '{ n += NF - 1 } END { print n }')
[ "$(grep -c '"accepted":' "$reference")" = "$kernels" ] || { echo "not every kernel has a verdict"; exit 1; }
[ "$(grep -c '@triton.jit' "$reference")" -ge 4 ] || { echo "not every op minted a kernel"; exit 1; }
grep -q '"accepted":true' "$reference" && grep -q '"accepted":false' "$reference" || { echo "verdicts are all alike"; exit 1; }
mine=$out/$(echo "$1-$2" | tr / -)
verdicts "$1" "$2" "$mine"
cmp "$reference" "$mine"
