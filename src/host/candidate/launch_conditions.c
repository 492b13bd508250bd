#include "host/candidate/conditions_read.h"

enum { KNOWN_MAX = 96 };

typedef struct {
    Outcomes *o;
    Cover *cover;
    const int64_t *grid;
    const int *same; // Conditions.same
    Named *now;
    int n;     // names that are there
    int bits;  // of what number() has found: 32 or 64; 0: a number of Python's, without an end
    int loops; // around the present place: names bound in them are not known
} Known;

static void know(Known *k, int name, bool known, int64_t value) {
    Named *x = &k->now[name];
    if (!x->there && k->n == KNOWN_MAX) return;
    k->n += !x->there;
    x->there = true;
    x->known = known && k->loops == 0;
    x->bits = k->bits;
    x->value = known && k->loops > 0 ? 0 : value;
    x->of = 0;
}

static bool number(Known *k, const Part *p, int64_t *out);

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
static bool converted(Known *k, const Part *p, int64_t *out) {
    if (p->bits == 0 || !number(k, &p->part[FUNC].part[0], out)) return false;
    k->bits = p->bits;
    return *out = wrapped(*out, p->bits), true;
}

static bool call_number(Known *k, const Part *p, int64_t *out) {
    const Part *arg = p->part + ARGS;
    int args = p->n->call.args.n;
    int64_t a, b;
    if (p->callee == CALL_TO) return converted(k, p, out);
    if (args == 0 || !number(k, &arg[0], &a)) return false;
    if (p->callee == CALL_NUM_PROGRAMS) return a >= 0 && a < 3 && (k->bits = 32, *out = k->grid[a], true);
    if (p->callee == CALL_ABS && args == 1 && a > INT64_MIN)
        return *out = wrapped(a < 0 ? -a : a, k->bits), true;
    int bits = k->bits;
    if (args != 2 || !number(k, &arg[1], &b)) return false;
    if (bits > k->bits) k->bits = bits;
    if (p->callee == CALL_CDIV) return b > 0 && a < INT64_MAX - b && (*out = floor_div(a + b - 1, b), true);
    if (p->callee == CALL_MIN) return *out = a < b ? a : b, true;
    if (p->callee == CALL_MAX) return *out = a > b ? a : b, true;
    return false;
}

// Places in the grid and ranges: all numbers below *out, in a tile or over all programs.
static bool range(Known *k, const Part *p, int64_t *out) {
    if (!p->ranges) return false;
    const Part *arg = p->part + ARGS;
    int64_t x;
    switch (p->n->kind) {
    case NODE_NAME: {
        const Named *named = &k->now[p->name];
        return named->there && !named->known && (*out = named->value) > 0;
    }
    case NODE_SUBSCRIPT: return range(k, &p->part[0], out); // [:, None]
    case NODE_CALL:
        if (p->callee == CALL_TO) return range(k, &p->part[FUNC].part[0], out);
        if (p->callee == CALL_PROGRAM_ID)
            return number(k, &arg[0], &x) && x >= 0 && x < 3 && (*out = k->grid[x]) > 0;
        return number(k, &arg[1], out) && *out > 0;
    default: return false;
    }
}

// ---- operands that are made of one number

static int grid_origin(const Known *k, int64_t axis) {
    return k->same[axis] ? k->same[axis] : ORIGIN_GRID + (int)axis;
}

// Of a number that is known, or of that which a range ends at. Arithmetic may wrap around on the way.
static int origin(const Known *k, const Part *p, int64_t *plus) {
    enum { MOST = 1 << 20 };
    const Node *n = p->n;
    const Part *arg = p->part + ARGS;
    int of;
    *plus = 0;
    switch (n->kind) {
    case NODE_NAME: return p->name < 0 ? 0 : (*plus = k->now[p->name].plus, k->now[p->name].of);
    case NODE_SUBSCRIPT: return origin(k, &p->part[0], plus); // [:, None]
    case NODE_BINARY: {
        const Node *by = n->binary.right;
        bool up = n->binary.op == OPER_ADD;
        if ((!up && n->binary.op != OPER_SUB) || by->kind != NODE_INT || by->integer.value > MOST) return 0;
        if (!(of = origin(k, &p->part[LEFT], plus)) || *plus > MOST || *plus < -MOST) return 0;
        *plus += up ? (int64_t)by->integer.value : -(int64_t)by->integer.value;
        return of;
    }
    case NODE_CALL:
        if (p->callee == CALL_TO) return p->bits == 64 ? origin(k, &p->part[FUNC].part[0], plus) : 0;
        if (n->call.args.n == 0 || arg[0].n->kind != NODE_INT) return 0;
        if (p->callee == CALL_PROGRAM_ID || p->callee == CALL_NUM_PROGRAMS)
            return arg[0].n->integer.value < 3 ? grid_origin(k, (int64_t)arg[0].n->integer.value) : 0;
        return p->callee == CALL_ARANGE && n->call.args.n == 2 ? origin(k, &arg[1], plus) : 0;
    default: return 0;
    }
}

