"""What `ouroboros model quantize` writes, against transformers, gguf-py, ggml and llama.cpp.

For three tiny models (Llama with heads * head_dim != hidden, llama3 scaling, tied Qwen2 with biases) and every type:
the file's keys and tensors as gguf-py reads them, dequantised errors beside those of ggml's own quantiser, llama.cpp's
logits beside transformers' on the same dequantised weights, and the tokenizer inside. Each comparison has a control that
must fail. GGUF in gives the same bytes as the folder in.

    weights.py OUROBOROS [WORK-FOLDER]      needs torch, transformers, peft, tokenizers, gguf, llama-cpp-python
"""
import ctypes
import glob
import json
import os
import subprocess
import sys
import tempfile

import gguf
import llama_cpp
import numpy as np
import torch
from peft import PeftModel
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import AutoModelForCausalLM

import weights_tiny as tiny

BINARY = os.path.abspath(sys.argv[1])
TYPES = ["f16", "q8_0", "q4_k_m", "q5_k_m", "q6_k"]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
TEMPLATE = "{% for m in messages %}{{ '<|im_start|>' + m['role'] }}{% endfor %}"
failures = 0


def check(name, ok, note=""):
    global failures
    failures += not ok
    print(f"{'ok' if ok else 'FAILED'} {name} {note}")


def run(*args, ok=True):
    r = subprocess.run([BINARY, *args], capture_output=True, text=True)
    if ok and r.returncode:
        sys.exit(f"{' '.join(args)}: {r.stderr}")
    return r


