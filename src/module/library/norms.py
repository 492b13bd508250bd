# Norms, by the statistics of what comes in or by running ones. See modules.py.


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
        float32_alone(dtype)
        hold_norm(self, num_features, (2, 3), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return batch_norm(self, input)


class nn_BatchNorm2d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        float32_alone(dtype)
        hold_norm(self, num_features, (4,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return batch_norm(self, input)


class nn_BatchNorm3d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        float32_alone(dtype)
        hold_norm(self, num_features, (5,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return batch_norm(self, input)


class nn_InstanceNorm1d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):
        float32_alone(dtype)
        hold_norm(self, num_features, (3,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return instance_norm(self, input)


# Without weights any number of channels passes, as in PyTorch, which warns.
class nn_InstanceNorm2d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):
        float32_alone(dtype)
        hold_norm(self, num_features, (4,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        if self.weight is None and self.running_mean is None:
            return F_instance_norm(input, eps=self.eps)
        return instance_norm(self, input)


class nn_InstanceNorm3d(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):
        float32_alone(dtype)
        hold_norm(self, num_features, (5,), eps, momentum, affine, track_running_stats)

    def forward(self, input):
        return instance_norm(self, input)


class nn_GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None):
        float32_alone(dtype)
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
        float32_alone(dtype)
        self.normalized_shape = several(normalized_shape, 1) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = library.param(self.normalized_shape, "gain") if elementwise_affine else None
        self.bias = library.param(self.normalized_shape, "bias") if elementwise_affine and bias else None

    def forward(self, input):
        return F_layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class nn_RMSNorm(nn.Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        float32_alone(dtype)
        self.normalized_shape = several(normalized_shape, 1) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = library.param(self.normalized_shape, "gain") if elementwise_affine else None

    def forward(self, input):
        return F_rms_norm(input, self.normalized_shape, self.weight, self.eps)
