#include "service/manifest/entry_choice.h"

#include "lang/parse/lex.h"

#include "base/suggest.h"
#include "host/policy/screen.h"
#include "tile/check/check.h"

static bool is_public(const Node *n) {
    return n->kind == NODE_FUNCTION && !is_jit_function(n) && n->function.name.p[0] != '_';
}

// go = functools.partial(f, ...), go = TABLE["f"]: what it gives is called.
static bool is_given(const Node *module, Str name) {
    const Node *alias, *s = module_binding(module, name, &alias);
    NodeKind kind = s && s->kind == NODE_ASSIGN ? s->assign.value->kind : NODE_NONE;
    return kind == NODE_CALL || kind == NODE_SUBSCRIPT || kind == NODE_LAMBDA || kind == NODE_NAME;
}

static bool is_module_class(const Node *n) {
    if (n->kind != NODE_CLASS || class_kind(n) != CLASS_MODULE) return false;
    for (int i = 0; i < n->klass.body.n; i++)
        if (n->klass.body.at[i]->kind == NODE_FUNCTION &&
            str_is(n->klass.body.at[i]->function.name, "forward"))
            return true;
    return false;
}

// The function or nn.Module of that name, or an error that names the nearest one.
static const Node *named(Arena *a, const Node *module, const char *name, Err *e) {
    const Node *found = module_function(module, str_of(name));
    const Nodes *body = &module->module.body;
    if (found && !is_jit_function(found)) return found;
    if (found) {
        err_record(e, ERR_USAGE, "--entry %s: that is a kernel; it takes the function that launches it",
                   name);
        return NULL;
    }
    Nearest near = nearest_to(str_of(name));
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (is_module_class(n) && str_is(n->klass.name, name)) return n;
        if (n->kind == NODE_FUNCTION) nearest_offer(&near, n->function.name);
        if (is_module_class(n)) nearest_offer(&near, n->klass.name);
    }
    err_record(e, ERR_USAGE, "--entry %s: the file defines no such function or nn.Module%s", name,
               nearest_words(a, &near));
    return NULL;
}

// Those that could be meant, each once: the later one of a name counts.
typedef struct {
    const Node *last;
    Buf all;
    int n;
} Found;
static void found_add(Found *f, const Node *n, Str name, Str last) {
    if (!f->last || !str_eq(name, last)) buf_printf(&f->all, "%s%.*s", f->n++ ? ", " : "", STR_ARG(name));
    f->last = n;
}

typedef struct {
    Str name;
    bool found;
} Mention;
static void find_mention(void *arg, const Node *n) {
    Mention *m = arg;
    m->found |= n->kind == NODE_NAME && str_eq(n->name, m->name);
    node_each_child(n, find_mention, m); // a tree's height is bounded
}
// A module that calls the function: what stands on top is entered.
static bool is_above(const Found *classes, const Found *functions) {
    Mention m = {functions->last->function.name, false};
    find_mention(&m, classes->last);
    return m.found;
}

// The only public function, or the only nn.Module where that calls it or stands alone. NULL: there is none,
// or an error that names them.
static const Node *only_one(Arena *a, const Node *module, const char **chosen, Err *e) {
    const Nodes *body = &module->module.body;
    Found functions = {.all = BUF(a)}, classes = {.all = BUF(a)};
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (is_public(n))
            found_add(&functions, n, n->function.name,
                      functions.last ? functions.last->function.name : (Str){0});
        if (is_module_class(n))
            found_add(&classes, n, n->klass.name, classes.last ? classes.last->klass.name : (Str){0});
    }
    bool class = classes.n == 1 && (functions.n != 1 || is_above(&classes, &functions));
    const Found *f = class ? &classes : &functions;
    if (f->n == 1) {
        *chosen = arena_printf(
            a, class ? "class %.*s, the file's only nn.Module" : "function %.*s, the file's only public one",
            STR_ARG(class ? f->last->klass.name : f->last->function.name));
        return f->last;
    }
    if (functions.n + classes.n == 0) return NULL;
    err_record(e, ERR_USAGE, "the file has no `run`; `--entry NAME` says which one is meant: %s%s%s",
               buf_cstr(&functions.all), functions.n && classes.n ? ", " : "", buf_cstr(&classes.all));
    return NULL;
}

int times_named(Str source, const char *name) {
    int n = 0;
    Lexer l;
    lex_start(&l, source);
    for (Token t = lex_next(&l); t.kind != TOK_END && t.kind != TOK_ERROR; t = lex_next(&l))
        n += t.kind == TOK_NAME && str_is((Str){source.p + t.at, t.len}, name);
    return n;
}

static bool is_input(const Op *op, Str name) {
    for (int i = 0; i < op->inputs; i++)
        if (str_eq(op->input[i].name, name)) return true;
    return false;
}

// One for each input, none of which hides the function.
static Str parameters(Arena *a, const Op *op, Str function) {
    Buf list = BUF(a);
    for (int i = 0; i < op->inputs; i++) {
        Str name = op->input[i].name;
        if (str_eq(name, function)) do
                name = str_of(arena_printf(a, "%.*s_", STR_ARG(name)));
            while (is_input(op, name));
        buf_printf(&list, "%s%.*s", i ? ", " : "", STR_ARG(name));
    }
    return buf_str(&list);
}

bool entry_apply(Arena *a, const char *name, const Op *op, Str source, Entered *out, Err *e) {
    *out = (Entered){.source = source};
    DiagList d = DIAGS(a);
    const Node *module = source.len <= SOURCE_MAX ? parse_module(a, source, &d) : NULL;
    if (!module || (name && strcmp(name, "run") == 0)) return true;
    if (!name && (module_function(module, STR("run")) || entry_model(module))) return true;
    if (!name && (times_named(source, "run") || times_named(source, "ModelNew"))) return true;
    // A `run` of the file's own that nothing calls is only replaced.
    if (name && times_named(source, "run") > (module_function(module, STR("run")) ? 1 : 0))
        return err_set(e, ERR_USAGE,
                       "--entry %s: the file has something else that is called `run`: rename it", name);
    Str entry = name ? str_of(name) : (Str){0};
    const Node *f = NULL;
    if (!name || !is_given(module, entry)) {
        f = name ? named(a, module, name, e) : only_one(a, module, &out->chosen, e);
        if (!f) return e->code == ERR_NONE;
        entry = f->kind == NODE_CLASS ? f->klass.name : f->function.name;
    }
    if (f && f->kind == NODE_CLASS) {
        if (times_named(source, "run") || times_named(source, "ModelNew"))
            return err_set(
                e, ERR_USAGE,
                "--entry %.*s: the file has something else that is called `run` or `ModelNew`: rename it",
                STR_ARG(entry));
        out->source = str_of(arena_printf(a, "%.*s\n\nModelNew = %.*s\n", STR_ARG(source), STR_ARG(entry)));
        return true;
    }
    Buf text = BUF(a);
    Str list = parameters(a, op, entry);
    buf_str_put(&text, source);
    buf_printf(&text, "\n\ndef run(%.*s):\n    return %.*s(%.*s)\n", STR_ARG(list), STR_ARG(entry),
               STR_ARG(list));
    out->source = buf_str(&text);
    return true;
}
