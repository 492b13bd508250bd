#include "graph/graph_build.h"
#include <math.h>

static bool truth(BoundOp op) {
    return (op >= BOUND_LT && op <= BOUND_LOGICAL_OR) || op == BOUND_LOGICAL_NOT;
}

bool graph_is_reduction(BoundOp op) {
    return op == BOUND_SUM || op == BOUND_AMAX || op == BOUND_AMIN || op == BOUND_PROD;
}

static bool same(const GraphNode *a, const GraphNode *b) {
    if (a->op != b->op || a->inputs != b->inputs || a->kind != b->kind || a->rows != b->rows) return false;
    for (int i = 0; i < a->inputs; i++)
        if (a->in[i] != b->in[i]) return false;
    bool scalar = memcmp(&a->scalar, &b->scalar, sizeof a->scalar) == 0; // tells 0.0 from -0.0
    return size_equal(a->cols, b->cols) && scalar && a->sized == b->sized && a->power == b->power &&
           size_equal(a->size, b->size) && a->step == b->step && a->input == b->input;
}

int build_node(Build *b, GraphNode n) {
    Graph *g = b->g;
    for (int i = 0; i < g->nodes; i++)
        if (same(&g->node[i], &n)) return i;
    if (g->nodes == GRAPH_NODES_MAX) {
        b->full = true;
        return 0;
    }
    g->node[g->nodes] = n;
    return g->nodes++;
}

int build_literal(Build *b, double x, ValueKind kind) {
    return build_node(
        b, (GraphNode){
               .op = BOUND_LITERAL, .kind = kind, .cols = size_const(1), .scalar = x, .size = size_const(0)});
}

int build_sized(Build *b, Size s, double power) {
    if (s.of == SIZE_CONST) {
        double x = (double)s.r;
        double y = power == -1 ? 1 / x : power == 0.5 ? sqrt(x) : power == -0.5 ? 1 / sqrt(x) : x;
        return build_literal(b, y, power == 1 ? VALUE_INT : VALUE_FLOAT);
    }
    return build_node(b, (GraphNode){.op = BOUND_LITERAL,
                                     .kind = power == 1 ? VALUE_INT : VALUE_FLOAT,
                                     .cols = size_const(1),
                                     .sized = true,
                                     .power = power,
                                     .size = s});
}

int build_unary(Build *b, BoundOp op, int a) {
    const GraphNode *x = &b->g->node[a];
    return build_node(b, (GraphNode){.op = op,
                                     .in = {a},
                                     .inputs = 1,
                                     .kind = truth(op) ? VALUE_BOOL : VALUE_FLOAT,
                                     .rows = x->rows,
                                     .cols = x->cols,
                                     .size = size_const(0)});
}

int build_binary(Build *b, BoundOp op, int x, int y) {
    const GraphNode *l = &b->g->node[x], *r = &b->g->node[y];
    return build_node(b, (GraphNode){.op = op,
                                     .in = {x, y},
                                     .inputs = 2,
                                     .kind = truth(op) ? VALUE_BOOL : VALUE_FLOAT,
                                     .rows = l->rows || r->rows,
                                     .cols = size_is(l->cols, 1) ? r->cols : l->cols,
                                     .size = size_const(0)});
}

static int reduction(Build *b, BoundOp op, int a) {
    const GraphNode *x = &b->g->node[a];
    return build_node(b, (GraphNode){.op = op,
                                     .in = {a},
                                     .inputs = 1,
                                     .kind = VALUE_FLOAT,
                                     .rows = x->rows,
                                     .cols = size_const(1),
                                     .size = size_const(0)});
}

static int mean_of(Build *b, int a, int64_t correction) {
    Size n = b->g->node[a].cols;
    if (correction) n.r -= correction * (n.of == SIZE_CONST ? 1 : n.q);
    int sum = reduction(b, BOUND_SUM, a); // not an argument: their order of evaluation is the compiler's
    return build_binary(b, BOUND_DIV, sum, build_sized(b, n, 1));
}

int build_variance(Build *b, int a, int64_t correction) {
    int mean = mean_of(b, a, 0);
    return mean_of(b, build_unary(b, BOUND_SQUARE, build_binary(b, BOUND_SUB, a, mean)), correction);
}

// All of this family: the largest is subtracted before the exponential, as torch does.
static int exponential(Build *b, BoundOp op, int a) {
    int most = reduction(b, BOUND_AMAX, a);
    int less = build_binary(b, BOUND_SUB, a, most);
    int power = build_unary(b, BOUND_EXP, less);
    int sum = reduction(b, BOUND_SUM, power);
    if (op == BOUND_SOFTMAX) return build_binary(b, BOUND_DIV, power, sum);
    int log = build_unary(b, BOUND_LOG, sum);
    if (op == BOUND_LOGSUMEXP) return build_binary(b, BOUND_ADD, most, log);
    return build_binary(b, BOUND_SUB, less, log);
}

