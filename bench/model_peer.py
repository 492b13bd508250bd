#!/usr/bin/env python3
"""model_peer.py MODEL THREADS EXTRA: llama.cpp on command, so that its runs can be interleaved with ours.

EXTRA is 1 or 0: whether weights are repacked for this processor (use_extra_bufts), which is faster for some types and
slower for others; bench_model tries both and takes the faster one.

One command a line on stdin, one line of seconds on stdout:
  prefill N          a prompt of N tokens in an empty cache, logits of the last
  decode AT N        N tokens, one by one, after AT in the cache
  drafts P D N       a prompt of P tokens once; then D drafts of N tokens that share it, one of each a step: both times
  memory             bytes: resident now, the largest it was
Needs llama-cpp-python 0.3.36 or a later one with the same settings, built for this machine without AMX, on which it may
crash:  F="-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
        CMAKE_ARGS=-DGGML_NATIVE=ON CFLAGS=$F CXXFLAGS=$F python3 -m pip install llama-cpp-python
"""
import ctypes
import sys
import time

try:
    import llama_cpp as L
except ImportError:
    sys.exit("model_peer.py: " + sys.executable + " has no llama_cpp")


def quiet(level, text, data):
    pass


log = L.llama_log_callback(quiet)
L.llama_log_set(log, ctypes.c_void_p(0))
L.llama_backend_init()
path, threads, extra = sys.argv[1].encode(), int(sys.argv[2]), int(sys.argv[3])


def settings(struct, **values):
    """Sets members that have to be there: ctypes takes any name, and a setting of another version would do nothing."""
    names = {field[0] for field in struct._fields_}
    for name, value in values.items():
        if name not in names:
            sys.exit(f"model_peer.py: llama_cpp {L.__version__}: {type(struct).__name__} has no {name}")
        setattr(struct, name, value)


mp = L.llama_model_default_params()
settings(mp, load_mode=L.LLAMA_LOAD_MODE_MMAP, use_extra_bufts=bool(extra))
begin = time.perf_counter()
model = L.llama_model_load_from_file(path, mp)
if not model:
    sys.exit(f"model_peer.py: llama.cpp does not load {sys.argv[1]}")
loaded = time.perf_counter() - begin
cp = L.llama_context_default_params()
settings(
    cp, n_ctx=4096, n_batch=2048, n_ubatch=512, n_seq_max=16, kv_unified=True, n_threads=threads, n_threads_batch=threads
)
ctx = L.llama_init_from_model(model, cp)
mem = L.llama_get_memory(ctx)
batch = L.llama_batch_init(2048, 0, 16)
VOCAB = L.llama_vocab_n_tokens(L.llama_model_get_vocab(model))


def run(tokens):  # [(token, position, [sequences], wants logits)]
    batch.n_tokens = len(tokens)
    for i, (token, pos, seqs, want) in enumerate(tokens):
        batch.token[i] = token
        batch.pos[i] = pos
        batch.n_seq_id[i] = len(seqs)
        for k, s in enumerate(seqs):
            batch.seq_id[i][k] = s
        batch.logits[i] = want
    if L.llama_decode(ctx, batch) != 0:
        raise SystemExit("llama_decode failed")
    L.llama_synchronize(ctx)


def token(i):
    return 1000 + i * 7919 % (VOCAB - 2000)


def prompt(n, seqs=(0,)):
    for at in range(0, n, 512):
        m = min(512, n - at)
        run([(token(at + i), at + i, seqs, at + i == n - 1) for i in range(m)])


def clear():
    L.llama_memory_clear(mem, True)


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def decode(at, n):
    for i in range(n):
        run([(token(i), at + i, [0], True)])


def steps(p, d, n):
    for i in range(n):
        run([(token(i + 31 * k), p + i, [k], True) for k in range(d)])


def drafts(p, d, n):
    return timed(lambda: prompt(p, list(range(d)))), timed(lambda: steps(p, d, n))


def memory():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return [int(status[k].split()[0]) * 1024 for k in ("VmRSS", "VmHWM")]


print("ready", loaded, L.__version__, flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    n = [int(v) for v in rest]
    clear()
    if word == "prefill":
        print(timed(lambda: prompt(n[0])), flush=True)
    elif word == "decode":
        prompt(n[0])
        print(timed(lambda: decode(n[0], n[1])), flush=True)
    elif word == "drafts":
        print(*drafts(*n), flush=True)
    elif word == "memory":
        print(*memory(), flush=True)
