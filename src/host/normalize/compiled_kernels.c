// A kernel that is compiled first, asked for its size, and launched then, as Triton's tutorial of softmax
// does:
//
//     kernel = softmax.warmup(y, x, n, BLOCK=BLOCK, grid=(1,))      n_regs = 32, and elsewhere 64 or 16
//     kernel._init_handles()                                        softmax[(programs,)](y, x, n,
//     BLOCK=BLOCK) n_regs = kernel.n_regs kernel[(programs,)](y, x, n)
//
// How many registers and how much shared memory a kernel takes is the compiler's to say, and who writes a
// kernel knows the answer, which we do not. So what is made of it may only be a grid, by sizes_stay_grids():
// more of a kernel makes a grid smaller or larger throughout, and three answers, by which device it is, show
// both ends. Only in the function that compiles it, and with the same arguments: what is compiled is made for
// those.
#include "host/normalize/normalize.h"
#include "lang/print.h"

static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; } // the tree is this process's own

typedef struct {
    Arena *arena;
    Str name;           // kernel
    const Node *warmup; // the call
    const Node *kernel; // the function
    int uses, known;    // of the name; those that are read
} Compiled;

static bool is_it(const Compiled *c, const Node *n) {
    return n->kind == NODE_NAME && str_eq(n->name, c->name);
}

static bool is_init(const Compiled *c, const Node *n) {
    const Node *f = n->kind == NODE_EXPRSTMT && n->value->kind == NODE_CALL ? n->value->call.func : NULL;
    return f && f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "_init_handles") &&
           is_it(c, f->attribute.value);
}

// kernel.n_regs; kernel.metadata.shared
static const char *answer_of(const Compiled *c, const Node *n) {
    if (n->kind != NODE_ATTRIBUTE) return NULL;
    const Node *of = n->attribute.value;
    if (str_is(n->attribute.name, "n_regs") && is_it(c, of))
        return "f = 32 if torch.cuda.get_device_properties(0).multi_processor_count == 132 else "
               "64 if torch.cuda.get_device_properties(0).multi_processor_count > 90 else 16\n";
    if (str_is(n->attribute.name, "shared") && of->kind == NODE_ATTRIBUTE &&
        str_is(of->attribute.name, "metadata") && is_it(c, of->attribute.value))
        return "f = 1024 if torch.cuda.get_device_properties(0).multi_processor_count == 132 else "
               "131072 if torch.cuda.get_device_properties(0).multi_processor_count > 90 else 16\n";
    return NULL;
}

// ---- what becomes of these numbers

// How a number follows from the registers or the shared memory of a kernel: UP, it grows with them; DOWN, it
// gets smaller; FIXED, it does not; MIXED, neither is sure.
typedef enum { FIXED, UP, DOWN, MIXED } Way;
typedef struct {
    const Compiled *c;
    const Node *module, *function;
    Names up, down;
    Way grids; // of all launches
    bool found;
} Ways;

static Way way_of(Ways *w, const Node *n);

static void find_sized(void *arg, const Node *n) {
    Ways *w = arg;
    bool sized = answer_of(w->c, n) ||
                 (n->kind == NODE_NAME && (names_have(&w->up, n->name) || names_have(&w->down, n->name)));
    if (sized) w->found = true;
    node_each_child(n, find_sized, arg); // a tree's height is bounded
}
static bool is_sized(const Ways *w, const Node *n) {
    Ways look = *w;
    look.found = false;
    if (n) find_sized(&look, n);
    return look.found;
}

// Whether something of the file could give a member of this name another meaning.
typedef struct {
    Str name;
    bool found;
} Own;
static void find_own(void *arg, const Node *n) {
    Own *o = arg;
    Str name = n->kind == NODE_FUNCTION  ? n->function.name
               : n->kind == NODE_PARAM   ? n->param.name
               : n->kind == NODE_KEYWORD ? n->keyword.name
               : n->kind == NODE_STRING  ? n->string.text
                                         : (Str){0};
    const Node *t = n->kind == NODE_ANNASSIGN ? n->annassign.target : NULL;
    o->found |= str_eq(name, o->name);
    for (int i = 0; i < (n->kind == NODE_ASSIGN ? n->assign.targets.n : t ? 1 : 0); i++) {
        const Node *to = t ? t : n->assign.targets.at[i];
        o->found |= (to->kind == NODE_NAME && str_eq(to->name, o->name)) ||
                    (to->kind == NODE_ATTRIBUTE && str_eq(to->attribute.name, o->name));
    }
    node_each_child(n, find_own, arg); // a tree's height is bounded
}
static bool is_torchs(const Ways *w, Str member) {
    Own o = {member, false};
    find_own(&o, w->module);
    return !o.found;
}

