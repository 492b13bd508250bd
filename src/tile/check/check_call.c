// Calls: Python's binding rules, rows of op.def, and helpers, which are inlined.
#include "lang/library.h"
#include "tile/check/checker.h"
#include <assert.h>

// ---- Python's binding of arguments to parameters ----

static void names_list(Buf *b, const Signature *s, const int *slot) {
    int missing = 0, seen = 0;
    for (int i = 0; i < s->params; i++) missing += slot[i] == -2;
    buf_printf(b, "%.*s() missing %d required positional argument%s: ", STR_ARG(s->function), missing,
               missing > 1 ? "s" : "");
    for (int i = 0; i < s->params; i++) {
        if (slot[i] != -2) continue;
        if (seen) buf_puts(b, missing == 2 ? " and " : seen == missing - 1 ? ", and " : ", ");
        buf_printf(b, "'%.*s'", STR_ARG(s->name[i]));
        seen++;
    }
}

const char *signature_bind(Arena *a, const Signature *s, const Str *arg_name, int args, Slots *out) {
    int *slot = out->slot;
    int plain = s->star ? s->params - 1 : s->params, places = plain - s->keyword, given = 0, required = 0;
    out->rests = 0;
    for (int i = 0; i < plain; i++) {
        slot[i] = -1;
        required += i < places && !s->has_default[i];
    }
    for (int k = 0; k < args; k++) {
        if (arg_name[k].len) continue;
        if (given < places)
            slot[given] = k;
        else if (s->star)
            out->rest[out->rests++] = k;
        given++;
    }
    for (int k = 0; k < args; k++) {
        if (!arg_name[k].len) continue;
        int p = 0;
        while (p < plain && !str_eq(s->name[p], arg_name[k])) p++;
        if (p == plain)
            return arena_printf(a, "%.*s() got an unexpected keyword argument '%.*s'", STR_ARG(s->function),
                                STR_ARG(arg_name[k]));
        if (slot[p] >= 0)
            return arena_printf(a, "%.*s() got multiple values for argument '%.*s'", STR_ARG(s->function),
                                STR_ARG(arg_name[k]));
        slot[p] = k;
    }
    if (given > places && !s->star) {
        Buf b = BUF(a);
        buf_printf(&b, "%.*s() takes ", STR_ARG(s->function));
        if (required < places) buf_printf(&b, "from %d to ", required);
        buf_printf(&b, "%d positional argument%s but %d %s given", places, places == 1 ? "" : "s", given,
                   given == 1 ? "was" : "were");
        return buf_cstr(&b);
    }
    bool missing = false;
    for (int i = 0; i < plain; i++)
        if (slot[i] < 0 && !s->has_default[i]) slot[i] = -2, missing = true;
    if (!missing) return NULL;
    Buf b = BUF(a);
    names_list(&b, &(Signature){s->function, s->name, s->has_default, plain, false, s->keyword}, slot);
    return buf_cstr(&b);
}

// ---- rows of op.def ----

bool check_op(Checker *c, const Node *at, OpUse use, const Arg *arg, int args, Val *out) {
    const OpRow *row = use.row;
    const Val *self = use.self;
    const OpSignature *sig = oprow_signature(row);
    int slot[OP_ARGS_MAX], first = self != NULL;
    if (!checker_spend(c, at, args)) return false;
    Call call = {.c = c, .at = at, .row = row, .name = use.name};
    if (row->run == check_dot && c->frame->module->module.old_names &&
        !old_dot_arguments(c, at, arg, &args, &arg))
        return false;
    Str *given = NEWN(c->arena, Str, (size_t)args + 2);
    Slots bound = {.slot = slot, .rest = sig->star ? NEWN(c->arena, int, (size_t)args + 2) : NULL};
    for (int i = 0; i < args; i++) given[i + first] = arg[i].name; // the receiver is the first argument
    Signature s = {use.name, sig->name, sig->has_default, sig->params, sig->star, sig->keyword};
    const char *why = signature_bind(c->arena, &s, given, args + first, &bound);
    if (why) return checker_fail(c, at, "TypeError", "%s", why);
#define GIVEN(k) (self && (k) == 0 ? *self : arg[(k)-first].value)
    for (int i = 0; i < sig->params - sig->star; i++)
        call.arg[i] = slot[i] < 0 ? sig->def[i] : GIVEN(slot[i]);
    if (sig->star) {
        call.rest = NEWN(c->arena, Val, (size_t)bound.rests + 1);
        call.rests = bound.rests;
        for (int i = 0; i < bound.rests; i++) call.rest[i] = GIVEN(bound.rest[i]);
    }
#undef GIVEN
    return row->run(&call, out);
}

