#include "judge/decide/decide.h"

#include <signal.h>

#include "cases/columns.h"
#include "cases/domain/domain.h"
#include "cases/domain/lines.h"
#include "cases/metamorphic.h"
#include "cases/twins.h"
#include "judge/decide/contracted.h"
#include "judge/decide/guesses.h"
#include "judge/decide/input_gaps.h"
#include "judge/decide/rounded_op.h"

// What a finding of the checker, the host or the VM means for the candidate, and which rule it broke.
static const struct {
    Status status;
    const char *rule;
} finding_means[DIAG_COUNT] = {
    [DIAG_WARNING] = {STATUS_referee_error, "protocol"},
    [DIAG_SYNTAX] = {STATUS_parse_reject, "syntax"},
    [DIAG_REFUSED] = {STATUS_parse_reject, "privilege"},
    [DIAG_COMPILE] = {STATUS_compile_fail, "types"},
    [DIAG_UNSUPPORTED] = {STATUS_unsupported, "unsupported"},
    [DIAG_HOST] = {STATUS_host_error, "host"},
    [DIAG_OOB] = {STATUS_oob, "memory"},
    [DIAG_UNINIT] = {STATUS_uninit_read, "memory"},
    [DIAG_WRITE] = {STATUS_input_write, "memory"},
    [DIAG_RACE] = {STATUS_race, "memory"},
    [DIAG_OVERLAP] = {STATUS_overlap, "outputs"},
    [DIAG_BUDGET] = {STATUS_timeout, "budget"},
    [DIAG_VALUE] = {STATUS_bad_value, "arithmetic"},
};

Status finding_status(DiagKind k, const char **rule) {
    *rule = finding_means[k].rule;
    return finding_means[k].status;
}

static bool word_at(Str source, size_t at, const char *word) {
    size_t n = strlen(word);
    return at + n <= source.len && memcmp(source.p + at, word, n) == 0;
}

bool report_refuses(Str source, const CaseReport *r) {
    if (strstr(r->message, "Triton Error [CUDA]")) return false;
    if (r->finding == DIAG_COMPILE) return strstr(r->message, "AssertionError") != NULL;
    if (r->finding != DIAG_HOST || r->at > source.len) return false;
    if (str_starts(str_of(r->message), "AutotunerError")) return true;
    size_t line = r->at;
    while (line > 0 && source.p[line - 1] != '\n') line--;
    // The helper that an import stands for (foreign.def) raises where the import stands.
    if (word_at(source, r->at, "from ") && strstr(r->message, "RuntimeError: Cannot launch")) return true;
    for (; line <= r->at; line++)
        if (word_at(source, line, "raise ") || word_at(source, line, "assert ")) return true;
    return false;
}

const Bound *truth_output(const CaseTruth *t, int output) {
    const Bound *b = t->expected;
    while (output-- > 0) b = b->also;
    return b;
}

ClassId truth_class(const Draw *d, int index, int output, int64_t element) {
    const CaseTruth *t = &d->truth[index];
    const Domain *m = d->domain;
    return (ClassId)t->line_class[m->kind->line_of(m, t, truth_output(t, output), element)];
}

// " strided", or of some inputs only: ", x and w strided". Without gaps, " offset".
static void put_strided(Buf *out, const Op *op, uint64_t which) {
    bool all = which == op_all_inputs(op);
    const char *between = ", ";
    for (int i = 0; i < op->inputs && !all; i++) {
        if (!(which >> i & 1)) continue;
        buf_printf(out, "%s%.*s", between, STR_ARG(op->input[i].name));
        between = " and ";
    }
    if (which) buf_puts(out, op->domain.contiguous ? " offset" : " strided");
}

void truth_name(Buf *out, const Draw *d, int index) {
    const CaseTruth *t = &d->truth[index];
    if (domain_any_float(d->domain)) buf_printf(out, "%s ", dtype_info[t->dtype].torch);
    d->domain->kind->put_sizes(out, d->domain, t->dim);
    put_strided(out, d->op, t->strided);
}

typedef struct {
    Arena *arena;
    const Draw *draw;
    Str source;
    const ChildResult *child;
    Decision *decision; // the verdict's parts
    CaseResults *cases;
    Traffic *traffic;
    Evidence *evidence;
    Columns *columns;     // that some case judged
    uint8_t *judged;      // flags of a case's elements
    int64_t stored_least; // bytes of the traffic case's output
    double worst_use;     // over all cases: which one the evidence names
    int64_t dense;        // as in gaps_note()
    uint8_t *roundings;   // the verdict's
    bool finite;          // an element is wrong by a finite amount
    int contracted;       // the case that decides if all others are right, but for contracted code; -1: none
    Comparison contracted_worst;
} Deciding;

