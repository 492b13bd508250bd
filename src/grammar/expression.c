// Values: from a node of the graph to the text of an expression, one statement for what is used twice.
#include "grammar/kernel_writer.h"
#include <assert.h>
#include <math.h>

#define LOG2_E "1.4426950408889634"

// --- Moves -------------------------------------------------------------------------------------------

static Expr place_slice(Emit *e, const GraphNode *n, Place *p) {
    Expr index = p->index;
    if (n->step != 1) {
        index.s = arena_printf(e->a, "%s * %lld", emit_wrap(e, index, BIND_PRODUCT), (long long)n->step);
        index.bind = BIND_PRODUCT;
    }
    return emit_shifted(e, index, n->size, 1);
}

static Expr slice(Emit *e, const GraphNode *n, Place *p) {
    if (n->step == 1 && size_is(n->size, 0)) return emit_value(e, n->in[0], p);
    return emit_value(e, n->in[0], emit_place_at(e, place_slice(e, n, p), p->mask, false, n->cols));
}

// One column of something, the same for every lane.
static Expr select_column(Emit *e, const GraphNode *n) {
    Expr at = emit_size(e, n->size);
    return emit_value(e, n->in[0], emit_place_at(e, at, NULL, false, size_const(1)));
}

static Expr gather(Emit *e, const GraphNode *n, Place *p) {
    Expr index = emit_value(e, n->in[1], p);
    return emit_value(e, n->in[0], emit_place_at(e, index, p ? p->mask : NULL, false, n->cols));
}

typedef struct {
    int base;
    Size start;
    bool negative;
} Part;

// (-)x[start : ...]
static bool part_of(const Emit *e, int node, Part *out) {
    const GraphNode *n = &e->g->node[node];
    out->negative = n->op == BOUND_NEG;
    if (out->negative) n = &e->g->node[n->in[0]];
    if (n->op != BOUND_SLICE || n->step != 1) return false;
    out->base = n->in[0];
    out->start = n->size;
    // -x, sliced afterwards
    const GraphNode *base = &e->g->node[out->base];
    if (base->op == BOUND_NEG && base->uses == 1) {
        out->negative = !out->negative;
        out->base = base->in[0];
    }
    return true;
}

// Two pieces of one thing: a single load at the column that each lane needs.
static bool swapped(Emit *e, const GraphNode *n, Place *p, Expr *out) {
    Part a, b;
    if (!e->plan->one_load || n->inputs != 2 || !part_of(e, n->in[0], &a) || !part_of(e, n->in[1], &b) ||
        a.base != b.base)
        return false;
    Size first = e->g->node[n->in[0]].cols;
    Expr end = emit_size(e, first);
    Expr left = {arena_printf(e->a, "%s < %s", emit_wrap(e, p->index, BIND_SUM), end.s), BIND_ANY,
                 p->index.tile, p->index.rows};
    left = emit_bind(e, left, STR("left"));
    Expr from_a = emit_shifted(e, p->index, a.start, 1),
         from_b = emit_shifted(e, emit_shifted(e, p->index, first, -1), b.start, 1);
    Expr source = {arena_printf(e->a, "tl.where(%s, %s, %s)", left.s, from_a.s, from_b.s), BIND_ATOM,
                   p->index.tile, p->index.rows};
    Expr x = emit_bind(e, emit_value(e, a.base, emit_place_at(e, source, p->mask, false, n->cols)),
                       str_of(e->style->temp));
    if (a.negative || b.negative) {
        if (a.negative && b.negative)
            x = (Expr){arena_printf(e->a, "-%s", x.s), BIND_SIGNED, x.tile, x.rows};
        else
            x = (Expr){arena_printf(e->a, "tl.where(%s, %s%s, %s%s)", left.s, a.negative ? "-" : "", x.s,
                                    b.negative ? "-" : "", x.s),
                       BIND_ATOM, x.tile || left.tile, x.rows || left.rows};
    }
    *out = x;
    return true;
}

