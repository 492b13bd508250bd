// Expressions, annotations, targets and parameters of host code: every name in them exists, and may be used.
#include "host/policy/api_names.h"
#include "host/policy/screening.h"

bool bound_here(const Scope *scope, Str name) {
    for (; scope; scope = scope->outer)
        if (names_have(&scope->names, name)) return true;
    return false;
}

void screen_child(void *arg, const Node *n) {
    Within *w = arg;
    if (n->kind == NODE_NAME || n->kind == NODE_ATTRIBUTE || n->kind == NODE_CALL ||
        n->kind == NODE_SUBSCRIPT)
        return screen_expr(w->s, w->scope, n);
    if (n->kind == NODE_ASSIGN || n->kind == NODE_AUGASSIGN || n->kind == NODE_GLOBAL ||
        n->kind == NODE_IMPORT)
        return screen_statement(w->s, w->scope, n);
    node_each_child(n, screen_child, w); // a tree's height is bounded
}
void refuse_within(Screen *s, Scope *scope, const Node *n, Form f) {
    refuse_form(s, n->span, f);
    if (s->depth < WALK_MAX) node_each_child(n, screen_child, &(Within){s, scope});
}

// Names through which everything else is reached keep their meaning. Fewer than imports are kept from
// (known_root): a size may be called F or nn, and an entry is defined by its name.
void screen_binding(Screen *s, Span at, Str name) {
    static const char *const fixed[] = {"torch", "triton", "tl", "math", "libdevice", "F"};
    if (str_starts(name, "__"))
        refuse_as(s, DIAG_REFUSED, at, "`", name, "host code does not reach into Python's own names");
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed - s->candidate; i++)
        if (str_is(name, fixed[i])) refuse_named(s, at, "`", name, FORM_MODULE_NAME);
}

// A name of a function's own that is no parameter of it.
static bool made_here(const Scope *scope, const Node *n) {
    for (; n->kind == NODE_NAME && scope && scope->outer; scope = scope->outer)
        if (names_have(&scope->names, n->name)) return !names_have(&scope->params, n->name);
    return false;
}

// An item of what a function made, of what an object holds, or of the module's own state. Who holds it may
// still refuse: tensors, what is frozen.
static bool may_store(const Screen *s, const Scope *scope, const Node *of) {
    if (of->kind == NODE_NAME && s->in_function && names_have(&s->state, of->name)) return true;
    bool held = false;
    for (; of->kind == NODE_ATTRIBUTE || of->kind == NODE_SUBSCRIPT; held = true)
        of = of->kind == NODE_ATTRIBUTE ? of->attribute.value : of->subscript.value;
    if (of->kind != NODE_NAME) return false;
    const Node *alias, *klass = held && s->in_function ? module_binding(s->module, of->name, &alias) : NULL;
    if (klass && klass->kind == NODE_CLASS) return true; // ModelNew._cache[N]
    return made_here(scope, of) || (held && s->self.len && str_eq(of->name, s->self));
}

static bool is_torch_flag(const Node *n) { // torch.backends.cuda.matmul.allow_tf32; torch.empty is none
    bool within = n->attribute.value->kind == NODE_ATTRIBUTE;
    while (n->kind == NODE_ATTRIBUTE) n = n->attribute.value;
    return within && node_is_name(n, "torch");
}

void screen_target(Screen *s, Scope *scope, const Node *n) {
    if (too_deep(s, n->span)) return;
    s->depth++;
    switch (n->kind) {
    case NODE_NAME: screen_binding(s, n->span, n->name); break;
    case NODE_STARRED: screen_target(s, scope, n->value); break;
    case NODE_TUPLE:
    case NODE_LIST:
        for (int i = 0; i < n->items.n; i++) screen_target(s, scope, n->items.at[i]);
        break;
    case NODE_ATTRIBUTE:
        if (s->self.len && n->attribute.value->kind == NODE_NAME &&
            str_eq(n->attribute.value->name, s->self) && !str_starts(n->attribute.name, "__"))
            break;
        refuse_named(s, n->span, "assignment to `.", n->attribute.name,
                     is_torch_flag(n) ? FORM_TORCH_FLAG : FORM_ATTRIBUTE);
        break;
    case NODE_SUBSCRIPT:
        if (!s->candidate || !may_store(s, scope, n->subscript.value))
            refuse_form(s, n->span, FORM_SUBSCRIPT);
        screen_expr(s, scope, n->subscript.value);
        screen_expr(s, scope, n->subscript.index);
        break;
    default: refuse_within(s, scope, n, node_form(n->kind));
    }
    s->depth--;
}

