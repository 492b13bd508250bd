#include "judge/decide.h"

#include <signal.h>

#include "cases/columns.h"
#include "cases/metamorphic.h"
#include "judge/gaps.h"
#include "judge/guesses.h"
#include "judge/roundings.h"

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
    for (; line <= r->at; line++)
        if (word_at(source, line, "raise ") || word_at(source, line, "assert ")) return true;
    return false;
}

ClassId truth_class(const CaseTruth *t, int64_t element) {
    const Bound *b = t->expected;
    int64_t per_row = b->numel / (t->rows > 0 ? t->rows : 1);
    int64_t row = per_row > 0 ? element / per_row : 0;
    return (ClassId)t->row_class[row < t->rows ? row : t->rows - 1];
}

// " strided", or of some inputs only: ", x and w strided". Without gaps, " offset".
static void put_strided(Buf *out, const Op *op, uint8_t which) {
    bool all = which == (1u << op->inputs) - 1;
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
    const Op *op = d->op;
    bool any_float = false;
    for (int i = 0; i < op->inputs; i++) any_float |= op->input[i].any_float;
    if (any_float) buf_printf(out, "%s ", dtype_info[t->dtype].torch);
    if (op->rows_dim >= 0) buf_printf(out, "%lldx", (long long)t->dim[op->rows_dim]);
    buf_printf(out, "%lld", (long long)t->dim[op->row_dim]);
    put_strided(out, op, t->strided);
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
} Deciding;

static void settle(Deciding *z, Status s, const char *rule, const char *feedback) {
    decision_set(z->decision, s, rule, feedback);
}

static void note_worst(Deciding *z, int index, const Comparison *c, bool failing) {
    if (!failing && c->use < z->worst_use) return;
    z->worst_use = c->use;
    Worst *w = &z->cases->worst;
    *w = (Worst){.use = c->use, .error_ulp = c->error_ulp, .bound_ulp = c->bound_ulp};
    Buf b = BUF(z->arena);
    truth_name(&b, z->draw, index);
    if (!z->draw->truth[index].hidden)
        buf_printf(&b, " %s", class_name(truth_class(&z->draw->truth[index], c->worst_at)));
    snprintf(w->where, sizeof w->where, "%s", buf_cstr(&b));
}

Status match_status(Match m) {
    return m == MATCH_NAN ? STATUS_nan_class : m == MATCH_INCORRECT ? STATUS_incorrect : STATUS_inaccurate;
}

bool shape_matches(const CaseReport *r, const Bound *b) {
    if (r->rank != b->rank) return false;
    for (int d = 0; d < b->rank; d++)
        if (r->shape[d] != b->shape[d]) return false;
    return true;
}

// The same case with its programs in another order. Without atomics the bits must be the same. With them,
// rounding may differ: the two outputs may be as far apart as two honest ones, and both are judged. False
// when it decides the verdict.
static bool judge_orders(Deciding *z, int index, const CaseReport *r, Comparison *c) {
    const Bound *b = z->draw->truth[index].expected;
    const CaseSpec *spec = &z->draw->spec[index];
    const uint8_t *one = z->child->output + spec->output_at,
                  *two = z->child->output + spec_output_at(spec, 1);
    if (r->again > 0 && memcmp(one, two, (size_t)spec->output_bytes) == 0) return true;
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
            if (other.worst > c->worst || (other.worst == c->worst && other.use > c->use)) *c = other;
            return true;
        }
        apart = other.first_wrong;
    }
    z->decision->element = apart;
    settle(z, STATUS_nondeterministic, "orders", feedback_orders(z->arena, z->draw, index, apart));
    return false;
}

