// One kernel from a graph and a plan: the passes of its schedule.
#include "grammar/kernel_writer.h"
#include <assert.h>
#include <math.h>

static const char *columns_text(Emit *e, const char *from) {
    const char *lanes =
        arena_printf(e->a, e->state.two_d ? "tl.arange(0, %s)[None, :]" : "tl.arange(0, %s)", e->name.block);
    return from ? arena_printf(e->a, "%s + %s", from, lanes) : lanes;
}

void kernel_comment(Emit *e, Lines *to, const char *text) {
    if (e->style->comments) line_add(to, 0, true, "# %s", text);
}

// --- Storing -----------------------------------------------------------------------------------------

static const char *stored(Emit *e, Expr x) {
    if (!e->plan->store_cast || e->g->node[e->g->result].kind != VALUE_FLOAT || !(x.tile || x.rows))
        return x.s;
    return arena_printf(e->a, "%s.to(%s.dtype.element_ty)", emit_wrap(e, x, BIND_ATOM), e->name.out);
}

void kernel_store(Emit *e, Lines *to, Place *p) {
    Expr x = emit_value(e, e->g->result, p);
    Buf b = BUF(e->a);
    e->takes.out = true;
    buf_printf(&b, "tl.store(%s", e->name.out);
    if (e->state.gapless) {
        buf_printf(&b, " + %s", e->name.index);
    } else {
        if (e->g->has_rows) e->takes.row = true;
        if (e->g->has_rows && p) e->takes.out_stride = true;
        if (e->g->has_rows) buf_printf(&b, p ? " + %s * %s" : " + %s", e->name.row, e->name.out_stride);
        if (p) buf_printf(&b, " + %s", p->index.s);
    }
    buf_printf(&b, ", %s", stored(e, x));
    const char *mask = e->g->has_rows || !p ? emit_both(e, p) : p->mask;
    if (mask && emit_flaw(e, FLAW_store_mask)) mask = NULL;
    if (mask) buf_printf(&b, ", mask=%s", mask);
    if (e->plan->hints == 2) buf_puts(&b, ", eviction_policy='evict_first'");
    if (e->plan->hints == 4) buf_puts(&b, ", cache_modifier='.cs'");
    line_add(to, 0, false, "%s)", buf_cstr(&b));
}

// --- Loops over the columns --------------------------------------------------------------------------

static Place *loop_open(Emit *e, Size width) {
    e->state.in_loop = true;
    e->name.inner = (NameSet){.arena = e->a};
    e->lines.body = e->lines.after = (Lines){.arena = e->a};
    e->known.outside = e->known.memo;
    e->name.cols = emit_fresh(e, e->style->cols, true);
    return emit_place(e, width);
}

static void loop_close(Emit *e, Size width) {
    const char *start = emit_fresh(e, e->style->start, true);
    Expr w = emit_size(e, width);
    if (emit_flaw(e, FLAW_last_block))
        w.s = arena_printf(e->a, "%s // %s * %s", w.s, e->name.block, e->name.block);
    line_add(&e->lines.top, 0, true, "for %s in range(0, %s, %s):", start, w.s, e->name.block);
    line_add(&e->lines.top, 1, false, "%s = %s", e->name.cols, columns_text(e, start));
    lines_append(&e->lines.top, &e->lines.body, 1);
    lines_append(&e->lines.top, &e->lines.after, 0);
    e->state.in_loop = false;
    e->known.memo = e->known.outside;
    Place *kept = NULL;
    for (Place *p = e->known.places, *next; p; p = next) {
        next = p->next;
        if (p->index.tile) continue;
        p->next = kept;
        kept = p;
    }
    e->known.places = kept;
    e->name.inner = (NameSet){.arena = e->a};
}

typedef struct {
    int node;
    const char *name; // accumulator
    bool done;        // the accumulator is the value
} Running;

