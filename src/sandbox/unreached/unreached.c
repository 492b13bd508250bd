#include "sandbox/unreached/unreached.h"

#include "host/policy/scope.h"
#include "host/python/look_up.h"
#include "host/varies/varies.h"
#include "sandbox/unreached/harmless.h"
#include "sandbox/unreached/unreached_numbers.h"
#include "tile/check/check.h"

typedef struct {
    Arena *arena;
    const Node *module;
    const Cover *cover;
    Str source;
    const VariesInputs *inputs;
    Varies *varies; // made when it is first asked for
    bool asked;
    const Scope *scope;
    bool kernel;
    const Node *cond; // the condition that kept calls away
    UnreachedNumbers numbers;
    const Harmless *harmless;
    bool never_false; // of a comparison or a truth: which of its two numbers is meant
    Unreached *out;
} Walk;

// Most files leave no line out, and need no such look.
static Varies *varies(Walk *w) {
    if (!w->asked) w->varies = varies_new(w->arena, w->module, w->inputs);
    w->asked = true;
    return w->varies;
}

// cond: what it hangs on. number: from 1; 0: it has none.
static void note_number(Walk *w, const Node *n, unsigned number, const Node *cond) {
    Unreached *u = w->out;
    if (!u->waits) u->waits = varies_keeps(varies(w), w->scope, cond);
    if (number == 0 || number > UNREACHED_MAX) {
        u->more = true;
        return;
    }
    number--;
    uint8_t bit = (uint8_t)(1 << number % 8);
    if (u->bit[number / 8] & bit) return;
    u->bit[number / 8] |= bit;
    if (u->places == UNREACHED_PLACES_MAX || (u->places > 0 && number <= u->place[u->places - 1].number))
        return;
    u->place[u->places++] = (UnreachedPlace){number, n->span.at, cond->span.at, cond->span.len};
}

// `at`: the place that numbers know it by.
static void note_at(Walk *w, const Node *n, uint32_t at, const Node *cond, const uint16_t *numbers) {
    unsigned number = at < w->source.len ? numbers[at] : 0;
    if (number && numbers == w->numbers.compares && w->never_false) number++;
    note_number(w, n, number, cond);
}

static void note(Walk *w, const Node *n) {
    note_at(w, n, n->span.at, w->cond ? w->cond : n, w->numbers.leaves);
}

static bool may(Walk *w, const Node *cond, bool side) { return varies_may(varies(w), w->scope, cond, side); }

// Whether no statement behind it in its block follows.
static bool leaves(const Node *n);
static bool block_leaves(const Nodes *body) { return body->n > 0 && leaves(body->at[body->n - 1]); }
static bool leaves(const Node *n) {
    switch (n->kind) {
    case NODE_RETURN:
    case NODE_RAISE:
    case NODE_BREAK:
    case NODE_CONTINUE: return true;
    case NODE_IF: return block_leaves(&n->branch.then) && block_leaves(&n->branch.otherwise);
    case NODE_WITH: return block_leaves(&n->with.body);
    default: return false;
    }
}

// --- the walk ---

static void block(Walk *w, const Nodes *body);

static void under(Walk *w, const Node *cond, const Nodes *body) {
    const Node *was = w->cond;
    w->cond = cond;
    block(w, body);
    w->cond = was;
}

// --- parts of expressions ---

static void note_part(Walk *w, const Node *n, const Node *part, const Node *cond) {
    note_at(w, part, node_part_place(n, part), cond, w->numbers.parts);
}

// How an expression is used. CONDITION: what stands under it tells which way it came out. DULL: one that
// leads to nothing but an exception.
typedef enum { AS_VALUE, AS_CONDITION, AS_DULL } Use;
static void parts(Walk *w, const Node *n, Use use);

// One whose truth was asked for has to have come out both ways, as a comparison that is used as a value.
static void truth_seen(Walk *w, const Node *n) {
    uint8_t ways = cover_truth_of(w->cover, n);
    if (w->kernel || (ways != COVER_TRUE && ways != COVER_FALSE) || !may(w, n, ways == COVER_FALSE)) return;
    note_number(w, n, numbers_truth(&w->numbers, n) + (ways == COVER_TRUE), n);
}

