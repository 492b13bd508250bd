#include "explain/explain.h"

#include <math.h>

#include "cases/domain/domain.h"
#include "judge/decide/compare.h"
#include "judge/decide/contracted.h"
#include "judge/decide/decide.h"
#include "judge/shapes/asked_shape.h"

bool explain_values_matter(Status s) {
    return s == STATUS_incorrect || s == STATUS_inaccurate || s == STATUS_nan_class ||
           s == STATUS_nondeterministic;
}

static Pixel pixel_of(const Bound *b, const uint8_t *output, int64_t i) {
    double v = b->v[i], e = b->e ? b->e[i] : 0, got;
    dtype_load_row(b->dtype, output + i * dtype_bytes(b->dtype), 1, &got, 1);
    if (!(e < INFINITY) && !isnan(v)) return PIXEL_UNJUDGED;
    if (compare_needed(b->dtype, v, e, got) <= 1) return PIXEL_RIGHT;
    return isnan(v) != isnan(got) || isinf(v) != isinf(got) ? PIXEL_NAN : PIXEL_WRONG;
}

uint8_t *explain_pixels(Arena *a, const Bound *b, const uint8_t *output, const uint8_t *flags) {
    uint8_t *pixel = NEWN(a, uint8_t, (size_t)b->numel + 1);
    for (int64_t i = 0; i < b->numel; i++)
        pixel[i] = flags[i] & SHADOW_STORED ? (uint8_t)pixel_of(b, output, i) : PIXEL_UNWRITTEN;
    return pixel;
}

static const CaseReport *ran(const Watched *w, int index) {
    if (index < 0 || index >= w->reports || w->report[index].kind != REPORT_RAN) return NULL;
    return &w->report[index];
}

// ---- the region

// The output has the right shape and type: otherwise its elements are nobody's.
static bool comparable(const ReportOutput *o, const Bound *b) {
    return o->dtype == (int32_t)b->dtype && shape_matches(o, b);
}

// The tile of the access that stored the most, in a case of one launch. A tile of rank 1 lies within a row,
// or, when there are as many programs as tiles in the flattened output, goes on in the next one.
static void find_tile(RegionMap *p, const Trace *t, const CaseReport *r) {
    const Traced *most = NULL;
    for (int64_t i = 0; i < t->n && i < TRACED_MAX; i++)
        if (t->access[i].stored > (most ? most->stored : 0)) most = &t->access[i];
    if (!most || most->rows < 1 || most->columns < 1) return;
    p->tile_rows = most->rows;
    p->tile_columns = most->columns;
    int64_t all = p->rows * p->columns, tiles = (all + most->columns - 1) / most->columns;
    int64_t by_row = p->rows * ((p->columns + most->columns - 1) / most->columns);
    p->flat = most->rows == 1 && r->count.launches == 1 && r->count.programs == tiles && tiles != by_row;
}

static void tally_classes(Explanation *x, const Draw *d) {
    const CaseTruth *t = &d->truth[x->case_index];
    const Bound *b = truth_output(t, x->v.decision.output);
    Arena scratch = {0};
    bool *bad = NEWN(&scratch, bool, (size_t)t->lines + 1);
    for (int64_t i = 0; i < b->numel; i++)
        if (x->picture.pixel[i] >= PIXEL_WRONG) bad[d->domain->kind->line_of(d->domain, t, b, i)] = true;
    for (int64_t line = 0; line < t->lines && b->numel >= t->lines; line++) {
        if (t->line_class[line] == CLASS_module) continue; // a whole case, or an element that no line has
        int k = 0;
        while (k < x->tallies && x->tally[k].cls != (ClassId)t->line_class[line]) k++;
        if (k == x->tallies) x->tally[x->tallies++] = (ClassTally){.cls = (ClassId)t->line_class[line]};
        x->tally[k].rows++;
        x->tally[k].bad += bad[line];
    }
    arena_free(&scratch);
}

