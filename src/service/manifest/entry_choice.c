#include "service/manifest/entry_choice.h"

#include "lang/parse/lex.h"

#include "base/suggest.h"
#include "host/policy/screen.h"
#include "service/manifest/manifest_source.h"
#include "service/manifest/uses.h"
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

// A torch.autograd.Function: entered by its apply().
static bool is_autograd(const Node *n) {
    const Node *base = n->kind == NODE_CLASS && n->klass.bases.n == 1 ? n->klass.bases.at[0] : n;
    return n->kind == NODE_CLASS &&
           (class_kind(n) == CLASS_AUTOGRAD || node_is_name(base, "Function") ||
            (base->kind == NODE_ATTRIBUTE && str_is(base->attribute.name, "Function")));
}

// The function or class of that name, or an error that names the nearest one.
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
        if ((is_module_class(n) || is_autograd(n)) && str_is(n->klass.name, name)) return n;
        if (n->kind == NODE_FUNCTION) nearest_offer(&near, n->function.name);
        if (is_module_class(n) || is_autograd(n)) nearest_offer(&near, n->klass.name);
    }
    err_record(e, ERR_USAGE,
               "--entry %s: the file defines no such function, nn.Module or autograd.Function%s", name,
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

// ---- which of several functions launches

static bool is_test(const Node *f) {
    static const char *const begins[] = {"test",     "bench", "check", "verify",
                                         "validate", "main",  "demo",  "profile"};
    const Nodes *d = &f->function.decorators;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (str_starts(f->function.name, begins[i])) return true;
    for (int i = 0; i < d->n; i++) { // @triton.testing.perf_report(...)
        const Node *by = d->at[i]->kind == NODE_CALL ? d->at[i]->call.func : d->at[i];
        if (by->kind == NODE_ATTRIBUTE && str_is(by->attribute.name, "perf_report")) return true;
        if (node_is_name(by, "perf_report")) return true;
    }
    return false;
}

// Everything of the module that a function reaches, itself not counted.
static Names reached_by(Arena *a, const Node *module, const Node *f) {
    Names all = {.arena = a};
    names_used(a, &all, f, NULL, NULL);
    for (int k = 0; k < all.n; k++)
        for (int i = 0; i < module->module.body.n; i++) {
            Node *s = module->module.body.at[i];
            Names bound = {.arena = a};
            if (s->kind == NODE_IMPORT || is_main_guard(s)) continue;
            names_of_block(&bound, &(Nodes){&s, 1}, 0);
            if (names_have(&bound, all.at[k])) names_used(a, &all, s, NULL, NULL);
        }
    return all;
}
static bool launches(const Node *module, const Names *reached) {
    for (int i = 0; i < reached->n; i++) {
        const Node *f = module_function(module, reached->at[i]);
        if (f && is_jit_function(f)) return true;
    }
    return false;
}

// Of the public functions the one that launches kernels, tests none, and is no part of another such one.
// NULL: none or several are so.
static const Node *only_launcher(Arena *a, const Node *module) {
    const Nodes *body = &module->module.body;
    const Node *found = NULL;
    bool *may = NEWN(a, bool, (size_t)body->n + 1);
    Names *reach = NEWN(a, Names, (size_t)body->n + 1);
    for (int i = 0; i < body->n; i++) {
        const Node *f = body->at[i];
        if (!is_public(f) || is_test(f) || module_function(module, f->function.name) != f) continue;
        reach[i] = reached_by(a, module, f);
        may[i] = launches(module, &reach[i]);
    }
    for (int i = 0; i < body->n; i++) {
        bool part = false;
        for (int k = 0; may[i] && k < body->n; k++)
            part |= k != i && may[k] && names_have(&reach[k], body->at[i]->function.name);
        if (!may[i] || part) continue;
        if (found) return NULL;
        found = body->at[i];
    }
    return found;
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
    const Node *launcher = classes.n ? NULL : only_launcher(a, module);
    if (launcher) {
        *chosen = arena_printf(a, "function %.*s, the file's only public one that launches kernels",
                               STR_ARG(launcher->function.name));
        return launcher;
    }
    err_record(e, ERR_USAGE, "the file has no `run`; `--entry NAME` says which one is meant: %s%s%s",
               buf_cstr(&functions.all), functions.n && classes.n ? ", " : "", buf_cstr(&classes.all));
    return NULL;
}

int times_named(Str source, const char *name) {
    int n = 0;
    Lexer l;
    lex_start(&l, source);
    bool member = false;
    for (Token t = lex_next(&l); t.kind != TOK_END && t.kind != TOK_ERROR; t = lex_next(&l)) {
        Str text = {source.p + t.at, t.len};
        n += t.kind == TOK_NAME && !member && str_is(text, name);
        member = str_is(text, ".");
    }
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

// The same names in another order: whoever wrote the function means them by name.
static bool goes_by_name(const Op *op, const Node *f) {
    bool moved = false;
    for (int i = 0; i < op->inputs; i++) {
        int at = 0;
        const Nodes *p = &f->function.params;
        while (at < p->n && !str_eq(p->at[at]->param.name, op->input[i].name)) at++;
        ParamKind kind = at < p->n ? p->at[at]->param.kind : PARAM_STAR;
        if ((kind != PARAM_PLAIN && kind != PARAM_KWONLY) || p->at[at]->param.positional_only) return false;
        moved |= at != i || kind == PARAM_KWONLY;
    }
    return moved;
}
static Str by_name(Arena *a, const Op *op) {
    Buf list = BUF(a);
    for (int i = 0; i < op->inputs; i++)
        buf_printf(&list, "%s%.*s=%.*s", i ? ", " : "", STR_ARG(op->input[i].name),
                   STR_ARG(op->input[i].name));
    return buf_str(&list);
}

// The file without what the entry does not reach; as it is where nothing but imports would go.
static Str pulled(Arena *a, const Node *module, Str source, Str entry, Buf *told) {
    Buf text = BUF(a);
    manifest_source(&(ManifestSource){.arena = a, .module = module, .source = source, .entry = entry}, told,
                    &text);
    return told->len ? buf_str(&text) : source;
}

// "function soft; left out, since the entry does not reach it: f, g"
static const char *what_is_left(Arena *a, const char *chosen, Str entry, bool class, Str told) {
    if (!told.len) return chosen;
    while (told.len && (*told.p == '\n' || *told.p == '#' || *told.p == ' ')) told.p++, told.len--;
    while (told.len && told.p[told.len - 1] == '\n') told.len--;
    if (!chosen) chosen = arena_printf(a, "%s %.*s", class ? "class" : "function", STR_ARG(entry));
    return arena_printf(a, "%s; l%.*s", chosen, (int)told.len - 1, told.p + 1);
}

// `--entry run`: nothing has to be written, and what it does not reach goes.
static void pull_alone(Arena *a, const Node *module, Str entry, Entered *out) {
    Buf told = BUF(a), text = BUF(a);
    bool class = str_is(entry, "ModelNew");
    const Node *alias, *s = module_binding(module, entry, &alias);
    if (!s || s->kind == NODE_IMPORT) return;
    Str kept = pulled(a, module, out->source, entry, &told);
    out->chosen = what_is_left(a, NULL, entry, class, buf_str(&told));
    buf_str_put(&text, kept);
    buf_str_put(&text, buf_str(&told));
    out->source = buf_str(&text);
}

bool entry_apply(Arena *a, const char *name, const Op *op, Str source, Entered *out, Err *e) {
    *out = (Entered){.source = source};
    DiagList d = DIAGS(a);
    const Node *module = source.len <= SOURCE_MAX ? parse_module(a, source, &d) : NULL;
    bool there = name && module && (strcmp(name, "run") == 0 || strcmp(name, "ModelNew") == 0);
    if (!module) return true;
    if (there) return pull_alone(a, module, str_of(name), out), true;
    if (!name && (module_function(module, STR("run")) || entry_model(module))) return true;
    if (!name && (times_named(source, "run") || times_named(source, "ModelNew"))) return true;
    Str entry = name ? str_of(name) : (Str){0};
    const Node *f = NULL;
    if (!name || !is_given(module, entry)) {
        f = name ? named(a, module, name, e) : only_one(a, module, &out->chosen, e);
        if (!f) return e->code == ERR_NONE;
        entry = f->kind == NODE_CLASS ? f->klass.name : f->function.name;
    }
    Buf told = BUF(a), text = BUF(a);
    bool apply = f && is_autograd(f), class = f && f->kind == NODE_CLASS && !apply;
    source = pulled(a, module, source, entry, &told);
    // A `run` of the file's own that nothing calls is only replaced.
    int own = !class && module_function(module, STR("run")) ? 1 : 0;
    if ((class || name) && times_named(source, "run") + (class ? times_named(source, "ModelNew") : 0) > own)
        return err_set(e, ERR_USAGE,
                       "--entry %.*s: the file has something else that is called `run`%s: rename it",
                       STR_ARG(entry), class ? " or `ModelNew`" : "");
    out->chosen = what_is_left(a, out->chosen, entry, class || apply, buf_str(&told));
    buf_str_put(&text, source);
    if (class) {
        buf_printf(&text, "\n\nModelNew = %.*s\n", STR_ARG(entry));
    } else {
        Str list = parameters(a, op, entry);
        bool named = f && f->kind == NODE_FUNCTION && !is_input(op, entry) && goes_by_name(op, f);
        buf_printf(&text, "\n\ndef run(%.*s):\n    return %.*s%s(%.*s)\n", STR_ARG(list), STR_ARG(entry),
                   apply ? ".apply" : "", STR_ARG(named ? by_name(a, op) : list));
    }
    buf_str_put(&text, buf_str(&told));
    out->source = buf_str(&text);
    return true;
}
