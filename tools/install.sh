#!/bin/sh
# install.sh install|uninstall PROGRAM PREFIX - below $DESTDIR: the program, its man pages and completions as it prints them,
# documents, examples, and the small model where it is there. What was installed is listed in share/ouroboros/installed, and
# uninstall removes that list.
set -eu
cd "$(dirname "$0")/.."
what=$1
program=$2
prefix=$3
case $prefix in /*) ;; *) echo "install: PREFIX must be an absolute path, not \"$prefix\"" >&2; exit 2 ;; esac
root=${DESTDIR:-}$prefix
list=share/ouroboros/installed

uninstall() {
    [ -f "$root/$list" ] || { echo "uninstall: nothing of ouroboros below $root" >&2; exit 1; }
    while IFS= read -r path; do rm -f "$root/$path"; done <"$root/$list"
    # Folders of our own alone; those we share may be somebody's even when they are empty.
    find "$root/share/ouroboros" "$root/share/doc/ouroboros" -depth -type d -exec rmdir {} + 2>/dev/null || true
}
put() { # MODE SOURCE PATH-BELOW-PREFIX
    mkdir -p "$root/$(dirname "$3")"
    install -m "$1" "$2" "$root/$3"
    echo "$3" >>"$new"
}
if [ "$what" = uninstall ]; then
    uninstall
    exit 0
fi
[ -x "$program" ] || { echo "install: $program is not built" >&2; exit 1; }
# An older installation may have files that this one lacks.
if [ -f "$root/$list" ]; then uninstall; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
new=$work/installed
put 755 "$program" bin/ouroboros
sh tools/pages.sh "$program" "$work"
for page in "$work"/man1/*; do put 644 "$page" "share/man/man1/$(basename "$page")"; done
put 644 "$work/completion/ouroboros.bash" share/bash-completion/completions/ouroboros
put 644 "$work/completion/_ouroboros" share/zsh/site-functions/_ouroboros
put 644 "$work/completion/ouroboros.fish" share/fish/vendor_completions.d/ouroboros.fish
for file in README.md ARCHITECTURE.md CHANGELOG.md LICENSE $(find doc examples -type f ! -path '*/__pycache__/*' 2>/dev/null | sort); do
    [ -f "$file" ] || continue
    mode=644
    [ ! -x "$file" ] || mode=755
    put "$mode" "$file" "share/doc/ouroboros/$file"
done
[ ! -f models/seedling.gguf ] || put 644 models/seedling.gguf share/ouroboros/seedling.gguf
echo "$list" >>"$new"
mkdir -p "$root/share/ouroboros"
install -m 644 "$new" "$root/$list"