static void settle(Deciding *z, Status s, const char *rule, const char *feedback) {
    decision_set(z->decision, s, rule, feedback);
}

static void note_worst(Deciding *z, int index, const Comparison *c, bool failing) {
    if (!failing && c->use < z->worst_use) return;
    z->worst_use = c->use;
    Worst *w = &z->cases->worst;
    *w = (Worst){.use = c->use, .error_ulp = c->error_ulp, .bound_ulp = c->bound_ulp};
    snprintf(w->output, sizeof w->output, "%.*s", STR_ARG(z->draw->op->output[c->output].name));
    Buf b = BUF(z->arena);
    truth_name(&b, z->draw, index);
    if (!z->draw->truth[index].hidden && !z->draw->op->form)
        buf_printf(&b, " %s", class_name(truth_class(z->draw, index, c->output, c->worst_at)));
    snprintf(w->where, sizeof w->where, "%s", buf_cstr(&b));
}

Status match_status(Match m) {
    return match_of_class(m) ? STATUS_nan_class : m == MATCH_INCORRECT ? STATUS_incorrect : STATUS_inaccurate;
}

bool shape_matches(const ReportOutput *o, const Bound *b) {
    if (o->rank != b->rank) return false;
    for (int d = 0; d < b->rank; d++)
        if (o->shape[d] != b->shape[d]) return false;
    return true;
}

static bool worse(const Comparison *x, const Comparison *than) {
    return x->worst > than->worst || (x->worst == than->worst && x->use > than->use);
}

// The same case with its programs in another order. Without atomics the bits must be the same. With them,
// rounding may differ: the two outputs may be as far apart as two honest ones, and both are judged. False
// when it decides the verdict.
static bool judge_orders(Deciding *z, int index, int output, const CaseReport *r, Comparison *c) {
    const Bound *b = truth_output(&z->draw->truth[index], output);
    const CaseSpec *spec = &z->draw->spec[index];
    const CaseOutput *o = &spec->output[output];
    const uint8_t *one = z->child->output + spec->output_at + o->at,
                  *two = z->child->output + spec_output_at(spec, 1) + o->at;
    if (r->again > 0 && memcmp(one, two, (size_t)o->bytes) == 0) return true;
    int64_t apart = -1;
    if (r->again > 0 && r->atomic_launches > 0) {
        Comparison other;
        Bound first = *b;
        first.v = NEWN(z->arena, double, (size_t)b->numel + 1);
        first.e = b->e ? NEWN(z->arena, double, (size_t)b->numel + 1) : NULL;
        for (int64_t i = 0; i < b->numel; i++) {
            first.v[i] = dtype_load(b->dtype, one + i * dtype_bytes(b->dtype));
            if (b->e) first.e[i] = 2 * b->e[i];
        }
        uint8_t *judged = arena_raw(z->arena, (size_t)b->numel + 1, 1);
        compare_case(&first, NULL, two, judged, &other);
        if (other.wrong == 0) {
            compare_case(b, NULL, two, judged, &other);
            other.output = output;
            if (worse(&other, c)) *c = other;
            return true;
        }
        apart = other.first_wrong;
    }
    z->decision->element = apart;
    z->decision->output = output;
    settle(z, STATUS_nondeterministic, "orders", feedback_orders(z->arena, z->draw, index, output, apart));
    return false;
}

// An output as the child tells it. False when that decides the verdict.
static bool judge_form(Deciding *z, int output, const Bound *b, const CaseReport *r) {
    const ReportOutput *o = &r->output[output];
    z->decision->output = output;
    if (!shape_matches(o, b)) {
        settle(z, STATUS_wrong_shape, "shape", feedback_shape(z->arena, z->draw, r, output));
        return false;
    }
    if (o->dtype != (int32_t)b->dtype) {
        settle(z, STATUS_wrong_dtype, "dtype", feedback_shape(z->arena, z->draw, r, output));
        return false;
    }
    if (o->unwritten > 0) {
        z->decision->element = o->first_unwritten;
        settle(z, STATUS_uncovered_output, "coverage", feedback_unwritten(z->arena, z->draw, r, output));
        return false;
    }
    return true;
}

