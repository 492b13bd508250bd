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

bool entry_call_model(Interp *in, const Node *model, Value *arg, int count, Value *out, Span *at) {
    const Node *forward = method_of(model, "forward"), *init = method_of(model, "__init__");
    const Slot *s = env_find(in->globals, STR("ModelNew"));
    int required = 0, given;
    Value size = {.kind = V_INT}, object;
    *at = model->span;
    if (!s || s->v.kind != V_CLASS || !forward)
        return host_raise(in, model->span, "ModelNew has no method `forward`");
    *at = (Span){forward->span.at, 0};
    given = count_params(forward, &required);
    if (given < 0 || given > count) given = count;
    in->weight = arg + given;
    in->weights = count - given;
    required = 0;
    if (init) (void)count_params(init, &required);
    if (required > 1)
        return host_raise(in, init->span,
                          "ModelNew() is made with one argument at most, the length of a row: give the "
                          "others of __init__ defaults");
    const Tensor *first = count > 0 && arg[0].kind == V_TENSOR ? &arg[0].tensor->t : NULL;
    size.i = first && first->rank > 0 ? first->shape[first->rank - 1] : 1;
    Args made = {.pos = &size, .n = required, .at = (Span){(init ? init : model)->span.at, 0}};
    if (!class_call(in, s->v, &made, &object)) return false;
    if (in->weights_used < in->weights)
        return host_raise(in, *at,
                          "forward takes %d of the op's %d inputs and __init__ makes %d nn.Parameter: %d are "
                          "left over",
                          given, count, in->weights_used, in->weights - in->weights_used);
    Args args = {.pos = arg, .n = given, .at = *at};
    return class_call(in, object, &args, out);
}
