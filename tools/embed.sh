#!/bin/sh
# embed.sh FILE... - prints C that holds each file as text, named relative to src/op/suite, src/propose or test. The array is
# declared in src/op/embed.h; an empty list gives an empty table. A few processes for all files, and literals, which
# compilers read ten times as fast as numbers. Whatever is no plain character stands as three octal digits.
set -eu
echo '#include "op/embed.h"'
[ $# = 0 ] || {
    wc -c "$@" | sed '$!b;/ total$/d' | awk '{ print "bytes", $1 }'
    cat "$@" | od -An -v -tu1
} | awk '
    BEGIN {
        for (b = 0; b < 256; b++) as[b] = sprintf(b < 32 || b > 126 || b == 34 || b == 63 || b == 92 ? "\\%03o" : "%c", b)
        as[10] = "\\n"
        at = files = left = 0
    }
    function begin() { # the next file that has a byte left, and all before it
        while (at < files && !left) {
            print "static const char text_" at "[] ="
            left = size[at++]
            if (!left) print "    \"\";"
        }
    }
    $1 == "bytes" { size[files++] = $2; next }
    {
        for (i = 1; i <= NF; i++) {
            begin()
            line = line as[$i]
            left--
            if (left && $i != 10 && length(line) < 100) continue
            print "    \"" line (left ? "\"" : "\";")
            line = ""
        }
    }
    END { begin() }'
echo "const EmbeddedFile embedded_files[] = {"
i=0
for f in "$@"; do
    name=${f#src/op/suite/}
    name=${name#src/propose/}
    echo "    {\"${name#test/}\", text_$i, sizeof text_$i - 1},"
    i=$((i + 1))
done
echo "    {0, 0, 0}};"
