// triton.autotune and triton.heuristics: decorators that complete a launch's arguments. Which config an
// autotuned kernel runs with is the machine's choice (Machine.autotune), so that a referee can have every
// config judged; nothing is measured. `key` decides whose configs a call may run with: Triton prunes and
// tunes in the first call with a key, and all later calls with this key run what was best then.
#include "base/numeric/rng.h"
#include "host/python/api.h"

static const char *const option_name[CONFIG_OPTIONS] = {"num_warps", "num_stages", "num_ctas", "maxnreg"};

// --- what the names of the API make ---

bool api_config(Call *c, Value *out) {
    if (c->arg[0].kind != V_DICT)
        return host_raise(c->in, c->at, "TypeError: triton.Config wants a dictionary of constants, not %s",
                          value_type(c->arg[0]));
    if (c->arg[5].kind != V_NONE || c->arg[6].kind != V_NONE)
        return host_unsupported(c->in, c->at,
                                "pre_hook and ir_override of triton.Config are not run by this version");
    Config *config = HOST_NEW(c->in, c->at, Config, 1);
    if (!config) return false;
    config->kwargs = c->arg[0].dict;
    for (int i = 0; i < config->kwargs->n; i++)
        if (config->kwargs->key[i].kind != V_STR)
            return host_raise(c->in, c->at, "TypeError: keywords must be strings");
    for (int i = 0; i < CONFIG_OPTIONS; i++) config->option[i] = c->arg[1 + i];
    *out = (Value){.kind = V_CONFIG, .config = config};
    return value_freeze(c->in, c->at, c->arg[0]);
}
bool api_config_kwargs(Call *c, Value *out) {
    return *out = (Value){.kind = V_DICT, .dict = c->arg[0].config->kwargs}, true;
}
bool api_config_option(Call *c, Value *out) {
    for (int i = 0; i < CONFIG_OPTIONS; i++)
        if (str_is(c->name, option_name[i])) *out = c->arg[0].config->option[i];
    return true;
}

// A list of argument names, or NULL where there is none.
static bool names_of(Call *c, const char *what, Value v, Seq **out) {
    *out = NULL;
    if (v.kind == V_NONE) return true;
    bool ok = value_is_seq(v);
    for (int i = 0; ok && i < v.seq->n; i++) ok = v.seq->at[i].kind == V_STR;
    if (!ok) return host_raise(c->in, c->at, "TypeError: %s is a list of argument names", what);
    *out = v.seq->n ? v.seq : NULL;
    return true;
}

// prune_configs_by: a dictionary with early_config_prune. Of those that are left perf_model would choose
// `top_k`; here each of them may be the one.
static bool pruner(Call *c, Value by, Tuner *t) {
    t->prune = t->model = NONE_VALUE;
    t->top = (Value){.kind = V_FLOAT, .f = 0.2};
    if (by.kind == V_NONE) return true;
    if (by.kind != V_DICT)
        return host_raise(c->in, c->at, "TypeError: prune_configs_by wants a dictionary, not %s",
                          value_type(by));
    for (int i = 0; i < by.dict->n; i++) {
        Str key = by.dict->key[i].kind == V_STR ? by.dict->key[i].s : (Str){0};
        Value *to = str_is(key, "early_config_prune") ? &t->prune
                    : str_is(key, "perf_model")       ? &t->model
                    : str_is(key, "top_k")            ? &t->top
                                                      : NULL;
        if (!to)
            return host_unsupported(
                c->in, c->at, "prune_configs_by has early_config_prune, perf_model and top_k, nothing else");
        *to = by.dict->value[i];
    }
    if (t->top.kind != V_INT && t->top.kind != V_FLOAT)
        return host_raise(c->in, c->at, "TypeError: top_k of prune_configs_by is a number, not %s",
                          value_type(t->top));
    return true;
}

