#!/bin/sh
# pages.sh BINARY DIR - man pages (DIR/man1) and completion for bash, zsh and fish (DIR/completion), as the program prints them.
set -eu
[ $# = 2 ] || { echo "usage: pages.sh BINARY DIR" >&2; exit 2; }
mkdir -p "$2/man1" "$2/completion"
"$1" help --man >"$2/man1/ouroboros.1"
for id in $(sed -n 's/^CMD(\([a-z_]*\),.*/\1/p' "$(dirname "$0")/../src/cmd/line/cmd.def"); do
    "$1" help --man $(echo "$id" | tr _ ' ') >"$2/man1/ouroboros-$(echo "$id" | tr _ -).1"
done
"$1" help --completion bash >"$2/completion/ouroboros.bash"
"$1" help --completion zsh >"$2/completion/_ouroboros"
"$1" help --completion fish >"$2/completion/ouroboros.fish"
