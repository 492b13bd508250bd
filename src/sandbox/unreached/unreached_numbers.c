#include "sandbox/unreached/unreached_numbers.h"

#include "host/policy/scope.h"
#include "host/python/look_up.h"
#include "host/varies/varies.h"
#include "tile/check/check.h"

// --- what was seen ---

bool cover_ran(const Cover *c, const Node *n, bool kernel) {
    uint8_t mark = n->span.at < c->n ? c->at[n->span.at] : 0;
    if (kernel) return (mark & COVER_RUN) != 0;
    return (mark & COVER_HOST) != 0;
}

bool is_leaf_statement(const Node *n) {
    switch (n->kind) {
    case NODE_EXPRSTMT: return n->value->kind != NODE_STRING; // a docstring
    case NODE_ASSIGN:
    case NODE_AUGASSIGN:
    case NODE_RETURN:
    case NODE_RAISE:
    case NODE_ASSERT:
    case NODE_DELETE: return true;
    case NODE_ANNASSIGN: return n->annassign.value != NULL;
    default: return false;
    }
}

bool part_ran(const Cover *c, bool kernel, const Node *n, const Node *part) {
    uint32_t at = node_part_place(n, part);
    uint8_t mark = at < c->n ? c->at[at] : 0;
    return kernel ? (mark & COVER_RUN) != 0 : (mark & COVER_HOST) != 0;
}

bool name_called(const Node *n, Str *name) {
    const Node *f = n->call.func;
    bool plain = f->kind == NODE_NAME || f->kind == NODE_ATTRIBUTE;
    if (plain) *name = f->kind == NODE_NAME ? f->name : f->attribute.name;
    return plain;
}

bool node_has_ways(const Node *n) {
    return n->kind == NODE_COMPARE || n->kind == NODE_BOOLOP ||
           (n->kind == NODE_UNARY && n->unary.op == OPER_NOT);
}

bool node_gives_truth(const Node *n) {
    static const char *const all[] = {"bool", "any", "all", "startswith", "endswith"};
    Str name;
    if (n->kind != NODE_CALL || !name_called(n, &name)) return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    return false;
}

// --- tables ---

const Nodes *table_entries(const Node *n) { return n->kind == NODE_DICT ? &n->dict.keys : &n->items; }

static bool is_written(const Node *n) {
    switch (n->kind) {
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_STRING:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE: return true;
    case NODE_UNARY: return is_written(n->unary.operand);
    case NODE_BINARY: return is_written(n->binary.left) && is_written(n->binary.right);
    case NODE_TUPLE:
    case NODE_LIST:
        for (int i = 0; i < n->items.n; i++)
            if (!is_written(n->items.at[i])) return false;
        return true;
    default: return false;
    }
}

// Shapes and grids are lists as well: one is a table if it holds what is written down, or is looked up in
// where it stands.
static bool is_table(const Node *n, bool indexed) {
    if (n->kind == NODE_DICT) {
        for (int i = 0; i < n->dict.keys.n; i++)
            if (!n->dict.keys.at[i]) return false; // **more
        return n->dict.keys.n > 0;
    }
    return (n->kind == NODE_LIST || n->kind == NODE_TUPLE) && n->items.n > 1 && (indexed || is_written(n));
}

// --- numbers ---

unsigned numbers_entry(const UnreachedNumbers *w, const Node *table, int entry) {
    for (int i = 0; i < w->tables; i++)
        if (w->table[i].node == table) return w->table[i].number + (unsigned)entry;
    return UNREACHED_MAX + 1;
}

unsigned numbers_truth(const UnreachedNumbers *w, const Node *n) {
    for (int i = 0; i < w->truths; i++)
        if (w->truth[i].node == n) return w->truth[i].number;
    return UNREACHED_MAX + 1; // there was no room for it
}

// How what stands there came out; of what is merely noted, too.
static uint8_t outcomes_at(const UnreachedNumbers *w, uint32_t at) {
    _Static_assert(COVER_NOTED_TRUE >> 2 == COVER_TRUE && COVER_NOTED_FALSE >> 2 == COVER_FALSE, "");
    uint8_t mark = at < w->cover->n ? w->cover->at[at] : 0, noted = mark >> 2;
    return (w->cover->notes == NOTES_FAR ? noted : mark | noted) & (COVER_TRUE | COVER_FALSE);
}

static void number_next(UnreachedNumbers *w, uint16_t *of, uint32_t at, bool ran) {
    if (w->numbered > UNREACHED_MAX || at >= w->source.len) return;
    unsigned number = w->numbered++;
    if (of) of[at] = (uint16_t)(number + 1);
    if (number < UNREACHED_MAX && !ran) w->out->idle[number / 8] |= (uint8_t)(1 << number % 8);
}