// ---- helpers ----

static void count_returns(void *arg, const Node *n) {
    if (n->kind == NODE_FUNCTION || n->kind == NODE_LAMBDA) return;
    if (n->kind == NODE_RETURN)
        (*(int *)arg)++;
    else
        node_each_child(n, count_returns, arg);
}

// Functions of tl that are written in Triton's own language: jit functions, which can be handed on. The
// others are plain functions, and those have no type.
static bool is_jit_op(Str name) {
    static const char *const jit[] = {"argmax",
                                      "argmin",
                                      "bitonic_merge",
                                      "cdiv",
                                      "cumprod",
                                      "cumsum",
                                      "flip",
                                      "interleave",
                                      "max",
                                      "min",
                                      "next_power_of_2",
                                      "pair_uniform_to_normal",
                                      "philox",
                                      "philox_impl",
                                      "rand",
                                      "rand4x",
                                      "randint",
                                      "randint4x",
                                      "randn",
                                      "randn4x",
                                      "ravel",
                                      "reduce_or",
                                      "sigmoid",
                                      "softmax",
                                      "sort",
                                      "sum",
                                      "swizzle2d",
                                      "topk",
                                      "uint_to_uniform_float",
                                      "xor_sum",
                                      "zeros",
                                      "zeros_like"};
    for (size_t i = 0; i < sizeof jit / sizeof *jit; i++)
        if (str_is(name, jit[i])) return true;
    return false;
}

// Triton asks each argument of a helper for its type, unless it is a constexpr by then.
static bool has_type(Checker *c, const Node *at, const Val *v, int depth) {
    const char *what = NULL;
    switch (v->kind) {
    case VAL_OP:
        if (!v->op.self && is_jit_op(v->op.name)) return true;
        what = !v->op.self             ? "'function' object"
               : is_jit_op(v->op.name) ? "'BoundJITMethod' object"
                                       : "'method' object";
        break;
    case VAL_BUILTIN: what = "'function' object"; break;
    case VAL_MODULE: what = arena_printf(c->arena, "module '%.*s'", STR_ARG(v->path)); break;
    case VAL_TUPLE: // a function can only lie in one that was just written down; variables hold none
        if (depth > 8) return true;
        if (!checker_spend(c, at, v->tuple.n)) return false;
        for (int i = 0; i < v->tuple.n; i++)
            if (!has_type(c, at, &v->tuple.at[i], depth + 1)) return false;
        return true;
    default: return true;
    }
    return checker_fail(c, at, "AttributeError", "%s has no attribute 'type'", what);
}

// A default is a Python value: numbers and dtypes become constexprs where it is taken, texts and tuples do
// not.
static bool default_has_type(Checker *c, const Node *at, const Node *home, const Node *def, bool nested) {
    const Node *alias, *s;
    for (int hop = 0; def->kind == NODE_NAME && hop < 8; hop++) {
        s = module_binding(home, def->name, &alias);
        if (!s || s->kind != NODE_ASSIGN) return true;
        def = s->assign.value;
    }
    if (def->kind == NODE_STRING)
        return checker_fail(c, at, "AttributeError", "'str' object has no attribute 'type'");
    if (nested && (def->kind == NODE_INT || def->kind == NODE_FLOAT))
        return checker_fail(c, at, "AttributeError", "'%s' object has no attribute 'type'",
                            def->kind == NODE_INT ? "int" : "float");
    for (int i = 0; def->kind == NODE_TUPLE && i < def->items.n; i++)
        if (!default_has_type(c, at, home, def->items.at[i], true)) return false;
    return true;
}

