BLOCKS = {}
WARPS = {64: 2, 128: 4}
ACTIVATIONS = {"relu2": 256}


def blocks_of(n, dtype):
    try:
        return BLOCKS[n, str(dtype)]
    except KeyError:
        pass
    block = min(512, triton.next_power_of_2(n))
    BLOCKS[n, str(dtype)] = block
    return block


def warps_of(n):
    try:
        warps = WARPS[n]
    except KeyError:
        warps = 8
    else:
        warps = warps * 2
    return warps


def block_of(name):
    try:
        block = ACTIVATIONS[name]
    except KeyError as e:
        raise ValueError("unknown activation") from e
    return block


def run(x):
    n = x.shape[1]
    try:
        first = BLOCKS[n]
    except KeyError:
        first = BLOCKS[n] = min(block_of("relu2"), blocks_of(n, x.dtype))
    return launch(x, first if warps_of(n) > 1 else 64)
# --- oob: on the same object
BLOCKS = {}


def run(x):
    key = x.shape[1]
    try:
        rows = BLOCKS[key]
    except KeyError:
        rows = BLOCKS[key] = x.shape[0]
    y = torch.empty_like(x)
    if x.shape[1] > 1:
        relu2[(rows, triton.cdiv(x.shape[1], 256))](x, y, x.stride(0), x.shape[1], BLOCK=256)
        return y
    return launch(x)
# --- unsupported: try:
BLOCKS = {}


def run(x):
    try:
        y = launch(x, BLOCKS[x.shape[1]])
    except KeyError:
        y = torch.empty_like(x)
    return y
# --- unsupported: try:
BLOCKS = {300: 256}


def run(x):
    try:
        block = BLOCKS[x.shape[1]]
    except Exception:
        block = 256
    return launch(x, block)
# --- unsupported: try:
BLOCKS = {300: {256: 128}}


def run(x):
    try:
        block = BLOCKS[x.shape[1]][x.shape[0]]
    except KeyError:
        block = 256
    return launch(x, block)
# --- host_error: keys
BLOCKS = (256, 128)


def run(x):
    try:
        block = BLOCKS[0]
    except KeyError:
        block = 64
    return launch(x, block)
# --- host_error: ValueError
BLOCKS = {"relu2": 256}


def run(x):
    try:
        block = BLOCKS["relu"]
    except KeyError as e:
        raise ValueError("unknown") from e
    return launch(x, block)
