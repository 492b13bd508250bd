// The mutators, one function for each row of mutant.def. Each looks at one node and proposes what could be
// wrong there; a node that is not its business it leaves alone. Those of launches are in mutate_launch.c.
#include "mutate/mutate.h"
#include "mutate/mutate_make.h"
#include "tile/check/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- recognising

bool node_calls(const Node *n, const char *tl_name) {
    return n->kind == NODE_CALL && n->call.func->kind == NODE_ATTRIBUTE &&
           str_is(n->call.func->attribute.name, tl_name + strlen("tl.")) &&
           node_is_name(n->call.func->attribute.value, "tl");
}

bool node_is_reduction(const Node *n) {
    static const char *const names[] = {
        "tl.sum",    "tl.max",     "tl.min",  "tl.argmax",           "tl.argmin", "tl.reduce", "tl.xor_sum",
        "tl.cumsum", "tl.cumprod", "tl.sort", "tl.associative_scan", "tl.dot",    NULL};
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_ATTRIBUTE) return false;
    for (int i = 0; names[i]; i++)
        if (str_is(n->call.func->attribute.name, names[i] + strlen("tl."))) return true;
    return false;
}

const Node *call_argument(const Node *call, int position, const char *keyword) {
    if (position < call->call.args.n) return call->call.args.at[position];
    for (int i = 0; i < call->call.keywords.n; i++)
        if (str_is(call->call.keywords.at[i]->keyword.name, keyword))
            return call->call.keywords.at[i]->keyword.value;
    return NULL;
}

const Node *method_call(const Node *n, const char *name, int args) {
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_ATTRIBUTE ||
        !str_is(n->call.func->attribute.name, name))
        return NULL;
    return n->call.args.n == args ? n->call.func->attribute.value : NULL;
}

// The name of a parameter that is no constexpr.
static bool is_runtime_parameter(const Maker *m, const Node *n) {
    if (n->kind != NODE_NAME || !m->function) return false;
    const Nodes *params = &m->function->function.params;
    for (int i = 0; i < params->n; i++)
        if (str_eq(params->at[i]->param.name, n->name))
            return !annotation_is_constexpr(params->at[i]->param.annotation);
    return false;
}

enum { GATHER_FUEL = 4096 };
static void gather(void *arg, const Node *n) {
    Gather *g = arg;
    if (g->fuel-- <= 0 || g->n == GATHERED_MAX) return;
    if (g->test(g->m, n)) g->at[g->n++] = n;
    if (g->into_loads || !node_calls(n, "tl.load")) node_each_child(n, gather, g);
}
Gather gathered(const Maker *m, const Node *root, Test *test, bool into_loads) {
    Gather g = {.m = m, .test = test, .into_loads = into_loads, .fuel = GATHER_FUEL};
    gather(&g, root);
    return g;
}
static bool contains(const Maker *m, const Node *root, Test *test) {
    return gathered(m, root, test, true).n > 0;
}

static bool is_index(const Maker *m, const Node *n) {
    if (node_calls(n, "tl.arange")) return true;
    for (int i = 0; n->kind == NODE_NAME && i < m->indices; i++)
        if (str_eq(m->index[i], n->name)) return true;
    return false;
}
static bool holds_index(const Maker *m, const Node *n) { return gathered(m, n, is_index, false).n > 0; }

bool node_is_index_compare(const Maker *m, const Node *n) {
    return n->kind == NODE_COMPARE && n->compare.rest.n == 1 && holds_index(m, n->compare.left) &&
           n->compare.rest.at[0]->kind != NODE_FLOAT;
}
static bool is_bound(const Maker *m, const Node *n) {
    return node_is_index_compare(m, n) && n->compare.ops[0] == OPER_LT;
}

typedef struct {
    Maker *m;
    bool grew;
} Indices;
static void find_indices(void *arg, const Node *n) {
    Indices *s = arg;
    Maker *m = s->m;
    const Node *target = NULL, *value = NULL;
    if (n->kind == NODE_ASSIGN && n->assign.targets.n == 1)
        target = n->assign.targets.at[0], value = n->assign.value;
    if (n->kind == NODE_AUGASSIGN) target = n->augassign.target, value = n->augassign.value;
    if (target && target->kind == NODE_NAME && m->indices < MASKS_NAMES_MAX && !is_index(m, target) &&
        holds_index(m, value) && gathered(m, value, node_is_index_compare, false).n == 0) {
        m->index[m->indices++] = target->name;
        s->grew = true;
    }
    if (n->kind == NODE_FOR || n->kind == NODE_IF || n->kind == NODE_WHILE)
        node_each_child(n, find_indices, s);
}