// properties, where the file gives that name once, to what the driver says.
static bool is_properties(const Ways *w, const Node *n) {
    const Node *alias, *s = n->kind == NODE_NAME ? module_binding(w->module, n->name, &alias) : NULL;
    const Node *v = s && s->kind == NODE_ASSIGN ? s->assign.value : n;
    const Node *f = v->kind == NODE_CALL ? v->call.func : NULL, *root = f;
    while (root && root->kind == NODE_ATTRIBUTE) root = root->attribute.value;
    bool driver =
        root && (node_is_name(root, "driver") || node_is_name(root, "triton") || node_is_name(root, "torch"));
    return driver && f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "get_device_properties") &&
           is_torchs(w, STR("get_device_properties"));
}

static bool is_triton(const Node *f, const char *name) { // triton.cdiv
    return f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, name) &&
           node_is_name(f->attribute.value, "triton");
}

// What is surely no negative number: then a product or a quotient keeps its way.
static bool is_counted(const Ways *w, const Node *n, int depth);
typedef struct {
    const Ways *w;
    Str name;
    int depth, bound;
    bool all;
} Binds;
static void find_bound(void *arg, const Node *n) {
    Binds *b = arg;
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++) {
        const Node *t = n->assign.targets.at[i], *v = n->assign.value;
        Names names = {.arena = b->w->c->arena};
        names_of_target(&names, t, 0);
        if (!names_have(&names, b->name)) continue;
        bool sizes = v->kind == NODE_ATTRIBUTE && str_is(v->attribute.name, "shape") &&
                     is_torchs(b->w, STR("shape")); // m, n = x.shape
        b->bound++;
        b->all &= t->kind == NODE_NAME ? is_counted(b->w, v, b->depth) : t->kind == NODE_TUPLE && sizes;
    }
    if (n->kind == NODE_AUGASSIGN && n->augassign.target->kind == NODE_NAME &&
        str_eq(n->augassign.target->name, b->name))
        b->all = false;
    if (n->kind == NODE_WALRUS && str_eq(n->walrus.name, b->name)) b->all = false;
    if (n->kind == NODE_FOR || n->kind == NODE_WITHITEM) {
        Names names = {.arena = b->w->c->arena};
        const Node *t = n->kind == NODE_FOR ? n->loop.target : n->withitem.target;
        if (t) names_of_target(&names, t, 0);
        b->all &= !names_have(&names, b->name);
    }
    node_each_child(n, find_bound, arg); // a tree's height is bounded
}
static bool is_counted(const Ways *w, const Node *n, int depth) {
    if (--depth < 0) return false;
    switch (n->kind) {
    case NODE_INT: return true;
    case NODE_IFEXP: return is_counted(w, n->ifexp.then, depth) && is_counted(w, n->ifexp.otherwise, depth);
    case NODE_BINARY:
        return (n->binary.op == OPER_MUL || n->binary.op == OPER_FLOORDIV || n->binary.op == OPER_ADD) &&
               is_counted(w, n->binary.left, depth) && is_counted(w, n->binary.right, depth);
    case NODE_ATTRIBUTE:
        return str_is(n->attribute.name, "multi_processor_count") && is_properties(w, n->attribute.value);
    case NODE_SUBSCRIPT: // properties["warpSize"]
        return n->subscript.index->kind == NODE_STRING && is_properties(w, n->subscript.value);
    case NODE_CALL: {
        const Node *f = n->call.func;
        bool known = node_is_name(f, "min") || node_is_name(f, "max") || is_triton(f, "cdiv") ||
                     is_triton(f, "next_power_of_2");
        for (int i = 0; known && i < n->call.args.n; i++) known = is_counted(w, n->call.args.at[i], depth);
        return known && n->call.args.n > 0 && !n->call.keywords.n;
    }
    case NODE_NAME: {
        Names params = {.arena = w->c->arena};
        Binds b = {w, n->name, depth, 0, true};
        names_of_params(&params, &w->function->function.params);
        for (int i = 0; i < w->function->function.body.n; i++)
            find_bound(&b, w->function->function.body.at[i]);
        for (int i = 0; !b.bound && i < w->module->module.body.n; i++) {
            const Node *s = w->module->module.body.at[i];
            if (s->kind != NODE_FUNCTION && s->kind != NODE_CLASS) find_bound(&b, s);
        }
        return b.bound > 0 && b.all && !names_have(&params, n->name);
    }
    default: return false;
    }
}

