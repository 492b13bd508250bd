"""Writes test/weights/golden/quant.bin: blocks of every type, made and decoded by ggml (the library inside of
llama-cpp-python), for test/weights/quant/test_quant.c.

    u32 count; float x[count]; then for each type: u32 id, u32 bytes of blocks, ggml's blocks of x, float decoded[count];
    and u32 bytes, blocks of random bytes (finite scales), float decoded[count].
"""
import ctypes
import glob
import os
import struct

import gguf
import llama_cpp
import numpy as np

lib = ctypes.CDLL(glob.glob(os.path.dirname(llama_cpp.__file__) + "/lib/libggml-base.so")[0])
lib.ggml_quantize_chunk.restype = ctypes.c_size_t
FLOATS = ctypes.POINTER(ctypes.c_float)
COUNT = 1024
rng = np.random.default_rng(20)
x = (rng.standard_t(5, COUNT) * 0.05).astype(np.float32)
x[512:544] = 0  # a sub-block of zeros
x[544:576] = np.abs(x[544:576]) + 0.1  # and one of positive numbers


def decode(kind, blocks):
    out = np.zeros(COUNT, np.float32)
    name = {"F16": "ggml_fp16_to_fp32_row", "BF16": "ggml_bf16_to_fp32_row"}.get(kind.name, f"dequantize_row_{kind.name}")
    f = getattr(lib, name.replace("_Q4_K", "_q4_K").replace("_Q5_K", "_q5_K").replace("_Q6_K", "_q6_K").replace("_Q", "_q"))
    f.restype = None
    f(blocks.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(FLOATS), ctypes.c_int64(COUNT))
    return out


def finite_scales(kind, blocks):
    """The f16 fields of random blocks, made small enough not to be infinite or NaN."""
    places = {"Q4_0": [0], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}
    rows = blocks.reshape(-1, gguf.GGML_QUANT_SIZES[kind][1])
    for p in places.get(kind.name, []):
        rows[:, p + 1] &= 0xbf  # clears the exponent's highest bit
    if kind.name == "F16":
        rows[:, 1] &= 0xbf
    if kind.name == "BF16":
        rows[:, 1] &= 0xbf
    return blocks


with open(os.path.join(os.path.dirname(__file__), "../weights/golden/quant.bin"), "wb") as out:
    out.write(struct.pack("<I", COUNT) + x.tobytes())
    for name in ["F16", "BF16", "Q4_0", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"]:
        kind = gguf.GGMLQuantizationType[name]
        block, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = np.zeros(COUNT // block * size, np.uint8)
        lib.ggml_quantize_chunk(int(kind), x.ctypes.data_as(FLOATS), blocks.ctypes.data_as(ctypes.c_void_p),
                                ctypes.c_int64(0), ctypes.c_int64(1), ctypes.c_int64(COUNT), None)
        noise = finite_scales(kind, rng.integers(0, 256, blocks.size, dtype=np.uint8))
        out.write(struct.pack("<II", int(kind), blocks.size) + blocks.tobytes() + decode(kind, blocks).tobytes())
        out.write(struct.pack("<I", noise.size) + noise.tobytes() + decode(kind, noise).tobytes())
