# Losses. See modules.py.


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
