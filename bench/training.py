#!/usr/bin/env python3
"""training.py OUROBOROS [--shapes 5m,100m] [--modes full,lora] [--rounds N] [--threads N] [--compile]: `train sft` beside
PyTorch, transformers and PEFT.

The same model folder, documents of the same length (so the peer needs no padding and no mask), float32 on both sides, AdamW
with clipping, LoRA of rank 16 on the seven projections. Both processes live all the time and make one step each in turns: one
is stopped while the other works. What is told: tokens per second of wall time and of processor time (medians over the rounds,
and the quartiles of the ratio), and the largest memory of each process.

Ours chooses its OpenBLAS kernels itself, as it does where nobody sets OPENBLAS_*: such words of a machine's environment are taken
out, for both sides (the peer's products are MKL's).

The peer: scaled_dot_product_attention, fused AdamW, as many threads; --compile tries torch.compile too, and takes the faster.
Needs torch, transformers, peft, safetensors, tokenizers.
"""
import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TQDM_DISABLE", "1")
for word in [w for w in os.environ if w.startswith("OPENBLAS_")]:
    del os.environ[word]
SHAPES = {  # width, layers, heads, feed-forward, vocabulary, documents of a step
    "5m": (256, 6, 8, 688, 2048, 8),
    "100m": (768, 12, 12, 2048, 16000, 4),
}
LENGTH, RANK, RATE = 512, 16, 1e-4
TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def make_model(shape, folder):
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import AutoConfig, AutoModelForCausalLM

    width, layers, heads, wide, vocab, _ = SHAPES[shape]
    config = AutoConfig.for_model(
        "llama", hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=heads,
        intermediate_size=wide, vocab_size=vocab, max_position_embeddings=1024, tie_word_embeddings=True, eos_token_id=0,
        bos_token_id=None)
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_config(config).float()
    model.save_pretrained(folder)
    # A token for each byte: the length of a text is its length in tokens.
    letters = ["<end>"] + sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(letters)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<end>"])
    tokenizer.save(f"{folder}/tokenizer.json")
    return sum(p.numel() for p in model.parameters())


def make_data(path, documents):
    pick = random.Random(2)
    with open(path, "w", encoding="utf-8") as f:
        for _ in range(documents):
            text = "".join(pick.choice("abcdefghijklmnopqrstuvwxyz _=(),.0123456789") for _ in range(LENGTH - 1))
            f.write(json.dumps({"prompt": text[0], "completion": text[1:]}) + "\n")


# ---- the peer: a line for each step on standard output, when one is asked for


