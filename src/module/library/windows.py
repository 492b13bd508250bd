# Convolutions and pools over the last axes. See modules.py.


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
        float32_alone(dtype)
        hold(self, 1, False, (in_channels, out_channels), kernel_size, (stride, padding, dilation, 0, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class nn_Conv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        float32_alone(dtype)
        hold(self, 2, False, (in_channels, out_channels), kernel_size, (stride, padding, dilation, 0, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class nn_Conv3d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        float32_alone(dtype)
        hold(self, 3, False, (in_channels, out_channels), kernel_size, (stride, padding, dilation, 0, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv3d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class nn_ConvTranspose1d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        float32_alone(dtype)
        hold(self, 1, True, (in_channels, out_channels), kernel_size, (stride, padding, dilation, output_padding, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)


class nn_ConvTranspose2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        float32_alone(dtype)
        hold(self, 2, True, (in_channels, out_channels), kernel_size, (stride, padding, dilation, output_padding, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)


class nn_ConvTranspose3d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        float32_alone(dtype)
        hold(self, 3, True, (in_channels, out_channels), kernel_size, (stride, padding, dilation, output_padding, groups), bias, padding_mode)

    def forward(self, input):
        return F_conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)


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
