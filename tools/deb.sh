#!/bin/sh
# deb.sh PROGRAM - build/ouroboros_VERSION_ARCH.deb: what `make install` installs, below /usr, as a Debian package.
set -eu
cd "$(dirname "$0")/.."
program=$1
for tool in dpkg-deb dpkg-shlibdeps gzip; do
    command -v $tool >/dev/null || { echo "deb: $tool is missing (apt-get install dpkg-dev)" >&2; exit 3; }
done
version=$(sh tools/version.sh --debian)
arch=$(dpkg --print-architecture)
stage=build/deb
maintainer="The Ouroboros authors <maintainers@ouroboros.invalid>"
# The time of the commit, not of the build: the same source gives the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s -r src/base/version.h)}
export SOURCE_DATE_EPOCH
rm -rf "$stage"
umask 022
mkdir -p "$stage/root/DEBIAN" "$stage/debian"
root=$PWD/$stage/root
share=$root/usr/share
strip -o "$stage/ouroboros" --remove-section=.comment --remove-section=.note "$program"
DESTDIR=$root sh tools/install.sh install "$stage/ouroboros" /usr
# A package manager keeps the list of files itself, and Debian has names of its own for three things.
rm -r "$share/ouroboros"
doc=$share/doc/ouroboros
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: ouroboros\n\n'
    printf 'Files: *\nCopyright: 2026 The Ouroboros authors\nLicense: Expat\n'
    sed '1,/^Copyright/d; s/^$/./; s/^/ /' LICENSE | sed '1{/^ \.$/d}'
} >"$doc/copyright"
rm "$doc/LICENSE"
printf 'ouroboros (%s) unstable; urgency=medium\n\n  * Built from the source tree; CHANGELOG.md there tells what changed.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
if [ -d "$share/zsh/site-functions" ]; then mv "$share/zsh/site-functions" "$share/zsh/vendor-completions"; fi
find "$share/man" -name '*.1' -exec gzip -9n {} + 2>/dev/null || true
# dpkg-shlibdeps wants a source package's control file beside it.
printf 'Source: ouroboros\n\nPackage: ouroboros\nArchitecture: any\n' >"$stage/debian/control"
libraries=$(cd "$stage" && dpkg-shlibdeps -O "root/usr/bin/ouroboros" | sed -n 's/^shlibs:Depends=//p')
cat >"$root/DEBIAN/control" <<END
Package: ouroboros
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$root/usr" | cut -f1)
Depends: $libraries
Recommends: libcurl4, libopenblas0-pthread | libopenblas0, ca-certificates
Section: devel
Priority: optional
Description: referee for GPU kernels that language models write
 Ouroboros proposes Triton kernels for an operation, or takes them from a
 language model, and judges each: it parses the kernel itself, runs it in its
 own tile machine in a sandboxed process, and compares every output element
 with a float64 oracle. It needs no Python, no GPU and no download.
END
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
deb=build/ouroboros_${version}_$arch.deb
dpkg-deb --root-owner-group --build "$root" "$deb" >/dev/null
echo "$deb"
