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
# --- ok: Accepted
def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    compiled = relu2.warmup(x, y, x.stride(0), n, BLOCK=256, grid=(1,))
    compiled._init_handles()
    return launch(x) if compiled is not None else None
# --- unsupported: launch the kernel itself
def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    compiled = relu2.warmup(x, y, x.stride(0), n, BLOCK=256, grid=(1,))
    compiled[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n)
    return y
# --- unsupported: `._init_handles`
def run(x):
    x._init_handles()
    return launch(x)
