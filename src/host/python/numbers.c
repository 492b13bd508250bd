// Python's functions of numbers, its math module, and Triton's helpers of launches.
#include "base/numeric/fmath.h"
#include "host/python/api.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

bool api_abs(Call *c, Value *out) {
    Value v = c->arg[0];
    int64_t i;
    if (v.kind == V_FLOAT) return *out = value_float(fabs(v.f)), true;
    if (v.kind == V_BOUND)
        return bound_do(c->in, c->at, &(BoundStep){.op = BOUND_ABS, .operand = &v, .operands = 1}, out);
    if (v.kind == V_TENSOR)
        return host_refuse(c->in, c->at, "host code may not compute on tensors (abs); do it in a kernel");
    if (!value_as_int(v, &i)) return wrong_type(c, v, "a number");
    if (i == INT64_MIN) return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    *out = value_int(i < 0 ? -i : i);
    return true;
}

static bool int_of_float(Call *c, double x, Value *out) {
    if (isnan(x)) return host_raise(c->in, c->at, "ValueError: cannot convert float NaN to integer");
    if (isinf(x)) return host_raise(c->in, c->at, "OverflowError: cannot convert float infinity to integer");
    if (!(x >= -0x1p63 && x < 0x1p63))
        return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    *out = value_int((int64_t)x);
    return true;
}

// A text without the blanks around it, and without its sign.
static Str number_text(Str s, bool *minus) {
    while (s.len && (s.p[0] == ' ' || (s.p[0] >= '\t' && s.p[0] <= '\r'))) s = (Str){s.p + 1, s.len - 1};
    while (s.len && (s.p[s.len - 1] == ' ' || (s.p[s.len - 1] >= '\t' && s.p[s.len - 1] <= '\r'))) s.len--;
    *minus = s.len && s.p[0] == '-';
    return s.len && (s.p[0] == '-' || s.p[0] == '+') ? (Str){s.p + 1, s.len - 1} : s;
}

static int digit_value(char ch) {
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'z') return ch - 'a' + 10;
    return ch >= 'A' && ch <= 'Z' ? ch - 'A' + 10 : 99;
}

// int("12"), int("ff", 16), int("0x10", 0); _ between digits.
static bool int_of_text(Call *c, Str text, int64_t base, Value *out) {
    bool minus, digits = false, gap = true;
    Str s = number_text(text, &minus);
    int letter = s.len > 2 && s.p[0] == '0' ? s.p[1] | 0x20 : 0;
    int prefix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (prefix && (base == 0 || base == prefix)) s = (Str){s.p + 2, s.len - 2}, base = prefix, gap = false;
    bool old = base == 0 && s.len > 1 && s.p[0] == '0'; // 012 is no number
    if (base == 0) base = 10;
    uint64_t x = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '_' && !gap && i + 1 < s.len) {
            gap = true;
            continue;
        }
        int d = digit_value(s.p[i]);
        if (d >= base) return host_raise(c->in, c->at, "ValueError: invalid literal for int()");
        if (__builtin_mul_overflow(x, (uint64_t)base, &x) || __builtin_add_overflow(x, (uint64_t)d, &x) ||
            x > INT64_MAX)
            return host_unsupported(c->in, c->at, "integers of host code have 64 bits");
        digits = true;
        gap = false;
    }
    if (!digits || (old && x)) return host_raise(c->in, c->at, "ValueError: invalid literal for int()");
    *out = value_int(minus ? -(int64_t)x : (int64_t)x);
    return host_work(c->in, c->at, (int64_t)s.len / 16);
}

bool api_int(Call *c, Value *out) {
    int64_t i, base = 10;
    Value v = c->arg[0];
    bool based = c->arg[1].kind != V_NONE;
    if (based && (!value_as_int(c->arg[1], &base) || (base && (base < 2 || base > 36))))
        return host_raise(c->in, c->at, "ValueError: int() base must be >= 2 and <= 36, or 0");
    if (value_is_tensor(v)) return host_refuse(c->in, c->at, "int() of a tensor looks at its values");
    if (v.kind == V_STR) return int_of_text(c, v.s, base, out);
    if (based)
        return host_raise(c->in, c->at, "TypeError: int() can't convert non-string with explicit base");
    if (v.kind == V_FLOAT) return int_of_float(c, trunc(v.f), out);
    if (!value_as_int(v, &i)) return wrong_type(c, v, "a number");
    *out = value_int(i);
    return true;
}