void mutate_enter(Maker *m, const Node *function) {
    m->function = function;
    m->indices = 0;
    Indices s = {m, true};
    for (int turn = 0; turn < 4 && s.grew; turn++) {
        s.grew = false;
        node_each_child(function, find_indices, &s);
    }
}

static const Node *parent(const Maker *m) { return m->above[m->depth - 1]; }

typedef struct {
    Str name;
    const Node *value; // the last assignment found
} Definition;
static void find_definition(void *arg, const Node *n) {
    Definition *d = arg;
    if (n->kind == NODE_ASSIGN && n->assign.targets.n == 1 && n->assign.targets.at[0]->kind == NODE_NAME &&
        str_eq(n->assign.targets.at[0]->name, d->name))
        d->value = n->assign.value;
    if (n->kind == NODE_FOR || n->kind == NODE_IF || n->kind == NODE_WHILE || n->kind == NODE_FUNCTION)
        node_each_child(n, find_definition, d);
}
const Node *definition(const Node *scope, Str name) {
    Definition d = {.name = name};
    node_each_child(scope, find_definition, &d);
    return d.value;
}

// Statements that a function or a loop runs one after the other.
static const Nodes *block_of(const Node *n) {
    return n->kind == NODE_FUNCTION ? &n->function.body
           : n->kind == NODE_FOR    ? &n->loop.body
           : n->kind == NODE_WHILE  ? &n->whileloop.body
                                    : NULL;
}

// The nearest bound of indices in the statements of `block` up to `until`.
static const Node *bound_before(const Maker *m, const Nodes *block, const Node *until) {
    const Node *found = NULL;
    for (int i = 0; i < block->n; i++) {
        const Node *s = block->at[i];
        bool opens_block = s->kind == NODE_FOR || s->kind == NODE_WHILE || s->kind == NODE_IF;
        if (!opens_block) {
            Gather g = gathered(m, s, is_bound, true);
            if (g.n > 0) found = g.at[0];
        }
        if (s == until) break;
    }
    return found;
}
static const Node *bound_in_scope(const Maker *m) {
    const Node *inner = NULL;
    for (int i = m->depth - 1; i >= 0; i--) {
        const Node *n = m->above[i];
        const Nodes *block = block_of(n);
        const Node *found = block ? bound_before(m, block, inner) : NULL;
        if (found) return found;
        inner = n;
    }
    return NULL;
}
static bool in_loop(const Maker *m) {
    for (int i = 0; i < m->depth; i++)
        if (m->above[i]->kind == NODE_FOR || m->above[i]->kind == NODE_WHILE) return true;
    return false;
}
static bool assigned_before(const Nodes *block, const Node *until, Str name) {
    for (int i = 0; block && i < block->n && block->at[i] != until; i++) {
        const Node *s = block->at[i];
        if (s->kind == NODE_ASSIGN && s->assign.targets.n == 1 &&
            s->assign.targets.at[0]->kind == NODE_NAME && str_eq(s->assign.targets.at[0]->name, name))
            return true;
    }
    return false;
}

// `total += h` in a loop, carried from turn to turn.
static bool is_accumulation(const Maker *m, const Node *n) {
    if (n->kind != NODE_AUGASSIGN || n->augassign.op != OPER_ADD || n->augassign.target->kind != NODE_NAME)
        return false;
    const Nodes *block = block_of(parent(m));
    return block && in_loop(m) && !assigned_before(block, n, n->augassign.target->name) &&
           !holds_index(m, n->augassign.target);
}

static double rounded(double v) { // 0.00001 * 10 without the noise of binary
    char text[40];
    snprintf(text, sizeof text, "%.9g", v);
    return strtod(text, NULL);
}

// ---- guards, masks and bounds

static void propose_argument(Maker *m, const Node *call, const Node *argument, const Node *with) {
    mutant_propose(m, call, node_replaced(m->scratch, call, argument, with));
}

static bool is_eps(const Node *n) {
    if (n->kind == NODE_FLOAT) return n->real > 0 && n->real < 1e-3;
    return node_is_name(n, "eps") || node_is_name(n, "EPS");
}

