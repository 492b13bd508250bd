#include "host/desugar/desugar.h"
#include "host/python/api.h"
#include "host/python/look_up.h"
#include "host/python/module_form.h"
#include "lang/library.h"

typedef enum { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_ERROR } Flow;
static Flow exec_block(Interp *in, Env *env, const Nodes *body, Value *result);

// --- assignment ---

static bool assign_items(Interp *in, Env *env, const Nodes *targets, Span at, Value v) {
    Iter it;
    Value items;
    int star = -1;
    if (!iter_start(in, at, v, &it) || !seq_new(in, at, V_LIST, 0, &items)) return false;
    for (Value each; iter_next(&it, &each);)
        if (!seq_push(in, at, items.seq, each)) return false;
    for (int i = 0; i < targets->n; i++) {
        if (targets->at[i]->kind != NODE_STARRED) continue;
        if (star >= 0) return host_raise(in, at, "SyntaxError: multiple starred expressions in assignment");
        star = i;
    }
    int got = items.seq->n, want = targets->n - (star >= 0);
    if (got < want)
        return host_raise(in, at, "ValueError: not enough values to unpack (expected %s%d, got %d)",
                          star >= 0 ? "at least " : "", want, got);
    if (star < 0 && got > want)
        return host_raise(in, at, "ValueError: too many values to unpack (expected %d)", want);
    for (int i = 0, from = 0; i < targets->n; i++) {
        if (i != star) {
            if (!assign(in, env, targets->at[i], items.seq->at[from++])) return false;
            continue;
        }
        Value rest;
        if (!seq_new(in, at, V_LIST, got - want, &rest)) return false;
        for (int k = 0; k < got - want; k++) rest.seq->at[k] = items.seq->at[from++];
        if (!assign(in, env, targets->at[i]->value, rest)) return false;
    }
    return true;
}

bool assign(Interp *in, Env *env, const Node *target, Value v) {
    if (!host_step(in, target->span)) return false;
    if (target->kind == NODE_NAME) return env_set(in, target->span, env, target->name, v);
    if (target->kind == NODE_SUBSCRIPT && (in->candidate || in->form)) {
        Value of, index;
        return eval(in, env, target->subscript.value, &of) &&
               eval(in, env, target->subscript.index, &index) &&
               subscript_set(in, target->span, of, index, v);
    }
    if (target->kind == NODE_ATTRIBUTE && (in->candidate || in->form)) {
        Value of;
        return eval(in, env, target->attribute.value, &of) &&
               object_set(in, target->span, of, target->attribute.name, v);
    }
    if (target->kind != NODE_TUPLE && target->kind != NODE_LIST)
        return host_refuse(in, target->span,
                           "host code assigns to plain names only, not to attributes or subscripts");
    if (++in->depth > DEPTH_MAX) return host_raise(in, target->span, "RecursionError: nested too deeply");
    bool ok = assign_items(in, env, &target->items, target->span, v);
    in->depth--;
    return ok;
}

static bool exec_augassign(Interp *in, Env *env, const Node *s) {
    const Node *target = s->augassign.target;
    Value l, r;
    if (target->kind != NODE_NAME && in->candidate) // what augmented_normalize() left
        return host_unsupported(in, target->span,
                                "an augmented assignment whose target or value may change something; write "
                                "it in two statements");
    if (target->kind != NODE_NAME)
        return host_refuse(in, target->span,
                           "host code assigns to plain names only, not to attributes or subscripts");
    if (!eval(in, env, target, &l) || !eval(in, env, s->augassign.value, &r)) return false;
    bool in_place = in->form && l.kind == V_BOUND;
    if (l.kind == V_BOUND && !in_place)
        return host_refuse(in, s->span, "references do not change tensors in place; write %.*s = %.*s %s ...",
                           STR_ARG(target->name), STR_ARG(target->name), oper_text(s->augassign.op));
    if (l.kind == V_LIST && s->augassign.op == OPER_ADD) return seq_extend(in, s->span, l.seq, r);
    Value was = l;
    if (!binary_values(in, s->span, s->augassign.op, was, r, &l)) return false;
    note_computed(in, s->augassign.value->span.at, was, r, l);
    if (in_place && l.kind == V_BOUND &&
        (l.bound->numel != was.bound->numel || l.bound->dtype != was.bound->dtype))
        return host_raise(in, s->span,
                          "RuntimeError: the result does not fit the tensor that is changed in place");
    if (in_place && !form_overwrite(in, s->span, was.bound)) return false;
    return assign(in, env, target, l);
}

