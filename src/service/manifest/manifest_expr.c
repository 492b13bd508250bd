// Expressions of a manifest: parsed by our parser, of few kinds, and printed again from the tree, so that no
// text of a manifest is ever pasted into a program.
#include "service/manifest/manifest.h"

#include <stdarg.h>
#include <stdio.h>

enum { EXPR_MAX = 1000 }; // bytes

typedef struct {
    Arena *arena;
    const ManifestNames *names;
    const char *why;
} Walk;

static bool shapes_only(Walk *w, const Node *n);

static const ManifestName *name_find(const ManifestNames *names, Str name) {
    for (int i = 0; i < names->n; i++)
        if (str_eq(names->at[i].name, name)) return &names->at[i];
    return NULL;
}

PRINTF(2, 3) static bool says(Walk *w, const char *fmt, ...) {
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!w->why) w->why = arena_strndup(w->arena, text, strlen(text));
    return false;
}

#define IS_ONE_OF(s, list) str_is_any(s, list, sizeof(list) / sizeof *(list))

static bool all(Walk *w, const Nodes *list) {
    for (int i = 0; i < list->n; i++)
        if (!shapes_only(w, list->at[i])) return false;
    return true;
}

// x.contiguous().view(M, -1)
static bool tensor_only(Walk *w, const Node *n) {
    static const char *const views[] = {"contiguous", "view", "reshape"};
    if (n->kind == NODE_NAME) {
        const ManifestName *name = name_find(w->names, n->name);
        return name && name->kind == NAME_TENSOR;
    }
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_ATTRIBUTE || n->call.keywords.n) return false;
    const Node *f = n->call.func;
    return IS_ONE_OF(f->attribute.name, views) && tensor_only(w, f->attribute.value) && all(w, &n->call.args);
}

static bool is_dtype(Str name) {
    static const char *const more[] = {"half", "float", "int1", "fp16", "bf16"};
    if (IS_ONE_OF(name, more)) return true;
    for (int t = 0; t < DT_COUNT; t++)
        if (str_is(name, dtype_info[t].torch) || str_is(name, dtype_info[t].triton)) return true;
    return false;
}

static bool is_module(const Node *n, const char *name) { return node_is_name(n, name); }

// x.shape, torch.float32, math.pi
static bool attribute(Walk *w, const Node *n) {
    static const char *const facts[] = {"shape", "dtype", "ndim"};
    static const char *const numbers[] = {"pi", "e", "inf"};
    Str name = n->attribute.name;
    const Node *of = n->attribute.value;
    if ((is_module(of, "torch") || is_module(of, "tl")) && is_dtype(name)) return true;
    if (is_module(of, "math") && IS_ONE_OF(name, numbers)) return true;
    if (IS_ONE_OF(name, facts) && tensor_only(w, of)) return true;
    return says(w,
                "\".%.*s\" is neither a fact of a tensor's shape (.shape .dtype .ndim) nor a dtype such as "
                "torch.float32",
                STR_ARG(name));
}

static bool call(Walk *w, const Node *n) {
    static const char *const plain[] = {"min", "max", "abs", "int", "float", "bool", "len", "round", "sum"};
    static const char *const facts[] = {"stride",       "size",          "numel",   "dim",
                                        "element_size", "is_contiguous", "nelement"};
    static const char *const triton[] = {"cdiv", "next_power_of_2"};
    static const char *const math[] = {"sqrt", "exp", "log", "log2", "pow", "floor", "ceil", "prod", "gcd"};
    const Node *f = n->call.func;
    if (n->call.keywords.n) return says(w, "calls take no keywords here");
    if (f->kind == NODE_NAME) {
        if (!IS_ONE_OF(f->name, plain) || name_find(w->names, f->name))
            return says(w, "\"%.*s\" is not a function that shapes are computed with", STR_ARG(f->name));
        return all(w, &n->call.args);
    }
    if (f->kind != NODE_ATTRIBUTE) return says(w, "only named functions are called");
    Str name = f->attribute.name;
    const Node *of = f->attribute.value;
    bool known = (is_module(of, "triton") && IS_ONE_OF(name, triton)) ||
                 (is_module(of, "math") && IS_ONE_OF(name, math)) ||
                 (IS_ONE_OF(name, facts) && tensor_only(w, of));
    return known ? all(w, &n->call.args)
                 : says(w, "\".%.*s()\" is not a function that shapes are computed with", STR_ARG(name));
}

