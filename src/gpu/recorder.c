#include "gpu/recorder.h"
#include <stdlib.h>

struct Recorder {
    Arena *a;
    Machine *m;
    RecordedRun run;
    int step_cap, kernel_cap;
    Str *form;                     // of each kernel
    const struct TunedKey **group; // what launches of each group have in common
    RunArg arg[RUN_PARAMS_MAX];    // of the launch at hand
    int made;                      // storages that were there when the call began
    bool finished;
};

static Recorder *recorder_of(const Interp *in) { return in->m->backend_state; }

// Storages are numbered from 1, in the order of their making.
static int buffer_of(const Storage *s) { return s->id - 1; }

static RunView view_of(const Tensor *t) {
    RunView v = {.buffer = buffer_of(t->storage),
                 .dtype = t->dtype,
                 .rank = t->rank,
                 .offset = t->offset * dtype_bytes(t->dtype)};
    memcpy(v.shape, t->shape, sizeof *v.shape * (size_t)t->rank);
    memcpy(v.stride, t->stride, sizeof *v.stride * (size_t)t->rank);
    return v;
}

static RunStep *step_new(Interp *in, Span at) {
    Recorder *r = recorder_of(in);
    RecordedRun *run = &r->run;
    if (run->steps == RUN_STEPS_MAX) {
        host_unsupported(in, at, "a call of more than %d launches, fills and copies is not recorded",
                         RUN_STEPS_MAX);
        return NULL;
    }
    if (run->steps == r->step_cap) {
        r->step_cap = 2 * r->step_cap + 16;
        run->step = MORE(r->a, RunStep, run->step, run->steps, r->step_cap);
    }
    RunStep *s = &run->step[run->steps++];
    *s = (RunStep){.group = -1};
    return s;
}

// ---- fills and copies

static bool fill(Interp *in, Span at, const Tensor *t, double x) {
    int64_t n = tensor_numel(t);
    if (n == 0) return true;
    RunStep *s = step_new(in, at);
    if (!s) return false;
    s->kind = STEP_FILL;
    s->buffer = buffer_of(t->storage);
    s->offset = t->offset * dtype_bytes(t->dtype);
    s->count = n;
    s->width = dtype_bytes(t->dtype);
    dtype_store(t->dtype, &s->pattern, x); // little endian: the low bytes
    return true;
}

static bool copy(Interp *in, Span at, const Tensor *from, const Tensor *to) {
    int64_t n = tensor_numel(from);
    if (n == 0) return true;
    RunStep *s = step_new(in, at);
    if (!s) return false;
    s->kind = STEP_COPY;
    s->buffer = buffer_of(to->storage);
    s->offset = to->offset * dtype_bytes(to->dtype);
    s->count = n;
    s->width = dtype_bytes(to->dtype);
    s->from = view_of(from);
    return true;
}

// ---- specialisation, by the rules of Triton 3.6

typedef struct {
    Interp *in;
    Arena *a;
    Span at;
    RunArg *arg;
    int args, params;
} Special;

static bool param(Special *s, const LaunchArg *arg, RunParam *out);

static Str type_text(Arena *a, const char *star, DType t) {
    return str_of(arena_printf(a, "%s%s", star, run_type_name(t)));
}

static bool too_many(Special *s) {
    return s->params++ >= RUN_PARAMS_MAX &&
           !host_unsupported(s->in, s->at, "a kernel of more than %d parameters is not recorded",
                             RUN_PARAMS_MAX);
}

