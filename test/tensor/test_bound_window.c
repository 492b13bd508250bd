// Convolutions and pools: a second implementation, by the definition, for every shape that is tried; what the
// bounds must hold; what is refused. test/conformance/modules.py compares with PyTorch.
#include "tensor/bounds.h"

#include "tensor/bound_impl.h"

enum { MOST = 4096 };
typedef struct {
    int axes, n, c, out, groups;
    int size[3], kernel[3], stride[3], padding[3], dilation[3], extra[3];
} Case;

static int64_t attr_room[16];
static const Bound *window(BoundOp op, int attrs, double scalar, int n, const Bound *const *in) {
    ctx.why = NULL;
    return bound_apply(&ctx, op, in, n, attr_room, attrs, scalar);
}

static const Bound *drawn(Rng *r, int rank, const int64_t *shape, double *v) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    assert_true(n <= MOST);
    for (int64_t i = 0; i < n; i++) v[i] = dtype_round(DT_F32, rng_normal(r));
    return input(DT_F32, rank, shape, v);
}

static void set_attrs(const Case *z) {
    attr_room[0] = z->axes;
    for (int d = 0; d < z->axes; d++) {
        attr_room[1 + d] = z->stride[d];
        attr_room[4 + d] = z->padding[d];
        attr_room[7 + d] = z->dilation[d];
        attr_room[10 + d] = z->extra[d];
    }
    attr_room[13] = z->groups;
}

// An index of `axes` places, counted up; false after the last.
static bool next(int *at, const int *size, int axes) {
    for (int d = axes - 1; d >= 0; d--) {
        if (++at[d] < size[d]) return true;
        at[d] = 0;
    }
    return false;
}
static int place(const int *at, const int *size, int axes) {
    int p = 0;
    for (int d = 0; d < axes; d++) p = p * size[d] + at[d];
    return p;
}
static int count(const int *size, int axes) {
    int n = 1;
    for (int d = 0; d < axes; d++) n *= size[d];
    return n;
}

typedef struct {
    long double v[MOST], size[MOST];
    int meet[MOST]; // products in each element
    int extent[3];
} SumsBy;

// Every product, wherever it belongs: a convolution gathers, a transposed one scatters.
static void by_definition(const Case *z, bool transposed, const double *x, const double *w, SumsBy *s) {
    *s = (SumsBy){0};
    int cg = z->c / z->groups, og = z->out / z->groups, taps = count(z->kernel, z->axes);
    for (int d = 0; d < z->axes; d++) {
        int reach = z->dilation[d] * (z->kernel[d] - 1);
        s->extent[d] = transposed
                           ? (z->size[d] - 1) * z->stride[d] - 2 * z->padding[d] + reach + z->extra[d] + 1
                           : (z->size[d] + 2 * z->padding[d] - reach - 1) / z->stride[d] + 1;
    }
    int in_plane = count(z->size, z->axes), out_plane = count(s->extent, z->axes);
    assert_true(z->n * z->out * out_plane <= MOST);
    for (int n = 0; n < z->n; n++)
        for (int o = 0; o < z->out; o++)
            for (int i = 0; i < cg; i++) {
                int group = o / og, channel = group * cg + i, tap[3] = {0};
                do {
                    const int *outer = transposed ? z->size : s->extent,
                              *inner = transposed ? s->extent : z->size;
                    int at[3] = {0};
                    do {
                        int other[3];
                        bool inside = true;
                        for (int d = 0; d < z->axes; d++) {
                            other[d] = at[d] * z->stride[d] - z->padding[d] + tap[d] * z->dilation[d];
                            inside = inside && other[d] >= 0 && other[d] < inner[d];
                        }
                        if (!inside) continue;
                        int a = place(at, outer, z->axes), b = place(other, inner, z->axes);
                        int from = transposed ? a : b, to = transposed ? b : a;
                        int row = transposed ? channel * og + o % og : o * cg + i;
                        long double p = (long double)x[(n * z->c + channel) * in_plane + from] *
                                        w[row * taps + place(tap, z->kernel, z->axes)];
                        int out = (n * z->out + o) * out_plane + to;
                        s->v[out] += p;
                        s->size[out] += fabsl(p);
                        s->meet[out]++;
                    } while (next(at, outer, z->axes));
                } while (next(tap, z->kernel, z->axes));
            }
}

