// One pass over host code before anything runs. It knows names, not types: what depends on a value (`x + 1`
// with a tensor x) is refused when it is reached. Kernel bodies are the checker's business; only what Python
// would evaluate around them (decorators, defaults, annotations) is looked at here. What needs no names, but
// the form of one statement or expression alone, is in syntax_policy.c; expressions are in screen_expr.c,
// imports in screen_import.c.
#include "host/policy/api_names.h"
#include "host/policy/screening.h"
#include "lang/library.h"
#include "tile/check/check.h"

enum { FINDINGS_MAX = 8 };

static void screen_block(Screen *s, Scope *scope, const Nodes *body);

void refuse_as(Screen *s, DiagKind kind, Span at, const char *what, Str name, const char *why) {
    DiagList *d = kind == DIAG_UNSUPPORTED ? &s->later : s->d;
    s->ok = false;
    if (s->found++ >= FINDINGS_MAX) return;
    if (name.len)
        diag_clean(d, kind, at, "%s%.*s`: %s", what, STR_ARG(name), why);
    else
        diag_clean(d, kind, at, "%s", why);
}

void refuse(Screen *s, Span at, const char *why) { refuse_as(s, DIAG_REFUSED, at, "", (Str){0}, why); }
void refuse_form(Screen *s, Span at, Form f) {
    refuse_as(s, form_rule[f].kind, at, "", (Str){0}, form_rule[f].why);
}
void refuse_named(Screen *s, Span at, const char *what, Str name, Form f) {
    refuse_as(s, form_rule[f].kind, at, what, name, form_rule[f].why);
}

void refuse_name(Screen *s, Span at, Str name, bool member) {
    s->ok = false;
    if (s->found >= FINDINGS_MAX) return; // looking for the nearest name is not free
    DiagKind kind;
    const char *why = api_reason(s->arena, name, member, s->candidate, &kind);
    LibraryUse needs = member ? library_method_needs(name) : library_needs(name);
    if (member && needs == LIBRARY_NONE)
        needs = library_needs(str_of(arena_printf(s->arena, "nn.%.*s", STR_ARG(name))));
    if (s->module->module.model && needs != LIBRARY_NONE) {
        why = arena_printf(s->arena, LIBRARY_REFUSES, library_use_name[s->library], library_use_name[needs]);
        kind = DIAG_REFUSED;
    }
    refuse_as(s, kind, at, member ? "`." : "`", name, why);
}

bool too_deep(Screen *s, Span at) {
    if (s->depth < WALK_MAX) return false;
    if (s->ok) refuse_form(s, at, FORM_DEEP);
    return true;
}

// --- statements ---

static void refuse_decorators(Screen *s, Scope *scope, const Node *n, Form why) {
    const Nodes *d = &n->function.decorators;
    Buf name = BUF(s->arena);
    const Node *last = d->at[0], *alias;
    for (int i = 0; i < d->n; i++) { // of several the file's own decides
        const Node *f = d->at[i]->kind == NODE_CALL ? d->at[i]->call.func : d->at[i], *root = f;
        while (root->kind == NODE_ATTRIBUTE) root = root->attribute.value;
        const Node *by = root->kind == NODE_NAME ? module_binding(s->module, root->name, &alias) : NULL;
        bool own = by ? by->kind != NODE_IMPORT : bound_here(scope, root->name);
        if (by && by->kind == NODE_IMPORT && import_of_package(by, alias))
            return refuse_package(s, n->span, by, alias);
        if (form_rule[why].kind == DIAG_UNSUPPORTED && root->kind == NODE_NAME && own)
            why = FORM_OWN_DECORATOR;
        if (i == 0) last = f;
    }
    if (form_rule[why].kind == DIAG_UNSUPPORTED && node_dotted(last, &name))
        refuse_named(s, n->span, "@", str_of(arena_printf(s->arena, "`%s", buf_cstr(&name))), why);
    else
        refuse_form(s, n->span, why);
    for (int i = 0; i < d->n; i++) {
        const Node *f = d->at[i]->kind == NODE_CALL ? d->at[i]->call.func : d->at[i];
        bool of_triton = f->kind == NODE_ATTRIBUTE && node_is_name(f->attribute.value, "triton");
        if (!of_triton) screen_child(&(Within){s, scope}, d->at[i]);
    }
}