// --- statements ---

static bool exec_assert(Interp *in, Env *env, const Node *s) {
    Value v;
    bool holds;
    if (!eval(in, env, s->assertion.cond, &v) || !value_truth(in, s->assertion.cond->span, v, &holds))
        return false;
    if (holds) return true;
    if (!s->assertion.message) return host_raise(in, s->span, "AssertionError");
    in->failing++;
    bool told = eval(in, env, s->assertion.message, &v);
    in->failing--;
    if (!told) return false;
    Buf text = BUF(in->arena);
    value_text(&text, v);
    return host_raise(in, s->span, "AssertionError: %s", buf_cstr(&text));
}

static bool exec_raise(Interp *in, Env *env, const Node *s) {
    Value v;
    if (!s->raise.value) return host_raise(in, s->span, "RuntimeError: No active exception to reraise");
    in->failing++;
    bool made = eval(in, env, s->raise.value, &v); // calling an exception's name raises at once
    in->failing--;
    if (!made) return false;
    if (v.kind != V_API || v.member->row->kind != API_EXCEPTION)
        return host_raise(in, s->span, "TypeError: exceptions must derive from BaseException");
    return host_raise(in, s->span, "%.*s", STR_ARG(v.member->name));
}

static Flow exec_for(Interp *in, Env *env, const Node *s, Value *result) {
    Value over, v;
    Iter it;
    if (!eval(in, env, s->loop.iter, &over) || !iter_start(in, s->loop.iter->span, over, &it))
        return FLOW_ERROR;
    Outcomes *o = in->m ? cover_outcomes(in->m->watch.cover) : NULL;
    bool all = o && !loop_may_end(s), any = false;
    for (int turn = 1;; turn++) {
        bool more = iter_next(&it, &v);
        if (turn == 1) note_truth(in, s, more);
        if (!more) break;
        note_turn(in, s->span.at, turn);
        note_item(o, s->span.at, over, turn - 1);
        if (!host_step(in, s->span) || !assign(in, env, s->loop.target, v)) return FLOW_ERROR;
        uint64_t around = loop_turn(o, s->span.at, turn);
        Flow f = exec_block(in, env, &s->loop.body, result);
        if (o) o->met.around = around;
        if (f == FLOW_BREAK || f == FLOW_RETURN) note_found(o, s->span.at, over, turn - 1);
        if (f == FLOW_BREAK) return FLOW_NEXT;
        if (f == FLOW_RETURN || f == FLOW_ERROR) return f;
        any |= all && note_passed(o, s->span.at, over, turn - 1);
        if (!iter_steady(in, s->span, &it)) return FLOW_ERROR;
    }
    if (o && !any) note_found(o, s->span.at, over, -1);
    return exec_block(in, env, &s->loop.otherwise, result);
}

static Flow exec_while(Interp *in, Env *env, const Node *s, Value *result) {
    for (int turn = 1;; turn = 2) {
        Value v;
        bool truth;
        if (!eval(in, env, s->whileloop.cond, &v) || !value_truth(in, s->whileloop.cond->span, v, &truth))
            return FLOW_ERROR;
        if (turn == 1) note_truth(in, s, truth);
        if (!truth) return exec_block(in, env, &s->whileloop.otherwise, result);
        Flow f = exec_block(in, env, &s->whileloop.body, result);
        if (f == FLOW_BREAK) return FLOW_NEXT;
        if (f == FLOW_RETURN || f == FLOW_ERROR) return f;
    }
}

static bool exec_function(Interp *in, Env *env, const Node *s) {
    bool jit;
    Form why;
    Value f;
    if (!decorators_allowed(s, &jit, &why)) return host_refuse_form(in, s->span, why);
    if (jit && env != in->globals) return host_refuse(in, s->span, "kernels are defined at module level");
    if (jit) {
        if (!kernel_new(in, env, s, &f)) return false;
    } else if (!function_new(in, env, s, &f))
        return false;
    return env_set(in, s->span, env, s->function.name, f);
}

