# lib.sh - helpers of the shell tests: each check prints "ok NAME" or "not ok NAME".
bin=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
XDG_STATE_HOME=$tmp/state
OUROBOROS_SEEDLING= # what nobody chose is the grammar smith; test_seedling.sh is about the model
export XDG_STATE_HOME OUROBOROS_SEEDLING
check() { # NAME COMMAND...
    checked=$1
    shift
    if "$@" >"$tmp/check.log" 2>&1; then echo "ok $checked"; else
        echo "not ok $checked"
        tail -n 5 "$tmp/check.log" | sed 's/^/    /'
    fi
}
# exits CODE COMMAND... : standard output in $tmp/out, standard error in $tmp/err
exits() {
    want=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ "$got" = "$want" ] && return 0
    echo "exit $got, expected $want: $*"
    tail -n 3 "$tmp/out" "$tmp/err"
    return 1
}
json() { # FILE KEY : a value of a flat JSON object on one line
    sed -n "s/.*\"$2\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$1" | head -n 1
}
interrupted() { # SECONDS COMMAND... : Ctrl-C after so long
    python3 "$(dirname "$0")/interrupt.py" "$@"
}
