def run(x):
    before = torch.cuda.current_device()
    torch.cuda.set_device(x.device)
    try:
        y = launch(x)
        return y
    finally:
        torch.cuda.set_device(before)
# --- uncovered_output: unwritten
def run(x):
    try:
        y = launch(x)
    finally:
        y = torch.empty_like(x)
    return y
# --- unsupported: try:
def run(x):
    try:
        return launch(x)
    except Exception:
        return torch.empty_like(x)
# --- unsupported: try:
def run(x):
    try:
        if x.shape[0] > 1:
            return launch(x)
        return launch(x, 64)
    finally:
        torch.cuda.synchronize()