static void find_caller(void *arg, const Node *n) {
    Str *name = arg; // empty, once it is found
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    if (n->kind == NODE_NAME && name->len && str_eq(n->name, *name)) name->len = 0;
    node_each_child(n, find_caller, arg); // a tree's height is bounded
}
// What is computed while kernels are compiled, and by nobody else: the checker of kernels reads it.
static bool is_for_kernels(const Screen *s, const Node *n) {
    Str name = n->function.name;
    if (!s->candidate || !is_constexpr_function(n)) return false;
    node_each_child(s->module, find_caller, &name);
    return name.len > 0;
}

// Of such a function only what nothing may do is refused here.
static void screen_for_kernels(Screen *s, Scope *scope, const Node *n) {
    Screen inner = *s;
    DiagList refused = DIAGS(s->arena), later = DIAGS(s->arena);
    inner.d = &refused;
    inner.later = later;
    inner.ok = true;
    Scope own = {.outer = scope, .names = {.arena = s->arena}};
    own.params.arena = s->arena;
    names_of_params(&own.params, &n->function.params);
    names_of_params(&own.names, &n->function.params);
    names_of_block(&own.names, &n->function.body, 0);
    inner.in_function = true;
    screen_block(&inner, &own, &n->function.body);
    for (int i = 0; i < refused.count && i < FINDINGS_MAX; i++)
        refuse_as(s, DIAG_REFUSED, refused.at[i].span, "", (Str){0}, refused.at[i].msg);
}

static void screen_function(Screen *s, Scope *scope, const Node *n, bool method) {
    bool jit = false;
    Form why;
    if (!method) screen_binding(s, n->span, n->function.name);
    if (!method && !decorators_allowed(n, &jit, &why)) refuse_decorators(s, scope, n, why);
    if (n->function.async) refuse_form(s, n->span, FORM_AWAIT);
    if (jit && !s->candidate) refuse(s, n->span, "a reference has no kernels");
    if (jit && s->in_function) refuse(s, n->span, "kernels are defined at module level");
    if (!method && is_for_kernels(s, n)) return screen_for_kernels(s, scope, n);
    screen_params(s, scope, &n->function.params);
    screen_annotation(s, n->function.returns);
    for (int i = 0; jit && i + 1 < n->function.decorators.n; i++)
        screen_expr(s, scope, n->function.decorators.at[i]);
    if (jit) return;
    Scope inner = {.outer = scope, .names = {.arena = s->arena}};
    inner.params.arena = s->arena;
    names_of_params(&inner.params, &n->function.params);
    names_of_params(&inner.names, &n->function.params);
    names_of_block(&inner.names, &n->function.body, 0);
    bool was_in = s->in_function, was_late = s->late;
    s->in_function = true;
    s->late = false;
    screen_block(s, &inner, &n->function.body);
    s->in_function = was_in;
    s->late = was_late;
}

static void screen_with(Screen *s, Scope *scope, const Node *n) {
    for (int i = 0; i < n->with.items.n; i++) {
        const Node *item = n->with.items.at[i];
        bool quiet = context_quiet(item);
        if (!s->candidate || n->with.async || item->withitem.target)
            refuse_within(s, scope, item->withitem.value, FORM_WITH);
        else if (quiet)
            screen_arguments(s, scope, item->withitem.value);
        else // what it gives is looked at when it is reached
            screen_expr(s, scope, item->withitem.value);
    }
    screen_block(s, scope, &n->with.body);
}

static void screen_class(Screen *s, Scope *scope, const Node *n) {
    MethodKind kind;
    screen_binding(s, n->span, n->klass.name);
    if (!s->candidate || s->in_function || class_kind(n) == CLASS_NONE ||
        names_have(&scope->names, STR("nn")))
        refuse_form(s, n->span, FORM_CLASS);
    for (int i = 0; i < n->klass.body.n; i++) {
        const Node *f = n->klass.body.at[i];
        bool text = f->kind == NODE_EXPRSTMT && f->value->kind == NODE_STRING;
        bool constant = is_class_value(f);
        if (constant) screen_statement(s, scope, f);
        bool declared =
            f->kind == NODE_ANNASSIGN && !f->annassign.value && f->annassign.target->kind == NODE_NAME;
        if (declared) screen_statement(s, scope, f);
        if (text || constant || declared || f->kind == NODE_PASS) continue;
        const Nodes *params = f->kind == NODE_FUNCTION ? &f->function.params : &(Nodes){0};
        if (f->kind != NODE_FUNCTION || !is_method(f, &kind)) {
            if (params->n) s->self = params->at[0]->param.name;
            refuse_within(s, scope, f, FORM_CLASS);
            s->self = (Str){0};
            continue;
        }
        // What a class holds is not its methods' to change.
        bool self = kind == METHOD_PLAIN || kind == METHOD_STATIC;
        s->self = self && params->n && params->at[0]->param.kind == PARAM_PLAIN ? params->at[0]->param.name
                                                                                : (Str){0};
        screen_function(s, scope, f, true);
        s->self = (Str){0};
    }
}

