// Classes as kernel files have them: namespaces of functions and constants, objects with attributes, and the
// forward half of autograd functions. No inheritance beyond the empty bases of torch, nothing that outlives
// the call.
#include "host/desugar/desugar.h"
#include "host/policy/library_names.h"
#include "host/python/api.h"
#include "host/python/keyed.h"
#include "host/python/module_form.h"

bool method_new(Interp *in, Span at, Value self, Value function, Str name, Value *out) {
    Method *m = HOST_NEW(in, at, Method, 1);
    if (!m) return false;
    *m = (Method){self, function, name};
    *out = (Value){.kind = V_METHOD, .method = m};
    return true;
}

bool class_is(Value v, const char *kind) {
    return v.kind == V_CLASS && env_find(v.klass->names, str_of(kind)) != NULL;
}

static bool object_new(Interp *in, Span at, const Class *of, Value *out) {
    Object *o = HOST_NEW(in, at, Object, 1);
    if (!o) return false;
    *o = (Object){.of = of, .attribute = env_new(in, at, NULL, 0)};
    *out = (Value){.kind = V_OBJECT, .object = o};
    return o->attribute != NULL;
}

// Which member of an Enum has this value, or -1. Those of an IntEnum are their values.
static bool member_of_value(Interp *in, Span at, const Class *c, Value value, int *out) {
    *out = -1;
    for (int i = 0; i < c->members->n && *out < 0; i++) {
        Value own = c->members->at[i];
        bool same = false;
        if (own.kind == V_OBJECT) own = env_find(own.object->attribute, STR("value"))->v;
        if (!host_work(in, at, 4) || !value_equal(in, at, own, value, &same)) return false;
        if (same) *out = i;
    }
    return true;
}

// Kind("sum"), Kind(Kind.SUM)
static bool enum_call(Interp *in, const Class *c, const Args *args, Value *out) {
    int k;
    if (args->n != 1 || args->names)
        return host_unsupported(in, args->at, "a call of an Enum with other than one value");
    const Value v = args->pos[0];
    if (v.kind == V_OBJECT && v.object->of == c) return *out = v, true;
    if (!member_of_value(in, args->at, c, v, &k)) return false;
    if (k >= 0) return *out = c->members->at[k], true;
    Buf text = BUF(in->arena);
    value_repr(&text, v, 0);
    return host_raise(in, args->at, "ValueError: %s is not a valid %.*s", buf_cstr(&text), STR_ARG(c->name));
}

// Kind["SUM"]
bool enum_subscript(Interp *in, Span at, const Class *c, Value name, Value *out) {
    const Slot *s = name.kind == V_STR && !str_is(name.s, ENUM_CLASS) ? env_find(c->names, name.s) : NULL;
    for (int i = 0; s && i < c->members->n; i++) {
        Value own = c->members->at[i];
        bool same = own.kind == V_OBJECT && s->v.kind == V_OBJECT && own.object == s->v.object;
        if (own.kind != V_OBJECT && !value_equal(in, at, own, s->v, &same)) return false;
        if (same) return *out = own, true;
    }
    Buf text = BUF(in->arena);
    value_repr(&text, name, 0);
    return host_raise(in, at, "KeyError: %s", buf_cstr(&text));
}

// A member of an Enum, of its name and value; a second name of a value is the same member.
static bool enum_member(Interp *in, Span at, const Class *c, Value *v) {
    Value pair = *v;
    int k;
    if (!member_of_value(in, at, c, pair.seq->at[1], &k)) return false;
    if (k >= 0) return *v = c->members->at[k], true;
    return object_new(in, at, c, v) && env_set(in, at, v->object->attribute, STR("name"), pair.seq->at[0]) &&
           env_set(in, at, v->object->attribute, STR("value"), pair.seq->at[1]);
}