static bool is_literal(const Node *n) {
    if (n->kind == NODE_UNARY) n = n->unary.operand;
    if (n->kind == NODE_CALL && n->call.args.n == 1 && !n->call.keywords.n &&
        n->call.func->kind == NODE_ATTRIBUTE && node_is_name(n->call.func->attribute.value, "tl") &&
        str_is(n->call.func->attribute.name, "constexpr"))
        return is_literal(n->call.args.at[0]);
    return is_written(n) || n->kind == NODE_FLOAT;
}

// Names of helper files that mean something to host code: kernels to launch and plain numbers. Others are the
// kernels' own.
static bool exec_included(Interp *in, Env *env, const Node *s, LibraryFile *file) {
    enum { HOPS_MAX = 16 };
    Library *l = in->module->module.library;
    for (int i = 0; i < s->import.names.n; i++) {
        const Node *alias = s->import.names.at[i], *def = NULL, *found = alias, *home = NULL;
        LibraryFile *at = file;
        for (int hop = 0; at && hop < HOPS_MAX; hop++) {
            if (!(home = library_module(l, at))) return host_unsupported(in, s->span, "%s", at->fault);
            def = module_binding(home, found->alias.name, &found);
            at = def && def->kind == NODE_IMPORT ? library_of(home, def) : NULL;
        }
        if (!def) continue;
        Value v = {0};
        if (def->kind == NODE_FUNCTION && is_jit_function(def)) {
            Kernel *k = HOST_NEW(in, s->span, Kernel, 1);
            if (!k) return false;
            *k = (Kernel){.node = def, .home = home};
            v = (Value){.kind = V_KERNEL, .kernel = k};
        } else if (def->kind == NODE_ASSIGN && is_literal(def->assign.value)) {
            if (!eval(in, env, def->assign.value, &v)) return false;
        } else {
            continue;
        }
        Str as = alias->alias.as.len ? alias->alias.as : alias->alias.name;
        if (!env_set(in, s->span, env, as, v)) return false;
    }
    return true;
}

static bool delete_target(Interp *in, Env *env, const Node *target) {
    Value of, index;
    if (!host_step(in, target->span)) return false;
    switch (target->kind) {
    case NODE_NAME:
        return env_read(in, target->span, env, target->name, &of) &&
               env_set(in, target->span, env, target->name, (Value){0});
    case NODE_SUBSCRIPT:
        if (!in->candidate) break;
        return eval(in, env, target->subscript.value, &of) &&
               eval(in, env, target->subscript.index, &index) &&
               subscript_delete(in, target->span, of, index);
    case NODE_ATTRIBUTE:
        if (!in->candidate) break;
        return eval(in, env, target->attribute.value, &of) &&
               object_delete(in, target->span, of, target->attribute.name);
    case NODE_TUPLE:
    case NODE_LIST:
        for (int i = 0; i < target->items.n; i++)
            if (!delete_target(in, env, target->items.at[i])) return false; // a tree's height is bounded
        return true;
    default: break;
    }
    return host_refuse(in, target->span,
                       "host code deletes plain names, items of lists and dictionaries, and "
                       "attributes of its own objects only");
}

static bool exec_delete(Interp *in, Env *env, const Node *s) {
    for (int i = 0; i < s->items.n; i++)
        if (!delete_target(in, env, s->items.at[i])) return false;
    return true;
}

// What the module defines, and what Python has, is the same in every call.
static bool is_defined(const Interp *in, Value v) {
    const Class *of = v.kind == V_OBJECT ? v.object->of : NULL;
    if (of && class_is((Value){.kind = V_CLASS, .klass = of}, ENUM_CLASS)) return true;
    return v.kind == V_KERNEL || v.kind == V_CLASS ||
           (v.kind == V_FUNCTION && v.function->env == in->globals) ||
           (v.kind == V_API && v.member->self.kind == V_UNBOUND);
}

static bool is_data(Interp *in, Value v);

// What a plain class of the file makes: an instance of a frozen data class, say. Whatever its methods try,
// the module's own objects do not change (value_freeze).
static bool is_data_object(Interp *in, const Object *o) {
    if (!o->of || o->of->kind != CLASS_PLAIN) return false;
    if (o->frozen) return true;
    if (++in->depth > DEPTH_MAX || !host_work(in, in->module->span, o->attribute->cap)) return false;
    for (int i = 0; i < o->attribute->cap; i++)
        if (o->attribute->slot[i].name.p && !is_data(in, o->attribute->slot[i].v)) return false;
    in->depth--;
    return true;
}