// Names that may stand behind a dot because classes of the file give them.
static void members_of(void *arg, const Node *n) {
    Names *names = arg;
    if (n->kind == NODE_ASSIGN)
        for (int i = 0; i < n->assign.targets.n; i++) {
            const Node *t = n->assign.targets.at[i];
            if (t->kind == NODE_ATTRIBUTE) names_add(names, t->attribute.name);
            for (int k = 0; (t->kind == NODE_TUPLE || t->kind == NODE_LIST) && k < t->items.n; k++)
                if (t->items.at[k]->kind == NODE_ATTRIBUTE) names_add(names, t->items.at[k]->attribute.name);
        }
    node_each_child(n, members_of, names);
}

static void collect_members(Names *names, const Nodes *body) {
    static const char *const given[] = {
        "apply",      "save_for_backward",       "saved_tensors",        "forward",
        "mark_dirty", "mark_non_differentiable", "set_materialize_grads"};
    for (int i = 0; i < body->n; i++) {
        if (body->at[i]->kind != NODE_CLASS) continue;
        for (size_t k = 0; k < sizeof given / sizeof *given; k++) names_add(names, str_of(given[k]));
        names_of_block(names, &body->at[i]->klass.body, 0);
        members_of(names, body->at[i]);
    }
}

// `raise Name` or `raise Name(...)` of the exceptions in the table.
static void screen_raise(Screen *s, Scope *scope, const Node *n) {
    const Node *e = n->raise.value;
    if (!e || n->raise.cause) {
        refuse_within(s, scope, n, FORM_RAISE);
        return;
    }
    const Node *name = e->kind == NODE_CALL ? e->call.func : e;
    const Api *row = name->kind == NODE_NAME && !bound_here(scope, name->name)
                         ? api_named(name->name, s->candidate)
                         : NULL;
    if (!row || row->kind != API_EXCEPTION)
        refuse_within(s, scope, n, FORM_RAISE);
    else
        screen_expr(s, scope, e);
}

void screen_statement(Screen *s, Scope *scope, const Node *n) {
    switch (n->kind) {
    case NODE_EXPRSTMT: screen_expr(s, scope, n->value); break;
    case NODE_ASSIGN:
        for (int i = 0; i < n->assign.targets.n; i++) screen_target(s, scope, n->assign.targets.at[i]);
        screen_expr(s, scope, n->assign.value);
        break;
    case NODE_AUGASSIGN:
        screen_target(s, scope, n->augassign.target);
        screen_expr(s, scope, n->augassign.value);
        break;
    case NODE_ANNASSIGN:
        screen_target(s, scope, n->annassign.target);
        screen_annotation(s, n->annassign.annotation);
        if (n->annassign.value) screen_expr(s, scope, n->annassign.value);
        break;
    case NODE_RETURN:
        if (n->value) screen_expr(s, scope, n->value);
        break;
    case NODE_ASSERT:
        screen_expr(s, scope, n->assertion.cond);
        if (n->assertion.message) screen_expr(s, scope, n->assertion.message);
        break;
    case NODE_RAISE: screen_raise(s, scope, n); break;
    case NODE_IF:
        screen_expr(s, scope, n->branch.cond);
        screen_block(s, scope, &n->branch.then);
        screen_block(s, scope, &n->branch.otherwise);
        break;
    case NODE_FOR:
        screen_target(s, scope, n->loop.target);
        screen_expr(s, scope, n->loop.iter);
        screen_block(s, scope, &n->loop.body);
        screen_block(s, scope, &n->loop.otherwise);
        break;
    case NODE_WHILE:
        screen_expr(s, scope, n->whileloop.cond);
        screen_block(s, scope, &n->whileloop.body);
        screen_block(s, scope, &n->whileloop.otherwise);
        break;
    case NODE_WITH: screen_with(s, scope, n); break;
    case NODE_DELETE:
        for (int i = 0; i < n->items.n; i++) screen_target(s, scope, n->items.at[i]);
        break;
    case NODE_FUNCTION: screen_function(s, scope, n, false); break;
    case NODE_CLASS: screen_class(s, scope, n); break;
    case NODE_IMPORT: screen_import(s, n); break;
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_PASS: break; // the parser knows where they may stand
    default: refuse_within(s, scope, n, node_form(n->kind));
    }
}