static bool constant(Special *s, const LaunchArg *arg, RunConst *out) {
    switch (arg->kind) {
    case ARG_PLAIN:
        *out = (RunConst){.kind = CONST_PLAIN, .plain = arg->value};
        if (arg->value.kind == PY_STR) out->plain.s = str_dup(s->a, arg->value.s);
        return arg->value.kind != PY_STR || arg->value.s.len <= RUN_NAME_MAX ||
               host_unsupported(s->in, s->at, "a constant text of more than %d bytes", RUN_NAME_MAX);
    case ARG_DTYPE: return *out = (RunConst){.kind = CONST_DTYPE, .dtype = arg->dtype}, true;
    case ARG_FUNCTION:
        if (arg->home != s->in->module)
            return host_unsupported(s->in, s->at, "kernels of --include are not recorded");
        *out = (RunConst){.kind = CONST_FUNCTION, .function = arg->function->function.name};
        return true;
    case ARG_TUPLE: {
        RunConst *item = NEWN(s->a, RunConst, (size_t)arg->items + 1);
        *out = (RunConst){.kind = CONST_TUPLE, .item = item, .items = arg->items};
        if ((s->params += arg->items) > RUN_PARAMS_MAX)
            return host_unsupported(s->in, s->at, "a tuple of so many items is not recorded");
        for (int i = 0; i < arg->items; i++)
            if (!constant(s, &arg->item[i], &item[i])) return false;
        return true;
    }
    default: return host_unsupported(s->in, s->at, "a constant that is a tensor");
    }
}

static bool constexpr(Special *s, const LaunchArg *arg, RunParam *out) {
    out->type = STR("constexpr");
    return constant(s, arg, &out->value);
}

static void pointer(Special *s, const Tensor *t, bool aligns, RunParam *out) {
    int64_t offset = t->offset * dtype_bytes(t->dtype);
    out->type = type_text(s->a, "*", t->dtype);
    out->aligned = aligns && offset % 16 == 0;
    s->arg[s->args++] =
        (RunArg){.kind = ARGUMENT_POINTER, .bytes = 8, .buffer = buffer_of(t->storage), .offset = offset};
}

static void scalar(Special *s, DType t, PyValue v, RunParam *out) {
    RunArg *g = &s->arg[s->args++];
    *g = (RunArg){.kind = ARGUMENT_SCALAR, .bytes = dtype_bytes(t)};
    out->type = type_text(s->a, "", t);
    if (dtype_is_float(t))
        dtype_store(t, &g->bits, v.kind == PY_FLOAT ? v.f : v.kind == PY_BOOL ? v.b : (double)v.i);
    else if (t == DT_BOOL)
        g->bits = v.kind == PY_BOOL ? v.b : v.i != 0;
    else
        g->bits = (uint64_t)(v.kind == PY_BOOL ? v.b : v.i);
    if (g->bytes < 8) g->bits &= ((uint64_t)1 << (8 * g->bytes)) - 1;
}

// What stands in the parameter's annotation decides the type; then only the alignment of whole numbers is
// looked at, and of a 1 not even that.
static void annotated(Special *s, DType t, PyValue v, bool aligns, RunParam *out) {
    scalar(s, t, v, out);
    bool whole = !dtype_is_float(t) && t != DT_BOOL && v.kind == PY_INT;
    out->aligned = whole && aligns && v.i != 1 && v.i % 16 == 0;
}

static bool number(Special *s, const LaunchArg *arg, bool specialize, bool aligns, RunParam *out) {
    PyValue v = arg->value;
    if (v.kind == PY_BOOL) return scalar(s, DT_BOOL, v, out), true;
    if (v.kind == PY_FLOAT) return scalar(s, DT_F32, v, out), true;
    if (v.i == 1 && specialize) return constexpr(s, arg, out);
    scalar(s, v.i >= INT32_MIN && v.i <= INT32_MAX ? DT_I32 : DT_I64, v, out);
    out->aligned = aligns && v.i % 16 == 0;
    return true;
}

// Items of tuples are specialised whatever the kernel's decorator says.
static bool tuple(Special *s, const LaunchArg *arg, RunParam *out) {
    RunParam *item = NEWN(s->a, RunParam, (size_t)arg->items + 1);
    out->type = STR("tuple");
    out->item = item;
    out->items = arg->items;
    for (int i = 0; i < arg->items; i++)
        if (!param(s, &arg->item[i], &item[i])) return false;
    return true;
}

