# Activations, and functions of elements and places. See modules.py.


class nn_ReLU(nn.Module):
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, input):
        return F.relu(input, inplace=self.inplace)


class nn_ReLU6(nn.Module):
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, input):
        return F.relu6(input, inplace=self.inplace)


class nn_LeakyReLU(nn.Module):
    def __init__(self, negative_slope=0.01, inplace=False):
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, inplace=self.inplace)


class nn_ELU(nn.Module):
    def __init__(self, alpha=1.0, inplace=False):
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        return F.elu(input, self.alpha, inplace=self.inplace)


class nn_SELU(nn.Module):
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, input):
        return F.selu(input, inplace=self.inplace)


class nn_GELU(nn.Module):
    def __init__(self, approximate="none"):
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)


class nn_SiLU(nn.Module):
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, input):
        return F.silu(input, inplace=self.inplace)


class nn_Mish(nn.Module):
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, input):
        return F.mish(input, inplace=self.inplace)


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
        self.inplace = inplace

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, inplace=self.inplace)


class nn_Hardswish(nn.Module):
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, input):
        return F.hardswish(input, inplace=self.inplace)


class nn_Hardsigmoid(nn.Module):
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, input):
        return F.hardsigmoid(input, inplace=self.inplace)


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
