#include "lang/pyvalue.h"

#include <math.h>

#include "base/numeric/fmath.h"
#include "lang/text.h"

static const char *const type_names[] = {"NoneType", "bool", "int", "float", "str"};
static const char overflow[] = "OverflowError: integer does not fit 64 bits";
static const char no_complex[] = "TypeError: complex numbers are not supported";
static const char text_too_long[] = "MemoryError: text of more than 1048576 bytes";
enum { TEXT_MAX = 1 << 20 };

const char *py_type_name(PyKind k) { return type_names[k]; }

static PyValue of_bool(bool b) { return (PyValue){.kind = PY_BOOL, .b = b}; }
static PyValue of_int(int64_t i) { return (PyValue){.kind = PY_INT, .i = i}; }
static PyValue of_float(double f) { return (PyValue){.kind = PY_FLOAT, .f = f}; }

static bool is_integer(PyValue v) { return v.kind == PY_BOOL || v.kind == PY_INT; }
static bool is_number(PyValue v) { return is_integer(v) || v.kind == PY_FLOAT; }
static int64_t as_int(PyValue v) { return v.kind == PY_BOOL ? v.b : v.i; }
static double as_float(PyValue v) { return v.kind == PY_FLOAT ? v.f : (double)as_int(v); }

static bool because(const char **why, const char *text) {
    *why = text;
    return false;
}

// ---- integers