// A function that a call at module level has given: what it sees besides its own names, of calls that are
// over. Nothing binds these any more, for host code has no nonlocal; what they hold does not change either.
static bool is_data_function(Interp *in, const Function *f) {
    bool ok = true;
    const Node *n = f->node;
    int params = n->kind == NODE_LAMBDA ? n->lambda.params.n : n->function.params.n;
    for (int i = 0; ok && i < params; i++)
        ok = f->defaults[i].kind == V_UNBOUND || is_data(in, f->defaults[i]);
    for (Env *e = f->env; ok && e && !e->module && !e->looked; e = e->outer) {
        if (++in->depth > DEPTH_MAX || !host_work(in, in->module->span, e->cap)) return false;
        e->looked = true; // a function sees itself, too
        for (int i = 0; ok && i < e->cap; i++)
            ok = !e->slot[i].name.p || e->slot[i].v.kind == V_UNBOUND || is_data(in, e->slot[i].v);
        in->depth--;
    }
    return ok;
}

// Numbers, texts, types, configs, what the module defines, and collections of them.
static bool is_data(Interp *in, Value v) {
    PyValue plain;
    if (v.kind == V_OBJECT && !is_defined(in, v)) return is_data_object(in, v.object);
    if (v.kind == V_FUNCTION && !is_defined(in, v)) return is_data_function(in, v.function);
    bool dict = v.kind == V_DICT || v.kind == V_SET, ok = true;
    if (!dict && !value_is_seq(v))
        return value_plain(v, &plain) || v.kind == V_DTYPE || v.kind == V_DEVICE || v.kind == V_PROPERTIES ||
               v.kind == V_RANGE || v.kind == V_CONFIG || v.kind == V_MODULE || v.kind == V_LIMITS ||
               is_defined(in, v) ||
               (v.kind == V_PARTIAL && is_data(in, v.partial->function) &&
                is_data(in, (Value){.kind = V_TUPLE, .seq = v.partial->pos}) &&
                is_data(in, (Value){.kind = V_DICT, .dict = v.partial->named}));
    if (dict ? v.dict->frozen : v.seq->frozen) return true; // looked at before; a list may hold itself
    int n = dict ? v.dict->n : v.seq->n;
    if (++in->depth > DEPTH_MAX) return false;
    for (int i = 0; ok && i < n; i++)
        ok = host_work(in, in->module->span, 1) && is_data(in, dict ? v.dict->value[i] : v.seq->at[i]) &&
             (!dict || is_data(in, v.dict->key[i]));
    in->depth--;
    return ok;
}

// A name for a function of tl is one for kernels: host code finds no more than its path there.
static bool module_eval(Interp *in, Env *env, const Node *n, Value *out) {
    Buf path = BUF(in->arena);
    if (in->candidate && is_type_name(in->module, n)) // for annotations, which nobody evaluates
        return *out = (Value){.kind = V_MODULE, .s = STR("typing")}, host_work(in, n->span, n->span.len);
    bool device = in->candidate && is_device_alias(n) && node_dotted(n, &path);
    if (!device || api_named(buf_str(&path), true) || api_is_module(buf_str(&path), true))
        return eval(in, env, n, out);
    if (!host_work(in, n->span, n->span.len)) return false;
    return *out = (Value){.kind = V_MODULE, .s = buf_str(&path)}, true;
}

// What a module holds nobody may change but what its calls keep (module_state.c), and it holds data: a
// function or an object that a call gives could keep something of its own. A name for what the file defines
// is no more than that.
static bool module_value(Interp *in, const Node *n, bool kept, Value v) {
    if (kept) return v.kind == V_LIST ? (v.seq->kept = true) : (v.dict->kept = true);
    bool named = n->kind == NODE_NAME || n->kind == NODE_ATTRIBUTE;
    return named || is_data(in, v) ? value_freeze(in, n->span, v)
                                   : host_refuse_form(in, n->span, FORM_MODULE_STATE);
}

