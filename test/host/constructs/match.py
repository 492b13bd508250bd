def block(dtype, wide, n):
    match dtype:
        case torch.float16 | torch.bfloat16:
            return 128
        case _ if wide and n > 3:
            pass
    match (wide, n):
        case (True, 0 | 1 | -2):
            return 512
        case (False, size) if size < 100:
            match size:
                case 300: return 64
                case other:
                    return other + 227
        case (_, size):
            return 256 if size == 300 else 3
    return 3


def run(x):
    match = block
    return launch(x, match(x.dtype, len(x.shape) == 2, x.shape[1]))
# --- compile_fail: power of 2
def run(x):
    match x.shape[1]:
        case 300:
            return launch(x, 3)
        case _:
            return launch(x, 256)
# --- unsupported: patterns
def run(x):
    match x.shape:
        case torch.Size():
            return launch(x)
# --- unsupported: not part of the host vocabulary
def run(x):
    match x.shape:
        case (a, b):
            return launch(x)
# --- parse_reject: values of tensors
def run(x):
    match x:
        case None:
            return launch(x)
        case y if y:
            return launch(x)