static const Case cases[] = {
    {1, 2, 3, 4, 1, {9}, {3}, {1}, {0}, {1}, {0}},
    {1, 1, 4, 6, 2, {11}, {4}, {3}, {2}, {2}, {1}},
    {2, 2, 3, 2, 1, {5, 7}, {3, 2}, {1, 1}, {1, 0}, {1, 1}, {0, 0}},
    {2, 1, 6, 6, 6, {8, 6}, {3, 3}, {2, 1}, {1, 2}, {1, 2}, {1, 0}},
    {2, 2, 4, 8, 4, {6, 5}, {2, 3}, {2, 3}, {0, 1}, {3, 2}, {0, 1}},
    {3, 1, 2, 3, 1, {4, 5, 3}, {3, 1, 2}, {1, 2, 1}, {1, 0, 0}, {1, 1, 2}, {0, 1, 0}},
    {3, 2, 4, 2, 2, {3, 4, 5}, {2, 3, 3}, {2, 1, 2}, {1, 1, 1}, {1, 2, 1}, {1, 0, 1}},
    {2, 1, 1, 1, 1, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {0, 0}},
};

static const Bound *run_case(const Case *z, bool transposed, Rng *r, double *x, double *w) {
    int64_t xs[5] = {z->n, z->c}, ws[5] = {z->out, z->c / z->groups};
    if (transposed) ws[0] = z->c, ws[1] = z->out / z->groups;
    for (int d = 0; d < z->axes; d++) xs[2 + d] = z->size[d], ws[2 + d] = z->kernel[d];
    const Bound *in[2] = {drawn(r, z->axes + 2, xs, x), drawn(r, z->axes + 2, ws, w)};
    set_attrs(z);
    if (!transposed) attr_room[10] = attr_room[11] = attr_room[12] = 0;
    return must(window(transposed ? BOUND_CONV_TRANSPOSE : BOUND_CONV, 14, 0, 2, in));
}

static void convolutions_by_definition(void **state) {
    (void)state;
    static SumsBy s;
    double x[MOST], w[MOST];
    Rng r = rng_at(11, 0);
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        const Case *z = &cases[k / 2];
        bool transposed = k % 2;
        const Bound *y = run_case(z, transposed, &r, x, w);
        by_definition(z, transposed, x, w, &s);
        assert_int_equal(y->numel, z->n * z->out * count(s.extent, z->axes));
        for (int d = 0; d < z->axes; d++) assert_int_equal(y->shape[2 + d], s.extent[d]);
        int meet = 0;
        for (int64_t i = 0; i < y->numel; i++) meet = s.meet[i] > meet ? s.meet[i] : meet;
        for (int64_t i = 0; i < y->numel; i++) {
            assert_true(fabsl(s.v[i] - (long double)y->v[i]) <= 1e-15L * s.size[i]);
            // Stored operands: products are rounded, and their sum has as many terms as meet anywhere. A
            // window that never fits whole into a small input is counted as if it did.
            double least = (double)s.size[i] * (1 + bound_growth(meet)),
                   most =
                       (double)s.size[i] * (1 + bound_growth(z->c / z->groups * count(z->kernel, z->axes)));
            assert_true(err_at(y, i) >= least * (1 - 1e-9));
            assert_true(err_at(y, i) <= most * (1 + 1e-9) + 1e-20);
        }
    }
}