// One accumulator a lane, summed up after the loop; or one a row, fed with the block's own reduction.
static void accumulate(Emit *e, Running *r, Place *p) {
    const GraphNode *n = &e->g->node[r->node];
    Expr x = emit_masked(e, n->in[0], p, reduction_neutral(n->op));
    const char *wish = emit_reduction_name(e, r->node).p;
    r->done = e->plan->scalars;
    r->name = emit_fresh(e, r->done ? wish : e->style->acc, false);
    if (r->done) {
        open_scalar(e, r->name, reduction_start(n->op));
        x.s = emit_reduce(e, n->op, x.s);
        x.bind = BIND_ATOM;
    } else {
        const char *shape = arena_printf(e->a, e->state.two_d ? "%s, %s" : "%s%s",
                                         e->state.two_d ? e->name.rows_block : "", e->name.block);
        if (n->op == BOUND_SUM)
            line_add(&e->lines.top, 0, false, "%s = tl.zeros([%s], dtype=tl.float32)", r->name, shape);
        else
            line_add(&e->lines.top, 0, false, "%s = tl.full([%s], %s, dtype=tl.float32)", r->name, shape,
                     reduction_start(n->op));
    }
    if (n->op == BOUND_SUM)
        line_add(&e->lines.body, 0, false, emit_flaw(e, FLAW_carry_dropped) ? "%s = %s" : "%s += %s", r->name,
                 x.s);
    else
        line_add(&e->lines.body, 0, false, "%s = %s", r->name, emit_combined(e, n->op, r->name, x.s));
}

static void finish(Emit *e, const Running *r) {
    const GraphNode *n = &e->g->node[r->node];
    Expr x = {r->name, BIND_ATOM, false, n->rows};
    if (!r->done) {
        x.s = emit_fresh(e, emit_reduction_name(e, r->node).p, false);
        line_add(&e->lines.top, 0, false, "%s = %s", x.s, emit_reduce(e, n->op, r->name));
    }
    emit_remember(e, r->node, NULL, x);
}

static bool has_partner(const Emit *e, const int *of, int first, int *second) {
    for (int i = 0; i < e->g->nodes; i++)
        if (of[i] == first) {
            *second = i;
            return true;
        }
    return false;
}

// Reductions that wait for nothing but earlier passes, over the same columns: one loop.
static void pass(Emit *e, int level, Size width) {
    Running running[GRAPH_NODES_MAX];
    int count = 0, most[ONLINE_MAX], pairs = 0, mean[ONLINE_MAX], means = 0;
    Place *p = loop_open(e, width);
    for (int i = 0; i < e->g->nodes; i++) {
        const GraphNode *n = &e->g->node[i];
        int other;
        if (!graph_is_reduction(n->op) || e->levels->level[i] != level ||
            !size_equal(e->g->node[n->in[0]].cols, width))
            continue;
        if (e->levels->merged[i] >= 0 || e->levels->weighed[i] >= 0 || e->levels->spread[i] >= 0)
            continue; // found with another
        if (has_partner(e, e->levels->merged, i, &other))
            most[pairs++] = i;
        else if (online_is_mean(e, i))
            mean[means++] = i;
        else {
            running[count].node = i;
            accumulate(e, &running[count++], p);
        }
    }
    online_pairs(e, most, pairs, p);
    online_moments(e, mean, means, p);
    loop_close(e, width);
    for (int i = 0; i < count; i++) finish(e, &running[i]);
}

static bool width_seen(const Emit *e, int level, int before, Size width) {
    for (int i = 0; i < before; i++)
        if (graph_is_reduction(e->g->node[i].op) && e->levels->level[i] == level &&
            size_equal(e->g->node[e->g->node[i].in[0]].cols, width))
            return true;
    return false;
}

static void looped(Emit *e, int passes) {
    for (int level = 1; level <= passes; level++) {
        for (int i = 0; i < e->g->nodes; i++) {
            const GraphNode *n = &e->g->node[i];
            if (!graph_is_reduction(n->op) || e->levels->level[i] != level) continue;
            Size width = e->g->node[n->in[0]].cols;
            if (width_seen(e, level, i, width)) continue;
            kernel_comment(e, &e->lines.top,
                           arena_printf(e->a, "Pass %d of %d over the row.", level,
                                        passes + !size_is(e->g->out_cols, 1)));
            pass(e, level, width);
        }
    }
    if (size_is(e->g->out_cols, 1)) {
        kernel_store(e, &e->lines.top, NULL);
        return;
    }
    if (passes) kernel_comment(e, &e->lines.top, "The row's numbers are known: write it.");
    e->state.last_pass = true;
    Place *p = loop_open(e, e->g->out_cols);
    kernel_store(e, &e->lines.body, p);
    loop_close(e, e->g->out_cols);
}

// --- Whole rows --------------------------------------------------------------------------------------

