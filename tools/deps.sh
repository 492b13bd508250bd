#!/bin/sh
# deps.sh [build|check] - installs what is missing, and only then touches apt-get. Offline once all is there.
what=${1:-build}
missing=""
need() { # PACKAGE COMMAND... : the command proves that the package is there
    p=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $p"
}
need gcc command -v gcc
need libc6-dev test -e /usr/include/stdio.h
need pkg-config command -v pkg-config
need libjansson-dev pkg-config --exists jansson
need libseccomp-dev pkg-config --exists libseccomp
need libmd-dev pkg-config --exists libmd
need libpcre2-dev pkg-config --exists libpcre2-8
need libutf8proc-dev pkg-config --exists libutf8proc
need libsqlite3-dev pkg-config --exists sqlite3
need libopenblas-pthread-dev pkg-config --exists openblas
need libcurl4-openssl-dev pkg-config --exists libcurl
if [ "$what" = check ]; then
    need libcmocka-dev pkg-config --exists cmocka
    need clang command -v clang
    need llvm command -v llvm-symbolizer # names functions in clang's reports
    need python3 python3 -c "import http.server, json, ssl, subprocess, threading, unittest" # for tests of clients/python, programs and servers
    need python3-venv python3 -c "import ensurepip, venv" # installs clients/python, offline
    need libclang-rt-dev sh -c 'test -e "$(clang -print-resource-dir 2>/dev/null)/lib/linux/libclang_rt.fuzzer-x86_64.a"'
fi
[ -z "$missing" ] && exit 0
sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo -n"
run="env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$missing"
echo "installing:$missing" >&2
if { $sudo true && $sudo apt-get update -qq && $sudo $run -qq >/dev/null; } 2>/tmp/ouroboros-deps.$$; then
    rm -f /tmp/ouroboros-deps.$$
    exit 0
fi
cat /tmp/ouroboros-deps.$$ >&2
rm -f /tmp/ouroboros-deps.$$
echo "cannot install packages here; as root, run:  apt-get update && $run" >&2
exit 1