// A float32 convolution in some order lies within; one product left out, or a tap moved, does not.
static void float32_lies_within(void **state) {
    (void)state;
    const Case z = {2, 1, 5, 3, 1, {7, 6}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
    double x[MOST], w[MOST];
    Rng r = rng_at(12, 0);
    const Bound *y = run_case(&z, false, &r, x, w);
    int caught = 0;
    for (int o = 0; o < 3; o++)
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 6; j++) {
                float sum = 0, moved = 0;
                for (int c = 0; c < 5; c++)
                    for (int k = 0; k < 9; k++) {
                        int row = i + k / 3 - 1, col = j + k % 3 - 1;
                        if (row < 0 || row > 6 || col < 0 || col > 5) continue;
                        sum += (float)x[(c * 7 + row) * 6 + col] * (float)w[(o * 5 + c) * 9 + k];
                        moved += (float)x[(c * 7 + row) * 6 + col] * (float)w[(o * 5 + c) * 9 + 8 - k];
                    }
                int at = (o * 7 + i) * 6 + j;
                assert_true(sum >= low_at(y, at) && sum <= high_at(y, at));
                caught += moved < low_at(y, at) || moved > high_at(y, at);
            }
    assert_true(caught > 120);
}

// Where the input is uncertain, every input within its errors gives a result within the result's.
static void errors_of_the_input_go_on(void **state) {
    (void)state;
    const Case z = {1, 1, 2, 2, 1, {8}, {3}, {2}, {1}, {1}, {0}};
    double x[16], e[16], w[12], moved[16];
    Rng r = rng_at(13, 0);
    for (int i = 0; i < 16; i++) x[i] = dtype_round(DT_F32, rng_normal(&r)), e[i] = spread(&r);
    for (int i = 0; i < 12; i++) w[i] = dtype_round(DT_F32, rng_normal(&r));
    const Bound *in[2] = {OPA(RESHAPE, ATTRS(1, 2, 8), uncertain(x, e, 16)), INPUT(DT_F32, w, 2, 2, 3)};
    set_attrs(&z);
    const Bound *y = must(window(BOUND_CONV, 14, 0, 2, in));
    for (int turn = 0; turn < 200; turn++) {
        for (int i = 0; i < 16; i++) moved[i] = x[i] + KU * e[i] * (2 * rng_unit(&r) - 1);
        for (int o = 0; o < 2; o++)
            for (int j = 0; j < 4; j++) {
                double sum = 0;
                for (int c = 0; c < 2; c++)
                    for (int k = 0; k < 3; k++) {
                        int at = 2 * j + k - 1;
                        if (at >= 0 && at < 8) sum += moved[c * 8 + at] * w[(o * 2 + c) * 3 + k];
                    }
                assert_true(sum >= low_at(y, o * 4 + j) && sum <= high_at(y, o * 4 + j));
            }
    }
}

static void infinities_and_overflow(void **state) {
    (void)state;
    double x[4] = {1, infinity, -1, 1e30}, w[1] = {2}, big[1] = {1e20};
    const Bound *in[2] = {INPUT(DT_F32, x, 1, 1, 4), INPUT(DT_F32, w, 1, 1, 1)};
    const Case z = {1, 1, 1, 1, 1, {4}, {1}, {1}, {0}, {1}, {0}};
    set_attrs(&z);
    const Bound *y = must(window(BOUND_CONV, 14, 0, 2, in));
    assert_true(y->v[0] == 2 && y->v[1] == infinity && err_at(y, 1) == 0 && y->v[2] == -2);
    in[1] = INPUT(DT_F32, big, 1, 1, 1);
    y = must(window(BOUND_CONV, 14, 0, 2, in));
    assert_true(err_at(y, 3) == infinity); // float32 ran over
}

static bool same(double x, double y) { return bits64(x) == bits64(y); }

// One element of a convolution by the rules, in the order of the input's channels and the taps.
static Ve by_rules(const Case *z, bool transposed, const Bound *x, const Bound *w, const double *we, int n,
                   int o, const int *at, int meet) {
    int cg = z->c / z->groups, og = z->out / z->groups, taps = count(z->kernel, z->axes), group = o / og;
    double v = 0, size = 0, e = 0;
    for (int i = 0; i < cg; i++) {
        int channel = group * cg + i, tap[3] = {0};
        do {
            int from[3];
            bool inside = true;
            for (int d = 0; d < z->axes; d++) {
                int off = tap[d] * z->dilation[d] - z->padding[d];
                from[d] = transposed ? at[d] - off : at[d] * z->stride[d] + off;
                if (transposed && from[d] % z->stride[d]) inside = false;
                if (transposed) from[d] /= z->stride[d];
                inside = inside && from[d] >= 0 && from[d] < z->size[d] && (!transposed || at[d] - off >= 0);
            }
            if (!inside) continue;
            int row = transposed ? channel * og + o % og : o * cg + i,
                to = (n * z->c + channel) * count(z->size, z->axes) + place(from, z->size, z->axes),
                k = row * taps + place(tap, z->kernel, z->axes);
            Ve p = rule_mul((Ve){w->v[k], we ? we[k] : 0}, (Ve){x->v[to], err_at(x, to)});
            v += p.v, size += fabs(p.v), e += p.e;
        } while (next(tap, z->kernel, z->axes));
    }
    return rule_end(rule_sum(v, size, e, bound_growth(meet)));
}