static bool bind_helper(Checker *c, const Node *at, const Val *fn, const Arg *arg, int args, Val *value) {
    const Node *f = fn->function;
    Nodes params = f->function.params;
    Str *pname = NEWN(c->arena, Str, (size_t)params.n + 1), *given = NEWN(c->arena, Str, (size_t)args + 1);
    bool *has_default = NEWN(c->arena, bool, (size_t)params.n + 1);
    int *slot = NEWN(c->arena, int, (size_t)params.n + 1);
    for (int i = 0; i < params.n; i++) {
        const Node *p = params.at[i];
        if (p->param.kind == PARAM_STAR || p->param.kind == PARAM_DOUBLESTAR)
            return checker_unsupported(c, p, "*args and **kwargs of kernels and helpers");
        pname[i] = p->param.name;
        has_default[i] = p->param.def != NULL;
    }
    for (int i = 0; i < args; i++) given[i] = arg[i].name;
    Signature s = {f->function.name, pname, has_default, params.n, false, 0};
    const char *why = signature_bind(c->arena, &s, given, args, &(Slots){.slot = slot});
    if (why) return checker_fail(c, at, "TypeError", "%s", why);
    if (!check_annotations(c, fn->home, fn->function)) return false;
    for (int i = 0; i < params.n; i++) {
        const Node *def = params.at[i]->param.def;
        if (slot[i] >= 0)
            value[i] = arg[slot[i]].value;
        else if (!check_outside(c, at, fn->home, def, &value[i]) ||
                 !default_has_type(c, at, fn->home, def, false))
            return false;
        if (!has_type(c, at, &value[i], 0)) return false;
        value[i].wrapped = true;
    }
    return true;
}

static bool inline_body(Checker *c, const Node *at, Frame *frame, Val *out) {
    const Node *f = frame->function;
    Nodes body = f->function.body;
    int returns = 0, old = c->region;
    c->visits += f->span.len > 64 ? (int)(f->span.len / 64) : 0; // looking for returns takes its time too
    for (int i = 0; i < body.n; i++) count_returns(&returns, body.at[i]);
    frame->direct = returns == 0 || (returns == 1 && body.at[body.n - 1]->kind == NODE_RETURN);
    if (!frame->direct) old = checker_region(c); // what follows an early return does not always run
    if (!check_block(c, body)) return false;
    *out = frame->returned ? frame->result : val_none();
    if (frame->direct) return true;
    if (!frame->dead && !val_is_none(out))
        return checker_fail(
            c, at, "TypeError", "Inconsistent return types: %s and void: %.*s can end without a value",
            c->lifted ? check_lifted_text(c, out) : val_type_text(c, out), STR_ARG(f->function.name));
    for (int i = 0; i < frame->exit_count; i++) c->insn[frame->exits[i]].imm = c->insns;
    checker_region_end(c, old);
    return true;
}

static bool call_function(Checker *c, const Node *at, const Val *fn, const Arg *arg, int args, Val *out) {
    const Node *f = fn->function;
    for (const Frame *up = c->frame; up; up = up->caller)
        if (up->function == f)
            return checker_fail(c, at, "RecursionError",
                                "maximum recursion depth exceeded: %.*s calls itself",
                                STR_ARG(f->function.name));
    if (c->calls >= CALLS_MAX)
        return checker_fail(c, at, "RecursionError", "maximum recursion depth exceeded");
    Val *value = NEWN(c->arena, Val, (size_t)f->function.params.n + 1);
    const Node *foreign = c->foreign;
    if (!foreign && fn->home != c->frame->module) c->foreign = at;
    if (!bind_helper(c, at, fn, arg, args, value)) return false;
    Frame frame = {.function = f, .module = fn->home, .caller = c->frame, .entered = c->guard};
    c->frame = &frame;
    c->calls++;
    bool ok = true;
    for (int i = 0; ok && i < f->function.params.n; i++)
        ok = scope_set(c, at, f->function.params.at[i]->param.name, &value[i]);
    // A loop around the call does not forbid its returns: they only leave the helper.
    ok = ok && inline_body(c, at, &frame, out);
    c->calls--;
    c->frame = frame.caller;
    c->guard = frame.entered;
    c->foreign = foreign;
    return ok;
}

