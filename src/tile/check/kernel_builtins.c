// Python's few builtins inside kernels, tl.constexpr, and the methods of types.
#include "tile/check/checker.h"
#include <inttypes.h>
#include <math.h>

static bool wrong_count(Checker *c, const Node *at, const char *name, int want, int got) {
    return checker_fail(c, at, "TypeError", "%s() takes exactly %d argument%s (%d given)", name, want,
                        want == 1 ? "" : "s", got);
}
static bool plain(Checker *c, const Node *at, const char *name, const Arg *arg, int args, int want) {
    for (int i = 0; i < args; i++)
        if (arg[i].name.len) return checker_fail(c, at, "TypeError", "%s() takes no keyword arguments", name);
    return args == want || wrong_count(c, at, name, want, args);
}
#define BUILTIN(id)                                                                                         \
    static bool id(Checker *c, const Node *at, const Builtin *b, const Val *self, const Arg *arg, int args, \
                   Val *out)

BUILTIN(py_len) {
    (void)self;
    if (!plain(c, at, b->name, arg, args, 1)) return false;
    if (arg->value.kind == VAL_TUPLE) return *out = val_int(arg->value.tuple.n), true;
    if (val_is_py(&arg->value, PY_STR)) {
        int64_t letters = 0; // Python counts characters, not bytes
        for (size_t i = 0; i < arg->value.py.s.len; i++) letters += (arg->value.py.s.p[i] & 0xc0) != 0x80;
        return *out = val_int(letters), true;
    }
    return checker_fail(c, at, "TypeError", "object of type '%s' has no len()", val_class(&arg->value));
}

BUILTIN(py_list) {
    (void)self;
    if (!plain(c, at, b->name, arg, args, 1)) return false;
    if (arg->value.kind == VAL_TUPLE) return *out = arg->value, true;
    return checker_fail(c, at, "TypeError", "'%s' object is not iterable", val_class(&arg->value));
}

static bool same_word(Str s, const char *word) {
    size_t n = strlen(word);
    if (s.len != n) return false;
    for (size_t i = 0; i < n; i++)
        if ((s.p[i] | 0x20) != word[i]) return false;
    return true;
}

BUILTIN(py_float) {
    (void)self;
    if (!plain(c, at, b->name, arg, args, 1)) return false;
    const Val *v = &arg->value;
    if (val_is_number(v)) {
        *out = val_float(v->py.kind == PY_FLOAT ? v->py.f
                         : v->py.kind == PY_INT ? (double)v->py.i
                                                : (double)v->py.b);
        return true;
    }
    if (!val_is_py(v, PY_STR))
        return checker_fail(c, at, "TypeError",
                            "float() argument must be a string or a real number, not '%s'", val_class(v));
    Str s = v->py.s;
    bool minus = s.len && *s.p == '-';
    if (s.len && (*s.p == '-' || *s.p == '+')) s.p++, s.len--;
    if (same_word(s, "inf") || same_word(s, "infinity"))
        return *out = val_float(minus ? -INFINITY : INFINITY), true;
    if (same_word(s, "nan")) return *out = val_float(NAN), true;
    return checker_unsupported(c, at, "float() of a string other than inf and nan inside a kernel");
}

BUILTIN(py_int) {
    (void)self;
    if (!plain(c, at, b->name, arg, args, 1)) return false;
    const Val *v = &arg->value;
    if (val_is_py(v, PY_INT)) return *out = *v, true;
    if (val_is_py(v, PY_BOOL)) return *out = val_int(v->py.b), true;
    if (!val_is_py(v, PY_FLOAT))
        return checker_fail(c, at, "TypeError",
                            "int() argument must be a string, a bytes-like object or a real number, not '%s'",
                            val_class(v));
    if (!(v->py.f > -0x1p63 && v->py.f < 0x1p63))
        return checker_fail(c, at, "OverflowError", "cannot convert float to a 64-bit integer");
    return *out = val_int((int64_t)v->py.f), true;
}

