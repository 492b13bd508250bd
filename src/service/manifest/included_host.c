#include "service/manifest/included_host.h"

#include "host/normalize/normalize.h"
#include "lang/library.h"
#include "service/manifest/manifest_source.h"
#include "service/manifest/uses.h"

enum {
    HOPS_MAX = 16,         // imports that hand a name on
    STATEMENTS_MAX = 1000, // of a file's own level: what is reached takes the square of it
};

// What of one file of --include is put behind the kernel file.
typedef struct {
    LibraryFile *file;
    const Node *module;
    bool *stays; // statements of its own level
    Names wanted, reached, bound;
    bool any, looked, written;
} Part;

typedef struct {
    Arena *arena;
    const Node *module; // the kernel file's
    Str source;
    Library *library;
    Part part[LIBRARY_FILES_MAX];
    bool odd; // something could mean two things
} Inclusion;

static Str given_name(const Node *alias) { return alias->alias.as.len ? alias->alias.as : alias->alias.name; }

static Part *part_of(Inclusion *in, LibraryFile *file) {
    Part *p = &in->part[file - in->library->file];
    if (p->file) return p;
    *p = (Part){.file = file, .module = library_module(in->library, file)};
    p->wanted.arena = p->reached.arena = p->bound.arena = in->arena;
    if (p->module) p->stays = NEWN(in->arena, bool, (size_t)p->module->module.body.n + 1);
    return p;
}

// ---- what an import brings

// The file of --include that defines the name, which others may hand on; NULL: none.
static LibraryFile *home_of(Inclusion *in, LibraryFile *file, Str name, bool *renamed) {
    for (int hop = 0; file && hop < HOPS_MAX; hop++) {
        const Node *module = library_module(in->library, file), *alias;
        const Node *def = module ? module_binding(module, name, &alias) : NULL;
        LibraryFile *next = def && def->kind == NODE_IMPORT ? library_of(module, def) : NULL;
        if (!next) return module && (def || library_unsure(module, name)) ? file : NULL;
        *renamed |= !str_eq(given_name(alias), alias->alias.name);
        in->odd |= library_unsure(module, name); // bound again, by a condition or an import of everything
        name = alias->alias.name;
        file = next;
    }
    return NULL;
}

static void find_definition(void *arg, const Node *n) {
    Str *name = arg; // empty, once it is found
    if (n->kind == NODE_FUNCTION && !is_jit_function(n) && str_eq(n->function.name, *name)) name->len = 0;
    if (n->kind == NODE_CLASS && str_eq(n->klass.name, *name)) name->len = 0;
    if (n->kind != NODE_FUNCTION && n->kind != NODE_CLASS) node_each_child(n, find_definition, name);
}

// A function that is no kernel, or a class; whatever condition it stands under.
static bool is_host(const Node *module, Str name) {
    for (int i = 0; i < module->module.body.n; i++) {
        Str left = name;
        find_definition(&left, module->module.body.at[i]);
        if (!left.len) return true;
    }
    return false;
}

static bool brings_all(const Node *import) {
    for (int i = 0; i < import->import.names.n; i++)
        if (str_is(import->import.names.at[i]->alias.name, "*")) return true;
    return false;
}

// An import from a file of --include whose name is wanted there, by its own name.
static void want(Inclusion *in, const Node *module, const Node *import, const Node *alias) {
    bool renamed = !str_eq(given_name(alias), alias->alias.name);
    LibraryFile *file = home_of(in, library_of(module, import), alias->alias.name, &renamed);
    if (!file || renamed) {
        in->odd = true;
        return;
    }
    Part *p = part_of(in, file);
    in->odd |=
        !p->module || library_patches(in->library, file) || library_changes(in->library, alias->alias.name);
    p->any = true;
    if (names_have(&p->wanted, alias->alias.name)) return;
    names_add(&p->wanted, alias->alias.name);
    names_add(&p->reached, alias->alias.name);
    p->looked = false;
}

// Host functions that the kernel file imports. False: none.
static bool want_host(Inclusion *in) {
    bool any = false;
    for (int i = 0; i < in->module->module.body.n; i++) {
        const Node *s = in->module->module.body.at[i];
        LibraryFile *file = s->kind == NODE_IMPORT ? library_of(in->module, s) : NULL;
        for (int k = 0; file && k < s->import.names.n; k++) {
            const Node *alias = s->import.names.at[k];
            bool renamed = false;
            LibraryFile *home = home_of(in, file, alias->alias.name, &renamed);
            if (!home || renamed || !is_host(library_module(in->library, home), alias->alias.name)) continue;
            want(in, in->module, s, alias);
            any = true;
        }
    }
    return any;
}