static bool param_as(Special *s, const LaunchArg *arg, bool specialize, bool aligns, RunParam *out) {
    if (too_many(s)) return false;
    switch (arg->kind) {
    case ARG_TUPLE: return tuple(s, arg, out);
    case ARG_TENSOR: return pointer(s, arg->tensor, aligns, out), true;
    case ARG_DESCRIPTOR:
        return host_unsupported(s->in, s->at, "tensor descriptors made by host code are not recorded");
    default: break;
    }
    if (arg->kind != ARG_PLAIN || arg->value.kind == PY_NONE) return constexpr(s, arg, out);
    return number(s, arg, specialize, aligns, out);
}
static bool param(Special *s, const LaunchArg *arg, RunParam *out) {
    return param_as(s, arg, true, true, out);
}

// `x: "*fp16"` and `x: tl.const` make other types than the tensor has.
static bool of_pointer(const Node *annotation) {
    if (!annotation || annotation_is_constexpr(annotation)) return false;
    if (annotation->kind == NODE_STRING)
        return memchr(annotation->string.text.p, '*', annotation->string.text.len) ||
               memmem(annotation->string.text.p, annotation->string.text.len, "const", 5);
    return (annotation->kind == NODE_ATTRIBUTE && str_is(annotation->attribute.name, "const")) ||
           node_is_name(annotation, "const");
}

static bool params(Special *s, const Binding *b, RunParam *out) {
    for (int i = 0; i < b->args; i++) {
        const Node *p = b->kernel->function.params.at[i];
        const LaunchArg *arg = &b->arg[i];
        bool specialize = !param_listed(b->kernel, i, "do_not_specialize"),
             aligns = specialize && !param_listed(b->kernel, i, "do_not_specialize_on_alignment");
        DType t;
        out[i] = (RunParam){.name = p->param.name};
        bool ok;
        if (of_pointer(p->param.annotation))
            return host_unsupported(s->in, s->at, "'%.*s': pointers that are annotated are not recorded",
                                    STR_ARG(p->param.name));
        if (annotation_is_constexpr(p->param.annotation))
            ok = !too_many(s) && constexpr(s, arg, &out[i]);
        else if (arg->kind == ARG_PLAIN && arg->value.kind != PY_NONE &&
                 annotated_type(p->param.annotation, &t))
            ok = !too_many(s) && (annotated(s, t, arg->value, aligns, &out[i]), true);
        else
            ok = param_as(s, arg, specialize, aligns, &out[i]);
        if (!ok) return false;
    }
    return true;
}

// ---- options

static bool option_flag(Interp *in, const LaunchArg *o, bool *out) {
    PyValue v = o->value;
    if (o->kind != ARG_PLAIN || v.kind == PY_STR || v.kind == PY_FLOAT)
        return host_unsupported(in, o->span, "%.*s: neither True nor False", STR_ARG(o->name));
    if (v.kind != PY_NONE) *out = py_truth(v);
    return true;
}

static bool option_number(Interp *in, const LaunchArg *o, int min, int max, int *out) {
    PyValue v = o->value;
    if (o->kind == ARG_PLAIN && v.kind == PY_NONE) return true;
    if (o->kind != ARG_PLAIN || v.kind != PY_INT || v.i < min || v.i > max)
        return host_unsupported(in, o->span, "%.*s: a number from %d to %d belongs here", STR_ARG(o->name),
                                min, max);
    *out = (int)v.i;
    return true;
}

