#!/bin/sh
# Names of Triton before 3.3: refused with Triton 3.6's words, and with --old-names what stands for them now, with a
# warning; what never was stays refused. And imports of names that Triton does not have.
. "$(dirname "$0")/lib.sh"
suite=$(dirname "$0")/../../src/op/suite
gelu() { # a line of imports, and tanh
    cat <<END
import torch
import triton
import triton.language as tl
$1


@triton.jit
def gelu_kernel(x_ptr, out_ptr, sx, so, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + i, mask=i < N, other=0.0).to(tl.float32)
    y = 0.5 * x * (1.0 + $2(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    tl.store(out_ptr + row * so + i, y, mask=i < N)


def run(x):
    M, N = x.shape
    out = torch.empty_like(x)
    gelu_kernel[(M,)](x, out, x.stride(0), out.stride(0), N, BLOCK=triton.next_power_of_2(N))
    return out
END
}
judge() { op=$1; shift; "$bin" referee "$@" --op "$op" --level quick --seed 3 --json; }
says() { grep -q -- "$1" "$tmp/out"; }

# now: right today; old: right with --old-names; never: right with neither. The words that go with the refusal.
i=0
while IFS='|' read -r kind import call words; do
    i=$((i + 1))
    gelu "$import" "$call" >"$tmp/$i.py"
    case $kind in
    now) check "now_$i" exits 0 judge gelu "$tmp/$i.py" ;;
    *) check "refused_$i" exits 1 judge gelu "$tmp/$i.py" && check "words_$i" says "$words" ;;
    esac
    case $kind in
    now) check "as_before_$i" exits 0 judge gelu "$tmp/$i.py" --old-names && check "no_warning_$i" sh -c "! grep -q older '$tmp/out'" ;;
    old)
        check "taken_$i" exits 0 judge gelu "$tmp/$i.py" --old-names
        check "warned_$i" says 'older versions; Triton 3.6 has triton.language.extra.libdevice'
        check "recorded_$i" says '"old_names":true'
        ;;
    never) check "still_refused_$i" exits 1 judge gelu "$tmp/$i.py" --old-names && check "still_words_$i" says "$words" ;;
    esac
done <<'END'
now|from triton.language.extra import libdevice|libdevice.tanh|
now|from triton.language.extra.cuda import libdevice|libdevice.tanh|
now|from triton.language.extra.libdevice import tanh as th|th|
now|from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math|libdevice.tanh|
old||tl.math.tanh|module 'triton.language.math' has no attribute 'tanh'
old||tl.libdevice.tanh|module 'triton.language' has no attribute 'libdevice'
old|from triton.language import libdevice|libdevice.tanh|cannot import name 'libdevice' from 'triton.language'
old|from triton.language.libdevice import tanh|tanh|cannot import name 'tanh' from 'triton.language.libdevice'
old|from triton.language.math import tanh|tanh|cannot import name 'tanh' from 'triton.language.math'
old|import triton.language.libdevice as ld|ld.tanh|parse_reject
never||tl.tanh|module 'triton.language' has no attribute 'tanh'
never||tl.math.htan|module 'triton.language.math' has no attribute 'htan'
never|from triton.language import tanh|tanh|cannot import name 'tanh' from 'triton.language'
never|from torch._inductor.runtime.triton_helpers import tanh|tanh|only libdevice and math are known here
END

# An import fails whether or not its name is used.
gelu "from triton.language import cdiv, nothing" "1.0 * " >"$tmp/unused.py"
check unused_import exits 1 judge gelu "$tmp/unused.py"
check its_words says "cannot import name 'nothing' from 'triton.language'"

# tl.dot(trans_a=, trans_b=) of Triton 2.0
old_dot() { sed "s/i\[:, None\] <= i\[None, :\]).to/i[None, :] <= i[:, None]).to/; s/tl.dot(x, upper,/tl.dot(x, upper, $1/" "$suite/honest/cumsum_triangle_dot.py"; }
old_dot "trans_b=True, " >"$tmp/dot.py"
check dot_refused exits 1 judge cumsum "$tmp/dot.py"
check dot_words says "dot() got an unexpected keyword argument 'trans_b'"
check dot_taken exits 0 judge cumsum "$tmp/dot.py" --old-names
check dot_warned says 'tl.dot(trans_b=) is of older versions'
old_dot "trans_a=True, trans_b=True, " >"$tmp/dot.py"
check dot_of_something_else exits 1 judge cumsum "$tmp/dot.py" --old-names
check dot_is_wrong says '"status":"incorrect"'

# An answer kept under one setting is none under the other.
stream() { "$bin" referee --stream --level quick --jobs 1 "$@" <"$tmp/lines" >"$tmp/out"; }
python3 - "$tmp/5.py" >"$tmp/lines" <<'END'
import json, sys
print(json.dumps({"id": 1, "op": "gelu", "source": open(sys.argv[1]).read()}))
END
check stream_takes stream --old-names
check stream_accepts says '"accepted":true'
check stream_again stream
check no_key_in_common says '"status":"compile_fail"'
check stream_once_more stream --old-names
check from_the_journal says '"cached":true'
check explain exits 0 "$bin" explain "$tmp/5.py" --op gelu --level quick --old-names
check evidence says 'names of Triton before 3.3 were taken'