static void find_region(Arena *a, Explanation *x, const Draw *d, const Watched *w) {
    const CaseReport *r = ran(w, x->case_index);
    int output = x->v.decision.output;
    const Bound *b = truth_output(&d->truth[x->case_index], output);
    if (!r || !w->output || !comparable(&r->output[output], b) || b->numel == 0) return;
    const CaseSpec *spec = &d->spec[x->case_index];
    int64_t from = spec->output[output].at;
    int run = x->v.decision.status == STATUS_nondeterministic && r->again > 0;
    if (strcmp(x->v.decision.rule, "contracted") == 0)
        run = contracted_run(a, d, x->case_index, r, w->output);
    x->picture = (RegionMap){.pixel = explain_pixels(a, b, w->output + spec_output_at(spec, run) + from,
                                                     w->flags + spec->output_at + from),
                             .columns = b->rank ? b->shape[b->rank - 1] : 1,
                             .line = b->rank == 1 && d->domain->slices < 0};
    x->picture.rows = b->numel / x->picture.columns;
    find_tile(&x->picture, &w->trace[x->case_index], r);
    x->region = region_map_region(&x->picture);
    tally_classes(x, d);
}

// ---- traffic

static Str line_text(Str source, int line) {
    Str s = source_line(source, line);
    while (s.len && (*s.p == ' ' || *s.p == '\t')) s.p++, s.len--;
    while (s.len && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\r')) s.len--;
    return s;
}

static void add_line(Explanation *x, Str source, const Traced *t) {
    if (t->at > source.len || t->loaded < 0 || t->stored < 0) return; // a child may write anything here
    int line = line_col(source, t->at).line, k = 0;
    while (k < x->lines && x->line[k].line != line) k++;
    if (k == x->lines) x->line[x->lines++] = (LineTraffic){.line = line, .text = line_text(source, line)};
    x->line[k].loaded += t->loaded < (int64_t)1 << 52 ? t->loaded : 0;
    x->line[k].stored += t->stored < (int64_t)1 << 52 ? t->stored : 0;
}

static void find_traffic(Arena *a, Explanation *x, const Draw *d, Str source, const Watched *w) {
    int at = d->traffic_case;
    const CaseReport *r = ran(w, at);
    if (!r && w->reports > 0) { // stopped before: the last case that began
        r = &w->report[w->reports - 1];
        at = r->case_index;
        x->traffic_cut = true;
    }
    if (!r || at < 0 || at >= d->cases || r->count.launches == 0 || !w->trace) return;
    Buf name = BUF(a);
    truth_name(&name, d, at);
    x->traffic_words = buf_cstr(&name);
    x->count = r->count;
    const CaseSpec *spec = &d->spec[at];
    for (int i = 0; i < spec->inputs; i++) {
        int64_t n = 1;
        if (shape_numel(spec->input[i].shape, spec->input[i].rank, &n))
            x->input_bytes += n * dtype_bytes((DType)spec->input[i].dtype);
    }
    x->output_bytes = spec->output_bytes;
    const Trace *t = &w->trace[at];
    x->line = NEWN(a, LineTraffic, TRACED_MAX);
    for (int64_t i = 0; i < t->n && i < TRACED_MAX; i++) add_line(x, source, &t->access[i]);
    for (int i = 1; i < x->lines; i++) { // few: by place in the source
        LineTraffic l = x->line[i];
        int j = i;
        for (; j > 0 && x->line[j - 1].line > l.line; j--) x->line[j] = x->line[j - 1];
        x->line[j] = l;
    }
}

// One draw: its verdict, and what can be seen of it.
static bool explain_drawn(const Explainer *by, const Draw *d, const PlannedCase *plan, Explanation *x,
                          Err *e) {
    Arena *a = by->a;
    const ExplainRequest *q = by->q;
    Watched w = {.without_gaps = q->filter.n == 0 && q->filter.dtype < 0};
    referee_watch(by->r, a, d, q->source, &x->v, &w);
    x->v.judged.only = q->filter;
    if (q->filter.n > 0) asked_shape_drawn(d, &x->v.judged);
    // Of an undecided program no case has failed: there is nothing to look for a smaller one of.
    bool undecided = status_class(x->v.decision.status) == CLASS_UNDECIDED;
    x->case_index = undecided ? -1 : x->v.decision.case_number - 1;
    if (x->v.decision.found && x->v.decision.placed && w.reports > 0) {
        const CaseReport *last = &w.report[w.reports - 1];
        x->finding = (Diag){(DiagKind)last->finding, x->v.decision.place,
                            arena_strndup(a, last->message, strlen(last->message))};
    }
    if (x->case_index >= 0) {
        Buf name = BUF(a);
        truth_name(&name, d, x->case_index);
        x->case_words = buf_cstr(&name);
        x->any_class =
            !explain_values_matter(x->v.decision.status) || strcmp(x->v.decision.rule, "unread") == 0;
        x->cls = truth_class(d, x->case_index, x->v.decision.output,
                             x->v.decision.element >= 0 ? x->v.decision.element : 0);
        find_region(a, x, d, &w);
    }
    find_traffic(a, x, d, q->source, &w);
    return !q->minimize || x->case_index < 0 || explain_shrink(by, d, plan, x, &x->minimal, e);
}

// The cases of which judging has found one that fails. Their draw is of level quick because configs are not
// turned. *y: what came of them.
static bool explain_added(const Explainer *by, const AddedCases *added, Explanation *y, Err *e) {
    const ExplainRequest *q = by->q;
    DrawRequest of = {
        .op = q->op, .level = LEVEL_QUICK, .seed = added->seed, .plan = added->plan, .cases = added->cases};
    if (added->domain) of.op = added->domain->op, of.domain = added->domain;
    Draw more;
    *y = (Explanation){.case_index = -1, .of_sizes = true};
    if (!draw_make(by->a, referee_pool(by->r), &of, &more, e)) return false;
    bool ok = explain_drawn(by, &more, added->plan, y, e);
    draw_free(&more);
    y->v.judged.level = q->level;
    return ok;
}

// What follows for a candidate that has passed the draw: further cases for sizes and branches, production
// shapes, large tensors, lines that no case has reached. All of it is the referee's own judgment.
static bool explain_beyond(const Explainer *by, const Draw *d, Explanation *x, Err *e) {
    AddedCases added = {.filter = by->q->filter};
    Explanation y;
    Verdict v;
    referee_judge_on(by->r, by->a, d, by->q->source, &v, &added);
    x->v = v;
    x->case_index = -1;
    if (!verdict_accepted(&v)) x->finding = (Diag){0};
    if (status_class(v.decision.status) != CLASS_REJECTED) return true;
    if (v.decision.placed && added.cases == 0 && v.evidence.large.why[0])
        x->finding = (Diag){DIAG_OOB, v.decision.place, x->v.evidence.large.why};
    if (added.cases == 0) return true;
    if (!explain_added(by, &added, &y, e)) return false;
    if (status_class(y.v.decision.status) != CLASS_REJECTED) return true; // one of several runs: a clock, say
    y.v = v;
    *x = y;
    return true;
}

// What is rejected at a module's small sizes may be right where they keep more of what divides the published
// ones.
static void explain_aligned(const Explainer *by, const Draw *d, Explanation *x) {
    AddedCases added = {.filter = by->q->filter};
    Verdict v;
    referee_judge_on(by->r, by->a, d, by->q->source, &v, &added);
    if (status_class(v.decision.status) == CLASS_REJECTED) return;
    *x = (Explanation){.v = v, .case_index = -1};
}

bool explain(Referee *r, Arena *a, const ExplainRequest *q, Explanation *x, Err *e) {
    *x = (Explanation){.case_index = -1};
    Explainer by = {.r = r, .a = a, .q = q};
    Draw d;
    const PlannedCase *plan;
    DrawRequest of = {
        .op = q->op, .level = q->level, .seed = q->seed, .filter = &q->filter, .planned = &plan};
    if (!draw_make(a, referee_pool(r), &of, &d, e)) return false;
    bool ok = explain_drawn(&by, &d, plan, x, e);
    bool further = q->op->form || q->level == LEVEL_FULL; // of a module: who did the work
    if (ok && further && verdict_accepted(&x->v)) ok = explain_beyond(&by, &d, x, e);
    if (ok && q->op->form && status_class(x->v.decision.status) == CLASS_REJECTED)
        explain_aligned(&by, &d, x);
    if (ok && q->prove && verdict_accepted(&x->v)) ok = explain_prove(r, a, q, &x->strength, e);
    draw_free(&d);
    return ok;
}