// One case that ran to its end: of its outputs, *c is told of the worst. False when it decides the verdict on
// its own.
static bool judge_ran(Deciding *z, int index, const CaseReport *r, Comparison *c) {
    const CaseTruth *truth = &z->draw->truth[index];
    const CaseSpec *spec = &z->draw->spec[index];
    const Bound *b = truth->expected;
    *c = (Comparison){0};
    z->cases->binding = r->binding;
    z->decision->case_number = index + 1; // until the case has passed
    for (int k = 0; b; k++, b = b->also)
        if (!judge_form(z, k, b, r)) return false;
    z->decision->output = 0;
    if (r->again > spec->again) {
        settle(z, STATUS_crash, "protocol",
               feedback_child(z->arena, "an order was run that nobody asked for"));
        return false;
    }
    if (r->contracted & ~spec->contract) {
        settle(z, STATUS_crash, "protocol", feedback_child(z->arena, "a run was made that nobody asked for"));
        return false;
    }
    const Rounded *rounded = truth->rounded;
    b = truth->expected;
    for (int k = 0; b; k++, b = b->also, rounded = rounded_also(rounded)) {
        Comparison of;
        compare_case(b, rounded, z->child->output + spec->output_at + spec->output[k].at, z->judged, &of);
        of.output = k;
        columns_note(z->columns, k, b, of.unjudged == 0 ? NULL : z->judged);
        if (k == 0 || worse(&of, c)) *c = of;
    }
    for (int k = 0; r->again != 0 && k < spec->outputs; k++)
        if (!judge_orders(z, index, k, r, c)) return false;
    return true;
}

static void take_traffic(Deciding *z, const CaseReport *r) {
    const CaseSpec *spec = &z->draw->spec[z->draw->traffic_case];
    const CaseTruth *truth = &z->draw->truth[z->draw->traffic_case];
    Traffic *t = z->traffic;
    t->count = r->count;
    memcpy(t->library, r->library, sizeof t->library);
    const Domain *m = z->draw->domain;
    t->facts = (RankCase){.rows = domain_slices(m, truth->dim),
                          .row = domain_length(m, truth->dim),
                          .has_rows = m->slices >= 0};
    int64_t inputs = 0, shared = 0;
    for (int i = 0; i < spec->inputs; i++) {
        int64_t n = 1;
        shape_numel(spec->input[i].shape, spec->input[i].rank, &n);
        n *= dtype_bytes((DType)spec->input[i].dtype);
        inputs += n;
        if (m->slice_axis[i] < 0) shared += n;
    }
    t->bytes_ideal = inputs + spec->output_bytes;
    t->facts.elem_bytes = domain_any_float(m) ? dtype_bytes(truth->dtype) : 0;
    t->facts.row_bytes = (double)(inputs - shared + spec->output_bytes);
    t->facts.shared_bytes = (double)shared;
    for (int k = 0; k < spec->outputs; k++)
        if (spec->output[k].input < 0) z->stored_least += spec->output[k].bytes;
}

static int64_t length_of(const Draw *d, int index) { return domain_length(d->domain, d->truth[index].dim); }

// Whether a failing case decides instead of the worst so far: by a worse kind, or as the worst of those that
// are as long.
static bool decides(const Draw *d, int index, const Comparison *c, int failed, const Comparison *worst) {
    if (failed < 0 || c->worst > worst->worst) return true;
    return c->worst == worst->worst && length_of(d, index) == length_of(d, failed) && c->use > worst->use;
}

static bool classes_differ(const Deciding *z, int index) {
    const CaseSpec *spec = &z->draw->spec[index];
    const Bound *b = z->draw->truth[index].expected;
    for (int k = 0; b; k++, b = b->also)
        if (compare_classes_differ(b, z->child->output + spec->output_at + spec->output[k].at)) return true;
    return false;
}

// All outputs of a case that ran, without a word about them.
static bool all_right(const Deciding *z, int index, const CaseReport *r) {
    const CaseSpec *spec = &z->draw->spec[index];
    const CaseTruth *truth = &z->draw->truth[index];
    const Rounded *rounded = truth->rounded;
    const Bound *b = truth->expected;
    for (int k = 0; b; k++, b = b->also, rounded = rounded_also(rounded)) {
        const ReportOutput *o = &r->output[k];
        Comparison c;
        if (!shape_matches(o, b) || o->dtype != (int32_t)b->dtype || o->unwritten > 0) return false;
        compare_case(b, rounded, z->child->output + spec->output_at + spec->output[k].at, z->judged, &c);
        if (c.wrong > 0) return false;
    }
    return true;
}

