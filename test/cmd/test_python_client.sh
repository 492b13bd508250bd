#!/bin/sh
# test_python_client.sh BINARY - the Python client's own tests against the program.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
check python3_is_there python3 -c "import json, subprocess, threading, unittest"
OUROBOROS=$bin
PYTHONDONTWRITEBYTECODE=1
export OUROBOROS PYTHONDONTWRITEBYTECODE
timeout 600 python3 -W error::SyntaxWarning -m unittest discover -v -s "$root/clients/python/tests" >"$tmp/py.log" 2>&1
code=$?
# Each test counts by itself.
grep -E '^test_.* \.\.\. ok$' "$tmp/py.log" | awk '{ print "ok " $1 }'
grep -E '^test_.* \.\.\. (FAIL|ERROR)' "$tmp/py.log" | awk '{ print "not ok " $1 }'
tests=$(cat "$root"/clients/python/tests/test_*.py | grep -c 'def test_')
check all_of_them_ran sh -c "[ $code = 0 ] && [ \$(grep -cE '^test_.* \.\.\. ok\$' $tmp/py.log) = $tests ]"
[ "$code" = 0 ] || tail -n 40 "$tmp/py.log" | sed 's/^/    /'
