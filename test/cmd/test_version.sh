#!/bin/sh
# The version comes from tags: tried in a repository with one, without one, and where there is no repository at all.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
said() { [ "$("$@")" = "$want" ] || { echo "not '$want': $("$@")"; return 1; }; }
check the_program_says_what_the_tool_says sh -c "[ \"\$('$bin' --version)\" = \"ouroboros \$(sh '$root/tools/version.sh')\" ]"
check a_verb_says_the_same sh -c "[ \"\$('$bin' mint --version)\" = \"\$('$bin' --version)\" ]"
# A release is tagged with the number that verdicts carry.
tag=$(git -C "$root" describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null)
release=$(sed -n 's/^#define OUROBOROS_VERSION "\(.*\)"$/\1/p' "$root/src/base/version.h")
check a_tag_here_is_the_release sh -c "[ -z '$tag' ] || [ '$tag' = 'v$release' ]"

repo=$tmp/repo
mkdir -p "$repo/tools" "$repo/src/base"
cp "$root/tools/version.sh" "$repo/tools"
cp "$root/src/base/version.h" "$repo/src/base"
in_repo() { git -C "$repo" -c user.name=a -c user.email=a@b.invalid "$@"; }
version() { sh "$repo/tools/version.sh" "$@"; }
want=$release
check without_git said version
in_repo init -q
in_repo add .
in_repo commit -qm one
first=$(in_repo rev-parse --short HEAD)
want=$release-0-g$first
check without_a_tag said version
in_repo tag ready-9
check a_tag_of_another_kind said version
in_repo tag v9.8
want=9.8
check at_a_tag said version
in_repo commit -q --allow-empty -m two
second=$(in_repo rev-parse --short HEAD)
want=9.8-1-g$second
check behind_a_tag said version
want=9.8+1.g$second
check for_packages said version --debian
version --c >"$tmp/version.c"
check as_a_file sh -c "grep -q '9.8-1-g$second\";' '$tmp/version.c'"
# Unpacked inside somebody else's repository.
mkdir -p "$repo/other/tools" "$repo/other/src/base"
cp "$repo/tools/version.sh" "$repo/other/tools"
cp "$repo/src/base/version.h" "$repo/other/src/base"
inside() { sh "$repo/other/tools/version.sh"; }
want=$release
check inside_another_repository said inside

# A program whose version alone differs is the same program: what one has judged answers the other. Any other byte counts.
python3 - "$bin" "$tmp" "$root/src/op/suite/gold/relu2.py" <<'P'
import json, os, sys
program, folder, source = sys.argv[1:]
data = bytearray(open(program, "rb").read())
at = data.index(b"described as:\n\n\n") + 16
def write(name, byte):
    other = bytearray(data)
    other[byte] = ord("9") if other[byte] != ord("9") else ord("8")
    with open(os.path.join(folder, name), "wb") as f:
        f.write(other)
    os.chmod(os.path.join(folder, name), 0o755)
write("renamed", at)
write("changed", data.index(b"usage: ouroboros"))
with open(os.path.join(folder, "line"), "w") as f:
    json.dump({"id": 1, "op": "relu2", "source": open(source).read()}, f)
    f.write("\n")
P
asks() { "$1" referee --stream --level quick <"$tmp/line" >"$tmp/out" 2>"$tmp/err" && grep -q '"accepted":true' "$tmp/out"; }
check judged_once asks "$bin"
check another_version_is_said sh -c "[ \"\$('$tmp/renamed' --version)\" != \"\$('$bin' --version)\" ]"
check another_version_is_the_same_program asks "$tmp/renamed"
check so_it_is_answered_from_the_journal grep -q '"cached":true' "$tmp/out"
check another_program_judges_anew asks "$tmp/changed"
check and_is_not_answered sh -c "! grep -q '\"cached\":true' '$tmp/out'"