// ---- what that reaches

static void find_dots(void *arg, const Node *n) {
    bool *any = arg;
    *any |= n->kind == NODE_IMPORT && n->import.dots > 0;
    node_each_child(n, find_dots, arg); // a tree's height is bounded
}

static void reach(Inclusion *in, Part *p) {
    const Nodes *body = &p->module->module.body;
    const ManifestSource m = {.arena = in->arena, .module = p->module, .source = p->file->text};
    p->looked = true;
    if (body->n > STATEMENTS_MAX) {
        in->odd = true;
        return;
    }
    manifest_reached(&m, &p->reached, p->stays);
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        bool import = s->kind == NODE_IMPORT, dots = false;
        if (!p->stays[i]) continue;
        if (!import) names_bound(&p->bound, s);
        find_dots(&dots, s);
        bool here = import && library_of(p->module, s);
        in->odd |= (dots && !here) || (import && brings_all(s)); // dots that would count from elsewhere
        for (int k = 0; here && k < s->import.names.n; k++)
            if (names_have(&p->reached, given_name(s->import.names.at[k])))
                want(in, p->module, s, s->import.names.at[k]);
    }
    for (int i = 0; i < p->bound.n; i++) in->odd |= library_changes(in->library, p->bound.at[i]);
}

static void reach_all(Inclusion *in) {
    for (bool more = true; more && !in->odd;) {
        more = false;
        for (int i = 0; i < in->library->files && !in->odd; i++) {
            Part *p = &in->part[i];
            if (!p->any || p->looked || !p->module) continue;
            reach(in, p);
            more = true;
        }
    }
}

// ---- whether every name has one meaning

// What an import gives a name: "torch.nn.functional as F".
static Str meaning(Arena *a, const Node *import, const Node *alias) {
    Str module = import->import.from ? import->import.module : (Str){"", 0};
    return str_of(
        arena_printf(a, "%d %.*s %.*s", import->import.from, STR_ARG(module), STR_ARG(alias->alias.name)));
}

// Of the import that brings the name; empty: none does.
static Str brought(Inclusion *in, const Node *module, Str name) {
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        for (int k = 0; s->kind == NODE_IMPORT && !library_of(module, s) && k < s->import.names.n; k++) {
            Names one = {.arena = in->arena};
            Node alone = *s;
            alone.import.names = (Nodes){&s->import.names.at[k], 1};
            names_of_import(&one, &alone);
            if (names_have(&one, name)) return meaning(in->arena, s, s->import.names.at[k]);
        }
    }
    return (Str){0};
}

// torch, triton, tl and their like, which are implied.
static bool is_implied(Str name) { return known_root(name) >= 0; }

static Part *binds(Inclusion *in, Str name, const Part *but) {
    for (int i = 0; i < in->library->files; i++)
        if (&in->part[i] != but && in->part[i].any && names_have(&in->part[i].bound, name))
            return &in->part[i];
    return NULL;
}

// Names of the kernel file's own level: those that it gives to something, and those that it asks for.
typedef struct {
    Names level, used;
} OwnNames;

static OwnNames own_names(Inclusion *in) {
    OwnNames own = {{.arena = in->arena}, {.arena = in->arena}};
    for (int i = 0; i < in->module->module.body.n; i++) {
        const Node *s = in->module->module.body.at[i];
        names_used(in->arena, &own.used, s, NULL, NULL);
        if (s->kind != NODE_IMPORT) names_bound(&own.level, s);
    }
    return own;
}

// What a part gives a name to: nothing else has it, and the kernel file asks for it only where it imports it.
static void check_bound(Inclusion *in, const Part *p, const OwnNames *own, Str name) {
    bool asked = names_have(&own->used, name) || str_is(name, "run") || str_is(name, "ModelNew");
    in->odd |= binds(in, name, p) != NULL || names_have(&own->level, name) || is_implied(name) ||
               brought(in, in->module, name).len || (asked && !names_have(&p->wanted, name));
}

