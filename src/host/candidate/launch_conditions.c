#include "host/candidate/launch_conditions.h"

#include "lang/pyvalue.h"

enum { KNOWN_MAX = 96 };

// Names of the kernel that are bound to whole numbers which are known; one that is bound to something else is
// there, too.
typedef struct {
    Outcomes *o;
    Cover *cover;
    const int64_t *grid;
    struct {
        Str name;
        bool known;
        int bits;
        int64_t value; // if not known, and not 0: all numbers below it
    } at[KNOWN_MAX];
    int n;
    int bits;  // of what number() has found: 32 or 64; 0: a number of Python's, without an end
    int loops; // around the present place: names bound in them are not known
} Known;

static void know(Known *k, Str name, bool known, int64_t value) {
    int i = 0;
    while (i < k->n && !str_eq(k->at[i].name, name)) i++;
    if (i == KNOWN_MAX) return;
    if (i == k->n) k->n++, k->at[i].name = name;
    k->at[i].known = known && k->loops == 0;
    k->at[i].bits = k->bits;
    k->at[i].value = known && k->loops > 0 ? 0 : value;
}

static bool number(Known *k, const Node *n, int64_t *out);

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static bool in_python(Oper op, int64_t l, int64_t r, int64_t *out) {
    switch (op) {
    case OPER_ADD: return !__builtin_add_overflow(l, r, out);
    case OPER_SUB: return !__builtin_sub_overflow(l, r, out);
    case OPER_MUL: return !__builtin_mul_overflow(l, r, out);
    case OPER_FLOORDIV: return r > 0 && (*out = floor_div(l, r), true);
    case OPER_MOD: return r > 0 && (*out = l - floor_div(l, r) * r, true);
    case OPER_SHL: return l >= 0 && r >= 0 && r < 62 && l <= INT64_MAX >> r && (*out = l << r, true);
    case OPER_SHR: return r >= 0 && r < 63 && (*out = l >> r, true);
    case OPER_BITAND: return *out = l & r, true;
    case OPER_BITOR: return *out = l | r, true;
    case OPER_BITXOR: return *out = l ^ r, true;
    default: return false;
    }
}

static int64_t wrapped(int64_t x, int bits) { return bits == 32 ? (int32_t)x : x; }

// As a GPU does it: what does not fit wraps around, and quotients are rounded towards zero.
static bool arithmetic(Oper op, int bits, int64_t l, int64_t r, int64_t *out) {
    bool python = bits == 0;
    if (python) return in_python(op, l, r, out);
    switch (op) {
    case OPER_ADD: (void)__builtin_add_overflow(l, r, out); break;
    case OPER_SUB: (void)__builtin_sub_overflow(l, r, out); break;
    case OPER_MUL: (void)__builtin_mul_overflow(l, r, out); break;
    case OPER_FLOORDIV:
    case OPER_MOD:
        if (r == 0 || (r == -1 && l == INT64_MIN)) return false;
        *out = op == OPER_MOD ? l % r : l / r;
        break;
    case OPER_SHL:
    case OPER_SHR:
        if (r < 0 || r >= bits) return false;
        *out = op == OPER_SHR ? l >> r : (int64_t)((uint64_t)l << r);
        break;
    default:
        if (!in_python(op, l, r, out)) return false;
    }
    return *out = wrapped(*out, bits), true;
}

static bool holds(Oper op, int64_t l, int64_t r, bool *out) {
    switch (op) {
    case OPER_LT: return *out = l < r, true;
    case OPER_LE: return *out = l <= r, true;
    case OPER_GT: return *out = l > r, true;
    case OPER_GE: return *out = l >= r, true;
    case OPER_EQ: return *out = l == r, true;
    case OPER_NE: return *out = l != r, true;
    default: return false;
    }
}

// x.to(tl.int64)
static bool converted(Known *k, const Node *n, int64_t *out) {
    const Node *f = n->call.func, *to = n->call.args.n == 1 ? n->call.args.at[0] : NULL;
    if (f->kind != NODE_ATTRIBUTE || !to || to->kind != NODE_ATTRIBUTE) return false;
    int bits = str_is(to->attribute.name, "int64") ? 64 : str_is(to->attribute.name, "int32") ? 32 : 0;
    if (bits == 0 || !number(k, f->attribute.value, out)) return false;
    k->bits = bits;
    return *out = wrapped(*out, bits), true;
}

static bool call_number(Known *k, const Node *n, int64_t *out) {
    const Node *f = n->call.func;
    Str name = f->kind == NODE_ATTRIBUTE ? f->attribute.name : f->kind == NODE_NAME ? f->name : (Str){0};
    int64_t a, b;
    if (str_is(name, "to")) return converted(k, n, out);
    if (n->call.args.n == 0 || !number(k, n->call.args.at[0], &a)) return false;
    if (str_is(name, "num_programs")) return a >= 0 && a < 3 && (k->bits = 32, *out = k->grid[a], true);
    if (str_is(name, "abs") && n->call.args.n == 1 && a > INT64_MIN)
        return *out = wrapped(a < 0 ? -a : a, k->bits), true;
    int bits = k->bits;
    if (n->call.args.n != 2 || !number(k, n->call.args.at[1], &b)) return false;
    if (bits > k->bits) k->bits = bits;
    if (str_is(name, "cdiv")) return b > 0 && a < INT64_MAX - b && (*out = floor_div(a + b - 1, b), true);
    if (str_is(name, "min") || str_is(name, "minimum")) return *out = a < b ? a : b, true;
    if (str_is(name, "max") || str_is(name, "maximum")) return *out = a > b ? a : b, true;
    return false;
}

