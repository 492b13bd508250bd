#include "judge/judge_module.h"

#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/modules/modules_domain.h"
#include "judge/decide/decide.h"
#include "judge/more_cases.h"
#include "judge/shapes/large_tensors.h"

static bool judge_sized(Candidates *b, size_t i, const Domain *of, MoreCases *q, Verdict *v, Err *e) {
    q->domain = of;
    q->said = MORE_UNKNOWN;
    const SizedAsk ask = {.domain = of, .level = b->q->level, .seed = q->seed};
    const SizedDraw *d = sized_draw_take(b->sized, &ask, e);
    if (!d) return false;
    q->cases = d->cases;
    q->plan = d->plan;
    bool ok = judge_more_on(b, i, &d->draw, q, v, e);
    sized_draw_leave(b->sized, d);
    return ok;
}

bool judge_all(Candidates *b, size_t i, Verdict *v, Err *e) {
    const SizedAsk ask = {.domain = b->draw->op->form, .level = b->q->level, .seed = b->draw->seed};
    const SizedDraw *d = sized_draw_take(b->sized, &ask, e);
    if (!d) return false;
    Candidates second = candidates_on(b, &d->draw);
    bool ok = judge_once(&second, i, v, e);
    sized_draw_leave(b->sized, d);
    return ok;
}

// Among wrong values the worst kind of all cases is what a program is rejected for.
static int kind_of_values(Status s) {
    return s == STATUS_nan_class ? 3 : s == STATUS_incorrect ? 2 : s == STATUS_inaccurate ? 1 : 0;
}

// At the draw's own sizes a program has come to a line, or a comparison has come out, as at the smaller ones
// it never did: of what hangs on that, the few cases there know little.
static bool goes_further(const Coverage *few, const Coverage *rest) {
    uint32_t number;
    return few->told && rest->told && unreached_anew(&rest->unreached, &few->unreached, &number);
}

// All cases of q->domain, with each config of an autotuned kernel.
static bool judge_at(Candidates *b, size_t i, int configs, MoreCases *q, Verdict *v, Err *e) {
    q->said = MORE_RIGHT;
    for (q->tune = 0; q->said == MORE_RIGHT && (q->tune == 0 || q->tune < configs); q->tune++)
        if (!judge_sized(b, i, q->domain, q, v, e)) return false;
    return true;
}

bool judge_rest(Candidates *b, size_t i, int configs, Verdict *v, bool *all, Err *e) {
    const Status s = v->decision.status;
    const bool accepted = verdict_accepted(v), may_be_worse = s == STATUS_incorrect || s == STATUS_inaccurate;
    const Domain *own = b->draw->op->form;
    *all = false;
    if (!accepted && !may_be_worse) return true;
    Verdict there = *v;
    MoreCases q = {.domain = own->quick, .seed = rng_mix(b->draw->seed, 0x72657374)},
              again = {.domain = own, .seed = b->draw->seed};
    if (!judge_at(b, i, configs, &q, &there, e)) return false;
    const bool further = accepted && q.said == MORE_RIGHT && goes_further(&v->evidence.coverage, &q.alone);
    if (further && !judge_at(b, i, configs, &again, &there, e)) return false;
    const bool right = q.said == MORE_RIGHT && (!further || again.said == MORE_RIGHT);
    if (accepted && right) *v = there;
    *all = accepted ? !right : kind_of_values(there.decision.status) > kind_of_values(s);
    return !*all || judge_all(b, i, v, e);
}

// Whether a program is made for the sizes that are not long in a case in which it failed. `q` holds what that
// case had.
static bool judge_controls(Candidates *b, size_t i, const Stretched *s, MoreCases *q, const Verdict *before,
                           Err *e) {
    for (int c = 0; c < s->longs; c++) {
        Verdict control = *before;
        if (!judge_sized(b, i, s->control[c], q, &control, e)) return false;
        if (q->said != MORE_RIGHT) break;
    }
    return true;
}

