#!/usr/bin/env python3
"""seedling as it is shipped, in transformers and in llama.cpp: greedy continuations of 100 prompts, 64 tokens each.

    seedling.py OUROBOROS SEEDLING.gguf [--prompts FILE.jsonl] [--work FOLDER] [--peers NAME,NAME]

The weights of the Q8_0 file as they are, as float32: a GGUF file in F32, and a folder of transformers (safetensors, config
and tokenizer, made of what the file says and nothing else). Ours and llama.cpp read the GGUF, keys and values in F32;
transformers reads the folder, and once more the shipped file, whose weights it turns into float32 itself. How many tokens a
prompt has must be the same everywhere, its ids among the peers. Identical must be 99 continuations of 100 in transformers
and 95 in llama.cpp; a difference is printed with how far apart the two tokens were. Controls: rows of q and k not
reordered, and one changed number of a norm, must be found. --prompts: the "prompt" of each line, instead of our own. The
work folder keeps the exports and what was compared."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import gguf
import numpy as np
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

TOKENS = 64
EACH = 4  # of so many prompts, one is asked with the wrong files, too
ENOUGH = {"transformers": 0.99, "transformers-gguf": 0.99, "llama.cpp": 0.95}
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
         r"|\s+(?!\S)|\s+")  # what the name llama-bpe means
NAMES = [("token_embd", "model.embed_tokens"), ("output_norm", "model.norm"), ("attn_norm", "input_layernorm"),
         ("ffn_norm", "post_attention_layernorm"), ("attn_output", "self_attn.o_proj"), ("attn_q", "self_attn.q_proj"),
         ("attn_k", "self_attn.k_proj"), ("attn_v", "self_attn.v_proj"), ("ffn_gate", "mlp.gate_proj"),
         ("ffn_up", "mlp.up_proj"), ("ffn_down", "mlp.down_proj"), ("blk", "model.layers")]
EPILOGUES = ("silu gelu gelu_erf relu relu2 tanh sigmoid square abs hardsigmoid hardswish leaky_relu relu6 hardtanh elu selu "
             "softplus mish softsign").split()  # the last two are held out
# Answers nothing, and keeps what it was asked.
SMITH = """import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    print(json.dumps(ask["prompt"]["user"]), file=open(sys.argv[1], "a"), flush=True)
    for i in range(ask["n"]):
        print(json.dumps({"id": ask["id"], "text": "-", "index": i}), flush=True)
