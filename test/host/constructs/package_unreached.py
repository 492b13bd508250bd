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
    @input_guard
    @autocast_custom_bwd
    def backward(ctx, dy):
        return prepare_chunk_indices(dy, 64)


def run(x):
    if x.dim() > 2:
        raise DeprecationWarning("two dimensions")
    return Relu2.apply(x)
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