// Room for the members of an Enum, which begins with ENUM_CLASS.
static bool members_new(Interp *in, const Node *n, Class *c) {
    const Node *first = n->klass.body.n ? n->klass.body.at[0] : NULL;
    Value list;
    if (!first || first->kind != NODE_ASSIGN || !node_is_name(first->assign.targets.at[0], ENUM_CLASS))
        return true;
    if (!seq_new(in, n->span, V_TUPLE, n->klass.body.n, &list)) return false;
    c->members = list.seq;
    c->members->n = 0;
    return true;
}
static bool note_member(Interp *in, Span at, Class *c, Value v) {
    int k = 0;
    Value value = v;
    if (!c->members) return true;
    if (v.kind == V_OBJECT) value = env_find(v.object->attribute, STR("value"))->v;
    if (!member_of_value(in, at, c, value, &k)) return false;
    if (k < 0) c->members->at[c->members->n++] = v;
    return true;
}

// Lists and dictionaries of a class: those that calls change hold numbers and texts, others stay as they are.
static bool hold(Interp *in, Span at, bool kept, Value v) {
    bool list = v.kind == V_LIST, dict = v.kind == V_DICT || v.kind == V_SET;
    if (!kept || (!list && !dict)) return !list && !dict ? true : value_freeze(in, at, v);
    return *(list ? &v.seq->kept : &v.dict->kept) = true;
}

bool class_new(Interp *in, Env *env, const Node *n, Value *out) {
    Class *c = HOST_NEW(in, n->span, Class, 1);
    if (!c) return false;
    *c = (Class){n->klass.name, class_kind(n), env_new(in, n->span, env, n->klass.body.n), NULL};
    if (!c->names) return false;
    if (c->kind == CLASS_NONE) return host_refuse_form(in, n->span, node_form(NODE_CLASS));
    if (!members_new(in, n, c)) return false;
    for (int i = 0; i < n->klass.body.n; i++) {
        const Node *s = n->klass.body.at[i];
        Value v;
        MethodKind kind;
        if (!host_step(in, s->span)) return false;
        if (s->kind == NODE_ANNASSIGN) {
            if (!s->annassign.value) continue;
            if (!is_class_value(s)) return host_refuse_form(in, s->span, node_form(NODE_CLASS));
            if (!eval(in, c->names, s->annassign.value, &v) ||
                (in->candidate && !hold(in, s->span, s->annassign.kept, v)) ||
                !env_set(in, s->span, c->names, s->annassign.target->name, v))
                return false;
            continue;
        }
        if (s->kind == NODE_ASSIGN) {
            if (!eval(in, c->names, s->assign.value, &v)) return false;
            if (in->candidate && !hold(in, s->span, s->assign.kept, v)) return false;
            bool member = v.kind == V_TUPLE && class_is((Value){.kind = V_CLASS, .klass = c}, ENUM_CLASS);
            if (member && v.seq->at[1].kind == V_NONE) continue; // `name` and `value`, see enums.c
            if (member && !enum_member(in, s->span, c, &v)) return false;
            if (i > 0 && !note_member(in, s->span, c, v)) return false;
            for (int k = 0; k < s->assign.targets.n; k++) {
                const Node *t = s->assign.targets.at[k];
                if (t->kind != NODE_NAME) return host_refuse_form(in, t->span, node_form(NODE_CLASS));
                if (!env_set(in, t->span, c->names, t->name, v)) return false;
            }
            continue;
        }
        if (s->kind == NODE_EXPRSTMT || s->kind == NODE_PASS) continue;
        if (s->kind != NODE_FUNCTION || !is_method(s, &kind))
            return host_refuse_form(in, s->span, node_form(NODE_CLASS));
        // Its defaults see what the class has bound so far, its body does not. A static one stands as a
        // method without a receiver, one of the class as a method of that; a property is told by its name.
        if (!function_new(in, c->names, s, &v)) return false;
        v.function->env = env;
        Value self = {0};
        if (kind == METHOD_OF_CLASS) self = (Value){.kind = V_CLASS, .klass = c};
        Str name = kind == METHOD_PROPERTY ? STR("property") : (Str){0};
        if ((kind != METHOD_PLAIN && !method_new(in, s->span, self, v, name, &v)) ||
            !env_set(in, s->span, c->names, s->function.name, v))
            return false;
    }
    *out = (Value){.kind = V_CLASS, .klass = c};
    return true;
}

