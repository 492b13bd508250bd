// Imports from frameworks whose files are kernels all the same (foreign.def): each name that is known becomes
// an import of what it is in torch or triton, a decorator that is taken off, or a short definition. Done
// before anything else, so that what reads the tree afterwards, the checker of kernels too, knows one
// spelling only.
#include "host/normalize/normalize.h"
#include "lang/library.h"

typedef enum {
    FOREIGN_MEANS,
    FOREIGN_IDENTITY,
    FOREIGN_TEXT,
    FOREIGN_SPACE,
    FOREIGN_POINTWISE,
    FOREIGN_TYPE
} ForeignKind;
typedef struct {
    ForeignKind kind;
    const char *modules, *names, *what, *options;
} Foreign;
static const Foreign foreign[] = {
#define MEANS(modules, names, path)              {FOREIGN_MEANS, modules, names, path, ""},
#define DECORATOR(modules, names, path, options) {FOREIGN_MEANS, modules, names, path, options},
#define IDENTITY(modules, names)                 {FOREIGN_IDENTITY, modules, names, "", ""},
#define TEXT(modules, name, text)                {FOREIGN_TEXT, modules, name, text, ""},
#define SPACE(modules, name, text)               {FOREIGN_SPACE, modules, name, text, ""},
#define POINTWISE(modules, name)                 {FOREIGN_POINTWISE, modules, name, "", ""},
#define TYPE(modules, names)                     {FOREIGN_TYPE, modules, names, "", ""},
#define TURNED_OFF(modules, name, option)
#include "host/normalize/foreign.def"
#undef SPACE
#undef POINTWISE
#undef TYPE
#undef MEANS
#undef DECORATOR
#undef IDENTITY
#undef TEXT
#undef TURNED_OFF
};
static const struct {
    const char *modules, *name, *option;
} turned_off[] = {
#define MEANS(modules, names, path)
#define DECORATOR(modules, names, path, options)
#define IDENTITY(modules, names)
#define TEXT(modules, name, text)
#define SPACE(modules, name, text)
#define POINTWISE(modules, name)
#define TYPE(modules, names)
#define TURNED_OFF(modules, name, option) {modules, name, option},
#include "host/normalize/foreign.def"
#undef SPACE
#undef POINTWISE
#undef TYPE
#undef MEANS
#undef DECORATOR
#undef IDENTITY
#undef TEXT
#undef TURNED_OFF
};

static bool in_words(const char *list, Str word) {
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " ");
        if (n == word.len && memcmp(p, word.p, n) == 0) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static const Foreign *foreign_find(Str module, Str name) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (in_words(foreign[i].modules, module) && in_words(foreign[i].names, name)) return &foreign[i];
    return NULL;
}

bool foreign_known(Str module, Str name) { return foreign_find(module, name) != NULL; }

bool foreign_type(Str path) {
    const char *dot = memrchr(path.p, '.', path.len);
    const Foreign *f = NULL;
    if (dot)
        f = foreign_find((Str){path.p, (size_t)(dot - path.p)},
                         (Str){dot + 1, path.len - (size_t)(dot + 1 - path.p)});
    return f && f->kind == FOREIGN_TYPE;
}

typedef struct {
    Arena *arena;
    const Node *module;
    Names identity;  // decorators that are taken off
    Names pointwise; // pointwise_dynamic
    Names types;     // classes that no value here is of
    Names texts;     // decorators of TURNED_OFF rows, under their own names
    const Node *odd; // a call of one with other options
    struct {
        Str name;
        const char *options;
    } decorator[8]; // those whose options are taken off
    int decorators;
    struct {
        Str name; // as the file calls it
        const Foreign *of;
        bool taken; // by a member of it
    } space[8];     // modules whose members are what a text defines
    int spaces;
} Rewriter;

static Str given_name(const Node *alias) { return alias->alias.as.len ? alias->alias.as : alias->alias.name; }

static Nodes parsed_text(Rewriter *r, const char *text, Span at) {
    DiagList d = DIAGS(r->arena);
    Node *m = parse_module(r->arena, str_of(text), &d);
    if (!m) return (Nodes){0};
    for (int i = 0; i < m->module.body.n; i++) tree_place(m->module.body.at[i], at);
    return m->module.body;
}

