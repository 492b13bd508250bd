# The mistakes that models make, most frequent first; the words are Triton 3.6's own, as its front end says them.

# case: ranked-grid
# launch: *fp32
# error: module 'triton.language' has no attribute 'grid'
@triton.jit
def k(x):
    n = tl.grid(0)

# case: ranked-round
# launch: *fp32
# error: module 'triton.language' has no attribute 'round'
@triton.jit
def k(x):
    n = tl.round(tl.load(x))

# case: ranked-pow
# launch: *fp32
# error: module 'triton.language' has no attribute 'pow'
@triton.jit
def k(x):
    n = tl.pow(tl.load(x), 2)

# case: ranked-math-pow
# launch: *fp32
# error: module 'triton.language.math' has no attribute 'pow'
@triton.jit
def k(x):
    n = tl.math.pow(tl.load(x), 2)

# case: ranked-math-round
# launch: *fp32
# error: module 'triton.language.math' has no attribute 'round'
@triton.jit
def k(x):
    n = tl.math.round(tl.load(x))

# case: ranked-libdevice
# launch: *fp32
# error: module 'triton.language' has no attribute 'libdevice'
@triton.jit
def k(x):
    n = tl.libdevice.tanh(tl.load(x))

# case: ranked-transpose
# launch: *fp32
# error: module 'triton.language' has no attribute 'transpose'
@triton.jit
def k(x):
    n = tl.transpose(tl.zeros((4,4),tl.float32))

# case: ranked-random
# launch: *fp32
# error: 'module' object is not callable
@triton.jit
def k(x):
    n = tl.random(0)

# case: ranked-pi
# launch: *fp32
# error: module 'triton.language' has no attribute 'pi'
@triton.jit
def k(x):
    n = tl.pi

# case: ranked-bitcast
# launch: *fp32
# error: module 'triton.language' has no attribute 'bitcast'
@triton.jit
def k(x):
    n = tl.bitcast(tl.load(x), tl.int32)

# case: ranked-blockptr
# launch: *fp32
# error: module 'triton.language' has no attribute 'block_size'
@triton.jit
def k(x):
    n = tl.block_size

# case: ranked-sumdim
# launch: *fp32
# error: sum() got an unexpected keyword argument 'dim'
@triton.jit
def k(x):
    n = tl.sum(tl.zeros((4,),tl.float32), dim=0)

# case: ranked-loadstride
# launch: *fp32
# error: load() got an unexpected keyword argument 'stride'
@triton.jit
def k(x):
    n = tl.load(x, stride=1)

# case: ranked-loaddtype
# launch: *fp32
# error: load() got an unexpected keyword argument 'dtype'
@triton.jit
def k(x):
    n = tl.load(x, dtype=tl.float32)

# case: ranked-stride
# launch: *fp32
# error: 'tensor' object has no attribute 'stride'
@triton.jit
def k(x):
    n = x.stride(0)

# case: ranked-size
# launch: *fp32
# error: 'tensor' object has no attribute 'size'
@triton.jit
def k(x):
    n = tl.load(x).size(0)

# case: ranked-astype
# launch: *fp32
# error: 'tensor' object has no attribute 'astype'
@triton.jit
def k(x):
    n = tl.load(x).astype(tl.float16)

# case: ranked-mtranspose
# launch: *fp32
# error: 'tensor' object has no attribute 'transpose'
@triton.jit
def k(x):
    n = tl.zeros((4,4),tl.float32).transpose(0, 1)

# case: ranked-arange1
# launch: *fp32
# error: arange() missing 1 required positional argument: 'end'
@triton.jit
def k(x):
    n = tl.arange(8)

# case: ranked-rand1
# launch: *fp32
# error: rand() missing 1 required positional argument: 'offset'
@triton.jit
def k(x):
    n = tl.rand(8)

# case: ranked-pid0
# launch: *fp32
# error: program_id() missing 1 required positional argument: 'axis'
@triton.jit
def k(x):
    n = tl.program_id()

# case: ranked-hostload
# launch: *fp32
# error: module 'triton' has no attribute 'load'
@triton.jit
def k(x):
    n = triton.load(x)

# case: ranked-hostpid
# launch: *fp32
# error: module 'triton' has no attribute 'program_id'
@triton.jit
def k(x):
    n = triton.program_id(0)

# case: ranked-chain
# launch: *fp32 7
# error: simultaneous multiple comparison is not supported
@triton.jit
def k(x, n):
    c = 0 < n < 9

# case: ranked-break
# launch: *fp32 7
# error: unsupported AST node type: Break
@triton.jit
def k(x, n):
    for i in range(n):
        break

# case: ranked-continue
# launch: *fp32 7
# error: unsupported AST node type: Continue
@triton.jit
def k(x, n):
    for i in range(n):
        continue

# case: ranked-lambda
# launch: *fp32 7
# error: unsupported AST node type: Lambda
@triton.jit
def k(x, n):
    f = lambda a: a

# case: ranked-raise
# launch: *fp32 7
# error: unsupported AST node type: Raise
@triton.jit
def k(x, n):
    raise ValueError("x")

