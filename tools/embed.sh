#!/bin/sh
# embed.sh FILE... - prints C that holds each file as text, named relative to src/op/suite, src/propose or test. The array is
# declared in src/op/embed.h; an empty list gives an empty table.
echo '#include "op/embed.h"'
i=0
for f in "$@"; do
    echo "static const unsigned char text_$i[] = {"
    od -An -v -tu1 "$f" | sed 's/  *\([0-9]\)/\1/; s/  */,/g; s/$/,/'
    echo "0};"
    i=$((i + 1))
done
echo "const EmbeddedFile embedded_files[] = {"
i=0
for f in "$@"; do
    name=${f#src/op/suite/}
    name=${name#src/propose/}
    echo "    {\"${name#test/}\", (const char *)text_$i, sizeof text_$i - 1},"
    i=$((i + 1))
done
echo "    {0, 0, 0}};"