// Loads are padded with -inf where that spares the largest its `where`.
static bool wants_low_padding(const Emit *e) {
    if (!e->plan->trust_pad || e->state.looped) return false;
    for (int i = 0; i < e->g->nodes; i++)
        if (e->g->node[i].op == BOUND_AMAX && e->g->node[e->g->node[i].in[0]].op == BOUND_INPUT) return true;
    return false;
}

// Whether the tile itself is used, not only a part of it or other columns.
static bool used_in_place(const Graph *g, int node) {
    for (int i = 0; i < g->nodes; i++) {
        const GraphNode *n = &g->node[i];
        bool moves = n->op == BOUND_SLICE || n->op == BOUND_SELECT || n->op == BOUND_GATHER ||
                     n->op == BOUND_CAT || n->op == BOUND_EXPAND;
        for (int k = 0; k < n->inputs && !moves; k++)
            if (n->in[k] == node) return true;
    }
    return false;
}

// A load behind a reduction waits for it, although it needs nothing of it.
static void load_all(Emit *e) {
    Place *p = emit_place(e, e->g->out_cols);
    for (int i = 0; i < e->g->nodes; i++) {
        const GraphNode *n = &e->g->node[i];
        if (n->op == BOUND_INPUT && size_equal(n->cols, e->g->out_cols) && used_in_place(e->g, i))
            (void)emit_value(e, i, p);
    }
}

// All of a row's tiles are loaded before the first is stored: a load behind a store would wait for it.
static void whole(Emit *e) {
    e->state.padding = wants_low_padding(e) ? -HUGE_VAL : 0;
    bool row_result = size_is(e->g->out_cols, 1);
    for (int i = 0; i < e->state.tiles && e->plan->early && !row_result; i++) {
        emit_tile(e, i);
        load_all(e);
    }
    for (int i = 0; i < e->state.tiles && e->state.tiles > 1 && !row_result; i++) {
        emit_tile(e, i);
        (void)emit_value(e, e->g->result, emit_place(e, e->g->out_cols));
    }
    for (int i = 0; i < (row_result ? 1 : e->state.tiles); i++) {
        emit_tile(e, i);
        kernel_store(e, &e->lines.top, row_result ? NULL : emit_place(e, e->g->out_cols));
    }
    emit_tile(e, 0);
}

// --- Putting it together -----------------------------------------------------------------------------

static void name_all(Emit *e, const char *suffix) {
    const Style *s = e->style;
    const char *const tail[] = {s->kernel[0], arena_printf(e->a, "%s%s", suffix, s->kernel[1])};
    const Str name = s->anonymous ? STR("") : e->g->op->name;
    e->name.kernel = nameset_fresh(&e->host->names, NULL,
                                   str_of(arena_printf(e->a, "%s%.*s%s", tail[0], STR_ARG(name), tail[1])));
    nameset_add(&e->name.all, e->name.kernel);
    e->name.n = emit_fresh(e, s->n, false);
    e->name.m = emit_fresh(e, s->m, false);
    e->name.row = emit_fresh(e, e->state.two_d ? s->rows : s->row, false);
    e->name.row_mask =
        e->state.two_d || e->state.flat ? emit_fresh(e, e->state.two_d ? s->row_mask : s->mask, false) : NULL;
    e->name.out = emit_affixed(e, s->pointer, str_of(s->out));
    e->name.out_stride = emit_affixed(e, s->stride, str_of(s->out));
    for (int i = 0; i < e->state.tiles && e->state.tiles > 1; i++)
        e->name.tile_block[i] = emit_fresh(e, arena_printf(e->a, "%s_%c", s->block, 'A' + i), false);
    e->name.block = e->state.tiles > 1 ? e->name.tile_block[0] : emit_fresh(e, s->block, false);
    e->name.rows_block = e->state.two_d ? emit_fresh(e, s->rows_block, false) : NULL;
    if (e->state.flat) e->name.index = emit_fresh(e, "index", false);
    if (!e->state.split) return;
    e->name.part = emit_fresh(e, s->part, false);
    e->name.parts = emit_fresh(e, s->parts, false);
    e->name.parts_block = emit_fresh(e, "PARTS", false);
    e->name.slots = emit_fresh(e, s->slots, false);
    e->name.cols = emit_fresh(e, s->cols, false);
}

