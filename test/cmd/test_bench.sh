#!/bin/sh
# bench: what it says without a GPU, and with the GPU of the tests (test/gpu/libcuda.c), where a stand-in compiles.
. "$(dirname "$0")/lib.sh"
gold=src/op/suite/gold/relu2.py
no_gpu() { env OUROBOROS_LIBCUDA=/nowhere/libcuda.so "$bin" bench "$@"; }
check without_a_gpu exits 3 no_gpu $gold --op relu2
check says_so_in_one_line sh -c "[ \$(wc -l <'$tmp/err') = 1 ] && grep -q '^ouroboros bench: no NVIDIA driver here' '$tmp/err'"
check without_a_gpu_json exits 3 no_gpu $gold --op relu2 --json
check json_error grep -q '^{"error":{"kind":"io"' "$tmp/out"
# What is wrong with the command goes first.
check no_such_file exits 3 no_gpu "$tmp/missing.py" --op relu2
check no_such_file_told grep -q 'missing.py: No such file' "$tmp/err"
check no_such_op exits 2 no_gpu $gold --op relo2
check no_such_op_told grep -q 'no op is known as "relo2"' "$tmp/err"
check needs_an_op exits 2 no_gpu $gold
check no_such_grid exits 2 no_gpu $gold --op relu2 --grid mine
check no_such_dtype exits 2 no_gpu $gold --op relu2 --dtype int8
check grid_or_shape exits 2 no_gpu $gold --op relu2 --grid six --shape 4x4
check too_many_rounds exits 2 no_gpu $gold --op relu2 --rounds 65

build=$(dirname "$bin")
[ -d "$build/test" ] || build=$build/release
timed() { # STEER ARGUMENTS...
    steer=$1
    shift
    env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python \
        VM_GPU="memory=400000000 l2=40000 scale=60 $steer" "$bin" bench "$@"
}
check times exits 0 timed "" $gold --op relu2 --shape 512x64 --shape 16x16 --alone --json
check schema python3 "$(dirname "$0")/schema.py" bench "$tmp/out"
check its_status grep -q '"status":"ok".*"times":{"gpu":"virtual machine"' "$tmp/out"
check one_has_times grep -q '"shape":\[512,64\],"dtype":"float16","status":"ok"' "$tmp/out"
check one_has_none grep -q '"shape":\[16,16\],"dtype":"float16","status":"below_floor"' "$tmp/out"
# Times of a program that the store has are kept there; nothing else is, and no store is made.
check no_store_was_made [ ! -e "$tmp/state/ouroboros/store.db" ]
python3 -c 'import json,sys; print(json.dumps({"op": "relu2", "source": open(sys.argv[1]).read()}))' $gold >"$tmp/row"
check stored exits 0 "$bin" corpus import "$tmp/row"
check times_again exits 0 timed "" $gold --op relu2 --shape 512x64 --shape 16x16 --alone
check of_another_program exits 0 timed "" src/op/suite/gold/silu.py --op silu --shape 512x64 --alone
check stats_of_times exits 0 "$bin" corpus stats --json --check
check one_time_is_kept grep -q '"champions":{"virtual machine":1},"times":{"virtual machine":1}' "$tmp/out"
# The GPU has the last word.
check disagrees exits 1 timed wrong=relu2 $gold --op relu2 --shape 512x64 --alone
check says_where grep -q '^On a GPU, at 512x64 float16: the kernel: \|^On a GPU, at 512x64 float16: [0-9]* of 32768 elements are wrong' "$tmp/out"
check rule grep -q '^relu2: rejected (incorrect, level full)' "$tmp/out"
check none_of_what_it_took_back sh -c "$bin corpus stats --json | grep -q '\"times\":{\"virtual machine\":1}'"
# The published grid: six shapes in two dtypes, or of an op with short rows four. With too little memory nothing is timed there.
poor() { env OUROBOROS_LIBCUDA="$build/test/gpu/libcuda.so" OUROBOROS_PYTHON=test/gpu/standin/python VM_GPU=memory=4000000 "$bin" bench "$@"; }
shapes() { grep -o '"shape":\[[0-9,]*\],"dtype":"[a-z0-9]*"' "$tmp/out" | sort -u | wc -l; }
check published exits 0 poor $gold --op relu2 --grid published --alone --json
check published_six [ "$(shapes)" = 12 ]
check published_of_short_rows exits 0 poor src/op/suite/gold/rope.py --op rope --grid published --dtype bf16 --alone --json
check published_four [ "$(shapes)" = 4 ]
check which_four grep -q '"shape":\[65536,64\],"dtype":"bfloat16"' "$tmp/out"
# What runs beside it says nothing of it: baselines that fault or hang, one after the other, and a driver without PTX.
beside() { timed "$1" $gold --op relu2 --shape 512x64 --json; }
check baselines_that_fault exits 0 beside fault=k_
check still_accepted grep -q '"accepted":true.*"status":"ok","why":null,"device":{' "$tmp/out"
check their_faults_are_told grep -q '"name":"default","device":null,.*CUDA_ERROR_ILLEGAL_ADDRESS' "$tmp/out"
check no_bar_of_theirs grep -q '"bar":null,"ratio":null' "$tmp/out"
check a_baseline_without_end exits 0 beside hang=k_default
check the_others_have_times grep -q '"name":"max_autotune","device":{' "$tmp/out"
check no_yardstick exits 0 beside refuse=stream
check no_share grep -q '"yardstick":null,.*"share_of_yardstick":null,"copy":null,"share_of_copy":null' "$tmp/out"
check a_card_that_breaks exits 0 beside gone=relu2
check breaks_is_told grep -q '"status":"failed","why":"the kernel: .*CUDA_ERROR_ECC_UNCORRECTABLE' "$tmp/out"
# A kernel that the referee rejects is not timed.
check rejected exits 1 timed "" src/op/suite/wrong/softmax_no_max.py --op softmax --shape 64x64 --alone --json
check not_timed grep -q '"cells":\[\]' "$tmp/out"

