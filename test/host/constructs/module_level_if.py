if torch.cuda.is_available():
    SIZE = 256
    WARPS = 4
else:
    SIZE = 128


def run(x):
    return launch(x, SIZE)
# --- parse_reject: module level
if torch.cuda.is_available():
    BUFFER = torch.empty(8, device="cuda")


def run(x):
    return launch(x)
