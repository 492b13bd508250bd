// From four evaluations of a reference to one graph: the traces are walked side by side; what differs between
// them must be a size, and is recognised as a formula of the shape.
#include "graph/form.h"
#include "graph/graph_build.h"
#include "graph/online_algebra.h"
#include <assert.h>
#include <math.h>

// LEVELS: passes over a row that wait for each other; a looped kernel repeats what they share in each.
enum { DEPTH_MAX = 400, TRACE_MAX = 4096, LEVELS_MAX = 16 };

typedef struct {
    const Bound *at[PROBES];
} Side; // one node of the trace, in all probes

// Columns may be grouped: [M, N / k, k] are rows of N, k of them side by side.
typedef struct {
    int row, col, group; // axes; -1: none
    Size size[TENSOR_RANK_MAX];
    Size cols;    // of all groups together
    int64_t side; // how many a group has
} Roles;

typedef struct {
    Side side;
    int node;
} Seen;

typedef struct {
    Build build;
    const Op *op;
    const Probes *probes;
    Err *e;
    int depth;
    Seen *seen;
    int seen_count;
} Reader;

static bool read_node(Reader *r, Side s, int *out);

// --- Saying no ---------------------------------------------------------------------------------------

typedef struct {
    const char *name; // torch's, or NULL for an index in brackets
    const Node *found;
} Search;

static void search(void *arg, const Node *n) {
    Search *s = arg;
    bool hit = n->kind == NODE_SUBSCRIPT && !s->name;
    if (s->name && n->kind == NODE_ATTRIBUTE) hit = str_is(n->attribute.name, s->name);
    if (s->name && n->kind == NODE_NAME) hit = str_is(n->name, s->name);
    if (hit && !s->found) s->found = n;
    if (!s->found) node_each_child(n, search, s);
}

static int line_of(const Op *op, BoundOp what) {
    const char *name = bound_name(what);
    Search s = {.name = str_is(str_of(name), "[]") ? NULL : name};
    if (!op->reference) return 0;
    if (*name) search(&s, op->reference);
    const Node *at = s.found ? s.found : op->reference;
    return line_col(op->source, at->span.at).line;
}

static bool refuse(Reader *r, BoundOp what, const char *why) {
    const char *name = bound_name(what);
    return err_set(r->e, ERR_INPUT, "the grammar smith cannot fuse %s (line %d of the definition): %s",
                   *name ? name : "this reference", line_of(r->op, what), why);
}

// --- Shapes ------------------------------------------------------------------------------------------

static bool roles_of(Reader *r, Side s, BoundOp what, Roles *out) {
    *out = (Roles){.row = -1, .col = -1, .group = -1, .cols = size_const(1), .side = 1};
    for (int d = 0; d < s.at[0]->rank; d++) {
        int64_t v[PROBES];
        for (int i = 0; i < PROBES; i++) {
            if (s.at[i]->rank != s.at[0]->rank)
                return refuse(r, what, "its number of dimensions depends on the sizes");
            v[i] = s.at[i]->shape[d];
        }
        if (!size_fit(r->probes, v, &out->size[d]))
            return refuse(r, what, "a size of its result is no simple formula of rows or columns");
        Size size = out->size[d];
        if (size_is(size, 1)) continue;
        if (size_is(size, 0)) return refuse(r, what, "its result is empty");
        if (size.of == SIZE_ROWS && (!size_plain(size) || out->row >= 0))
            return refuse(r, what, "rows may not be joined or taken apart");
        if (size.of == SIZE_ROWS) {
            out->row = d;
            continue;
        }
        if (out->col >= 0) {
            if (out->group >= 0 || size.of != SIZE_CONST || out->cols.of == SIZE_CONST)
                return refuse(r, what, "its result has more dimensions than rows and columns");
            for (int i = 0; i < PROBES; i++) v[i] *= s.at[i]->shape[out->col];
            if (!size_fit(r->probes, v, &out->cols))
                return refuse(r, what, "a size of its result is no simple formula of rows or columns");
            out->group = d;
            out->side = size.r;
            continue;
        }
        out->col = d;
        out->cols = size;
    }
    return true;
}

static bool fit_attr(Reader *r, const int64_t v[PROBES], BoundOp what, Size *out) {
    if (!size_fit(r->probes, v, out) || out->of == SIZE_ROWS)
        return refuse(r, what, "a place in it is no simple formula of the row length");
    return true;
}