bool api_autotune(Call *c, Value *out) {
    static const char *const hooks[] = {NULL, NULL, NULL, "pre_hook", "post_hook",
                                        NULL, NULL, NULL, "do_bench"};
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (hooks[i] && c->arg[2 + i].kind != V_NONE)
            return host_unsupported(c->in, c->at, "%s of triton.autotune is not run by this version",
                                    hooks[i]);
    Tuner *t = HOST_NEW(c->in, c->at, Tuner, 1);
    if (!t) return false;
    if (!value_is_seq(c->arg[0]) || !value_is_seq(c->arg[1]))
        return host_raise(c->in, c->at, "TypeError: triton.autotune wants lists for configs and key");
    *t = (Tuner){.configs = c->arg[0].seq, .key = c->arg[1].seq};
    if (!names_of(c, "reset_to_zero", c->arg[3], &t->zeroed) ||
        !names_of(c, "restore_value", c->arg[4], &t->restored))
        return false;
    for (int i = 0; i < t->configs->n; i++)
        if (t->configs->at[i].kind != V_CONFIG)
            return host_raise(c->in, c->at,
                              "TypeError: a config of triton.autotune is a triton.Config, not %s",
                              value_type(t->configs->at[i]));
    for (int i = 0; i < c->arg[1].seq->n; i++)
        if (c->arg[1].seq->at[i].kind != V_STR)
            return host_raise(c->in, c->at,
                              "TypeError: the key of triton.autotune is a list of argument names");
    if (!pruner(c, c->arg[2], t)) return false;
    return *out = (Value){.kind = V_TUNER, .tuner = t}, true;
}

bool api_heuristics(Call *c, Value *out) {
    Tuner *t = HOST_NEW(c->in, c->at, Tuner, 1);
    if (!t) return false;
    if (c->arg[0].kind != V_DICT)
        return host_raise(c->in, c->at,
                          "TypeError: triton.heuristics wants a dictionary of functions, not %s",
                          value_type(c->arg[0]));
    *t = (Tuner){.heuristics = true, .values = c->arg[0].dict};
    for (int i = 0; i < t->values->n; i++)
        if (t->values->key[i].kind != V_STR)
            return host_raise(c->in, c->at, "TypeError: keywords must be strings");
    return *out = (Value){.kind = V_TUNER, .tuner = t}, true;
}

// --- the kernel ---

bool kernel_new(Interp *in, Env *env, const Node *function, Value *out) {
    Nodes list = function->function.decorators;
    Kernel *k = HOST_NEW(in, function->span, Kernel, 1);
    if (!k) return false;
    *k = (Kernel){.node = function, .tuner = HOST_NEW(in, function->span, const Tuner *, list.n + 1)};
    if (!k->tuner) return false;
    for (int i = 0; i + 1 < list.n; i++) { // the last one is jit: decorators_allowed()
        Value v;
        if (!eval(in, env, list.at[i], &v)) return false;
        if (v.kind != V_TUNER)
            return host_raise(in, list.at[i]->span, "TypeError: a %s is no decorator of kernels",
                              value_type(v));
        k->tuner[k->tuners++] = v.tuner;
    }
    return *out = (Value){.kind = V_KERNEL, .kernel = k}, true;
}

// --- a launch ---

typedef struct {
    Interp *in;
    const Kernel *kernel;
    Value grid;
    Args *args;
    int cap;
    int skip;
    Choice *how;
} Tuning;

static Value *named_find(const Args *args, Str name) {
    for (int i = 0; i < args->names; i++)
        if (str_eq(args->name[i], name)) return &args->named[i];
    return NULL;
}

static bool named_add(Tuning *t, Str name, Value v) {
    Args *a = t->args;
    if (!host_work(t->in, a->at, 1 + a->names / 16)) return false;
    if (a->names == t->cap) {
        int cap = 2 * t->cap + 8;
        Str *names = HOST_NEW(t->in, a->at, Str, cap);
        Value *named = names ? HOST_NEW(t->in, a->at, Value, cap) : NULL;
        if (!named) return false;
        if (a->names) memcpy(names, a->name, (size_t)a->names * sizeof *names);
        if (a->names) memcpy(named, a->named, (size_t)a->names * sizeof *named);
        a->name = names;
        a->named = named;
        t->cap = cap;
    }
    a->name[a->names] = name;
    a->named[a->names++] = v;
    return true;
}