// Column i is of part i % k, column i // k there.
static Expr in_turns(Emit *e, const GraphNode *n, Place *p) {
    const char *at = emit_wrap(e, p->index, BIND_PRODUCT);
    Expr pair = {arena_printf(e->a, "%s // %d", at, n->inputs), BIND_PRODUCT, p->index.tile, p->index.rows},
         side = {arena_printf(e->a, "%s %% %d", at, n->inputs), BIND_PRODUCT, p->index.tile, p->index.rows};
    Place *from =
        emit_place_at(e, emit_bind(e, pair, STR("pair")), p->mask, false, e->g->node[n->in[0]].cols);
    side = emit_bind(e, side, STR("side"));
    Expr x = emit_value(e, n->in[n->inputs - 1], from);
    for (int i = n->inputs - 2; i >= 0; i--) {
        Expr piece = emit_value(e, n->in[i], from);
        x.s = arena_printf(e->a, "tl.where(%s == %d, %s, %s)", side.s, i, piece.s, x.s);
        x.bind = BIND_ATOM;
        x.tile = true;
        x.rows = x.rows || piece.rows || side.rows;
    }
    return x;
}

static Expr cat(Emit *e, const GraphNode *n, Place *p) {
    Expr x, begin = {"0", BIND_ATOM, false, false};
    if (n->step) return in_turns(e, n, p);
    if (swapped(e, n, p, &x)) return x;
    Expr piece[4], inside[4];
    for (int i = 0; i < n->inputs; i++) {
        Size width = e->g->node[n->in[i]].cols;
        Expr end = emit_size(e, width), index = p->index;
        if (i > 0 && i < n->inputs - 1)
            end = emit_bind(e, (Expr){arena_printf(e->a, "%s + %s", begin.s, end.s), BIND_SUM, false, false},
                            STR("end"));
        if (i > 0) {
            index.s = arena_printf(e->a, "%s - %s", emit_wrap(e, index, BIND_SUM), begin.s);
            index.bind = BIND_SUM;
        }
        const char *at = emit_wrap(e, p->index, BIND_SUM);
        bool last = i == n->inputs - 1, middle = i > 0 && !last;
        Expr in = {.bind = middle ? BIND_BITS : BIND_ANY, .tile = p->index.tile, .rows = p->index.rows};
        if (i == 0)
            in.s = arena_printf(e->a, "%s < %s", at, end.s);
        else if (last)
            in.s = arena_printf(e->a, "%s >= %s", at, begin.s);
        else
            in.s = arena_printf(e->a, "(%s >= %s) & (%s < %s)", at, begin.s, at, end.s);
        inside[i] = emit_bind(e, in, STR("part"));
        in.s = p->mask
                   ? arena_printf(e->a, emit_is_name(p->mask) ? "%s & %s" : "(%s) & %s", p->mask, inside[i].s)
                   : inside[i].s;
        in.bind = p->mask ? BIND_BITS : BIND_ATOM;
        in = emit_bind(e, in, STR("part_mask"));
        piece[i] = emit_bind(e, emit_value(e, n->in[i], emit_place_at(e, index, in.s, false, width)),
                             str_of(e->style->temp));
        begin = end;
    }
    x = piece[n->inputs - 1];
    for (int i = n->inputs - 2; i >= 0; i--) {
        x.s = arena_printf(e->a, "tl.where(%s, %s, %s)", inside[i].s, piece[i].s, x.s);
        x.bind = BIND_ATOM;
        x.tile = x.tile || piece[i].tile || inside[i].tile;
        x.rows = x.rows || piece[i].rows || inside[i].rows;
    }
    return x;
}

// --- Elementwise -------------------------------------------------------------------------------------

static Expr argument(Emit *e, const char *wish, double value, const char *host) {
    for (int i = 0; i < e->takes.extras; i++)
        if (strcmp(e->takes.extra[i].host, host) == 0)
            return (Expr){e->takes.extra[i].param, BIND_ATOM, false, false};
    if (e->takes.extras >= ARGUMENTS_MAX - 2)
        return (Expr){float_text(e->a, value), value < 0 ? BIND_SIGNED : BIND_ATOM, false, false};
    const char *name = emit_fresh(e, wish, false);
    e->takes.extra[e->takes.extras++] = (Argument){name, host};
    return (Expr){name, BIND_ATOM, false, false};
}

