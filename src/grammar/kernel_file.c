// A kernel file: imports, helpers, kernels with their signatures, and the host function that launches them.
#include "grammar/kernel_writer.h"

static void put_list(Buf *out, const char *item, const char **comma) {
    buf_printf(out, "%s%s", *comma, item);
    *comma = ", ";
}

const char *host_input(Emit *e, int i) { return e->host->input[i]; }

Host *file_host(Arena *a, const Graph *g, const Plan *p) {
    const Style *s = &styles[p->style];
    Host *h = NEW(a, Host);
    *h = (Host){.names.arena = a};
    for (int i = 0; i < g->op->inputs; i++)
        h->input[i] = nameset_fresh(&h->names, NULL, g->op->input[i].name);
    h->m = nameset_fresh(&h->names, NULL, str_of(s->m));
    h->n = nameset_fresh(&h->names, NULL, str_of(s->n));
    h->out = nameset_fresh(&h->names, NULL, str_of(s->out));
    if (p->schedule == SCHEDULE_SPLIT || p->schedule == SCHEDULE_FILLED)
        h->parts = nameset_fresh(&h->names, NULL, str_of(s->parts));
    return h;
}

void file_open(Arena *a, const Graph *g, const Plan *p, Host *host, KernelFile *out) {
    *out = (KernelFile){.a = a, .g = g, .plan = p, .host = host};
    out->passes = passes_levels(g, plan_online(p), p->schedule == SCHEDULE_SPLIT, &out->levels);
}

// --- The kernel's own line ---------------------------------------------------------------------------

static const char *constant(Emit *e, const char *name) {
    return arena_printf(e->a, "%s: tl.constexpr", name);
}

static void put_configs(Emit *e, Buf *out) {
    const Plan *p = e->plan;
    const char *comma = "";
    int block = p->block < 1024 ? p->block : 1024; // even the largest is not wasted on a short row
    buf_puts(out, "@triton.autotune(\n    configs=[\n");
    for (int i = 0; i < 3; i++) {
        int warps = 4 << i; // fewer chain too many additions in one thread
        buf_puts(out, "        triton.Config({");
        if (e->state.looped || e->state.flat || p->schedule == SCHEDULE_GRID)
            buf_printf(out, "\"%s\": %d", e->name.block, block << i);
        buf_printf(out, "}, num_warps=%d%s),\n", warps, p->stages ? ", num_stages=2" : "");
    }
    buf_puts(out, "    ],\n    key=[");
    if (e->takes.n) put_list(out, arena_printf(e->a, "\"%s\"", e->name.n), &comma);
    buf_puts(out, "],\n)\n");
}

static void put_signature(Emit *e, Buf *out) {
    const char *comma = "";
    if (e->plan->autotune) put_configs(e, out);
    buf_printf(out, "@triton.jit\ndef %s(", e->name.kernel);
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->name.input[i].param) put_list(out, e->name.input[i].param, &comma);
    for (int i = 0; i < e->work.partials; i++)
        if (e->work.partial[i].used) put_list(out, e->work.partial[i].param, &comma);
    if (e->takes.out) put_list(out, e->name.out, &comma);
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->name.input[i].stride) put_list(out, e->name.input[i].stride, &comma);
    if (e->takes.out_stride) put_list(out, e->name.out_stride, &comma);
    if (e->takes.parts) put_list(out, e->name.parts, &comma);
    if (e->takes.m) put_list(out, e->name.m, &comma);
    if (e->takes.n) put_list(out, e->name.n, &comma);
    for (int i = 0; i < e->takes.extras; i++) put_list(out, e->takes.extra[i].param, &comma);
    if (e->state.two_d) put_list(out, constant(e, e->name.rows_block), &comma);
    if (e->name.block) put_list(out, constant(e, e->name.block), &comma);
    for (int i = 1; i < e->state.tiles; i++) put_list(out, constant(e, e->name.tile_block[i]), &comma);
    if (e->takes.slots) put_list(out, constant(e, e->name.parts_block), &comma);
    buf_puts(out, "):\n");
}

// --- Sizes and the output ----------------------------------------------------------------------------

