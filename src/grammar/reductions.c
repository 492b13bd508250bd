// What a kernel knows of a whole row, in one tile or two: reductions, prefix sums, and what masked lanes
// hold.
#include "grammar/kernel_writer.h"
#include <assert.h>
#include <math.h>

// --- Padding -----------------------------------------------------------------------------------------

typedef struct {
    enum { PAD_UNKNOWN, PAD_ROW, PAD_KNOWN } is; // ROW: the same in every lane, and finite
    double v;
} Pad;

static Pad known(double v) { return v != v ? (Pad){PAD_UNKNOWN, 0} : (Pad){PAD_KNOWN, v}; }

static Pad pad_binary(BoundOp op, Pad a, Pad b) {
    bool ka = a.is == PAD_KNOWN, kb = b.is == PAD_KNOWN;
    bool additive = op == BOUND_ADD || op == BOUND_SUB;
    if (ka && kb) {
        switch (op) {
        case BOUND_ADD: return known(a.v + b.v);
        case BOUND_SUB: return known(a.v - b.v);
        case BOUND_MUL: return known(a.v * b.v);
        case BOUND_MAXIMUM: return known(a.v > b.v ? a.v : b.v);
        default: return (Pad){PAD_UNKNOWN, 0};
        }
    }
    if (additive && ka && isinf(a.v) && b.is == PAD_ROW) return a;
    if (op == BOUND_ADD && kb && isinf(b.v) && a.is == PAD_ROW) return b;
    return (Pad){PAD_UNKNOWN, 0};
}

// What a value is in lanes that the mask takes away.
static Pad pad_of(const Emit *e, int node, int depth) {
    const GraphNode *n = &e->g->node[node];
    if (n->op == BOUND_LITERAL && !n->sized) return known(n->scalar);
    if (size_is(n->cols, 1)) return (Pad){PAD_ROW, 0};
    if (n->op == BOUND_INPUT) return known(n->kind == VALUE_FLOAT ? e->state.padding : 0);
    if (depth > 40 || n->inputs == 0) return (Pad){PAD_UNKNOWN, 0};
    Pad a = pad_of(e, n->in[0], depth + 1);
    switch (n->op) {
    case BOUND_EXPAND:
    case BOUND_CAST: return a;
    case BOUND_ADD:
    case BOUND_SUB:
    case BOUND_MUL:
    case BOUND_MAXIMUM: return pad_binary(n->op, a, pad_of(e, n->in[1], depth + 1));
    default: break;
    }
    if (a.is != PAD_KNOWN) return (Pad){PAD_UNKNOWN, 0};
    switch (n->op) {
    case BOUND_NEG: return known(-a.v);
    case BOUND_ABS: return known(fabs(a.v));
    case BOUND_SQUARE: return known(a.v * a.v);
    case BOUND_RELU: return known(a.v > 0 ? a.v : 0);
    case BOUND_EXP: return a.v == -HUGE_VAL ? known(0) : a.v == 0 ? known(1) : (Pad){PAD_UNKNOWN, 0};
    case BOUND_TANH:
    case BOUND_ERF:
    case BOUND_SILU:
    case BOUND_GELU_TANH:
    case BOUND_GELU_ERF:
    case BOUND_SIN:
    case BOUND_SQRT: return a.v == 0 ? known(0) : (Pad){PAD_UNKNOWN, 0};
    default: return (Pad){PAD_UNKNOWN, 0};
    }
}

Expr emit_masked(Emit *e, int node, Place *p, double neutral) {
    Expr x = emit_value(e, node, p);
    Pad pad = pad_of(e, node, 0);
    if (x.tile && pad.is == PAD_KNOWN && pad.v == neutral && e->plan->trust_pad &&
        e->plan->flaw != FLAW_other_value)
        return x;
    if (x.tile && emit_flaw(e, FLAW_other_value)) return x;
    x.s = arena_printf(e->a, "tl.where(%s, %s, %s)", p->mask, x.s,
                       isinf(neutral) ? emit_number(e, neutral) : float_text(e->a, neutral));
    x.bind = BIND_ATOM;
    x.tile = true;
    return x;
}

// --- Reductions --------------------------------------------------------------------------------------

static const char *storage_type(Emit *e) {
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->name.input[i].param && e->g->op->input[i].any_float)
            return arena_printf(e->a, "%s.dtype.element_ty", e->name.input[i].param);
    return NULL;
}

