#!/bin/sh
# Hostile sources end in a clean rejection within five seconds each, or beyond a limit of ours; and the referee lives on.
. "$(dirname "$0")/lib.sh"
head='import torch
import triton
import triton.language as tl
'
kernel='@triton.jit
def k(x_ptr, y_ptr, s, N, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < N
    tl.store(y_ptr + r * N + c, tl.load(x_ptr + r * s + c, mask=m, other=0.0), mask=m)
'
rejected() { # NAME STATUSES FILE
    start=$(date +%s%N)
    timeout 20 "$bin" referee "$3" --op softmax --level quick --json >"$tmp/out" 2>"$tmp/err"
    code=$?
    ms=$((($(date +%s%N) - start) / 1000000))
    status=$(json "$tmp/out" status)
    case "|$2|" in
    *"|$status|"*) if [ "$code" = $([ "$status" = unsupported ] && echo 4 || echo 1) ] && [ "$ms" -lt 5000 ]; then echo "ok $1"; return; fi ;;
    esac
    echo "not ok $1: exit $code, status $status, $ms ms: $(head -c 300 "$tmp/out") $(head -c 200 "$tmp/err")"
}
host() { # NAME STATUSES BODY: a host function with this body
    printf '%s%sdef run(x):\n%s\n' "$head" "$kernel" "$3" >"$tmp/h.py"
    rejected "$1" "$2" "$tmp/h.py"
}
body() { # NAME STATUSES BODY: a kernel with this body
    printf '%s@triton.jit\ndef k(x_ptr, y_ptr, s, N, B: tl.constexpr):\n%s\ndef run(x):\n    y = torch.empty_like(x)\n    k[(x.shape[0],)](x, y, x.stride(0), x.shape[1], B=1024)\n    return y\n' "$head" "$3" >"$tmp/b.py"
    rejected "$1" "$2" "$tmp/b.py"
}
: >"$tmp/f.py"
rejected empty parse_reject "$tmp/f.py"
printf 'x = 1\0\n' >"$tmp/f.py"
rejected nul parse_reject "$tmp/f.py"
printf 'x = "\377\376"\n' >"$tmp/f.py"
rejected broken_utf8 parse_reject "$tmp/f.py"
head -c 52428800 /dev/zero | tr '\0' 'a' >"$tmp/f.py"
rejected fifty_megabytes parse_reject "$tmp/f.py"
head -c 1048577 /dev/zero | tr '\0' '\n' >"$tmp/f.py"
rejected one_byte_too_long parse_reject "$tmp/f.py"
{ printf 'def run(x):\n    return '; head -c 500000 /dev/zero | tr '\0' '('; } >"$tmp/f.py"
rejected deep_parentheses parse_reject "$tmp/f.py"
{ printf 'def run(x):\n    return '; head -c 900000 /dev/zero | tr '\0' '-'; printf 'x\n'; } >"$tmp/f.py"
rejected deep_unary parse_reject "$tmp/f.py"
{ printf 'def run(x):\n    return x'; i=0; while [ $i -lt 20000 ]; do printf '+1+1+1+1+1+1+1+1'; i=$((i + 1)); done; printf '\n'; } >"$tmp/f.py"
rejected long_sum 'parse_reject|host_error' "$tmp/f.py"
{ i=0; while [ $i -lt 200 ]; do printf '%*sif True:\n' "$i" ''; i=$((i + 1)); done; printf '%*spass\n' 200 ''; } >"$tmp/f.py"
rejected deep_blocks parse_reject "$tmp/f.py"
{ printf 'def run(x):\n    return f"'; i=0; while [ $i -lt 300 ]; do printf '{f"'; i=$((i + 1)); done; } >"$tmp/f.py"
rejected deep_f_strings parse_reject "$tmp/f.py"

host endless_while timeout '    while True:
        pass
    return x'
host endless_range 'timeout|host_error|parse_reject' '    n = 0
    for i in range(10**15):
        n = n + 1
    return x'
host recursion 'host_error|timeout' '    return run(x)'
host power_tower 'host_error|parse_reject' '    n = 10**10**10
    return x'
host huge_string 'host_error|parse_reject' '    s = "a" * 10**12
    return x'
host doubling_string 'host_error|parse_reject|timeout' '    s = "aaaaaaaaaaaaaaaa"
    for i in range(100):
        s = s + s
    return x'
host doubling_list 'host_error|parse_reject|timeout' '    s = [1]
    for i in range(100):
        s = s + s
    return x'
host huge_tensor host_error '    y = torch.empty((2**20, 2**20), device=x.device, dtype=x.dtype)
    return y'
host overflowing_tensor host_error '    y = torch.empty((2**40, 2**40), device=x.device, dtype=x.dtype)
    return y'
host many_tensors unsupported '    for i in range(10**9):
        y = torch.empty((1024, 1024), device=x.device, dtype=x.dtype)
    return x'
host huge_grid 'timeout|compile_fail|host_error|oob' '    y = torch.empty_like(x)
    k[(2**62,)](x, y, x.stride(0), x.shape[1], B=1024)
    return y'
host huge_grid_3d 'timeout|compile_fail|host_error|oob' '    y = torch.empty_like(x)
    k[(2**30, 60000, 60000)](x, y, x.stride(0), x.shape[1], B=1024)
    return y'
host negative_grid 'compile_fail|host_error|uncovered_output' '    y = torch.empty_like(x)
    k[(-1,)](x, y, x.stride(0), x.shape[1], B=1024)
    return y'
host huge_block compile_fail '    y = torch.empty_like(x)
    k[(1,)](x, y, x.stride(0), x.shape[1], B=2**40)
    return y'

body endless_kernel timeout '    i = 0
    while i < 1:
        i = i * 1'
body endless_for timeout '    acc = 0
    for i in range(0, 2**40):
        acc += 1
    tl.store(y_ptr, acc)'
body static_range 'compile_fail|timeout' '    for i in tl.static_range(10**9):
        tl.store(y_ptr, 1.0)'
body nested_static_range 'compile_fail|timeout' '    for i in tl.static_range(1000):
        for j in tl.static_range(1000):
            for l in tl.static_range(1000):
                tl.store(y_ptr, 1.0)'
body empty_static_range 'compile_fail|timeout|uncovered_output' '    for i in tl.static_range(10**9):
        pass'
body recursion 'compile_fail' '    k(x_ptr, y_ptr, s, N, B)'
body constant_overflow 'compile_fail' '    a: tl.constexpr = 10**10**10
    tl.store(y_ptr, a)'
body many_lanes 'compile_fail' '    a = tl.zeros([1024, 1024, 1024], dtype=tl.float32)
    tl.store(y_ptr, tl.sum(a))'
body far_pointer oob '    tl.store(y_ptr + 4611686018427387904, 1.0)'
body wild_pointer oob '    tl.store(y_ptr - 1, 1.0)'
body division_by_zero 'bad_value|compile_fail' '    tl.store(y_ptr, (N // (N - N)).to(tl.float32))'

check still_alive sh -c "$bin referee \$(grep -l '^# op: softmax' src/op/suite/gold/*.py | head -n 1) --op softmax --level quick"
