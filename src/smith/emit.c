// Values: from a node of the graph to the text of an expression, one statement for what is used twice.
#include "smith/emit.h"
#include <assert.h>
#include <math.h>

const Style styles[STYLE_COUNT] = {
    [STYLE_COMPACT] = {.row = "r",
                       .rows = "r",
                       .row_mask = "rm",
                       .cols = "c",
                       .mask = "m",
                       .col_mask = "cm",
                       .start = "o",
                       .acc = "acc",
                       .most = "mx",
                       .sum = "s",
                       .carry = "k",
                       .temp = "t",
                       .mean = "mu",
                       .n = "N",
                       .m = "M",
                       .block = "BLOCK",
                       .rows_block = "ROWS",
                       .out = "y",
                       .pointer = {"", "_ptr"},
                       .stride = {"s_", ""},
                       .kernel = {"_", "_k"},
                       .width = 110},
    [STYLE_PLAIN] = {.row = "row",
                     .rows = "rows",
                     .row_mask = "row_mask",
                     .cols = "cols",
                     .mask = "mask",
                     .col_mask = "col_mask",
                     .start = "off",
                     .acc = "acc",
                     .most = "peak",
                     .sum = "total",
                     .carry = "carry",
                     .temp = "v",
                     .mean = "mean",
                     .n = "N",
                     .m = "M",
                     .block = "BLOCK",
                     .rows_block = "ROWS",
                     .out = "out",
                     .pointer = {"", "_ptr"},
                     .stride = {"", "_stride"},
                     .kernel = {"", "_kernel"}},
    [STYLE_SPELLED] = {.row = "row_index",
                       .rows = "row_indices",
                       .row_mask = "row_valid",
                       .cols = "col_offsets",
                       .mask = "valid",
                       .col_mask = "col_valid",
                       .start = "start",
                       .acc = "partial",
                       .most = "row_max",
                       .sum = "row_sum",
                       .carry = "running",
                       .temp = "value",
                       .mean = "row_mean",
                       .n = "n_cols",
                       .m = "n_rows",
                       .block = "BLOCK_SIZE",
                       .rows_block = "ROWS_PER_PROGRAM",
                       .out = "output",
                       .pointer = {"", "_pointer"},
                       .stride = {"", "_row_stride"},
                       .kernel = {"fused_", ""},
                       .comments = true},
};

// --- NameSet and lines
// -----------------------------------------------------------------------------------------------

const char *emit_fresh(Emit *e, const char *wish, bool inner) {
    return inner ? nameset_fresh(&e->inner, &e->names, str_of(wish))
                 : nameset_fresh(&e->names, &e->inner, str_of(wish));
}

const char *emit_affixed(Emit *e, const char *const affix[2], Str name) {
    return emit_fresh(e, arena_printf(e->a, "%s%.*s%s", affix[0], STR_ARG(name), affix[1]), false);
}

// Where a value is computed: as far out as what it depends on allows.
static Lines *home(Emit *e, bool tile, bool rows) {
    if (e->plan->schedule == SCHEDULE_PERSISTENT && !rows) return &e->fixed;
    return tile && e->in_loop ? &e->body : &e->top;
}

static bool is_name(const char *s) {
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_'))
            return false;
    return true;
}

Expr emit_bind(Emit *e, Expr x, Str wish) {
    if (x.bind == BIND_ATOM && is_name(x.s)) return x;
    const char *name = emit_fresh(e, arena_printf(e->a, "%.*s", STR_ARG(wish)), x.tile && e->in_loop);
    line_add(home(e, x.tile, x.rows), 0, false, "%s = %s", name, x.s);
    x.s = name;
    x.bind = BIND_ATOM;
    return x;
}

const char *emit_wrap(Emit *e, Expr x, Bind at) {
    return x.bind < at ? arena_printf(e->a, "(%s)", x.s) : x.s;
}

void emit_remember(Emit *e, int node, const Place *p, Expr x) {
    Memo *m = NEW(e->a, Memo);
    *m = (Memo){.next = e->memo, .node = node, .place = p, .x = x};
    e->memo = m;
    // A value without columns, or one made outside the loop, outlives it.
    if (!e->in_loop || x.tile) return;
    Memo *kept = NEW(e->a, Memo);
    *kept = *m;
    kept->next = e->kept_memo;
    e->kept_memo = kept;
}

