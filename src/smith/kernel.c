// A kernel file from a graph and a plan: the passes of its schedule, the signature, the host function.
#include "smith/emit.h"
#include <assert.h>
#include <math.h>

// Stands for -inf where exp(x - max) must not become NaN before the first finite x: no float32 is smaller.
#define LOWEST "-3.4028234663852886e+38"

static const char *columns_text(Emit *e, const char *from) {
    const char *lanes =
        arena_printf(e->a, e->two_d ? "tl.arange(0, %s)[None, :]" : "tl.arange(0, %s)", e->block);
    return from ? arena_printf(e->a, "%s + %s", from, lanes) : lanes;
}

static void comment(Emit *e, Lines *to, const char *text) {
    if (e->style->comments) line_add(to, 0, true, "# %s", text);
}

// --- Storing -----------------------------------------------------------------------------------------

static const char *stored(Emit *e, Expr x) {
    if (!e->plan->store_cast || e->g->node[e->g->result].kind != VALUE_FLOAT || !(x.tile || x.rows))
        return x.s;
    return arena_printf(e->a, "%s.to(%s.dtype.element_ty)", emit_wrap(e, x, BIND_ATOM), e->out_param);
}

static void store(Emit *e, Lines *to, Place *p) {
    Expr x = emit_value(e, e->g->result, p);
    Buf b = BUF(e->a);
    buf_printf(&b, "tl.store(%s", e->out_param);
    if (e->g->has_rows) e->row_used = true;
    if (e->g->has_rows && p) e->out_stride_used = true;
    if (e->g->has_rows) buf_printf(&b, p ? " + %s * %s" : " + %s", e->row, e->out_stride);
    if (p) buf_printf(&b, " + %s", p->index.s);
    buf_printf(&b, ", %s", stored(e, x));
    const char *mask = e->g->has_rows || !p ? emit_both(e, p) : p->mask;
    if (mask) buf_printf(&b, ", mask=%s", mask);
    line_add(to, 0, false, "%s)", buf_cstr(&b));
}

// --- Loops over the columns --------------------------------------------------------------------------

static Place *loop_open(Emit *e, Size width) {
    e->in_loop = true;
    e->inner = (NameSet){.arena = e->a};
    e->body = (Lines){.arena = e->a};
    e->kept_memo = e->memo;
    e->cols = emit_fresh(e, e->style->cols, true);
    return emit_place(e, width);
}

static void loop_close(Emit *e, Size width) {
    const char *start = emit_fresh(e, e->style->start, true);
    Expr w = emit_size(e, width);
    line_add(&e->top, 0, true, "for %s in range(0, %s, %s):", start, w.s, e->block);
    line_add(&e->top, 1, false, "%s = %s", e->cols, columns_text(e, start));
    lines_append(&e->top, &e->body, 1);
    e->in_loop = false;
    e->memo = e->kept_memo;
    Place *kept = NULL;
    for (Place *p = e->places, *next; p; p = next) {
        next = p->next;
        if (p->index.tile) continue;
        p->next = kept;
        kept = p;
    }
    e->places = kept;
    e->inner = (NameSet){.arena = e->a};
}

typedef struct {
    int node;
    const char *name; // accumulator
    bool done;        // the accumulator is the value
} Running;

static const char *start_value(BoundOp op) {
    return op == BOUND_AMAX   ? "float(\"-inf\")"
           : op == BOUND_AMIN ? "float(\"inf\")"
           : op == BOUND_PROD ? "1.0"
                              : "0.0";
}

static double neutral(BoundOp op) {
    return op == BOUND_AMAX ? -HUGE_VAL : op == BOUND_AMIN ? HUGE_VAL : op == BOUND_PROD ? 1 : 0;
}

static void open_scalar(Emit *e, const char *name, const char *value) {
    if (e->two_d)
        line_add(&e->top, 0, false, "%s = tl.full([%s, 1], %s, dtype=tl.float32)", name, e->rows_block,
                 value);
    else
        line_add(&e->top, 0, false, "%s = %s", name, value);
}

static const char *combined(Emit *e, BoundOp op, const char *a, const char *b) {
    if (op == BOUND_SUM || op == BOUND_PROD)
        return arena_printf(e->a, op == BOUND_SUM ? "%s + %s" : "%s * (%s)", a, b);
    return arena_printf(e->a, "tl.%s(%s, %s)", op == BOUND_AMAX ? "maximum" : "minimum", a, b);
}

