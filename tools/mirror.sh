#!/bin/sh
# mirror.sh - test/ mirrors src/: src/ROOM/x.c is tested by test/ROOM/test_x.c (x_simd.c, the vector half of x, by the same), or a
# row of the table in test/README.md says what runs it; a verb, src/cmd/cmd_x.c, by test/cmd/test_x.sh. A row ends when the file has a test of its name, or is gone.
# Tried on a copy with a file that nobody tests first: this check can fail.
check() { # ROOT : every file without a test, and every row that is not true
    table=$(sed -n 's/^| `\(src[^`]*\)` | `\([^`]*\)`.*/\1 \2/p' "$1/test/README.md")
    for f in $(cd "$1" && find src -name '*.c' | sort); do
        stem=${f#src/}
        stem=${stem%.c}
        room=${stem%/*}
        x=${stem##*/}
        [ -f "$1/test/$room/test_$x.c" ] || [ -f "$1/test/$room/test_${x%_simd}.c" ] && continue
        [ "$room" = cmd ] && [ -f "$1/test/cmd/test_${x#cmd_}.sh" ] && continue
        case "
$table" in *"
$f "*) ;; *) echo "$f: neither test/$room/test_$x.c nor a row in test/README.md" ;; esac
    done
    echo "$table" | while read -r f by; do
        [ -n "$f" ] || continue
        stem=${f#src/}
        stem=${stem%.c}
        [ -f "$1/$f" ] || echo "test/README.md: $f is not there"
        [ -f "$1/test/${stem%/*}/test_${stem##*/}.c" ] && echo "test/README.md: $f has a test of its name"
        [ -f "$1/$by" ] || echo "test/README.md: $by is not there"
    done
}
control=$(mktemp -d) || exit 1
trap 'rm -rf "$control"' EXIT
mkdir -p "$control/src/room" "$control/test/room"
touch "$control/src/room/a.c" "$control/src/room/b.c" "$control/src/room/c_simd.c" "$control/test/room/test_a.c" "$control/test/room/test_c.c"
printf '| `src/room/gone.c` | `test/room/test_a.c` |\n' >"$control/test/README.md"
want="src/room/b.c: neither test/room/test_b.c nor a row in test/README.md
test/README.md: src/room/gone.c is not there"
[ "$(check "$control")" = "$want" ] || { echo "mirror.sh: its control did not fail as it should"; exit 1; }
found=$(check .)
[ -z "$found" ] || { echo "$found"; exit 1; }
