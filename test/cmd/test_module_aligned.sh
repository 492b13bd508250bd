#!/bin/sh
# Kernels without masks: their tiles divide the sizes that were published, and not all small ones. What is rejected at small sizes is
# judged where sizes keep such divisors, and is doubted where that would be too much work and addresses hold at the published sizes.
. "$(dirname "$0")/lib.sh"
made=$(dirname "$0")/../module/aligned
says() { grep -qF -- "$1" "$tmp/out" "$tmp/err" || { echo "no: $1"; cat "$tmp/out" "$tmp/err"; return 1; }; }

right() {
    exits 0 "$bin" referee "$made/tiles_of_128.py" --module "$made/product.py" --level quick --seed 20261126 &&
        says 'these sizes keep more of what divides the published ones; at smaller ones it is wrong (oob)'
}
check "tiles of 128 are right where they divide" right
full() {
    exits 0 "$bin" referee "$made/tiles_of_128.py" --module "$made/product.py" --level full --seed 20261126 &&
        says 'published sizes: addresses are right'
}
check "and at level full" full

# What divides nothing that was published stays wrong, and so does a wrong value, and an address that goes too far everywhere.
wrong() {
    exits 1 "$bin" referee "$made/tiles_of_128.py" --module "$made/odd_product.py" --level quick --seed 20261126 && says '(oob,' &&
        exits 1 "$bin" referee "$made/wrong_tiles.py" --module "$made/product.py" --level quick --seed 20261126 &&
        exits 1 "$bin" referee "$made/one_row_too_far.py" --module "$made/product.py" --level quick --seed 20261126 && says '(oob,'
}
check "others stay rejected" wrong

# Tiles of 256 need more work than there is: nobody says that they are wrong, or right.
doubted() {
    exits 4 "$bin" referee "$made/tiles_of_256.py" --module "$made/product.py" --level quick --seed 20261126 --json &&
        says '"status":"unsupported"' && says '"unaligned":"oob"' && says 'at the published ones addresses hold'
}
check "too large tiles are doubted" doubted