// Whether places below a number are compared with that very number, or with one so much less that no call
// could tell: it is positive, and nothing wraps around.
static bool settles(const Known *k, const Part *range, const Part *with) {
    enum { LESS_MOST = 1 << 20 };
    int64_t end, plus;
    int of = origin(k, range, &end);
    return of && end == 0 && origin(k, with, &plus) == of && plus <= 0 && plus >= -LESS_MOST;
}

// Whether some place of a range is as a condition says.
static void compare_range(Known *k, const Part *p) {
    const Part *left = &p->part[LEFT], *right = &p->part[RIGHT];
    uint32_t at = right->n->span.at;
    int64_t below, x;
    bool on_left = range(k, left, &below);
    if (p->n->compare.rest.n != 1 || (!on_left && !range(k, right, &below))) return;
    if (!number(k, on_left ? right : left, &x)) return;
    bool settled = settles(k, on_left ? left : right, on_left ? right : left);
    (settled ? outcome_settled : outcome_compared)(k->o, at, below, x, below > x);
    // A tile of more than twice the lanes reaches beyond that place in the row, too.
    if (x >= 0 && x < below / 2 - 1) outcome_seen(k->o, at, 4);
}

static bool compare(Known *k, const Part *p, int64_t *out) {
    int64_t l, r;
    bool all = true, known = number(k, &p->part[LEFT], &l);
    compare_range(k, p);
    for (int i = 0; known && i < p->n->compare.rest.n; i++) {
        bool one;
        const Part *right = &p->part[RIGHT + i];
        known = number(k, right, &r) && holds(p->n->compare.ops[i], l, r, &one);
        if (!known) break;
        outcome_compared(k->o, right->n->span.at, l, r, one);
        all &= one;
        l = r;
    }
    k->bits = 32;
    if (known) cover_truth(k->cover, p->n, all);
    return known && (*out = all, true);
}

// Known where all parts are. How many of them hold says how near it is to coming out otherwise.
static bool several(Known *k, const Part *p, int64_t *out) {
    int64_t hold = 0, x;
    for (int i = 0; i < p->parts; i++) {
        if (!number(k, &p->part[i], &x)) return false;
        hold += x != 0;
    }
    bool all = p->n->boolop.op == OPER_AND;
    *out = all ? hold == p->parts : hold > 0;
    outcome_compared(k->o, p->n->span.at, hold, all ? p->parts : 0, *out);
    return true;
}

static void note_extreme(Known *k, const Part *p, int64_t result) {
    int64_t first;
    if (node_extreme(p->n) && number(k, &p->part[ARGS], &first)) cover_truth(k->cover, p->n, result == first);
}

static bool binary(Known *k, const Part *p, int64_t *out) {
    int64_t l, r;
    if (!number(k, &p->part[LEFT], &l)) return false;
    int bits = k->bits;
    if (!number(k, &p->part[RIGHT], &r)) return false;
    if (bits > k->bits) k->bits = bits;
    if (!arithmetic(p->n->binary.op, k->bits, l, r, out)) return false;
    outcome_computed(k->o, p->part[RIGHT].n->span.at, l, r, *out);
    if (node_saturates(p->n)) cover_truth(k->cover, p->n, *out != 0);
    return true;
}

static bool number(Known *k, const Part *p, int64_t *out) {
    const Node *n = p->n;
    int64_t x;
    if (!p->knows && !p->notes) return false;
    switch (n->kind) {
    case NODE_INT:
        k->bits = 0;
        return !n->integer.too_big && n->integer.value < INT64_MAX &&
               (*out = (int64_t)n->integer.value, true);
    case NODE_TRUE:
    case NODE_FALSE: return k->bits = 0, *out = n->kind == NODE_TRUE, true;
    case NODE_NAME: {
        const Named *named = &k->now[p->name];
        return named->there && named->known && (k->bits = named->bits, *out = named->value, true);
    }
    case NODE_UNARY:
        if (!number(k, &p->part[0], &x)) return false;
        if (n->unary.op == OPER_NOT) return *out = !x, true;
        return n->unary.op == OPER_NEG && x > INT64_MIN && (*out = wrapped(-x, k->bits), true);
    case NODE_BINARY: return binary(k, p, out);
    case NODE_COMPARE: return compare(k, p, out);
    case NODE_BOOLOP: return several(k, p, out);
    case NODE_CALL: return call_number(k, p, out) && (note_extreme(k, p, *out), true);
    default: return false;
    }
}

// Every comparison in an expression, whether what is around it is known or not.
static void look(Known *k, const Part *p) {
    int64_t x;
    if (!p->looks) return;
    if (p->n->kind == NODE_IFEXP) {
        const Part *cond = &p->part[COND];
        if (number(k, cond, &x)) outcome_seen(k->o, cond->n->span.at, x ? 2 : 1);
    } else if (p->notes && p->n->kind != NODE_UNARY) {
        (void)number(k, p, &x);
    }
    for (int i = 0; i < p->parts; i++) look(k, &p->part[i]); // a tree's height is bounded
}

static void block(Known *k, const Steps *body);

