// A kernel file's tree, rewritten to a normal form before anything looks at it: decorators with arguments,
// imports inside `try`, docstrings and annotations, alignment of a tensor's memory. Later passes know one
// spelling only.
#include "host/normalize/normalize.h"
#include "lang/library.h"

// The tree is this process's own and has not been shown to anybody yet.
static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; }
static void drop(const Node *n) {
    mine(n)->kind = NODE_PASS;
    mine(n)->height = 1;
}

// ---- f = triton.autotune(...)(f)

static bool is_triton(const Node *f, const char *name) {
    return f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, name) &&
           node_is_name(f->attribute.value, "triton");
}

static Node *only_function(const Nodes *body, int before, Str name) {
    Node *found = NULL;
    for (int i = 0; i < before; i++) {
        if (body->at[i]->kind != NODE_FUNCTION || !str_eq(body->at[i]->function.name, name)) continue;
        if (found) return NULL;
        found = body->at[i];
    }
    return found;
}

static void note_names(void *arg, const Node *n) {
    if (n->kind == NODE_NAME) names_add(arg, n->name);
    node_each_child(n, note_names, arg);
}

// Whether a decorator would do above its function what it does in a later statement: nobody asks for the
// function in between, and no name of the decorator is bound there.
static bool may_rise(Arena *a, const Nodes *body, const Node *f, int i, const Node *d) {
    Names used = {.arena = a};
    int from = 0;
    note_names(&used, d);
    names_add(&used, f->function.name);
    while (body->at[from] != f) from++;
    for (int k = from + 1; k < i; k++) {
        const Node *s = body->at[k];
        Names bound = {.arena = a}, mentioned = {.arena = a};
        if (s->kind == NODE_IMPORT)
            names_of_import(&bound, s);
        else
            names_of_block(&bound, &(Nodes){&body->at[k], 1}, 0);
        for (int b = 0; b < bound.n; b++)
            if (names_have(&used, bound.at[b])) return false;
        note_names(&mentioned, s);
        if (s->kind != NODE_PASS && names_have(&mentioned, f->function.name)) return false;
    }
    return true;
}

// As a decorator: triton.jit stands directly above the function, the others above all.
static void decorate(Arena *a, const Nodes *body, int i) {
    const Node *s = body->at[i];
    if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 || s->assign.targets.at[0]->kind != NODE_NAME ||
        s->assign.value->kind != NODE_CALL)
        return;
    const Node *call = s->assign.value, *d = call->call.func;
    bool jit = is_triton(d, "jit");
    bool other =
        d->kind == NODE_CALL && (is_triton(d->call.func, "autotune") ||
                                 is_triton(d->call.func, "heuristics") || is_triton(d->call.func, "jit"));
    if ((!jit && !other) || call->call.args.n != 1 || call->call.keywords.n ||
        call->call.args.at[0]->kind != NODE_NAME ||
        !str_eq(call->call.args.at[0]->name, s->assign.targets.at[0]->name))
        return;
    Node *f = only_function(body, i, s->assign.targets.at[0]->name);
    bool last = jit || is_triton(d->call.func, "jit");
    if (!f || is_jit_function(f) == last || !may_rise(a, body, f, i, d)) return;
    Nodes to = {NEWN(a, Node *, (size_t)f->function.decorators.n + 1), f->function.decorators.n + 1};
    for (int k = 0; k < f->function.decorators.n; k++) to.at[k + !last] = f->function.decorators.at[k];
    to.at[last ? to.n - 1 : 0] = mine(d);
    f->function.decorators = to;
    drop(s);
}

// ---- decorators that change nothing here

// None of them is a number.
static bool is_torch_option(const Node *n) {
    if (n->kind == NODE_DICT) return n->dict.keys.n == 0; // often meant as an empty set
    if (n->kind == NODE_SET)
        for (int i = 0; i < n->items.n; i++)
            if (n->items.at[i]->kind != NODE_STRING) return false;
    return n->kind == NODE_SET || is_written_list(n, false) || (is_written(n) && n->kind != NODE_INT);
}

