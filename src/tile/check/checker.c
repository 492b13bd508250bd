#include "tile/check/checker.h"
#include "lang/library.h"
#include <stdarg.h>
#include <stdio.h>

// ---- faults ----

// Python's repr() of a text: single quotes unless that would need a backslash.
static void text_repr(Buf *out, const char *s) {
    char quote = strchr(s, '\'') && !strchr(s, '"') ? '"' : '\'';
    buf_putc(out, quote);
    for (; *s; s++) {
        if (*s == quote || *s == '\\') buf_putc(out, '\\');
        buf_putc(out, *s);
    }
    buf_putc(out, quote);
}

Span checker_span(const Checker *c, const Node *at) { return c->foreign ? c->foreign->span : at->span; }

// Where in a helper file the fault lies whose place is the call: " (helpers.py, line 7)".
static const char *foreign_place(const Checker *c, const Node *at) {
    const Library *l = c->foreign && c->frame ? c->frame->module->module.library : NULL;
    for (int i = 0; l && i < l->files; i++)
        if (l->file[i].module == c->frame->module)
            return arena_printf(c->arena, " (%.*s.py, line %d)", STR_ARG(l->file[i].name),
                                line_col(l->file[i].text, at->span.at).line);
    return "";
}

void checker_record(Checker *c, const Node *at, const char *err, const char *fmt, ...) {
    if (c->failed) return;
    c->failed = true;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!err) {
        diag_record(c->diags, DIAG_COMPILE, checker_span(c, at), "%s%s", text, foreign_place(c, at));
        return;
    }
    Buf b = BUF(c->arena);
    buf_printf(&b, "%s(", err);
    text_repr(&b, text);
    buf_putc(&b, ')');
    diag_record(c->diags, DIAG_COMPILE, checker_span(c, at), "%s%s", buf_cstr(&b), foreign_place(c, at));
}

void checker_record_unsupported(Checker *c, const Node *at, const char *fmt, ...) {
    if (c->failed) return;
    c->failed = true;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    diag_record(c->diags, DIAG_UNSUPPORTED, checker_span(c, at), "%s%s", text, foreign_place(c, at));
}

void checker_warn(Checker *c, const Node *at, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (int i = 0; i < c->diags->count; i++) // unrolled loops and second launches come by again
        if (c->diags->at[i].kind == DIAG_WARNING && strcmp(c->diags->at[i].msg, text) == 0) return;
    if (c->diags->count < 8) diag_record(c->diags, DIAG_WARNING, checker_span(c, at), "%s", text);
}

bool checker_spend(Checker *c, const Node *at, int64_t visits) {
    if (visits > VISITS_MAX - c->visits) {
        c->visits = VISITS_MAX;
        return checker_fail(
            c, at, NULL, "the kernel is too large: more than %d expressions and statements after unrolling",
            VISITS_MAX);
    }
    c->visits += (int)visits;
    return true;
}

bool checker_text(Checker *c, const Node *at, size_t bytes) {
    if (bytes > TEXT_BYTES_MAX)
        return checker_fail(c, at, NULL, "a string of more than %d bytes", TEXT_BYTES_MAX);
    return checker_spend(c, at, (int64_t)bytes / 16);
}

bool checker_enter(Checker *c, const Node *at) {
    if (c->depth >= DEPTH_MAX)
        return checker_fail(c, at, "RecursionError", "maximum recursion depth exceeded");
    c->depth++;
    return checker_spend(c, at, 1);
}
void checker_leave(Checker *c) { c->depth--; }

// ---- values ----

Val val_py(PyValue p) { return (Val){.kind = VAL_PY, .py = p}; }
Val val_none(void) { return val_py((PyValue){.kind = PY_NONE}); }
Val val_bool(bool b) { return val_py((PyValue){.kind = PY_BOOL, .b = b}); }
Val val_int(int64_t i) { return val_py((PyValue){.kind = PY_INT, .i = i}); }
Val val_float(double f) { return val_py((PyValue){.kind = PY_FLOAT, .f = f}); }
Val val_str(Str s) { return val_py((PyValue){.kind = PY_STR, .s = s}); }
Val val_type(TileType t) { return (Val){.kind = VAL_TYPE, .type = t}; }
Val val_dtype(DType t) { return val_type((TileType){.elem = t}); }
Val val_tensor(const Checker *c, int reg) { return (Val){.kind = VAL_TENSOR, .t = {c->reg[reg].type, reg}}; }
Val val_tuple(const Val *at, int n) { return (Val){.kind = VAL_TUPLE, .tuple = {.at = at, .n = n}}; }

