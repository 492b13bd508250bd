// module.c - a file in module form is read, Model is made, and forward is evaluated.
#include "module/module.h"

#include "base/io.h"
#include "base/numeric/rng.h"
#include "host/desugar/rewriting.h"
#include "host/python/entry.h"
#include "module/module_draw.h"
#include "op/embed.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

enum { NAME_DEPTH_MAX = 16 };

// --- reading ---

bool module_is(const Node *tree) {
    bool model = false;
    for (int i = 0; i < tree->module.body.n; i++) {
        const Node *n = tree->module.body.at[i];
        model = model || (n->kind == NODE_CLASS && str_is(n->klass.name, "Model"));
    }
    return model && module_function(tree, STR("get_inputs"));
}

bool module_file(Arena *a, const char *path, Str *source) {
    Err unsaid = {0};
    DiagList none = DIAGS(a);
    if (!str_ends(str_of(path), ".py") || !io_read_file(a, path, SOURCE_MAX, source, &unsaid)) return false;
    const Node *tree = parse_module(a, *source, &none);
    return tree && module_is(tree);
}

const Node *module_library(Arena *a, DiagList *d) {
    Buf text = BUF(a);
    for (const EmbeddedFile *f = embedded_files; f->name; f++)
        if (str_starts(str_of(f->name), "src/module/library/")) buf_str_put(&text, (Str){f->text, f->len});
    Node *m = parse_module(a, buf_str(&text), d);
    if (m) tree_place(m, FORM_PLACE);
    return m;
}

bool module_read(Arena *a, Str source, ModuleFile *out, DiagList *d) {
    *out = (ModuleFile){.arena = a, .source = source, .library = out->library};
    out->tree = parse_module(a, source, d);
    if (!out->tree) return false;
    if (!module_is(out->tree))
        return diag_add(
            d, DIAG_REFUSED, out->tree->span,
            "a reference in module form has `class Model(nn.Module)` and `get_inputs()`: one of the "
            "two is missing");
    if (!out->library) out->library = module_library(a, d);
    return out->library != NULL;
}

// --- names of parameters ---

static void name_tensor(Interp *in, const Bound *b, Str name) {
    ModuleForm *f = in->form;
    for (int i = 0; i < f->tensors; i++)
        if (f->tensor[i].value == b && !f->tensor[i].name.len) f->tensor[i].name = str_dup(in->arena, name);
}

static bool name_all(Interp *in, const Object *o, Str path, int depth) {
    if (depth > NAME_DEPTH_MAX || !host_work(in, in->module->span, o->attribute->cap)) return false;
    for (int i = 0; i < o->attribute->cap; i++) {
        const Slot *s = &o->attribute->slot[i];
        if (!s->name.p || (s->v.kind != V_BOUND && s->v.kind != V_OBJECT)) continue;
        Str name = path.len ? str_join(in->arena, path, '.', s->name) : s->name;
        if (s->v.kind == V_BOUND)
            name_tensor(in, s->v.bound, name);
        else if (!name_all(in, s->v.object, name, depth + 1))
            return false;
    }
    return true;
}

// What no attribute holds is named by its place.
static void name_rest(Interp *in) {
    ModuleForm *f = in->form;
    for (int i = 0; i < f->tensors; i++)
        if (!f->tensor[i].name.len) f->tensor[i].name = str_of(arena_printf(in->arena, "unnamed%d", i));
}

// --- evaluating ---

static bool call_named(Interp *in, const char *name, Value *out) {
    Value f;
    if (!entry_function(in, name, &f)) return false;
    return call_value(in, f, &(Args){.at = f.function->node->span}, out);
}

static Str spelled(Interp *in, Value v) {
    Buf text = BUF(in->arena);
    value_repr(&text, v, 0);
    return buf_str(&text);
}

