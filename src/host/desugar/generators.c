// Functions with `yield` whose results are gone through at once, as functions that give a list:
//
//     def configs():                          def configs():
//         for block in (256, 512):                made = []
//             yield Config({"B": block})          for block in (256, 512):
//                                                     made.append(Config({"B": block}))
//                                                 return made
//
// Only where every call stands in a `for`, in list() and its like, or behind a star, so that nobody sees how
// far one has come; and where it comes to an end.
#include "host/desugar/desugar.h"

static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; } // the tree is this process's own

typedef struct {
    int yields, statements; // all of them, and those that are statements
    // What a list could not do: results of a yield or a return, loops without an end, changes that only who
    // goes on asking comes to.
    bool other;
} Look;

// range(n), itertools.product(...), triton.Config(...): of Python's own and of modules, not of the file.
static bool is_plain_call(const Node *f) {
    static const char *const own[] = {"range",     "list",   "tuple", "min", "max", "len", "int", "zip",
                                      "enumerate", "sorted", "dict",  "set", "str", "abs", "sum", "product"};
    static const char *const roots[] = {"triton", "tl", "itertools", "math"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (node_is_name(f, own[i])) return true;
    const Node *root = f;
    while (root->kind == NODE_ATTRIBUTE) root = root->attribute.value;
    for (size_t i = 0; f->kind == NODE_ATTRIBUTE && i < sizeof roots / sizeof *roots; i++)
        if (node_is_name(root, roots[i])) return true;
    return node_is_name(f, "Config");
}
static bool is_name_alone(const Node *t) {
    if (t->kind != NODE_TUPLE) return t->kind == NODE_NAME;
    for (int i = 0; i < t->items.n; i++)
        if (t->items.at[i]->kind != NODE_NAME) return false;
    return true;
}
static void look(void *arg, const Node *n) {
    Look *l = arg;
    l->yields += n->kind == NODE_YIELD;
    l->statements += n->kind == NODE_EXPRSTMT && n->value->kind == NODE_YIELD && n->value->yield.value;
    l->other |= (n->kind == NODE_RETURN && n->value) || n->kind == NODE_AWAIT || n->kind == NODE_WHILE ||
                n->kind == NODE_TRY || n->kind == NODE_GLOBAL || n->kind == NODE_DELETE ||
                n->kind == NODE_WITH || (n->kind == NODE_CALL && !is_plain_call(n->call.func)) ||
                (n->kind == NODE_AUGASSIGN && n->augassign.target->kind != NODE_NAME) ||
                (n->kind == NODE_ANNASSIGN && n->annassign.target->kind != NODE_NAME);
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
        l->other |= !is_name_alone(n->assign.targets.at[i]);
    if (n->kind != NODE_FUNCTION && n->kind != NODE_LAMBDA) node_each_child(n, look, arg);
}
static bool is_generator(const Node *f) {
    Look l = {0};
    if (f->kind != NODE_FUNCTION || f->function.async || f->function.decorators.n || is_jit_function(f))
        return false;
    for (int i = 0; i < f->function.body.n; i++) look(&l, f->function.body.at[i]);
    return l.yields > 0 && l.yields == l.statements && !l.other;
}

typedef struct {
    Str name;
    int mentions, through; // through: where all of it is gone through at once
} Uses;
static bool is_call_of(const Uses *u, const Node *n) {
    return n && n->kind == NODE_CALL && n->call.func->kind == NODE_NAME &&
           str_eq(n->call.func->name, u->name);
}
static void count(void *arg, const Node *n) {
    static const char *const whole[] = {"list", "tuple", "sorted", "set", "len", "sum", "max", "min"};
    Uses *u = arg;
    u->mentions += n->kind == NODE_NAME && str_eq(n->name, u->name);
    u->through += (n->kind == NODE_FOR && is_call_of(u, n->loop.iter)) ||
                  (n->kind == NODE_COMPFOR && is_call_of(u, n->compfor.iter)) ||
                  (n->kind == NODE_STARRED && is_call_of(u, n->value)) ||
                  (n->kind == NODE_YIELD && n->yield.from && is_call_of(u, n->yield.value));
    for (size_t i = 0; n->kind == NODE_CALL && n->call.args.n && i < sizeof whole / sizeof *whole; i++)
        u->through += node_is_name(n->call.func, whole[i]) && is_call_of(u, n->call.args.at[0]);
    node_each_child(n, count, arg); // a tree's height is bounded
}

typedef struct {
    Arena *arena;
    Str name;
} List;
static void put(void *arg, const Node *n) {
    const List *l = arg;
    if (n->kind == NODE_FUNCTION || n->kind == NODE_LAMBDA) return;
    node_each_child(n, put, arg);
    if (n->kind == NODE_RETURN && !n->value) {
        Node *s = tree_of(l->arena, "f\n", n->span);
        if (s) mine(n)->value = s->value, s->value->name = l->name;
        if (n->height < 2) mine(n)->height = 2;
    }
    if (n->kind != NODE_EXPRSTMT || n->value->kind != NODE_YIELD) return;
    const Node *y = n->value;
    Node *s = tree_of(l->arena, y->yield.from ? "f.extend(f)\n" : "f.append(f)\n", n->span);
    if (!s) return;
    s->value->call.func->attribute.value->name = l->name;
    s->value->call.args.at[0] = y->yield.value;
    s->value->height = (uint16_t)(y->yield.value->height + 2);
    if (n->height < s->value->height + 1) mine(n)->height = (uint16_t)(s->value->height + 1);
    mine(n)->value = s->value;
}

static void rewrite(Arena *a, Node *f) {
    List l = {a, STR("made")};
    Names used = {.arena = a};
    names_of_block(&used, &f->function.body, 0);
    names_of_params(&used, &f->function.params);
    for (int i = 0; names_have(&used, l.name); i++) l.name = str_of(arena_printf(a, "made_%d", i));
    const Nodes body = f->function.body;
    Node *first = tree_of(a, "f = []\n", f->span), *last = tree_of(a, "def f():\n    return f\n", f->span);
    if (!first || !last) return;
    for (int i = 0; i < body.n; i++) put(&l, body.at[i]);
    Nodes out = {NEWN(a, Node *, (size_t)body.n + 2), 0};
    first->assign.targets.at[0]->name = l.name;
    out.at[out.n++] = first;
    for (int i = 0; i < body.n; i++) out.at[out.n++] = body.at[i];
    out.at[out.n++] = last->function.body.at[0];
    out.at[out.n - 1]->value->name = l.name;
    f->function.body = out;
    f->height = (uint16_t)(f->height + 3);
}

void generators_normalize(Arena *a, Node *module) {
    Bindings bound;
    bool learnt = false;
    for (int i = 0; i < module->module.body.n; i++) {
        Node *f = module->module.body.at[i];
        if (!is_generator(f)) continue;
        if (!learnt) names_of_module(&bound, a, module);
        learnt = true;
        Uses u = {.name = f->function.name};
        count(&u, module);
        if (u.mentions > 0 && u.mentions == u.through && bound_once(&bound, f->function.name)) rewrite(a, f);
    }
}
