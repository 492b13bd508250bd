def compute(x):
    return launch(x)


run = compute
# --- parse_reject: bound a second time
def compute(x):
    return launch(x)


def compute(x):
    return x


run = compute
# --- uncovered_output: unwritten
def compute(x):
    return launch(x, 3)


def launch(x, BLOCK=256):
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    relu2[(m, triton.cdiv(n, 256))](x, y, x.stride(0), n - 1, BLOCK=256)
    return y


run = compute
# --- parse_reject: compute on tensors
run = lambda x: launch(x) + 1