static Flow exec_simple(Interp *in, Env *env, const Node *s) {
    Value v;
    bool ok = true;
    switch (s->kind) {
    case NODE_EXPRSTMT: ok = eval(in, env, s->value, &v); break;
    case NODE_ASSIGN:
        ok = env->module ? module_eval(in, env, s->assign.value, &v) : eval(in, env, s->assign.value, &v);
        if (ok && env->module && v.kind == V_LIST && is_configs(s->assign.value)) v.kind = V_TUPLE;
        ok = ok && (!env->module || !in->candidate || module_value(in, s->assign.value, s->assign.kept, v));
        for (int i = 0; ok && i < s->assign.targets.n; i++) ok = assign(in, env, s->assign.targets.at[i], v);
        break;
    case NODE_ANNASSIGN:
        if (s->annassign.value)
            ok = eval(in, env, s->annassign.value, &v) &&
                 (!env->module || !in->candidate ||
                  module_value(in, s->annassign.value, s->annassign.kept, v)) &&
                 assign(in, env, s->annassign.target, v);
        break;
    case NODE_AUGASSIGN: ok = exec_augassign(in, env, s); break;
    case NODE_ASSERT: ok = exec_assert(in, env, s); break;
    case NODE_RAISE: ok = exec_raise(in, env, s); break;
    case NODE_FUNCTION: ok = exec_function(in, env, s); break;
    case NODE_CLASS:
        ok = (in->candidate || in->form) && env->module
                 ? class_new(in, env, s, &v) && env_set(in, s->span, env, s->klass.name, v)
                 : host_refuse_form(in, s->span, node_form(s->kind));
        break;
    case NODE_DELETE: ok = exec_delete(in, env, s); break;
    case NODE_PASS: break;
    case NODE_IMPORT: {
        const char *why;
        LibraryFile *file = in->candidate && env->module ? library_of(in->module, s) : NULL;
        if (file)
            ok = exec_included(in, env, s, file);
        else if (in->form ? !import_canonical(s, true, &why) : !import_allowed(s, in->candidate, &why))
            ok = host_unsupported(in, s->span, "%s",
                                  in->form ? "import: a reference in module form imports torch, torch.nn, "
                                             "torch.nn.functional, math and typing alone"
                                           : why);
        break; // what may be imported is there already
    }
    default: ok = host_refuse_form(in, s->span, node_form(s->kind));
    }
    return ok ? FLOW_NEXT : FLOW_ERROR;
}

// torch.autocast(...), which chooses what PyTorch's own operators compute in.
static bool casts(const Node *item) {
    const Node *call = item->withitem.value, *f = call->kind == NODE_CALL ? call->call.func : call;
    return f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "autocast");
}

static Flow exec_with(Interp *in, Env *env, const Node *s, Value *result) {
    int was = in->casting;
    for (int i = 0; i < s->with.items.n; i++) {
        const Node *item = s->with.items.at[i];
        Value v;
        bool known = context_quiet(item), ok = in->candidate && !s->with.async && !item->withitem.target;
        const Nodes *args = known ? &item->withitem.value->call.args : &(Nodes){0},
                    *named = known ? &item->withitem.value->call.keywords : &(Nodes){0};
        for (int k = 0; ok && k < args->n; k++)
            if (!eval(in, env, args->at[k], &v)) return FLOW_ERROR;
        for (int k = 0; ok && k < named->n; k++)
            if (!eval(in, env, named->at[k]->keyword.value, &v)) return FLOW_ERROR;
        // What a helper or a condition gives: it has to be one of these, too.
        if (ok && !known && !eval(in, env, item->withitem.value, &v)) return FLOW_ERROR;
        if (!ok || (!known && v.kind != V_CONTEXT))
            return host_report(in, form_rule[FORM_WITH].kind, item->span, "%s", form_rule[FORM_WITH].why),
                   FLOW_ERROR;
        in->casting += known ? casts(item) : v.i != 0;
    }
    Flow flow = exec_block(in, env, &s->with.body, result);
    in->casting = was;
    return flow;
}

