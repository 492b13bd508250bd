#include "model/lora.h"

static bool part_fits(const LoraPart *p, const Checkpoint *base) {
    if (p->layer < 0 || p->layer >= base->config.layers || (unsigned)p->role >= ROLE_COUNT) return false;
    if (p->rank < 1 || p->rank > LORA_RANK_MAX) return false;
    const Weight *w = checkpoint_weight(base, p->role, p->layer);
    switch (p->role) {
    case ROLE_Q:
    case ROLE_K:
    case ROLE_V:
    case ROLE_O:
    case ROLE_GATE:
    case ROLE_UP:
    case ROLE_DOWN: return w && w->cols == p->in && w->rows == p->out;
    default: return false;
    }
}

bool lora_index(const Adapter *ad, const Checkpoint *base, const LoraPart **part, Err *e) {
    memset(part, 0, (size_t)base->config.layers * ROLE_COUNT * sizeof *part);
    for (int i = 0; i < ad->count; i++) {
        const LoraPart *p = &ad->part[i];
        if (!part_fits(p, base))
            return err_set(
                e, ERR_INPUT,
                "adapter %s: part %d (layer %d, rank %d, %lld to %lld) does not fit the model %s; an "
                "adapter goes with the model it was trained on",
                ad->path, i, p->layer, p->rank, (long long)p->in, (long long)p->out, base->path);
        part[p->layer * ROLE_COUNT + (int)p->role] = p;
    }
    return true;
}

Weight lora_inner(const LoraPart *p) {
    return (Weight){.type = W_F32, .rows = p->rank, .cols = p->in, .data = (const uint8_t *)p->a};
}
Weight lora_outer(const LoraPart *p) {
    return (Weight){.type = W_F32, .rows = p->out, .cols = p->rank, .data = (const uint8_t *)p->b};
}