Emit *kernel_open(KernelFile *f, const char *suffix) {
    Arena *a = f->a;
    const Plan *p = f->plan;
    Schedule s = p->schedule;
    Emit *e = NEW(a, Emit);
    *e = (Emit){.a = a,
                .g = f->g,
                .plan = p,
                .levels = &f->levels,
                .style = &styles[p->style],
                .host = f->host,
                .lines = {.fixed.arena = a, .top.arena = a, .body.arena = a, .after.arena = a},
                .name = {.all.arena = a, .inner.arena = a}};
    e->state.two_d = s == SCHEDULE_ROWS || s == SCHEDULE_ROWS_LOOPED;
    e->state.looped = s == SCHEDULE_LOOPED || s == SCHEDULE_ONLINE || s == SCHEDULE_ROWS_LOOPED;
    e->state.split = s == SCHEDULE_SPLIT;
    e->state.flat = s == SCHEDULE_FLAT;
    e->state.tiles = s == SCHEDULE_TWO_TILES ? 2 : 1;
    name_all(e, suffix);
    return e;
}

static const char *pid(Emit *e, Lines *to, const char *text) {
    if (!e->plan->pid) return text;
    const char *name = emit_fresh(e, "pid", false);
    line_add(to, 0, false, "%s = %s", name, text);
    return name;
}

// Of a row of the result, in a kernel over all elements.
static const char *flat_width(Emit *e) {
    Size cols = e->g->out_cols;
    if (size_plain(cols)) return e->takes.n = true, e->name.n;
    const char *width = emit_fresh(e, "width", false);
    e->takes.extra[e->takes.extras++] = (Argument){width, host_size(e, cols)};
    return width;
}

// The lines before everything else: which row, which columns.
static void preamble(Emit *e, Lines *to, bool uses_columns) {
    const char *zero = e->plan->axis == 1 ? "axis=0" : "0",
               *first = arena_printf(e->a, "tl.program_id(%s)", zero);
    Schedule s = e->plan->schedule;
    if (e->state.flat) {
        const char *index = e->name.index, *all = emit_fresh(e, "n_elements", false);
        bool rows = lines_mention(&e->lines.top, e->name.row),
             cols = lines_mention(&e->lines.top, e->name.cols);
        e->takes.extra[e->takes.extras++] = (Argument){all, file_elements(e)};
        line_add(to, 0, false, "%s = %s.to(tl.int64) * %s + tl.arange(0, %s)", index, pid(e, to, first),
                 e->name.block, e->name.block);
        line_add(to, 0, false, "%s = %s < %s%s", e->name.row_mask, index, all,
                 emit_flaw(e, FLAW_off_by_one) ? " - 1" : "");
        if (!rows && !cols) return;
        const char *width = flat_width(e);
        if (rows) line_add(to, 0, false, "%s = %s // %s", e->name.row, index, width);
        if (cols) line_add(to, 0, false, "%s = %s %% %s", e->name.cols, index, width);
        return;
    }
    if (e->state.two_d) {
        line_add(to, 0, false, "%s = %s * %s + tl.arange(0, %s)[:, None]", e->name.row, pid(e, to, first),
                 e->name.rows_block, e->name.rows_block);
        line_add(to, 0, false, "%s = %s < %s%s", e->name.row_mask, e->name.row, e->name.m,
                 emit_flaw(e, FLAW_last_row) ? " - 1" : "");
        line_add(to, 0, false, "%s = %s.to(tl.int64)", e->name.row, e->name.row);
        e->takes.m = true;
    } else if (e->takes.row && s != SCHEDULE_PERSISTENT) {
        line_add(to, 0, false, "%s = %s.to(tl.int64)", e->name.row, pid(e, to, first));
    }
    if (!uses_columns || e->state.looped) return;
    const char *from = s == SCHEDULE_GRID ? arena_printf(e->a, "tl.program_id(1) * %s", e->name.block) : NULL;
    for (int i = 0; i < e->state.tiles; i++) {
        emit_tile(e, i);
        line_add(to, 0, false, "%s = %s", e->name.cols, columns_text(e, i ? e->name.tile_block[0] : from));
        if (e->plan->aligned && !e->state.two_d)
            line_add(to, 0, false, "%s = tl.max_contiguous(tl.multiple_of(%s, %s), %s)", e->name.cols,
                     e->name.cols, e->name.block, e->name.block);
    }
    emit_tile(e, 0);
}

