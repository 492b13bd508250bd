#!/bin/sh
# Operators that a ModelNew leaves to PyTorch's library: `referee --module REF.py --library none|light|all`. Of test/module/library,
# each program gets the status of its "# expect:" line: with `all` by reference.py, with what is usual (light) by rows.py.
. "$(dirname "$0")/lib.sh"
made=$(dirname "$0")/../module/library
says() { grep -qF -- "$1" "$tmp/out" "$tmp/err" || { echo "no: $1"; cat "$tmp/out" "$tmp/err"; return 1; }; }

judged() {
    "$bin" referee "$@" --seed 20261126 --json >"$tmp/out" 2>&1
    python3 - "$tmp/out" <<'END'
import json, re, sys
wrong = 0
for line in open(sys.argv[1]):
    v = json.loads(line)
    expected = re.match(r"# expect: (.*)", open(v["file"]).read()).group(1)
    if v["status"] != expected:
        print(v["file"], v["status"], v["feedback"])
        wrong += 1
    if expected == "no_kernel" and v["module"]["library"]["own_launches"] and "rows" not in v["file"]:
        print(v["file"], v["module"]["library"])
        wrong += 1
sys.exit(wrong > 0)
END
}
of_reference=$(ls "$made"/*.py | grep -v '/rows\|/reference.py')
for level in quick full; do
    check "all at $level" judged $of_reference --module "$made/reference.py" --library all --level $level
    check "light at $level" judged "$made"/rows.*.py --module "$made/rows.py" --level $level
done

# What is not allowed is refused by its name, and the sentence says what would allow it.
refused() {
    exits 1 "$bin" referee "$made/right.py" --module "$made/reference.py" && says 'parse_reject' && says 'nn.Conv2d computes on tensors' &&
        says 'allow it by --library all' &&
        exits 1 "$bin" referee "$made/right.py" --module "$made/reference.py" --library none && says '`.MaxPool2d`' &&
        says '--library none is in force; with --library light' &&
        exits 1 "$bin" referee "$made/rows.half_of_it.py" --module "$made/rows.py" --library none && says '`torch.softmax`'
}
check refused refused

# Shares, operators that were billed, and launches without a share are named.
told() {
    exits 0 "$bin" referee "$made/right.py" --module "$made/reference.py" --library all --level quick &&
        says 'library (all): 3 calls, F.conv2d, F.group_norm, F.max_pool2d; own kernels have 1 of 1 launches' &&
        exits 1 "$bin" referee "$made/overwritten.py" --module "$made/reference.py" --library all --level quick &&
        says ', on which nothing of the result depends' && says ', which stores a copy, or what PyTorch gives as well' &&
        exits 1 "$bin" referee "$made/rows.the_end_of_it.py" --module "$made/rows.py" --level quick &&
        says "of the light work of the reference by bytes; own kernels have to do at least half of it (--library light)"
}
check told told

# A reference of one operator leaves nothing to the library; one of several all that is light.
usual() {
    printf 'import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\ndef get_inputs():\n    return [torch.rand(64, 128)]\n' >"$tmp/one.py"
    printf 'import torch\nimport torch.nn as nn\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n' >"$tmp/new.py"
    exits 1 "$bin" referee "$tmp/new.py" --module "$tmp/one.py" --level quick && says 'parse_reject' &&
        exits 1 "$bin" referee "$tmp/new.py" --module "$tmp/one.py" --level quick --library light && says 'no_kernel' &&
        says 'launches no kernel of its own'
}
check usual usual

usage() {
    exits 2 "$bin" referee "$made/right.py" --module "$made/reference.py" --library some && says '--library is none, light or all' &&
        exits 2 "$bin" referee "$made/right.py" --op relu --library all && says '--library belongs to --module'
}
check usage usage

# In the stream the same is a key.
streamed() {
    python3 - "$made" >"$tmp/requests" <<'END'
import json, sys
text = lambda name: open(sys.argv[1] + "/" + name).read()
for key, extra in (("all", {"library": "all"}), ("usual", {}), ("bad", {"library": "some"}), ("number", {"library": 1})):
    print(json.dumps({"id": key, "module": text("reference.py"), "source": text("right.py"), "level": "quick", **extra}))
END
    "$bin" referee --stream <"$tmp/requests" >"$tmp/out" 2>"$tmp/err"
    python3 - "$tmp/out" <<'END'
import json, sys
got = {v["id"]: v for v in map(json.loads, open(sys.argv[1]))}
assert got["all"]["status"] == "ok" and got["all"]["module"]["library"]["allowed"] == "all", got["all"]
assert got["usual"]["status"] == "parse_reject" and got["usual"]["module"]["library"]["allowed"] == "light", got["usual"]
assert got["all"]["module"]["sha256"] != got["usual"]["module"]["sha256"]
for k in ("bad", "number"):
    assert got[k]["status"] == "referee_error" and "library" in got[k]["feedback"], got[k]
END
}
check streamed streamed