// One case that ran to its end. False when it decides the verdict on its own.
static bool judge_ran(Deciding *z, int index, const CaseReport *r, Comparison *c) {
    const Bound *b = z->draw->truth[index].expected;
    const CaseSpec *spec = &z->draw->spec[index];
    *c = (Comparison){0};
    z->decision->case_number = index + 1; // until the case has passed
    if (!shape_matches(r, b)) {
        settle(z, STATUS_wrong_shape, "shape", feedback_shape(z->arena, z->draw, r, false));
        return false;
    }
    if (r->dtype != (int32_t)b->dtype) {
        settle(z, STATUS_wrong_dtype, "dtype", feedback_shape(z->arena, z->draw, r, true));
        return false;
    }
    if (r->unwritten > 0) {
        z->decision->element = r->first_unwritten;
        settle(z, STATUS_uncovered_output, "coverage", feedback_unwritten(z->arena, z->draw, r));
        return false;
    }
    if (r->again > spec->again) {
        settle(z, STATUS_crash, "protocol",
               feedback_child(z->arena, "an order was run that nobody asked for"));
        return false;
    }
    uint8_t *judged = z->judged;
    compare_case(b, z->draw->truth[index].rounded, z->child->output + spec->output_at, judged, c);
    columns_note(z->columns, b, c->unjudged == 0 ? NULL : judged);
    return r->again == 0 || judge_orders(z, index, r, c);
}

static void take_traffic(Deciding *z, const CaseReport *r) {
    const CaseSpec *spec = &z->draw->spec[z->draw->traffic_case];
    const Op *op = z->draw->op;
    const CaseTruth *truth = &z->draw->truth[z->draw->traffic_case];
    Traffic *t = z->traffic;
    t->count = r->count;
    t->facts = (RankCase){.rows = op->rows_dim >= 0 ? truth->dim[op->rows_dim] : 1,
                          .row = truth->dim[op->row_dim],
                          .has_rows = op->rows_dim >= 0};
    int64_t inputs = 0, shared = 0;
    bool any_float = false;
    for (int i = 0; i < spec->inputs; i++) {
        int64_t n = 1;
        shape_numel(spec->input[i].shape, spec->input[i].rank, &n);
        n *= dtype_bytes((DType)spec->input[i].dtype);
        inputs += n;
        bool by_row = false;
        for (int d = 0; d < op->input[i].rank; d++) by_row |= op->input[i].dim[d] == op->rows_dim;
        if (!by_row) shared += n;
        any_float |= op->input[i].any_float;
    }
    t->bytes_ideal = inputs + spec->output_bytes;
    t->facts.elem_bytes = any_float ? dtype_bytes(truth->dtype) : 0;
    t->facts.row_bytes = (double)(inputs - shared + spec->output_bytes);
    t->facts.shared_bytes = (double)shared;
    z->stored_least = spec->output_bytes;
}

static int64_t row_length(const Draw *d, int index) { return d->truth[index].dim[d->op->row_dim]; }

// Whether a failing case decides instead of the worst so far: by a worse kind, or as the worst of those that
// are as long.
static bool decides(const Draw *d, int index, const Comparison *c, int failed, const Comparison *worst) {
    if (failed < 0 || c->worst > worst->worst) return true;
    return c->worst == worst->worst && row_length(d, index) == row_length(d, failed) && c->use > worst->use;
}

// While all that failed has gaps: whether a case without them fails, too.
static void note_dense(Deciding *z, int index, const CaseReport *r) {
    const Draw *d = z->draw;
    const Bound *b = d->truth[index].expected;
    Comparison c = {.wrong = 1};
    if (z->dense < 0 || gaps_inputs(d, index)) return;
    if (shape_matches(r, b) && r->dtype == (int32_t)b->dtype && r->unwritten == 0)
        compare_case(b, d->truth[index].rounded, z->child->output + d->spec[index].output_at, z->judged, &c);
    z->dense = c.wrong > 0 ? -1 : row_length(d, index);
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
            z->decision->case_number = report->case_index + 1;
            z->decision->placed = finding_place(z->source, report, &z->decision->place);
            settle(z, status, rule, feedback_finding(z->arena, d, z->source, report));
            return false;
        }
        if (report->kind != REPORT_RAN) break;
        if (failed >= 0 && row_length(d, i) > row_length(d, failed)) {
            note_dense(z, i, report);
            if (worst.worst == MATCH_NAN) continue; // nothing is worse
            // One kind is, and it is soon found.
            if (worst.worst == MATCH_INCORRECT &&
                !compare_classes_differ(d->truth[i].expected, r->output + d->spec[i].output_at))
                continue;
        }
        z->cases->run++;
        Comparison c;
        if (!judge_ran(z, i, report, &c)) {
            if (failed < 0) return false;
            continue;
        }
        z->decision->case_number = 0;
        z->finite |= c.wrong > c.nans;
        if (i == d->traffic_case) take_traffic(z, report);
        if (gaps_inputs(d, i) == 0 && z->dense >= 0)
            z->dense = c.wrong > 0 ? -1 : d->truth[i].rows > 1 ? row_length(d, i) : z->dense;
        if (c.wrong > 0 && decides(d, i, &c, failed, &worst)) {
            failed = i;
            worst = c;
        } else if (c.wrong == 0) {
            z->cases->passed++;
            if (failed < 0) note_worst(z, i, &c, false);
        }
    }
    if (failed < 0) return true;
    note_worst(z, failed, &worst, true);
    z->decision->case_number = failed + 1;
    z->decision->element = worst.worst_at;
    z->decision->noted = r->report[failed].message[0];
    *z->roundings = roundings_of_case(z->arena, d, failed, r->output);
    const char *advice =
        guess_advice(z->arena, &(GuessRequest){d, failed, z->source, r->output, &worst, z->finite});
    const char *rule = worst.worst == MATCH_NAN ? "class" : "bounds";
    settle(z, match_status(worst.worst), rule,
           feedback_numeric_with(z->arena, d, failed, &worst, advice, r->report[failed].message));
    return false;
}

