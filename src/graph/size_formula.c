#include "graph/size_formula.h"

enum { FACTOR_MAX = 8 };

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

int64_t size_at(Size s, int64_t rows, int64_t cols) {
    if (s.of == SIZE_CONST) return s.r;
    return floor_div(s.p * (s.of == SIZE_ROWS ? rows : cols) + s.r, s.q);
}

bool size_equal(Size a, Size b) { return a.of == b.of && a.p == b.p && a.q == b.q && a.r == b.r; }

// q v - p X <= r < q v - p X + q must hold for every probe: an intersection of intervals. 0 when it may be 0.
static bool fit_with(const int64_t x[PROBES], const int64_t v[PROBES], int64_t p, int64_t q, int64_t *r) {
    int64_t low = INT64_MIN, high = INT64_MAX;
    for (int i = 0; i < PROBES; i++) {
        int64_t l = q * v[i] - p * x[i];
        if (l > low) low = l;
        if (l + q - 1 < high) high = l + q - 1;
    }
    if (low > high) return false;
    *r = low <= 0 && high >= 0 ? 0 : low;
    return true;
}

static bool fit_in(const int64_t x[PROBES], const int64_t v[PROBES], SizeOf of, Size *out) {
    for (int64_t q = 1; q <= FACTOR_MAX; q *= 2) {
        for (int64_t p = 1; p <= FACTOR_MAX; p++) {
            if (q > 1 && p % 2 == 0) continue; // reduced already
            int64_t r;
            if (!fit_with(x, v, p, q, &r)) continue;
            *out = (Size){of, p, q, r};
            return true;
        }
    }
    return false;
}

static bool constant(const int64_t v[PROBES]) {
    for (int i = 1; i < PROBES; i++)
        if (v[i] != v[0]) return false;
    return true;
}

bool size_fit(const Probes *p, const int64_t v[PROBES], Size *out) {
    const int64_t limit = (int64_t)1 << 40; // keeps the products far from overflow
    for (int i = 0; i < PROBES; i++)
        if (v[i] > limit || v[i] < -limit) return false;
    if (constant(v)) {
        *out = size_const(v[0]);
        if (constant(p->cols) && v[0] == p->cols[0] && v[0] > 1) *out = (Size){SIZE_COLS, 1, 1, 0};
        return true;
    }
    if (!constant(p->cols) && fit_in(p->cols, v, SIZE_COLS, out)) return true;
    return !constant(p->rows) && fit_in(p->rows, v, SIZE_ROWS, out);
}
