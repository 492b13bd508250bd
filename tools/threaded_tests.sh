#!/bin/sh
# threaded_tests.sh BUILD - those of the unit tests of a build, one to a line, that can start a thread: ThreadSanitizer finds
# nothing in the others. What links pthread_create can start one. Fails if it cannot tell a test that starts
# threads from one that does not.
set -u
[ $# = 1 ] || { echo "usage: threaded_tests.sh BUILD" >&2; exit 2; }
list=$(sh "$(dirname "$0")/list_tests.sh" "$1" | while read -r t; do
    nm "$t" | grep -q ' pthread_create' && echo "$t"
done)
case "$list" in *base/test_pool*) ;; *) echo "threaded_tests.sh: test_pool starts threads and is not found" >&2; exit 1 ;; esac
case "$list" in *base/test_str*) echo "threaded_tests.sh: test_str starts no thread and is found" >&2; exit 1 ;; esac
echo "$list"