// Weights that a matrix unit may cut have errors; so have values that are not known, and then each product
// goes by its rule, sixteen sums at a time. Infinite values, too.
static void convolutions_by_the_rules(void **state) {
    (void)state;
    static SumsBy s;
    double x[MOST], w[MOST];
    Rng r = rng_at(21, 0);
    for (size_t k = 0; k < 4 * sizeof cases / sizeof *cases; k++) {
        const Case *z = &cases[k / 4];
        bool transposed = k % 2, infinite = k % 4 >= 2;
        (void)run_case(z, transposed, &r, x, w);
        by_definition(z, transposed, x, w, &s);
        int meet = z->c / z->groups, plane = count(s.extent, z->axes);
        for (int d = 0; d < z->axes; d++) {
            int by = z->stride[d], on = z->dilation[d];
            while (on) {
                int rest = by % on;
                by = on, on = rest;
            }
            meet *= transposed ? (z->kernel[d] - 1) / (z->stride[d] / by) + 1 : z->kernel[d];
        }
        int inputs = z->n * z->c * count(z->size, z->axes);
        int64_t xs[5] = {z->n, z->c}, ws[5] = {z->out, z->c / z->groups};
        if (transposed) ws[0] = z->c, ws[1] = z->out / z->groups;
        for (int d = 0; d < z->axes; d++) xs[2 + d] = z->size[d], ws[2 + d] = z->kernel[d];
        if (infinite) x[inputs / 2] = infinity, x[0] = NAN;
        const Bound *in[2] = {input(DT_F32, z->axes + 2, xs, x), input(DT_F32, z->axes + 2, ws, w)};
        Bound errors = *in[0]; // as many operations before would leave
        errors.e = NEWN(&arena, double, (size_t)inputs);
        for (int i = 0; i < inputs; i++) errors.e[i] = spread(&r);
        const Bound *given[2] = {&errors, in[1]};
        set_attrs(z);
        if (!transposed) attr_room[10] = attr_room[11] = attr_room[12] = 0;
        ctx.allow_tf32 = true;
        const Bound *y = must(window(transposed ? BOUND_CONV_TRANSPOSE : BOUND_CONV, 14, 0, 2, given));
        const double *we = bound_as_read(&ctx, in[1]), *xe = bound_as_read(&ctx, &errors);
        ctx.allow_tf32 = false;
        Bound read = errors;
        read.e = (double *)(uintptr_t)xe;
        for (int i = 0; i < z->n * z->out * plane; i++) {
            int at[3] = {0}, rest = i % plane;
            for (int d = z->axes - 1; d >= 0; d--) at[d] = rest % s.extent[d], rest /= s.extent[d];
            Ve want =
                by_rules(z, transposed, &read, in[1], we, i / plane / z->out, i / plane % z->out, at, meet);
            assert_true(same(y->v[i], want.v) && same(y->e[i], want.e));
        }
    }
}

// --- Pools ---------------------------------------------------------------------------------------

static void set_pool(const Case *z, bool ceil, bool counts) {
    attr_room[0] = z->axes;
    for (int d = 0; d < z->axes; d++) {
        attr_room[1 + d] = z->kernel[d];
        attr_room[4 + d] = z->stride[d];
        attr_room[7 + d] = z->padding[d];
        attr_room[10 + d] = z->dilation[d];
    }
    attr_room[13] = ceil;
    attr_room[14] = counts;
}

