#!/bin/sh
# banned.sh - calls that have no place in src/: unbounded string functions, the C library's own elementary functions
# (their bits differ between machines), exit below cmd/, allocation outside the places that own memory.
bad=0
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
ban() { # PATTERN FILES-REGEX-EXCLUDED WHY
    for f in $(find src -name '*.[ch]' | grep -vE "$2" | sort); do
        # Without strings and comments: words are free there.
        sed 's/"\([^"\\]\|\\.\)*"/""/g; s|//.*||' "$f" | grep -nE "(^|[^a-zA-Z0-9_.>])($1)\(" | sed "s|^|$f:|; s|\$|   <- $3|"
    done >"$tmp"
    [ -s "$tmp" ] || return
    cat "$tmp"
    bad=1
}
ban 'strcpy|strcat|sprintf|vsprintf|strtok|gets|alloca' '^$' 'unbounded'
ban 'expf?|exp2f?|expm1f?|logf?|log2f?|log1pf?|erff?|tanhf?|powf?|sinf?|cosf?' '^$' 'use base/numeric/fmath.h'
ban 'exit' '^src/cmd/' 'only cmd/ ends the program'
ban 'printf|puts|perror' '^src/cmd/' 'only cmd/ prints results'
ban 'rand|srand|random|drand48' '^$' 'use base/numeric/rng.h'
exit $bad
