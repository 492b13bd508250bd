// Imports of a kernel file beyond the few canonical lines (syntax_policy.c): names taken out of torch, triton
// and math are spelled out where host code uses them, so that nothing later has to know what stands for what;
// imports of other well-known modules bring names that may not be used.
#include "host/policy/api_names.h"
#include "host/policy/screen.h"
#include "lang/library.h"

// ---- what an import binds

typedef struct {
    Str path, bound; // "triton.cdiv" under the name "cdiv"
} Imported;

static Imported binding_of(Arena *a, const Node *import, const Node *alias) {
    Str name = alias->alias.name, as = alias->alias.as;
    if (import->import.from)
        return (Imported){str_of(arena_printf(a, "%.*s.%.*s", STR_ARG(import->import.module), STR_ARG(name))),
                          as.len ? as : name};
    if (as.len) return (Imported){name, as};
    const char *dot = memchr(name.p, '.', name.len);
    Str root = {name.p, dot ? (size_t)(dot - name.p) : name.len};
    return (Imported){root, root};
}

// ---- modules whose names mean something here

static const char *const meant[] = {"torch",
                                    "torch.nn",
                                    "torch.nn.functional",
                                    "torch.autograd",
                                    "torch.autograd.function",
                                    "torch.cuda",
                                    "torch.library",
                                    "torch.profiler",
                                    "torch.autograd.profiler",
                                    "triton.runtime",
                                    "triton",
                                    "triton.language",
                                    "triton.language.math",
                                    "triton.language.libdevice",
                                    "triton.language.extra",
                                    "triton.language.extra.libdevice",
                                    "triton.language.extra.cuda",
                                    "triton.language.extra.cuda.libdevice",
                                    INDUCTOR_HELPERS,
                                    "collections",
                                    "contextlib",
                                    "functools",
                                    "itertools",
                                    "math"};
static bool is_meant(Str module) {
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (str_is(module, meant[i])) return true;
    return false;
}

int known_root(Str name) {
    static const char *const root[KNOWN_ROOTS] = {
        "torch", "triton", "tl", "math", "F", "nn", "libdevice", "Tensor", "TensorDescriptor"};
    for (int i = 0; i < KNOWN_ROOTS; i++)
        if (str_is(name, root[i])) return i;
    return -1;
}
// Nothing else is imported under these, or under the names of entries.
static bool is_reserved_root(Str name) {
    return known_root(name) >= 0 || str_is(name, "run") || str_is(name, "ModelNew");
}
static bool is_reserved(Str name) {
    return is_reserved_root(name) || api_named(name, true) || api_known_refused(name, false, true);
}

