// functools.partial: a function with some of its arguments; itertools.product.
#include "host/python/api.h"

bool api_partial(Call *c, Value *out) {
    Partial *p = HOST_NEW(c->in, c->at, Partial, 1);
    Value pos;
    if (!p || !seq_new(c->in, c->at, V_TUPLE, c->rests, &pos)) return false;
    for (int i = 0; i < c->rests; i++) pos.seq->at[i] = c->rest[i];
    *p = (Partial){c->arg[0], pos.seq, c->arg[2].dict};
    *out = (Value){.kind = V_PARTIAL, .partial = p};
    return true;
}

// Its own arguments come first; a keyword of the call takes the place of its own.
bool partial_call(Interp *in, const Partial *p, const Args *args, Value *out) {
    Args all = {.n = p->pos->n + args->n, .at = args->at};
    all.pos = HOST_NEW(in, args->at, Value, all.n + 1);
    all.name = HOST_NEW(in, args->at, Str, p->named->n + args->names + 1);
    all.named = HOST_NEW(in, args->at, Value, p->named->n + args->names + 1);
    if (!all.pos || !all.name || !all.named || !host_work(in, args->at, all.n)) return false;
    for (int i = 0; i < p->pos->n; i++) all.pos[i] = p->pos->at[i];
    for (int i = 0; i < args->n; i++) all.pos[p->pos->n + i] = args->pos[i];
    for (int i = 0; i < p->named->n + args->names; i++) {
        bool own = i < p->named->n;
        Str name = own ? p->named->key[i].s : args->name[i - p->named->n];
        int k = 0;
        if (!host_work(in, args->at, all.names)) return false;
        while (k < all.names && !str_eq(all.name[k], name)) k++;
        all.name[k] = name;
        all.named[k] = own ? p->named->value[i] : args->named[i - p->named->n];
        all.names += k == all.names;
    }
    if (++in->depth > DEPTH_MAX)
        return host_raise(in, args->at, "RecursionError: maximum recursion depth exceeded");
    bool ok = call_value(in, p->function, &all, out);
    in->depth--;
    return ok;
}

// The rows of a table with a column for each of its arguments: the last one changes first.
bool api_product(Call *c, Value *out) {
    int64_t repeat;
    if (!value_as_int(c->arg[1], &repeat) || repeat != 1)
        return host_unsupported(c->in, c->at, "itertools.product with repeat");
    Value *column = HOST_NEW(c->in, c->at, Value, c->rests + 1);
    int *at = HOST_NEW(c->in, c->at, int, c->rests + 1);
    if (!column || !at || !seq_new(c->in, c->at, V_LIST, 0, out)) return false;
    for (int i = 0; i < c->rests; i++) {
        Iter it;
        if (!iter_start(c->in, c->at, c->rest[i], &it) || !seq_new(c->in, c->at, V_LIST, 0, &column[i]))
            return false;
        for (Value v; iter_next(&it, &v);)
            if (!seq_push(c->in, c->at, column[i].seq, v)) return false;
        if (!column[i].seq->n) return true;
    }
    for (;;) {
        Value row;
        if (!seq_new(c->in, c->at, V_TUPLE, c->rests, &row)) return false;
        for (int i = 0; i < c->rests; i++) row.seq->at[i] = column[i].seq->at[at[i]];
        if (!seq_push(c->in, c->at, out->seq, row)) return false;
        int k = c->rests - 1;
        while (k >= 0 && ++at[k] == column[k].seq->n) at[k--] = 0;
        if (k < 0) return true;
    }
}