BUILTIN(py_isinstance) {
    (void)self;
    if (!plain(c, at, b->name, arg, args, 2)) return false;
    const Val *v = &arg[0].value, *what = &arg[1].value;
    if (what->kind != VAL_BUILTIN)
        return checker_fail(c, at, "TypeError", "isinstance() arg 2 must be a type");
    const char *t = what->builtin.row->name;
    bool yes =
        (strcmp(t, "int") == 0 && (val_is_py(v, PY_INT) || val_is_py(v, PY_BOOL))) ||
        (strcmp(t, "float") == 0 && val_is_py(v, PY_FLOAT)) ||
        (strcmp(t, "tl.tensor") == 0 &&
         (val_is_tensor(v) || (v->kind == VAL_BLOCK && !v->tuple.block->descriptor))) ||
        (strcmp(t, "tl.dtype") == 0 && v->kind == VAL_TYPE) ||
        (strcmp(t, "tl.tensor_descriptor") == 0 && v->kind == VAL_BLOCK && v->tuple.block->descriptor) ||
        (strcmp(t, "tl.tuple") == 0 && v->kind == VAL_TUPLE);
    return *out = val_bool(yes), true; // a constexpr is unwrapped on the way in, so tl.constexpr never holds
}

BUILTIN(py_getattr) {
    (void)self, (void)b;
    if (args < 2 || args > 3 || !val_is_py(&arg[1].value, PY_STR))
        return checker_fail(c, at, "TypeError", "getattr expected an object and the name of an attribute");
    DiagList *diags = c->diags, quiet = DIAGS(c->arena);
    if (args == 3) c->diags = &quiet;
    bool ok = check_member(c, at, arg[0].value, arg[1].value.py.s, out);
    c->diags = diags;
    if (ok || args == 2) return ok;
    c->failed = false;
    return *out = arg[2].value, true;
}

BUILTIN(py_hasattr) {
    (void)self;
    if (!plain(c, at, b->name, arg, args, 2)) return false;
    if (!val_is_py(&arg[1].value, PY_STR))
        return checker_fail(c, at, "TypeError", "attribute name must be string, not '%s'",
                            val_class(&arg[1].value));
    DiagList *diags = c->diags, quiet = DIAGS(c->arena);
    Val member;
    c->diags = &quiet;
    bool has = check_member(c, at, arg[0].value, arg[1].value.py.s, &member);
    c->diags = diags;
    c->failed = false;
    return *out = val_bool(has), true;
}

BUILTIN(not_here) {
    (void)self, (void)arg, (void)args, (void)out;
    return checker_unsupported(c, at, "%s() as a value inside a kernel", b->name);
}

// print() is device_print, min() and max() are tl.minimum and tl.maximum.
BUILTIN(as_op) {
    const char *name = strcmp(b->name, "min") == 0   ? "minimum"
                       : strcmp(b->name, "max") == 0 ? "maximum"
                                                     : "device_print";
    return check_op(c, at, (OpUse){oprow_named(str_of(name)), str_of(name), self}, arg, args, out);
}

BUILTIN(constexpr_of) {
    (void)self;
    if (!plain(c, at, b->name, arg, args, 1)) return false;
    if (val_is_tensor(&arg->value))
        return checker_fail(c, at, "TypeError", "a constexpr needs a value known at compile time, got %s",
                            val_type_text(c, &arg->value));
    return *out = arg->value, true;
}

// ---- types ----

// tl.pointer_type(element, address_space=1, const=False): global memory is the only address space here.
BUILTIN(pointer_type) {
    (void)b, (void)self;
    static const char *const name[] = {"element_ty", "address_space", "const"};
    Val v[3] = {val_none(), val_int(1), val_bool(false)};
    if (args > 3)
        return checker_fail(c, at, "TypeError",
                            "pointer_type() takes from 1 to 3 arguments but %d were given", args);
    for (int i = 0; i < args; i++) {
        int k = arg[i].name.len ? 0 : i;
        while (arg[i].name.len && k < 3 && !str_is(arg[i].name, name[k])) k++;
        if (k == 3)
            return checker_fail(c, at, "TypeError",
                                "pointer_type() got an unexpected keyword argument '%.*s'",
                                STR_ARG(arg[i].name));
        v[k] = arg[i].value;
    }
    if (v[0].kind != VAL_TYPE)
        return checker_fail(c, at, "TypeError", "element_ty has type `%s`; expected `dtype`.",
                            val_class(&v[0]));
    if (!check_f8_known(c, at, v[0].type.elem)) return false;
    if (v[0].type.pointer || v[0].type.rank)
        return checker_unsupported(c, at, "pointers to %s", val_text(c, &v[0]));
    if (!val_is_py(&v[1], PY_INT) || v[1].py.i != 1)
        return checker_unsupported(c, at, "address spaces other than global memory");
    return *out = val_type((TileType){.elem = v[0].type.elem, .pointer = true}), true;
}