// What a decorator's name stands for: "torch.library.triton_op", also where an import gives its last part.
static Str decorator_path(Arena *a, const Node *module, const Node *d) {
    Str path = {0};
    for (int depth = 0; d->kind == NODE_ATTRIBUTE && depth < 8; d = d->attribute.value, depth++)
        path = str_of(arena_printf(a, ".%.*s%.*s", STR_ARG(d->attribute.name), STR_ARG(path)));
    if (d->kind != NODE_NAME) return (Str){0};
    const Node *alias, *s = module_binding(module, d->name, &alias);
    bool from = s && s->kind == NODE_IMPORT && s->import.from && !s->import.dots && !library_of(module, s);
    if (!from) return str_of(arena_printf(a, "%.*s%.*s", STR_ARG(d->name), STR_ARG(path)));
    return str_of(arena_printf(a, "%.*s.%.*s%.*s", STR_ARG(s->import.module), STR_ARG(alias->alias.name),
                               STR_ARG(path)));
}

// torch makes a schema of the types.
static bool has_types(const Node *f) {
    if (f->kind != NODE_FUNCTION) return false;
    for (int i = 0; i < f->function.params.n; i++)
        if (!f->function.params.at[i]->param.annotation) return false;
    return f->function.returns;
}

// What says how torch is to treat a function that it calls, compiles or differentiates: the function is the
// same. Only with the arguments that torch takes; of operators the name comes first.
static bool is_torch_word(Arena *a, const Node *module, const Node *f, const Node *d, bool *op) {
    static const struct {
        const char *word, *needs, *may;
        bool op, bare;
    } known[] = {{"torch.library.custom_op", "mutates_args", "device_types", true, false},
                 {"torch.library.triton_op", "mutates_args", "mutates_args", true, false},
                 {"torch.compiler.disable", NULL, "recursive", false, true},
                 {"torch._dynamo.disable", NULL, "recursive", false, true},
                 {"torch.jit.ignore", NULL, "drop", false, true},
                 {"torch.amp.custom_fwd", "device_type", "device_type", false, false},
                 {"torch.amp.custom_bwd", "device_type", "device_type", false, false},
                 {"torch.cuda.amp.custom_fwd", NULL, "cast_inputs", false, true},
                 {"torch.cuda.amp.custom_bwd", NULL, NULL, false, true}};
    const Node *alias, *by = d->kind == NODE_NAME ? module_binding(module, d->name, &alias) : NULL;
    if (by && by->kind == NODE_ASSIGN && by->assign.targets.n == 1) d = by->assign.value; // a name for one
    const Node *call = d->kind == NODE_CALL ? d : NULL;
    if (call) d = call->call.func;
    Str path = decorator_path(a, module, d);
    size_t i = 0;
    while (i < sizeof known / sizeof *known && !str_is(path, known[i].word)) i++;
    if (i == sizeof known / sizeof *known) return false;
    *op = known[i].op;
    if (!call) return known[i].bare;
    const Node *name = call->call.args.n ? call->call.args.at[0] : NULL;
    if (call->call.args.n != known[i].op ||
        (name && (name->kind != NODE_STRING || !memmem(name->string.text.p, name->string.text.len, "::", 2) ||
                  !has_types(f))))
        return false;
    bool needed = !known[i].needs;
    for (int k = 0; k < call->call.keywords.n; k++) {
        Str word = call->call.keywords.at[k]->keyword.name;
        bool needs = known[i].needs && str_is(word, known[i].needs);
        if ((!needs && !(known[i].may && str_is(word, known[i].may))) ||
            !is_torch_option(call->call.keywords.at[k]->keyword.value))
            return false;
        needed |= needs;
    }
    return needed;
}

// Calls by the path of the operator "mylib::glu": of the function.
static void use_operator(Arena *a, const Node *module, const Node *f, const Node *d) {
    Str id = d->call.args.at[0]->string.text;
    const char *mark = memmem(id.p, id.len, "::", 2);
    operator_use(a, module, (Str){id.p, (size_t)(mark - id.p)},
                 (Str){mark + 2, (size_t)(id.p + id.len - mark - 2)}, f->function.name);
}

