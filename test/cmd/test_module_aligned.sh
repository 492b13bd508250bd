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

# Odd sizes: evidence at level full, a part of the verdict with --ragged.
ragged() {
    right=$made/../verdict/right/layernorm.py reference=$made/../verdict/reference/layernorm.py
    exits 0 "$bin" referee "$right" --module "$reference" --level quick --ragged && says 'odd sizes (x: float32[31, 23, 63]): right there, too' &&
        sed 's/mask=i < n)/mask=i < BLOCK)/' "$right" >"$tmp/unmasked.py" &&
        exits 0 "$bin" referee "$tmp/unmasked.py" --module "$reference" --level quick && ! grep -q 'odd sizes' "$tmp/out" &&
        exits 0 "$bin" referee "$made/tiles_of_128.py" --module "$made/product.py" --level full && says 'wrong there, oob' &&
        exits 1 "$bin" referee "$tmp/unmasked.py" --module "$reference" --level quick --ragged && says 'odd sizes (x: float32[31, 23, 63]): wrong there, ' &&
        exits 2 "$bin" referee "$right" --op layernorm --ragged
}
check "odd sizes" ragged
# Small edits of a right ModelNew: masks that nothing needs at powers of two are needed at odd sizes.
proved() {
    exits 1 "$bin" prove "$reference" "$right" --level quick --json && cp "$tmp/out" "$tmp/plain" &&
        { "$bin" prove "$reference" "$right" --level quick --ragged --json >"$tmp/ragged" 2>"$tmp/err" || :; } && python3 - "$tmp/plain" "$tmp/ragged" <<'END'
import json, sys
plain, ragged = (json.load(open(f)) for f in sys.argv[1:])
print(plain["score"], plain["survived"], ragged["score"], ragged["survived"])
sys.exit(not (plain["mutants"] == ragged["mutants"] > 50 and plain["killed"] > 50 and ragged["survived"] < plain["survived"] / 2))
END
}
check "mutants of a right one" proved
proved_usage() {
    exits 2 "$bin" prove "$reference" --level quick && says 'name a file with class ModelNew' && exits 3 "$bin" prove softmax --library all --level quick
}
check "prove, wrongly asked" proved_usage
# Why one fails, for a person.
explained() {
    exits 1 "$bin" explain "$made/../verdict/wrong/softmax.no_max.py" --module "$made/../verdict/reference/softmax.py" --level quick --seed 3 --json &&
        python3 "$(dirname "$0")/schema.py" explain "$tmp/out" &&
        exits 1 "$bin" explain "$made/../verdict/wrong/softmax.no_max.py" --module "$made/../verdict/reference/softmax.py" --level quick --seed 3 &&
        says 'module: softmax, Model()' && says 'rows with a wrong element in this case: ' && says 'mean_1000 (mean 1000 with standard deviation 1)' &&
        exits 0 "$bin" explain "$made/tiles_of_128.py" --module "$made/product.py" --level quick && says 'at smaller ones it is wrong (oob)' &&
        exits 2 "$bin" explain "$made/tiles_of_128.py" --module "$made/product.py" --minimize && exits 2 "$bin" explain "$made/tiles_of_128.py"
}
check "explained" explained
