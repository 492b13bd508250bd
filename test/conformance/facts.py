"""What a GPU really does where Triton's contract, its interpreter or its documents leave it open.

Each fact is a function of the device that returns a flat dictionary; FACTS lists them. `accuracy` measures every
elementary function against float64 and against the bound that doc/error-bound.md gives it: use <= 1 means covered.
"""
import math

import order
import torch
import triton
import triton.language as tl

try:
    from triton.language.extra import libdevice
except ImportError:
    libdevice = None

U = 2.0**-24
KAPPA = 2.0
NAN, INF = float("nan"), float("inf")


@triton.jit
def unary_kernel(x_ptr, y_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    x = tl.load(x_ptr + i, mask=m, other=1.0)
    if OP == "exp":
        y = tl.exp(x)
    elif OP == "exp2":
        y = tl.exp2(x)
    elif OP == "log":
        y = tl.log(x)
    elif OP == "log2":
        y = tl.log2(x)
    elif OP == "log(1 + x)":
        y = tl.log(1.0 + x)
    elif OP == "exp(x) - 1":
        y = tl.exp(x) - 1.0
    elif OP == "sqrt":
        y = tl.sqrt(x)
    elif OP == "sqrt_rn":
        y = tl.sqrt_rn(x)
    elif OP == "rsqrt":
        y = tl.rsqrt(x)
    elif OP == "1 / sqrt":
        y = 1.0 / tl.sqrt(x)
    elif OP == "1 / x":
        y = 1.0 / x
    elif OP == "sin":
        y = tl.sin(x)
    elif OP == "cos":
        y = tl.cos(x)
    elif OP == "erf":
        y = tl.erf(x)
    elif OP == "sigmoid":
        y = tl.sigmoid(x)
    elif OP == "1 / (1 + exp(-x))":
        y = 1.0 / (1.0 + tl.exp(-x))
    elif OP == "2 sigmoid(2x) - 1":
        y = 2.0 * tl.sigmoid(2.0 * x) - 1.0
    elif OP == "1 - 2 / (exp(2x) + 1)":
        y = 1.0 - 2.0 / (tl.exp(2.0 * x) + 1.0)
    elif OP == "libdevice.tanh":
        y = libdevice.tanh(x)
    elif OP == "libdevice.exp":
        y = libdevice.exp(x)
    elif OP == "libdevice.fast_expf":
        y = libdevice.fast_expf(x)
    elif OP == "libdevice.log1p":
        y = libdevice.log1p(x)
    elif OP == "libdevice.expm1":
        y = libdevice.expm1(x)
    elif OP == "libdevice.rsqrt":
        y = libdevice.rsqrt(x)
    elif OP == "libdevice.erf":
        y = libdevice.erf(x)
    elif OP == "libdevice.pow(x, 3)":
        y = libdevice.pow(x, 3.0)
    elif OP == "inline tanh.approx":
        y = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    else:
        tl.static_assert(False, OP)
    tl.store(y_ptr + i, y, mask=m)


@triton.jit
def binary_kernel(a_ptr, b_ptr, y_ptr, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    a = tl.load(a_ptr + i, mask=m, other=1.0)
    b = tl.load(b_ptr + i, mask=m, other=1.0)
    if OP == "a / b":
        y = a / b
    elif OP == "tl.fdiv":
        y = tl.fdiv(a, b)
    elif OP == "tl.div_rn":
        y = tl.div_rn(a, b)
    elif OP == "a + b":
        y = a + b
    elif OP == "a - b":
        y = a - b
    elif OP == "a * b":
        y = a * b
    elif OP == "a * b + a":
        y = a * b + a
    elif OP == "maximum":
        y = tl.maximum(a, b)
    elif OP == "minimum":
        y = tl.minimum(a, b)
    elif OP == "maximum ALL":
        y = tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "a // b":
        y = a // b
    elif OP == "a % b":
        y = a % b
    elif OP == "a >> b":
        y = a >> b
    elif OP == "a << b":
        y = a << b
    elif OP == "where":
        y = tl.where(a > b, a, b)
    else:
        tl.static_assert(False, OP)
    tl.store(y_ptr + i, y, mask=m)


@triton.jit
def cast_kernel(x_ptr, y_ptr, TO: tl.constexpr, BITCAST: tl.constexpr, n: tl.constexpr):
    i = tl.arange(0, n)
    y = tl.load(x_ptr + i).to(TO)
    if BITCAST is not None:
        y = y.to(BITCAST, bitcast=True)
    tl.store(y_ptr + i, y)


@triton.jit
def fold_kernel(x_ptr, y_ptr, OP: tl.constexpr, n: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, n))
    if OP == "sum":
        y = tl.sum(x, axis=0)
    elif OP == "bool sum":
        y = tl.sum(x > 0, axis=0)
    elif OP == "max":
        y = tl.max(x, axis=0)
    elif OP == "min":
        y = tl.min(x, axis=0)
    elif OP == "argmax":
        y = tl.argmax(x, axis=0)
    elif OP == "argmin":
        y = tl.argmin(x, axis=0)
    elif OP == "cumsum last":
        y = tl.sum(tl.where(tl.arange(0, n) == n - 1, tl.cumsum(x, axis=0).to(tl.float32), 0.0), axis=0)
    elif OP == "cumprod last":
        y = tl.sum(tl.where(tl.arange(0, n) == n - 1, tl.cumprod(x, axis=0).to(tl.float32), 0.0), axis=0)
    else:
        tl.static_assert(False, OP)
    tl.store(y_ptr, y)


@triton.jit
def masked_load_kernel(x_ptr, y_ptr, k, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < k))