static void undecorate(Arena *a, const Node *module, Node *f, Names *ops) {
    Nodes *d = &f->function.decorators;
    int n = 0;
    for (int i = 0; i < d->n; i++) {
        bool op;
        if (ops && d->at[i]->kind == NODE_CALL && is_torch_word(a, module, f, d->at[i], &op) && op &&
            only_function(&module->module.body, module->module.body.n, f->function.name) == f)
            use_operator(a, module, f, d->at[i]);
        if (!is_torch_word(a, module, f, d->at[i], &op))
            d->at[n++] = d->at[i];
        else if (op && ops)
            names_add(ops, f->function.name);
    }
    d->n = n;
}

// `@op.register_fake` above a function that tells a compiler about shapes, `@op.register_kernel("cpu")`,
// `op.register_autograd(backward, ...)`: nothing here asks for them.
static bool is_registered(const Names *ops, const Nodes *body, int i) {
    const Node *f = body->at[i], *d = NULL, *call = NULL;
    if (f->kind == NODE_FUNCTION && f->function.decorators.n == 1) d = f->function.decorators.at[0];
    if (f->kind == NODE_EXPRSTMT && f->value->kind == NODE_CALL) d = f->value;
    if (d && d->kind == NODE_CALL) call = d, d = d->call.func;
    if (!d || d->kind != NODE_ATTRIBUTE || d->attribute.value->kind != NODE_NAME ||
        !names_have(ops, d->attribute.value->name) || !only_function(body, i, d->attribute.value->name))
        return false;
    Str name = d->attribute.name;
    const Node *first = call && call->call.args.n == 1 ? call->call.args.at[0] : NULL;
    if (f->kind == NODE_EXPRSTMT) {
        bool ok = str_is(name, "register_autograd") && first && first->kind == NODE_NAME;
        for (int k = 0; ok && k < call->call.keywords.n; k++)
            ok = call->call.keywords.at[k]->keyword.value->kind == NODE_NAME;
        return ok;
    }
    if (str_is(name, "register_kernel"))
        return first && first->kind == NODE_STRING && str_is(first->string.text, "cpu");
    return !call && str_is(name, "register_fake");
}

static void normalize_decorators(Arena *a, const Node *module) {
    const Nodes *body = &module->module.body;
    Names ops = {.arena = a};
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        if (is_registered(&ops, body, i)) {
            drop(s);
        } else if (s->kind == NODE_FUNCTION && !is_jit_function(s)) {
            undecorate(a, module, s, &ops);
        } else if (s->kind == NODE_CLASS) {
            for (int k = 0; k < s->klass.body.n; k++)
                if (s->klass.body.at[k]->kind == NODE_FUNCTION)
                    undecorate(a, module, s->klass.body.at[k], NULL);
        } else {
            decorate(a, body, i);
        }
    }
    for (int i = 0; i < body->n; i++) { // names for such decorators: nothing is left that asks for one
        Node *s = body->at[i];
        bool op = false;
        if (s->kind == NODE_ASSIGN && s->assign.targets.n == 1 &&
            s->assign.targets.at[0]->kind == NODE_NAME && is_torch_word(a, module, s, s->assign.value, &op) &&
            !op)
            drop(s);
    }
}

// ---- try: import ... except ImportError: ...

static bool binds_constant(const Node *s) {
    return s->kind == NODE_ASSIGN && s->assign.targets.n == 1 && s->assign.targets.at[0]->kind == NODE_NAME &&
           (is_written(s->assign.value) || is_written_list(s->assign.value, false));
}

static bool names_import_error(const Node *t) {
    for (int i = 0; t->kind == NODE_TUPLE && i < t->items.n; i++)
        if (t->items.at[i]->kind == NODE_TUPLE || !names_import_error(t->items.at[i])) return false;
    return (t->kind == NODE_TUPLE && t->items.n > 0) || node_is_name(t, "ImportError") ||
           node_is_name(t, "ModuleNotFoundError") || node_is_name(t, "Exception");
}
static bool is_import_error(const Node *handler) { // a bare `except:` is that, too
    const Node *t = handler->handler.type;
    return !t || (!handler->handler.name.len && names_import_error(t));
}