static Expr sized_literal(Emit *e, const GraphNode *n) {
    bool length = (n->power == 1 || n->power == -1) && size_plain(n->size) && e->name.block;
    if (length && emit_flaw(e, FLAW_mean_over_block))
        return (Expr){n->power == 1 ? e->name.block : arena_printf(e->a, "(1.0 / %s)", e->name.block),
                      BIND_ATOM, false, false};
    if (n->power == 1) return emit_size(e, n->size);
    const char *x = host_size(e, n->size);
    const char *host = n->power == -1 ? arena_printf(e->a, "1.0 / %s", x)
                                      : arena_printf(e->a, "%s ** %s", x, float_text(e->a, n->power));
    return argument(e, "scale", 0, host);
}

static Expr literal(Emit *e, const GraphNode *n, bool whole) {
    if (n->sized) return sized_literal(e, n);
    double x = n->scalar;
    if (whole && x == trunc(x) && fabs(x) < 0x1p31)
        return (Expr){arena_printf(e->a, "%.0f", x), x < 0 ? BIND_SIGNED : BIND_ATOM, false, false};
    const char *text = float_text(e->a, x);
    if (e->plan->eps_arg && x > 0 && x < 0.005 && e->takes.extras < ARGUMENTS_MAX / 2)
        return argument(e, "eps", x, text);
    return (Expr){text, x < 0 && !isinf(x) ? BIND_SIGNED : BIND_ATOM, false, false};
}

static bool arithmetic(BoundOp op) { return op >= BOUND_ADD && op <= BOUND_DIV; }

// An operand, as a float where the operation is one on floats.
static Expr operand(Emit *e, const GraphNode *n, int k, bool floats, Place *p) {
    const GraphNode *x = &e->g->node[n->in[k]];
    if (x->op == BOUND_LITERAL) {
        Expr l = literal(e, x, !floats);
        if (!x->sized || !floats || arithmetic(n->op) || x->power != 1) return l;
        return (Expr){arena_printf(e->a, "%s * 1.0", l.s), BIND_PRODUCT, false, false};
    }
    Expr v = emit_value(e, n->in[k], p);
    if (!floats || x->kind == VALUE_FLOAT) return v;
    v.s = arena_printf(e->a, "%s.to(tl.float32)", emit_wrap(e, v, BIND_ATOM));
    v.bind = BIND_ATOM;
    return v;
}

static bool is_activation(BoundOp op) {
    switch (op) {
    case BOUND_TANH:
    case BOUND_SIGMOID:
    case BOUND_SILU:
    case BOUND_GELU_TANH:
    case BOUND_GELU_ERF:
    case BOUND_SOFTPLUS: return true;
    default: return false;
    }
}

static int mentions(const char *text, char letter) {
    int n = 0;
    for (const char *s = text; (s = strchr(s, '{')); s++) n += s[1] == letter;
    return n;
}

static Bind wants(char sign) {
    switch (sign) {
    case '+': return BIND_SUM;
    case '*': return BIND_PRODUCT;
    case '-': return BIND_SIGNED;
    case '.': return BIND_ATOM;
    default: return BIND_ANY;
    }
}

static const char *fill(Emit *e, const char *form, const Expr *in, double number) {
    Buf b = BUF(e->a);
    for (const char *s = form; *s; s++) {
        if (*s != '{') {
            buf_putc(&b, *s);
            continue;
        }
        char who = s[1], sign = s[2];
        if (who == 's')
            buf_puts(&b, float_text(e->a, number));
        else
            buf_puts(&b, emit_wrap(e, in[who - 'a'], wants(sign)));
        s = strchr(s, '}');
    }
    return buf_cstr(&b);
}

const char *emit_exp(Emit *e, Expr x) {
    return fill(e, form_of(BOUND_EXP, e->plan->form[BOUND_EXP])->text, &x, 0);
}

static bool folds(const Emit *e, int a) { return e->plan->fold && passes_folds(e->g, a); }

// exp(a - b) for a and b that have names. The difference comes first: of a * c - b * c a compiler makes a
// fused multiply-subtract, which leaves the rounding of b * c where a and b are equal. Of a stand-in for -inf
// such as -1e30 that is 6e21, not 0.
const char *emit_exp_less(Emit *e, const char *a, const char *b, bool fold) {
    if (fold) return arena_printf(e->a, "tl.exp2((%s - %s) * " LOG2_E ")", a, b);
    return emit_exp(e, (Expr){arena_printf(e->a, "%s - %s", a, b), BIND_SUM, true, true});
}