static bool heuristics(Tuning *t, const Dict *values) {
    Interp *in = t->in;
    Args *a = t->args;
    Nodes params = t->kernel->node->function.params;
    Value meta, v;
    if (!dict_new(in, a->at, &meta)) return false;
    for (int i = 0; i < a->n && i < params.n; i++)
        if (!dict_put(in, a->at, meta.dict, value_str(params.at[i]->param.name), a->pos[i])) return false;
    for (int i = 0; i < a->names; i++)
        if (!dict_put(in, a->at, meta.dict, value_str(a->name[i]), a->named[i])) return false;
    Args call = {.pos = &meta, .n = 1, .at = a->at};
    for (int i = 0; i < values->n; i++) {
        Value *was = named_find(a, values->key[i].s);
        meta.dict->frozen = true; // each function gets a dictionary of its own from Triton
        if (!call_value(in, values->value[i], &call, &v)) return false;
        meta.dict->frozen = false;
        if (was)
            *was = v;
        else if (!named_add(t, values->key[i].s, v))
            return false;
        if (!dict_put(in, a->at, meta.dict, values->key[i], v)) return false;
    }
    return true;
}

// Triton looks for conflicts only when there is something to choose; with one config Python notices.
static bool no_conflicts(Tuning *t, const Config *config, bool choice) {
    Buf names = BUF(t->in->arena);
    for (int i = 0; i < config->kwargs->n; i++) {
        Str name = config->kwargs->key[i].s;
        if (!named_find(t->args, name)) continue;
        buf_puts(&names, names.len ? ", " : "");
        buf_str_put(&names, (Str){name.p, name.len < 60 ? name.len : 60});
    }
    if (names.len && choice)
        return host_raise(
            t->in, t->args->at,
            "ValueError: Conflicting meta-parameters: %s. Make sure that you don't re-define auto-tuned "
            "symbols.",
            buf_cstr(&names));
    for (int i = 0; i < CONFIG_OPTIONS; i++)
        if (config->option[i].kind != V_NONE && named_find(t->args, str_of(option_name[i])) && !names.len)
            buf_puts(&names, option_name[i]);
    return !names.len ||
           host_raise(t->in, t->args->at, "TypeError: run() got multiple values for keyword argument '%s'",
                      buf_cstr(&names));
}

// The arguments as early_config_prune gets them: the configs, the positional ones by name, and every keyword.
static bool prune_arguments(Tuning *t, const Tuner *tuner, Value *list, Args *call) {
    Interp *in = t->in;
    const Args *a = t->args;
    Nodes params = t->kernel->node->function.params;
    Value *pos = HOST_NEW(in, a->at, Value, 2);
    Str *name = pos ? HOST_NEW(in, a->at, Str, a->names + 2) : NULL;
    Value *named = name ? HOST_NEW(in, a->at, Value, a->names + 2) : NULL;
    if (!named || !host_work(in, a->at, tuner->configs->n + a->names) ||
        !seq_new(in, a->at, V_LIST, tuner->configs->n, list) || !dict_new(in, a->at, &pos[1]))
        return false;
    for (int i = 0; i < tuner->configs->n; i++) list->seq->at[i] = tuner->configs->at[i];
    for (int i = 0; i < a->n && i < params.n; i++)
        if (!dict_put(in, a->at, pos[1].dict, value_str(params.at[i]->param.name), a->pos[i])) return false;
    for (int i = 0; i < a->names; i++) {
        name[i] = a->name[i];
        named[i] = a->named[i];
    }
    name[a->names] = STR("grid");
    named[a->names] = t->grid;
    name[a->names + 1] = STR("warmup");
    named[a->names + 1] = value_bool(false);
    pos[0] = *list;
    *call = (Args){.pos = pos, .n = 2, .name = name, .named = named, .names = a->names + 2, .at = a->at};
    return value_freeze(in, a->at, pos[0]) && value_freeze(in, a->at, pos[1]);
}