typedef struct {
    int input, axis;
} Found;

static const char *size_text(Emit *e, Found f, int way) {
    const char *x = host_input(e, f.input);
    int rank = e->g->op->input[f.input].rank;
    if (way == 1) return arena_printf(e->a, "%s.size(%d)", x, f.axis);
    return arena_printf(e->a, "%s.shape[%d]", x, way == 2 && f.axis == rank - 1 ? -1 : f.axis);
}

// `M, N = x.shape` where one input has both, or else one by one.
static void host_sizes(Emit *e, Lines *to) {
    const Op *op = e->g->op;
    const Host *h = e->host;
    Found rows = {-1, 0}, cols = {-1, 0};
    int way = e->plan->sizes, both = -1;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        if (in->rank == 2 && op->rows_dim >= 0 && in->dim[0] == op->rows_dim && in->dim[1] == op->row_dim &&
            both < 0)
            both = i;
        for (int d = 0; d < in->rank; d++) {
            if (in->dim[d] < 0) continue;
            if (in->dim[d] == op->rows_dim && rows.input < 0) rows = (Found){i, d};
            if (in->dim[d] == op->row_dim && cols.input < 0) cols = (Found){i, d};
        }
    }
    if (both >= 0 && e->plan->view) {
        const char *x = host_input(e, both);
        line_add(to, 0, false, "%s = %s.view(-1, %s.shape[-1])", x, x, x);
    }
    if (both >= 0 && way == 0) {
        line_add(to, 0, false, "%s, %s = %s.shape", h->m, h->n, host_input(e, both));
        return;
    }
    if (both >= 0) rows = (Found){both, 0}, cols = (Found){both, 1};
    if (both >= 0 && way == 3) {
        line_add(to, 0, false, "%s = %s", h->n, size_text(e, cols, 2));
        line_add(to, 0, false, "%s = %s.numel() // %s", h->m, host_input(e, both), h->n);
        return;
    }
    if (rows.input >= 0) line_add(to, 0, false, "%s = %s", h->m, size_text(e, rows, way));
    if (cols.input >= 0) line_add(to, 0, false, "%s = %s", h->n, size_text(e, cols, way));
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
        bool fits = in->dim[d] < 0 ? size_is(s, in->size[d])
                                   : size_plain(s) &&
                                         in->dim[d] == (s.of == SIZE_ROWS ? g->op->rows_dim : g->op->row_dim);
        if (!fits) return false;
    }
    return true;
}