const char *emit_reduce(Emit *e, BoundOp op, const char *tile) {
    if (op == BOUND_PROD) { // the last of the running products
        const char *lanes = arena_printf(
            e->a, e->state.two_d ? "tl.arange(0, %s)[None, :]" : "tl.arange(0, %s)", e->name.block);
        return emit_reduce(e, BOUND_SUM,
                           arena_printf(e->a, "tl.where(%s == %s - 1, tl.cumprod(%s, axis=%d), 0.0)", lanes,
                                        e->name.block, tile, e->state.two_d));
    }
    const char *name = op == BOUND_SUM ? "sum" : op == BOUND_AMAX ? "max" : "min", *after = "";
    const char *type = op == BOUND_SUM && e->plan->flaw == FLAW_half_accumulator ? storage_type(e) : NULL;
    if (type && emit_flaw(e, FLAW_half_accumulator)) {
        tile = arena_printf(e->a, "(%s).to(%s)", tile, type);
        after = ".to(tl.float32)";
    }
    if (!e->state.two_d) {
        static const char *const axis[] = {", axis=0", ", 0", ""};
        return arena_printf(e->a, "tl.%s(%s%s)%s", name, tile, axis[e->plan->axis % 3], after);
    }
    return arena_printf(
        e->a, e->plan->squeeze ? "tl.%s(%s, axis=1)%s[:, None]" : "tl.%s(%s, axis=1, keep_dims=True)%s", name,
        tile, after);
}

Str emit_reduction_name(const Emit *e, int node) {
    const GraphNode *n = &e->g->node[node];
    return str_of(n->op == BOUND_AMAX   ? e->style->most
                  : n->op == BOUND_SUM  ? e->style->sum
                  : n->op == BOUND_AMIN ? "low"
                                        : "prod");
}

const char *emit_combined(Emit *e, BoundOp op, const char *a, const char *b) {
    if (op == BOUND_SUM || op == BOUND_PROD)
        return arena_printf(e->a, op == BOUND_SUM ? "%s + %s" : "%s * (%s)", a, b);
    return arena_printf(e->a, "tl.%s(%s, %s)", op == BOUND_AMAX ? "maximum" : "minimum", a, b);
}

void emit_tile(Emit *e, int tile) {
    if (e->state.tiles == 1) return;
    e->state.tile = tile;
    e->name.cols = e->name.tile_cols[tile];
    e->name.block = e->name.tile_block[tile];
}

static const char *reduced(Emit *e, int node) {
    const GraphNode *n = &e->g->node[node];
    Place *p = emit_place(e, e->g->node[n->in[0]].cols);
    return emit_reduce(e, n->op, emit_masked(e, n->in[0], p, reduction_neutral(n->op)).s);
}

Expr emit_whole_reduction(Emit *e, int node) {
    const GraphNode *n = &e->g->node[node];
    assert(!e->state.looped); // a looped schedule has computed it in its own pass
    const int here = e->state.tile;
    emit_tile(e, 0);
    const char *all = reduced(e, node);
    for (int i = 1; i < e->state.tiles; i++) {
        emit_tile(e, i);
        all = emit_combined(e, n->op, all, reduced(e, node));
    }
    emit_tile(e, here);
    return emit_bind(e, (Expr){all, BIND_ATOM, false, n->rows}, emit_reduction_name(e, node));
}

// What a prefix sum has come to before the second tile of a row.
static const char *first_tile_sum(Emit *e, int node) {
    const GraphNode *n = &e->g->node[node];
    const int here = e->state.tile;
    emit_tile(e, 0);
    Place *p = emit_place(e, e->g->node[n->in[0]].cols);
    Expr sum = {emit_reduce(e, BOUND_SUM, emit_masked(e, n->in[0], p, 0).s), BIND_ATOM, false, n->rows};
    emit_tile(e, here);
    return emit_bind(e, sum, str_of(e->style->carry)).s;
}

Expr emit_scan(Emit *e, int node, Place *p) {
    const GraphNode *n = &e->g->node[node];
    assert(p->plain);
    const char *name = bound_name(n->op); // torch and Triton agree on it
    Expr x = emit_value(e, n->in[0], p);
    if (!x.tile) x = emit_masked(e, n->in[0], p, 0);
    x.rows = n->rows;
    if (!e->state.in_loop && !e->state.split) {
        x.s = arena_printf(e->a, "tl.%s(%s, axis=%d)", name, x.s, e->state.two_d);
        if (p->tile) x.s = arena_printf(e->a, "%s + %s", first_tile_sum(e, node), x.s);
        x.bind = p->tile ? BIND_SUM : BIND_ATOM;
        return emit_bind(e, x, STR("prefix"));
    }
    x = emit_bind(e, x, str_of(e->style->temp));
    const char *carry = e->work.before[node];
    if (!carry) carry = emit_fresh(e, e->style->carry, false);
    if (!e->state.split && e->state.two_d)
        line_add(&e->lines.top, 0, false, "%s = tl.zeros([%s, 1], dtype=tl.float32)", carry,
                 e->name.rows_block);
    else if (!e->state.split)
        line_add(&e->lines.top, 0, false, "%s = 0.0", carry);
    bool dropped = emit_flaw(e, FLAW_carry_dropped);
    Expr sum = {arena_printf(e->a, "%s%stl.%s(%s, axis=%d)", dropped ? "" : carry, dropped ? "" : " + ", name,
                             x.s, e->state.two_d),
                dropped ? BIND_ATOM : BIND_SUM, true, n->rows};
    sum = emit_bind(e, sum, STR("prefix"));
    if (!e->state.split)
        line_add(&e->lines.body, 0, false, "%s += %s", carry, emit_reduce(e, BOUND_SUM, x.s));
    return sum;
}