void screen_annotation(Screen *s, const Node *n) {
    if (!n || too_deep(s, n->span)) return;
    s->depth++;
    switch (n->kind) {
    case NODE_NAME:
    case NODE_NONE:
    case NODE_ELLIPSIS:
    case NODE_INT:
    case NODE_STRING: break;
    case NODE_ATTRIBUTE: screen_annotation(s, n->attribute.value); break;
    case NODE_SUBSCRIPT:
        screen_annotation(s, n->subscript.value);
        screen_annotation(s, n->subscript.index);
        break;
    case NODE_BINARY:
        screen_annotation(s, n->binary.left);
        screen_annotation(s, n->binary.right);
        break;
    case NODE_TUPLE:
    case NODE_LIST:
        for (int i = 0; i < n->items.n; i++) screen_annotation(s, n->items.at[i]);
        break;
    default: // a call, say: nothing here evaluates it, but what it names may be refused
        refuse_within(s, NULL, n, FORM_ANNOTATION);
    }
    s->depth--;
}

void screen_all(Screen *s, Scope *scope, const Nodes *list) {
    for (int i = 0; i < list->n; i++)
        if (list->at[i]) screen_expr(s, scope, list->at[i]);
}

void screen_arguments(Screen *s, Scope *scope, const Node *call) {
    screen_all(s, scope, &call->call.args);
    for (int i = 0; i < call->call.keywords.n; i++)
        screen_expr(s, scope, call->call.keywords.at[i]->keyword.value);
}

// torch.finfo(...).max: of a tensor the same name would compute.
static bool makes_limits(const Node *n) {
    const Node *f = n->kind == NODE_CALL ? n->call.func : n;
    return n->kind == NODE_CALL && f->kind == NODE_ATTRIBUTE && node_is_name(f->attribute.value, "torch") &&
           (str_is(f->attribute.name, "finfo") || str_is(f->attribute.name, "iinfo"));
}
static bool is_limit(const Screen *s, const Node *n) {
    static const char *const limit[] = {"max", "min", "bits", "eps", "tiny", "smallest_normal"};
    const Node *of = n->attribute.value;
    bool known = false;
    for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) known |= str_is(n->attribute.name, limit[i]);
    return known && (makes_limits(of) || (of->kind == NODE_NAME && names_have(&s->limits, of->name)));
}
void collect_limits(void *arg, const Node *n) {
    Names *names = arg;
    bool makes = n->kind == NODE_ASSIGN && makes_limits(n->assign.value);
    for (int i = 0; makes && i < n->assign.targets.n; i++) names_of_target(names, n->assign.targets.at[i], 0);
    node_each_child(n, collect_limits, names);
}

static void screen_member(Screen *s, const Node *n) {
    Str name = n->attribute.name;
    if (str_starts(name, "__"))
        refuse_as(s, DIAG_REFUSED, n->span, "`.", name,
                  "host code does not reach into Python's own attributes");
    else if (names_have(&s->members, name) || is_limit(s, n) ||
             library_has(s->library, library_method_needs(name)))
        return; // of an object; anything else's is refused when it is reached
    else if (!api_is_member(name, s->candidate) && !api_is_last_part(name, s->candidate))
        refuse_name(s, n->span, name, true);
}

// `torch.a.b`: looked up from the root outwards, as far as it names modules.
static void screen_attribute(Screen *s, Scope *scope, const Node *n) {
    enum { CHAIN_MAX = 12 };
    const Node *part[CHAIN_MAX];
    int parts = 0;
    const Node *root = n;
    for (; root->kind == NODE_ATTRIBUTE && parts < CHAIN_MAX; root = root->attribute.value)
        part[parts++] = root;
    bool from_module =
        root->kind == NODE_NAME && !bound_here(scope, root->name) && api_is_module(root->name, s->candidate);
    if (!from_module) {
        screen_expr(s, scope, root);
        while (parts > 0) screen_member(s, part[--parts]);
        return;
    }
    Str path = root->name;
    while (parts > 0) {
        const Node *p = part[--parts];
        if (str_starts(p->attribute.name, "__") && !str_is(p->attribute.name, "__version__"))
            return screen_member(s, p);
        path = str_of(arena_printf(s->arena, "%.*s.%.*s", STR_ARG(path), STR_ARG(p->attribute.name)));
        Str full = api_canonical(s->arena, path);
        if (api_named(full, s->candidate) || library_has(s->library, library_needs(full))) break;
        bool whole =
            parts == 0 && api_known_refused(full, false, s->candidate); // of it some names are allowed
        if (!whole && (str_is(full, "torch.nn") || api_is_module(full, s->candidate))) continue;
        while (parts > 0) { // the reason belongs to the whole name
            p = part[--parts];
            path = str_of(arena_printf(s->arena, "%.*s.%.*s", STR_ARG(path), STR_ARG(p->attribute.name)));
        }
        return refuse_name(s, n->span, api_canonical(s->arena, path), false);
    }
    while (parts > 0) screen_member(s, part[--parts]); // members of what the name stands for
}