static ValueKind kind_of(DType t) {
    return dtype_is_float(t) ? VALUE_FLOAT : t == DT_BOOL ? VALUE_BOOL : VALUE_INT;
}

// --- Sources -----------------------------------------------------------------------------------------

static bool read_input(Reader *r, Side s, const Roles *roles, int *out) {
    const Bound *b = s.at[0];
    Str name = r->op->input[b->input_index].name;
    if (b->dtype == DT_F64)
        return err_set(r->e, ERR_INPUT, "the grammar smith has no float64 kernels (input %.*s)",
                       STR_ARG(name));
    if (b->rank > 2 || (roles->row > 0 && roles->col == 0))
        return err_set(r->e, ERR_INPUT, "the grammar smith takes rows and columns only (input %.*s)",
                       STR_ARG(name));
    *out = build_node(&r->build, (GraphNode){.op = BOUND_INPUT,
                                             .kind = kind_of(b->dtype),
                                             .rows = roles->row >= 0,
                                             .cols = roles->cols,
                                             .size = size_const(0),
                                             .input = b->input_index});
    return true;
}

static bool powers_fit(Reader *r, const double v[PROBES], double power, Size *out) {
    int64_t whole[PROBES];
    for (int i = 0; i < PROBES; i++) {
        double x = power == 1     ? v[i]
                   : power == -1  ? 1 / v[i]
                   : power == 0.5 ? v[i] * v[i]
                                  : 1 / (v[i] * v[i]);
        if (!(fabs(x) < 0x1p40)) return false;
        double n = rint(x);
        if (fabs(x - n) > fabs(x) * 0x1p-45) return false;
        whole[i] = (int64_t)n;
    }
    return size_fit(r->probes, whole, out) && (power == 1 || size_plain(*out));
}

static bool read_literal(Reader *r, Side s, int *out) {
    double v[PROBES];
    bool equal = true;
    for (int i = 0; i < PROBES; i++) {
        v[i] = s.at[i]->scalar;
        equal = equal && memcmp(&v[i], &v[0], sizeof v[0]) == 0;
    }
    if (v[0] != v[0]) return refuse(r, BOUND_LITERAL, "it computes with NaN");
    if (equal) {
        *out = build_literal(&r->build, v[0], kind_of(s.at[0]->dtype));
        return true;
    }
    static const double powers[] = {1, -1, 0.5, -0.5};
    for (int i = 0; i < 4; i++) {
        Size size;
        if (!powers_fit(r, v, powers[i], &size)) continue;
        *out = build_sized(&r->build, size, powers[i]);
        return true;
    }
    return refuse(r, BOUND_LITERAL, "a number in it changes with the sizes in no simple way");
}

static bool read_arange(Reader *r, Side s, const Roles *roles, int *out) {
    int64_t start[PROBES];
    for (int i = 0; i < PROBES; i++) start[i] = s.at[i]->attr[0];
    if (roles->row >= 0) return refuse(r, BOUND_ARANGE, "it numbers the rows");
    Size first;
    if (!fit_attr(r, start, BOUND_ARANGE, &first)) return false;
    *out = build_node(&r->build,
                      (GraphNode){.op = BOUND_ARANGE, .kind = VALUE_INT, .cols = roles->cols, .size = first});
    return true;
}

// --- Moves -------------------------------------------------------------------------------------------

static int repeat(Reader *r, int a, Size cols) {
    const GraphNode *x = &r->build.g->node[a];
    if (size_equal(x->cols, cols)) return a;
    return build_node(&r->build, (GraphNode){.op = BOUND_EXPAND,
                                             .in = {a},
                                             .inputs = 1,
                                             .kind = x->kind,
                                             .rows = x->rows,
                                             .cols = cols,
                                             .size = size_const(0)});
}

static bool read_view(Reader *r, Side s, const Roles *from, const Roles *to, int a, int *out) {
    BoundOp op = s.at[0]->op;
    bool turned = from->row >= 0 && from->col >= 0 && (from->row < from->col) != (to->row < to->col);
    bool grouped = from->group >= 0 || to->group >= 0;
    if (turned && (op == BOUND_RESHAPE || grouped)) return refuse(r, op, "it mixes rows and columns");
    if (from->row >= 0 && to->row < 0) return refuse(r, op, "it mixes rows and columns");
    if (from->col >= 0 && !size_equal(from->cols, to->cols))
        return refuse(r, op, "it mixes rows and columns");
    *out = repeat(r, a, to->cols);
    return true;
}

