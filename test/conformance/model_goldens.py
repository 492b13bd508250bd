#!/usr/bin/env python3
"""Makes test/model/golden: tiny random models of the classes that the project runs, as transformers writes them, a PEFT
adapter for each, and what transformers computes with them. Needs torch, transformers, peft, tokenizers.

golden.bin is a list of records, all little-endian: 16 bytes of name, int32 count, then count 4-byte values.
  prompt        ids (int32)                 prompt_logits / prompt_lora     [prompt, vocab] float32
  ragged_count  8 lengths                   ragged_ids    the ids, one sequence after the other
  ragged_logits / ragged_lora               [8, vocab]: of the last token of each, from one batch padded on the left
  greedy / greedy_lora                      ids that follow the prompt, the most likely each time
sampling.bin, in the same form: logits [cases, 50], settings [cases, 4] (temperature, top_k, top_p, min_p; as float32)
and probs [cases, 50], the distribution that transformers draws from.
The folder is small on purpose: it is part of `make check`, which has no transformers."""
import json
import os
import shutil
import struct
import sys

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (LlamaConfig, LlamaForCausalLM, LogitsProcessorList, MinPLogitsWarper, Qwen2Config,
                          Qwen2ForCausalLM, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper)

VOCAB, HIDDEN, LAYERS, INNER, PROMPT, GREEDY = 270, 64, 4, 72, 70, 24
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "model", "golden")
COMMON = dict(vocab_size=VOCAB, hidden_size=HIDDEN, num_hidden_layers=LAYERS, intermediate_size=INNER,
              max_position_embeddings=256, bos_token_id=256, eos_token_id=[257, 258], hidden_act="silu")