static void screen_name(Screen *s, Scope *scope, const Node *n) {
    if (bound_here(scope, n->name) || api_named(n->name, s->candidate) ||
        api_is_module(n->name, s->candidate))
        return;
    const Node *alias,
        *by = names_have(&s->quiet, n->name) ? module_binding(s->module, n->name, &alias) : NULL;
    bool package = by && by->kind == NODE_IMPORT && import_of_package(by, alias);
    if (package && s->in_function) return; // told if it is ever reached (scopes.c)
    if (package)
        refuse_package(s, n->span, by, alias);
    else if (names_have(&s->quiet, n->name))
        refuse_as(s, names_have(&s->reaching, n->name) ? DIAG_REFUSED : DIAG_UNSUPPORTED, n->span, "`",
                  n->name, "it may be imported, but host code uses nothing but torch, triton and math");
    else if (str_starts(n->name, "__"))
        refuse_as(s, DIAG_REFUSED, n->span, "`", n->name, "host code does not reach into Python's own names");
    else if (api_known_refused(n->name, false, s->candidate))
        refuse_name(s, n->span, n->name, false);
    // Anything else is a NameError, if it is ever reached.
}

void screen_params(Screen *s, Scope *scope, const Nodes *params) {
    for (int i = 0; i < params->n; i++) {
        const Node *p = params->at[i];
        screen_binding(s, p->span, p->param.name);
        screen_annotation(s, p->param.annotation);
        if (!p->param.def) continue;
        if (is_constant(p->param.def))
            screen_expr(s, scope, p->param.def);
        else
            refuse_named(s, p->param.def->span, "default of `", p->param.name, FORM_DEFAULT);
    }
}

static void screen_lambda(Screen *s, Scope *scope, const Node *n) {
    Scope inner = {.outer = scope, .names = {.arena = s->arena}};
    screen_params(s, scope, &n->lambda.params);
    inner.params.arena = s->arena;
    names_of_params(&inner.params, &n->lambda.params);
    names_of_params(&inner.names, &n->lambda.params);
    names_of_expr(&inner.names, n->lambda.body, 0);
    screen_expr(s, &inner, n->lambda.body);
}

static void screen_comp(Screen *s, Scope *scope, const Node *n) {
    Scope inner = {.outer = scope, .names = {.arena = s->arena}};
    for (int i = 0; i < n->comp.fors.n; i++)
        names_of_target(&inner.names, n->comp.fors.at[i]->compfor.target, 0);
    for (int i = 0; i < n->comp.fors.n; i++) {
        const Node *f = n->comp.fors.at[i];
        screen_target(s, &inner, f->compfor.target);
        screen_expr(s, &inner, f->compfor.iter);
        screen_all(s, &inner, &f->compfor.conds);
    }
    screen_expr(s, &inner, n->comp.element);
    if (n->comp.val) screen_expr(s, &inner, n->comp.val);
}

