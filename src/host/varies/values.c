// Conditions and expressions: an interval that holds the value, and what it follows from.
#include "host/varies/inside.h"
#include "tile/check/check.h"

static bool is_none_test(const Node *n) {
    if (n->kind == NODE_COMPARE && n->compare.rest.n == 1)
        return (n->compare.ops[0] == OPER_IS || n->compare.ops[0] == OPER_ISNOT) &&
               n->compare.rest.at[0]->kind == NODE_NONE;
    return n->kind == NODE_CALL && n->call.args.n > 0 &&
           (node_is_name(n->call.func, "isinstance") || node_is_name(n->call.func, "hasattr") ||
            node_is_name(n->call.func, "callable"));
}

// What being None, or being of a type, follows from.
static uint8_t none_how(Varies *v, const Scope *scope, const Node *n) {
    Fact f = varies_eval(v, scope, n->kind == NODE_CALL ? n->call.args.at[0] : n->compare.left);
    if (fact_is_tensor(f)) return 0;
    bool varies = (f.how & FACT_NONE) || ((f.how & FACT_KEPT) && (f.how & FACT_VARIES));
    return (uint8_t)((varies ? FACT_VARIES : 0) | (f.how & (FACT_DTYPE | FACT_KEPT)));
}

Truth varies_truth(Varies *v, const Scope *scope, const Node *n, uint8_t *how) {
    if (is_none_test(n)) return *how |= none_how(v, scope, n), TRUTH_UNKNOWN;
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT) {
        Truth t = varies_truth(v, scope, n->unary.operand, how);
        return t == TRUTH_ALWAYS ? TRUTH_NEVER : t == TRUTH_NEVER ? TRUTH_ALWAYS : t;
    }
    if (n->kind == NODE_BOOLOP) {
        Truth decides = n->boolop.op == OPER_AND ? TRUTH_NEVER : TRUTH_ALWAYS;
        bool all = true;
        uint8_t part = 0;
        for (int i = 0; i < n->boolop.items.n; i++) {
            Truth t = varies_truth(v, scope, n->boolop.items.at[i], &part);
            if (t == decides) return t; // the others do not matter
            all &= t != TRUTH_UNKNOWN;
        }
        *how |= part;
        return !all ? TRUTH_UNKNOWN : decides == TRUTH_NEVER ? TRUTH_ALWAYS : TRUTH_NEVER;
    }
    Fact f = varies_eval(v, scope, n);
    *how |= f.how & (uint8_t)~FACT_NONE;
    if (f.how & FACT_NONE) *how |= FACT_VARIES;
    return fact_truth(f);
}

// Of a condition: nothing is known of it yet.
static bool is_unknown(Varies *v, const Scope *scope, const Node *n) {
    if (is_none_test(n)) return false;
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT) return is_unknown(v, scope, n->unary.operand);
    if (n->kind != NODE_BOOLOP) return varies_eval(v, scope, n).kind == FACT_NOTHING;
    bool any = false;
    for (int i = 0; i < n->boolop.items.n; i++) any |= is_unknown(v, scope, n->boolop.items.at[i]);
    return any;
}

static Fact eval_compare(Varies *v, const Scope *scope, const Node *n) {
    if (is_none_test(n)) return fact_of_truth(none_how(v, scope, n), TRUTH_UNKNOWN);
    Fact l = varies_eval(v, scope, n->compare.left);
    uint8_t how = l.how;
    bool never = false, always = true, known = l.kind != FACT_NOTHING;
    for (int i = 0; i < n->compare.rest.n; i++) {
        Fact r = varies_eval(v, scope, n->compare.rest.at[i]);
        known &= r.kind != FACT_NOTHING;
        Truth t = fact_compare(n->compare.ops[i], l, r);
        how |= r.how;
        never |= t == TRUTH_NEVER;
        always &= t == TRUTH_ALWAYS;
        l = r;
    }
    if (!known) return (Fact){.how = how}; // not yet: what is said too early stays
    return fact_of_truth(how, never ? TRUTH_NEVER : always ? TRUTH_ALWAYS : TRUTH_UNKNOWN);
}

static Fact eval_name(Varies *v, const Scope *scope, const Node *n) {
    Str name = n->name;
    Fact f;
    if (var_read(v, scope, n, &f)) {
        const void *at = var_visible(v, scope, name)->scope;
        bool around = at && at != scope_key(scope); // of a function around this one
        if (around || (!at && names_have(&v->state, name))) f.how |= FACT_STAYS;
        // A function of that name within another one: which of the two is meant is not looked at.
        if (scope && varies_is_function(v, name)) varies_escapes(v, name);
        return f;
    }
    if (!varies_is_function(v, name)) return fact_other(0); // of Python, torch or triton
    varies_escapes(v, name);
    f = fact_other(0);
    for (int i = 0; i < v->callables; i++)
        if (str_eq(v->callable[i].node->function.name, name))
            f.how |= varies_result(v, v->callable[i].node).how;
    return f;
}

