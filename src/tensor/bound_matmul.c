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
    double *size = bound_room(c, n + 1);
    const BoundSimd *simd = bound_simd();
    for (int64_t row = 0; n > 0 && row < numel / n; row++) {
        double *v = out->v + row * n, *e = out->e + row * n;
        memset(v, 0, (size_t)n * sizeof *v);
        memset(size, 0, (size_t)n * sizeof *size);
        memset(e, 0, (size_t)n * sizeof *e);
        int64_t from = row * k, batch = m > 0 ? row / m : 0;
        for (int64_t l = 0; l < k; l++) {
            int64_t at = (batch * k + l) * n;
            Ve x = {a->v[from + l], ae ? ae[from + l] : 0};
            simd->add_products((size_t)n, x, b->v + at, be ? be + at : NULL, v, size, e);
        }
        for (int64_t j = 0; j < n; j++) {
            Ve x = rule_end(rule_sum(v[j], size[j], e[j], growth));
            v[j] = x.v;
            e[j] = x.e;
        }
    }
    out->pending = c->rounds && dtype_is_half(a->dtype);
    if (!c->rounds && dtype_is_half(a->dtype))
        bound_simd()->round(a->dtype, false, (size_t)numel, out->v, out->e);
    return out;
}
