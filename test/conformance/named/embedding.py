"""Rows of a table, picked by indices."""
inputs = {
    "w": {"shape": ("V", "N"), "scale": (1e-3, 64)},
    "i": {"shape": ("M",), "dtype": "int64", "range": (0, "V")},
}


def reference(w, i):
    return torch.index_select(w, 0, i)
