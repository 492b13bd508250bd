from torch.profiler import record_function


def run(x):
    torch.cuda.nvtx.range_push("relu2")
    with record_function("relu2"):
        y = launch(x)
    torch.cuda.nvtx.range_pop()
    with torch.cuda.nvtx.range("again"):
        return y
# --- parse_reject: `profile`
from torch.profiler import profile


def run(x):
    with profile() as p:
        return launch(x)