// PyTorch's rule for the number of windows: one that starts behind the input and its left padding does not
// count.
static int windows(const Case *z, int d, bool ceil) {
    int n = 0;
    for (int start = -z->padding[d];; start += z->stride[d], n++) {
        int last = start + z->dilation[d] * (z->kernel[d] - 1), end = z->size[d] + z->padding[d] - 1;
        // With ceil the last window may hang over, once, unless it starts behind the input.
        bool over = n > 0 && last - z->stride[d] >= end;
        if (ceil ? over || start >= z->size[d] : last > end) return n;
    }
}

static void pools_by_definition(void **state) {
    (void)state;
    static const Case pools[] = {
        {1, 2, 3, 0, 1, {11}, {3}, {2}, {1}, {1}, {0}},
        {1, 1, 2, 0, 1, {8}, {4}, {4}, {0}, {1}, {0}},
        {2, 1, 2, 0, 1, {7, 6}, {3, 2}, {2, 2}, {1, 1}, {1, 1}, {0}},
        {2, 2, 1, 0, 1, {9, 10}, {2, 3}, {3, 1}, {1, 0}, {2, 3}, {0}},
        {3, 1, 2, 0, 1, {5, 6, 7}, {2, 3, 3}, {2, 2, 3}, {1, 1, 0}, {1, 1, 1}, {0}},
    };
    double x[MOST];
    Rng r = rng_at(14, 0);
    for (size_t k = 0; k < sizeof pools / sizeof *pools; k++)
        for (int how = 0; how < 6; how++) { // max, average, average without padding; floor and ceil
            Case z = pools[k];
            bool ceil = how % 2, max = how < 2, counts = how < 4;
            if (!max) z.dilation[0] = z.dilation[1] = z.dilation[2] = 1; // averages have none
            int64_t shape[5] = {z.n, z.c};
            int size[3];
            for (int d = 0; d < z.axes; d++) shape[2 + d] = z.size[d], size[d] = windows(&z, d, ceil);
            const Bound *in = drawn(&r, z.axes + 2, shape, x);
            set_pool(&z, ceil, counts);
            const Bound *y = must(window(max ? BOUND_MAX_POOL : BOUND_AVG_POOL, max ? 14 : 15, 0, 1, &in));
            for (int d = 0; d < z.axes; d++) assert_int_equal(y->shape[2 + d], size[d]);
            int plane = count(z.size, z.axes), windows_ = count(size, z.axes);
            for (int c = 0; c < z.n * z.c; c++) {
                int at[3] = {0};
                do {
                    int tap[3] = {0}, inside = 0, whole = 1;
                    double best = -infinity, sum = 0, abs = 0;
                    do {
                        int p[3];
                        bool in_ = true;
                        for (int d = 0; d < z.axes; d++) {
                            p[d] = at[d] * z.stride[d] - z.padding[d] + tap[d] * z.dilation[d];
                            in_ = in_ && p[d] >= 0 && p[d] < z.size[d];
                        }
                        if (!in_) continue;
                        double v = x[c * plane + place(p, z.size, z.axes)];
                        best = fmax(best, v), sum += v, abs += fabs(v), inside++;
                    } while (next(tap, z.kernel, z.axes));
                    for (int d = 0; d < z.axes; d++) { // what the window takes of the padded input
                        int start = at[d] * z.stride[d] - z.padding[d], end = start + z.kernel[d];
                        if (end > z.size[d] + z.padding[d]) end = z.size[d] + z.padding[d];
                        whole *= end - start;
                    }
                    int i = c * windows_ + place(at, size, z.axes);
                    double want = max ? best : sum / (counts ? whole : inside);
                    assert_true(fabs(want - y->v[i]) <= 1e-15 * fabs(want) + 1e-16 * abs);
                    if (max)
                        assert_true(err_at(y, i) == 0);
                    else
                        assert_true(err_at(y, i) >= 2 * fabs(want) * (1 - 1e-9));
                } while (next(at, size, z.axes));
            }
        }
}

