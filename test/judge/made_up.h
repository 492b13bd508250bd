// made_up.h - for tests of decide(): a draw, and a made-up child that hands in the oracle's own values. Tests
// change what it says or what it has written.
#pragma once
#include "judge/decide/decide.h"
#include "judge/referee.h"
#include "op/op.h"
#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    Arena a;
    Pool *pool;
    Op op;
    Draw d;
    uint8_t *output;
    CaseReport *report;
} MadeUp;

static inline void made_up_open(MadeUp *w, const char *op, DType dtype, uint64_t seed) {
    Err e = {0};
    *w = (MadeUp){0};
    DrawFilter filter = {.dtype = (int)dtype};
    assert_true(op_find(&w->a, str_of(op), &w->op));
    w->pool = pool_open(1);
    if (!draw_make(&w->a, w->pool,
                   &(DrawRequest){.op = &w->op, .level = LEVEL_QUICK, .seed = seed, .filter = &filter}, &w->d,
                   &e))
        fail_msg("%s", e.msg);
    w->output = NEWN(&w->a, uint8_t, w->d.output_bytes);
    memset(w->output, 0xff, w->d.output_bytes); // from everything
    w->report = NEWN(&w->a, CaseReport, (size_t)w->d.cases + 1);
    for (int i = 0; i < w->d.cases; i++) {
        const Bound *b = w->d.truth[i].expected;
        const CaseSpec *s = &w->d.spec[i];
        CaseReport *r = &w->report[i];
        *r = (CaseReport){
            .case_index = i,
            .kind = REPORT_RAN,
            .output[0].dtype = (int32_t)b->dtype,
            .output[0].rank = b->rank,
        };
        r->count.bytes_stored = 1 << 30;
        memcpy(r->output[0].shape, b->shape, sizeof(int64_t) * (size_t)b->rank);
        wire_message(r, "");
        for (int order = 0; order <= spec_last_run(s); order++)
            for (int64_t k = 0; k < b->numel; k++)
                dtype_store(b->dtype, w->output + spec_output_at(s, order) + k * dtype_bytes(b->dtype),
                            b->v[k]);
    }
    w->report[w->d.cases] = (CaseReport){
        .case_index = -1,
        .kind = REPORT_DONE,
    };
    wire_message(&w->report[w->d.cases], "");
}
static inline void made_up_close(MadeUp *w) {
    draw_free(&w->d);
    pool_close(w->pool);
    arena_free(&w->a);
}

static inline Verdict judged(MadeUp *w) {
    ChildResult child = {.end = CHILD_EXITED,
                         .report = w->report,
                         .reports = w->d.cases + 1,
                         .output = w->output,
                         .output_bytes = w->d.output_bytes};
    Verdict v = {0};
    decide(&w->a, &w->d, STR("source"), &child, &v);
    return v;
}

static inline int twin_of(const MadeUp *w) {
    for (int i = 1; i < w->d.cases; i++)
        if (w->d.truth[i].twin) return i;
    return -1;
}
