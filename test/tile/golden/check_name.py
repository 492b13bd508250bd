# What names and members mean; annotations.

# case: sort-method
# launch: *fp32
# error: cannot convert None of type <class 'NoneType'> to tensor
@triton.jit
def k(x):
    o = tl.arange(0, 4)
    tl.store(x + o, tl.load(x + o).sort())

# case: unknown-method
# launch: *fp32
# error: AttributeError("'tensor' object has no attribute 'unsqueeze'")
@triton.jit
def k(x):
    v = tl.load(x).unsqueeze(0)

# case: numel-is-no-method
# launch: *fp32
# error: 'int' object is not callable
@triton.jit
def k(x):
    v = tl.arange(0, 4).numel()

# case: plain-global
# launch: *fp32
# error: Cannot access global variable BLOCK from within @jit'ed function. Triton kernels can only access global variables that are instanstiated as constexpr
BLOCK = 1024
@triton.jit
def k(x):
    v = tl.arange(0, BLOCK)

# case: host-api
# launch: *fp32
# error: module 'triton' has no attribute 'load'
@triton.jit
def k(x):
    v = triton.load(x)

# case: torch
# launch: *fp32
# error: torch.exp cannot be used
@triton.jit
def k(x):
    v = torch.exp(tl.load(x))

# case: undefined
# launch: *fp32
# error: NameError('y is not defined')
@triton.jit
def k(x):
    v = y

# case: annotated-global-is-no-constexpr
# launch: *fp32
# error: Note that this is different from annotating a variable as constexpr
SCALE: tl.constexpr = 2.5
@triton.jit
def k(x):
    tl.store(x, SCALE)

# case: element-ty-of-scalar
# launch: *fp32
# error: 'dtype' object has no attribute 'element_ty'
@triton.jit
def k(x):
    v = tl.load(x).dtype.element_ty

# case: annotation-unknown
# launch: *fp32
# error: NameError('Missing is not defined')
@triton.jit
def k(x):
    y: Missing = 1

# case: annotation-of-pythons
# launch: *fp32
# error: NameError('bool is not defined')
@triton.jit
def k(x):
    y: bool = True

# case: annotation-unknown-member
# launch: *fp32
# error: module 'triton.language' has no attribute 'nothing'
@triton.jit
def k(x):
    y: list[tl.nothing] = 1

# case: annotation-of-a-value
# launch: *fp32 4
# error: Did you forget to add @triton.jit ?
@triton.jit
def k(x, n):
    y: n = 1

# case: annotation-text-is-no-constant
# launch: *fp32
# error: arange's arguments must be of type tl.constexpr
@triton.jit
def k(x):
    B: "tl.constexpr" = 4
    tl.store(x + tl.arange(0, B), 1.0)

# case: annotation-text-may-repeat
# launch: *fp32
# ok
@triton.jit
def k(x):
    B = 3
    B: "tl.constexpr" = 4
    tl.store(x, B)

# case: annotations-known
# launch: *fp32
# ok
@triton.jit
def k(x):
    a: tl.tensor = 1
    b: int = 2
    c: torch.Tensor = 3
    d: list[int] = 4
    e: int | None = 5
    f: "anything" = 6
    B: tl.constexpr = 4
    tl.store(x + tl.arange(0, B), a + b + c + d + e + f)

# case: default-annotated-with-pythons
# launch: *fp32 1
# error: NameError('bool is not defined')
@triton.jit
def k(x, F: bool = True):
    tl.store(x, F)

# case: default-annotated-with-what-is-known
# launch: *fp32 1
# ok
import torch
@triton.jit
def h(x, F: torch.dtype = 1, G: "bool" = 1, I: int = 1):
    return x
@triton.jit
def k(x, F: "bool"):
    tl.store(x, h(1.0))

# case: annotated-with-pythons
# launch: *fp32 1
# error: NameError('bool is not defined')
@triton.jit
def k(x, F: bool):
    tl.store(x, F)

# case: typing-is-taken-for-a-function
# launch: *fp32 1
# error: Unsupported function referenced: typing.Optional
from typing import Optional as Maybe
@triton.jit
def k(x, n: Maybe[int]):
    tl.store(x, n)

# case: typing-by-its-module
# launch: *fp32
# error: Unsupported function referenced: typing.Union
import typing
@triton.jit
def h(x) -> typing.Union[int, float]:
    return x
@triton.jit
def k(x):
    tl.store(x, h(1.0))

# case: classes-of-typing
# launch: *fp32 1
# ok
import typing
from typing import Any
@triton.jit
def k(x: typing.Any, n: typing.SupportsInt, m: "Optional[int]" = 1) -> Any:
    tl.store(x, n + m)

# case: classes-of-typing-by-name
# launch: *fp32
# error: typing.Any cannot be used from within
from typing import Any
@triton.jit
def k(x: Any):
    tl.store(x, 1)
