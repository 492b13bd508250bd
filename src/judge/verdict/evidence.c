#include "judge/verdict/evidence.h"

#include <math.h>

#include "cases/domain/domain.h"

static bool had(const Draw *d, const Evidence *e, int64_t size) {
    if (size <= e->every_size) return true;
    for (int i = 0; i < e->tries; i++)
        if (e->tried[i] == size) return true;
    for (int i = 0; i < d->cases; i++)
        for (int k = 0; k < d->op->dims; k++)
            if (domain_counts(d->domain, k) && d->truth[i].dim[k] == size) return true;
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

// A size that was a row's length is none that was a number of rows.
static void put_tried(Buf *out, const char *prefix, const char *what, int as, const Evidence *e) {
    int64_t size[COVERAGE_SIZES_MAX + COVERAGE_BEYOND_MAX];
    int n = 0;
    for (int i = 0; i < e->tries; i++)
        if (e->tried_as[i] & as) size[n++] = e->tried[i];
    char line[80];
    snprintf(line, sizeof line, "also judged at %s that its numbers and conditions lead to:", what);
    put_sizes(out, prefix, line, size, n, false);
}

static void put_cases(Buf *out, const Verdict *v, const char *prefix) {
    if (v->cases.run == 0)
        buf_printf(out, "%scases: none ran to its end, so no value was compared\n", prefix);
    else if (verdict_accepted(v))
        buf_printf(out, "%scases: %d of %d passed\n", prefix, v->cases.passed, v->cases.run);
    else if (v->cases.passed == v->cases.run)
        buf_printf(out, "%scases: %d passed, then judging stopped\n", prefix, v->cases.run);
    else
        buf_printf(out, "%scases: %d of %d passed; the other cases were only searched for a worse failure\n",
                   prefix, v->cases.passed, v->cases.run);
    const DrawFilter *only = &v->judged.only;
    if (verdict_restricted(v))
        buf_printf(out, "%snot covered: any other %s\n", prefix,
                   only->m <= 0       ? "dtype"
                   : only->dtype <= 0 ? "shape"
                                      : "shape or dtype");
    if (verdict_shape_cut(v))
        buf_printf(out, "%svalues were drawn for %s%s%s\n", prefix, v->judged.drawn,
                   v->judged.copied ? "; all rows of the asked shape are copies of a few" : "",
                   v->judged.copied || v->judged.level == LEVEL_FULL
                       ? ""
                       : ": more of the asked shape is judged at full alone");
    if (only->m <= 0 && !v->domain.module)
        buf_printf(out, "%slevel %s: %s\n", prefix, level_name(v->judged.level),
                   level_words(v->judged.level));
}

// "float32 7x129 strided uniform_60", and what the rows of such a class hold.
static void put_worst_case(Buf *out, const Worst *w) {
    const char *last = strrchr(w->where, ' ');
    for (ClassId c = 0; last && c < CLASS_COUNT; c++) {
        if (strcmp(last + 1, class_name(c)) != 0) continue;
        buf_printf(out, "%.*s, class %s (%s)", (int)(last - w->where), w->where, class_name(c),
                   class_words(c));
        return;
    }
    buf_puts(out, w->where);
}

// In shares of the allowed error: what is allowed differs from element to element, and so would a number in
// any other unit.
static void put_largest_error(Buf *out, const Verdict *v, const char *prefix) {
    const Worst *w = &v->cases.worst;
    if (!*w->where) return;
    double percent = 100 * w->use;
    buf_puts(out, prefix);
    if (v->decision.status == STATUS_nan_class)
        buf_puts(out, "largest error: NaN or infinity where the reference has none, or the reverse, on ");
    else if (isinf(w->use))
        buf_puts(out, "largest error: some where none is allowed, on ");
    else if (w->use > 1)
        buf_printf(out, "largest error: %.*g times the allowed error, on ",
                   w->use >= 10 && w->use < 1e6 ? 6 : 3, w->use < 10 ? w->use : round(w->use));
    else if (w->use <= 0)
        buf_puts(out, "largest error: none beyond rounding to the output's type, as on ");
    else
        buf_printf(out, "largest error: %.*f %% of the allowed error, on ", percent < 1 ? 2 : 0, percent);
    if (*w->output) buf_printf(out, "output %s of ", w->output);
    put_worst_case(out, w);
    buf_putc(out, '\n');
}

// Shapes as in production: one line for those that came out right, one for each that did not.
static void put_production(Buf *out, const Production *p, const char *what, const char *prefix) {
    int told = 0;
    for (int i = 0; i < p->notes; i++) {
        if (p->note[i].said != PRODUCTION_RIGHT) continue;
        if (told++ == 0)
            buf_printf(out, "%s%s: right on ", prefix, what);
        else
            buf_puts(out, ", ");
        buf_printf(out, "%s%s", p->note[i].shape, p->note[i].few ? " (a few programs)" : "");
    }
    if (told) buf_putc(out, '\n');
    for (int i = 0; i < p->notes; i++)
        if (p->note[i].said != PRODUCTION_RIGHT)
            buf_printf(out, "%snot covered: %s, %s%s\n", prefix, p->note[i].shape,
                       p->note[i].said == PRODUCTION_REFUSED ? "which the program refuses: " : "",
                       p->note[i].why);
}

static void put_acceptance(Buf *out, const Verdict *v, const char *prefix) {
    const Evidence *e = &v->evidence;
    if (e->row_bits != ROW_BITS_UNKNOWN)
        buf_printf(out, "%srow position: moved among other rows, a row %s\n", prefix,
                   e->row_bits == ROW_BITS_SAME ? "gave exactly the same result"
                                                : "gave a slightly different result, within what is allowed");
    if (e->metamorphic_bits != ROW_BITS_UNKNOWN)
        buf_printf(out, "%sshifts and scales that the definition declares: %s\n", prefix,
                   e->metamorphic_bits == ROW_BITS_SAME
                       ? "exactly the same result"
                       : "a slightly different result, within what is allowed");
    if (e->every_size > 0)
        buf_printf(
            out,
            "%severy row length up to %lld, in every dtype, and every number of rows up to %lld had a case\n",
            prefix, (long long)e->every_size,
            (long long)(e->every_size < EVERY_ROWS ? e->every_size : EVERY_ROWS));
    put_tried(out, prefix, "row lengths", TRIED_LENGTH, e);
    put_tried(out, prefix, "numbers of rows", TRIED_SLICES, e);
    if (e->large.asked) {
        buf_printf(out, "%slarge tensors: ", prefix);
        large_tensors_words(out, &e->large);
        buf_putc(out, '\n');
    }
    put_production(out, &e->production, v->judged.only.m > 0 ? "asked shape" : "production shapes", prefix);
    if (e->proved) {
        buf_puts(out, prefix);
        proved_words(out, e->proved);
        buf_putc(out, '\n');
    } else if (e->unproved) {
        buf_printf(out, "%stest strength: not measured for %s\n", prefix, e->unproved);
    }
    if (v->allowed.old_names)
        buf_printf(out,
                   "%snames of Triton before 3.3 were taken as what stands for them in 3.6 (--old-names)\n",
                   prefix);
    if (e->coverage.lines > 0) {
        buf_printf(out, "%snot covered: line%s ", prefix, e->coverage.lines > 1 ? "s" : "");
        coverage_words(out, &e->coverage);
        buf_puts(out, " of the source, which no case executed\n");
    }
    if (!v->domain.module)
        put_sizes(out, prefix, "not covered: sizes that the source compares with:", e->untested, e->untesteds,
                  e->coverage.more_sizes);
    bool could = v->judged.level == LEVEL_FULL && !verdict_restricted(v) &&
                 !v->domain.module; // --every-size may be given
    buf_printf(out, "%snot covered: speed on a GPU%s%s\n", prefix,
               e->every_size > 0 ? "" : ", and sizes that no case had",
               e->every_size > 0 || !could ? "" : " (--every-size N tries all up to N)");
}

// Not what was tried, and not what an acceptance speaks of.
static void put_domain(Buf *out, const OpDomain *d, const char *prefix) {
    if (d->contiguous && !d->module)
        buf_printf(out,
                   "%sdomain: contiguous inputs, some at storage offsets or unaligned; not covered: inputs "
                   "with gaps between their rows\n",
                   prefix);
    if (d->published)
        buf_printf(out,
                   "%sdomain: published; not covered: the other scales, signs and ranges that the definition "
                   "declares\n",
                   prefix);
}

void evidence_text(Buf *out, const Verdict *v, const char *prefix) {
    put_domain(out, &v->domain, prefix);
    if (v->rounding.len)
        buf_printf(out,
                   "%srounding: values were judged by the definition's \"%.*s\" instead of its reference\n",
                   prefix, STR_ARG(v->rounding));
    put_cases(out, v, prefix);
    put_largest_error(out, v, prefix);
    if (verdict_accepted(v)) put_acceptance(out, v, prefix);
}