def make_tokenizer(folder, llama):
    """Byte-level BPE of 320 tokens: the split of the family, some merges, control and added tokens."""
    t = Tokenizer(models.BPE(ignore_merges=llama))
    split = pre_tokenizers.Split(Regex(LLAMA3 if llama else QWEN2), "isolated")
    t.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    if not llama:
        from tokenizers import normalizers
        t.normalizer = normalizers.NFC()
    special = ["<s>", "</s>", "<|im_end|>"] if llama else ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(vocab_size=316, special_tokens=special,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    t.train([__file__, tiny.__file__], trainer)
    t.add_tokens(["<think>"])
    if llama:
        t.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    t.save(f"{folder}/tokenizer.json")
    json.dump({"chat_template": TEMPLATE}, open(f"{folder}/tokenizer_config.json", "w"))
    return t


def dequantised(reader):
    return {t.name: gguf.dequantize(t.data, t.tensor_type).reshape(tuple(reversed(t.shape.tolist()))) for t in reader.tensors}


def unpermute(w, heads):
    return w.reshape(heads, w.shape[0] // heads // 2, 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def back_to_hf(weights, config, permuted=True):
    out = {}
    for name, w in weights.items():
        if name == "rope_freqs.weight":
            continue
        if config.model_type == "llama" and permuted:
            if "attn_q" in name:
                w = unpermute(w, config.num_attention_heads)
            if "attn_k" in name:
                w = unpermute(w, config.num_key_value_heads)
        for hf, ours in tiny.NAMES:
            name = name.replace(ours + ".", hf + ".")
        out[name] = torch.from_numpy(np.ascontiguousarray(w))
    return out


def logits_llama(path, ids, lora=None):
    m = llama_cpp.Llama(path, n_ctx=256, logits_all=True, verbose=False, n_threads=2, lora_path=lora)
    m.eval(ids)
    return np.array(m.scores[: len(ids)], dtype=np.float64), m


def logits_hf(model, ids):
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].double().numpy()


def ggml():
    lib = ctypes.CDLL(glob.glob(os.path.dirname(llama_cpp.__file__) + "/lib/libggml-base.so")[0])
    lib.ggml_quantize_chunk.restype = ctypes.c_size_t

    def quantise(x, kind):
        block, size = gguf.GGML_QUANT_SIZES[kind]
        out = np.zeros(x.size // block * size, np.uint8)
        x = np.ascontiguousarray(x, np.float32)
        lib.ggml_quantize_chunk(int(kind), x.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
                                out.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(0),
                                ctypes.c_int64(x.size // x.shape[-1]), ctypes.c_int64(x.shape[-1]), None)
        return out
    return quantise


def wanted_type(name, kind, layers, tied):
    """The mixes, written down a second time."""
    T = gguf.GGMLQuantizationType
    if "norm" in name or name.endswith(".bias") or name == "rope_freqs.weight":
        return T.F32
    if kind in ("f16", "q8_0", "q6_k"):
        return {"f16": T.F16, "q8_0": T.Q8_0, "q6_k": T.Q6_K}[kind]
    low = T.Q4_K if kind == "q4_k_m" else T.Q5_K
    if name == "output.weight" or (tied and name == "token_embd.weight"):
        return T.Q6_K
    if "attn_v." in name or "ffn_down." in name:
        i = int(name.split(".")[1])
        if i < layers // 8 or i >= 7 * layers // 8 or (i - layers // 8) % 3 == 2:
            return T.Q6_K
    return low


def main():
    work = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    tiny.write_all(work, hidden=256, inner=512)
    quantise = ggml()
    rng = np.random.default_rng(5)
    for name in tiny.configs():
        folder, llama = f"{work}/{name}", name.startswith("llama")
        tokenizer = make_tokenizer(folder, llama)
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        config = model.config
        source = {tiny.gguf_name(k): v.float().numpy().copy() for k, v in model.state_dict().items()}
        if llama:
            for k in source:
                if "attn_q" in k:
                    source[k] = tiny.permute(source[k], config.num_attention_heads)
                if "attn_k" in k:
                    source[k] = tiny.permute(source[k], config.num_key_value_heads)
        if config.tie_word_embeddings:
            source.pop("output.weight", None)
        dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        parameters = sum(p.numel() for p in model.parameters())
        ids = rng.integers(5, 300, 48).tolist()
        for kind in TYPES:
            path, label = f"{work}/{name}-{kind}.gguf", f"{name} {kind}"
            run("model", "quantize", folder, path, "--type", kind)
            reader = gguf.GGUFReader(path)
            deq = dequantised(reader)
            types = {t.name: t.tensor_type for t in reader.tensors}
            extra = {"rope_freqs.weight"} if name == "llama3" else set()
            check(f"{label}: tensors", set(types) == set(source) | extra)
            check(f"{label}: types", all(types[n] == wanted_type(n, kind, 4, config.tie_word_embeddings) for n in types))
            worst, same = 0.0, True
            for n, x in source.items():
                if types[n] in (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16):
                    exact = x if types[n] == gguf.GGMLQuantizationType.F32 else x.astype(np.float16).astype(np.float32)
                    same = same and np.array_equal(deq[n], exact)
                    continue
                theirs = quantise(x, types[n])
                if types[n] == gguf.GGMLQuantizationType.Q8_0:
                    raw = next(t.data for t in reader.tensors if t.name == n)
                    same = same and np.array_equal(np.asarray(raw).reshape(-1).view(np.uint8), theirs)
                else:
                    d = gguf.dequantize(theirs, types[n]).reshape(x.shape)
                    assert np.any(d != x)
                    worst = max(worst, np.sqrt(np.mean((deq[n] - x) ** 2) / np.mean((d - x) ** 2)))
            check(f"{label}: F32, F16 and Q8_0 exactly as ggml has them", same)
            check(f"{label}: error of a matrix beside ggml's", worst <= 1.02, f"at most {worst:.4f} of it")

            model.load_state_dict(back_to_hf(deq, config), strict=False)
            want = logits_hf(model, ids)
            got, loaded = logits_llama(path, ids)
            miss, top = np.abs(got - want).max(), np.abs(want).max()
            if kind == "f16":  # the noise of its F16 cache and inputs
                bound = 2e-3 * top
            else:  # its products round inputs to 8 bits: as much as it misses with a file of ggml's own making
                peer = f"{work}/{name}-peer.gguf"
                tiny.to_gguf(folder, peer, lambda n, x: (quantise(x, types[n]), types[n]) if x.ndim == 2 else None)
                model.load_state_dict(back_to_hf(dequantised(gguf.GGUFReader(peer)), config), strict=False)
                theirs, other = logits_llama(peer, ids)
                other.close()
                bound = 1.5 * np.abs(theirs - logits_hf(model, ids)).max()
            check(f"{label}: logits of llama.cpp", miss <= bound, f"{miss:.2g} of {top:.3g}, {bound:.2g} allowed")
            if llama:
                model.load_state_dict(back_to_hf(deq, config, permuted=False), strict=False)
                control = np.abs(got - logits_hf(model, ids)).max()
                check(f"{label}: control, rows not permuted", control > 1.5 * bound, f"{control:.2g}")
            if name == "llama3" and kind == "f16":
                keep = model.model.rotary_emb.inv_freq.clone()
                model.load_state_dict(back_to_hf(deq, config), strict=False)
                base = config.rope_parameters["rope_theta"]
                n = torch.arange(0, keep.numel() * 2, 2).float() / (keep.numel() * 2)
                model.model.rotary_emb.inv_freq.copy_(base ** -n)
                control = np.abs(got - logits_hf(model, ids)).max()
                check(f"{label}: control, without rope scaling", control > 100 * bound, f"{control:.2g}")
                model.model.rotary_emb.inv_freq.copy_(keep)
            texts = ["def kernel(x_ptr, n):\n    pid = tl.program_id(0)\n", "a1234 b  c\t\n\n", "it's <think> ok</s>", "Ünïcödé 漢字 🙂"]
            bad = [t for t in texts if loaded.tokenize(t.encode(), add_bos=True, special=True) != tokenizer.encode(t).ids]
            check(f"{label}: tokenizer in llama.cpp", not bad, str(bad))
            fields = reader.fields
            check(f"{label}: keys", fields["tokenizer.chat_template"].contents() == TEMPLATE
                  and fields["general.file_type"].contents() == {"f16": 1, "q8_0": 7, "q4_k_m": 15, "q5_k_m": 17, "q6_k": 18}[kind]
                  and fields[f"{config.model_type}.attention.key_length"].contents() == dim)
            loaded.close()

            # From the independent converter's GGUF, and from a file of another type.
            again = f"{work}/{name}-again.gguf"
            run("model", "quantize", f"{work}/{name}.gguf", again, "--type", kind)
            other = dequantised(gguf.GGUFReader(again))
            check(f"{label}: from GGUF", all(np.array_equal(other[n], deq[n]) for n in source))
            run("model", "quantize", path, again, "--type", kind)
            twice = gguf.GGUFReader(again)
            check(f"{label}: the same type again changes nothing",
                  all(np.array_equal(a.data, b.data) for a, b in zip(reader.tensors, twice.tensors)))
        # Adapters: what our reader takes a GGUF adapter to mean is what llama.cpp takes it to mean (test_adapter.c holds
        # that a GGUF adapter and the PEFT one it was made from are the same to us).
        model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32), f"{work}/{name}-lora")
        want = logits_hf(model.eval(), ids)
        got, loaded = logits_llama(f"{work}/{name}-f16.gguf", ids, f"{work}/{name}-lora.gguf")
        loaded.close()
        plain, loaded = logits_llama(f"{work}/{name}-f16.gguf", ids)
        loaded.close()
        miss, control, top = np.abs(got - want).max(), np.abs(plain - want).max(), np.abs(want).max()
        check(f"{name}: a GGUF adapter in llama.cpp", miss <= 4e-3 * top, f"{miss:.2g} of {top:.3g}")
        check(f"{name}: control, without it", control > 20 * miss, f"{control:.2g}")
        info = json.loads(run("model", "info", f"{work}/{name}-q4_k_m.gguf", "--json").stdout)
        check(f"{name}: info", info["parameters"] == parameters and info["tokenizer"] in
              ("llama-bpe", "qwen2") and info["tied"] == config.tie_word_embeddings, str(info["parameters"]))
    print(f"{failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
