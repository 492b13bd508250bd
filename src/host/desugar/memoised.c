// functools.cache and functools.lru_cache above a function of the file's own. Python keeps its results from
// call to call; here it is called anew each time, which nobody can tell apart as long as
//
//   - it is given, and gives, nothing but numbers, texts and the like, which nobody can change;
//   - equal arguments are the same: Python takes 1, 1.0 and True for one key, and would answer for the one
//     with what it has kept for the other;
//   - it has no tensors and launches nothing;
//   - the names that it uses mean what they mean: the file is read to its end.
//
// Anything else is refused. Most of all tensors: a result that was kept is no work done (attacks C17, C18).
#include "host/desugar/desugar.h"
#include "lang/library.h"

// ---- which decorators, before anything looks at the tree

typedef struct {
    bool module, cache, lru_cache; // imported under these names, and nothing else is
} Memos;

static Memos memos_of(Arena *a, const Node *module) {
    Memos m = {0};
    Bindings bound;
    names_of_module(&bound, a, module);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (s->kind != NODE_IMPORT || s->import.dots || library_of(module, s)) continue;
        for (int k = 0; k < s->import.names.n; k++) {
            const Node *alias = s->import.names.at[k];
            Str name = alias->alias.name;
            if (alias->alias.as.len || !bound_once(&bound, name)) continue;
            if (!s->import.from) m.module |= str_is(name, "functools");
            if (!str_is(s->import.module, "functools")) continue;
            m.cache |= str_is(name, "cache");
            m.lru_cache |= str_is(name, "lru_cache");
        }
    }
    return m;
}

// lru_cache(maxsize=None, typed=False): how much is kept makes no difference.
static bool is_settings(const Node *call) {
    const Node *given[2] = {NULL, NULL};
    if (call->call.args.n > 2) return false;
    for (int i = 0; i < call->call.args.n; i++) given[i] = call->call.args.at[i];
    for (int i = 0; i < call->call.keywords.n; i++) {
        const Node *k = call->call.keywords.at[i];
        bool size = str_is(k->keyword.name, "maxsize");
        if ((!size && !str_is(k->keyword.name, "typed")) || given[!size]) return false;
        given[!size] = k->keyword.value;
    }
    const Node *size = given[0], *typed = given[1];
    bool number =
        size && size->kind == NODE_INT && !size->integer.too_big && size->integer.value <= INT64_MAX;
    return (!size || size->kind == NODE_NONE || number) &&
           (!typed || typed->kind == NODE_TRUE || typed->kind == NODE_FALSE);
}

static bool is_memo(const Memos *m, const Node *d) {
    const Node *f = d->kind == NODE_CALL ? d->call.func : d;
    bool member = f->kind == NODE_ATTRIBUTE && node_is_name(f->attribute.value, "functools");
    Str name = member ? f->attribute.name : f->kind == NODE_NAME ? f->name : (Str){0};
    if (str_is(name, "cache")) return d->kind != NODE_CALL && (member ? m->module : m->cache);
    return str_is(name, "lru_cache") && (member ? m->module : m->lru_cache) &&
           (d->kind != NODE_CALL || is_settings(d));
}

// ---- functools.cached_property
//
// A property: computed anew each time, it gives the same, where an object's attributes are set while it is
// made and by nothing else, and where it makes no tensors.

static void find_setting(void *arg, const Node *n) {
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
        *(bool *)arg |= n->assign.targets.at[i]->kind != NODE_NAME;
    *(bool *)arg |= n->kind == NODE_AUGASSIGN || n->kind == NODE_ANNASSIGN || n->kind == NODE_DELETE ||
                    (n->kind == NODE_NAME && (str_is(n->name, "setattr") || str_is(n->name, "delattr")));
    static const char *const changes[] = {"append", "extend", "insert", "pop",  "update",      "setdefault",
                                          "add",    "remove", "clear",  "sort", "move_to_end", "discard"};
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    for (size_t i = 0; f && f->kind == NODE_ATTRIBUTE && i < sizeof changes / sizeof *changes; i++)
        *(bool *)arg |= str_is(f->attribute.name, changes[i]);
    node_each_child(n, find_setting, arg); // a tree's height is bounded
}
static void find_making(void *arg, const Node *n) {
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL, *root = f;
    while (root && root->kind == NODE_ATTRIBUTE) root = root->attribute.value;
    *(bool *)arg |= f && (f->kind == NODE_SUBSCRIPT || node_is_name(root, "torch") ||
                          (f->kind == NODE_ATTRIBUTE &&
                           (str_starts(f->attribute.name, "new_") || str_ends(f->attribute.name, "_like"))));
    // Of names only what is the same in every call.
    static const char *const same[] = {"self", "triton", "math", "min", "max",
                                       "len",  "int",    "bool", "abs", "sum"};
    bool known = n->kind != NODE_NAME;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) known |= node_is_name(n, same[i]);
    *(bool *)arg |= !known;
    if (n->kind == NODE_FUNCTION) { // without what it says of types
        for (int i = 0; i < n->function.body.n; i++) find_making(arg, n->function.body.at[i]);
        return;
    }
    node_each_child(n, find_making, arg);
}