static void averages_of_a_given_divisor(void **state) {
    (void)state;
    double x[4] = {1, 2, 3, 5};
    const Bound *in = INPUT(DT_F32, x, 1, 1, 2, 2);
    const Case z = {2, 1, 1, 0, 1, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {1, 1}, {0}};
    set_pool(&z, false, true);
    assert_true(must(window(BOUND_AVG_POOL, 15, 0, 1, &in))->v[0] == 2.75);
    assert_true(must(window(BOUND_AVG_POOL, 15, 3, 1, &in))->v[0] == 11.0 / 3);
}

static void adaptive_pools(void **state) {
    (void)state;
    double x[7] = {4, -1, 3, 0.5, 8, 2, -6};
    const Bound *in = INPUT(DT_F32, x, 1, 7);
    attr_room[0] = 1, attr_room[1] = 3, attr_room[2] = attr_room[3] = 0;
    // Windows 0..2, 2..4, 4..6.
    const Bound *y = must(window(BOUND_ADAPTIVE_AVG_POOL, 4, 0, 1, &in));
    const double mean[3] = {2, 11.5 / 3, 4.0 / 3}, most[3] = {4, 8, 8};
    for (int i = 0; i < 3; i++) assert_true(fabs(y->v[i] - mean[i]) < 1e-15 && err_at(y, i) > 0);
    y = must(window(BOUND_ADAPTIVE_MAX_POOL, 4, 0, 1, &in));
    assert_true(y->rank == 2 && y->e == NULL);
    for (int i = 0; i < 3; i++) assert_true(y->v[i] == most[i]);
    attr_room[1] = 10; // more places than elements: some twice
    y = must(window(BOUND_ADAPTIVE_MAX_POOL, 4, 0, 1, &in));
    assert_true(y->numel == 10 && y->v[0] == 4 && y->v[1] == 4 && y->v[9] == -6);
}

// The largest of uncertain elements: the bound holds whichever is the largest in truth.
static void maxima_of_uncertain_elements(void **state) {
    (void)state;
    double x[4] = {1, 1.5, -2, 0}, e[4] = {0x1p23, 0, 0x1p20, 0};
    const Bound *in = OPA(RESHAPE, ATTRS(1, 1, 4), uncertain(x, e, 4));
    const Case z = {1, 1, 1, 0, 1, {4}, {2}, {2}, {0}, {1}, {0}};
    set_pool(&z, false, false);
    const Bound *y = must(window(BOUND_MAX_POOL, 14, 0, 1, &in));
    assert_true(y->v[0] == 1.5 && high_at(y, 0) >= 1 + KU * e[0] && y->v[1] == 0 && err_at(y, 1) == 0);
}

// Windows of a fixed size are made row by row, those of an adaptive pool one by one: where they are the same
// windows, the same bits, with errors, NaN and infinities, too.
static void rows_give_the_bits_of_single_windows(void **state) {
    (void)state;
    enum { C = 2, H = 6, W = 40 };
    Rng r = rng_at(22, 0);
    for (int turn = 0; turn < 24; turn++) {
        double x[C * H * W], e[C * H * W];
        bool max = turn % 2, exact = turn % 3 == 0, rare = turn % 4 >= 2;
        for (int i = 0; i < C * H * W; i++) {
            x[i] = dtype_round(DT_F32, rng_normal(&r)), e[i] = rng_below(&r, 3) ? spread(&r) : 0;
            if (rare && rng_below(&r, 9) == 0)
                x[i] = (double[]){infinity, -infinity, NAN, 1e30}[rng_below(&r, 4)];
            if (rare && rng_below(&r, 9) == 0) e[i] = infinity;
        }
        const Bound *in =
            exact ? INPUT(DT_F32, x, C, H, W) : OPA(RESHAPE, ATTRS(C, H, W), uncertain(x, e, C * H * W));
        const Case z = {2, 1, C, 0, 1, {H, W}, {2, 4}, {2, 4}, {0, 0}, {1, 1}, {0, 0}};
        set_pool(&z, false, true);
        const Bound *fixed = must(window(max ? BOUND_MAX_POOL : BOUND_AVG_POOL, max ? 14 : 15, 0, 1, &in));
        attr_room[0] = 2, attr_room[1] = H / 2, attr_room[2] = W / 4, attr_room[3] = 0;
        const Bound *single =
            must(window(max ? BOUND_ADAPTIVE_MAX_POOL : BOUND_ADAPTIVE_AVG_POOL, 4, 0, 1, &in));
        assert_int_equal(fixed->numel, single->numel);
        for (int i = 0; i < fixed->numel; i++)
            assert_true(same(fixed->v[i], single->v[i]) && same(err_at(fixed, i), err_at(single, i)));
    }
}

