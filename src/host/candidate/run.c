// A candidate's calls: run(*inputs), or its ModelNew, over an interpreter that lives as long as the program.
#include "host/candidate/backend.h"
#include "host/policy/screen.h"
#include "host/python/entry.h"

struct HostProgram {
    Interp in;
    const Node *model; // NULL: run
    Value run;
    ModelEntry entry;
    Tensor first[HOST_INPUTS_MAX]; // inputs that it was built with, and what they are to the program
    Value arg[HOST_INPUTS_MAX];
    int args;
    bool called;
};

static void fresh_budgets(Interp *in) {
    in->heap_left = HEAP_MAX;
    in->tensor_bytes_left = in->m->storages.sparse ? (int64_t)in->m->storages.sparse_left : TENSOR_BYTES_MAX;
}

HostProgram *host_program(Machine *m, CodeCache *cache, const Node *module) {
    HostProgram *p = NEW(m->arena, HostProgram);
    p->in = (Interp){.arena = m->arena,
                     .d = m->diags,
                     .module = module,
                     .candidate = true,
                     .lanes = &m->steps_left,
                     .m = m,
                     .cache = cache};
    p->model = entry_model(module);
    fresh_budgets(&p->in);
    return p;
}

static Span place_of(const HostProgram *p) { return p->model ? p->model->span : p->run.function->node->span; }

bool host_build(HostProgram *p, const Tensor *inputs, int count) {
    Interp *in = &p->in;
    if (!module_run(in) || (!p->model && !entry_function(in, "run", &p->run))) return false;
    Span at = place_of(p);
    if (count > HOST_INPUTS_MAX) return host_raise(in, at, "too many inputs");
    for (int i = 0; i < count; i++) {
        p->first[i] = inputs[i];
        if (!tensor_value(in, at, &inputs[i], false, &p->arg[i])) return false;
    }
    p->args = count;
    return !p->model || entry_make_model(in, p->model, p->arg, count, &p->entry);
}

static bool same_tensor(const Tensor *a, const Tensor *b) {
    return a->storage == b->storage && a->dtype == b->dtype && a->rank == b->rank && a->offset == b->offset &&
           memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->rank) == 0 &&
           memcmp(a->stride, b->stride, sizeof *a->stride * (size_t)a->rank) == 0;
}

bool host_call(HostProgram *p, const Tensor *inputs, int count, Tensor *out) {
    Interp *in = &p->in;
    Span at = place_of(p);
    Value arg[HOST_INPUTS_MAX], result;
    if (count != p->args) return host_raise(in, at, "another number of inputs");
    if (p->called) fresh_budgets(in);
    p->called = true;
    for (int i = 0; i < count; i++) {
        arg[i] = p->arg[i];
        if (!same_tensor(&inputs[i], &p->first[i]) && !tensor_value(in, at, &inputs[i], false, &arg[i]))
            return false;
    }
    Args args = {.pos = arg, .n = count, .at = {at.at, 0}};
    if (p->model) args.at = p->entry.at;
    if (!(p->model ? entry_call_model(in, &p->entry, arg, &result) : call_value(in, p->run, &args, &result)))
        return false;
    if (result.kind != V_TENSOR)
        return host_raise(in, args.at, "%s() must return one tensor, but it returned %s %s",
                          p->model ? "forward" : "run", result.kind == V_NONE ? "nothing:" : "a",
                          value_type(result));
    *out = result.tensor->t;
    return backend_of(in)->finish(in, at, out, 1);
}

bool host_bound(const HostProgram *p) { return p->entry.bound; }

bool host_run(Machine *m, CodeCache *cache, const Node *module, const Tensor *inputs, int count,
              Tensor *out) {
    HostProgram *p = host_program(m, cache, module);
    return host_build(p, inputs, count) && host_call(p, inputs, count, out);
}