static const char *reduction_wish(const Emit *e, BoundOp op) {
    return op == BOUND_AMAX   ? e->style->most
           : op == BOUND_SUM  ? e->style->sum
           : op == BOUND_AMIN ? "low"
                              : "prod";
}

// One accumulator a lane, summed up after the loop; or one a row, fed with the block's own reduction.
static void accumulate(Emit *e, Running *r, Place *p) {
    const GraphNode *n = &e->g->node[r->node];
    Expr x = emit_masked(e, n->in[0], p, neutral(n->op));
    r->done = e->plan->scalars;
    r->name = emit_fresh(e, r->done ? reduction_wish(e, n->op) : e->style->acc, false);
    if (r->done) {
        open_scalar(e, r->name, start_value(n->op));
        x.s = emit_reduce(e, n->op, x.s);
        x.bind = BIND_ATOM;
    } else {
        const char *shape =
            arena_printf(e->a, e->two_d ? "%s, %s" : "%s%s", e->two_d ? e->rows_block : "", e->block);
        if (n->op == BOUND_SUM)
            line_add(&e->top, 0, false, "%s = tl.zeros([%s], dtype=tl.float32)", r->name, shape);
        else
            line_add(&e->top, 0, false, "%s = tl.full([%s], %s, dtype=tl.float32)", r->name, shape,
                     start_value(n->op));
    }
    if (n->op == BOUND_SUM)
        line_add(&e->body, 0, false, "%s += %s", r->name, x.s);
    else
        line_add(&e->body, 0, false, "%s = %s", r->name, combined(e, n->op, r->name, x.s));
}

// The largest so far, and the sum of exponentials below it, rescaled when it grows.
static void accumulate_online(Emit *e, Running *most, Running *sum, Place *p) {
    const GraphNode *m = &e->g->node[most->node];
    Expr x = emit_bind(e, emit_masked(e, m->in[0], p, -HUGE_VAL), str_of(e->style->temp));
    most->name = emit_fresh(e, e->style->most, false);
    sum->name = emit_fresh(e, e->style->sum, false);
    most->done = sum->done = true;
    open_scalar(e, most->name, LOWEST);
    open_scalar(e, sum->name, "0.0");
    const char *grown = emit_fresh(e, arena_printf(e->a, "%s_new", e->style->most), true);
    line_add(&e->body, 0, false, "%s = tl.maximum(%s, %s)", grown, most->name,
             emit_reduce(e, BOUND_AMAX, x.s));
    Expr shrink = {arena_printf(e->a, "%s - %s", most->name, grown), BIND_SUM, false, true};
    Expr less = {arena_printf(e->a, "%s - %s", x.s, grown), BIND_SUM, true, true};
    line_add(&e->body, 0, false, "%s = %s * %s + %s", sum->name, sum->name, emit_exp(e, shrink),
             emit_reduce(e, BOUND_SUM, emit_exp(e, less)));
    line_add(&e->body, 0, false, "%s = %s", most->name, grown);
}

static void finish(Emit *e, const Running *r) {
    const GraphNode *n = &e->g->node[r->node];
    Expr x = {r->name, BIND_ATOM, false, n->rows};
    if (!r->done) {
        x.s = emit_fresh(e, reduction_wish(e, n->op), false);
        line_add(&e->top, 0, false, "%s = %s", x.s, emit_reduce(e, n->op, r->name));
    }
    emit_remember(e, r->node, NULL, x);
}

static bool has_partner(const Emit *e, int most, int *sum) {
    for (int i = 0; i < e->g->nodes; i++)
        if (e->merged[i] == most) {
            *sum = i;
            return true;
        }
    return false;
}

