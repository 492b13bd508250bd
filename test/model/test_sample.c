// Sampling against the distributions that transformers draws from, and against a plain sort of everything.
#include "base/numeric/fmath.h"
#include "base/numeric/rng.h"
#include "golden.h"
#include "model/lanes.h"
#include "model/sample.h"
#include <math.h>

enum { SMALL = 50, LARGE = 20000 };

static void *room_for(Arena *a, int vocab) { return arena_raw(a, sample_room(vocab), 64); }

#ifdef PORTABLE
static const SampleLoops *const sample[] = {&sample_loops_base};
#else
static const SampleLoops *const sample[] = {&sample_loops_base, &sample_loops_avx2, &sample_loops_avx512};
#endif

static void test_as_transformers(void **state) {
    (void)state;
    Golden g = golden_file("test/model/golden/sampling.bin");
    int n, m;
    const float *logits = golden_find(&g, "logits", &n), *settings = golden_find(&g, "settings", &m);
    const float *probs = golden_find(&g, "probs", &n);
    void *room = room_for(&g.a, SMALL);
    int looked = 0, cut = 0, differ = 0;
    for (int i = 0; i < n / SMALL; i++) {
        const float *s = settings + (size_t)i * 4, *p = probs + (size_t)i * SMALL;
        // As written in the settings, not as rounded to float32: 0.97 is a threshold here.
        Sampling how = {rint((double)s[0] * 1e6) / 1e6, (int)s[1], rint((double)s[2] * 1e6) / 1e6,
                        rint((double)s[3] * 1e6) / 1e6};
        double before = 0;
        for (int id = 0; id < SMALL; id++) {
            double u = before + (double)p[id] / 2;
            before += (double)p[id];
            cut += p[id] == 0;
            if (p[id] < 1e-6f) continue;
            int got = sample_token(logits + (size_t)i * SMALL, SMALL, &how, u, room);
            if (got != id) fail_msg("case %d, u %g: %d instead of %d", i, u, got, id);
            looked++;
        }
        // Without the filters it draws from something else.
        Sampling all = {how.temperature, 0, 1, 0};
        before = 0;
        for (int id = 0; id < SMALL; id++) {
            double u = before + (double)p[id] / 2;
            before += (double)p[id];
            if (p[id] > 0) differ += sample_token(logits + (size_t)i * SMALL, SMALL, &all, u, room) != id;
        }
    }
    assert_true(looked > 100 && cut > 200 && differ > 20);
    arena_free(&g.a);
}

typedef struct {
    double z;
    int id;
} Ranked;
static int by_rank(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->z != y->z) return x->z > y->z ? -1 : 1;
    return x->id - y->id;
}

// The definition of sample.h, word by word. Returns how far the nearest decision was from turning out
// differently: rounding may decide those.
static double plain_kept(const float *logits, int vocab, const Sampling *s, Ranked *r, bool *kept) {
    double all = 0, before = 0, near = 1;
    for (int i = 0; i < vocab; i++) {
        r[i] = (Ranked){(double)logits[i] / s->temperature, i};
        kept[i] = false;
    }
    qsort(r, (size_t)vocab, sizeof *r, by_rank);
    int n = vocab;
    if (s->top_k && s->top_k < vocab) {
        for (n = s->top_k; n < vocab && r[n].z == r[s->top_k - 1].z;) n++;
    }
    for (int i = 0; i < n; i++) all += f64_exp(r[i].z - r[0].z);
    int left = n;
    if (s->top_p < 1) {
        for (left = 0; left < n && (left == 0 || before < s->top_p * all); left++) {
            near = fmin(near, fabs(before / all - s->top_p));
            before += f64_exp(r[left].z - r[0].z);
        }
        near = fmin(near, fabs(before / all - s->top_p));
    }
    for (int i = 0; i < left; i++) {
        double w = f64_exp(r[i].z - r[0].z);
        near = fmin(near, s->min_p > 0 ? fabs(w - s->min_p) : 1);
        kept[r[i].id] = w >= s->min_p;
    }
    return near;
}

static void test_as_defined(void **state) {
    (void)state;
    Arena a = {0};
    float *logits = NEWN(&a, float, LARGE);
    Ranked *r = NEWN(&a, Ranked, LARGE);
    bool *kept = NEWN(&a, bool, LARGE);
    void *room = room_for(&a, LARGE);
    Rng g = rng_at(11, 0);
    int looked = 0, ties = 0;
    for (int round = 0; round < 60; round++) {
        int vocab = round % 3 == 0 ? LARGE : (int)rng_between(&g, 1, 400);
        bool coarse = round % 2; // few different values: many ties
        double spread = 0.2 + 6 * rng_unit(&g);
        for (int i = 0; i < vocab; i++) {
            double z = rng_normal(&g) * spread;
            logits[i] = (float)(coarse ? rint(z) : z);
        }
        Sampling s = {.temperature = 0.1 + 2 * rng_unit(&g), .top_p = 1};
        if (rng_below(&g, 2)) s.top_k = (int)rng_between(&g, 1, 200);
        if (rng_below(&g, 2)) s.top_p = 0.02 + 0.97 * rng_unit(&g);
        if (rng_below(&g, 3) == 0) s.min_p = rng_unit(&g) * 0.5;
        if (plain_kept(logits, vocab, &s, r, kept) < 1e-5) continue;
        double top = r[0].z, mass = 0;
        for (int i = 0; i < vocab; i++)
            if (kept[i]) mass += f64_exp((double)logits[i] / s.temperature - top);
        for (int k = 0; k < 20; k++) {
            double u = k == 0 ? 0 : k == 1 ? 0x1.fffffffffffffp-1 : rng_unit(&g), sum = 0;
            int id = sample_token(logits, vocab, &s, u, room), expected = -1;
            assert_in_range(id, 0, vocab - 1);
            if (!kept[id]) fail_msg("round %d: %d should have been cut", round, id);
            for (int i = 0; i < vocab; i++) {
                if (!kept[i]) continue;
                double w = f64_exp((double)logits[i] / s.temperature - top);
                // Within rounding of a border either side may be right.
                if (sum <= (u + 1e-5) * mass && (u - 1e-5) * mass <= sum + w && i == id) expected = i;
                sum += w;
            }
            assert_int_equal(id, expected);
            looked++;
        }
        ties += coarse;
    }
    assert_true(looked > 600 && ties > 10);
    arena_free(&a);
}