static bool is_word(Str s, const char *word) {
    return s.len == strlen(word) && strncasecmp(s.p, word, s.len) == 0;
}

// Digits, a point and an exponent, as Python has them; _ between digits.
static bool float_of_text(Call *c, Str text, Value *out) {
    char plain[400];
    bool minus;
    size_t n = 0;
    Str s = number_text(text, &minus);
    if (is_word(s, "inf") || is_word(s, "infinity"))
        return *out = value_float(minus ? -INFINITY : INFINITY), true;
    if (is_word(s, "nan")) return *out = value_float(NAN), true;
    bool ok = s.len > 0 && s.len < sizeof plain - 1;
    for (size_t i = 0; ok && i < s.len; i++) {
        bool digit = s.p[i] >= '0' && s.p[i] <= '9';
        bool between = s.p[i] == '_' && i > 0 && i + 1 < s.len && digit_value(s.p[i - 1]) < 10 &&
                       digit_value(s.p[i + 1]) < 10;
        ok = digit || between || strchr(".eE+-", s.p[i]);
        if (!between) plain[n++] = s.p[i];
    }
    plain[n] = 0;
    char *end = plain;
    double x = ok && plain[0] != '+' && plain[0] != '-' ? strtod(plain, &end) : 0;
    if (!ok || end == plain || *end)
        return host_raise(c->in, c->at, "ValueError: could not convert string to float");
    *out = value_float(minus ? -x : x);
    return true;
}

bool api_float(Call *c, Value *out) {
    double x;
    Value v = c->arg[0];
    if (value_is_tensor(v)) return host_refuse(c->in, c->at, "float() of a tensor looks at its values");
    if (v.kind == V_STR) return float_of_text(c, v.s, out);
    if (!value_as_number(v, &x)) return wrong_type(c, v, "a number");
    *out = value_float(x);
    return true;
}

// round(number, ndigits): of a float the decimal digits of its exact value decide, ties to even.
static bool round_to(Call *c, int64_t digits, Value *out) {
    int64_t i;
    if (c->arg[0].kind == V_FLOAT) {
        char text[400];
        double x = c->arg[0].f;
        if (digits < 0) return host_unsupported(c->in, c->at, "round() of a float to tens");
        if (!isfinite(x) || digits > 22) return *out = c->arg[0], true;
        snprintf(text, sizeof text, "%.*f", (int)digits, x);
        return *out = value_float(strtod(text, NULL)), true;
    }
    if (!value_as_int(c->arg[0], &i)) return wrong_type(c, c->arg[0], "a number");
    int64_t unit = 1;
    for (int64_t k = digits; k < 0; k++)
        if (__builtin_mul_overflow(unit, 10, &unit) || unit > INT64_MAX / 4) return *out = value_int(0), true;
    int64_t low = i % unit < 0 ? i % unit + unit : i % unit, down = i - low;
    bool up = 2 * low > unit || (2 * low == unit && (down / unit) % 2);
    *out = value_int(up ? down + unit : down);
    return true;
}

bool api_round(Call *c, Value *out) {
    int64_t i;
    if (c->arg[1].kind != V_NONE)
        return value_as_int(c->arg[1], &i) ? round_to(c, i, out) : wrong_type(c, c->arg[1], "an integer");
    if (c->arg[0].kind == V_FLOAT) return int_of_float(c, rint(c->arg[0].f), out);
    if (!value_as_int(c->arg[0], &i)) return wrong_type(c, c->arg[0], "a number");
    *out = value_int(i);
    return true;
}

// --- limits of types ---

bool api_type_limits(Call *c, Value *out) {
    Value t = c->arg[0];
    bool floats = str_is(c->name, "torch.finfo");
    if (t.kind == V_NONE && floats) t = value_dtype(DT_F32, false);
    if (t.kind != V_DTYPE || t.dtype.triton) return wrong_type(c, t, "a torch.dtype");
    if (dtype_is_float(t.dtype.t) != floats || t.dtype.t == DT_BOOL)
        return host_raise(c->in, c->at, "TypeError: %.*s() is not made for this dtype", STR_ARG(c->name));
    *out = t;
    out->kind = V_LIMITS;
    return true;
}

