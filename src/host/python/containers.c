// What is put into lists and dictionaries, looked up and taken out again: as caches of host code do.
// Dictionaries keep their keys in the order in which they came, as Python's do.
#include "host/python/api.h"
#include "host/python/keyed.h"
#include "host/python/look_up.h"

// ---- lists

// Nothing stays behind: what a program keeps is told by what is in reach of it (sandbox/child/child_calls.c).
bool seq_take(Interp *in, Span at, Seq *s, int64_t i) {
    if (!host_work(in, at, s->n / 4) || !not_frozen(in, at, s->frozen)) return false;
    memmove(s->at + i, s->at + i + 1, (size_t)(s->n - i - 1) * sizeof *s->at);
    s->at[--s->n] = (Value){0};
    s->made = NULL;
    return true;
}

bool api_list_pop(Call *c, Value *out) {
    Seq *s = c->arg[0].seq;
    int64_t i;
    if (!value_as_int(c->arg[1], &i)) return wrong_type(c, c->arg[1], "an integer");
    if (!s->n) return host_raise(c->in, c->at, "IndexError: pop from empty list");
    if (i < 0) i = i < -s->n ? -1 : i + s->n;
    if (i < 0 || i >= s->n) return host_raise(c->in, c->at, "IndexError: pop index out of range");
    *out = s->at[i];
    return seq_take(c->in, c->at, s, i);
}

bool api_list_clear(Call *c, Value *out) {
    Seq *s = c->arg[0].seq;
    *out = NONE_VALUE;
    if (!host_work(c->in, c->at, s->n / 4) || !not_frozen(c->in, c->at, s->frozen)) return false;
    memset(s->at, 0, (size_t)s->n * sizeof *s->at);
    s->n = 0;
    s->made = NULL;
    return true;
}

// The place of an item; -1: there is none.
static bool seq_find(Call *c, Value item, int64_t *out) {
    const Seq *s = c->arg[0].seq;
    *out = -1;
    for (int i = 0; *out < 0 && i < s->n; i++) {
        bool equal = value_same(item, s->at[i]);
        if (!equal &&
            (!nan_pair(c->in, c->at, item, s->at[i]) || !value_equal(c->in, c->at, item, s->at[i], &equal)))
            return false;
        if (equal) *out = i;
    }
    if (*out >= 0) keyed_found(c->in, c->at, item);
    return true;
}

bool api_list_remove(Call *c, Value *out) {
    int64_t i;
    *out = NONE_VALUE;
    if (!seq_find(c, c->arg[1], &i)) return false;
    if (i < 0) return host_raise(c->in, c->at, "ValueError: list.remove(x): x not in list");
    return seq_take(c->in, c->at, c->arg[0].seq, i);
}

bool api_list_index(Call *c, Value *out) {
    int64_t i;
    if (!seq_find(c, c->arg[1], &i)) return false;
    *out = value_int(i);
    return i >= 0 || host_raise(c->in, c->at, "ValueError: the item is not in the list");
}

bool api_list_reverse(Call *c, Value *out) {
    Seq *s = c->arg[0].seq;
    *out = NONE_VALUE;
    if (!host_work(c->in, c->at, s->n / 4) || !not_frozen(c->in, c->at, s->frozen)) return false;
    s->made = NULL;
    for (int i = 0; i < s->n / 2; i++) {
        Value v = s->at[i];
        s->at[i] = s->at[s->n - 1 - i];
        s->at[s->n - 1 - i] = v;
    }
    return true;
}

bool api_list_copy(Call *c, Value *out) {
    const Seq *s = c->arg[0].seq;
    if (!seq_new(c->in, c->at, V_LIST, s->n, out)) return false;
    if (s->n) memcpy(out->seq->at, s->at, (size_t)s->n * sizeof *s->at);
    return true;
}

// ---- dictionaries

bool dict_take(Interp *in, Span at, Dict *d, int i) {
    if (!host_work(in, at, d->n / 2) || !not_frozen(in, at, d->frozen)) return false;
    size_t behind = (size_t)(d->n - i - 1);
    memmove(d->key + i, d->key + i + 1, behind * sizeof *d->key);
    memmove(d->value + i, d->value + i + 1, behind * sizeof *d->value);
    d->n--;
    d->key[d->n] = d->value[d->n] = (Value){0};
    d->made = NULL;
    return true;
}

