#!/bin/sh
# params.sh [-l] [DIR] [MOST] - functions that take seven parameters or more are hard to call right: at most MOST of them
# may be in DIR (default src). Inner loops (*_simd.c) do not count: their parameters stay in registers, a struct would
# be loaded again in every call. -l lists all that there are. `params.sh -t` is the control: it must find two in a
# file that has two, and fail.
MANY=7 MOST=5
find_many() { # DIR: "FILE: NAME takes N parameters" for each definition
    find "$1" -name '*.[ch]' ! -name '*_simd.c' ! -name '*_simd.h' | sort | while read -r file; do
        # Code alone, one definition's head a line: up to `{` at the outermost level.
        sed 's/\\.//g; s/"[^"]*"//g; s/'"'"'[^'"'"']*'"'"'//g; s|//.*||; /^ *#/s/.*//' "$file" |
            awk -v file="$file" -v many=$MANY '
                { text = text " " $0 }
                END {
                    n = length(text)
                    for (i = 1; i <= n; i++) {
                        c = substr(text, i, 1)
                        if (c == "{" && depth++ == 0) { look(head); head = "" }
                        else if (c == "}") { depth--; head = "" }
                        else if (c == ";" && depth == 0) head = ""
                        else if (depth == 0) head = head c
                    }
                }
                function look(h, name, at, k, d, count, c) {
                    if (!match(h, /[a-z_][a-z_0-9]* *\(/) || h ~ /=/) return
                    name = substr(h, RSTART, RLENGTH - 1)
                    at = RSTART + RLENGTH
                    count = 1
                    d = 1
                    for (k = at; d > 0 && k <= length(h); k++) {
                        c = substr(h, k, 1)
                        if (c == "(") d++
                        else if (c == ")") d--
                        else if (c == "," && d == 1) count++
                    }
                    if (count >= many) printf "%s: %s takes %d parameters\n", file, name, count
                }'
    done
}
check() { # DIR MOST
    found=$(find_many "$1")
    count=$(printf '%s' "$found" | grep -c .)
    [ "$count" -le "$2" ] && return
    printf '%s\n' "$found"
    echo "$count functions take $MANY parameters or more, $2 may: give them a struct that means something"
    return 1
}
control() {
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    cat >"$tmp/a.c" <<'C'
int six(int a, int b, int c, int d, int e, int f) { return g(a, b, c, d, e, f, 7, 8); }
static int
seven(int a, int b, // one, two, three
      int (*c)(int, int), const char *d, int e, int f, int g) {
    return 0;
}
int eight(int a, int b, int c, int d, int e, int f, int g, int h);
MUST_CHECK bool eight_of(int a, int b, int c, int d, int e, int f, int g, int h) { return "{"[0]; }
C
    cp "$tmp/a.c" "$tmp/loops_simd.c"
    [ "$(find_many "$tmp" | sed 's/.*: //' | tr '\n' ';')" = 'seven takes 7 parameters;eight_of takes 8 parameters;' ] &&
        check "$tmp" 2 && ! check "$tmp" 1 >/dev/null && return
    echo "params.sh does not find what it should"
    return 1
}
case ${1:-} in
-t) control ;;
-l) find_many "${2:-src}" ;;
*) control && check "${1:-src}" "${2:-$MOST}" ;;
esac