static Way other_way(Way a) { return a == UP ? DOWN : a == DOWN ? UP : a; }
static Way joined(Way a, Way b) { return a == FIXED ? b : b == FIXED || a == b ? a : MIXED; }

static Way way_of_quotient(Ways *w, const Node *left, const Node *right) {
    enum { DEEP = 6 };
    Way a = way_of(w, left), b = way_of(w, right);
    if ((a == FIXED && !is_counted(w, left, DEEP)) || (b == FIXED && !is_counted(w, right, DEEP)))
        return MIXED;
    return joined(a, other_way(b));
}
static Way way_of(Ways *w, const Node *n) {
    enum { DEEP = 6 };
    if (!is_sized(w, n)) return FIXED;
    if (answer_of(w->c, n)) return UP;
    if (n->kind == NODE_NAME) return names_have(&w->up, n->name) ? UP : DOWN;
    if (n->kind == NODE_BINARY && n->binary.op == OPER_FLOORDIV)
        return way_of_quotient(w, n->binary.left, n->binary.right);
    if (n->kind == NODE_BINARY && n->binary.op == OPER_MUL) {
        Way a = way_of(w, n->binary.left), b = way_of(w, n->binary.right);
        bool sure = (a != FIXED || is_counted(w, n->binary.left, DEEP)) &&
                    (b != FIXED || is_counted(w, n->binary.right, DEEP));
        return sure ? joined(a, b) : MIXED;
    }
    if (n->kind != NODE_CALL || n->call.keywords.n) return MIXED;
    const Node *f = n->call.func;
    if (is_triton(f, "cdiv") && n->call.args.n == 2)
        return way_of_quotient(w, n->call.args.at[0], n->call.args.at[1]);
    if (!node_is_name(f, "min") && !node_is_name(f, "max")) return MIXED;
    Way all = FIXED;
    for (int i = 0; i < n->call.args.n; i++)
        all = n->call.args.at[i]->kind == NODE_STARRED ? MIXED : joined(all, way_of(w, n->call.args.at[i]));
    return all;
}

// kernel[grid](...): all sizes of all grids go one way, and no argument follows from these numbers.
static bool is_grid_alone(Ways *w, const Node *n) {
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_SUBSCRIPT) return false;
    const Node *grid = n->call.func->subscript.index;
    const Node *const one[] = {grid};
    bool tuple = grid->kind == NODE_TUPLE;
    for (int i = 0; i < (tuple ? grid->items.n : 1); i++)
        w->grids = joined(w->grids, way_of(w, tuple ? grid->items.at[i] : one[0]));
    if (w->grids == MIXED) return false;
    for (int i = 0; i < n->call.args.n; i++)
        if (is_sized(w, n->call.args.at[i])) return false;
    for (int i = 0; i < n->call.keywords.n; i++)
        if (is_sized(w, n->call.keywords.at[i])) return false;
    return !is_sized(w, n->call.func->subscript.value);
}

