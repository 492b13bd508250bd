# The modules and functions of PyTorch that references in module form have besides a reference's own
# operations, spelled out in those and in a few primitives (library.*). A name with a dot, such as nn.Conv2d or
# F.pad, stands here with an underscore; Tensor_flip is the method .flip. In here a name means the primitive
# first. Parameters are the referee's: library.param(size, role, fan) is told only how one is used.


def several(x, n):
    if isinstance(x, int):
        return (x,) * n
    if len(x) == 1 and n > 1:
        return tuple(x) * n
    if len(x) != n:
        library.refuse("one size, or one for each axis, is expected")
    return tuple(x)


class nn_Module:
    def register_buffer(self, name, tensor, persistent=True):
        setattr(self, name, tensor)

    def register_parameter(self, name, param):
        setattr(self, name, param)

    def add_module(self, name, module):
        setattr(self, name, module)

    def to(self, *args):
        return self


# --- containers ---


class nn_Sequential(nn.Module):
    def __init__(self, *layers):
        self.layers = layers
        for i, layer in enumerate(layers):
            setattr(self, str(i), layer)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class nn_Identity(nn.Module):
    def __init__(self, *args):
        pass

    def forward(self, x):
        return x


# --- products ---


def torch_matmul(input, other):
    a, b = input, other
    if a.dim() == 0 or b.dim() == 0:
        library.refuse("RuntimeError: both arguments to matmul need to be at least 1D")
    if a.dim() == 1 and b.dim() == 1:
        return (a.unsqueeze(0) @ b.unsqueeze(1)).reshape(())
    if a.dim() == 1:
        y = torch_matmul(a.unsqueeze(0), b)
        return y.squeeze(-2)
    if b.dim() == 1:
        y = torch_matmul(a, b.unsqueeze(1))
        return y.squeeze(-1)
    if b.dim() == 2:
        if a.dim() == 2:
            return a @ b
        y = a.reshape(-1, a.shape[-1]) @ b
        return y.reshape(*a.shape[:-1], b.shape[-1])
    batch = joined(a.shape[:-2], b.shape[:-2])
    a = a.expand(*batch, a.shape[-2], a.shape[-1])
    b = b.expand(*batch, b.shape[-2], b.shape[-1])
    y = a.reshape(-1, a.shape[-2], a.shape[-1]) @ b.reshape(-1, b.shape[-2], b.shape[-1])
    return y.reshape(*batch, a.shape[-2], b.shape[-1])


# The sizes that both can be repeated to.
def joined(a, b):
    n = max(len(a), len(b))
    a = (1,) * (n - len(a)) + tuple(a)
    b = (1,) * (n - len(b)) + tuple(b)
    for i in range(n):
        if a[i] != b[i] and a[i] != 1 and b[i] != 1:
            library.refuse("RuntimeError: the sizes of the tensors do not broadcast together")
    return tuple([max(a[i], b[i]) for i in range(n)])


def Tensor_matmul(input, other):
    return torch_matmul(input, other)


def torch_mm(input, mat2):
    if input.dim() != 2 or mat2.dim() != 2:
        library.refuse("RuntimeError: mm takes matrices")
    return input @ mat2


def Tensor_mm(input, mat2):
    return torch_mm(input, mat2)


def torch_bmm(input, mat2):
    if input.dim() != 3 or mat2.dim() != 3:
        library.refuse("RuntimeError: bmm takes batches of matrices")
    return input @ mat2


def Tensor_bmm(input, mat2):
    return torch_bmm(input, mat2)


def torch_mv(input, vec):
    return torch_matmul(input, vec)


def torch_dot(input, tensor):
    if input.dim() != 1 or tensor.dim() != 1:
        library.refuse("RuntimeError: 1D tensors expected")
    return torch_matmul(input, tensor)


def torch_outer(input, vec2):
    return input.unsqueeze(1) * vec2.unsqueeze(0)


def torch_addmm(input, mat1, mat2, *, beta=1, alpha=1):
    y = torch_mm(mat1, mat2)
    if alpha != 1:
        y = y * alpha
    return y + (input if beta == 1 else input * beta)


def letters_of(text):
    found = []
    for c in text:
        if c in found:
            library.refuse("einsum: a letter twice in one operand is not available here")
        found.append(c)
    return found