static Fact eval_items(Varies *v, const Scope *scope, const Nodes *items, Fact all) {
    for (int i = 0; i < items->n; i++) {
        if (!items->at[i]) { // **more
            all = fact_join(all, fact_other(0));
            continue;
        }
        Fact f = varies_eval(v, scope, items->at[i]);
        if (items->at[i]->kind == NODE_STARRED) f = fact_item(f);
        all = fact_join(all, f);
    }
    return all;
}

bool varies_empty(const Varies *v, Fact f) {
    return (f.sure & SURE_BARE) && !var_find(v, &varies_held, STR("item"));
}

void varies_hold(Varies *v, Fact f, uint8_t of) {
    f.how |= v->control;
    if (v->calling && (of & FACT_STAYS)) // how much of it there is
        var_add(v, &varies_grows, STR("item"), (Fact){.how = FACT_VARIES | FACT_KEPT});
    var_add(v, &varies_held, STR("item"), f);
}

// self in __init__: what an object is made with.
static bool is_being_made(const Scope *scope, const Node *of) {
    const Node *f = scope ? scope->node : NULL;
    if (!f || f->kind != NODE_FUNCTION || f->function.params.n == 0 || of->kind != NODE_NAME) return false;
    bool makes = str_is(f->function.name, "__init__") || str_is(f->function.name, "__post_init__");
    return makes && str_eq(of->name, f->function.params.at[0]->param.name);
}

// What a call leaves in an object. What follows from what an earlier one has left there can differ from call
// to call: it counts, or goes on from state to state.
static Fact left_behind(Fact f) {
    if (f.how & FACT_KEPT) f.how |= FACT_VARIES;
    return f.how |= FACT_KEPT, f;
}

void varies_assign(Varies *v, const Scope *scope, const Node *target, Fact f) {
    switch (target->kind) {
    case NODE_NAME: var_write(v, scope, target, target->name, f); break;
    case NODE_STARRED: varies_assign(v, scope, target->value, fact_other(f.how)); break;
    case NODE_TUPLE:
    case NODE_LIST: {
        bool starred = false;
        for (int i = 0; i < target->items.n; i++) starred |= target->items.at[i]->kind == NODE_STARRED;
        for (int i = 0; i < target->items.n; i++)
            varies_assign(v, scope, target->items.at[i], starred ? fact_item(f) : fact_item_at(f, i));
        break;
    }
    case NODE_ATTRIBUTE:
        f.how |= v->control;
        if (v->calling && !is_being_made(scope, target->attribute.value)) f = left_behind(f);
        var_add(v, &varies_members, target->attribute.name, f);
        break;
    case NODE_SUBSCRIPT:
        f.how |= varies_eval(v, scope, target->subscript.index).how;
        varies_hold(v, f, varies_eval(v, scope, target->subscript.value).how);
        break;
    default: break;
    }
}

static Fact eval_comp(Varies *v, const Scope *scope, const Node *n) {
    uint8_t how = 0, count = 0;
    for (int i = 0; i < n->comp.fors.n; i++) {
        const Node *f = n->comp.fors.at[i];
        Fact over = varies_eval(v, scope, f->compfor.iter);
        if (varies_empty(v, over)) return over; // no turn
        if (over.count == 0) how |= over.how;
        if (n->comp.fors.n == 1 && f->compfor.conds.n == 0) count = over.count;
        varies_assign(v, scope, f->compfor.target, fact_item(over));
        for (int k = 0; k < f->compfor.conds.n; k++)
            (void)varies_truth(v, scope, f->compfor.conds.at[k], &how);
    }
    uint8_t was = v->control;
    v->control |= varies_control(how);
    Fact f = varies_eval(v, scope, n->comp.element);
    if (n->comp.val) f = fact_join(f, varies_eval(v, scope, n->comp.val));
    v->control = was;
    f = fact_sequence(f);
    f.count = f.kind == FACT_OTHER || n->comp.kind == COMP_SET || n->comp.kind == COMP_DICT ? 0 : count;
    return f.how |= varies_control(how) | FACT_HELD, f;
}

