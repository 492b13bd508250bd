// Where a kernel file is entered: run(*inputs), or, without one, a class ModelNew(nn.Module) as benchmarks of
// modules have it. Its forward takes the op's first inputs; each nn.Parameter of its __init__ is the next one
// (a module's weights are inputs of the op here), whatever the file would have filled it with: that
// expression is neither looked at nor evaluated. One argument that __init__ asks for is the length of a row.
#include "host/python/entry.h"

#include "host/policy/screen.h"
#include "host/python/model_parameters.h"

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

// --- of a reference in module form ---
//
// What a ModelNew is called with is text that the referee has written (Extras.model): `init`, the arguments
// of its __init__; `tensors`, for each argument of forward whether it is one of the op's inputs; `values`,
// what the others are; `names`, of the parameters, which are the op's inputs behind those.

static bool fact(Interp *in, const char *name, const Seq **out) {
    const Node *facts = in->module->module.model;
    Value v;
    for (int i = 0; i < facts->module.body.n; i++) {
        const Node *s = facts->module.body.at[i];
        if (s->kind != NODE_ASSIGN || !node_is_name(s->assign.targets.at[0], name)) continue;
        if (!eval(in, in->globals, s->assign.value, &v)) return false;
        if (value_is_seq(v)) return *out = v.seq, true;
    }
    return host_raise(in, in->module->span, "the reference's `%s` is not to be had", name);
}

typedef struct {
    const Seq *init, *tensors, *values, *names;
} Facts;

static bool facts_read(Interp *in, Facts *f) {
    return fact(in, "init", &f->init) && fact(in, "tensors", &f->tensors) && fact(in, "values", &f->values) &&
           fact(in, "names", &f->names);
}

static bool make_object(Interp *in, const Node *model, const Facts *f, Value *out) {
    const Slot *s = env_find(in->globals, STR("ModelNew"));
    const Node *init = method_of(model, "__init__");
    if (!s || s->v.kind != V_CLASS) return host_raise(in, model->span, "there is no class ModelNew");
    Args made = {.pos = f->init->at, .n = f->init->n, .at = (Span){(init ? init : model)->span.at, 0}};
    return class_call(in, s->v, &made, out);
}

// Once on the side, for what parameters it has. Nothing of that object is kept.
static bool declare(const Interp *in, const Node *model, const Facts *f, DeclaredParameters *out) {
    Interp aside = *in;
    Value object;
    aside.globals = NULL;
    aside.defined = false;
    aside.declared = out;
    if (!module_run(&aside) || !make_object(&aside, model, f, &object)) return false;
    parameters_name(&aside, object.object, out);
    return true;
}

static bool not_bound(Interp *in, Span at, ModuleSlots own, ModuleSlots other) {
    Buf text = BUF(in->arena);
    buf_puts(&text, "the parameters of ModelNew (");
    slots_text(&text, other);
    buf_puts(&text, ") are not those of Model (");
    slots_text(&text, own);
    buf_puts(&text, "), by name, by order or by shape");
    return host_unsupported(in, at, "%s", buf_cstr(&text));
}

typedef struct {
    const Value *value; // the referee's, in the order of `names`
    int n;
    Value *ordered; // as ModelNew asks for them
    int how;        // 1 + BindRule
} Weights;

// The referee's values in the order in which ModelNew asks for them.
static bool bind(Interp *in, Span at, const Facts *f, const DeclaredParameters *d, Weights *w) {
    const Value *weight = w->value;
    int weights = w->n;
    ModuleSlot *own = HOST_NEW(in, at, ModuleSlot, weights + 1);
    w->ordered = HOST_NEW(in, at, Value, weights + 1);
    if (!own || !w->ordered) return false;
    if (f->names->n != weights) return host_raise(in, at, "the reference's parameters are not to be had");
    for (int i = 0; i < weights; i++) {
        const Tensor *t = &weight[i].tensor->t;
        own[i] = (ModuleSlot){.name = f->names->at[i].s, .rank = t->rank};
        memcpy(own[i].shape, t->shape, sizeof *t->shape * (size_t)t->rank);
    }
    const ModuleSlots mine = {own, weights}, theirs = {d->at, d->n};
    ModuleBinding b = module_bind(in->arena, mine, theirs);
    if (b.how == BIND_NONE) return not_bound(in, at, mine, theirs);
    for (int i = 0; i < d->n; i++) w->ordered[i] = weight[b.of[i]];
    w->n = d->n;
    w->how = 1 + (int)b.how;
    return true;
}

static bool entry_make_new(Interp *in, const Node *model, Value *arg, int count, ModelEntry *out) {
    const Node *forward = method_of(model, "forward"), *init = method_of(model, "__init__");
    Facts f;
    *out = (ModelEntry){.at = model->span, .module = true, .bound = true};
    if (!forward) return host_raise(in, model->span, "ModelNew has no method `forward`");
    out->at = (Span){forward->span.at, 0};
    if (!facts_read(in, &f)) return false;
    Span at = {(init ? init : model)->span.at, 0};
    bool *tensor = HOST_NEW(in, at, bool, f.tensors->n + 1);
    DeclaredParameters *d = HOST_NEW(in, at, DeclaredParameters, 1);
    if (!tensor || !d) return false;
    for (int i = 0; i < f.tensors->n; i++) {
        tensor[i] = f.tensors->at[i].kind == V_BOOL && f.tensors->at[i].b;
        out->given += tensor[i];
    }
    if (out->given > count || f.values->n != f.tensors->n)
        return host_raise(in, at, "the reference's inputs are not to be had");
    out->tensor = tensor;
    out->value = f.values->at;
    out->values = f.values->n;
    Weights w = {.value = arg + out->given, .n = count - out->given};
    if (!declare(in, model, &f, d) || !bind(in, at, &f, d, &w)) return false;
    out->binding = w.how;
    in->weight = w.ordered;
    in->weights = w.n;
    if (!make_object(in, model, &f, &out->object)) return false;
    if (in->weights_used == in->weights) return true;
    return host_raise(in, at, "ModelNew makes other parameters when it is made a second time");
}

bool entry_make_model(Interp *in, const Node *model, Value *arg, int count, ModelEntry *out) {
    const Node *forward = method_of(model, "forward"), *init = method_of(model, "__init__");
    const Slot *s = env_find(in->globals, STR("ModelNew"));
    int required = 0;
    Value size = {.kind = V_INT};
    if (in->module->module.model) return entry_make_new(in, model, arg, count, out);
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
    if (m->module) {
        Value *all = HOST_NEW(in, m->at, Value, m->values + 1);
        if (!all) return false;
        for (int i = 0, k = 0; i < m->values; i++) all[i] = m->tensor[i] ? arg[k++] : m->value[i];
        args.pos = all;
        args.n = m->values;
    }
    return class_call(in, m->object, &args, out);
}