// Arithmetic, in kernels of numbers that all programs share, that has always come out one way: the other one
// may be what a special case is made of.
static void computed(Walk *w, const Node *n) {
    bool mixes = w->kernel ? w->cover->mixes : w->numbers.mixes;
    if (!(w->cover->keeps || mixes) || (!node_extreme(n) && !node_saturates(n))) return;
    uint8_t ways = cover_truth_of(w->cover, n);
    if ((ways == COVER_TRUE || ways == COVER_FALSE) &&
        varies_computes(varies(w), w->scope, n, ways == COVER_FALSE))
        note_number(w, n, numbers_truth(&w->numbers, n) + (ways == COVER_TRUE), n);
}

// An expression that is asked for its truth.
static void truth(Walk *w, const Node *n, Use use) {
    if (use == AS_VALUE && !node_has_ways(n) && !node_gives_truth(n)) truth_seen(w, n);
    parts(w, n, use);
}

static void part(Walk *w, const Node *n, const Node *at, Use use) {
    if (part_ran(w->cover, w->kernel, n, at)) parts(w, at, use);
}

static void conditional(Walk *w, const Node *n, Use use) {
    bool then = part_ran(w->cover, w->kernel, n, n->ifexp.then),
         otherwise = part_ran(w->cover, w->kernel, n, n->ifexp.otherwise);
    const Node *left_out = then ? n->ifexp.otherwise : n->ifexp.then;
    bool counts = (use != AS_DULL || harmless_works(w->harmless, left_out)) &&
                  !(then != otherwise && harmless_arm(w->harmless, n, left_out));
    parts(w, n->ifexp.cond, AS_CONDITION);
    if (counts && then != otherwise && may(w, n->ifexp.cond, otherwise))
        note_part(w, n, left_out, n->ifexp.cond);
    part(w, n, n->ifexp.then, use);
    part(w, n, n->ifexp.otherwise, use);
}

// x.stride(0) % 16 == 0: which layouts meet which sizes is left to the draw. Such a comparison alone need not
// come out both ways beside each other condition; one that asks for sizes, too, does. So does one with a
// number that only a certain size has: it would tell that size from all others.
static bool asks_layout(const Node *n) {
    if (n->kind != NODE_COMPARE || n->compare.rest.n != 1 || n->compare.rest.at[0]->kind != NODE_INT)
        return false;
    enum { ALIGNED_MOST = 256 };
    const Node *of = n->compare.left;
    int64_t with = n->compare.rest.at[0]->integer.value;
    if (of->kind == NODE_BINARY && of->binary.op == OPER_MOD && of->binary.right->kind == NODE_INT) {
        int64_t by = of->binary.right->integer.value;
        if (by < 1 || by > ALIGNED_MOST || (by & (by - 1)) != 0 || with != 0) return false;
        of = of->binary.left;
    } else if (with != 0 && with != 1) {
        return false;
    }
    if (of->kind != NODE_CALL || of->call.func->kind != NODE_ATTRIBUTE || of->call.keywords.n) return false;
    Str name = of->call.func->attribute.name;
    for (int i = 0; i < of->call.args.n; i++)
        if (of->call.args.at[i]->kind != NODE_INT) return false;
    return of->call.func->attribute.value->kind == NODE_NAME &&
           (str_is(name, "stride") || str_is(name, "data_ptr"));
}
static Use item_use(const Node *item, Use each) {
    return each == AS_VALUE && asks_layout(item) ? AS_CONDITION : each;
}

// Operands that were never evaluated, because those in front of them always came out one way. Each of a
// condition has to come out both ways: what stands under it may be wrong for one of them.
static void boolean(Walk *w, const Node *n, Use use) {
    bool and = n->boolop.op == OPER_AND;
    const Nodes *items = &n->boolop.items;
    Use each = use == AS_DULL ? AS_DULL : AS_VALUE;
    truth(w, items->at[0], item_use(items->at[0], each));
    for (int i = 1; i < items->n; i++) {
        if (part_ran(w->cover, w->kernel, n, items->at[i])) {
            bool asked = i + 1 < items->n || use == AS_CONDITION; // else it is the value
            (asked ? truth : parts)(w, items->at[i], item_use(items->at[i], each));
            continue;
        }
        bool counts = use == AS_VALUE || harmless_works(w->harmless, items->at[i]);
        if (counts && may(w, items->at[i - 1], and)) note_part(w, n, items->at[i], items->at[i - 1]);
        break;
    }
}

