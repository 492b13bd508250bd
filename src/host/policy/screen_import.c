// Imports of host code: which are read, and what is said of the others.
#include "host/policy/api_names.h"
#include "host/policy/screening.h"
#include "lang/library.h"

// Whether a module that is not read reaches out of the call, or computes, is known of the listed ones.
static DiagKind import_kind(Screen *s, const Node *n) {
    if (!s->candidate || n->import.dots || import_missing(s->arena, n)) return DIAG_REFUSED;
    for (int i = 0; i < n->import.names.n; i++) {
        Str module = n->import.from ? n->import.module : n->import.names.at[i]->alias.name;
        const char *dot = memchr(module.p, '.', module.len);
        Str root = {module.p, dot ? (size_t)(dot - module.p) : module.len};
        if (n->import.from && str_starts(module, "torch._inductor.")) continue; // helpers of generated code
        if (known_root(root) >= 0 ||
            api_known_refused(str_of(arena_printf(s->arena, "%.*s.*", STR_ARG(root))), false, true))
            return DIAG_REFUSED;
        Str as = n->import.names.at[i]->alias.as.len ? n->import.names.at[i]->alias.as
                                                     : n->import.names.at[i]->alias.name;
        if (known_root(as) >= 0 || str_starts(as, "__")) return DIAG_REFUSED;
    }
    return form_rule[FORM_IMPORT].kind;
}

static bool import_reaches(Screen *s, const Node *n) {
    Names quiet = {.arena = s->arena}, reaching = {.arena = s->arena};
    if (s->candidate) names_of_quiet(s->arena, &quiet, &reaching, n);
    return reaching.n > 0;
}

// "import of `x` from `a.b`: ...": which of the names it is.
static const char *named_import(Screen *s, const Node *n, const char *why) {
    const char *ignore;
    Str rest = str_of(why);
    if (str_starts(rest, "import: ")) rest.p += 8, rest.len -= 8;
    for (int i = 0; s->candidate && !n->import.dots && i < n->import.names.n; i++) {
        Node one = *n;
        one.import.names = (Nodes){&n->import.names.at[i], 1};
        if (import_allowed(&one, true, &ignore)) continue;
        Str name = n->import.names.at[i]->alias.name;
        if (!n->import.from)
            return arena_printf(s->arena, "import of `%.*s`: %.*s", STR_ARG(name), STR_ARG(rest));
        return arena_printf(s->arena, "import of `%.*s` from `%.*s`: %.*s", STR_ARG(name),
                            STR_ARG(n->import.module), STR_ARG(rest));
    }
    return why;
}

static void find_name(void *arg, const Node *n) {
    Str *name = arg; // empty, once it is found
    if (n->kind == NODE_NAME && name->len && str_eq(n->name, *name)) name->len = 0;
    node_each_child(n, find_name, arg); // a tree's height is bounded
}
// Whether anything in the file mentions what an import binds.
static bool is_used(const Screen *s, const Node *n) {
    Names bound = {.arena = s->arena};
    names_of_import(&bound, n);
    for (int i = 0; i < bound.n; i++) {
        Str name = bound.at[i];
        node_each_child(s->module, find_name, &name);
        if (!name.len) return true;
    }
    return bound.n == 0;
}

// What could be meant as helpers of the candidate's own says how they are given.
static const char *import_reason(Screen *s, const Node *n, const char *why) {
    const Library *l = s->module->module.library;
    const char *missing = s->candidate ? import_missing(s->arena, n) : NULL;
    if (missing) return arena_printf(s->arena, "import: %s", missing);
    why = named_import(s, n, why);
    if (s->candidate && !is_used(s, n))
        return arena_printf(s->arena, "%s; nothing here uses it: leave the line out", why);
    if (!s->candidate || !n->import.from || !library_name_ok(n->import.module) ||
        api_known_refused(n->import.module, false, true) || library_name_taken(n->import.module))
        return why;
    if (l)
        return arena_printf(s->arena, "import: `%.*s` is none of the helper files that --include gives (%s)",
                            STR_ARG(n->import.module), library_names(s->arena, l));
    return arena_printf(s->arena, "%s; helpers from %.*s.py need --include DIR of the referee", why,
                        STR_ARG(n->import.module));
}

// ---- what stands in files of a package

static const struct {
    const char *modules, *name, *member, *instead;
} lacks[] = {
#define LACKS(modules, name, member, instead) {modules, name, member, instead},
#include "host/policy/refused.def"
};

typedef struct {
    Str name;
    const char *member;
    const Node *at;
} Use;
static void find_use(void *arg, const Node *n) {
    Use *u = arg;
    if (!u->at && n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, u->member) &&
        n->attribute.value->kind == NODE_NAME && str_eq(n->attribute.value->name, u->name))
        u->at = n;
    node_each_child(n, find_use, u); // a tree's height is bounded
}

static bool is_word(const char *list, Str word) {
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " ");
        if (n == word.len && memcmp(p, word.p, n) == 0) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

// Told where it is used, with what to write there.
static bool screen_lacking(Screen *s, const Node *n) {
    bool told = false;
    for (int i = 0; s->candidate && n->import.from && i < n->import.names.n; i++) {
        const Node *alias = n->import.names.at[i];
        for (size_t k = 0; k < sizeof lacks / sizeof *lacks; k++) {
            Use use = {alias->alias.as.len ? alias->alias.as : alias->alias.name, lacks[k].member, NULL};
            if (!str_is(alias->alias.name, lacks[k].name) ||
                (!n->import.dots && !is_word(lacks[k].modules, n->import.module)))
                continue;
            find_use(&use, s->module);
            if (!use.at) continue;
            Str whole = str_of(arena_printf(s->arena, "%.*s.%s(...)", STR_ARG(use.name), lacks[k].member));
            refuse_as(s, DIAG_UNSUPPORTED, use.at->span, "`", whole, lacks[k].instead);
            told = true;
        }
    }
    return told;
}

