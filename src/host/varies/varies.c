// Statements; and looking again and again, until nothing new is found.
#include "host/varies/varies.h"

#include "host/varies/inside.h"
#include "tile/check/check.h"

static void block(Varies *v, const Scope *scope, const Nodes *body, uint8_t how);

static Fact under(Fact f, uint8_t how) { return f.how |= how, f; }

static bool is_tuple_of(const Node *n, int items) {
    bool is = n && n->kind == NODE_TUPLE && n->items.n == items;
    for (int i = 0; is && i < items; i++) is = n->items.at[i]->kind != NODE_STARRED;
    return is;
}

static void assign_all(Varies *v, const Scope *scope, const Node *s, uint8_t how) {
    const Node *from = s->assign.value;
    Fact f = varies_eval(v, scope, from);
    for (int i = 0; i < s->assign.targets.n; i++) {
        const Node *to = s->assign.targets.at[i];
        int n = to->kind == NODE_TUPLE ? to->items.n : 0;
        Fact item[RESULTS_MAX];
        bool apart = is_tuple_of(to, n), pairs = apart && is_tuple_of(from, n),
             results = apart && !pairs && varies_results(v, scope, from, n, item);
        for (int k = 0; pairs && k < n; k++)
            varies_assign(v, scope, to->items.at[k], under(varies_eval(v, scope, from->items.at[k]), how));
        for (int k = 0; results && k < n; k++) // and what the call itself follows from
            varies_assign(v, scope, to->items.at[k], under(item[k], how));
        if (!pairs && !results) varies_assign(v, scope, to, under(f, how));
    }
}

// `return x, 1`: what each of them is.
static void add_results(Varies *v, const Scope *scope, const Node *value, uint8_t how) {
    int n = value && value->kind == NODE_TUPLE ? value->items.n : 0;
    bool apart = n <= RESULTS_MAX && is_tuple_of(value, n);
    varies_result_count(v, scope->node, apart ? n : 0);
    for (int k = 0; apart && k < n; k++)
        varies_result_item(v, scope->node, k, under(varies_eval(v, scope, value->items.at[k]), how));
}

// What nothing calls says nothing of what the rest is called with. Methods with underscores are called by
// Python, and a decorator may do what it likes with what it names.
static void define(Varies *v, const Scope *scope, const Node *s, bool method) {
    const Scope *own = varies_callable(v, s, scope, method);
    Callable *c = varies_called(v, s);
    if (!c->entered && !str_starts(s->function.name, "__")) return;
    uint8_t was = v->control;
    bool calling = v->calling,
         makes = str_starts(s->function.name, "__init") || str_starts(s->function.name, "__post_");
    v->control = c->control;
    v->calling = c->calling || (method && str_starts(s->function.name, "__") && !makes);
    block(v, own, &s->function.body, 0);
    v->control = was;
    v->calling = calling;
}

static void enter_named(void *arg, const Node *n) {
    if (n->kind == NODE_NAME) varies_named(arg, n->name);
    node_each_child(n, enter_named, arg);
}

static void augment(Varies *v, const Scope *scope, const Node *s, uint8_t how) {
    Fact to = varies_eval(v, scope, s->augassign.target), by = varies_eval(v, scope, s->augassign.value);
    bool kernel = scope && scope->node->kind == NODE_FUNCTION && is_jit_function(scope->node); // has no lists
    if (!kernel && ((to.how | by.how) & FACT_HELD))
        varies_hold(v, fact_item(by), to.how); // a list, under whatever other name
    varies_assign(v, scope, s->augassign.target, under(fact_binary(s->augassign.op, to, by), how));
}

static void statement_under(Varies *v, const Scope *scope, const Node *s, uint8_t how);
static void statement(Varies *v, const Scope *scope, const Node *s, uint8_t how) {
    uint8_t was = v->control;
    v->control |= how;
    statement_under(v, scope, s, how);
    v->control = was;
}