// os.environ.get("NAME"), os.getenv("NAME"), os.environ["NAME"], "NAME" in os.environ, where
// questions_normalize() has no answer: the variable that is asked for, or whatever stands in its place; NULL
// for anything else.
static const Node *asked_of_environment(const Screen *s, const Scope *scope, const Node *n) {
    static const char *const call[] = {"os.environ.get", "os.getenv", "environ.get", "getenv"};
    const Node *of = NULL, *name = NULL;
    Buf path = BUF(s->arena);
    bool asks = false;
    if (n->kind == NODE_CALL && n->call.args.n) of = n->call.func, name = n->call.args.at[0];
    if (n->kind == NODE_SUBSCRIPT) of = n->subscript.value, name = n->subscript.index;
    if (n->kind == NODE_COMPARE && n->compare.rest.n == 1 &&
        (n->compare.ops[0] == OPER_IN || n->compare.ops[0] == OPER_NOTIN))
        of = n->compare.rest.at[0], name = n->compare.left;
    const Node *root = of;
    while (root && root->kind == NODE_ATTRIBUTE) root = root->attribute.value;
    if (!root || root->kind != NODE_NAME || bound_here(scope, root->name) ||
        !names_have(&s->quiet, root->name) || !node_dotted(of, &path))
        return NULL;
    for (size_t i = 0; n->kind == NODE_CALL && i < sizeof call / sizeof *call; i++)
        asks |= str_is(buf_str(&path), call[i]);
    if (n->kind != NODE_CALL)
        asks = str_is(buf_str(&path), "os.environ") || str_is(buf_str(&path), "environ");
    return asks ? name : NULL;
}
static void refuse_environment(Screen *s, const Node *n, const Node *name) {
    Str known = name->kind == NODE_STRING && !name->string.bytes ? name->string.text : (Str){0};
    refuse_as(
        s, DIAG_REFUSED, n->span, known.len ? "the environment's `" : "", known,
        arena_printf(s->arena,
                     "a file asks by os.environ.get(\"NAME\", default), and only for variables without "
                     "effect on numbers, such as TRITON_DEBUG and TRITON_PRINT_AUTOTUNING (doc/kernels.md "
                     "lists them); write the value that you mean down as a constant%s%.*s%s",
                     known.len ? ": " : "", STR_ARG(known), known.len ? " = \"0\"" : ""));
}

static void screen_expr_here(Screen *s, Scope *scope, const Node *n) {
    const Node *variable = s->quiet.n ? asked_of_environment(s, scope, n) : NULL;
    if (variable) return refuse_environment(s, n, variable);
    switch (n->kind) {
    case NODE_NAME: screen_name(s, scope, n); break;
    case NODE_ATTRIBUTE: screen_attribute(s, scope, n); break;
    case NODE_STRING:
        if (n->string.bytes) refuse_form(s, n->span, FORM_BYTES);
        break;
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE:
    case NODE_ELLIPSIS: break;
    case NODE_FORMAT:
        screen_expr(s, scope, n->format.value);
        if (n->format.spec) screen_expr(s, scope, n->format.spec);
        break;
    case NODE_FSTRING:
    case NODE_TUPLE:
    case NODE_LIST:
    case NODE_SET: screen_all(s, scope, &n->items); break;
    case NODE_DICT:
        screen_all(s, scope, &n->dict.keys);
        screen_all(s, scope, &n->dict.values);
        break;
    case NODE_UNARY: screen_expr(s, scope, n->unary.operand); break;
    case NODE_BINARY:
        screen_expr(s, scope, n->binary.left);
        screen_expr(s, scope, n->binary.right);
        break;
    case NODE_BOOLOP: screen_all(s, scope, &n->boolop.items); break;
    case NODE_COMPARE:
        screen_expr(s, scope, n->compare.left);
        screen_all(s, scope, &n->compare.rest);
        break;
    case NODE_CALL:
        if (s->self.len && (is_super_init(n) || (s->model && is_parameter(n)))) break;
        screen_expr(s, scope, n->call.func);
        screen_arguments(s, scope, n);
        break;
    case NODE_SUBSCRIPT:
        screen_expr(s, scope, n->subscript.value);
        screen_expr(s, scope, n->subscript.index);
        break;
    case NODE_SLICE:
        if (n->slice.lo) screen_expr(s, scope, n->slice.lo);
        if (n->slice.hi) screen_expr(s, scope, n->slice.hi);
        if (n->slice.step) screen_expr(s, scope, n->slice.step);
        break;
    case NODE_IFEXP:
        screen_expr(s, scope, n->ifexp.cond);
        screen_expr(s, scope, n->ifexp.then);
        screen_expr(s, scope, n->ifexp.otherwise);
        break;
    case NODE_STARRED: screen_expr(s, scope, n->value); break;
    case NODE_LAMBDA: screen_lambda(s, scope, n); break;
    case NODE_COMP: screen_comp(s, scope, n); break;
    case NODE_WALRUS:
        screen_binding(s, n->span, n->walrus.name);
        screen_expr(s, scope, n->walrus.value);
        break;
    default: refuse_within(s, scope, n, node_form(n->kind));
    }
}

void screen_expr(Screen *s, Scope *scope, const Node *n) {
    if (too_deep(s, n->span)) return;
    s->depth++;
    screen_expr_here(s, scope, n);
    s->depth--;
}