// --- Shapes alone, and what is refused -----------------------------------------------------------

static void shapes_alone(void **state) {
    (void)state;
    static SumsBy s;
    double x[MOST], w[MOST];
    Rng r = rng_at(15, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Bound *y = run_case(&cases[k], true, &r, x, w);
        by_definition(&cases[k], true, x, w, &s);
        int64_t products = 0, flops = ctx.flops;
        ctx.shapes_only = true;
        const Bound *z = must(bound_apply(&ctx, BOUND_CONV_TRANSPOSE, y->in, 2, attr_room, 14, 0));
        ctx.shapes_only = false;
        assert_true(!z->v && !z->e && z->rank == y->rank);
        assert_memory_equal(z->shape, y->shape, sizeof *z->shape * (size_t)z->rank);
        for (int64_t i = 0; i < y->numel; i++) products += s.meet[i];
        assert_true(ctx.flops - flops >= 2 * products); // those that fall into the padding count, too
    }
}

static void refusals(void **state) {
    (void)state;
    double v[64] = {0};
    const Bound *x = INPUT(DT_F32, v, 1, 4, 4), *w = INPUT(DT_F32, v, 4, 2, 3), *h = TO(DT_F16, w);
    const Case good = {1, 1, 4, 4, 2, {4}, {3}, {1}, {0}, {1}, {0}};
    const Bound *in[2] = {x, w};
    static const struct {
        int attr;
        int64_t value;
        const char *why;
    } wrong[] = {{0, 4, "axes"},      {0, 2, "dimensions"},        {1, 0, "strides"},
                 {4, -1, "paddings"}, {7, 9, "padded input size"}, {13, 3, "groups"},
                 {13, 1, "channels"}, {1, INT64_MAX, "strides"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        set_attrs(&good);
        attr_room[wrong[i].attr] = wrong[i].value;
        assert_null(window(BOUND_CONV, 14, 0, 2, in));
        assert_non_null(strstr(ctx.why, wrong[i].why));
    }
    set_attrs(&good);
    assert_non_null(window(BOUND_CONV, 14, 0, 2, in));
    in[1] = h;
    assert_null(window(BOUND_CONV, 14, 0, 2, in));
    assert_non_null(strstr(ctx.why, "different types"));
    in[1] = w;
    attr_room[10] = 1;
    assert_null(window(BOUND_CONV_TRANSPOSE, 14, 0, 2, in));
    assert_non_null(strstr(ctx.why, "output padding"));
    assert_null(window(BOUND_CONV, 13, 0, 2, in));
    const Case pool = {1, 1, 4, 0, 1, {4}, {3}, {1}, {2}, {1}, {0}};
    set_pool(&pool, false, false);
    assert_null(window(BOUND_MAX_POOL, 14, 0, 1, in));
    assert_non_null(strstr(ctx.why, "half"));
    attr_room[0] = 1, attr_room[1] = 0;
    assert_null(window(BOUND_ADAPTIVE_AVG_POOL, 4, 0, 1, in));
    const Bound *whole_ = TO(DT_I64, x);
    assert_null(window(BOUND_ADAPTIVE_AVG_POOL, 4, 0, 1, &whole_));
    assert_non_null(strstr(ctx.why, "not defined for"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(convolutions_by_definition, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(float32_lies_within, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(errors_of_the_input_go_on, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(infinities_and_overflow, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(convolutions_by_the_rules, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(rows_give_the_bits_of_single_windows, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(pools_by_definition, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(averages_of_a_given_divisor, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(adaptive_pools, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(maxima_of_uncertain_elements, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(shapes_alone, oracle_setup, oracle_teardown),
        cmocka_unit_test_setup_teardown(refusals, oracle_setup, oracle_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
