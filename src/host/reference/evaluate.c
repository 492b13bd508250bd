// A definition's call: reference(*inputs), in float64 with bounds.
#include "host/policy/screen.h"
#include "host/python/entry.h"

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
    host_report(&in, DIAG_HOST, args.at, "%s() must return one tensor, but it returned %s %s", name,
                result.kind == V_NONE ? "nothing:" : "a", value_type(result));
    return NULL;
}