static Flow exec_statement(Interp *in, Env *env, const Node *s, Value *result) {
    Value v;
    bool truth;
    if (!host_step(in, s->span)) return FLOW_ERROR;
    if (in->m) cover_mark(in->m->watch.cover, s->span.at, COVER_HOST);
    switch (s->kind) {
    case NODE_IF:
        if (in->candidate && env->module && is_main_guard(s)) return FLOW_NEXT;
        if (!eval(in, env, s->branch.cond, &v) || !value_truth(in, s->branch.cond->span, v, &truth))
            return FLOW_ERROR;
        note_truth(in, s->branch.cond, truth);
        note_taken(in, truth);
        return exec_block(in, env, truth ? &s->branch.then : &s->branch.otherwise, result);
    case NODE_FOR: return exec_for(in, env, s, result);
    case NODE_WHILE: return exec_while(in, env, s, result);
    case NODE_WITH: return exec_with(in, env, s, result);
    case NODE_BREAK: return FLOW_BREAK;
    case NODE_CONTINUE: return FLOW_CONTINUE;
    case NODE_RETURN:
        *result = NONE_VALUE;
        if (s->value && !eval(in, env, s->value, result)) return FLOW_ERROR;
        return FLOW_RETURN;
    default: return exec_simple(in, env, s);
    }
}

static Flow exec_block(Interp *in, Env *env, const Nodes *body, Value *result) {
    Flow f = FLOW_NEXT;
    if (body->n && ++in->depth > DEPTH_MAX)
        return host_report(in, DIAG_HOST, body->at[0]->span,
                           "RecursionError: maximum recursion depth exceeded"),
               FLOW_ERROR;
    for (int i = 0; f == FLOW_NEXT && i < body->n; i++) f = exec_statement(in, env, body->at[i], result);
    if (body->n) in->depth--;
    return f;
}

// --- functions ---

bool function_new(Interp *in, Env *env, const Node *node, Value *out) {
    bool lambda = node->kind == NODE_LAMBDA;
    const Nodes *params = lambda ? &node->lambda.params : &node->function.params;
    Function *f = HOST_NEW(in, node->span, Function, 1);
    if (!f) return false;
    *f = (Function){.node = node, .env = env, .defaults = HOST_NEW(in, node->span, Value, params->n + 1)};
    if (!f->defaults) return false;
    // The walk's cost is bounded by the text it walks.
    if (!host_work(in, node->span, node->span.len)) return false;
    for (int i = 0; i < params->n; i++) {
        const Node *def = params->at[i]->param.def;
        if (def && !eval(in, env, def, &f->defaults[i])) return false;
    }
    Names names = {.arena = in->arena};
    names_of_params(&names, params);
    if (lambda)
        names_of_expr(&names, node->lambda.body, 0);
    else
        names_of_block(&names, &node->function.body, 0);
    if ((size_t)names.cap * 2 * sizeof(Str) > in->heap_left)
        return host_new(in, node->span, INT64_MAX, 1) != NULL;
    in->heap_left -= (size_t)names.cap * 2 * sizeof(Str);
    f->local = names.at;
    f->locals = names.n;
    *out = (Value){.kind = V_FUNCTION, .function = f};
    return true;
}

static Str function_name(const Function *f) {
    return f->node->kind == NODE_LAMBDA ? STR("<lambda>") : f->node->function.name;
}

static bool bind_positional(Interp *in, const Function *f, const Nodes *params, const Args *args, Env *env) {
    int used = 0, plain = 0;
    for (int i = 0; i < params->n; i++) {
        const Node *p = params->at[i];
        if (p->param.kind == PARAM_PLAIN) {
            plain++;
            if (used < args->n && !env_set(in, args->at, env, p->param.name, args->pos[used++])) return false;
        } else if (p->param.kind == PARAM_STAR && p->param.name.len) {
            Value rest;
            if (!seq_new(in, args->at, V_TUPLE, args->n - used, &rest)) return false;
            for (int k = 0; used < args->n; k++) rest.seq->at[k] = args->pos[used++];
            if (!env_set(in, args->at, env, p->param.name, rest)) return false;
        }
    }
    if (used == args->n) return true;
    return host_raise(in, args->at, "TypeError: %.*s() takes %d positional argument%s but %d %s given",
                      STR_ARG(function_name(f)), plain, plain == 1 ? "" : "s", args->n,
                      args->n == 1 ? "was" : "were");
}

