#!/bin/sh
# planted.sh BUILD - every mistake of test/planted.c ends a program of this build, and its report names the function: what the
# sanitizers find in the tests can be believed. Without a mistake nothing is reported.
set -u
program=$1/test/planted
bad=0
wrong() { echo "$1"; bad=1; }
said=$("$program" 2>&1) && [ -z "$said" ] || wrong "no mistake, and it is reported: $said"
reported() { # MISTAKE WORDS
    said=$("$program" "$1" 2>&1) && wrong "$1 is not noticed"
    case $said in *"$2"*) ;; *) wrong "$1: no report says \"$2\": $said" ;; esac
    case $said in *" in $1 "* | *"planted.c:"*) ;; *) wrong "$1: the report names no place: $said" ;; esac
}
reported past_the_heap heap-buffer-overflow
reported past_the_stack stack-buffer-overflow
reported past_the_arena use-after-poison
reported after_free heap-use-after-free
reported signed_overflow "signed integer overflow"
reported no_bool "not a valid value for type"
reported leak "detected memory leaks"
exit $bad