// A name that a part's code asks for: what it does not bind itself is Python's own, or an import that means
// the same wherever else it stands.
static void check_used(Inclusion *in, const Part *p, const OwnNames *own, Str name) {
    if (names_have(&p->bound, name)) return;
    const Node *alias, *def = module_binding(p->module, name, &alias);
    if (def && def->kind == NODE_IMPORT && library_of(p->module, def)) return; // what another part binds
    Str here = brought(in, p->module, name), there = brought(in, in->module, name);
    in->odd |= binds(in, name, p) != NULL || names_have(&own->level, name);
    if (is_implied(name) && !here.len) return;
    in->odd |= there.len && !str_eq(here, there);
    in->odd |= here.len && !there.len && names_have(&own->used, name) && !is_implied(name); // it lacks that
    for (int i = 0; here.len && i < in->library->files; i++) {
        const Part *other = &in->part[i];
        if (!other->any || !names_have(&other->reached, name)) continue;
        there = brought(in, other->module, name);
        in->odd |= there.len && !str_eq(here, there);
    }
}

// Files that import names from one another in a circle: what a name is then depends on who came first.
typedef struct {
    Inclusion *in;
    LibraryFile *file, *start;
    int at; // the statement of `start` that is followed
    bool seen[LIBRARY_FILES_MAX], closed;
} Circle;

// Whether a file's name has its last value before that statement: then a file that comes back for it gets
// that.
static bool bound_before(const Node *module, Str name, int at) {
    const Node *alias, *def = module_binding(module, name, &alias);
    for (int i = 0; i < at; i++)
        if (module->module.body.at[i] == def) return !library_unsure(module, name);
    return false;
}

static void follow_imports(void *arg, const Node *n) {
    Circle *c = arg;
    Library *l = c->in->library;
    if (n->kind == NODE_FUNCTION || n->kind == NODE_LAMBDA || c->closed) return;
    LibraryFile *from = c->file, *to = n->kind == NODE_IMPORT ? library_of(from->module, n) : NULL;
    for (int i = 0; to && i < n->import.names.n; i++) {
        Str name = n->import.names.at[i]->alias.name;
        if (library_submodule(c->in->arena, from->module, n, name)) continue;
        c->closed |= to == c->start && names_have(&c->in->part[to - l->file].reached, name) &&
                     !bound_before(c->start->module, name, c->at);
        if (c->seen[to - l->file] || !library_module(l, to)) continue;
        c->seen[to - l->file] = true;
        c->file = to;
        follow_imports(c, to->module);
        c->file = from;
    }
    node_each_child(n, follow_imports, c); // a tree's height is bounded, and each file is entered once
}

static void check_circles(Inclusion *in) {
    for (int i = 0; i < in->library->files; i++) {
        if (!in->part[i].any || !in->part[i].module) continue;
        LibraryFile *file = &in->library->file[i];
        const Nodes *body = &in->part[i].module->module.body;
        Circle *c = NEW(in->arena, Circle);
        for (int k = 0; k < body->n; k++) {
            *c = (Circle){.in = in, .file = file, .start = file, .at = k};
            follow_imports(c, body->at[k]);
            in->odd |= c->closed;
        }
    }
}

static void check_names(Inclusion *in) {
    OwnNames own = own_names(in);
    for (int i = 0; i < in->library->files; i++) {
        Part *p = &in->part[i];
        Names asks = {.arena = in->arena};
        for (int k = 0; p->any && k < p->bound.n; k++) check_bound(in, p, &own, p->bound.at[k]);
        for (int k = 0; p->any && k < p->module->module.body.n; k++)
            if (p->stays[k]) names_used(in->arena, &asks, p->module->module.body.at[k], NULL, NULL);
        for (int k = 0; k < asks.n; k++) check_used(in, p, &own, asks.at[k]);
    }
}

// What else the kernel file imports of these files, such as the kernel that such a function launches.
static void want_rest(Inclusion *in) {
    for (int i = 0; i < in->module->module.body.n; i++) {
        const Node *s = in->module->module.body.at[i];
        LibraryFile *file = s->kind == NODE_IMPORT ? library_of(in->module, s) : NULL;
        for (int k = 0; file && k < s->import.names.n; k++) {
            const Node *alias = s->import.names.at[k];
            bool renamed = false;
            const Part *bound = binds(in, given_name(alias), NULL);
            LibraryFile *home = home_of(in, file, alias->alias.name, &renamed);
            renamed |= !str_eq(given_name(alias), alias->alias.name);
            if (!bound) continue;
            if (renamed || bound->file != home)
                in->odd = true;
            else
                want(in, in->module, s, alias);
        }
    }
}