typedef struct {
    Varies *v;
    const Scope *scope;
    uint8_t how;
} Gather;
static void gather(void *arg, const Node *n) {
    Gather *g = arg;
    g->how |= varies_eval(g->v, g->scope, n).how;
}

static Fact eval_lambda(Varies *v, const Scope *scope, const Node *n) {
    Scope own = {n, scope};
    for (int i = 0; i < n->lambda.params.n; i++)
        var_add(v, n, n->lambda.params.at[i]->param.name, varies_any());
    bool was = v->calling;
    v->calling = true; // as varies_handed()
    Fact f = varies_eval(v, &own, n->lambda.body);
    v->calling = was;
    return fact_other(f.how);
}

static Fact eval_attribute(Varies *v, const Scope *scope, const Node *n) {
    Fact base = varies_eval(v, scope, n->attribute.value), f;
    Str name = n->attribute.name;
    if (varies_member(v, name, base, &f)) return f;
    if (varies_asks_device(name)) return fact_other(FACT_VARIES); // called later, by whatever name
    if (!fact_is_tensor(base)) varies_handed_method(v, scope, n);
    for (int i = 0; str_is(name, "apply") && i < v->class_count && !v->applies; i++)
        if (class_kind(v->classes[i]) == CLASS_AUTOGRAD) v->applies = v->changed = true;
    if (varies_hand_out(v, name, &f)) return f.how |= base.how | FACT_STAYS, f; // a value, or a property
    const Var *kept = var_find(v, &varies_members, name);
    if (!kept) return fact_other(base.how);
    f = kept->fact;
    return f.how |= FACT_STAYS | (base.how & (uint8_t)~FACT_NONE), f;
}

static Fact eval_display(Varies *v, const Scope *scope, const Node *n) {
    Fact f = fact_sequence(eval_items(v, scope, &n->items, (Fact){0}));
    bool counted = f.kind != FACT_OTHER && n->kind != NODE_SET && n->items.n < UINT8_MAX;
    for (int i = 0; i < n->items.n; i++) counted &= n->items.at[i]->kind != NODE_STARRED;
    f.count = counted ? (uint8_t)n->items.n : 0;
    if (n->kind != NODE_TUPLE) f.how |= FACT_HELD;
    if (n->kind == NODE_LIST && n->items.n == 0) f.sure = SURE_BARE;
    return f;
}

static Fact eval_boolop(Varies *v, const Scope *scope, const Node *n) {
    uint8_t was = v->control;
    Fact f = {0};
    for (int i = 0; i < n->boolop.items.n; i++) {
        f = fact_join(f, varies_eval(v, scope, n->boolop.items.at[i]));
        v->control |= varies_control(f.how); // the later ones
    }
    v->control = was;
    return f.how |= varies_control(f.how), f;
}

static Fact eval_ifexp(Varies *v, const Scope *scope, const Node *n) {
    uint8_t how = 0, was = v->control;
    Truth t = varies_truth(v, scope, n->ifexp.cond, &how);
    Fact f = {0};
    if (t == TRUTH_UNKNOWN) v->control |= varies_control(how);
    if (t != TRUTH_NEVER) f = varies_eval(v, scope, n->ifexp.then);
    if (t != TRUTH_ALWAYS) f = fact_join(f, varies_eval(v, scope, n->ifexp.otherwise));
    v->control = was;
    if (t == TRUTH_UNKNOWN) f.how |= varies_control(how);
    if (is_unknown(v, scope, n->ifexp.cond)) return (Fact){.how = f.how}; // not yet
    return f;
}

// A list with a whole number, where it can be told which item that is.
static bool known_index(Fact i, int64_t *at) {
    return i.kind == FACT_NUMBER && i.lo == i.hi && (*at = i.lo, true);
}

static Fact eval_subscript(Varies *v, const Scope *scope, const Node *n) {
    Fact of = varies_eval(v, scope, n->subscript.value), i = varies_eval(v, scope, n->subscript.index);
    bool slice =
        n->subscript.index->kind == NODE_SLICE && (of.kind == FACT_NUMBERS || of.kind == FACT_THINGS);
    int64_t at;
    Fact f = slice ? of : known_index(i, &at) ? fact_item_at(of, at) : fact_item(of);
    if (slice) f.count = 0;
    if (slice && of.kind == FACT_NUMBERS) f.of = f.dims = 0, f.sure &= (uint16_t)~SURE_LAST;
    bool bare = (of.sure & SURE_BARE) != 0;
    if (of.kind == FACT_OTHER && !bare) f = fact_other(of.how); // of a tensor: a part of it
    if (bare && n->subscript.index->kind == NODE_SLICE) f = of;
    f.how |= i.how & (uint8_t)~FACT_NONE;
    if (f.kind == FACT_OTHER && !fact_is_tensor(f)) f.how |= FACT_EMPTY;
    if (f.kind == FACT_OTHER && (i.how & FACT_VARIES)) f.how |= FACT_NONE;
    return f;
}

