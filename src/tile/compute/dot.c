// Matrix products. The loops and the order of the additions are in loops_simd.c; here stand batches, the
// accumulator and poison: a lane of the result is undefined where its row of a, its column of b or its
// accumulator has an undefined lane, so that rows beyond the end, which a kernel loads without `other` and
// never stores, do no harm.
#include "tile/compute/step.h"

static void mark_row(uint8_t *d, size_t n, uint8_t poison) {
    for (size_t j = 0; poison && j < n; j++) d[j] |= poison;
}

static void spread_poison(const MemoryLoops *loops, const Step *s, size_t batch, size_t m, size_t n,
                          size_t k) {
    size_t lanes = batch * m * n;
    if (s->pc)
        memcpy(s->pd, s->pc, lanes);
    else
        memset(s->pd, 0, lanes);
    for (size_t z = 0; z < batch; z++) {
        uint8_t *d = s->pd + z * m * n;
        for (size_t i = 0; s->pa && i < m; i++)
            mark_row(d + i * n, n, loops->any_flag(s->pa + (z * m + i) * k, k));
        for (size_t l = 0; s->pb && l < k; l++) {
            const uint8_t *b = s->pb + (z * k + l) * n;
            if (!loops->any_flag(b, n)) continue;
            for (size_t i = 0; i < m; i++)
                for (size_t j = 0; j < n; j++) d[i * n + j] |= b[j];
        }
    }
}

bool step_dot(Vm *v, const Step *s) {
    const Insn *insn = &v->code->insn[s->insn];
    const TileType *a = &v->code->reg[insn->a].type, *d = &v->code->reg[insn->d].type;
    int r = d->rank;
    size_t batch = r == 3 ? (size_t)d->shape[0] : 1, m = (size_t)d->shape[r - 2], n = (size_t)d->shape[r - 1];
    size_t k = (size_t)a->shape[r - 1], from = (size_t)tile_lane_bytes(a), to = s->size;
    DotFn *fn = d->elem == DT_F16 ? v->loops->fold->dot_half : v->loops->fold->dot[a->elem];
    if (s->c)
        memcpy(s->d, s->c, batch * m * n * to);
    else
        memset(s->d, 0, batch * m * n * to);
    const void *left = s->a, *right = s->b;
    if (s->imm) {
        const uint32_t keep = UINT32_MAX << s->imm;
        v->loops->fold->cut(v->scratch[0], left, &keep, NULL, batch * m * k);
        v->loops->fold->cut(v->scratch[1], right, &keep, NULL, batch * k * n);
        left = v->scratch[0];
        right = v->scratch[1];
    }
    for (size_t z = 0; z < batch; z++)
        fn((char *)s->d + z * m * n * to, (const char *)left + z * m * k * from,
           (const char *)right + z * k * n * from, m, n, k);
    if (s->pd) spread_poison(v->loops->memory, s, batch, m, n, k);
    return true;
}
