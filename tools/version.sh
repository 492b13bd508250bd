#!/bin/sh
# version.sh [--debian | --c] - the version of a package, and what `ouroboros --version` says: the last tag v*, and how many commits
# ago. Without git, or without a tag, it begins with the release in src/base/version.h, which verdicts carry. --c writes the
# C file with it that the program is linked with; nothing else depends on it (version.h).
set -u
cd "$(dirname "$0")/.." || exit 1
release=$(sed -n 's/^#define OUROBOROS_VERSION "\(.*\)"$/\1/p' src/base/version.h)
version=
# A source tree that was unpacked inside somebody else's repository is not that repository.
if [ "$(git rev-parse --show-cdup 2>/dev/null || echo none)" = "" ]; then
    version=$(git describe --tags --match 'v[0-9]*' 2>/dev/null)
    version=${version#v}
    [ -n "$version" ] || version=$release-0-g$(git rev-parse --short HEAD)
fi
version=${version:-$release}
case ${1:-} in
--debian) echo "$version" | sed 's/-\([0-9]*\)-g/+\1.g/' ;; # 0.1-12-g6a60ef1 sorts behind 0.1 and before 0.1.1 or 0.2
--c) printf '#include "base/version.h"\nconst char version_described[VERSION_BYTES] = "described as:\\n\\n\\n%.79s";\n' "$version" ;;
*) echo "$version" ;;
esac
