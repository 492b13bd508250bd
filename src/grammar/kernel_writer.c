// Names, sizes, loads and masks of a kernel: what expression.c and kernel.c write it with.
#include "grammar/kernel_writer.h"
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
                       .part = "p",
                       .parts = "P",
                       .slots = "j",
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
                     .part = "part",
                     .parts = "parts",
                     .slots = "slots",
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
                       .part = "part_index",
                       .parts = "n_parts",
                       .slots = "part_offsets",
                       .pointer = {"", "_pointer"},
                       .stride = {"", "_row_stride"},
                       .kernel = {"fused_", ""},
                       .comments = true},
    [STYLE_CAPITAL] = {.row = "pid_m",
                       .rows = "rm",
                       .row_mask = "mask_m",
                       .cols = "rn",
                       .mask = "mask_n",
                       .col_mask = "mask_n",
                       .start = "k",
                       .acc = "_acc",
                       .most = "m_i",
                       .sum = "l_i",
                       .carry = "c",
                       .temp = "a",
                       .mean = "mu",
                       .n = "N_COLS",
                       .m = "M_ROWS",
                       .block = "BLOCK_N",
                       .rows_block = "BLOCK_M",
                       .out = "Out",
                       .part = "pid_n",
                       .parts = "NUM_PARTS",
                       .slots = "rp",
                       .pointer = {"P_", ""},
                       .stride = {"stride_", "m"},
                       .kernel = {"_", "_fwd"},
                       .run_first = true},
    [STYLE_TYPED] = {.row = "row_id",
                     .rows = "row_ids",
                     .row_mask = "in_rows",
                     .cols = "offs",
                     .mask = "in_row",
                     .col_mask = "in_cols",
                     .start = "base",
                     .acc = "lanes",
                     .most = "biggest",
                     .sum = "denom",
                     .carry = "so_far",
                     .temp = "tmp",
                     .mean = "avg",
                     .n = "hidden",
                     .m = "tokens",
                     .block = "BLOCK_COLS",
                     .rows_block = "BLOCK_ROWS",
                     .out = "result",
                     .part = "chunk",
                     .parts = "chunks",
                     .slots = "chunk_ids",
                     .pointer = {"ptr_", ""},
                     .stride = {"", "_stride_0"},
                     .kernel = {"triton_", ""},
                     .doc = true,
                     .typed = true},
    [STYLE_NARROW] = {.row = "row",
                      .rows = "row",
                      .row_mask = "live",
                      .cols = "cols",
                      .mask = "mask",
                      .col_mask = "mask",
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
                      .part = "part",
                      .parts = "parts",
                      .slots = "slots",
                      .pointer = {"", "_ptr"},
                      .stride = {"", "_step"},
                      .kernel = {"kernel", ""},
                      .anonymous = true},
};

bool emit_flaw(Emit *e, Flaw f) {
    if (e->plan->flaw != f) return false;
    e->flawed++;
    return true;
}

// Zeros and infinities, in the ways people write them.
const char *emit_number(Emit *e, double x) {
    if (x == 0 && e->plan->zero) return e->plan->zero == 1 ? "0" : "0.";
    if (x == -HUGE_VAL && e->plan->zero == 1) return "-float('inf')";
    if (x == -HUGE_VAL && e->plan->zero == 2) return "float('-inf')";
    return float_text(e->a, x);
}

// --- NameSet and lines -------------------------------------------------------------------------------

const char *emit_fresh(Emit *e, const char *wish, bool inner) {
    return inner ? nameset_fresh(&e->name.inner, &e->name.all, str_of(wish))
                 : nameset_fresh(&e->name.all, &e->name.inner, str_of(wish));
}

const char *emit_affixed(Emit *e, const char *const affix[2], Str name) {
    return emit_fresh(e, arena_printf(e->a, "%s%.*s%s", affix[0], STR_ARG(name), affix[1]), false);
}

// Where a value is computed: as far out as what it depends on allows.
static Lines *home(Emit *e, bool tile, bool rows) {
    if (e->plan->schedule == SCHEDULE_PERSISTENT && !rows) return &e->lines.fixed;
    return tile && e->state.in_loop ? &e->lines.body : &e->lines.top;
}

bool emit_is_name(const char *s) {
    while (char_is_word(*s)) s++;
    return !*s;
}

Expr emit_bind(Emit *e, Expr x, Str wish) {
    if (x.bind == BIND_ATOM && emit_is_name(x.s)) return x;
    const char *name = emit_fresh(e, arena_printf(e->a, "%.*s", STR_ARG(wish)), x.tile && e->state.in_loop);
    line_add(home(e, x.tile, x.rows), 0, false, "%s = %s", name, x.s);
    x.s = name;
    x.bind = BIND_ATOM;
    return x;
}

const char *emit_wrap(Emit *e, Expr x, Bind at) {
    return x.bind < at ? arena_printf(e->a, "(%s)", x.s) : x.s;
}