// The import of one name by what it means: `import triton.language as tl`, `from triton import autotune as
// libtuner`.
static Node *import_of(Rewriter *r, const Node *import, const Node *alias, const char *path) {
    Node *n = NEW(r->arena, Node), *a = NEW(r->arena, Node);
    *n = *import;
    *a = *alias;
    Str as = given_name(alias), whole = str_of(path), name = alias->alias.name;
    if (str_ends(whole, ".*"))
        whole = str_of(arena_printf(r->arena, "%.*s.%.*s", (int)(whole.len - 2), whole.p, STR_ARG(name)));
    const char *dot = memrchr(whole.p, '.', whole.len);
    bool plain = !dot || str_is(whole, "triton.language");
    n->import.from = !plain;
    n->import.dots = 0;
    n->import.module = plain ? (Str){0} : (Str){whole.p, (size_t)(dot - whole.p)};
    a->alias.name = plain ? whole : (Str){dot + 1, whole.len - (size_t)(dot + 1 - whole.p)};
    a->alias.as = str_eq(a->alias.name, as) ? (Str){0} : as;
    n->import.names = (Nodes){NEWN(r->arena, Node *, 1), 1};
    n->import.names.at[0] = a;
    return n;
}

// import a.b.c as x, of a module that is known as `from a.b import c as x`: written so.
static void import_from(const Rewriter *r, Node *s) {
    if (s->kind != NODE_IMPORT || s->import.from || s->import.names.n != 1 || library_of(r->module, s))
        return;
    Node *alias = s->import.names.at[0];
    Str whole = alias->alias.name;
    const char *dot = memrchr(whole.p, '.', whole.len);
    if (!dot || !alias->alias.as.len) return;
    Str module = {whole.p, (size_t)(dot - whole.p)}, name = {dot + 1, whole.len - module.len - 1};
    const Foreign *f = foreign_find(module, name);
    if (!f || f->kind != FOREIGN_SPACE) return;
    s->import.from = true;
    s->import.module = module;
    alias->alias.name = name;
}

// A file of --include says what its names are, and so does a package of it whose modules they would be.
static bool is_included(const Rewriter *r, const Node *s) {
    Node of = *s;
    for (Str *path = &of.import.module; path->len;) {
        if (library_of(r->module, &of)) return true;
        const char *dot = memrchr(path->p, '.', path->len);
        path->len = dot ? (size_t)(dot - path->p) : 0;
    }
    return false;
}

static bool is_foreign(const Rewriter *r, const Node *s) {
    if (s->kind != NODE_IMPORT || !s->import.from || s->import.dots || is_included(r, s)) return false;
    for (int i = 0; i < s->import.names.n; i++)
        if (foreign_find(s->import.module, s->import.names.at[i]->alias.name)) return true;
    return false;
}

// A text that defines one function, under the name that the import gives it.
static bool is_one_function(const Foreign *f) {
    return f->kind == FOREIGN_TEXT && strncmp(f->what, "def ", 4) == 0 && !strstr(f->what, "\ndef ");
}

static int statements_of(const Foreign *f) {
    int lines = 1; // a text has no more statements than lines
    for (const char *p = f->what; *p; p++) lines += *p == '\n';
    return lines;
}