// Whether __init__ has a parameter besides self that has to be given.
static bool init_wants(const Class *c) {
    const Slot *s = env_find(c->names, STR("__init__"));
    if (!s || s->v.kind != V_FUNCTION) return false;
    const Nodes *params = &s->v.function->node->function.params;
    const Node *first = params->n > 1 ? params->at[1] : NULL;
    return first && !first->param.def && first->param.kind == PARAM_PLAIN;
}

static bool make_model(Interp *in, ModuleRun *out, Value *model) {
    Value init = {0};
    Buf text = BUF(in->arena);
    const Slot *s = env_find(in->globals, STR("Model"));
    if (!s || s->v.kind != V_CLASS || s->v.klass->kind != CLASS_MODULE)
        return host_report(in, DIAG_REFUSED, in->module->span, "Model is not a class of nn.Module"), false;
    Args args = {.at = in->module->span};
    for (int i = 0; i < in->module->module.body.n; i++) {
        const Node *n = in->module->module.body.at[i];
        if (n->kind == NODE_CLASS && str_is(n->klass.name, "Model")) args.at = (Span){n->span.at, 0};
    }
    if (env_find(in->globals, STR("get_init_inputs"))) {
        if (!call_named(in, "get_init_inputs", &init)) return false;
        if (!value_is_seq(init) || init.seq->n > MODULE_INIT_MAX)
            return host_report(in, DIAG_HOST, args.at, "get_init_inputs() must return a list"), false;
        args.pos = init.seq->at;
        args.n = init.seq->n;
    }
    if (!args.n && init_wants(s->v.klass))
        return host_report(
                   in, DIAG_HOST, args.at,
                   "Model.__init__ takes arguments, and the file has no get_init_inputs() that returns "
                   "a list of them"),
               false;
    for (int i = 0; i < args.n; i++)
        buf_printf(&text, "%s%.*s", i ? ", " : "", STR_ARG(spelled(in, args.pos[i])));
    out->init = buf_str(&text);
    if (!call_value(in, s->v, &args, model)) return false;
    if (model->kind != V_OBJECT || !name_all(in, model->object, (Str){0}, 0))
        return host_report(in, DIAG_UNSUPPORTED, args.at, "Model holds modules that hold each other"), false;
    name_rest(in);
    out->tensor = in->form->tensor;
    out->tensors = in->form->tensors;
    return true;
}

static const Bound *given_input(Interp *in, const ModuleAsk *ask, int i, const Bound *asked) {
    Drawn d = {.dtype = asked->dtype, .rank = asked->rank};
    memcpy(d.shape, asked->shape, sizeof d.shape);
    const Bound *b = i < ask->inputs && ask->input[i].storage ? module_given(in, &ask->input[i], &d) : NULL;
    if (!b)
        in->bound->why = arena_printf(in->arena, "input %d has another shape or type than what is given", i);
    return b;
}

static bool make_inputs(Interp *in, const ModuleAsk *ask, ModuleRun *out, Value *arg) {
    Value list;
    Span at = module_function(in->module, STR("get_inputs"))->span;
    in->form->sources = 0;
    if (!call_named(in, "get_inputs", &list)) return false;
    if (!value_is_seq(list) || list.seq->n > MODULE_INPUTS_MAX)
        return host_report(in, DIAG_HOST, at, "get_inputs() must return a list of at most %d inputs",
                           MODULE_INPUTS_MAX),
               false;
    for (int i = 0; i < list.seq->n; i++) {
        Value v = list.seq->at[i];
        ModuleInput *input = &out->input[out->inputs++];
        arg[i] = v;
        if (v.kind != V_BOUND) {
            input->text = spelled(in, v);
            continue;
        }
        input->random = v.bound->rank > 0 && module_is_random(in, v.bound);
        input->tensor =
            ask->input ? given_input(in, ask, i, v.bound) : module_draw_input(in, v.bound, i, ask->published);
        if (!input->tensor)
            return host_report(in, DIAG_HOST, at, "%s", in->bound->why ? in->bound->why : "no input"), false;
        arg[i] = value_bound(input->tensor);
    }
    return true;
}

