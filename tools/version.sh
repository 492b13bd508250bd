#!/bin/sh
# version.sh [--debian] - the version of a package: the last tag v*, and how many commits ago. Without git, or without a tag, the
# release in src/base/version.h, which is what the program itself knows: verdicts carry it, and the verdict cache asks for
# the very same program, so that a commit that changes no code must not change a byte of it.
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
if [ "${1:-}" = --debian ]; then # 0.1-12-g6a60ef1 sorts behind 0.1 and before 0.1.1 or 0.2
    version=$(echo "$version" | sed 's/-\([0-9]*\)-g/+\1.g/')
fi
echo "$version"