// Reductions that wait for nothing but earlier passes, over the same columns: one loop.
static void pass(Emit *e, int level, Size width) {
    Running running[GRAPH_NODES_MAX];
    int count = 0;
    Place *p = loop_open(e, width);
    for (int i = 0; i < e->g->nodes; i++) {
        const GraphNode *n = &e->g->node[i];
        int sum;
        if (!graph_is_reduction(n->op) || e->level[i] != level ||
            !size_equal(e->g->node[n->in[0]].cols, width))
            continue;
        if (e->merged[i] >= 0) continue; // found together with its largest
        running[count].node = i;
        if (n->op == BOUND_AMAX && has_partner(e, i, &sum)) {
            running[count + 1].node = sum;
            accumulate_online(e, &running[count], &running[count + 1], p);
            count += 2;
        } else
            accumulate(e, &running[count++], p);
    }
    loop_close(e, width);
    for (int i = 0; i < count; i++) finish(e, &running[i]);
}

static bool width_seen(const Emit *e, int level, int before, Size width) {
    for (int i = 0; i < before; i++)
        if (graph_is_reduction(e->g->node[i].op) && e->level[i] == level &&
            size_equal(e->g->node[e->g->node[i].in[0]].cols, width))
            return true;
    return false;
}

static void looped(Emit *e, int passes) {
    for (int level = 1; level <= passes; level++) {
        for (int i = 0; i < e->g->nodes; i++) {
            const GraphNode *n = &e->g->node[i];
            if (!graph_is_reduction(n->op) || e->level[i] != level) continue;
            Size width = e->g->node[n->in[0]].cols;
            if (width_seen(e, level, i, width)) continue;
            comment(e, &e->top,
                    arena_printf(e->a, "Pass %d of %d over the row.", level,
                                 passes + !size_is(e->g->out_cols, 1)));
            pass(e, level, width);
        }
    }
    if (size_is(e->g->out_cols, 1)) {
        store(e, &e->top, NULL);
        return;
    }
    if (passes) comment(e, &e->top, "The row's numbers are known: write it.");
    e->last_pass = true;
    Place *p = loop_open(e, e->g->out_cols);
    store(e, &e->body, p);
    loop_close(e, e->g->out_cols);
}

// --- Whole rows --------------------------------------------------------------------------------------

// Loads are padded with -inf where that spares the largest its `where`.
static bool wants_low_padding(const Emit *e) {
    if (!e->plan->trust_pad || e->looped) return false;
    for (int i = 0; i < e->g->nodes; i++)
        if (e->g->node[i].op == BOUND_AMAX && e->g->node[e->g->node[i].in[0]].op == BOUND_INPUT) return true;
    return false;
}

static void whole(Emit *e) {
    e->padding = wants_low_padding(e) ? -HUGE_VAL : 0;
    bool row_result = size_is(e->g->out_cols, 1);
    store(e, &e->top, row_result ? NULL : emit_place(e, e->g->out_cols));
}

// --- The file ----------------------------------------------------------------------------------------

static void put_list(Buf *out, const char *item, const char **comma) {
    buf_printf(out, "%s%s", *comma, item);
    *comma = ", ";
}

static void signature(Emit *e, Buf *out) {
    const char *comma = "";
    buf_printf(out, "@triton.jit\ndef %s(", e->kernel);
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->in_param[i]) put_list(out, e->in_param[i], &comma);
    put_list(out, e->out_param, &comma);
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->in_stride[i]) put_list(out, e->in_stride[i], &comma);
    if (e->out_stride_used) put_list(out, e->out_stride, &comma);
    if (e->m_used) put_list(out, e->m, &comma);
    if (e->n_used) put_list(out, e->n, &comma);
    for (int i = 0; i < e->extras; i++) put_list(out, e->extra[i].param, &comma);
    if (e->two_d) put_list(out, arena_printf(e->a, "%s: tl.constexpr", e->rows_block), &comma);
    if (e->block) put_list(out, arena_printf(e->a, "%s: tl.constexpr", e->block), &comma);
    buf_puts(out, "):\n");
}

static const char *host_input(Emit *e, int i) {
    if (!e->in_host[i]) e->in_host[i] = nameset_fresh(&e->host, NULL, e->g->op->input[i].name);
    return e->in_host[i];
}