// tanh = libdevice.tanh, whose root is a module.
static bool binds_path(const Node *s) {
    const Node *value = s->kind == NODE_ASSIGN ? s->assign.value : s;
    if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 || s->assign.targets.at[0]->kind != NODE_NAME ||
        value->kind != NODE_ATTRIBUTE)
        return false;
    while (value->kind == NODE_ATTRIBUTE) value = value->attribute.value;
    return value->kind == NODE_NAME;
}
// What fails by no import.
static bool defines(const Node *s) {
    return s->kind == NODE_PASS || s->kind == NODE_FUNCTION || s->kind == NODE_CLASS || binds_constant(s);
}

static bool of_package(const Node *import) { // which may be there or not
    for (int i = 0; i < import->import.names.n; i++)
        if (import_of_package(import, import->import.names.at[i])) return true;
    return false;
}

// Whether a block of imports and definitions does in every place what it does here.
static bool is_sure(const Node *module, const Nodes *block, bool literals) {
    const char *why;
    for (int i = 0; i < block->n; i++) {
        const Node *s = block->at[i];
        if (defines(s) ? literals || s->kind == NODE_PASS : literals && binds_path(s)) continue;
        if (s->kind != NODE_IMPORT || library_of(module, s) || of_package(s) ||
            !(literals ? import_canonical(s, true, &why) || import_brings(s) : import_allowed(s, true, &why)))
            return false;
    }
    return true;
}

// A handler that may take the place of the imports before it.
static bool is_fallback(const Nodes *block) {
    for (int i = 0; i < block->n; i++) {
        const Node *s = block->at[i];
        if (!defines(s) && !binds_path(s) && s->kind != NODE_IMPORT && s->kind != NODE_TRY) return false;
    }
    return true;
}

// Imports that are all there leave their names; one that Triton does not have leaves what its handler
// defines. Of others nobody may ask whether they were: another machine has what this one has not. Where
// nobody does, the statement goes.
static bool normalize_try(Arena *a, const Node *module, const Node *t, Nodes *out) {
    const Nodes *body = &t->attempt.body, *handlers = &t->attempt.handlers;
    if (t->attempt.otherwise.n || t->attempt.final.n || !handlers->n) return false;
    if (is_sure(module, body, true) || is_sure(module, body, false)) return *out = *body, true;
    for (int i = 0; i < handlers->n; i++)
        if (!is_import_error(handlers->at[i])) return false;
    int imports = 0;
    for (int i = 0; i < body->n; i++) {
        if (body->at[i]->kind != NODE_IMPORT && !defines(body->at[i]) && !binds_path(body->at[i]))
            return false;
        imports += body->at[i]->kind == NODE_IMPORT;
    }
    const Node *first = body->at[0];
    if (first->kind == NODE_IMPORT && !library_of(module, first) && import_missing(a, first) &&
        handlers->n == 1 && is_fallback(&handlers->at[0]->handler.body))
        return *out = handlers->at[0]->handler.body, true;
    for (int i = 0; i < handlers->n; i++)
        if (!is_sure(module, &handlers->at[i]->handler.body, true)) return false;
    return *out = (Nodes){0}, imports > 0;
}

// The names that a dropped try would have bound, and that something mentions: all of them, or of its imports
// alone, which its own functions may use, too.
static bool is_missed(Arena *a, const Node *module, const Node *t, bool all) {
    Names used = {.arena = a}, bound = {.arena = a};
    for (int i = 0; i < module->module.body.n; i++)
        if (module->module.body.at[i] != t) note_names(&used, module->module.body.at[i]);
    const Nodes *part = &t->attempt.body;
    for (int h = -1; h < t->attempt.handlers.n; h++) {
        if (h >= 0) part = &t->attempt.handlers.at[h]->handler.body;
        for (int i = 0; i < part->n; i++) {
            const Node *s = part->at[i];
            if (s->kind != NODE_IMPORT && all) names_of_block(&bound, &(Nodes){&part->at[i], 1}, 0);
            if (s->kind != NODE_IMPORT && !all) note_names(&used, s);
            if (s->kind == NODE_IMPORT) names_of_import(&bound, s);
        }
    }
    for (int i = 0; i < bound.n; i++)
        if (names_have(&used, bound.at[i])) return true;
    return false;
}

