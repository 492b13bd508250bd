#!/bin/sh
# Helpers from files beside the candidate: --include DIR. What is imported is judged as if it stood in the file; what
# the folder does not hold, or is no helper, is named; and the key of duplicates knows the helpers' text.
. "$(dirname "$0")/lib.sh"
mkdir "$tmp/inc" "$tmp/other" "$tmp/bad" "$tmp/empty"
cat >"$tmp/inc/helpers.py" <<'END'
import triton
import triton.language as tl
from .consts import LOG2E, one, around
LIMIT = 3.0


@triton.jit
def _block_sum(x, n, BLOCK: tl.constexpr = 16):
    return tl.sum(tl.where(tl.arange(0, BLOCK) < n, x, 0.0), axis=0) * one(n)


@triton.jit
def _exp(x):
    return tl.exp2(x * LOG2E)


@triton.jit
def limited(x):
    return x * LIMIT


@triton.jit
def beyond(p, BLOCK: tl.constexpr):
    return tl.load(p + tl.arange(0, BLOCK))


@triton.jit
def softmax_kernel(x, out, sx, so, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r * sx + i, mask=i < N, other=-float("inf")).to(tl.float32)
    e = _exp(v - tl.max(v, axis=0))
    tl.store(out + r * so + i, e / _block_sum(e, N, BLOCK), mask=i < N)


def host_helper(n):
    return n
END
cat >"$tmp/inc/consts.py" <<'END'
import triton
import triton.language as tl
from helpers import around
LOG2E = tl.constexpr(1.4426950408889634)
WARPS = 4


@triton.jit
def one(n):
    return 1.0
END
echo 'def broken(:' >"$tmp/inc/broken.py"
ln -s /etc/hostname "$tmp/inc/linked.py"
printf 'x = 1\n' >"$tmp/inc/not-a-name.py"
cat >"$tmp/k.py" <<'END'
import torch
import triton
import triton.language as tl
from helpers import _block_sum as row_sum, _exp
from consts import WARPS


@triton.jit
def kernel(x, out, sx, so, N, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r * sx + i, mask=i < N, other=-float("inf")).to(tl.float32)
    e = _exp(v - tl.max(v, axis=0))
    tl.store(out + r * so + i, e / row_sum(e, N, BLOCK), mask=i < N)


def run(x):
    out = torch.empty_like(x)
    M, N = x.shape
    kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N), num_warps=WARPS)
    return out
END
# judge STATUS TEXT LINE4 [DIR]: the file with another fourth line
judge() {
    case $1 in ok) code=0 ;; unsupported) code=4 ;; *) code=1 ;; esac
    sed "4s|.*|$3|" "$tmp/k.py" >"$tmp/other.py"
    exits $code "$bin" referee "$tmp/other.py" --op softmax --level quick --seed 3 --json ${4:+--include "$4"} || return 1
    [ "$(json "$tmp/out" status)" = "$1" ] && grep -qF -- "$2" "$tmp/out" && return 0
    cat "$tmp/out"
    return 1
}
both='from helpers import _block_sum as row_sum, _exp'
check accepted judge ok include_sha256 "$both" "$tmp/inc"
check relative judge ok include_sha256 "$(echo "$both" | sed 's/helpers/.helpers/')" "$tmp/inc"
check without_folder judge unsupported 'helpers from helpers.py need --include DIR' "$both"
check another_file judge unsupported 'none of the helper files that --include gives (broken, consts, helpers)' \
    'from elsewhere import row_sum, _exp' "$tmp/inc"
check folder_above judge unsupported 'from `..helpers`: what it is stands in a file of that package' 'from ..helpers import row_sum, _exp' "$tmp/inc"
check dotted judge unsupported 'import of `row_sum` from `inc.helpers`: ' 'from inc.helpers import row_sum, _exp' "$tmp/inc"
check link_is_no_file judge unsupported 'import: ' 'from linked import row_sum, _exp' "$tmp/inc"
check no_such_name judge parse_reject 'helpers.py has no such name' 'from helpers import row_sum, _exp' "$tmp/inc"
check star judge parse_reject 'name the helpers that are used' 'from helpers import *' "$tmp/inc"
check module_name_kept judge parse_reject "may not be given to anything else" \
    'from helpers import _block_sum as row_sum, _exp as tl' "$tmp/inc"