static int64_t clip(int64_t x, int64_t n) {
    if (x < 0) x += n;
    return x < 0 ? 0 : x > n ? n : x;
}

static bool read_slice(Reader *r, Side s, const Roles *from, const Roles *to, int a, int *out) {
    int axis = (int)s.at[0]->attr[0];
    int64_t start[PROBES], step = s.at[0]->op == BOUND_SLICE ? s.at[0]->attr[3] : 1;
    bool all = s.at[0]->op == BOUND_SLICE;
    for (int i = 0; i < PROBES; i++) {
        int64_t n = s.at[i]->in[0]->shape[axis];
        start[i] = clip(s.at[i]->attr[1], n);
        if (s.at[i]->op == BOUND_SLICE && s.at[i]->attr[3] != step)
            return refuse(r, BOUND_SLICE, "its step depends on the sizes");
        all = all && start[i] == 0 && (s.at[i]->shape[axis] == n);
    }
    if (all || size_is(from->size[axis], 1)) {
        *out = a;
        return true;
    }
    if (axis == from->row) return refuse(r, BOUND_SLICE, "it picks some of the rows");
    Size first;
    if (from->group >= 0 && (axis != from->group || to->group >= 0))
        return refuse(r, BOUND_SLICE, "it picks some of several groups");
    if (from->group >= 0) step = from->side; // one of each group
    if (!fit_attr(r, start, BOUND_SLICE, &first)) return false;
    const GraphNode *x = &r->build.g->node[a];
    *out = build_node(&r->build, (GraphNode){.op = to->col >= 0 ? BOUND_SLICE : BOUND_SELECT,
                                             .in = {a},
                                             .inputs = 1,
                                             .kind = x->kind,
                                             .rows = x->rows,
                                             .cols = to->cols,
                                             .size = first,
                                             .step = step});
    return true;
}

static bool read_cat(Reader *r, Side s, const Roles *to, const int *in, int *out) {
    const Bound *b = s.at[0];
    bool rows = false;
    bool side_by_side = to->group >= 0 && (int)b->attr[0] == to->group && b->inputs == to->side;
    if (to->group >= 0 && !side_by_side) return refuse(r, BOUND_CAT, "it joins groups of columns");
    if (!side_by_side && (int)b->attr[0] != to->col) return refuse(r, BOUND_CAT, "it joins rows");
    ValueKind kind = kind_of(b->dtype);
    for (int i = 0; i < b->inputs; i++) {
        rows = rows || r->build.g->node[in[i]].rows;
        if (r->build.g->node[in[i]].kind != kind) return refuse(r, BOUND_CAT, "its parts differ in kind");
    }
    GraphNode n = {.op = BOUND_CAT,
                   .inputs = b->inputs,
                   .kind = kind,
                   .rows = rows,
                   .cols = to->cols,
                   .size = size_const(0),
                   .step = side_by_side ? to->side : 0};
    memcpy(n.in, in, sizeof n.in);
    *out = build_node(&r->build, n);
    return true;
}

static bool read_gather(Reader *r, Side s, const Roles *to, const int *in, int *out) {
    Roles a, index;
    if (!roles_of(r, (Side){{s.at[0]->in[0], s.at[1]->in[0], s.at[2]->in[0], s.at[3]->in[0]}}, BOUND_GATHER,
                  &a))
        return false;
    if (!roles_of(r, (Side){{s.at[0]->in[1], s.at[1]->in[1], s.at[2]->in[1], s.at[3]->in[1]}}, BOUND_GATHER,
                  &index))
        return false;
    int axis = (int)s.at[0]->attr[0];
    if (a.group >= 0 || index.group >= 0) return refuse(r, BOUND_GATHER, "it picks from groups");
    if (a.row >= 0 && (axis == a.row || index.row != a.row)) return refuse(r, BOUND_GATHER, "it picks rows");
    if (a.col < 0) {
        *out = repeat(r, in[0], to->cols);
        return true;
    }
    const GraphNode *x = &r->build.g->node[in[0]], *k = &r->build.g->node[in[1]];
    if (axis != a.col) return refuse(r, BOUND_GATHER, "it does not pick columns");
    if (k->kind != VALUE_INT) return refuse(r, BOUND_GATHER, "its index is not an integer");
    *out = build_node(&r->build, (GraphNode){.op = BOUND_GATHER,
                                             .in = {in[0], in[1]},
                                             .inputs = 2,
                                             .kind = x->kind,
                                             .rows = x->rows || k->rows,
                                             .cols = to->cols,
                                             .size = size_const(0)});
    return true;
}