static void rewrite_import(Rewriter *r, Node *s, Nodes *out) {
    Node *rest = NEW(r->arena, Node);
    *rest = *s;
    rest->import.names = (Nodes){NEWN(r->arena, Node *, (size_t)s->import.names.n + 1), 0};
    for (int i = 0; i < s->import.names.n; i++) {
        Node *alias = s->import.names.at[i];
        const Foreign *f = foreign_find(s->import.module, alias->alias.name);
        bool renamed = alias->alias.as.len && !str_eq(alias->alias.as, alias->alias.name);
        bool space = f && f->kind == FOREIGN_SPACE;
        if (!f || (f->kind == FOREIGN_TEXT && renamed && !is_one_function(f)) ||
            (space && r->spaces == (int)(sizeof r->space / sizeof *r->space))) {
            rest->import.names.at[rest->import.names.n++] = alias;
        } else if (f->kind == FOREIGN_MEANS) {
            out->at[out->n++] = import_of(r, s, alias, f->what);
            if (*f->options && r->decorators < (int)(sizeof r->decorator / sizeof *r->decorator)) {
                r->decorator[r->decorators].name = given_name(alias);
                r->decorator[r->decorators++].options = f->options;
            }
        } else if (f->kind == FOREIGN_IDENTITY) {
            names_add(&r->identity, given_name(alias));
        } else if (f->kind == FOREIGN_POINTWISE) {
            names_add(&r->pointwise, given_name(alias));
        } else if (f->kind == FOREIGN_TYPE) {
            names_add(&r->types, given_name(alias));
        } else {
            bool again = false; // under another name: its text stands there
            for (int k = 0; space && k < r->spaces; k++) again |= r->space[k].of == f;
            if (space) r->space[r->spaces].name = given_name(alias), r->space[r->spaces++].of = f;
            Nodes text = again ? (Nodes){0} : parsed_text(r, f->what, s->span);
            for (size_t k = 0; !renamed && k < sizeof turned_off / sizeof *turned_off; k++)
                if (in_words(turned_off[k].modules, s->import.module) &&
                    str_is(given_name(alias), turned_off[k].name))
                    names_add(&r->texts, given_name(alias));
            if (renamed && text.n == 1 && text.at[0]->kind == NODE_FUNCTION)
                text.at[0]->function.name = given_name(alias);
            for (int k = 0; k < text.n; k++) out->at[out->n++] = text.at[k];
        }
    }
    if (rest->import.names.n) out->at[out->n++] = rest;
}

static void rewrite_block(Rewriter *r, Nodes *body);

static void rewrite_inside(Rewriter *r, Node *s) {
    if (s->kind == NODE_TRY) {
        bool had = s->attempt.body.n > 0;
        rewrite_block(r, &s->attempt.body);
        for (int i = 0; i < s->attempt.handlers.n; i++)
            rewrite_block(r, &s->attempt.handlers.at[i]->handler.body);
        rewrite_block(r, &s->attempt.otherwise);
        // Imports that are all known succeed: no handler runs.
        if (had && !s->attempt.body.n && !s->attempt.otherwise.n && !s->attempt.final.n)
            *s = (Node){.kind = NODE_PASS, .span = s->span, .height = 1};
    }
    if (s->kind == NODE_IF) {
        rewrite_block(r, &s->branch.then);
        rewrite_block(r, &s->branch.otherwise);
    }
}

static void rewrite_block(Rewriter *r, Nodes *body) {
    int most = 0;
    bool any = false;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        import_from(r, s);
        rewrite_inside(r, s); // blocks are nested no deeper than the tree is high
        most++;
        if (!is_foreign(r, s)) continue;
        any = true;
        for (int k = 0; k < s->import.names.n; k++) {
            const Foreign *f = foreign_find(s->import.module, s->import.names.at[k]->alias.name);
            most += f ? statements_of(f) : 0;
        }
    }
    if (!any) return;
    Nodes out = {NEWN(r->arena, Node *, (size_t)most + 1), 0};
    for (int i = 0; i < body->n; i++) {
        if (is_foreign(r, body->at[i]))
            rewrite_import(r, body->at[i], &out);
        else
            out.at[out.n++] = body->at[i];
    }
    *body = out;
}

static void drop_options(const Rewriter *r, Node *call) {
    for (int i = 0; i < r->decorators; i++) {
        if (call->call.func->kind != NODE_NAME || !str_eq(call->call.func->name, r->decorator[i].name))
            continue;
        Nodes *k = &call->call.keywords;
        int n = 0;
        for (int o = 0; o < k->n; o++)
            if (!in_words(r->decorator[i].options, k->at[o]->keyword.name)) k->at[n++] = k->at[o];
        k->n = n;
    }
}

// @input_guard(no_guard_contiguous=True)
static bool is_off(const Rewriter *r, const Node *d) {
    const Node *f = d->kind == NODE_CALL ? d->call.func : d;
    if (d->kind != NODE_CALL || f->kind != NODE_NAME || !names_have(&r->texts, f->name) || d->call.args.n ||
        d->call.keywords.n != 1 || d->call.keywords.at[0]->keyword.value->kind != NODE_TRUE)
        return false;
    for (size_t k = 0; k < sizeof turned_off / sizeof *turned_off; k++)
        if (str_is(f->name, turned_off[k].name) &&
            str_is(d->call.keywords.at[0]->keyword.name, turned_off[k].option))
            return true;
    return false;
}

