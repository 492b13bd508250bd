# Matrix products of any rank, einsum, linear layers, attention. See modules.py.


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
        float32_alone(dtype)
        self.in_features = in_features
        self.out_features = out_features
        self.weight = library.param((out_features, in_features), "weight", in_features)
        self.bias = library.param((out_features,), "bias") if bias else None

    def forward(self, input):
        return F_linear(input, self.weight, self.bias)


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