@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, PRECISION: tl.constexpr, OUT: tl.constexpr, M: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + i[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * M + i[None, :])
    tl.store(c_ptr + i[:, None] * M + i[None, :], tl.dot(a, b, input_precision=PRECISION, out_dtype=OUT))


def tensor(device, values, dtype=torch.float32):
    return torch.tensor(values, dtype=torch.float64, device=device).to(dtype)


def unary(device, op, x):
    y = torch.empty_like(x)
    unary_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), OP=op, BLOCK=1024)
    return y


def binary(device, op, a, b, out=None, **options):
    y = torch.empty_like(a, dtype=out or a.dtype)
    binary_kernel[(triton.cdiv(a.numel(), 1024),)](a, b, y, a.numel(), OP=op, BLOCK=1024, **options)
    return y


def plain(t):
    """Numbers that JSON can hold: NaN and the infinities by name."""
    return [v if isinstance(v, int) or math.isfinite(v) else repr(v) for v in t.flatten().tolist()]


# ---- accuracy ---------------------------------------------------------------------------------------------------

EXP = lambda a, v: v * (a.abs() + 4)
TANH = lambda a, v: (1 - v * v) * a.abs() + 10
SIGMOID = lambda a, v: v * (1 - v) * (a.abs() + 4) + 5 * v
LOG = lambda a, v: 3 + 5 * v.abs()
ROOT = lambda a, v: 4 * v.abs()
WAVE = lambda a, v: 4 * v.abs() + a.abs().clamp(max=4)
ERF = lambda a, v: 1.1283791670955126 * torch.exp(-a * a) * a.abs() + 8
EXPM1 = lambda a, v: EXP(a, torch.exp(a)) + torch.exp(a).clamp(min=1)