BUILTIN(type_is) {
    const char *q = b->name + 4; // behind ".is_"
    if (!plain(c, at, b->name + 1, arg, args, 0)) return false;
    const TileType *t = &self->type;
    DTypeKind kind = dtype_info[t->elem].kind;
    bool scalar = !t->pointer && t->rank == 0, yes;
    if (strcmp(q, "block") == 0)
        yes = t->rank > 0 && !self->to_tile;
    else if (strcmp(q, "ptr") == 0)
        yes = t->pointer && (t->rank == 0 || self->to_tile);
    else if (strcmp(q, "floating") == 0)
        yes = scalar && kind == DTYPE_KIND_F;
    else if (strcmp(q, "standard_floating") == 0)
        yes = scalar && kind == DTYPE_KIND_F && !dtype_is_f8(t->elem);
    else if (strcmp(q, "fp8") == 0)
        yes = scalar && dtype_is_f8(t->elem);
    else if (strcmp(q, "int") == 0)
        yes = scalar && kind != DTYPE_KIND_F;
    else if (strcmp(q, "int_signed") == 0)
        yes = scalar && kind == DTYPE_KIND_I;
    else if (strcmp(q, "int_unsigned") == 0)
        yes = scalar && (kind == DTYPE_KIND_U || kind == DTYPE_KIND_B);
    else if (strcmp(q, "bool") == 0)
        yes = scalar && t->elem == DT_BOOL;
    else if (strcmp(q, "void") == 0 || strcmp(q, "const") == 0)
        yes = false;
    else
        yes = scalar && strcmp(q, dtype_info[t->elem].triton) == 0;
    return *out = val_bool(yes), true;
}

#define TYPE_IS(name) \
    { ".is_" name, type_is }
static const Builtin builtins[] = {
    {"len", py_len},
    {"list", py_list},
    {"range", not_here},
    {"float", py_float},
    {"int", py_int},
    {"isinstance", py_isinstance},
    {"getattr", py_getattr},
    {"hasattr", py_hasattr},
    {"print", as_op},
    {"min", as_op},
    {"max", as_op},
    {"tl.constexpr", constexpr_of},
    {"tl.range", not_here},
    {"tl.static_range", not_here},
    {"tl.tensor", not_here},
    {"tl.block_type", not_here},
    {"tl.const", not_here},
    {"tl.constexpr_type", not_here},
    {"tl.slice", not_here},
    {"tl.void", not_here},
    {"tl.tensor_descriptor", not_here},
    {"tl.pointer_type", pointer_type},
    {"tl.dtype", not_here},
    {"tl.tuple", not_here},
    TYPE_IS("block"),
    TYPE_IS("ptr"),
    TYPE_IS("floating"),
    TYPE_IS("standard_floating"),
    TYPE_IS("int"),
    TYPE_IS("int_signed"),
    TYPE_IS("int_unsigned"),
    TYPE_IS("bool"),
    TYPE_IS("fp8"),
    TYPE_IS("void"),
    TYPE_IS("const"),
    TYPE_IS("fp8e4nv"),
    TYPE_IS("fp8e5"),
    TYPE_IS("fp8e4b8"),
    TYPE_IS("fp8e5b16"),
    TYPE_IS("fp8e4b15"),
    TYPE_IS("fp16"),
    TYPE_IS("bf16"),
    TYPE_IS("fp32"),
    TYPE_IS("fp64"),
    TYPE_IS("int1"),
    TYPE_IS("int8"),
    TYPE_IS("int16"),
    TYPE_IS("int32"),
    TYPE_IS("int64"),
    TYPE_IS("uint8"),
    TYPE_IS("uint16"),
    TYPE_IS("uint32"),
    TYPE_IS("uint64"),
};

const Builtin *builtin_named(Str name) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (str_is(name, builtins[i].name)) return &builtins[i];
    return NULL;
}
const Builtin *builtin_member(Str name) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (builtins[i].name[0] == '.' && str_is(name, builtins[i].name + 1)) return &builtins[i];
    return NULL;
}