// Of numbers that are the same in all programs of a launch, with one that the program keeps.
static void kernel_comparison(Walk *w, const Node *n, uint32_t at) {
    uint8_t ways = cover_truth_of(w->cover, n);
    if ((ways != COVER_TRUE && ways != COVER_FALSE) ||
        !varies_computes(varies(w), w->scope, n, ways == COVER_FALSE))
        return;
    w->never_false = ways == COVER_TRUE;
    note_at(w, n, at, n, w->numbers.compares);
}

static void comparison(Walk *w, const Node *n, Use use) {
    const Node *first = n->compare.rest.at[0];
    uint32_t at = node_part_place(n, first);
    uint8_t seen = at < w->cover->n ? w->cover->at[at] & (COVER_TRUE | COVER_FALSE) : 0;
    Use each = use == AS_DULL ? AS_DULL : AS_VALUE;
    if (use == AS_VALUE && (seen == COVER_TRUE || seen == COVER_FALSE) && may(w, n, seen == COVER_FALSE)) {
        w->never_false = seen == COVER_TRUE;
        note_at(w, n, at, n, w->numbers.compares);
    }
    if (use == AS_VALUE && w->kernel && w->cover->keeps) kernel_comparison(w, n, at);
    parts(w, n->compare.left, each);
    parts(w, first, each);
    for (int i = 1; i < n->compare.rest.n; i++) {
        const Node *operand = n->compare.rest.at[i];
        bool ran = w->kernel || part_ran(w->cover, w->kernel, n, operand);
        if (ran) parts(w, operand, each);
        if (!ran && harmless_works(w->harmless, operand) && may(w, n, true)) note_part(w, n, operand, n);
    }
}

// What a kernel makes of truths of lanes, places and arguments: a mask that was true in no lane of any case.
static void combined(Walk *w, const Node *n) {
    const Node *part = node_combined_part(n);
    if (!w->kernel || !part) return;
    uint32_t at = node_part_place(n, part);
    uint8_t seen = at < w->cover->n ? w->cover->at[at] & (COVER_TRUE | COVER_FALSE) : 0;
    if ((seen != COVER_TRUE && seen != COVER_FALSE) || !may(w, n, seen == COVER_FALSE)) return;
    w->never_false = seen == COVER_TRUE;
    note_at(w, n, at, n, w->numbers.compares);
}

static void comprehension(Walk *w, const Node *n) {
    const Node *why = NULL;
    bool ran = part_ran(w->cover, w->kernel, n, n->comp.element);
    for (int i = 0; i < n->comp.fors.n; i++) {
        const Node *f = n->comp.fors.at[i];
        parts(w, f->compfor.iter, AS_VALUE);
        if (!ran && !why && varies_loops(varies(w), w->scope, f->compfor.iter)) why = f->compfor.iter;
        for (int k = 0; k < f->compfor.conds.n; k++) {
            const Node *cond = f->compfor.conds.at[k];
            if (!ran && !why && may(w, cond, true)) why = cond;
            truth(w, cond, AS_VALUE);
        }
    }
    if (!ran && why) note_part(w, n, n->comp.element, why);
    if (!ran) return;
    parts(w, n->comp.element, AS_VALUE);
    if (n->comp.val) parts(w, n->comp.val, AS_VALUE);
}

// One that was never called is called on lines that were left out, if on any: unless sizes choose the callee.
static void anonymous(Walk *w, const Node *n) {
    const Scope *was = w->scope;
    Scope own = {n, was};
    if (!part_ran(w->cover, w->kernel, n, n->lambda.body)) {
        if (varies_callee(varies(w))) note_part(w, n, n->lambda.body, n->lambda.body);
        return;
    }
    w->scope = &own;
    parts(w, n->lambda.body, AS_VALUE);
    w->scope = was;
}