void mutate_eps(Maker *m, const Node *n) {
    if (n->kind != NODE_BINARY || n->binary.op != OPER_ADD) return;
    bool right = is_eps(n->binary.right);
    if (!right && !is_eps(n->binary.left)) return;
    const Node *eps = right ? n->binary.right : n->binary.left,
               *rest = right ? n->binary.left : n->binary.right;
    mutant_propose(m, n, rest);
    for (int i = 0; i < 2; i++) {
        double factor = i ? 0.1 : 10;
        mutant_propose(m, eps,
                       eps->kind == NODE_FLOAT ? make_float(m, eps, rounded(eps->real * factor))
                                               : make_binary(m, OPER_MUL, eps, make_float(m, eps, factor)));
    }
    const Node *call = parent(m);
    if (call->kind == NODE_CALL && call->call.args.n == 1 && call->call.args.at[0] == n)
        mutant_propose(m, call, make_binary(m, OPER_ADD, node_replaced(m->scratch, call, n, rest), eps));
    if (rest->kind == NODE_BINARY && rest->binary.op == OPER_DIV)
        mutant_propose(
            m, n,
            make_binary(m, OPER_DIV, make_binary(m, OPER_ADD, rest->binary.left, eps), rest->binary.right));
}

static bool is_maximum(const Maker *m, const Node *n) {
    (void)m;
    return node_calls(n, "tl.max") || node_calls(n, "tl.maximum");
}

void mutate_max_subtraction(Maker *m, const Node *n) {
    if (n->kind != NODE_BINARY || n->binary.op != OPER_SUB) return;
    const Node *right = n->binary.right;
    if (right->kind == NODE_NAME) right = definition(m->function, right->name);
    if (right && contains(m, right, is_maximum)) mutant_propose(m, n, n->binary.left);
}

void mutate_mask_load(Maker *m, const Node *n) {
    if (node_calls(n, "tl.load") && call_argument(n, 1, "mask"))
        mutant_propose(m, n, make_call_without(m, n, 1, "mask", "other"));
}
void mutate_mask_store(Maker *m, const Node *n) {
    if (node_calls(n, "tl.store") && call_argument(n, 2, "mask"))
        mutant_propose(m, n, make_call_without(m, n, 2, "mask", NULL));
}

static Node *bound_or_equal(Maker *m, const Node *c) {
    return make_compare(m, c->compare.left, OPER_LE, c->compare.rest.at[0]);
}
static Node *bound_less_one(Maker *m, const Node *c) {
    return make_compare(m, c->compare.left, OPER_LT, make_minus(m, c->compare.rest.at[0], 1));
}

void mutate_mask_off(Maker *m, const Node *n) {
    if (is_bound(m, n)) {
        mutant_propose(m, n, bound_or_equal(m, n));
        mutant_propose(m, n, bound_less_one(m, n));
        return;
    }
    const Node *mask = node_calls(n, "tl.load")    ? call_argument(n, 1, "mask")
                       : node_calls(n, "tl.store") ? call_argument(n, 2, "mask")
                                                   : NULL;
    if (!mask || mask->kind != NODE_NAME) return;
    const Node *value = definition(m->function, mask->name);
    if (!value) return;
    Gather g = gathered(m, value, is_bound, false);
    for (int i = 0; i < g.n; i++) {
        propose_argument(m, n, mask, node_replaced(m->scratch, value, g.at[i], bound_or_equal(m, g.at[i])));
        propose_argument(m, n, mask, node_replaced(m->scratch, value, g.at[i], bound_less_one(m, g.at[i])));
    }
}

static bool is_zero(const Node *n) {
    return (n->kind == NODE_FLOAT && n->real == 0) ||
           (n->kind == NODE_INT && !n->integer.too_big && n->integer.value == 0);
}

void mutate_other(Maker *m, const Node *n) {
    if (!node_calls(n, "tl.load") || !call_argument(n, 1, "mask")) return;
    const Node *other = call_argument(n, 2, "other");
    if (!other || !padding_matters(m, n)) return;
    mutant_propose(m, n, make_call_without(m, n, 2, "other", NULL));
    propose_argument(m, n, other, is_zero(other) ? make_float(m, other, 1.0) : make_float(m, other, 0.0));
}

// float("inf") or float("-inf").
static bool is_inf(const Node *n, const char *text) {
    return n->kind == NODE_CALL && node_is_name(n->call.func, "float") && n->call.args.n == 1 &&
           n->call.args.at[0]->kind == NODE_STRING && str_is(n->call.args.at[0]->string.text, text);
}

