#include "model/sample.h"
#include "base/isa.h"
#include "base/numeric/fmath.h"
#include "model/sample_simd.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const SampleLoops *loops(void) {
#ifdef PORTABLE
    return &sample_loops_base;
#else
    static const SampleLoops *const table[ISA_COUNT] = {&sample_loops_base, &sample_loops_avx2,
                                                        &sample_loops_avx512};
    return table[isa_level()];
#endif
}

bool sampling_check(const Sampling *s, Err *e) {
    if (!(s->temperature >= 0 && s->temperature <= 100))
        return err_set(e, ERR_INPUT, "temperature %g is outside 0 to 100", s->temperature);
    if (s->top_k < 0) return err_set(e, ERR_INPUT, "top_k %d is below 0 (0: all)", s->top_k);
    if (!(s->top_p > 0 && s->top_p <= 1))
        return err_set(e, ERR_INPUT, "top_p %g is outside (0, 1] (1: all)", s->top_p);
    if (!(s->min_p >= 0 && s->min_p <= 1))
        return err_set(e, ERR_INPUT, "min_p %g is outside 0 to 1 (0: all)", s->min_p);
    return true;
}

// A candidate: its weight relative to the best token, and its id. Candidates lie in order of id.
typedef struct {
    float weight;
    int32_t id;
} Candidate;

size_t sample_room(int vocab) { return (size_t)vocab * (sizeof(float) + 2 * sizeof(Candidate)) + 64; }

// Weights are not negative, so their bits are ordered as they are.
static uint32_t bits_of(float weight) {
    uint32_t u;
    memcpy(&u, &weight, sizeof u);
    return u;
}

// How far a selection goes: at most `count` tokens, or until `mass` is reached.
typedef struct {
    int64_t count;
    double mass;
} Budget;

// Finds the weight at which the candidates, from the largest down, use up the budget: everything above it is
// kept. Digit by digit of the weight's bits, counting and adding up buckets; `left` is what remains of the
// budget for those of exactly that weight. Returns false when the budget is never used up.
static bool threshold_find(const Candidate *c, int n, Candidate *scratch, Budget budget, float *at,
                           Budget *left) {
    static const int shift[] = {21, 11, 0}, width[] = {11, 10, 11};
    uint32_t prefix = 0;
    const Candidate *from = c;
    for (int digit = 0; digit < 3; digit++) {
        int64_t count[2048] = {0};
        double mass[2048] = {0};
        int size = 1 << width[digit];
        for (int i = 0; i < n; i++) {
            uint32_t b = bits_of(from[i].weight) >> shift[digit] & (uint32_t)(size - 1);
            count[b]++;
            mass[b] += (double)from[i].weight;
        }
        int b = size - 1;
        while (b >= 0 && count[b] < budget.count && mass[b] < budget.mass) {
            budget.count -= count[b];
            budget.mass -= mass[b--];
        }
        if (b < 0) {
            // Below the first digit by rounding alone: everything in this bucket stays.
            if (digit == 0) return false;
            for (b = 0; !count[b];) b++;
            budget = (Budget){INT64_MAX, INFINITY};
        }
        prefix |= (uint32_t)b << shift[digit];
        int kept = 0;
        for (int i = 0; i < n; i++) {
            if ((bits_of(from[i].weight) >> shift[digit] & (uint32_t)(size - 1)) == (uint32_t)b)
                scratch[kept++] = from[i];
        }
        from = scratch;
        n = kept;
    }
    memcpy(at, &prefix, sizeof *at);
    *left = budget;
    return true;
}

static int keep_from(Candidate *c, int n, float at) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (c[i].weight >= at) c[kept++] = c[i];
    return kept;
}

static double mass_of(const Candidate *c, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)c[i].weight;
    return sum;
}

static int keep_top_k(Candidate *c, int n, int k, Candidate *scratch) {
    float at;
    Budget left;
    if (k >= n || !threshold_find(c, n, scratch, (Budget){k, INFINITY}, &at, &left)) return n;
    return keep_from(c, n, at);
}

// total: the mass of all that top_p sees, more than that of these candidates when some were left out before.
static int keep_top_p(Candidate *c, int n, double top_p, double total, Candidate *scratch) {
    float at;
    Budget left;
    if (!threshold_find(c, n, scratch, (Budget){INT64_MAX, top_p * total}, &at, &left)) return n;
    int kept = 0;
    double before = 0; // mass of equals that were kept already
    for (int i = 0; i < n; i++) {
        if (c[i].weight < at) continue;
        if (c[i].weight == at) {
            if (before >= left.mass) continue;
            before += (double)at;
        }
        c[kept++] = c[i];
    }
    return kept;
}

// What is surely cut by top_p anyway: n tokens below this hold less than what it leaves out.
static float surely_cut(const Sampling *s, double total, int vocab) {
    if (s->top_k) return 0; // it cuts before, and changes what there is to leave out
    return (float)((1 - s->top_p) * total / vocab * 0.5);
}

static int candidates_of(const float *weight, int vocab, float above, Candidate *out) {
    int n = 0;
    for (int i = 0; i < vocab; i++)
        if (weight[i] > above) out[n++] = (Candidate){weight[i], i};
    return n;
}

static int first_of(const float *logits, int vocab, float top) {
    int i = 0;
    while (i < vocab - 1 && logits[i] != top) i++;
    return i;
}

int sample_token(const float *logits, int vocab, const Sampling *s, double u, void *room) {
    float top = loops()->largest(logits, (size_t)vocab);
    if (!isfinite(top)) return -1;
    if (s->temperature <= 0) return first_of(logits, vocab, top);
    float *weight = room;
    double total = loops()->weigh(logits, top, (float)(1 / s->temperature), (size_t)vocab, weight);
    Candidate *c = (Candidate *)(weight + vocab), *scratch = c + vocab;
    int n = candidates_of(weight, vocab, surely_cut(s, total, vocab), c);
    if (s->top_k) {
        n = keep_top_k(c, n, s->top_k, scratch);
        total = mass_of(c, n);
    }
    if (s->top_p < 1) n = keep_top_p(c, n, s->top_p, total, scratch);
    if (s->min_p > 0) n = keep_from(c, n, (float)s->min_p); // the best token's weight is 1
    assert(n > 0);
    double goal = u * mass_of(c, n), sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (double)c[i].weight;
        if (sum > goal) return c[i].id;
    }
    return c[n - 1].id;
}

float sample_logprob(const float *logits, int vocab, int token) {
    float top = loops()->largest(logits, (size_t)vocab);
    double total = loops()->weigh(logits, top, 1, (size_t)vocab, NULL);
    return (float)((double)logits[token] - (double)top - f64_log(total));
}
