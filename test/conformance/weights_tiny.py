"""Tiny random models of the classes that src/model computes, as transformers saves them, and the same as GGUF, written
with gguf-py by an independent converter. weights.py and the golden makers of model/ use it.

    weights_tiny.py OUT     writes OUT/{llama,llama3,qwen2}{,.gguf} and OUT/*-lora{,.gguf}
"""
import json
import os
import sys

import gguf
import numpy as np
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
VOCAB = 320


def configs(hidden=64, inner=160):
    base = dict(hidden_size=hidden, intermediate_size=inner, num_hidden_layers=4, num_attention_heads=4,
                num_key_value_heads=2, vocab_size=VOCAB, max_position_embeddings=512, bos_token_id=0, eos_token_id=1)
    plain = {"rope_type": "default", "rope_theta": 5e6}
    llama3 = {"rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
              "original_max_position_embeddings": 64}
    return {
        "llama": (LlamaForCausalLM, LlamaConfig(head_dim=hidden // 2, rms_norm_eps=1e-6, rope_parameters=plain, **base)),
        "llama3": (LlamaForCausalLM, LlamaConfig(head_dim=hidden // 4, rms_norm_eps=1e-5, rope_parameters=llama3, **base)),
        "qwen2": (Qwen2ForCausalLM, Qwen2Config(tie_word_embeddings=True, rms_norm_eps=1e-6,
                                                rope_parameters={"rope_type": "default", "rope_theta": 1e6}, **base)),
    }


def fill(model, seed):
    size = 0.8 / model.config.hidden_size ** 0.5
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=g)
            p.copy_(1 + 0.1 * noise if "norm" in name else size * noise)
    return model.float().eval()


def permute(w, heads):
    """Rows of q and k as llama.cpp's converter orders them: rope turns neighbours."""
    return w.reshape(heads, 2, w.shape[0] // heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


NAMES = [("model.embed_tokens", "token_embd"), ("model.norm", "output_norm"), ("lm_head", "output"),
         ("input_layernorm", "attn_norm"), ("post_attention_layernorm", "ffn_norm"), ("self_attn.q_proj", "attn_q"),
         ("self_attn.k_proj", "attn_k"), ("self_attn.v_proj", "attn_v"), ("self_attn.o_proj", "attn_output"),
         ("mlp.gate_proj", "ffn_gate"), ("mlp.up_proj", "ffn_up"), ("mlp.down_proj", "ffn_down"),
         ("model.layers", "blk")]


def gguf_name(name):
    for a, b in NAMES:
        name = name.replace(a, b)
    return name


def llama3_divisors(rope, dim):
    """models.md A2: what rope_freqs.weight holds."""
    out = []
    for i in range(dim // 2):
        f = rope["rope_theta"] ** (-2 * i / dim)
        wave, low, high = 2 * np.pi / f, rope["low_freq_factor"], rope["high_freq_factor"]
        orig = rope["original_max_position_embeddings"]
        if wave < orig / high:
            out.append(1.0)
        elif wave > orig / low:
            out.append(rope["factor"])
        else:
            s = (orig / wave - low) / (high - low)
            out.append(1 / ((1 - s) / rope["factor"] + s))
    return np.array(out, dtype=np.float32)


def byte_tokens(count):
    """A vocabulary of one merge: <s>, </s>, the 256 byte characters, what tokens 100 and 101 become, then padding."""
    keep = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or 174 <= b <= 255]
    other = [b for b in range(256) if b not in keep]
    chars = [chr(b) if b in keep else chr(256 + other.index(b)) for b in range(256)]
    tokens = ["<s>", "</s>"] + chars
    tokens.append(tokens[100] + tokens[101])
    kinds = [3, 3] + [1] * 257
    while len(tokens) < count:
        kinds.append(5)
        tokens.append(f"[PAD{len(tokens)}]")
    return tokens, kinds


def to_gguf(folder, path, quantise=None, permuted=True):
    """quantise(name, x): the bytes and the type of a tensor, or None for F32."""
    c = json.load(open(f"{folder}/config.json"))
    t = {}
    for f in sorted(os.listdir(folder)):
        if f.endswith(".safetensors"):
            t |= load_file(f"{folder}/{f}")
    arch = c["model_type"]
    w = gguf.GGUFWriter(path, arch)
    heads, kv = c["num_attention_heads"], c["num_key_value_heads"]
    dim = c.get("head_dim") or c["hidden_size"] // heads
    w.add_context_length(c["max_position_embeddings"])
    w.add_embedding_length(c["hidden_size"])
    w.add_block_count(c["num_hidden_layers"])
    w.add_feed_forward_length(c["intermediate_size"])
    w.add_head_count(heads)
    w.add_head_count_kv(kv)
    w.add_key_length(dim)
    w.add_value_length(dim)
    w.add_layer_norm_rms_eps(c["rms_norm_eps"])
    w.add_rope_freq_base(c["rope_parameters"]["rope_theta"])
    w.add_rope_dimension_count(dim)
    w.add_vocab_size(c["vocab_size"])
    tokens, kinds = byte_tokens(c["vocab_size"])
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("llama-bpe" if arch == "llama" else "qwen2")
    w.add_token_list(tokens)
    w.add_token_types(kinds)
    w.add_token_merges([f"{tokens[100]} {tokens[101]}"])
    w.add_bos_token_id(c["bos_token_id"])
    w.add_eos_token_id(c["eos_token_id"])
    w.add_add_bos_token(False)
    if c["rope_parameters"]["rope_type"] == "llama3":
        w.add_tensor("rope_freqs.weight", llama3_divisors(c["rope_parameters"], dim))
    for name, x in t.items():
        x, name = x.float().numpy(), gguf_name(name)
        if arch == "llama" and permuted:
            if "attn_q" in name:
                x = permute(x, heads)
            if "attn_k" in name:
                x = permute(x, kv)
        raw = quantise(name, x) if quantise else None
        if raw is None:
            w.add_tensor(name, np.ascontiguousarray(x, dtype=np.float32))
        else:
            w.add_tensor(name, raw[0].reshape(x.shape[0], -1), raw_dtype=raw[1])
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def lora_to_gguf(folder, base, path):
    """What llama.cpp's convert_lora_to_gguf.py writes (models.md D4)."""
    c, model = json.load(open(f"{folder}/adapter_config.json")), json.load(open(f"{base}/config.json"))
    w = gguf.GGUFWriter(path, model["model_type"])
    w.add_type("adapter")
    w.add_string("adapter.type", "lora")
    w.add_float32("adapter.lora.alpha", float(c["lora_alpha"]))
    for name, x in load_file(f"{folder}/adapter_model.safetensors").items():
        x = x.float().numpy()
        short = gguf_name(name.removeprefix("base_model.model."))
        short = short.replace(".lora_A.weight", ".weight.lora_a").replace(".lora_B.weight", ".weight.lora_b")
        if model["model_type"] == "llama" and "lora_B" in name:
            if "q_proj" in name:
                x = permute(x, model["num_attention_heads"])
            if "k_proj" in name:
                x = permute(x, model["num_key_value_heads"])
        w.add_tensor(short, np.ascontiguousarray(x, dtype=np.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def write_all(out, hidden=64, inner=160):
    for i, (name, (cls, config)) in enumerate(configs(hidden, inner).items()):
        model = fill(cls(config), 10 + i)
        model.save_pretrained(f"{out}/{name}", max_shard_size="200KB" if name == "llama3" else "1GB")
        to_gguf(f"{out}/{name}", f"{out}/{name}.gguf")
        tuned = get_peft_model(model, LoraConfig(r=8, lora_alpha=16, target_modules=TARGETS))
        g = torch.Generator().manual_seed(100 + i)
        with torch.no_grad():
            for n, p in tuned.named_parameters():
                if "lora_" in n:
                    p.copy_(0.1 * torch.randn(p.shape, generator=g))
        tuned.save_pretrained(f"{out}/{name}-lora")
        lora_to_gguf(f"{out}/{name}-lora", f"{out}/{name}", f"{out}/{name}-lora.gguf")


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    write_all(sys.argv[1])