// --- Arithmetic --------------------------------------------------------------------------------------

static bool read_reduction(Reader *r, Side s, const Roles *from, int a, int *out) {
    BoundOp op = s.at[0]->op;
    int axis = (int)s.at[0]->attr[0];
    bool scan = op == BOUND_CUMSUM, alone = from->col < 0 || axis != from->col;
    if (from->row >= 0 && axis == from->row) return refuse(r, op, "it runs over the rows");
    if (from->group >= 0) return refuse(r, op, "it runs over groups of columns");
    if (r->build.g->node[a].kind != VALUE_FLOAT || kind_of(s.at[0]->dtype) != VALUE_FLOAT)
        return refuse(r, op, "it is not over floating numbers");
    if (alone && (scan || op == BOUND_SUM || op == BOUND_MEAN || op == BOUND_AMAX || op == BOUND_AMIN ||
                  op == BOUND_PROD)) {
        *out = a; // over one element
        return true;
    }
    if (alone) return refuse(r, op, "it runs over a single element");
    if (scan)
        *out = build_unary(&r->build, op, a);
    else if (op == BOUND_VAR)
        *out = build_variance(&r->build, a, s.at[0]->attr[2]);
    else
        *out = build_reduce(&r->build, op, a);
    return true;
}

static bool read_power(Reader *r, Side s, const int *in, int *out) {
    const GraphNode *exponent = &r->build.g->node[in[1]];
    if (s.at[0]->in[1]->op != BOUND_LITERAL || exponent->sized)
        return refuse(r, BOUND_POW, "the exponent is not a number");
    double n = exponent->scalar;
    if (!build_power(&r->build, in[0], n, out))
        *out = build_binary(&r->build, BOUND_POW, in[0], build_literal(&r->build, n, VALUE_FLOAT));
    return true;
}

static bool is_choice(BoundOp op) { return op == BOUND_WHERE || op == BOUND_CAST; }

static bool read_elementwise(Reader *r, Side s, const Roles *to, const int *in, int *out) {
    const Bound *b = s.at[0];
    ValueKind kind = kind_of(b->dtype);
    bool rows = false, truth = kind == VALUE_BOOL;
    if (b->op != BOUND_CAST && form_count(b->op) == 0) return refuse(r, b->op, "there is no Triton for it");
    if (kind == VALUE_INT && !is_choice(b->op)) return refuse(r, b->op, "it is arithmetic on integers");
    if (b->op == BOUND_CAST && kind == VALUE_INT && r->build.g->node[in[0]].kind == VALUE_FLOAT)
        return refuse(r, b->op, "it cuts numbers to integers");
    for (int i = 0; i < b->inputs; i++) {
        ValueKind k = r->build.g->node[in[i]].kind;
        rows = rows || r->build.g->node[in[i]].rows;
        bool logic = b->op == BOUND_LOGICAL_AND || b->op == BOUND_LOGICAL_OR || b->op == BOUND_LOGICAL_NOT;
        if (logic && k != VALUE_BOOL) return refuse(r, b->op, "its operands are not bool");
        if (truth && !logic && k == VALUE_BOOL && b->op != BOUND_WHERE)
            return refuse(r, b->op, "it is arithmetic on bool");
        for (int p = 0; p < PROBES; p++)
            if (s.at[p]->scalar != b->scalar) return refuse(r, b->op, "its limit depends on the sizes");
    }
    GraphNode n = {.op = b->op,
                   .inputs = b->inputs,
                   .kind = kind,
                   .rows = rows,
                   .scalar = b->scalar,
                   .size = size_const(0)};
    memcpy(n.in, in, sizeof n.in);
    n.cols = size_const(1);
    for (int i = 0; i < b->inputs; i++) {
        Size cols = r->build.g->node[in[i]].cols;
        if (size_is(cols, 1)) continue;
        if (!size_equal(cols, to->cols)) return refuse(r, b->op, "it repeats columns");
        n.cols = cols;
    }
    if (b->op == BOUND_CAST && r->build.g->node[in[0]].kind == kind)
        *out = in[0];
    else
        *out = build_node(&r->build, n);
    *out = repeat(r, *out, to->cols);
    return true;
}

// --- The walk ----------------------------------------------------------------------------------------

