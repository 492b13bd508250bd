// A definition's call: reference(*inputs), in float64 with bounds.
#include "host/policy/screen.h"
#include "host/python/entry.h"

// Copies of the tensors, each with the next one behind it: one tensor may be two outputs.
static const Bound *chained(Interp *in, const Seq *s, Span at) {
    const Bound *next = NULL;
    for (int i = s->n; i-- > 0;) {
        if (s->at[i].kind != V_BOUND) {
            host_report(in, DIAG_HOST, at,
                        "reference() must return tensors, but item %d of its answer is a %s", i + 1,
                        value_type(s->at[i]));
            return NULL;
        }
        Bound *b = NEW(in->arena, Bound);
        *b = *s->at[i].bound;
        b->also = next;
        next = b;
    }
    return next;
}

const Bound *host_reference(BoundCtx *c, const Node *module, const Bound *const *inputs, int count,
                            int64_t budget, DiagList *d) {
    int64_t lanes = budget > INT64_MAX / STEP_LANES ? INT64_MAX : budget * STEP_LANES;
    Interp in = {
        .arena = c->arena, .d = d, .module = module, .lanes = &lanes, .heap_left = HEAP_MAX, .bound = c};
    Value reference, arg[HOST_INPUTS_MAX], result;
    if (!host_screen_reference(module, d)) return NULL;
    const char *name = c->function.len ? str_cdup(c->arena, c->function) : "reference";
    if (!module_run(&in) || !entry_function(&in, name, &reference)) return NULL;
    Args args = {.pos = arg, .n = count, .at = {reference.function->node->span.at, 0}};
    if (count > HOST_INPUTS_MAX) return host_report(&in, DIAG_HOST, args.at, "too many inputs"), NULL;
    for (int i = 0; i < count; i++) arg[i] = value_bound(inputs[i]);
    if (!call_value(&in, reference, &args, &result)) return NULL;
    if (result.kind == V_BOUND) return result.bound;
    if (value_is_seq(result) && result.seq->n > 0) return chained(&in, result.seq, args.at);
    host_report(&in, DIAG_HOST, args.at, "%s() must return a tensor, but it returned %s %s", name,
                result.kind == V_NONE ? "nothing:" : "a", value_type(result));
    return NULL;
}
