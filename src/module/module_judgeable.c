// module_judgeable.c - definitions that no test can judge by. The same model is evaluated on other inputs:
//   - where every result is the same, within what is allowed, a program that never looks at its inputs
//   passes;
//   - a place of a result that is never known is one where any answer passes;
//   - results without elements are right whatever a program does.
// What was found on a few draws is no proof, but says of the draws that a verdict would rest on.
#include "module/module.h"
#include <math.h>

enum { DRAWS = 3 };

static double allowed(const Bound *b, int64_t i) { return BOUND_KAPPA * BOUND_U * (b->e ? b->e[i] : 0); }

// What is allowed of either answer is allowed of the other, everywhere.
static bool alike(const Bound *a, const Bound *b) {
    if (a->numel != b->numel) return false;
    for (int64_t i = 0; i < a->numel; i++) {
        bool nan = a->v[i] != a->v[i] && b->v[i] != b->v[i];
        double least = fmin(allowed(a, i), allowed(b, i));
        if (!nan && a->v[i] != b->v[i] && !(fabs(a->v[i] - b->v[i]) <= least)) return false;
    }
    return true;
}

static bool all_alike(const ModuleRun *a, const ModuleRun *b) {
    for (int k = 0; k < a->outputs; k++)
        if (!alike(a->output[k], b->output[k])) return false;
    return a->outputs == b->outputs;
}

static bool unknown_at(const Bound *b, int64_t i) { return b->e && !(b->e[i] < INFINITY); }

// Places that are unknown in both; those of the first are marked in `left`, which starts as all.
static int64_t never_known(const ModuleRun *r, bool *left) {
    int64_t n = 0, at = 0;
    for (int k = 0; k < r->outputs; k++)
        for (int64_t i = 0; i < r->output[k]->numel; i++, at++) {
            left[at] = left[at] && unknown_at(r->output[k], i);
            n += left[at];
        }
    return n;
}

static void note_moves(ModuleValues *v, const ModuleRun *other) {
    FormOp *op = (FormOp *)v->run.op; // of the form that this evaluation has made
    for (int i = 0; i < v->run.ops && i < other->ops; i++)
        op[i].moves = op[i].moves || !str_eq(op[i].name, other->op[i].name) || other->op[i].moves;
}

bool module_judgeable(Arena *a, const ModuleFile *m, const ModuleAsk *asked, ModuleValues *v, DiagList *d) {
    int64_t elements = 0;
    for (int k = 0; k < v->run.outputs; k++) elements += v->run.output[k]->numel;
    bool *left = NEWN(a, bool, (size_t)elements + 1), same = true;
    for (int64_t i = 0; i < elements; i++) left[i] = true;
    int64_t unknown = never_known(&v->run, left);
    bool idle = false;
    for (int i = 0; i < v->run.ops; i++) idle = idle || !v->run.op[i].moves;
    for (int draw = 1; draw < DRAWS && (same || unknown || idle); draw++) {
        ArenaMark mark = arena_mark(a);
        ModuleAsk ask = *asked;
        ModuleRun other;
        ask.others = (uint64_t)draw;
        if (!module_evaluate(a, m, &ask, &other, d)) return false;
        same = same && all_alike(&v->run, &other);
        if (unknown) unknown = never_known(&other, left);
        note_moves(v, &other);
        arena_reset(a, mark);
    }
    if (!elements)
        v->degenerate = "the results have no elements";
    else if (same && v->run.inputs > 0)
        v->degenerate =
            "the result is the same for other inputs, within the allowed error: a program that never "
            "looks at its inputs would pass";
    else if (unknown)
        v->degenerate = arena_printf(a, "%lld of %lld places of the result cannot be judged on any inputs",
                                     (long long)unknown, (long long)elements);
    return true;
}