static const char *about(const Emit *e) {
    switch (e->plan->schedule) {
    case SCHEDULE_WHOLE: return "One program per row; the row stays in registers.";
    case SCHEDULE_TWO_TILES: return "One program per row; the row stays in registers, as two tiles.";
    case SCHEDULE_LOOPED: return "One program per row; the row is walked block by block.";
    case SCHEDULE_ONLINE:
        return "One program per row; one pass finds what depends on what it has seen so far.";
    case SCHEDULE_ROWS: return "Several whole rows per program, as one 2D tile.";
    case SCHEDULE_ROWS_LOOPED: return "Several rows per program, walked block by block together.";
    case SCHEDULE_FLAT: return "One program per block of all elements: nothing crosses columns.";
    case SCHEDULE_GRID: return "One program per block of a row: nothing crosses columns.";
    case SCHEDULE_PERSISTENT:
        return "A few programs share all rows; what rows have in common is loaded once.";
    default: return "";
    }
}

static void persist(Emit *e, Lines *all) {
    const char *i = emit_fresh(e, "i", false);
    e->takes.m = true;
    lines_append(all, &e->lines.fixed, 0);
    line_add(all, 0, true, "for %s in range(tl.program_id(0), %s%s, tl.num_programs(0)):", i, e->name.m,
             emit_flaw(e, FLAW_last_row) ? " - 1" : "");
    if (e->takes.row) line_add(all, 1, false, "%s = %s.to(tl.int64)", e->name.row, i);
    lines_append(all, &e->lines.top, 1);
}

// Text of one kernel that covers whole rows. `gapless`: for inputs without gaps; its name says so.
static Emit *single(KernelFile *f, bool gapless, Lines *all) {
    const char *tiles = f->plan->schedule == SCHEDULE_TWO_TILES ? "_two_tiles" : "";
    Emit *e = kernel_open(f, gapless ? "_gapless" : tiles);
    bool uses_columns = !size_is(f->g->out_cols, 1) || f->passes > 0;
    e->state.gapless = gapless;
    if (!e->state.looped) e->name.cols = emit_fresh(e, e->style->cols, false);
    e->name.tile_cols[0] = e->name.cols;
    if (e->state.tiles > 1)
        e->name.tile_cols[1] = emit_fresh(e, arena_printf(e->a, "%s_b", e->style->cols), false);
    if (e->state.looped)
        looped(e, f->passes);
    else
        whole(e);
    if (!uses_columns) e->name.block = NULL;
    *all = (Lines){.arena = f->a};
    kernel_comment(e, all,
                   gapless ? "One program per block of all elements; rows lie end to end." : about(e));
    preamble(e, all, uses_columns);
    if (f->plan->schedule == SCHEDULE_PERSISTENT)
        persist(e, all);
    else
        lines_append(all, &e->lines.top, 0);
    return e;
}

// --- Variants ----------------------------------------------------------------------------------------

// What the host asks of the inputs before it takes the kernel for inputs without gaps; NULL: nothing there
// has rows and columns.
static const char *no_gaps(KernelFile *f) {
    const char *all = NULL;
    for (int i = 0; i < f->g->op->inputs; i++)
        if (f->g->op->input[i].rank >= 2)
            all = arena_printf(f->a, "%s%s%s.is_contiguous()", all ? all : "", all ? " and " : "",
                               f->host->input[i]);
    return all;
}

// What the host asks of the sizes before it takes a row of a table; NULL: nothing.
static const char *class_condition(Arena *a, const Host *h, ShapeClass c) {
    switch (c) {
    case SHAPES_FEW_LONG:
        return arena_printf(a, "%s < %d and %s > %d", h->m, TABLE_FEW_ROWS, h->n, TABLE_LONG_ROW);
    case SHAPES_FEW: return arena_printf(a, "%s < %d", h->m, TABLE_SOME_ROWS);
    case SHAPES_SHORT: return arena_printf(a, "%s < %d", h->n, TABLE_SHORT_ROW);
    default: return NULL;
    }
}

