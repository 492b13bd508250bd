// Questions whose answer is No wherever a kernel is judged, because no value here is of such a class: tensors
// that are spread over devices, which a file imports the class of (TYPE rows of foreign.def), and complex
// numbers. isinstance() of them is False; what stands under such a condition alone is left out, so that
// nobody looks for a meaning of it. So is what a file does without a GPU, or without Triton: x.is_cuda and
// flags that the module binds to a truth, once.
#include "host/normalize/normalize.h"

typedef struct {
    Arena *arena;
    const Names *types;
    bool complex; // Python's own
    bool changed;
    const Node *module;    // with the following: of facts_normalize()
    const Bindings *bound; // or NULL
    bool gpu;              // every tensor of the file is on one
} Answers;

// The tree is this process's own and has not been shown to anybody yet.
static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; }
static void becomes(Answers *a, const Node *n, bool truth) {
    *mine(n) = (Node){.kind = truth ? NODE_TRUE : NODE_FALSE, .span = n->span, .height = n->height};
    a->changed = true;
}
static void becomes_other(Answers *a, const Node *n, const Node *other) {
    uint16_t height = n->height;
    *mine(n) = *other;
    mine(n)->height = height;
    a->changed = true;
}

static bool is_such(const Answers *a, const Node *n) {
    Buf path = BUF(a->arena);
    if (n->kind == NODE_ATTRIBUTE) return node_dotted(n, &path) && foreign_type(buf_str(&path));
    return n->kind == NODE_NAME &&
           (names_have(a->types, n->name) || (a->complex && node_is_name(n, "complex")));
}
static bool is_isinstance(const Node *n) {
    return n->kind == NODE_CALL && node_is_name(n->call.func, "isinstance") && n->call.args.n == 2 &&
           !n->call.keywords.n && n->call.args.at[0]->kind == NODE_NAME;
}

// isinstance(x, DTensor); of several classes these go.
static void answer_instance(Answers *a, const Node *n) {
    Node *of = n->call.args.at[1];
    if (is_such(a, of)) return becomes(a, n, false);
    int kept = 0;
    for (int i = 0; of->kind == NODE_TUPLE && i < of->items.n; i++) kept += !is_such(a, of->items.at[i]);
    if (of->kind != NODE_TUPLE || kept == of->items.n) return;
    if (!kept) return becomes(a, n, false);
    Nodes *items = &of->items;
    int k = 0;
    for (int i = 0; i < items->n; i++)
        if (!is_such(a, items->at[i])) items->at[k++] = items->at[i];
    items->n = k;
    a->changed = true;
}

// isinstance(x, torch.Tensor) and x.is_complex()
static bool asks_complex(const Node *first, const Node *then) {
    const Node *f = then->kind == NODE_CALL ? then->call.func : then;
    return is_isinstance(first) && then->kind == NODE_CALL && f->kind == NODE_ATTRIBUTE &&
           str_is(f->attribute.name, "is_complex") && !then->call.args.n && !then->call.keywords.n &&
           f->attribute.value->kind == NODE_NAME &&
           str_eq(f->attribute.value->name, first->call.args.at[0]->name);
}

static bool is_still(const Node *n) { // that nobody notices whether it is evaluated
    return n->kind == NODE_TRUE || n->kind == NODE_FALSE || n->kind == NODE_NONE || is_isinstance(n);
}

static void fold_boolean(Answers *a, const Node *n) {
    bool and = n->boolop.op == OPER_AND, still = true;
    Nodes *items = &mine(n)->boolop.items;
    for (int i = 0; and&&i + 1 < items->n; i++)
        if (asks_complex(items->at[i], items->at[i + 1])) becomes(a, items->at[i + 1], false);
    for (int i = 0; i < items->n; i++) {
        const Node *item = items->at[i];
        bool ends = item->kind == (and? NODE_FALSE : NODE_TRUE),
             skips = item->kind == (and? NODE_TRUE : NODE_FALSE);
        if (ends && still) return becomes(a, n, !and);
        still &= is_still(item);
        if (!skips || items->n == 1 || i + 1 == items->n) continue; // the last one is the value
        memmove(items->at + i, items->at + i + 1, sizeof *items->at * (size_t)(items->n - i - 1));
        items->n--, i--;
        a->changed = true;
    }
    // Of `x or False` only the truth counts where a condition asks; elsewhere it stays.
    if (items->n == 1) becomes_other(a, n, items->at[0]);
}