// A module's sizes near the published ones, one or two at a time. Configs take turns.
bool judge_stretched(Candidates *b, size_t i, int configs, Leaner leaner, Verdict *v, Err *e) {
    const Domain *m = b->draw->domain;
    for (int k = 0; k < m->stretches && verdict_accepted(v); k++) {
        const Stretched *s = &m->stretched[k];
        Verdict before = *v;
        MoreCases q = {.tune = configs > 1 ? k % configs : 0,
                       .seed = rng_mix(b->draw->seed, 0x73747265 + (uint64_t)k)};
        const bool first = leaner == LEANER_FIRST && s->leaner;
        if (leaner == LEANER_WAS && !s->leaner) continue;
        if (first && !judge_sized(b, i, s->leaner, &q, v, e)) return false;
        if (!first || q.said != MORE_RIGHT) {
            *v = before;
            if (!judge_sized(b, i, s->domain, &q, v, e)) return false;
        }
        if (q.said == MORE_RIGHT) v->evidence.stretched |= 1U << k;
        if (q.said != MORE_WRONG) continue;
        if (!judge_controls(b, i, s, &q, &before, e)) return false;
        if (q.said == MORE_RIGHT) {
            v->evidence.wrong_long = k + 1;
            v->evidence.wrong_longs = s->longs;
        } else
            *v = before;
    }
    return true;
}

// A module's sizes made odd: a mask that is missing shows. What is wrong there is evidence, or a rejection.
bool judge_ragged(Candidates *b, size_t i, Verdict *v, Err *e) {
    const ModulesDomain *m = modules_of(b->draw->op);
    if (!m->ragged) return true;
    Verdict there = *v;
    MoreCases q = {.seed = rng_mix(b->draw->seed, 0x726167676564)};
    // A line that no other size has come to is accepted by what it does there.
    const bool one = m->ragged_one && !unreached_any(&v->evidence.coverage.unreached);
    if (!judge_sized(b, i, one ? m->ragged_one : m->ragged, &q, &there, e)) return false;
    if (q.said == MORE_RIGHT || (q.said == MORE_WRONG && m->ragged_counts)) *v = there;
    v->evidence.raggeds = q.said == MORE_RIGHT || q.said == MORE_WRONG;
    v->evidence.ragged = q.said == MORE_WRONG ? there.decision.status : STATUS_ok;
    return true;
}

// What a block that does not divide a size comes to.
static bool may_be_unaligned(Status s) {
    return s == STATUS_oob || s == STATUS_incorrect || s == STATUS_uncovered_output || s == STATUS_race ||
           s == STATUS_nan_class || s == STATUS_uninit_read || s == STATUS_inaccurate ||
           s == STATUS_nondeterministic;
}

// Whether the source writes down a number that divides published sizes, and no longer the small ones.
static bool writes_lost_divisor(const ModulesDomain *m, Str source) {
    for (size_t i = 0; i < source.len; i++) {
        if (source.p[i] < '0' || source.p[i] > '9') continue;
        bool word = i > 0 && char_is_word(source.p[i - 1]);
        int64_t n = 0;
        for (; i < source.len && source.p[i] >= '0' && source.p[i] <= '9'; i++)
            if (n < INT32_MAX) n = 10 * n + (source.p[i] - '0');
        bool power = n >= 32 && n <= 1024 && (n & (n - 1)) == 0;
        if (!word && power && modules_lost_divisor(m, n)) return true;
    }
    return false;
}

// What level quick's sizes can come to alone: a block that is too wide for them, too much waste, a program
// that asks for more of one. Larger ones say nothing new of what never ran, or has no kernel of its own; and
// a block that is too wide hardly ever gives nearly right values.
static bool may_be_too_small(const ModulesDomain *quick, const Decision *d, Str source) {
    switch (d->status) {
    case STATUS_parse_reject:
    case STATUS_truncated: return false;
    case STATUS_no_kernel: return strcmp(d->rule, "share") == 0;
    case STATUS_inaccurate:
    case STATUS_nan_class:
    case STATUS_nondeterministic: return writes_lost_divisor(quick, source);
    default: return status_class(d->status) == CLASS_REJECTED;
    }
}

// Whether it fails in the first case there already, and how: an acceptance alone would count.
static bool fails_first(Candidates *b, size_t i, SizedAsk ask, const Verdict *v, Status *how, Err *e) {
    ask.most = 1;
    const SizedDraw *d = sized_draw_take(b->sized, &ask, e);
    if (!d) return false;
    Candidates first = candidates_on(b, &d->draw);
    Verdict other = *v;
    Passes had = {0};
    bool ok = judge_pass(&first, i, &other, &had, e);
    *how = ok ? other.decision.status : STATUS_ok;
    sized_draw_leave(b->sized, d);
    return ok;
}

