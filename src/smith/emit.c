// Names, sizes, loads, masks and reductions of a kernel: what value.c and kernel.c write it with.
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

// --- NameSet and lines -------------------------------------------------------------------------------

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

bool emit_is_name(const char *s) {
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_'))
            return false;
    return true;
}

Expr emit_bind(Emit *e, Expr x, Str wish) {
    if (x.bind == BIND_ATOM && emit_is_name(x.s)) return x;
    const char *name = emit_fresh(e, arena_printf(e->a, "%.*s", STR_ARG(wish)), x.tile && e->in_loop);
    line_add(home(e, x.tile, x.rows), 0, false, "%s = %s", name, x.s);
    x.s = name;
    x.bind = BIND_ATOM;
    return x;
}

const char *emit_wrap(Emit *e, Expr x, Bind at) {
    return x.bind < at ? arena_printf(e->a, "(%s)", x.s) : x.s;
}

bool emit_recall(const Emit *e, int node, const Place *p, Expr *out) {
    for (const Memo *m = e->memo; m; m = m->next) {
        if (m->node != node || m->place != p) continue;
        *out = m->x;
        return true;
    }
    return false;
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

// --- Sizes -------------------------------------------------------------------------------------------

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
Expr emit_shifted(Emit *e, Expr index, Size s, int sign) {
    if (size_is(s, 0)) return index;
    Expr by = emit_size(e, s);
    index.s = arena_printf(e->a, "%s %c %s", emit_wrap(e, index, BIND_SUM), sign > 0 ? '+' : '-',
                           emit_wrap(e, by, BIND_PRODUCT));
    index.bind = BIND_SUM;
    return index;
}

// --- Places ------------------------------------------------------------------------------------------

static bool texts_equal(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

Place *emit_place_at(Emit *e, Expr index, const char *mask, bool plain, Size width) {
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

static void note_width(Emit *e, Size width) {
    for (int i = 0; i < e->width_count; i++)
        if (size_equal(e->widths[i], width)) return;
    if (e->width_count < ARGUMENTS_MAX) e->widths[e->width_count++] = width;
}

Place *emit_place(Emit *e, Size width) {
    for (Place *p = e->places; p; p = p->next)
        if (p->plain && size_equal(p->width, width)) return p;
    Lines *to = e->in_loop ? &e->body : home(e, true, false);
    Expr w = emit_size(e, width);
    const char *wish = e->two_d ? e->style->col_mask : e->style->mask;
    const char *mask = emit_fresh(e, wish, e->in_loop);
    line_add(to, 0, false, "%s = %s < %s", mask, e->cols, w.s);
    note_width(e, width);
    return emit_place_at(e, (Expr){e->cols, BIND_ATOM, true, false}, mask, true, width);
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

// --- Loads -------------------------------------------------------------------------------------------

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

Expr emit_load(Emit *e, const GraphNode *n, Place *p) {
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

// --- Reductions --------------------------------------------------------------------------------------

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

Expr emit_whole_reduction(Emit *e, int node) {
    const GraphNode *n = &e->g->node[node];
    assert(!e->looped); // a looped schedule has computed it in its own pass
    Place *p = emit_place(e, e->g->node[n->in[0]].cols);
    Expr x = emit_masked(e, n->in[0], p, neutral_of(n->op));
    return emit_bind(e, (Expr){emit_reduce(e, n->op, x.s), BIND_ATOM, false, n->rows},
                     reduction_name(e, node));
}

Expr emit_scan(Emit *e, int node, Place *p) {
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