// --- tables ---

// Those entries that no key has met, though one might have. Of dtypes alone all have come.
static void unmet(Walk *w, const Node *n, const Node *key, const Node *table) {
    const Nodes *entries = table_entries(table);
    for (int i = 0; i < entries->n; i++) {
        const Node *entry = entries->at[i];
        uint8_t ways = cover_truth_of(w->cover, look_up_entry(entry));
        bool index = table->kind != NODE_DICT;
        if (ways != COVER_FALSE || harmless_entry(w->harmless, n, table, i)) continue;
        if (!varies_meets(varies(w), w->scope, key, index ? NULL : entry, i, entries->n)) continue;
        note_number(w, entry, numbers_entry(&w->numbers, table, i), entry);
    }
}

static bool looks_up(const Node *n, const Node **key) {
    static const char *const all[] = {"get", "pop", "setdefault"};
    Str name;
    if (n->kind == NODE_SUBSCRIPT) return *key = n->subscript.index, n->subscript.index->kind != NODE_SLICE;
    if (n->kind != NODE_CALL || n->call.args.n == 0 || !name_called(n, &name)) return false;
    *key = n->call.args.at[0];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    return false;
}

static void looked_up(Walk *w, const Node *n) {
    const Node *key;
    if (w->kernel || !looks_up(n, &key)) return;
    const Cover *c = w->cover;
    uint32_t at = look_up_place(n->span);
    for (int i = 0; i < c->look_ups; i++)
        if (c->look_up[i].at == at) unmet(w, n, key, c->look_up[i].made);
}

static void each_part(void *arg, const Node *n) { parts(arg, n, AS_VALUE); }
static void dull_part(void *arg, const Node *n) { parts(arg, n, AS_DULL); }

// Of an expression, or of a statement that was executed: what no case has evaluated of it.
static void parts(Walk *w, const Node *n, Use use) { // a tree's height is bounded
    if (use != AS_DULL) computed(w, n);
    if (use == AS_VALUE) combined(w, n);
    if (use != AS_DULL) looked_up(w, n);
    switch (n->kind) {
    case NODE_IFEXP: conditional(w, n, use); break;
    case NODE_BOOLOP: boolean(w, n, use); break;
    case NODE_COMPARE: comparison(w, n, use); break;
    case NODE_COMP: comprehension(w, n); break;
    case NODE_LAMBDA: anonymous(w, n); break;
    case NODE_CALL: { // what tl.assume() is told has to hold
        Str name;
        bool told = w->kernel && name_called(n, &name) && str_is(name, "assume");
        if (use == AS_VALUE && node_gives_truth(n)) truth_seen(w, n);
        node_each_child(n, told || use == AS_DULL ? dull_part : each_part, w);
        break;
    }
    case NODE_UNARY:
        (n->unary.op == OPER_NOT ? truth : parts)(w, n->unary.operand,
                                                  n->unary.op == OPER_NOT || use == AS_DULL ? use : AS_VALUE);
        break;
    default: node_each_child(n, use == AS_DULL ? dull_part : each_part, w);
    }
}

static bool any_ran(const Walk *w, const Nodes *body) {
    for (int i = 0; i < body->n; i++)
        if (cover_ran(w->cover, body->at[i], w->kernel)) return true;
    return false;
}

static void function(Walk *w, const Node *n) {
    bool was_kernel = w->kernel;
    for (int i = 0; i < n->function.decorators.n; i++) parts(w, n->function.decorators.at[i], AS_VALUE);
    for (int i = 0; i < n->function.params.n; i++) parts(w, n->function.params.at[i], AS_VALUE);
    const Scope *was = w->scope;
    const Node *cond = w->cond;
    Scope own = {n, was};
    w->kernel = is_jit_function(n);
    // One that was never entered is called on lines that were left out, if on any: unless a call finds its
    // callee by sizes.
    if (any_ran(w, &n->function.body) || varies_callee(varies(w))) {
        w->scope = &own;
        w->cond = NULL;
        block(w, &n->function.body);
    }
    w->kernel = was_kernel;
    w->scope = was;
    w->cond = cond;
}