// ---- functions of @triton.constexpr_function, and of @tl.constexpr ----

bool is_constexpr_function(const Node *f) {
    const Node *d = f->function.decorators.n == 1 ? f->function.decorators.at[0] : NULL;
    return d && (node_is_name(d, "constexpr_function") ||
                 (d->kind == NODE_ATTRIBUTE && str_is(d->attribute.name, "constexpr_function") &&
                  node_is_name(d->attribute.value, "triton")) ||
                 (d->kind == NODE_ATTRIBUTE && str_is(d->attribute.name, "constexpr") &&
                  node_is_name(d->attribute.value, "tl")));
}

// A name in front of a call that stands for such a function of the file.
static const Node *constexpr_callee(Checker *c, const Node *func) {
    const Node *alias, *s = NULL;
    if (func->kind != NODE_NAME || scope_find(c, func->name)) return NULL;
    if (library_unsure(c->frame->module, func->name)) return NULL; // check_name() says so
    s = module_binding(c->frame->module, func->name, &alias);
    return s && s->kind == NODE_FUNCTION && is_constexpr_function(s) ? s : NULL;
}

// What Python computes with numbers and types as kernels do with constexprs. `and` and `or` only where their
// truth counts.
static bool is_plain(const Val *v) { return v->kind == VAL_PY || v->kind == VAL_TYPE; }

// dtype.is_bf16(), tl.float32
static bool is_member_of_name(const Node *n) {
    return n->kind == NODE_ATTRIBUTE && n->attribute.value->kind == NODE_NAME;
}
typedef struct {
    Checker *c;
    bool truth, ok;
} Plain;
typedef struct {
    Str name;
    bool found;
} Assigned;
static void find_assigned(void *arg, const Node *n) {
    Assigned *a = arg;
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
        a->found |=
            (n->assign.targets.at[i]->kind == NODE_NAME && str_eq(n->assign.targets.at[i]->name, a->name));
    a->found |= n->kind == NODE_AUGASSIGN && n->augassign.target->kind == NODE_NAME &&
                str_eq(n->augassign.target->name, a->name);
    node_each_child(n, find_assigned, a); // a tree's height is bounded
}
// A name that the function assigns to is its own everywhere, and no number of the module before that.
static bool is_unset(Checker *c, Str name) {
    Assigned a = {.name = name};
    if (scope_find(c, name)) return false;
    for (int i = 0; !a.found && i < c->frame->function->function.body.n; i++)
        find_assigned(&a, c->frame->function->function.body.at[i]);
    return a.found;
}

static void look_plain(void *arg, const Node *n) {
    Plain *p = arg, inner = {p->c, false, true};
    switch (n->kind) {
    case NODE_NAME: inner.ok = !is_unset(p->c, n->name); break;
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE:
    case NODE_BINARY: break;
    case NODE_COMPARE: inner.ok = n->compare.rest.n == 1; break;
    case NODE_UNARY: inner.truth = n->unary.op == OPER_NOT; break;
    case NODE_BOOLOP: inner.ok = p->truth, inner.truth = true; break;
    case NODE_ATTRIBUTE: inner.ok = is_member_of_name(n); break;
    case NODE_CALL:
        if (is_member_of_name(n->call.func) && !n->call.args.n && !n->call.keywords.n) break;
        inner.ok = !n->call.keywords.n && constexpr_callee(p->c, n->call.func) &&
                   !is_unset(p->c, n->call.func->name);
        for (int i = 0; i < n->call.args.n; i++) look_plain(&inner, n->call.args.at[i]);
        p->ok &= inner.ok;
        return;
    case NODE_IFEXP:
        look_plain(&inner, n->ifexp.then);
        look_plain(&inner, n->ifexp.otherwise);
        inner.truth = true;
        look_plain(&inner, n->ifexp.cond);
        p->ok &= inner.ok;
        return;
    default: inner.ok = false;
    }
    if (inner.ok) node_each_child(n, look_plain, &inner); // a tree's height is bounded
    p->ok &= inner.ok;
}

