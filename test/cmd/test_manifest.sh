#!/bin/sh
# Kernels without a run of their own: judged by a manifest. The answer has to be as right as with a run of one's
# own, and a manifest that is none is wrong usage, before anything runs.
. "$(dirname "$0")/lib.sh"
cat >"$tmp/k.py" <<'END'
import os
import torch
import torch.nn as nn
import triton
import triton.language as tl
from torch.utils.cpp_extension import load_inline


class ModelNew(nn.Module):
    def forward(self, x):
        with torch.cuda.device(x.device):
            return softmax(x)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + cols, p / tl.sum(p, axis=0), mask=mask)


@triton.jit
def exp_kernel(x_ptr, p_ptr, sum_ptr, x_stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(p_ptr + row * N + cols, p, mask=cols < N)
    tl.atomic_add(sum_ptr + row, tl.sum(p, axis=0))


@triton.jit
def divide_kernel(p_ptr, sum_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(1).to(tl.int64)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(p_ptr + row * N + cols, mask=cols < N)
    tl.store(out_ptr + row * N + cols, p / tl.load(sum_ptr + row), mask=cols < N)


def softmax(x):
    return os.environ[x]
END
cat >"$tmp/one.json" <<'END'
{
  "kernel": "softmax_kernel",
  "values": {"M": "x.shape[0]", "N": "x.shape[1]"},
  "outputs": {"out": {"shape": ["M", "N"], "dtype": "x.dtype"}},
  "args": ["x", "out", "x.stride(0)", "out.stride(0)", "N"],
  "constexprs": {"BLOCK": "triton.next_power_of_2(N)"},
  "grid": ["M"],
  "num_warps": "8 if N > 2048 else 4"
}
END
cat >"$tmp/two.json" <<'END'
{
  "values": {"M": "x.shape[0]", "N": "x.shape[1]"},
  "outputs": {"out": {"shape": "x.shape", "dtype": "x.dtype"}},
  "scratch": {"p": {"shape": ["M", "N"], "dtype": "torch.float32"},
              "s": {"shape": ["M"], "dtype": "torch.float32", "fill": 0}},
  "launches": [
    {"kernel": "exp_kernel", "args": ["x", "p", "s", "x.stride(0)", "N"],
     "constexprs": {"BLOCK": "triton.next_power_of_2(N)"}, "grid": ["M"]},
    {"kernel": "divide_kernel", "args": ["p", "s", "out", "N"], "constexprs": {"BLOCK": 128},
     "grid": ["triton.cdiv(N, META['BLOCK'])", "M"], "num_warps": 4}
  ]
}
END
judge() { "$bin" referee "$tmp/k.py" --op softmax --level "${level:-quick}" --manifest "$@"; }
says() { # CODE TEXT COMMAND...: the text is said on either stream
    code=$1
    text=$2
    shift 2
    exits "$code" "$@" && grep -qF -e "$text" "$tmp/out" "$tmp/err"
}
changed() { sed "$2" "$tmp/$1.json" >"$tmp/changed.json" && ! cmp -s "$tmp/$1.json" "$tmp/changed.json"; }

check its_own_host_code_is_refused says 1 "import" "$bin" referee "$tmp/k.py" --op softmax --level quick
check one_launch exits 0 judge "$tmp/one.json"
level=full
check one_launch_full exits 0 judge "$tmp/one.json"
level=
check two_launches exits 0 judge "$tmp/two.json"
check json exits 0 judge "$tmp/one.json" --json
check json_holds_what_was_judged grep -q '"judged":".*def run(x):' "$tmp/out"
cp "$tmp/k.py" "$tmp/right.py"
sed -i 's|p / tl.sum(p, axis=0)|p / tl.sum(p, axis=0) * 1.01|' "$tmp/k.py"
check a_wrong_kernel_is_wrong says 1 "Values are" judge "$tmp/one.json"
cp "$tmp/right.py" "$tmp/k.py"
sed -i 's|mask = cols < N|mask = cols < M|' "$tmp/k.py"
check places_are_of_the_file says 1 "line 19:19:" judge "$tmp/one.json"
cp "$tmp/right.py" "$tmp/k.py"
echo 'softmax_kernel = patched(softmax_kernel)' >>"$tmp/k.py"
check a_kernel_bound_again_is_refused says 1 "module level" judge "$tmp/one.json"
cp "$tmp/right.py" "$tmp/k.py"

# What the function that launches it is called may not mean something else to the kernel.
sed 's/^@triton.jit/run = 3\n\n&/; s|cols < N|cols < N + 0 * run|' "$tmp/right.py" >"$tmp/k.py"
check a_constant_called_run says 2 'the name `run`' judge "$tmp/one.json"
sed 's/^@triton.jit/runs = 3\n\n&/; s|cols < N|cols < N + 0 * runs|' "$tmp/right.py" >"$tmp/k.py"
check its_neighbour_is_nothing says 1 runs judge "$tmp/one.json"
cp "$tmp/right.py" "$tmp/k.py"

# A manifest can be wrong as a kernel can.
changed one 's/"x.dtype"/"torch.float64"/'
check another_dtype_is_wrong says 1 wrong_dtype judge "$tmp/changed.json"
changed one 's/\["M", "N"\]/["N", "M"]/'
check another_shape_is_wrong exits 1 judge "$tmp/changed.json"
changed one 's/"grid": \["M"\]/"grid": ["M - 1"]/'
check a_smaller_grid_leaves_rows says 1 unwritten judge "$tmp/changed.json"
changed two 's/, "fill": 0//'
check sums_need_their_zeros exits 1 judge "$tmp/changed.json"
changed one 's/"BLOCK":/"BLOK":/'
check another_parameter says 2 'changed.json: "constexprs.BLOK": softmax_kernel has no parameter of that name; did you mean BLOCK?' judge "$tmp/changed.json"
changed one 's/, "N"\],/],/'
check a_missing_argument says 2 '"args": parameter 4 of the kernel, N, is missing' judge "$tmp/changed.json"
changed one 's/"BLOCK": "triton.*"/ /'
check a_missing_constant says 2 '"constexprs": BLOCK is missing' judge "$tmp/changed.json"
changed one 's/"M - 1"//; s/"x.stride(0)", "out/"x.stride(9)", "out/'
check places_in_the_manifest says 1 "was written from" judge "$tmp/changed.json"
# Of an autotuned kernel: what its configs choose is left out.
sed 's/^@triton.jit$/@triton.autotune(configs=[triton.Config({"BLOCK": 16384}), triton.Config({"BLOCK": 32768})], key=["N"])\n&/' "$tmp/right.py" >"$tmp/k.py"
changed one 's/"BLOCK": "triton.*"/ /'
check configs_choose_warps says 2 '"num_warps": the kernel'"'"'s configs choose it' judge "$tmp/changed.json"
changed one 's/"BLOCK": "triton.*"/ /; s/"grid".*/"grid": ["M"]/; /num_warps/d'
check configs_choose exits 0 judge "$tmp/changed.json"
check configs_choose_alone says 2 '"constexprs.BLOCK": the kernel'"'"'s configs choose it' judge "$tmp/one.json"
changed one 's/"grid"/"decorators": "jit", "grid"/'
check without_its_configs exits 0 judge "$tmp/changed.json"
drafted() { exits 0 "$bin" manifest "$tmp/k.py" --op softmax --kernel softmax_kernel && ! grep -q '? BLOCK' "$tmp/out" && grep -q META "$tmp/out"; }
check draft_leaves_it_out drafted
cp "$tmp/right.py" "$tmp/k.py"

# What is no manifest runs nothing.
changed one 's/"softmax_kernel"/"softmax"/'
check only_kernels_are_launched says 2 "exp_kernel" judge "$tmp/changed.json"
changed one 's/num_warps/warps/'
check unknown_key says 2 '"warps"' judge "$tmp/changed.json"
changed one 's/"x.stride(0)"/"x.sum()"/'
check not_arithmetic says 2 '"args[2]"' judge "$tmp/changed.json"
changed one 's/"grid"/"args"/'
check twice_the_same_key says 2 duplicate judge "$tmp/changed.json"
head -c 70000 /dev/zero | tr '\0' ' ' >"$tmp/long.json"
check too_long exits 3 judge "$tmp/long.json"
check no_such_file exits 3 judge "$tmp/none.json"
check not_for_streams exits 2 "$bin" referee --stream --manifest "$tmp/one.json"

# The stream takes it as an object of the request.
text() { sed 's/\\/\\\\/g; s/"/\\"/g' "$1" | awk '{printf "%s\\n", $0}'; }
{
    printf '{"id":1,"op":"softmax","source":"%s","manifest":%s}\n' "$(text "$tmp/k.py")" "$(tr -d '\n' <"$tmp/one.json")"
    printf '{"id":2,"op":"softmax","source":"%s","manifest":{}}\n' "$(text "$tmp/k.py")"
    printf '{"id":3,"op":"softmax","source":"%s","manifest":7}\n' "$(text "$tmp/k.py")"
    printf '{"id":4,"op":"softmax","source":"%s"}\n' "$(text "$tmp/k.py")"
    printf '{"id":5,"op":"softmax","source":"import torch\\n","manifest":%s}\n' "$(tr -d '\n' <"$tmp/one.json")"
} >"$tmp/lines"
"$bin" referee --stream <"$tmp/lines" >"$tmp/answers"
answer() { grep "\"id\":$1," "$tmp/answers" | grep -q "\"status\":\"$2\""; }
check stream_judges_by_it answer 1 ok
check stream_says_what_is_missing answer 2 referee_error
check stream_wants_an_object answer 3 referee_error
check stream_without_it_differs answer 4 parse_reject
check stream_rejects_a_missing_kernel answer 5 host_error
"$bin" referee --stream <"$tmp/lines" >"$tmp/answers"
check stream_remembers_it grep -q '"id":1,.*"cached":true' "$tmp/answers"
changed one 's/"grid": \["M"\]/"grid": ["M - 1"]/'
printf '{"id":6,"op":"softmax","source":"%s","manifest":%s}\n' "$(text "$tmp/k.py")" "$(tr -d '\n' <"$tmp/changed.json")" \
    >"$tmp/lines"
"$bin" referee --stream <"$tmp/lines" >"$tmp/answers"
check another_manifest_is_another_program answer 6 uncovered_output
# Real numbers stand for themselves: an eps is taken as it is written, and another one is another function.
cat >"$tmp/eps.py" <<'EOF'
import triton
import triton.language as tl


@triton.jit
def rms(x_ptr, w_ptr, y_ptr, sx, sy, N, eps, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    m = cols < N
    x = tl.load(x_ptr + row * sx + cols, mask=m, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=m, other=0.0).to(tl.float32)
    r = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / N + eps)
    tl.store(y_ptr + row * sy + cols, x * r * w * scale, mask=m)
EOF
for row in "real|0|1e-6, 1.0" "real_texts|0|\"1e-6\", \"0.5 * 2\"" "real_other|1|1e-5, 1.0" "real_twice|1|1e-6, 2.0"; do
    numbers=${row##*|}
    code=${row#*|}
    echo '{"kernel": "rms", "values": {"M": "x.shape[0]", "N": "x.shape[1]"}, "args": ["x", "w", "out", "x.stride(0)", "N", "N", '"$numbers"'],
        "outputs": {"out": {"shape": ["M", "N"], "dtype": "x.dtype"}}, "constexprs": {"BLOCK": "triton.next_power_of_2(N)"}, "grid": ["M"]}' >"$tmp/eps.json"
    check "${row%%|*}" exits "${code%%|*}" "$bin" referee "$tmp/eps.py" --op rmsnorm --level quick --seed 3 --manifest "$tmp/eps.json"
done
