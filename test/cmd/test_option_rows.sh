#!/bin/sh
# The rows of cmd.def and option.def: what a verb accepts is what its help shows, and doc/cli.md is what the program prints.
. "$(dirname "$0")/lib.sh"
verbs=$(sed -n 's/^CMD(\([a-z_]*\),.*/\1/p' src/cmd/line/cmd.def)
sed -n 's/^OPTION("\([^"]*\)", "\([^"]*\)", "[^"]*", "\([^"]*\)".*/\1;\2;\3/p' src/cmd/line/option.def >"$tmp/rows"
check there_are_rows sh -c "[ \$(wc -l <$tmp/rows) -ge 50 ]"

value_for() { # VALUE : one that the option takes
    case $1 in
    *'|'*) echo "${1%%|*}" ;;
    MxN) echo 2x3 ;;
    [A-Z]|SECONDS) echo 1 ;;
    *) echo x ;;
    esac
}
# What stands behind an accepted option is refused in its place, so that nothing is run.
says() { # WORDS VERB OPTION [VALUE]
    refused=$1 of=$2
    shift 2
    "$bin" $of "$@" --no-such-option >"$tmp/out" 2>"$tmp/err"
    code=$? line=
    while read -r line; do # of several thousand: without a process for each
        [ $code = 2 ] && case $line in *"no option $refused" | *"no option $refused;"*) return 0 ;; esac
    done <"$tmp/err"
    echo "$of $*"
    cat "$tmp/err"
    false
}
shown() { # VERB OPTION : in the help of the verb
    grep -qE -e "^  (.*, )?$2( |,|\$)" "$tmp/help" || {
        echo "$1 --help does not show $2"
        false
    }
}
every_row() { # VERB : all options, those of other verbs too
    spoken=$(echo "$1" | tr _ ' ')
    its=$(awk -F';' -v v="$1" '" " $3 " " ~ " " v " " || $3 == "*" { printf "%s ", $1 }' "$tmp/rows")
    "$bin" $spoken --help >"$tmp/help" || return 1
    while IFS=';' read -r names value owners; do
        for name in $names; do
            # Another row may give this verb an option of the same name.
            if case " $its " in *" $name "*) ;; *) false ;; esac; then
                case " $owners " in *" $1 "* | ' * ') ;; *) continue ;; esac
                shown "$spoken" "$name" || return 1
                case $name in --help | -h | --version) continue ;; esac
                says --no-such-option "$spoken" "$name" ${value:+"$(value_for "$value")"} || return 1
            else
                says "$name" "$spoken" "$name" || return 1
            fi
        done
    done <"$tmp/rows"
}
twice() { # VERB : of options with a value that count once, the second is refused; others may be repeated
    spoken=$(echo "$1" | tr _ ' ')
    while IFS=';' read -r names value owners; do
        case " $owners " in *" $1 "* | ' * ') ;; *) continue ;; esac
        [ "$value" ] || continue
        v=$(value_for "$value") name=${names%% *}
        case $value in
        *...) says --no-such-option "$spoken" "$name" "$v" "$name" "$v" || return 1 ;;
        *) exits 2 "$bin" $spoken "$name" "$v" "$name" "$v" || return 1
           grep -qF -e "$name is given twice" "$tmp/err" || return 1 ;;
        esac
    done <"$tmp/rows"
}
narrow() { # COMMAND... : at most 80 columns
    "$@" >"$tmp/out" && ! awk 'length > 80 { print; bad = 1 } END { exit !bad }' "$tmp/out"
}
for verb in $verbs; do
    words=$(echo "$verb" | tr _ ' ')
    check "${verb}_takes_its_rows_and_no_others" every_row "$verb"
    check "${verb}_takes_them_once" twice "$verb"
    check "${verb}_help" exits 0 "$bin" $words --help
    check "${verb}_help_verb_is_the_same" sh -c "$bin help $words | cmp - $tmp/out"
    check "${verb}_help_comes_before_mistakes" exits 0 "$bin" $words --no-such-option -h
    check "${verb}_help_is_narrow" narrow "$bin" $words --help
    check "${verb}_version" sh -c "$bin $words --version | grep -q '^ouroboros [0-9]'"
    check "${verb}_stands_in_the_help" sh -c "$bin --help | grep -q '^  $words '"
    check "${verb}_man_page" sh -c "$bin help --man $words | grep -q '^.SH NAME'"
done
# Negative controls: the checks above find what they look for.
check control_a_foreign_option sh -c "! $bin fmt --seed 1 x 2>/dev/null"
check control_shown sh -c "! $bin fmt --help | grep -q -e --seed"
check help_is_narrow narrow "$bin" --help
check ops_are_narrow narrow python3 "$(dirname "$0")/on_terminal.py" "$bin" ops
check control_narrow sh -c "$bin ops --long | awk 'length > 80 { bad = 1 } END { exit !bad }'"

check cli_md_is_what_is_printed sh -c "$bin help --markdown | cmp - doc/cli.md"
check control_cli_md sh -c "! $bin help --markdown | sed 's/--level/--levels/' | cmp -s - doc/cli.md"
for shell in bash zsh fish; do
    "$bin" help --completion $shell >"$tmp/completion.$shell"
    check "completion_${shell}_has_every_verb" sh -c "for v in $(echo $verbs | tr _ ' '); do grep -qw -e \$v $tmp/completion.$shell || exit 1; done"
    if command -v $shell >/dev/null 2>&1; then check "completion_${shell}_is_a_script" $shell -n "$tmp/completion.$shell"; fi
done
# Words of several verbs are told by the verbs behind them, and help by its first sentence.
check completion_tells_groups sh -c "grep -q \"'train:sft, tokenizer'\" $tmp/completion.zsh && grep -q -- \"-a model -d 'info, quantize'\" $tmp/completion.fish"
check completion_is_short sh -c "grep -q -- \"-d 'how much is tried'\" $tmp/completion.fish && ! grep -q 'tenths of a second' $tmp/completion.*"
cat >"$tmp/complete.sh" <<END
. $tmp/completion.bash
try() { COMP_WORDS=("\$@"); COMP_CWORD=\$((\$# - 1)); COMPREPLY=(); _ouroboros; echo "\${COMPREPLY[*]}"; }
[ "\$(try ouroboros ref)" = referee ] && [ "\$(try ouroboros referee --le)" = --level ] &&
    [ "\$(try ouroboros referee --level '')" = 'quick full ladder' ] && [ "\$(try ouroboros model i)" = info ] &&
    [ -z "\$(try ouroboros fmt --le)" ]
END
check completion_bash_completes bash "$tmp/complete.sh"
if command -v groff >/dev/null 2>&1; then
    "$bin" help --man >"$tmp/page.1"
    for v in $verbs; do "$bin" help --man $(echo "$v" | tr _ ' ') >>"$tmp/page.1"; done
    check man_pages_are_roff sh -c "groff -man -ww -Tutf8 $tmp/page.1 2>$tmp/roff >/dev/null; [ ! -s $tmp/roff ]"
fi
check pages sh tools/pages.sh "$bin" "$tmp/pages"
check pages_are_there sh -c "[ \$(ls $tmp/pages/man1/*.1 | wc -l) = $(($(echo $verbs | wc -w) + 1)) ]"
