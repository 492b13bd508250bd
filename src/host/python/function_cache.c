// functools.cache and functools.lru_cache at run time: which arguments and results may be kept. Which
// functions have them is found in the tree (policy/memoised.c).
#include "host/python/interp.h"

static bool annotated(const Node *param, const char *type) {
    return param->param.annotation && node_is_name(param->param.annotation, type);
}

// Equal ones are the same: 0.0 and -0.0 are not, and a tuple may be a torch.Size or not.
static bool is_key(const Node *param, Value v) {
    bool flag = annotated(param, "bool"), real = annotated(param, "float");
    if (v.kind == V_BOOL || flag) return v.kind == V_BOOL && flag;
    if (v.kind == V_FLOAT || real) return v.kind == V_FLOAT && real && v.f == v.f && v.f != 0;
    bool all = v.kind == V_TUPLE && v.seq->flavour == SEQ_PLAIN;
    for (int i = 0; all && i < v.seq->n; i++)
        all = v.seq->at[i].kind == V_INT || v.seq->at[i].kind == V_STR || v.seq->at[i].kind == V_DTYPE;
    return all || v.kind == V_NONE || v.kind == V_INT || v.kind == V_STR || v.kind == V_DTYPE ||
           v.kind == V_DEVICE;
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
        "`%.*s`: a function whose results functools keeps takes whole numbers, tuples of them, bools and "
        "floats that say so (`%.*s: bool`), texts, dtypes and devices here, not %s: kept tensors are no work "
        "done",
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

// Numbers, texts and the like, configs, and collections of them. Each collection is marked: here it is made
// anew in every call, and whoever asks whether two are one would be told otherwise than by Python.
static bool is_kept(Interp *in, Span at, Value v) {
    if (is_plain(v)) return true;
    if (++in->depth > DEPTH_MAX || !host_step(in, at)) return false;
    bool ok = false;
    if (v.kind == V_CONFIG) {
        v.config->memo = true;
        ok = is_kept(in, at, (Value){.kind = V_DICT, .dict = v.config->kwargs});
    } else if (value_is_seq(v)) {
        ok = true;
        v.seq->memo = true;
        for (int i = 0; ok && i < v.seq->n; i++) ok = is_kept(in, at, v.seq->at[i]);
    } else if (v.kind == V_DICT) {
        ok = true;
        v.dict->memo = true;
        for (int i = 0; ok && i < v.dict->n; i++)
            ok = is_kept(in, at, v.dict->key[i]) && is_kept(in, at, v.dict->value[i]);
    } else if (v.kind == V_OBJECT && v.object->of && v.object->of->kind == CLASS_PLAIN) {
        const Env *own = v.object->attribute;
        ok = true;
        v.object->memo = true;
        for (int i = 0; ok && i < own->cap; i++)
            ok = !own->slot[i].name.p || own->slot[i].v.kind == V_UNBOUND || is_kept(in, at, own->slot[i].v);
    }
    in->depth--;
    return ok;
}

// What it gives stays as it is: nobody changes the one that functools keeps.
bool cached_gives(Interp *in, const Node *function, Span at, Value v) {
    if (is_kept(in, at, v)) return value_freeze(in, at, v);
    return host_refuse(in, at,
                       "`%.*s`: functools may keep numbers, texts, dtypes, configs, and tuples, lists, "
                       "dictionaries and objects of them here, not what could hold tensors (it gave %s)",
                       STR_ARG(function->function.name), value_type(v));
}

bool cached_no_work(Interp *in, Span at) {
    if (!in->defined && in->globals) return host_refuse_form(in, at, FORM_MODULE_STATE);
    return !in->memo ||
           host_refuse(in, at,
                       "a function whose results functools keeps allocates and launches nothing: it does "
                       "not run in every call");
}
