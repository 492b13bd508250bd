if torch.cuda.device_count() > 1:
    BLOCK_SIZE = 128
else:
    BLOCK_SIZE = 256


def run(x):
    return launch(x, BLOCK_SIZE if torch.cuda.device_count() < 8 else 512)
# --- compile_fail: power of 2
def run(x):
    return launch(x, 100 if torch.cuda.device_count() > 1 else 256)
# --- compile_fail: power of 2
def run(x):
    return launch(x, 256 if torch.cuda.device_count() > 1 else 100)