# name: (the float64 function, the bound e of doc/error-bound.md, ends of the interval)
FUNCTIONS = {
    "exp": (torch.exp, EXP, (-103.0, 88.7)),
    "exp2": (torch.exp2, lambda a, v: v * (0.6931471805599453 * a.abs() + 4), (-149.0, 127.9)),
    "log": (torch.log, LOG, (2.0**-126, 3e38)),
    "log2": (torch.log2, lambda a, v: 4.5 + 5 * v.abs(), (2.0**-126, 3e38)),
    "log(1 + x)": (torch.log1p, lambda a, v: 4 + 5 * v.abs(), (-0.999, 3e38)),
    "exp(x) - 1": (torch.expm1, EXPM1, (-103.0, 88.7)),
    "sqrt": (torch.sqrt, ROOT, (2.0**-126, 3e38)),
    "sqrt_rn": (torch.sqrt, ROOT, (2.0**-126, 3e38)),
    "rsqrt": (lambda a: 1 / torch.sqrt(a), ROOT, (2.0**-126, 3e38)),
    "1 / sqrt": (lambda a: 1 / torch.sqrt(a), ROOT, (2.0**-126, 3e38)),
    "1 / x": (lambda a: 1 / a, ROOT, (-8e37, 8e37)),
    "sin": (torch.sin, WAVE, (-1e4, 1e4)),
    "cos": (torch.cos, WAVE, (-1e4, 1e4)),
    "erf": (torch.erf, ERF, (-10.0, 10.0)),
    "sigmoid": (torch.sigmoid, SIGMOID, (-87.0, 100.0)),
    "1 / (1 + exp(-x))": (torch.sigmoid, SIGMOID, (-87.0, 100.0)),
    "2 sigmoid(2x) - 1": (torch.tanh, TANH, (-40.0, 40.0)),
    "1 - 2 / (exp(2x) + 1)": (torch.tanh, TANH, (-40.0, 40.0)),
    "libdevice.tanh": (torch.tanh, TANH, (-40.0, 40.0)),
    "inline tanh.approx": (torch.tanh, TANH, (-40.0, 40.0)),
    "libdevice.exp": (torch.exp, EXP, (-103.0, 88.7)),
    "libdevice.fast_expf": (torch.exp, EXP, (-103.0, 88.7)),
    "libdevice.log1p": (torch.log1p, lambda a, v: 4 + 5 * v.abs(), (-0.999, 3e38)),
    "libdevice.expm1": (torch.expm1, EXPM1, (-103.0, 88.7)),
    "libdevice.rsqrt": (lambda a: 1 / torch.sqrt(a), ROOT, (2.0**-126, 3e38)),
    "libdevice.erf": (torch.erf, ERF, (-10.0, 10.0)),
    "libdevice.pow(x, 3)": (lambda a: a**3, lambda a, v: 4 * v.abs(), (-6e12, 6e12)),
}


def grid(device, lo, hi, stride):
    """Every stride-th float32 pattern within, both signs, and the numbers 1 +- k ulp."""
    bits = torch.arange(0, 2**31 - 2**23, stride, dtype=torch.int64, device=device).to(torch.int32)
    x = bits.view(torch.float32)
    near = (torch.arange(-2000, 2000, dtype=torch.int32, device=device) + 0x3F800000).view(torch.float32)
    x = torch.cat([x, -x, near, -near])
    return x[(x >= lo) & (x <= hi)].contiguous()


def ulp_of(v):
    """Spacing of float32 at v."""
    exponent = torch.frexp(v.abs().clamp(min=2.0**-126))[1].to(torch.float64)
    return torch.exp2(exponent - 24)


def accuracy_of(x, got, want, e):
    """ulp: worst error where arguments and results are normal. use: (error - half an ulp) over the bound."""
    tiny = 2.0**-126
    normal = (x.abs() >= tiny) & (want.abs() >= tiny) & torch.isfinite(want) & (want.abs() <= 3.4028234e38)
    got64 = got.double()
    error = (got64 - want).abs()
    ulps = torch.where(normal, error / ulp_of(want), torch.zeros_like(error))
    worst = int(torch.nan_to_num(ulps, nan=INF).argmax())
    use = torch.where(normal, ((error - ulp_of(want) / 2).clamp(min=0)) / (KAPPA * U * e), torch.zeros_like(error))
    use = torch.nan_to_num(use, nan=INF)
    at = int(use.argmax())
    small = (x.abs() >= tiny) & (want.abs() < tiny) & (want != 0)
    return {
        "points": x.numel(),
        "ulp": round(float(ulps[worst]), 4),
        "ulp_at": float(x[worst]),
        "use": round(float(use[at]), 4),
        "use_at": float(x[at]),
        "use_got": float(got64[at]),
        "use_want": float(want[at]),
        "subnormal_results": int(small.sum()),
        "subnormal_results_flushed": int((small & (got64 == 0)).sum()),
        "infinite_or_nan": int((normal & ~torch.isfinite(got)).sum()),
    }