static bool bind_named(Interp *in, const Function *f, const Nodes *params, const Args *args, Env *env) {
    Value extra = {0};
    for (int i = 0; i < params->n; i++)
        if (params->at[i]->param.kind == PARAM_DOUBLESTAR) {
            if (!dict_new(in, args->at, &extra)) return false;
            if (!env_set(in, args->at, env, params->at[i]->param.name, extra)) return false;
        }
    for (int k = 0; k < args->names; k++) {
        const Node *p = NULL;
        for (int i = 0; i < params->n && !p; i++) {
            const Node *q = params->at[i];
            bool named =
                q->param.kind == PARAM_KWONLY || (q->param.kind == PARAM_PLAIN && !q->param.positional_only);
            if (named && str_eq(q->param.name, args->name[k])) p = q;
        }
        if (!host_work(in, args->at, params->n)) return false;
        if (!p && extra.kind == V_UNBOUND)
            return host_raise(in, args->at, "TypeError: %.*s() got an unexpected keyword argument '%.*s'",
                              STR_ARG(function_name(f)), STR_ARG(args->name[k]));
        if (!p) {
            if (!dict_put(in, args->at, extra.dict, value_str(args->name[k]), args->named[k])) return false;
            continue;
        }
        if (env_find(env, p->param.name)->v.kind != V_UNBOUND)
            return host_raise(in, args->at, "TypeError: %.*s() got multiple values for argument '%.*s'",
                              STR_ARG(function_name(f)), STR_ARG(args->name[k]));
        if (!env_set(in, args->at, env, p->param.name, args->named[k])) return false;
    }
    return true;
}

static bool bind_defaults(Interp *in, const Function *f, const Nodes *params, const Args *args, Env *env) {
    Buf missing = BUF(in->arena);
    int count = 0;
    for (int i = 0; i < params->n; i++) {
        const Node *p = params->at[i];
        if (p->param.kind != PARAM_PLAIN && p->param.kind != PARAM_KWONLY) continue;
        Slot *s = env_find(env, p->param.name);
        if (s->v.kind != V_UNBOUND) continue;
        if (f->defaults[i].kind != V_UNBOUND) {
            s->v = f->defaults[i];
            continue;
        }
        if (count++ < 4) buf_printf(&missing, "%s'%.*s'", missing.len ? ", " : "", STR_ARG(p->param.name));
    }
    if (!count) return true;
    return host_raise(in, args->at, "TypeError: %.*s() missing %d required positional argument%s: %s",
                      STR_ARG(function_name(f)), count, count == 1 ? "" : "s", buf_cstr(&missing));
}

bool function_call(Interp *in, const Function *f, const Args *args, Value *out) {
    bool lambda = f->node->kind == NODE_LAMBDA;
    bool memo = !lambda && f->node->function.memo;
    bool library = in->form && form_is_inside(f->node->span) && !form_is_inside(args->at);
    if (library) in->form->site = args->at;
    const Nodes *params = lambda ? &f->node->lambda.params : &f->node->function.params;
    if (memo && !cached_takes(in, f->node, args)) return false;
    Env *env = env_new(in, args->at, f->env, f->locals);
    if (!env || !host_work(in, args->at, f->locals)) return false;
    for (int i = 0; i < f->locals; i++)
        if (!env_set(in, args->at, env, f->local[i], (Value){0})) return false;
    if (!bind_positional(in, f, params, args, env) || !bind_named(in, f, params, args, env) ||
        !bind_defaults(in, f, params, args, env))
        return false;
    if (++in->depth > DEPTH_MAX)
        return host_raise(in, args->at, "RecursionError: maximum recursion depth exceeded");
    *out = NONE_VALUE;
    in->memo += memo;
    if (lambda && in->m)
        cover_mark(in->m->watch.cover, node_part_place(f->node, f->node->lambda.body), COVER_HOST);
    bool ok = lambda ? eval(in, env, f->node->lambda.body, out)
                     : exec_block(in, env, &f->node->function.body, out) != FLOW_ERROR;
    in->memo -= memo;
    in->depth--;
    if (ok && library && !lambda)
        form_note(in, args->at, f->node->function.name, args->n ? args->pos : NULL, out);
    return ok && (!memo || cached_gives(in, f->node, args->at, *out));
}

bool module_run(Interp *in) {
    Value unused;
    in->globals = env_new(in, in->module->span, NULL, 16);
    if (!in->globals) return false;
    in->globals->module = true;
    in->defined = exec_block(in, in->globals, &in->module->module.body, &unused) != FLOW_ERROR;
    return in->defined;
}
