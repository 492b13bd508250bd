#!/usr/bin/env python3
"""corpus.py WHAT ... - looks into a store and a journal for test_corpus.sh.
   programs STATE                a line for each program: op, canonical hash, status, level
   twice STATE                   keys of verdicts that the journal has twice: programs that were judged again
   kill N SECONDS COMMAND...     starts COMMAND N times and kills its process with SIGKILL after 0 to SECONDS
   lines GOLD WRONG              honest and hostile lines for an import
   forge STATE SOURCE            accepts a wrong program in the store, as if another build had judged it
   export DIR FORMAT             the files of an export hold what their card says, and no program twice
   pairs                         rows as KernelBook has them: right, wrong, a module that is not read, no pair
   small DIR                     writes two definitions of small tensors: their draws are cheap
"""
import json, os, random, signal, sqlite3, subprocess, sys, time

SMALL = '''"""{what}, of small tensors."""
inputs = {{
    "x": {{"shape": ("M", "N"), "scale": (1e-2, 8)}},
    "w": {{"shape": ("N",), "scale": (1, 8), "role": "weight"}},
}}
dims = {{"M": {{"max": 64}}, "N": {{"max": 256}}}}


def reference(x, w):
    h = x.float() * w.float()
    return {result}.to(x.dtype)
'''


def programs(state):
    db = sqlite3.connect(f"file:{state}/store.db?mode=ro", uri=True)
    rows = db.execute("SELECT p.op, hex(p.canonical), v.status, v.level FROM programs p"
                      " LEFT JOIN verdicts v ON v.id = p.standing ORDER BY 1, 2")
    for row in rows:
        print(*row)


def twice(state):
    seen, again = set(), 0
    for line in open(f"{state}/journal.log", "rb"):
        try:
            record = json.loads(line[9:])
        except ValueError:
            continue  # torn by a kill, or damaged: nobody was answered from it
        if record.get("record") != "verdict" or "key" not in record:
            continue
        again += record["key"] in seen
        seen.add(record["key"])
    print(again, "of", len(seen))


def kill(n, seconds, *command):
    moments = random.Random(7)
    ended = 0
    for _ in range(int(n)):
        p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            p.wait(moments.uniform(0, float(seconds)))
            ended += 1
        except subprocess.TimeoutExpired:
            p.send_signal(signal.SIGKILL)
            p.wait()
    print(ended, "of", n, "ended before they were killed")


def small(folder):
    os.makedirs(folder, exist_ok=True)
    for name, what, result in (("small_gate", "A gate", "(h * torch.sigmoid(h))"), ("small_sum", "A sum", "h.sum(-1)")):
        with open(f"{folder}/{name}.py", "w") as f:
            f.write(SMALL.format(what=what, result=result))


def lines(gold, wrong):
    gold, wrong = open(gold).read(), open(wrong).read()
    out = sys.stdout.buffer
    for row in ({"op": "small_gate", "source": gold, "status": "incorrect"},
                {"op": "small_gate", "source": wrong, "status": "ok", "accepted": True, "licence": "MIT"},
                {"op": "no_such_op", "source": gold},
                {"op": "/etc/passwd.py", "source": gold},
                {"python_code": "class Model: pass", "triton_code": gold, "licenses": ["Apache-2.0"]},
                {"prompt": "p", "completion": f"```python\n{gold}```", "op": "small_gate"}):
        out.write(json.dumps(row).encode() + b"\n")
    out.write(b'\n{"op": "small_gate", "source": "\xff\xfe"}\n')
    out.write(b'{"op": "small_gate", "op": "small_sum", "source": "x"}\n')
    out.write(b'{"op": 1, "source": "x"}\n')
    out.write(b'{"op": "small_gate"\n')
    out.write(b'{"op": "small_gate", "source": "')
    for _ in range(1024):
        out.write(b"x" * (1 << 20))
    out.write(b'"}\n')
    out.write(b"nothing")


PAIR = '''import torch
import torch.nn as nn


class Scaled(nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def forward(self, x):
        return x * self.by


def get_inputs():
    return [torch.rand([4, 4, 4, 4])]


def get_init_inputs():
    return [[], {"by": 3.0}]
'''
PAIRED = '''import torch
import triton
import triton.language as tl
from torch._inductor.runtime.triton_heuristics import grid
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
import torch.nn as nn
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda


@triton.jit
def triton_poi_fused_mul_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xnumel = 256
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + x0, xmask)
    tmp1 = 3.0
    tmp2 = tmp0 * tmp1
    tl.store(out_ptr0 + x0, tmp2, xmask)


def call(args):
    arg0_1, = args
    args.clear()
    assert_size_stride(arg0_1, (4, 4, 4, 4), (64, 16, 4, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf0 = empty_strided_cuda((4, 4, 4, 4), (64, 16, 4, 1), torch.float32)
        get_raw_stream(0)
        triton_poi_fused_mul_0[grid(256)](arg0_1, buf0, 256, XBLOCK=256, num_warps=4, num_stages=1)
        del arg0_1
    return buf0,


class ScaledNew(nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def forward(self, input_0):
        arg0_1 = input_0
        output = call([arg0_1])
        return output[0]
'''


def pairs():
    for module, kernels in ((PAIR, PAIRED), (PAIR, PAIRED.replace("3.0", "2.0")), (PAIR.replace("x * self.by", "x.nonzero()"), PAIRED),
                            (PAIR, PAIRED.replace("ScaledNew", "Other"))):
        print(json.dumps({"entry_point": "Scaled", "module_name": "Scaled", "repo_name": "a/b", "licenses": ["MIT"],
                          "python_code": module, "triton_code": kernels}))


def forge(state, source):
    db = sqlite3.connect(f"{state}/store.db")
    text = open(source).read()
    canonical, = db.execute("SELECT hex(canonical) FROM programs WHERE source = ?", (text,)).fetchone()
    db.execute("UPDATE verdicts SET status = 'ok', accepted = 1, level = 'full', build = 'another'"
               " WHERE program = (SELECT id FROM programs WHERE hex(canonical) = ?)", (canonical,))
    db.commit()


def export(folder, form):
    keys = {"chat": {"messages"}, "prompt-completion": {"prompt", "completion"},
            "kernelbook": {"python_code", "triton_code", "entry_point", "module_name", "licenses", "synthetic", "uuid"}}[form]
    seen, card = set(), open(f"{folder}/README.md").read()
    for split in ("train", "validation", "test"):
        rows = [json.loads(line) for line in open(f"{folder}/{split}.jsonl")]
        assert f"| {split} | {len(rows)} |" in card, card
        assert len({frozenset(r) for r in rows}) <= 1
        for r in rows:
            assert keys <= set(r) and r["op"], r
            name = (r["op"], r.get("canonical_sha256") or r["uuid"])
            assert name not in seen
            seen.add(name)
            if form == "chat":
                user, reply = r["messages"]
                assert user["role"] == "user" and reply["role"] == "assistant" and reply["content"].startswith("```python\n")
            if form == "kernelbook":
                assert "class Model(torch.nn.Module)" in r["python_code"] and "def run(" in r["triton_code"]
        print(split, len(rows))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