def accuracy(device, op, stride=509, within=None):
    function, bound, (lo, hi) = FUNCTIONS[op]
    lo, hi = within or (lo, hi)
    x = grid(device, lo, hi, stride if device != "cpu" else 65521)
    a = x.double()
    want = function(a)
    return accuracy_of(x, unary(device, op, x), want, bound(a, want))


def accuracy_division(device, op):
    n = 1 << 22 if device != "cpu" else 1 << 14
    g = torch.Generator(device=device).manual_seed(1)
    a = torch.randn(n, generator=g, device=device) * torch.exp2(torch.randint(-40, 40, (n,), generator=g, device=device).float())
    b = torch.randn(n, generator=g, device=device) * torch.exp2(torch.randint(-40, 40, (n,), generator=g, device=device).float())
    want = a.double() / b.double()
    return accuracy_of(a, binary(device, op, a, b), want, 4 * want.abs())


def half_functions(device):
    """tl.exp and others of half-precision tiles are refused; what happens to a float32 result on its way to a half output."""
    x = torch.arange(-32768, 32768, device=device, dtype=torch.int32).to(torch.int16).view(torch.float16)
    x = x[torch.isfinite(x)].float().contiguous()
    out = {}
    for t in (torch.float16, torch.bfloat16):
        y = torch.empty_like(x, dtype=t)
        unary_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), OP="sigmoid", BLOCK=1024)
        want = unary(device, "sigmoid", x).to(t)
        out[str(t)[6:] + "_store_rounds_to_nearest_even"] = bool(torch.equal(y, want))
    return out


# ---- single facts -----------------------------------------------------------------------------------------------


def float_to_int(device):
    x = tensor(device, [NAN, INF, -INF, 3e9, -3e9, 1e20, -1e20, 300.7, -300.7, 127.9, -128.9, 2.5, -2.5, -0.0, 1e-40, 70000.0])
    out = {"input": plain(x)}
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"):
        y = torch.empty(16, dtype=getattr(torch, name), device=device)
        cast_kernel[(1,)](x, y, TO=getattr(tl, name), BITCAST=None, n=16)
        out[name] = y.cpu().numpy().tolist()
    y = torch.empty(16, dtype=torch.int8, device=device)
    cast_kernel[(1,)](x, y, TO=tl.int1, BITCAST=None, n=16)
    return out | {"int1": plain(y)}


def float_to_half(device):
    x = tensor(device, [NAN, INF, -INF, 65504.0, 65519.0, 65520.0, 70000.0, -70000.0, 1e39, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 1e-45, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 3.4e38])
    out = {"input": plain(x)}
    for name in ("float16", "bfloat16"):
        y = torch.empty(16, dtype=getattr(torch, name), device=device)
        cast_kernel[(1,)](x, y, TO=getattr(tl, name), BITCAST=None, n=16)
        out[name] = plain(y.double())
    return out