// What the imports and their one handler define without these imports: one half where the device is the
// usual one, the other elsewhere (module_branches.c).
static bool branch_of_both(Arena *a, const Node *t, Nodes *out) {
    static const char text[] =
        "if torch.cuda.get_device_properties(0).multi_processor_count != 132:\n    pass\n";
    DiagList d = DIAGS(a);
    Node *m = t->attempt.handlers.n == 1 ? parse_module(a, str_of(text), &d) : NULL;
    if (!m) return false;
    const Nodes *body = &t->attempt.body, *other = &t->attempt.handlers.at[0]->handler.body;
    Node *s = m->module.body.at[0];
    tree_place(s, t->span);
    s->height = t->height > s->height ? t->height : s->height;
    s->branch.then = (Nodes){NEWN(a, Node *, (size_t)body->n + 1), 0};
    for (int i = 0; i < other->n; i++)
        if (other->at[i]->kind == NODE_IMPORT) return false;
    for (int i = 0; i < body->n; i++)
        if (body->at[i]->kind != NODE_IMPORT) s->branch.then.at[s->branch.then.n++] = body->at[i];
    s->branch.otherwise = *other;
    Names one = {.arena = a}, two = {.arena = a};
    names_of_block(&one, &s->branch.then, 0);
    names_of_block(&two, other, 0);
    for (int i = 0; i < one.n; i++)
        if (!names_have(&two, one.at[i])) return false;
    if (one.n == 0 || one.n != two.n) return false;
    *out = (Nodes){NEWN(a, Node *, 1), 1};
    out->at[0] = s;
    return true;
}

static bool normalize_tries(Arena *a, Node *module) {
    const Nodes *body = &module->module.body;
    int most = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        most += s->kind == NODE_TRY ? s->attempt.body.n : 1;
        for (int h = 0; s->kind == NODE_TRY && h < s->attempt.handlers.n; h++)
            most += s->attempt.handlers.at[h]->handler.body.n;
    }
    Nodes out = {NEWN(a, Node *, (size_t)most + 1), 0};
    bool any = false;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        Nodes part = {&s, 1};
        if (s->kind == NODE_TRY) {
            Nodes kept;
            bool gone = normalize_try(a, module, s, &kept);
            if (gone && !kept.n && is_missed(a, module, s, true))
                gone = !is_missed(a, module, s, false) && branch_of_both(a, s, &kept);
            if (gone) part = kept, any = true;
        }
        for (int k = 0; k < part.n; k++) out.at[out.n++] = part.at[k];
    }
    if (any) module->module.body = out;
    return any;
}

// ---- if TYPE_CHECKING: ...

static bool imports_from_typing(const Node *module, const Node *s, Str name) {
    if (s->kind != NODE_IMPORT || s->import.dots || library_of(module, s)) return false;
    if (s->import.from && !str_is(s->import.module, "typing")) return false;
    for (int i = 0; i < s->import.names.n; i++)
        if (!s->import.names.at[i]->alias.as.len && str_eq(s->import.names.at[i]->alias.name, name))
            return true;
    return false;
}

// Whether a statement of the module is such an `if`, and its flag surely that of typing, which is False.
static bool is_for_types(const Node *module, const Bindings *bound, int i, bool *inverted) {
    const Node *s = module->module.body.at[i];
    if (s->kind != NODE_IF) return false;
    const Node *flag = s->branch.cond;
    *inverted = flag->kind == NODE_UNARY && flag->unary.op == OPER_NOT;
    if (*inverted) flag = flag->unary.operand;
    bool member = flag->kind == NODE_ATTRIBUTE && str_is(flag->attribute.name, "TYPE_CHECKING");
    Str name = member ? STR("typing") : STR("TYPE_CHECKING");
    if (member) flag = flag->attribute.value;
    if (flag->kind != NODE_NAME || !str_eq(flag->name, name) || !bound_once(bound, name)) return false;
    for (int k = 0; k < i; k++) {
        const Node *import = module->module.body.at[k];
        if (imports_from_typing(module, import, name) && import->import.from == !member) return true;
    }
    return false;
}