static bool is_one_of(const Seq *s, Value config) {
    for (int i = 0; i < s->n; i++)
        if (config.kind == V_CONFIG && s->at[i].config == config.config) return true;
    return false;
}

// early_config_prune chooses among the configs. On a GPU it runs once for many calls, so nothing of what it
// does may reach the launch but the choice.
static bool pruned(Tuning *t, const Tuner *tuner, const Seq **kept) {
    Interp *in = t->in;
    Span at = t->args->at;
    Value list, out;
    Args call;
    *kept = tuner->configs;
    if (tuner->prune.kind == V_NONE || tuner->configs->n < 2) return true;
    if (!prune_arguments(t, tuner, &list, &call)) return false;
    in->pruning++;
    bool ok = call_value(in, tuner->prune, &call, &out);
    in->pruning--;
    if (!ok) return false;
    if (!value_is_seq(out))
        return host_raise(in, at, "TypeError: early_config_prune returns a list of configs, not %s",
                          value_type(out));
    if (out.seq->n == 0)
        return host_raise(
            in, at,
            "AutotunerError: No valid autotuner configs after pruning. `early_config_prune` should "
            "return at least one config.");
    if (!host_work(in, at, (int64_t)out.seq->n * tuner->configs->n / 16)) return false;
    for (int i = 0; i < out.seq->n; i++)
        if (!is_one_of(tuner->configs, out.seq->at[i]))
            return host_refuse(in, at,
                               "early_config_prune may only choose among the configs that it was given");
    *kept = out.seq;
    return true;
}

// The arguments of perf_model: those of the launch, and what a config adds, all by name.
static bool model_arguments(Tuning *t, const Config *config, Args *call) {
    Interp *in = t->in;
    const Args *a = t->args;
    Nodes params = t->kernel->node->function.params;
    int most = a->n + a->names + config->kwargs->n + CONFIG_OPTIONS, n = 0;
    Str *name = HOST_NEW(in, a->at, Str, most + 1);
    Value *named = name ? HOST_NEW(in, a->at, Value, most + 1) : NULL;
    if (!named || !host_work(in, a->at, most)) return false;
    for (int i = 0; i < a->n && i < params.n; i++) name[n] = params.at[i]->param.name, named[n++] = a->pos[i];
    for (int i = 0; i < a->names; i++) name[n] = a->name[i], named[n++] = a->named[i];
    for (int i = 0; i < config->kwargs->n; i++)
        name[n] = config->kwargs->key[i].s, named[n++] = config->kwargs->value[i];
    for (int i = 0; i < CONFIG_OPTIONS; i++)
        if (config->option[i].kind != V_NONE)
            name[n] = str_of(option_name[i]), named[n++] = config->option[i];
    *call = (Args){.name = name, .named = named, .names = n, .at = a->at};
    return true;
}

// perf_model is asked where Triton asks it: of more configs than top_k. What it says counts for nothing.
static bool modelled(Tuning *t, const Tuner *tuner, const Seq *kept) {
    Interp *in = t->in;
    double top = tuner->top.kind == V_INT ? (double)tuner->top.i : tuner->top.f;
    if (tuner->top.kind == V_FLOAT && top <= 1) top = (double)(int)((double)tuner->configs->n * top);
    if (tuner->model.kind == V_NONE || (double)kept->n <= top) return true;
    if (top < 1) return host_raise(in, t->args->at, "AutotunerError: top_k leaves no config");
    for (int i = 0; i < kept->n; i++) {
        Args call;
        Value out;
        if (!model_arguments(t, kept->at[i].config, &call)) return false;
        in->pruning++;
        bool ok = call_value(in, tuner->model, &call, &out);
        in->pruning--;
        if (!ok) return false;
        if (out.kind != V_INT && out.kind != V_FLOAT)
            return host_raise(in, t->args->at, "TypeError: perf_model gives a number, not %s",
                              value_type(out));
    }
    return true;
}

