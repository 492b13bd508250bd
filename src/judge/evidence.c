#include "judge/evidence.h"

#include "cases/plan.h"

static bool had(const Draw *d, const Verdict *v, int64_t size) {
    if (size <= v->every_size) return true;
    for (int i = 0; i < v->tries; i++)
        if (v->tried[i] == size) return true;
    for (int i = 0; i < d->cases; i++)
        for (int k = 0; k < d->op->dims; k++)
            if ((k == d->op->row_dim || k == d->op->rows_dim) && d->truth[i].dim[k] == size) return true;
    return false;
}

void evidence_sizes(const Draw *d, Verdict *v) {
    const Coverage *c = &v->coverage;
    v->untesteds = 0;
    for (int i = 0; i < c->constants; i++)
        if (!had(d, v, c->size[i])) v->untested[v->untesteds++] = c->size[i];
    for (int i = 0; i < c->beyonds; i++)
        if (!had(d, v, c->beyond[i])) v->untested[v->untesteds++] = c->beyond[i];
}

static void put_sizes(Buf *out, const char *prefix, const char *what, const int64_t *size, int n, bool more) {
    if (n == 0) return;
    buf_printf(out, "%s%s", prefix, what);
    for (int i = 0; i < n; i++) buf_printf(out, "%s %lld", i ? "," : "", (long long)size[i]);
    buf_puts(out, more ? " and further ones\n" : "\n");
}

void evidence_text(Buf *out, const Verdict *v, const char *prefix) {
    if (!verdict_accepted(v)) return;
    if (v->row_bits != ROW_BITS_UNKNOWN)
        buf_printf(out, "%s%s\n", prefix,
                   v->row_bits == ROW_BITS_SAME
                       ? "a row had the same bits at another place, among other rows"
                       : "a row had other bits, within the bound, at another place or among other rows");
    if (v->metamorphic_bits != ROW_BITS_UNKNOWN)
        buf_printf(out, "%s%s\n", prefix,
                   v->metamorphic_bits == ROW_BITS_SAME
                       ? "shifts and scales that the definition declares gave the same bits"
                       : "shifts or scales that the definition declares gave other bits, within the bound");
    if (v->large.asked) {
        buf_puts(out, prefix);
        large_tensors_words(out, &v->large);
        buf_putc(out, '\n');
    }
    if (v->proved) {
        buf_puts(out, prefix);
        proved_words(out, v->proved);
        buf_putc(out, '\n');
    }
    if (v->coverage.lines > 0) {
        buf_printf(out, "%snever executed in any case: line%s ", prefix, v->coverage.lines > 1 ? "s" : "");
        coverage_words(out, &v->coverage);
        buf_puts(out, " of the source\n");
    }
    if (v->old_names)
        buf_printf(out,
                   "%snames of Triton before 3.3 were taken as what stands for them in 3.6 (--old-names)\n",
                   prefix);
    if (v->every_size > 0)
        buf_printf(
            out,
            "%severy row length up to %lld, in every dtype, and every number of rows up to %lld had a case\n",
            prefix, (long long)v->every_size,
            (long long)(v->every_size < EVERY_ROWS ? v->every_size : EVERY_ROWS));
    put_sizes(out, prefix, "also judged at sizes that the source compares with:", v->tried, v->tries, false);
    put_sizes(out, prefix, "not judged at sizes that the source compares with:", v->untested, v->untesteds,
              v->coverage.more_sizes);
}