bool emit_recall(const Emit *e, int node, const Place *p, Expr *out) {
    for (const Memo *m = e->known.memo; m; m = m->next) {
        if (m->node != node || m->place != p) continue;
        *out = m->x;
        return true;
    }
    return false;
}

void emit_remember(Emit *e, int node, const Place *p, Expr x) {
    Memo *m = NEW(e->a, Memo);
    *m = (Memo){.next = e->known.memo, .node = node, .place = p, .x = x};
    e->known.memo = m;
    // A value without columns, or one made outside the loop, outlives it.
    if (!e->state.in_loop || x.tile) return;
    Memo *kept = NEW(e->a, Memo);
    *kept = *m;
    kept->next = e->known.outside;
    e->known.outside = kept;
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
        e->takes.m = true;
    else
        e->takes.n = true;
    const char *x = s.of == SIZE_ROWS ? e->name.m : e->name.n;
    if (size_plain(s)) return (Expr){x, BIND_ATOM, false, false};
    for (struct SizeName *k = e->known.sizes; k; k = k->next)
        if (size_equal(k->size, s)) return (Expr){k->name, BIND_ATOM, false, false};
    struct SizeName *k = NEW(e->a, struct SizeName);
    bool half = s.p == 1 && s.q == 2 && s.r == 0;
    *k = (struct SizeName){.next = e->known.sizes, .size = s};
    k->name =
        emit_bind(e, (Expr){formula(e->a, s, x), BIND_ANY, false, false}, str_of(half ? "half" : "width")).s;
    e->known.sizes = k;
    return (Expr){k->name, BIND_ATOM, false, false};
}

const char *host_size(Emit *e, Size s) {
    if (s.of == SIZE_CONST) return arena_printf(e->a, "%lld", (long long)s.r);
    return formula(e->a, s, s.of == SIZE_ROWS ? e->host->m : e->host->n);
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
    for (Place *p = e->known.places; p; p = p->next)
        if (strcmp(p->key, index.s) == 0 && texts_equal(p->mask, mask) && p->plain == plain) return p;
    Place *p = NEW(e->a, Place);
    *p = (Place){.key = index.s,
                 .index = emit_bind(e, index, STR("src")),
                 .mask = mask,
                 .plain = plain,
                 .tile = e->state.tile,
                 .width = width};
    p->next = e->known.places;
    e->known.places = p;
    return p;
}

static void note_width(Emit *e, Size width) {
    for (int i = 0; i < e->known.widths; i++)
        if (size_equal(e->known.width[i], width)) return;
    if (e->known.widths < ARGUMENTS_MAX) e->known.width[e->known.widths++] = width;
}

Place *emit_place(Emit *e, Size width) {
    for (Place *p = e->known.places; p; p = p->next)
        if (p->plain && p->tile == e->state.tile && size_equal(p->width, width)) return p;
    if (e->state.flat)
        return emit_place_at(e, (Expr){e->name.cols, BIND_ATOM, true, true}, e->name.row_mask, true, width);
    Lines *to = e->state.in_loop ? &e->lines.body : home(e, true, false);
    Expr w = emit_size(e, width);
    const char *wish = e->state.two_d ? e->style->col_mask : e->style->mask;
    const char *mask = arena_printf(e->a, "%s < %s", e->name.cols, w.s);
    if (emit_flaw(e, FLAW_off_by_one)) mask = arena_printf(e->a, "%s < %s - 1", e->name.cols, w.s);
    if (e->state.two_d || !e->plan->inline_mask) {
        const char *name = emit_fresh(e, wish, e->state.in_loop);
        line_add(to, 0, false, "%s = %s", name, mask);
        mask = name;
    }
    note_width(e, width);
    return emit_place_at(e, (Expr){e->name.cols, BIND_ATOM, true, false}, mask, true, width);
}

const char *emit_both(Emit *e, Place *p) {
    if (!p) return e->name.row_mask;
    if (!e->state.two_d) return p->mask ? p->mask : e->name.row_mask;
    if (!p->mask) return e->name.row_mask;
    if (p->both) return p->both;
    for (Place *o = e->known.places; o && !p->both; o = o->next)
        if (o->both && texts_equal(o->mask, p->mask) && o->index.tile == p->index.tile) p->both = o->both;
    if (p->both) return p->both;
    Expr x = {arena_printf(e->a, "%s & %s", e->name.row_mask, p->mask), BIND_BITS, p->index.tile, true};
    p->both = emit_bind(e, x, str_of(e->style->mask)).s;
    return p->both;
}

// --- Loads -------------------------------------------------------------------------------------------

static Size input_width(const Graph *g, int input) {
    const OpInput *in = &g->op->input[input];
    if (in->rank < 2) return size_const(1);
    int last = in->dim[in->rank - 1];
    for (int i = 0; i < g->nodes && last >= 0; i++)
        if (g->node[i].op == BOUND_INPUT && g->node[i].input == input) return g->node[i].cols;
    return size_const(1);
}