// exp(a - max(a)): both multiplied by log2 e first, the largest once a row.
static bool folded(Emit *e, const GraphNode *n, Place *p, Expr *out) {
    const GraphNode *less = &e->g->node[n->in[0]];
    if (n->op != BOUND_EXP || less->op != BOUND_SUB || e->g->node[less->in[1]].op != BOUND_AMAX || !p ||
        e->g->node[less->in[1]].in[0] != less->in[0] || !folds(e, less->in[0]))
        return false;
    Expr most, a = emit_bind(e, emit_value(e, less->in[0], p), str_of(e->style->temp));
    int key = -2 - GRAPH_NODES_MAX - less->in[1]; // of no node
    if (!emit_recall(e, key, NULL, &most)) {
        most = emit_value(e, less->in[1], NULL);
        most.s = arena_printf(e->a, "%s * " LOG2_E, emit_wrap(e, most, BIND_PRODUCT));
        most.bind = BIND_PRODUCT;
        most = emit_bind(e, most, STR("top"));
        emit_remember(e, key, NULL, most);
    }
    *out = (Expr){arena_printf(e->a, "tl.exp2(%s * " LOG2_E " - %s)", emit_wrap(e, a, BIND_PRODUCT), most.s),
                  BIND_ATOM, true, n->rows};
    return true;
}

static const char *helper_of(Emit *e, BoundOp op) {
    for (int i = 0; i < e->helpers.n; i++)
        if (e->helpers.at[i].op == op) return e->helpers.at[i].name;
    Expr v = {"v", BIND_ATOM, false, false};
    const char *text = fill(e, form_of(op, e->plan->form[op])->text, &v, 0);
    const char *name = emit_fresh(e, arena_printf(e->a, "_%s", bound_name(op)), false);
    e->helpers.at[e->helpers.n].op = op;
    e->helpers.at[e->helpers.n].name = name;
    e->helpers.at[e->helpers.n++].text = text;
    return name;
}

// x * (1 / d) for a d that is the same for the whole row and never near the ends of the range: a row length,
// or a sum of exp(a - max(a)), which is at least 1.
static bool reciprocal(Emit *e, const GraphNode *n, Expr a, Expr *out) {
    const GraphNode *d = &e->g->node[n->in[1]];
    bool size = d->op == BOUND_LITERAL && d->sized && d->power == 1 && size_plain(d->size);
    if (!e->plan->reciprocal || n->op != BOUND_DIV || !(size || passes_partner(e->g, n->in[1]) >= 0))
        return false;
    Expr by;
    int key = -2 - n->in[1]; // of no node
    if (!emit_recall(e, key, NULL, &by)) {
        by = operand(e, n, 1, true, NULL);
        const char *text = arena_printf(e->a, "1.0 / %s", emit_wrap(e, by, BIND_SIGNED));
        by = emit_bind(e, (Expr){text, BIND_PRODUCT, false, by.rows}, STR("inv"));
        emit_remember(e, key, NULL, by);
    }
    *out = (Expr){arena_printf(e->a, "%s * %s", emit_wrap(e, a, BIND_PRODUCT), by.s), BIND_PRODUCT, a.tile,
                  a.rows || by.rows};
    return true;
}

static Str variable_name(const Emit *e, const GraphNode *n) {
    if (n->op == BOUND_INPUT) return e->g->op->input[n->input].name;
    if (n->op == BOUND_DIV && e->g->node[n->in[0]].op == BOUND_SUM) return str_of(e->style->mean);
    if (n->op == BOUND_EXP) return STR("e");
    if (n->op == BOUND_RSQRT) return STR("rstd");
    return str_of(e->style->temp);
}