static bool is_quiet_for_types(const Nodes *block) {
    for (int i = 0; i < block->n; i++) {
        const Node *s = block->at[i];
        bool text = s->kind == NODE_EXPRSTMT && s->value->kind == NODE_STRING;
        if (!text && s->kind != NODE_IMPORT && s->kind != NODE_ASSIGN && s->kind != NODE_PASS) return false;
    }
    return true;
}

// What is for those who read types never runs; the other half always does.
static void normalize_types(Arena *a, Node *module) {
    const Nodes *body = &module->module.body;
    Bindings bound;
    bool any = false, inverted;
    int most = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        any |= s->kind == NODE_IF;
        most += s->kind == NODE_IF ? s->branch.then.n + s->branch.otherwise.n + 1 : 1;
    }
    if (!any) return;
    names_of_module(&bound, a, module);
    Nodes out = {NEWN(a, Node *, (size_t)most + 1), 0};
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        Nodes part = {&s, 1};
        if (is_for_types(module, &bound, i, &inverted) &&
            is_quiet_for_types(inverted ? &s->branch.otherwise : &s->branch.then))
            part = inverted ? s->branch.then : s->branch.otherwise;
        for (int k = 0; k < part.n; k++) out.at[out.n++] = part.at[k];
    }
    module->module.body = out;
}

// ---- x.data_ptr() % 16

// Tensors begin at multiples of 512 bytes; where a view of one begins, its offset says.
static void normalize_alignment(void *arg, const Node *n) {
    Arena *a = arg;
    node_each_child(n, normalize_alignment, a);
    if (n->kind != NODE_BINARY || n->binary.op != OPER_MOD || n->binary.right->kind != NODE_INT ||
        n->binary.left->kind != NODE_CALL)
        return;
    uint64_t of = n->binary.right->integer.value;
    Node *call = mine(n->binary.left);
    const Node *f = call->call.func;
    if (n->binary.right->integer.too_big || of < 2 || of > 64 || (of & (of - 1)) || call->call.args.n ||
        call->call.keywords.n || f->kind != NODE_ATTRIBUTE || !str_is(f->attribute.name, "data_ptr") ||
        f->attribute.value->kind != NODE_NAME)
        return;
    Node *part[2];
    for (int i = 0; i < 2; i++) {
        Node *member = NEW(a, Node);
        *member = *f;
        member->attribute.name = i ? STR("element_size") : STR("storage_offset");
        part[i] = NEW(a, Node);
        *part[i] = *call;
        part[i]->call.func = member;
    }
    call->kind = NODE_BINARY;
    call->height++;
    call->binary.op = OPER_MUL;
    call->binary.left = part[0];
    call->binary.right = part[1];
}

// ---- what a file says about itself

// `__all__ = ["run"]`, `__version__ = "1.0"`: for others that import the file. Of Python's other names of
// this form some mean something to Python.
static void drop_about(const Node *s) {
    static const char *const about[] = {"__all__",        "__author__",    "__copyright__", "__credits__",
                                        "__date__",       "__docformat__", "__email__",     "__license__",
                                        "__maintainer__", "__status__",    "__version__"};
    if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 ||
        (s->assign.value->kind != NODE_STRING && !is_written_list(s->assign.value, false)))
        return;
    for (size_t i = 0; i < sizeof about / sizeof *about; i++)
        if (node_is_name(s->assign.targets.at[0], about[i])) return drop(s);
}