static const char included_module[] = "a module of --include is read where the file only asks it for "
                                      "members, by a name that stands for nothing "
                                      "else, and its package binds no such name";

// Helpers of --include: kernels use them, and host code may launch them.
static void screen_included(Screen *s, const Node *n, LibraryFile *file) {
    if (s->in_function) return refuse(s, n->span, "import: helpers are imported at module level");
    const Node *home = library_module(s->module->module.library, file);
    if (!home) return refuse_as(s, DIAG_UNSUPPORTED, n->span, "", (Str){0}, file->fault);
    for (int i = 0; i < n->import.names.n; i++) {
        const Node *a = n->import.names.at[i], *alias, *def;
        if (str_is(a->alias.name, "*")) return refuse(s, a->span, "import *: name the helpers that are used");
        screen_binding(s, a->span, a->alias.as.len ? a->alias.as : a->alias.name);
        def = module_binding(home, a->alias.name, &alias);
        if (library_unsure(home, a->alias.name))
            refuse_as(s, DIAG_UNSUPPORTED, a->span, "import of `", a->alias.name,
                      arena_printf(s->arena,
                                   "%.*s.py binds it under a condition that has no one answer here, or a "
                                   "file changes it, or torch or Triton: write it into this file",
                                   STR_ARG(file->name)));
        else if (!def && library_submodule(s->arena, s->module, n, a->alias.name))
            refuse_as(s, DIAG_UNSUPPORTED, a->span, "import of `", a->alias.name, included_module);
        else if (!def)
            refuse_as(s, DIAG_REFUSED, a->span, "import of `", a->alias.name,
                      arena_printf(s->arena, "%.*s.py has no such name", STR_ARG(file->name)));
        else if (def->kind == NODE_CLASS || (def->kind == NODE_FUNCTION && !is_jit_function(def)))
            refuse_as(
                s, DIAG_UNSUPPORTED, a->span, "import of `", a->alias.name,
                "host code of --include is taken where functions of this file call it by its own name, and "
                "every "
                "name has one meaning in both files, which no file changes; else write it into this file");
    }
}

const char *package_reason(Arena *a, const Node *n, const Node *alias) {
    Str module = n->import.from ? n->import.module : alias->alias.name;
    return arena_printf(
        a,
        "import of `%.*s` from `%.*s%.*s`: what it is stands in a file of that package, which is "
        "not here; write it down in this file, or let a manifest take the kernel out",
        STR_ARG(alias->alias.name), n->import.dots < 3 ? n->import.dots : 3, "...", STR_ARG(module));
}
void refuse_package(Screen *s, Span at, const Node *n, const Node *alias) {
    if (n->import.from && library_submodule(s->arena, s->module, n, alias->alias.name))
        return refuse_as(s, DIAG_UNSUPPORTED, at, "import of `", alias->alias.name, included_module);
    refuse_as(s, DIAG_UNSUPPORTED, at, "", (Str){0}, package_reason(s->arena, n, alias));
}

// A kernel that asks for something of such a package.
static void find_in_kernels(void *arg, const Node *n) {
    Use *u = arg;
    if (!u->at && n->kind == NODE_NAME && str_eq(n->name, u->name)) u->at = n;
    node_each_child(n, find_in_kernels, u); // a tree's height is bounded
}
static void screen_kernels(Screen *s, const Node *n) {
    const char *why;
    for (int i = 0; s->candidate && i < n->import.names.n; i++) {
        const Node *alias = n->import.names.at[i];
        Node one = *n;
        one.import.names = (Nodes){&n->import.names.at[i], 1};
        if (!import_of_package(n, alias) || import_canonical(&one, true, &why) || import_brings(&one))
            continue;
        Use use = {alias->alias.as.len ? alias->alias.as : alias->alias.name, NULL, NULL};
        const Nodes *body = &s->module->module.body;
        for (int k = 0; k < body->n; k++)
            if (body->at[k]->kind == NODE_FUNCTION && is_jit_function(body->at[k]))
                for (int j = 0; j < body->at[k]->function.body.n; j++)
                    find_in_kernels(&use, body->at[k]->function.body.at[j]);
        if (use.at) refuse_package(s, use.at->span, n, alias);
    }
}

void screen_import(Screen *s, const Node *n) {
    const char *why;
    LibraryFile *file = s->candidate ? library_of(s->module, n) : NULL;
    if (s->in_function && str_is(n->import.module, "__future__"))
        return refuse(s, n->span,
                      "SyntaxError: from __future__ imports must occur at the beginning of the file");
    if (file) return screen_included(s, n, file);
    if (screen_lacking(s, n)) return;
    screen_kernels(s, n);
    if (!import_allowed(n, s->candidate, &why))
        return refuse_as(s, import_kind(s, n), n->span, "", (Str){0}, import_reason(s, n, why));
    if (!s->in_function || (!s->late && import_canonical(n, s->candidate, &why))) return;
    if (import_reaches(s, n)) return refuse_form(s, n->span, FORM_IMPORT_REACHES);
    refuse_as(
        s, DIAG_UNSUPPORTED, n->span, "", (Str){0},
        "import: in a function it stands at its beginning, or what it brings is used nowhere else in the "
        "file");
}