// Names that such numbers give get a way of their own; anything but a name, a grid or print() ends it.
static bool goes_on(Ways *w, const Nodes *body);
static bool goes_on_at(Ways *w, const Node *s) {
    if (!is_sized(w, s)) return true;
    switch (s->kind) {
    case NODE_ASSIGN: {
        const Node *t = s->assign.targets.at[0], *v = s->assign.value;
        if (is_grid_alone(w, v)) return s->assign.targets.n == 1 && !is_sized(w, t);
        Way way = way_of(w, v);
        if (s->assign.targets.n != 1 || t->kind != NODE_NAME || way == MIXED) return false;
        if (way != FIXED) names_add(way == UP ? &w->up : &w->down, t->name);
        return !(names_have(&w->up, t->name) && names_have(&w->down, t->name));
    }
    case NODE_EXPRSTMT:
        return is_grid_alone(w, s->value) ||
               (s->value->kind == NODE_CALL && node_is_name(s->value->call.func, "print"));
    case NODE_IF:
        return !is_sized(w, s->branch.cond) && goes_on(w, &s->branch.then) &&
               goes_on(w, &s->branch.otherwise);
    case NODE_WITH:
        for (int i = 0; i < s->with.items.n; i++)
            if (is_sized(w, s->with.items.at[i])) return false;
        return goes_on(w, &s->with.body);
    default: return false;
    }
}
static bool goes_on(Ways *w, const Nodes *body) {
    for (int i = 0; i < body->n; i++)
        if (!goes_on_at(w, body->at[i])) return false;
    return true;
}

// Whether only grids follow from what a compiled kernel is asked, and each by one way alone: a program cannot
// do something else for the one number that Triton's compiler gives.
static bool sizes_stay_grids(const Compiled *c, const Node *module, const Node *f) {
    Ways w = {.c = c, .module = module, .function = f, .up.arena = c->arena, .down.arena = c->arena};
    for (int names = -1; names != w.up.n + w.down.n;) { // what is bound later may be asked for earlier
        names = w.up.n + w.down.n;
        if (!goes_on(&w, &f->function.body)) return false;
    }
    return true;
}

static const Node *grid_keyword(const Node *call) {
    for (int i = 0; i < call->call.keywords.n; i++)
        if (str_is(call->call.keywords.at[i]->keyword.name, "grid")) return call->call.keywords.at[i];
    return NULL;
}

// What warmup() was given for a parameter; NULL: nothing.
static const Node *given_for(const Compiled *c, int i) {
    const Nodes *had = &c->warmup->call.args, *named = &c->warmup->call.keywords;
    if (i < had->n) return had->at[i];
    for (int k = 0; k < named->n; k++)
        if (str_eq(named->at[k]->keyword.name, c->kernel->function.params.at[i]->param.name))
            return named->at[k]->keyword.value;
    return NULL;
}
// kernel[grid](...) with all of the kernel's arguments, as warmup() got them: so Triton takes them.
static bool is_launch(const Compiled *c, const Node *n) {
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_SUBSCRIPT ||
        !is_it(c, n->call.func->subscript.value) || n->call.keywords.n ||
        n->call.args.n != c->kernel->function.params.n)
        return false;
    for (int i = 0; i < n->call.args.n; i++) {
        const Node *given = given_for(c, i);
        if (!given || !node_equal(given, n->call.args.at[i])) return false;
    }
    return true;
}

static void count(void *arg, const Node *n) {
    Compiled *c = arg;
    c->uses += is_it(c, n);
    c->known += is_init(c, n) || answer_of(c, n) || is_launch(c, n);
    node_each_child(n, count, arg); // a tree's height is bounded
}

static void launch(const Compiled *c, Node *n) {
    const Nodes *named = &c->warmup->call.keywords;
    Node *of = NEW(c->arena, Node);
    *of = *c->warmup->call.func->attribute.value; // the kernel
    mine(n->call.func)->subscript.value = of;
    n->call.args.n = c->warmup->call.args.n;
    Nodes out = {NEWN(c->arena, Node *, (size_t)named->n + 1), 0};
    for (int i = 0; i < named->n; i++) {
        Buf text = BUF(c->arena);
        if (named->at[i] == grid_keyword(c->warmup)) continue;
        buf_puts(&text, "f = ");
        print_node(&text, named->at[i]->keyword.value);
        buf_puts(&text, "\n");
        Node *s = tree_of(c->arena, buf_cstr(&text), n->span), *k = NEW(c->arena, Node);
        if (!s) continue;
        *k = *named->at[i];
        k->keyword.value = s->assign.value;
        out.at[out.n++] = k;
        if (n->height <= k->height) n->height = (uint16_t)(k->height + 1);
    }
    n->call.keywords = out;
}

