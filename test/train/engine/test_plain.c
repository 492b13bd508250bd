// The float64 ways back, by finite differences: each layer type alone.
#include "train/making.h"

enum { MOST = 400 };
typedef double (*Loss)(const double *x, void *arg);

// The gradient of f at x by central differences against what was computed; every number is tried.
static void check(Loss f, void *arg, double *x, const double *gradient, int n, const char *what) {
    for (int i = 0; i < n; i++) {
        double was = x[i], h = 1e-5;
        x[i] = was + h;
        double up = f(x, arg);
        x[i] = was - h;
        double down = f(x, arg);
        x[i] = was;
        double slope = (up - down) / (2 * h), size = fabs(slope) > 1 ? fabs(slope) : 1;
        if (!(fabs(slope - gradient[i]) <= 1e-7 * size))
            fail_msg("%s: number %d: the slope is %.12g, the gradient says %.12g", what, i, slope,
                     gradient[i]);
    }
}
static void draw(double *x, int n, uint64_t stream) {
    Rng r = rng_at(5, stream);
    rng_fill_normal(&r, x, (size_t)n);
}
static double weighted(const double *y, const double *w, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += y[i] * w[i];
    return sum;
}

// Each case: inputs in one row of numbers, so that every one of them is tried; the loss is a fixed weighting
// of outputs.
static double dy[MOST];

enum { T = 3, ROWS = 4, COLS = 5 };
static PlainLinear linear_at(const double *x) {
    return (PlainLinear){T, ROWS, COLS, x, x + T * COLS, x + T * COLS + ROWS * COLS};
}
static double linear_loss(const double *x, void *arg) {
    (void)arg;
    double y[T * ROWS];
    PlainLinear l = linear_at(x);
    plain_linear(&l, y);
    return weighted(y, dy, T * ROWS);
}
static void linear_goes_back(void **state) {
    (void)state;
    enum { N = T * COLS + ROWS * COLS + ROWS };
    double x[N], d[N] = {0};
    draw(x, N, 1);
    PlainLinear l = linear_at(x);
    plain_linear_back(&l, dy, d, d + T * COLS, d + T * COLS + ROWS * COLS);
    check(linear_loss, NULL, x, d, N, "linear");
}

static double norm_loss(const double *x, void *arg) {
    (void)arg;
    double y[T * COLS];
    plain_norm(&(PlainNorm){T, COLS, 1e-3, x, x + T * COLS}, y);
    return weighted(y, dy, T * COLS);
}
static void norm_goes_back(void **state) {
    (void)state;
    enum { N = T * COLS + COLS };
    double x[N], d[N] = {0};
    draw(x, N, 2);
    plain_norm_back(&(PlainNorm){T, COLS, 1e-3, x, x + T * COLS}, dy, d, d + T * COLS);
    check(norm_loss, NULL, x, d, N, "norm");
}

static double swiglu_loss(const double *x, void *arg) {
    (void)arg;
    double y[10];
    plain_swiglu(10, x, x + 10, y);
    return weighted(y, dy, 10);
}
static void swiglu_goes_back(void **state) {
    (void)state;
    double x[20], d[20] = {0};
    draw(x, 20, 3);
    plain_swiglu_back(10, x, x + 10, dy, d, d + 10);
    check(swiglu_loss, NULL, x, d, 20, "swiglu");
}

enum { LENGTH = 5, HEADS = 4, SHARED = 2, DIM = 2, Q = LENGTH * HEADS * DIM, KV = LENGTH * SHARED * DIM };
static PlainAttention attention_at(const double *x) {
    return (PlainAttention){LENGTH, HEADS, SHARED, DIM, x, x + Q, x + Q + KV};
}
static double attention_loss(const double *x, void *arg) {
    (void)arg;
    double y[Q];
    PlainAttention a = attention_at(x);
    plain_attention(&a, y);
    return weighted(y, dy, Q);
}
static void attention_goes_back(void **state) {
    (void)state;
    double x[Q + 2 * KV], d[Q + 2 * KV] = {0};
    draw(x, Q + 2 * KV, 4);
    PlainAttention a = attention_at(x);
    plain_attention_back(&a, dy, d, d + Q, d + Q + KV);
    check(attention_loss, NULL, x, d, Q + 2 * KV, "attention");
}

typedef struct {
    bool neighbours;
    float cos[2], sin[2];
} Turn;
static double turn_loss(const double *x, void *arg) {
    const Turn *t = arg;
    double y[8];
    memcpy(y, x, sizeof y);
    plain_turn(&(PlainTurn){2, 4, t->neighbours, false, t->cos, t->sin}, y);
    return weighted(y, dy, 8);
}
static void rotation_goes_back(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        Turn t = {n, {0.6f, 0.28f}, {0.8f, -0.96f}};
        double x[8], d[8];
        draw(x, 8, 5);
        memcpy(d, dy, sizeof d);
        plain_turn(&(PlainTurn){2, 4, n, true, t.cos, t.sin}, d);
        check(turn_loss, &t, x, d, 8, n ? "rotation of neighbours" : "rotation");
    }
}

static double cross_loss(const double *x, void *arg) { return 1.5 * plain_cross(7, x, *(int *)arg); }
static void cross_entropy_goes_back(void **state) {
    (void)state;
    int target = 4;
    double x[7], d[7] = {0};
    draw(x, 7, 6);
    plain_cross_back(7, x, target, 1.5, d);
    check(cross_loss, &target, x, d, 7, "cross entropy");
}

// The check itself: a gradient that is off by one part in ten thousand is found.
static bool finds(double *x, double *d) {
    double was = x[0];
    x[0] = was + 1e-5;
    double up = swiglu_loss(x, NULL);
    x[0] = was - 1e-5;
    double slope = (up - swiglu_loss(x, NULL)) / 2e-5;
    x[0] = was;
    return fabs(slope - d[0] * 1.0001) > 1e-7 * (fabs(slope) > 1 ? fabs(slope) : 1);
}
static void a_wrong_gradient_is_found(void **state) {
    (void)state;
    double x[20], d[20] = {0};
    draw(x, 20, 3);
    plain_swiglu_back(10, x, x + 10, dy, d, d + 10);
    assert_true(finds(x, d));
}

static int setup(void **state) {
    (void)state;
    draw(dy, MOST, 9);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_goes_back),         cmocka_unit_test(norm_goes_back),
        cmocka_unit_test(swiglu_goes_back),         cmocka_unit_test(attention_goes_back),
        cmocka_unit_test(rotation_goes_back),       cmocka_unit_test(cross_entropy_goes_back),
        cmocka_unit_test(a_wrong_gradient_is_found)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