static void host_output(Emit *e, Lines *to) {
    const Graph *g = e->g;
    const char *out = e->host->out;
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

const char *file_elements(Emit *e) {
    const char *cols = host_size(e, e->g->out_cols);
    return arena_printf(e->a, size_plain(e->g->out_cols) ? "%s * %s" : "%s * (%s)", e->host->m, cols);
}

// --- Launches ----------------------------------------------------------------------------------------

static const char *host_width(Emit *const kernel[], int kernels) {
    Emit *e = kernel[0];
    const char *list = "";
    Size seen[ARGUMENTS_MAX];
    int n = 0;
    for (int k = 0; k < kernels; k++)
        for (int i = 0; i < kernel[k]->known.widths && n < ARGUMENTS_MAX; i++) {
            bool again = false;
            for (int j = 0; j < n; j++) again = again || size_equal(seen[j], kernel[k]->known.width[i]);
            if (again) continue;
            list = arena_printf(e->a, "%s%s%s", list, n ? ", " : "", host_size(e, kernel[k]->known.width[i]));
            seen[n++] = kernel[k]->known.width[i];
        }
    return n > 1 ? arena_printf(e->a, "max(%s)", list) : n ? list : "1";
}

// The second tile of a row is smaller than the first where the row is at most three quarters of the next
// power of two; a power of two itself is one tile.
const char *file_rest_is_smaller(Emit *e) {
    const char *width = host_width(&e, 1);
    return arena_printf(e->a, "4 * %s <= 3 * triton.next_power_of_2(%s)",
                        emit_is_name(width) ? width : arena_printf(e->a, "(%s)", width), width);
}

typedef struct {
    const char *block, *rest, *rows_block, *width; // rest: the second tile of a row
    bool cut;                                      // tiles do not hold whole rows
} Tiles;

static const char *host_grid(Emit *e, const Tiles *t) {
    if (!e->g->has_rows && e->plan->schedule != SCHEDULE_GRID && !e->state.split) return "1,";
    const char *m = e->g->has_rows ? e->host->m : "1", *block = t->block;
    bool tuned = e->plan->autotune && t->cut;
    const char *meta = e->plan->lambda_grid || tuned ? "meta" : NULL;
    if (meta && e->name.block) block = arena_printf(e->a, "meta[\"%s\"]", e->name.block);
    switch (e->plan->schedule) {
    case SCHEDULE_ROWS:
    case SCHEDULE_ROWS_LOOPED:
        return arena_printf(e->a, "triton.cdiv(%s, %s),", m,
                            meta ? arena_printf(e->a, "meta[\"%s\"]", e->name.rows_block) : t->rows_block);
    case SCHEDULE_GRID: {
        const char *cols = host_size(e, e->g->out_cols);
        if (emit_flaw(e, FLAW_last_block)) return arena_printf(e->a, "%s, max(1, %s // %s)", m, cols, block);
        return arena_printf(e->a, "%s, triton.cdiv(%s, %s)", m, cols, block);
    }
    case SCHEDULE_FLAT:
        if (emit_flaw(e, FLAW_last_block))
            return arena_printf(e->a, "max(1, %s // %s),", file_elements(e), block);
        return arena_printf(e->a, "triton.cdiv(%s, %s),", file_elements(e), block);
    case SCHEDULE_SPLIT:
        return e->state.grid_rows ? arena_printf(e->a, "%s,", m)
                                  : arena_printf(e->a, "%s, %s", m, e->host->parts);
    case SCHEDULE_PERSISTENT:
        if (e->plan->processors == 1)
            return arena_printf(
                e->a, "min(%s, torch.cuda.get_device_properties(%s.device).multi_processor_count * 2),", m,
                host_input(e, 0));
        return arena_printf(e->a, "min(%s, %d),", m, e->plan->processors ? 132 : 264);
    default:
        if (emit_flaw(e, FLAW_last_row)) return arena_printf(e->a, "max(1, %s - 1),", m);
        return arena_printf(e->a, "%s,", m);
    }
}

// Every argument on its way to the kernel, then the options.
static void launch(Emit *e, Lines *to, const Tiles *t) {
    const Plan *p = e->plan;
    Buf b = BUF(e->a);
    const char *comma = "";
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->name.input[i].param) put_list(&b, host_input(e, i), &comma);
    for (int i = 0; i < e->work.partials; i++)
        if (e->work.partial[i].used) put_list(&b, e->work.partial[i].host, &comma);
    if (e->takes.out) put_list(&b, e->host->out, &comma);
    for (int i = 0; i < e->g->op->inputs; i++)
        if (e->name.input[i].stride)
            put_list(&b, arena_printf(e->a, "%s.stride(0)", host_input(e, i)), &comma);
    if (e->takes.out_stride) put_list(&b, arena_printf(e->a, "%s.stride(0)", e->host->out), &comma);
    if (e->takes.parts) put_list(&b, e->host->parts, &comma);
    if (e->takes.m) put_list(&b, e->host->m, &comma);
    if (e->takes.n) put_list(&b, e->host->n, &comma);
    for (int i = 0; i < e->takes.extras; i++) put_list(&b, e->takes.extra[i].host, &comma);
    if (e->state.two_d) put_list(&b, arena_printf(e->a, "%s=%s", e->name.rows_block, t->rows_block), &comma);
    if (e->name.block && !(p->autotune && t->cut))
        put_list(&b, arena_printf(e->a, "%s=%s", e->name.block, t->block), &comma);
    if (e->state.tiles > 1) put_list(&b, arena_printf(e->a, "%s=%s", e->name.tile_block[1], t->rest), &comma);
    if (e->takes.slots)
        put_list(&b, arena_printf(e->a, "%s=triton.next_power_of_2(%s)", e->name.parts_block, e->host->parts),
                 &comma);
    if (p->warps && !p->autotune) put_list(&b, arena_printf(e->a, "num_warps=%d", p->warps), &comma);
    if (!p->warps && !p->autotune)
        put_list(&b,
                 arena_printf(e->a, "num_warps=min(16, max(1, %s%s%s // %d))",
                              e->state.two_d ? t->rows_block : "", e->state.two_d ? " * " : "", t->block,
                              32 * p->thread),
                 &comma);
    if (p->stages && !p->autotune) put_list(&b, arena_printf(e->a, "num_stages=%d", p->stages), &comma);
    const char *grid = host_grid(e, t);
    bool lambda = p->lambda_grid || strstr(grid, "meta[");
    if (lambda) {
        const char *name = nameset_fresh(&e->host->names, NULL, STR("grid_of"));
        line_add(to, 0, true, "%s = lambda meta: (%s)", name, grid);
        line_add(to, 0, false, "%s[%s](%s)", e->name.kernel, name, buf_cstr(&b));
    } else
        line_add(to, 0, false, "%s[(%s)](%s)", e->name.kernel, grid, buf_cstr(&b));
}

