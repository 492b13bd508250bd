#!/bin/sh
# --suite DIR: the definitions of a folder stand beside the built-in ones for every verb that takes an op, and a folder
# that will not do is named with its reason before anything is judged.
. "$(dirname "$0")/lib.sh"
user=test/op/user
suite=$tmp/suite
mkdir -p "$suite"
cp $user/peak_swish.py $user/peak_swish_sum.py "$suite/"
kernel=$user/kernel/peak_swish.py

check lists_them sh -c "[ \$($bin ops --suite $suite | grep -c '^peak_swish') = 2 ]"
check lists_the_built_in_ones_too sh -c "$bin ops --suite $suite | grep -q '^softmax '"
check without_it_they_are_unknown exits 2 "$bin" ops peak_swish
check shows_one sh -c "$bin ops peak_swish_sum --suite $suite | grep -q 'def reference'"
check in_json sh -c "$bin ops --suite $suite --json | grep -q '\"op\":\"peak_swish_sum\"'"

check judges_by_name exits 0 "$bin" referee $kernel --op peak_swish --suite "$suite" --level quick
check the_verdict_names_it grep -q '^peak_swish: accepted' "$tmp/out"
check judges_the_other_one exits 1 "$bin" referee $kernel --op peak_swish_sum --suite "$suite" --level quick
check without_it_nothing_is_judged exits 2 "$bin" referee $kernel --op peak_swish --level quick
check proposes exits 0 "$bin" propose peak_swish_sum -n 2 --seed 1 --suite "$suite"
check mints exits 0 "$bin" mint peak_swish_sum -n 6 --seed 1 --suite "$suite" -o "$tmp/minted.py"
check minted_is_accepted exits 0 "$bin" referee "$tmp/minted.py" --op peak_swish_sum --suite "$suite" --level quick
"$bin" propose peak_swish -n 3 --seed 2 --suite "$suite" --json >"$tmp/proposed" 2>/dev/null
check stream exits 0 sh -c "$bin referee --stream --level quick --suite $suite <$tmp/proposed"
check stream_accepts sh -c "[ \$(grep -c '\"accepted\":true' $tmp/out) = 3 ]"

# The proof of the user's own: every small edit of a kernel that is right, for an op by name and by path.
check proves_by_name exits 0 "$bin" prove peak_swish $kernel --suite "$suite" --level quick --seed 1
for words in '^peak_swish, level quick: [1-9][0-9]* mutants' '^mask_store .* oob 1' '^killed by the checks: .*bounds [1-9]' \
    '^smallest margin: ' ': passed$'; do
    check "the_certificate_has_$words" grep -q "$words" "$tmp/out"
done
cp "$tmp/out" "$tmp/by_name"
check proves_by_path exits 0 "$bin" prove $user/peak_swish.py $kernel --level quick --seed 1
check both_certificates_are_equal cmp "$tmp/out" "$tmp/by_name"
check a_certificate_in_json exits 0 "$bin" prove peak_swish $kernel --suite "$suite" --level quick --seed 1 --json
for key in op level killed survived claimed score kinds killed_as statuses checks left smallest_margin; do
    check "proof_json_has_$key" grep -q "\"$key\":" "$tmp/out"
done
check a_wrong_kernel_proves_nothing exits 1 "$bin" prove peak_swish_sum $kernel --suite "$suite" --level quick
check and_says_so grep -q 'its mutants prove nothing' "$tmp/out"
check an_op_without_a_kernel_needs_a_file sh -c "! $bin prove peak_swish --suite $suite 2>$tmp/err && grep -q 'name a file' $tmp/err"
check a_chain_has_a_kernel exits 0 "$bin" prove rmsnorm_abs --level quick
check a_variant_has_that_of_its_op exits 0 "$bin" prove rmsnorm_short --level quick
# Terms that add nothing: mutants of them cannot be told from the original, and nobody has claimed them.
sed 's/^    s = h \* tl.sigmoid(h)$/    s = h * tl.sigmoid(h) + 0.0 * h + 0.0 * h + 0.0 * h + 0.0 * h + 0.0 * h + 0.0 * h/' $kernel >"$tmp/idle.py"
check idle_terms_survive exits 1 "$bin" prove peak_swish "$tmp/idle.py" --suite "$suite" --level quick
check survivors_come_with_their_diff sh -c "grep -A 2 '^survived: line' $tmp/out | grep -q '^    + '"

# Folders that will not do, each verb alike.
refuses() { # NAME CODE DIR WORDS
    for verb in ops "mint softmax -n 1" "prove softmax" "propose softmax -n 1" "referee $kernel --op softmax"; do
        name=$(echo "$verb" | cut -d' ' -f1)
        check "$1_refused_by_$name" exits "$2" "$bin" $verb --suite "$3"
        check "$1_named_by_$name" grep -q "$4" "$tmp/err"
    done
}
refuses no_folder 3 "$tmp/none" "$tmp/none"
mkdir "$tmp/empty" "$tmp/bad" "$tmp/clash" "$tmp/named"
refuses empty_folder 3 "$tmp/empty" 'no .py definition'
printf '"""An op."""\ninputs = {"x": {"shape": ("M", "N"), "scale": (1,)}}\n\n\ndef reference(x):\n    return x * 2\n' >"$tmp/bad/half.py"
refuses bad_definition 3 "$tmp/bad" 'bad/half.py:2:'
cp $user/peak_swish.py "$tmp/clash/softmax.py"
refuses taken_name 3 "$tmp/clash" 'the suite has an op of this name'
cp $user/peak_swish.py "$tmp/named/two words.py"
refuses bad_name 3 "$tmp/named" 'letters, digits and _'