// Places in the grid and ranges: all numbers below *out, in a tile or over all programs.
static bool range(Known *k, const Node *n, int64_t *out) {
    if (n->kind == NODE_NAME) {
        for (int i = 0; i < k->n; i++)
            if (str_eq(k->at[i].name, n->name)) return !k->at[i].known && (*out = k->at[i].value) > 0;
        return false;
    }
    if (n->kind == NODE_SUBSCRIPT) return range(k, n->subscript.value, out); // [:, None]
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_ATTRIBUTE) return false;
    Str name = n->call.func->attribute.name;
    const Nodes *args = &n->call.args;
    int64_t x;
    if (str_is(name, "to")) return range(k, n->call.func->attribute.value, out);
    if (str_is(name, "program_id"))
        return args->n == 1 && number(k, args->at[0], &x) && x >= 0 && x < 3 && (*out = k->grid[x]) > 0;
    return str_is(name, "arange") && args->n == 2 && number(k, args->at[1], out) && *out > 0;
}

// Whether some place of a range is as a condition says.
static void compare_range(Known *k, const Node *n) {
    const Node *right = n->compare.rest.at[0];
    int64_t below, x;
    bool on_left = range(k, n->compare.left, &below);
    if (n->compare.rest.n != 1 || (!on_left && !range(k, right, &below))) return;
    if (!number(k, on_left ? right : n->compare.left, &x)) return;
    outcome_compared(k->o, right->span.at, below, x, below > x);
    // A tile of more than twice the lanes reaches beyond that place in the row, too.
    if (x >= 0 && x < below / 2 - 1) outcome_seen(k->o, right->span.at, 4);
}

static bool compare(Known *k, const Node *n, int64_t *out) {
    int64_t l, r;
    bool all = true, known = number(k, n->compare.left, &l);
    compare_range(k, n);
    for (int i = 0; known && i < n->compare.rest.n; i++) {
        bool one;
        const Node *right = n->compare.rest.at[i];
        known = number(k, right, &r) && holds(n->compare.ops[i], l, r, &one);
        if (!known) break;
        outcome_compared(k->o, right->span.at, l, r, one);
        all &= one;
        l = r;
    }
    k->bits = 32;
    if (known) cover_truth(k->cover, n, all);
    return known && (*out = all, true);
}

// Known where all parts are. How many of them hold says how near it is to coming out otherwise.
static bool several(Known *k, const Node *n, int64_t *out) {
    int64_t hold = 0, x;
    for (int i = 0; i < n->boolop.items.n; i++) {
        if (!number(k, n->boolop.items.at[i], &x)) return false;
        hold += x != 0;
    }
    bool all = n->boolop.op == OPER_AND;
    *out = all ? hold == n->boolop.items.n : hold > 0;
    outcome_compared(k->o, n->span.at, hold, all ? n->boolop.items.n : 0, *out);
    return true;
}

static void note_extreme(Known *k, const Node *n, int64_t result) {
    int64_t first;
    if (node_extreme(n) && number(k, n->call.args.at[0], &first)) cover_truth(k->cover, n, result == first);
}

static bool number(Known *k, const Node *n, int64_t *out) {
    int64_t l, r;
    int bits;
    switch (n->kind) {
    case NODE_INT:
        k->bits = 0;
        return !n->integer.too_big && n->integer.value < INT64_MAX &&
               (*out = (int64_t)n->integer.value, true);
    case NODE_TRUE:
    case NODE_FALSE: return k->bits = 0, *out = n->kind == NODE_TRUE, true;
    case NODE_NAME:
        for (int i = 0; i < k->n; i++)
            if (str_eq(k->at[i].name, n->name))
                return k->at[i].known && (k->bits = k->at[i].bits, *out = k->at[i].value, true);
        return false;
    case NODE_UNARY:
        if (!number(k, n->unary.operand, &l)) return false;
        if (n->unary.op == OPER_NOT) return *out = !l, true;
        return n->unary.op == OPER_NEG && l > INT64_MIN && (*out = wrapped(-l, k->bits), true);
    case NODE_BINARY:
        if (!number(k, n->binary.left, &l)) return false;
        bits = k->bits;
        if (!number(k, n->binary.right, &r)) return false;
        if (bits > k->bits) k->bits = bits;
        if (!arithmetic(n->binary.op, k->bits, l, r, out)) return false;
        outcome_computed(k->o, n->binary.right->span.at, l, r, *out);
        if (node_saturates(n)) cover_truth(k->cover, n, *out != 0);
        return true;
    case NODE_COMPARE: return compare(k, n, out);
    case NODE_BOOLOP: return several(k, n, out);
    case NODE_CALL: return call_number(k, n, out) && (note_extreme(k, n, *out), true);
    default: return false;
    }
}