// Names that are asked for while the file is read: outside the bodies of functions.
static void names_at_level(Inclusion *in, Names *names, const Node *n) {
    if (n->kind == NODE_IMPORT) return;
    if (n->kind != NODE_FUNCTION && n->kind != NODE_CLASS) return names_used(in->arena, names, n, NULL, NULL);
    const Nodes *d = n->kind == NODE_FUNCTION ? &n->function.decorators : &n->klass.decorators;
    for (int i = 0; i < d->n; i++) names_used(in->arena, names, d->at[i], NULL, NULL);
    for (int i = 0; n->kind == NODE_FUNCTION && i < n->function.params.n; i++)
        if (n->function.params.at[i]->param.def)
            names_used(in->arena, names, n->function.params.at[i]->param.def, NULL, NULL);
    for (int i = 0; n->kind == NODE_CLASS && i < n->klass.bases.n; i++)
        names_used(in->arena, names, n->klass.bases.at[i], NULL, NULL);
    for (int i = 0; n->kind == NODE_CLASS && i < n->klass.body.n; i++)
        names_at_level(in, names, n->klass.body.at[i]);
}

static void check_level(Inclusion *in) {
    Names level = {.arena = in->arena};
    for (int i = 0; i < in->module->module.body.n; i++)
        names_at_level(in, &level, in->module->module.body.at[i]);
    for (int i = 0; i < level.n; i++) in->odd |= binds(in, level.at[i], NULL) != NULL;
}

// ---- writing

// What an import still has to bring: names that no part binds, and of a part's own those that are reached.
static Node *kept_import(Inclusion *in, const Node *module, const Node *import, const Names *reached) {
    Node *to = NEW(in->arena, Node);
    *to = *import;
    to->import.names = (Nodes){NEWN(in->arena, Node *, (size_t)import->import.names.n + 1), 0};
    bool here = library_of(module, import) != NULL;
    for (int i = 0; i < import->import.names.n; i++) {
        Node *alias = import->import.names.at[i];
        Node alone = *import;
        Names one = {.arena = in->arena};
        alone.import.names = (Nodes){&alias, 1};
        names_of_import(&one, &alone);
        if (here && binds(in, given_name(alias), NULL)) continue;
        if (reached && (here || !one.n || !names_have(reached, one.at[0]))) continue;
        if (reached && brought(in, in->module, one.at[0]).len) continue; // which means the same
        to->import.names.at[to->import.names.n++] = alias;
    }
    return to->import.names.n ? to : NULL;
}

static void put_import(Inclusion *in, const Node *import, Buf *out) {
    Buf text = BUF(in->arena);
    print_node(&text, import);
    while (text.len && text.p[text.len - 1] == '\n') text.len--;
    buf_str_put(out, buf_str(&text));
}

// The kernel file without the imports of what is put behind it, all on its lines.
static void put_own(Inclusion *in, Buf *out) {
    uint32_t at = 0;
    for (int i = 0; i < in->module->module.body.n; i++) {
        const Node *s = in->module->module.body.at[i];
        if (s->kind != NODE_IMPORT || !library_of(in->module, s)) continue;
        Node *kept = kept_import(in, in->module, s, NULL);
        if (kept && kept->import.names.n == s->import.names.n) continue;
        buf_put(out, in->source.p + at, s->span.at - at);
        size_t from = out->len, lines = 0;
        if (kept)
            put_import(in, kept, out);
        else
            buf_puts(out, "pass");
        for (size_t k = 0; k < s->span.len; k++) lines += in->source.p[s->span.at + k] == '\n';
        while (out->len - from + lines < s->span.len) buf_putc(out, ' '); // where there is room
        while (lines--) buf_putc(out, '\n');
        at = s->span.at + s->span.len;
    }
    buf_put(out, in->source.p + at, in->source.len - at);
}