// `M, N = x.shape` where one input has both, else one by one.
static void host_sizes(Emit *e, Lines *to) {
    const Op *op = e->g->op;
    int rows_in = -1, rows_at = 0, cols_in = -1, cols_at = 0;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        if (in->rank == 2 && op->rows_dim >= 0 && in->dim[0] == op->rows_dim && in->dim[1] == op->row_dim) {
            line_add(to, 0, false, "%s, %s = %s.shape", e->m_host, e->n_host, host_input(e, i));
            return;
        }
        for (int d = 0; d < in->rank; d++) {
            if (in->dim[d] < 0) continue;
            if (in->dim[d] == op->rows_dim && rows_in < 0) rows_in = i, rows_at = d;
            if (in->dim[d] == op->row_dim && cols_in < 0) cols_in = i, cols_at = d;
        }
    }
    if (rows_in >= 0) line_add(to, 0, false, "%s = %s.shape[%d]", e->m_host, host_input(e, rows_in), rows_at);
    if (cols_in >= 0) line_add(to, 0, false, "%s = %s.shape[%d]", e->n_host, host_input(e, cols_in), cols_at);
}

static bool same_dtype(const Graph *g, const OpInput *in) {
    if (g->out_like < 0) return false;
    const OpInput *like = &g->op->input[g->out_like];
    return like->any_float ? in->any_float : !in->any_float && in->dtype == g->out_dtype;
}

static bool same_shape(const Graph *g, const OpInput *in) {
    if (in->rank != g->out_rank) return false;
    for (int d = 0; d < in->rank; d++) {
        Size s = g->out_shape[d];
        bool fits = in->dim[d] < 0
                        ? size_is(s, in->size[d])
                        : size_plain(s) && s.of == (in->dim[d] == g->op->rows_dim ? SIZE_ROWS : SIZE_COLS);
        if (!fits) return false;
    }
    return true;
}

static void host_output(Emit *e, Lines *to, const char *out) {
    const Graph *g = e->g;
    for (int i = 0; i < g->op->inputs; i++) {
        if (!same_dtype(g, &g->op->input[i]) || !same_shape(g, &g->op->input[i])) continue;
        line_add(to, 0, false, "%s = torch.empty_like(%s)", out, host_input(e, i));
        return;
    }
    Buf shape = BUF(e->a);
    for (int d = 0; d < g->out_rank; d++)
        buf_printf(&shape, "%s%s", d ? ", " : "",
                   size_is(g->out_shape[d], 1) ? "1" : host_size(e, g->out_shape[d]));
    if (g->out_rank == 1) buf_putc(&shape, ',');
    const char *dtype = g->out_like >= 0 ? arena_printf(e->a, "%s.dtype", host_input(e, g->out_like))
                                         : arena_printf(e->a, "torch.%s", dtype_info[g->out_dtype].torch);
    line_add(to, 0, false, "%s = torch.empty((%s), device=%s.device, dtype=%s)", out, buf_cstr(&shape),
             host_input(e, 0), dtype);
}

static const char *host_width(Emit *e) {
    Buf b = BUF(e->a);
    const char *list = "";
    int n = 0;
    for (int i = 0; i < e->width_count; i++) {
        const char *w = host_size(e, e->widths[i]);
        list = arena_printf(e->a, "%s%s%s", list, n++ ? ", " : "", w);
    }
    if (n > 1)
        buf_printf(&b, "max(%s)", list);
    else
        buf_puts(&b, n ? list : "1");
    return buf_cstr(&b);
}

static const char *host_grid(Emit *e, const char *block, const char *rows_block) {
    if (!e->g->has_rows && e->plan->schedule != SCHEDULE_GRID) return "1,";
    const char *m = e->g->has_rows ? e->m_host : "1";
    switch (e->plan->schedule) {
    case SCHEDULE_ROWS: return arena_printf(e->a, "triton.cdiv(%s, %s),", m, rows_block);
    case SCHEDULE_ROWS_LOOPED: return arena_printf(e->a, "triton.cdiv(%s, %d),", m, e->plan->rows);
    case SCHEDULE_GRID:
        return arena_printf(e->a, "%s, triton.cdiv(%s, %s)", m, host_size(e, e->g->out_cols), block);
    case SCHEDULE_PERSISTENT: return arena_printf(e->a, "min(%s, %d),", m, 264);
    default: return arena_printf(e->a, "%s,", m);
    }
}

