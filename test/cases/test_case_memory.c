// Cases that draws of one seed have in common are drawn once, and nobody can tell: the same bytes, the same
// answers. What differs in one thing is not shared.
#include "cases/case_memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cases/draw.h"

enum { SEED = 11 };
static const DrawFilter all = {.dtype = -1};
static const int64_t ordinary = (int64_t)128 << 20;

static Op the_op(Arena *a, const char *name) {
    Op op;
    if (!op_find(a, str_of(name), &op)) fail_msg("no op %s", name);
    return op;
}

static Draw drawn(Arena *a, const Domain *m, uint64_t seed, const PlannedCase *plan, int cases,
                  CaseMemory *memory) {
    Draw d;
    Err e = {0};
    Pool *pool = pool_open(2);
    if (!draw_make(a, pool,
                   &(DrawRequest){.op = m->op,
                                  .domain = m,
                                  .level = LEVEL_FULL,
                                  .seed = seed,
                                  .plan = plan,
                                  .cases = cases,
                                  .more = true,
                                  .called_once = true,
                                  .memory = memory},
                   &d, &e))
        fail_msg("%s", e.msg);
    pool_close(pool);
    return d;
}

// What a candidate that has compared sizes with these numbers gets.
static int planned(Arena *a, const Domain *m, uint64_t seed, const int64_t *number, int n,
                   PlannedCase **plan) {
    Draw d = {.domain = m, .op = m->op, .level = LEVEL_FULL, .seed = seed};
    Coverage *c = NEW(a, Coverage);
    int tried;
    memcpy(c->size, number, (size_t)n * sizeof *number);
    c->sizes = n;
    c->value[0] = 12.5f; // cases of their own, which nobody shares
    c->values = 1;
    return plan_sizes(a, &d, &all, c, plan, &tried);
}

static bool same_plan(const PlannedCase *a, const PlannedCase *b) {
    return a->place == b->place && a->dtype == b->dtype && memcmp(a->dim, b->dim, sizeof a->dim) == 0 &&
           a->strided == b->strided && a->first_line == b->first_line && a->negated == b->negated &&
           a->wide == b->wide && a->row_stride == b->row_stride;
}

static int also_in(const PlannedCase *p, const PlannedCase *list, int n) {
    for (int i = 0; i < n; i++)
        if (same_plan(p, &list[i])) return i;
    return -1;
}

static bool same_answer(const Bound *a, const Bound *b) {
    for (; a && b; a = a->also, b = b->also) {
        size_t bytes = (size_t)a->numel * sizeof(double);
        if (a->numel != b->numel || a->dtype != b->dtype || a->rank != b->rank || !a->e != !b->e ||
            memcmp(a->v, b->v, bytes) != 0 || (a->e && memcmp(a->e, b->e, bytes) != 0))
            return false;
    }
    return !a && !b;
}

static void assert_same_draw(const Draw *x, const Draw *y) {
    assert_int_equal(x->bytes, y->bytes);
    assert_int_equal(x->output_bytes, y->output_bytes);
    assert_memory_equal(x->mapping, y->mapping, x->bytes);
    for (int i = 0; i < x->cases; i++) assert_true(same_answer(x->truth[i].expected, y->truth[i].expected));
}

// A number has the same cases beside whatever other numbers, and others in another draw.
static void numbers_have_cases_of_their_own(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "add_rmsnorm", "cross_entropy", "rope"};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        Arena a = {0};
        Op op = the_op(&a, ops[k]);
        const Domain *m = domain_make(&a, &op);
        PlannedCase *one, *more, *other;
        int n = planned(&a, m, SEED, (int64_t[]){512}, 1, &one),
            all_n = planned(&a, m, SEED, (int64_t[]){48, 2048, 512, 7}, 4, &more),
            others = planned(&a, m, SEED + 1, (int64_t[]){512}, 1, &other), placed = 0;
        assert_true(n > 3 && all_n > n && others > 3);
        for (int i = 0; i < n; i++) {
            placed += one[i].place != 0;
            assert_true(!one[i].written == (one[i].place != 0));
            if (!one[i].place) continue;
            assert_true(also_in(&one[i], more, all_n) >= 0);
            assert_int_equal(also_in(&one[i], other, others), -1);
            for (int j = 0; j < i; j++) assert_true(one[j].place != one[i].place);
        }
        assert_true(placed > 2);
        arena_free(&a);
    }
}