static bool float_limit(DType t, Str name, double *out) {
    // Bits of the fraction, and the exponents of the smallest normal number and of the largest.
    static const struct {
        DType t;
        int fraction, low, high;
    } format[] = {
        {DT_F16, 10, -14, 15}, {DT_BF16, 7, -126, 127}, {DT_F32, 23, -126, 127}, {DT_F64, 52, -1022, 1023}};
    for (size_t i = 0; i < sizeof format / sizeof *format; i++) {
        if (format[i].t != t) continue;
        double eps = ldexp(1, -format[i].fraction), max = ldexp(2 - eps, format[i].high);
        bool tiny = str_is(name, "tiny") || str_is(name, "smallest_normal");
        if (str_is(name, "eps")) return *out = eps, true;
        if (str_is(name, "max")) return *out = max, true;
        if (str_is(name, "min")) return *out = -max, true;
        return *out = ldexp(1, format[i].low), tiny;
    }
    return false;
}

bool limits_member(Interp *in, Span at, Value v, Str name, Value *out) {
    DType t = v.dtype.t;
    int bits = dtype_bits(t);
    double x;
    if (str_is(name, "bits")) return *out = value_int(bits), true;
    if (dtype_is_float(t) && float_limit(t, name, &x)) return *out = value_float(x), true;
    bool top = str_is(name, "max");
    if (!dtype_is_float(t) && (top || str_is(name, "min"))) {
        bool is_unsigned = t == DT_U8;
        int64_t max = INT64_MAX >> (64 - bits + (is_unsigned ? -1 : 0));
        return *out = value_int(top ? max : is_unsigned ? 0 : -max - 1), true;
    }
    return host_unsupported(in, at, "`.%.*s` of %s is not known here", STR_ARG(name), value_type(v));
}

bool api_divmod(Call *c, Value *out) {
    Value q, r;
    if (!binary_values(c->in, c->at, OPER_FLOORDIV, c->arg[0], c->arg[1], &q) ||
        !binary_values(c->in, c->at, OPER_MOD, c->arg[0], c->arg[1], &r))
        return false;
    return pair_new(c->in, c->at, q, r, out);
}

bool api_pow(Call *c, Value *out) { return binary_values(c->in, c->at, OPER_POW, c->arg[0], c->arg[1], out); }

// --- math ---

bool api_math_pi(Call *c, Value *out) { return (void)c, *out = value_float(0x1.921fb54442d18p+1), true; }
bool api_math_e(Call *c, Value *out) { return (void)c, *out = value_float(0x1.5bf0a8b145769p+1), true; }
bool api_math_inf(Call *c, Value *out) { return (void)c, *out = value_float(INFINITY), true; }

static bool number_arg(Call *c, int i, double *x) {
    if (value_is_tensor(c->arg[i]))
        return host_refuse(c->in, c->at, "%.*s() of a tensor looks at its values", STR_ARG(c->name));
    if (value_as_number(c->arg[i], x)) return true;
    return host_raise(c->in, c->at, "TypeError: must be real number, not %s", value_type(c->arg[i]));
}

bool api_math_unary(Call *c, Value *out) {
    double x, y = 0;
    if (!number_arg(c, 0, &x)) return false;
    Str name = {c->name.p + 5, c->name.len - 5}; // without "math."
    bool log_like = str_is(name, "log2") || str_is(name, "log10");
    if ((log_like && x <= 0) || (str_is(name, "sqrt") && x < 0) || (str_is(name, "log1p") && x <= -1) ||
        ((str_is(name, "sin") || str_is(name, "cos")) && isinf(x)))
        return host_raise(c->in, c->at, "ValueError: math domain error");
    if (str_is(name, "sqrt")) y = sqrt(x);
    if (str_is(name, "exp")) y = f64_exp(x);
    if (str_is(name, "expm1")) y = f64_expm1(x);
    if (str_is(name, "log2")) y = py_log2(x);
    if (str_is(name, "log10")) y = py_log10(x);
    if (str_is(name, "log1p")) y = f64_log1p(x);
    if (str_is(name, "fabs")) y = fabs(x);
    if (str_is(name, "tanh")) y = f64_tanh(x);
    if (str_is(name, "erf")) y = f64_erf(x);
    if (str_is(name, "sin")) y = f64_sin(x);
    if (str_is(name, "cos")) y = f64_cos(x);
    if (isinf(y) && isfinite(x)) return host_raise(c->in, c->at, "OverflowError: math range error");
    *out = value_float(y);
    return true;
}