bool shape_same(const TileType *a, const TileType *b) {
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i]) return false;
    return true;
}
bool type_same(const TileType *a, const TileType *b) {
    return a->elem == b->elem && a->pointer == b->pointer && shape_same(a, b);
}

static bool py_same(PyValue a, PyValue b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case PY_NONE: return true;
    case PY_BOOL: return a.b == b.b;
    case PY_INT: return a.i == b.i;
    case PY_FLOAT: return bits64(a.f) == bits64(b.f);
    case PY_STR: return str_eq(a.s, b.s);
    }
    return false;
}

bool val_same(const Val *a, const Val *b) {
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case VAL_PY: return py_same(a->py, b->py);
    case VAL_TYPE: return a->to_tile == b->to_tile && type_same(&a->type, &b->type);
    case VAL_TENSOR: return a->t.reg == b->t.reg;
    case VAL_TUPLE:
    case VAL_BLOCK:
    case VAL_SLICE:
        if (a->tuple.n != b->tuple.n || a->tuple.block != b->tuple.block) return false;
        if (a->tuple.at == b->tuple.at) return true;
        for (int i = 0; i < a->tuple.n; i++)
            if (!val_same(&a->tuple.at[i], &b->tuple.at[i])) return false;
        return true;
    case VAL_FUNCTION: return a->function == b->function;
    case VAL_MODULE: return str_eq(a->path, b->path);
    case VAL_OP: return a->op.row == b->op.row && a->op.self == b->op.self;
    case VAL_BUILTIN: return a->builtin.row == b->builtin.row && a->builtin.self == b->builtin.self;
    }
    return false;
}

const char *type_text(Checker *c, const TileType *t) {
    Buf b = BUF(c->arena);
    tile_type_name(&b, t);
    return buf_cstr(&b);
}

const char *val_type_text(Checker *c, const Val *v) {
    if (v->kind == VAL_TENSOR) return type_text(c, &v->t.type);
    if (v->kind == VAL_PY) return arena_printf(c->arena, "constexpr[%s]", val_text(c, v));
    if (v->kind == VAL_BLOCK) return val_text(c, v);
    return val_class(v);
}

const char *val_class(const Val *v) {
    switch (v->kind) {
    case VAL_PY: return v->py.kind == PY_NONE ? "NoneType" : "constexpr";
    case VAL_TYPE: return v->type.rank ? "block_type" : v->type.pointer ? "pointer_type" : "dtype";
    case VAL_TENSOR: return "tensor";
    case VAL_TUPLE: return "tuple";
    case VAL_FUNCTION: return "JITFunction";
    case VAL_MODULE: return "module";
    case VAL_OP:
    case VAL_BUILTIN: return "function";
    case VAL_SLICE: return "slice";
    case VAL_BLOCK: return v->tuple.block->descriptor ? "tensor_descriptor" : "tensor";
    }
    return "?";
}

static void put_block(Buf *b, const TileType *tile, bool descriptor) {
    TileType t = *tile;
    t.pointer = false;
    buf_puts(b, descriptor ? "tensor_descriptor<" : "pointer<");
    tile_type_name(b, &t);
    buf_putc(b, '>');
}

