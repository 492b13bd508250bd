// A launch's arguments by Python's rules, as Triton's generated dynamic_func() binds them.
#include "tile/check/checker.h"
#include <inttypes.h>

// Options of the CUDA backend that change resources and scheduling, never results.
static const char *const options[] = {"num_warps",
                                      "num_stages",
                                      "num_ctas",
                                      "maxnreg",
                                      "debug",
                                      "warmup",
                                      "enable_fp_fusion",
                                      "launch_cooperative_grid",
                                      "launch_pdl",
                                      "instrumentation_mode"};
bool launch_option(Str name) {
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (str_is(name, options[i])) return true;
    return false;
}

// ---- decorators ----

// "triton.jit", "jit": the last part decides, called or not.
static Str decorator_name(const Node *d) {
    if (d->kind == NODE_CALL) d = d->call.func;
    if (d->kind == NODE_NAME) return d->name;
    return d->kind == NODE_ATTRIBUTE ? d->attribute.name : (Str){0};
}

bool is_jit_function(const Node *function) {
    for (int i = 0; i < function->function.decorators.n; i++)
        if (str_is(decorator_name(function->function.decorators.at[i]), "jit")) return true;
    return false;
}

static void warn_of_decorators(const Node *kernel, DiagList *d) {
    for (int i = 0; i < kernel->function.decorators.n; i++) {
        const Node *dec = kernel->function.decorators.at[i];
        Str name = decorator_name(dec);
        if (str_is(name, "jit")) continue;
        if (str_is(name, "autotune") || str_is(name, "heuristics"))
            continue; // the host's work, before binding
        if (d->count == 0)
            diag_record(d, DIAG_WARNING, dec->span, "the decorator @%.*s is ignored", STR_ARG(name));
    }
}

// ---- options ----

// A cluster of blocks: 16 of them are the most that Hopper takes.
static bool cluster_value(const LaunchArg *arg, Binding *out, DiagList *d) {
    int64_t n = arg->kind == ARG_PLAIN && arg->value.kind == PY_INT ? arg->value.i : 0;
    out->num_ctas = (int)n;
    if (n >= 1 && n <= 16 && !(n & (n - 1))) return true;
    return diag_add(d, DIAG_COMPILE, arg->span, "num_ctas must be a power of 2, at most 16");
}

// What else Triton would make of one that is no number from 1 on is not known here: nothing is fetched ahead.
static bool stages_value(const LaunchArg *arg, Binding *out) {
    bool known =
        arg->kind == ARG_PLAIN && arg->value.kind == PY_INT && arg->value.i >= 1 && arg->value.i < 1024;
    out->num_stages = known ? (int)arg->value.i : 1;
    return true;
}

static bool option_value(const LaunchArg *arg, Binding *out, DiagList *d) {
    if (str_is(arg->name, "num_ctas")) return cluster_value(arg, out, d);
    if (str_is(arg->name, "num_stages")) return stages_value(arg, out);
    if (str_is(arg->name, "launch_cooperative_grid"))
        out->cooperative = arg->kind == ARG_PLAIN && py_truth(arg->value);
    if (str_is(arg->name, "enable_fp_fusion"))
        out->uncontracted = arg->kind == ARG_PLAIN && !py_truth(arg->value);
    if (!str_is(arg->name, "num_warps")) return true;
    if (arg->kind != ARG_PLAIN || arg->value.kind != PY_INT || arg->value.i < 1 ||
        (arg->value.i & (arg->value.i - 1)))
        return diag_add(d, DIAG_COMPILE, arg->span, "AssertionError('num_warps must be a power of 2')");
    if (arg->value.i > 32)
        return diag_add(d, DIAG_COMPILE, arg->span,
                        "num_warps = %" PRId64 ": a block has at most 1024 threads", arg->value.i);
    out->num_warps = (int)arg->value.i;
    return true;
}

// ---- binding ----

