"""Training against PyTorch, transformers and PEFT: run by `make conformance`, or alone:

    python3 test/conformance/training.py build/ouroboros

Needs torch, transformers, peft, tokenizers, safetensors; tensorboard for its part. What is checked:
  1. ten steps of AdamW on the same documents in the same order: losses within 1e-5, parameters after them
     close, full and LoRA, Llama and Qwen2;
  2. a checkpoint loads in transformers, an adapter in PEFT, and both compute the logits that they did here;
  3. tokenizer.json loads in tokenizers, and gives the ids that we give;
  4. TensorBoard's own reader reads the event files back.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModelForCausalLM

BIN = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/ouroboros")
failed = 0


def check(name, ok, more=""):
    global failed
    failed += not ok
    print(("ok " if ok else "not ok ") + name + (f" ({more})" if more else ""), flush=True)


def run(*args):
    done = subprocess.run([BIN, *args], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{args}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def config(arch):
    common = dict(hidden_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=80,
                  vocab_size=300, max_position_embeddings=256, rms_norm_eps=1e-5, eos_token_id=0, bos_token_id=None)
    if arch == "llama":
        return AutoConfig.for_model("llama", head_dim=12, tie_word_embeddings=False, **common)
    return AutoConfig.for_model("qwen2", tie_word_embeddings=True, **common)


def documents(tokenizer, path):
    out = []
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        prompt, reply = tokenizer.encode(row["prompt"]).ids, tokenizer.encode(row["completion"]).ids
        out.append((prompt + reply + [0], len(prompt)))
    return out


def loss_of(model, docs):
    total, learned = 0, 0
    for ids, prompt in docs:
        logits = model(torch.tensor([ids[:-1]])).logits[0].float()
        target = torch.tensor(ids[1:])
        logp = torch.log_softmax(logits, -1)[torch.arange(len(target)), target][prompt - 1:]
        total, learned = total - logp.sum(), learned + len(logp)
    return total / learned


def train(model, docs, steps, rate, warmup):
    params = [p for p in model.parameters() if p.requires_grad]
    groups = [{"params": [p for p in params if p.dim() > 1], "weight_decay": 0.01},
              {"params": [p for p in params if p.dim() == 1], "weight_decay": 0.0}]
    opt = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95), eps=1e-8)
    losses, norms = [], []
    for step in range(1, steps + 1):
        for g in opt.param_groups:
            g["lr"] = rate * min(1, step / warmup)
        loss = loss_of(model, docs)
        opt.zero_grad()
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(params, 1.0)))
        opt.step()
        losses.append(float(loss.detach()))
    return losses, norms


def metrics(folder):
    rows = [json.loads(x) for x in open(f"{folder}/metrics.jsonl")]
    return [r["loss"] for r in rows if r["kind"] == "step"], [r["norm"] for r in rows if r["kind"] == "step"]


def relative(a, b):
    return float((a - b).norm() / b.norm())


def compare(arch, rank, work, tokenizer, data, docs):
    name = f"{arch} {'lora' if rank else 'full'}"
    torch.manual_seed(5)
    base = f"{work}/{arch}"
    if not os.path.exists(base):
        model = AutoModelForCausalLM.from_config(config(arch)).float()
        with torch.no_grad():
            for p in model.parameters():
                p.add_(0.08 * torch.randn_like(p))
        model.save_pretrained(base)
        tokenizer.save(f"{base}/tokenizer.json")
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    out, common = f"{work}/run-{arch}-{rank}", ["--model", base, "--data", data, "--schedule", "constant", "--warmup", "2",
                                                "--hold-out", "0", "--batch", "100000", "--rate", "0.003", "--kv", "f32", "--jobs", "2"]
    if rank:
        from peft import PeftModel
        # The adapter begins as ours does: one step of rate 0 writes it.
        first = f"{work}/first-{arch}"
        run("train", "sft", *[x if x != "0.003" else "0" for x in common], "--lora", str(rank), "--steps", "1", "-o", first)
        model = PeftModel.from_pretrained(model, f"{first}/checkpoint-000001", is_trainable=True)
        common += ["--lora", str(rank), "--adapter", f"{first}/checkpoint-000001"]
    # A gradient: the norm of the first step, and every tensor after one step with a plain rate is in the parameters.
    run("train", "sft", *common, "--steps", "10", "-o", out)
    want, norms = train(model, docs, 10, 0.003, 2)
    got, got_norms = metrics(out)
    off = max(abs(a - b) for a, b in zip(got, want))
    check(f"{name}: ten losses within 1e-5", off <= 1e-5, f"largest difference {off:.2g}, loss {want[0]:.3f} to {want[-1]:.3f}")
    off = max(abs(a / b - 1) for a, b in zip(got_norms, norms))
    check(f"{name}: norms of gradients within 1e-5", off <= 1e-5, f"{off:.2g}")
    file = "adapter_model" if rank else "model"
    ours = load_file(f"{out}/checkpoint-000010/{file}.safetensors")
    if rank:
        theirs = {k.replace(".default", ""): v for k, v in model.state_dict().items() if "lora_" in k}
    else:
        theirs = {k: v for k, v in model.state_dict().items() if k in ours}
    check(f"{name}: the same tensors", set(ours) == set(theirs), f"{len(ours)}")
    worst = max(relative(ours[k], theirs[k].float()) for k in ours)
    check(f"{name}: parameters after ten steps within 1e-4", worst <= 1e-4, f"{worst:.2g}")
    loads(name, rank, base, f"{out}/checkpoint-000010", docs, model)


def loads(name, rank, base, folder, docs, trained):
    if rank:
        from peft import PeftModel
        again = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32), folder)
    else:
        again = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = torch.tensor([docs[0][0]])
    with torch.no_grad():
        off = float((again(ids).logits - trained(ids).logits).abs().max() / trained(ids).logits.abs().max())
    check(f"{name}: loads in {'PEFT' if rank else 'transformers'} with the same logits", off < 1e-3, f"{off:.2g}")


def gradients(work, data, docs):
    """Every tensor's gradient of the first step. AdamW's first step hides sizes, but its first moment does not:
    it is (1 - beta1) times the clipped gradient."""
    base = f"{work}/llama"
    out = f"{work}/gradients"
    run("train", "sft", "--model", base, "--data", data, "--hold-out", "0", "--batch", "100000", "--clip", "0", "--steps", "1",
        "--kv", "f32", "-o", out)
    first = load_file(f"{out}/checkpoint-000001/optimizer.safetensors")["first"].numpy() / (1 - np.float32(0.9))
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    loss_of(model, docs).backward()
    # In the order of the file that src/weights/role.def gives: by role, then by layer, padded to 16 numbers.
    p = dict(model.named_parameters())
    roles = ["model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"] + [
        f"model.layers.%d.{x}.weight" for x in
        ("input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
         "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")]
    at, worst, tensors = 0, 0, 0
    for role in roles:
        for layer in range(2 if "%d" in role else 1):
            g = p[role % layer if "%d" in role else role].grad
            n = g.numel()
            worst = max(worst, relative(torch.from_numpy(first[at:at + n].copy()).reshape(g.shape), g))
            at += (n + 15) // 16 * 16
            tensors += 1
    check("every gradient of the first step within 1e-5", at == len(first) and worst <= 1e-5, f"{tensors} tensors, {worst:.2g}")


def events(folder):
    try:
        from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    except ImportError as e:
        check("TensorBoard reads the events", False, str(e))
        return
    name = [x for x in os.listdir(folder) if x.startswith("events.out.tfevents")][0]
    losses = [v.tensor.float_val[0] if v.HasField("tensor") else v.simple_value
              for e in EventFileLoader(f"{folder}/{name}").Load() for v in e.summary.value if v.tag == "train/loss"]
    want = metrics(folder)[0]
    check("TensorBoard reads the events", len(losses) == len(want) == 10 and np.allclose(losses, want, rtol=1e-6))


def main():
    with tempfile.TemporaryDirectory() as work:
        rng = np.random.default_rng(1)
        data = f"{work}/data.jsonl"
        words = ["tl.load", "tl.store", "mask", "cols", "softmax", " = ", "(", ")", "\n", "1024", "x", "+ "]
        with open(data, "w", encoding="utf-8") as f:
            for i in range(8):
                text = "".join(rng.choice(words, 10 + 12 * i % 50))
                f.write(json.dumps({"prompt": f"write {i}:", "completion": text}) + "\n")
        run("train", "tokenizer", "--data", data, "--vocab", "300", "-o", f"{work}/tokenizer.json")
        tokenizer = Tokenizer.from_file(f"{work}/tokenizer.json")
        check("tokenizer.json loads in tokenizers", tokenizer.get_vocab_size() <= 300, f"{tokenizer.get_vocab_size()} tokens")
        docs = documents(tokenizer, data)
        for arch in ("llama", "qwen2"):
            for rank in (0, 4):
                compare(arch, rank, work, tokenizer, data, docs)
        gradients(work, data, docs)
        events(f"{work}/run-llama-0")
    print(f"{failed} failed" if failed else "all as expected")
    sys.exit(failed != 0)


main()