// --- Sizes
// ---------------------------------------------------------------------------------------------------------

static const char *formula(Arena *a, Size s, const char *x) {
    Buf b = BUF(a);
    bool sum = s.r != 0;
    if (s.q != 1 && sum) buf_putc(&b, '(');
    if (s.p != 1) buf_printf(&b, "%lld * ", (long long)s.p);
    buf_puts(&b, x);
    if (sum) buf_printf(&b, " %c %lld", s.r > 0 ? '+' : '-', (long long)(s.r > 0 ? s.r : -s.r));
    if (s.q != 1) buf_printf(&b, "%s // %lld", sum ? ")" : "", (long long)s.q);
    return buf_cstr(&b);
}

Expr emit_size(Emit *e, Size s) {
    if (s.of == SIZE_CONST)
        return (Expr){arena_printf(e->a, "%lld", (long long)s.r), s.r < 0 ? BIND_SIGNED : BIND_ATOM, false,
                      false};
    if (s.of == SIZE_ROWS)
        e->m_used = true;
    else
        e->n_used = true;
    const char *x = s.of == SIZE_ROWS ? e->m : e->n;
    if (size_plain(s)) return (Expr){x, BIND_ATOM, false, false};
    for (struct SizeName *k = e->sizes; k; k = k->next)
        if (size_equal(k->size, s)) return (Expr){k->name, BIND_ATOM, false, false};
    struct SizeName *k = NEW(e->a, struct SizeName);
    bool half = s.p == 1 && s.q == 2 && s.r == 0;
    *k = (struct SizeName){.next = e->sizes, .size = s};
    k->name =
        emit_bind(e, (Expr){formula(e->a, s, x), BIND_ANY, false, false}, str_of(half ? "half" : "width")).s;
    e->sizes = k;
    return (Expr){k->name, BIND_ATOM, false, false};
}

const char *host_size(Emit *e, Size s) {
    if (s.of == SIZE_CONST) return arena_printf(e->a, "%lld", (long long)s.r);
    return formula(e->a, s, s.of == SIZE_ROWS ? e->m_host : e->n_host);
}

// index + sign * s
static Expr shifted(Emit *e, Expr index, Size s, int sign) {
    if (size_is(s, 0)) return index;
    Expr by = emit_size(e, s);
    index.s = arena_printf(e->a, "%s %c %s", emit_wrap(e, index, BIND_SUM), sign > 0 ? '+' : '-',
                           emit_wrap(e, by, BIND_PRODUCT));
    index.bind = BIND_SUM;
    return index;
}

// --- Places
// --------------------------------------------------------------------------------------------------------