static bool not_plain(Checker *c, const Node *at) {
    return checker_unsupported(
        c, at,
        "of functions of @triton.constexpr_function, kernels run those here that assign "
        "numbers to names, choose by `if` and return a number or a type, on constexprs");
}

static bool plain_value(Checker *c, const Node *n, bool truth, Val *out) {
    Plain plain = {c, truth, true};
    look_plain(&plain, n);
    if (!plain.ok) return not_plain(c, n);
    return check_expr(c, n, out) && (is_plain(out) || not_plain(c, n));
}

// Everything that it is made of, whether it runs or not: nothing else binds names.
static void look_form(void *arg, const Node *n) {
    bool *ok = arg;
    switch (n->kind) {
    case NODE_PASS:
    case NODE_NAME:
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE:
    case NODE_BINARY:
    case NODE_COMPARE:
    case NODE_UNARY:
    case NODE_BOOLOP:
    case NODE_ATTRIBUTE:
    case NODE_CALL:
    case NODE_IFEXP:
    case NODE_RETURN:
    case NODE_IF: break;
    case NODE_EXPRSTMT: *ok &= n->value->kind == NODE_STRING; return;
    case NODE_ASSIGN: *ok &= n->assign.targets.n == 1 && n->assign.targets.at[0]->kind == NODE_NAME; break;
    case NODE_AUGASSIGN: *ok &= n->augassign.target->kind == NODE_NAME; break;
    default: *ok = false;
    }
    if (*ok) node_each_child(n, look_form, ok); // a tree's height is bounded
}

static bool plain_block(Checker *c, const Nodes *body, Val *out);

static bool plain_statement(Checker *c, const Node *n, Val *out) {
    Val v, old;
    bool yes;
    check_note(c, n->span.at);
    switch (n->kind) {
    case NODE_PASS: return true;
    case NODE_EXPRSTMT: return true; // a text: look_form()
    case NODE_ASSIGN: {
        const Node *to = n->assign.targets.at[0];
        return plain_value(c, n->assign.value, false, &v) && scope_set(c, to, to->name, &v);
    }
    case NODE_AUGASSIGN: {
        const Node *to = n->augassign.target;
        return plain_value(c, to, false, &old) && plain_value(c, n->augassign.value, false, &v) &&
               check_binary(c, n, n->augassign.op, &old, &v, &v) && (v.kind == VAL_PY || not_plain(c, n)) &&
               scope_set(c, to, to->name, &v);
    }
    case NODE_IF:
        return plain_value(c, n->branch.cond, true, &v) && check_truth(c, n->branch.cond, &v, &yes) &&
               plain_block(c, yes ? &n->branch.then : &n->branch.otherwise, out);
    case NODE_RETURN:
        c->frame->returned = true;
        return n->value ? plain_value(c, n->value, false, out) : not_plain(c, n);
    default: return not_plain(c, n);
    }
}

static bool plain_block(Checker *c, const Nodes *body, Val *out) {
    for (int i = 0; i < body->n && !c->frame->returned; i++)
        if (!checker_spend(c, body->at[i], 1) || !plain_statement(c, body->at[i], out)) return false;
    return true;
}