void mutate_neg_inf(Maker *m, const Node *n) {
    bool minus = n->kind == NODE_UNARY && n->unary.op == OPER_NEG && is_inf(n->unary.operand, "inf");
    if (minus || is_inf(n, "-inf")) mutant_propose(m, n, make_unary(m, OPER_NEG, make_float(m, n, 1e4)));
}

void mutate_divisor(Maker *m, const Node *n) {
    if (n->kind != NODE_BINARY || n->binary.op != OPER_DIV) return;
    const Node *name = n->binary.right;
    if (method_call(name, "to", 1)) name = method_call(name, "to", 1);
    if (!is_runtime_parameter(m, name)) return;
    mutant_propose(m, name, make_minus(m, name, 1));
    for (int i = 0; i < m->function->function.params.n; i++) {
        const Node *p = m->function->function.params.at[i];
        if (annotation_is_constexpr(p->param.annotation))
            mutant_propose(m, name, make_name(m, name, p->param.name));
    }
}

void mutate_partial_statistic(Maker *m, const Node *n) {
    bool sum = node_calls(n, "tl.sum"), max = node_calls(n, "tl.max"), min = node_calls(n, "tl.min"),
         adds = is_accumulation(m, n);
    if (!sum && !max && !min && !adds) return;
    const Node *part = adds ? n->augassign.value : n->call.args.n > 0 ? n->call.args.at[0] : NULL;
    const Node *bound = bound_in_scope(m);
    if (!part || !bound) return;
    const Node *left = bound->compare.left, *right = bound->compare.rest.at[0];
    const Node *nothing = max || min ? make_inf(m, part, max) : make_float(m, part, 0.0);
    const Node *kept[] = {
        bound_less_one(m, bound), make_compare(m, left, OPER_GT, make_int(m, left, 0)),
        make_compare(m, left, OPER_LT, make_binary(m, OPER_FLOORDIV, right, make_int(m, right, 2)))};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        mutant_propose(m, part, make_where(m, kept[i], part, nothing));
}

// ---- precision

static const char *const halves[] = {"float16", "bfloat16"};

void mutate_accumulator(Maker *m, const Node *n) {
    if (is_accumulation(m, n)) {
        for (int i = 0; i < 2; i++) {
            Node *sum = make_binary(m, OPER_ADD, n->augassign.target, n->augassign.value);
            sum = make_cast(m, make_cast(m, sum, halves[i]), "float32");
            mutant_propose(m, n, make_assign(m, n, n->augassign.target, sum));
        }
    }
    if ((node_calls(n, "tl.sum") || node_calls(n, "tl.cumsum")) && n->call.args.n > 0) {
        const Node *e = n->call.args.at[0];
        for (int i = 0; i < 2; i++)
            propose_argument(m, n, e, make_cast(m, make_cast(m, e, halves[i]), "float32"));
    }
}

void mutate_precision(Maker *m, const Node *n) {
    if (node_calls(n, "tl.store") && n->call.args.n > 1)
        propose_argument(m, n, n->call.args.at[1], make_cast(m, n->call.args.at[1], "bfloat16"));
    const Node *e = method_call(n, "to", 1);
    if (!e || n->call.args.at[0]->kind != NODE_ATTRIBUTE ||
        !str_is(n->call.args.at[0]->attribute.name, "float32"))
        return;
    for (int i = 0; i < 2; i++) mutant_propose(m, n, make_cast(m, make_cast(m, e, halves[i]), "float32"));
}

// ---- loops and indices

void mutate_loop_bounds(Maker *m, const Node *n) {
    if (n->kind != NODE_FOR || n->loop.iter->kind != NODE_CALL) return;
    const Node *call = n->loop.iter;
    if (!node_is_name(call->call.func, "range") && !node_calls(call, "tl.range") &&
        !node_calls(call, "tl.static_range"))
        return;
    const Nodes *args = &call->call.args;
    const Node *stop = args->n == 1 ? args->at[0] : args->n > 1 ? args->at[1] : NULL;
    if (!stop) return;
    mutant_propose(m, stop, make_minus(m, stop, 1));
    if (args->n < 2) return;
    const Node *start = args->at[0], *step = args->n > 2 ? args->at[2] : make_int(m, start, 1);
    mutant_propose(m, stop, make_binary(m, OPER_SUB, stop, step));
    mutant_propose(m, start, is_zero(start) ? step : make_binary(m, OPER_ADD, start, step));
}

