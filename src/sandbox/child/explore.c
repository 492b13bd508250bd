#include "sandbox/child/explore.h"

#include "host/candidate/written_gpu.h"

// ---- both sides

static const DType float_types[EXPLORE_GAPS] = {DT_F16, DT_BF16, DT_F32};

DType explore_dtype(int way) { return float_types[way % EXPLORE_GAPS]; }

int explore_way(DType dtype, bool gaps) {
    int way = gaps ? EXPLORE_GAPS : 0;
    for (int i = 0; i < EXPLORE_GAPS; i++)
        if (float_types[i] == dtype) way += i;
    return way;
}

void explore_domain(const Op *op, int slices, int length, ExploreDomain *out) {
    *out = (ExploreDomain){
        .inputs = op->inputs, .dims = op->dims, .slices = slices, .length = length, .outputs = op->outputs};
    for (int k = 0; k < op->outputs; k++) out->output[k] = op->output[k].init;
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        out->input[i].rank = in->rank;
        out->input[i].dtype = in->any_float ? -1 : (int32_t)in->dtype;
        for (int k = 0; k < in->rank; k++) {
            out->input[i].dim[k] = in->dim[k];
            out->input[i].size[k] = in->size[k];
        }
    }
    for (int i = 0; i < op->dims; i++) {
        out->dim[i].multiple_of = op->dim[i].multiple_of;
        out->dim[i].min = op->dim[i].min;
        out->dim[i].max = op->dim[i].max;
        out->dim[i].of = op->dim[i].of;
        out->dim[i].divisor = op->dim[i].divisor;
    }
}

static int64_t fit(const ExploreDomain *d, int i, int64_t n) {
    int64_t step = d->dim[i].multiple_of > 0 ? d->dim[i].multiple_of : 1, max = d->dim[i].max;
    if (n < 1) n = 1;
    if (n > OP_SIZE_MAX) n = OP_SIZE_MAX;
    n = (n + step - 1) / step * step;
    if (n < d->dim[i].min) n = (d->dim[i].min + step - 1) / step * step;
    if (max > 0 && n > max) n = max / step * step;
    return n < 1 ? step : n;
}

void explore_fit(const ExploreDomain *d, int64_t size[OP_DIMS_MAX]) {
    for (int i = 0; i < OP_DIMS_MAX; i++) size[i] = i < d->dims ? fit(d, i, size[i]) : 0;
    for (int i = 0; i < d->dims; i++)
        if (d->dim[i].of >= 0) size[i] = size[d->dim[i].of] / d->dim[i].divisor;
}

int64_t explore_elements(const ExploreDomain *d, const int64_t size[OP_DIMS_MAX]) {
    int64_t sum = 0;
    for (int i = 0; i < d->inputs; i++) {
        int64_t n = 1;
        for (int k = 0; k < d->input[i].rank; k++) {
            int at = d->input[i].dim[k];
            if (__builtin_mul_overflow(n, at >= 0 ? size[at] : d->input[i].size[k], &n)) return INT64_MAX / 2;
        }
        if (__builtin_add_overflow(sum, n, &sum) || sum > INT64_MAX / 2) return INT64_MAX / 2;
    }
    return sum;
}

static const char *const entry_words[EXPLORE_ENTRIES] = {"", " entry", " computed entry"};

// ---- the parent's side

// " 61": from 1 to `most`, without a leading zero.
static bool number_read(const char **p, int64_t most, int64_t *out) {
    const char *s = *p;
    int64_t x = 0;
    if (s[0] != ' ' || s[1] < '1' || s[1] > '9') return false;
    for (s++; *s >= '0' && *s <= '9'; s++) {
        x = x * 10 + (*s - '0');
        if (x > most) return false;
    }
    return *p = s, *out = x, true;
}

