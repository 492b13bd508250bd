tuned = triton.autotune(configs=[triton.Config({}, num_warps=w) for w in (4, 8)], key=["n"])
other = tuned(relu2)
another_name = launch


def run(x, fast=False):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    other[(m, triton.cdiv(n, 128))](x, y, x.stride(0), n, BLOCK=128)
    return y if x.shape[0] % 2 else another_name(x)
# --- uncovered_output: unwritten
tuned = triton.heuristics({"BLOCK": lambda args: 16})
other = tuned(relu2)


def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    other[(m, triton.cdiv(n, 128))](x, y, x.stride(0), n)
    return y