static void statement_under(Varies *v, const Scope *scope, const Node *s, uint8_t how) {
    uint8_t more = 0;
    switch (s->kind) {
    case NODE_EXPRSTMT: (void)varies_eval(v, scope, s->value); break;
    case NODE_ASSIGN: assign_all(v, scope, s, how); break;
    case NODE_ANNASSIGN:
        if (s->annassign.value)
            varies_assign(v, scope, s->annassign.target,
                          under(varies_eval(v, scope, s->annassign.value), how));
        break;
    case NODE_AUGASSIGN: augment(v, scope, s, how); break;
    case NODE_DELETE:
        for (int i = 0; i < s->items.n; i++)
            varies_hold(v, (Fact){.how = varies_eval(v, scope, s->items.at[i]).how & FACT_VARIES},
                        FACT_STAYS);
        break;
    case NODE_ASSERT: // it may call something
        (void)varies_eval(v, scope, s->assertion.cond);
        if (s->assertion.message) (void)varies_eval(v, scope, s->assertion.message);
        break;
    case NODE_RETURN:
        if (!scope || varies_gives_wrapper(v, scope, s)) break;
        varies_result_add(v, scope->node,
                          under(s->value ? varies_eval(v, scope, s->value) : fact_other(0), how));
        add_results(v, scope, s->value, how);
        break;
    case NODE_IF: {
        Truth t = varies_truth(v, scope, s->branch.cond, &more);
        if (t == TRUTH_UNKNOWN) how |= varies_control(more);
        if (t != TRUTH_NEVER) block(v, scope, &s->branch.then, how);
        if (t != TRUTH_ALWAYS) block(v, scope, &s->branch.otherwise, how);
        break;
    }
    case NODE_WHILE:
        (void)varies_truth(v, scope, s->whileloop.cond, &more);
        block(v, scope, &s->whileloop.body, how | varies_control(more));
        block(v, scope, &s->whileloop.otherwise, how | varies_control(more));
        break;
    case NODE_FOR: {
        Fact over = varies_eval(v, scope, s->loop.iter);
        if (over.count == 0) how |= varies_control(over.how);
        varies_assign(v, scope, s->loop.target, under(fact_item(over), how));
        block(v, scope, &s->loop.body, how);
        block(v, scope, &s->loop.otherwise, how);
        break;
    }
    case NODE_WITH:
        for (int i = 0; i < s->with.items.n; i++)
            (void)varies_eval(v, scope, s->with.items.at[i]->withitem.value);
        block(v, scope, &s->with.body, how);
        break;
    case NODE_TRY:
        block(v, scope, &s->attempt.body, how);
        for (int i = 0; i < s->attempt.handlers.n; i++)
            block(v, scope, &s->attempt.handlers.at[i]->handler.body, how);
        block(v, scope, &s->attempt.otherwise, how);
        block(v, scope, &s->attempt.final, how);
        break;
    case NODE_FUNCTION: define(v, scope, s, false); break;
    case NODE_CLASS:
        for (int i = 0; i < s->klass.body.n; i++) {
            const Node *n = s->klass.body.at[i];
            if (n->kind == NODE_FUNCTION)
                define(v, scope, n, true);
            else if (n->kind == NODE_ASSIGN && n->assign.targets.at[0]->kind == NODE_NAME)
                var_add(v, &varies_members, n->assign.targets.at[0]->name,
                        varies_eval(v, scope, n->assign.value));
            else if (n->kind == NODE_ANNASSIGN && n->annassign.value &&
                     n->annassign.target->kind == NODE_NAME)
                var_add(v, &varies_members, n->annassign.target->name,
                        varies_eval(v, scope, n->annassign.value));
        }
        break;
    default: break;
    }
}

static void block(Varies *v, const Scope *scope, const Nodes *body, uint8_t how) {
    for (int i = 0; i < body->n; i++) statement(v, scope, body->at[i], how);
}

// Functions may be called before their text comes.
static void declare(Varies *v, const Scope *scope, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        if (s->kind == NODE_FUNCTION) {
            declare(v, varies_callable(v, s, scope, false), &s->function.body);
            varies_guards(v, s);
            for (int k = 0; k < s->function.decorators.n; k++) enter_named(v, s->function.decorators.at[k]);
        }
        for (int k = 0; s->kind == NODE_CLASS && k < s->klass.body.n; k++) {
            const Node *f = s->klass.body.at[k];
            for (int m = 0; f->kind == NODE_FUNCTION && m < f->function.decorators.n; m++)
                enter_named(v, f->function.decorators.at[m]);
            if (f->kind == NODE_FUNCTION) declare(v, varies_callable(v, f, scope, true), &f->function.body);
        }
        if (s->kind != NODE_IF) continue;
        declare(v, scope, &s->branch.then);
        declare(v, scope, &s->branch.otherwise);
    }
}