enum { TUNED_MAX = 2048, TUNED_CONFIGS = 256, PASSED_MAX = 64 };
typedef uint64_t ConfigSet[TUNED_CONFIGS / 64];
typedef struct TunedKey {
    uint64_t key;     // 0: free
    ConfigSet chosen; // what pruning has left in any call
    ConfigSet fit, unfit;
} TunedKey;
struct Tuned {
    int n;
    TunedKey at[2 * TUNED_MAX];
};
static bool set_has(const uint64_t *set, int i) { return set[i / 64] >> (i % 64) & 1; }
static void set_add(uint64_t *set, int i) { set[i / 64] |= (uint64_t)1 << (i % 64); }
Tuned *tuned_new(Arena *a) { return NEW(a, Tuned); }

static uint64_t value_digest(uint64_t h, Value v) {
    uint64_t bits;
    h = rng_mix(h, (uint64_t)v.kind);
    switch (v.kind) {
    case V_BOOL: return rng_mix(h, v.b);
    case V_INT: return rng_mix(h, (uint64_t)v.i);
    case V_FLOAT: memcpy(&bits, &v.f, sizeof bits); return rng_mix(h, bits);
    case V_STR: return rng_mix(h, str_hash(v.s));
    case V_DTYPE: return rng_mix(h, (uint64_t)v.dtype.t);
    case V_TENSOR: return rng_mix(h, (uint64_t)v.tensor->t.dtype);
    default: return h;
    }
}

// The arguments that `key` names, and the type of every tensor; which kernel, and on which device.
static uint64_t key_digest(const Tuning *t, const Tuner *tuner) {
    const Args *a = t->args;
    Nodes params = t->kernel->node->function.params;
    uint64_t h = rng_mix(t->kernel->node->span.at, (uint64_t)t->in->m->gpu.processors);
    for (int i = 0; i < params.n; i++) {
        Str name = params.at[i]->param.name;
        const Value *v = i < a->n ? &a->pos[i] : named_find(a, name);
        bool named = false;
        for (int k = 0; k < tuner->key->n; k++) named |= str_eq(tuner->key->at[k].s, name);
        if (v && (named || v->kind == V_TENSOR)) h = value_digest(rng_mix(h, (uint64_t)i), *v);
    }
    return h ? h : 1;
}

static int config_place(const Tuner *tuner, const Config *config) {
    int i = 0;
    while (i < tuner->configs->n && tuner->configs->at[i].config != config) i++;
    return i;
}

// NULL where nothing outlives the call, or too much would.
static TunedKey *tuned_under(const Tuning *t, const Tuner *tuner) {
    Tuned *d = t->in->m->autotune.pruned;
    if (!d || tuner->configs->n > TUNED_CONFIGS || d->n == TUNED_MAX) return NULL;
    uint64_t key = key_digest(t, tuner);
    size_t i = key % (2 * TUNED_MAX);
    while (d->at[i].key && d->at[i].key != key) i = (i + 1) % (2 * TUNED_MAX);
    d->n += d->at[i].key == 0;
    d->at[i].key = key;
    return &d->at[i];
}

bool choice_passes_over(const Choice *how, int skip) {
    if (how->under) set_add(how->under->unfit, how->config);
    return skip + 1 < how->choices && skip < PASSED_MAX &&
           !(how->under && set_has(how->under->fit, how->config));
}

bool choice_holds(Interp *in, const Launcher *l, Span at, const Choice *how) {
    if (!how->under) return true;
    set_add(how->under->fit, how->config);
    if (!set_has(how->under->unfit, how->config)) return true;
    return host_raise(
        in, at,
        "autotuning chooses a config for all calls of %.*s with the same key, and number %d of "
        "them compiles in this call, not in another one: the key has to name what they differ in",
        STR_ARG(l->kernel->node->function.name), how->config + 1);
}