// Rows are put together up to a tile, but not so many that there are too few programs to fill a GPU.
static void host_rows(Emit *e, Lines *to, const Tiles *t, const char *block) {
    if (e->style->comments)
        line_add(to, 0, true, "# Short rows share a program, as long as there are many of them.");
    line_add(to, 0, false, "%s = max(1, min(%d // %s, triton.next_power_of_2(%s) // 512))", t->rows_block,
             e->plan->tile, block, e->host->m);
}

static void host_two_tiles(Emit *e, Lines *to, Tiles *t) {
    t->block = nameset_fresh(&e->host->names, NULL, str_of(e->name.tile_block[0]));
    t->rest = nameset_fresh(&e->host->names, NULL, str_of(e->name.tile_block[1]));
    line_add(to, 0, false, "%s = triton.next_power_of_2(%s) // 2", t->block, t->width);
    line_add(to, 0, false, "%s = triton.next_power_of_2(%s - %s)", t->rest, t->width, t->block);
}

static void host_tiles(Emit *const kernel[], int kernels, Lines *to, Tiles *t) {
    Emit *e = kernel[0];
    const Plan *p = e->plan;
    bool any = false;
    for (int k = 0; k < kernels; k++) any = any || kernel[k]->name.block;
    t->cut = e->state.looped || e->state.split || p->schedule == SCHEDULE_GRID || e->state.flat;
    t->width = host_width(kernel, kernels);
    t->block = arena_printf(e->a, "%d", p->block);
    t->rows_block = arena_printf(e->a, "%d", p->rows);
    if (e->state.tiles > 1) return host_two_tiles(e, to, t);
    if (any && !e->state.flat && (!t->cut || p->fit || e->state.split)) {
        const char *fit = arena_printf(e->a, "triton.next_power_of_2(%s)", t->width);
        if (t->cut) fit = arena_printf(e->a, "min(%d, %s)", p->block, fit);
        if (!(p->autotune && t->cut)) {
            t->block = nameset_fresh(&e->host->names, NULL, str_of(e->style->block));
            line_add(to, 0, false, "%s = %s", t->block, fit);
        }
    }
    if (p->schedule == SCHEDULE_ROWS) {
        t->rows_block = nameset_fresh(&e->host->names, NULL, str_of(e->style->rows_block));
        if (p->tile)
            host_rows(e, to, t, any ? t->block : "1");
        else {
            if (e->style->comments)
                line_add(to, 0, true, "# Long rows go one by one: a tile has no more than 8192 lanes then.");
            line_add(to, 0, false, "%s = max(1, min(%d, 8192 // %s))", t->rows_block, p->rows,
                     any ? t->block : "1");
        }
    }
    if (!e->state.split) return;
    line_add(to, 0, false, "%s = triton.cdiv(%s, %s)", e->host->parts, t->width, t->block);
    for (int i = 0; i < e->work.partials; i++)
        line_add(to, 0, false, "%s = torch.empty((%s, %s), device=%s.device, dtype=torch.float32)",
                 e->work.partial[i].host, e->g->has_rows ? e->host->m : "1", e->host->parts,
                 host_input(e, 0));
}