// Every comparison in an expression, whether what is around it is known or not.
static void look(void *arg, const Node *n) {
    Known *k = arg;
    int64_t x;
    if (n->kind == NODE_COMPARE) (void)compare(k, n, &x);
    if (n->kind == NODE_BOOLOP) (void)several(k, n, &x);
    if (n->kind == NODE_BINARY || n->kind == NODE_CALL) (void)number(k, n, &x);
    if (n->kind == NODE_IFEXP && number(k, n->ifexp.cond, &x))
        outcome_seen(k->o, n->ifexp.cond->span.at, x ? 2 : 1);
    node_each_child(n, look, k); // a tree's height is bounded
}

static void block(Known *k, const Nodes *body);

static void bind(Known *k, const Node *target, const Node *value) {
    int64_t x = 0;
    if (target->kind == NODE_NAME) {
        bool known = value && number(k, value, &x);
        if (!known && (!value || !range(k, value, &x))) x = 0;
        return know(k, target->name, known, x);
    }
    if (target->kind != NODE_TUPLE && target->kind != NODE_LIST) return;
    for (int i = 0; i < target->items.n; i++) bind(k, target->items.at[i], NULL);
}

// None, one, two or more turns; a loop of a number of turns that is known.
static void turns(Known *k, const Node *n) {
    const Node *r = n->loop.iter;
    int64_t from = 0, to, step = 1;
    if (r->kind != NODE_CALL || r->call.args.n < 1 || r->call.args.n > 3) return;
    const Nodes *a = &r->call.args;
    if (a->n > 1 && !number(k, a->at[0], &from)) return;
    if (!number(k, a->at[a->n > 1], &to) || (a->n > 2 && !number(k, a->at[2], &step)) || step < 1) return;
    int64_t count = to > from ? (to - from - 1) / step + 1 : 0;
    outcome_seen(k->o, n->span.at, 4 + (uint64_t)(count < 3 ? count : 3));
}

static void loop(Known *k, const Nodes *body) {
    // What a turn binds is not known in the next one.
    for (int turn = k->loops > 0; turn < 2; turn++) {
        k->loops++;
        block(k, body);
        k->loops--;
    }
}

static void statement(Known *k, const Node *s) {
    int64_t x;
    switch (s->kind) {
    case NODE_ASSIGN:
        look(k, s->assign.value);
        for (int i = 0; i < s->assign.targets.n; i++) bind(k, s->assign.targets.at[i], s->assign.value);
        break;
    case NODE_ANNASSIGN:
        if (!s->annassign.value) break;
        look(k, s->annassign.value);
        bind(k, s->annassign.target, s->annassign.value);
        break;
    case NODE_AUGASSIGN:
        look(k, s->augassign.value);
        if (s->augassign.target->kind == NODE_NAME) know(k, s->augassign.target->name, false, 0);
        break;
    case NODE_IF:
        look(k, s->branch.cond);
        if (number(k, s->branch.cond, &x)) {
            outcome_seen(k->o, s->branch.cond->span.at, x ? 2 : 1);
            block(k, x ? &s->branch.then : &s->branch.otherwise);
            break;
        }
        loop(k, &s->branch.then);
        loop(k, &s->branch.otherwise);
        break;
    case NODE_FOR:
        look(k, s->loop.iter);
        turns(k, s);
        k->loops++;
        bind(k, s->loop.target, NULL);
        k->loops--;
        loop(k, &s->loop.body);
        break;
    case NODE_WHILE:
        look(k, s->whileloop.cond);
        loop(k, &s->whileloop.body);
        break;
    case NODE_EXPRSTMT:
    case NODE_RETURN:
        if (s->value) look(k, s->value);
        break;
    default: break;
    }
}

static void block(Known *k, const Nodes *body) {
    for (int i = 0; i < body->n; i++) statement(k, body->at[i]);
}

void conditions_note(Outcomes *o, Cover *c, const Binding *b, const int64_t grid[3]) {
    Known k = {.o = o, .cover = c, .grid = grid};
    const Nodes *params = &b->kernel->function.params;
    for (int i = 0; i < b->args; i++) {
        const LaunchArg *a = &b->arg[i];
        bool whole = a->kind == ARG_PLAIN && (a->value.kind == PY_INT || a->value.kind == PY_BOOL);
        int64_t x = !whole ? 0 : a->value.kind == PY_INT ? a->value.i : a->value.b;
        k.bits = i < params->n && annotation_is_constexpr(params->at[i]->param.annotation) ? 0
                 : x == (int32_t)x                                                         ? 32
                                                                                           : 64;
        know(&k, a->name, whole, x);
    }
    block(&k, &b->kernel->function.body);
}