// What a call may run with: what its own pruning has left, then what that of other calls with its key has.
static bool with_others(Tuning *t, const Tuner *tuner, TunedKey *under, const Seq *kept, const Seq **out) {
    Interp *in = t->in;
    *out = kept;
    int n = tuner->configs->n;
    if (!in->m->autotune.pruned || n < 2 || tuner->prune.kind == V_NONE) return true;
    if (!under) return host_unsupported(in, t->args->at, "an autotuned kernel with so many configs or keys");
    if (!host_work(in, t->args->at, (int64_t)n * (kept->n + 1))) return false;
    Value list;
    if (!seq_new(in, t->args->at, V_LIST, n, &list)) return false;
    int k = 0;
    ConfigSet own = {0};
    for (int j = 0; j < kept->n; j++) {
        int p = config_place(tuner, kept->at[j].config);
        if (set_has(own, p)) continue;
        set_add(own, p);
        list.seq->at[k++] = kept->at[j];
    }
    for (int p = 0; p < n; p++)
        if (set_has(under->chosen, p) && !set_has(own, p)) list.seq->at[k++] = tuner->configs->at[p];
    for (int w = 0; w < TUNED_CONFIGS / 64; w++) under->chosen[w] |= own[w];
    list.seq->n = k;
    *out = list.seq;
    return true;
}

static bool autotune(Tuning *t, const Tuner *tuner) {
    static Dict nothing;
    static const Config standard = {
        .kwargs = &nothing,
        .option = {
            {.kind = V_INT, .i = 4}, {.kind = V_INT, .i = 3}, {.kind = V_INT, .i = 1}, {.kind = V_NONE}}};
    Machine *m = t->in->m;
    const Seq *kept;
    TunedKey *under = tuner->configs->n > 1 ? tuned_under(t, tuner) : NULL;
    if (!pruned(t, tuner, &kept) || !modelled(t, tuner, kept) || !with_others(t, tuner, under, kept, &kept))
        return false;
    int n = kept->n;
    const Config *config = n ? kept->at[(m->autotune.config % n + t->skip) % n].config : &standard;
    t->how->choices = tuner->configs->n > 1 ? n : 1;
    t->how->config = config_place(tuner, config);
    t->how->under = under;
    if (tuner->configs->n > 1) {
        t->how->restless = true;
        t->how->zeroed = tuner->zeroed;
        t->how->restored = tuner->restored;
    }
    if (n > m->autotune.configs) m->autotune.configs = n;
    if (!no_conflicts(t, config, tuner->configs->n > 1)) return false;
    for (int i = 0; i < config->kwargs->n; i++)
        if (!named_add(t, config->kwargs->key[i].s, config->kwargs->value[i])) return false;
    for (int i = 0; i < CONFIG_OPTIONS; i++)
        if (config->option[i].kind != V_NONE && !named_add(t, str_of(option_name[i]), config->option[i]))
            return false;
    return true;
}

bool kernel_tune(Interp *in, const Launcher *l, const Args *args, int skip, Args *out, Choice *how) {
    const Kernel *k = l->kernel;
    *out = *args;
    *how = (Choice){0};
    if (!k->tuners) return true;
    Tuning t = {in, k, l->grid, out, 0, skip, how};
    out->name = NULL; // the caller's arrays stay as they are
    out->named = NULL;
    out->names = 0;
    for (int i = 0; i < args->names; i++)
        if (!named_add(&t, args->name[i], args->named[i])) return false;
    for (int i = 0; i < k->tuners; i++) {
        const Tuner *tuner = k->tuner[i];
        if (!(tuner->heuristics ? heuristics(&t, tuner->values) : autotune(&t, tuner))) return false;
    }
    return true;
}
