#!/usr/bin/env python3
"""model_file.py TYPE OUT: a GGUF of MiniCPM5-1B's shape with random weights, as a quantiser would mix them.

TYPE is q8_0 or q4_k_m. Blocks are random bytes under scales that give weights of about 0.02: the speed of a product does
not depend on its numbers. Needs numpy and gguf (pip install numpy gguf).
"""
import random
import sys

import numpy as np
from gguf import GGMLQuantizationType as T
from gguf import GGUFWriter

HIDDEN, LAYERS, HEADS, KV, HEAD, FFN, VOCAB = 1536, 24, 16, 2, 128, 4608, 130560
# elements, bytes, places of float16 scales with their size, in a block
LAYOUT = {
    T.Q8_0: (32, 34, [(0, 0.02 / 73)]),
    T.Q4_K: (256, 144, [(0, 0.02 / 4.6 / 32), (2, 0.02 / 4.6 / 4)]),
    T.Q6_K: (256, 210, [(208, 0.02 / 18 / 73)]),
}
rng = np.random.default_rng(1)


def blocks(kind, rows, cols):
    elements, size, scales = LAYOUT[kind]
    out = rng.integers(0, 256, (rows * cols // elements, size), dtype=np.uint8)
    for at, value in scales:
        out[:, at : at + 2] = np.frombuffer(np.float16(value).tobytes(), np.uint8)
    return out.reshape(rows, -1)


def main():
    kind, path = sys.argv[1], sys.argv[2]
    w = GGUFWriter(path, "llama")
    w.add_name("random")
    w.add_file_type(7 if kind == "q8_0" else 15)
    w.add_quantization_version(2)
    w.add_context_length(4096)
    w.add_embedding_length(HIDDEN)
    w.add_block_count(LAYERS)
    w.add_feed_forward_length(FFN)
    w.add_head_count(HEADS)
    w.add_head_count_kv(KV)
    w.add_key_length(HEAD)
    w.add_value_length(HEAD)
    w.add_rope_dimension_count(HEAD)
    w.add_rope_freq_base(5e6)
    w.add_layer_norm_rms_eps(1e-6)
    w.add_vocab_size(VOCAB)
    # The bytes, and what merges of two earlier tokens make, as in a real vocabulary.
    letters = [c for c in range(256) if 33 <= c <= 126 or 161 <= c <= 172 or 174 <= c <= 255]
    spare = iter(range(256, 512))
    alphabet = [chr(c) if c in letters else chr(next(spare)) for c in range(256)]
    tokens, merges = dict.fromkeys(alphabet), {}
    pieces = list(alphabet)
    draw = random.Random(1)
    while len(pieces) < VOCAB:
        left, right = draw.choice(pieces), draw.choice(pieces)
        if len(left + right) > 16 or left + right in tokens:
            continue
        tokens[left + right] = None
        pieces.append(left + right)
        merges[f"{left} {right}"] = None
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("qwen2")
    w.add_token_list(pieces)
    w.add_token_types([1] * VOCAB)
    w.add_token_merges(list(merges))
    w.add_bos_token_id(300)
    w.add_eos_token_id(301)
    w.add_add_bos_token(False)

    def matrix(name, rows, cols, better=False):
        t = T.Q8_0 if kind == "q8_0" else T.Q6_K if better else T.Q4_K
        w.add_tensor(name + ".weight", blocks(t, rows, cols), raw_dtype=t)

    def norm(name):
        w.add_tensor(name + ".weight", np.ones(HIDDEN, np.float32))

    matrix("token_embd", VOCAB, HIDDEN)
    norm("output_norm")
    matrix("output", VOCAB, HIDDEN, better=True)
    for i in range(LAYERS):
        better = i < LAYERS // 8 or i >= 7 * LAYERS // 8 or (i - LAYERS // 8) % 3 == 2
        b = f"blk.{i}."
        norm(b + "attn_norm")
        norm(b + "ffn_norm")
        matrix(b + "attn_q", HEADS * HEAD, HIDDEN)
        matrix(b + "attn_k", KV * HEAD, HIDDEN)
        matrix(b + "attn_v", KV * HEAD, HIDDEN, better)
        matrix(b + "attn_output", HIDDEN, HEADS * HEAD)
        matrix(b + "ffn_gate", FFN, HIDDEN)
        matrix(b + "ffn_up", FFN, HIDDEN)
        matrix(b + "ffn_down", HIDDEN, FFN, better)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


main()