static bool no_key(Call *c, Value key) {
    Buf text = BUF(c->in->arena);
    value_repr(&text, key, 0);
    return host_raise(c->in, c->at, "KeyError: %s", buf_cstr(&text));
}

bool api_dict_pop(Call *c, Value *out) {
    Dict *d = c->arg[0].dict;
    int i;
    if (c->rests > 1)
        return host_raise(c->in, c->at, "TypeError: pop expected at most 2 arguments, got %d", c->rests + 1);
    if (!dict_find(c->in, c->at, d, c->arg[1], &i)) return false;
    note_dict_look_up(c->in, c->at, d, c->arg[1], i);
    if (i < 0) return c->rests ? (*out = c->rest[0], true) : no_key(c, c->arg[1]);
    *out = d->value[i];
    return dict_take(c->in, c->at, d, i);
}

static bool ordered_only(Call *c) {
    return c->arg[0].dict->ordered ||
           host_raise(c->in, c->at,
                      "TypeError: %.*s() of a dict takes no arguments; collections.OrderedDict "
                      "has `last`",
                      STR_ARG(c->name));
}

bool api_dict_popitem(Call *c, Value *out) {
    Dict *d = c->arg[0].dict;
    bool last = true;
    if (c->arg[1].kind != V_NONE && (!ordered_only(c) || !value_truth(c->in, c->at, c->arg[1], &last)))
        return false;
    if (!d->n) return host_raise(c->in, c->at, "KeyError: 'popitem(): dictionary is empty'");
    int i = last ? d->n - 1 : 0;
    return pair_new(c->in, c->at, d->key[i], d->value[i], out) && dict_take(c->in, c->at, d, i);
}

bool api_dict_to_end(Call *c, Value *out) {
    Dict *d = c->arg[0].dict;
    bool last;
    int i;
    *out = NONE_VALUE;
    if (!d->ordered)
        return host_raise(c->in, c->at, "AttributeError: 'dict' object has no attribute 'move_to_end'");
    if (!value_truth(c->in, c->at, c->arg[2], &last) || !dict_find(c->in, c->at, d, c->arg[1], &i))
        return false;
    if (i < 0) return no_key(c, c->arg[1]);
    if (!host_work(c->in, c->at, d->n / 2) || !not_frozen(c->in, c->at, d->frozen)) return false;
    Value key = d->key[i], value = d->value[i];
    d->made = NULL;
    for (int to = last ? d->n - 1 : 0, step = last ? 1 : -1; i != to; i += step) {
        d->key[i] = d->key[i + step];
        d->value[i] = d->value[i + step];
    }
    d->key[i] = key;
    d->value[i] = value;
    return true;
}

bool api_dict_clear(Call *c, Value *out) {
    Dict *d = c->arg[0].dict;
    *out = NONE_VALUE;
    if (!host_work(c->in, c->at, d->n / 2) || !not_frozen(c->in, c->at, d->frozen)) return false;
    if (d->n) memset(d->key, 0, (size_t)d->n * sizeof *d->key);
    if (d->n) memset(d->value, 0, (size_t)d->n * sizeof *d->value);
    d->n = 0;
    return true;
}

static bool pairs_merge(Call *c, Dict *to, Value from) {
    Iter pairs, pair;
    if (!iter_start(c->in, c->at, from, &pairs)) return false;
    for (Value v, item[3]; iter_next(&pairs, &v);) {
        int n = 0;
        if (!iter_start(c->in, c->at, v, &pair)) return false;
        while (n < 3 && iter_next(&pair, &item[n])) n++;
        if (n != 2) return host_raise(c->in, c->at, "ValueError: a dictionary is made of pairs (key, value)");
        if (!dict_put(c->in, c->at, to, item[0], item[1])) return false;
    }
    return true;
}

static bool dict_merge(Call *c, Dict *to, Value from) {
    if (from.kind != V_DICT) return pairs_merge(c, to, from);
    bool copy = to->n == 0;
    for (int i = 0, n = from.dict->n; i < n; i++)
        if (!dict_put(c->in, c->at, to, from.dict->key[i], from.dict->value[i])) return false;
    if (copy) to->made = from.dict->made;
    return true;
}