# case: ranked-dict
# launch: *fp32 7
# error: unsupported AST node type: Dict
@triton.jit
def k(x, n):
    d = {1: 2}

# case: ranked-try
# launch: *fp32 7
# error: unsupported AST node type: Try
@triton.jit
def k(x, n):
    try:
        a = 1
    except ValueError:
        a = 2

# case: ranked-del
# launch: *fp32 7
# error: unsupported AST node type: Delete
@triton.jit
def k(x, n):
    a = 1
    del a

# case: ranked-yield
# launch: *fp32 7
# error: unsupported AST node type: Yield
@triton.jit
def k(x, n):
    yield n

# case: ranked-matmul
# launch: *fp32 7
# error: 'MatMult' object has no attribute '__name__'
@triton.jit
def k(x, n):
    a = tl.zeros((16,16),tl.float32)
    b = a @ a

# case: ranked-in
# launch: *fp32 7
# error: 'In' object has no attribute '__name__'
@triton.jit
def k(x, n):
    c = n in (1, 2)

# case: ranked-helper
# launch: *fp32 7
# error: Cannot access global variable f from within @jit'ed function
def f(a):
    return a
@triton.jit
def k(x, n):
    c = f(n)

# case: ranked-pysum
# launch: *fp32 7
# error: sum is not defined
@triton.jit
def k(x, n):
    c = sum((1, 2))

# case: ranked-pyabs
# launch: *fp32 7
# error: abs is not defined
@triton.jit
def k(x, n):
    c = abs(n)

# case: ranked-zip
# launch: *fp32 7
# error: zip is not defined
@triton.jit
def k(x, n):
    for a, b in zip((1,2),(3,4)):
        pass

# case: ranked-global
# launch: *fp32 7
# error: Cannot access global variable BLOCK from within @jit'ed function
BLOCK = 1024
@triton.jit
def k(x, n):
    o = tl.arange(0, BLOCK)

# case: ranked-mbp
# launch: *fp32 7
# error: make_block_ptr() missing 3 required positional arguments: 'offsets', 'block_shape', and 'order'
@triton.jit
def k(x, n):
    b = tl.make_block_ptr(x, (64,), (1,))

# case: ranked-setaug
# launch: *fp32 7
# error: unsupported tensor index: constexpr[0]
@triton.jit
def k(x, n):
    a = tl.zeros((4,), tl.float32)
    a[0] += 1.0

# case: ranked-mixedindex
# launch: *fp32 7
# error: unsupported tensor index: constexpr[0]
@triton.jit
def k(x, n):
    a = tl.zeros((4,4), tl.float32)
    b = a[0, :]

# case: ranked-while-else
# launch: *fp32 7
# error: Not implemented
@triton.jit
def k(x, n):
    i = 0
    while i < n:
        i += 1
    else:
        i = 3

# case: ranked-ptrmul
# launch: *fp32 7
# error: invalid operands of type pointer<fp32> and triton.language.int32
@triton.jit
def k(x, n):
    a = x * 2

# case: ranked-modsign
# launch: *fp32 7
# error: Cannot use /, #, or % with triton.language.int32 and triton.language.uint32 because they have different signedness;this is unlikely to result in a useful answer. Cast them to the same signedness.
@triton.jit
def k(x, n):
    a = n % n.to(tl.uint32)

# case: ranked-intfloat-mod
# launch: *fp32 7
# error: unexpected type fp32
@triton.jit
def k(x, n):
    a = n // 2.0

# case: ranked-storemaskint
# launch: *fp32 7
# error: Mask must have boolean scalar type
@triton.jit
def k(x, n):
    tl.store(x, 1.0, mask=n)

# case: ranked-if-block
# launch: *fp32 7
# error: Boolean value of Tensor with more than one value is ambiguous
@triton.jit
def k(x, n):
    o = tl.arange(0, 8)
    if o > 3:
        tl.store(x, 1.0)

# case: ranked-numel
# launch: *fp32 7
# error: numel (2097152) exceeds triton maximum tensor numel (1048576)
@triton.jit
def k(x, n):
    o = tl.zeros((2048, 1024), tl.float32)

# case: ranked-floatrange
# launch: *fp32 7
# error: For loop bounds and step must all be ints, are (int32, fp32, int32)
@triton.jit
def k(x, n):
    for i in range(0, 8.0):
        pass

# case: ranked-undefined
# launch: *fp32 7
# error: y is not defined
@triton.jit
def k(x, n):
    tl.store(x, y)

# case: ranked-storewider
# launch: *fp32 7
# error: Expected pointer argument to have shape ['constexpr[4]', 'constexpr[4]'] but got ['constexpr[4]', 'constexpr[1]']
@triton.jit
def k(x, n):
    o = tl.arange(0, 4)
    tl.store(x + o[:, None], tl.zeros((4, 4), tl.float32))

# case: ranked-scalaroor
# launch: *int8 7
# error: Scalar 300 is out of range for type int8
@triton.jit
def k(x, n):
    v = tl.load(x) + 300