// While all that failed has gaps: whether a case without them fails, too.
static void note_dense(Deciding *z, int index, const CaseReport *r) {
    const Draw *d = z->draw;
    if (z->dense < 0 || gaps_inputs(d, index)) return;
    z->dense = all_right(z, index, r) ? length_of(d, index) : -1;
}

// Bits that depend on the order of programs are what a program is called by, wherever in the draw they show:
// in one case both orders may happen to agree.
static bool orders_differ(const Deciding *z, int index, const CaseReport *r) {
    const CaseSpec *spec = &z->draw->spec[index];
    for (int k = 0; r->again > 0 && r->again <= spec->again && k < spec->outputs; k++) {
        const CaseOutput *o = &spec->output[k];
        if (memcmp(z->child->output + spec->output_at + o->at,
                   z->child->output + spec_output_at(spec, 1) + o->at, (size_t)o->bytes) != 0)
            return true;
    }
    return false;
}

// Of a case that has passed.
static void note_contracted(Deciding *z, int index, const CaseReport *r) {
    if (!r->contracted) return;
    Comparison c = contracted_compare(z->draw, index, r, z->child->output, z->judged);
    if (c.wrong == 0 || !decides(z->draw, index, &c, z->contracted, &z->contracted_worst)) return;
    z->contracted = index;
    z->contracted_worst = c;
}

// All cases have passed. True when they have with contracted code, too.
static bool judge_contracted(Deciding *z) {
    const Comparison *worst = &z->contracted_worst;
    int i = z->contracted;
    if (i < 0) return true;
    note_worst(z, i, worst, true);
    z->decision->case_number = i + 1;
    z->decision->element = worst->worst_at;
    z->decision->output = worst->output;
    const char *note = z->child->report[i].message;
    z->decision->noted = note[0];
    // Only some cases ran with fused products: those without gaps that are right did not, perhaps.
    z->dense = -1;
    settle(z, match_status(worst->worst), "contracted",
           contracted_feedback(z->arena, z->draw, i, worst, note));
    return false;
}

// The cases in order. True when all passed. Among numeric failures the worst kind of the whole draw decides,
// in the first row length that shows it: what is said of a program does not depend on which row of bad luck
// comes first.
static bool judge_cases(Deciding *z) {
    const ChildResult *r = z->child;
    const Draw *d = z->draw;
    int failed = -1; // the case that decides, while the others are still looked at
    Comparison worst = {0};
    for (int i = 0; i < d->cases && i < r->reports; i++) {
        const CaseReport *report = &r->report[i];
        if (report->kind == REPORT_FINDING) {
            if (failed >= 0) break;
            const char *rule;
            Status status = finding_status((DiagKind)report->finding, &rule);
            z->decision->found = true;
            z->decision->refuses = report_refuses(z->source, report);
            z->decision->refused = length_of(d, i);
            z->decision->case_number = report->case_index + 1;
            z->decision->placed = finding_place(z->source, report, &z->decision->place);
            settle(z, status, rule, feedback_finding(z->arena, d, z->source, report));
            return false;
        }
        if (report->kind != REPORT_RAN) break;
        bool ordered = !orders_differ(z, i, report);
        if (failed >= 0 && ordered && length_of(d, i) > length_of(d, failed)) {
            note_dense(z, i, report);
            if (worst.worst == MATCH_NAN) continue; // nothing is worse
            // One kind is, and it is soon found.
            if (worst.worst == MATCH_INCORRECT && !classes_differ(z, i)) continue;
        }
        z->cases->run++;
        Comparison c;
        if (!judge_ran(z, i, report, &c)) {
            if (failed < 0 || z->decision->status == STATUS_nondeterministic) return false;
            continue;
        }
        z->decision->case_number = 0;
        z->finite |= c.wrong > c.nans;
        if (i == d->traffic_case) take_traffic(z, report);
        if (gaps_inputs(d, i) == 0 && z->dense >= 0)
            z->dense = c.wrong > 0 ? -1 : d->truth[i].slices > 1 ? length_of(d, i) : z->dense;
        if (c.wrong > 0 && decides(d, i, &c, failed, &worst)) {
            failed = i;
            worst = c;
        } else if (c.wrong == 0) {
            z->cases->passed++;
            if (failed < 0) note_worst(z, i, &c, false);
            if (failed < 0) note_contracted(z, i, report);
        }
    }
    if (failed < 0) return judge_contracted(z);
    note_worst(z, failed, &worst, true);
    z->decision->case_number = failed + 1;
    z->decision->element = worst.worst_at;
    z->decision->output = worst.output;
    z->decision->noted = r->report[failed].message[0];
    *z->roundings = roundings_of_case(z->arena, d, failed, r->output);
    const char *advice =
        guess_advice(z->arena, &(GuessRequest){d, failed, z->source, r->output, &worst, z->finite});
    const char *rule = match_of_class(worst.worst) ? "class" : "bounds";
    settle(z, match_status(worst.worst), rule,
           feedback_numeric_with(z->arena, d, failed, &worst, advice, r->report[failed].message));
    return false;
}

