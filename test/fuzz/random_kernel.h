// random_kernel.h - bytes become a kernel, statement by statement: often well typed, of bounded size, with
// every row of op.def, loops, branches and helpers in it, over small tensors. A byte that is missing reads as
// 0.
#pragma once
#include "base/arena.h"
#include "base/str.h"

enum { KERNEL_TENSORS = 4, KERNEL_VARS = 40, KERNEL_STATEMENTS = 24, KERNEL_DEPTH = 3 };

typedef struct {
    const uint8_t *p, *end;
} Bytes;

static inline unsigned byte_of(Bytes *b) { return b->p < b->end ? *b->p++ : 0; }
static inline int pick(Bytes *b, int n) { return (int)(byte_of(b) % (unsigned)n); }

// What the writer believes of a value. Only to make sense more often than not: the checker decides.
typedef struct {
    char kind;      // i f b p (pointer to a float or an integer: q) or ? for anything
    int rank, d[2]; // rank -1: unknown
} Shape2;

typedef struct {
    Bytes in;
    Buf *out;
    int dim[2]; // of tiles
    Shape2 var[KERNEL_VARS];
    int vars, depth, indent;
} Writer;

static const struct {
    const char *names, *signature;
} writer_ops[] = {
#define OP(id, names, signature, doc) {names, signature},
#include "tile/check/op.def"
#undef OP
};
enum { WRITER_OPS = sizeof writer_ops / sizeof *writer_ops };

static const char *const tensor_types[] = {"fp32", "fp16", "bf16", "fp64", "i32", "i64",
                                           "i8",   "i16",  "u8",   "u32",  "i1"};
enum { TENSOR_TYPES = sizeof tensor_types / sizeof *tensor_types };
static const char *const casts[] = {"float32", "float16", "bfloat16", "float64", "int32", "int64",
                                    "int8",    "int16",   "uint8",    "uint32",  "int1",  "uint64"};

static inline const char *pick_text(Writer *w, const char *const *list, int n) {
    return list[pick(&w->in, n)];
}

static inline void put_indent(Writer *w) { buf_printf(w->out, "%*s", 4 * w->indent, ""); }

static inline bool shapes_meet(const Shape2 *a, const Shape2 *b) {
    if (a->rank <= 0 || b->rank <= 0) return true;
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->d[i] != b->d[i] && a->d[i] != 1 && b->d[i] != 1) return false;
    return true;
}

static inline Shape2 joined(Shape2 a, Shape2 b) {
    if (a.rank < 0 || b.rank < 0) return (Shape2){'?', -1, {0, 0}};
    if (a.rank == 0) return b;
    for (int i = 0; i < a.rank && b.rank == a.rank; i++)
        if (a.d[i] < b.d[i]) a.d[i] = b.d[i];
    return a;
}

// A variable of the kind ('*': any) that goes with `like`, from a drawn place on; one in sixteen without
// regard.
static inline int find_var(Writer *w, char kind, const Shape2 *like) {
    int from = pick(&w->in, w->vars), careless = pick(&w->in, 16) == 15;
    for (int i = 0; i < w->vars && !careless; i++) {
        int v = (from + i) % w->vars;
        const Shape2 *s = &w->var[v];
        bool fits = kind == '*'   ? s->kind != 'p' && s->kind != 'q'
                    : kind == 'n' ? s->kind == 'i' || s->kind == 'f'
                                  : s->kind == kind;
        if (fits && (!like || shapes_meet(s, like))) return v;
    }
    return from;
}

static inline void put_literal(Writer *w, char kind) {
    static const char *const ints[] = {"0", "1", "2", "-1", "3", "16", "255", "2147483647", "7", "1 << 20"};
    static const char *const floats[] = {"0.0",          "1.0",   "-0.5", "1e30",
                                         "float('inf')", "1e-40", "2.5",  "-3.0"};
    buf_puts(w->out, kind == 'b'   ? (pick(&w->in, 2) ? "True" : "False")
                     : kind == 'i' ? pick_text(w, ints, 10)
                                   : pick_text(w, floats, 8));
}