// Every argument on its way to the kernel, then the options.
static void launch(Emit *e, Lines *to, const char *out, const char *block, const char *rows_block) {
    const Plan *p = e->plan;
    Buf b = BUF(e->a);
    const char *comma = "";
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->in_param[i]) put_list(&b, host_input(e, i), &comma);
    put_list(&b, out, &comma);
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->in_stride[i]) put_list(&b, arena_printf(e->a, "%s.stride(0)", host_input(e, i)), &comma);
    if (e->out_stride_used) put_list(&b, arena_printf(e->a, "%s.stride(0)", out), &comma);
    if (e->m_used) put_list(&b, e->m_host, &comma);
    if (e->n_used) put_list(&b, e->n_host, &comma);
    for (int i = 0; i < e->extras; i++) put_list(&b, e->extra[i].host, &comma);
    if (e->two_d) put_list(&b, arena_printf(e->a, "%s=%s", e->rows_block, rows_block), &comma);
    if (e->block) put_list(&b, arena_printf(e->a, "%s=%s", e->block, block), &comma);
    if (p->warps)
        put_list(&b, arena_printf(e->a, "num_warps=%d", p->warps), &comma);
    else
        put_list(&b, arena_printf(e->a, "num_warps=min(16, max(1, %s // 512))", block), &comma);
    if (p->stages) put_list(&b, arena_printf(e->a, "num_stages=%d", p->stages), &comma);
    line_add(to, 0, false, "%s[(%s)](%s)", e->kernel, host_grid(e, block, rows_block), buf_cstr(&b));
}

static void host(Emit *e, Buf *file) {
    const Plan *p = e->plan;
    Lines lines = {.arena = e->a};
    const char *out = nameset_fresh(&e->host, NULL, str_of(e->style->out));
    host_sizes(e, &lines);
    host_output(e, &lines, out);
    const char *block = arena_printf(e->a, "%d", p->block), *rows_block = arena_printf(e->a, "%d", p->rows);
    bool cut = e->looped || p->schedule == SCHEDULE_GRID;
    if (e->block && (!cut || p->fit)) {
        const char *fit = arena_printf(e->a, "triton.next_power_of_2(%s)", host_width(e));
        if (cut) fit = arena_printf(e->a, "min(%d, %s)", p->block, fit);
        block = nameset_fresh(&e->host, NULL, str_of(e->style->block));
        line_add(&lines, 0, false, "%s = %s", block, fit);
    }
    if (p->schedule == SCHEDULE_ROWS) {
        rows_block = nameset_fresh(&e->host, NULL, str_of(e->style->rows_block));
        if (e->style->comments)
            line_add(&lines, 0, true, "# Long rows go one by one: a tile has no more than 8192 lanes then.");
        line_add(&lines, 0, false, "%s = max(1, min(%d, 8192 // %s))", rows_block, p->rows,
                 e->block ? block : "1");
    }
    launch(e, &lines, out, block, rows_block);
    line_add(&lines, 0, false, "return %s", out);
    buf_puts(file, "def run(");
    for (int i = 0; i < e->g->op->inputs; i++) buf_printf(file, "%s%s", i ? ", " : "", host_input(e, i));
    buf_puts(file, "):\n");
    lines_print(file, &lines, 1, e->style->width);
}

// --- Putting it together -----------------------------------------------------------------------------

static void name_all(Emit *e) {
    const Style *s = e->style;
    e->kernel = emit_affixed(e, s->kernel, e->g->op->name);
    e->n = emit_fresh(e, s->n, false);
    e->m = emit_fresh(e, s->m, false);
    e->row = emit_fresh(e, e->two_d ? s->rows : s->row, false);
    e->row_mask = e->two_d ? emit_fresh(e, s->row_mask, false) : NULL;
    e->out_param = emit_affixed(e, s->pointer, str_of(s->out));
    e->out_stride = emit_affixed(e, s->stride, str_of(s->out));
    e->block = emit_fresh(e, s->block, false);
    e->rows_block = e->two_d ? emit_fresh(e, s->rows_block, false) : NULL;
    nameset_add(&e->host, e->kernel);
    for (int i = 0; i < e->g->op->inputs; i++) (void)host_input(e, i);
    e->m_host = nameset_fresh(&e->host, NULL, str_of(s->m));
    e->n_host = nameset_fresh(&e->host, NULL, str_of(s->n));
}