// Whether a line in there would be told if no case reached it.
static bool tells(Walk *w, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (is_leaf_statement(n) && !harmless_statement(w->harmless, n)) return true;
        if (n->kind == NODE_IF && (tells(w, &n->branch.then) || tells(w, &n->branch.otherwise))) return true;
        if (n->kind == NODE_FOR && tells(w, &n->loop.body)) return true;
        if (n->kind == NODE_WHILE && tells(w, &n->whileloop.body)) return true;
        if (n->kind == NODE_WITH && tells(w, &n->with.body)) return true;
    }
    return false;
}

// A loop that has had turns in every call, or in none: what the program keeps may change that.
static void first_turn(Walk *w, const Node *n, const Node *by) {
    uint8_t ways = w->kernel ? 0 : cover_truth_of(w->cover, n);
    bool loops = ways == COVER_TRUE;
    if (!loops && ways != COVER_FALSE) return;
    bool changes = n->kind == NODE_WHILE ? varies_keeps(varies(w), w->scope, by) && may(w, by, !loops)
                                         : loops && varies_starves(varies(w), w->scope, by);
    if (changes) note_number(w, n, numbers_truth(&w->numbers, n) + loops, by);
}

static void loop(Walk *w, const Node *n) {
    bool ran = any_ran(w, &n->loop.body);
    if (cover_ran(w->cover, n, w->kernel)) parts(w, n->loop.iter, AS_VALUE);
    if (tells(w, &n->loop.body) && !harmless_taking(w->harmless, n)) first_turn(w, n, n->loop.iter);
    if (ran || varies_loops(varies(w), w->scope, n->loop.iter)) under(w, n->loop.iter, &n->loop.body);
    block(w, &n->loop.otherwise);
}

static void statement(Walk *w, const Node *n) {
    if (is_leaf_statement(n)) {
        if (harmless_statement(w->harmless, n)) return;
        if (!cover_ran(w->cover, n, w->kernel)) return note(w, n);
        return parts(w, n, n->kind == NODE_ASSERT ? AS_DULL : AS_VALUE);
    }
    switch (n->kind) {
    case NODE_FUNCTION: function(w, n); break;
    case NODE_CLASS: // its own statements have run
        for (int i = 0; i < n->klass.body.n; i++)
            if (n->klass.body.at[i]->kind == NODE_FUNCTION) function(w, n->klass.body.at[i]);
        break;
    case NODE_FOR: loop(w, n); break;
    case NODE_WHILE:
        if (cover_ran(w->cover, n, w->kernel)) parts(w, n->whileloop.cond, AS_CONDITION);
        if (tells(w, &n->whileloop.body)) first_turn(w, n, n->whileloop.cond);
        if (any_ran(w, &n->whileloop.body) || may(w, n->whileloop.cond, true))
            under(w, n->whileloop.cond, &n->whileloop.body);
        block(w, &n->whileloop.otherwise);
        break;
    case NODE_WITH:
        for (int i = 0; i < n->with.items.n && cover_ran(w->cover, n, w->kernel); i++)
            parts(w, n->with.items.at[i], AS_VALUE);
        block(w, &n->with.body);
        break;
    case NODE_TRY:
        block(w, &n->attempt.body);
        block(w, &n->attempt.otherwise);
        block(w, &n->attempt.final);
        break;
    default: break;
    }
}

// `if n < 5000: kernel[grid](...)`: a side without lines has none that tell that it was never taken.
static bool side_is_silent(Walk *w, const Node *n, const Nodes *rest) {
    bool then = tells(w, &n->branch.then), otherwise = tells(w, &n->branch.otherwise);
    const Nodes *told = then ? &n->branch.then : &n->branch.otherwise;
    return then != otherwise && any_ran(w, told) && !(block_leaves(told) && tells(w, rest));
}

// In kernels only numbers that the program keeps, or that are mixed: others are compared with in every
// program.
static void silent_in_kernel(void *arg, const Node *cond) {
    if (cond->kind != NODE_COMPARE) return node_each_child(cond, silent_in_kernel, arg);
    kernel_comparison(arg, cond, node_part_place(cond, cond->compare.rest.at[0]));
}