static bool texts_equal(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static Place *place_at(Emit *e, Expr index, const char *mask, bool plain, Size width) {
    for (Place *p = e->places; p; p = p->next)
        if (strcmp(p->key, index.s) == 0 && texts_equal(p->mask, mask) && p->plain == plain) return p;
    Place *p = NEW(e->a, Place);
    *p = (Place){.key = index.s,
                 .index = emit_bind(e, index, STR("src")),
                 .mask = mask,
                 .plain = plain,
                 .width = width};
    p->next = e->places;
    e->places = p;
    return p;
}

Place *emit_place(Emit *e, Size width) {
    for (Place *p = e->places; p; p = p->next)
        if (p->plain && size_equal(p->width, width)) return p;
    Lines *to = e->in_loop ? &e->body : home(e, true, false);
    Expr w = emit_size(e, width);
    const char *wish = e->two_d ? e->style->col_mask : e->style->mask;
    const char *mask = emit_fresh(e, wish, e->in_loop);
    line_add(to, 0, false, "%s = %s < %s", mask, e->cols, w.s);
    if (!e->looped && e->width_count < ARGUMENTS_MAX) e->widths[e->width_count++] = width;
    return place_at(e, (Expr){e->cols, BIND_ATOM, true, false}, mask, true, width);
}

const char *emit_both(Emit *e, Place *p) {
    if (!p) return e->two_d ? e->row_mask : NULL;
    if (!e->two_d) return p->mask;
    if (!p->mask) return e->row_mask;
    if (p->both) return p->both;
    Expr x = {arena_printf(e->a, "%s & %s", e->row_mask, p->mask), BIND_BITS, p->index.tile, true};
    p->both = emit_bind(e, x, str_of(e->style->mask)).s;
    return p->both;
}

// --- Loads
// ---------------------------------------------------------------------------------------------------------

const char *emit_row_part(Emit *e, int input) {
    if (!e->in_stride[input]) {
        Str name = e->g->op->input[input].name;
        e->in_stride[input] = emit_affixed(e, e->style->stride, name);
    }
    e->row_used = true;
    return arena_printf(e->a, "%s * %s", e->row, e->in_stride[input]);
}

static const char *input_pointer(Emit *e, int input, bool rows) {
    Str name = e->g->op->input[input].name;
    if (!e->in_param[input]) e->in_param[input] = emit_affixed(e, e->style->pointer, name);
    if (!rows) return e->in_param[input];
    const char *sum = arena_printf(e->a, "%s + %s", e->in_param[input], emit_row_part(e, input));
    if (!e->plan->bases) return sum;
    if (!e->in_base[input])
        e->in_base[input] = emit_bind(e, (Expr){sum, BIND_SUM, false, true},
                                      str_of(arena_printf(e->a, "%.*s_row", STR_ARG(name))))
                                .s;
    return e->in_base[input];
}

static Expr load(Emit *e, const GraphNode *n, Place *p) {
    Expr x = {.bind = BIND_ATOM, .rows = n->rows || (p && p->index.rows), .tile = p && p->index.tile};
    Buf b = BUF(e->a);
    buf_printf(&b, "tl.load(%s", input_pointer(e, n->input, n->rows));
    if (p) buf_printf(&b, " + %s", emit_wrap(e, p->index, BIND_PRODUCT));
    const char *mask = n->rows ? emit_both(e, p) : p ? p->mask : NULL;
    if (mask && p && !p->index.tile && e->two_d && !n->rows) mask = emit_both(e, p);
    if (mask) {
        double other = n->kind == VALUE_FLOAT && x.tile ? e->padding : 0;
        buf_printf(&b, ", mask=%s, other=%s", mask, n->kind == VALUE_FLOAT ? float_text(e->a, other) : "0");
    }
    if (e->plan->hints && e->looped && x.tile && n->rows)
        buf_printf(&b, ", eviction_policy=\"%s\"", e->last_pass ? "evict_first" : "evict_last");
    buf_puts(&b, ")");
    if (n->kind == VALUE_FLOAT) buf_puts(&b, ".to(tl.float32)");
    x.s = buf_cstr(&b);
    return x;
}

// --- Padding
// -------------------------------------------------------------------------------------------------------

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
    if (n->op == BOUND_INPUT) return known(n->kind == VALUE_FLOAT ? e->padding : 0);
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
    if (x.tile && pad.is == PAD_KNOWN && pad.v == neutral && e->plan->trust_pad) return x;
    x.s = arena_printf(e->a, "tl.where(%s, %s, %s)", p->mask, x.s, float_text(e->a, neutral));
    x.bind = BIND_ATOM;
    x.tile = true;
    return x;
}

// --- Reductions
// ----------------------------------------------------------------------------------------------------

const char *emit_reduce(Emit *e, BoundOp op, const char *tile) {
    if (op == BOUND_PROD) { // the last of the running products
        const char *lanes =
            arena_printf(e->a, e->two_d ? "tl.arange(0, %s)[None, :]" : "tl.arange(0, %s)", e->block);
        return emit_reduce(e, BOUND_SUM,
                           arena_printf(e->a, "tl.where(%s == %s - 1, tl.cumprod(%s, axis=%d), 0.0)", lanes,
                                        e->block, tile, e->two_d));
    }
    const char *name = op == BOUND_SUM ? "sum" : op == BOUND_AMAX ? "max" : "min";
    if (!e->two_d) return arena_printf(e->a, "tl.%s(%s, axis=0)", name, tile);
    return arena_printf(e->a,
                        e->plan->squeeze ? "tl.%s(%s, axis=1)[:, None]" : "tl.%s(%s, axis=1, keep_dims=True)",
                        name, tile);
}

static Str reduction_name(const Emit *e, int node) {
    const GraphNode *n = &e->g->node[node];
    return str_of(n->op == BOUND_AMAX   ? e->style->most
                  : n->op == BOUND_SUM  ? e->style->sum
                  : n->op == BOUND_AMIN ? "low"
                                        : "prod");
}