// x is None, of a class that was imported.
static void answer_none(Answers *a, const Node *n) {
    Oper op = n->compare.ops[0];
    if (n->compare.rest.n == 1 && n->compare.rest.at[0]->kind == NODE_NONE &&
        n->compare.left->kind == NODE_NAME && names_have(a->types, n->compare.left->name) &&
        (op == OPER_IS || op == OPER_ISNOT))
        becomes(a, n, op == OPER_ISNOT);
}

// ---- a GPU, and flags

// torch.empty(n, device=x.device): where a tensor is made says where; nothing of the file is elsewhere.
static void find_elsewhere(void *arg, const Node *n) {
    static const char *const makes[] = {"empty",   "zeros",     "ones",          "full",
                                        "tensor",  "arange",    "rand",          "randn",
                                        "randint", "as_tensor", "empty_strided", "linspace"};
    bool *found = arg;
    if (n->kind == NODE_EXPRSTMT && n->value->kind == NODE_STRING) return;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    if (n->kind == NODE_STRING)
        *found |= str_starts(n->string.text, "cpu") || str_starts(n->string.text, "meta");
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    if (f && f->kind == NODE_ATTRIBUTE) {
        *found |= str_is(f->attribute.name, "cpu");
        bool device = !node_is_name(f->attribute.value, "torch");
        for (int i = 0; i < n->call.keywords.n; i++)
            device |= str_is(n->call.keywords.at[i]->keyword.name, "device") ||
                      !n->call.keywords.at[i]->keyword.name.len;
        for (size_t i = 0; !device && i < sizeof makes / sizeof *makes; i++)
            *found |= str_is(f->attribute.name, makes[i]);
    }
    node_each_child(n, find_elsewhere, arg); // a tree's height is bounded
}

// x.is_cuda; x.device.type == "cuda"
static void answer_gpu(Answers *a, const Node *n) {
    if (n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "is_cuda") &&
        n->attribute.value->kind == NODE_NAME)
        return becomes(a, n, true);
    const Node *left = n->kind == NODE_COMPARE && n->compare.rest.n == 1 ? n->compare.left : NULL;
    if (!left || left->kind != NODE_ATTRIBUTE || !str_is(left->attribute.name, "type") ||
        left->attribute.value->kind != NODE_ATTRIBUTE ||
        !str_is(left->attribute.value->attribute.name, "device") ||
        left->attribute.value->attribute.value->kind != NODE_NAME ||
        n->compare.rest.at[0]->kind != NODE_STRING)
        return;
    bool cuda = str_is(n->compare.rest.at[0]->string.text, "cuda");
    Oper op = n->compare.ops[0];
    if (op == OPER_EQ || op == OPER_NE) becomes(a, n, cuda == (op == OPER_EQ));
}

static void answer_flag(Answers *a, const Node *n) {
    if (memchr(n->name.p, ' ', n->name.len)) return; // of an `if` of the module: both halves are tried
    const Node *alias, *s = bound_once(a->bound, n->name) ? module_binding(a->module, n->name, &alias) : NULL;
    const Node *v = s && s->kind == NODE_ASSIGN && s->assign.targets.n == 1 &&
                            s->assign.targets.at[0]->kind == NODE_NAME && n != s->assign.targets.at[0]
                        ? s->assign.value
                        : NULL;
    if (v && (v->kind == NODE_TRUE || v->kind == NODE_FALSE)) becomes(a, n, v->kind == NODE_TRUE);
}

// Only in conditions: elsewhere a name is a name.
static void answer_facts(Answers *a, const Node *n) {
    if (a->gpu) answer_gpu(a, n);
    if (n->kind == NODE_NAME) answer_flag(a, n);
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT) answer_facts(a, n->unary.operand);
    for (int i = 0; n->kind == NODE_BOOLOP && i < n->boolop.items.n; i++)
        answer_facts(a, n->boolop.items.at[i]);
}