static bool options(Interp *in, const Binding *b, RunOptions *out) {
    bool debug = false;
    *out =
        (RunOptions){.num_warps = b->num_warps, .num_stages = 3, .num_ctas = b->num_ctas, .fp_fusion = true};
    for (int i = 0; i < b->options; i++) {
        const LaunchArg *o = b->option[i];
        bool ok = true;
        if (str_is(o->name, "num_stages")) ok = option_number(in, o, 0, 1023, &out->num_stages);
        if (str_is(o->name, "maxnreg")) ok = option_number(in, o, 1, 255, &out->maxnreg);
        if (str_is(o->name, "enable_fp_fusion")) ok = option_flag(in, o, &out->fp_fusion);
        if (str_is(o->name, "launch_cooperative_grid")) ok = option_flag(in, o, &out->cooperative);
        if (str_is(o->name, "launch_pdl")) ok = option_flag(in, o, &out->pdl);
        if (str_is(o->name, "debug")) ok = option_flag(in, o, &debug);
        if (!ok) return false;
    }
    return !debug || host_unsupported(in, b->kernel->span, "launches with debug=True are not recorded");
}

// ---- launches

// The number of the kernel: one for each specialisation.
static bool kernel_number(Interp *in, Span at, const RunKernel *k, int *out) {
    Recorder *r = recorder_of(in);
    Buf form = BUF(r->a);
    run_kernel_form(&form, k);
    for (int i = 0; i < r->run.kernels; i++)
        if (r->run.kernel[i].at == k->at && str_eq(r->form[i], buf_str(&form))) return *out = i, true;
    if (r->run.kernels == RUN_KERNELS_MAX)
        return host_unsupported(in, at, "a call of more than %d different kernels is not recorded",
                                RUN_KERNELS_MAX);
    if (r->run.kernels == r->kernel_cap) {
        int n = r->run.kernels, cap = r->kernel_cap = 2 * n + 8;
        r->run.kernel = MORE(r->a, RunKernel, r->run.kernel, n, cap);
        r->form = MORE(r->a, Str, r->form, n, cap);
    }
    r->form[r->run.kernels] = buf_str(&form);
    r->run.kernel[r->run.kernels] = *k;
    return *out = r->run.kernels++, true;
}

// Launches that run with one and the same config: those of a kernel under one key.
static bool group_number(Interp *in, Span at, const Choice *how, int *out) {
    Recorder *r = recorder_of(in);
    *out = -1;
    if (!how->under)
        return how->choices <= 1 ||
               host_unsupported(in, at, "an autotuned kernel of so many configs is not recorded");
    for (int i = 0; i < r->run.groups; i++)
        if (r->group[i] == how->under) return *out = i, true;
    r->group[r->run.groups] = how->under; // at most one for each step
    return *out = r->run.groups++, true;
}

static bool specialized(Interp *in, Span at, const Binding *b, RunLaunch *out) {
    Recorder *r = recorder_of(in);
    RunParam *p = NEWN(r->a, RunParam, (size_t)b->args + 1);
    Special s = {.in = in, .a = r->a, .at = at, .arg = r->arg};
    RunKernel k = {.name = b->kernel->function.name, .at = b->kernel->span.at, .param = p, .params = b->args};
    if (b->module != in->module) return host_unsupported(in, at, "kernels of --include are not recorded");
    if (!params(&s, b, p) || !options(in, b, &k.option) || !kernel_number(in, at, &k, &out->kernel))
        return false;
    RunArg *arg = NEWN(r->a, RunArg, (size_t)s.args + 1);
    memcpy(arg, r->arg, sizeof *arg * (size_t)s.args);
    out->arg = arg;
    out->args = s.args;
    return true;
}

static bool launch(Interp *in, Span at, const Launched *l) {
    Recorder *r = recorder_of(in);
    RunLaunch way = {.config = l->how.under ? l->how.config : 0};
    memcpy(way.grid, l->grid, sizeof way.grid);
    if (!specialized(in, at, l->binding, &way)) return false;
    RunStep *s = l->nth > 0 ? &r->run.step[r->run.steps - 1] : step_new(in, at);
    if (!s) return false;
    if (l->nth == 0) {
        if (!group_number(in, at, &l->how, &s->group)) return false;
        s->kind = STEP_LAUNCH;
        s->choice = NEWN(r->a, RunLaunch, (size_t)(l->how.choices > 0 ? l->how.choices : 1));
    }
    for (int i = 0; i < s->choices; i++)
        if (s->choice[i].config == way.config) return true; // pruning may name one twice
    ((RunLaunch *)s->choice)[s->choices++] = way;           // at most how.choices
    return true;
}

