#!/bin/sh
# References in module form, as `ouroboros ops FILE` shows them.
. "$(dirname "$0")/lib.sh"
problems=$(dirname "$0")/../module/problem

shown() { exits 0 "$bin" ops "$1" && grep -q '^output 0: ' "$tmp/out" && grep -q 'allowed error' "$tmp/out"; }
for f in "$problems"/*.py; do
    case $f in */dropped.py) ;; *) check "shown $(basename "$f")" shown "$f" ;; esac
done

has() { # FILE TEXT...: each is part of some line
    exits 0 "$bin" ops "$1" || return 1
    shift
    for text; do grep -qF -- "$text" "$tmp/out" || { echo "no: $text"; return 1; }; done
}
f=$problems/conv2d_grouped_dilated.py
check inputs has "$f" 'input 0: float32[' 'published float32[32, 96, 200, 120]'
check parameters has "$f" 'parameter conv.weight: float32[' 'parameter conv.bias: ' 'parameter scale: '
check operators has "$f" 'operators: nn.Conv2d (line 12), * (line 12), torch.sigmoid (line 12)'
check sizes has "$f" 'work: ' 'size, line 15: in_channels '
check constants has "$problems/pad_avgpool_scalar.py" 'input 1: 1.75'
check buffers has "$problems/batchnorm_sequential.py" 'buffer body.1.running_var: float32[' 'parameter head.weight: ' 'smallest normalised set: '
check own_functions has "$problems/layernorm_chain.py" 'parameter second.norm.weight: ' 'nn.LayerNorm (line 12)'

# The same twice: everything is drawn from a seed.
twice() { "$bin" ops "$f" >"$tmp/one" && "$bin" ops "$f" >"$tmp/two" && cmp "$tmp/one" "$tmp/two"; }
check same_twice twice

# Values: as long as its header says, and names for all of it.
values() {
    exits 0 "$bin" ops "$f" --values "$tmp/v.safetensors" || return 1
    python3 - "$tmp/v.safetensors" <<'END'
import json, math, struct, sys
data = open(sys.argv[1], "rb").read()
n = struct.unpack("<Q", data[:8])[0]
rows = json.loads(data[8 : 8 + n])
meta = rows.pop("__metadata__")
assert meta == {"inputs": "1"}, meta
assert set(rows) == {"input.0", "state.conv.weight", "state.conv.bias", "state.scale", "output.0", "error.0", "source"}
end = 0
for name, row in rows.items():
    lo, hi = row["data_offsets"]
    assert lo == end and hi - lo == (1 if row["dtype"] == "U8" else 8) * math.prod(row["shape"]), name
    end = hi
assert len(data) == 8 + n + end
lo, hi = rows["source"]["data_offsets"]
compile(data[8 + n + lo : 8 + n + hi].decode(), "source", "exec")
lo, hi = rows["error.0"]["data_offsets"]
assert all(0 < e < 1e-3 for (e,) in struct.iter_unpack("<d", data[8 + n + lo : 8 + n + hi]))
END
}
check values values
unwritable() { exits 3 "$bin" ops "$f" --values /nowhere/v.safetensors && grep -q /nowhere "$tmp/err"; }
check values_not_written unwritable

# What is refused says where and why.
refused() { # FILE TEXT
    exits 3 "$bin" ops "$1" && grep -qF -- "$2" "$tmp/err" && [ ! -s "$tmp/out" ]
}
check dropout refused "$problems/dropped.py" 'dropped.py:13:16: dropout with p > 0 in training has no right answer'
cat >"$tmp/huge.py" <<'END'
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * 2 if x.shape == (1048576, 1024) else x.view(-1, 0)


def get_inputs():
    return [torch.rand(1048576, 1024)]
END
check too_large refused "$tmp/huge.py" 'too large: '
sed 's/x \* 2 if.*/torch.linalg.qr(x)/' "$tmp/huge.py" >"$tmp/unknown.py"
check unknown refused "$tmp/unknown.py" 'unknown.py:7:16: `torch.linalg'
sed 's/class Model(nn.Module)/class Model/; s/x \* 2 if.*/x/' "$tmp/huge.py" >"$tmp/plain.py"
check no_module refused "$tmp/plain.py" 'Model is not a class of nn.Module'

# Random numbers that nobody else has: of forward, or of the model without being a parameter. Those of a
# parameter and of get_inputs are the referee's.
cat >"$tmp/base.py" <<'END'
import torch
import torch.nn as nn
OWN = 1.0


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.own = nn.Parameter(torch.randn(n) * 0.02)

    def forward(self, x):
        return self.fc(x) * self.own * OWN


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return [64]
END
changed() { sed "$2" "$tmp/base.py" >"$tmp/$1.py" && ! cmp -s "$tmp/$1.py" "$tmp/base.py"; } # NAME SCRIPT
says() { # NAME SCRIPT TEXT: what is refused, changed so
    changed "$1" "$2" && refused "$tmp/$1.py" "$3"
}
check parameter_is_random shown "$tmp/base.py"
hidden='outside of get_inputs, or elements of torch.empty, reach the result'
check random_in_forward says forward 's/\* OWN/+ torch.randn(16, 64)/' 'forward.py:13:40: random numbers in forward have no right answer'
check random_in_init says init 's/nn.Parameter(\(.*\))$/\1/' "$hidden"
check random_buffer says buffer 's/self.own = .*/self.register_buffer("own", torch.randn(n))/' "$hidden"
check undefined_buffer says undefined 's/self.own = .*/self.register_buffer("own", torch.empty(n))/' "$hidden"
defined() { changed defined 's/torch.randn(n) \* 0.02/torch.empty(n)/' && shown "$tmp/defined.py"; }
check parameter_of_undefined defined
check layer_in_forward says layer 's/\* OWN/+ nn.Linear(64, 64)(x)/' 'layer.py:13:40: a module or a parameter made in forward has no right answer'
check random_of_the_file says file 's/^OWN = .*/OWN = torch.rand(1)/' "$hidden"
unused() { changed unused 's/^OWN = .*/OWN = 1.0; UNUSED = torch.rand(1)/' && shown "$tmp/unused.py"; }
check random_and_unused unused

