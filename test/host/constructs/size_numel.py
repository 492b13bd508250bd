def run(x):
    return launch(x, 256 if x.shape.numel() == x.shape[0] * x.shape[1] and x.size().numel() == x.numel() else 3)
# --- host_error: AttributeError
def run(x):
    return launch(x, (4, 64).numel())
