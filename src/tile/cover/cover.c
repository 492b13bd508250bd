#include "tile/cover/cover.h"

#include "base/numeric/rng.h"
#include "tile/code/code.h"

static CoverTruth *truth_slot(const Cover *c, const void *node) {
    for (uint64_t i = rng_mix((uint64_t)(uintptr_t)node, 0);; i++) {
        CoverTruth *t = &c->truth[i % COVER_TRUTHS_MAX];
        if (!t->of || t->of == node) return t;
    }
}

void cover_truth(Cover *c, const void *node, bool holds) {
    uint8_t way = holds ? COVER_TRUE : COVER_FALSE;
    if (!c || !c->truth) return;
    CoverTruth *t = truth_slot(c, node);
    if (t->ways & way) return;
    if (!t->of) {
        if (c->truths == COVER_TRUTHS_MAX / 2) return;
        c->truths++;
        t->of = node;
    }
    t->ways |= way;
    c->news++;
}

uint8_t cover_truth_of(const Cover *c, const void *node) { return c->truth ? truth_slot(c, node)->ways : 0; }

void cover_size(Cover *c, int64_t value) {
    if (!c || value < 2 || value > INT32_MAX) return;
    for (int i = 0; i < c->owns; i++)
        if (c->own[i] == value) return;
    int i = 0;
    while (i < c->sizes && c->size[i].value != value) i++;
    if (i == COVER_SIZES_MAX) return;
    if (i == c->sizes) {
        c->sizes++;
        c->size[i].value = value;
        c->size[i].cases = 0;
        c->size[i].last = -1;
    }
    if (c->size[i].last == c->case_index) return;
    c->size[i].last = c->case_index;
    c->size[i].cases++;
}

void cover_code(Cover *c, const Code *code, Arena *scratch) {
    ArenaMark mark = arena_mark(scratch);
    uint8_t *reached = NEWN(scratch, uint8_t, (size_t)code->insns + 1);
    int *todo = NEWN(scratch, int, (size_t)code->insns + 1), n = 0;
    todo[n++] = 0;
    reached[0] = 1;
    while (n > 0) {
        int i = todo[--n], next[2] = {i + 1, -1};
        const Insn *s = &code->insn[i];
        if (s->op == INSN_END) continue;
        if (s->op == INSN_JUMP) next[0] = (int)s->imm;
        if (s->op == INSN_JUMPNOT || s->op == INSN_LOOPTEST) {
            if (!(code->taken[i] & TAKEN_ON)) next[0] = -1;
            if (code->taken[i] & TAKEN_AWAY) next[1] = (int)s->imm;
        }
        for (int k = 0; k < 2; k++)
            if (next[k] >= 0 && !reached[next[k]]) reached[next[k]] = 1, todo[n++] = next[k];
    }
    for (int i = 0; i < code->statements; i++)
        cover_mark(c, code->statement[i].at,
                   reached[code->statement[i].first] ? COVER_EMITTED | COVER_RUN : COVER_EMITTED);
    c->meets |= code->meets;
    for (int i = 0; i < code->compares; i++) {
        const CodeStatement *k = &code->compare[i];
        uint8_t taken = code->taken[k->first], ways = k->wants & (TAKEN_ON | TAKEN_AWAY);
        c->meets |= k->wants & WANTS_FAR;
        if (k->wants & WANTS_NOTE) {
            if (taken & TAKEN_ON) cover_mark(c, k->at, COVER_NOTED_TRUE);
            if (taken & TAKEN_AWAY) cover_mark(c, k->at, COVER_NOTED_FALSE);
            continue;
        }
        // Where a number is far and no way is wanted nothing is said: other code, for more rows, may want
        // one.
        if (k->wants && !ways) continue;
        // A way that nobody wants counts as seen. That a choice has never mattered at all does not count.
        bool any = !(k->wants & WANTS_EFFECT) || (taken & k->wants);
        if (ways && any && reached[k->first]) taken |= (TAKEN_ON | TAKEN_AWAY) & ~ways;
        if (taken & TAKEN_ON) cover_mark(c, k->at, COVER_TRUE);
        if (taken & TAKEN_AWAY) cover_mark(c, k->at, COVER_FALSE);
    }
    arena_reset(scratch, mark);
}
