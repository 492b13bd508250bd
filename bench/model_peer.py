#!/usr/bin/env python3
"""model_peer.py MODEL THREADS: llama.cpp on command, so that its runs can be interleaved with ours.

One command a line on stdin, one line of seconds on stdout:
  prefill N          a prompt of N tokens in an empty cache, logits of the last
  decode AT N        N tokens, one by one, after AT in the cache
  drafts P D N       a prompt of P tokens once; then D drafts of N tokens that share it, one of each a step: both times
  memory             bytes: resident now, the largest it was
Needs llama-cpp-python (pip install llama-cpp-python, built for this machine).
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
path, threads = sys.argv[1].encode(), int(sys.argv[2])
begin = time.perf_counter()
mp = L.llama_model_default_params()
mp.use_mmap = True
model = L.llama_model_load_from_file(path, mp)
loaded = time.perf_counter() - begin
cp = L.llama_context_default_params()
cp.n_ctx = 4096
cp.n_batch = 2048
cp.n_ubatch = 512
cp.n_seq_max = 16
cp.kv_unified = True
cp.n_threads = threads
cp.n_threads_batch = threads
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