// Whether numbers reach a result that are neither inputs nor parameters: nobody else has those that are
// random. What was seen stays in a set that is open to pointers alone.
typedef struct {
    Arena *arena;
    const Bound **slot, **stack;
    size_t cap, n, deep;
} Seen;

static bool seen_before(Seen *s, const Bound *b) {
    if (2 * s->n >= s->cap) {
        Seen more = {.arena = s->arena, .stack = s->stack, .cap = s->cap ? 2 * s->cap : 256};
        more.slot = NEWN(s->arena, const Bound *, more.cap);
        more.stack = NEWN(s->arena, const Bound *, more.cap);
        for (size_t i = 0; i < s->cap; i++)
            if (s->slot[i]) (void)seen_before(&more, s->slot[i]);
        for (more.deep = 0; more.deep < s->deep; more.deep++) more.stack[more.deep] = s->stack[more.deep];
        *s = more;
    }
    size_t at = (size_t)rng_mix((uint64_t)(uintptr_t)b, 1) & (s->cap - 1);
    while (s->slot[at] && s->slot[at] != b) at = (at + 1) & (s->cap - 1);
    if (s->slot[at]) return true;
    s->slot[at] = b;
    s->n++;
    return false;
}

static bool holds_noise(Arena *a, const Bound *result) {
    Seen s = {.arena = a};
    if (!seen_before(&s, result)) s.stack[s.deep++] = result;
    while (s.deep) {
        const Bound *b = s.stack[--s.deep];
        if (b->op == BOUND_INPUT && b->input_index == DRAWN_BY_FILE) return true;
        for (int i = 0; i < b->inputs; i++)
            if (!seen_before(&s, b->in[i])) s.stack[s.deep++] = b->in[i];
    }
    return false;
}

static bool take_outputs(Interp *in, Value v, Span at, ModuleRun *out) {
    const Value *each = value_is_seq(v) ? v.seq->at : &v;
    int n = value_is_seq(v) ? v.seq->n : 1;
    if (n < 1 || n > MODULE_OUTPUTS_MAX)
        return host_report(in, DIAG_UNSUPPORTED, at, "forward returns one tensor, or up to %d",
                           MODULE_OUTPUTS_MAX),
               false;
    for (int i = 0; i < n; i++) {
        if (each[i].kind != V_BOUND)
            return host_report(in, DIAG_UNSUPPORTED, at, "forward must return tensors, but it returned %s %s",
                               each[i].kind == V_NONE ? "nothing:" : "a", value_type(each[i])),
                   false;
        if (!form_may_use(in, at, each[i].bound)) return false;
        if (holds_noise(in->arena, each[i].bound))
            return host_unsupported(in, at,
                                    "random numbers that the file draws outside of get_inputs, or elements "
                                    "of torch.empty, reach the "
                                    "result: make them an nn.Parameter, or an input");
        out->output[out->outputs++] = each[i].bound;
    }
    return true;
}

static bool run_file(Interp *in, const ModuleFile *m, const ModuleAsk *ask, ModuleRun *out) {
    Value model, arg[MODULE_INPUTS_MAX], result;
    in->module = m->library;
    if (!module_run(in)) return false;
    in->form->library = in->globals;
    in->module = m->tree;
    if (!module_run(in) || !make_model(in, out, &model) || !make_inputs(in, ask, out, arg)) return false;
    if (ask->draws) return true;
    Span at = in->module->span;
    const Slot *s = env_find(model.object->of->names, STR("forward"));
    if (s && s->v.kind == V_FUNCTION) at = (Span){s->v.function->node->span.at, 0};
    if (!s && !env_find(model.object->of->names, STR("__call__")))
        return host_unsupported(in, at,
                                "class Model has no forward(self, ...): that is what the kernel has to "
                                "compute");
    in->form->forward = true;
    if (!call_value(in, model, &(Args){.pos = arg, .n = out->inputs, .at = at}, &result)) return false;
    return take_outputs(in, result, at, out);
}

