#include "judge/roundings.h"

#include <stdlib.h>

#include "judge/compare.h"
#include "judge/decide.h"

struct RoundedDraws {
    pthread_mutex_t lock;
    Arena arena;
    Op op[OP_ROUNDINGS_MAX];
    Draw draw[OP_ROUNDINGS_MAX];
    ProductionShapes *production[OP_ROUNDINGS_MAX];
    bool made[OP_ROUNDINGS_MAX];
};

RoundedDraws *rounded_draws_open(void) {
    RoundedDraws *r = calloc(1, sizeof *r);
    if (!r) abort();
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void rounded_draws_close(RoundedDraws *r) {
    if (!r) return;
    for (int k = 0; k < OP_ROUNDINGS_MAX; k++) {
        if (!r->made[k]) continue;
        draw_free(&r->draw[k]);
        production_close(r->production[k]);
    }
    pthread_mutex_destroy(&r->lock);
    arena_free(&r->arena);
    free(r);
}

Op op_rounded(const Op *op, int k) {
    Op made = *op;
    made.rounded = k + 1;
    made.invariants = 0;
    return made;
}

int op_rounding(const Op *op, Str name) {
    for (int k = 0; k < op->roundings; k++)
        if (str_eq(op->rounding[k].name, name)) return k;
    return -1;
}

// Whether every output of a case is what another reference of the same case says.
static bool all_right(Arena *scratch, const Bound *b, const Draw *d, int index, const uint8_t *output) {
    const CaseSpec *spec = &d->spec[index];
    const Bound *want = d->truth[index].expected;
    for (int k = 0; b && want; k++, b = b->also, want = want->also) {
        Comparison c;
        if (b->numel != want->numel || b->dtype != want->dtype) return false;
        compare_case(b, NULL, output + spec->output_at + spec->output[k].at,
                     arena_raw(scratch, (size_t)b->numel + 1, 1), &c);
        if (c.wrong > 0) return false;
    }
    return !b && !want;
}

uint8_t roundings_of_case(Arena *scratch, const Draw *d, int index, const uint8_t *output) {
    unsigned right = 0;
    if (d->op->rounded) return 0;
    for (int k = 0; k < d->op->roundings; k++) {
        ArenaMark mark = arena_mark(scratch);
        Op op = op_rounded(d->op, k);
        DiagList diags = DIAGS(scratch);
        const Bound *b = draw_reference(scratch, &op, d->mapping, &d->spec[index], NULL, &diags);
        if (b && all_right(scratch, b, d, index, output)) right |= 1u << k;
        arena_reset(scratch, mark);
    }
    return (uint8_t)right;
}

// The draw of rounding k, of the same seed and cases. NULL with an error.
static const Draw *draw_of(Candidates *b, RoundedDraws *r, int k, uint64_t seed, Err *e) {
    pthread_mutex_lock(&r->lock);
    if (!r->made[k]) {
        r->op[k] = op_rounded(b->draw->op, k);
        Pool *alone = pool_open(1); // candidates are judged side by side already
        r->made[k] = draw_make(
            &r->arena, alone,
            &(DrawRequest){.op = &r->op[k], .level = b->q->level, .seed = seed, .filter = &b->q->filter},
            &r->draw[k], e);
        pool_close(alone);
        if (r->made[k] && b->production) r->production[k] = production_open();
    }
    bool made = r->made[k];
    pthread_mutex_unlock(&r->lock);
    return made ? &r->draw[k] : NULL;
}

static bool about_values(Status s) {
    return s == STATUS_incorrect || s == STATUS_inaccurate || s == STATUS_nan_class;
}

bool roundings_judge(Candidates *b, size_t i, Verdict *v, Err *e) {
    uint8_t right = v->roundings;
    for (int k = 0; k < OP_ROUNDINGS_MAX; k++) {
        if (!(right >> k & 1)) continue;
        const Draw *d = draw_of(b, b->rounded, k, v->judged.seed, e);
        if (!d) return false;
        Verdict other = *v;
        Candidates again = candidates_on(b, d);
        again.production = b->rounded->production[k];
        if (!judge_once(&again, i, &other, e)) return false;
        if (about_values(other.decision.status)) continue;
        *v = other;
        v->rounding = b->draw->op->rounding[k].name;
        return true;
    }
    for (int k = 0; right && k < OP_ROUNDINGS_MAX; k++) {
        if (!(right >> k & 1)) continue;
        v->decision.feedback = feedback_join(
            &b->arena[i], v->decision.feedback,
            arena_printf(
                &b->arena[i],
                "The definition's rounding \"%.*s\" gives these values, but not those of every case: round "
                "there throughout, or nowhere.",
                STR_ARG(b->draw->op->rounding[k].name)));
        break;
    }
    return true;
}