static void fold(void *arg, const Node *n) {
    Answers *a = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    if (a->bound && n->kind == NODE_IF) answer_facts(a, n->branch.cond);
    if (a->bound && n->kind == NODE_IFEXP) answer_facts(a, n->ifexp.cond);
    node_each_child(n, fold, arg); // a tree's height is bounded
    if (is_isinstance(n)) answer_instance(a, n);
    if (n->kind == NODE_COMPARE) answer_none(a, n);
    if (n->kind == NODE_BOOLOP) fold_boolean(a, n);
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT &&
        (n->unary.operand->kind == NODE_FALSE || n->unary.operand->kind == NODE_TRUE))
        becomes(a, n, n->unary.operand->kind == NODE_FALSE);
}

// ---- what follows

// Behind an `if` that always returns nothing is reached.
static void end_block(Answers *a, Nodes *body) {
    for (int i = 0; i + 1 < body->n; i++) {
        const Node *s = body->at[i];
        const Nodes *then = s->kind == NODE_IF ? &s->branch.then : NULL;
        if (!then || s->branch.cond->kind != NODE_TRUE || !then->n ||
            (then->at[then->n - 1]->kind != NODE_RETURN && then->at[then->n - 1]->kind != NODE_RAISE))
            continue;
        body->n = i + 1;
        a->changed = true;
    }
}

static void cut(void *arg, const Node *n) {
    Answers *a = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, cut, arg);
    if (a->bound && n->kind == NODE_FUNCTION) end_block(a, &mine(n)->function.body);
    if (a->bound && n->kind == NODE_IF && n->branch.cond->kind == NODE_TRUE && n->branch.otherwise.n) {
        mine(n)->branch.otherwise.n = 0;
        a->changed = true;
    }
    if (n->kind == NODE_IFEXP && (n->ifexp.cond->kind == NODE_FALSE || n->ifexp.cond->kind == NODE_TRUE))
        becomes_other(a, n, n->ifexp.cond->kind == NODE_TRUE ? n->ifexp.then : n->ifexp.otherwise);
    if (n->kind != NODE_IF) return;
    Node *s = mine(n);
    const Node *cond = n->branch.cond;
    bool never = false; // x and False: x is still asked
    for (int i = 0; cond->kind == NODE_BOOLOP && cond->boolop.op == OPER_AND && i < cond->boolop.items.n; i++)
        never |= cond->boolop.items.at[i]->kind == NODE_FALSE;
    if (never)
        for (int i = 0; i < s->branch.then.n; i++)
            *s->branch.then.at[i] =
                (Node){.kind = NODE_PASS, .span = s->branch.then.at[i]->span, .height = 1};
    if (cond->kind != NODE_FALSE) return;
    a->changed = true;
    if (!n->branch.otherwise.n) {
        *s = (Node){.kind = NODE_PASS, .span = n->span, .height = 1};
        return;
    }
    s->branch.then = n->branch.otherwise;
    s->branch.otherwise = (Nodes){0};
    s->branch.cond->kind = NODE_TRUE;
}

typedef struct {
    Arena *arena;
    Str name;
    int binds;
    bool read; // some read of it became False
} Local;
static void count_binds(void *arg, const Node *n) {
    Local *l = arg;
    Str name = n->kind == NODE_FUNCTION ? n->function.name
               : n->kind == NODE_CLASS  ? n->klass.name
               : n->kind == NODE_WALRUS ? n->walrus.name
               : n->kind == NODE_PARAM  ? n->param.name
                                        : (Str){0};
    l->binds += name.len && str_eq(name, l->name);
    // A target is a name like any other: it is counted where it stands.
    l->binds += 2 * (n->kind == NODE_GLOBAL || n->kind == NODE_DELETE || n->kind == NODE_IMPORT);
    node_each_child(n, count_binds, arg);
}
static void count_targets(void *arg, const Node *n) {
    Local *l = arg;
    const Node *t = n->kind == NODE_AUGASSIGN   ? n->augassign.target
                    : n->kind == NODE_ANNASSIGN ? n->annassign.target
                    : n->kind == NODE_FOR       ? n->loop.target
                    : n->kind == NODE_COMPFOR   ? n->compfor.target
                    : n->kind == NODE_WITHITEM  ? n->withitem.target
                                                : NULL;
    Nodes one = {(Node *[]){mine(t)}, t != NULL}, targets = n->kind == NODE_ASSIGN ? n->assign.targets : one;
    for (int i = 0; i < targets.n; i++) {
        Names names = {.arena = l->arena};
        names_of_target(&names, targets.at[i], 0);
        l->binds += names_have(&names, l->name);
    }
    node_each_child(n, count_targets, arg);
}
static void read_false(void *arg, const Node *n) {
    Local *l = arg;
    node_each_child(n, read_false, arg);
    if (n->kind != NODE_NAME || !str_eq(n->name, l->name)) return;
    *mine(n) = (Node){.kind = NODE_FALSE, .span = n->span, .height = n->height};
    l->read = true;
}