// A cast between float types is either exact or a rounding that the reference permits but does not ask for.
static const Bound *without_casts(const Bound *b) {
    while (b->op == BOUND_CAST && dtype_is_float(b->dtype) && dtype_is_float(b->in[0]->dtype)) b = b->in[0];
    return b;
}

static bool in_step(Reader *r, Side s) {
    for (int i = 1; i < PROBES; i++) {
        const Bound *a = s.at[0], *b = s.at[i];
        if (a->op != b->op || a->inputs != b->inputs || a->rank != b->rank ||
            kind_of(a->dtype) != kind_of(b->dtype) ||
            (a->op == BOUND_INPUT && a->input_index != b->input_index))
            return refuse(r, a->op, "what it computes depends on the sizes or the types");
    }
    return true;
}

static bool attrs_in_step(Reader *r, Side s) {
    for (int i = 1; i < PROBES; i++)
        for (int k = 0; k < 3; k++)
            if (s.at[i]->attr[k] != s.at[0]->attr[k])
                return refuse(r, s.at[0]->op, "what it runs over depends on the sizes");
    return true;
}

#define KIND_SOURCE  0
#define KIND_UNARY   1
#define KIND_BINARY  1
#define KIND_TERNARY 1
#define KIND_REDUCE  2
#define KIND_ROW     2
#define KIND_SHAPE   3
#define KIND_MATMUL  4
#define KIND_RANDOM  5
#define KIND_WINDOW  6
static const uint8_t kinds[BOUND_COUNT] = {
#define BOUND(id, torch, kind, doc) [BOUND_##id] = KIND_##kind,
#include "tensor/bound.def"
#undef BOUND
};

static bool read_shape(Reader *r, Side s, const Roles *to, const int *in, int *out) {
    Side first;
    Roles from;
    for (int i = 0; i < PROBES; i++) first.at[i] = s.at[i]->in[0];
    BoundOp op = s.at[0]->op;
    if (!roles_of(r, first, op, &from)) return false;
    switch (op) {
    case BOUND_GATHER: return read_gather(r, s, to, in, out);
    case BOUND_SLICE:
    case BOUND_SELECT: return read_slice(r, s, &from, to, in[0], out);
    case BOUND_CAT: return read_cat(r, s, to, in, out);
    default: return read_view(r, s, &from, to, in[0], out);
    }
}

static bool read_made(Reader *r, Side s, int *out) {
    const Bound *b = s.at[0];
    int in[4] = {0};
    Roles to, from;
    if (b->op == BOUND_MATMUL) return refuse(r, b->op, "it multiplies matrices");
    if (b->op == BOUND_RAND) return refuse(r, b->op, "it draws random numbers");
    for (int k = 0; k < b->inputs; k++) {
        Side operand;
        for (int i = 0; i < PROBES; i++) operand.at[i] = s.at[i]->in[k];
        if (!read_node(r, operand, &in[k])) return false;
    }
    if (!roles_of(r, s, b->op, &to)) return false;
    if (b->op == BOUND_ARGMAX) return refuse(r, b->op, "it answers with a place");
    switch (kinds[b->op]) {
    case KIND_REDUCE: {
        Side first;
        for (int i = 0; i < PROBES; i++) first.at[i] = s.at[i]->in[0];
        return attrs_in_step(r, s) && roles_of(r, first, b->op, &from) &&
               read_reduction(r, s, &from, in[0], out);
    }
    case KIND_SHAPE: return read_shape(r, s, &to, in, out);
    case KIND_UNARY:
        return b->op == BOUND_POW ? read_power(r, s, in, out) : read_elementwise(r, s, &to, in, out);
    default: break;
    }
    if (b->op == BOUND_INPUT) return read_input(r, s, &to, out);
    if (b->op == BOUND_ARANGE) return read_arange(r, s, &to, out);
    if (!read_literal(r, s, out)) return false;
    *out = repeat(r, *out, to.cols);
    return true;
}

static bool read_node(Reader *r, Side s, int *out) {
    for (int i = 0; i < PROBES; i++) s.at[i] = without_casts(s.at[i]);
    for (int i = 0; i < r->seen_count; i++) {
        if (memcmp(&r->seen[i].side, &s, sizeof s) != 0) continue;
        *out = r->seen[i].node;
        return true;
    }
    if (!in_step(r, s)) return false;
    if (++r->depth > DEPTH_MAX || r->seen_count == TRACE_MAX)
        return err_set(r->e, ERR_INPUT, "the reference is too long for the grammar smith");
    if (!read_made(r, s, out)) return false;
    r->depth--;
    if (r->build.full) return err_set(r->e, ERR_INPUT, "the reference is too long for the grammar smith");
    if (r->seen_count == TRACE_MAX)
        return err_set(r->e, ERR_INPUT, "the reference is too long for the grammar smith");
    r->seen[r->seen_count].side = s;
    r->seen[r->seen_count++].node = *out;
    return true;
}