static void test_greedy_and_broken(void **state) {
    (void)state;
    Arena a = {0};
    void *room = room_for(&a, SMALL);
    float x[SMALL];
    for (int i = 0; i < SMALL; i++) x[i] = i == 30 || i == 41 ? 2.5f : -1.0f;
    Sampling greedy = {.temperature = 0, .top_p = 1}, warm = {.temperature = 1, .top_p = 0.9};
    assert_int_equal(sample_token(x, SMALL, &greedy, 0.99, room), 30); // the lower id of equals
    x[7] = NAN;
    assert_int_equal(sample_token(x, SMALL, &greedy, 0.5, room), -1);
    assert_int_equal(sample_token(x, SMALL, &warm, 0.5, room), -1);
    x[7] = INFINITY;
    assert_int_equal(sample_token(x, SMALL, &warm, 0.5, room), -1);
    x[7] = -INFINITY; // a token that is ruled out is no mistake
    assert_int_not_equal(sample_token(x, SMALL, &warm, 0.0, room), 7);
    x[SMALL - 1] = NAN;
    assert_int_equal(sample_token(x, SMALL, &warm, 0.5, room), -1);
    float one = 3;
    assert_int_equal(sample_token(&one, 1, &warm, 0.999, room), 0);
    arena_free(&a);
}

static void test_logprob(void **state) {
    (void)state;
    Arena a = {0};
    float *x = NEWN(&a, float, LARGE);
    Rng g = rng_at(5, 0);
    for (int vocab = 1; vocab <= LARGE; vocab = vocab * 7 + 3) {
        double sum = 0, all = 0;
        for (int i = 0; i < vocab; i++) {
            x[i] = (float)(4 * rng_normal(&g));
            sum += f64_exp((double)x[i]);
        }
        for (int i = 0; i < vocab; i++) {
            float l = sample_logprob(x, vocab, i);
            all += f64_exp((double)l);
            if (i > 20) continue;
            double right = (double)x[i] - f64_log(sum);
            assert_true(fabs((double)l - right) < 1e-5);
        }
        if (vocab < 2000) assert_true(fabs(all - 1) < 1e-5);
        if (vocab > 2000) break;
    }
    arena_free(&a);
}

static void test_settings(void **state) {
    (void)state;
    static const Sampling bad[] = {{-1, 0, 1, 0},  {NAN, 0, 1, 0},  {1, -1, 1, 0},
                                   {1, 0, 0, 0},   {1, 0, 1.5, 0},  {1, 0, NAN, 0},
                                   {1, 0, 1, 1.1}, {1, 0, 1, -0.1}, {INFINITY, 0, 1, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Err e = {0};
        assert_false(sampling_check(&bad[i], &e));
        assert_int_equal(e.code, ERR_INPUT);
    }
    Err e = {0};
    assert_true(sampling_check(&(Sampling){0, 0, 1, 0}, &e));
    assert_true(sampling_check(&(Sampling){0.7, 50, 0.97, 0.05}, &e));
}

static void test_weigh(void **state) {
    (void)state;
    static float x[3000], w[3000];
    Rng g = rng_at(3, 0);
    for (size_t n = 1; n < 3000; n += 1 + n / 5) {
        float top = -INFINITY;
        for (size_t i = 0; i < n; i++) top = fmaxf(top, x[i] = (float)(9 * rng_normal(&g)));
        for (int b = 0; b < builds(); b++) {
            assert_true(sample[b]->largest(x, n) == top);
            double sum = sample[b]->weigh(x, top, 1.25f, n, w), right = 0;
            for (size_t i = 0; i < n; i++) {
                double e = f64_exp((double)((x[i] - top) * 1.25f));
                assert_true(fabs((double)w[i] - e) <= 3e-7 * e + 1e-37);
                right += e;
            }
            assert_true(fabs(sum - right) <= 1e-5 * right);
            float keep = x[n / 2];
            x[n / 2] = NAN;
            assert_true(isnan(sample[b]->largest(x, n)));
            x[n / 2] = INFINITY;
            assert_true(!isfinite(sample[b]->largest(x, n)));
            x[n / 2] = keep;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_transformers),   cmocka_unit_test(test_as_defined),
        cmocka_unit_test(test_greedy_and_broken), cmocka_unit_test(test_logprob),
        cmocka_unit_test(test_settings),          cmocka_unit_test(test_weigh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
