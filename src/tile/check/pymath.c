// Python's math inside kernels: its functions see plain numbers only (literals, constexprs and what follows
// from them), at compile time, and give one. Elementary functions come from fmath.h: the same bits
// everywhere.
#include "base/numeric/fmath.h"
#include "tile/check/checker.h"
#include <math.h>

typedef double Fn1(double);

typedef enum { REAL, WHOLE, TWO, LOG, TEST, UNKNOWN } Shape;
static const struct {
    Builtin row;
    Shape shape;
    Fn1 *fn;
    double least;
    bool closed;
} functions[] = {
#define PYMATH(name, shape, fn, least, closed) {{"math." name, check_pymath}, shape, fn, least, closed},
#include "tile/check/pymath.def"
#undef PYMATH
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

const Builtin *pymath_named(Str path) {
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (str_is(path, functions[i].row.name)) return &functions[i].row;
    return NULL;
}

static bool real(Checker *c, const Node *at, const Val *v, double *x) {
    if (!val_is_number(v))
        return checker_fail(c, at, "TypeError", "must be real number, not %s",
                            val_is_py(v, PY_STR) ? "str" : val_class(v));
    *x = v->py.kind == PY_FLOAT ? v->py.f : v->py.kind == PY_INT ? (double)v->py.i : (double)v->py.b;
    return true;
}

static bool domain(Checker *c, const Node *at) {
    return checker_fail(c, at, "ValueError", "math domain error");
}
static bool range(Checker *c, const Node *at) {
    return checker_fail(c, at, "OverflowError", "math range error");
}

static bool whole(Checker *c, const Node *at, double x, Val *out) {
    if (isnan(x)) return checker_fail(c, at, "ValueError", "cannot convert float NaN to integer");
    if (isinf(x)) return checker_fail(c, at, "OverflowError", "cannot convert float infinity to integer");
    if (fabs(x) >= 0x1p63) return checker_unsupported(c, at, "integers of more than 64 bits in a kernel");
    return *out = val_int((int64_t)x), true;
}

static bool power(Checker *c, const Node *at, double x, double y, Val *out) {
    double r = f64_pow(x, y);
    if (isfinite(x) && isfinite(y) && !isfinite(r)) return isnan(r) || x == 0 ? domain(c, at) : range(c, at);
    return *out = val_float(r), true;
}

static bool logarithm(Checker *c, const Node *at, double x, const double *base, Val *out) {
    if (x <= 0 || (base && *base <= 0)) return domain(c, at);
    if (base && *base == 1) return checker_fail(c, at, "ZeroDivisionError", "division by zero");
    return *out = val_float(!base ? f64_log(x) : *base == 2 ? py_log2(x) : f64_log(x) / f64_log(*base)), true;
}

bool check_pymath(Checker *c, const Node *at, const Builtin *b, const Val *self, const Arg *arg, int args,
                  Val *out) {
    (void)self;
    size_t k = 0;
    while (&functions[k].row != b) k++;
    Shape shape = functions[k].shape;
    int most = shape == TWO || shape == LOG ? 2 : 1, least = shape == TWO ? 2 : 1;
    double x[2] = {0, 0};
    if (shape == UNKNOWN) return checker_unsupported(c, at, "%s in a kernel", b->name);
    for (int i = 0; i < args; i++)
        if (arg[i].name.len)
            return checker_fail(c, at, "TypeError", "%s() takes no keyword arguments", b->name);
    if (args < least || args > most)
        return least == most
                   ? checker_fail(c, at, "TypeError", "%s() takes exactly %s argument%s (%d given)", b->name,
                                  most == 1 ? "one" : "two", most == 1 ? "" : "s", args)
                   : checker_fail(c, at, "TypeError", "%s expected at %s argument%s, got %d", b->name + 5,
                                  args < least ? "least 1" : "most 2", args < least ? "" : "s", args);
    if (shape == WHOLE && (val_is_py(&arg->value, PY_INT) || val_is_py(&arg->value, PY_BOOL)))
        return *out = val_int(val_is_py(&arg->value, PY_INT) ? arg->value.py.i : arg->value.py.b), true;
    for (int i = 0; i < args; i++)
        if (!real(c, at, &arg[i].value, &x[i])) return false;
    switch (shape) {
    case TEST:
        *out = val_bool(str_is(STR("math.isnan"), b->name)   ? isnan(x[0])
                        : str_is(STR("math.isinf"), b->name) ? isinf(x[0]) != 0
                                                             : isfinite(x[0]) != 0);
        return true;
    case WHOLE: return whole(c, at, functions[k].fn(x[0]), out);
    case TWO: return power(c, at, x[0], x[1], out);
    case LOG: return logarithm(c, at, x[0], args == 2 ? &x[1] : NULL, out);
    default: break;
    }
    if (x[0] < functions[k].least || (x[0] == functions[k].least && !functions[k].closed) ||
        (isinf(x[0]) && (functions[k].fn == f64_sin || functions[k].fn == f64_cos)))
        return domain(c, at);
    double y = functions[k].fn(x[0]);
    if (isinf(y) && isfinite(x[0])) return range(c, at);
    return *out = val_float(y), true;
}