// Whether there is such a thing: of torch and triton themselves what the table knows, for use or to be
// refused; of triton.language what kernels find there.
static bool is_there(Arena *a, const Node *import, const Node *alias, Str path) {
    Str module = import->import.module, name = api_canonical(a, path);
    if (is_meant(path)) return import->import.old_names || !str_is(path, "triton.language.libdevice");
    if (import->import.from && (str_starts(path, "triton.language.") || str_is(module, INDUCTOR_HELPERS)))
        return !triton_import_fault(a, module, alias->alias.name, import->import.old_names);
    static const char *const other[] = {
        "torch.autograd.Function", "torch.autograd.function.Function", "torch.autograd.function.FunctionCtx",
        "torch.library.custom_op", "torch.library.triton_op",          "torch.nn.Parameter"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (str_is(path, other[i])) return true;
    // What is a kernel is asked before names are spelled out: by the last word above it.
    if (str_is(path, "triton.jit")) return !alias->alias.as.len || str_is(alias->alias.as, "jit");
    return api_named(name, true) || api_refused_itself(name) || api_is_module(name, true);
}

// `from math import pow` takes the name of a function of Python's, which is then math's throughout the file.
static bool hides_builtin(Imported b) { return str_is(b.path, "math.pow") && str_is(b.bound, "pow"); }

// What one name needs is small; a child has no other memory at hand while it looks at forms.
enum { SMALL = 4096, NAMES_LONGEST = 400 };
typedef bool AliasTest(Arena *a, const Node *import, const Node *alias);

static bool alias_quiet(Arena *a, const Node *n, const Node *alias);

static bool alias_is(const Node *n, int i, AliasTest *test) {
    char memory[SMALL];
    const Node *alias = n->import.names.at[i];
    Arena a = {0};
    arena_over(&a, memory, sizeof memory);
    // Python takes functions' builtins from a module's __builtins__.
    bool is = (!n->import.dots || test == alias_quiet) && !str_starts(alias->alias.as, "__") &&
              !(n->import.from && !alias->alias.as.len && str_starts(alias->alias.name, "__")) &&
              n->import.module.len + alias->alias.name.len + alias->alias.as.len <= NAMES_LONGEST &&
              test(&a, n, alias);
    arena_free(&a);
    return is;
}

static bool alias_canonical(const Node *n, int i) {
    Node one = *n;
    const char *why;
    one.import.names = (Nodes){&n->import.names.at[i], 1};
    return import_canonical(&one, true, &why);
}

static bool alias_meant(Arena *a, const Node *n, const Node *alias) {
    Imported b = binding_of(a, n, alias);
    Str module = n->import.from ? n->import.module : alias->alias.name;
    if (!is_meant(module) || !is_there(a, n, alias, b.path)) return false;
    // `import torch.nn.functional` binds torch.
    bool root = !n->import.from && !alias->alias.as.len;
    return root || hides_builtin(b) || !is_reserved(b.bound) || str_eq(api_canonical(a, b.path), b.bound);
}
// ---- modules whose names are not used

static bool in_list(const char *list, Str word) {
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, " ");
        if (n == word.len && memcmp(p, word.p, n) == 0) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static const struct {
    DiagKind kind;
    const char *module, *names;
} quiet_import[] = {
#define QUIET(kind, module, names) {DIAG_##kind, module, names},
#define PACKAGE(names)
#include "host/policy/unused_imports.def"
#undef QUIET
#undef PACKAGE
};
static const char packages[] =
#define QUIET(kind, module, names)
#define PACKAGE(names) names
#include "host/policy/unused_imports.def"
#undef QUIET
#undef PACKAGE
    ;
enum { QUIET_MODULES = sizeof quiet_import / sizeof *quiet_import };

static int quiet_module(const Node *n, const Node *alias) {
    Str module = n->import.from ? n->import.module : alias->alias.name;
    int k = 0;
    while (k < QUIET_MODULES && !str_is(module, quiet_import[k].module)) k++;
    return k;
}

static Str given_name(const Node *alias) { return alias->alias.as.len ? alias->alias.as : alias->alias.name; }

bool import_of_package(const Node *n, const Node *alias) {
    Str module = n->import.from ? n->import.module : alias->alias.name;
    const char *dot = module.len ? memchr(module.p, '.', module.len) : NULL; // `from . import x` has no name
    // A package that the file itself is part of.
    if (n->import.dots) return !str_is(alias->alias.name, "*") && known_root(given_name(alias)) < 0;
    // What torch's compiler writes on top of its files.
    if (n->import.from && str_starts(module, "torch._inductor.")) return !str_is(module, INDUCTOR_HELPERS);
    if (dot) module.len = (size_t)(dot - module.p);
    return in_list(packages, module) && !str_is(alias->alias.name, "*");
}

static bool alias_quiet(Arena *a, const Node *n, const Node *alias) {
    Imported b = binding_of(a, n, alias);
    int k = n->import.dots ? QUIET_MODULES : quiet_module(n, alias);
    bool listed = k < QUIET_MODULES && (!n->import.from || in_list(quiet_import[k].names, alias->alias.name));
    if (!listed && !import_of_package(n, alias)) return false;
    if (str_is(b.bound, "torch") || str_is(b.bound, "triton"))
        return !n->import.from && !alias->alias.as.len; // `import torch.utils.benchmark` binds torch
    return !api_is_module(b.bound, true) && !api_named(b.bound, true) && !is_reserved_root(b.bound);
}

const char *import_missing(Arena *a, const Node *n) {
    for (int i = 0; n->import.from && i < n->import.names.n; i++) {
        const char *why =
            triton_import_fault(a, n->import.module, n->import.names.at[i]->alias.name, n->import.old_names);
        if (why) return why;
    }
    return NULL;
}

bool import_harmless(const Node *n) {
    for (int i = 0; i < n->import.names.n; i++)
        if (!alias_canonical(n, i) && !alias_is(n, i, alias_meant) && !alias_is(n, i, alias_quiet))
            return false;
    return n->import.names.n > 0;
}

bool import_brings(const Node *n) {
    for (int i = 0; i < n->import.names.n; i++)
        if (!alias_canonical(n, i) && !alias_is(n, i, alias_meant)) return false;
    return n->import.names.n > 0;
}

void names_of_quiet(Arena *a, Names *names, Names *reaching, const Node *n) {
    for (int i = 0; i < n->import.names.n; i++) {
        if (alias_canonical(n, i) || alias_is(n, i, alias_meant) || !alias_is(n, i, alias_quiet)) continue;
        Str bound = binding_of(a, n, n->import.names.at[i]).bound;
        if (str_is(bound, "torch") || str_is(bound, "triton")) continue;
        names_add(names, bound);
        int k = n->import.dots ? QUIET_MODULES : quiet_module(n, n->import.names.at[i]);
        if (k < QUIET_MODULES && quiet_import[k].kind == DIAG_REFUSED) names_add(reaching, bound);
    }
}

// ---- spelling out

typedef struct {
    Arena *arena;
    Imported *at;
    int n;
    Names bound; // by anything but imports, anywhere in host code
} Normalizer;

static void collect_bound(void *arg, const Node *n) {
    Normalizer *s = arg;
    if (n->kind == NODE_FUNCTION) {
        if (is_jit_function(n)) return;
        names_of_params(&s->bound, &n->function.params);
        names_of_block(&s->bound, &n->function.body, 0);
    } else if (n->kind == NODE_LAMBDA) {
        names_of_params(&s->bound, &n->lambda.params);
    } else if (n->kind == NODE_CLASS) {
        names_of_block(&s->bound, &n->klass.body, 0);
    } else if (n->kind == NODE_COMPFOR) {
        names_of_target(&s->bound, n->compfor.target, 0);
    }
    node_each_child(n, collect_bound, s); // a tree's height is bounded
}

// The tree is this process's own and has not been shown to anybody yet.
static void spell(Normalizer *s, const Node *name, Str path) {
    Node *n = (Node *)(uintptr_t)name;
    const char *dot = memrchr(path.p, '.', path.len);
    if (!dot) {
        n->name = path;
        return;
    }
    Node *value = NEW(s->arena, Node);
    *value = (Node){.kind = NODE_NAME, .span = n->span, .height = 1};
    spell(s, value, (Str){path.p, (size_t)(dot - path.p)});
    Str last = {dot + 1, path.len - (size_t)(dot + 1 - path.p)};
    n->kind = NODE_ATTRIBUTE;
    n->attribute.value = value;
    n->attribute.name = last;
}

static void normalize_names(void *arg, const Node *n) {
    Normalizer *s = arg;
    if (n->kind == NODE_IMPORT) return;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) {
        for (int i = 0; i < n->function.decorators.n; i++) normalize_names(s, n->function.decorators.at[i]);
        return; // the checker of kernels knows its imports
    }
    for (int i = 0; n->kind == NODE_NAME && i < s->n; i++)
        if (str_eq(n->name, s->at[i].bound)) return spell(s, n, s->at[i].path);
    node_each_child(n, normalize_names, s);
}