static bool named(Walk *w, const Node *n) {
    const ManifestName *name = name_find(w->names, n->name);
    if (!name)
        return says(w, "\"%.*s\" is no input, tensor or value that is known at this place", STR_ARG(n->name));
    if (name->kind == NAME_TENSOR)
        return says(w, "\"%.*s\" is a tensor; only its shape, strides and dtype count here",
                    STR_ARG(n->name));
    if (name->kind == NAME_META) return says(w, "\"%.*s\" is used as META[\"NAME\"]", STR_ARG(n->name));
    return true;
}

static bool subscript(Walk *w, const Node *n) {
    const Node *of = n->subscript.value, *index = n->subscript.index;
    if (of->kind == NODE_NAME) {
        const ManifestName *name = name_find(w->names, of->name);
        if (name && name->kind == NAME_META)
            return index->kind == NODE_STRING || says(w, "META is indexed by a text");
    }
    return shapes_only(w, of) && shapes_only(w, index);
}

static bool shapes_only(Walk *w, const Node *n) {
    switch (n->kind) {
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE: return true;
    case NODE_STRING: return !n->string.bytes || says(w, "bytes are no expression of shapes");
    case NODE_NAME: return named(w, n);
    case NODE_ATTRIBUTE: return attribute(w, n);
    case NODE_CALL: return call(w, n);
    case NODE_TUPLE: return all(w, &n->items);
    case NODE_UNARY: return shapes_only(w, n->unary.operand);
    case NODE_BINARY: return shapes_only(w, n->binary.left) && shapes_only(w, n->binary.right);
    case NODE_BOOLOP: return all(w, &n->boolop.items);
    case NODE_COMPARE: return shapes_only(w, n->compare.left) && all(w, &n->compare.rest);
    case NODE_IFEXP:
        return shapes_only(w, n->ifexp.cond) && shapes_only(w, n->ifexp.then) &&
               shapes_only(w, n->ifexp.otherwise);
    case NODE_SUBSCRIPT: return subscript(w, n);
    case NODE_SLICE:
        return (!n->slice.lo || shapes_only(w, n->slice.lo)) &&
               (!n->slice.hi || shapes_only(w, n->slice.hi)) &&
               (!n->slice.step || shapes_only(w, n->slice.step));
    default: return says(w, "it is not shape arithmetic");
    }
}

// The one expression that the text is, or NULL.
static const Node *one_expression(Arena *a, Str text, const char **why) {
    if (text.len > EXPR_MAX) {
        *why = arena_printf(a, "an expression has at most %d bytes", EXPR_MAX);
        return NULL;
    }
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.p[i] < ' ' || (unsigned char)text.p[i] > '~') {
            *why = "an expression is one line of plain ASCII";
            return NULL;
        }
    DiagList d = DIAGS(a);
    const Node *module = parse_module(a, str_dup(a, text), &d);
    if (module && module->module.body.n == 1 && module->module.body.at[0]->kind == NODE_EXPRSTMT)
        return module->module.body.at[0]->value;
    const Diag *first = diag_first(&d);
    *why = first && !module ? first->msg : "it is not one expression";
    return NULL;
}

const char *manifest_expr(Arena *a, Str text, const ManifestNames *names, bool tensor, Buf *out) {
    Walk w = {.arena = a, .names = names};
    const Node *n = one_expression(a, text, &w.why);
    if (!n) return w.why;
    if (!(tensor && tensor_only(&w, n))) {
        w.why = NULL;
        if (!shapes_only(&w, n)) return w.why;
    }
    bool atom = n->kind == NODE_NAME || n->kind == NODE_ATTRIBUTE || n->kind == NODE_CALL;
    if (!atom) buf_putc(out, '(');
    print_node(out, n);
    if (!atom) buf_putc(out, ')');
    return NULL;
}

bool manifest_identifier(Arena *a, Str text) {
    enum { NAME_MAX_BYTES = 64 };
    const char *why;
    if (!text.len || text.len > NAME_MAX_BYTES || str_starts(text, "__")) return false;
    const Node *n = one_expression(a, text, &why);
    return n && n->kind == NODE_NAME && str_eq(n->name, text);
}