static void bind(Known *k, const Step *s) {
    for (int i = 0; i < s->binds; i++) {
        const Part *value = s->bind[i].whole ? &s->value : NULL;
        int64_t x = 0;
        bool known = value && number(k, value, &x);
        if (!known && (!value || !range(k, value, &x))) x = 0;
        int64_t plus = 0;
        bool whole = (known && k->loops == 0) || (!known && x > 0);
        int of = whole ? origin(k, value, &plus) : 0;
        know(k, s->bind[i].name, known, x);
        k->now[s->bind[i].name].of = of;
        k->now[s->bind[i].name].plus = plus;
    }
}

// None, one, two or more turns; a loop of a number of turns that is known.
static void turns(Known *k, const Step *s) {
    const Node *r = s->value.n;
    int64_t from = 0, to, step = 1;
    if (r->kind != NODE_CALL || r->call.args.n < 1 || r->call.args.n > 3) return;
    const Part *arg = s->value.part + ARGS;
    int args = r->call.args.n;
    if (args > 1 && !number(k, &arg[0], &from)) return;
    if (!number(k, &arg[args > 1], &to) || (args > 2 && !number(k, &arg[2], &step)) || step < 1) return;
    int64_t count = to > from ? (to - from - 1) / step + 1 : 0;
    outcome_seen(k->o, s->n->span.at, 4 + (uint64_t)(count < 3 ? count : 3));
}

static void loop(Known *k, const Steps *body) {
    // What a turn binds is not known in the next one.
    for (int turn = k->loops > 0; turn < 2; turn++) {
        k->loops++;
        block(k, body);
        k->loops--;
    }
}

static void statement(Known *k, const Step *s) {
    int64_t x;
    if (!s->value.n) return;
    look(k, &s->value);
    switch (s->n->kind) {
    case NODE_IF:
        if (number(k, &s->value, &x)) {
            outcome_seen(k->o, s->value.n->span.at, x ? 2 : 1);
            block(k, x ? &s->then : &s->otherwise);
            break;
        }
        loop(k, &s->then);
        loop(k, &s->otherwise);
        break;
    case NODE_FOR:
        turns(k, s);
        k->loops++;
        bind(k, s);
        k->loops--;
        loop(k, &s->then);
        break;
    case NODE_WHILE: loop(k, &s->then); break;
    default: bind(k, s);
    }
}

static void block(Known *k, const Steps *body) {
    for (int i = 0; i < body->n; i++) statement(k, &body->at[i]);
}

static void find_walrus(void *any, const Node *n) {
    *(bool *)any |= n->kind == NODE_WALRUS;
    node_each_child(n, find_walrus, any); // a tree's height is bounded
}

// The grid comes first, the arguments follow: between them a name could become another number.
static bool binds(const Node *call) {
    bool any = false;
    find_walrus(&any, call);
    return any;
}

// 1 + the parameter of a kernel that a launch gives what this name stands for.
static int given_name(const Node *kernel, const Node *call, Str name) {
    const Nodes *params = &kernel->function.params, *args = &call->call.args,
                *keywords = &call->call.keywords;
    for (int i = 0; i < args->n && i < params->n && args->at[i]->kind != NODE_STARRED; i++)
        if (args->at[i]->kind == NODE_NAME && str_eq(args->at[i]->name, name)) return 1 + i;
    for (int k = 0; k < keywords->n; k++) {
        const Node *value = keywords->at[k]->keyword.value;
        if (value->kind != NODE_NAME || !str_eq(value->name, name)) continue;
        for (int i = 0; i < params->n; i++)
            if (str_eq(params->at[i]->param.name, keywords->at[k]->keyword.name)) return 1 + i;
    }
    return 0;
}

void conditions_launched(Conditions *c, const Node *call, const Node *grid, bool (*local)(void *, Str),
                         void *arg) {
    if (c->call == call) return;
    c->call = call;
    memset(c->same, 0, sizeof c->same);
    if (!call || !grid || grid->kind != NODE_TUPLE || binds(call)) return;
    for (int i = 0; i < grid->items.n && i < 3; i++)
        if (grid->items.at[i]->kind == NODE_NAME && local(arg, grid->items.at[i]->name))
            c->same[i] = given_name(c->kernel, call, grid->items.at[i]->name);
}

void conditions_note(Conditions *c, Outcomes *o, Cover *cover, const Binding *b, const int64_t grid[3]) {
    Known k = {.o = o, .cover = cover, .grid = grid, .same = c->same, .now = c->now};
    const Nodes *params = &c->kernel->function.params;
    memset(c->now, 0, sizeof *c->now * (size_t)c->names);
    for (int i = 0; i < b->args && i < params->n; i++) {
        const LaunchArg *a = &b->arg[i];
        bool whole = a->kind == ARG_PLAIN && (a->value.kind == PY_INT || a->value.kind == PY_BOOL);
        int64_t x = !whole ? 0 : a->value.kind == PY_INT ? a->value.i : a->value.b;
        k.bits = annotation_is_constexpr(params->at[i]->param.annotation) ? 0 : x == (int32_t)x ? 32 : 64;
        know(&k, i, whole, x);
        if (whole && c->now[i].there) c->now[i].of = 1 + i;
    }
    block(&k, &c->body);
}
