// A kernel that is compiled first, asked for its size, and launched then, as Triton's tutorial of softmax
// does:
//
//     kernel = softmax.warmup(y, x, n, BLOCK=BLOCK, grid=(1,))      n_regs = 32, and elsewhere 128
//     kernel._init_handles()                                        softmax[(programs,)](y, x, n,
//     BLOCK=BLOCK) n_regs = kernel.n_regs kernel[(programs,)](y, x, n)
//
// How many registers and how much shared memory a kernel takes is the compiler's to say; two answers are
// tried, by which device it is, as for all that a device can do. Only in the function that compiles it, with
// the same arguments: what is compiled is made for those.
#include "host/normalize/normalize.h"
#include "lang/print.h"

static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; } // the tree is this process's own

typedef struct {
    Arena *arena;
    Str name;           // kernel
    const Node *warmup; // the call
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
        return "f = 32 if torch.cuda.get_device_properties(0).multi_processor_count == 132 else 128\n";
    if (str_is(n->attribute.name, "shared") && of->kind == NODE_ATTRIBUTE &&
        str_is(of->attribute.name, "metadata") && is_it(c, of->attribute.value))
        return "f = 1024 if torch.cuda.get_device_properties(0).multi_processor_count == 132 else 40960\n";
    return NULL;
}

static const Node *grid_keyword(const Node *call) {
    for (int i = 0; i < call->call.keywords.n; i++)
        if (str_is(call->call.keywords.at[i]->keyword.name, "grid")) return call->call.keywords.at[i];
    return NULL;
}

// kernel[grid](...) with the arguments of warmup(); behind them what that had by name.
static bool is_launch(const Compiled *c, const Node *n) {
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_SUBSCRIPT ||
        !is_it(c, n->call.func->subscript.value) || n->call.keywords.n)
        return false;
    const Nodes *had = &c->warmup->call.args, *args = &n->call.args;
    for (int i = 0; i < had->n; i++)
        if (i >= args->n || !node_equal(had->at[i], args->at[i])) return false;
    for (int i = had->n; i < args->n; i++) {
        bool same = false;
        for (int k = 0; k < c->warmup->call.keywords.n; k++)
            same |= node_equal(c->warmup->call.keywords.at[k]->keyword.value, args->at[i]);
        if (!same) return false;
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
    node_each_child(n, count_bound, arg);
}

static void look_at(Arena *a, Node *f) {
    for (int i = 0; i < f->function.body.n; i++) {
        const Node *s = f->function.body.at[i], *call = s->kind == NODE_ASSIGN ? s->assign.value : s;
        if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 ||
            s->assign.targets.at[0]->kind != NODE_NAME || call->kind != NODE_CALL ||
            call->call.func->kind != NODE_ATTRIBUTE || !str_is(call->call.func->attribute.name, "warmup") ||
            call->call.func->attribute.value->kind != NODE_NAME || !grid_keyword(call))
            continue;
        Compiled c = {.arena = a, .name = s->assign.targets.at[0]->name, .warmup = call};
        Names once = {.arena = a}, more = {.arena = a}, used = {.arena = a};
        for (int k = 0; k < f->function.body.n; k++)
            count_bound(&(Counted){&once, &more}, f->function.body.at[k]);
        for (int k = 0; k < call->call.args.n; k++) names_mentioned(&used, call->call.args.at[k]);
        for (int k = 0; k < call->call.keywords.n; k++) names_mentioned(&used, call->call.keywords.at[k]);
        bool same = !names_have(&more, c.name);
        for (int k = 0; k < used.n; k++) same &= !names_have(&more, used.at[k]);
        for (int k = 0; k < f->function.body.n; k++) count(&c, f->function.body.at[k]);
        if (!same || c.uses != c.known + 1 || c.known == 0) continue; // and where it is bound
        for (int k = i + 1; k < f->function.body.n; k++) rewrite(&c, f->function.body.at[k]);
    }
}

void compiled_kernels_normalize(Arena *a, Node *module) {
    for (int i = 0; i < module->module.body.n; i++) {
        Node *s = module->module.body.at[i];
        if (s->kind == NODE_FUNCTION && !is_jit_function(s)) look_at(a, s);
        for (int k = 0; s->kind == NODE_CLASS && k < s->klass.body.n; k++)
            if (s->klass.body.at[k]->kind == NODE_FUNCTION) look_at(a, s->klass.body.at[k]);
    }
}
