// Scopes of host code, and what a name or a member stands for: a variable, a row of the API, a module, or the
// reason why there is none.
#include "host/policy/screen.h"
#include "host/python/api.h"
#include "host/python/module_form.h"

Env *env_new(Interp *in, Span at, Env *outer, int names) {
    Env *env = HOST_NEW(in, at, Env, 1);
    if (!env) return NULL;
    int cap = 8;
    while (cap < 2 * names) cap *= 2;
    *env = (Env){.outer = outer, .cap = cap};
    env->slot = HOST_NEW(in, at, Slot, cap);
    return env->slot ? env : NULL;
}

static Slot *slot_at(const Env *env, Str name, uint32_t hash) {
    for (uint32_t i = hash;; i++) {
        Slot *s = &env->slot[i & (uint32_t)(env->cap - 1)];
        if (!s->name.p || str_eq(s->name, name)) return s;
    }
}

static Slot *slot_for(const Env *env, Str name) { return slot_at(env, name, (uint32_t)str_hash(name)); }

Slot *env_find(const Env *env, Str name) {
    Slot *s = slot_for(env, name);
    return s->name.p ? s : NULL;
}

bool env_set(Interp *in, Span at, Env *env, Str name, Value v) {
    Slot *s = slot_for(env, name);
    if (s->name.p) return s->v = v, true;
    if (2 * (env->used + 1) > env->cap) {
        Env grown = {.cap = env->cap * 2, .slot = HOST_NEW(in, at, Slot, env->cap * 2)};
        if (!grown.slot || !host_work(in, at, env->cap)) return false;
        for (int i = 0; i < env->cap; i++)
            if (env->slot[i].name.p) *slot_for(&grown, env->slot[i].name) = env->slot[i];
        env->slot = grown.slot;
        env->cap = grown.cap;
        s = slot_for(env, name);
    }
    env->used++;
    *s = (Slot){name, v};
    return true;
}

static bool api_value(Interp *in, Span at, const Api *row, Str name, Value self, Value *out) {
    if (row->kind == API_CONSTANT) return api_constant(in, row, name, at, out);
    if (row->kind == API_ATTRIBUTE) return api_call(in, row, name, self, &(Args){.at = at}, out);
    Member *m = HOST_NEW(in, at, Member, 1);
    if (!m) return false;
    *m = (Member){row, name, self};
    *out = (Value){.kind = V_API, .member = m};
    return true;
}

// Why there is no such name. What kernel files may do is nothing to say of a reference in module form.
static const char *reason_of(Interp *in, Str name, bool method, DiagKind *kind) {
    const char *why = api_reason(in->arena, name, method, in->candidate, kind);
    if (!in->form) return why;
    const char *near = strstr(why, "; did you mean");
    return arena_printf(in->arena, "it is not read in module form, see doc/modules.md%s", near ? near : "");
}

// What calls change is read in calls alone, and not where the result would be kept for later ones.
bool kept_in_reach(Interp *in, Span at) {
    return (in->calling && !in->memo && !in->pruning) || host_refuse_form(in, at, FORM_STATE_ELSEWHERE);
}

// Of a file of --include: something that it defines, which calls do not know.
static bool is_included_value(const Interp *in, const Node *by, const Node *alias) {
    enum { HOPS_MAX = 16 };
    const Node *home = in->module;
    bool any = false;
    for (int hop = 0; by && by->kind == NODE_IMPORT && hop < HOPS_MAX; hop++) {
        LibraryFile *file = library_of(home, by);
        home = file ? library_module(in->module->module.library, file) : NULL;
        by = home ? module_binding(home, alias->alias.name, &alias) : NULL;
        any = by && by->kind != NODE_IMPORT;
    }
    return any;
}

bool env_read(Interp *in, Span at, Env *env, Str name, Value *out) {
    bool here = true;
    uint32_t hash = (uint32_t)str_hash(name);
    for (Env *e = env; e; e = e->outer) {
        Slot *s = slot_at(e, name, hash);
        if (!s->name.p) s = NULL;
        if (s && s->v.kind != V_UNBOUND) return *out = s->v, !value_is_kept(s->v) || kept_in_reach(in, at);
        if (s && here)
            return host_raise(in, at,
                              "UnboundLocalError: cannot access local variable '%.*s' where it is not "
                              "associated with a value",
                              STR_ARG(name));
        if (s && !e->module)
            return host_raise(in, at,
                              "NameError: cannot access free variable '%.*s' where it is not associated with "
                              "a value in enclosing scope",
                              STR_ARG(name));
        if (!e->comprehension) here = false;
    }
    const Api *row = in->form ? api_of_module(name) : NULL;
    if (!row) row = api_named(name, in->candidate);
    if (row) return api_value(in, at, row, name, (Value){0}, out);
    if (in->form && form_is_module(name)) return *out = (Value){.kind = V_MODULE, .s = name}, true;
    if (api_is_module(name, in->candidate)) return *out = (Value){.kind = V_MODULE, .s = name}, true;
    const Node *alias, *by = in->candidate ? module_binding(in->module, name, &alias) : NULL;
    if (by && by->kind == NODE_IMPORT && import_of_package(by, alias))
        return host_unsupported(in, at, "%s", package_reason(in->arena, by, alias));
    if (by && is_included_value(in, by, alias))
        return host_unsupported(
            in, at,
            "`%.*s` of a file of --include is no number, text or kernel here, nor a function "
            "or class: write it into this file",
            STR_ARG(name));
    if (!api_known_refused(name, false, in->candidate))
        return host_raise(in, at, "NameError: name '%.*s' is not defined", STR_ARG(name));
    DiagKind kind;
    const char *why = reason_of(in, name, false, &kind);
    host_report(in, kind, at, "`%.*s` is not available here: %s", STR_ARG(name), why);
    return false;
}