// An operand: a variable, now and then a literal. Says what it is.
static inline Shape2 put_operand(Writer *w, char kind, const Shape2 *like) {
    if (kind != 'p' && kind != 'q' && pick(&w->in, 6) == 0) {
        char k = kind == '*' || kind == 'n' ? "if"[pick(&w->in, 2)] : kind;
        put_literal(w, k);
        return (Shape2){k, 0, {0, 0}};
    }
    int v = find_var(w, kind, like);
    buf_printf(w->out, "v%d", v);
    return w->var[v];
}

static inline void put_type(Writer *w) { buf_printf(w->out, "tl.%s", pick_text(w, casts, 12)); }

static inline int put_dim(Writer *w) {
    int d = w->dim[pick(&w->in, 2)];
    buf_printf(w->out, "%d", d);
    return d;
}

static inline Shape2 put_shape(Writer *w) {
    Shape2 s = {'f', 1 + pick(&w->in, 2), {1, 1}};
    buf_puts(w->out, "[");
    for (int i = 0; i < s.rank; i++) {
        buf_puts(w->out, i ? ", " : "");
        s.d[i] = put_dim(w);
    }
    buf_puts(w->out, "]");
    return s;
}

static inline void put_sem(Writer *w) {
    static const char *const sems[] = {"'relaxed'", "'acquire'", "'release'", "'acq_rel'"};
    buf_puts(w->out, pick_text(w, sems, 4));
}

// One argument of a row of op.def, by what its parameter is called.
static inline Shape2 put_argument(Writer *w, Str name, const Shape2 *like) {
    static const char *const axes[] = {"0", "1", "None", "-1", "2"};
    static const char *const flags[] = {"True", "False"};
    Shape2 none = {'?', 0, {0, 0}};
    if (str_is(name, "pointer")) return put_operand(w, "pq"[pick(&w->in, 2)], like);
    if (str_is(name, "mask") || str_is(name, "condition") || str_is(name, "cond"))
        return put_operand(w, 'b', like);
    if (str_is(name, "axis") || str_is(name, "dim")) return buf_puts(w->out, pick_text(w, axes, 5)), none;
    if (str_is(name, "dtype") || str_is(name, "out_dtype")) return put_type(w), none;
    if (str_is(name, "shape") || str_is(name, "*shape")) return put_shape(w);
    if (str_is(name, "*dims")) return buf_puts(w->out, pick(&w->in, 2) ? "1, 0" : "0, 1"), none;
    if (str_is(name, "start")) return buf_puts(w->out, "0"), none;
    if (str_is(name, "end") || str_is(name, "n") || str_is(name, "values") || str_is(name, "div"))
        return put_dim(w), none;
    if (str_is(name, "combine_fn")) return buf_puts(w->out, pick(&w->in, 2) ? "add2" : "first"), none;
    if (str_is(name, "index")) return put_operand(w, 'i', like);
    if (str_is(name, "prefix") || str_is(name, "msg")) return buf_puts(w->out, "'x'"), none;
    if (str_starts(name, "return_") || str_starts(name, "keep_dims") || str_starts(name, "bitcast") ||
        str_is(name, "reverse") || str_starts(name, "ieee") || str_starts(name, "tie_") ||
        str_is(name, "volatile") || str_is(name, "can_reorder") || str_is(name, "allow_tf32"))
        return buf_puts(w->out, pick_text(w, flags, 2)), none;
    if (str_is(name, "sem")) return put_sem(w), none;
    if (str_is(name, "scope")) return buf_puts(w->out, pick(&w->in, 2) ? "'gpu'" : "'cta'"), none;
    if (str_is(name, "other") || str_is(name, "acc")) return put_operand(w, 'n', like);
    return put_operand(w, '*', like);
}

static inline Str next_part(Str *rest, char separator) {
    const char *end = memchr(rest->p, separator, rest->len);
    size_t n = end ? (size_t)(end - rest->p) : rest->len;
    Str part = {rest->p, n};
    while (part.len && part.p[0] == ' ') part = (Str){part.p + 1, part.len - 1};
    *rest = end ? (Str){end + 1, rest->len - n - 1} : (Str){rest->p + n, 0};
    return part;
}