def float_to_fp8(device):
    values = [NAN, INF, -INF, 448.0, 449.0, 464.0, 465.0, 480.0, 1e6, 57344.0, 61440.0, 65536.0, 2.0**-9, 2.0**-10, 1.0625, 1.1875]
    out = {"input": values and plain(torch.tensor(values))}
    for source in (torch.float32, torch.float16):
        for name, torch_type in (("float8e4nv", torch.float8_e4m3fn), ("float8e5", torch.float8_e5m2)):
            x = tensor(device, values, source)
            y = torch.empty(16, dtype=torch.uint8, device=device)
            try:
                cast_kernel[(1,)](x, y, TO=getattr(tl, name), BITCAST=tl.uint8, n=16)
                key = f"{str(source)[6:]}_to_{name}"
                out[key] = plain(y.cpu().view(torch_type).to(torch.float32))
                out[key + "_bits"] = plain(y.to(torch.int64))
            except Exception as error:  # which conversions exist is part of the answer
                out[f"{str(source)[6:]}_to_{name}"] = str(error)[-300:]
    return out


def dot_precision(device):
    """1 + 2^-11 + 2^-12 times the identity: 1 means truncated to tf32, 1 + 2^-10 rounded, itself exact."""
    out = {}
    for size in (16, 64, 128):
        a = torch.zeros(size, size, device=device)
        a[:, 0], a[:, 1], a[:, 2], a[:, 3] = 1 + 2.0**-11 + 2.0**-12, 1 + 2.0**-11, -(1 + 2.0**-11 + 2.0**-12), 1 + 3 * 2.0**-11
        b = torch.eye(size, device=device)
        for precision in ("tf32", "tf32x3", "ieee") if size < 128 else ("tf32",):
            c = torch.empty(size, size, device=device)
            dot_kernel[(1,)](a, b, c, PRECISION=precision, OUT=tl.float32, M=size, K=size)
            c2 = torch.empty(size, size, device=device)
            dot_kernel[(1,)](b, a.T.contiguous(), c2, PRECISION=precision, OUT=tl.float32, M=size, K=size)
            out[f"{size}_{precision}"] = plain((c[0, :4].double() - c[0, :4].double().sign()) * 2**12)
            out[f"{size}_{precision}_right"] = plain((c2[:4, 0].double() - c2[:4, 0].double().sign()) * 2**12)
    return out


def dot_accuracy(device):
    """Random operands: worst error over sum |a b|, in units of 2^-24."""
    out = {}
    for size, k in ((64, 32), (64, 64), (64, 256), (16, 256)):
        for t in (torch.float32, torch.float16, torch.bfloat16):
            torch.manual_seed(size + k)
            a, b = torch.randn(size, k, device=device).to(t), torch.randn(k, size, device=device).to(t)
            exact = a.double() @ b.double()
            scale = a.double().abs() @ b.double().abs()
            for precision in ("tf32", "tf32x3", "ieee") if t == torch.float32 else ("ieee",):
                c = torch.empty(size, size, device=device)
                dot_kernel[(1,)](a, b, c, PRECISION=precision, OUT=tl.float32, M=size, K=k)
                out[f"{str(t)[6:]}_{size}x{k}_{precision}"] = round(float(((c.double() - exact).abs() / scale).max() / U), 3)
    return out