bool module_evaluate(Arena *a, const ModuleFile *m, const ModuleAsk *ask, ModuleRun *out, DiagList *d) {
    int64_t lanes = (int64_t)MODULE_STEPS * STEP_LANES, room = ask->shapes ? INT64_MAX / 4 : ask->work_max;
    BoundCtx bound = {.arena = a, .elements_left = room, .shapes_only = ask->shapes, .allow_tf32 = ask->tf32};
    ModuleForm *form = NEW(a, ModuleForm);
    *form = (ModuleForm){.training = !ask->eval,
                         .seed = ask->seed,
                         .input_seed = rng_mix(ask->seed, ask->others),
                         .scale = ask->scale > 0 ? ask->scale : 1,
                         .least_set = INT64_MAX};
    if (!ask->shapes) form->given = ask->tensor, form->givens = ask->tensors;
    if (ask->known) form->known = ask->known->tensor, form->knowns = ask->known->tensors;
    Interp in = {.arena = a,
                 .d = d,
                 .module = m->tree,
                 .lanes = &lanes,
                 .heap_left = HEAP_MAX,
                 .bound = &bound,
                 .form = form};
    *out = (ModuleRun){0};
    if (!run_file(&in, m, ask, out)) return false;
    out->op = form->op;
    out->ops = form->ops;
    out->steps = MODULE_STEPS - lanes / STEP_LANES;
    out->least_set = form->least_set;
    out->work = room - bound.elements_left + bound.flops;
    return true;
}

// --- values ---

// Elements of the results that are NaN, or of which nothing is known.
static int64_t lost(const ModuleRun *r) {
    int64_t n = 0;
    for (int k = 0; k < r->outputs; k++) {
        const Bound *b = r->output[k];
        for (int64_t i = 0; i < b->numel; i++) n += b->v[i] != b->v[i] || (b->e && !(b->e[i] < INFINITY));
    }
    return n;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool has_buffers(const ModuleRun *r) {
    for (int i = 0; i < r->tensors; i++)
        if (r->tensor[i].buffer) return true;
    return false;
}

bool module_values(Arena *a, ModuleFile *m, const ValuesAsk *q, ModuleValues *out, DiagList *d) {
    *out = (ModuleValues){0};
    double from = now();
    if (!module_shrink(a, m, &q->sizes, &out->shapes, d)) return false;
    const int64_t largest = (int64_t)1 << 27; // some 2 GiB of values and errors
    int64_t most = out->shapes.small.work;
    if (most > largest)
        return diag_add(
            d, DIAG_BUDGET, (Span){0},
            "too large: the smallest sizes that were found take %lld operations, of at most %lld; "
            "write smaller ones into the file",
            (long long)most, (long long)largest);
    if (q->values) a = q->values;
    ModuleAsk ask = {
        .seed = q->seed, .known = &out->shapes.small, .work_max = 2 * most + 1024, .tf32 = q->tf32};
    ask.draws = q->sizes.helds > 0 || q->known_sound;
    out->published_values = ask.published = ask.draws && q->published;
    if (ask.draws && !has_buffers(&out->shapes.small)) { // of which nobody wants the values
        out->run = out->shapes.small;
        return true;
    }
    if (!module_evaluate(a, m, &ask, &out->run, d)) return false;
    if (ask.draws) return true;
    if (lost(&out->run) > 0) { // a logarithm, or a long product
        ModuleRun as_published;
        ask.published = true;
        if (!module_evaluate(a, m, &ask, &as_published, d)) return false;
        ask.published = lost(&as_published) < lost(&out->run);
        if (ask.published) out->run = as_published, out->published_values = true;
    }
    if (!module_judgeable(a, m, &ask, out, d)) return false;
    out->seconds = now() - from;
    return true;
}
