#!/bin/sh
# What the documents say holds (documents.py), and its checks notice when it does not.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
python3 "$here/documents.py" "$bin"

bad() { # NAME TEXT : a document with this text fails exactly this check
    printf '%b' "$2" >"$tmp/page.md"
    check "notices_$1" sh -c "python3 '$here/documents.py' '$bin' '$tmp/page.md' | grep '^not ok' | grep -c . | grep -qx 1"
}
bad other_output '```console\n$ ouroboros --version\nouroboros of another name\n```\n'
bad missing_output '```console\n$ ouroboros fmt examples/softmax.py\n...\n    return z\n```\n'
bad dead_link 'See [there](nowhere.md).\n'
bad missing_file 'It is in `src/nowhere.c`.\n'
printf '%b' '```console\n$ ouroboros fmt examples/softmax.py\nimport torch\n...\n    return y\n```\nSee `src/base/arena.c`.\n' >"$tmp/good.md"
check a_good_page sh -c "! python3 '$here/documents.py' '$bin' '$tmp/good.md' | grep '^not ok'"
