// Which access moves how many bytes. A traced launch runs other steps in the accesses' places, which run the
// plain ones and look at what the counters have become: an ordinary launch has nothing to ask itself.
#include "tile/vm/steps.h"

static Traced *traced_at(Trace *t, const TileType *tile, uint32_t at) {
    for (int64_t i = 0; i < t->n; i++)
        if (t->access[i].at == at) return &t->access[i];
    if (t->n == TRACED_MAX) return NULL;
    Traced *x = &t->access[t->n++];
    *x = (Traced){.at = at, .rows = 1, .columns = 1};
    if (tile && tile->rank > 0) x->columns = tile->shape[tile->rank - 1];
    if (tile && tile->rank > 1) x->rows = tile->shape[tile->rank - 2];
    return x;
}

static bool step_traced(Vm *v, const Step *s) {
    const Step *plain = &v->plain[s - v->step];
    Counters *c = &v->m->count;
    int64_t loaded = c->bytes_loaded, stored = c->bytes_stored;
    bool ok = plain->act == ACT_LOAD    ? step_load(v, plain)
              : plain->act == ACT_STORE ? step_store(v, plain)
                                        : plain->call(v, plain);
    loaded = c->bytes_loaded - loaded;
    stored = c->bytes_stored - stored;
    if (loaded == 0 && stored == 0) return ok;
    const Insn *i = &v->code->insn[s->insn];
    Traced *x = traced_at(v->m->watch.trace, i->a >= 0 ? &v->code->reg[i->a].type : NULL, i->span.at);
    if (!x) return ok;
    x->loaded += loaded;
    x->stored += stored;
    return ok;
}

void trace_steps(Vm *v) {
    size_t n = (size_t)v->code->insns;
    Step *plain = NEWN(v->m->arena, Step, n);
    memcpy(plain, v->step, n * sizeof *plain);
    v->plain = plain;
    for (size_t i = 0; i < n; i++) {
        Step *s = &v->step[i];
        if (s->act != ACT_LOAD && s->act != ACT_STORE && s->act != ACT_CALL) continue;
        s->meets = s->act == ACT_CALL && s->meets;
        s->act = ACT_CALL;
        s->call = step_traced;
    }
}