// An import takes a name from whatever had it before. One thing may be imported twice, and names that host
// code cannot use may mean several.
static bool imports_take_nothing(Arena *a, const Node *module, DiagList *d) {
    Names bound = {.arena = a}, quiet = {.arena = a}, usable = {.arena = a}, with_path = {.arena = a};
    const Nodes *body = &module->module.body;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (n->kind != NODE_IMPORT) {
            if (!is_main_guard(n)) names_of_block(&bound, &(Nodes){&body->at[i], 1}, 0);
            continue;
        }
        for (int k = 0; k < n->import.names.n; k++) {
            Imported b = binding_of(a, n, n->import.names.at[k]);
            Str path = api_canonical(a, b.path);
            Str both =
                str_of(arena_printf(a, "%d %.*s %.*s", n->import.dots, STR_ARG(b.bound), STR_ARG(path)));
            bool canonical = alias_canonical(n, k);
            bool use = library_of(module, n) || canonical || alias_is(n, k, alias_meant);
            bool other = names_have(&usable, b.bound) || (use && names_have(&quiet, b.bound));
            other = other && !names_have(&with_path, both) && !canonical;
            if (other || names_have(&bound, b.bound))
                return diag_clean(
                           d, DIAG_REFUSED, n->span, "import: `%.*s`%s", STR_ARG(b.bound),
                           known_root(b.bound) >= 0
                               ? ": a module's name may not be given to anything else"
                               : " is bound a second time in this file; give one of them another name"),
                       false;
            names_add(use ? &usable : &quiet, b.bound);
            names_add(&with_path, both);
        }
    }
    return true;
}

bool imports_normalize(Arena *a, Node *module, DiagList *d) {
    if (!imports_take_nothing(a, module, d)) return false;
    Normalizer s = {.arena = a, .bound.arena = a};
    const Nodes *body = &module->module.body;
    int most = 0;
    for (int i = 0; i < body->n; i++)
        if (body->at[i]->kind == NODE_IMPORT) most += body->at[i]->import.names.n;
    s.at = NEWN(a, Imported, (size_t)most + 1);
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (n->kind != NODE_IMPORT || library_of(module, n)) continue;
        for (int k = 0; k < n->import.names.n; k++) {
            if (alias_canonical(n, k) || !alias_is(n, k, alias_meant)) continue;
            Imported b = binding_of(a, n, n->import.names.at[k]);
            if (hides_builtin(b) || !is_reserved(b.bound)) s.at[s.n++] = b;
        }
    }
    if (s.n == 0) return true;
    names_of_block(&s.bound, body, 0);
    collect_bound(&s, module);
    for (int i = 0; i < s.n; i++) {
        if (names_have(&s.bound, s.at[i].bound))
            return diag_add(
                d, DIAG_REFUSED, module->span,
                "import: `%.*s` is bound a second time in this file; give one of them another name",
                STR_ARG(s.at[i].bound));
    }
    normalize_names(&s, module);
    return true;
}
