LOWEST = torch.finfo(torch.float32).min


def run(x):
    ok = torch.finfo(torch.float16).max == 65504.0 and torch.iinfo(torch.int32).max == 2147483647
    ok = ok and torch.finfo(torch.bfloat16).eps == 0.0078125 and torch.finfo(x.dtype).bits in (16, 32) and LOWEST < -3e38
    return launch(x, 256 if ok and torch.finfo(torch.float32).tiny > 0 else 3)
# --- host_error: TypeError
def run(x):
    return launch(x, torch.finfo(torch.int32).bits)