static void condition(Walk *w, const Node *n, bool dull, const Nodes *rest) {
    const Node *cond = n->branch.cond;
    Use use = dull ? AS_DULL : AS_CONDITION;
    bool silent = !dull && side_is_silent(w, n, rest);
    if (silent && !w->kernel && cond->kind != NODE_BOOLOP) use = item_use(cond, AS_VALUE);
    if (silent && w->kernel) silent_in_kernel(w, cond);
    (use == AS_VALUE ? truth : parts)(w, cond, use);
}

// `rest`: what stands behind it in its block. False: that cannot be reached.
static bool branch(Walk *w, const Node *n, const Nodes *rest, bool *rest_under) {
    const Nodes *then = &n->branch.then, *otherwise = &n->branch.otherwise;
    bool reached = cover_ran(w->cover, n, w->kernel);
    const Node *cond =
        reached || !w->cond ? n->branch.cond : w->cond; // the outer one, where that kept calls away
    bool dull = (otherwise->n == 0 && ends_in_raise(then)) || harmless_branch(w->harmless, n);
    if (reached) condition(w, n, dull, rest);
    bool then_may = any_ran(w, then) || may(w, n->branch.cond, true);
    bool else_may = any_ran(w, otherwise) || may(w, n->branch.cond, false);
    bool then_leaves = block_leaves(then), else_leaves = block_leaves(otherwise);
    if (then_may) under(w, cond, then);
    if (else_may) under(w, cond, otherwise);
    *rest_under = reached && (then_leaves || else_leaves);
    return (then_may && !then_leaves) || (else_may && !else_leaves);
}

static void block(Walk *w, const Nodes *body) {
    const Node *was = w->cond;
    // What leads to nothing but an exception.
    if (ends_in_raise(body) && !any_ran(w, body)) return;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (n->kind != NODE_IF) {
            statement(w, n);
            continue;
        }
        const Nodes rest = {body->at + i + 1, body->n - i - 1};
        bool rest_under;
        if (!branch(w, n, &rest, &rest_under) && !any_ran(w, &rest)) break;
        if (rest_under) w->cond = n->branch.cond;
    }
    w->cond = was;
}

void unreached_find(Arena *a, const Node *module, const Cover *c, const VariesInputs *inputs,
                    Unreached *out) {
    Walk *w = NEW(a, Walk);
    *w = (Walk){.arena = a,
                .module = module,
                .cover = c,
                .source = module->module.source,
                .inputs = inputs,
                .out = out};
    *out = (Unreached){0};
    out->more = c->more_look_ups;
    w->harmless = harmless_new(a, module, c);
    numbers_give(a, module, c, out, &w->numbers);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *n = module->module.body.at[i];
        if (n->kind == NODE_FUNCTION || n->kind == NODE_CLASS) statement(w, n);
        // What stands at the top level itself always runs; what it says of the GPU need not.
        if (is_leaf_statement(n) && cover_ran(c, n, false)) parts(w, n, AS_VALUE);
    }
}

bool unreached_any(const Unreached *u) {
    bool any = u->more;
    for (size_t i = 0; i < sizeof u->bit; i++) any |= u->bit[i] != 0;
    return any;
}

static void say_bits(Buf *out, const char *word, const uint8_t *bits) {
    size_t n = UNREACHED_MAX / 8;
    while (n > 0 && bits[n - 1] == 0) n--;
    if (n > 0) buf_puts(out, word);
    for (size_t i = 0; i < n; i++) buf_printf(out, "%02x", bits[i]);
}

void unreached_say(const Unreached *u, Buf *out) {
    if (unreached_any(u)) {
        size_t was = out->len;
        say_bits(out, " unreached ", u->bit);
        if (out->len == was) buf_puts(out, " unreached ");
        for (int i = 0; i < u->places; i++) {
            const UnreachedPlace *p = &u->place[i];
            buf_printf(out, "%s %u:%u:%u:%u", i ? "" : " at", (unsigned)p->number, (unsigned)p->from,
                       (unsigned)p->at, (unsigned)p->len);
        }
        if (u->more) buf_puts(out, " +");
    }
    say_bits(out, " idle ", u->idle);
}

// ---- the parent's side