static void undecorate(Rewriter *r, Node *f, const Bindings *bound) {
    Nodes *d = &f->function.decorators;
    int n = 0;
    for (int i = 0; i < d->n; i++) {
        if (d->at[i]->kind == NODE_CALL) drop_options(r, d->at[i]);
        const Node *name = d->at[i]->kind == NODE_CALL ? d->at[i]->call.func : d->at[i];
        bool off = name->kind == NODE_NAME && names_have(&r->identity, name->name) &&
                   !names_have(&bound->all, name->name); // its import is gone
        off |= is_off(r, d->at[i]);
        if (!off && d->at[i]->kind == NODE_CALL && name->kind == NODE_NAME &&
            names_have(&r->texts, name->name))
            r->odd = d->at[i];
        if (!off) d->at[n++] = d->at[i];
    }
    d->n = n;
}

// MODULE.member as the name of what the text of the module defines.
typedef struct {
    Rewriter *r;
    const Bindings *bound;
    bool first; // in front of whatever else gets that name
} Spaces;
static void name_member(void *arg, const Node *n) {
    const Spaces *p = arg;
    node_each_child(n, name_member, arg); // a tree's height is bounded
    if (n->kind != NODE_ATTRIBUTE || n->attribute.value->kind != NODE_NAME) return;
    for (int i = 0; i < p->r->spaces; i++) {
        Str name = p->r->space[i].name;
        if (!str_eq(n->attribute.value->name, name) || (names_have(&p->bound->all, name) && !p->first))
            continue;
        Str whole = str_of(
            arena_printf(p->r->arena, "%s_%.*s", p->r->space[i].of->names, STR_ARG(n->attribute.name)));
        if (!bound_once(p->bound, whole)) continue;
        *(Node *)(uintptr_t)n = (Node){.kind = NODE_NAME, .span = n->span, .height = 1, .name = whole};
        return;
    }
}

// device = device.name: what the file calls so from there on is that member.
static void take_name(Rewriter *r, const Bindings *bound, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i], *from = s->kind == NODE_ASSIGN ? s->assign.value : s;
        if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 ||
            s->assign.targets.at[0]->kind != NODE_NAME || from->kind != NODE_ATTRIBUTE ||
            from->attribute.value->kind != NODE_NAME)
            continue;
        Str name = from->attribute.value->name;
        for (int k = 0; k < r->spaces; k++) {
            if (!str_eq(r->space[k].name, name) || !str_eq(s->assign.targets.at[0]->name, name) ||
                !bound_once(bound, name))
                continue;
            name_member(&(Spaces){r, bound, true}, from);
            r->space[k].taken = from->kind == NODE_NAME;
        }
    }
}

typedef struct {
    const Rewriter *r;
    const Bindings *bound;
    DiagList *d;
    bool ok;
} Leftover;

static void find_leftover(void *arg, const Node *n) {
    Leftover *l = arg;
    for (int i = 0; n->kind == NODE_NAME && i < l->r->spaces; i++) {
        const Foreign *of = l->r->space[i].of;
        if (!str_eq(n->name, l->r->space[i].name) || l->r->space[i].taken) continue;
        if (l->ok)
            diag_clean(l->d, DIAG_UNSUPPORTED, n->span,
                       "`%.*s`: of %s.%s only what src/host/normalize/foreign.def lists is known",
                       STR_ARG(n->name), of->modules, of->names);
        l->ok = false;
    }
    if (n->kind == NODE_NAME && names_have(&l->r->identity, n->name) &&
        !names_have(&l->bound->all, n->name)) {
        if (l->ok)
            diag_clean(l->d, DIAG_UNSUPPORTED, n->span, "`%.*s` is known here as a decorator of kernels only",
                       STR_ARG(n->name));
        l->ok = false;
    }
    node_each_child(n, find_leftover, l); // a tree's height is bounded
}