static void rewrite(void *arg, const Node *n) {
    const Compiled *c = arg;
    if (is_init(c, n)) {
        *mine(n) = (Node){.kind = NODE_PASS, .span = n->span, .height = 1};
        return;
    }
    node_each_child(n, rewrite, arg);
    const char *text = answer_of(c, n);
    Node *s = text ? tree_of(c->arena, text, n->span) : NULL;
    if (s) {
        uint16_t height = n->height > s->assign.value->height ? n->height : s->assign.value->height;
        *mine(n) = *s->assign.value;
        mine(n)->height = height;
    }
    if (!text && is_launch(c, n)) launch(c, mine(n));
}

typedef struct {
    Names *once, *more;
} Counted;
static void count_bound(void *arg, const Node *n) {
    const Counted *k = arg;
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++) {
        Names bound = {.arena = k->once->arena};
        names_of_target(&bound, n->assign.targets.at[i], 0);
        for (int j = 0; j < bound.n; j++)
            names_add(names_have(k->once, bound.at[j]) ? k->more : k->once, bound.at[j]);
    }
    if (n->kind == NODE_AUGASSIGN && n->augassign.target->kind == NODE_NAME)
        names_add(k->more, n->augassign.target->name);
    if (n->kind == NODE_WALRUS) names_add(k->more, n->walrus.name);
    if (n->kind == NODE_FOR) names_of_target(k->more, n->loop.target, 0);
    if (n->kind == NODE_COMPFOR) names_of_target(k->more, n->compfor.target, 0);
    if (n->kind == NODE_WITHITEM && n->withitem.target) names_of_target(k->more, n->withitem.target, 0);
    node_each_child(n, count_bound, arg);
}

static void look_at(Arena *a, const Node *module, Node *f) {
    for (int i = 0; i < f->function.body.n; i++) {
        const Node *s = f->function.body.at[i], *call = s->kind == NODE_ASSIGN ? s->assign.value : s;
        if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 ||
            s->assign.targets.at[0]->kind != NODE_NAME || call->kind != NODE_CALL ||
            call->call.func->kind != NODE_ATTRIBUTE || !str_is(call->call.func->attribute.name, "warmup") ||
            call->call.func->attribute.value->kind != NODE_NAME || !grid_keyword(call))
            continue;
        Compiled c = {.arena = a, .name = s->assign.targets.at[0]->name, .warmup = call};
        c.kernel = module_function(module, call->call.func->attribute.value->name);
        if (!c.kernel || !is_jit_function(c.kernel) || c.kernel->function.decorators.n != 1) continue;
        Names once = {.arena = a}, more = {.arena = a}, used = {.arena = a};
        names_of_params(&once, &f->function.params);
        for (int k = 0; k < f->function.body.n; k++)
            count_bound(&(Counted){&once, &more}, f->function.body.at[k]);
        for (int k = 0; k < call->call.args.n; k++) names_mentioned(&used, call->call.args.at[k]);
        for (int k = 0; k < call->call.keywords.n; k++) names_mentioned(&used, call->call.keywords.at[k]);
        bool same = !names_have(&more, c.name);
        for (int k = 0; k < used.n; k++) same &= !names_have(&more, used.at[k]);
        for (int k = 0; k < f->function.body.n; k++) count(&c, f->function.body.at[k]);
        if (!same || c.uses != c.known + 1 || c.known == 0) continue; // and where it is bound
        if (!sizes_stay_grids(&c, module, f)) continue;
        for (int k = i + 1; k < f->function.body.n; k++) rewrite(&c, f->function.body.at[k]);
    }
}

void compiled_kernels_normalize(Arena *a, Node *module) {
    for (int i = 0; i < module->module.body.n; i++) {
        Node *s = module->module.body.at[i];
        if (s->kind == NODE_FUNCTION && !is_jit_function(s)) look_at(a, module, s);
        for (int k = 0; s->kind == NODE_CLASS && k < s->klass.body.n; k++)
            if (s->klass.body.at[k]->kind == NODE_FUNCTION) look_at(a, module, s->klass.body.at[k]);
    }
}