// "sizes 5 61 ways 3 gap 8 processors 132": a size for each dimension, within the domain.
static bool point_read(const ExploreDomain *d, const char *s, ExplorePoints *out, int i) {
    static const char sizes[] = "sizes", ways[] = " ways", gap[] = " gap", processors[] = " processors",
                      before[] = " before";
    int64_t fitted[OP_DIMS_MAX], way, count, times = 0, *size = out->size[i];
    if (strncmp(s, sizes, sizeof sizes - 1) != 0) return false;
    s += sizeof sizes - 1;
    for (int k = 0; k < d->dims; k++)
        if (!number_read(&s, OP_SIZE_MAX, &size[k])) return false;
    if (strncmp(s, ways, sizeof ways - 1) != 0) return false;
    s += sizeof ways - 1;
    if (!number_read(&s, (1 << EXPLORE_WAYS) - 1, &way)) return false;
    if (strncmp(s, gap, sizeof gap - 1) != 0) return false;
    s += sizeof gap - 1;
    if (!number_read(&s, EXPLORE_GAP_MOST, &out->gap[i])) return false;
    if (strncmp(s, processors, sizeof processors - 1) != 0) return false;
    s += sizeof processors - 1;
    if (!number_read(&s, GPU_WRITTEN_MOST, &count)) return false;
    if (strncmp(s, before, sizeof before - 1) == 0) {
        s += sizeof before - 1;
        if (!number_read(&s, EXPLORE_BEFORE_MAX, &times)) return false;
    }
    int entry = 0;
    while (entry < EXPLORE_ENTRIES && strcmp(s, entry_words[entry]) != 0) entry++;
    if (entry == EXPLORE_ENTRIES) return false;
    out->entry[i] = (uint8_t)entry;
    out->before[i] = (uint8_t)times;
    if (count > GPU_PROCESSORS_MOST && count < GPU_WRITTEN) return false;
    out->processors[i] = (int32_t)count;
    out->ways[i] = (uint8_t)way;
    memcpy(fitted, size, sizeof fitted);
    explore_fit(d, fitted);
    return memcmp(fitted, size, sizeof fitted) == 0 && explore_elements(d, size) < EXPLORE_ELEMENTS;
}

bool explore_read(const ExploreDomain *d, const CaseReport *report, int n, ExplorePoints *out) {
    *out = (ExplorePoints){0};
    if (n < 1 || n > EXPLORE_POINTS_MAX + 1) return false;
    for (int i = 0; i < n; i++) {
        const CaseReport *r = &report[i];
        bool last = i == n - 1;
        if (r->magic != WIRE_MAGIC || r->kind != (last ? REPORT_DONE : REPORT_RAN)) return false;
        if (r->case_index != (last ? -1 : i)) return false;
    }
    ExplorePoints p = {.n = n - 1};
    for (int i = 0; i < p.n; i++)
        if (!point_read(d, report[i].message, &p, i)) return false;
    *out = p;
    return true;
}

// ---- the child's side

void explore_say(const ExploreDomain *d, const ExplorePoints *p, int i, Buf *out) {
    buf_puts(out, "sizes");
    for (int k = 0; k < d->dims; k++) buf_printf(out, " %lld", (long long)p->size[i][k]);
    buf_printf(out, " ways %u gap %lld processors %d", (unsigned)p->ways[i], (long long)p->gap[i],
               p->processors[i]);
    if (p->before[i]) buf_printf(out, " before %d", p->before[i]);
    buf_puts(out, entry_words[p->entry[i]]);
}

// ---- conditions of no interest

typedef struct {
    uint8_t *dull;
    size_t bytes;
} Dull;

static void dull_span(Dull *d, const Node *n) {
    for (size_t i = n->span.at; i < d->bytes && i < (size_t)n->span.at + n->span.len; i++) d->dull[i] = 1;
}

static bool ends_in_raise(const Nodes *b) { return b->n > 0 && b->at[b->n - 1]->kind == NODE_RAISE; }

static void dull_find(void *arg, const Node *n) {
    if (n->kind == NODE_ASSERT) dull_span(arg, n);
    if (n->kind == NODE_IF && ends_in_raise(&n->branch.then)) dull_span(arg, n->branch.cond);
    node_each_child(n, dull_find, arg); // a tree's height is bounded
}

uint8_t *explore_dull(Arena *a, const Node *module, size_t bytes) {
    Dull d = {NEWN(a, uint8_t, bytes + 1), bytes};
    dull_find(&d, module);
    return d.dull;
}