// With and without a memory, from a full and from an empty one, and where there is no room.
static void nobody_can_tell(void **state) {
    (void)state;
    static const char *const ops[] = {"softmax", "add_rmsnorm", "cross_entropy", "layernorm"};
    static const int64_t limits[] = {ordinary, 0, 100000};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            Arena a = {0};
            Op op = the_op(&a, ops[k]);
            const Domain *m = domain_make(&a, &op);
            PlannedCase *one, *two;
            int n = planned(&a, m, SEED, (int64_t[]){64, 512}, 2, &one),
                o = planned(&a, m, SEED, (int64_t[]){512, 33, 64}, 3, &two), shared = 0, own = 0;
            case_memory_limit(limits[l]);
            CaseMemory *c = case_memory_open(m, SEED);
            Draw first = drawn(&a, m, SEED, one, n, c), second = drawn(&a, m, SEED, two, o, c),
                 third = drawn(&a, m, SEED, one, n, c), alone = drawn(&a, m, SEED, two, o, NULL),
                 before = drawn(&a, m, SEED, one, n, NULL);
            assert_same_draw(&first, &before);
            assert_same_draw(&second, &alone);
            assert_same_draw(&third, &before);
            for (int i = 0; i < o; i++) {
                int at = also_in(&two[i], one, n);
                if (!two[i].place || at < 0) {
                    own++;
                    continue;
                }
                shared += first.truth[at].expected == second.truth[i].expected;
            }
            assert_true(own > 3);
            assert_true(limits[l] == ordinary ? shared > 6 : limits[l] ? shared > 0 : shared == 0);
            draw_free(&first), draw_free(&second), draw_free(&third), draw_free(&alone), draw_free(&before);
            case_memory_close(c);
            arena_free(&a);
        }
    case_memory_limit(ordinary);
}

// Room that one memory took is there again when it is closed.
static void room_comes_back(void **state) {
    (void)state;
    Arena a = {0};
    Op op = the_op(&a, "softmax");
    const Domain *m = domain_make(&a, &op);
    PlannedCase plan = {.dtype = DT_F32, .dim = {8, 1000}, .place = 9};
    case_memory_limit(8 * 1000 * (4 + 16) + 4096);
    for (int i = 0; i < 3; i++) {
        CaseMemory *c = case_memory_open(m, SEED), *full = case_memory_open(m, SEED);
        Draw d = drawn(&a, m, SEED, &plan, 1, c), again = drawn(&a, m, SEED, &plan, 1, c),
             other = drawn(&a, m, SEED, &plan, 1, full), more = drawn(&a, m, SEED, &plan, 1, full);
        assert_ptr_equal(d.truth[0].expected, again.truth[0].expected);
        assert_ptr_not_equal(other.truth[0].expected, more.truth[0].expected);
        assert_same_draw(&d, &more);
        draw_free(&d), draw_free(&again), draw_free(&other), draw_free(&more);
        case_memory_close(c), case_memory_close(full);
    }
    case_memory_limit(ordinary);
    case_memory_close(NULL);
    arena_free(&a);
}