# What is not read says so, by the name that the file has.
check bfloat16_layer says bf16 's/Linear(n, n)/Linear(n, n, dtype=torch.bfloat16)/' 'bf16.py:9:19: parameters of another dtype than float32'
check bfloat16_later says to 's/Linear(n, n)/Linear(n, n).to(torch.bfloat16)/' 'parameters of another dtype than float32'
check half says half 's/Linear(n, n)/Linear(n, n).half()/' 'half.py:9:19: parameters of another dtype than float32'
to_float32() { changed float32 's/Linear(n, n)/Linear(n, n, dtype=torch.float32).to("cuda").float()/' && shown "$tmp/float32.py"; }
check float32 to_float32
check eval says eval 's/OWN$/OWN; self.eval()/; s/return \(self.fc.*\); /\1; return /' '`.eval()` of a module is not read in module form'
check other_attribute says attribute 's/Linear(n, n)/Linear(n, n).compile()/' '`.compile` of nn.Linear is not read in module form'
check import says import 's/^OWN/import os\nOWN/' 'import.py:3:1: import: a reference in module form imports torch'
check print says print 's/return/print(x); return/' '`print` is not available here: it is not read in module form, see doc/modules.md'
check lstm says lstm 's/nn.Linear/nn.LSTM/' '`nn.LSTM` is not available here: it is not read in module form, see doc/modules.md'
check beyond_all says beyond 's/16, 64)/1000000, 1000000, 1000000)/' 'write smaller ones into the file'

# Half of a file in module form, and one where a definition belongs.
check no_model says no_model 's/class Model/class Other/' '`class Model` is missing'
check no_inputs says no_inputs 's/get_inputs/inputs/' '`get_inputs()` is missing'
check no_init says no_init 's/get_init_inputs/init/' 'no get_init_inputs()'
refused() { # SENTENCE COMMAND...
    sentence=$1
    shift
    exits 3 "$bin" "$@" && grep -q "$sentence" "$tmp/err"
}
check no_grammar_for_modules refused 'of a reference in module form a model does: --smith' mint "$tmp/base.py"
check no_verdict_of_a_kernel refused 'referee --module judge by one' referee "$tmp/base.py" --op "$tmp/base.py"
syntax() {
    changed syntax 's/\* OWN/*/' && exits 3 "$bin" ops "$tmp/syntax.py" --values "$tmp/x" && grep -q 'syntax.py:13:39: ' "$tmp/err"
}
check syntax_with_values syntax

# Different sizes stay different, those from 4 to 8, too; equal ones become different.
cat >"$tmp/square.py" <<'END'
import torch
import torch.nn as nn

batch, channels = 8, 256


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(batch, channels, 64, 64)]
END
apart() {
    exits 0 "$bin" ops "$tmp/square.py" --json && python3 -c '
import json, sys
shape = json.load(open(sys.argv[1]))["inputs"][0]["shape"]
assert shape[0] == 8 and shape[1] < 256 and len(set(shape)) == 4, shape' "$tmp/out"
}
check sizes_stay_apart apart

# NaN and nothing.
nans() { changed nans 's/return self/return torch.sqrt(x) + self/' && has "$tmp/nans.py" ' of 1024 are NaN'; }
check nans nans
nothing() {
    changed nothing 's/16, 64)/0, 64)/' && exits 3 "$bin" ops "$tmp/nothing.py" && grep -q '^    no elements$' "$tmp/out" &&
        grep -q 'to judge by: the results have no elements' "$tmp/err"
}
check nothing nothing

# One that no test can judge by is shown, and it is refused: no values are written.
sed 's/x \* 2 if.*/x - x/; s/1048576/64/' "$tmp/huge.py" >"$tmp/zero.py"
useless() {
    exits 3 "$bin" ops "$tmp/zero.py" --values "$tmp/zero.safetensors" && grep -q '^output 0: ' "$tmp/out" &&
        grep -q 'zero.py: not a definition to judge by: the result is the same' "$tmp/err" && [ ! -e "$tmp/zero.safetensors" ]
}
check useless useless

# As JSON, and options that belong to others.
json_of() {
    exits 0 "$bin" ops "$problems/batchnorm_sequential.py" --json && [ "$(wc -l <"$tmp/out")" = 1 ] && python3 - "$tmp/out" <<'END'
import json, sys
o = json.load(open(sys.argv[1]))
assert o["init"] and o["work"] < o["published_work"] and o["inputs"][0]["published"] == [512, 3072]
assert [s["name"] for s in o["state"] if s["buffer"]] == ["body.1.running_mean", "body.1.running_var"]
assert [p["name"] for p in o["operators"] if p["changes_nothing"]] == ["nn.Dropout"]
END
}
check json json_of
useless_json() { exits 3 "$bin" ops "$tmp/zero.py" --json && grep -q '^{"error":' "$tmp/out"; }
check useless_json useless_json
usage() { exits 2 "$bin" ops "$@"; }
check values_of_an_op usage softmax --values "$tmp/x"
check values_of_all usage --values "$tmp/x"
check layout_of_a_module usage "$f" --layout any