static bool dict_made(Call *c, bool ordered, Value *out) {
    if (c->rests > 1)
        return host_raise(c->in, c->at, "TypeError: %.*s expected at most 1 argument, got %d",
                          STR_ARG(c->name), c->rests);
    if (!dict_new(c->in, c->at, out)) return false;
    out->dict->ordered = ordered;
    return (!c->rests || dict_merge(c, out->dict, c->rest[0])) && dict_merge(c, out->dict, c->arg[1]);
}
bool api_dict(Call *c, Value *out) { return dict_made(c, false, out); }
bool api_ordered_dict(Call *c, Value *out) { return dict_made(c, true, out); }

bool api_dict_copy(Call *c, Value *out) {
    if (!dict_new(c->in, c->at, out)) return false;
    out->dict->ordered = c->arg[0].dict->ordered;
    return dict_merge(c, out->dict, c->arg[0]);
}

bool api_dict_update(Call *c, Value *out) {
    *out = NONE_VALUE;
    for (int i = 0; i < c->rests; i++)
        if (!dict_merge(c, c->arg[0].dict, c->rest[i])) return false;
    return dict_merge(c, c->arg[0].dict, c->arg[2]);
}

bool api_dict_default(Call *c, Value *out) {
    int i;
    if (!dict_find(c->in, c->at, c->arg[0].dict, c->arg[1], &i)) return false;
    note_dict_look_up(c->in, c->at, c->arg[0].dict, c->arg[1], i);
    *out = i >= 0 ? c->arg[0].dict->value[i] : c->arg[2];
    return i >= 0 || dict_put(c->in, c->at, c->arg[0].dict, c->arg[1], c->arg[2]);
}

bool api_dict_get(Call *c, Value *out) {
    int i;
    if (!dict_find(c->in, c->at, c->arg[0].dict, c->arg[1], &i)) return false;
    note_dict_look_up(c->in, c->at, c->arg[0].dict, c->arg[1], i);
    *out = i >= 0 ? c->arg[0].dict->value[i] : c->arg[2];
    return true;
}

// A list of what is there now; a loop over it notices when that grows or shrinks (iter_steady).
static bool dict_list(Call *c, bool keys, bool values, Value *out) {
    const Dict *d = c->arg[0].dict;
    if (!seq_new(c->in, c->at, V_LIST, d->n, out)) return false;
    out->seq->view = d;
    for (int i = 0; i < d->n; i++) {
        if (keys && values) {
            if (!pair_new(c->in, c->at, d->key[i], d->value[i], &out->seq->at[i])) return false;
        } else {
            out->seq->at[i] = keys ? d->key[i] : d->value[i];
        }
    }
    return true;
}
bool api_dict_keys(Call *c, Value *out) { return dict_list(c, true, false, out); }
bool api_dict_values(Call *c, Value *out) { return dict_list(c, false, true, out); }
bool api_dict_items(Call *c, Value *out) { return dict_list(c, true, true, out); }

// ---- sets

bool api_set_add(Call *c, Value *out) {
    *out = NONE_VALUE;
    return dict_put(c->in, c->at, c->arg[0].dict, c->arg[1], NONE_VALUE);
}

bool api_set_discard(Call *c, Value *out) {
    Dict *d = c->arg[0].dict;
    int i;
    *out = NONE_VALUE;
    if (!dict_find(c->in, c->at, d, c->arg[1], &i)) return false;
    if (i < 0) return !str_is(c->name, "remove") || no_key(c, c->arg[1]);
    return dict_take(c->in, c->at, d, i);
}

bool api_set_update(Call *c, Value *out) {
    *out = NONE_VALUE;
    for (int i = 0; i < c->rests; i++) {
        Iter it;
        Value from = c->rest[i];
        if (from.kind == V_SET && !set_as_list(c->in, c->at, from, &from)) return false;
        if (!iter_start(c->in, c->at, from, &it)) return false;
        for (Value v; iter_next(&it, &v);)
            if (!dict_put(c->in, c->at, c->arg[0].dict, v, NONE_VALUE)) return false;
    }
    return true;
}

// ---- next(iter(x)), which policy/first_items.c writes as <first>(x)

bool api_first(Call *c, Value *out) {
    Iter it;
    if (!iter_start(c->in, c->at, c->arg[0], &it)) return false;
    if (iter_next(&it, out)) return true;
    if (c->rests) return *out = c->rest[0], true;
    return host_raise(c->in, c->at, "StopIteration: there is no first item");
}
