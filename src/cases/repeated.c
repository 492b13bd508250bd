#include "cases/repeated.h"

#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/draw.h"

enum { ALIGN = 64, OTHER_SIZE = 8, SHIFT = 7, FEW_ROWS = 11, BYTES_MOST = 512 << 20 };
static const int64_t sparse_most = (int64_t)1 << 35;
static const int64_t block_rows[] = {61, 67, 71, 73, 79, 83, 89, 97};
enum { BLOCKS = sizeof block_rows / sizeof *block_rows };

static int64_t aligned(int64_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static int64_t row_bytes(const CaseTensor *t) {
    int64_t n = dtype_bytes((DType)t->dtype);
    for (int d = 1; d < t->rank; d++) n *= t->shape[d];
    return n;
}

// Another block of some of its rows, at other places and twice: every answer has to come along, bit for bit.
static int64_t other_row(int64_t r, int64_t rows) { return (r / 2 + SHIFT) % rows; }

static bool output_follows(const Bound *was, const Bound *now, int64_t rows) {
    if (was->rank < 1 || was->shape[0] != rows || now->numel != was->numel || !now->e != !was->e)
        return false;
    for (int64_t r = 0, n = was->numel / rows; r < rows; r++) {
        int64_t from = other_row(r, rows) * n;
        if (memcmp(now->v + r * n, was->v + from, (size_t)n * sizeof(double)) != 0 ||
            (now->e && memcmp(now->e + r * n, was->e + from, (size_t)n * sizeof(double)) != 0))
            return false;
    }
    return true;
}

static bool has_slices(const Domain *m, int input) { return m->slice_axis[input] == 0; }

static bool rows_independent(const Draw *d, int64_t rows) {
    const Bound *was = d->truth[0].expected;
    if (was->rank < 1 || was->shape[0] != rows) return false;
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    uint8_t *map = arena_raw(&a, d->bytes, ALIGN);
    memcpy(map, d->mapping, d->bytes);
    for (int i = 0; i < d->op->inputs; i++) {
        const CaseTensor *t = &d->spec[0].input[i];
        int64_t bytes = row_bytes(t);
        for (int64_t r = 0; r < rows && has_slices(d->domain, i); r++)
            memcpy(map + t->at + r * bytes, d->mapping + t->at + other_row(r, rows) * bytes, (size_t)bytes);
    }
    const Bound *now = domain_answer(&a, d->domain, map, &d->spec[0], NULL, &diags);
    bool same = now != NULL;
    for (; same && was; was = was->also, now = now->also) same = output_follows(was, now, rows);
    arena_free(&a);
    return same;
}

static void lay_outputs(const RepeatedRequest *q, const Draw *block, int64_t rows, CaseSpec *spec) {
    int64_t had = block->truth[0].slices, kept = q->windows ? WINDOWS * WINDOW_ROWS : rows;
    int64_t bytes[WIRE_OUTPUTS_MAX];
    const Bound *b = block->truth[0].expected;
    draw_outputs(q->op, b, spec);
    for (int k = 0; b; k++, b = b->also)
        bytes[k] = kept == had ? spec->output[k].bytes : b->numel / had * kept * dtype_bytes(b->dtype);
    spec_outputs(spec, bytes);
}

static int64_t tensors_at(void) { return sizeof(DrawHeader) + sizeof(CaseSpec); }

// The case of all rows: as the block's, but without gaps and with more of them.
static bool lay_out(const RepeatedRequest *q, const Draw *block, int64_t rows, CaseSpec *spec,
                    size_t *bytes) {
    CaseTensor *input = spec->input;
    *spec = block->spec[0];
    spec->input = input;
    int64_t at = aligned(tensors_at() + spec->inputs * (int64_t)sizeof *input), all = at;
    for (int i = 0; i < q->op->inputs; i++) {
        CaseTensor *t = &input[i];
        *t = block->spec[0].input[i];
        if (has_slices(block->domain, i) && rows != t->shape[0]) {
            t->held = q->block_only && !q->windows ? t->bytes : 0;
            t->bytes = rows * row_bytes(t);
            t->shape[0] = rows;
        }
        t->at = at;
        t->marks = 0;
        all += aligned(t->bytes);
        at += aligned(t->held ? t->held : t->bytes);
    }
    spec->again = spec->contract = 0;
    spec->any_config = 1;
    spec->origin_at = spec->output_at = 0;
    lay_outputs(q, block, rows, spec);
    spec->steps = q->steps;
    spec->windows = q->windows;
    spec->period = rows != block->truth[0].slices ? block->truth[0].slices : 0;
    // Such that half of the programs and a quarter of them lie where a limit is (machine.h): in the windows.
    spec->sampled = q->windows ? (int64_t)1 << 32 : 0;
    *bytes = (size_t)at;
    return all <= (q->windows ? sparse_most : BYTES_MOST) && spec->output_bytes <= BYTES_MOST;
}

// Each copy doubles what is there.
static void fill(const Draw *block, const CaseSpec *spec, int input, uint8_t *map) {
    const CaseTensor *from = &block->spec[0].input[input], *to = &spec->input[input];
    size_t done = (size_t)(from->bytes < to->bytes ? from->bytes : to->bytes),
           all = (size_t)(to->held ? to->held : to->bytes);
    memcpy(map + to->at, block->mapping + from->at, done);
    for (size_t n; done < all; done += n) {
        n = all - done < done ? all - done : done;
        memcpy(map + to->at + done, map + to->at, n);
    }
}

// The rows of the windows alone, each as the block says; all others stay holes of the file.
static void fill_windows(const Draw *block, const CaseSpec *spec, int input, uint8_t *map) {
    const CaseTensor *from = &block->spec[0].input[input], *to = &spec->input[input];
    int64_t bytes = row_bytes(to), rows = to->shape[0];
    for (int k = 0; k < WINDOWS; k++)
        for (int64_t r = spec_window_at(rows, k), end = r + WINDOW_ROWS; r < end; r++)
            memcpy(map + to->at + r * bytes, block->mapping + from->at + r % from->shape[0] * bytes,
                   (size_t)bytes);
}

static bool write_case(const RepeatedRequest *q, const CaseSpec *spec, Repeated *r, Err *e) {
    if (!sealed_take(r->bytes, "rows", &r->memory, e)) return false;
    uint8_t *p = r->memory.map;
    r->fd = r->memory.fd;
    *(DrawHeader *)p = (DrawHeader){.magic = WIRE_MAGIC, .cases = 1};
    int64_t at = tensors_at();
    wire_put(p, &at, spec, (CaseSpec *)(p + sizeof(DrawHeader)));
    for (int i = 0; i < q->op->inputs; i++) {
        bool few = spec->windows && has_slices(r->block.domain, i);
        (few ? fill_windows : fill)(&r->block, spec, i, p);
    }
    return sealed_close(&r->memory, "rows", e);
}

RepeatedMade repeated_make(Arena *a, const RepeatedRequest *q, Repeated *out, Err *e) {
    const Op *op = q->op;
    const Domain *m = q->domain ? q->domain : domain_make(a, op);
    *out = (Repeated){.fd = -1, .block.fd = -1, .seed = q->seed};
    PlannedCase plan = {.dtype = q->dtype,
                        .extremes = q->extremes,
                        .processors = q->processors,
                        .strided = q->strided ? op_all_inputs(op) : 0};
    int64_t *dim = plan.dim,
            most = q->windows ? FEW_ROWS : block_rows[rng_mix(q->seed, 0x626c6f636b) % BLOCKS];
    for (int d = 0; d < op->dims; d++) dim[d] = d == m->slices ? q->slices : OTHER_SIZE;
    domain_set_length(m, q->length, dim);
    if (q->dim) memcpy(dim, q->dim, sizeof plan.dim);
    plan_fit(op, dim);
    int64_t rows = domain_slices(m, dim);
    bool repeats = rows > most;
    if (!q->dim && (domain_length(m, dim) < q->length || (m->slices >= 0 && rows < q->slices)))
        return REPEATED_UNFIT;
    if (repeats) {
        dim[m->slices] = most;
        plan_fit(op, dim);
        if (q->strided || dim[m->slices] != most || !domain_slices_first(m)) return REPEATED_UNFIT;
    } else {
        plan.wide = rows < most / 2;
    }
    Pool *alone = pool_open(1); // candidates are judged side by side already
    bool ok = draw_make(a, alone,
                        &(DrawRequest){.op = op,
                                       .domain = m,
                                       .level = LEVEL_FULL,
                                       .seed = q->seed,
                                       .plan = &plan,
                                       .cases = 1,
                                       .called_once = true},
                        &out->block, e);
    pool_close(alone);
    if (!ok) return REPEATED_FAILED;
    CaseSpec *spec = NEW(a, CaseSpec);
    spec->input = NEWN(a, CaseTensor, (size_t)op->inputs + 1);
    out->slices = rows;
    out->spec = spec;
    bool fits =
        (!repeats || rows_independent(&out->block, most)) && lay_out(q, &out->block, rows, spec, &out->bytes);
    out->output_bytes = (size_t)spec->output_bytes;
    if (fits && write_case(q, spec, out, e)) return REPEATED_MADE;
    repeated_free(out);
    return fits ? REPEATED_FAILED : REPEATED_UNFIT;
}

void repeated_free(Repeated *r) {
    draw_free(&r->block);
    sealed_give(&r->memory);
    r->fd = -1;
}