static inline Str spelling(Writer *w, const char *names) {
    Str rest = str_of(names), name = {0};
    int skip = pick(&w->in, 4);
    do name = next_part(&rest, ' ');
    while (rest.len && skip-- > 0);
    return name;
}

// A call of a drawn row: required arguments, and each optional one in four.
static inline Shape2 put_call(Writer *w) {
    int row = pick(&w->in, WRITER_OPS);
    Str name = spelling(w, writer_ops[row].names), rest = str_of(writer_ops[row].signature);
    bool method = name.p[0] == '.', comma = false;
    Shape2 like = w->var[find_var(w, '*', NULL)], all = {'?', 0, {0, 0}};
    if (!method) {
        bool whole = str_starts(name, "triton.") || str_starts(name, "libdevice.");
        buf_printf(w->out, "%s%.*s(", whole ? "" : "tl.", STR_ARG(name));
        if (str_is(name, "dot") && pick(&w->in, 4)) like = (Shape2){'f', 2, {w->dim[0], w->dim[1]}};
    }
    for (int i = 0; rest.len; i++) {
        Str part = next_part(&rest, ',');
        const char *sign = memchr(part.p, '=', part.len);
        Str param = {part.p, sign ? (size_t)(sign - part.p) : part.len};
        if (memchr(part.p, '(', part.len) || memchr(part.p, ')', part.len)) continue; // a default with commas
        if (method && i == 0) {
            int v = find_var(w, str_is(param, "pointer") ? "pq"[pick(&w->in, 2)] : '*', NULL);
            buf_printf(w->out, "v%d%.*s(", v, STR_ARG(name));
            all = like = w->var[v];
            continue;
        }
        if (sign && pick(&w->in, 4)) continue;
        buf_puts(w->out, comma ? ", " : "");
        if (sign) buf_printf(w->out, "%.*s=", STR_ARG(param));
        Shape2 got = put_argument(w, param, &like);
        all = comma ? joined(all, got) : got;
        comma = true;
    }
    buf_puts(w->out, ")");
    bool shrinks = str_starts(name, "sum") || str_starts(name, ".sum");
    if (shrinks || all.rank < 0) return (Shape2){'?', -1, {0, 0}};
    if (all.kind == 'p' || all.kind == 'q') all.kind = all.kind == 'p' ? 'f' : 'i';
    return all;
}