static Fact input_of(const VariesInputs *in, int i) {
    Fact f = fact_other(FACT_VARIES | FACT_DTYPE);
    f.sure = SURE_TENSOR | SURE_UNIT | SURE_SMALL;
    f.rank = in->rank[i];
    f.like = f.of = (uint8_t)(i + 1);
    if (in->dense || f.rank == 1) f.sure |= SURE_DENSE; // its last stride is 1
    if (in->index >> i & 1) f.sure |= SURE_INDEX;
    return f;
}

// Whether ModelNew() is made with an argument: its __init__ has a parameter without a default.
static int asks_for_length(const Varies *v) {
    for (int i = 0; i < v->class_count; i++) {
        const Nodes *body = &v->classes[i]->klass.body;
        for (int k = 0; str_is(v->classes[i]->klass.name, "ModelNew") && k < body->n; k++) {
            const Node *f = body->at[k];
            if (f->kind != NODE_FUNCTION || !str_is(f->function.name, "__init__")) continue;
            const Nodes *p = &f->function.params;
            return p->n > 1 && p->at[1]->param.kind == PARAM_PLAIN && !p->at[1]->param.def;
        }
    }
    return 1;
}

// run(*inputs), or the methods of ModelNew: the first parameters are the inputs, others have their defaults.
static void enter(Varies *v) {
    Given g = {.keywords = &(Nodes){0}, .args = v->inputs->n};
    g.arg = NEWN(v->arena, Fact, (size_t)g.args + 1);
    for (int i = 0; i < g.args; i++) g.arg[i] = input_of(v->inputs, i);
    Fact f, size = fact_number(FACT_VARIES, 1, FACT_ELEMENTS - 1);
    v->calling = true;
    bool run = varies_call_named(v, STR("run"), false, &g, &f);
    if (!run)
        (void)(varies_call_named(v, STR("forward"), true, &g, &f) ||
               varies_call_named(v, STR("__call__"), true, &g, &f));
    v->calling = false;
    if (run) return;
    g.args = asks_for_length(v); // of a row
    g.arg = &size;
    (void)varies_make(v, STR("ModelNew"), &g, &f);
}

// Classes that are more than called, asked for a member or named as a type. The first parameter of a method
// of the class is one, too.
static void find_classes_about(void *arg, const Node *n) {
    Varies *v = arg;
    switch (n->kind) {
    case NODE_NAME:
        for (int i = 0; i < v->class_count; i++)
            v->classes_about |= str_eq(n->name, v->classes[i]->klass.name);
        return;
    case NODE_CALL:
        if (n->call.func->kind != NODE_NAME) find_classes_about(v, n->call.func);
        for (int i = 0; i < n->call.args.n; i++)
            if (i != 1 || !node_is_name(n->call.func, "isinstance"))
                find_classes_about(v, n->call.args.at[i]);
        for (int i = 0; i < n->call.keywords.n; i++) find_classes_about(v, n->call.keywords.at[i]);
        return;
    case NODE_ATTRIBUTE:
        if (n->attribute.value->kind != NODE_NAME) find_classes_about(v, n->attribute.value);
        return;
    case NODE_FUNCTION:
        for (int i = 0; i < n->function.decorators.n; i++)
            v->classes_about |= node_is_name(n->function.decorators.at[i], "classmethod");
        for (int i = 0; i < n->function.params.n; i++)
            if (n->function.params.at[i]->param.def)
                find_classes_about(v, n->function.params.at[i]->param.def);
        for (int i = 0; i < n->function.body.n; i++) find_classes_about(v, n->function.body.at[i]);
        return;
    case NODE_CLASS:
        for (int i = 0; i < n->klass.body.n; i++) find_classes_about(v, n->klass.body.at[i]);
        return;
    case NODE_ANNASSIGN:
        if (n->annassign.value) find_classes_about(v, n->annassign.value);
        return;
    default: node_each_child(n, find_classes_about, v);
    }
}