static double neutral_of(BoundOp op) {
    return op == BOUND_AMAX ? -HUGE_VAL : op == BOUND_AMIN ? HUGE_VAL : op == BOUND_PROD ? 1 : 0;
}

static Expr whole_reduction(Emit *e, int node) {
    const GraphNode *n = &e->g->node[node];
    assert(!e->looped); // a looped schedule has computed it in its own pass
    Place *p = emit_place(e, e->g->node[n->in[0]].cols);
    Expr x = emit_masked(e, n->in[0], p, neutral_of(n->op));
    return emit_bind(e, (Expr){emit_reduce(e, n->op, x.s), BIND_ATOM, false, n->rows},
                     reduction_name(e, node));
}

static Expr scan(Emit *e, int node, Place *p) {
    const GraphNode *n = &e->g->node[node];
    assert(p->plain);
    const char *name = bound_name(n->op); // torch and Triton agree on it
    Expr x = emit_value(e, n->in[0], p);
    if (!x.tile) x = emit_masked(e, n->in[0], p, 0);
    x.rows = n->rows;
    if (!e->in_loop) {
        x.s = arena_printf(e->a, "tl.%s(%s, axis=%d)", name, x.s, e->two_d);
        x.bind = BIND_ATOM;
        return emit_bind(e, x, STR("prefix"));
    }
    x = emit_bind(e, x, str_of(e->style->temp));
    const char *carry = emit_fresh(e, e->style->carry, false);
    if (e->two_d)
        line_add(&e->top, 0, false, "%s = tl.zeros([%s, 1], dtype=tl.float32)", carry, e->rows_block);
    else
        line_add(&e->top, 0, false, "%s = 0.0", carry);
    Expr sum = {arena_printf(e->a, "%s + tl.%s(%s, axis=%d)", carry, name, x.s, e->two_d), BIND_SUM, true,
                n->rows};
    sum = emit_bind(e, sum, STR("prefix"));
    line_add(&e->body, 0, false, "%s += %s", carry, emit_reduce(e, BOUND_SUM, x.s));
    return sum;
}

// --- Moves
// ---------------------------------------------------------------------------------------------------------

static Expr place_slice(Emit *e, const GraphNode *n, Place *p) {
    Expr index = p->index;
    if (n->step != 1) {
        index.s = arena_printf(e->a, "%s * %lld", emit_wrap(e, index, BIND_PRODUCT), (long long)n->step);
        index.bind = BIND_PRODUCT;
    }
    return shifted(e, index, n->size, 1);
}

static Expr slice(Emit *e, const GraphNode *n, Place *p) {
    if (n->step == 1 && size_is(n->size, 0)) return emit_value(e, n->in[0], p);
    return emit_value(e, n->in[0], place_at(e, place_slice(e, n, p), p->mask, false, n->cols));
}

// One column of something, the same for every lane.
static Expr select_column(Emit *e, const GraphNode *n) {
    Expr at = emit_size(e, n->size);
    return emit_value(e, n->in[0], place_at(e, at, NULL, false, size_const(1)));
}

