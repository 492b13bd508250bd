# Registers: how many lanes a tile may have.

# case: numel-arange
# launch: *fp32
# error: numel (2097152) exceeds triton maximum tensor numel (1048576)
@triton.jit
def k(x):
    v = tl.arange(0, 2097152)

# case: numel-zeros
# launch: *fp32
# error: numel (4194304) exceeds triton maximum tensor numel (1048576)
@triton.jit
def k(x):
    v = tl.zeros((2048, 2048), tl.float32)

# case: numel-broadcast
# launch: *fp32
# error: numel (4194304) exceeds triton maximum tensor numel (1048576)
@triton.jit
def k(x):
    v = tl.arange(0, 2048)[:, None] + tl.arange(0, 2048)[None, :]

# case: numel-at-the-limit
# launch: *fp32
# ok
@triton.jit
def k(x):
    v = tl.arange(0, 1024)[:, None] + tl.arange(0, 1024)[None, :]