// Nothing but its own row went into each row of the answer, in one launch after another that hand nothing on:
// no honest reason is left for bits that depend on a row's place. Atomics may come in any order, another
// config may add in another one, and so may a program that works on several rows.
static bool rows_alone(const Deciding *z, int index, int output) {
    const Draw *d = z->draw;
    const CaseReport *r = &z->child->report[index];
    const CaseSpec *spec = &d->spec[index];
    const Bound *b = truth_output(&d->truth[index], output);
    if (!spec->origin_at || r->atomic_launches > 0 || r->configs > 1 || r->read_back) return false;
    const uint8_t *origin = z->child->output + spec->origin_at + spec->output[output].at;
    int axis = d->domain->output_slice[output];
    int64_t n = slice_size(b->shape, b->rank, axis);
    for (int64_t s = 0; s < d->truth[index].slices; s++)
        for (int64_t k = 0; k < n; k++)
            if (origin[slice_element(b->shape, b->rank, axis, s, k)] & ~(1 << s)) return false;
    return true;
}

static int64_t row_that_differs(const Deciding *z, int index, int output) {
    const CaseTruth *t = &z->draw->truth[index];
    const CaseSpec *of = &z->draw->spec[index - 1], *spec = &z->draw->spec[index];
    const uint8_t *base = z->child->output + of->output_at + of->output[output].at,
                  *twin = z->child->output + spec->output_at + spec->output[output].at;
    const Bound *b = truth_output(t, output);
    int axis = z->draw->domain->output_slice[output];
    for (int64_t s = 0; s < t->slices; s++)
        if (twins_differ(b, axis, twin, s, base, t->twin_slice[s])) return s;
    return -1;
}

static bool judge_output_rows(Deciding *z, int index, int output) {
    int64_t row = row_that_differs(z, index, output);
    if (z->evidence->row_bits == ROW_BITS_UNKNOWN) z->evidence->row_bits = ROW_BITS_SAME;
    if (row < 0) return true;
    z->evidence->row_bits = ROW_BITS_DIFFER;
    if (!rows_alone(z, index - 1, output) || !rows_alone(z, index, output)) return true;
    z->decision->case_number = index + 1;
    z->decision->output = output;
    settle(z, STATUS_nondeterministic, "rows", feedback_rows(z->arena, z->draw, index, output, row));
    return false;
}

static bool judge_rows(Deciding *z) {
    const Draw *d = z->draw;
    for (int i = 1; i < d->cases; i++)
        for (int k = 0; k < d->op->outputs; k++)
            if (d->truth[i].alike >> k & 1 && !judge_output_rows(z, i, k)) return false;
    return true;
}

// Evidence only: where both answers are within their bounds, other bits are somebody's honest rounding.
static void note_metamorphic(Deciding *z) {
    for (int i = 0; i < z->draw->cases; i++) {
        if (!z->draw->truth[i].relation || z->evidence->metamorphic_bits == ROW_BITS_DIFFER) continue;
        z->evidence->metamorphic_bits =
            metamorphic_same(z->draw, i, z->child->output) ? ROW_BITS_SAME : ROW_BITS_DIFFER;
    }
}

