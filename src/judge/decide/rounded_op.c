#include "judge/decide/rounded_op.h"

#include "judge/decide/compare.h"

Op op_rounded(const Op *op, int k) {
    Op made = *op;
    made.rounded = k + 1;
    made.invariants = 0;
    return made;
}

int op_rounding(const Op *op, Str name) {
    for (int k = 0; k < op->roundings; k++)
        if (str_eq(op->rounding[k].name, name)) return k;
    return -1;
}

// Whether every output of a case is what another reference of the same case says.
static bool all_right(Arena *scratch, const Bound *b, const Draw *d, int index, const uint8_t *output) {
    const CaseSpec *spec = &d->spec[index];
    const Bound *want = d->truth[index].expected;
    for (int k = 0; b && want; k++, b = b->also, want = want->also) {
        Comparison c;
        if (b->numel != want->numel || b->dtype != want->dtype) return false;
        compare_case(b, NULL, output + spec->output_at + spec->output[k].at,
                     arena_raw(scratch, (size_t)b->numel + 1, 1), &c);
        if (c.wrong > 0) return false;
    }
    return !b && !want;
}

uint8_t roundings_of_case(Arena *scratch, const Draw *d, int index, const uint8_t *output) {
    unsigned right = 0;
    if (d->op->rounded) return 0;
    for (int k = 0; k < d->op->roundings; k++) {
        ArenaMark mark = arena_mark(scratch);
        Op op = op_rounded(d->op, k);
        DiagList diags = DIAGS(scratch);
        const Bound *b = draw_reference(scratch, &op, d->mapping, &d->spec[index], NULL, &diags);
        if (b && all_right(scratch, b, d, index, output)) right |= 1u << k;
        arena_reset(scratch, mark);
    }
    return (uint8_t)right;
}
