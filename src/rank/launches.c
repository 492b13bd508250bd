#include "rank/launches.h"

#include "sandbox/record.h"

// Whole numbers among the constants are sizes of tiles; 1 and flags change nothing in the product.
static double tile_elements(const RunKernel *k) {
    double elements = 1;
    for (int i = 0; i < k->params; i++) {
        const RunParam *p = &k->param[i];
        bool number =
            str_is(p->type, "constexpr") && p->value.kind == CONST_PLAIN && p->value.plain.kind == PY_INT;
        if (number && p->value.plain.i > 1) elements *= (double)p->value.plain.i;
    }
    return elements;
}

bool launches_of_run(const RecordedRun *run, RankLaunches *out) {
    *out = (RankLaunches){.launches = 0};
    for (int i = run->setups; i < run->steps; i++) {
        const RunStep *s = &run->step[i];
        if (s->kind != STEP_LAUNCH || s->choices < 1) continue;
        if (out->launches == RANK_LAUNCHES_MAX) return out->launches = 0, false;
        const RunLaunch *l = &s->choice[0];
        const RunKernel *k = &run->kernel[l->kernel];
        out->at[out->launches++] = (RankLaunch){.programs = l->grid[0] * l->grid[1] * l->grid[2],
                                                .warps = k->option.num_warps,
                                                .tile = tile_elements(k)};
    }
    return out->launches > 0;
}

// Rows and their length say all of its sizes.
static bool has_plain_sizes(const Op *op) {
    for (int d = 0; d < op->dims; d++)
        if (d != op->rows_dim && d != op->row_dim && op->dim[d].of < 0) return false;
    return true;
}

bool launches_at(ForkServers *servers, const LaunchesAsk *ask, int64_t rows, int64_t row, RankLaunches *out,
                 Err *e) {
    Arena a = {0};
    RecordAsk record = {.source = ask->source, .extras = ask->extras};
    int64_t size[OP_DIMS_MAX] = {0};
    Recording got = {.ok = false};
    const Op *op = ask->op;
    *out = (RankLaunches){.launches = 0};
    if (!has_plain_sizes(op)) return true;
    if (op->rows_dim >= 0) size[op->rows_dim] = rows;
    size[op->row_dim] = row;
    op_sizes_fit(op, size);
    bool ok = record_order(op, size, ask->dtype, ask->processors, &record.order, e) &&
              record_run(servers, &a, &record, &got, e);
    if (ok && got.ok) (void)launches_of_run(&got.run, out);
    arena_free(&a);
    return ok;
}
