#!/bin/sh
# test_install.sh - into a folder: what is installed works there, man pages render, and uninstall leaves nothing of ours.
. "$(dirname "$0")/lib.sh"
bin=$PWD/$bin
stage=$tmp/stage
usr=$stage/usr
files() { (cd "$stage" && find . ! -type d | sort); }
install_into() { DESTDIR=$stage sh tools/install.sh install "$bin" /usr; }
remove_from() { DESTDIR=$stage sh tools/install.sh uninstall "$bin" /usr; }

check uninstall_of_nothing_fails sh -c "! DESTDIR=$stage sh tools/install.sh uninstall '$bin' /usr"
check relative_prefix_is_refused sh -c "! DESTDIR=$stage sh tools/install.sh install '$bin' usr"
mkdir -p "$usr/bin" "$usr/share/man/man1" "$usr/share/doc/other"
echo theirs >"$usr/bin/theirs"
files >"$tmp/before"
check installs install_into
files >"$tmp/installed"
check program_runs_from_there sh -c "cd / && '$usr/bin/ouroboros' --version | grep -q '^ouroboros '"
check readme_is_there test -s "$usr/share/doc/ouroboros/README.md"
check license_is_there test -s "$usr/share/doc/ouroboros/LICENSE"
check list_is_complete sh -c "sed 's|^|./usr/|' '$usr/share/ouroboros/installed' | cat - '$tmp/before' | sort | cmp - '$tmp/installed'"
check modes sh -c "! find '$usr/share' -type f -name '*.md' ! -perm 644 | grep -q ."
# A newer version that lacks a file takes the old one away.
mkdir -p "$usr/share/doc/ouroboros/doc"
echo old >"$usr/share/doc/ouroboros/doc/gone.md"
echo share/doc/ouroboros/doc/gone.md >>"$usr/share/ouroboros/installed"
check installs_again install_into
check an_old_file_is_gone test ! -e "$usr/share/doc/ouroboros/doc/gone.md"
files >"$tmp/again"
check twice_is_once cmp "$tmp/installed" "$tmp/again"
# Pages and completions, as the program prints them.
check page_of_the_program test -s "$usr/share/man/man1/ouroboros.1"
check page_of_two_words test -s "$usr/share/man/man1/ouroboros-model-info.1"
renders() { # PAGE : without a warning, and with a name; a test of the test is the page that is broken on purpose
    MANWIDTH=80 man --warnings -E UTF-8 -l "$1" >"$tmp/text" 2>"$tmp/warnings"
    [ ! -s "$tmp/warnings" ] && grep -q '^NAME' "$tmp/text" && return 0
    cat "$tmp/warnings"
    return 1
}
if command -v man >/dev/null && ! man --version 2>&1 | grep -q minimized; then
    for page in "$usr/share/man/man1"/ouroboros*.1; do check "renders_$(basename "$page" .1)" renders "$page"; done
    sed '2a\
.nosuchmacro' "$usr/share/man/man1/ouroboros.1" >"$tmp/broken.1"
    check a_broken_page_is_noticed sh -c "MANWIDTH=80 man --warnings -E UTF-8 -l '$tmp/broken.1' 2>&1 >/dev/null | grep -q nosuchmacro"
fi
check completion_is_bash sh -c "grep -q '^complete ' '$usr/share/bash-completion/completions/ouroboros'"
if command -v bash >/dev/null; then check completion_parses bash -n "$usr/share/bash-completion/completions/ouroboros"; fi
check completion_is_zsh grep -q '^#compdef ouroboros' "$usr/share/zsh/site-functions/_ouroboros"
check completion_is_fish grep -q '^complete -c ouroboros' "$usr/share/fish/vendor_completions.d/ouroboros.fish"
check examples_are_there test -s "$usr/share/doc/ouroboros/examples/softmax.py"
check uninstalls remove_from
files >"$tmp/after"
check nothing_of_ours_is_left cmp "$tmp/before" "$tmp/after"
check shared_folders_stay test -d "$usr/share/man/man1" -a -d "$usr/share/doc/other"
check our_folders_go test ! -e "$usr/share/ouroboros" -a ! -e "$usr/share/doc/ouroboros"
