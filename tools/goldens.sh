#!/bin/sh
# goldens.sh PROGRAM N - a sample of the self-test: N of its programs, spread over all of them; each must get the status
# that its first lines expect.
set -u
program=$1
n=$2
files=$(ls src/op/suite/gold/*.py src/op/suite/honest/*.py src/op/suite/wrong/*.py test/exploit/*.py)
for file in $(echo "$files" | awk -v n="$n" '{ all[NR] = $0 } END { for (i = 0; i < n; i++) print all[int((i + 0.5) * NR / n) + 1] }'); do
    op=$(sed -n 's/^# op: *//p' "$file" | head -n 1)
    expected=$(sed -n 's/^# expect: *//p' "$file" | head -n 1)
    got=$("$program" referee "$file" --op "$op" --level full --seed 1 --json 2>/dev/null | sed -n 's/.*"status":"\([a-z_]*\)".*/\1/p')
    case "|${expected:-ok}|" in
    *"|${got:-nothing}|"*) echo "ok $file" ;;
    *) echo "not ok $file: $got instead of ${expected:-ok}" ;;
    esac
done
