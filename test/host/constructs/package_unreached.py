from fla.backends import dispatch
from fla.ops.utils import prepare_chunk_indices
from fla.utils import autocast_custom_bwd, autocast_custom_fwd, input_guard


@dispatch("relu2")
def fwd(x, cu_seqlens=None):
    if cu_seqlens is not None:
        return launch(x, prepare_chunk_indices(cu_seqlens, 64).shape[0])
    return launch(x)


class Relu2(torch.autograd.Function):
    @staticmethod
    @input_guard
    @autocast_custom_fwd
    def forward(ctx, x, cu_seqlens=None):
        return fwd(x, cu_seqlens)

    @staticmethod
    @input_guard(no_guard_contiguous=True)
    @autocast_custom_bwd
    def backward(ctx, dy):
        return prepare_chunk_indices(dy, 64)


class Unguarded(torch.autograd.Function):
    @staticmethod
    @input_guard(no_guard_contiguous=True)
    def forward(ctx, x):
        return launch(x)


def run(x):
    if x.dim() > 2:
        raise DeprecationWarning("two dimensions")
    return Unguarded.apply(x) if x.shape[0] % 2 else Relu2.apply(x)
# --- unsupported: `input_guard` with these options
from fla.utils import input_guard


@input_guard(no_guard_contiguous=["x"])
def run(x):
    return launch(x)
# --- oob: which lies between the rows
from fla.utils import input_guard


@triton.jit
def flat(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32), 0.0)
    tl.store(y_ptr + at, x * x, mask=at < n)


@input_guard(no_guard_contiguous=True)
def run(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    flat[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
    return y
# --- unsupported: import of `prepare_chunk_indices` from `fla.ops.utils`
from fla.ops.utils import prepare_chunk_indices


def run(x):
    if x.shape[1] > 100:
        prepare_chunk_indices(x, 64)
    return launch(x)
# --- unsupported: import of `prepare_chunk_indices` from `fla.ops.utils`
from fla.ops.utils import prepare_chunk_indices


def run(x):
    helper = prepare_chunk_indices
    return launch(x)
# --- unsupported: import of `softplus` from `fla.ops.utils.softplus`
from fla.ops.utils.softplus import softplus

HELPER = softplus


def run(x):
    return launch(x)