static int all_kernels(const Variant *v, int variants) {
    int n = 0;
    for (int i = 0; i < variants; i++) n += v[i].kernels;
    return n;
}

static void put_run(const Variant *v, int variants, Buf *file) {
    Emit *e = v->kernel[0];
    const bool typed = e->style->typed;
    Lines lines = {.arena = e->a};
    host_sizes(e, &lines);
    host_output(e, &lines);
    for (int i = 0; i < variants; i++) {
        Lines launches = {.arena = e->a};
        Tiles tiles = {0};
        host_tiles(v[i].kernel, v[i].kernels, &launches, &tiles);
        for (int k = 0; k < v[i].kernels; k++) launch(v[i].kernel[k], &launches, &tiles);
        if (v[i].when) line_add(&lines, 0, true, i ? "elif %s:" : "if %s:", v[i].when);
        if (!v[i].when && variants > 1) line_add(&lines, 0, true, "else:");
        lines_append(&lines, &launches, variants > 1);
    }
    line_add(&lines, 0, false, "return %s", e->host->out);
    buf_puts(file, "\n\ndef run(");
    for (int i = 0; i < e->g->op->inputs; i++)
        buf_printf(file, "%s%s%s", i ? ", " : "", host_input(e, i), typed ? ": torch.Tensor" : "");
    buf_printf(file, ")%s:\n", typed ? " -> torch.Tensor" : "");
    if (e->style->doc)
        buf_printf(file, "    \"\"\"Allocates the result and launches %s.\"\"\"\n",
                   all_kernels(v, variants) == 1 ? "one kernel" : "the kernels");
    lines_print(file, &lines, 1, e->style->width);
}

// --- The whole file ----------------------------------------------------------------------------------

static void put_helpers(const Emit *e, Buf *file, NameSet *done) {
    for (int i = 0; i < e->helpers.n; i++) {
        if (nameset_has(done, e->helpers.at[i].name)) continue;
        nameset_add(done, e->helpers.at[i].name);
        buf_printf(file, "\n\n@triton.jit\ndef %s(v):\n", e->helpers.at[i].name);
        if (e->style->doc)
            buf_printf(file, "    \"\"\"%s of each value.\"\"\"\n", bound_name(e->helpers.at[i].op));
        buf_printf(file, "    return %s\n", e->helpers.at[i].text);
    }
}

Str file_print(Arena *a, const Variant *v, int variants, int *flawed) {
    const Style *style = v->kernel[0]->style;
    Buf kernels_text = BUF(a), run = BUF(a), file = BUF(a);
    NameSet helpers = {.arena = a};
    // The launches ask for no more parameters than the kernels have by then.
    put_run(v, variants, &run);
    for (int i = 0; i < variants; i++)
        for (int k = 0; k < v[i].kernels; k++) put_helpers(v[i].kernel[k], &kernels_text, &helpers);
    for (int i = 0; i < variants; i++)
        for (int k = 0; k < v[i].kernels; k++) {
            buf_puts(&kernels_text, "\n\n");
            put_signature(v[i].kernel[k], &kernels_text);
            lines_print(&kernels_text, &v[i].body[k], 1, style->width);
        }
    buf_puts(&file, "import torch\nimport triton\nimport triton.language as tl\n");
    if (strstr(buf_cstr(&kernels_text), "libdevice."))
        buf_puts(&file, "from triton.language.extra import libdevice\n");
    if (style->run_first) buf_str_put(&file, buf_str(&run));
    buf_str_put(&file, buf_str(&kernels_text));
    if (!style->run_first) buf_str_put(&file, buf_str(&run));
    if (flawed) {
        *flawed = 0;
        for (int i = 0; i < variants; i++)
            for (int k = 0; k < v[i].kernels; k++) *flawed += v[i].kernel[k]->flawed;
    }
    return buf_str(&file);
}