static Expr gather(Emit *e, const GraphNode *n, Place *p) {
    Expr index = emit_value(e, n->in[1], p);
    return emit_value(e, n->in[0], place_at(e, index, p ? p->mask : NULL, false, n->cols));
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
    Expr from_a = shifted(e, p->index, a.start, 1),
         from_b = shifted(e, shifted(e, p->index, first, -1), b.start, 1);
    Expr source = {arena_printf(e->a, "tl.where(%s, %s, %s)", left.s, from_a.s, from_b.s), BIND_ATOM,
                   p->index.tile, p->index.rows};
    Expr x = emit_bind(e, emit_value(e, a.base, place_at(e, source, p->mask, false, n->cols)),
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

static Expr cat(Emit *e, const GraphNode *n, Place *p) {
    Expr x, begin = {"0", BIND_ATOM, false, false};
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
        in.s = p->mask ? arena_printf(e->a, "%s & %s", p->mask, inside[i].s) : inside[i].s;
        in.bind = p->mask ? BIND_BITS : BIND_ATOM;
        in = emit_bind(e, in, STR("part_mask"));
        piece[i] = emit_bind(e, emit_value(e, n->in[i], place_at(e, index, in.s, false, width)),
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

// --- Elementwise
// ---------------------------------------------------------------------------------------------------

static Expr argument(Emit *e, const char *wish, double value, const char *host) {
    for (int i = 0; i < e->extras; i++)
        if (strcmp(e->extra[i].host, host) == 0) return (Expr){e->extra[i].param, BIND_ATOM, false, false};
    if (e->extras == ARGUMENTS_MAX)
        return (Expr){float_text(e->a, value), value < 0 ? BIND_SIGNED : BIND_ATOM, false, false};
    const char *name = emit_fresh(e, wish, false);
    e->extra[e->extras++] = (Argument){name, host};
    return (Expr){name, BIND_ATOM, false, false};
}

static Expr sized_literal(Emit *e, const GraphNode *n) {
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
    if (e->plan->eps_arg && x > 0 && x < 0.005) return argument(e, "eps", x, text);
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

static const char *helper_of(Emit *e, BoundOp op) {
    for (int i = 0; i < e->helpers; i++)
        if (e->helper[i].op == op) return e->helper[i].name;
    Expr v = {"v", BIND_ATOM, false, false};
    const char *text = fill(e, form_of(op, e->plan->form[op])->text, &v, 0);
    const char *name = emit_fresh(e, arena_printf(e->a, "_%s", bound_name(op)), false);
    e->helper[e->helpers].op = op;
    e->helper[e->helpers].name = name;
    e->helper[e->helpers++].text = text;
    return name;
}

static bool sum_of_exps(const Graph *g, int node) {
    const GraphNode *n = &g->node[node];
    return n->op == BOUND_SUM && g->node[n->in[0]].op == BOUND_EXP;
}

// x * (1 / d) for a d that is the same for the whole row, and never near the ends of the range.
static bool reciprocal(Emit *e, const GraphNode *n, Expr a, Expr *out) {
    const GraphNode *d = &e->g->node[n->in[1]];
    bool size = d->op == BOUND_LITERAL && d->sized && d->power == 1 && size_plain(d->size);
    if (!e->plan->reciprocal || n->op != BOUND_DIV || !(size || sum_of_exps(e->g, n->in[1]))) return false;
    Expr by;
    int key = -2 - n->in[1];
    for (Memo *m = e->memo; m; m = m->next)
        if (m->node == key) {
            by = m->x;
            goto found;
        }
    by = operand(e, n, 1, true, NULL);
    by = emit_bind(
        e,
        (Expr){arena_printf(e->a, "1.0 / %s", emit_wrap(e, by, BIND_SIGNED)), BIND_PRODUCT, false, by.rows},
        STR("inv"));
    emit_remember(e, key, NULL, by);
found:
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
        if (!called && mentions(form->text, (char)('a' + k)) > 1 &&
            !(in[k].bind == BIND_ATOM && is_name(in[k].s)))
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
    Expr x = from->op == BOUND_INPUT && from->uses == 1 ? load(e, from, size_is(from->cols, 1) ? NULL : p)
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
    Expr x = shifted(e, p->index, n->size, 1);
    return x;
}

static Expr compute(Emit *e, int node, Place *p) {
    const GraphNode *n = &e->g->node[node];
    switch (n->op) {
    case BOUND_INPUT: return load(e, n, p);
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
    case BOUND_PROD: return whole_reduction(e, node);
    case BOUND_CUMSUM: return scan(e, node, p);
    case BOUND_CAST: return convert(e, n, p);
    default: return elementwise(e, n, p);
    }
}

Expr emit_value(Emit *e, int node, Place *p) {
    const GraphNode *n = &e->g->node[node];
    if (size_is(n->cols, 1)) p = NULL;
    for (const Memo *m = e->memo; m; m = m->next)
        if (m->node == node && m->place == p) return m->x;
    Expr x = compute(e, node, p);
    if (n->op == BOUND_LITERAL || n->op == BOUND_EXPAND) return x;
    size_t most = e->style->width ? 80 : 56;
    bool moves = n->op == BOUND_SLICE || n->op == BOUND_SELECT || n->op == BOUND_ARANGE;
    if (!moves && (n->uses > 1 || n->op == BOUND_INPUT || strlen(x.s) > most))
        x = emit_bind(e, x, variable_name(e, n));
    emit_remember(e, node, p, x);
    return x;
}