static inline Shape2 put_expression(Writer *w) {
    static const char *const arithmetic[] = {"+", "-", "*", "/", "//", "%"},
                             *const bits[] = {"&", "|", "^", "<<", ">>"}, *const compare[] = {"<",  "<=",
                                                                                              ">",  ">=",
                                                                                              "==", "!="};
    Shape2 a, b;
    int v;
    switch (pick(&w->in, 14)) {
    case 12: { // of one type, the second turned round
        static const char *const types[] = {"float32", "float16", "int8", "bfloat16"};
        const char *t = pick_text(w, types, 4);
        Shape2 like = {'f', 2, {w->dim[0], w->dim[1]}};
        int x = find_var(w, 'n', &like), y = find_var(w, 'n', &like);
        buf_printf(w->out, "tl.dot(v%d.to(tl.%s), v%d.T.to(tl.%s)", x, t, y, t);
        if (pick(&w->in, 4) == 0) buf_printf(w->out, ", acc=v%d.to(tl.float32)", find_var(w, 'n', &like));
        buf_puts(w->out, ")");
        return (Shape2){t[0] == 'i' ? 'i' : 'f', 2, {w->dim[0], w->dim[0]}};
    }
    case 13:
        if (pick(&w->in, 2)) {
            buf_puts(w->out, "~");
            return put_operand(w, pick(&w->in, 2) ? 'i' : 'b', NULL);
        }
        buf_printf(w->out, "tl.atomic_cas(p3 + pid, %d, ", pick(&w->in, 3));
        (void)put_operand(w, 'i', &(Shape2){'i', 0, {0, 0}});
        buf_puts(w->out, ")");
        return (Shape2){'i', 0, {0, 0}};
    case 0:
    case 1:
    case 2:
        a = put_operand(w, 'n', NULL);
        v = pick(&w->in, 6);
        buf_printf(w->out, " %s ", arithmetic[v]);
        if (v >= 4 && pick(&w->in, 4)) { // mostly not by zero
            buf_printf(w->out, "%d", 1 + pick(&w->in, 20));
            return a;
        }
        b = put_operand(w, 'n', &a);
        b = joined(a, b);
        if (a.kind == 'f') b.kind = 'f';
        return b;
    case 3:
        a = put_operand(w, 'i', NULL);
        buf_printf(w->out, " %s ", pick_text(w, bits, 5));
        b = put_operand(w, 'i', &a);
        return joined(a, b);
    case 4:
        a = put_operand(w, 'n', NULL);
        buf_printf(w->out, " %s ", pick_text(w, compare, 6));
        b = put_operand(w, 'n', &a);
        b = joined(a, b);
        b.kind = 'b';
        return b;
    case 5: // addresses, in the type that a tensor has
        v = pick(&w->in, KERNEL_TENSORS);
        buf_printf(w->out, "p%d + ", v);
        a = put_operand(w, 'i', NULL);
        a.kind = "pq"[w->var[0].kind == 'q'];
        return a;
    case 6:
        v = find_var(w, '*', NULL);
        a = w->var[v];
        if (a.rank == 1) {
            bool rows = pick(&w->in, 2);
            buf_printf(w->out, rows ? "v%d[:, None]" : "v%d[None, :]", v);
            return (Shape2){a.kind, 2, {rows ? a.d[0] : 1, rows ? 1 : a.d[0]}};
        }
        buf_printf(w->out, a.rank == 2 ? "v%d.T" : "-v%d", v);
        return a.rank == 2 ? (Shape2){a.kind, 2, {a.d[1], a.d[0]}} : a;
    case 7:
        buf_puts(w->out, pick(&w->in, 2) ? "add2(" : "first(");
        a = put_operand(w, 'n', NULL);
        buf_puts(w->out, ", ");
        b = put_operand(w, 'n', &a);
        buf_puts(w->out, ")");
        return joined(a, b);
    default: return put_call(w);
    }
}

static inline void remember_var(Writer *w, Shape2 s, int v) {
    if (v < KERNEL_VARS) w->var[v] = s;
    if (v == w->vars && w->vars < KERNEL_VARS) w->vars++;
}

static inline void put_block(Writer *w);

// A tile by block pointer or by descriptor, read or written.
static inline void put_window(Writer *w) {
    bool pointer = pick(&w->in, 2), writes = pick(&w->in, 2);
    int tensor = writes ? 2 + pick(&w->in, 2) : pick(&w->in, KERNEL_TENSORS), rows = pick(&w->in, 40);
    int a = w->dim[0], b = w->dim[1], width = pick(&w->in, 3) ? b : pick(&w->in, 40);
    buf_printf(w->out, "q = tl.%s(p%d, [%d, %d], [%d, 1], ",
               pointer ? "make_block_ptr" : "make_tensor_descriptor", tensor, rows, width,
               pick(&w->in, 3) ? b : 16);
    if (pointer) buf_printf(w->out, "[pid * %d, 0], ", a);
    buf_printf(w->out, pointer ? "[%d, %d], (1, 0))\n" : "[%d, %d])\n", a, b);
    put_indent(w);
    if (pointer && pick(&w->in, 4) == 0) {
        buf_printf(w->out, "q = tl.advance(q, [%d, %d])\n", pick(&w->in, 3), pick(&w->in, 3) - 1);
        put_indent(w);
    }
    Shape2 like = {'f', 2, {a, b}};
    int v = w->vars < KERNEL_VARS ? w->vars : pick(&w->in, KERNEL_VARS);
    if (writes)
        buf_printf(w->out, pointer ? "tl.store(q, " : "q.store([pid * %d, 0], ", a);
    else
        buf_printf(w->out, pointer ? "v%d = tl.load(q" : "v%d = q.load([pid * %d, 0]", v, a);
    if (writes) (void)put_operand(w, 'n', &like);
    if (pointer && pick(&w->in, 4)) buf_puts(w->out, ", boundary_check=(0, 1)");
    buf_puts(w->out, ")\n");
    if (!writes) remember_var(w, (Shape2){tensor % 2 ? 'i' : 'f', 2, {a, b}}, v);
}

