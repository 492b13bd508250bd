"""What all ops of this package share: checks, rows of tensors with more dimensions, the choice between kernel and
reference, registration with PyTorch.

A kernel gets what it was judged with and nothing else: two-dimensional tensors without a stride inside of rows, of one
dtype, on one GPU, of sizes that its verdict covers. Everything else is computed by the definition's reference, in PyTorch.
"""

import importlib
import math
import warnings

import torch

FLOATS = (torch.float16, torch.bfloat16, torch.float32)  # what the definition's "float" stands for
PLANS_MOST = 4096  # of an op, that are kept: combinations of sizes, dtypes and devices
ROWS = "M"  # the name of a definition's rows: any number of leading dimensions of a tensor


def _number(value):
    return isinstance(value, (int, torch.SymInt))


class Op:
    """One op: its definition, its kernel, and the bounds within which the kernel was judged."""

    def __init__(self, name, definition, longest_row, most_elements, contiguous, **evidence):
        self.name = name
        self.inputs = definition.inputs
        self.dims = getattr(definition, "dims", {})
        self.reference = definition.reference
        self.longest_row, self.most_elements, self.contiguous = longest_row, most_elements, contiguous
        self.evidence = evidence  # source_sha256, op_hash, gpu, verdict
        self._kernel = self._missing = None
        self._plans = {}

    # ---- what an op is called with

    def _wrong(self, what, kind=ValueError):
        return kind(f"{self.name}: {what}")

    def _shapes(self, tensors):
        """The shape that each tensor has as the definition sees it, and the leading dimensions that are its rows."""
        leading, sizes, shapes = None, {}, []
        for (name, declared), t in zip(self.inputs.items(), tensors):
            wanted = declared["shape"]
            if wanted[0] == ROWS:
                inner = wanted[1:]
                cut = t.dim() - len(inner)
                if cut < 0:
                    raise self._wrong(f"{name} has {t.dim()} dimensions; at least {len(inner)} are needed, {wanted}")
                lead, rest = tuple(t.shape[:cut]), tuple(t.shape[cut:])
                if leading is None:
                    leading = lead
                    sizes[ROWS] = math.prod(lead)
                elif lead != leading:
                    raise self._wrong(f"{name} has the leading dimensions {lead}, the inputs before it have {leading}; expand() it")
                shape = (sizes[ROWS],) + rest
            elif wanted == (1,) and t.dim() == 0:
                inner, rest, shape = wanted, (1,), (1,)
            else:
                inner, rest, shape = wanted, tuple(t.shape), tuple(t.shape)
                if len(inner) != len(rest):
                    raise self._wrong(f"{name} has {len(rest)} dimensions instead of {len(inner)}, {wanted}")
            for dim, size in zip(inner, rest):
                self._bind(name, dim, size, sizes)
            shapes.append(shape)
        return shapes, leading or ()

    def _bind(self, name, dim, size, sizes):
        if _number(dim):
            expected = dim
        elif "/" in dim:  # "D/2": half of a size named before it
            whole, part = dim.split("/")
            expected = sizes[whole] // int(part)
        elif dim in sizes:
            expected = sizes[dim]
        else:
            rule = self.dims.get(dim, {})
            if size % rule.get("multiple_of", 1) != 0:
                raise self._wrong(f"{name} has {dim} = {size}, which is not a multiple of {rule['multiple_of']}")
            if size < rule.get("min", 0):
                raise self._wrong(f"{name} has {dim} = {size}; at least {rule['min']} is defined")
            if "max" in rule and size > rule["max"]:
                raise self._wrong(f"{name} has {dim} = {size}; at most {rule['max']} is defined")
            sizes[dim] = expected = size
        if size != expected:
            raise self._wrong(f"{name} has {size} where {dim} is {expected}")

    def _check(self, tensors):
        if len(tensors) != len(self.inputs):
            raise self._wrong(f"{len(tensors)} inputs instead of {len(self.inputs)}: {', '.join(self.inputs)}", TypeError)
        for name, t in zip(self.inputs, tensors):
            if not isinstance(t, torch.Tensor):
                raise self._wrong(f"{name} is {type(t).__name__}; a tensor is needed", TypeError)
        first = tensors[0]
        for (name, declared), t in zip(self.inputs.items(), tensors):
            dtype = declared.get("dtype", "float")
            if dtype == "float":
                if not t.is_floating_point():
                    raise self._wrong(f"{name} is {t.dtype}; a floating-point tensor is needed", TypeError)
            elif t.dtype != getattr(torch, dtype):
                raise self._wrong(f"{name} is {t.dtype}; torch.{dtype} is needed", TypeError)
            if t.device != first.device:
                raise self._wrong(f"{name} is on {t.device}, the first input on {first.device}")

    # ---- kernel or reference

    def why_reference(self, *tensors):
        """None where the kernel runs on these inputs, else a sentence that says why the reference does."""
        self._check(tensors)
        return self._plan(tensors)[2]

    def _plan(self, tensors):
        """(shapes, leading dimensions, why the reference). Kept: looking at all inputs takes longer than a launch."""
        key = tuple([(t.shape, t.dtype, t.device) for t in tensors])
        plan = self._plans.get(key)
        if plan is None:
            self._check(tensors)
            shapes, leading = self._shapes(tensors)
            plan = shapes, leading, self._why(tensors, shapes)
            if len(self._plans) == PLANS_MOST:
                self._plans.clear()
            self._plans[key] = plan
        return plan

    def _why(self, tensors, shapes):
        device = tensors[0].device
        if device.type != "cuda":
            return f"the inputs are on {device}, not on an NVIDIA GPU"
        floats = {t.dtype for t, d in zip(tensors, self.inputs.values()) if d.get("dtype", "float") == "float"}
        if len(floats) > 1:
            return "the inputs have several floating-point dtypes; the kernel was judged with one"
        if not floats <= set(FLOATS):
            return f"the kernel was judged in float16, bfloat16 and float32, not in {floats.pop()}"
        if any(math.prod(s) == 0 for s in shapes):
            return "an input is empty"
        if shapes[0][-1] > self.longest_row:
            return f"the kernel was judged with rows of up to {self.longest_row} elements"
        if max(math.prod(s) for s in shapes) > self.most_elements:
            return f"the kernel was judged with up to {self.most_elements} elements"
        if torch.version.cuda is None or torch.cuda.get_device_capability(device) < (8, 0):
            return "the kernel was judged for NVIDIA GPUs of compute capability 8.0 and higher"
        return None if self._loaded() else self._missing

    def _loaded(self):
        """The kernel's file, imported where it is needed first: it cannot be without Triton."""
        if self._kernel is None and self._missing is None:
            try:
                self._kernel = importlib.import_module("." + self.name, __package__ + ".kernels").run
            except ImportError as e:
                self._missing = f"the kernel could not be imported: {e}"
                warnings.warn(f"{self.name}: {self._missing}; the reference runs in its place, which is slower", RuntimeWarning, stacklevel=2)
        return self._kernel is not None

    def _plain(self, t):
        """As kernels were judged: no stride between neighbours, rows apart at least as far as they are long."""
        if t.dim() == 2 and not self.contiguous and t.stride(1) == 1 and (t.shape[0] == 1 or t.stride(0) >= t.shape[1]):
            return t
        return t.contiguous()

    # ---- what PyTorch calls

    def forward(self, *tensors):
        shapes, leading, why = self._plan(tensors)
        flat = [t if t.dim() == len(s) else t.reshape(s) for t, s in zip(tensors, shapes)]
        if why is None:
            device = tensors[0].device
            flat = [self._plain(t) for t in flat]
            if device.index == torch.cuda.current_device():
                out = self._kernel(*flat)
            else:
                with torch.cuda.device(device):
                    out = self._kernel(*flat)
        else:
            out = self.reference(*flat)
            at = out.untyped_storage().data_ptr()
            if any(t.untyped_storage().data_ptr() == at for t in tensors):
                out = out.clone()  # an op returns memory of its own
        return out.reshape(leading + tuple(out.shape[1:])).contiguous()

    def fake(self, *tensors):
        """The answer's shape and dtype: those of the reference on tensors without memory."""
        self._check(tensors)
        shapes, leading = self._shapes(tensors)
        out = self.reference(*[t.reshape(s) for t, s in zip(tensors, shapes)])
        return out.new_empty(leading + tuple(out.shape[1:]))

    def _by_reference(self, tensors):
        shapes, leading = self._shapes(tensors)
        out = self.reference(*[t.reshape(s) for t, s in zip(tensors, shapes)])
        return out.reshape(leading + tuple(out.shape[1:]))

    def setup(self, ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def backward(self, ctx, grad):
        """The gradient of the reference, which is evaluated once more: there is no kernel for it."""
        again = torch.is_grad_enabled()  # somebody wants gradients of these gradients
        inputs = list(ctx.saved_tensors)
        if not again:
            inputs = [t.detach().requires_grad_(need) for t, need in zip(inputs, ctx.needs_input_grad)]
        wanted = [t for t, need in zip(inputs, ctx.needs_input_grad) if need]
        with torch.enable_grad():
            found = iter(torch.autograd.grad(self._by_reference(inputs), wanted, grad, create_graph=again, allow_unused=True))
        return tuple(next(found) if need else None for need in ctx.needs_input_grad)


OPS = {}  # by name


def register(name, definition, **judged):
    """Registers ouroboros::NAME with PyTorch; what comes back is the operator, as torch.ops has it."""
    op = OPS[name] = Op(name, definition, **judged)
    schema = "(" + ", ".join(f"Tensor {i}" for i in op.inputs) + ") -> Tensor"
    made = torch.library.custom_op(f"ouroboros::{name}", op.forward, mutates_args=(), schema=schema)
    made.register_fake(op.fake)
    made.register_autograd(op.backward, setup_context=op.setup)
    return getattr(torch.ops.ouroboros, name).default


def why_reference(name, *tensors):
    """Why the op of this name would run the reference on these inputs instead of its kernel; None: it would not."""
    if name not in OPS:
        raise KeyError(f"no op {name} in this package; OPS has {', '.join(OPS)}")
    return OPS[name].why_reference(*tensors)