const char *emit_row_part(Emit *e, int input) {
    Size width = input_width(e->g, input);
    if (!size_is(width, 1) && emit_flaw(e, FLAW_contiguous)) {
        e->takes.row = true;
        return arena_printf(e->a, "%s * %s", e->name.row, emit_size(e, width).s);
    }
    if (!e->name.input[input].stride) {
        Str name = e->g->op->input[input].name;
        e->name.input[input].stride = emit_affixed(e, e->style->stride, name);
    }
    e->takes.row = true;
    return arena_printf(e->a, "%s * %s", e->name.row, e->name.input[input].stride);
}

static const char *input_pointer(Emit *e, int input, bool rows) {
    Str name = e->g->op->input[input].name;
    if (!e->name.input[input].param) e->name.input[input].param = emit_affixed(e, e->style->pointer, name);
    if (!rows) return e->name.input[input].param;
    const char *sum = arena_printf(e->a, "%s + %s", e->name.input[input].param, emit_row_part(e, input));
    if (!e->plan->bases) return sum;
    if (!e->name.input[input].base)
        e->name.input[input].base = emit_bind(e, (Expr){sum, BIND_SUM, false, true},
                                              str_of(arena_printf(e->a, "%.*s_row", STR_ARG(name))))
                                        .s;
    return e->name.input[input].base;
}

// Rows are read again by the next pass and then never again; what rows share is worth keeping.
static void put_hint(Emit *e, Buf *b, const GraphNode *n, Expr x) {
    bool again = (e->state.looped || e->state.split) && !e->state.last_pass;
    if (!x.tile || !e->plan->hints) return;
    if (e->plan->hints == 3)
        buf_printf(b, ", cache_modifier='%s'", n->rows && !again ? ".cg" : ".ca");
    else if (n->rows)
        buf_printf(b, ", eviction_policy='%s'", again ? "evict_last" : "evict_first");
    else if (e->plan->hints == 2)
        buf_puts(b, ", eviction_policy='evict_last'");
}

// Whether some arithmetic would run in the storage type without the conversion behind the loads: operands of
// float32 draw the others with them, and so does the largest of a row, which is never narrower; a quotient is
// never narrower either.
static bool narrow_arithmetic(const Graph *g) {
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *n = &g->node[i];
        bool moves = n->op == BOUND_EXPAND || n->op == BOUND_SLICE || n->op == BOUND_SELECT ||
                     n->op == BOUND_GATHER || n->op == BOUND_CAT || n->op == BOUND_CAST;
        bool exact = n->op == BOUND_NEG || n->op == BOUND_ABS || n->op == BOUND_RELU || n->op == BOUND_DIV ||
                     n->op == BOUND_RECIPROCAL || n->kind != VALUE_FLOAT;
        int narrow = 0, wide = 0;
        for (int k = 0; k < n->inputs; k++) {
            const GraphNode *x = &g->node[n->in[k]];
            bool tile = x->op == BOUND_INPUT && !size_is(x->cols, 1) && g->op->input[x->input].any_float;
            narrow += tile;
            wide += !tile && (x->op != BOUND_LITERAL || x->sized);
        }
        if (narrow && !wide && !moves && !exact && !graph_is_reduction(n->op)) return true;
    }
    return false;
}

Expr emit_load(Emit *e, const GraphNode *n, Place *p) {
    Expr x = {.bind = BIND_ATOM, .rows = n->rows || (p && p->index.rows), .tile = p && p->index.tile};
    Buf b = BUF(e->a);
    bool straight = e->state.gapless && n->rows && p && p->plain && size_equal(n->cols, e->g->out_cols);
    buf_printf(&b, "tl.load(%s", input_pointer(e, n->input, n->rows && !straight));
    if (p) buf_printf(&b, " + %s", straight ? e->name.index : emit_wrap(e, p->index, BIND_PRODUCT));
    const char *mask = n->rows ? emit_both(e, p) : p ? p->mask : NULL;
    if (!mask && e->state.flat && x.rows) mask = e->name.row_mask;
    if (mask && p && !p->index.tile && e->state.two_d && !n->rows) mask = emit_both(e, p);
    if (mask && x.tile && emit_flaw(e, FLAW_load_mask)) mask = NULL;
    if (mask) {
        double other = n->kind == VALUE_FLOAT && x.tile ? e->state.padding : 0;
        if (x.tile && e->plan->flaw == FLAW_other_value) other = 1;
        buf_printf(&b, ", mask=%s, other=%s", mask,
                   n->kind == VALUE_FLOAT ? emit_number(e, other)
                   : other != 0           ? "1"
                                          : "0");
    }
    put_hint(e, &b, n, x);
    buf_puts(&b, ")");
    bool bare = n->kind == VALUE_FLOAT && x.tile && e->plan->flaw == FLAW_missing_cast &&
                narrow_arithmetic(e->g) && emit_flaw(e, FLAW_missing_cast);
    if (n->kind == VALUE_FLOAT && !bare) buf_puts(&b, ".to(tl.float32)");
    x.s = buf_cstr(&b);
    return x;
}
