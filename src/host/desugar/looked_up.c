// A dictionary that is asked first and filled where it has nothing:
//
//     try:                                if key in CACHE.keys():
//         block = CACHE[key]                  block = CACHE[key]
//     except KeyError:                    else:
//         block = CACHE[key] = pick(n)        block = CACHE[key] = pick(n)
//
// Only where nothing but the look-up can raise: one statement, a dictionary under a plain name, a key that
// computes nothing. Lists have no keys(), so that what is no dictionary is an error here as it is not there.
#include "host/desugar/desugar.h"
#include "lang/print.h"

typedef struct {
    Arena *arena;
    const Node *module;
    Bindings bound;
} LookUps;

static bool is_path(const Node *n) {
    while (n->kind == NODE_ATTRIBUTE && !str_starts(n->attribute.name, "__")) n = n->attribute.value;
    return n->kind == NODE_NAME;
}

static bool is_asked(const Node *f) { // x.stride(0): what a tensor says of itself
    static const char *const asked[] = {"stride", "size", "dim", "numel", "element_size", "is_contiguous"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, asked[i]))
            return is_path(f->attribute.value);
    return false;
}

// Evaluated twice, it gives the same twice, and raises no KeyError of its own.
static bool is_plain_key(const LookUps *l, const Node *n) {
    switch (n->kind) {
    case NODE_INT:
    case NODE_STRING:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE: return true;
    case NODE_NAME:
    case NODE_ATTRIBUTE: return is_path(n);
    case NODE_TUPLE:
        for (int i = 0; i < n->items.n; i++)
            if (!is_plain_key(l, n->items.at[i])) return false;
        return true;
    case NODE_SUBSCRIPT: // x.shape[1]
        return n->subscript.value->kind == NODE_ATTRIBUTE &&
               str_is(n->subscript.value->attribute.name, "shape") && is_path(n->subscript.value) &&
               is_plain_key(l, n->subscript.index);
    case NODE_UNARY: return is_plain_key(l, n->unary.operand);
    case NODE_BINARY: return is_plain_key(l, n->binary.left) && is_plain_key(l, n->binary.right);
    case NODE_CALL: {
        const Node *f = n->call.func;
        bool own = node_is_name(f, "str") || node_is_name(f, "int") || node_is_name(f, "tuple") ||
                   node_is_name(f, "len") || node_is_name(f, "min") || node_is_name(f, "max");
        if (n->call.keywords.n || !(is_asked(f) || (own && !names_have(&l->bound.all, f->name))))
            return false;
        for (int i = 0; i < n->call.args.n; i++)
            if (!is_plain_key(l, n->call.args.at[i])) return false;
        return true;
    }
    default: return false;
    }
}

// What `try` looks up: `name = C[key]`, `return C[key]`. NULL for anything else.
static const Node *look_up(const LookUps *l, const Node *t) {
    const Node *s = t->attempt.body.n == 1 ? t->attempt.body.at[0] : NULL, *value = NULL;
    if (s && s->kind == NODE_RETURN) value = s->value;
    if (s && s->kind == NODE_ASSIGN && s->assign.targets.n == 1 && s->assign.targets.at[0]->kind == NODE_NAME)
        value = s->assign.value;
    if (!value || value->kind != NODE_SUBSCRIPT || !is_path(value->subscript.value) ||
        (value->subscript.value->kind == NODE_ATTRIBUTE &&
         str_is(value->subscript.value->attribute.name, "shape")) ||
        !is_plain_key(l, value->subscript.index))
        return NULL;
    return value;
}

static void find_reraise(void *arg, const Node *n) {
    *(bool *)arg |= n->kind == NODE_RAISE && !n->raise.value;
    node_each_child(n, find_reraise, arg); // a tree's height is bounded
}
static void find_name(void *arg, const Node *n) {
    const Node **looked = arg; // [0]: a handler; becomes NULL where its name is used
    if (looked[0] && n->kind == NODE_NAME && str_eq(n->name, looked[0]->handler.name)) looked[0] = NULL;
    node_each_child(n, find_name, arg);
}

// `except KeyError:`; `except KeyError as e:` where e is but the cause of another error.
static bool is_handler(const LookUps *l, const Node *h) {
    bool again = false;
    if (!h->handler.type || !node_is_name(h->handler.type, "KeyError") ||
        names_have(&l->bound.all, STR("KeyError")))
        return false;
    const Nodes *body = &h->handler.body;
    for (int i = 0; i < body->n; i++) find_reraise(&again, body->at[i]);
    if (again) return false;
    if (body->n == 1 && body->at[0]->kind == NODE_RAISE) {
        Node *raise = body->at[0];
        const Node *cause = raise->raise.cause, *unused = h;
        if (h->handler.name.len) find_name(&unused, raise->raise.value);
        if (!unused) return false;
        if (!cause || cause->kind == NODE_NONE ||
            (cause->kind == NODE_NAME && str_eq(cause->name, h->handler.name)))
            return raise->raise.cause = NULL, true;
    }
    return !h->handler.name.len;
}

static bool replaces(void *arg, Node *t, Nodes *out) {
    const LookUps *l = arg;
    if (t->kind != NODE_TRY || t->attempt.handlers.n != 1 || t->attempt.final.n) return false;
    const Node *value = look_up(l, t), *h = t->attempt.handlers.at[0];
    if (!value || !is_handler(l, h)) return false;
    Buf key = BUF(l->arena), of = BUF(l->arena);
    print_node(&key, value->subscript.index);
    print_node(&of, value->subscript.value);
    const Nodes *more = &t->attempt.otherwise, *instead = &h->handler.body;
    bool raises = instead->n > 0 && instead->at[instead->n - 1]->kind == NODE_RAISE;
    Node *s = tree_of(l->arena,
                      arena_printf(l->arena,
                                   raises ? "if (%s) not in %s.keys():\n    pass\n"
                                          : "if (%s) in %s.keys():\n    pass\nelse:\n    pass\n",
                                   buf_cstr(&key), buf_cstr(&of)),
                      t->span);
    if (!s) return false;
    if (raises) { // then what was looked up follows
        s->branch.then = *instead;
        if (s->height < t->height) s->height = t->height;
        *out = (Nodes){NEWN(l->arena, Node *, (size_t)more->n + 2), 0};
        out->at[out->n++] = s;
        out->at[out->n++] = t->attempt.body.at[0];
        for (int i = 0; i < more->n; i++) out->at[out->n++] = more->at[i];
        return true;
    }
    s->branch.then = (Nodes){NEWN(l->arena, Node *, (size_t)more->n + 1), 0};
    s->branch.then.at[s->branch.then.n++] = t->attempt.body.at[0];
    for (int i = 0; i < more->n; i++) s->branch.then.at[s->branch.then.n++] = more->at[i];
    s->branch.otherwise = h->handler.body;
    if (s->height < t->height) s->height = t->height;
    *out = (Nodes){NEWN(l->arena, Node *, 1), 1};
    out->at[0] = s;
    return true;
}

void look_ups_normalize(Arena *a, Node *module) {
    LookUps l = {.arena = a, .module = module};
    names_of_module(&l.bound, a, module);
    statements_replace(a, module, replaces, &l);
}