// `__slots__ = ("a", "b")`: which attributes there are; no class here asks for others.
static void drop_slots(const Node *klass) {
    for (int i = 0; i < klass->klass.body.n; i++) {
        const Node *s = klass->klass.body.at[i];
        if (s->kind == NODE_ASSIGN && s->assign.targets.n == 1 &&
            node_is_name(s->assign.targets.at[0], "__slots__") &&
            (s->assign.value->kind == NODE_STRING || is_written_list(s->assign.value, false)))
            drop(s);
    }
}

static void mark_imports(void *arg, const Node *n) {
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    if (n->kind == NODE_IMPORT) own->import.old_names = true;
    node_each_child(n, mark_imports, arg); // a tree's height is bounded
}

// What the one leaves may be what the other asks for; each takes something away.
static void normalize_conditions(Arena *a, Node *module) {
    versions_normalize(a, module);
    for (bool more = true; more;) {
        more = normalize_tries(a, module);
        more |= conditions_normalize(a, module);
    }
}

// The files of --include that a module imports from, and those that they do: each once.
static void normalize_included(const Node *module, int depth) {
    if (++depth > LIBRARY_FILES_MAX) return;
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        LibraryFile *file = s->kind == NODE_IMPORT ? library_of(module, s) : NULL;
        if (!file || file->normal || !library_module(module->module.library, file)) continue;
        file->normal = true;
        Node *own =
            (Node *)(uintptr_t)file->module; // the tree is this process's own, and as old as the library
        submodules_normalize(module->module.library->arena, own);
        normalize_conditions(module->module.library->arena, own);
        normalize_included(own, depth);
    }
}

bool host_normalize(Arena *a, Node *module, DiagList *d) {
    if (module->module.old_names) mark_imports(NULL, module);
    if (!futures_first(module, d)) return false;
    for (int i = 0; i < module->module.body.n; i++) // what is never run says nothing of the rest
        if (is_main_guard(module->module.body.at[i])) drop(module->module.body.at[i]);
    backwards_drop(module);
    matches_normalize(a, module);
    text_formats_normalize(a, module);
    look_ups_normalize(a, module);
    finally_normalize(a, module);
    generators_normalize(a, module);
    compiled_kernels_normalize(a, module);
    local_imports_normalize(a, module);
    submodules_normalize(a, module);
    context_functions_normalize(a, module);
    inductor_normalize(a, module);
    if (!foreign_normalize(a, module, d)) return false;
    normalize_conditions(a, module);
    normalize_included(module, 0);
    normalize_types(a, module);
    module_tests_drop(a, module);
    module_loops_normalize(a, module);
    registries_normalize(a, module);
    questions_normalize(a, module);
    device_halves_normalize(a, module);
    module_branches_normalize(a, module);
    if (!defined_in_time(a, module, d)) return false;
    named_values_normalize(a, module);
    typing_words_normalize(a, module);
    entry_forms_normalize(a, module);
    inherits_normalize(a, module);
    module_holders_normalize(a, module);
    data_classes_normalize(a, module);
    enums_normalize(a, module);
    attributes_normalize(a, module);
    operators_normalize(a, module);
    normalize_decorators(a, module);
    contiguous_normalize(a, module);
    wrappers_normalize(a, module);
    memoised_normalize(a, module);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        drop_about(s);
        if (s->kind == NODE_CLASS) drop_slots(s);
        if (s->kind != NODE_FUNCTION || !is_jit_function(s)) normalize_alignment(a, s);
    }
    dead_code_drop(a, module);
    if (facts_normalize(a, module)) dead_code_drop(a, module);
    named_truths_normalize(a, module);
    first_items_normalize(a, module);
    augmented_normalize(a, module);
    module_state_normalize(a, module);
    class_state_normalize(a, module);
    if (!imports_complete(a, module, d)) return false;
    return imports_normalize(a, module, d);
}

Node *host_tree(Arena *a, Str source, const Extras *extras, DiagList *d) {
    Node *module = parse_module(a, source, d);
    Library *library = NULL;
    if (!module || (extras->include.len && !library_open(a, extras->include, &library))) return NULL;
    if (library) library->old_names = extras->old_names;
    module->module.library = library;
    module->module.old_names = extras->old_names;
    return host_normalize(a, module, d) ? module : NULL;
}