static bool lacks(Interp *in, Span at, const Class *c, Str name) {
    if (in->form && c && str_starts(c->name, "nn_"))
        return host_unsupported(in, at, "`.%.*s` of nn.%.*s is not read in module form, see doc/modules.md",
                                STR_ARG(name), (int)c->name.len - 3, c->name.p + 3);
    return host_raise(in, at, "AttributeError: '%.*s' object has no attribute '%.*s'",
                      c ? (int)c->name.len : 3, c ? c->name.p : "ctx", STR_ARG(name));
}

static bool is_property(Value v) { return v.kind == V_METHOD && str_is(v.method->name, "property"); }

static bool call_with(Interp *in, Value function, Value self, const Args *args, Value *out) {
    Args whole = *args;
    whole.pos = HOST_NEW(in, args->at, Value, args->n + 1);
    if (!whole.pos) return false;
    whole.pos[0] = self;
    if (args->n) memcpy(whole.pos + 1, args->pos, (size_t)args->n * sizeof *args->pos);
    whole.n++;
    return call_value(in, function, &whole, out);
}

// Of a NamedTuple: its fields are the parameters of what makes it.
static int field_of(const Class *c, Str name) {
    const Nodes *params = &env_find(c->names, STR("__init__"))->v.function->node->function.params;
    int i = 1;
    while (i < params->n && !str_eq(params->at[i]->param.name, name)) i++;
    return i < params->n ? i - 1 : -1;
}
static bool named_tuple(Interp *in, Span at, Value *v) {
    const Object *o = v->object;
    const Nodes *params = &env_find(o->of->names, STR("__init__"))->v.function->node->function.params;
    if (!seq_new(in, at, V_TUPLE, params->n - 1, v)) return false;
    v->seq->flavour = SEQ_NAMED;
    v->seq->of = o->of;
    for (int i = 1; i < params->n; i++)
        v->seq->at[i - 1] = env_find(o->attribute, params->at[i]->param.name)->v;
    return true;
}

// p._replace(block=256): another one of the same class.
bool api_named_replace(Call *c, Value *out) {
    const Seq *from = c->arg[0].seq;
    const Dict *items = c->arg[1].dict;
    if (!seq_new(c->in, c->at, V_TUPLE, from->n, out)) return false;
    out->seq->flavour = SEQ_NAMED;
    out->seq->of = from->of;
    memcpy(out->seq->at, from->at, sizeof *from->at * (size_t)from->n);
    for (int i = 0; i < items->n; i++) {
        int field = field_of(from->of, items->key[i].s);
        if (field < 0 || field >= from->n)
            return host_raise(c->in, c->at, "ValueError: Got unexpected field names: ['%.*s']",
                              STR_ARG(items->key[i].s));
        out->seq->at[field] = items->value[i];
    }
    return true;
}

bool api_named_dict(Call *c, Value *out) {
    const Seq *from = c->arg[0].seq;
    const Nodes *params = &env_find(from->of->names, STR("__init__"))->v.function->node->function.params;
    if (!dict_new(c->in, c->at, out)) return false;
    for (int i = 0; i < from->n; i++)
        if (!dict_put(c->in, c->at, out->dict, value_str(params->at[i + 1]->param.name), from->at[i]))
            return false;
    return true;
}

// What forward() says about the way back, which never runs here.
static bool is_method_of_ctx(Str name) {
    return str_is(name, "save_for_backward") || str_is(name, "mark_non_differentiable") ||
           str_is(name, "mark_dirty") || str_is(name, "set_materialize_grads");
}