static bool module_member(Interp *in, Span at, Str path, Str name, Value *out) {
    char *p = HOST_NEW(in, at, char, (int64_t)(path.len + name.len + 1));
    if (!p) return false;
    memcpy(p, path.p, path.len);
    p[path.len] = '.';
    memcpy(p + path.len + 1, name.p, name.len);
    Str full = api_canonical(in->arena, (Str){p, path.len + name.len + 1});
    const Api *row = in->form ? api_of_module(full) : NULL;
    if (!row && in->form && !form_is_inside(at) && form_find(in->form, full, out)) return true;
    if (!row) row = api_named(full, in->candidate);
    if (row) return api_value(in, at, row, full, (Value){0}, out);
    if (in->candidate && library_may(in, full)) return library_function(in, at, full, out);
    if (in->form && (form_find(in->form, full, out) || form_is_module(full)))
        return form_find(in->form, full, out) || (*out = (Value){.kind = V_MODULE, .s = full}, true);
    if (api_is_module(full, in->candidate)) return *out = (Value){.kind = V_MODULE, .s = full}, true;
    if (str_is(full, "torch.nn") || str_is(full, "triton.language")) // on the way to an aliased module
        return *out = (Value){.kind = V_MODULE, .s = full}, true;
    DiagKind kind;
    const char *why = reason_of(in, full, false, &kind);
    host_report(in, kind, at, "`%.*s` is not available here: %s", STR_ARG(full), why);
    return false;
}

static const struct {
    const char *type, *names;
} methods[] = {
#define METHODS(type, names) {type, names},
#include "host/policy/python_methods.def"
#undef METHODS
};

// Whether Python has such a member of a value of that type.
static bool python_has(const char *type, Str name) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].type, type) != 0) continue;
        for (const char *p = methods[i].names; *p;) {
            size_t n = strcspn(p, " ");
            if (n == name.len && memcmp(p, name.p, n) == 0) return true;
            p += n + (p[n] == ' ');
        }
    }
    return false;
}

bool get_member(Interp *in, Span at, Value v, Str name, Value *out) {
    if (str_starts(name, "__"))
        return host_refuse(in, at, "`.%.*s`: host code does not reach into Python's own attributes",
                           STR_ARG(name));
    const Api *row = in->form && v.kind == V_BOUND ? api_member_of_module(name, "input") : NULL;
    if (!row && in->form && v.kind == V_BOUND && !form_is_inside(at) && form_method(in, at, v, name, out))
        return true;
    if (!row) row = api_member(name, v, in->candidate);
    if (!row && in->form && v.kind == V_BOUND && form_method(in, at, v, name, out)) return true;
    if (!row && in->candidate && library_may_call(in, v, name)) return library_method(in, at, v, name, out);
    bool named = v.kind == V_TUPLE && v.seq->flavour == SEQ_NAMED;
    if (v.kind == V_CLASS || v.kind == V_OBJECT || (named && !row)) return class_member(in, at, v, name, out);
    if (v.kind == V_MODULE) return module_member(in, at, v.s, name, out);
    if (v.kind == V_LIMITS) return limits_member(in, at, v, name, out);
    if (row) return api_value(in, at, row, name, v, out);
    // A class of the API and what stands behind its dot: TensorDescriptor.from_tensor.
    if (v.kind == V_API && v.member->self.kind == V_UNBOUND && api_is_module(v.member->name, in->candidate))
        return module_member(in, at, v.member->name, name, out);
    if ((v.kind == V_INT || v.kind == V_STR) && (str_is(name, "value") || str_is(name, "name")))
        return host_unsupported(in, at,
                                "`.%.*s` of a number or a text, one of the members of an IntEnum or a "
                                "StrEnum: those are plain values here",
                                STR_ARG(name));
    bool of_str = v.kind == V_API && v.member->self.kind == V_UNBOUND && str_is(v.member->name, "str");
    if (python_has(of_str ? "str" : value_type(v), name)) // str.split(text, ...)
        return host_unsupported(in, at,
                                "`.%.*s` of a value of type '%s': it is not part of the host vocabulary",
                                STR_ARG(name), of_str ? "type" : value_type(v));
    if (!value_is_tensor(v) && v.kind != V_KERNEL && v.kind != V_LAUNCHER && v.kind != V_COMPILED)
        return host_raise(in, at, "AttributeError: '%s' object has no attribute '%.*s'", value_type(v),
                          STR_ARG(name));
    DiagKind kind;
    const char *why = reason_of(in, name, true, &kind);
    host_report(in, kind, at, "`.%.*s` is not available on a %s here: %s", STR_ARG(name), value_type(v), why);
    return false;
}
