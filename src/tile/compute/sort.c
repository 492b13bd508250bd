// Bitonic networks, one step an instruction, and histograms.
#include "tile/compute/step.h"
#include <inttypes.h>

// Blocks of two neighbouring runs of `half` lanes. What happens to unordered lanes is Triton's: the lower
// place keeps its own lane unless it is larger, the upper place takes the lower one's unless its own is
// larger.
#define SWAP_RUNS(T)                                          \
    do {                                                      \
        const T *l = (const T *)s->a + at, *r = l + half;     \
        T *dl = (T *)s->d + at, *dr = dl + half;              \
        for (size_t i = 0; i < half; i++) {                   \
            const T x = l[i], y = r[i];                       \
            if (down)                                         \
                dl[i] = x > y ? x : y, dr[i] = y > x ? x : y; \
            else                                              \
                dl[i] = x > y ? y : x, dr[i] = y > x ? y : x; \
        }                                                     \
    } while (0)
bool step_swap(Vm *v, const Step *s) {
    (void)v;
    size_t half = (size_t)1 << (s->imm & 31), n = (size_t)s->lanes;
    int64_t by = s->imm >> 8;
    for (size_t at = 0; at < n; at += 2 * half) {
        bool down = by < 2 ? by == 1 : at >> (by - 2) & 1;
        switch ((DType)s->dtype) {
        case DT_BOOL: SWAP_RUNS(uint8_t); break;
        case DT_I64: SWAP_RUNS(int64_t); break;
        case DT_U64: SWAP_RUNS(uint64_t); break;
        case DT_F64: SWAP_RUNS(double); break;
        case DT_F16:
        case DT_BF16:
        case DT_F32: SWAP_RUNS(float); break;
        case DT_U8:
        case DT_U16:
        case DT_U32: SWAP_RUNS(uint32_t); break;
        default: SWAP_RUNS(int32_t); break;
        }
        // Which of a pair an undefined lane would have become is not known.
        for (size_t i = at; s->pd && i < at + half; i++)
            s->pd[i] = s->pd[i + half] = s->pa ? s->pa[i] | s->pa[i + half] : 0;
    }
    return true;
}

bool step_histogram(Vm *v, const Step *s) {
    const Insn *insn = &v->code->insn[s->insn];
    DType t = v->code->reg[insn->a].type.elem;
    const uint8_t *mask = s->b;
    int32_t *d = s->d;
    bool one = insn->b >= 0 && tile_lanes(&v->code->reg[insn->b].type) == 1;
    memset(d, 0, (size_t)s->lanes * sizeof *d);
    if (s->pd) memset(s->pd, 0, (size_t)s->lanes);
    for (int i = 0; i < s->lanes_a; i++) {
        int m = one ? 0 : i;
        if (mask && s->pb && s->pb[m]) return vm_undefined(v, s, s->pb[m], i, "the mask of tl.histogram");
        if (mask && !mask[m]) continue;
        if (s->pa && s->pa[i]) return vm_undefined(v, s, s->pa[i], i, "tl.histogram");
        int64_t bin = lane_int(s->a, t, (size_t)i);
        if (bin < 0 || bin >= s->lanes)
            return vm_finding(v, s, DIAG_VALUE, i,
                              "tl.histogram counts %" PRId64 ", but has bins for 0 to %d only", bin,
                              s->lanes - 1);
        d[bin]++;
    }
    return true;
}