static int64_t floor_div(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_mod(int64_t a, int64_t b) {
    int64_t r = a % b;
    return r && (r < 0) != (b < 0) ? r + b : r;
}

// a / b rounded once, as Python does, though neither may be exact as a float.
static double divide_ints(int64_t a, int64_t b) {
    const int64_t exact = INT64_C(1) << 53;
    if (a >= -exact && a <= exact && b >= -exact && b <= exact) return (double)a / (double)b;
    bool negative = (a < 0) != (b < 0);
    uint64_t n = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, d = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (n == 0) return negative ? -0.0 : 0.0;
    // The quotient gets 62 bits or more, its last bit sticky, so that the conversion to double is the only
    // rounding.
    int shift = 62 + __builtin_clzll(n) - __builtin_clzll(d);
    if (shift < 0) shift = 0;
    unsigned __int128 wide = (unsigned __int128)n << shift;
    uint64_t q = (uint64_t)(wide / d) | (wide % d != 0);
    double v = ldexp((double)q, -shift);
    return negative ? -v : v;
}

static bool int_power(int64_t base, int64_t exponent, int64_t *out, const char **why) {
    int64_t r = 1;
    for (;;) {
        if (exponent & 1 && __builtin_mul_overflow(r, base, &r)) return because(why, overflow);
        exponent >>= 1;
        if (!exponent) break;
        if (__builtin_mul_overflow(base, base, &base)) return because(why, overflow);
    }
    *out = r;
    return true;
}

static bool shift_left(int64_t a, int64_t count, int64_t *out, const char **why) {
    if (count < 0) return because(why, "ValueError: negative shift count");
    if (a == 0) return *out = 0, true;
    if (count >= 63 && !(a == -1 && count == 63)) return because(why, overflow);
    if (count == 63) return *out = INT64_MIN, true;
    return __builtin_mul_overflow(a, INT64_C(1) << count, out) ? because(why, overflow) : true;
}

static bool float_power(double a, double b, double *out, const char **why);

static bool int_binary(Oper op, int64_t a, int64_t b, PyValue *out, const char **why) {
    int64_t r = 0;
    bool lost = false;
    switch (op) {
    case OPER_ADD: lost = __builtin_add_overflow(a, b, &r); break;
    case OPER_SUB: lost = __builtin_sub_overflow(a, b, &r); break;
    case OPER_MUL: lost = __builtin_mul_overflow(a, b, &r); break;
    case OPER_DIV:
        if (b == 0) return because(why, "ZeroDivisionError: division by zero");
        *out = of_float(divide_ints(a, b));
        return true;
    case OPER_FLOORDIV:
    case OPER_MOD:
        if (b == 0)
            return because(why, op == OPER_MOD ? "ZeroDivisionError: integer modulo by zero"
                                               : "ZeroDivisionError: integer division or modulo by zero");
        if (b == -1) { // INT64_MIN / -1 would trap
            lost = op == OPER_FLOORDIV && __builtin_sub_overflow((int64_t)0, a, &r);
            break;
        }
        r = op == OPER_FLOORDIV ? floor_div(a, b) : floor_mod(a, b);
        break;
    case OPER_POW:
        if (b < 0) {
            double f;
            if (!float_power((double)a, (double)b, &f, why)) return false;
            *out = of_float(f);
            return true;
        }
        if (!int_power(a, b, &r, why)) return false;
        break;
    case OPER_SHL:
        if (!shift_left(a, b, &r, why)) return false;
        break;
    case OPER_SHR:
        if (b < 0) return because(why, "ValueError: negative shift count");
        r = a >> (b > 63 ? 63 : b);
        break;
    case OPER_BITAND: r = a & b; break;
    case OPER_BITOR: r = a | b; break;
    case OPER_BITXOR: r = a ^ b; break;
    default: return because(why, NULL);
    }
    if (lost) return because(why, overflow);
    *out = of_int(r);
    return true;
}

// ---- floats

// The remainder with the sign of a, exact: long division of the mantissas, eleven bits at a time.
static double remainder_of(double a, double b) {
    if (isnan(a) || isnan(b) || isinf(a) || b == 0) return NAN;
    if (isinf(b) || fabs(a) < fabs(b)) return a;
    int ea, eb;
    uint64_t ma = (uint64_t)ldexp(frexp(fabs(a), &ea), 53), mb = (uint64_t)ldexp(frexp(fabs(b), &eb), 53);
    int shift = ea - eb;
    uint64_t r = ma % mb;
    while (shift > 0) {
        int step = shift < 11 ? shift : 11;
        r = (r << step) % mb;
        shift -= step;
    }
    return copysign(ldexp((double)r, eb - 53), a);
}

// Python's divmod: the remainder takes the sign of b, the quotient is the nearest integer below.
static void float_divmod(double a, double b, double *quotient, double *rest) {
    double mod = remainder_of(a, b);
    double div = (a - mod) / b;
    if (mod != 0) {
        if ((b < 0) != (mod < 0)) {
            mod += b;
            div -= 1;
        }
    } else
        mod = copysign(0.0, b);
    if (div != 0) {
        double whole = floor(div);
        if (div - whole > 0.5) whole += 1;
        div = whole;
    } else
        div = copysign(0.0, a / b);
    *quotient = div;
    *rest = mod;
}

// x^n where that is exact, as 10.0 ** 22 must be: the odd part of x, to the n, still fits a mantissa.
static bool exact_power(double x, int n, double *out) {
    int e;
    uint64_t odd = (uint64_t)ldexp(frexp(fabs(x), &e), 53), r = 1;
    int zeros = odd ? __builtin_ctzll(odd) : 0;
    odd >>= zeros;
    for (int i = 0; i < n; i++)
        if (__builtin_mul_overflow(r, odd, &r) || r >> 53) return false;
    *out = ldexp((double)r, (e - 53 + zeros) * n);
    if (x < 0 && n & 1) *out = -*out;
    return true;
}

// Where f64_pow's last bit matters most: whole exponents and square roots come out as Python has them.
static double power(double a, double b) {
    double r;
    if (b == 1) return a;
    if (b == 2) return a * a;
    bool small = b == rint(b) && fabs(b) <= 64 && isfinite(a) && a != 0;
    if (small && exact_power(a, (int)fabs(b), &r)) {
        if (b >= 0) return r;
        if (!isinf(r) && r != 0) return 1 / r;
    }
    if (b == 0.5 && a >= 0 && !isinf(a)) return a == 0 ? 0 : sqrt(a);
    return f64_pow(a, b);
}

static bool float_power(double a, double b, double *out, const char **why) {
    if (a == 0 && b < 0) return because(why, "ZeroDivisionError: 0.0 cannot be raised to a negative power");
    bool finite = isfinite(a) && isfinite(b);
    if (finite && a < 0 && b != rint(b)) return because(why, no_complex);
    *out = power(a, b);
    if (finite && isinf(*out)) return because(why, "OverflowError: (34, 'Numerical result out of range')");
    return true;
}

static bool float_binary(Oper op, double a, double b, PyValue *out, const char **why) {
    double r = 0, unused;
    switch (op) {
    case OPER_ADD: r = a + b; break;
    case OPER_SUB: r = a - b; break;
    case OPER_MUL: r = a * b; break;
    case OPER_DIV:
        if (b == 0) return because(why, "ZeroDivisionError: float division by zero");
        r = a / b;
        break;
    case OPER_FLOORDIV:
        if (b == 0) return because(why, "ZeroDivisionError: float floor division by zero");
        float_divmod(a, b, &r, &unused);
        break;
    case OPER_MOD:
        if (b == 0) return because(why, "ZeroDivisionError: float modulo");
        float_divmod(a, b, &unused, &r);
        break;
    case OPER_POW:
        if (!float_power(a, b, &r, why)) return false;
        break;
    default: return because(why, NULL);
    }
    *out = of_float(r);
    return true;
}

// ---- text

static bool text_join(Arena *a, Str l, Str r, PyValue *out, const char **why) {
    if (l.len + r.len > TEXT_MAX) return because(why, text_too_long);
    Buf b = BUF(a);
    buf_str_put(&b, l);
    buf_str_put(&b, r);
    *out = (PyValue){.kind = PY_STR, .s = buf_str(&b)};
    return true;
}

static bool text_repeat(Arena *a, Str s, int64_t times, PyValue *out, const char **why) {
    if (times < 0 || !s.len) times = 0;
    if (times > TEXT_MAX || (uint64_t)times * s.len > TEXT_MAX) return because(why, text_too_long);
    Buf b = BUF(a);
    for (int64_t i = 0; i < times; i++) buf_str_put(&b, s);
    *out = (PyValue){.kind = PY_STR, .s = buf_str(&b)};
    return true;
}

// ---- the operators

static const char *operands_unfit(Arena *a, Oper op, PyKind l, PyKind r) {
    if (op == OPER_ADD && l == PY_STR)
        return arena_printf(a, "TypeError: can only concatenate str (not \"%s\") to str", py_type_name(r));
    if (op == OPER_MUL && (l == PY_STR || r == PY_STR))
        return arena_printf(a, "TypeError: can't multiply sequence by non-int of type '%s'",
                            py_type_name(l == PY_STR ? r : l));
    return arena_printf(a, "TypeError: unsupported operand type(s) for %s: '%s' and '%s'",
                        op == OPER_POW ? "** or pow()" : oper_text(op), py_type_name(l), py_type_name(r));
}

static bool is_bitwise(Oper op) { return op == OPER_BITAND || op == OPER_BITOR || op == OPER_BITXOR; }

bool py_binary(Arena *a, Oper op, PyValue l, PyValue r, PyValue *out, const char **why) {
    *why = NULL; // stays so when the types do not fit the operator
    bool ok = false;
    if (l.kind == PY_BOOL && r.kind == PY_BOOL && is_bitwise(op)) {
        ok = int_binary(op, l.b, r.b, out, why);
        if (ok) *out = of_bool(out->i != 0);
    } else if (is_integer(l) && is_integer(r))
        ok = int_binary(op, as_int(l), as_int(r), out, why);
    else if (is_number(l) && is_number(r))
        ok = float_binary(op, as_float(l), as_float(r), out, why);
    else if (op == OPER_ADD && l.kind == PY_STR && r.kind == PY_STR)
        ok = text_join(a, l.s, r.s, out, why);
    else if (op == OPER_MUL && l.kind == PY_STR && is_integer(r))
        ok = text_repeat(a, l.s, as_int(r), out, why);
    else if (op == OPER_MUL && is_integer(l) && r.kind == PY_STR)
        ok = text_repeat(a, r.s, as_int(l), out, why);
    else if (op == OPER_MOD && l.kind == PY_STR)
        *why = "TypeError: formatting with % is not supported";
    if (!ok && !*why) *why = operands_unfit(a, op, l.kind, r.kind);
    return ok;
}

// <0, 0, >0; 2 if one is NaN. An integer and a float are compared exactly.
static int compare_int_float(int64_t i, double f) {
    if (isnan(f)) return 2;
    if (f >= 0x1p63) return -1;
    if (f < -0x1p63) return 1;
    double whole = floor(f);
    int64_t g = (int64_t)whole;
    if (i != g) return i < g ? -1 : 1;
    return whole < f ? -1 : 0;
}

static int compare_numbers(PyValue l, PyValue r) {
    if (l.kind != PY_FLOAT && r.kind != PY_FLOAT) return (as_int(l) > as_int(r)) - (as_int(l) < as_int(r));
    if (l.kind != PY_FLOAT) return compare_int_float(as_int(l), r.f);
    if (r.kind == PY_FLOAT) return isnan(l.f) || isnan(r.f) ? 2 : (l.f > r.f) - (l.f < r.f);
    int c = compare_int_float(as_int(r), l.f);
    return c == 2 ? 2 : -c;
}

static bool values_equal(PyValue l, PyValue r) {
    if (is_number(l) && is_number(r)) return compare_numbers(l, r) == 0;
    if (l.kind != r.kind) return false;
    return l.kind == PY_NONE || str_eq(l.s, r.s);
}

// `is` holds for what Python keeps one of; equal numbers and texts of one type count as one too.
static bool values_same(PyValue l, PyValue r) { return l.kind == r.kind && values_equal(l, r); }

static bool in_text(Arena *a, PyValue part, PyValue whole, bool *out, const char **why) {
    if (whole.kind != PY_STR)
        return because(why, arena_printf(a, "TypeError: argument of type '%s' is not iterable",
                                         py_type_name(whole.kind)));
    if (part.kind != PY_STR)
        return because(why,
                       arena_printf(a, "TypeError: 'in <string>' requires string as left operand, not %s",
                                    py_type_name(part.kind)));
    *out = !part.s.len || memmem(whole.s.p, whole.s.len, part.s.p, part.s.len) != NULL;
    return true;
}

static bool ordered(Oper op, int c) {
    if (c == 2) return false;
    return op == OPER_LT ? c < 0 : op == OPER_LE ? c <= 0 : op == OPER_GT ? c > 0 : c >= 0;
}

bool py_compare(Arena *a, Oper op, PyValue l, PyValue r, bool *out, const char **why) {
    switch (op) {
    case OPER_EQ: return *out = values_equal(l, r), true;
    case OPER_NE: return *out = !values_equal(l, r), true;
    case OPER_IS: return *out = values_same(l, r), true;
    case OPER_ISNOT: return *out = !values_same(l, r), true;
    case OPER_IN: return in_text(a, l, r, out, why);
    case OPER_NOTIN:
        if (!in_text(a, l, r, out, why)) return false;
        *out = !*out;
        return true;
    default: break;
    }
    if (is_number(l) && is_number(r)) return *out = ordered(op, compare_numbers(l, r)), true;
    // UTF-8 keeps the order of code points, so bytes may be compared.
    if (l.kind == PY_STR && r.kind == PY_STR) return *out = ordered(op, str_cmp(l.s, r.s)), true;
    return because(why, arena_printf(a, "TypeError: '%s' not supported between instances of '%s' and '%s'",
                                     oper_text(op), py_type_name(l.kind), py_type_name(r.kind)));
}

bool py_unary(Arena *a, Oper op, PyValue v, PyValue *out, const char **why) {
    if (op == OPER_NOT) return *out = of_bool(!py_truth(v)), true;
    if (is_integer(v)) {
        int64_t i = as_int(v);
        if (op == OPER_NEG && __builtin_sub_overflow((int64_t)0, i, &i)) return because(why, overflow);
        *out = of_int(op == OPER_INVERT ? ~i : i);
        return true;
    }
    if (v.kind == PY_FLOAT && op != OPER_INVERT) return *out = of_float(op == OPER_NEG ? -v.f : v.f), true;
    return because(why, arena_printf(a, "TypeError: bad operand type for unary %s: '%s'", oper_text(op),
                                     py_type_name(v.kind)));
}

bool py_truth(PyValue v) {
    switch (v.kind) {
    case PY_NONE: return false;
    case PY_BOOL: return v.b;
    case PY_INT: return v.i != 0;
    case PY_FLOAT: return v.f != 0; // NaN is true
    case PY_STR: return v.s.len != 0;
    }
    return false;
}

void py_repr(Buf *out, PyValue v) {
    switch (v.kind) {
    case PY_NONE: buf_puts(out, "None"); break;
    case PY_BOOL: buf_puts(out, v.b ? "True" : "False"); break;
    case PY_INT: buf_printf(out, "%lld", (long long)v.i); break;
    case PY_FLOAT: float_repr(out, v.f); break;
    case PY_STR: {
        bool single = v.s.len && memchr(v.s.p, '\'', v.s.len), twice = v.s.len && memchr(v.s.p, '"', v.s.len);
        char quote = single && !twice ? '"' : '\'';
        buf_putc(out, quote);
        string_body(out, v.s, (StringStyle){.quote = quote});
        buf_putc(out, quote);
        break;
    }
    }
}

static bool from_int(const Node *n, bool negative, PyValue *out, const char **why) {
    uint64_t largest = (uint64_t)INT64_MAX + negative;
    if (n->integer.too_big || n->integer.value > largest) return because(why, overflow);
    *out = of_int(negative ? (int64_t)(0 - n->integer.value) : (int64_t)n->integer.value);
    return true;
}

bool py_from_literal(const Node *n, PyValue *out, const char **why) {
    switch (n->kind) {
    case NODE_NONE: return *out = (PyValue){.kind = PY_NONE}, true;
    case NODE_TRUE: return *out = of_bool(true), true;
    case NODE_FALSE: return *out = of_bool(false), true;
    case NODE_INT: return from_int(n, false, out, why);
    case NODE_FLOAT: return *out = of_float(n->real), true;
    case NODE_STRING:
        if (n->string.bytes) return because(why, "TypeError: bytes are not supported");
        *out = (PyValue){.kind = PY_STR, .s = n->string.text};
        return true;
    case NODE_UNARY: {
        const Node *v = n->unary.operand;
        if (n->unary.op != OPER_NEG) break;
        if (v->kind == NODE_INT) return from_int(v, true, out, why);
        if (v->kind == NODE_FLOAT) return *out = of_float(-v->real), true;
        break;
    }
    default: break;
    }
    return because(why, "TypeError: not a literal");
}

double py_log2(double x) {
    int e;
    if (isfinite(x) && frexp(x, &e) == 0.5) return e - 1;
    return f64_log2(x);
}

double py_log10(double x) {
    double y = f64_log(x) / 0x1.26bb1bbb55516p+1, nearest = rint(y), power = 1;
    for (int i = 0; i < 22 && i < nearest; i++) power *= 10;
    return power == x ? nearest : y;
}