// What Bindings leave out: the insides of a `try` that stays.
typedef struct {
    Names *all;
} TryNames;
static void names_inside(void *arg, const Node *n) {
    const TryNames *t = arg;
    if (n->kind == NODE_ASSIGN)
        for (int i = 0; i < n->assign.targets.n; i++) names_of_target(t->all, n->assign.targets.at[i], 0);
    if (n->kind == NODE_ANNASSIGN) names_of_target(t->all, n->annassign.target, 0);
    if (n->kind == NODE_IMPORT) names_of_import(t->all, n);
    if (n->kind == NODE_FUNCTION) names_add(t->all, n->function.name);
    if (n->kind == NODE_CLASS) names_add(t->all, n->klass.name);
    if (n->kind == NODE_EXCEPT && n->handler.name.len) names_add(t->all, n->handler.name);
    node_each_child(n, names_inside, arg); // a tree's height is bounded
}
static void names_of_tries(void *arg, const Node *n) {
    if (n->kind == NODE_TRY) names_inside(arg, n);
    node_each_child(n, names_of_tries, arg);
}

// Names whose import is gone, so that nothing else may have them.
static bool stand_alone(const Names *names, const Bindings *bound, const Node *module, DiagList *d) {
    for (int i = 0; i < names->n; i++)
        if (names_have(&bound->all, names->at[i]))
            return diag_clean(
                       d, DIAG_REFUSED, module->span,
                       "import: `%.*s` is bound a second time in this file; give one of them another name",
                       STR_ARG(names->at[i])),
                   false;
    return true;
}

// What stands in place of an import uses torch and triton: their own imports come first.
static void imports_first(Arena *a, Node *module) {
    static const char *const roots[] = {"torch", "triton", "triton.language"};
    const Nodes body = module->module.body;
    Nodes out = {NEWN(a, Node *, (size_t)body.n + 1), 0};
    int head = 0; // a text, and what is imported from __future__
    while (head < body.n &&
           (body.at[head]->kind == NODE_EXPRSTMT || body.at[head]->kind == NODE_PASS ||
            (body.at[head]->kind == NODE_IMPORT && str_is(body.at[head]->import.module, "__future__"))))
        out.at[out.n++] = body.at[head++];
    for (int turn = 0; turn < 2; turn++)
        for (int i = head; i < body.n; i++) {
            const Node *s = body.at[i];
            bool root = s->kind == NODE_IMPORT && !s->import.from && s->import.names.n > 0;
            for (int k = 0; root && k < s->import.names.n; k++) {
                bool is = false;
                for (size_t r = 0; r < sizeof roots / sizeof *roots; r++)
                    is |= str_is(s->import.names.at[k]->alias.name, roots[r]);
                root = is;
            }
            if (root == (turn == 0)) out.at[out.n++] = body.at[i];
        }
    module->module.body = out;
}

bool foreign_normalize(Arena *a, Node *module, DiagList *d) {
    Rewriter r = {.arena = a, .module = module, .identity.arena = a};
    Nodes *body = &module->module.body;
    Bindings bound;
    r.pointwise.arena = r.types.arena = r.texts.arena = a;
    int before = body->n;
    rewrite_block(&r, body);
    if (body->n > before) imports_first(a, module);
    if (r.pointwise.n || r.types.n) {
        names_of_module(&bound, a, module);
        names_of_tries(&(TryNames){&bound.all}, module);
    }
    if (!stand_alone(&r.pointwise, &bound, module, d) || !stand_alone(&r.types, &bound, module, d))
        return false;
    if (r.pointwise.n && !pointwise_normalize(a, module, &r.pointwise, d)) return false;
    types_normalize(a, module, &r.types);
    if (!r.identity.n && !r.decorators && !r.spaces && !r.texts.n) return true;
    names_of_module(&bound, a, module);
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        if (s->kind == NODE_FUNCTION) undecorate(&r, s, &bound);
        for (int k = 0; s->kind == NODE_CLASS && k < s->klass.body.n; k++)
            if (s->klass.body.at[k]->kind == NODE_FUNCTION) undecorate(&r, s->klass.body.at[k], &bound);
    }
    if (r.odd)
        return diag_clean(d, DIAG_UNSUPPORTED, r.odd->span, "`%.*s` with these options is not known here",
                          STR_ARG(r.odd->call.func->name)),
               false;
    if (r.spaces) take_name(&r, &bound, body);
    if (r.spaces) name_member(&(Spaces){&r, &bound, false}, module);
    Leftover l = {&r, &bound, d, true};
    node_each_child(module, find_leftover, &l);
    return l.ok;
}
