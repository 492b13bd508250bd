// Where a kernel file is entered: run(*inputs), or, without one, a class ModelNew(nn.Module) as benchmarks of
// modules have it. Its forward takes the op's first inputs; each nn.Parameter of its __init__ is the next one
// (a module's weights are inputs of the op here), whatever the file would have filled it with: that
// expression is neither looked at nor evaluated. One argument that __init__ asks for is the length of a row.
#include "host/python/entry.h"

#include "host/policy/screen.h"

bool entry_function(Interp *in, const char *name, Value *out) {
    Slot *s = env_find(in->globals, str_of(name));
    if (!s || s->v.kind == V_UNBOUND)
        return host_report(in, DIAG_REFUSED, in->module->span, "there is no function `%s`", name), false;
    if (s->v.kind != V_FUNCTION)
        return host_report(in, DIAG_REFUSED, in->module->span, "`%s` is not a plain function", name), false;
    *out = s->v;
    return true;
}

bool entry_parameter(Interp *in, Span at, Value *out) {
    if (in->weights_used == in->weights)
        return host_raise(in, at, "ModelNew has more parameters than the op has inputs left: %d",
                          in->weights);
    return *out = in->weight[in->weights_used++], true;
}

// Parameters behind self: those that a caller has to give, and how many there are; -1: any number.
static int count_params(const Node *f, int *required) {
    const Nodes *p = &f->function.params;
    int n = 0;
    *required = 0;
    for (int i = 1; i < p->n; i++) {
        if (p->at[i]->param.kind == PARAM_STAR) return -1;
        if (p->at[i]->param.kind != PARAM_PLAIN) continue;
        n++;
        *required += !p->at[i]->param.def;
    }
    return n;
}

static const Node *method_of(const Node *model, const char *name) {
    const Node *found = NULL;
    for (int i = 0; i < model->klass.body.n; i++) {
        const Node *n = model->klass.body.at[i];
        if (n->kind == NODE_FUNCTION && str_is(n->function.name, name)) found = n;
    }
    return found;
}

bool entry_make_model(Interp *in, const Node *model, Value *arg, int count, ModelEntry *out) {
    const Node *forward = method_of(model, "forward"), *init = method_of(model, "__init__");
    const Slot *s = env_find(in->globals, STR("ModelNew"));
    int required = 0;
    Value size = {.kind = V_INT};
    *out = (ModelEntry){.at = model->span};
    if (!s || s->v.kind != V_CLASS || !forward)
        return host_raise(in, model->span, "ModelNew has no method `forward`");
    out->at = (Span){forward->span.at, 0};
    out->given = count_params(forward, &required);
    if (out->given < 0 || out->given > count) out->given = count;
    in->weight = arg + out->given;
    in->weights = count - out->given;
    required = 0;
    if (init) (void)count_params(init, &required);
    if (required > 1)
        return host_raise(in, init->span,
                          "ModelNew() is made with one argument at most, the length of a row: give the "
                          "others of __init__ defaults");
    const Tensor *first = count > 0 && arg[0].kind == V_TENSOR ? &arg[0].tensor->t : NULL;
    size.i = first && first->rank > 0 ? first->shape[first->rank - 1] : 1;
    Args made = {.pos = &size, .n = required, .at = (Span){(init ? init : model)->span.at, 0}};
    if (!class_call(in, s->v, &made, &out->object)) return false;
    out->bound = required > 0 || in->weights > 0;
    if (in->weights_used < in->weights)
        return host_raise(in, out->at,
                          "forward takes %d of the op's %d inputs and __init__ makes %d nn.Parameter: %d are "
                          "left over",
                          out->given, count, in->weights_used, in->weights - in->weights_used);
    return true;
}

bool entry_call_model(Interp *in, const ModelEntry *m, Value *arg, Value *out) {
    Args args = {.pos = arg, .n = m->given, .at = m->at};
    return class_call(in, m->object, &args, out);
}
