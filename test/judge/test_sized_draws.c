// Draws of a module that candidates share: one for each thing that is asked, what is in it, and who frees it.
#include "judge/sized_draws.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "cases/draw.h"
#include "cases/modules/modules_domain.h"
#include <cmocka.h>

#define MODEL(forward, sizes)                                                                   \
    "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n" \
    "        return " forward "\ndef get_inputs():\n    return [torch.rand(" sizes              \
    ")]\ndef get_init_inputs():\n    return []\n"

static const Domain *domain_of(Arena *a, const char *source) {
    Err e = {0};
    ModulesDomain *m;
    if (!modules_open(a, &(ModulesAsk){.path = "m.py", .source = str_of(source)}, &m, &e))
        fail_msg("%s", e.msg);
    return m->op.form;
}

static const SizedDraw *take(SizedDraws *s, const SizedAsk *ask) {
    Err e = {0};
    const SizedDraw *d = sized_draw_take(s, ask, &e);
    if (!d) fail_msg("%s", e.msg);
    return d;
}

static void one_for_each_question(void **state) {
    (void)state;
    Arena a = {0};
    const Domain *m = domain_of(&a, MODEL("torch.exp(x)", "16, 24")),
                 *n = domain_of(&a, MODEL("torch.exp(x)", "24, 16"));
    SizedDraws *s = sized_draws_open();
    const SizedAsk ask[] = {{.domain = m, .level = LEVEL_QUICK, .seed = 3},
                            {.domain = m, .level = LEVEL_QUICK, .seed = 4},
                            {.domain = m, .level = LEVEL_FULL, .seed = 3},
                            {.domain = n, .level = LEVEL_QUICK, .seed = 3},
                            {.domain = m, .level = LEVEL_QUICK, .seed = 3, .most = 1}};
    enum { ASKS = sizeof ask / sizeof *ask };
    const SizedDraw *had[ASKS];
    for (int i = 0; i < ASKS; i++) {
        had[i] = take(s, &ask[i]);
        assert_ptr_equal(take(s, &ask[i]), had[i]); // while it is used
        sized_draw_leave(s, had[i]);
        for (int k = 0; k < i; k++) assert_ptr_not_equal(had[k], had[i]);
    }
    for (int i = 0; i < ASKS; i++) sized_draw_leave(s, had[i]);
    for (int i = 0; i < ASKS; i++) { // and when nobody uses it
        assert_ptr_equal(take(s, &ask[i]), had[i]);
        sized_draw_leave(s, had[i]);
    }
    sized_draws_close(s);
    arena_free(&a);
}

// The same values as whoever makes one alone would have, and those of the first case in a draw of it alone.
static void the_same_values(void **state) {
    (void)state;
    Arena a = {0};
    const Domain *m = domain_of(&a, MODEL("torch.softmax(x, dim=1)", "16, 24"));
    SizedDraws *s = sized_draws_open();
    const SizedAsk whole = {.domain = m, .level = LEVEL_QUICK, .seed = 5},
                   first = {.domain = m, .level = LEVEL_QUICK, .seed = 5, .most = 1};
    const SizedDraw *shared = take(s, &whole), *alone = take(NULL, &whole), *one = take(s, &first);
    assert_int_equal(shared->cases, 5);
    assert_int_equal(one->cases, 1);
    assert_int_equal(shared->draw.calls, 0);
    assert_non_null(shared->draw.left); // for who keeps something
    assert_int_equal(one->draw.calls, 0);
    assert_null(one->draw.left); // nobody calls an object again there
    for (int i = 0; i < shared->cases; i++) {
        const CaseTensor *t = &shared->draw.spec[i].input[0], *u = &alone->draw.spec[i].input[0];
        assert_int_equal(t->bytes, u->bytes);
        assert_memory_equal(shared->draw.mapping + t->at, alone->draw.mapping + u->at, (size_t)t->bytes);
    }
    const CaseSpec *p = &shared->draw.spec[0], *q = &one->draw.spec[0];
    assert_memory_equal(shared->draw.mapping + p->input[0].at, one->draw.mapping + q->input[0].at,
                        (size_t)p->input[0].bytes);
    assert_int_equal(p->order_seed, q->order_seed);
    assert_int_equal(p->processors, q->processors);
    assert_int_equal(p->steps, q->steps);
    assert_int_equal(p->contract, q->contract);
    const Bound *x = shared->draw.truth[0].expected, *y = one->draw.truth[0].expected;
    assert_int_equal(x->numel, y->numel);
    assert_memory_equal(x->v, y->v, sizeof *x->v * (size_t)x->numel);
    assert_memory_equal(x->e, y->e, sizeof *x->e * (size_t)x->numel);
    sized_draw_leave(NULL, alone);
    sized_draw_leave(s, shared);
    sized_draw_leave(s, one);
    sized_draws_close(s);
    arena_free(&a);
}