static void screen_block(Screen *s, Scope *scope, const Nodes *body) {
    if (!body->n || too_deep(s, body->at[0]->span)) return;
    s->depth++;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        screen_statement(s, scope, n);
        bool text = n->kind == NODE_EXPRSTMT && n->value->kind == NODE_STRING;
        s->late |= n->kind != NODE_IMPORT && !text;
    }
    s->depth--;
}

static void screen_block_targets(Screen *s, Scope *scope, const Node *n) {
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
        screen_target(s, scope, n->assign.targets.at[i]);
    if (n->kind == NODE_ANNASSIGN) screen_target(s, scope, n->annassign.target);
}

// A name that a function of the file has: what a call gives in its place is not what kernels see.
static bool takes_function(const Screen *s, const Node *n) {
    Names bound = {.arena = s->arena};
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
        names_of_target(&bound, n->assign.targets.at[i], 0);
    for (int i = 0; i < bound.n; i++)
        if (module_function(s->module, bound.at[i])) return true;
    return false;
}

static bool is_print(const Node *n) { return n->kind == NODE_CALL && node_is_name(n->call.func, "print"); }

// triton.set_allocator(...): what it gives is the launches' own.
static bool is_allocator(const Node *n) {
    return n->kind == NODE_CALL && n->call.func->kind == NODE_ATTRIBUTE &&
           str_is(n->call.func->attribute.name, "set_allocator") &&
           node_is_name(n->call.func->attribute.value, "triton");
}

// Only what leaves nothing behind that a later call, or another kernel file, could see.
static void screen_module_statement(Screen *s, Scope *scope, const Node *n) {
    const Node *value = NULL;
    bool fits = false;
    if (s->candidate && is_main_guard(n))
        return; // a file that is judged is not run: nothing in there ever is
    switch (n->kind) {
    case NODE_IMPORT:
    case NODE_FUNCTION:
    case NODE_CLASS:
    case NODE_PASS: return screen_statement(s, scope, n);
    case NODE_EXPRSTMT: // a docstring, a word to whoever reads the output
        fits =
            n->value->kind == NODE_STRING || is_print(n->value) || (s->candidate && is_allocator(n->value));
        if (fits) screen_expr(s, scope, n->value);
        break;
    case NODE_ASSIGN: value = n->assign.value; break;
    case NODE_ANNASSIGN: value = n->annassign.value; break;
    case NODE_ASSERT: // of constants: whoever imports the file gets past it, or nobody does
        if (s->candidate) return screen_statement(s, scope, n);
        break;
    case NODE_AUGASSIGN:
    case NODE_DELETE:
    case NODE_IF:
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_WITH: break;
    default: return screen_statement(s, scope, n); // refused there, with the construct's own reason
    }
    if (value || n->kind == NODE_ANNASSIGN) {
        // An op definition's `inputs = {...}` is plain data.
        // What comes out is looked at where a candidate's module runs (exec.c).
        fits = !value || is_constant(value) || (s->candidate && !takes_function(s, n)) ||
               (!s->candidate && value->kind == NODE_DICT);
        if (s->candidate && value && (is_device_alias(value) || is_type_name(s->module, value))) {
            if (value->kind == NODE_SUBSCRIPT) screen_annotation(s, value);
            screen_block_targets(s, scope, n);
            return;
        }
        screen_statement(s, scope, n);
        if (!fits) refuse_form(s, value->span, FORM_MODULE_STATE);
        return;
    }
    if (!fits) {
        refuse_form(s, n->span, FORM_MODULE_LEVEL);
        screen_statement(s, scope, n);
    }
}

