#!/bin/sh
# named.sh - every source file is named in ARCHITECTURE.md, so that a stranger finds it: x.c, x.h or x.def in backticks, x.*, or a
# pattern such as `cmd_*.c`. A header is named by its .c file; x_simd.c and x_impl.h, which are halves of x, by x. And every file
# that is named is there. Files are named without their folders, so no two .c files may have one name. Tried on a copy first
# where one file is not named, one is gone and two have one name: this check can fail.
words() { # PAGE : what stands in backticks and looks like a file, one a line, without folders
    grep -o '`[^` ]*`' "$1" | tr -d '`' | sed 's|.*/||' | grep -E '^[a-z0-9_*]+\.([ch]|def|\*)$' | sort -u
}
files() { (cd "$1" && find src \( -name '*.c' -o -name '*.h' -o -name '*.def' \) ! -path '*/suite/*' | sort); } # TREE
check() { # TREE : files that are not named, names without a file, names of two files
    words "$1/ARCHITECTURE.md" >"$tmp/words"
    files "$1" >"$tmp/files"
    awk '
        NR == FNR {
            stem = $0
            sub(/\.[^.]*$/, "", stem)
            if (stem ~ /\*/) { gsub(/\*/, "[a-z0-9_]*", stem); pattern[++patterns] = "^" stem "$" }
            else named[stem] = 1
            next
        }
        {
            stem = $0
            sub(/.*\//, "", stem)
            sub(/\.[^.]*$/, "", stem)
            half = stem
            sub(/_(simd|impl)$/, "", half)
            found = (stem in named) || (half in named)
            for (i = 1; i <= patterns && !found; i++) found = stem ~ pattern[i]
            if (!found) print $0 ": not named in ARCHITECTURE.md"
        }' "$tmp/words" "$tmp/files"
    (cd "$1" && find . -path ./build -prune -o \( -name '*.[ch]' -o -name '*.def' \) -print | sed 's|.*/||' | sort -u) >"$tmp/there"
    while read -r word; do
        case $word in *\**) continue ;; esac
        grep -qxF "$word" "$tmp/there" || echo "ARCHITECTURE.md: $word is not there"
    done <"$tmp/words"
    grep '\.c$' "$tmp/files" | awk '
        { name = $0; sub(/.*\//, "", name) }
        name in first { print $0 ": has the name of " first[name]; next }
        { first[name] = $0 }'
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/copy/src/room/deep"
(cd "$tmp/copy/src/room" && touch one.c one.h one_simd.c verb_a.c deep/two.def alone.h deep/one.c deep/one.h)
printf '| `one.c`, `verb_*.c`, `room/deep/two.def` | work |\n| `gone.c` | alone.h |\n' >"$tmp/copy/ARCHITECTURE.md"
want="src/room/alone.h: not named in ARCHITECTURE.md
ARCHITECTURE.md: gone.c is not there
src/room/one.c: has the name of src/room/deep/one.c"
[ "$(check "$tmp/copy")" = "$want" ] || { echo "named.sh: its control did not fail as it should"; check "$tmp/copy"; exit 1; }
found=$(check .)
[ -z "$found" ] || { echo "$found"; exit 1; }