// Where far comparisons alone are noted, nothing else is told.
static void number_at(UnreachedNumbers *w, uint16_t *of, uint32_t at, bool ran) {
    number_next(w, of, at, ran && w->cover->notes != NOTES_FAR);
}

// Two numbers: that it has never been true, and that it has never been false.
static void number_ways(UnreachedNumbers *w, uint32_t at, uint8_t seen) {
    number_next(w, w->compares, at, seen & COVER_TRUE);
    number_next(w, NULL, at, seen & COVER_FALSE);
}

static void number_part(UnreachedNumbers *w, const Node *n, const Node *part) {
    number_at(w, w->parts, node_part_place(n, part), part_ran(w->cover, w->kernel, n, part));
}

static void number_comparison(UnreachedNumbers *w, const Node *n) {
    uint32_t at = node_part_place(n, n->compare.rest.at[0]);
    uint8_t seen = outcomes_at(w, at);
    if (w->kernel && w->cover->notes != NOTES_FAR) seen |= cover_truth_of(w->cover, n);
    number_ways(w, at, seen);
    for (int i = 1; i < n->compare.rest.n; i++) number_part(w, n, n->compare.rest.at[i]);
}

// Two numbers, as a comparison has. Of more than there is room for, none.
static void number_truth(UnreachedNumbers *w, const Node *n) {
    if (node_has_ways(n) || w->truths == TRUTHS_MAX) return;
    uint8_t seen = cover_truth_of(w->cover, n);
    w->truth[w->truths].node = n;
    w->truth[w->truths++].number = w->numbered + 1;
    number_at(w, NULL, n->span.at, seen & COVER_TRUE);
    number_at(w, NULL, n->span.at, seen & COVER_FALSE);
}

// A call that gives a truth is met by itself.
static void number_truths(UnreachedNumbers *w, const Node *n) {
    if (w->kernel) return;
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT && !node_gives_truth(n->unary.operand))
        number_truth(w, n->unary.operand);
    for (int i = 0; n->kind == NODE_BOOLOP && i < n->boolop.items.n; i++)
        if (!node_gives_truth(n->boolop.items.at[i])) number_truth(w, n->boolop.items.at[i]);
    for (int i = 0; n->kind == NODE_COMP && i < n->comp.fors.n; i++) {
        const Nodes *conds = &n->comp.fors.at[i]->compfor.conds;
        for (int k = 0; k < conds->n; k++)
            if (!node_gives_truth(conds->at[k])) number_truth(w, conds->at[k]);
    }
    if (n->kind == NODE_IF && !node_gives_truth(n->branch.cond)) number_truth(w, n->branch.cond);
    if (n->kind == NODE_WHILE || n->kind == NODE_FOR) number_truth(w, n); // whether it has a turn
    if (node_gives_truth(n)) number_truth(w, n);
}

// What host/varies/ may call mixed, or what leads to that: without any of it nobody has to ask.
static bool may_mix(const Node *n) {
    const Node *right = n->binary.right;
    bool small = right->kind == NODE_INT && right->integer.value <= FACT_LARGE;
    switch (n->binary.op) {
    case OPER_BITXOR:
    case OPER_DIV: return true;
    case OPER_SHR: return !small || right->integer.value > FACT_LARGE_BITS;
    case OPER_BITAND:
    case OPER_FLOORDIV:
    case OPER_MOD: return !small;
    default: return n->binary.left->kind == NODE_FLOAT || right->kind == NODE_FLOAT;
    }
}

static void find_mixing(void *arg, const Node *n) {
    UnreachedNumbers *w = arg;
    bool was = w->kernel;
    if (n->kind == NODE_FUNCTION) w->kernel = is_jit_function(n);
    if (n->kind == NODE_BINARY && w->kernel) w->mixes |= may_mix(n);
    node_each_child(n, find_mixing, w); // a tree's height is bounded
    w->kernel = was;
}

bool unreached_mixes(const Node *module) {
    UnreachedNumbers w = {0};
    find_mixing(&w, module);
    return w.mixes;
}

// Behind all others, and those of kernels last: there may be many.
static void number_computed(void *arg, const Node *n) {
    UnreachedNumbers *w = arg;
    bool was = w->kernel;
    if (n->kind == NODE_FUNCTION) w->kernel = is_jit_function(n);
    if (w->kernel == w->kernels && (node_extreme(n) || node_saturates(n))) number_truth(w, n);
    if (n->kind == NODE_BINARY && !w->kernel) w->mixes |= may_mix(n);
    node_each_child(n, number_computed, w); // a tree's height is bounded
    w->kernel = was;
}