// Digits without a leading zero, at most SOURCE_MAX, and what has to follow them.
static bool number(const char **p, char end, uint32_t *out) {
    const char *s = *p;
    uint32_t x = 0;
    if (*s < '0' || *s > '9' || (*s == '0' && s[1] >= '0' && s[1] <= '9')) return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        x = x * 10 + (uint32_t)(*s - '0');
        if (x > SOURCE_MAX) return false;
    }
    if (end && *s++ != end) return false;
    return *p = s, *out = x, true;
}

static bool skip(const char **p, const char *word) {
    size_t n = strlen(word);
    if (strncmp(*p, word, n) != 0) return false;
    return *p += n, true;
}

static int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

static bool has(const Unreached *u, uint32_t number) {
    return number < UNREACHED_MAX && (u->bit[number / 8] >> number % 8 & 1);
}

static bool place_read(const char **p, Unreached *u) {
    UnreachedPlace x;
    if (!skip(p, " ") || !number(p, ':', &x.number) || !number(p, ':', &x.from) || !number(p, ':', &x.at) ||
        !number(p, 0, &x.len) || !has(u, x.number))
        return false;
    if (u->places > 0 && x.number <= u->place[u->places - 1].number) return false;
    return u->place[u->places++] = x, true;
}

static bool read_bits(const char **p, uint8_t *bits) {
    for (size_t i = 0; hex(**p) >= 0; i++, *p += 2) {
        if (i == UNREACHED_MAX / 8 || hex((*p)[1]) < 0) return false;
        bits[i] = (uint8_t)(hex((*p)[0]) << 4 | hex((*p)[1]));
    }
    return true;
}

bool unreached_read(const char **p, Unreached *out) {
    *out = (Unreached){0};
    if (skip(p, " unreached ")) {
        if (!read_bits(p, out->bit)) return false;
        if (skip(p, " at")) do {
                if (out->places == UNREACHED_PLACES_MAX || !place_read(p, out)) return false;
            } while ((*p)[0] == ' ' && (*p)[1] >= '0' && (*p)[1] <= '9');
        out->more = skip(p, " +");
        if (!unreached_any(out)) return false;
    }
    return !skip(p, " idle ") || read_bits(p, out->idle);
}

// In its order; the first ones stay.
static void place_add(Unreached *u, const UnreachedPlace *p) {
    int at = 0;
    while (at < u->places && u->place[at].number < p->number) at++;
    if (at == UNREACHED_PLACES_MAX || (at < u->places && u->place[at].number == p->number)) return;
    int last = u->places < UNREACHED_PLACES_MAX ? u->places++ : UNREACHED_PLACES_MAX - 1;
    for (int i = last; i > at; i--) u->place[i] = u->place[i - 1];
    u->place[at] = *p;
}

// It has come to something that the first one has left out.
static bool goes_further(const Unreached *a, const Unreached *b) {
    for (size_t i = 0; i < sizeof a->bit; i++)
        if (a->bit[i] & ~(b->bit[i] | b->idle[i])) return true;
    return false;
}

bool unreached_anew(const Unreached *these, const Unreached *others, uint32_t *number) {
    for (uint32_t i = 0; i < UNREACHED_MAX; i++)
        if ((these->idle[i / 8] & ~others->idle[i / 8]) >> i % 8 & 1) return *number = i, true;
    return false;
}

void unreached_meet(Unreached *a, const Unreached *b) {
    int n = 0;
    bool further = goes_further(a, b);
    for (size_t i = 0; i < sizeof a->bit; i++) {
        // What stands within, only the other one could come to: where it has left that open, it stays so.
        uint8_t open = further ? b->bit[i] & a->idle[i] : 0;
        a->bit[i] = (a->bit[i] & (b->bit[i] | b->idle[i])) | open;
        a->idle[i] &= b->bit[i] | b->idle[i];
    }
    for (int i = 0; i < a->places; i++)
        if (has(a, a->place[i].number)) a->place[n++] = a->place[i];
    a->places = n;
    for (int i = 0; i < b->places; i++)
        if (has(a, b->place[i].number)) place_add(a, &b->place[i]);
    a->more &= b->more;
}
