// A candidate's call: run(*inputs), or its ModelNew, over a fresh interpreter.
#include "host/policy/screen.h"
#include "host/python/entry.h"

bool host_run(Machine *m, CodeCache *cache, const Node *module, const Tensor *inputs, int count,
              Tensor *out) {
    Interp in = {.arena = m->arena,
                 .d = m->diags,
                 .module = module,
                 .candidate = true,
                 .lanes = &m->steps_left,
                 .heap_left = HEAP_MAX,
                 .tensor_bytes_left =
                     m->storages.sparse ? (int64_t)m->storages.sparse_left : TENSOR_BYTES_MAX,
                 .m = m,
                 .cache = cache};
    Value run, arg[HOST_INPUTS_MAX], result;
    const Node *model = entry_model(module);
    if (!module_run(&in) || (!model && !entry_function(&in, "run", &run))) return false;
    Span at = model ? model->span : run.function->node->span;
    if (count > HOST_INPUTS_MAX) return host_raise(&in, at, "too many inputs");
    for (int i = 0; i < count; i++)
        if (!tensor_value(&in, at, &inputs[i], false, &arg[i])) return false;
    Args args = {.pos = arg, .n = count, .at = {at.at, 0}};
    if (!(model ? entry_call_model(&in, model, arg, count, &result, &args.at)
                : call_value(&in, run, &args, &result)))
        return false;
    if (result.kind != V_TENSOR)
        return host_raise(&in, args.at, "%s() must return one tensor, but it returned %s %s",
                          model ? "forward" : "run", result.kind == V_NONE ? "nothing:" : "a",
                          value_type(result));
    *out = result.tensor->t;
    return true;
}