static bool check(Interp *in, const Binding *b, Launchable *out) {
    return kernel_check(in->m->arena, in->cache, b, out, in->d);
}

static bool finish(Interp *in, Span at, const Tensor *out, int outputs) {
    Recorder *r = recorder_of(in);
    if (outputs > RUN_OUTPUTS_MAX)
        return host_unsupported(in, at, "a call that returns more than %d tensors is not recorded",
                                RUN_OUTPUTS_MAX);
    for (int i = 0; i < outputs; i++) r->run.output[i] = view_of(&out[i]);
    r->run.outputs = outputs;
    return r->finished = true;
}

static const LaunchBackend recorder_backend = {
    .every_config = true, .check = check, .launch = launch, .fill = fill, .copy = copy, .finish = finish};

// ---- the run

Recorder *recorder_new(Arena *a, Machine *m, const Tensor *input, int inputs) {
    Recorder *r = NEW(a, Recorder);
    *r = (Recorder){.a = a, .m = m, .group = NEWN(a, const struct TunedKey *, RUN_STEPS_MAX)};
    r->run.processors = m->gpu.processors;
    r->run.inputs = inputs;
    for (int i = 0; i < inputs; i++) r->run.input[i] = view_of(&input[i]);
    m->backend = &recorder_backend;
    m->backend_state = r;
    return r;
}

void recorder_setup_ends(Recorder *r) {
    r->run.setups = r->run.steps;
    r->made = r->m->storages.count;
    r->finished = false;
}

// Of a launch's ways those whose configs every launch of its group has, by number.
static bool in_all(const RecordedRun *run, int group, int config) {
    for (int i = 0; i < run->steps; i++) {
        const RunStep *s = &run->step[i];
        bool has = s->group != group;
        for (int k = 0; k < s->choices && !has; k++) has = s->choice[k].config == config;
        if (!has) return false;
    }
    return true;
}

static int by_config(const void *a, const void *b) {
    const RunLaunch *l = a, *m = b;
    return (l->config > m->config) - (l->config < m->config);
}

// A config that a launch of the group cannot run with is no choice of the others either.
static bool groups_agree(RecordedRun *run, Err *e) {
    for (int i = 0; i < run->steps; i++) {
        RunStep *s = &run->step[i];
        RunLaunch *list = (RunLaunch *)s->choice;
        if (s->group < 0) continue;
        qsort(list, (size_t)s->choices, sizeof *list, by_config);
        int n = 0;
        for (int k = 0; k < s->choices; k++)
            if (in_all(run, s->group, list[k].config)) list[n++] = list[k];
        s->choices = n;
        if (n == 0)
            return err_set(e, ERR_INPUT,
                           "an autotuned kernel has no config that all its launches can run with");
    }
    return true;
}

bool recorder_run(Recorder *r, RecordedRun *out, Err *e) {
    const StorageTable *t = &r->m->storages;
    RecordedRun *run = &r->run;
    if (!r->finished) return err_set(e, ERR_INPUT, "the call has not come to its end");
    if (!groups_agree(run, e)) return false;
    run->buffer = NEWN(r->a, RunBuffer, (size_t)t->count + 1);
    run->buffers = t->count;
    for (int i = 0; i < t->count; i++)
        run->buffer[i] = (RunBuffer){.role = BUFFER_SCRATCH,
                                     .bytes = (int64_t)t->at[i]->bytes,
                                     .kept = i >= run->inputs && i < r->made};
    for (int i = 0; i < run->outputs; i++) run->buffer[run->output[i].buffer].role = BUFFER_OUTPUT;
    for (int i = 0; i < run->inputs; i++) run->buffer[run->input[i].buffer].role = BUFFER_INPUT;
    *out = *run;
    return true;
}