// The kernels of one plan, and when they are called; returns how many variants that makes.
static int write_plan(Arena *a, const Graph *g, const Plan *p, Host *host, Variant out[PLAN_VARIANTS_MAX]) {
    KernelFile *f = NEWN(a, KernelFile, PLAN_VARIANTS_MAX);
    Plan *plan = NEWN(a, Plan, PLAN_VARIANTS_MAX);
    for (int i = 0; i < PLAN_VARIANTS_MAX; i++) {
        plan[i] = *p;
        out[i] = (Variant){.kernels = 1};
    }
    int last = 0;
    if (p->schedule == SCHEDULE_FILLED) plan[0].schedule = SCHEDULE_SPLIT;
    if (p->schedule == SCHEDULE_FILLED || p->schedule == SCHEDULE_TWO_TILES) {
        plan[1].schedule = SCHEDULE_WHOLE;
        last = 1;
    }
    file_open(a, plan_graph(g, &plan[0]), &plan[0], host, &f[0]);
    if (p->schedule == SCHEDULE_FILLED)
        out[0].when = arena_printf(a, "%s < %d and %s > %d", host->m, PLAN_FEW_ROWS, host->n, PLAN_LONG_ROW);
    if (p->gapless && (out[0].when = no_gaps(&f[0]))) {
        out[0].kernel[0] = single(&f[0], true, &out[0].body[0]);
        last = 1;
    }
    if (p->schedule == SCHEDULE_TWO_TILES) {
        out[0].kernel[0] = single(&f[0], false, &out[0].body[0]);
        out[0].when = file_rest_is_smaller(out[0].kernel[0]);
    }
    if (last) file_open(a, plan_graph(g, &plan[1]), &plan[1], host, &f[1]);
    if (plan[0].schedule == SCHEDULE_SPLIT) out[0].kernels = split_kernels(&f[0], out[0].kernel, out[0].body);
    if (plan[last].schedule != SCHEDULE_SPLIT)
        out[last].kernel[0] = single(&f[last], false, &out[last].body[0]);
    return last + 1;
}

Str kernel_emit(Arena *a, const Graph *g, const Plan *p, int *flawed) {
    Variant variant[PLAN_VARIANTS_MAX];
    Host *host = file_host(a, plan_graph(g, p), p);
    return file_print(a, variant, write_plan(a, g, p, host, variant), flawed);
}

bool shape_class_has(ShapeClass c, int64_t rows, int64_t row) {
    switch (c) {
    case SHAPES_FEW_LONG: return rows < TABLE_FEW_ROWS && row > TABLE_LONG_ROW;
    case SHAPES_FEW: return rows < TABLE_SOME_ROWS;
    case SHAPES_SHORT: return row < TABLE_SHORT_ROW;
    default: return true;
    }
}

// A flat plan of a table is for inputs without gaps; those with gaps have one kernel in all, before the rows.
static int write_flat(Arena *a, const Graph *g, const Plan *p, Host *host, bool gapless, Variant *out) {
    KernelFile *f = NEW(a, KernelFile);
    Plan *plan = NEW(a, Plan);
    *plan = *p;
    *out = (Variant){.kernels = 1};
    file_open(a, plan_graph(g, plan), plan, host, f);
    out->kernel[0] = single(f, gapless, &out->body[0]);
    const char *all = no_gaps(f);
    out->when = gapless ? NULL : arena_printf(a, strstr(all, " and ") ? "not (%s)" : "not %s", all);
    return 1;
}

// Variants of a row of a table are for its class alone; of two the first has a condition of its own.
static void set_class(Arena *a, Variant *v, int n, const char *class) {
    if (n > 1 && class) v[0].when = arena_printf(a, "%s and %s", class, v[0].when);
    v[n - 1].when = class;
}

Str kernel_table_emit(Arena *a, const Graph *g, const TableRow *row, int n) {
    Variant variant[VARIANTS_MAX];
    Plan first = row[0].plan;
    int count = 0, flat = -1;
    assert(n > 0 && n <= TABLE_ROWS_MAX && row[n - 1].shapes == SHAPES_ANY);
    for (int i = 0; i < n; i++) {
        const Plan *p = &row[i].plan;
        if (p->schedule == SCHEDULE_SPLIT)
            first.schedule = SCHEDULE_SPLIT; // the host names the parts of a row
        if (p->gapless && n > 1) flat = i;
    }
    Host *host = file_host(a, plan_graph(g, &row[0].plan), &first);
    KernelFile probe;
    file_open(a, g, &first, host, &probe);
    if (!no_gaps(&probe)) flat = -1;
    if (flat >= 0) count += write_flat(a, g, &row[flat].plan, host, false, variant);
    for (int i = 0; i < n; i++) {
        const Plan *p = &row[i].plan;
        int made = flat >= 0 && p->gapless ? write_flat(a, g, p, host, true, variant + count)
                                           : write_plan(a, g, p, host, variant + count);
        if (n > 1) set_class(a, variant + count, made, class_condition(a, host, row[i].shapes));
        count += made;
    }
    return file_print(a, variant, count, NULL);
}
