"""Copies pages of a cache into one sequence, in the order of a table of page numbers."""
inputs = {
    "cache": {"shape": ("P", 16, "D"), "scale": (1e-3, 64)},
    "table": {"shape": ("T",), "dtype": "int32", "range": (0, "P")},
}
dims = {"P": {"max": 512}, "T": {"max": 256}, "D": {"max": 1024, "usual": 128}}


def reference(cache, table):
    return torch.index_select(cache, 0, table).reshape(-1, cache.shape[2])