// Each of these differs from the first in one thing.
static void one_thing_is_enough(void **state) {
    (void)state;
    Arena a = {0};
    Op op = the_op(&a, "add_rmsnorm");
    const Domain *m = domain_make(&a, &op);
    static const float numbers[] = {1.5f, 3};
    PlannedCase base = {.dtype = DT_F16, .place = 77, .strided = 1};
    base.dim[op.rows_dim] = 9;
    base.dim[op.row_dim] = 70;
    PlannedCase p[16];
    int n = 0;
#define BUT(what) p[n] = base, p[n++].what
    BUT(dtype) = DT_BF16;
    BUT(place) = 78;
    BUT(place) = 0; // by its number
    BUT(strided) = 2;
    BUT(strided) = 0;
    BUT(row_stride) = 96;
    BUT(first_line) = 3;
    BUT(wide) = true;
    BUT(flat) = true;
    BUT(negated) = true;
    BUT(hidden) = true;
    BUT(extremes) = 50;
    BUT(dim[op.rows_dim]) = 10;
    BUT(dim[op.row_dim]) = 71;
    p[n] = base, p[n].written = numbers, p[n++].writtens = 2;
#undef BUT
    CaseMemory *c = case_memory_open(m, SEED);
    Draw first = drawn(&a, m, SEED, &base, 1, c), same = drawn(&a, m, SEED, &base, 1, c);
    assert_ptr_equal(first.truth[0].expected, same.truth[0].expected);
    for (int i = 0; i < n; i++) {
        Draw d = drawn(&a, m, SEED, &p[i], 1, c), alone = drawn(&a, m, SEED, &p[i], 1, NULL);
        assert_ptr_not_equal(d.truth[0].expected, first.truth[0].expected);
        assert_same_draw(&d, &alone);
        draw_free(&d), draw_free(&alone);
    }
    // Another seed or domain is nothing that it is asked for.
    const Domain *copy = domain_make(&a, &op);
    assert_true(case_memory_fits(c, m, SEED));
    assert_false(case_memory_fits(c, m, SEED + 1) || case_memory_fits(c, copy, SEED) ||
                 case_memory_fits(NULL, m, SEED));
    Draw seed = drawn(&a, m, SEED + 1, &base, 1, c), domain = drawn(&a, m, SEED, &base, 1, NULL);
    assert_false(same_answer(seed.truth[0].expected, first.truth[0].expected));
    assert_same_draw(&domain, &first);
    draw_free(&seed), draw_free(&domain);
    draw_free(&first), draw_free(&same);
    case_memory_close(c);
    arena_free(&a);
}

typedef struct {
    const Domain *m;
    CaseMemory *memory;
    const PlannedCase *plan;
    int cases;
    const Draw *right;
} Together;

static void *draw_together(void *arg) {
    const Together *t = arg;
    for (int i = 0; i < 3; i++) {
        Arena a = {0};
        Draw d = drawn(&a, t->m, SEED, t->plan, t->cases, t->memory);
        assert_same_draw(&d, t->right);
        draw_free(&d);
        arena_free(&a);
    }
    return NULL;
}

static void threads_share(void **state) {
    (void)state;
    enum { THREADS = 3 };
    Arena a = {0};
    Op op = the_op(&a, "rmsnorm");
    const Domain *m = domain_make(&a, &op);
    pthread_t id[THREADS];
    Together t[THREADS];
    Draw right[THREADS];
    CaseMemory *c = case_memory_open(m, SEED);
    for (int i = 0; i < THREADS; i++) {
        PlannedCase *plan;
        int n = planned(&a, m, SEED, (int64_t[]){3 + i, 64, 40 + i, 128}, 4, &plan);
        right[i] = drawn(&a, m, SEED, plan, n, NULL);
        t[i] = (Together){m, c, plan, n, &right[i]};
    }
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&id[i], NULL, draw_together, &t[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(id[i], NULL);
    for (int i = 0; i < THREADS; i++) draw_free(&right[i]);
    case_memory_close(c);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_cases_of_their_own),
        cmocka_unit_test(nobody_can_tell),
        cmocka_unit_test(room_comes_back),
        cmocka_unit_test(one_thing_is_enough),
        cmocka_unit_test(threads_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