def dot_small_terms(device):
    """1 + many small products: how far below the largest term the tensor core's accumulator keeps bits."""
    out = {}
    for t in (torch.float16, torch.bfloat16, torch.float32):
        for shift in (8, 10, 11, 12, 13, 14, 20, 23, 24, 25):
            a = torch.zeros(64, 64, device=device, dtype=t)
            b = torch.zeros(64, 64, device=device, dtype=t)
            a[:, 0], b[0, :] = 1, 1
            a[:, 1:33], b[1:33, :] = 2.0 ** -(shift // 2), 2.0 ** -(shift - shift // 2)
            c = torch.empty(64, 64, device=device)
            dot_kernel[(1,)](a, b, c, PRECISION="tf32" if t == torch.float32 else "ieee", OUT=tl.float32, M=64, K=64)
            out[f"{str(t)[6:]}_2^-{shift}"] = (float(c[0, 0]) - 1) * 2.0**shift  # 32 when nothing is lost
    return out


def folds(device):
    out = {}
    n = 256
    ones = [256.0] + [1.0] * (n - 1)
    for t in (torch.bfloat16, torch.float16, torch.float32):
        y = torch.empty(1, device=device)
        name = str(t)[6:]
        fold_kernel[(1,)](tensor(device, ones, t), y, OP="sum", n=n)
        out[name + "_sum_256_and_255_ones"] = float(y)  # 511 exact; 510 or 512 when partial sums round to bfloat16
        torch.manual_seed(3)
        x = torch.randn(4096, device=device).to(t)
        fold_kernel[(1,)](x, y, OP="sum", n=4096)
        out[name + "_sum_4096_error"] = float(y.double() - x.double().sum())
        fold_kernel[(1,)](tensor(device, ones, t), y, OP="cumsum last", n=n)
        out[name + "_cumsum_256_and_255_ones"] = float(y)
        x = tensor(device, [60000.0] * 4 + [-60000.0] * 4, t)
        fold_kernel[(1,)](x, y, OP="sum", n=8)
        out[name + "_sum_through_overflow"] = plain(y)[0]
    y = torch.empty(1, device=device)
    fold_kernel[(1,)](tensor(device, [1.0] * 64), y, OP="bool sum", n=64)
    out["bool_sum_of_64"] = float(y)
    for t, v in ((torch.int8, 100.0), (torch.uint8, 200.0), (torch.int16, 30000.0)):
        y = torch.empty(1, device=device, dtype=torch.int64)
        fold_kernel[(1,)](tensor(device, [v] * 64, t), y, OP="sum", n=64)
        out[f"{str(t)[6:]}_sum_of_64"] = int(y)
        y = torch.empty(1, device=device)
        fold_kernel[(1,)](tensor(device, [v] * 64, t), y, OP="cumsum last", n=64)
        out[f"{str(t)[6:]}_cumsum_of_64"] = float(y)
    return out


def nan_in_folds(device):
    out = {}
    rows = {"first": [NAN, 1.0, 2.0, 3.0], "last": [1.0, 2.0, 3.0, NAN], "all": [NAN] * 4, "inf": [NAN, -INF, INF, 1.0]}
    for name, row in rows.items():
        for op in ("max", "min", "argmax", "argmin", "sum"):
            for t in (torch.float32, torch.float16, torch.bfloat16):
                y = torch.empty(1, device=device)
                fold_kernel[(1,)](tensor(device, row * 32, t), y, OP=op, n=128)
                out[f"{op}_{name}_{str(t)[6:]}"] = plain(y)[0]
    a, b = tensor(device, [NAN, 1.0, NAN, 0.0, -0.0]), tensor(device, [1.0, NAN, NAN, -0.0, 0.0])
    for op in ("maximum", "minimum", "maximum ALL", "where"):
        out[op] = plain(binary(device, op, a, b))
    ties = tensor(device, [1.0, 5.0, 5.0, 2.0] * 16)
    for op in ("argmax", "argmin"):
        y = torch.empty(1, device=device)
        fold_kernel[(1,)](ties, y, OP=op, n=64)
        out[op + "_of_ties"] = float(y)
    return out


def masked_lanes(device):
    """Memory holds sevens; lanes beyond k are masked and have no `other`."""
    out = {}
    for t in (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int32, torch.int64):
        for n, k in ((64, 1), (64, 33), (1024, 1000), (4096, 3), (4096, 0)):
            y = torch.full((n,), 9, device=device).to(t)
            masked_load_kernel[(1,)](torch.full((n,), 7, device=device).to(t), y, k, n=n)
            rest = y[k:].double()
            out[f"{str(t)[6:]}_{n}_{k}"] = "zeros" if bool((rest == 0).all()) else plain(rest.unique()[:8])
    return out


def contraction(device):
    """a b + c: fused unless told otherwise."""
    torch.manual_seed(5)
    a, b = torch.randn(4096, device=device), torch.randn(4096, device=device)
    fused = (a.double() * b.double() + a.double()).float()
    split = a * b + a
    default, off = binary(device, "a * b + a", a, b), binary(device, "a * b + a", a, b, enable_fp_fusion=False)
    return {
        "default_equals_fused": int((default == fused).sum()),
        "default_equals_split": int((default == split).sum()),
        "off_equals_split": int((off == split).sum()),
        "of": 4096,
    }


def subnormals(device):
    tiny = [2.0**-126, 2.0**-127, 2.0**-140, 2.0**-149, -(2.0**-130), 1.0, 2.0**-100, 3e38]
    x, y = tensor(device, tiny), tensor(device, [2.0**-127, 2.0**-128, 2.0**-141, 2.0**-149, 2.0**-131, 2.0**-127, 2.0**-30, 1e38])
    out = {}
    for op, want in (("a + b", x.cpu() + y.cpu()), ("a * b", x.cpu() * y.cpu()), ("a / b", x.cpu() / y.cpu()), ("a - b", x.cpu() - y.cpu())):
        got = binary(device, op, x, y).cpu()
        out[op] = plain(got)
        out[op + " kept"] = bool(torch.equal(got, want))
    for op in ("exp", "log", "sqrt", "rsqrt", "sqrt_rn", "1 / x", "sin", "erf"):
        out[op] = plain(unary(device, op, x))
    out["exp of -90, -100, -103.9"] = plain(unary(device, "exp", tensor(device, [-90.0, -100.0, -103.9])))
    return out


def integers(device):
    a = torch.tensor([7, -7, 7, -7, -(2**31), 2**31 - 1, -(2**31), 5], dtype=torch.int32, device=device)
    b = torch.tensor([2, 2, -2, -2, 1, 1, -1, 3], dtype=torch.int32, device=device)
    out = {op: plain(binary(device, op, a, b)) for op in ("a // b", "a % b", "a + b", "a - b", "a * b")}
    out["a / b"] = plain(binary(device, "a / b", a, b, torch.float32))
    s = torch.tensor([0, 1, 31, 32, 33, 63, 64, 3], dtype=torch.int32, device=device)
    out["a >> s"], out["a << s"] = plain(binary(device, "a >> b", a, s)), plain(binary(device, "a << b", a, s))
    zero = torch.zeros_like(a)
    out["a // 0"], out["a % 0"] = plain(binary(device, "a // b", a, zero)), plain(binary(device, "a % b", a, zero))
    small = torch.tensor([100, -100, 127, -128, 1, 2, 3, 4], dtype=torch.int8, device=device)
    out["int8 a + a"] = plain(binary(device, "a + b", small, small, torch.int32))
    out["int8 a * a"] = plain(binary(device, "a * b", small, small, torch.int32))
    return out


FACTS = {
    "atomic_order": order.atomic_order,
    "thread_order": order.thread_order,
    "float_to_int": float_to_int,
    "float_to_half": float_to_half,
    "float_to_fp8": float_to_fp8,
    "half_functions": half_functions,
    "dot_precision": dot_precision,
    "dot_accuracy": dot_accuracy,
    "dot_small_terms": dot_small_terms,
    "folds": folds,
    "nan_in_folds": nan_in_folds,
    "masked_lanes": masked_lanes,
    "contraction": contraction,
    "subnormals": subnormals,
    "integers": integers,
}
for name in FUNCTIONS:
    FACTS["accuracy: " + name] = lambda device, op=name: accuracy(device, op)
for name in ("sin", "cos"):  # hardware's own sine is only good near zero
    FACTS[f"accuracy: {name} within 3.2"] = lambda device, op=name: accuracy(device, op, within=(-3.2, 3.2))
for name in ("a / b", "tl.fdiv", "tl.div_rn"):
    FACTS["accuracy: " + name] = lambda device, op=name: accuracy_division(device, op)