bool class_member(Interp *in, Span at, Value v, Str name, Value *out) {
    const Class *c = v.kind == V_CLASS ? v.klass : v.kind == V_TUPLE ? v.seq->of : v.object->of;
    int field = v.kind == V_TUPLE ? field_of(c, name) : -1;
    if (field >= 0 && field < v.seq->n) return *out = v.seq->at[field], true;
    const Slot *s = v.kind == V_OBJECT ? env_find(v.object->attribute, name) : NULL;
    if (s && s->v.kind != V_UNBOUND) return *out = s->v, true; // unbound: deleted
    if (!c) {
        if (!is_method_of_ctx(name)) return lacks(in, at, c, name);
        return method_new(in, at, v, (Value){0}, name, out);
    }
    if (c->kind == CLASS_AUTOGRAD && v.kind == V_CLASS && str_is(name, "apply"))
        return method_new(in, at, v, (Value){0}, name, out);
    s = env_find(c->names, name);
    if (!s && in->form && c->kind == CLASS_MODULE) {
        if (str_is(name, "training")) return *out = value_bool(in->form->training), true;
        s = form_base_method(in->form, name);
    }
    if (!s) return lacks(in, at, c, name);
    if (is_property(s->v)) {
        if (v.kind == V_CLASS)
            return host_unsupported(in, at, "a property is asked of an object, not of its class");
        return call_with(in, s->v.method->function, v, &(Args){.at = at}, out);
    }
    if (v.kind != V_CLASS && s->v.kind == V_FUNCTION) return method_new(in, at, v, s->v, name, out);
    *out = s->v;
    return !value_is_kept(s->v) || kept_in_reach(in, at);
}

// hasattr(object, name). What torch gives an object beside what the file does is not known here.
bool api_has(Call *c, Value *out) {
    const Value v = c->arg[0];
    Str name = c->arg[1].s;
    const Class *of = v.kind == V_OBJECT ? v.object->of : v.kind == V_CLASS ? v.klass : NULL;
    const Slot *s = v.kind == V_OBJECT ? env_find(v.object->attribute, name) : NULL;
    bool found = s && s->v.kind != V_UNBOUND;
    if (!found && of) found = env_find(of->names, name) != NULL;
    if (!found && (v.kind == V_TENSOR || v.kind == V_DTYPE))
        found = api_member(name, v, c->in->candidate) != NULL;
    bool told = of && (of->kind == CLASS_PLAIN || (of->kind == CLASS_MODULE && !is_member_of_modules(name)));
    if (!found && !told)
        return host_unsupported(c->in, c->at, "hasattr(..., '%.*s') of a %s", STR_ARG(name), value_type(v));
    return *out = value_bool(found), true;
}

bool object_set(Interp *in, Span at, Value of, Str name, Value v) {
    if (of.kind != V_OBJECT || str_starts(name, "__"))
        return host_refuse(in, at, "assignment to `.%.*s`: only attributes of a class's own objects are set",
                           STR_ARG(name));
    const Class *c = of.object->of;
    if (c && class_is((Value){.kind = V_CLASS, .klass = c}, ENUM_CLASS))
        return host_refuse_form(in, at, FORM_ATTRIBUTE);
    if (!not_frozen(in, at, of.object->frozen)) return false;
    const Slot *s = c ? env_find(c->names, name) : NULL;
    if (s && is_property(s->v))
        return host_raise(in, at, "AttributeError: property '%.*s' of this object has no setter",
                          STR_ARG(name));
    keyed_put(in, at, v);
    return env_set(in, at, of.object->attribute, name, v);
}

bool object_delete(Interp *in, Span at, Value of, Str name) {
    if (of.kind != V_OBJECT || str_starts(name, "__")) return host_refuse_form(in, at, FORM_ATTRIBUTE);
    if (!not_frozen(in, at, of.object->frozen)) return false;
    Slot *s = env_find(of.object->attribute, name);
    if (!s || s->v.kind == V_UNBOUND) return lacks(in, at, of.object->of, name);
    return s->v = (Value){0}, true;
}