Varies *varies_new(Arena *a, const Node *module, const VariesInputs *inputs) {
    Varies *v = NEW(a, Varies);
    *v = (Varies){.arena = a, .inputs = inputs, .cap = 2 * VARS_MAX};
    v->var = NEWN(a, Var, (size_t)v->cap);
    const Node **classes = NEWN(a, const Node *, (size_t)module->module.body.n + 1);
    for (int i = 0; i < module->module.body.n; i++)
        if (module->module.body.at[i]->kind == NODE_CLASS)
            classes[v->class_count++] = module->module.body.at[i];
    v->classes = classes;
    if (v->class_count) node_each_child(module, find_classes_about, v);
    v->state.arena = a;
    names_of_state(&v->state, module);
    declare(v, NULL, &module->module.body);
    v->changed = true;
    for (int pass = 0; v->changed && !v->full; pass++) {
        if (pass == PASSES_MAX) return NULL;
        v->changed = false;
        block(v, NULL, &module->module.body, 0);
        enter(v);
    }
    return v->full ? NULL : v;
}

// Called in some way that nobody has followed, so that nothing is known of what it is given.
static bool not_followed(const Varies *v, const Scope *scope) {
    for (; scope; scope = scope->outer)
        for (int i = 0; i < v->callables; i++)
            if (v->callable[i].node == scope->node && !v->callable[i].entered) return true;
    return false;
}

bool varies_may(Varies *v, const Scope *scope, const Node *cond, bool side) {
    uint8_t how = 0;
    if (!v || not_followed(v, scope)) return true;
    Truth t = varies_truth(v, scope, cond, &how);
    if (t == (side ? TRUTH_NEVER : TRUTH_ALWAYS)) return false;
    return v->full || (how & FACT_VARIES);
}

bool varies_loops(Varies *v, const Scope *scope, const Node *iter) {
    if (!v || v->full) return true;
    Fact f = varies_eval(v, scope, iter);
    return f.count == 0 && (f.how & FACT_VARIES) && !varies_empty(v, f);
}

bool varies_starves(Varies *v, const Scope *scope, const Node *iter) {
    if (!v || v->full) return false;
    Fact f = varies_eval(v, scope, iter);
    if (f.count || !(f.how & FACT_KEPT) || !(f.how & FACT_VARIES)) return false;
    if (iter->kind != NODE_CALL || !node_is_name(iter->call.func, "range") || iter->call.keywords.n ||
        iter->call.args.n < 1 || iter->call.args.n > 2)
        return true;
    Fact first = varies_eval(v, scope, iter->call.args.at[0]);
    if (iter->call.args.n == 1) return first.kind != FACT_NUMBER || first.lo < 1;
    return fact_compare(OPER_LT, first, varies_eval(v, scope, iter->call.args.at[1])) != TRUTH_ALWAYS;
}

bool varies_keeps(Varies *v, const Scope *scope, const Node *cond) {
    uint8_t how = 0;
    if (!v || v->full) return false;
    (void)varies_truth(v, scope, cond, &how);
    return (how & FACT_KEPT) != 0;
}

// What is kept beside texts, dtypes or None is known as something else than a number, and may be one.
static bool chooses(Fact f) {
    bool number = f.kind == FACT_NUMBER || f.kind == FACT_OTHER;
    return ((f.how & FACT_KEPT) && (f.how & FACT_VARIES) && number) || (f.how & FACT_MIXED);
}

static Truth first_wins(Varies *v, const Scope *scope, const Node *n, bool *counts) {
    const Nodes *args = &n->call.args;
    Fact a = varies_eval(v, scope, args->at[0]), b = varies_eval(v, scope, args->at[1]);
    *counts = chooses(a) || chooses(b);
    if (args->n > 2) return TRUTH_UNKNOWN;
    const Node *f = n->call.func;
    bool least =
        node_is_name(f, "min") || (f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "minimum"));
    return fact_compare(least ? OPER_LE : OPER_GE, a, b);
}

// A difference, a remainder or bits of many values: that one of them is 0 chooses nothing. What makes two
// values of them does (1 // (d + 1), 0 ** d, 1 % d), and is asked itself.
static bool of_many_values(Varies *v, const Scope *scope, const Node *n, Fact f) {
    if (f.kind != FACT_NUMBER || f.hi - f.lo <= FACT_LARGE) return false;
    if (n->kind == NODE_CALL) return node_is_name(n->call.func, "abs");
    if (n->kind != NODE_BINARY) return false;
    switch (n->binary.op) {
    case OPER_MOD: return !(varies_eval(v, scope, n->binary.right).how & FACT_VARIES);
    case OPER_ADD:
    case OPER_SUB:
    case OPER_BITAND:
    case OPER_BITXOR: return true;
    default: return false;
    }
}

