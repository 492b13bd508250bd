def run(x):
    torch.empty((1 << 20,), dtype=torch.float32, device=x.device)
    return launch(x)
# --- unsupported: limit of this version
def run(x):
    torch.empty((1 << 25,), dtype=torch.float32, device=x.device)
    return launch(x)
# --- host_error: CUDA out of memory
def run(x):
    torch.empty((1 << 36,), dtype=torch.float32, device=x.device)
    return launch(x)
# --- unsupported: limit of this version
def run(x):
    torch.empty((1 << 28,), dtype=torch.float32, device=x.device)
    return launch(x)