static void keep_properties(const Node *module, const Bindings *bound, const Node *klass) {
    bool sets = false;
    for (int i = 0; i < klass->klass.body.n; i++) {
        const Node *f = klass->klass.body.at[i];
        if (f->kind == NODE_FUNCTION && !str_is(f->function.name, "__init__")) find_setting(&sets, f);
    }
    for (int i = 0; i < klass->klass.body.n && !sets; i++) {
        Node *f = klass->klass.body.at[i];
        bool makes = false;
        if (f->kind != NODE_FUNCTION || f->function.decorators.n != 1 ||
            !is_brought(module, bound, f->function.decorators.at[0], "functools", "cached_property"))
            continue;
        find_making(&makes, f);
        Node *d = f->function.decorators.at[0];
        if (!makes)
            *d = (Node){.kind = NODE_NAME, .span = d->span, .height = d->height, .name = STR("property")};
    }
}

// ---- functools.reduce(operator.mul, sizes, 1): math.prod(sizes)

typedef struct {
    Arena *arena;
    const Node *module;
    const Bindings *bound;
    bool written;
} Reduced;

static bool is_product(const Reduced *r, const Node *f) {
    if (f->kind != NODE_LAMBDA) return is_brought(r->module, r->bound, f, "operator", "mul");
    const Nodes *p = &f->lambda.params;
    const Node *b = f->lambda.body;
    return p->n == 2 && b->kind == NODE_BINARY && b->binary.op == OPER_MUL &&
           b->binary.left->kind == NODE_NAME && b->binary.right->kind == NODE_NAME &&
           str_eq(b->binary.left->name, p->at[0]->param.name) &&
           str_eq(b->binary.right->name, p->at[1]->param.name);
}
static void write_product(void *arg, const Node *n) {
    Reduced *r = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, write_product, arg); // a tree's height is bounded
    if (n->kind != NODE_CALL || n->call.args.n != 3 || n->call.keywords.n ||
        !is_brought(r->module, r->bound, n->call.func, "functools", "reduce") ||
        !is_product(r, n->call.args.at[0]) || n->call.args.at[2]->kind != NODE_INT ||
        n->call.args.at[2]->integer.value != 1)
        return;
    Node *call = tree_of(r->arena, "math.prod(f)\n", n->span), *own = (Node *)(uintptr_t)n;
    if (!call) return;
    own->call.func = call->value->call.func;
    own->call.args = (Nodes){own->call.args.at + 1, 1};
    r->written = true;
}

// Whether `math` is Python's, or may become that.
static bool may_have_math(const Node *module, const Bindings *bound, bool *imported) {
    const Node *alias, *s = module_binding(module, STR("math"), &alias);
    *imported = s && s->kind == NODE_IMPORT && !s->import.from && str_is(alias->alias.name, "math");
    return (*imported && bound_once(bound, STR("math"))) || !names_have(&bound->all, STR("math"));
}
static void products(Arena *a, Node *module, const Bindings *bound) {
    Reduced r = {a, module, bound, false};
    bool imported;
    if (!may_have_math(module, bound, &imported)) return;
    write_product(&r, module);
    Node *import = r.written && !imported ? tree_of(a, "import math\n", module->span) : NULL;
    const Nodes body = module->module.body;
    Nodes out = {NEWN(a, Node *, (size_t)body.n + 1), 0};
    for (int i = 0; import && i < body.n; i++) {
        bool last = body.at[i]->kind == NODE_IMPORT && str_is(body.at[i]->import.module, "__future__");
        if (!last && import->kind == NODE_IMPORT && body.at[i]->kind == NODE_IMPORT) {
            Node *own = NEW(a, Node); // in front of the first other import
            *own = *import;
            out.at[out.n++] = own;
            import->kind = NODE_PASS;
        }
        out.at[out.n++] = body.at[i];
    }
    if (import) module->module.body = out;
}

void memoised_normalize(Arena *a, Node *module) {
    Bindings bound;
    names_of_module(&bound, a, module);
    if (names_have(&bound.all, STR("reduce")) || names_have(&bound.all, STR("functools")))
        products(a, module, &bound);
    for (int i = 0; i < module->module.body.n; i++)
        if (module->module.body.at[i]->kind == NODE_CLASS)
            keep_properties(module, &bound, module->module.body.at[i]);
    Memos m;
    bool any = false;
    for (int i = 0; i < module->module.body.n; i++) {
        Node *f = module->module.body.at[i];
        if (f->kind != NODE_FUNCTION || f->function.decorators.n != 1 || f->function.async ||
            is_jit_function(f))
            continue;
        if (!any) m = memos_of(a, module);
        any = true;
        bool named = true;
        for (int k = 0; k < f->function.params.n; k++) {
            const Node *p = f->function.params.at[k];
            named &= p->param.kind == PARAM_PLAIN || p->param.kind == PARAM_KWONLY ||
                     !p->param.name.len; // a bare *
        }
        // An entry takes tensors.
        if (!named || str_is(f->function.name, "run") || !is_memo(&m, f->function.decorators.at[0])) continue;
        f->function.decorators.n = 0;
        f->function.memo = true;
    }
}
