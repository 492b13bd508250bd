#!/usr/bin/env python3
"""The forward pass against transformers + peft and against llama.cpp, on tiny random models of each class, larger than the
goldens (width 256, so that K-quants apply), from folders, GGUF files and adapters of both kinds.

    model.py --logits build/release/model-logits [--tokens 150]

Prints the largest difference of logits for each pair and fails when one is too large, or when a control is too small:
 - F32, from the folder and from the GGUF, with and without an adapter: transformers within 1e-4;
 - the same against llama.cpp, whose cache is F16: within 1 % of the largest logit, and the same argmax nearly everywhere;
 - files quantised by llama.cpp: ours, llama.cpp and the plain float64 forward over the dequantised weights. Both
   programs round what is multiplied with quantised weights to 8 bits, so they are compared by how far each is from the
   plain forward: ours may be at most 1.2 times as far as llama.cpp;
 - control: a GGUF whose q and k were not permuted misses by 100 times."""
import argparse
import os
import subprocess
import sys
import tempfile

import llama_cpp
import numpy as np
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

import weights_tiny as tiny

FAILED = 0


def say(what, value, limit, over=False):
    global FAILED
    good = value > limit if over else value <= limit
    FAILED += not good
    print(f"{what:56s} {value:10.3g}  {'>' if over else '<='} {limit:.3g}{'' if good else '   FAILED'}")


def ours(program, path, ids, adapter="-", kv="f32", piece=64):
    out = subprocess.run([program, path, adapter, kv, str(piece)] + [str(i) for i in ids], capture_output=True)
    if out.returncode:
        raise SystemExit(out.stderr.decode())
    return np.frombuffer(out.stdout, dtype=np.float32).reshape(len(ids), -1)


def theirs(path, ids, adapter=None):
    m = llama_cpp.Llama(path, n_ctx=512, n_batch=512, logits_all=True, verbose=False, n_threads=1, lora_path=adapter)
    m.eval(list(ids))
    return np.array(m.scores[:len(ids)], dtype=np.float32)


def quantised(path, out, kind):
    p = llama_cpp.llama_model_quantize_default_params()
    p.ftype = kind
    p.nthread = 1
    if llama_cpp.llama_model_quantize(path.encode(), out.encode(), p):
        raise SystemExit(f"llama.cpp did not quantise {path}")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--logits", required=True)
    a.add_argument("--tokens", type=int, default=150)
    o = a.parse_args()
    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory() as work:
        tiny.write_all(work, 256, 512)
        for i, name in enumerate(tiny.configs()):
            ids = [int(x) for x in np.random.default_rng(i).integers(2, 258, o.tokens)]
            folder, file = f"{work}/{name}", f"{work}/{name}.gguf"
            base = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
            for lora in (False, True):
                model = PeftModel.from_pretrained(base, folder + "-lora").eval() if lora else base
                with torch.no_grad():
                    right = model(torch.tensor([ids])).logits[0].numpy()
                label = name + (" + adapter" if lora else "")
                from_folder = ours(o.logits, folder, ids, folder + "-lora" if lora else "-")
                from_file = ours(o.logits, file, ids, folder + "-lora.gguf" if lora else "-")
                say(f"{label}: folder, transformers", np.abs(from_folder - right).max(), 1e-4)
                say(f"{label}: GGUF, transformers", np.abs(from_file - right).max(), 1e-4)
                plain = ours(o.logits, folder, ids, folder + "-lora" if lora else "-", piece=0)
                say(f"{label}: plain, transformers", np.abs(plain - right).max(), 1e-4)
                peer = theirs(file, ids, folder + "-lora.gguf" if lora else None)
                half = ours(o.logits, file, ids, folder + "-lora.gguf" if lora else "-", kv="f16")
                top = np.abs(right).max()
                say(f"{label}: cache in F16, F32", np.abs(half - right).max() / top, 0.01)
                say(f"{label}: F16 cache, llama.cpp / largest logit", np.abs(half - peer).max() / top, 0.01)
                say(f"{label}: argmax differs from llama.cpp", (half.argmax(1) != peer.argmax(1)).mean(), 0.02)
            if name != "qwen2":
                tiny.to_gguf(folder, f"{work}/wrong.gguf", permuted=False)
                with torch.no_grad():
                    right = base(torch.tensor([ids])).logits[0].numpy()
                say(f"{name}: q and k not permuted", np.abs(ours(o.logits, f"{work}/wrong.gguf", ids) - right).max(), 1e-2,
                    over=True)
            for kind, label in ((7, "Q8_0"), (2, "Q4_0"), (15, "Q4_K_M"), (17, "Q5_K_M"), (18, "Q6_K"), (1, "F16"), (32, "BF16")):
                path = f"{work}/{name}-{label}.gguf"
                quantised(file, path, kind)
                exact, got, peer = ours(o.logits, path, ids, piece=0), ours(o.logits, path, ids, kv="f16"), theirs(path, ids)
                one = ours(o.logits, path, ids, kv="f16", piece=1)
                if not np.array_equal(one.view(np.int32), got.view(np.int32)):
                    say(f"{name} {label}: token by token, bits differ", 1, 0)
                top, rms = np.abs(exact).max(), lambda x: float(np.sqrt((x ** 2).mean()))
                say(f"{name} {label}: rms from exact, ours / llama.cpp's", rms(got - exact) / rms(peer - exact), 1.2)
                say(f"{name} {label}: rms from exact / largest logit", rms(got - exact) / top, 0.02)
                os.remove(path)
    return FAILED != 0


if __name__ == "__main__":
    sys.exit(main())