void mutate_stride(Maker *m, const Node *n) {
    if (!is_runtime_parameter(m, n)) return;
    if (parent(m)->kind != NODE_BINARY) return; // never the target of an assignment
    for (size_t i = 0; i + 6 <= n->name.len; i++)
        if (str_starts((Str){n->name.p + i, n->name.len - i}, "stride")) {
            mutant_propose(m, n, make_plus(m, n, 1));
            return;
        }
}

void mutate_index_off(Maker *m, const Node *n) {
    if ((node_calls(n, "tl.load") || node_calls(n, "tl.store")) && n->call.args.n > 0) {
        const Node *address = n->call.args.at[0];
        propose_argument(m, n, address, make_plus(m, address, 1));
        propose_argument(m, n, address, make_minus(m, address, 1));
    }
    if (node_calls(n, "tl.arange") || node_calls(n, "tl.program_id"))
        mutant_propose(m, n, make_plus(m, n, 1));
    if (node_calls(n, "tl.program_id") && n->call.args.n == 1 && n->call.args.at[0]->kind == NODE_INT) {
        const Node *axis = n->call.args.at[0];
        propose_argument(m, n, axis, make_int(m, axis, is_zero(axis)));
    }
}

// ---- functions

typedef struct {
    const char *from, *to;
} Renamed;