// forward(ctx, ...) of an autograd function; its backward never runs here.
static bool apply(Interp *in, const Class *c, const Args *args, Value *out) {
    const Slot *forward = env_find(c->names, STR("forward"));
    Value ctx;
    if (!forward) return lacks(in, args->at, c, STR("forward"));
    if (args->names) return host_raise(in, args->at, "TypeError: apply() takes no keyword arguments");
    if (forward->v.kind != V_METHOD)
        return host_raise(in, args->at, "RuntimeError: forward of an autograd.Function is a @staticmethod");
    const Slot *setup = env_find(c->names, STR("setup_context"));
    if (!setup || setup->v.kind != V_METHOD)
        return object_new(in, args->at, NULL, &ctx) && call_with(in, forward->v, ctx, args, out);
    // The other form: forward(...) knows no ctx, and setup_context(ctx, inputs, output) comes after it.
    Value with[2], nothing;
    if (!object_new(in, args->at, NULL, &ctx) || !call_value(in, forward->v.method->function, args, out) ||
        !seq_new(in, args->at, V_TUPLE, args->n, &with[0]))
        return false;
    for (int i = 0; i < args->n; i++) with[0].seq->at[i] = args->pos[i];
    with[1] = *out;
    return call_with(in, setup->v, ctx, &(Args){.pos = with, .n = 2, .at = args->at}, &nothing);
}

static bool method_call(Interp *in, const Method *m, const Args *args, Value *out) {
    if (m->function.kind != V_UNBOUND)
        return m->self.kind == V_UNBOUND ? call_value(in, m->function, args, out)
                                         : call_with(in, m->function, m->self, args, out);
    if (m->self.kind == V_CLASS) return apply(in, m->self.klass, args, out);
    Value saved; // save_for_backward
    *out = NONE_VALUE;
    if (!str_is(m->name, "save_for_backward")) return true;
    if (!seq_new(in, args->at, V_TUPLE, args->n, &saved)) return false;
    for (int i = 0; i < args->n; i++) saved.seq->at[i] = args->pos[i];
    return object_set(in, args->at, m->self, STR("saved_tensors"), saved);
}

static bool object_call(Interp *in, Value f, const Args *args, Value *out) {
    const Class *c = f.object->of;
    const Slot *call = c ? env_find(c->names, STR("__call__")) : NULL;
    if (c && !call && c->kind == CLASS_MODULE) call = env_find(c->names, STR("forward"));
    if (!call && c && str_starts(c->name, "nn."))
        return host_refuse(in, args->at, "%.*s computes on tensors when it is called; do it in a kernel%s%s",
                           STR_ARG(c->name), in->module->module.model ? ", or allow it by --library " : "",
                           in->module->module.model ? library_use_name[library_needs(c->name)] : "");
    if (!call) return host_raise(in, args->at, "TypeError: this object is not callable");
    if (call->v.kind == V_METHOD) return call_value(in, call->v, args, out);
    if (!call_with(in, call->v, f, args, out)) return false;
    if (in->form && str_starts(c->name, "nn_")) form_note(in, args->at, c->name, args->pos, out);
    return true;
}

bool class_call(Interp *in, Value f, const Args *args, Value *out) {
    if (f.kind == V_METHOD) return method_call(in, f.method, args, out);
    if (f.kind == V_OBJECT) return object_call(in, f, args, out);
    const Class *c = f.klass;
    if (c->kind == CLASS_AUTOGRAD)
        return host_raise(in, args->at, "RuntimeError: an autograd.Function is used by %.*s.apply(...)",
                          STR_ARG(c->name));
    const Slot *init = env_find(c->names, STR("__init__"));
    Value nothing;
    if (c->members) return enum_call(in, c, args, out);
    if (!object_new(in, args->at, c, out)) return false;
    if (init && !call_with(in, init->v, *out, args, &nothing)) return false;
    if (class_is(f, NAMED_TUPLE)) return named_tuple(in, args->at, out);
    if (init) return true;
    if (!args->n && !args->names) return true;
    return host_raise(in, args->at, "TypeError: %.*s() takes no arguments", STR_ARG(c->name));
}
