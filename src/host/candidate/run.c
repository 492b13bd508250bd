// A candidate's calls: run(*inputs), or its ModelNew, over an interpreter that lives as long as the program.
#include <assert.h>

#include "host/candidate/backend.h"
#include "host/candidate/written_gpu.h"
#include "host/policy/screen.h"
#include "host/python/entry.h"

struct HostProgram {
    Interp in;
    const Node *model; // NULL: run
    Value run;
    ModelEntry entry;
    Tensor *first; // inputs that it was built with, and what they are to the program
    Value *arg;
    int args;
    bool called;
    HostOutput want[HOST_OUTPUTS_MAX];
    int outputs, allocated; // all of them; those that are no input changed in place
};

static void fresh_budgets(Interp *in) {
    in->heap_left = HEAP_MAX;
    in->tensor_bytes_left =
        in->m->storages.sparse ? (int64_t)in->m->storages.sparse_left : host_tensor_bytes(in);
}

// What a number behind those of processors stands for.
static void gpu_of(Machine *m, const Node *module) {
    if (m->gpu.processors < GPU_WRITTEN) return;
    GpuModel *model = NEW(m->arena, GpuModel);
    bool is = written_gpu(module, m->gpu.processors, model);
    m->gpu.model = is ? model : NULL;
    m->gpu.processors = is ? model->processors : PROCESSORS_USUAL;
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
    gpu_of(m, module);
    host_expect(p, &(HostOutput){.input = -1}, 1);
    fresh_budgets(&p->in);
    return p;
}

void host_expect(HostProgram *p, const HostOutput *want, int outputs) {
    assert(outputs >= 1 && outputs <= HOST_OUTPUTS_MAX);
    p->outputs = outputs;
    p->allocated = 0;
    for (int i = 0; i < outputs; i++) {
        p->want[i] = want[i];
        p->allocated += want[i].input < 0;
    }
}

static Span place_of(const HostProgram *p) { return p->model ? p->model->span : p->run.function->node->span; }

bool host_define(HostProgram *p) { return p->in.defined || module_run(&p->in); }

bool host_build(HostProgram *p, const Tensor *inputs, int count) {
    Interp *in = &p->in;
    if (!host_define(p) || (!p->model && !entry_function(in, "run", &p->run))) return false;
    Span at = place_of(p);
    if (count > HOST_INPUTS_MAX) return host_raise(in, at, "too many inputs");
    p->first = NEWN(in->arena, Tensor, (size_t)count + 1);
    p->arg = NEWN(in->arena, Value, (size_t)count + 1);
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

// "run() must return 3 tensors, or the 2 that are not changed in place".
static bool wrong_answer(HostProgram *p, Span at, const char *what) {
    Buf b = BUF(p->in.arena);
    bool one = p->outputs == 1;
    buf_printf(&b, "%s() must return ", p->model ? "forward" : "run");
    if (one)
        buf_puts(&b, "one tensor");
    else
        buf_printf(&b, "%d tensors", p->outputs);
    if (p->allocated == 0)
        buf_puts(&b, one ? ", the input that is changed in place, or nothing"
                         : ", the inputs that are changed in place, or nothing");
    else if (p->allocated < p->outputs)
        buf_printf(&b, ", or the %d that %s not changed in place", p->allocated,
                   p->allocated == 1 ? "is" : "are");
    return host_raise(&p->in, at, "%s, but it returned %s", buf_cstr(&b), what);
}

// The outputs in their order: all of them, or those alone that the program allocates. What is changed in
// place may only be the very tensor that was handed in.
static bool take_outputs(HostProgram *p, const Tensor *inputs, Value result, Span at, Tensor *out) {
    bool list = value_is_seq(result);
    int n = list ? result.seq->n : result.kind != V_NONE;
    const Value *given = list ? result.seq->at : &result;
    const char *form =
        arena_printf(p->in.arena, "%s %s", result.kind == V_NONE ? "nothing:" : "a", value_type(result));
    if ((list && p->outputs == 1) || (n != p->outputs && n != p->allocated))
        return wrong_answer(p, at, list && p->outputs > 1 ? arena_printf(p->in.arena, "%d", n) : form);
    for (int i = 0, k = 0; i < p->outputs; i++) {
        int input = p->want[i].input;
        if (input >= 0) out[i] = inputs[input];
        if (input >= 0 && n != p->outputs) continue;
        Value v = given[k++];
        if (v.kind != V_TENSOR)
            return wrong_answer(p, at,
                                list ? arena_printf(p->in.arena, "a %s among them", value_type(v)) : form);
        if (input < 0) out[i] = v.tensor->t;
        if (!same_tensor(&out[i], &v.tensor->t))
            return host_raise(&p->in, at,
                              "output %d is changed in place: return the input itself there, not another "
                              "tensor, or leave it out",
                              i + 1);
    }
    return true;
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
    in->calling = true;
    if (p->model) args.at = p->entry.at;
    if (!(p->model ? entry_call_model(in, &p->entry, arg, &result) : call_value(in, p->run, &args, &result)))
        return false;
    return take_outputs(p, inputs, result, args.at, out) && backend_of(in)->finish(in, at, out, p->outputs);
}

static void last_return(void *arg, const Node *n) {
    Span *at = arg;
    if (n->kind == NODE_FUNCTION || n->kind == NODE_LAMBDA) return;
    if (n->kind == NODE_RETURN && n->span.at >= at->at) *at = n->span;
    node_each_child(n, last_return, at); // a tree's height is bounded
}

Span host_returns(const Node *module) {
    const Node *model = entry_model(module), *f = model ? NULL : module_function(module, STR("run"));
    for (int i = 0; model && i < model->klass.body.n; i++)
        if (model->klass.body.at[i]->kind == NODE_FUNCTION) f = model->klass.body.at[i];
    Span at = f ? (Span){f->span.at, 0} : (Span){module->span.at, 0};
    if (f) node_each_child(f, last_return, &at);
    return at;
}

bool host_bound(const HostProgram *p) { return p->entry.bound; }
int host_binding(const HostProgram *p) { return p->entry.binding; }

bool host_run(Machine *m, CodeCache *cache, const Node *module, const Tensor *inputs, int count,
              Tensor *out) {
    HostProgram *p = host_program(m, cache, module);
    return host_build(p, inputs, count) && host_call(p, inputs, count, out);
}
