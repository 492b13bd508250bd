ALLOW = torch.backends.cudnn.allow_tf32


def run(x):
    fast = torch.backends.cuda.matmul.allow_tf32
    return launch(x, 128 if fast else 256) if ALLOW else launch(x, 64)
# --- uncovered_output: unwritten
def run(x):
    if torch.backends.cuda.matmul.allow_tf32:
        return torch.empty_like(x)
    return launch(x)
# --- uncovered_output: unwritten
def run(x):
    if not torch.backends.cuda.matmul.allow_tf32:
        return torch.empty_like(x)
    return launch(x)
# --- parse_reject: flags of torch are for whoever runs the file to set
torch.backends.cuda.matmul.allow_tf32 = True


def run(x):
    return launch(x)
# --- parse_reject: flags of torch are for whoever runs the file to set
def run(x):
    torch.backends.cuda.matmul.allow_tf32 = not torch.backends.cuda.matmul.allow_tf32
    return launch(x)