static bool in_kernel(const Scope *scope) {
    return scope && scope->node->kind == NODE_FUNCTION && is_jit_function(scope->node);
}

static Fact eval_other(Varies *v, const Scope *scope, const Node *n) {
    switch (n->kind) {
    case NODE_INT:
        if (n->integer.too_big || n->integer.value > (uint64_t)FACT_FAR) return fact_other(0);
        return fact_number(0, (int64_t)n->integer.value, (int64_t)n->integer.value);
    case NODE_FLOAT: return (Fact){.kind = FACT_OTHER, .sure = SURE_REAL, .lo = -FACT_FAR, .hi = FACT_FAR};
    case NODE_TRUE: return fact_number(0, 1, 1);
    case NODE_FALSE: return fact_number(0, 0, 0);
    case NODE_NAME: return eval_name(v, scope, n);
    case NODE_TUPLE:
    case NODE_LIST:
    case NODE_SET: return eval_display(v, scope, n);
    case NODE_DICT: {
        Fact f = eval_items(v, scope, &n->dict.keys, eval_items(v, scope, &n->dict.values, (Fact){0}));
        f = f.kind == FACT_NUMBER ? fact_sequence(f) : fact_other(f.how);
        return f.how |= FACT_HELD, f;
    }
    case NODE_UNARY: {
        Fact f = varies_eval(v, scope, n->unary.operand);
        Truth t = fact_truth(f);
        if (n->unary.op != OPER_NOT || f.kind == FACT_NOTHING) return fact_unary(n->unary.op, f);
        return fact_of_truth(f.how, t == TRUTH_ALWAYS ? TRUTH_NEVER : t == TRUTH_NEVER ? TRUTH_ALWAYS : t);
    }
    case NODE_BINARY: {
        Fact l = varies_eval(v, scope, n->binary.left), r = varies_eval(v, scope, n->binary.right),
             f = fact_binary(n->binary.op, l, r);
        if (n->binary.grows && ((l.how | r.how) & FACT_HELD))
            varies_hold(v, fact_item(r), l.how); // a list, under whatever other name
        return in_kernel(scope) ? fact_wrapped(n->binary.op, l, f) : f;
    }
    case NODE_BOOLOP: return eval_boolop(v, scope, n);
    case NODE_COMPARE: return eval_compare(v, scope, n);
    case NODE_CALL: return varies_call(v, scope, n);
    case NODE_ATTRIBUTE: return eval_attribute(v, scope, n);
    case NODE_SUBSCRIPT: return eval_subscript(v, scope, n);
    case NODE_IFEXP: return eval_ifexp(v, scope, n);
    case NODE_LAMBDA: return eval_lambda(v, scope, n);
    case NODE_STARRED: return varies_eval(v, scope, n->value);
    case NODE_COMP: return eval_comp(v, scope, n);
    case NODE_WALRUS: {
        Fact f = varies_eval(v, scope, n->walrus.value);
        var_write(v, scope, n, n->walrus.name, f);
        return f;
    }
    default: {
        Gather g = {v, scope, 0};
        node_each_child(n, gather, &g);
        return fact_other(g.how);
    }
    }
}

Fact varies_eval(Varies *v, const Scope *scope, const Node *n) {
    if (++v->steps > STEPS_MAX) v->full = true;
    if (v->full) return varies_any();
    Fact f = eval_other(v, scope, n);
    if (!(f.how & FACT_HELD)) return f;
    if ((f.how & FACT_STAYS) && var_find(v, &varies_grows, STR("item"))) f.how |= FACT_VARIES | FACT_KEPT;
    // What was added to any list of the file may be in this one.
    const Var *held = var_find(v, &varies_held, STR("item"));
    if (!held) return f;
    f.count = 0; // nor is it known how many there are
    if (f.kind == FACT_NUMBERS) f.of = f.dims = 0, f.sure &= (uint16_t)~SURE_LAST;
    if (held->fact.kind == FACT_NOTHING) return f.how |= held->fact.how, f;
    Fact more = fact_sequence(held->fact);
    if (fact_is_tensor(f)) return f.how |= more.how, f;
    f = fact_join(f, more); // of an empty one: what was added alone
    return f.sure &= (uint16_t)~SURE_BARE, f;
}
