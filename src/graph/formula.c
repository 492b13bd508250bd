#include "graph/formula.h"
#include <stdlib.h>

typedef struct {
    Arena *a;
    const Graph *g;
    Buf *out;
    int uses[GRAPH_NODES_MAX];
    const char *name[GRAPH_NODES_MAX]; // of what has a line of its own
    bool seen[GRAPH_NODES_MAX];
} Writer;

void size_text_put(Buf *out, const Op *op, Size s) {
    const OpDim *d = s.of == SIZE_CONST ? NULL : &op->dim[s.of == SIZE_ROWS ? op->rows_dim : op->row_dim];
    if (!d) {
        buf_printf(out, "%lld", (long long)s.r);
        return;
    }
    const bool sum = s.r != 0 && s.q != 1;
    buf_puts(out, sum ? "(" : "");
    if (s.p != 1) buf_printf(out, "%lld * ", (long long)s.p);
    buf_str_put(out, d->name);
    if (s.r) buf_printf(out, " %c %lld", s.r < 0 ? '-' : '+', (long long)(s.r < 0 ? -s.r : s.r));
    buf_puts(out, sum ? ")" : "");
    if (s.q != 1) buf_printf(out, " // %lld", (long long)s.q);
}

// ---- which values have a line

// A view, or a float that is one anyway: the text is that of the operand.
static bool transparent(const GraphNode *n) {
    return n->op == BOUND_EXPAND || (n->op == BOUND_CAST && n->kind == VALUE_FLOAT);
}

static int behind(const Graph *g, int node) {
    while (transparent(&g->node[node])) node = g->node[node].in[0];
    return node;
}

static void count_uses(Writer *w, int node) {
    node = behind(w->g, node);
    w->uses[node]++;
    if (w->seen[node]) return;
    w->seen[node] = true;
    const GraphNode *n = &w->g->node[node];
    for (int k = 0; k < n->inputs; k++) count_uses(w, n->in[k]);
}

static const char *wish_of(const Writer *w, const GraphNode *n) {
    switch (n->op) {
    case BOUND_SUM: return "total";
    case BOUND_AMAX: return "peak";
    case BOUND_AMIN: return "low";
    case BOUND_PROD: return "prod";
    case BOUND_CUMSUM: return "prefix";
    case BOUND_EXP: return "e";
    case BOUND_RSQRT: return "rstd";
    case BOUND_DIV: return w->g->node[behind(w->g, n->in[0])].op == BOUND_SUM ? "mean" : "v";
    default: return "v";
    }
}

static bool name_taken(const Writer *w, const char *name) {
    const Op *op = w->g->op;
    for (int i = 0; i < op->inputs; i++)
        if (str_is(op->input[i].name, name)) return true;
    for (int i = 0; i < w->g->nodes; i++)
        if (w->name[i] && strcmp(w->name[i], name) == 0) return true;
    return strcmp(name, "out") == 0;
}

static const char *fresh_name(Writer *w, const char *wish) {
    const char *name = wish;
    for (int k = 2; name_taken(w, name); k++) name = arena_printf(w->a, "%s%d", wish, k);
    return name;
}

// ---- expressions

enum { LOOSE, COMPARED, ADDED, TIMES, ATOM };
typedef struct {
    const char *s;
    int bind;
} Text;

static Text text_of(Writer *w, int node);

static const char *wrapped(Writer *w, Text x, int least) {
    return x.bind >= least ? x.s : arena_printf(w->a, "(%s)", x.s);
}

// As kernels write it: the fewest digits that say which float it is.
static const char *number(Writer *w, double x) {
    const char *s = "";
    for (int digits = 1; digits <= 17 && (digits == 1 || strtod(s, NULL) != x); digits++)
        s = arena_printf(w->a, "%.*g", digits, x);
    return strpbrk(s, ".en") ? s : arena_printf(w->a, "%s.0", s);
}

static const char *size_text(Writer *w, Size s) {
    Buf b = BUF(w->a);
    size_text_put(&b, w->g->op, s);
    return buf_cstr(&b);
}

static Text literal(Writer *w, const GraphNode *n) {
    if (!n->sized) return (Text){number(w, n->scalar), n->scalar < 0 ? ADDED : ATOM};
    const char *size = size_text(w, n->size);
    if (n->power == 1) return (Text){size, size_plain(n->size) ? ATOM : LOOSE};
    return (Text){arena_printf(w->a, "pow(%s, %s)", size, number(w, n->power)), ATOM};
}

static Text infix(Writer *w, const GraphNode *n, const char *sign, int bind) {
    Text a = text_of(w, n->in[0]), b = text_of(w, n->in[1]);
    const int right = n->op == BOUND_ADD || n->op == BOUND_MUL ? bind : bind + 1;
    return (Text){arena_printf(w->a, "%s %s %s", wrapped(w, a, bind), sign, wrapped(w, b, right)), bind};
}