// Where the child says that the answer comes from. It cannot gain by lying: its outputs were right already.
static bool judge_need(Deciding *z, const Dependence *n) {
    const Draw *d = z->draw;
    const CaseSpec *spec = &d->spec[n->case_index];
    const Bound *b = d->truth[n->case_index].expected;
    const uint8_t *depends = n->depends;
    for (int k = 0; b; k++, depends += b->numel, b = b->also) {
        const uint8_t *origin = z->child->output + spec->origin_at + spec->output[k].at;
        for (int64_t i = 0; i < b->numel; i++) {
            if (!depends[i] || (origin[i] >> n->bit & 1)) continue;
            z->decision->case_number = n->case_index + 1;
            z->decision->output = k;
            z->decision->element = i;
            settle(z, STATUS_incorrect, "unread", feedback_unread(z->arena, d, n, k, i));
            return false;
        }
    }
    return true;
}

// Which column, and why.
static const char *unjudged_words(const Deciding *z) {
    int64_t n, column = columns_first_unjudged(z->columns, &n);
    return arena_printf(
        z->arena,
        "column %lld of %lld could not be judged in any case, because intermediate results of the "
        "reference leave float32's range there. This says nothing about the program; another seed "
        "draws other values",
        (long long)column, (long long)n);
}

static bool judge_needs(Deciding *z) {
    for (int k = 0; k < z->draw->dependences; k++)
        if (!judge_need(z, &z->draw->dependence[k])) return false;
    return true;
}

void decide(Arena *a, const Draw *d, Str source, const ChildResult *r, Verdict *v) {
    Deciding z = {.arena = a,
                  .draw = d,
                  .source = source,
                  .child = r,
                  .decision = &v->decision,
                  .cases = &v->cases,
                  .traffic = &v->traffic,
                  .evidence = &v->evidence,
                  .roundings = &v->roundings,
                  .worst_use = -1,
                  .contracted = -1,
                  .columns = columns_open(a, d)};
    int64_t most = 0;
    for (int i = 0; i < d->cases; i++)
        for (const Bound *b = d->truth[i].expected; b; b = b->also)
            if (b->numel > most) most = b->numel;
    z.judged = arena_raw(a, (size_t)most + 1, 1);
    const char *why;
    v->decision.case_number = 0;
    v->decision.output = 0;
    v->decision.element = -1;
    WireEnd end = wire_check(r->report, r->reports, d->cases, source.len, &why);
    if (r->end == CHILD_OVERDUE) {
        settle(&z, STATUS_referee_error, "clock",
               feedback_child(a, "the machine was too busy to finish within the clock limit"));
    } else if (r->end == CHILD_SIGNALLED && r->code == SIGKILL) {
        settle(&z, STATUS_referee_error, "killed",
               feedback_child(a, "the system ended the interpreter, perhaps for lack of memory"));
    } else if (r->end != CHILD_EXITED || r->code != 0) {
        settle(&z, STATUS_crash, "child", feedback_child(a, "the interpreter died on this program"));
    } else if (end == WIRE_BROKEN || r->garbage) {
        settle(&z, STATUS_crash, "protocol",
               feedback_child(a, why ? why : "the interpreter sent more than its reports"));
    } else if (judge_cases(&z)) {
        bool of_call = end == WIRE_FINDING && r->report[r->reports - 1].call > 0;
        if ((end != WIRE_DONE && !of_call) || v->cases.passed != d->cases)
            settle(&z, STATUS_crash, "protocol", feedback_child(a, "cases are missing"));
        else if (v->traffic.count.bytes_stored + v->traffic.count.bytes_copied < z.stored_least)
            // Right bytes that nobody wrote: our counters are wrong, or the child's word is not to be had.
            // Loads know no such floor: an op may leave most of an input unread (a gather), and a program may
            // read less than all of it where the rest cannot matter.
            settle(&z, STATUS_referee_error, "traffic",
                   feedback_child(a, "fewer bytes were stored than the output has"));
        else if (!columns_all(z.columns))
            settle(&z, STATUS_referee_error, "judged", feedback_child(a, unjudged_words(&z)));
        else if (judge_needs(&z) && judge_rows(&z) && judge_calls(a, d, source, r, &v->decision)) {
            note_metamorphic(&z);
            coverage_read(r->report[r->reports - 1].message, &v->evidence.coverage);
            snprintf(v->decision.warning, sizeof v->decision.warning, "%s", r->report[d->cases - 1].message);
            v->decision.noted = v->decision.warning[0];
            settle(&z, STATUS_ok, "all", feedback_ok(a, d, &v->cases, v->decision.warning));
        }
    } else {
        gaps_note(d, v->decision.case_number - 1, z.dense, &v->decision, &v->gaps);
    }
}