MODELS = {
    # heads * head_dim = 80 differs from hidden; untied; a base of its own
    "llama": (LlamaForCausalLM, LlamaConfig(**COMMON, num_attention_heads=4, num_key_value_heads=2, head_dim=20,
                                            rms_norm_eps=1e-6, tie_word_embeddings=False,
                                            rope_parameters={"rope_type": "default", "rope_theta": 5e4})),
    # llama3 scaling, with all three kinds of waves inside of the prompt; tied
    "llama3": (LlamaForCausalLM, LlamaConfig(**COMMON, num_attention_heads=4, num_key_value_heads=1, head_dim=16,
                                             rms_norm_eps=1e-5, tie_word_embeddings=True,
                                             rope_parameters={"rope_type": "llama3", "rope_theta": 5e3, "factor": 8.0,
                                                              "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                                              "original_max_position_embeddings": 48})),
    # biases on q, k and v; tied
    "qwen2": (Qwen2ForCausalLM, Qwen2Config(**COMMON, num_attention_heads=4, num_key_value_heads=2, rms_norm_eps=1e-6,
                                            tie_word_embeddings=True,
                                            rope_parameters={"rope_type": "default", "rope_theta": 1e4})),
}


def record(f, name, values):
    values = values.contiguous()
    raw = values.to(torch.float32 if values.dtype.is_floating_point else torch.int32).numpy().tobytes()
    f.write(struct.pack("<16si", name.encode(), values.numel()) + raw)


def fill(model, seed):
    """Weights large enough that attention is far from uniform and every part matters."""
    g = torch.Generator().manual_seed(seed)
    for name, p in model.named_parameters():
        r = torch.randn(p.shape, generator=g)
        if "norm" in name:
            p.data.copy_(1 + 0.3 * r)
        elif "embed" in name:
            p.data.copy_(r * 0.3)
        elif name.endswith("bias"):
            p.data.copy_(r * 0.8)
        else:
            scale = 1.2 if ("q_proj" in name or "k_proj" in name) else 0.9
            p.data.copy_(r * scale / p.shape[1] ** 0.5)


def tokenizer(path):
    """Bytes, and fourteen special tokens."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {c: i for i, c in enumerate(alphabet)}
    t = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens([f"<|special_{i}|>" for i in range(VOCAB - len(alphabet))])
    t.save(os.path.join(path, "tokenizer.json"), pretty=False)


def greedy(model, ids):
    with torch.no_grad():
        for _ in range(GREEDY):
            ids = torch.cat([ids, model(ids).logits[:, -1:].argmax(-1)], 1)
    return ids[0, -GREEDY:]


def ragged(model, sequences):
    longest = max(len(s) for s in sequences)
    ids = torch.zeros(len(sequences), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for i, s in enumerate(sequences):
        ids[i, longest - len(s):] = s
        mask[i, longest - len(s):] = 1
    places = (mask.cumsum(-1) - 1).clamp(min=0)
    with torch.no_grad():
        return model(ids, attention_mask=mask, position_ids=places).logits[:, -1]


def sampling():
    g = torch.Generator().manual_seed(7)
    logits, settings, probs = [], [], []
    for temperature, top_k, top_p, min_p, spread in (
            (1.0, 0, 1.0, 0.0, 2), (0.7, 0, 0.97, 0.0, 2), (0.7, 20, 0.95, 0.0, 2), (1.5, 5, 1.0, 0.0, 1),
            (1.0, 0, 1.0, 0.1, 2), (0.6, 10, 0.8, 0.05, 3), (2.0, 0, 0.5, 0.0, 0.1), (1.0, 1, 1.0, 0.0, 1),
            (0.3, 0, 0.01, 0.0, 2), (1.0, 30, 0.9, 0.02, 4), (0.1, 0, 0.99, 0.0, 5), (1.0, 49, 0.999, 0.001, 3)):
        x = torch.randn(1, 50, generator=g) * spread
        # The order in which `generate` applies them.
        chain = LogitsProcessorList([TemperatureLogitsWarper(temperature)])
        if top_k:
            chain.append(TopKLogitsWarper(top_k))
        if top_p < 1:
            chain.append(TopPLogitsWarper(top_p))
        if min_p:
            chain.append(MinPLogitsWarper(min_p))
        logits.append(x)
        settings.append(torch.tensor([temperature, top_k, top_p, min_p], dtype=torch.float32))
        probs.append(chain(None, x).softmax(-1))
    with open(os.path.join(HERE, "sampling.bin"), "wb") as f:
        record(f, "logits", torch.cat(logits))
        record(f, "settings", torch.stack(settings))
        record(f, "probs", torch.cat(probs))


def main():
    sampling()
    torch.set_num_threads(1)
    for at, (name, (cls, config)) in enumerate(MODELS.items()):
        path = os.path.join(HERE, name)
        shutil.rmtree(path, ignore_errors=True)
        config._attn_implementation = "eager"
        model = cls(config).to(torch.float32).eval()
        fill(model, 100 + at)
        model.save_pretrained(path)
        tokenizer(path)
        g = torch.Generator().manual_seed(at)
        prompt = torch.randint(0, VOCAB, (1, PROMPT), generator=g)
        sequences = [torch.randint(0, VOCAB, (n,), generator=g) for n in (1, 2, 5, 13, 33, 64, 65, 70)]
        with open(os.path.join(path, "golden.bin"), "wb") as f:
            record(f, "prompt", prompt)
            record(f, "ragged_count", torch.tensor([len(s) for s in sequences]))
            record(f, "ragged_ids", torch.cat(sequences))
            for suffix in ("", "_lora"):
                if suffix:
                    lora = LoraConfig(r=4, lora_alpha=8, lora_dropout=0.0, task_type="CAUSAL_LM",
                                      target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj",
                                                      "down_proj"])
                    model = get_peft_model(model, lora).eval()
                    gl = torch.Generator().manual_seed(200 + at)
                    for key, p in model.named_parameters():
                        if "lora_" in key:
                            p.data.copy_(torch.randn(p.shape, generator=gl) * 0.1)
                    model.save_pretrained(os.path.join(path, "adapter"))
                with torch.no_grad():
                    record(f, "prompt_lora" if suffix else "prompt_logits", model(prompt).logits)
                record(f, "ragged_lora" if suffix else "ragged_logits", ragged(model, sequences))
                record(f, "greedy" + suffix, greedy(model, prompt))
        config_path = os.path.join(path, "adapter", "adapter_config.json")
        with open(config_path) as f:
            told = json.load(f)
        told["target_modules"].sort()  # a set: in another order each time
        with open(config_path, "w") as f:
            json.dump(told, f, indent=2, sort_keys=True)
        # What a tiny model does not need, and what names the machine.
        # (written with mode 600)
        for junk in ("adapter/README.md",):
            os.remove(os.path.join(path, junk))
        print(name, sum(p.numel() for p in model.parameters()), "parameters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
