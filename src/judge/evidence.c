#include "judge/evidence.h"

#include "cases/plan.h"

static bool had(const Draw *d, const Evidence *e, int64_t size) {
    if (size <= e->every_size) return true;
    for (int i = 0; i < e->tries; i++)
        if (e->tried[i] == size) return true;
    for (int i = 0; i < d->cases; i++)
        for (int k = 0; k < d->op->dims; k++)
            if ((k == d->op->row_dim || k == d->op->rows_dim) && d->truth[i].dim[k] == size) return true;
    return false;
}

void evidence_sizes(const Draw *d, Evidence *e) {
    const Coverage *c = &e->coverage;
    e->untesteds = 0;
    for (int i = 0; i < c->constants; i++)
        if (!had(d, e, c->size[i])) e->untested[e->untesteds++] = c->size[i];
    for (int i = 0; i < c->beyonds; i++)
        if (!had(d, e, c->beyond[i])) e->untested[e->untesteds++] = c->beyond[i];
}

static void put_sizes(Buf *out, const char *prefix, const char *what, const int64_t *size, int n, bool more) {
    if (n == 0) return;
    buf_printf(out, "%s%s", prefix, what);
    for (int i = 0; i < n; i++) buf_printf(out, "%s %lld", i ? "," : "", (long long)size[i]);
    buf_puts(out, more ? " and further ones\n" : "\n");
}

void evidence_text(Buf *out, const Verdict *v, const char *prefix) {
    if (!verdict_accepted(v)) return;
    const Evidence *e = &v->evidence;
    if (e->row_bits != ROW_BITS_UNKNOWN)
        buf_printf(out, "%s%s\n", prefix,
                   e->row_bits == ROW_BITS_SAME
                       ? "a row had the same bits at another place, among other rows"
                       : "a row had other bits, within the bound, at another place or among other rows");
    if (e->metamorphic_bits != ROW_BITS_UNKNOWN)
        buf_printf(out, "%s%s\n", prefix,
                   e->metamorphic_bits == ROW_BITS_SAME
                       ? "shifts and scales that the definition declares gave the same bits"
                       : "shifts or scales that the definition declares gave other bits, within the bound");
    if (e->large.asked) {
        buf_puts(out, prefix);
        large_tensors_words(out, &e->large);
        buf_putc(out, '\n');
    }
    if (e->proved) {
        buf_puts(out, prefix);
        proved_words(out, e->proved);
        buf_putc(out, '\n');
    }
    if (e->coverage.lines > 0) {
        buf_printf(out, "%snever executed in any case: line%s ", prefix, e->coverage.lines > 1 ? "s" : "");
        coverage_words(out, &e->coverage);
        buf_puts(out, " of the source\n");
    }
    if (v->allowed.old_names)
        buf_printf(out,
                   "%snames of Triton before 3.3 were taken as what stands for them in 3.6 (--old-names)\n",
                   prefix);
    if (e->every_size > 0)
        buf_printf(
            out,
            "%severy row length up to %lld, in every dtype, and every number of rows up to %lld had a case\n",
            prefix, (long long)e->every_size,
            (long long)(e->every_size < EVERY_ROWS ? e->every_size : EVERY_ROWS));
    put_sizes(out, prefix, "also judged at sizes that the source compares with:", e->tried, e->tries, false);
    put_sizes(out, prefix, "not judged at sizes that the source compares with:", e->untested, e->untesteds,
              e->coverage.more_sizes);
}
