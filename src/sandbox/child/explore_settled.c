// Which comparisons no size can make come out otherwise, by intervals that hold their operands in every call:
// `min(block, 4096) > 8192`. They need no sweep (explore_sweep.c).
#include "host/varies/varies.h"
#include "sandbox/child/explore_inside.h"

// The place of a comparison in the file's tree.
typedef struct {
    Varies *v;
    const Compared *c;
    const Scope *scope;
    int places;   // several: which of them is meant nobody knows
    bool settled; // of the last one
} Place;

// Of `a < (b and c)` the truth of b is told at the place where the comparison is: what is said of that place
// is then not said of the comparison alone.
static void find_choice(void *arg, const Node *n) {
    bool *any = arg;
    *any |= n->kind == NODE_BOOLOP || n->kind == NODE_IFEXP || n->kind == NODE_COMPARE ||
            n->kind == NODE_COMP || n->kind == NODE_LAMBDA || n->kind == NODE_WALRUS ||
            (n->kind == NODE_UNARY && n->unary.op == OPER_NOT);
    node_each_child(n, find_choice, arg); // a tree's height is bounded
}

static bool is_plain(const Node *n) {
    bool any = false;
    find_choice(&any, n);
    return !any;
}

static void meet(Place *p, const Node *right, Truth t) {
    Truth only = p->c->sides == 1 ? TRUTH_NEVER : TRUTH_ALWAYS;
    p->places++;
    p->settled = t == only && is_plain(right);
}

static void look(void *arg, const Node *n);

static void function(Place *p, const Node *n) {
    const Scope *was = p->scope;
    Scope own = {n, was};
    for (int i = 0; i < n->function.decorators.n; i++) look(p, n->function.decorators.at[i]);
    for (int i = 0; i < n->function.params.n; i++) look(p, n->function.params.at[i]);
    p->scope = &own;
    for (int i = 0; i < n->function.body.n; i++) look(p, n->function.body.at[i]);
    p->scope = was;
}

static void look(void *arg, const Node *n) {
    Place *p = arg;
    if (n->kind == NODE_FUNCTION) return function(p, n);
    const Scope *was = p->scope;
    Scope own = {n, was};
    if (n->kind == NODE_LAMBDA) p->scope = &own;
    bool computed = p->c->product;
    for (int i = 0; n->kind == NODE_COMPARE && !computed && i < n->compare.rest.n; i++)
        if (n->compare.rest.at[i]->span.at == p->c->at)
            meet(p, n->compare.rest.at[i], varies_pair(p->v, p->scope, n, i));
    if (n->kind == NODE_BINARY && computed && n->binary.right->span.at == p->c->at)
        meet(p, n->binary.right, varies_nonzero(p->v, p->scope, n));
    node_each_child(n, look, p); // a tree's height is bounded
    p->scope = was;
}

static void intervals_make(Search *s) {
    const Node *module = s->x->module;
    VariesInputs *in = NEW(s->arena, VariesInputs);
    s->intervals_made = true;
    // A place in another file may have the same number.
    if (module->module.library || module->module.model || s->d->inputs > VARIES_INPUTS_MAX) return;
    *in = (VariesInputs){.n = s->d->inputs, .unbounded = true};
    for (int i = 0; i < in->n; i++) in->rank[i] = (uint8_t)s->d->input[i].rank;
    s->intervals = varies_new(s->arena, module, in);
}

bool explore_settled(Search *s, int index) {
    enum { UNKNOWN, OPEN, SETTLED };
    const Compared *c = &s->o->compared[index];
    if (s->settled[index] != UNKNOWN) return s->settled[index] == SETTLED;
    bool one = c->sides == 1 || c->sides == 2;
    if (!one || (!c->product && c->part != 0)) return false;
    if (!s->intervals_made) intervals_make(s);
    Place p = {.v = s->intervals, .c = c};
    if (p.v) node_each_child(s->x->module, look, &p);
    bool settled = p.places == 1 && p.settled;
    s->settled[index] = settled ? SETTLED : OPEN;
    return settled;
}
