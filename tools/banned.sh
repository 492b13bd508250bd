#!/bin/sh
# banned.sh - calls that have no place in src/: unbounded string functions, the C library's own elementary functions
# (their bits differ between machines), exit below cmd/, allocation outside the places that own memory.
bad=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# Strings and comments are emptied once, and each line keeps its file and number: words are free there.
find src -name '*.[ch]' | sort | xargs awk '{ gsub(/"([^"\\]|\\.)*"/, "\"\""); sub(/\/\/.*/, ""); print FILENAME ":" FNR ":" $0 }' >"$tmp/code"
ban() { # PATTERN FILES-REGEX-EXCLUDED WHY
    grep -vE "$2" "$tmp/code" | grep -E "^[^:]*:[0-9]+:(.*[^a-zA-Z0-9_.>])?($1)\(" | sed "s|\$|   <- $3|" >"$tmp/found"
    [ -s "$tmp/found" ] || return
    cat "$tmp/found"
    bad=1
}
ban 'strcpy|strcat|sprintf|vsprintf|strtok|gets|alloca' '^$' 'unbounded'
ban 'expf?|exp2f?|expm1f?|logf?|log2f?|log1pf?|erff?|tanhf?|powf?|sinf?|cosf?' '^$' 'use base/numeric/fmath.h'
ban 'exit' '^src/cmd/' 'only cmd/ ends the program'
ban 'printf|puts|perror' '^src/cmd/' 'only cmd/ prints results'
ban 'rand|srand|random|drand48' '^$' 'use base/numeric/rng.h'
exit $bad
