#include "cases/domain/rows_domain.h"

static int64_t lines(const Domain *m, int over, const int64_t *dim) {
    (void)over;
    return domain_slices(m, dim);
}

// Of an answer that has other rows than the inputs, the nearest.
static int64_t line_of(const Domain *m, const CaseTruth *t, const Bound *b, int64_t element) {
    (void)m;
    int64_t per_row = b->numel / (t->lines > 0 ? t->lines : 1);
    int64_t row = per_row > 0 ? element / per_row : 0;
    return row < t->lines ? row : t->lines - 1;
}

// Its columns. Of one value a row, the column is the value.
static Positions positions(const Domain *m, int output, const Bound *b) {
    (void)output;
    int64_t n = b->rank ? b->shape[b->rank - 1] : 1;
    if (b->rank == 1 && m->slices >= 0) n = 1;
    return (Positions){n, 1};
}

static void put_sizes(Buf *out, const Domain *m, const int64_t *dim) {
    if (m->slices >= 0) buf_printf(out, "%lldx", (long long)dim[m->slices]);
    buf_printf(out, "%lld", (long long)domain_length(m, dim));
}

static const DomainKind rows_by_columns = {
    .name = "rows x columns",
    .lines = lines,
    .line_of = line_of,
    .positions = positions,
    .put_sizes = put_sizes,
};

const Domain *rows_domain(Arena *a, const Op *op) {
    Domain *m = NEW(a, Domain);
    LineAxes *axes = NEWN(a, LineAxes, (size_t)op->inputs + 1);
    Reduction *of = NEW(a, Reduction);
    int *slice = NEWN(a, int, (size_t)op->inputs + 1);
    *m = (Domain){.kind = &rows_by_columns,
                  .op = op,
                  .slices = op->rows_dim,
                  .slice_axis = slice,
                  .output_slice = NEWN(a, int, (size_t)op->outputs + 1), // the first axis
                  .reduction = of,
                  .reductions = 1};
    *of = (Reduction){.symbols = op->row_dim >= 0, .symbol = {op->row_dim}, .input = axes};
    bool any = false, first = op->rows_dim >= 0;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        slice[i] = -1;
        for (int d = in->rank - 1; d >= 0 && op->rows_dim >= 0; d--) {
            if (in->dim[d] != op->rows_dim) continue;
            slice[i] = d;
            any = true;
            first &= d == 0;
        }
        if (in->rank > 0)
            axes[i] = (LineAxes){
                .axes = 1, .axis = {in->rank - 1}, .by_class = in->dim[in->rank - 1] == op->row_dim};
    }
    m->moves = first && any;
    return m;
}
