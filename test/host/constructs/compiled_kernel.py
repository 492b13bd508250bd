def run(x):
    return launch(x)
# --- unsupported: what Triton's compiler tells
def run(x):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    compiled = relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n, BLOCK=256)
    print(compiled.n_regs, compiled.metadata.shared)
    return y
# --- parse_reject: kernels are launched as
def run(x):
    relu2.cache.clear()
    return launch(x)
