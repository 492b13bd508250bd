// hint.c - hints about tiles (tl.multiple_of and its like), checked lane by lane. Compilers make one wide
// access of lanes that lie side by side by such a hint; what the others of them then read is the neighbour of
// the first, not what the program says. Kernels give it of offsets that wrap around at the end of a row, too,
// and never store what those lanes give. So a lane for which a hint is false is no finding yet: it becomes
// undefined, in a way of its own (a bit of the poison byte that names the hint). Loads through it are
// undefined as well; where it reaches a store, a mask, a branch or a reduction, the hint is the finding.
//
// A wide access that begins at such a lane may be misaligned, and that ends a launch on a GPU whatever
// becomes of the value. Compilers make it where the address is aligned for all they know: a tensor at a
// multiple of 16 bytes, with rows that are a multiple of 16 elements apart (arguments are told apart by
// that). Of an input without gaps between its rows that would mean that columns which wrap around are aligned
// as well.
#include "tile/code/hint.h"

#include "tile/compute/step.h"
#include <inttypes.h>

static const char *const hint_name[] = {
    [HINT_MULTIPLE] = "multiple_of",
    [HINT_CONSECUTIVE] = "max_contiguous",
    [HINT_CONSTANT] = "max_constancy",
};
static const char *const hint_broken[] = {
    [HINT_MULTIPLE] = "lanes that start at no multiple of it",
    [HINT_CONSECUTIVE] = "lanes that are not consecutive",
    [HINT_CONSTANT] = "lanes that are not equal",
};

typedef struct {
    const void *lane;
    DType elem;
    uint64_t unit; // between consecutive lanes; of pointers in bytes
    size_t stride, n;
} Row;

static uint64_t at(const Row *x, size_t first, size_t i) {
    return (uint64_t)lane_int(x->lane, x->elem, first + i * x->stride);
}

// Groups of `value` lanes, each as the first of its group says.
static int64_t check_groups(const Row *x, size_t first, int64_t value, uint64_t step, uint8_t *poison,
                            uint8_t bit) {
    int64_t broken = -1;
    uint64_t leader = 0;
    for (size_t i = 0; i < x->n; i++) {
        uint64_t k = i % (uint64_t)value, lane = at(x, first, i);
        if (k == 0) leader = lane;
        if (lane == leader + k * step) continue;
        poison[first + i * x->stride] |= bit;
        if (broken < 0) broken = (int64_t)(first + i * x->stride);
    }
    return broken;
}

// Runs of consecutive lanes, each starting at a multiple.
static int64_t check_starts(const Row *x, size_t first, int64_t value, uint8_t *poison, uint8_t bit) {
    int64_t broken = -1;
    uint64_t last = 0;
    bool holds = true;
    for (size_t i = 0; i < x->n; i++) {
        uint64_t lane = at(x, first, i);
        if (i == 0 || lane != last + x->unit) holds = (int64_t)lane % value == 0;
        last = lane;
        if (holds) continue;
        poison[first + i * x->stride] |= bit;
        if (broken < 0) broken = (int64_t)(first + i * x->stride);
    }
    return broken;
}

bool step_hint(Vm *v, const Step *s) {
    const TileType *t = &v->code->reg[v->code->insn[s->insn].a].type;
    HintKind kind = hint_kind(s->imm);
    int axis = hint_axis_of(s->imm);
    size_t lanes = (size_t)s->lanes, inner = 1;
    Row x = {s->a, t->pointer ? DT_I64 : t->elem, t->pointer ? (uint64_t)dtype_bytes(t->elem) : 1, 1, 1};
    if (s->pa && s->pd != s->pa)
        memcpy(s->pd, s->pa, lanes);
    else if (!s->pa)
        memset(s->pd, 0, lanes);
    for (int i = axis + 1; i < t->rank; i++) inner *= (size_t)t->shape[i];
    x.stride = inner;
    if (t->rank > 0) x.n = (size_t)t->shape[axis];
    for (size_t row = 0; row < lanes / x.n; row++) {
        size_t first = row / inner * x.n * inner + row % inner;
        int64_t broken = kind == HINT_MULTIPLE
                             ? check_starts(&x, first, hint_value(s->imm), s->pd, (uint8_t)s->n)
                             : check_groups(&x, first, hint_value(s->imm), kind == HINT_CONSTANT ? 0 : x.unit,
                                            s->pd, (uint8_t)s->n);
        if (broken >= 0) v->broken[__builtin_ctz((unsigned)s->n)] = (Broken){s, broken};
    }
    if (s->d != s->a) memcpy(s->d, s->a, lanes * s->size);
    return true;
}

static bool is_wide_start(const Vm *v, const Step *s, const Broken *b, size_t column, int64_t address) {
    const StorageTable *t = &v->m->storages;
    int64_t id = address >> ADDRESS_BITS, value = hint_value(b->step->imm), wide = 16 / s->bytes;
    if (hint_kind(b->step->imm) == HINT_CONSTANT || id < 1 || id > t->count) return false;
    const Storage *m = t->at[id - 1];
    if (m->row_pitch == 0 || m->rows < 2 || m->row_pitch % (16 * (size_t)s->bytes) || m->rows_at % 16)
        return false;
    while (wide > value) wide /= 2;
    return (int64_t)column % wide == 0 && (address - ADDRESS_BIAS) % (wide * s->bytes) != 0;
}

bool hint_load(Vm *v, const Step *s, const uint8_t *mask) {
    const TileType *t = &v->code->reg[v->code->insn[s->insn].a].type;
    if (t->rank == 0) return true;
    size_t n = (size_t)t->shape[t->rank - 1];
    for (size_t i = 0; i < (size_t)s->lanes; i++) {
        uint8_t bits = s->pa[i] & (uint8_t) ~(UNDEFINED | REDUCED);
        // What all of a row breaks is a hint along another axis.
        if (!bits || (mask && !mask[i]) || s->pa[i - i % n] & bits) continue;
        const Broken *b = &v->broken[__builtin_ctz(bits)];
        if (!is_wide_start(v, s, b, i % n, ((const int64_t *)s->a)[i])) continue;
        HintKind kind = hint_kind(b->step->imm);
        return vm_finding(v, b->step, DIAG_VALUE, b->lane,
                          "tl.%s(.., %" PRId64
                          ") of %s: the compiler makes wide accesses of it, and one of a "
                          "load begins at a misaligned address",
                          hint_name[kind], hint_value(b->step->imm), hint_broken[kind]);
    }
    return true;
}

bool vm_undefined(Vm *v, const Step *s, uint8_t poison, int64_t lane, const char *what) {
    if (!poison || (poison & UNDEFINED))
        return vm_finding(v, s, DIAG_UNINIT, lane, "an undefined value reached %s: " GIVE_OTHER, what);
    const Broken *b = &v->broken[__builtin_ctz(poison)];
    if (poison & REDUCED)
        return vm_finding(v, v->broken[REDUCED_BIT].step, DIAG_UNINIT, v->broken[REDUCED_BIT].lane,
                          "an undefined value reached %s, and its result %s: " GIVE_OTHER,
                          reduction_name(v->code->insn[v->broken[REDUCED_BIT].step->insn].op), what);
    HintKind kind = hint_kind(b->step->imm);
    return vm_finding(v, b->step, DIAG_VALUE, b->lane,
                      "tl.%s(.., %" PRId64 ") of %s, which reach %s: the compiler makes wide accesses of it",
                      hint_name[kind], hint_value(b->step->imm), hint_broken[kind], what);
}
