// Matrix products, by the rules of a product and of a sum, so that `a @ b` gets the bound of the same thing
// spelled out. Products are added in the order of k.
//
// tf32: a matrix unit reads a float32 operand with 10 mantissa bits (the hardware cuts, so that up to 2^-10
// of it is lost). Where the definition allows that, each operand is first given that much more room, except
// for stored values which those 10 bits hold exactly; products with such operands cost nothing extra.
#include "tensor/bound_impl.h"
#include <math.h>
#include <string.h>

static bool shapes_match(BoundCtx *c, const Bound *a, const Bound *b) {
    int r = a->rank;
    if (r != b->rank || r < 2 || r > 3)
        return bound_fail(c, "matmul: operands of %d and %d dimensions", a->rank, b->rank), false;
    if (a->dtype != b->dtype)
        return bound_fail(c, "matmul: expected m1 and m2 to have the same dtype, but got: %s != %s",
                          dtype_info[a->dtype].torch, dtype_info[b->dtype].torch),
               false;
    if (!dtype_is_float(a->dtype)) return bound_fail(c, "matmul of %s", dtype_info[a->dtype].torch), false;
    if (a->shape[r - 1] != b->shape[r - 2] || (r == 3 && a->shape[0] != b->shape[0]))
        return bound_fail(c, "matmul: mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                          (long long)a->shape[r - 2], (long long)a->shape[r - 1], (long long)b->shape[r - 2],
                          (long long)b->shape[r - 1]),
               false;
    return true;
}

double *bound_as_read(BoundCtx *c, const Bound *x) {
    if (!c->allow_tf32 || x->dtype != DT_F32) return x->e;
    double *e = bound_room(c, x->numel + 1);
    for (int64_t i = 0; i < x->numel; i++) {
        double v = x->v[i], in = x->e ? x->e[i] : 0;
        bool held = in == 0 && (bits64(v) & (((uint64_t)1 << 42) - 1)) == 0;
        e[i] = held || !rule_finite(v) ? in : in + fabs(v) * 0x1p-10 / (RULE_U * BOUND_KAPPA);
    }
    return e;
}

// One operand as lines of k elements: element l of line i at i * line + l * step.
typedef struct {
    const double *v, *e;
    int64_t n, line, step;
} Side;
static Side side_from(Side s, int64_t at) {
    return (Side){s.v + at, s.e ? s.e + at : NULL, s.n, s.line, s.step};
}
// Element (row, column) at column * by_column + row * by_row.
typedef struct {
    double *v, *e;
    int64_t by_column, by_row;
} Answer;

typedef struct {
    int64_t k;
    double growth;
    double *v, *e, *in; // [k][BOUND_COLUMNS] of the columns; e: NULL: neither operand has errors
    double *row, *row_e;
} Product;

static void product_of(Product *p, Side rows, Side columns, Answer to) {
    const BoundSimd *simd = bound_simd();
    const BoundPanel panel = {p->v, p->e, p->in};
    for (int64_t l = 0; l < p->k * BOUND_COLUMNS; l++) p->in[l] = 1;
    for (int64_t at = 0; at < columns.n; at += BOUND_COLUMNS) {
        int64_t n = columns.n - at < BOUND_COLUMNS ? columns.n - at : BOUND_COLUMNS;
        for (int64_t l = 0; l < p->k; l++)
            for (int64_t j = 0; j < BOUND_COLUMNS; j++) {
                int64_t from = (at + j) * columns.line + l * columns.step, put = l * BOUND_COLUMNS + j;
                p->v[put] = j < n ? columns.v[from] : 0;
                if (p->e) p->e[put] = j < n && columns.e ? columns.e[from] : 0;
            }
        for (int64_t i = 0; i < rows.n; i++) {
            Sums s;
            for (int64_t l = 0; l < p->k; l++) {
                p->row[l] = rows.v[i * rows.line + l * rows.step];
                p->row_e[l] = rows.e ? rows.e[i * rows.line + l * rows.step] : 0;
            }
            if (!simd->sums_tame((size_t)p->k, p->row, p->row_e, &panel, &s))
                simd->sums_wild((size_t)p->k, p->row, p->row_e, &panel, &s);
            for (int64_t j = 0; j < n; j++) {
                Ve x = rule_end(rule_sum(s.v[j], s.size[j], s.e[j], p->growth));
                int64_t put = (at + j) * to.by_column + i * to.by_row;
                to.v[put] = x.v;
                to.e[put] = x.e;
            }
        }
    }
}

Bound *bound_matmul(BoundCtx *c, const BoundCall *call) {
    const Bound *a = call->in[0], *b = call->in[1];
    if (!shapes_match(c, a, b)) return NULL;
    int r = a->rank;
    int64_t m = a->shape[r - 2], k = a->shape[r - 1], n = b->shape[r - 1], shape[TENSOR_RANK_MAX], numel;
    memcpy(shape, a->shape, sizeof shape);
    shape[r - 1] = n;
    if (!shape_numel(shape, r, &numel) || (k > 0 && numel > INT64_MAX / 64 / k))
        return bound_fail(c, "the sizes are too large");
    if (!bound_charge(c, a->numel) || !bound_charge(c, b->numel) || !bound_charge(c, numel * k / 8))
        return NULL;
    Bound *out = bound_new(c, a->dtype, shape, r);
    c->flops += 2 * numel * k;
    if (!out || c->shapes_only) return out;
    out->e = bound_room(c, numel + 1);
    const double *ae = bound_as_read(c, a), *be = bound_as_read(c, b);
    double growth = c->any_order ? (double)k : bound_growth(k);
    Product p = {.k = k,
                 .growth = growth,
                 .v = bound_room(c, k * BOUND_COLUMNS + 1),
                 .in = bound_room(c, k * BOUND_COLUMNS + 1),
                 .row = bound_room(c, k + 1),
                 .row_e = bound_room(c, k + 1)};
    if (ae || be) p.e = bound_room(c, k * BOUND_COLUMNS + 1);
    const Side rows = {a->v, ae, m, k, 1}, columns = {b->v, be, n, 1, n};
    for (int64_t z = 0; m > 0 && n > 0 && z < numel / (m * n); z++) {
        Answer to = {out->v + z * m * n, out->e + z * m * n, 1, n};
        // A product has the same bits whichever operand comes first: the longer side is that of many columns.
        if (m > n)
            product_of(&p, side_from(columns, z * k * n), side_from(rows, z * m * k),
                       (Answer){to.v, to.e, n, 1});
        else
            product_of(&p, side_from(rows, z * m * k), side_from(columns, z * k * n), to);
    }
    out->pending = c->rounds && dtype_is_half(a->dtype);
    if (!c->rounds && dtype_is_half(a->dtype))
        bound_simd()->round(a->dtype, false, (size_t)numel, out->v, out->e);
    return out;
}