"""
failures = 0


def check(name, good, said=""):
    global failures
    failures += not good
    print("ok" if good else "FAILED", name, said, flush=True)


# ---- what is compared

def op_names():
    single = [f"{residual}{norm}_{e}" for norm in ("rmsnorm", "layernorm") for residual in ("", "add_") for e in EPILOGUES]
    double = [f"{residual}{norm}_{a}_{b}" for norm, residual in (("rmsnorm", "add_"), ("layernorm", ""))
              for a, b in zip(EPILOGUES[:12], EPILOGUES[5:17])]
    return single + double  # 76 and 24


def own_prompts(program, work):
    """Asked for with the program's own profile; then for other rows and dtypes in turn."""
    asked, smith = f"{work}/asked.jsonl", f"{work}/smith.py"
    with open(smith, "w") as f, open(asked, "w"):
        f.write(SMITH)
    run = subprocess.run([program, "eval", "--ops", ",".join(op_names()), "-n", "1", "--profile", "seedling", "--smith",
                          f"cmd:exec {sys.executable} {smith} {asked}"], capture_output=True, text=True)
    if not os.path.getsize(asked):
        sys.exit(f"no prompts: {run.stderr}")
    prompts, last = [], "rows any, dtype any"
    for i, line in enumerate(open(asked)):
        text = json.loads(line)
        assert text.endswith(last), text
        rows, dtype = ("any", "short", "long")[i % 3], ("any", "float16", "bfloat16", "float32")[i // 3 % 4]
        prompts.append(f"{text.removesuffix(last)}rows {rows}, dtype {dtype}")
    return prompts


# ---- exports of the file

def exported(source, path, change=lambda name, x: x):
    """The file again, each tensor in F32."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(path, reader.fields["general.architecture"].contents())
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key in ("general.architecture", "general.quantization_version"):
            continue
        if key == "general.file_type":
            writer.add_file_type(gguf.LlamaFileType.ALL_F32)
        else:
            writer.add_key_value(key, field.contents(), field.types[0], field.types[1] if len(field.types) > 1 else None)
    weights = {}
    for t in reader.tensors:
        x = np.array(gguf.dequantize(t.data, t.tensor_type), dtype=np.float32)
        weights[t.name] = change(t.name, x.reshape(tuple(int(n) for n in reversed(t.shape))))
        writer.add_tensor(t.name, weights[t.name])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return {key: field.contents() for key, field in reader.fields.items()}, weights


def reordered(x, heads):
    """Rows of q and k as transformers has them: rope turns halves there, neighbours in GGUF."""
    return np.ascontiguousarray(x.reshape(heads, x.shape[0] // heads // 2, 2, -1).swapaxes(1, 2).reshape(x.shape))


def folder_of(folder, say, weights):
    import safetensors.numpy
    os.makedirs(folder, exist_ok=True)
    heads, kv = say["llama.attention.head_count"], say["llama.attention.head_count_kv"]
    out = {}
    for name, x in weights.items():
        if "attn_q" in name or "attn_k" in name:
            x = reordered(x, heads if "attn_q" in name else kv)
        for ours, theirs in NAMES:
            name = name.replace(ours + ".", theirs + ".")
        out[name] = x
    safetensors.numpy.save_file(out, f"{folder}/model.safetensors", metadata={"format": "pt"})
    end = say["tokenizer.ggml.eos_token_id"]
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "dtype": "float32", "hidden_act": "silu",
        "vocab_size": len(say["tokenizer.ggml.tokens"]), "hidden_size": say["llama.embedding_length"],
        "intermediate_size": say["llama.feed_forward_length"], "num_hidden_layers": say["llama.block_count"],
        "num_attention_heads": heads, "num_key_value_heads": kv, "head_dim": say["llama.attention.key_length"],
        "max_position_embeddings": say["llama.context_length"], "rms_norm_eps": say["llama.attention.layer_norm_rms_epsilon"],
        "rope_parameters": {"rope_type": "default", "rope_theta": say["llama.rope.freq_base"]},
        "tie_word_embeddings": "output.weight" not in weights, "bos_token_id": None, "eos_token_id": end,
    }
    tokens, kinds = say["tokenizer.ggml.tokens"], say["tokenizer.ggml.token_type"]
    assert say["tokenizer.ggml.model"] == "gpt2" and say["tokenizer.ggml.pre"] == "llama-bpe"
    merges = [tuple(m.split(" ")) for m in say["tokenizer.ggml.merges"]]
    t = Tokenizer(models.BPE({x: i for i, x in enumerate(tokens)}, merges, ignore_merges=True))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(SPLIT), "isolated"),
                                               pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens([AddedToken(x, normalized=False, special=True) for x, k in zip(tokens, kinds) if k == 3])
    t.save(f"{folder}/tokenizer.json")
    with open(f"{folder}/config.json", "w") as f:
        json.dump(config, f)
    with open(f"{folder}/tokenizer_config.json", "w") as f:
        json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": tokens[end]}, f)


# ---- who continues

def without_end(ids, end):
    return ids[:ids.index(end)] if end in ids else ids


def ours(program, path, prompts, end, work):
    """Of each prompt: how many tokens it is, and what follows."""
    out = []
    for p in prompts:
        with open(f"{work}/prompt.txt", "w", newline="") as f:
            f.write(p)
        run = subprocess.run([program, "generate", path, "--kv", "f32", "--temperature", "0", "--max-tokens", str(TOKENS),
                              "--prompt", f"{work}/prompt.txt", "--json", "--logprobs"], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{path}: {run.stderr}{run.stdout}")
        asked = int(re.search(r"prompt: (\d+) tokens", run.stderr)[1])
        out.append((asked, without_end(json.loads(run.stdout)["ids"], end)))
    return out


class Transformers:
    name = "transformers"

    def __init__(self, folder, _, **which):
        import torch
        import transformers
        torch.set_num_threads(1)
        self.torch, self.version = torch, f"{transformers.__version__} with torch {torch.__version__}"
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **which)
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **which).eval()

    def ids(self, text):
        return self.tokenizer(text)["input_ids"]

    def text(self, ids):
        return self.tokenizer.decode(ids)

    def logits(self, ids):
        with self.torch.no_grad():
            return self.model(self.torch.tensor([ids])).logits[0, -1].numpy()

    def greedy(self, ids):
        asked = self.torch.tensor([ids])
        with self.torch.no_grad():
            out = self.model.generate(asked, attention_mask=self.torch.ones_like(asked), do_sample=False, max_new_tokens=TOKENS,
                                      pad_token_id=self.model.config.eos_token_id)
        return out[0, len(ids):].tolist()


class TransformersGguf(Transformers):
    name = "transformers-gguf"

    def __init__(self, folder, _):
        super().__init__(os.path.dirname(folder), None, gguf_file="shipped.gguf")


class LlamaCpp:
    name = "llama.cpp"

    def __init__(self, _, path):
        import llama_cpp
        self.version = f"in llama-cpp-python {llama_cpp.__version__}"
        self.model = llama_cpp.Llama(path, n_ctx=1024, n_batch=1024, n_threads=1, n_threads_batch=1, verbose=False,
                                     type_k=llama_cpp.GGML_TYPE_F32, type_v=llama_cpp.GGML_TYPE_F32)
        self.end = self.model.token_eos()

    def ids(self, text):
        return self.model.tokenize(text.encode(), add_bos=True, special=True)  # BOS as the file says: none

    def text(self, ids):
        return self.model.detokenize(ids).decode()

    def logits(self, ids):
        self.model.reset()
        self.model.eval(ids)
        return np.array(self.model._ctx.get_logits_ith(-1)[:self.model.n_vocab()], dtype=np.float32)

    def greedy(self, ids):
        out = [int(self.logits(ids).argmax())]
        while len(out) < TOKENS and out[-1] != self.end:
            self.model.eval(out[-1:])
            out.append(int(np.array(self.model._ctx.get_logits_ith(-1)[:self.model.n_vocab()]).argmax()))
        return out


def differences(peer, prompts, mine, theirs):
    for i, ((_, a), (_, b)) in enumerate(zip(mine, theirs)):
        if a == b:
            continue
        k = next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        if k == min(len(a), len(b)):
            print(f"   prompt {i}: one ends after {k} tokens, the other does not")
            continue
        logits = peer.logits(peer.ids(prompts[i]) + b[:k])
        print(f"   prompt {i}, token {k}: ours {a[k]} {peer.text([a[k]])!r}, theirs {b[k]} {peer.text([b[k]])!r}; "
              f"its logits differ by {logits[b[k]] - logits[a[k]]:.3g}")


def controls(program, source, prompts, say, work):
    """Our continuations with wrong files, by what is wrong."""
    def unordered(name, x):
        return reordered(x, say["llama.attention.head_count"]) if "attn_q" in name or "attn_k" in name else x

    def one_number(name, x):
        if name == "blk.0.attn_norm.weight":
            x[np.abs(x).argmax()] *= -10
        return x
    out = {}
    for label, change in (("q and k not reordered", unordered), ("one number of a norm times -10", one_number)):
        exported(source, f"{work}/wrong.gguf", change)
        out[label] = ours(program, f"{work}/wrong.gguf", prompts, say["tokenizer.ggml.eos_token_id"], work)
    return out


def compare(peer, prompts, mine, wrong, end, work):
    print(f"== {peer.name}: {peer.version}")
    asked = [peer.ids(p) for p in prompts]
    theirs = [(len(ids), without_end(peer.greedy(ids), end)) for ids in asked]
    same, least = sum(x == y for x, y in zip(mine, theirs)), ENOUGH[peer.name]
    check(f"{peer.name}: tokens of prompts", all(x[0] == y[0] for x, y in zip(mine, theirs)))
    check(f"{peer.name}: continuations", same >= least * len(prompts), f"{same} of {len(prompts)} identical")
    differences(peer, prompts, mine, theirs)
    for label, changed in wrong.items():
        same = sum(x == y for x, y in zip(changed, theirs[::EACH]))
        check(f"{peer.name}: control, {label}", same < least * len(changed), f"{same} of {len(changed)} identical")
    with open(f"{work}/{peer.name}.jsonl", "w") as f:
        for p, ids, x, y in zip(prompts, asked, mine, theirs):
            print(json.dumps({"prompt": p, "prompt_ids": ids, "ours": x[1], "theirs": y[1]}), file=f)
    return asked


def main():
    a = argparse.ArgumentParser()
    a.add_argument("program")
    a.add_argument("file")
    a.add_argument("--prompts")
    a.add_argument("--work")
    a.add_argument("--peers", default=",".join(ENOUGH))
    o = a.parse_args()
    program, work = os.path.abspath(o.program), o.work or tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    os.environ["XDG_STATE_HOME"] = f"{work}/state"
    if o.prompts:
        prompts = sorted({json.loads(line)["prompt"] for line in open(o.prompts)})
    else:
        prompts = own_prompts(program, work)
        check("prompts", len(set(prompts)) == 100, f"{len(set(prompts))} different ones")
    file, folder = f"{work}/f32.gguf", f"{work}/folder"
    say, weights = exported(o.file, file)
    folder_of(folder, say, weights)
    shutil.copyfile(o.file, f"{work}/shipped.gguf")
    end = say["tokenizer.ggml.eos_token_id"]
    mine = ours(program, file, prompts, end, work)
    check("ours from the folder as from the file", mine == ours(program, folder, prompts, end, work))
    wrong = controls(program, o.file, prompts[::EACH], say, work)
    asked = [compare(kind(folder, file), prompts, mine, wrong, end, work)
             for kind in (Transformers, TransformersGguf, LlamaCpp) if kind.name in o.peers.split(",")]
    check("ids of prompts are the same everywhere", all(ids == asked[0] for ids in asked))
    print(f"{failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