def peer(folder, data, shape, mode, threads, compiled):
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(threads)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa")
    model.config.use_cache = False
    if mode == "lora":
        from peft import LoraConfig, get_peft_model

        model = get_peft_model(model, LoraConfig(r=RANK, lora_alpha=2 * RANK, target_modules=TARGETS))
    model.train()
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=RATE, betas=(0.9, 0.95), weight_decay=0.01, fused=True)
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    rows = [json.loads(line) for line in open(data, encoding="utf-8")]
    ids = torch.tensor([tokenizer.encode(r["prompt"] + r["completion"]).ids + [0] for r in rows])
    assert ids.shape[1] == LENGTH
    step_of = torch.compile(model) if compiled else model
    documents = SHAPES[shape][5]
    print("ready", flush=True)
    for at, _ in enumerate(sys.stdin):
        begin = at * documents % len(ids)
        batch = ids[begin : begin + documents]
        wall, cpu = time.perf_counter(), time.process_time()
        loss = step_of(input_ids=batch, labels=batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        print(time.perf_counter() - wall, time.process_time() - cpu, loss.item(), flush=True)


class Peer:
    def __init__(self, *words):
        self.process = subprocess.Popen([sys.executable, __file__, "--peer", *map(str, words)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit("training.py: the peer does not start")

    def step(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return tuple(map(float, self.process.stdout.readline().split()))

    def end(self):
        most = memory(self.process.pid)
        self.process.stdin.close()
        self.process.wait()
        return most


# ---- ours: `train sft` writes a line for each step; between two of ours it is stopped


def memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024


def processor(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Ours:
    def __init__(self, binary, folder, data, shape, mode, threads, out):
        words = ["--model", folder, "--data", data, "-o", out, "--steps", "100000", "--learn", "all", "--hold-out", "0",
                 "--batch", SHAPES[shape][5] * LENGTH, "--rate", RATE, "--kv", "f32", "--jobs", threads, "--save-every", "1000000",
                 "--evaluate-every", "1000000", "--schedule", "constant", "--warmup", "1"]
        if mode == "lora":
            words += ["--lora", RANK]
        self.metrics, self.at, self.losses = f"{out}/metrics.jsonl", 0, []
        self.process = subprocess.Popen([binary, "train", "sft", *map(str, words)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        self.wait()

    def wait(self):
        while True:
            try:
                with open(self.metrics, "rb") as f:
                    f.seek(self.at)
                    line = f.readline()
                if line.endswith(b"\n"):
                    break
            except FileNotFoundError:
                pass
            if self.process.poll() is not None:
                sys.exit("training.py: ours ended: " + self.process.stderr.read().decode())
            time.sleep(0.0005)
        os.kill(self.process.pid, signal.SIGSTOP)
        self.at += len(line)
        row = json.loads(line)
        self.losses.append(row["loss"])
        return row

    def step(self):
        wall, cpu = time.perf_counter(), processor(self.process.pid)
        os.kill(self.process.pid, signal.SIGCONT)
        self.wait()
        return time.perf_counter() - wall, processor(self.process.pid) - cpu, self.losses[-1]

    def end(self):
        most = memory(self.process.pid)
        self.process.kill()
        os.kill(self.process.pid, signal.SIGCONT)
        self.process.wait()
        return most


def quartiles(values):
    values = sorted(values)
    return values[len(values) // 4], statistics.median(values), values[(3 * len(values)) // 4]


def choose_peer(words, tries):
    """The faster of eager and compiled, by processor time of a warm step."""
    best, least = None, 0
    for compiled in tries:
        p = Peer(*words, compiled)
        for _ in range(3):
            took = p.step()[1]
        if best is None or took < least:
            if best is not None:
                best[0].end()
            best, least = (p, compiled), took
        else:
            p.end()
    return best


def compare(binary, shape, mode, args, work):
    folder, data = f"{work}/{shape}", f"{work}/{shape}.jsonl"
    if not os.path.exists(folder):
        numbers = make_model(shape, folder)
        make_data(data, 4 * SHAPES[shape][5])
        print(f"{shape}: {numbers / 1e6:.1f} M parameters, {SHAPES[shape][5]} documents of {LENGTH} tokens a step", flush=True)
    them, compiled = choose_peer((folder, data, shape, mode, args.threads), [0, 1] if args.compile else [0])
    us = Ours(binary, folder, data, shape, mode, args.threads, f"{work}/run-{shape}-{mode}")
    us.step(), them.step()
    a, b = [], []
    for _ in range(args.rounds):
        a.append(us.step())
        b.append(them.step())
    tokens = SHAPES[shape][5] * LENGTH
    for i, name in enumerate(("wall", "processor")):
        low, mid, high = quartiles([y[i] / x[i] for x, y in zip(a, b)])
        ours, peers = (tokens / statistics.median(x[i] for x in s) for s in (a, b))
        print(f"  {shape:5} {mode:5} {name:10} {ours:8.0f} {peers:8.0f} tokens/s  {mid:5.2f} x  ({low:.2f} to {high:.2f})", flush=True)
    mine, its = us.end(), them.end()
    print(f"  {shape:5} {mode:5} memory     {mine:8.0f} {its:8.0f} MiB       {mine / its:5.2f}     "
          f"peer {'compiled' if compiled else 'eager'}; losses {a[-1][2]:.3f} {b[-1][2]:.3f}", flush=True)


def main():
    if "--peer" in sys.argv:
        folder, data, shape, mode, threads, compiled = sys.argv[2:]
        peer(folder, data, shape, mode, int(threads), compiled == "1")
        return
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("binary")
    p.add_argument("--shapes", default="5m,100m")
    p.add_argument("--modes", default="full,lora")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--compile", action="store_true")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        for shape in args.shapes.split(","):
            for mode in args.modes.split(","):
                compare(os.path.abspath(args.binary), shape, mode, args, work)


main()
