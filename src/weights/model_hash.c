// What a model is, in one number: for those who keep what it has written.
#include "base/sha256.h"
#include "weights/checkpoint.h"

static void put_beginning(Buf *b, const void *p, size_t bytes) {
    enum { ENOUGH = 4096 }; // training changes every number, and a page of each tensor is quickly read
    buf_put(b, p, bytes < ENOUGH ? bytes : ENOUGH);
}

void checkpoint_identity(const Checkpoint *c, const Adapter *adapter, char out[65]) {
    Arena a = {0};
    Buf b = BUF(&a);
    buf_printf(&b, "%.17g %.9g %d %.17g %.17g %.17g %.17g %d", c->config.rope_theta,
               (double)c->config.norm_eps, c->config.llama3_rope, c->config.rope_factor, c->config.rope_low,
               c->config.rope_high, c->config.rope_original, c->rope_neighbours);
    for (int i = 0; i < c->config.eos_count; i++) buf_printf(&b, " %d", c->config.eos[i]);
    buf_str_put(&b, c->chat_template);
    buf_str_put(&b, c->vocabulary.json);
    for (int role = 0; role < ROLE_COUNT; role++)
        for (int layer = 0; layer < c->config.layers; layer++) {
            if (layer && !role_per_layer((WeightRole)role)) break;
            const Weight *w = checkpoint_weight(c, (WeightRole)role, layer);
            if (!w) continue;
            buf_printf(&b, "%d %d %d %lld %lld", role, layer, w->type, (long long)w->rows,
                       (long long)w->cols);
            put_beginning(&b, w->data, (size_t)w->rows * weight_row_bytes(w));
        }
    for (int i = 0; adapter && i < adapter->count; i++) {
        const LoraPart *p = &adapter->part[i];
        buf_printf(&b, "%d %d %d %.9g", p->role, p->layer, p->rank, (double)p->scale);
        put_beginning(&b, p->a, (size_t)p->rank * (size_t)p->in * sizeof *p->a);
        put_beginning(&b, p->b, (size_t)p->rank * (size_t)p->out * sizeof *p->b);
    }
    sha256_hex(sha256_of(buf_str(&b)), out);
    arena_free(&a);
}