# ---- what is kept
state=$tmp/bench-state
kept() { timed "" $gold --op relu2 --shape 512x64 --state "$state" "$@"; }
check first_run exits 0 kept --json
cp "$tmp/out" "$tmp/first"
check beside_pytorch grep -q '"bar":"[a-z_]*","ratio":[0-9]' "$tmp/first"
check tuned_now grep -q '"kept":false' "$tmp/first"
check tuned_once sh -c "[ \$(grep -c 'stand-in: tuned' '$tmp/err') = 1 ]"
check compiled grep -q '"compiles":{"asked":1,"cached":0,"compiled":1' "$tmp/first"
check second_run exits 0 kept --json
check schema_of_kept python3 "$(dirname "$0")/schema.py" bench "$tmp/out"
check compiles_nothing grep -q '"compiles":{"asked":1,"cached":1,"compiled":0' "$tmp/out"
check tunes_nothing sh -c "! grep -q 'stand-in: tuned' '$tmp/err'"
check replayed grep -q '"kept":true' "$tmp/out"
check still_a_ratio grep -q '"ratio":[0-9]' "$tmp/out"
# A changed file is no baseline.
for f in "$state"/gpu/baselines/*.json; do printf x >>"$f"; done
check damaged exits 0 kept --json
check damaged_is_tuned_again grep -q '"kept":false' "$tmp/out"

# ---- calls from Python
check no_calls_unless_asked grep -q '"user_calls":\[\]' "$tmp/first"
check calls exits 0 kept --calls --json
check schema_of_calls python3 "$(dirname "$0")/schema.py" bench "$tmp/out"
check printed_call_does_the_work grep -q '"user_calls":\[.*{"name":"kernel","call":{"us":30' "$tmp/out"
check cuda_graphs_told_apart grep -q '{"name":"max_autotune_graphs","call":null,"queued":null,"why":"not here"}' "$tmp/out"
check calls_in_words exits 0 kept --calls
check says_both grep -q 'call from Python 30.5 us, of max_autotune 70.0 us' "$tmp/out"

# ---- fresh processes
check stability exits 0 kept --stability 3 --json
check schema_of_stability python3 "$(dirname "$0")/schema.py" bench "$tmp/out"
check three_processes grep -q '"stability":{"processes":3,"us":\[[0-9.]*,[0-9.]*,[0-9.]*\],"median_us":[0-9.]*,"spread":[0-9.]*,"ratio":\[' "$tmp/out"
check too_many exits 2 kept --stability 33

# ---- a run that goes on
folder=$tmp/bench-cells
going() { timed "$1" $gold --op relu2 --alone -o "$folder" --state "$state" --shape 512x64 --shape 256x64 --json; }
check begun exits 0 timed "" $gold --op relu2 --alone -o "$folder" --state "$state" --shape 512x64 --json
check one_line_a_cell sh -c "[ \$(cat '$folder'/relu2-*.jsonl | wc -l) = 2 ]"
cut -d: -f2- "$folder"/relu2-*.jsonl | grep -o '"device":{[^}]*}' >"$tmp/was"
check something_was [ -s "$tmp/was" ]
check goes_on exits 0 going ""
check two_cells sh -c "[ \$(cat '$folder'/relu2-*.jsonl | wc -l) = 3 ]"
check not_measured_again grep -qF "$(cat "$tmp/was")" "$tmp/out"
check schema_of_read python3 "$(dirname "$0")/schema.py" bench "$tmp/out"
for f in "$folder"/relu2-*.jsonl; do printf '{"record":"cell","sha' >>"$f"; done # as a crash leaves it
check torn_line exits 0 going ""
check torn_line_is_cut sh -c "[ \$(cat '$folder'/relu2-*.jsonl | wc -l) = 3 ] && ! grep -q '\"sha\$' '$folder'/relu2-*.jsonl"
check other_rounds exits 3 timed "" $gold --op relu2 --alone -o "$folder" --state "$state" --shape 512x64 --rounds 9
check says_which grep -q 'was begun with "rounds": 7, and here it is 9; give another folder' "$tmp/err"
# Beside another PyTorch it is another run.
beside_torch() { timed "" $gold --op relu2 -o "$tmp/bench-torch" --state "$state" --shape 512x64; }
check torch_begun exits 0 beside_torch
check torch_goes_on exits 0 beside_torch
STANDIN_TORCH=2.12.0
export STANDIN_TORCH
check other_torch exits 3 beside_torch
unset STANDIN_TORCH
check says_which_torch grep -q 'was begun with "torch": "torch 2.11.0, .*, and here it is "torch 2.12.0' "$tmp/err"
check svg exits 0 timed "" $gold --op relu2 --alone -o "$folder" --state "$state" --shape 512x64 --svg "$tmp/map.svg"
check svg_has_both sh -c "grep -q '512×64' '$tmp/map.svg' && grep -q '256×64' '$tmp/map.svg' && grep -q 'relu2  float16' '$tmp/map.svg'"
check svg_is_whole sh -c "tail -1 '$tmp/map.svg' | grep -q '</svg>'"

# ---- several outputs, each compared in its own bounds
stats() { timed "$1" examples/layernorm_forward.py --op examples/layernorm_stats.py --shape 512x64 --alone --json; }
check several_outputs exits 0 stats ""
check they_have_times grep -q '"shape":\[512,64\],"dtype":"float16","status":"ok"' "$tmp/out"
check one_is_wrong exits 1 stats wrong=rstd
check says_which_output grep -q 'elements of [a-z]* are wrong on the GPU' "$tmp/out"

# ---- an input changed in place: restored before each window, and beside PyTorch, whose kernels change it, too
rope() { timed "" examples/rope_in_place/$1.py --op examples/rope_in_place/rope_in_place.py --shape 512x64 --alone --json; }
check in_place exits 0 rope kernel
check schema_in_place python3 "$(dirname "$0")/schema.py" bench "$tmp/out"
check it_has_times grep -q '"shape":\[512,64\],"dtype":"float16","status":"ok"' "$tmp/out"
check no_hot_time grep -q '"hot":null,"hot_why":"calls change an input in place: ' "$tmp/out"
cat >"$tmp/relu2_in_place.py" <<'EOF'
"""The square of max(x, 0), in place."""
inputs = {"x": {"shape": ("M", "N"), "scale": (1e-3, 16)}}
outputs = {"x": {"init": "x"}}
layout = "contiguous"


def reference(x):
    return torch.relu(x.float()).square().to(x.dtype)
EOF
cat >"$tmp/squares.py" <<'EOF'
import torch
import triton
import triton.language as tl


@triton.jit
def squares(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.maximum(tl.load(x + i, mask=i < n).to(tl.float32), 0.0)
    tl.store(x + i, v * v, mask=i < n)


def run(x):
    squares[(triton.cdiv(x.numel(), 1024),)](x, x.numel(), BLOCK=1024)
EOF
squares() { timed "$1" "$tmp/squares.py" --op "$tmp/relu2_in_place.py" --shape 512x64 --json; }
check in_place_beside_pytorch exits 0 squares ""
check in_place_ratio grep -q '"status":"ok".*"bar":"[a-z_]*","ratio":[0-9]' "$tmp/out"
# A baseline whose answers are wrong is none.
check in_place_wrong_baseline exits 0 squares wrong=k_default
check no_ratio grep -q '"ratio":null' "$tmp/out"
check says_why_not grep -q 'elements of x are wrong on the GPU' "$tmp/out"
check in_place_wrong exits 1 squares wrong=squares

# ---- a reference in module form: one cell, at its own sizes
cat >"$tmp/ref.py" <<'EOF'
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) * torch.relu(x)


def get_inputs():
    return [torch.rand(96, 100)]
EOF
cat >"$tmp/new.py" <<'EOF'
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu2_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + i, mask=i < n, other=0.0), 0.0)
    tl.store(y_ptr + i, x * x, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        relu2_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y
EOF
check module_without_a_gpu exits 3 no_gpu "$tmp/new.py" --module "$tmp/ref.py"
check module_says_so grep -q '^ouroboros bench: no NVIDIA driver here' "$tmp/err"
check no_such_module exits 3 no_gpu "$tmp/new.py" --module "$tmp/missing.py"
check no_such_module_told grep -q 'missing.py: No such file' "$tmp/err"
check op_or_module exits 2 no_gpu "$tmp/new.py" --module "$tmp/ref.py" --op relu2
check its_own_sizes exits 2 no_gpu "$tmp/new.py" --module "$tmp/ref.py" --shape 8x8
check no_folder_of_modules exits 2 no_gpu "$tmp/new.py" --module "$tmp/ref.py" -o "$tmp/folder"
check library_of_modules exits 2 no_gpu $gold --op relu2 --library all
module() { timed "$1" "$tmp/new.py" --module "$tmp/ref.py" --json; }
check module_times exits 0 module ""
check schema_of_module python3 "$(dirname "$0")/schema.py" bench "$tmp/out"
check module_beside_pytorch grep -q '"cells":\[{"shape":\[\],"dtype":"float32","status":"ok","why":null,"inputs":"x: float32\[96, 100\]",.*"bar":"[a-z_]*","ratio":[0-9]' "$tmp/out"
check module_gpu_disagrees exits 1 timed wrong=relu2_kernel "$tmp/new.py" --module "$tmp/ref.py" --alone
check module_taken_back grep -q '^ref: rejected on a GPU (incorrect, level full)' "$tmp/out"
check module_says_where grep -q '^On a GPU, at x: float32\[96, 100\]: 1 of 9600 elements are wrong on the GPU, the first is element 0' "$tmp/out"
sed 's/, 0.0)$/, -1.0)/' "$tmp/new.py" >"$tmp/below.py"
check wrong_module exits 1 timed "" "$tmp/below.py" --module "$tmp/ref.py" --alone --json
check wrong_module_has_no_times grep -q '"status":"incorrect".*"cells":\[\]' "$tmp/out"
check no_module_at_all exits 3 timed "" "$tmp/new.py" --module "$tmp/new.py" --alone
# Weights are drawn and bound there, too; what is left to PyTorch's library has no launches to be timed.
cat >"$tmp/linear.py" <<'EOF'
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        return torch.relu(self.fc(x))


def get_inputs():
    return [torch.rand(96, 40)]


def get_init_inputs():
    return [40, 48]
EOF
cat >"$tmp/library.py" <<'EOF'
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.maximum(tl.load(x_ptr + i, mask=i < n, other=0.0), 0.0), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        h = self.fc(x)
        y = torch.empty_like(h)
        relu_kernel[(triton.cdiv(h.numel(), 1024),)](h, y, h.numel(), BLOCK=1024)
        return y
EOF
made=$(dirname "$0")/../module/level2/right
check module_with_weights exits 0 timed "" "$made/linear_relu.py" --module "$tmp/linear.py" --alone --json
check weights_have_times_or_none grep -qE '"status":"(ok|below_floor|timing_unstable)","why":.*"inputs":"x: float32\[96, 40\]"' "$tmp/out"
sed -i 's/self\.fc/self.linear/' "$tmp/linear.py"
check module_left_to_the_library exits 0 timed "" "$tmp/library.py" --module "$tmp/linear.py" --library all --alone --json
check library_is_not_timed grep -q '"status":"unsupported","why":"it leaves work to PyTorch.s library (F.linear), which is not recorded' "$tmp/out"