static void put_part(Inclusion *in, Part *p, Buf *out) {
    if (!p->any || p->written) return;
    p->written = true;
    const Nodes *body = &p->module->module.body;
    for (int i = 0; i < body->n; i++) { // what it imports goes before it
        LibraryFile *file =
            p->stays[i] && body->at[i]->kind == NODE_IMPORT ? library_of(p->module, body->at[i]) : NULL;
        for (int k = 0; file && k < body->at[i]->import.names.n; k++) {
            bool renamed = false;
            Str name = body->at[i]->import.names.at[k]->alias.name;
            LibraryFile *home = home_of(in, file, name, &renamed);
            if (home) put_part(in, &in->part[home - in->library->file], out);
        }
    }
    buf_printf(out, "\n\n# Of %.*s%s.py, which --include gives:\n", STR_ARG(p->file->name),
               p->file->package ? "/__init__" : "");
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        if (!p->stays[i] || (s->kind == NODE_IMPORT && str_is(s->import.module, "__future__"))) continue;
        const Node *import = s->kind == NODE_IMPORT ? kept_import(in, p->module, s, &p->reached) : NULL;
        if (s->kind == NODE_IMPORT && !import) continue;
        if (s->kind == NODE_FUNCTION || s->kind == NODE_CLASS) buf_puts(out, "\n\n");
        if (import)
            put_import(in, import, out);
        else
            buf_put(out, p->file->text.p + s->span.at, s->span.len);
        while (out->p[out->len - 1] == '\n') out->len--; // a block ends behind its line
        buf_putc(out, '\n');
    }
}

// ---- imports by dots of a file whose package is known

// "unsloth.kernels" and `..device_type`: "unsloth.device_type".
static Str spelled_out(Arena *a, Str package, const Node *import) {
    for (int up = 1; up < import->import.dots; up++) {
        const char *dot = memrchr(package.p, '.', package.len);
        if (!dot) return (Str){0};
        package.len = (size_t)(dot - package.p);
    }
    Str module = import->import.module;
    return str_of(arena_printf(a, "%.*s%s%.*s", STR_ARG(package), module.len ? "." : "", STR_ARG(module)));
}

static bool any_is_known(Str module, const Nodes *names) {
    for (int i = 0; i < names->n; i++)
        if (foreign_known(module, names->at[i]->alias.name)) return true;
    return false;
}

static Str without_dots(Inclusion *in, Str package) {
    Buf out = BUF(in->arena);
    uint32_t at = 0;
    for (int i = 0; i < in->module->module.body.n; i++) {
        const Node *s = in->module->module.body.at[i];
        bool dots = s->kind == NODE_IMPORT && s->import.dots && !library_of(in->module, s);
        Str module = dots ? spelled_out(in->arena, package, s) : (Str){0};
        const char *dot = module.len ? memchr(in->source.p + s->span.at, '.', s->span.len) : NULL;
        if (!dot || !any_is_known(module, &s->import.names)) continue;
        uint32_t from = (uint32_t)(dot - in->source.p), to = from;
        while (to < s->span.at + s->span.len && (in->source.p[to] == '.' || in->source.p[to] == ' ')) to++;
        size_t n = s->import.module.len;
        if (n && memcmp(in->source.p + to, s->import.module.p, n) != 0) continue; // spelled in some odd way
        buf_put(&out, in->source.p + at, from - at);
        buf_str_put(&out, module);
        if (!n) buf_putc(&out, ' ');
        at = to + (uint32_t)n;
    }
    if (!at) return in->source;
    buf_put(&out, in->source.p + at, in->source.len - at);
    return buf_str(&out);
}

void included_host(Arena *a, Str source, Str include, Str package, IncludedHost *out) {
    *out = (IncludedHost){source, source.len};
    DiagList d = DIAGS(a);
    if ((!include.len && !package.len) || source.len > SOURCE_MAX) return;
    Inclusion *in = NEW(a, Inclusion);
    Node *module = parse_module(a, source, &d);
    if (!module || (include.len && !library_open(a, include, &in->library))) return;
    module->module.library = in->library;
    in->arena = a;
    in->module = module;
    in->source = source;
    if (package.len) {
        in->source = without_dots(in, package);
        if (in->source.len != source.len) return included_host(a, in->source, include, (Str){0}, out);
    }
    if (!in->library || !want_host(in)) return;
    reach_all(in);
    if (!in->odd) want_rest(in);
    if (!in->odd) check_names(in);
    if (!in->odd) check_level(in);
    if (!in->odd) check_circles(in);
    if (in->odd) return;
    Buf text = BUF(a);
    put_own(in, &text);
    out->own = text.len;
    for (int i = 0; i < in->library->files; i++) put_part(in, &in->part[i], &text);
    out->source = buf_str(&text);
}