static Expr elementwise(Emit *e, const GraphNode *n, Place *p) {
    bool floats = n->kind == VALUE_FLOAT;
    int first = n->op == BOUND_WHERE;
    for (int k = first; k < n->inputs && n->kind == VALUE_BOOL; k++)
        floats = floats || e->g->node[n->in[k]].kind == VALUE_FLOAT;
    Expr in[4], x = {.bind = BIND_ATOM};
    const Form *form = form_of(n->op, e->plan->form[n->op]);
    assert(form);
    bool plain_call = form->bind == BIND_ATOM && mentions(form->text, 'a') == 1;
    bool called = e->plan->helper && is_activation(n->op) && !plain_call;
    for (int k = 0; k < n->inputs; k++) {
        in[k] = operand(e, n, k, floats && k >= first, p);
        const GraphNode *from = &e->g->node[n->in[k]];
        bool hoisted = p && !in[k].tile && size_is(from->cols, 1) && from->op != BOUND_LITERAL;
        if (hoisted) { // once a row, not once a lane
            in[k] = emit_bind(e, in[k], variable_name(e, from));
            emit_remember(e, n->in[k], NULL, in[k]);
        }
        if (!called && from->op != BOUND_LITERAL && mentions(form->text, (char)('a' + k)) > 1 &&
            !(in[k].bind == BIND_ATOM && emit_is_name(in[k].s)))
            in[k] = emit_bind(e, in[k], str_of(e->style->temp));
        x.tile = x.tile || in[k].tile;
        x.rows = x.rows || in[k].rows;
    }
    if (called) {
        x.s = arena_printf(e->a, "%s(%s)", helper_of(e, n->op), in[0].s);
        return x;
    }
    if (reciprocal(e, n, in[0], &x)) return x;
    x.s = fill(e, form->text, in, n->scalar);
    x.bind = form->bind;
    return x;
}

static Expr convert(Emit *e, const GraphNode *n, Place *p) {
    const GraphNode *from = &e->g->node[n->in[0]];
    Expr x = from->op == BOUND_INPUT && from->uses == 1
                 ? emit_load(e, from, size_is(from->cols, 1) ? NULL : p)
                 : emit_value(e, n->in[0], p);
    if (n->kind == VALUE_BOOL) {
        x.s = arena_printf(e->a, "%s != %s", emit_wrap(e, x, BIND_SUM),
                           from->kind == VALUE_FLOAT ? "0.0" : "0");
        x.bind = BIND_ANY;
        return x;
    }
    x.s = arena_printf(e->a, "%s.to(%s)", emit_wrap(e, x, BIND_ATOM),
                       n->kind == VALUE_FLOAT ? "tl.float32" : "tl.int64");
    x.bind = BIND_ATOM;
    return x;
}

static Expr columns(Emit *e, const GraphNode *n, Place *p) {
    Expr x = emit_shifted(e, p->index, n->size, 1);
    return x;
}

static Expr compute(Emit *e, int node, Place *p) {
    const GraphNode *n = &e->g->node[node];
    switch (n->op) {
    case BOUND_INPUT: return emit_load(e, n, p);
    case BOUND_LITERAL: return literal(e, n, n->kind == VALUE_INT);
    case BOUND_ARANGE: return columns(e, n, p);
    case BOUND_EXPAND: return emit_value(e, n->in[0], p);
    case BOUND_SLICE: return slice(e, n, p);
    case BOUND_SELECT: return select_column(e, n);
    case BOUND_GATHER: return gather(e, n, p);
    case BOUND_CAT: return cat(e, n, p);
    case BOUND_SUM:
    case BOUND_AMAX:
    case BOUND_AMIN:
    case BOUND_PROD: return emit_whole_reduction(e, node);
    case BOUND_CUMSUM: return emit_scan(e, node, p);
    case BOUND_CAST: return convert(e, n, p);
    default: break;
    }
    Expr x;
    return folded(e, n, p, &x) ? x : elementwise(e, n, p);
}

Expr emit_value(Emit *e, int node, Place *p) {
    const GraphNode *n = &e->g->node[node];
    if (size_is(n->cols, 1)) p = NULL;
    Expr x;
    if (emit_recall(e, node, p, &x)) return x;
    x = compute(e, node, p);
    if (n->op == BOUND_LITERAL || n->op == BOUND_EXPAND) return x;
    size_t most = e->style->width ? 80 : 56;
    bool moves = n->op == BOUND_SLICE || n->op == BOUND_SELECT || n->op == BOUND_ARANGE;
    if (!moves && (n->uses > 1 || n->op == BOUND_INPUT || strlen(x.s) > most))
        x = emit_bind(e, x, variable_name(e, n));
    emit_remember(e, node, p, x);
    return x;
}
