#include "host/candidate/asked.h"

#include <string.h>

// What a step is.
enum { OF_LAUNCH = 1, OF_FILL, OF_COPY, OF_FUNCTION, OF_NUMBER };

static void put_text(KeyStep *s, Str text) {
    uint64_t h = text.len;
    for (size_t i = 0; i < text.len; i++) h = h * 131 + (uint8_t)text.p[i];
    keys_number(s, h);
}

static void put_plain(KeyStep *s, const PyValue *v) {
    uint64_t word = 0;
    keys_number(s, (uint64_t)v->kind);
    switch (v->kind) {
    case PY_INT: word = (uint64_t)v->i; break;
    case PY_BOOL: word = v->b; break;
    case PY_FLOAT: memcpy(&word, &v->f, sizeof word); break;
    case PY_STR: put_text(s, v->s); break;
    default: break;
    }
    keys_number(s, word);
}

static void put_arg(const KeyNotes *k, KeyStep *s, const LaunchArg *a) { // an argument's depth is bounded
    keys_number(s, (uint64_t)a->kind);
    switch (a->kind) {
    case ARG_PLAIN: put_plain(s, &a->value); break;
    case ARG_DTYPE: keys_number(s, (uint64_t)a->dtype); break;
    case ARG_TENSOR: keys_tensor(k, s, a->tensor); break;
    case ARG_TUPLE:
        for (int i = 0; i < a->items; i++) put_arg(k, s, &a->item[i]);
        break;
    case ARG_DESCRIPTOR:
        keys_tensor(k, s, a->descriptor->base);
        for (int i = 0; i < a->descriptor->rank; i++) {
            keys_number(s, (uint64_t)a->descriptor->shape[i]);
            keys_number(s, (uint64_t)a->descriptor->stride[i]);
            keys_number(s, (uint64_t)a->descriptor->block[i]);
        }
        break;
    case ARG_FUNCTION: keys_number(s, OF_FUNCTION + (uint64_t)a->function->span.at); break;
    }
}

// Of a launch that has a tensor which an earlier call may have stored to: its whole numbers.
static void note_numbers(KeyNotes *k, const Binding *b) {
    bool older = false;
    for (int i = 0; i < b->args && !older; i++) {
        int id = b->arg[i].kind == ARG_TENSOR ? b->arg[i].tensor->storage->id : 0;
        older = id >= 1 && id <= k->there;
    }
    for (int i = 0; older && i < b->args; i++) {
        if (b->arg[i].kind != ARG_PLAIN || b->arg[i].value.kind != PY_INT) continue;
        KeyNote n = {.at = b->kernel->span.at + (uint32_t)i, .launched = true, .parts = 1};
        n.part[0] = b->arg[i].value.i;
        n.found = n.key = keys_mix(keys_mix(n.at, (uint64_t)n.part[0]), OF_NUMBER);
        keys_note(k, &n);
    }
}

// Options such as num_warps change no result, and do not count.
void asked_launch(KeyNotes *k, const Binding *b, const int64_t grid[3]) {
    KeyStep s = {0};
    keys_number(&s, OF_LAUNCH + (uint64_t)b->kernel->span.at * 8);
    for (int i = 0; i < 3; i++) keys_number(&s, (uint64_t)grid[i]);
    for (int i = 0; i < b->args; i++) put_arg(k, &s, &b->arg[i]);
    keys_step(k, &s);
    note_numbers(k, b);
}

void asked_fill(KeyNotes *k, const Tensor *t, double x) {
    KeyStep s = {0};
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    keys_number(&s, OF_FILL);
    keys_number(&s, word);
    keys_tensor(k, &s, t);
    keys_step(k, &s);
}

void asked_copy(KeyNotes *k, const Tensor *from, const Tensor *to) {
    KeyStep s = {0};
    keys_number(&s, OF_COPY);
    keys_tensor(k, &s, from);
    keys_tensor(k, &s, to);
    keys_step(k, &s);
}