static void put_text(Checker *c, Buf *b, const Val *v, bool quoted, int depth) {
    if (b->len > 4096) return; // texts of texts of texts
    switch (v->kind) {
    case VAL_PY:
        if (v->py.kind == PY_STR && !quoted)
            buf_str_put(b, v->py.s);
        else
            py_repr(b, v->py);
        break;
    case VAL_TYPE:
        if (!v->to_tile) {
            tile_type_name(b, &v->type);
            break;
        }
        put_block(b, &v->type, false);
        break;
    case VAL_BLOCK: put_block(b, &v->tuple.block->tile, v->tuple.block->descriptor); break;
    case VAL_TENSOR: { // Python's str() of it, which is not its type's
        TileType elem = {.elem = v->t.type.elem, .pointer = v->t.type.pointer};
        tile_type_name(b, &elem);
        buf_putc(b, '[');
        for (int i = 0; i < v->t.type.rank; i++)
            buf_printf(b, "%sconstexpr[%d]", i ? ", " : "", v->t.type.shape[i]);
        buf_putc(b, ']');
        break;
    }
    case VAL_TUPLE:
    case VAL_SLICE:
        buf_puts(b, v->kind == VAL_TUPLE ? "(" : "slice(");
        for (int i = 0; i < v->tuple.n && i < 16 && depth < 4; i++) {
            if (i) buf_puts(b, ", ");
            put_text(c, b, &v->tuple.at[i], true, depth + 1);
        }
        buf_puts(b, v->tuple.n == 1 && v->kind == VAL_TUPLE ? ",)" : ")");
        break;
    case VAL_FUNCTION: buf_str_put(b, v->function->function.name); break;
    case VAL_MODULE: buf_printf(b, "<module '%.*s'>", STR_ARG(v->path)); break;
    case VAL_OP: buf_printf(b, "<function %.*s>", STR_ARG(v->op.name)); break;
    case VAL_BUILTIN: buf_printf(b, "<function %.*s>", STR_ARG(v->builtin.name)); break;
    }
}

const char *val_text(Checker *c, const Val *v) {
    Buf b = BUF(c->arena);
    put_text(c, &b, v, false, 0);
    return buf_cstr(&b);
}

const char *node_class(const Node *n) {
    switch (n->kind) {
    case NODE_BREAK: return "Break";
    case NODE_CONTINUE: return "Continue";
    case NODE_LAMBDA: return "Lambda";
    case NODE_RAISE: return "Raise";
    case NODE_TRY: return "Try";
    case NODE_DELETE: return "Delete";
    case NODE_DICT: return "Dict";
    case NODE_SET: return "Set";
    case NODE_COMP:
        return n->comp.kind == COMP_LIST   ? "ListComp"
               : n->comp.kind == COMP_SET  ? "SetComp"
               : n->comp.kind == COMP_DICT ? "DictComp"
                                           : "GeneratorExp";
    case NODE_YIELD: return n->yield.from ? "YieldFrom" : "Yield";
    case NODE_AWAIT: return "Await";
    case NODE_CLASS: return "ClassDef";
    case NODE_IMPORT: return n->import.from ? "ImportFrom" : "Import";
    case NODE_GLOBAL: return n->global.nonlocal ? "Nonlocal" : "Global";
    case NODE_WALRUS: return "NamedExpr";
    case NODE_STARRED: return "Starred";
    case NODE_WITH: return "With";
    case NODE_TUPLE: return "Tuple";
    case NODE_LIST: return "List";
    case NODE_NAME: return "Name";
    case NODE_ATTRIBUTE: return "Attribute";
    case NODE_SUBSCRIPT: return "Subscript";
    case NODE_STRING: return "Constant";
    default: return node_kind_name(n->kind);
    }
}

// ---- names of a function ----

const Val *scope_find(Checker *c, Str name) {
    Scope *s = &c->frame->scope;
    c->visits += s->n / 64; // the next visit notices
    for (int i = s->n - 1; i >= 0; i--)
        if (str_eq(s->at[i].name, name)) return &s->at[i].value;
    return NULL;
}

bool scope_set(Checker *c, const Node *at, Str name, const Val *v) {
    Scope *s = &c->frame->scope;
    for (int i = 0; i < s->n; i++)
        if (str_eq(s->at[i].name, name)) {
            s->at[i].value = *v;
            s->at[i].here = true;
            return true;
        }
    if (!checker_spend(c, at, 1 + s->n / 64)) return false;
    if (s->n == s->cap) {
        int cap = s->cap ? 2 * s->cap : 16;
        s->at = MORE(c->arena, Local, s->at, s->n, cap);
        s->cap = cap;
    }
    s->at[s->n++] = (Local){name, *v, true};
    return true;
}

Scope scope_copy(Checker *c, const Scope *s) {
    Scope copy = {NEWN(c->arena, Local, (size_t)s->n + 4), s->n, s->n + 4};
    if (s->n) memcpy(copy.at, s->at, (size_t)s->n * sizeof *copy.at);
    c->visits += s->n / 16; // the next visit notices
    return copy;
}

const Local *scope_local(const Scope *s, Str name) {
    for (int i = 0; i < s->n; i++)
        if (str_eq(s->at[i].name, name)) return &s->at[i];
    return NULL;
}