def sizes_of(letters, size):
    return [size[c] for c in letters]


def count_of(letters, size):
    n = 1
    for c in letters:
        n = n * size[c]
    return n


# x with these letters, without those that are not in `keep`, which are summed.
def summed(x, letters, keep):
    gone = [i for i in range(len(letters)) if letters[i] not in keep]
    if not gone:
        return x, letters
    return x.sum(gone), [c for c in letters if c in keep]


def torch_einsum(equation, *operands):
    parts = [""]
    out = None
    arrow = False
    for c in equation:
        if c == " ":
            continue
        if c == ".":
            library.refuse("einsum with an ellipsis is not available here")
        if c == "-":
            arrow = True
        elif c == ">":
            out = ""
        elif c == ",":
            parts.append("")
        elif out is None:
            parts = [parts[i] + (c if i == len(parts) - 1 else "") for i in range(len(parts))]
        else:
            out = out + c
    if out is None or not arrow:
        library.refuse("einsum without -> is not available here")
    if len(operands) == 1 and not isinstance(operands[0], torch.Tensor):
        operands = operands[0]
    if len(parts) != len(operands):
        library.refuse("einsum: as many operands as the equation names")
    out = letters_of(out)
    named = [letters_of(p) for p in parts]
    for i in range(len(parts)):
        if operands[i].dim() != len(named[i]):
            library.refuse("einsum: as many letters as an operand has dimensions")
    x, have = operands[0], named[0]
    for i in range(1, len(parts)):
        later = [c for c in out]
        for k in range(i + 1, len(parts)):
            later = later + named[k]
        x, have = contracted(x, have, operands[i], named[i], later)
    x, have = summed(x, have, out)
    for c in out:
        if c not in have:
            library.refuse("einsum: a letter of the result that no operand has")
    return x.permute([place_of(c, have) for c in out]) if len(out) > 1 else x


def place_of(c, letters):
    for i in range(len(letters)):
        if letters[i] == c:
            return i


# One matrix product for each of a batch: letters of both that stay, those of both that are summed, the others.
def contracted(a, la, b, lb, keep):
    a, la = summed(a, la, lb + keep)
    b, lb = summed(b, lb, la + keep)
    size = {}
    for i in range(len(la)):
        size[la[i]] = a.shape[i]
    for i in range(len(lb)):
        if lb[i] in la and size[lb[i]] != b.shape[i]:
            library.refuse("einsum: one letter, two sizes")
        size[lb[i]] = b.shape[i]
    batch = [c for c in la if c in lb and c in keep]
    gone = [c for c in la if c in lb and c not in keep]
    rows = [c for c in la if c not in lb]
    columns = [c for c in lb if c not in la]
    if la:
        a = a.permute([place_of(c, la) for c in batch + rows + gone])
    if lb:
        b = b.permute([place_of(c, lb) for c in batch + gone + columns])
    n, m, k, p = count_of(batch, size), count_of(rows, size), count_of(gone, size), count_of(columns, size)
    y = a.reshape(n, m, k) @ b.reshape(n, k, p)
    return y.reshape(sizes_of(batch + rows + columns, size)), batch + rows + columns


def F_linear(input, weight, bias=None):
    y = torch_matmul(input, weight.t() if weight.dim() == 2 else weight)
    return y if bias is None else y + bias