bool api_math_log(Call *c, Value *out) {
    double x, base;
    if (!number_arg(c, 0, &x)) return false;
    if (x <= 0) return host_raise(c->in, c->at, "ValueError: math domain error");
    if (c->arg[1].kind == V_NONE) return *out = value_float(f64_log(x)), true;
    if (!number_arg(c, 1, &base)) return false;
    if (base <= 0) return host_raise(c->in, c->at, "ValueError: math domain error");
    if (base == 1) return host_raise(c->in, c->at, "ZeroDivisionError: division by zero");
    *out = value_float(base == 2 ? py_log2(x) : f64_log(x) / f64_log(base));
    return true;
}

bool api_math_pow(Call *c, Value *out) {
    double x, y;
    if (!number_arg(c, 0, &x) || !number_arg(c, 1, &y)) return false;
    double r = f64_pow(x, y);
    if (isfinite(x) && isfinite(y) && !isfinite(r))
        return host_raise(c->in, c->at,
                          isnan(r) || x == 0 ? "ValueError: math domain error"
                                             : "OverflowError: math range error");
    *out = value_float(r);
    return true;
}

bool api_math_whole(Call *c, Value *out) {
    int64_t i;
    double x;
    if (value_as_int(c->arg[0], &i)) return *out = value_int(i), true;
    if (!number_arg(c, 0, &x)) return false;
    x = str_is(c->name, "math.floor") ? floor(x) : str_is(c->name, "math.ceil") ? ceil(x) : trunc(x);
    return int_of_float(c, x, out);
}

bool api_math_gcd(Call *c, Value *out) {
    int64_t a, b;
    if (!value_as_int(c->arg[0], &a)) return wrong_type(c, c->arg[0], "integers");
    if (!value_as_int(c->arg[1], &b)) return wrong_type(c, c->arg[1], "integers");
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    if (x > INT64_MAX) return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    *out = value_int((int64_t)x);
    return true;
}

bool api_math_isqrt(Call *c, Value *out) {
    int64_t n;
    if (!value_as_int(c->arg[0], &n)) return wrong_type(c, c->arg[0], "an integer");
    if (n < 0) return host_raise(c->in, c->at, "ValueError: isqrt() argument must be nonnegative");
    uint64_t r = (uint64_t)sqrt((double)n); // may be one off near 2^63
    while (r * r > (uint64_t)n) r--;
    while ((r + 1) * (r + 1) <= (uint64_t)n) r++;
    *out = value_int((int64_t)r);
    return true;
}

// --- helpers of launches ---

bool api_cdiv(Call *c, Value *out) {
    int64_t x, y, sum;
    if (!value_as_int(c->arg[0], &x) || !value_as_int(c->arg[1], &y)) {
        // Triton's cdiv is (x + y - 1) // y for whatever comes in.
        Value v;
        return binary_values(c->in, c->at, OPER_ADD, c->arg[0], c->arg[1], &v) &&
               binary_values(c->in, c->at, OPER_SUB, v, value_int(1), &v) &&
               binary_values(c->in, c->at, OPER_FLOORDIV, v, c->arg[1], out);
    }
    if (y == 0) return host_raise(c->in, c->at, "ZeroDivisionError: integer division or modulo by zero");
    if (__builtin_add_overflow(x, y, &sum) || __builtin_sub_overflow(sum, 1, &sum))
        return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    return binary_values(c->in, c->at, OPER_FLOORDIV, value_int(sum), value_int(y), out);
}

bool api_next_power_of_2(Call *c, Value *out) {
    int64_t n;
    if (!value_as_int(c->arg[0], &n)) return wrong_type(c, c->arg[0], "an integer");
    if (n <= 0) return *out = value_int(0), true; // what its bit twiddling gives
    if (n > (INT64_MAX >> 1) + 1)
        return host_raise(c->in, c->at, "OverflowError: integer does not fit 64 bits");
    int64_t p = 1;
    while (p < n) p *= 2;
    *out = value_int(p);
    return true;
}