// A default is evaluated as Python would at the definition, constants and types only.
static bool default_value(Arena *a, const Node *module, const Node *param, LaunchArg *out, DiagList *d) {
    Frame top = {.module = module};
    Checker c = {.arena = a, .diags = d, .frame = &top, .globals_allowed = true};
    Val v;
    if (!check_expr(&c, param->param.def, &v)) return false;
    out->span = param->span;
    if (v.kind == VAL_PY) {
        out->kind = ARG_PLAIN;
        out->value = v.py;
    } else if (v.kind == VAL_TYPE && !v.type.pointer && v.type.rank == 0) {
        out->kind = ARG_DTYPE;
        out->dtype = v.type.elem;
    } else {
        return diag_add(d, DIAG_UNSUPPORTED, param->span, "a default that is neither a constant nor a type");
    }
    return true;
}

// What the function that Triton generates for a kernel's launches is handed, or calls its own, beside the
// parameters.
static bool launch_takes(Str name) {
    static const char *const names[] = {"options", "params", "specialize_impl",
                                        "backend", "debug",  "instrumentation_mode"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_is(name, names[i])) return true;
    return false;
}

bool launch_bind(Arena *a, const LaunchCall *l, Binding *out, DiagList *d) {
    const Node *module = l->module, *kernel = l->kernel;
    const LaunchArg *arg = l->arg;
    int args = l->args;
    Span span = l->span;
    Nodes params = kernel->function.params;
    *out = (Binding){.kernel = kernel, .module = module, .num_warps = 4, .num_stages = 3, .num_ctas = 1};
    warn_of_decorators(kernel, d);
    Str *pname = NEWN(a, Str, (size_t)params.n + 1), *given = NEWN(a, Str, (size_t)args + 1);
    bool *has_default = NEWN(a, bool, (size_t)params.n + 1);
    const LaunchArg **kept = NEWN(a, const LaunchArg *, (size_t)args + 1);
    out->option = NEWN(a, const LaunchArg *, (size_t)args + 1);
    int *slot = NEWN(a, int, (size_t)params.n + 1), n = 0;
    for (int i = 0; i < params.n; i++) {
        const Node *p = params.at[i];
        if (p->param.kind == PARAM_STAR || p->param.kind == PARAM_DOUBLESTAR)
            return diag_add(d, DIAG_UNSUPPORTED, p->span, "*args and **kwargs of kernels and helpers");
        if (launch_takes(p->param.name))
            return diag_add(
                d, DIAG_COMPILE, p->span,
                "TypeError: dynamic_func(), which Triton writes for a launch, uses the name '%.*s': "
                "call the parameter otherwise",
                STR_ARG(p->param.name));
        pname[i] = p->param.name;
        has_default[i] = p->param.def != NULL;
    }
    // Keywords that are no parameter are options, or unknown.
    for (int i = 0; i < args; i++) {
        int p = 0;
        while (p < params.n && !str_eq(pname[p], arg[i].name)) p++;
        if (!arg[i].name.len || p < params.n) {
            given[n] = arg[i].name;
            kept[n++] = &arg[i];
        } else if (!launch_option(arg[i].name)) {
            return diag_add(d, DIAG_COMPILE, arg[i].span,
                            "KeyError('Keyword argument %.*s was specified but unrecognised')",
                            STR_ARG(arg[i].name));
        } else if (!option_value(&arg[i], out, d)) {
            return false;
        } else {
            out->option[out->options++] = &arg[i];
        }
    }
    Signature s = {STR("dynamic_func"), pname, has_default, params.n, false, 0};
    const char *why = signature_bind(a, &s, given, n, &(Slots){.slot = slot});
    if (why) return diag_add(d, DIAG_COMPILE, span, "TypeError: %s", why);
    out->args = params.n;
    out->arg = NEWN(a, LaunchArg, (size_t)params.n + 1);
    for (int i = 0; i < params.n; i++) {
        if (slot[i] >= 0)
            out->arg[i] = *kept[slot[i]];
        else if (!default_value(a, module, params.at[i], &out->arg[i], d))
            return false;
        out->arg[i].name = pname[i];
    }
    return true;
}