static bool adds(Fact f) { return f.kind == FACT_OTHER || f.hi >= 0; }

bool varies_computes(Varies *v, const Scope *scope, const Node *n, bool side) {
    if (!v || v->full) return true;
    bool counts;
    Truth t;
    if (node_extreme(n)) {
        t = first_wins(v, scope, n, &counts);
    } else if (n->kind == NODE_COMPARE) {
        uint8_t how = 0;
        counts = chooses(varies_eval(v, scope, n->compare.left));
        for (int i = 0; i < n->compare.rest.n; i++)
            counts |= chooses(varies_eval(v, scope, n->compare.rest.at[i]));
        t = varies_truth(v, scope, n, &how);
    } else {
        Fact f = varies_eval(v, scope, n);
        bool sum = n->kind == NODE_BINARY && n->binary.op == OPER_ADD &&
                   (f.kind == FACT_NUMBER || !(f.how & FACT_MIXED));
        if (sum && adds(varies_eval(v, scope, n->binary.left)) &&
            adds(varies_eval(v, scope, n->binary.right)))
            return false; // nothing is taken away
        bool length =
            n->kind == NODE_CALL && node_is_name(n->call.func, "len"); // hardly ever is one 0 that can be
        bool kept = !length && !(f.how & FACT_MIXED) && chooses(f);
        counts = kept || ((f.how & FACT_MIXED) && !of_many_values(v, scope, n, f));
        t = fact_truth(f);
    }
    return counts && t != (side ? TRUTH_NEVER : TRUTH_ALWAYS);
}

static bool equals(Varies *v, const Scope *scope, Fact f, const Node *entry) {
    return fact_compare(OPER_EQ, f, varies_eval(v, scope, entry)) != TRUTH_NEVER;
}

// (131072, 65536) as the shape of an input: more elements than any has.
static bool too_large(Fact shape, const Node *entry) {
    int64_t n = 1;
    if (shape.kind != FACT_NUMBERS || !shape.of || entry->kind != NODE_TUPLE) return false;
    for (int i = 0; i < entry->items.n; i++) {
        const Node *x = entry->items.at[i];
        if (x->kind != NODE_INT || x->integer.too_big || x->integer.value >= (uint64_t)FACT_ELEMENTS)
            return false;
        if (__builtin_mul_overflow(n, (int64_t)x->integer.value, &n)) return true;
    }
    return n >= FACT_ELEMENTS;
}

// The same of (M, N), each of which is a dimension of one input.
static Fact as_shape(Varies *v, const Scope *scope, const Node *key) {
    Fact f = varies_eval(v, scope, key);
    if (key->kind != NODE_TUPLE || f.of) return f;
    uint8_t dims = 0, of = 0;
    for (int i = 0; i < key->items.n; i++) {
        Fact x = varies_eval(v, scope, key->items.at[i]);
        if (x.kind != FACT_NUMBER || !x.of || (of && x.of != of) || (dims & x.dims)) return f;
        of = x.of;
        dims |= x.dims;
    }
    return f.of = of, f;
}

bool varies_meets(Varies *v, const Scope *scope, const Node *key, const Node *entry, int i, int n) {
    if (!v || v->full || not_followed(v, scope)) return true;
    Fact f = varies_eval(v, scope, key);
    if (!(f.how & (FACT_VARIES | FACT_NONE))) return false;
    if (!entry)
        return fact_compare(OPER_EQ, f, fact_number(0, i, i)) != TRUTH_NEVER ||
               fact_compare(OPER_EQ, f, fact_number(0, i - n, i - n)) != TRUTH_NEVER;
    bool tuples = key->kind == NODE_TUPLE && entry->kind == NODE_TUPLE && key->items.n == entry->items.n;
    for (int k = 0; tuples && k < key->items.n; k++)
        if (!equals(v, scope, varies_eval(v, scope, key->items.at[k]), entry->items.at[k])) return false;
    return !too_large(as_shape(v, scope, key), entry) && (tuples || equals(v, scope, f, entry));
}

bool varies_callee(const Varies *v) { return !v || v->full || v->callee; }
