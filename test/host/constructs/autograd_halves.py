from torch.autograd.function import once_differentiable


class Relu2(torch.autograd.Function):
    @staticmethod
    def forward(x, block):
        return launch(x, block)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, block = inputs
        ctx.save_for_backward(x, output)
        ctx.block = block

    @staticmethod
    @once_differentiable
    def backward(ctx, dy):
        (x, y) = ctx.saved_tensors
        return 2 * torch.relu(x) * dy, None


class Older(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return launch(x)

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return 2 * x.clamp(min=0) * dy


def test_gradients():
    x = torch.randn(4, 8, device="cuda", requires_grad=True)
    Relu2.apply(x, 256).sum().backward()
    return x.grad


def run(x):
    return Relu2.apply(x, 256) if x.shape[0] % 2 else Older.apply(x)
# --- parse_reject: torch.relu
class Relu2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return launch(x)

    @staticmethod
    def backward(ctx, dy):
        return torch.relu(dy)


def run(x):
    return Relu2.backward(None, x)
# --- parse_reject: torch.relu
class Relu2(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return launch(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.half = torch.relu(output)


def run(x):
    return Relu2.apply(x)
# --- incorrect: Values are wrong
@triton.jit
def spoil(y_ptr):
    tl.store(y_ptr, 1000.0)


class Relu2(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return launch(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        spoil[(1,)](output)


def run(x):
    return Relu2.apply(x)
# --- input_write: input
@triton.jit
def spoil(x_ptr):
    tl.store(x_ptr, 1000.0)


class Relu2(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return launch(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        spoil[(1,)](x)


def run(x):
    return Relu2.apply(x)
# --- parse_reject: .backward
class Relu2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return launch(x)

    @staticmethod
    def backward(ctx, dy):
        return torch.relu(dy)


def run(x):
    y = Relu2.apply(x)
    y.backward(x)
    return y