// What the file has instead of the function that is entered.
static const char *no_entry(Screen *s, const char *entry) {
    enum { NAMED_MAX = 4 };
    Buf text = BUF(s->arena);
    const Nodes *body = &s->module->module.body;
    int functions = 0, models = 0;
    Str one = {0}, model = {0};
    buf_puts(&text, "every file of this kind defines one");
    for (int i = 0; s->candidate && i < body->n; i++) {
        const Node *n = body->at[i];
        if (n->kind == NODE_CLASS && class_kind(n) == CLASS_MODULE) model = n->klass.name, models++;
        if (n->kind == NODE_ASSIGN && n->assign.targets.n == 1 &&
            node_is_name(n->assign.targets.at[0], entry))
            return "it must be a function of this file: `def run(...)`, or `run = NAME` of one that is "
                   "defined above and nowhere else, or functools.partial of one with constants; or `--entry "
                   "NAME` names it";
        if (n->kind != NODE_FUNCTION || is_jit_function(n) || str_starts(n->function.name, "_")) continue;
        one = n->function.name;
        if (functions++ < NAMED_MAX)
            buf_printf(&text, "%s`%.*s`", functions == 1 ? "; this one has " : ", ", STR_ARG(one));
    }
    if (s->candidate && !functions && !models)
        buf_puts(&text,
                 ": `def run(...)`, a class ModelNew, or a function that `--entry NAME` names; for a kernel "
                 "without host code, a manifest (`ouroboros manifest FILE`)");
    if (functions > NAMED_MAX) buf_puts(&text, " and others");
    if (functions)
        buf_printf(&text, ": name the one that launches the kernels by `--entry %.*s`, or write `%s = %.*s`",
                   STR_ARG(one), entry, STR_ARG(one));
    if (models)
        buf_printf(&text, "%s `ModelNew = %.*s` for the class", functions ? ", or" : "; write",
                   STR_ARG(model));
    return buf_cstr(&text);
}

static bool screen_module(const Node *module, DiagList *d, bool candidate, const char *entry) {
    Screen s = {.arena = d->arena,
                .d = d,
                .later = DIAGS(d->arena),
                .candidate = candidate,
                .ok = true,
                .module = module,
                .model = candidate && entry_model(module),
                .library = candidate ? library_allowed(module) : LIBRARY_NONE};
    const Node *f = module_function(module, str_of(entry));
    bool unread = false; // a ModelNew that is not read is told of where it stands
    for (int i = 0; candidate && i < module->module.body.n; i++) {
        const Node *n = module->module.body.at[i];
        unread |= n->kind == NODE_CLASS && str_is(n->klass.name, "ModelNew") && class_kind(n) == CLASS_NONE;
    }
    if (candidate && module->module.model && !s.model && !unread)
        return refuse_as(&s, DIAG_REFUSED, module->span, "there is no class `", STR("ModelNew"),
                         "a reference in module form is answered by `class ModelNew(nn.Module)`"),
               false;
    if (!f && !s.model && !unread)
        return refuse_as(&s, DIAG_REFUSED, module->span, "there is no function `", str_of(entry),
                         no_entry(&s, entry)),
               false;
    Scope globals = {.names = {.arena = d->arena}};
    const Nodes *body = &module->module.body;
    names_of_block(&globals.names, body, 0);
    for (int i = 0; i < body->n; i++)
        if (candidate && body->at[i]->kind == NODE_IMPORT && library_of(module, body->at[i]))
            names_of_import(&globals.names, body->at[i]);
    s.state.arena = d->arena;
    if (candidate) names_of_state(&s.state, module);
    s.members.arena = s.quiet.arena = s.reaching.arena = d->arena;
    for (int i = 0; candidate && i < body->n; i++)
        if (body->at[i]->kind == NODE_IMPORT && !library_of(module, body->at[i]))
            names_of_quiet(d->arena, &s.quiet, &s.reaching, body->at[i]);
    s.limits.arena = d->arena;
    if (candidate) node_each_child(module, collect_limits, &s.limits);
    if (candidate) collect_members(&s.members, body);
    for (int i = 0; i < body->n; i++) screen_module_statement(&s, &globals, body->at[i]);
    if (f && candidate && is_jit_function(f))
        refuse(&s, f->span, "run is a kernel; it must be the host function that launches kernels");
    for (int i = 0; i < s.later.count; i++)
        diag_clean(d, s.later.at[i].kind, s.later.at[i].span, "%s", s.later.at[i].msg);
    return s.ok;
}

bool host_screen(const Node *module, DiagList *d) { return screen_module(module, d, true, "run"); }
bool host_screen_reference(const Node *module, DiagList *d) {
    return screen_module(module, d, false, "reference");
}