check host_function judge ok include_sha256 'from helpers import host_helper, _block_sum as row_sum, _exp' "$tmp/inc"
check host_function_renamed judge unsupported 'host code of --include is taken where functions of this file call it' \
    'from helpers import host_helper as h, _block_sum as row_sum, _exp' "$tmp/inc"
check broken_file judge unsupported 'broken.py, which --include gives, cannot be read: line 1' \
    'from broken import row_sum, _exp' "$tmp/inc"
check plain_global judge compile_fail 'Cannot access global variable LIMIT' \
    'from helpers import _block_sum as row_sum, limited as _exp' "$tmp/inc"
check plain_global_placed grep -q '(helpers.py, line 19), on input' "$tmp/out"
check in_a_circle judge compile_fail 'maximum recursion depth' 'from helpers import _block_sum as row_sum; from consts import around as _exp' \
    "$tmp/inc"
# Faults inside a helper are said about the call.
sed 's/    e = _exp/    w = beyond(x + r * sx, BLOCK)\n    e = _exp/' "$tmp/k.py" >"$tmp/k2.py"
beyond() {
    sed "4s/\$/, beyond/" "$tmp/k2.py" >"$tmp/beyond.py"
    exits 1 "$bin" referee "$tmp/beyond.py" --op softmax --level quick --seed 3 --include "$tmp/inc" &&
        grep -q 'rejected (oob' "$tmp/out" && grep -q '^line 13:9: load outside' "$tmp/out"
}
check fault_in_helper beyond
# A kernel of a helper file, launched by a run of the candidate's own, and from a manifest.
awk '/^@triton.jit/ { skip = 1 } /^def run/ { skip = 0 } !skip' "$tmp/k.py" |
    sed '4s/.*/from helpers import softmax_kernel as kernel/' >"$tmp/launch.py"
check launched exits 0 "$bin" referee "$tmp/launch.py" --op softmax --include "$tmp/inc"
sed '/^def run/,$d' "$tmp/k.py" >"$tmp/kernel_only.py"
cat >"$tmp/m.json" <<'END'
{"kernel": "kernel", "args": ["x", "out", "x.stride(0)", "out.stride(0)", "N"], "grid": ["x.shape[0]"],
 "constexprs": {"BLOCK": "triton.next_power_of_2(N)"}, "values": {"N": "x.shape[1]"},
 "outputs": {"out": {"shape": "x.shape", "dtype": "x.dtype"}}}
END
check manifest exits 0 "$bin" referee "$tmp/kernel_only.py" --op softmax --level quick --manifest "$tmp/m.json" \
    --include "$tmp/inc"
check explain exits 0 "$bin" explain "$tmp/k.py" --op softmax --level quick --include "$tmp/inc"
# A package: its __init__.py hands on what its files define, and they import from each other by dots.
mkdir -p "$tmp/packages/ops/math"
sed "s/from helpers/from .exps/" "$tmp/inc/consts.py" >"$tmp/packages/ops/math/consts.py"
printf 'from .exps import limited\n' >"$tmp/packages/ops/math/__init__.py"
sed 's/from .consts/from ..math.consts/' "$tmp/inc/helpers.py" >"$tmp/packages/ops/math/exps.py"
printf 'from .math.exps import softmax_kernel\n' >"$tmp/packages/ops/__init__.py"
sed 's/from helpers import/from ops import/; s/from consts/from ops.math.consts/' "$tmp/launch.py" >"$tmp/package.py"
check package exits 0 "$bin" referee "$tmp/package.py" --op softmax --level quick --include "$tmp/packages"
printf 'from .math.none import softmax_kernel\n' >"$tmp/packages/ops/__init__.py"
check package_lacks exits 1 "$bin" referee "$tmp/package.py" --op softmax --level quick --include "$tmp/packages"
rm "$tmp/packages/ops/__init__.py"
check no_package exits 3 "$bin" referee "$tmp/package.py" --op softmax --level quick --include "$tmp/packages"

