#!/bin/sh
# What the documents say holds (documents.py), and its checks notice when it does not.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
python3 "$here/documents.py" "$bin"

# How many cases a level has is said in two places, and is what a verdict counts.
for level in quick full; do
    "$bin" referee examples/softmax.py --op softmax --seed 1 --level $level >"$tmp/counted"
    cases=$(sed -n 's/^cases: \([0-9]*\) of .*/\1/p' "$tmp/counted")
    check "help_counts_cases_of_$level" sh -c "'$bin' help referee | tr -s ' \n' ' ' | grep -q '$level: about $cases cases'"
    check "trust_counts_cases_of_$level" grep -q "\`$level\`[a-z ]* about $cases[. ,c]" doc/trust.md
done

mkdir "$tmp/pages"
printf '# One\n## Two\n' >"$tmp/pages/page.md"
answered() { # SECTION : a page of questions that this section shall answer
    echo '## [page](page.md)' >"$tmp/pages/questions.md"
    for i in 0 1 2 3 4 5 6 7 8 9 10; do echo "| What is $i? | $1 |"; done >>"$tmp/pages/questions.md"
    python3 "$here/documents.py" "$bin" "$tmp/pages/questions.md" | grep -q '^ok .*: sections'
}
check a_section_that_is_there answered Two
unanswered() { ! answered "$1"; }
check notices_a_missing_section unanswered Three
bad() { # NAME CHECK TEXT [PAGE] : a page with this text fails this check and no other
    page=$tmp/${4:-page}.md
    printf '%b' "$3" >"$page"
    check "notices_$1" sh -c "[ \"\$(python3 '$here/documents.py' '$bin' '$page' | grep '^not ok')\" = 'not ok $page: $2' ]"
}
bad other_output 'output shown is what is printed' '```console\n$ ouroboros --version\nouroboros of another name\n```\n'
bad missing_output 'output shown is what is printed' '```console\n$ ouroboros fmt examples/softmax.py\n...\n    return z\n```\n'
bad dead_link links 'See [there](nowhere.md).\n'
bad missing_file files 'It is in `src/nowhere.c`.\n'
bad long_sentence sentences "$(printf 'word %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30).\n"
bad long_page length "$(seq -s '\n\n' 61)\n" README
bad missing_room rooms 'No rooms.\n' ARCHITECTURE
printf '%b' '```console\n$ ouroboros fmt examples/softmax.py\nimport torch\n...\n    return y\n```\nSee `src/base/arena.c`.\n' >"$tmp/good.md"
check a_good_page sh -c "! python3 '$here/documents.py' '$bin' '$tmp/good.md' | grep '^not ok'"