// The lines before everything else: which row, which columns.
static void preamble(Emit *e, Lines *to, bool uses_columns) {
    Schedule s = e->plan->schedule;
    if (e->two_d) {
        line_add(to, 0, false, "%s = tl.program_id(0) * %s + tl.arange(0, %s)[:, None]", e->row,
                 e->rows_block, e->rows_block);
        line_add(to, 0, false, "%s = %s < %s", e->row_mask, e->row, e->m);
        line_add(to, 0, false, "%s = %s.to(tl.int64)", e->row, e->row);
        e->m_used = true;
    } else if (e->row_used && s != SCHEDULE_PERSISTENT) {
        line_add(to, 0, false, "%s = tl.program_id(0).to(tl.int64)", e->row);
    }
    if (!uses_columns || e->looped) return;
    const char *from = s == SCHEDULE_GRID ? arena_printf(e->a, "tl.program_id(1) * %s", e->block) : NULL;
    line_add(to, 0, false, "%s = %s", e->cols, columns_text(e, from));
}

static const char *about(const Emit *e) {
    switch (e->plan->schedule) {
    case SCHEDULE_WHOLE: return "One program per row; the row stays in registers.";
    case SCHEDULE_LOOPED: return "One program per row; the row is walked block by block.";
    case SCHEDULE_ROWS: return "Several whole rows per program, as one 2D tile.";
    case SCHEDULE_ROWS_LOOPED: return "Several rows per program, walked block by block together.";
    case SCHEDULE_GRID: return "One program per block of a row: nothing crosses columns.";
    case SCHEDULE_PERSISTENT:
        return "A few programs share all rows; what rows have in common is loaded once.";
    default: return "";
    }
}

static void persist(Emit *e, Lines *all) {
    const char *i = emit_fresh(e, "i", false);
    e->m_used = true;
    lines_append(all, &e->fixed, 0);
    line_add(all, 0, true, "for %s in range(tl.program_id(0), %s, tl.num_programs(0)):", i, e->m);
    if (e->row_used) line_add(all, 1, false, "%s = %s.to(tl.int64)", e->row, i);
    lines_append(all, &e->top, 1);
}

Str kernel_emit(Arena *a, const Graph *g, const Plan *p) {
    int level[GRAPH_NODES_MAX], merged[GRAPH_NODES_MAX];
    Emit *e = NEW(a, Emit);
    *e = (Emit){.a = a, .g = g, .plan = p, .style = &styles[p->style], .level = level, .merged = merged};
    e->names.arena = e->inner.arena = e->host.arena = e->fixed.arena = e->top.arena = e->body.arena = a;
    e->two_d = p->schedule == SCHEDULE_ROWS || p->schedule == SCHEDULE_ROWS_LOOPED;
    e->looped = p->schedule == SCHEDULE_LOOPED || p->schedule == SCHEDULE_ROWS_LOOPED;
    int passes = plan_levels(g, p->online && e->looped, level, merged);
    name_all(e);
    bool uses_columns = !size_is(g->out_cols, 1) || passes > 0;
    if (!e->looped) e->cols = emit_fresh(e, e->style->cols, false);
    if (e->looped)
        looped(e, passes);
    else
        whole(e);
    if (!uses_columns) e->block = NULL;
    Lines all = {.arena = a};
    comment(e, &all, about(e));
    preamble(e, &all, uses_columns);
    if (p->schedule == SCHEDULE_PERSISTENT)
        persist(e, &all);
    else
        lines_append(&all, &e->top, 0);
    Buf body = BUF(a), file = BUF(a);
    lines_print(&body, &all, 1, e->style->width);
    bool library = strstr(buf_cstr(&body), "libdevice.") != NULL;
    for (int i = 0; i < e->helpers; i++) library = library || strstr(e->helper[i].text, "libdevice.") != NULL;
    buf_puts(&file, "import torch\nimport triton\nimport triton.language as tl\n");
    if (library) buf_puts(&file, "from triton.language.extra import libdevice\n");
    for (int i = 0; i < e->helpers; i++)
        buf_printf(&file, "\n\n@triton.jit\ndef %s(v):\n    return %s\n", e->helper[i].name,
                   e->helper[i].text);
    buf_puts(&file, "\n\n");
    signature(e, &file);
    buf_str_put(&file, buf_str(&body));
    buf_puts(&file, "\n\n");
    host(e, &file);
    return buf_str(&file);
}