static void same_answer(const Bound *x, const Bound *y) {
    assert_int_equal(x->numel, y->numel);
    assert_memory_equal(x->v, y->v, sizeof *x->v * (size_t)x->numel);
    assert_memory_equal(x->e, y->e, sizeof *x->e * (size_t)x->numel);
}

// Calls that were left out are drawn beside the very cases: as if they had been there from the beginning.
static void calls_later(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    const Domain *m = domain_of(&a, MODEL("torch.softmax(x, dim=1)", "16, 24"));
    SizedDraws *s = sized_draws_open();
    DrawRequest q = {.op = m->op, .domain = m, .level = LEVEL_FULL, .seed = 7, .calls_later = true};
    Draw without, at_once;
    Pool *pool = pool_open(2);
    assert_true(draw_make(&a, pool, &q, &without, &e));
    q.calls_later = false;
    assert_true(draw_make(&a, pool, &q, &at_once, &e));
    const SizedAsk plain = {.domain = m, .level = LEVEL_FULL, .seed = 7},
                   ask = {.domain = m, .level = LEVEL_FULL, .seed = 7, .calls_of = &without};
    const SizedDraw *other = take(s, &plain), *all = take(s, &ask);
    assert_ptr_not_equal(all, other);
    assert_ptr_equal(take(s, &ask), all);
    sized_draw_leave(s, all);
    assert_int_equal(without.calls, 0);
    assert_null(at_once.left);
    assert_null(all->draw.left);
    assert_true(at_once.calls > 0);
    assert_int_equal(all->draw.calls, at_once.calls);
    assert_int_equal(all->draw.bytes, at_once.bytes);
    assert_int_equal(all->draw.output_bytes, at_once.output_bytes);
    assert_memory_equal(all->draw.mapping, at_once.mapping, at_once.bytes);
    for (int i = 0; i < at_once.calls; i++)
        same_answer(all->draw.called[i].expected, at_once.called[i].expected);
    assert_int_equal(without.cases, at_once.cases);
    assert_true(without.output_bytes < at_once.output_bytes);
    for (int i = 0; i < without.cases; i++) {
        const CaseSpec *x = &without.spec[i], *y = &at_once.spec[i];
        assert_int_equal(x->output_at, y->output_at);
        assert_int_equal(x->order_seed, y->order_seed);
        assert_int_equal(x->input[0].at, y->input[0].at);
        assert_memory_equal(without.mapping + x->input[0].at, at_once.mapping + y->input[0].at,
                            (size_t)x->input[0].bytes);
        same_answer(without.truth[i].expected, at_once.truth[i].expected);
    }
    sized_draw_leave(s, all);
    sized_draw_leave(s, other);
    sized_draws_close(s);
    draw_free(&without);
    draw_free(&at_once);
    pool_close(pool);
    arena_free(&a);
}

typedef struct {
    SizedDraws *s;
    const Domain *m;
    const SizedDraw *first;
} Shared;

static void *take_often(void *arg) {
    Shared *t = arg;
    for (int i = 0; i < 50; i++) {
        const SizedAsk ask = {.domain = t->m, .level = LEVEL_QUICK, .seed = (uint64_t)i % 3, .most = 1};
        Err e = {0};
        const SizedDraw *d = sized_draw_take(t->s, &ask, &e);
        if (!d || d->draw.seed != ask.seed) return "another draw, or none";
        if (ask.seed == 0) t->first = d;
        sized_draw_leave(t->s, d);
    }
    return NULL;
}

static void side_by_side(void **state) {
    (void)state;
    enum { THREADS = 4 };
    Arena a = {0};
    Shared t[THREADS];
    pthread_t thread[THREADS];
    SizedDraws *s = sized_draws_open();
    const Domain *m = domain_of(&a, MODEL("torch.exp(x)", "16, 24"));
    for (int i = 0; i < THREADS; i++) {
        t[i] = (Shared){s, m, NULL};
        assert_int_equal(pthread_create(&thread[i], NULL, take_often, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *why;
        pthread_join(thread[i], &why);
        assert_null(why);
        assert_ptr_equal(t[i].first, t[0].first);
    }
    sized_draws_close(s);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_for_each_question),
        cmocka_unit_test(the_same_values),
        cmocka_unit_test(calls_later),
        cmocka_unit_test(side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
