"""Dequantisation of int8 rows: each row times its own float16 scale, as float16."""
# words: dequant | dequantize int8 | int8 dequantize | dequantise int8 | int8 dequantization | dequantization | dequantisation | int8 dequantisation | int8 dequant | dequantize | dequantise | row wise int8 dequantization | per row int8 dequantization | int8 to fp16 | int8 to float16 | dequantization of int8 | dequantisation of int8
inputs = {
    "q": {"shape": ("M", "N"), "dtype": "int8", "range": (-128, 127)},
    "scale": {"shape": ("M", 1), "dtype": "float16", "range": (1e-4, 1)},
}
invariant = {"scale": ("scale", 1)}


def reference(q, scale):
    return (q.float() * scale.float()).to(scale.dtype)
