// Python's functions of numbers, its math module, and Triton's helpers of launches.
#include "base/numeric/fmath.h"
#include "host/python/api.h"

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

bool api_int(Call *c, Value *out) {
    int64_t i;
    Value v = c->arg[0];
    if (value_is_tensor(v)) return host_refuse(c->in, c->at, "int() of a tensor looks at its values");
    if (v.kind == V_FLOAT) return int_of_float(c, trunc(v.f), out);
    if (!value_as_int(v, &i)) return wrong_type(c, v, "a number");
    *out = value_int(i);
    return true;
}

bool api_float(Call *c, Value *out) {
    double x;
    Value v = c->arg[0];
    if (value_is_tensor(v)) return host_refuse(c->in, c->at, "float() of a tensor looks at its values");
    if (v.kind == V_STR) {
        Str s = v.s;
        bool minus = s.len && s.p[0] == '-';
        if (s.len && (s.p[0] == '-' || s.p[0] == '+')) s = (Str){s.p + 1, s.len - 1};
        if (str_is(s, "inf") || str_is(s, "infinity") || str_is(s, "Infinity"))
            return *out = value_float(minus ? -INFINITY : INFINITY), true;
        if (str_is(s, "nan")) return *out = value_float(NAN), true;
        return host_raise(c->in, c->at,
                          "ValueError: could not convert string to float here: only inf and nan");
    }
    if (!value_as_number(v, &x)) return wrong_type(c, v, "a number");
    *out = value_float(x);
    return true;
}

bool api_round(Call *c, Value *out) {
    int64_t i;
    if (c->arg[0].kind == V_FLOAT) return int_of_float(c, rint(c->arg[0].f), out);
    if (!value_as_int(c->arg[0], &i)) return wrong_type(c, c->arg[0], "a number");
    *out = value_int(i);
    return true;
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