# A module of a package by its own name, with an empty __init__.py: its members are the helpers that they are.
mkdir -p "$tmp/modules/pkg"
: >"$tmp/modules/pkg/__init__.py"
cp "$tmp/inc/helpers.py" "$tmp/inc/consts.py" "$tmp/modules/pkg/"
sed -i 's/^from helpers/from .helpers/' "$tmp/modules/pkg/consts.py"
# member EXIT SED: the file that asks the module for them
member() {
    sed 's/^from helpers .*/from pkg import consts, helpers as ops/; /^from consts/d; s/_exp(v/ops._exp(v/
        s/row_sum(/ops._block_sum(/; s/=WARPS/=consts.WARPS/'";$2" "$tmp/k.py" >"$tmp/member.py"
    exits "$1" "$bin" referee "$tmp/member.py" --op softmax --level quick --include "$tmp/modules"
}
check module_of_a_package member 0 ''
check module_lacks member 1 's/ops._exp/ops.exponential/'
# Names of functions are their own, as in Python.
check module_and_a_local_name member 0 's/^    M, N = x.shape/    M, N = x.shape\n    ops = M/'
check module_and_a_parameter member 0 's/^def run/def half(ops):\n    return ops \/\/ 2\n\n\ndef run/; s/N, BLOCK=/half(2 * N), BLOCK=/'
check module_and_a_lambda member 0 's/N, BLOCK=/(lambda ops: ops)(N), BLOCK=/'
check module_hidden_where_it_is_asked member 4 's/^    M, N = x.shape/    consts, N = x.shape\n    M = consts/'
check module_bound_again member 4 's/^def run/ops = 3\n\n\ndef run/'
check module_in_a_comprehension member 4 's/N, BLOCK=/[ops for ops in [N]][0], BLOCK=/'
echo 'helpers = 3' >"$tmp/modules/pkg/__init__.py"
check the_package_means_another member 1 ''
# What a file of --include gives a member of another one, by whatever statement: nobody knows that member. A package's own
# names, by `import *` and __getattr__ too, go before its modules, a folder before a file; a file itself changes no module.
: >"$tmp/modules/pkg/__init__.py"
printf 'import triton.language as tl\nfrom . import helpers\nhelpers.LOG2E = tl.constexpr(2.0)\n' >"$tmp/modules/pkg/sets.py"
check member_set_by_another member 4 ''
printf 'from . import helpers\nsetattr(helpers, "LOG2E", 2.0)\n' >"$tmp/modules/pkg/sets.py"
check member_set_by_setattr member 4 ''
printf 'import sys\nsys.modules["pkg.helpers"] = sys\n' >"$tmp/modules/pkg/sets.py"
check module_replaced member 4 ''
printf 'class Own:\n    def __init__(self):\n        self.LOG2E = 2.0\n' >"$tmp/modules/pkg/sets.py"
check member_of_an_object member 0 ''
rm "$tmp/modules/pkg/sets.py"
check module_changed_here member 1 's/^import torch/import torch\nfrom pkg import consts as c\nc.WARPS = 8/'
echo 'from .other import *' >"$tmp/modules/pkg/__init__.py"
check package_brings_names member 4 ''
printf 'def __getattr__(name):\n    return 3\n' >"$tmp/modules/pkg/__init__.py"
check package_is_asked member 4 ''
: >"$tmp/modules/pkg/__init__.py"
mkdir "$tmp/modules/pkg/helpers"
sed 's/LOG2E)/1.0)/' "$tmp/modules/pkg/helpers.py" >"$tmp/modules/pkg/helpers/__init__.py"
check folder_before_file member 1 ''
rm -r "$tmp/modules/pkg/helpers"
check module_again member 0 ''
# What a file of a package binds inside `if`: where the condition has one answer, that; else nobody knows the name.
mkdir -p "$tmp/branches/pk"
: >"$tmp/branches/pk/__init__.py"
cat >"$tmp/util.py" <<'END'
import torch
import triton
import triton.language as tl

IS_HIP = torch.version.hip is not None
if IS_HIP:
    WIDTH: tl.constexpr = 3
    FACTOR = tl.constexpr(3)
else:
    FACTOR = tl.constexpr(1)

if hasattr(tl, "gather"):
    @triton.jit
    def act(x):
        x = tl.maximum(x, 0.0) * FACTOR
        return x * x
else:
    @triton.jit
    def act(x):
        return x
END
cat >"$tmp/branches.py" <<'END'
import torch
import triton
import triton.language as tl
from pk.util import act


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * n + cols, act(x), mask=cols < n)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    return y
END
branches() { # exit code, sed's change of the file
    sed "$2" "$tmp/util.py" >"$tmp/branches/pk/util.py"
    exits "$1" "$bin" referee "$tmp/branches.py" --op relu2 --level quick --dtype fp32 --shape 3x300 --include "$tmp/branches"
}
check bound_inside_if branches 0 ''
check other_constant branches 1 's/FACTOR = tl.constexpr(1)/FACTOR = tl.constexpr(2)/'
check other_function branches 1 's/"gather"/"nothing"/'
check no_one_answer branches 4 's/if IS_HIP:/if torch.cuda.device_count() > 1:/'
check no_one_function branches 4 's/hasattr(tl, "gather")/torch.cuda.device_count() > 1/'
check bound_again branches 4 's/^if hasattr/if torch.cuda.device_count() > 1:\n    FACTOR = tl.constexpr(3)\nif hasattr/'
check changed branches 4 's/^if hasattr/FACTOR += 2\nif hasattr/'
check for_main branches 0 's/^if hasattr/if __name__ == "__main__":\n    FACTOR = 3\nif hasattr/'
# Host functions: put behind the file with what they reach, and judged there as if they stood in it.
mkdir -p "$tmp/hosts/pk"
: >"$tmp/hosts/pk/__init__.py"
cat >"$tmp/sizes.py" <<'END'
import functools
import torch
import triton
import triton.language as tl
from .numbers import LONGEST, half

WARPS = 4


@functools.lru_cache(maxsize=None)
def settings(n):
    block = min(LONGEST, triton.next_power_of_2(n))
    return block, WARPS


@triton.jit
def relu2(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + row * n + cols, x * x, mask=cols < n)


def launch(x, y):
    block, warps = settings(x.shape[1])
    relu2[(x.shape[0], triton.cdiv(x.shape[1], block))](x, y, x.stride(0), x.shape[1], BLOCK=block, num_warps=warps)
    return y


def by_torch(x):
    return torch.relu(x) * torch.relu(x)
END
cat >"$tmp/numbers.py" <<'END'
LONGEST = 256


def half(n):
    return n // 2
END
cat >"$tmp/hosts.py" <<'END'
import torch
from pk.sizes import (
    launch)


def run(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    return launch(x, y)
END
hosts() { # EXIT TEXT, sed's changes of the file, of sizes.py, of numbers.py
    sed "$3" "$tmp/hosts.py" >"$tmp/h.py"
    sed "$4" "$tmp/sizes.py" >"$tmp/hosts/pk/sizes.py"
    sed "$5" "$tmp/numbers.py" >"$tmp/hosts/pk/numbers.py"
    exits "$1" "$bin" referee "$tmp/h.py" --op relu2 --level quick --dtype fp32 --shape 3x300 --seed 1 \
        --include "$tmp/hosts" && grep -qF -- "$2" "$tmp/out" && return 0
    cat "$tmp/out"
    return 1
}
taken='host code of --include is taken where'
check hosts hosts 0 accepted '' '' ''
check hosts_fault hosts 1 'of a file of --include: ' '' 's/cols < n, other/cols <= n, other/' ''
check hosts_wrong hosts 1 incorrect '' 's/x \* x/x/' ''
check hosts_policy hosts 1 parse_reject 's/launch/by_torch/; s/, y)/)/' '' ''
check hosts_constant hosts 1 compile_fail '' '' 's/256/300/'
check hosts_kernel_beside hosts 0 accepted 's/launch)$/launch, relu2)/' '' ''
check hosts_own_name hosts 4 "$taken" 's/^def run/WARPS = 8\n\n\ndef run/' '' ''
check hosts_own_builtin hosts 4 "$taken" 's/^def run/def min(a, b):\n    return a\n\n\ndef run/' '' ''
check hosts_own_module hosts 4 "$taken" 's/^import torch/import torch\nfrom math import floor as root/' \
    's/^import functools/import functools\nfrom math import sqrt as root/; s/block, WARPS$/block, WARPS if root(4) else 2/' ''
check hosts_asked_here hosts 4 "$taken" 's/, y)/, y if WARPS else x)/' '' ''
check hosts_two_meanings hosts 4 "$taken" '' 's/import LONGEST, half/import LONGEST, half\nWARPS = half(8)/' 's/^LONG/WARPS = 2\nLONG/; s/n \/\//n * WARPS \/\//'
check hosts_when_read hosts 4 "$taken" 's/^def run/Y = launch(1, 2)\n\n\ndef run/' '' ''
check hosts_decorator hosts 4 "$taken" 's/^def run/@launch\ndef run/' '' ''
check hosts_under_another_name hosts 4 "$taken" 's/launch)$/launch as go)/; s/launch(x, y)/go(x, y)/' '' ''
check hosts_import_all hosts 4 "$taken" '' 's/^from .numbers.*/from .numbers import */' ''
check hosts_changed hosts 4 'or a file changes it' '' '' 's/^LONG/from . import sizes\nsizes.WARPS = 8\nLONG/'
patched() { # EXIT FILE TEXT: another file of the package says so when it is imported
    echo "$3" >"$tmp/hosts/pk/$2"
    hosts "$1" '' '' '' ''
    got=$?
    : >"$tmp/hosts/pk/__init__.py"
    rm -f "$tmp/hosts/pk/other.py"
    return $got
}
check hosts_patched_by_the_package patched 4 __init__.py 'import triton; triton.cdiv = lambda a, b: 1'
check hosts_patched_by_setattr patched 4 __init__.py 'import triton as t; setattr(t, "cdiv", min)'
check hosts_patched_in_what_is_imported patched 4 __init__.py 'from triton import Config; Config.x = 3'
check hosts_not_patched patched 0 other.py 'import triton; triton.cdiv = lambda a, b: 1'
check hosts_own_object patched 0 __init__.py 'class A: pass
A.x = 3'
check hosts_state hosts 1 parse_reject '' 's/    block, warps/    global WARPS\n    block, warps/' ''
check hosts_side_effect hosts 4 'or a file changes it, or torch or Triton' '' 's/^WARPS = 4/WARPS = 4\ntriton.cdiv = min/' ''
check hosts_condition hosts 0 accepted '' 's/^WARPS = 4/if hasattr(tl, "gather"):\n    WARPS = 4\nelse:\n    WARPS = "x"/' ''
# What another file does to it while it is imported.
check hosts_table_changed patched 4 __init__.py 'from .sizes import TABLE
TABLE["s"] = 2'
check hosts_patched_by_a_function patched 4 __init__.py 'import triton
def p(m):
    m.cdiv = min
p(triton)'
check hosts_unread_package patched 4 __init__.py 'def broken(:'
many() { # N: so many more statements of numbers.py
    hosts "$2" "$3" '' '' "s/^LONG/$(seq "$1" | sed 's/.*/X& = 1\\n/' | tr -d '\n')LONG/"
}
check hosts_many_statements many 900 0 accepted
check hosts_too_many_statements many 1000 4 "$taken"
check hosts_quiet_package patched 0 __init__.py 'from .sizes import settings
TABLE = {}
TABLE["s"] = settings'
check hosts_bound_again_behind hosts 4 'or a file changes it' 's/pk.sizes/pk.numbers/' '' \
    's/^LONG/from .sizes import launch\nfor launch in [min]:\n    pass\nLONG/'
check hosts_circle hosts 4 "$taken" '' '' 's/^LONG/from .sizes import WARPS\nLONG/; s/n \/\//n * WARPS \/\//'
check hosts_other_value hosts 4 'is no number, text or kernel' 's/launch)$/launch, power)/; s/, y)/, y) if power(4) else y/' 's/^WARPS = 4/WARPS = 4\npower = triton.next_power_of_2/' ''
check hosts_again hosts 0 accepted '' '' ''
check hosts_explained exits 0 "$bin" explain "$tmp/h.py" --op relu2 --level quick --include "$tmp/hosts"
check hosts_in_json sh -c "'$bin' referee '$tmp/h.py' --op relu2 --level quick --include '$tmp/hosts' --json | grep -q 'Of pk.numbers.py, which --include gives'"
# A module of a package that the file itself imports by dots: from where the file lies.
mkdir -p "$tmp/unsloth/kernels"
: >"$tmp/unsloth/__init__.py"
: >"$tmp/unsloth/kernels/__init__.py"
sed 's/^from pk.sizes.*/from .utils import (calculate_settings, /; s/^    launch)$/    torch_gpu_device)/
    s/    return launch.*/    block, _ = calculate_settings(x.shape[1])\n    with torch_gpu_device(x.device):\n        kernel[(x.shape[0],)](x, y, x.stride(0), x.shape[1], BLOCK=block)\n    return y/' \
    "$tmp/hosts.py" >"$tmp/unsloth/kernels/k.py"
sed -n '/^@triton.jit/,/^    tl.store/p' "$tmp/sizes.py" | sed 's/relu2/kernel/' >>"$tmp/unsloth/kernels/k.py"
check dots_of_a_package exits 0 "$bin" referee "$tmp/unsloth/kernels/k.py" --op relu2 --level quick --dtype fp32 --shape 3x300
# A package that is called like a known one is what its files say: never what the table says of its names.
mkdir -p "$tmp/own/unsloth/kernels"
: >"$tmp/own/unsloth/__init__.py"
: >"$tmp/own/unsloth/kernels/__init__.py"
own() { # EXIT TEXT: the package's utils.py; empty: it has none
    rm -f "$tmp/own/unsloth/kernels/utils.py"
    [ -z "$2" ] || printf '%s\n' "$2" >"$tmp/own/unsloth/kernels/utils.py"
    exits "$1" "$bin" referee "$tmp/unsloth/kernels/k.py" --op relu2 --level quick --dtype fp32 --shape 3x300 --seed 1 \
        --include "$tmp/own"
}
check own_package_lacks own 4 ''
check own_package_by_star own 4 'from .other import *'
check own_package_by_condition own 4 'if True:
    calculate_settings = torch_gpu_device = min'
check own_package_by_getattr own 4 'def __getattr__(name):
    return min'
rm "$tmp/unsloth/__init__.py"
check dots_of_another exits 4 "$bin" referee "$tmp/unsloth/kernels/k.py" --op relu2 --level quick --dtype fp32 --shape 3x300
# Modules that the files of a package ask for by name.
sed 's/^from .consts.*/from . import consts as c/; s/LOG2E/c.LOG2E/; s/one(n)/c.one(n)/; /around/d' "$tmp/inc/helpers.py" >"$tmp/modules/pkg/helpers.py"
sed -i '/helpers/d' "$tmp/modules/pkg/consts.py"
check module_inside_a_package member 0 ''
sed -i 's/    return tl.exp2/    c = c.LOG2E\n    return tl.exp2/' "$tmp/modules/pkg/helpers.py"
check module_inside_hidden member 1 ''
# The folder itself.
printf 'x = 1\n' >"$tmp/bad/torch.py"
check hides_a_module exits 3 "$bin" referee "$tmp/k.py" --op softmax --include "$tmp/bad"
check hides_said grep -q 'torch.py would hide a module' "$tmp/err"
check empty_folder exits 3 "$bin" referee "$tmp/k.py" --op softmax --include "$tmp/empty"
head -c 1100000 /dev/zero | tr '\0' '#' >"$tmp/empty/large.py"
check too_large exits 3 "$bin" referee "$tmp/k.py" --op softmax --include "$tmp/empty"
check no_folder exits 3 "$bin" referee "$tmp/k.py" --op softmax --include "$tmp/nowhere"
# A duplicate is one only with the same helpers.
cp "$tmp/inc/consts.py" "$tmp/other/"
sed 's/return tl.exp2(x \* LOG2E)/return tl.exp2(x)/' "$tmp/inc/helpers.py" >"$tmp/other/helpers.py"
python3 -c 'import json, sys
print(json.dumps({"id": 1, "op": "softmax", "source": open(sys.argv[1]).read()}))' "$tmp/k.py" >"$tmp/lines"
stream() { # DIR GREP
    "$bin" referee --stream --include "$tmp/$1" <"$tmp/lines" >"$tmp/out" 2>"$tmp/err" && grep -q "$2" "$tmp/out"
}
check stream stream inc '"status":"ok"'
check stream_cached stream inc '"cached":true'
check stream_others stream other '"status":"incorrect"'
not_cached() { ! grep -q cached "$tmp/out"; }
check stream_others_judged not_cached
python3 -c 'import json, sys
print(json.dumps({"id": 1, "op": "relu2", "source": open(sys.argv[1]).read()}))' "$tmp/h.py" >"$tmp/lines"
check hosts_in_a_stream stream hosts '"status":"ok"'