// Nothing but its own row went into each row of the answer, in one launch after another that hand nothing on:
// no honest reason is left for bits that depend on a row's place. Atomics may come in any order, another
// config may add in another one, and so may a program that works on several rows.
static bool rows_alone(const Deciding *z, int index) {
    const Draw *d = z->draw;
    const CaseReport *r = &z->child->report[index];
    const CaseSpec *spec = &d->spec[index];
    const Bound *b = d->truth[index].expected;
    if (!spec->origin_at || r->atomic_launches > 0 || r->configs > 1 || r->read_back) return false;
    const uint8_t *origin = z->child->output + spec->origin_at;
    int64_t n = b->numel / d->truth[index].rows;
    for (int64_t i = 0; i < b->numel; i++)
        if (origin[i] & ~(1 << i / n)) return false;
    return true;
}

static int64_t row_that_differs(const Deciding *z, int index) {
    const CaseTruth *t = &z->draw->truth[index];
    const uint8_t *base = z->child->output + z->draw->spec[index - 1].output_at,
                  *twin = z->child->output + z->draw->spec[index].output_at;
    int64_t bytes = z->draw->spec[index].output_bytes / t->rows;
    for (int64_t r = 0; r < t->rows; r++)
        if (memcmp(twin + r * bytes, base + t->twin_row[r] * bytes, (size_t)bytes) != 0) return r;
    return -1;
}

static bool judge_rows(Deciding *z) {
    const Draw *d = z->draw;
    for (int i = 1; i < d->cases; i++) {
        if (!d->truth[i].alike) continue;
        int64_t row = row_that_differs(z, i);
        if (z->evidence->row_bits == ROW_BITS_UNKNOWN) z->evidence->row_bits = ROW_BITS_SAME;
        if (row < 0) continue;
        z->evidence->row_bits = ROW_BITS_DIFFER;
        if (!rows_alone(z, i - 1) || !rows_alone(z, i)) continue;
        z->decision->case_number = i + 1;
        settle(z, STATUS_nondeterministic, "rows", feedback_rows(z->arena, d, i, row));
        return false;
    }
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
static bool judge_needs(Deciding *z) {
    const Draw *d = z->draw;
    for (int k = 0; k < d->dependences; k++) {
        const Dependence *n = &d->dependence[k];
        const uint8_t *origin = z->child->output + d->spec[n->case_index].origin_at;
        for (int64_t i = 0; i < d->truth[n->case_index].expected->numel; i++) {
            if (!n->depends[i] || (origin[i] >> n->bit & 1)) continue;
            z->decision->case_number = n->case_index + 1;
            z->decision->element = i;
            settle(z, STATUS_incorrect, "unread", feedback_unread(z->arena, d, n, i));
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
                  .columns = columns_open(a, d)};
    int64_t most = 0;
    for (int i = 0; i < d->cases; i++)
        if (d->truth[i].expected->numel > most) most = d->truth[i].expected->numel;
    z.judged = arena_raw(a, (size_t)most + 1, 1);
    const char *why;
    v->decision.case_number = 0;
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