int build_reduce(Build *b, BoundOp op, int a) {
    if (op == BOUND_MEAN) return mean_of(b, a, 0);
    if (op == BOUND_VAR) return build_variance(b, a, 0);
    if (op == BOUND_SOFTMAX || op == BOUND_LOG_SOFTMAX || op == BOUND_LOGSUMEXP) return exponential(b, op, a);
    return reduction(b, op, a);
}

bool build_power(Build *b, int a, double exponent, int *out) {
    int whole = (int)fmin(fmax(exponent, -64), 64);
    if (exponent == 0.5 || exponent == -0.5) {
        *out = build_unary(b, exponent > 0 ? BOUND_SQRT : BOUND_RSQRT, a);
        return true;
    }
    if ((double)whole != exponent || whole < -8 || whole > 8) return false;
    int left = whole < 0 ? -whole : whole, x = -1, square = a;
    for (; left; left >>= 1) {
        if (left & 1) x = x < 0 ? square : build_binary(b, BOUND_MUL, x, square);
        if (left > 1) square = build_unary(b, BOUND_SQUARE, square);
    }
    if (x < 0) x = build_literal(b, 1, VALUE_FLOAT);
    *out = whole < 0 ? build_unary(b, BOUND_RECIPROCAL, x) : x;
    return true;
}

void build_finish(Build *b, int result) {
    Graph *g = b->g;
    bool reached[GRAPH_NODES_MAX] = {false};
    int place[GRAPH_NODES_MAX], kept = 0;
    reached[result] = true;
    for (int i = result; i >= 0; i--)
        for (int k = 0; reached[i] && k < g->node[i].inputs; k++) reached[g->node[i].in[k]] = true;
    for (int i = 0; i <= result; i++) {
        if (!reached[i]) continue;
        GraphNode n = g->node[i];
        n.uses = 0;
        n.level = 0;
        for (int k = 0; k < n.inputs; k++) {
            n.in[k] = place[n.in[k]];
            g->node[n.in[k]].uses++;
            if (g->node[n.in[k]].level > n.level) n.level = g->node[n.in[k]].level;
        }
        n.level += graph_is_reduction(n.op);
        place[i] = kept;
        g->node[kept++] = n;
    }
    g->nodes = kept;
    g->result = place[result];
    g->node[g->result].uses++;
}

static void print_size(Buf *out, Size s) {
    const char *x = s.of == SIZE_ROWS ? "M" : "N";
    if (s.of == SIZE_CONST)
        buf_printf(out, "%lld", (long long)s.r);
    else if (size_plain(s))
        buf_puts(out, x);
    else
        buf_printf(out, "(%lld%s%+lld)/%lld", (long long)s.p, x, (long long)s.r, (long long)s.q);
}

static const char *node_name(const GraphNode *n) {
    static const char *const names[BOUND_COUNT] = {
#define BOUND(id, torch, kind, doc) [BOUND_##id] = #id,
#include "tensor/bound.def"
#undef BOUND
    };
    return names[n->op];
}

void graph_print(Buf *out, const Graph *g) {
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *n = &g->node[i];
        buf_printf(out, "%d: %s", i, node_name(n));
        for (int k = 0; k < n->inputs; k++) buf_printf(out, " %d", n->in[k]);
        if (n->op == BOUND_INPUT) buf_printf(out, " %.*s", STR_ARG(g->op->input[n->input].name));
        if (n->op == BOUND_LITERAL && !n->sized) buf_printf(out, " %.9g", n->scalar);
        if (n->op == BOUND_LITERAL && n->sized) {
            buf_putc(out, ' ');
            print_size(out, n->size);
            if (n->power != 1) buf_printf(out, "^%g", n->power);
        }
        if (n->op == BOUND_CLAMP_MIN || n->op == BOUND_CLAMP_MAX) buf_printf(out, " %.9g", n->scalar);
        if (n->op == BOUND_SLICE || n->op == BOUND_SELECT || n->op == BOUND_ARANGE) {
            buf_puts(out, " from ");
            print_size(out, n->size);
            if (n->op == BOUND_SLICE) buf_printf(out, " step %lld", (long long)n->step);
        }
        if (n->op == BOUND_CAT && n->step) buf_puts(out, " in turns");
        buf_printf(out, " [%s,", n->rows ? "M" : "1");
        print_size(out, n->cols);
        buf_printf(out, "] level %d\n", n->level);
    }
    buf_puts(out, "result");
    for (int d = 0; d < g->out_rank; d++) {
        buf_putc(out, ' ');
        print_size(out, g->out_shape[d]);
    }
    buf_puts(out, g->out_like >= 0 ? " like " : " as ");
    if (g->out_like >= 0)
        buf_str_put(out, g->op->input[g->out_like].name);
    else
        buf_puts(out, dtype_info[g->out_dtype].torch);
    buf_puts(out, "\n");
}
