#!/bin/sh
# opnames.sh - the program knows no op by name: names of the suite stand in src/op/suite and src/op/chain.def only.
# A name that Triton's or torch's own vocabulary has too (the tables of tile/, tensor/ and host/ list it in quotes) is
# a word of those languages: it may also stand in these three folders, and elsewhere after "tl.", "torch." or "F.". So are classes: nn.Name.
# So is what module/library spells out of PyTorch.
# The networks of text/, weights/, model/ and train/ have parts of the same names, and a prompt profile (data) names its example.
root=${1:-src}
ops=$(ls "$root"/op/suite/*.py | sed 's|.*/||; s|\.py$||')
norms=$(sed -n 's/^CHAIN_NORM(\([a-z_0-9]*\),.*/\1/p' "$root/op/chain.def")
[ -n "$ops" ] && [ -n "$norms" ] || { echo "opnames: no op found under $root/op"; exit 1; }

lines() { # of all files outside the suite that match the options and pattern given
    find "$root" -type f ! -path "$root/op/suite/*" ! -path "$root/op/chain.def" ! -path "$root/text/*" ! -path "$root/weights/*" \
        ! -path "$root/model/*" ! -path "$root/train/*" ! -path "$root/module/library/*" ! -path "$root/propose/profile/*" -exec grep -nH "$@" {} +
}
bad=0
for name in $ops $norms; do
    # A longer name that holds this one is another op, which has its own turn; rng_entropy is the operating system's.
    longer="s/rng_entropy//g"
    for other in $ops $norms; do
        case $other in "$name") ;; *"$name"*) longer="$longer; s/$other//g" ;; esac
    done
    if grep -qsE "[\" .]$name[\" ]" "$root"/tile/check/op.def "$root"/tensor/bound.def "$root"/host/policy/api.def "$root"/host/policy/library.def; then
        found=$(lines -w "$name" | grep -vE "^$root/(tile|tensor|host)/" |
            sed "s/\<\(tl\|torch\|F\)\.$name\>//g" | grep -w "$name")
    else # a piece of an identifier counts too; letters on either side do not, so that "property" names no op
        found=$(lines -iE "(^|[^a-z])$name([^a-z]|\$)" | sed "s/nn\.[A-Z][A-Za-z]*//g; $longer" | grep -iE ":.*(^|[^a-z])$name([^a-z]|\$)")
    fi
    [ -z "$found" ] && continue
    echo "$found" | sed "s|^|op \"$name\" is named outside the suite: |"
    bad=1
done
# The check must be able to fail: a tree whose one file names every op has to give one complaint for each.
if [ $# = 0 ]; then
    control=$(mktemp -d) || exit 1
    mkdir -p "$control/op/suite" "$control/smith"
    cp "$root"/op/suite/*.py "$control/op/suite/"
    cp "$root/op/chain.def" "$control/op/"
    for name in $ops $norms; do echo "if (op == ${name}_kernel) fast();"; done >"$control/smith/x.c"
    complaints=$(sh "$0" "$control" | wc -l)
    expected=$(echo "$ops" "$norms" | wc -w)
    rm -rf "$control"
    [ "$complaints" = "$expected" ] || { echo "opnames: the control gave $complaints complaints, not $expected"; bad=1; }
fi
exit $bad
