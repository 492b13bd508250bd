// Random numbers of a seed, as Triton's tl.rand gives them: Philox at a counter, 31 bits of it as float32. A
// kernel that draws at other places, or by other means, has other numbers: what they select is compared as it
// is.
#include "base/numeric/rng.h"
#include "tensor/bound_impl.h"
#include <math.h>

static bool shapes_join(BoundCtx *c, const BoundCall *call, int64_t *shape, int *rank) {
    const Bound *a = call->in[0], *b = call->in[1];
    *rank = a->rank > b->rank ? a->rank : b->rank;
    for (int d = 0; d < *rank; d++) {
        int at = d - (*rank - a->rank), bt = d - (*rank - b->rank);
        int64_t n = at < 0 ? 1 : a->shape[at], m = bt < 0 ? 1 : b->shape[bt];
        if (n != m && n != 1 && m != 1)
            return bound_fail(c, "rand: the sizes of seed and places do not broadcast together"), false;
        shape[d] = n == 1 ? m : n;
    }
    return true;
}

// The element of an operand that an element of the result reads.
static int64_t read_at(const Bound *b, const int64_t *index, int rank) {
    int64_t from = 0;
    for (int d = 0; d < b->rank; d++)
        from = from * b->shape[d] + (b->shape[d] == 1 ? 0 : index[d + rank - b->rank]);
    return from;
}

static double uniform(uint64_t seed, uint64_t place, int64_t word) {
    Philox4 counter = {{(uint32_t)place, (uint32_t)(place >> 32), 0, 0}};
    int32_t bits = (int32_t)philox4x32(counter, (uint32_t)seed, (uint32_t)(seed >> 32)).v[word];
    float whole = (float)(bits < 0 ? -(bits + 1) : bits);
    return (double)(whole * 4.6566127342e-10F);
}

Bound *bound_random(BoundCtx *c, const BoundCall *call) {
    const Bound *seed = call->in[0], *place = call->in[1];
    int64_t shape[TENSOR_RANK_MAX] = {0}, index[TENSOR_RANK_MAX] = {0};
    int rank;
    int64_t word = call->attrs ? call->attr[0] : 0;
    if (word < 0 || word > 3) return bound_fail(c, "rand: a block has four words");
    for (int i = 0; i < 2; i++)
        if (dtype_is_float(call->in[i]->dtype) || call->in[i]->dtype == DT_BOOL)
            return bound_fail(c, "rand: a seed and places are integers");
    if (!shapes_join(c, call, shape, &rank)) return NULL;
    Bound *out = bound_new(c, DT_F32, shape, rank);
    if (!out || c->shapes_only) return out;
    if (seed->e || place->e) out->e = bound_room(c, out->numel);
    for (int64_t i = 0; i < out->numel; i++) {
        int64_t s = read_at(seed, index, rank), p = read_at(place, index, rank);
        if (!(fabs(seed->v[s]) <= 0x1p53 && fabs(place->v[p]) <= 0x1p53))
            return bound_fail(c, "rand: a seed or place beyond 2^53");
        out->v[i] = uniform((uint64_t)(int64_t)seed->v[s], (uint64_t)(int64_t)place->v[p], word);
        bool certain = !(seed->e && seed->e[s] > 0) && !(place->e && place->e[p] > 0);
        if (out->e) out->e[i] = certain ? 0 : RULE_INF;
        for (int d = rank - 1; d >= 0 && ++index[d] == shape[d]; d--) index[d] = 0;
    }
    return out;
}