void mutate_reduction_kind(Maker *m, const Node *n) {
    static const Renamed table[] = {
        {"tl.sum", "tl.max"}, {"tl.max", "tl.min"}, {"tl.max", "tl.sum"}, {"tl.min", "tl.max"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (node_calls(n, table[i].from)) mutant_propose(m, n, make_recall(m, n, table[i].to));
    if (node_calls(n, "tl.cumsum") && n->call.args.n > 0)
        mutant_propose(m, n, make_binary(m, OPER_SUB, n, n->call.args.at[0]));
}

void mutate_activation(Maker *m, const Node *n) {
    static const Renamed table[] = {{"tl.exp", "tl.exp2"},        {"tl.exp2", "tl.exp"},
                                    {"tl.log", "tl.log2"},        {"tl.log2", "tl.log"},
                                    {"tl.rsqrt", "tl.sqrt"},      {"tl.sqrt", "tl.rsqrt"},
                                    {"tl.maximum", "tl.minimum"}, {"tl.minimum", "tl.maximum"}};
    static const char *const droppable[] = {"tl.exp",  "tl.exp2",  "tl.log",     "tl.log2",
                                            "tl.sqrt", "tl.rsqrt", "tl.sigmoid", "tl.abs",
                                            "tl.erf",  "tl.sin",   "tl.cos",     NULL};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (node_calls(n, table[i].from)) mutant_propose(m, n, make_recall(m, n, table[i].to));
    if (node_calls(n, "tl.sigmoid") && n->call.args.n == 1) {
        const Node *v = n->call.args.at[0];
        propose_argument(m, n, v, make_binary(m, OPER_MUL, make_float(m, v, 1.702), v));
    }
    for (int i = 0; droppable[i]; i++)
        if (node_calls(n, droppable[i]) && n->call.args.n == 1) mutant_propose(m, n, n->call.args.at[0]);
    if ((node_calls(n, "tl.maximum") || node_calls(n, "tl.minimum")) && n->call.args.n == 2)
        for (int i = 0; i < 2; i++) mutant_propose(m, n, n->call.args.at[i]);
    // A helper or a library function of one value.
    bool helper = n->kind == NODE_CALL && n->call.args.n == 1 && n->call.keywords.n == 0 &&
                  n->call.func->kind == NODE_NAME && module_function(m->module, n->call.func->name);
    bool library = n->kind == NODE_CALL && n->call.args.n == 1 && n->call.func->kind == NODE_ATTRIBUTE &&
                   n->call.func->attribute.value->kind != NODE_CALL &&
                   !node_is_name(n->call.func->attribute.value, "tl") &&
                   node_is_name(n->call.func->attribute.value, "libdevice");
    if (helper || library) mutant_propose(m, n, n->call.args.at[0]);
}

void mutate_comparison(Maker *m, const Node *n) {
    static const struct {
        Oper from, to;
    } table[] = {{OPER_LT, OPER_GE}, {OPER_GE, OPER_LT}, {OPER_GT, OPER_LE},
                 {OPER_LE, OPER_GT}, {OPER_EQ, OPER_NE}, {OPER_NE, OPER_EQ}};
    if (n->kind != NODE_COMPARE || n->compare.rest.n != 1) return;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (n->compare.ops[0] == table[i].from)
            mutant_propose(m, n, make_compare(m, n->compare.left, table[i].to, n->compare.rest.at[0]));
}

void mutate_selection(Maker *m, const Node *n) {
    if (!node_calls(n, "tl.where") || n->call.args.n != 3) return;
    Node **arg = n->call.args.at;
    mutant_propose(m, n, make_where(m, arg[0], arg[2], arg[1]));
    mutant_propose(m, n, arg[1]);
    mutant_propose(m, n, arg[2]);
}

// ---- arithmetic

void mutate_swapped_operands(Maker *m, const Node *n) {
    if (n->kind == NODE_BINARY && (n->binary.op == OPER_SUB || n->binary.op == OPER_DIV))
        mutant_propose(m, n, make_binary(m, n->binary.op, n->binary.right, n->binary.left));
}

void mutate_sign(Maker *m, const Node *n) {
    static const char *const odd[] = {"tl.exp", "tl.exp2", "tl.log", "tl.log2", "tl.sigmoid", NULL};
    if (node_calls(n, "tl.store") && n->call.args.n > 1)
        propose_argument(m, n, n->call.args.at[1], make_unary(m, OPER_NEG, n->call.args.at[1]));
    for (int i = 0; odd[i]; i++)
        if (node_calls(n, odd[i]) && n->call.args.n == 1)
            propose_argument(m, n, n->call.args.at[0], make_unary(m, OPER_NEG, n->call.args.at[0]));
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NEG) mutant_propose(m, n, n->unary.operand);
}

void mutate_constant(Maker *m, const Node *n) {
    const Node *up = parent(m);
    if (n->kind == NODE_FLOAT && isfinite(n->real) && !is_eps(n) &&
        !(up->kind == NODE_KEYWORD && str_is(up->keyword.name, "other")))
        mutant_propose(m, n, make_float(m, n, n->real == 0 ? 1.0 : rounded(n->real * 1.001)));
    if (n->kind == NODE_INT && !n->integer.too_big && n->integer.value < INT32_MAX && up->kind == NODE_BINARY)
        mutant_propose(m, n, make_int(m, n, n->integer.value + 1));
}

static bool other_operator(Oper op, Oper *out) {
    static const struct {
        Oper from, to;
    } table[] = {{OPER_ADD, OPER_SUB},      {OPER_SUB, OPER_ADD},      {OPER_MUL, OPER_DIV},
                 {OPER_DIV, OPER_MUL},      {OPER_FLOORDIV, OPER_MOD}, {OPER_MOD, OPER_FLOORDIV},
                 {OPER_BITAND, OPER_BITOR}, {OPER_BITOR, OPER_BITAND}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (op == table[i].from) return *out = table[i].to, true;
    return false;
}

void mutate_operator(Maker *m, const Node *n) {
    Oper op;
    if (n->kind == NODE_BINARY && other_operator(n->binary.op, &op))
        mutant_propose(m, n, make_binary(m, op, n->binary.left, n->binary.right));
    if (n->kind == NODE_AUGASSIGN && other_operator(n->augassign.op, &op)) {
        Node *statement = make_node(m, NODE_AUGASSIGN, n);
        statement->augassign = n->augassign;
        statement->augassign.op = op;
        mutant_propose(m, n, statement);
    }
}

void mutate_term(Maker *m, const Node *n) {
    if (n->kind != NODE_BINARY) return;
    Oper op = n->binary.op;
    if (op == OPER_ADD || op == OPER_SUB || op == OPER_MUL || op == OPER_DIV)
        mutant_propose(m, n, n->binary.left);
    if (op == OPER_ADD || op == OPER_MUL) mutant_propose(m, n, n->binary.right);
}

void mutate_statement(Maker *m, const Node *n) {
    if (n->kind == NODE_AUGASSIGN) {
        mutant_propose(m, n, NULL);
        mutant_propose(m, n, make_assign(m, n, n->augassign.target, n->augassign.value));
    }
    if (n->kind == NODE_EXPRSTMT && node_calls(n->value, "tl.store")) mutant_propose(m, n, NULL);
    // An assignment that renews a name: without it the old value stays.
    if (n->kind != NODE_ASSIGN || n->assign.targets.n != 1 || n->assign.targets.at[0]->kind != NODE_NAME)
        return;
    const Node *inner = n;
    for (int i = m->depth - 1; i >= 0; i--) {
        const Node *a = m->above[i];
        if (assigned_before(block_of(a), inner, n->assign.targets.at[0]->name)) {
            mutant_propose(m, n, NULL);
            return;
        }
        inner = a;
    }
}
