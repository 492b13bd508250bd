// Lanes that change places or types: bit casts, tiles side by side, tiles picked by index.
#include "tile/compute/step.h"
#include <inttypes.h>

static const TileType *type_of(const Vm *v, int r) { return &v->code->reg[r].type; }

bool step_bitcast(Vm *v, const Step *s) {
    size_t n = (size_t)s->lanes;
    v->loops->memory->write[type_of(v, v->code->insn[s->insn].a)->elem](v->scratch[0], s->a, NULL, NULL, n);
    v->loops->memory->read[s->dtype](s->d, v->scratch[0], NULL, NULL, n);
    if (s->pd && s->pa)
        memcpy(s->pd, s->pa, n);
    else if (s->pd)
        memset(s->pd, 0, n);
    return true;
}

bool step_aligned(Vm *v, const Step *s) {
    bool pointer = type_of(v, v->code->insn[s->insn].a)->pointer;
    int64_t x;
    memcpy(&x, s->a, sizeof x);
    if (s->pa && *s->pa) return vm_undefined(v, s, *s->pa, -1, "a tensor descriptor");
    if (x % s->imm == 0) return true;
    if (pointer)
        return vm_finding(v, s, DIAG_VALUE, -1, "a tensor descriptor's base must be 16-byte aligned");
    return vm_finding(v, s, DIAG_VALUE, -1,
                      "a tensor descriptor's stride of %" PRId64 " elements is not a multiple of 16 bytes",
                      x);
}

bool step_assume(Vm *v, const Step *s) {
    if (s->pa && *s->pa) return vm_undefined(v, s, *s->pa, -1, "tl.assume");
    if (*(const uint8_t *)s->a) return true;
    if (s->imm)
        return vm_finding(v, s, DIAG_VALUE, -1,
                          "tl.multiple_of(.., %" PRId64
                          ") of a number that is none: the compiler makes wide accesses "
                          "of it",
                          s->imm);
    return vm_finding(v, s, DIAG_VALUE, -1,
                      "tl.assume of something that is false: the compiler may do anything");
}

// The operands as [outer, n, inner] around an axis.
typedef struct {
    size_t outer, na, nb, inner;
} Sides;
static Sides sides(const TileType *a, const TileType *b, int axis) {
    Sides x = {1, (size_t)a->shape[axis], (size_t)b->shape[axis], 1};
    for (int i = 0; i < axis; i++) x.outer *= (size_t)a->shape[i];
    for (int i = axis + 1; i < a->rank; i++) x.inner *= (size_t)a->shape[i];
    return x;
}

#define ALTERNATE(T)               \
    for (size_t i = 0; i < n; i++) \
    ((T *)d)[2 * i] = ((const T *)a)[i], ((T *)d)[2 * i + 1] = ((const T *)b)[i]
static void alternate(char *d, const char *a, const char *b, size_t n, size_t size) {
    if (size == 1)
        ALTERNATE(uint8_t);
    else if (size == 4)
        ALTERNATE(uint32_t);
    else
        ALTERNATE(uint64_t);
}

static void concat(const Sides *x, char *d, const char *a, const char *b, size_t size) {
    size_t left = x->na * x->inner * size, right = x->nb * x->inner * size;
    if (left == size && right == size) return alternate(d, a, b, x->outer, size);
    for (size_t o = 0; o < x->outer; o++, a += left, b += right) {
        memcpy(d, a, left);
        memcpy(d + left, b, right);
        d += left + right;
    }
}

static const void *or_clean(Vm *v, const uint8_t *poison, size_t n) {
    return poison ? poison : memset(v->poison_scratch, 0, n);
}

bool step_concat(Vm *v, const Step *s) {
    const Insn *i = &v->code->insn[s->insn];
    const TileType *a = type_of(v, i->a), *b = type_of(v, i->b);
    Sides x = sides(a, b, (int)s->imm);
    concat(&x, s->d, s->a, s->b, s->size);
    size_t most = (size_t)s->lanes; // one operand at most is clean here, or nothing is tainted
    if (s->pd) concat(&x, (char *)s->pd, or_clean(v, s->pa, most), or_clean(v, s->pb, most), 1);
    return true;
}

static bool index_at(const void *p, DType t, size_t i, size_t n, size_t *out) {
    int64_t x;
    if (t == DT_I64 || t == DT_U64)
        x = ((const int64_t *)p)[i];
    else if (t == DT_U8 || t == DT_U16 || t == DT_U32)
        x = ((const uint32_t *)p)[i];
    else
        x = ((const int32_t *)p)[i];
    *out = (size_t)x;
    return x >= 0 && (uint64_t)x < n;
}

bool step_gather(Vm *v, const Step *s) {
    const Insn *insn = &v->code->insn[s->insn];
    const TileType *index = type_of(v, insn->b);
    Sides x = sides(type_of(v, insn->a), index, (int)s->imm);
    size_t lane = 0;
    for (size_t o = 0; o < x.outer; o++) {
        for (size_t k = 0; k < x.nb * x.inner; k++, lane++) {
            size_t at;
            if (s->pb && s->pb[lane])
                return vm_undefined(v, s, s->pb[lane], (int64_t)lane, "an index of tl.gather");
            if (!index_at(s->b, index->elem, lane, x.na, &at))
                return vm_finding(v, s, DIAG_VALUE, (int64_t)lane,
                                  "an index of tl.gather lies outside of its %zu elements", x.na);
            size_t from = (o * x.na + at) * x.inner + k % x.inner;
            memcpy((char *)s->d + lane * s->size, (const char *)s->a + from * s->size, s->size);
            if (s->pd) s->pd[lane] = s->pa ? s->pa[from] : 0;
        }
    }
    return true;
}
