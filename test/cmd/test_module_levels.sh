#!/bin/sh
# Right programs of many operators, as people write them: of test/module/level1 (one operator, Triton alone) and level2 (chains; those
# with "# library: all" leave convolutions and products to PyTorch) every one is accepted by its reference, and some with a mistake are
# not. LEVEL=full judges them at full, those of test/module/verdict too (`make modules-full`).
. "$(dirname "$0")/lib.sh"
made=$(dirname "$0")/../module
cat >"$tmp/ask.py" <<'P'
import glob, json, os, sys
made, level = sys.argv[1:]
folders = ["level1", "level2"] + ["verdict"] * (level == "full")
mistakes = {  # NAME: what is written instead, which must not be accepted
    "level1/hardswish": ("x + 3.0", "x + 2.5"),
    "level1/hardsigmoid": ("+ 0.5,", "+ 0.500001,"),
    "level1/conv_transpose2d": ("up % S == 0", "up % S >= 0"),
    "level1/argmax_middle": ("range(1, n)", "range(1, n - 1)"),
    "level2/linear_relu": ("0.0)\n    tl.store", "0.1)\n    tl.store"),
    "level2/attention": ("tl.exp(s - new", "tl.exp2(s - new"),
    "level2/conv_mish": ("# library: all\n", ""),
}
for folder in folders:
    for path in sorted(glob.glob(f"{made}/{folder}/right/*.py")):
        source = open(path).read()
        name = f"{folder}/{os.path.basename(path)[:-3]}"
        asked = [(name, source)]
        if name in mistakes and level == "quick":
            assert mistakes[name][0] in source, name
            asked.append((name + " with a mistake", source.replace(*mistakes[name])))
        for id, text in asked:
            more = {"library": "all"} if text.startswith("# library: all\n") else {}
            module = open(path.replace("/right/", "/reference/")).read()
            print(json.dumps({"id": id, "module": module, "source": text, "level": level, **more}))
P
python3 "$tmp/ask.py" "$made" "${LEVEL:-quick}" >"$tmp/requests"
streamed() { exits 0 "$bin" referee --stream <"$tmp/requests" && cp "$tmp/out" "$tmp/answers"; }
check streamed streamed
right() {
    python3 - "$tmp/answers" "$tmp/requests" <<'P'
import json, sys
answers, requests = ([json.loads(line) for line in open(p)] for p in sys.argv[1:])
wrong = [v for v in answers if v["accepted"] == v["id"].endswith("with a mistake") or v["status"] == "referee_error"]
for v in wrong:
    print(v["id"], v["status"], v["feedback"])
sys.exit(len(wrong) > 0 or len(answers) != len(requests))
P
}
check right right
# So many of each level: those of level 1 in test/module/verdict too.
enough() {
    [ "$(ls "$made"/level1/right/*.py "$made"/verdict/right/*.py | wc -l)" -ge 25 ] && [ "$(ls "$made"/level2/right/*.py | wc -l)" -ge 25 ] &&
        [ "$(grep -c 'with a mistake' "$tmp/requests")" = "$([ "${LEVEL:-quick}" = quick ] && echo 7 || echo 0)" ]
}
check enough enough
# One operator of PyTorch in the place of all own work is none.
no_kernel() {
    printf 'import torch\nimport torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        return torch.log_softmax(x, dim=-1)\n' >"$tmp/new.py"
    exits 1 "$bin" referee "$tmp/new.py" --module "$made/level1/reference/log_softmax.py" --level quick
}
check no_kernel no_kernel