static Text call(Writer *w, const GraphNode *n, const char *name, const char *last) {
    Buf b = BUF(w->a);
    buf_printf(&b, "%s(", name);
    for (int k = 0; k < n->inputs; k++) buf_printf(&b, "%s%s", k ? ", " : "", text_of(w, n->in[k]).s);
    buf_printf(&b, "%s%s)", last && n->inputs ? ", " : "", last ? last : "");
    return (Text){buf_cstr(&b), ATOM};
}

static Text compute(Writer *w, const GraphNode *n) {
    switch (n->op) {
    case BOUND_INPUT:
        return (Text){arena_printf(w->a, "%.*s", STR_ARG(w->g->op->input[n->input].name)), ATOM};
    case BOUND_LITERAL: return literal(w, n);
    case BOUND_ADD: return infix(w, n, "+", ADDED);
    case BOUND_SUB: return infix(w, n, "-", ADDED);
    case BOUND_MUL: return infix(w, n, "*", TIMES);
    case BOUND_DIV: return infix(w, n, "/", TIMES);
    case BOUND_LT: return infix(w, n, "<", COMPARED);
    case BOUND_LE: return infix(w, n, "<=", COMPARED);
    case BOUND_GT: return infix(w, n, ">", COMPARED);
    case BOUND_GE: return infix(w, n, ">=", COMPARED);
    case BOUND_EQ: return infix(w, n, "==", COMPARED);
    case BOUND_NE: return infix(w, n, "!=", COMPARED);
    case BOUND_NEG: return (Text){arena_printf(w->a, "-%s", wrapped(w, text_of(w, n->in[0]), ATOM)), ADDED};
    case BOUND_CLAMP_MIN: return call(w, n, "maximum", number(w, n->scalar));
    case BOUND_CLAMP_MAX: return call(w, n, "minimum", number(w, n->scalar));
    case BOUND_GELU_TANH: return call(w, n, "gelu_tanh", NULL);
    case BOUND_CAST: return call(w, n, n->kind == VALUE_BOOL ? "bool" : "int", NULL);
    case BOUND_ARANGE: return call(w, n, "columns", size_is(n->size, 0) ? NULL : size_text(w, n->size));
    case BOUND_SELECT: return call(w, n, "column", size_text(w, n->size));
    case BOUND_CAT: return call(w, n, n->step ? "interleave" : "cat", NULL);
    case BOUND_SLICE: {
        const char *from = size_text(w, n->size);
        if (n->step != 1)
            return call(w, n, "every", arena_printf(w->a, "%lld, %s", (long long)n->step, from));
        return call(w, n, "part", arena_printf(w->a, "%s, %s", from, size_text(w, n->cols)));
    }
    default: return call(w, n, bound_name(n->op), NULL);
    }
}

// The same for a whole row, in what differs from column to column.
static bool of_row(const GraphNode *n) { return size_is(n->cols, 1) && n->rows && n->op != BOUND_INPUT; }

static bool has_line(const Writer *w, int node, int user) {
    const GraphNode *n = &w->g->node[node];
    if (n->op == BOUND_INPUT || n->op == BOUND_LITERAL) return false;
    if (w->uses[node] > 1 || graph_is_reduction(n->op) || n->op == BOUND_CUMSUM) return true;
    return user >= 0 && of_row(n) && !of_row(&w->g->node[user]);
}

// What stands for a value: its name, or its text. Lines that it needs are written first.
static Text text_of(Writer *w, int node) {
    node = behind(w->g, node);
    if (w->name[node]) return (Text){w->name[node], ATOM};
    return compute(w, &w->g->node[node]);
}

static void put_lines(Writer *w, int node, int user) {
    node = behind(w->g, node);
    if (w->name[node]) return;
    const GraphNode *n = &w->g->node[node];
    for (int k = 0; k < n->inputs; k++) put_lines(w, n->in[k], node);
    if (!has_line(w, node, user)) return;
    const char *s = compute(w, n).s;
    w->name[node] = fresh_name(w, wish_of(w, n));
    buf_printf(w->out, "%s = %s\n", w->name[node], s);
}

void formula_put(Buf *out, const Graph *g) {
    Arena a = {0};
    Writer *w = NEW(&a, Writer);
    w->a = &a;
    w->g = g;
    w->out = out;
    count_uses(w, g->result);
    const int result = behind(g, g->result);
    const GraphNode *n = &g->node[result];
    for (int k = 0; k < n->inputs; k++) put_lines(w, n->in[k], result);
    buf_printf(out, "out = %s", compute(w, n).s);
    arena_free(&a);
}