// Which of these it is hangs on the case; wrong values at small sizes are as good a reason as at larger ones.
static bool of_values(Status s) {
    return s == STATUS_incorrect || s == STATUS_inaccurate || s == STATUS_nan_class;
}

// What is rejected at the small sizes, at larger ones: not rejected there, that is the verdict. So is
// whatever level full's sizes say of a program that is right in the first case there, or wrong in another
// way than by addresses and their like: what the smaller ones blame may be theirs alone. `*first`: what came
// of that case.
static bool judge_larger(Candidates *b, size_t i, const SizedAsk *larger, Verdict *v, Status *first, Err *e) {
    const SizedAsk ask = {.domain = larger->domain, .level = b->q->level, .seed = larger->seed};
    if (!fails_first(b, i, ask, v, first, e)) return false;
    bool aligned = modules_of(ask.domain->op)->is_aligned;
    bool alike = aligned || of_values(v->decision.status) || *first == v->decision.status;
    if (status_class(*first) == CLASS_REJECTED && alike) return true;
    const SizedDraw *d = sized_draw_take(b->sized, &ask, e);
    if (!d) return false;
    Candidates second = candidates_on(b, &d->draw);
    Verdict other = *v;
    other.module = ask.domain->op;
    bool ok = judge_once(&second, i, &other, e); // which may have gone on to still larger ones
    if (ok && verdict_accepted(&other)) other.evidence.unaligned = v->decision.status;
    if (ok && (!aligned || verdict_accepted(&other))) *v = other;
    sized_draw_leave(b->sized, d);
    return ok;
}

// Sizes that keep such a divisor would be too much work. Addresses can be tried at the published ones: where
// those hold, nobody knows whether the program is wrong.
static void doubt_addresses(Candidates *b, size_t i, const ModulesDomain *m, Status s, Verdict *v) {
    Verdict there = *v;
    bool address = s == STATUS_oob || s == STATUS_race || s == STATUS_uncovered_output;
    if (!address || !m->published ||
        (m->aligned && !writes_lost_divisor(modules_of(m->aligned->op), b->source[i])))
        return;
    decision_set(&there.decision, STATUS_ok, "published", "");
    published_sizes_probe(b->r->fork_servers, &b->arena[i], b->draw, b->source[i], b->r->extras, &there);
    if (there.evidence.published.said != PUBLISHED_RIGHT || !verdict_accepted(&there)) return;
    const char *why = feedback_join(&b->arena[i], v->decision.feedback,
                                    "A block of it may divide the published sizes and no small ones: at the "
                                    "published ones addresses hold, and values are not computed here.");
    decision_set(&v->decision, STATUS_unsupported, "aligned", why);
    v->evidence = (Evidence){.unaligned = s, .published = there.evidence.published};
}

// A kernel without masks is right where its block divides the sizes, as the published ones may be divided: a
// rejection at small sizes that have lost such a divisor is judged once more where they have not. Level
// quick's sizes have lost more than level full's, which cost less than those that keep most.
bool judge_aligned(Candidates *b, size_t i, Verdict *v, Err *e) {
    const ModulesDomain *m = modules_of(b->draw->op), *full = m && m->full ? modules_of(m->full->op) : m;
    const uint64_t seed = b->draw->seed;
    Status s = v->decision.status, first;
    if (!m || m->is_aligned) return true;
    if (full != m && !may_be_too_small(m, &v->decision, b->source[i])) return true;
    if (full != m && !judge_larger(b, i, &(SizedAsk){.domain = &full->domain, .seed = seed}, v, &s, e))
        return false;
    if (!may_be_unaligned(s))
        return true; // where it is right in the first case, all of it has been judged there
    if (!writes_lost_divisor(full, b->source[i])) return true;
    if (full->aligned &&
        !judge_larger(b, i, &(SizedAsk){.domain = full->aligned, .seed = rng_mix(seed, 0x616c69676e)}, v,
                      &first, e))
        return false;
    if (!verdict_accepted(v)) doubt_addresses(b, i, full, s, v);
    return true;
}
