#include "judge/decide/input_gaps.h"

#include "cases/domain/domain.h"

uint64_t gaps_inputs(const Draw *d, int index) {
    uint64_t bits = 0;
    if (!d->spec || d->op->domain.contiguous || index < 0 || index >= d->cases) return 0;
    for (int i = 0; i < d->spec[index].inputs; i++) {
        Storage s;
        Tensor t = draw_input(d->mapping, &d->spec[index].input[i], &s);
        if (!tensor_is_contiguous(&t)) bits |= (uint64_t)1 << i;
    }
    return bits;
}

void gaps_note(const Draw *d, int failed, int64_t dense, const Decision *decision, Gaps *out) {
    *out = (Gaps){0};
    if (dense < 0 || status_class(decision->status) != CLASS_REJECTED || decision->status == STATUS_crash)
        return;
    out->inputs = gaps_inputs(d, failed);
    if (!out->inputs) return;
    out->only = dense > 1 && dense >= domain_length(d->domain, d->truth[failed].dim);
    out->refuses = decision->refuses;
    out->store = decision->status == STATUS_oob && strstr(decision->feedback, "store ");
    // An access to what lies between rows is not mended by a mask.
    out->between = decision->status == STATUS_oob && strstr(decision->feedback, "lies between the rows");
    out->outside = decision->status == STATUS_oob && !out->between;
}