// `spread = isinstance(x, DTensor)`, the only time that a function binds the name: False from there on.
static void follow(Answers *a, const Node *f) {
    const Nodes *body = &f->function.body;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 ||
            s->assign.targets.at[0]->kind != NODE_NAME || s->assign.value->kind != NODE_FALSE)
            continue;
        Local l = {.arena = a->arena, .name = s->assign.targets.at[0]->name};
        node_each_child(f, count_binds, &l);
        node_each_child(f, count_targets, &l);
        if (l.binds != 1) continue;
        for (int k = i + 1; k < body->n; k++) read_false(&l, body->at[k]);
        a->changed |= l.read;
    }
}
static void follow_all(void *arg, const Node *n) {
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, follow_all, arg);
    if (n->kind == NODE_FUNCTION) follow(arg, n);
}

bool facts_normalize(Arena *arena, Node *module) {
    enum { ROUNDS = 8 };
    Bindings bound;
    Names none = {.arena = arena};
    bool elsewhere = false;
    names_of_module(&bound, arena, module);
    find_elsewhere(&elsewhere, module);
    Answers a = {.arena = arena, .types = &none, .module = module, .bound = &bound, .gpu = !elsewhere};
    a.complex = !names_have(&bound.all, STR("complex"));
    for (int i = 0; i < module->module.body.n; i++) // what the module decides is not asked here
        if (module->module.body.at[i]->kind != NODE_IF) fold(&a, module->module.body.at[i]);
    bool any = a.changed;
    for (int i = 0; a.changed && i < ROUNDS; i++) {
        a.changed = false;
        for (int k = 0; k < module->module.body.n; k++)
            if (module->module.body.at[k]->kind != NODE_IF) cut(&a, module->module.body.at[k]);
        for (int k = 0; k < module->module.body.n; k++)
            if (module->module.body.at[k]->kind != NODE_IF) fold(&a, module->module.body.at[k]);
    }
    return any;
}

// torch.is_tensor(x): isinstance(x, torch.Tensor)
static void write_isinstance(void *arg, const Node *n) {
    Buf path = BUF(arg);
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, write_isinstance, arg); // a tree's height is bounded
    if (n->kind != NODE_CALL || n->call.args.n != 1 || n->call.keywords.n ||
        !node_dotted(n->call.func, &path) || !str_is(buf_str(&path), "torch.is_tensor"))
        return;
    Node *call = tree_of(arg, "isinstance(f, torch.Tensor)\n", n->span);
    if (!call) return;
    call->value->call.args.at[0] = n->call.args.at[0];
    mine(n)->call = call->value->call;
    if (n->height < 3) mine(n)->height = 3;
}

void types_normalize(Arena *arena, Node *module, const Names *types) {
    enum { ROUNDS = 8 };
    Bindings bound;
    Answers a = {.arena = arena, .types = types};
    names_of_module(&bound, arena, module);
    if (!names_have(&bound.all, STR("isinstance"))) write_isinstance(arena, module);
    a.complex = !names_have(&bound.all, STR("complex"));
    node_each_child(module, fold, &a);
    if (!a.changed) return;
    for (int i = 0; a.changed && i < ROUNDS; i++) {
        a.changed = false;
        node_each_child(module, cut, &a);
        node_each_child(module, follow_all, &a);
        node_each_child(module, fold, &a);
    }
}