class nn_Linear(nn.Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        self.in_features = in_features
        self.out_features = out_features
        self.weight = library.param((out_features, in_features), "weight", in_features)
        self.bias = library.param((out_features,), "bias") if bias else None

    def forward(self, input):
        return F_linear(input, self.weight, self.bias)


# --- convolutions ---


def conv(n, transposed, input, weight, bias, stride, padding, dilation, extra, groups):
    if isinstance(padding, str):
        if padding != "valid":
            library.refuse("padding='same' is not available here")
        padding = 0
    y = library.conv(input, weight, transposed, several(stride, n), several(padding, n), several(dilation, n), several(extra, n), groups)
    return y if bias is None else y + bias.reshape(-1, *((1,) * n))


def F_conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return conv(1, False, input, weight, bias, stride, padding, dilation, 0, groups)


def F_conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return conv(2, False, input, weight, bias, stride, padding, dilation, 0, groups)


def F_conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return conv(3, False, input, weight, bias, stride, padding, dilation, 0, groups)


def F_conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return conv(1, True, input, weight, bias, stride, padding, dilation, output_padding, groups)


def F_conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return conv(2, True, input, weight, bias, stride, padding, dilation, output_padding, groups)


def F_conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return conv(3, True, input, weight, bias, stride, padding, dilation, output_padding, groups)


def product_of(sizes):
    n = 1
    for s in sizes:
        n = n * s
    return n


def hold(self, n, transposed, channels, kernel, place, bias, mode):
    inputs, outputs = channels
    stride, padding, dilation, extra, groups = place
    if mode != "zeros":
        library.refuse("padding_mode is 'zeros' here")
    if groups < 1 or inputs % groups != 0 or outputs % groups != 0:
        library.refuse("ValueError: in_channels and out_channels must be divisible by groups")
    kernel = several(kernel, n)
    self.in_channels, self.out_channels, self.kernel_size, self.groups = inputs, outputs, kernel, groups
    self.stride, self.padding, self.dilation, self.output_padding = stride, padding, dilation, extra
    ends = (inputs, outputs // groups) if transposed else (outputs, inputs // groups)
    self.weight = library.param(ends + kernel, "weight", inputs // groups * product_of(kernel))
    self.bias = library.param((outputs,), "bias") if bias else None


class nn_Conv1d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        hold(self, 1, False, (in_channels, out_channels), kernel_size, (stride, padding, dilation, 0, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class nn_Conv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        hold(self, 2, False, (in_channels, out_channels), kernel_size, (stride, padding, dilation, 0, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class nn_Conv3d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        hold(self, 3, False, (in_channels, out_channels), kernel_size, (stride, padding, dilation, 0, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv3d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class nn_ConvTranspose1d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        hold(self, 1, True, (in_channels, out_channels), kernel_size, (stride, padding, dilation, output_padding, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)


class nn_ConvTranspose2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        hold(self, 2, True, (in_channels, out_channels), kernel_size, (stride, padding, dilation, output_padding, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)


class nn_ConvTranspose3d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        hold(self, 3, True, (in_channels, out_channels), kernel_size, (stride, padding, dilation, output_padding, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)


# --- norms ---


# (x - mean) / sqrt(var + eps) over some dimensions.
def normal(x, dims, eps):
    library.normalised(product_of([x.shape[d] for d in dims]))
    d = x - x.mean(dims, keepdim=True)
    return d * torch.rsqrt(torch.square(d).mean(dims, keepdim=True) + eps)


# Times and plus one number for each channel.
def affine(x, weight, bias):
    size = (1, -1) + (1,) * (x.dim() - 2)
    if weight is not None:
        x = x * weight.reshape(size)
    return x if bias is None else x + bias.reshape(size)


def F_batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    if training:
        dims = [d for d in range(input.dim()) if d != 1]
        if product_of([input.shape[d] for d in dims]) <= 1:
            library.refuse("ValueError: Expected more than 1 value per channel when training")
        return affine(normal(input, dims, eps), weight, bias)
    size = (1, -1) + (1,) * (input.dim() - 2)
    y = (input - running_mean.reshape(size)) * torch.rsqrt(running_var.reshape(size) + eps)
    return affine(y, weight, bias)


def F_instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5):
    if not use_input_stats:
        return F_batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    dims = list(range(2, input.dim()))
    if product_of([input.shape[d] for d in dims]) <= 1:
        library.refuse("ValueError: Expected more than 1 spatial element when training")
    return affine(normal(input, dims, eps), weight, bias)


def F_group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    if num_groups < 1 or input.shape[1] % num_groups != 0:
        library.refuse("RuntimeError: Expected number of channels in input to be divisible by num_groups")
    y = normal(input.reshape(input.shape[0], num_groups, -1), [2], eps)
    return affine(y.reshape(input.shape), weight, bias)


def F_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    library.normalised(product_of(normalized_shape))
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


def F_rms_norm(input, normalized_shape, weight=None, eps=None):
    library.normalised(product_of(normalized_shape))
    return F.rms_norm(input, normalized_shape, weight, eps)


def hold_norm(self, n, ranks, eps, momentum, affine, track):
    self.num_features, self.eps, self.momentum, self.ranks = n, eps, momentum, ranks
    self.weight = library.param((n,), "gain") if affine else None
    self.bias = library.param((n,), "bias") if affine else None
    self.running_mean = library.param((n,), "mean", 1, True) if track else None
    self.running_var = library.param((n,), "variance", 1, True) if track else None


def check_rank(self, x):
    if x.dim() not in self.ranks:
        library.refuse("ValueError: the norm expects an input of other dimensions")
    if x.shape[1] != self.num_features:
        library.refuse("RuntimeError: the norm expects another number of channels")


def batch_norm(self, x):
    check_rank(self, x)
    own = self.training or self.running_mean is None
    return F_batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, own, self.momentum, self.eps)


def instance_norm(self, x):
    check_rank(self, x)
    own = self.training or self.running_mean is None
    return F_instance_norm(x, self.running_mean, self.running_var, self.weight, self.bias, own, self.momentum, self.eps)


class nn_BatchNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        hold_norm(self, num_features, (2, 3), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return batch_norm(self, input)


class nn_BatchNorm2d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        hold_norm(self, num_features, (4,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return batch_norm(self, input)


class nn_BatchNorm3d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        hold_norm(self, num_features, (5,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return batch_norm(self, input)


class nn_InstanceNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):
        hold_norm(self, num_features, (3,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return instance_norm(self, input)


# Without weights any number of channels passes, as in PyTorch, which warns.
class nn_InstanceNorm2d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):
        hold_norm(self, num_features, (4,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        if self.weight is None and self.running_mean is None:
            return F_instance_norm(input, eps=self.eps)
        return instance_norm(self, input)


class nn_InstanceNorm3d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):
        hold_norm(self, num_features, (5,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return instance_norm(self, input)


class nn_GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None):
        if num_groups < 1 or num_channels % num_groups != 0:
            library.refuse("ValueError: num_channels must be divisible by num_groups")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = library.param((num_channels,), "gain") if affine else None
        self.bias = library.param((num_channels,), "bias") if affine else None

    def forward(self, input):
        if input.shape[1] != self.num_channels:
            library.refuse("RuntimeError: the norm expects another number of channels")
        return F_group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class nn_LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        self.normalized_shape = several(normalized_shape, 1) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = library.param(self.normalized_shape, "gain") if elementwise_affine else None
        self.bias = library.param(self.normalized_shape, "bias") if elementwise_affine and bias else None

    def forward(self, input):
        return F_layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class nn_RMSNorm(nn.Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        self.normalized_shape = several(normalized_shape, 1) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = library.param(self.normalized_shape, "gain") if elementwise_affine else None

    def forward(self, input):
        return F_rms_norm(input, self.normalized_shape, self.weight, self.eps)


# --- pools ---


def pool(n, max, x, kernel, stride, padding, dilation, ceil, counts=False, divisor=None):
    kernel = several(kernel, n)
    stride = kernel if stride is None or stride == () else several(stride, n)
    return library.pool(x, max, kernel, stride, several(padding, n), several(dilation, n), ceil, counts, 0 if divisor is None else divisor)


def no_indices(asked):
    if asked:
        library.refuse("return_indices is not available here")


def F_max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    no_indices(return_indices)
    return pool(1, True, input, kernel_size, stride, padding, dilation, ceil_mode)


def F_max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    no_indices(return_indices)
    return pool(2, True, input, kernel_size, stride, padding, dilation, ceil_mode)


def F_max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    no_indices(return_indices)
    return pool(3, True, input, kernel_size, stride, padding, dilation, ceil_mode)


def F_avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    return pool(1, False, input, kernel_size, stride, padding, 1, ceil_mode, count_include_pad)


def F_avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return pool(2, False, input, kernel_size, stride, padding, 1, ceil_mode, count_include_pad, divisor_override)


def F_avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return pool(3, False, input, kernel_size, stride, padding, 1, ceil_mode, count_include_pad, divisor_override)


class nn_MaxPool1d(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        self.args = (kernel_size, stride, padding, dilation, ceil_mode, return_indices)

    def forward(self, input):
        return F_max_pool1d(input, *self.args)


class nn_MaxPool2d(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        self.args = (kernel_size, stride, padding, dilation, ceil_mode, return_indices)

    def forward(self, input):
        return F_max_pool2d(input, *self.args)


class nn_MaxPool3d(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        self.args = (kernel_size, stride, padding, dilation, ceil_mode, return_indices)

    def forward(self, input):
        return F_max_pool3d(input, *self.args)


class nn_AvgPool1d(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        self.args = (kernel_size, stride, padding, ceil_mode, count_include_pad)

    def forward(self, input):
        return F_avg_pool1d(input, *self.args)


class nn_AvgPool2d(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        self.args = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    def forward(self, input):
        return F_avg_pool2d(input, *self.args)


class nn_AvgPool3d(nn.Module):
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        self.args = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    def forward(self, input):
        return F_avg_pool3d(input, *self.args)


# None keeps the input's size.
def adaptive(n, max, x, size):
    size = several(size, n) if size is not None else (None,) * n
    have = x.shape[x.dim() - n:]
    return library.adaptive(x, max, tuple([have[i] if size[i] is None else size[i] for i in range(n)]))


def F_adaptive_avg_pool1d(input, output_size):
    return adaptive(1, False, input, output_size)


def F_adaptive_avg_pool2d(input, output_size):
    return adaptive(2, False, input, output_size)


def F_adaptive_avg_pool3d(input, output_size):
    return adaptive(3, False, input, output_size)


def F_adaptive_max_pool1d(input, output_size, return_indices=False):
    no_indices(return_indices)
    return adaptive(1, True, input, output_size)


def F_adaptive_max_pool2d(input, output_size, return_indices=False):
    no_indices(return_indices)
    return adaptive(2, True, input, output_size)


class nn_AdaptiveAvgPool1d(nn.Module):
    def __init__(self, output_size):
        self.output_size = output_size

    def forward(self, input):
        return adaptive(1, False, input, self.output_size)


class nn_AdaptiveAvgPool2d(nn.Module):
    def __init__(self, output_size):
        self.output_size = output_size

    def forward(self, input):
        return adaptive(2, False, input, self.output_size)


class nn_AdaptiveAvgPool3d(nn.Module):
    def __init__(self, output_size):
        self.output_size = output_size

    def forward(self, input):
        return adaptive(3, False, input, self.output_size)


class nn_AdaptiveMaxPool2d(nn.Module):
    def __init__(self, output_size, return_indices=False):
        no_indices(return_indices)
        self.output_size = output_size

    def forward(self, input):
        return adaptive(2, True, input, self.output_size)


# --- activations ---


class nn_ReLU(nn.Module):
    def __init__(self, inplace=False):
        pass

    def forward(self, input):
        return torch.relu(input)


class nn_ReLU6(nn.Module):
    def __init__(self, inplace=False):
        pass

    def forward(self, input):
        return F.relu6(input)


class nn_LeakyReLU(nn.Module):
    def __init__(self, negative_slope=0.01, inplace=False):
        self.negative_slope = negative_slope

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope)


class nn_ELU(nn.Module):
    def __init__(self, alpha=1.0, inplace=False):
        self.alpha = alpha

    def forward(self, input):
        return F.elu(input, self.alpha)


class nn_SELU(nn.Module):
    def __init__(self, inplace=False):
        pass

    def forward(self, input):
        return F.selu(input)


class nn_GELU(nn.Module):
    def __init__(self, approximate="none"):
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)


class nn_SiLU(nn.Module):
    def __init__(self, inplace=False):
        pass

    def forward(self, input):
        return F.silu(input)


class nn_Mish(nn.Module):
    def __init__(self, inplace=False):
        pass

    def forward(self, input):
        return F.mish(input)


class nn_Tanh(nn.Module):
    def forward(self, input):
        return torch.tanh(input)


class nn_Sigmoid(nn.Module):
    def forward(self, input):
        return torch.sigmoid(input)


class nn_LogSigmoid(nn.Module):
    def forward(self, input):
        return F.logsigmoid(input)


class nn_Softplus(nn.Module):
    def __init__(self, beta=1.0, threshold=20.0):
        self.beta, self.threshold = beta, threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)


class nn_Softsign(nn.Module):
    def forward(self, input):
        return F.softsign(input)


class nn_Hardtanh(nn.Module):
    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        self.min_val, self.max_val = min_val, max_val

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val)


class nn_Hardswish(nn.Module):
    def __init__(self, inplace=False):
        pass

    def forward(self, input):
        return F.hardswish(input)


class nn_Hardsigmoid(nn.Module):
    def __init__(self, inplace=False):
        pass

    def forward(self, input):
        return F.hardsigmoid(input)


class nn_GLU(nn.Module):
    def __init__(self, dim=-1):
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)


class nn_Softmax(nn.Module):
    def __init__(self, dim=None):
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, dim=self.dim)


class nn_LogSoftmax(nn.Module):
    def __init__(self, dim=None):
        self.dim = dim

    def forward(self, input):
        return F.log_softmax(input, dim=self.dim)


def F_dropout(input, p=0.5, training=True, inplace=False):
    if training and p > 0:
        library.refuse("dropout with p > 0 in training has no right answer: each call drops other elements")
    return input


class nn_Dropout(nn.Module):
    def __init__(self, p=0.5, inplace=False):
        self.p = p

    def forward(self, input):
        return F_dropout(input, self.p, self.training)


class nn_Flatten(nn.Module):
    def __init__(self, start_dim=1, end_dim=-1):
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)


# --- elements and views ---


def torch_sign(input):
    return torch.where(input > 0, 1.0, torch.where(input < 0, -1.0, 0.0))


def Tensor_sign(input):
    return torch_sign(input)


# Places of the last two dimensions: the column less the row.
def diagonals(x):
    return torch.arange(x.shape[-1]).unsqueeze(0) - torch.arange(x.shape[-2]).unsqueeze(1)


def torch_triu(input, diagonal=0):
    return torch.where(diagonals(input) >= diagonal, input, 0)


def torch_tril(input, diagonal=0):
    return torch.where(diagonals(input) <= diagonal, input, 0)


def Tensor_triu(input, diagonal=0):
    return torch_triu(input, diagonal)


def Tensor_tril(input, diagonal=0):
    return torch_tril(input, diagonal)


def torch_diag(input, diagonal=0):
    if input.dim() != 1 or diagonal != 0:
        library.refuse("torch.diag is available for one dimension and the main diagonal alone")
    n = input.shape[0]
    return torch.where(torch.arange(n).unsqueeze(0) == torch.arange(n).unsqueeze(1), input.unsqueeze(1), 0)


def torch_flip(input, dims):
    for d in dims if not isinstance(dims, int) else (dims,):
        n = input.shape[d]
        input = input.index_select(d, (n - 1) - torch.arange(n))
    return input


def Tensor_flip(input, *dims):
    return torch_flip(input, dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)


def torch_roll(input, shifts, dims=None):
    if dims is None:
        return torch_roll(input.flatten(), shifts, 0).reshape(input.shape)
    if isinstance(dims, int):
        dims, shifts = (dims,), (shifts,)
    for i in range(len(dims)):
        n = input.shape[dims[i]]
        k = shifts[i] % n
        if k:
            input = torch.cat([input.narrow(dims[i], n - k, k), input.narrow(dims[i], 0, n - k)], dim=dims[i])
    return input


def F_pad(input, pad, mode="constant", value=None):
    if mode != "constant":
        library.refuse("F.pad is available with mode='constant' alone")
    value = 0.0 if value is None else value
    for i in range(len(pad) // 2):
        d = input.dim() - 1 - i
        for k in range(2):
            n = pad[2 * i + k]
            if n < 0:
                input = input.narrow(d, -n if k == 0 else 0, input.shape[d] + n)
            if n > 0:
                size = [n if j == d else input.shape[j] for j in range(input.dim())]
                fill = torch.full(size, value, dtype=input.dtype)
                input = torch.cat([fill, input] if k == 0 else [input, fill], dim=d)
    return input


def torch_norm(input, p=2, dim=None, keepdim=False, *, dtype=None):
    if p == 1:
        return torch.abs(input).sum(dim, keepdim=keepdim)
    if isinstance(p, str) and p == "fro":
        p = 2
    return torch.norm(input, p=p, dim=dim, keepdim=keepdim)


def Tensor_norm(input, p=2, dim=None, keepdim=False):
    return torch_norm(input, p, dim, keepdim)


def F_normalize(input, p=2.0, dim=1, eps=1e-12):
    library.normalised(input.shape[dim])
    return input / torch.clamp(torch_norm(input, p, dim, True), min=eps)


def F_cosine_similarity(x1, x2, dim=1, eps=1e-8):
    a = torch.clamp(torch.norm(x1, dim=dim), min=eps)
    b = torch.clamp(torch.norm(x2, dim=dim), min=eps)
    return (x1 * x2).sum(dim) / (a * b)


# --- losses ---


def reduced(x, reduction):
    if reduction == "none":
        return x
    if reduction == "sum":
        return x.sum()
    if reduction != "mean":
        library.refuse("ValueError: reduction must be 'none', 'mean' or 'sum'")
    return x.mean()


def F_mse_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return reduced(torch.square(input - target), reduction)


def F_l1_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return reduced(torch.abs(input - target), reduction)


def F_smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    if beta <= 0:
        library.refuse("smooth_l1_loss is available with beta > 0 alone")
    d = torch.abs(input - target)
    small = 0.5 * torch.square(d)
    if beta != 1.0:
        small = small / beta
    return reduced(torch.where(d < beta, small, d - 0.5 * beta), reduction)


def F_huber_loss(input, target, reduction="mean", delta=1.0):
    d = torch.abs(input - target)
    return reduced(torch.where(d <= delta, 0.5 * torch.square(d), delta * (d - 0.5 * delta)), reduction)


# A target of 0 adds 0, whatever its logarithm is.
def F_kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if log_target:
        y = torch.exp(target) * (target - input)
    else:
        y = torch.where(target > 0, target * (torch.log(torch.where(target > 0, target, 1.0)) - input), 0.0)
    if reduction == "batchmean":
        return y.sum() / input.shape[0]
    return reduced(y, reduction)


def distance(a, b, p, eps):
    d = a - b + eps
    if p != 2:
        library.refuse("distances are available with p=2 alone")
    return torch.sqrt(torch.square(d).sum(-1))


def F_triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
    far = distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, distance(positive, negative, p, eps))
    return reduced(torch.clamp(distance(anchor, positive, p, eps) - far + margin, min=0), reduction)


def F_hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    y = torch.where(target == 1, input, torch.where(target == -1, torch.clamp(margin - input, min=0), 0.0))
    return reduced(y, reduction)


def F_binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    if weight is not None or pos_weight is not None:
        library.refuse("weights of classes are not available here")
    return reduced(F.softplus(input) - input * target, reduction)


class nn_MSELoss(nn.Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        self.reduction = reduction

    def forward(self, input, target):
        return F_mse_loss(input, target, reduction=self.reduction)


class nn_L1Loss(nn.Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        self.reduction = reduction

    def forward(self, input, target):
        return F_l1_loss(input, target, reduction=self.reduction)


class nn_SmoothL1Loss(nn.Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        self.reduction, self.beta = reduction, beta

    def forward(self, input, target):
        return F_smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class nn_HuberLoss(nn.Module):
    def __init__(self, reduction="mean", delta=1.0):
        self.reduction, self.delta = reduction, delta

    def forward(self, input, target):
        return F_huber_loss(input, target, self.reduction, self.delta)


class nn_KLDivLoss(nn.Module):
    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input, target):
        return F_kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class nn_TripletMarginLoss(nn.Module):
    def __init__(self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
        self.margin, self.p, self.eps, self.swap, self.reduction = margin, p, eps, swap, reduction

    def forward(self, anchor, positive, negative):
        return F_triplet_margin_loss(anchor, positive, negative, self.margin, self.p, self.eps, self.swap, reduction=self.reduction)


class nn_CrossEntropyLoss(nn.Module):
    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
        if weight is not None or label_smoothing != 0.0:
            library.refuse("weights of classes and label smoothing are not available here")
        self.reduction = reduction

    def forward(self, input, target):
        return F.cross_entropy(input, target, reduction=self.reduction)


# --- attention ---


def F_scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if dropout_p > 0:
        library.refuse("dropout with p > 0 has no right answer: each call drops other elements")
    if enable_gqa:
        library.refuse("enable_gqa is not available here")
    scale = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = torch_matmul(query, key.transpose(-2, -1)) * scale
    if is_causal:
        scores = torch.where(diagonals(scores) <= 0, scores, -math.inf)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            scores = torch.where(attn_mask, scores, -math.inf)
        else:
            scores = scores + attn_mask
    return torch_matmul(torch.softmax(scores, dim=-1), value)
