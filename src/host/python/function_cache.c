// functools.cache and functools.lru_cache at run time: which arguments and results may be kept. Which
// functions have them is found in the tree (policy/memoised.c).
#include "host/python/interp.h"

static bool is_key(const Node *param, Value v) {
    bool flag = param->param.annotation && node_is_name(param->param.annotation, "bool");
    if (v.kind == V_BOOL || flag) return v.kind == V_BOOL && flag;
    return v.kind == V_NONE || v.kind == V_INT || v.kind == V_STR || v.kind == V_DTYPE || v.kind == V_DEVICE;
}

static bool refuse_key(Interp *in, Span at, const Node *param, Value v) {
    if (v.kind == V_BOOL)
        return host_refuse(
            in, at,
            "`%.*s`: functools takes True and 1 for one key; a parameter that is always a bool says so "
            "(`%.*s: bool`)",
            STR_ARG(param->param.name), STR_ARG(param->param.name));
    return host_refuse(
        in, at,
        "`%.*s`: a function whose results functools keeps takes whole numbers, bools (`%.*s: bool`), "
        "texts, dtypes and devices here, not %s: kept tensors are no work done",
        STR_ARG(param->param.name), STR_ARG(param->param.name), value_type(v));
}

// Positional arguments are those of the first parameters: there is no *args.
static const Node *param_of(const Nodes *params, int place, Str name) {
    for (int i = 0; i < params->n; i++)
        if (name.len ? str_eq(params->at[i]->param.name, name) : i == place) return params->at[i];
    return NULL;
}

bool cached_takes(Interp *in, const Node *function, const Args *args) {
    const Nodes *params = &function->function.params;
    if (!in->defined)
        return host_refuse(
            in, args->at,
            "`%.*s`: while the file is still being read, functools would keep what it finds so far",
            STR_ARG(function->function.name));
    for (int i = 0; i < args->n + args->names; i++) {
        bool place = i < args->n;
        const Node *p = param_of(params, i, place ? (Str){0} : args->name[i - args->n]);
        Value v = place ? args->pos[i] : args->named[i - args->n];
        if (!host_step(in, args->at)) return false;
        if (p && !is_key(p, v)) return refuse_key(in, args->at, p, v); // without one it is a TypeError, later
    }
    return true;
}

static bool is_plain(Value v) {
    return v.kind == V_NONE || v.kind == V_BOOL || v.kind == V_INT || v.kind == V_FLOAT || v.kind == V_STR ||
           v.kind == V_DTYPE || v.kind == V_DEVICE || v.kind == V_PROPERTIES;
}

bool cached_gives(Interp *in, const Node *function, Span at, Value v) {
    bool plain = is_plain(v) || v.kind == V_TUPLE;
    if (v.kind == V_TUPLE && !host_work(in, at, v.seq->n)) return false;
    for (int i = 0; v.kind == V_TUPLE && i < v.seq->n; i++) plain &= is_plain(v.seq->at[i]);
    return plain ||
           host_refuse(in, at,
                       "`%.*s`: functools may keep numbers, texts, dtypes and tuples of them here, not what "
                       "could change or hold tensors (it gave %s)",
                       STR_ARG(function->function.name), value_type(v));
}

bool cached_no_work(Interp *in, Span at) {
    if (!in->defined && in->globals) return host_refuse_form(in, at, FORM_MODULE_STATE);
    return !in->memo ||
           host_refuse(in, at,
                       "a function whose results functools keeps allocates and launches nothing: it does "
                       "not run in every call");
}