// Python runs it while Triton compiles, on the values of constexprs, and its result is one again.
static bool call_constexpr(Checker *c, const Node *at, const Node *f, const Arg *arg, int args, Val *out) {
    const Node *home = c->frame->module;
    for (int i = 0; i < args; i++)
        if (!is_plain(&arg[i].value)) return not_plain(c, at);
    bool form = c->calls < CALLS_MAX;
    for (int i = 0; form && i < f->function.body.n; i++) look_form(&form, f->function.body.at[i]);
    if (!form) return not_plain(c, at);
    for (const Frame *up = c->frame; up; up = up->caller)
        if (up->function == f) return checker_unsupported(c, at, "a constexpr_function that calls itself");
    Val *value = NEWN(c->arena, Val, (size_t)f->function.params.n + 1);
    Val fn = {.kind = VAL_FUNCTION, .function = f, .home = home};
    if (!bind_helper(c, at, &fn, arg, args, value)) return false;
    Frame frame = {.function = f, .module = home, .caller = c->frame, .entered = c->guard};
    bool ok = true, allowed = c->globals_allowed;
    c->frame = &frame;
    c->globals_allowed = true;
    c->calls++;
    for (int i = 0; ok && i < f->function.params.n; i++)
        ok = scope_set(c, at, f->function.params.at[i]->param.name, &value[i]);
    ok = ok && plain_block(c, &f->function.body, out) && (frame.returned || not_plain(c, at));
    c->calls--;
    c->globals_allowed = allowed;
    c->frame = frame.caller;
    c->guard = frame.entered;
    return ok;
}

bool check_apply(Checker *c, const Node *at, const Val *f, const Val *arg, int args, Val *out) {
    Arg *list = NEWN(c->arena, Arg, (size_t)args + 1);
    for (int i = 0; i < args; i++) list[i] = (Arg){.value = arg[i], .at = at};
    return checker_spend(c, at, args) && call_function(c, at, f, list, args, out);
}

// ---- the call ----

static bool gather_arguments(Checker *c, const Node *n, Arg **out, int *count) {
    Nodes args = n->call.args, keywords = n->call.keywords;
    int cap = args.n + keywords.n + 1, k = 0;
    Arg *arg = NEWN(c->arena, Arg, (size_t)cap);
    for (int i = 0; i < args.n; i++) {
        const Node *a = args.at[i];
        Val v;
        if (!check_expr(c, a->kind == NODE_STARRED ? a->value : a, &v)) return false;
        if (a->kind != NODE_STARRED) {
            arg[k++] = (Arg){.value = v, .at = a};
            continue;
        }
        if (v.kind != VAL_TUPLE)
            return checker_fail(c, a, "TypeError", "argument after * must be an iterable, not %s",
                                val_class(&v));
        if (!checker_spend(c, a, v.tuple.n)) return false;
        cap += v.tuple.n;
        arg = MORE(c->arena, Arg, arg, k, cap);
        for (int j = 0; j < v.tuple.n; j++) arg[k++] = (Arg){.value = v.tuple.at[j], .at = a};
    }
    for (int i = 0; i < keywords.n; i++) {
        const Node *kw = keywords.at[i];
        if (!kw->keyword.name.len) return checker_fail(c, kw, NULL, "unsupported AST node type: **keywords");
        arg[k] = (Arg){.name = kw->keyword.name, .at = kw};
        if (!check_expr(c, kw->keyword.value, &arg[k++].value)) return false;
    }
    *out = arg;
    *count = k;
    return true;
}

bool check_call(Checker *c, const Node *n, Val *out) {
    Val f;
    Arg *arg;
    int args;
    const Node *folded = constexpr_callee(c, n->call.func);
    if (folded) return gather_arguments(c, n, &arg, &args) && call_constexpr(c, n, folded, arg, args, out);
    if (!check_expr(c, n->call.func, &f)) return false;
    if (f.kind == VAL_OP && f.op.row->run == check_static_print) return *out = val_none(), true;
    if (!gather_arguments(c, n, &arg, &args)) return false;
    switch (f.kind) {
    case VAL_OP: return check_op(c, n, f.op, arg, args, out);
    case VAL_FUNCTION: return call_function(c, n, &f, arg, args, out);
    case VAL_BUILTIN: return f.builtin.row->run(c, n, f.builtin.row, f.builtin.self, arg, args, out);
    default:
        return checker_fail(c, n, "TypeError", "'%s' object is not callable",
                            f.kind == VAL_PY ? py_type_name(f.py.kind) : val_class(&f));
    }
}