static void number_combined(void *arg, const Node *n) {
    UnreachedNumbers *w = arg;
    bool was = w->kernel;
    if (n->kind == NODE_FUNCTION) w->kernel = is_jit_function(n);
    const Node *part = w->kernel ? node_combined_part(n) : NULL;
    if (part) {
        uint32_t at = node_part_place(n, part);
        number_ways(w, at, outcomes_at(w, at));
    }
    node_each_child(n, number_combined, w); // a tree's height is bounded
    w->kernel = was;
}

static void number_table(UnreachedNumbers *w, const Node *n, bool indexed) {
    if (!is_table(n, indexed) || w->tables == TABLES_MAX) return;
    const Nodes *entries = table_entries(n);
    w->table[w->tables].node = n;
    w->table[w->tables++].number = w->numbered + 1;
    for (int i = 0; i < entries->n; i++)
        number_at(w, NULL, n->span.at, cover_truth_of(w->cover, look_up_entry(entries->at[i])) & COVER_TRUE);
}

// Tables of host code: behind all the rest, since they may be long. Items of one that is a table are none.
static void number_tables(void *arg, const Node *n) {
    UnreachedNumbers *w = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    const Node *of = n->kind == NODE_SUBSCRIPT ? n->subscript.value : NULL;
    if (of && of->kind != NODE_DICT && is_table(of, true) && !is_written(of)) number_table(w, of, true);
    number_table(w, n, false);
    node_each_child(n, number_tables, w); // a tree's height is bounded
}

// A function's decorators and defaults run where it is defined: in host code, those of a kernel too.
static void number_all(void *arg, const Node *n);
static void number_function(UnreachedNumbers *w, const Node *n) {
    bool was = w->kernel;
    for (int i = 0; i < n->function.decorators.n; i++) number_all(w, n->function.decorators.at[i]);
    for (int i = 0; i < n->function.params.n; i++) number_all(w, n->function.params.at[i]);
    if (n->function.returns) number_all(w, n->function.returns);
    w->kernel = is_jit_function(n);
    for (int i = 0; i < n->function.body.n; i++) number_all(w, n->function.body.at[i]);
    w->kernel = was;
}

static void number_all(void *arg, const Node *n) {
    UnreachedNumbers *w = arg;
    if (n->kind == NODE_FUNCTION) return number_function(w, n);
    number_truths(w, n);
    if (is_leaf_statement(n)) number_at(w, w->leaves, n->span.at, cover_ran(w->cover, n, w->kernel));
    switch (n->kind) {
    case NODE_IFEXP:
        number_part(w, n, n->ifexp.then);
        number_part(w, n, n->ifexp.otherwise);
        break;
    case NODE_BOOLOP:
        for (int i = 1; i < n->boolop.items.n; i++) number_part(w, n, n->boolop.items.at[i]);
        break;
    case NODE_COMPARE: number_comparison(w, n); break;
    case NODE_COMP: number_part(w, n, n->comp.element); break;
    case NODE_LAMBDA: number_part(w, n, n->lambda.body); break;
    default: break;
    }
    node_each_child(n, number_all, w); // a tree's height is bounded
}

void numbers_give(Arena *a, const Node *module, const Cover *c, Unreached *out, UnreachedNumbers *w) {
    *w = (UnreachedNumbers){.cover = c, .source = module->module.source, .out = out};
    w->leaves = NEWN(a, uint16_t, w->source.len + 1);
    w->parts = NEWN(a, uint16_t, w->source.len + 1);
    w->compares = NEWN(a, uint16_t, w->source.len + 1);
    number_all(w, module);
    number_computed(w, module);
    w->kernels = true;
    number_computed(w, module);
    number_combined(w, module);
    number_tables(w, module);
}

typedef struct {
    UnreachedNumbers *w;
    unsigned number;
    UnreachedPlace *out;
} Spot;

static void find_spot(void *arg, const Node *n) {
    Spot *s = arg;
    if (n->kind == NODE_COMPARE) {
        unsigned first = s->w->compares[node_part_place(n, n->compare.rest.at[0])];
        if (first && s->number - (first - 1) < 2)
            *s->out = (UnreachedPlace){s->number, n->span.at, n->span.at, n->span.len};
    }
    node_each_child(n, find_spot, s); // a tree's height is bounded
}

void unreached_place(Arena *a, const Node *module, uint32_t number, UnreachedPlace *out) {
    static const Cover none;
    Unreached *unsaid = NEW(a, Unreached);
    UnreachedNumbers *w = NEW(a, UnreachedNumbers);
    numbers_give(a, module, &none, unsaid, w);
    *out = (UnreachedPlace){.number = number};
    find_spot(&(Spot){w, number, out}, module);
}