// An atomic where programs do meet, its result perhaps used; or a barrier.
static inline void put_atomic(Writer *w) {
    static const char *const ops[] = {"add", "add", "max", "min", "xchg", "and", "or", "xor"},
                             *const places[] = {"0", "pid", "i1", "i1 % 4", "i2"};
    if (pick(&w->in, 6) == 0) {
        buf_puts(w->out, "tl.debug_barrier()\n");
        return;
    }
    int tensor = 2 + pick(&w->in, 2), place = pick(&w->in, 5), v = pick(&w->in, KERNEL_VARS);
    Shape2 like = {tensor % 2 ? 'i' : 'f', place < 2 ? 0 : place == 4 ? 2 : 1, {w->dim[0], w->dim[1]}};
    bool used = pick(&w->in, 2);
    if (v > w->vars) v = w->vars;
    if (used) buf_printf(w->out, "v%d = ", v);
    buf_printf(w->out, "tl.atomic_%s(p%d + %s, ", pick_text(w, ops, 8), tensor, places[place]);
    (void)put_operand(w, like.kind, &like);
    if (place > 1 && pick(&w->in, 2)) buf_printf(w->out, ", mask=m%d", like.rank);
    if (pick(&w->in, 2)) {
        buf_puts(w->out, ", sem=");
        put_sem(w);
    }
    buf_puts(w->out, ")\n");
    if (used) remember_var(w, like, v);
}

static inline void put_statement(Writer *w) {
    Shape2 s;
    int v;
    put_indent(w);
    switch (pick(&w->in, 16)) {
    case 0:
    case 1: { // a store where programs do not meet, unless the bytes want it
        bool flat = pick(&w->in, 2);
        int tensor = 2 + pick(&w->in, 2), careless = pick(&w->in, 8) == 7;
        Shape2 like = {'f', flat ? 1 : 2, {w->dim[0], w->dim[1]}};
        buf_printf(w->out, "tl.store(p%d + ", tensor);
        if (careless)
            (void)put_operand(w, 'i', NULL);
        else
            buf_puts(w->out, flat ? "i1" : "i2");
        buf_puts(w->out, ", ");
        (void)put_operand(w, '*', &like);
        if (pick(&w->in, 2)) buf_puts(w->out, flat ? ", mask=m1" : ", mask=m2");
        buf_puts(w->out, ")\n");
        return;
    }
    case 2: { // a load
        bool flat = pick(&w->in, 2);
        int tensor = pick(&w->in, KERNEL_TENSORS);
        v = pick(&w->in, 3) ? w->vars : pick(&w->in, w->vars);
        if (v >= KERNEL_VARS) v = 0;
        buf_printf(w->out, "v%d = tl.load(p%d + %s", v, tensor, flat ? "i1" : "i2");
        if (pick(&w->in, 2))
            buf_printf(w->out, ", mask=%s%s", flat ? "m1" : "m2", pick(&w->in, 3) ? ", other=0" : "");
        buf_puts(w->out, ")\n");
        remember_var(w, (Shape2){tensor % 2 ? 'i' : 'f', flat ? 1 : 2, {w->dim[0], w->dim[1]}}, v);
        return;
    }
    case 3:
        if (w->depth == KERNEL_DEPTH) break;
        buf_puts(w->out, "if ");
        (void)put_operand(w, pick(&w->in, 2) ? 'b' : 'i', &(Shape2){'b', 0, {0, 0}});
        buf_puts(w->out, ":\n");
        put_block(w);
        if (pick(&w->in, 2)) return;
        put_indent(w);
        buf_puts(w->out, "else:\n");
        put_block(w);
        return;
    case 4: {
        if (w->depth == KERNEL_DEPTH) break;
        static const char *const loops[] = {"range(0, n, 16)", "range(3)", "tl.static_range(2)",
                                            "tl.range(0, 4, 2)", "range(pid, n, 7)"};
        buf_printf(w->out, "for j%d in %s:\n", w->depth, pick_text(w, loops, 5));
        put_block(w);
        return;
    }
    case 5:
        if (w->depth == KERNEL_DEPTH) break;
        buf_printf(w->out, "w%d = pid\n", w->depth);
        put_indent(w);
        buf_printf(w->out, "while w%d < 3:\n", w->depth);
        w->indent++;
        put_indent(w);
        buf_printf(w->out, "w%d += 1\n", w->depth);
        w->indent--;
        put_block(w);
        return;
    case 6: { // what a loop carries
        static const char *const update[] = {"+=", "-=", "*=", "&=", "//="};
        v = find_var(w, 'n', NULL);
        s = w->var[v];
        buf_printf(w->out, "v%d %s ", v, pick_text(w, update, 5));
        (void)put_operand(w, s.kind == '?' ? '*' : s.kind, &s);
        buf_puts(w->out, "\n");
        return;
    }
    case 7: put_window(w); return;
    case 8: put_atomic(w); return;
    default: break;
    }
    v = pick(&w->in, 4) ? w->vars : pick(&w->in, w->vars);
    if (v >= KERNEL_VARS) v = pick(&w->in, KERNEL_VARS);
    buf_printf(w->out, "v%d = ", v);
    s = put_expression(w);
    buf_puts(w->out, "\n");
    remember_var(w, s, v);
}

