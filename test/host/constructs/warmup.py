def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2.warmup(x, y, x.stride(0), n, BLOCK=256, grid=(1,))
    return launch(x)
# --- uncovered_output: unwritten
def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2.warmup(x, y, x.stride(0), n, BLOCK=256, grid=(m, triton.cdiv(n, 256)))
    return y