// --- The result --------------------------------------------------------------------------------------

static bool read_dtype(Reader *r, Side s) {
    Graph *g = r->build.g;
    bool follows = true, fixed = true;
    g->out_like = -1;
    g->out_dtype = s.at[0]->dtype;
    for (int i = 0; i < PROBES; i++) {
        follows = follows && s.at[i]->dtype == r->probes->dtype[i];
        fixed = fixed && s.at[i]->dtype == s.at[0]->dtype;
    }
    if (!follows && !fixed) return refuse(r, BOUND_CAST, "the result's type follows no input");
    for (int i = r->op->inputs - 1; i >= 0; i--) {
        const OpInput *in = &r->op->input[i];
        if (follows ? in->any_float : !in->any_float && in->dtype == g->out_dtype) g->out_like = i;
    }
    return true;
}

static bool moves_columns(BoundOp op) {
    return op == BOUND_SLICE || op == BOUND_SELECT || op == BOUND_GATHER || op == BOUND_CAT;
}

// A prefix sum is known at its own columns, where the tile stands, and nowhere else.
static bool scans_stay(Reader *r) {
    const Graph *g = r->build.g;
    bool scanned[GRAPH_NODES_MAX];
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *n = &g->node[i];
        bool below = false;
        for (int k = 0; k < n->inputs; k++) below = below || scanned[n->in[k]];
        if (below && moves_columns(n->op)) return refuse(r, n->op, "it moves the columns of a prefix sum");
        scanned[i] = n->op == BOUND_CUMSUM || (below && !graph_is_reduction(n->op));
    }
    return true;
}

static bool read_result(Reader *r, Side s) {
    Graph *g = r->build.g;
    Roles roles;
    int node;
    for (int i = 0; i < PROBES; i++)
        if (s.at[i]->rank != s.at[0]->rank || s.at[i]->rank > 2)
            return err_set(r->e, ERR_INPUT, "the grammar smith returns rows and columns only");
    if (!read_node(r, s, &node) || !roles_of(r, s, s.at[0]->op, &roles)) return false;
    if (g->has_rows && roles.row < 0)
        return err_set(r->e, ERR_INPUT, "the grammar smith needs a result for every row");
    if (roles.row >= 0 && roles.col >= 0 && roles.row > roles.col)
        return err_set(r->e, ERR_INPUT, "the grammar smith cannot return a transposed result");
    g->out_rank = s.at[0]->rank;
    memcpy(g->out_shape, roles.size, sizeof roles.size);
    g->out_cols = roles.cols;
    if (!read_dtype(r, s)) return false;
    build_finish(&r->build, node);
    if (!scans_stay(r)) return false;
    if (g->node[g->result].level > LEVELS_MAX)
        return err_set(r->e, ERR_INPUT,
                       "more than %d reductions wait for each other: too long for the grammar smith",
                       LEVELS_MAX);
    return true;
}

bool graph_dims_fit(const Op *op, Err *e) {
    for (int i = 0; i < op->dims; i++)
        if (i != op->rows_dim && i != op->row_dim && op->dim[i].of != op->row_dim)
            return err_set(e, ERR_INPUT,
                           "the grammar smith knows rows and columns; dimension %.*s is neither",
                           STR_ARG(op->dim[i].name));
    return true;
}

bool graph_read(Arena *a, const Op *op, const Probes *p, const Bound *const result[PROBES], Graph *out,
                Err *e) {
    *out = (Graph){.op = op, .node = NEWN(a, GraphNode, GRAPH_NODES_MAX), .has_rows = op->rows_dim >= 0};
    Arena scratch = {0};
    Reader r = {.build = {.g = out}, .op = op, .probes = p, .e = e};
    Side s;
    if (!graph_dims_fit(op, e)) return false;
    r.seen = NEWN(&scratch, Seen, TRACE_MAX);
    for (int i = 0; i < PROBES; i++) s.at[i] = result[i];
    bool ok = read_result(&r, s);
    if (ok) out->online = online_rewrite(a, out);
    arena_free(&scratch);
    return ok;
}