// Variables that a block makes are not known behind it; names in it are always defined before.
static inline void put_block(Writer *w) {
    int n = 1 + pick(&w->in, 4), vars = w->vars;
    w->depth++;
    w->indent++;
    for (int i = 0; i < n; i++) put_statement(w);
    w->indent--;
    w->depth--;
    w->vars = vars;
}

// The helpers, the signature and what every kernel begins with; statements follow by put_statement.
static inline void put_head(Writer *w) {
    int square = pick(&w->in, 4) == 0; // what a dot needs
    for (int i = 0; i < 2; i++) w->dim[i] = square ? 16 : 1 << pick(&w->in, 5);
    w->indent = 1;
    buf_puts(w->out, "from triton.language.extra import libdevice\n\n\n"
                     "@triton.jit\ndef add2(a, b):\n    return a + b\n\n\n"
                     "@triton.jit\ndef first(a, b):\n    return tl.where(a > b, a, b)\n\n\n"
                     "@triton.jit\ndef k(p0, p1, p2, p3, n, s, f, B: tl.constexpr):\n"
                     "    pid = tl.program_id(0)\n");
    buf_printf(
        w->out,
        "    v0 = tl.arange(0, %d)\n    v1 = tl.arange(0, %d)\n    i1 = pid * %d + v0\n    m1 = i1 < n\n"
        "    i2 = (pid * %d + v0)[:, None] * %d + v1[None, :]\n    m2 = i2 < n\n    v2 = i1 * 2\n    v3 = i2 "
        "+ 1\n"
        "    v4 = m1\n    v5 = m2\n    v6 = tl.load(p0 + i1)\n    v7 = tl.load(p1 + i2)\n    v8 = pid\n    "
        "v9 = f\n"
        "    v10 = p2 + i1\n    v11 = n > s\n",
        w->dim[0], w->dim[1], w->dim[0], w->dim[0], w->dim[1]);
    const int a = w->dim[0], b = w->dim[1];
    const Shape2 known[] = {{'i', 1, {a, 0}}, {'i', 1, {b, 0}}, {'i', 1, {a, 0}}, {'i', 2, {a, b}},
                            {'b', 1, {a, 0}}, {'b', 2, {a, b}}, {'f', 1, {a, 0}}, {'i', 2, {a, b}},
                            {'i', 0, {0, 0}}, {'f', 0, {0, 0}}, {'p', 1, {a, 0}}, {'b', 0, {0, 0}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) remember_var(w, known[i], (int)i);
}
