# Programs and new tiles.

# case: programs
# launch: *int32
# gives: 0 0 0 1 1 1
@triton.jit
def k(y):
    tl.store(y, tl.program_id(0))
    tl.store(y + 1, tl.program_id(axis=1))
    tl.store(y + 2, tl.program_id(2))
    tl.store(y + 3, tl.num_programs(0))
    tl.store(y + 4, tl.num_programs(axis=1))
    tl.store(y + 5, tl.num_programs(2))

# case: program-id-axis
# launch: *int32
# error: program_id axis must be 0, 1, or 2 but got 3
@triton.jit
def k(y):
    tl.store(y, tl.program_id(3))

# case: num-programs-axis
# launch: *int32
# error: num_programs axis must be 0, 1, or 2 but got 3
@triton.jit
def k(y):
    tl.store(y, tl.num_programs(3))

# case: tiles
# launch: *fp32
# gives: 2 3 4 5 1.5 1.5 0 0 0 0
@triton.jit
def k(y):
    o = tl.arange(0, 4)
    tl.store(y + o, tl.arange(2, 6))
    q = tl.arange(0, 2)
    tl.store(y + 4 + q, tl.full((2,), 1.5, tl.float32))
    tl.store(y + 6 + q, tl.zeros((2,), dtype=tl.float32))
    tl.store(y + 8 + q, tl.zeros_like(q))

# case: arange-length
# launch: *int32
# error: arange's range must be a power of 2
@triton.jit
def k(y):
    o = tl.arange(0, 6)

# case: full-shape
# launch: *int32
# error: Shape element 0 must be a power of 2
@triton.jit
def k(y):
    v = tl.full((3,), 0, tl.int32)

# case: zeros-shape
# launch: *int32 5
# error: Shape element 0 must have type `constexpr
@triton.jit
def k(y, n):
    v = tl.zeros((n,), tl.int32)

# case: zeros-like
# launch: *int32
# error: AttributeError("'NoneType' object has no attribute 'shape'")
@triton.jit
def k(y):
    v = tl.zeros_like(None)

# case: casts
# launch: *fp32 *fp32:1.75,-2.5
# gives: 1 -2 1.75 -2.5 1071644672 1
@triton.jit
def k(y, x):
    o = tl.arange(0, 2)
    v = tl.load(x + o)
    tl.store(y + o, tl.cast(v, tl.int32))
    tl.store(y + 2 + o, v.to(tl.float16, fp_downcast_rounding="rtz").cast(tl.float32))
    tl.store(y + 4, tl.load(x).to(tl.int32, bitcast=True))
    tl.store(y + 5, (tl.load(x) > 0).to(tl.int8))

# case: cast-bits
# launch: *fp32
# error: Cannot bitcast data-type of size 32 to data-type of size 16
@triton.jit
def k(y):
    v = tl.cast(tl.zeros((4,), tl.float32), tl.int16, bitcast=True)
