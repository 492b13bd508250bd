#!/bin/sh
# tests_of.sh FILE - prints the tests of a file, one to a line: the test of its name (src/a/b/x.c or x.h -> test/a/b/test_x.c), else
# what test/README.md says, else the tests in its room's folder that include its header, else all tests there are that do. What it chose instead goes to standard
# error. A test names itself.
set -u
file=${1#"$PWD"/}
file=${file#./}
[ -f "$file" ] || { echo "no file \"$1\"" >&2; exit 2; }
said() { # WHY TEST... : chosen instead, if there is one
    why=$1
    shift
    [ -n "$*" ] || return 1
    echo "$file has no test of its name: $why" >&2
    printf '%s\n' "$@"
    exit 0
}
case $file in
test/*/test_*.c | test/cmd/test_*.sh) echo "$file"; exit 0 ;;
test/*.[ch]) # a helper of tests
    # shellcheck disable=SC2046 # several files
    said "the tests that include it" $(grep -rlE "^#include \"(${file#test/}|${file##*/})\"" test --include='test_*.c' | sort) ;;
src/*) ;;
*) echo "$file is neither below src/ nor a test" >&2; exit 2 ;;
esac
room=$(dirname "${file#src/}")
name=$(basename "$file")
name=${name%.*}
if [ -f "test/$room/test_$name.c" ]; then echo "test/$room/test_$name.c"; exit 0; fi
# The variants of one file for several instruction sets have one test.
plain=$(echo "$name" | sed -E 's/_(simd|avx2|avx512|vnni)$//')
if [ -f "test/$room/test_$plain.c" ]; then echo "test/$room/test_$plain.c"; exit 0; fi
row=$(sed -n "s,^| \`$file\` | \`\([^\`]*\)\`.*,\1,p" test/README.md)
[ -z "$row" ] || said "test/README.md says what runs it" "$row"
if [ "$room" = cmd ]; then
    verb=${name#cmd_}
    if [ -f "test/cmd/test_$verb.sh" ]; then echo "test/cmd/test_$verb.sh"; exit 0; fi
    said "the command line's" test/cmd/test_cli.sh
fi
headers="\"$room/($name|$plain)\.(h|def)\""
# shellcheck disable=SC2046
{
    said "the tests of its room that include its header" $(grep -lE "$headers" "test/$room"/test_*.c 2>/dev/null)
    said "the tests that include its header" $(grep -rlE "$headers" test --include='test_*.c' | sort)
    said "all tests of its room" $(find "test/$room" -name 'test_*.c' 2>/dev/null | sort)
    said "all tests of the rooms around it" $(find "test/${room%%/*}" -name 'test_*.c' 2>/dev/null | sort)
}
echo "$file has no test, and no test includes its header" >&2
exit 1
