// binding.c - whose weights are whose. Benchmarks seed both modules alike and hope that both draw the
// same numbers in the same order; here the weights of Model are given to another module by what they are.
#include "host/python/binding.h"

#include <string.h>

static bool same_shape(const ModuleSlot *a, const ModuleSlot *b) {
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i]) return false;
    return true;
}

typedef struct {
    ModuleSlots model, other;
} Sides;

// Each gives the slot of Model for the i-th of the other module, or -1.
static int by_name(const Sides *s, int i) {
    for (int k = 0; k < s->model.n; k++)
        if (str_eq(s->model.at[k].name, s->other.at[i].name))
            return same_shape(&s->model.at[k], &s->other.at[i]) ? k : -1;
    return -1;
}
static int by_order(const Sides *s, int i) {
    return i < s->model.n && same_shape(&s->model.at[i], &s->other.at[i]) ? i : -1;
}
static int by_shape(const Sides *s, int i) {
    int found = -1;
    for (int k = 0; k < s->other.n; k++)
        if (k != i && same_shape(&s->other.at[k], &s->other.at[i])) return -1;
    for (int k = 0; k < s->model.n; k++) {
        if (!same_shape(&s->model.at[k], &s->other.at[i])) continue;
        if (found >= 0) return -1;
        found = k;
    }
    return found;
}

ModuleBinding module_bind(Arena *a, ModuleSlots model, ModuleSlots other) {
    static int (*const rule[])(const Sides *, int) = {by_name, by_order, by_shape};
    Sides s = {model, other};
    bool *taken = NEWN(a, bool, (size_t)model.n + 1);
    ModuleBinding out = {.how = BIND_NONE, .of = NEWN(a, int, (size_t)other.n + 1), .wrong = -1};
    if (other.n > model.n) {
        out.wrong = model.n;
        return out;
    }
    // Some of Model's may be left over, such as a bias that a norm takes away again: names alone say which.
    int rules = other.n < model.n ? BIND_ORDER : BIND_NONE;
    for (int how = 0; how < rules; how++) {
        int i = 0;
        memset(taken, 0, sizeof *taken * (size_t)model.n);
        for (; i < other.n; i++) {
            int k = rule[how](&s, i);
            if (k < 0 || taken[k]) break;
            taken[k] = true;
            out.of[i] = k;
        }
        if (i == other.n) {
            out.how = (BindRule)how;
            return out;
        }
        if (how == BIND_ORDER) out.wrong = i;
    }
    return out;
}

void slots_text(Buf *out, ModuleSlots s) {
    for (int i = 0; i < s.n; i++) {
        buf_printf(out, "%s%.*s[", i ? ", " : "", STR_ARG(s.at[i].name));
        for (int k = 0; k < s.at[i].rank; k++)
            buf_printf(out, "%s%lld", k ? ", " : "", (long long)s.at[i].shape[k]);
        buf_puts(out, "]");
    }
    if (!s.n) buf_puts(out, "none");
}
