#include "judge/roundings.h"

#include <stdlib.h>

#include "judge/decide/decide.h"
#include "judge/decide/rounded_op.h"

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
