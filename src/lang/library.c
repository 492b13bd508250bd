#include "lang/library.h"

#include <string.h>

bool library_name_ok(Str name) {
    if (!name.len || name.len > LIBRARY_NAME_MAX || (name.p[0] >= '0' && name.p[0] <= '9')) return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(c >= '0' && c <= '9')) return false;
    }
    return !str_starts(name, "__");
}

// Names of files, not names that a file binds (host/policy/imports.c has those): what they would hide are
// modules, and words by which everybody means one.
bool library_name_taken(Str name) {
    static const char *const taken[] = {"torch", "triton", "tl", "math", "libdevice", "F", "nn"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (str_is(name, taken[i])) return true;
    return false;
}

bool library_path_ok(Str path) {
    if (path.len && path.p[path.len - 1] == '/') path.len--;
    if (!path.len || path.len > LIBRARY_PATH_MAX) return false;
    for (;;) {
        const char *dot = memchr(path.p, '.', path.len);
        Str part = {path.p, dot ? (size_t)(dot - path.p) : path.len};
        if (!library_name_ok(part)) return false;
        if (!dot) return true;
        path = (Str){dot + 1, path.len - part.len - 1};
    }
}

// ---- the packed form: two lengths, the name, the text

void library_pack(Buf *out, Str name, Str text) {
    uint32_t length[2] = {(uint32_t)name.len, (uint32_t)text.len};
    buf_put(out, (const char *)length, sizeof length);
    buf_str_put(out, name);
    buf_str_put(out, text);
}

bool library_open(Arena *a, Str packed, Library **out) {
    Library *l = NEW(a, Library);
    l->arena = a;
    while (packed.len) {
        uint32_t length[2];
        if (packed.len < sizeof length || l->files == LIBRARY_FILES_MAX) return false;
        memcpy(length, packed.p, sizeof length);
        packed = (Str){packed.p + sizeof length, packed.len - sizeof length};
        if (length[0] > packed.len || length[1] > packed.len - length[0]) return false;
        LibraryFile *f = &l->file[l->files++];
        f->name = (Str){packed.p, length[0]};
        f->text = (Str){packed.p + length[0], length[1]};
        if (!library_path_ok(f->name)) return false;
        f->package = f->name.p[f->name.len - 1] == '/';
        f->name.len -= f->package;
        packed = (Str){f->text.p + f->text.len, packed.len - length[0] - length[1]};
    }
    *out = l;
    return true;
}

// ---- what is asked of it

// The folder around: of "a.b.c" it is "a.b".
static Str parent_of(Str path) {
    const char *dot = memrchr(path.p, '.', path.len);
    return (Str){path.p, dot ? (size_t)(dot - path.p) : 0};
}

// Whether a path is that of a module in a package.
static bool path_is(Str path, Str package, Str module) {
    if (!package.len || !module.len) return str_eq(path, package.len ? package : module);
    return path.len == package.len + 1 + module.len && memcmp(path.p, package.p, package.len) == 0 &&
           path.p[package.len] == '.' && memcmp(path.p + package.len + 1, module.p, module.len) == 0;
}

LibraryFile *library_of(const Node *module, const Node *import) {
    Library *l = module->module.library;
    if (!l || !import->import.from) return NULL;
    Str package = {"", 0};
    for (int i = 0; i < l->files && import->import.dots; i++)
        if (l->file[i].module == module)
            package = l->file[i].package ? l->file[i].name : parent_of(l->file[i].name);
    for (int up = 1; up < import->import.dots; up++) {
        if (!package.len) return NULL;
        package = parent_of(package);
    }
    LibraryFile *found = NULL; // a folder goes before a file of its name
    for (int i = 0; i < l->files; i++)
        if (path_is(l->file[i].name, package, import->import.module) && (!found || l->file[i].package))
            found = &l->file[i];
    return found;
}

// Nothing but blanks and comments, as most packages' __init__.py.
static bool is_blank(Str text) {
    bool comment = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        comment = c != '\n' && (comment || c == '#');
        if (!comment && c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '\f') return false;
    }
    return true;
}

const Node *library_module(Library *l, LibraryFile *f) {
    if (f->module || f->fault) return f->module;
    DiagList d = DIAGS(l->arena);
    Node *module = parse_module(l->arena, f->package && is_blank(f->text) ? STR("pass\n") : f->text, &d);
    if (module) {
        module->module.library = l;
        module->module.old_names = l->old_names;
        return f->module = module;
    }
    const Diag *first = diag_first(&d);
    f->fault =
        arena_printf(l->arena, "%.*s%s.py, which --include gives, cannot be read: line %d: %.120s",
                     STR_ARG(f->name), f->package ? "/__init__" : "",
                     first ? line_col(f->text, first->span.at).line : 0, first ? first->msg : "unknown");
    return NULL;
}

// ---- names whose meaning nobody knows

typedef struct {
    Str name;
    bool found;
} Bound;

static void find_name(void *arg, const Node *n) {
    Bound *b = arg;
    b->found |= n->kind == NODE_NAME && str_eq(n->name, b->name);
    node_each_child(n, find_name, b); // a tree's height is bounded
}

static void find_bound(void *arg, const Node *n) {
    Bound *b = arg;
    switch (n->kind) {
    case NODE_FUNCTION: b->found |= str_eq(n->function.name, b->name); return;
    case NODE_CLASS: b->found |= str_eq(n->klass.name, b->name); return;
    case NODE_ASSIGN:
        for (int i = 0; i < n->assign.targets.n; i++) find_name(b, n->assign.targets.at[i]);
        break;
    case NODE_ANNASSIGN: find_name(b, n->annassign.target); break;
    case NODE_IMPORT:
        for (int i = 0; i < n->import.names.n; i++) {
            const Node *a = n->import.names.at[i];
            Str bound = a->alias.as.len ? a->alias.as : a->alias.name;
            b->found |= str_eq(bound, b->name) || str_is(bound, "*");
        }
        return;
    case NODE_FOR: find_name(b, n->loop.target); break;
    case NODE_WITHITEM:
    case NODE_MATCH:
    case NODE_AUGASSIGN:
    case NODE_DELETE: find_name(b, n); return;
    case NODE_LAMBDA: return;
    default: break;
    }
    node_each_child(n, find_bound, b);
}

static bool is_for_main(const Node *n) {
    const Node *c = n->kind == NODE_IF && !n->branch.otherwise.n ? n->branch.cond : NULL;
    return c && c->kind == NODE_COMPARE && c->compare.rest.n == 1 && c->compare.ops[0] == OPER_EQ &&
           node_is_name(c->compare.left, "__name__") && c->compare.rest.at[0]->kind == NODE_STRING &&
           str_is(c->compare.rest.at[0]->string.text, "__main__");
}

// A plain statement, which module_binding() sees.
static bool is_plain(const Node *n) {
    if (n->kind == NODE_ASSIGN)
        for (int i = 0; i < n->assign.targets.n; i++)
            if (n->assign.targets.at[i]->kind != NODE_NAME) return false;
    return n->kind == NODE_ASSIGN || n->kind == NODE_FUNCTION || n->kind == NODE_CLASS ||
           n->kind == NODE_ANNASSIGN || n->kind == NODE_IMPORT || is_for_main(n);
}

// ---- members of other modules that a file changes

static void changed_add(Library *l, Str name) {
    const char *dot = memrchr(name.p, '.', name.len); // sys.modules["pkg.m"]
    if (dot) name = (Str){dot + 1, name.len - (size_t)(dot + 1 - name.p)};
    for (int i = 0; i < l->changes; i++)
        if (str_eq(l->changed[i], name)) return;
    if (l->changes == LIBRARY_CHANGED_MAX)
        l->changes_more = true;
    else
        l->changed[l->changes++] = name;
}

// globals(), sys.modules, m.__dict__
static bool is_names(const Node *n) {
    if (n->kind == NODE_CALL)
        return node_is_name(n->call.func, "globals") || node_is_name(n->call.func, "vars");
    return n->kind == NODE_ATTRIBUTE &&
           (str_is(n->attribute.name, "modules") || str_is(n->attribute.name, "__dict__"));
}

// m.S, and globals()["S"]. What an object gives itself is its own.
static void changed_target(Library *l, const Node *t) {
    static const char *const own[] = {"self", "cls", "ctx"};
    if (t->kind == NODE_STARRED) return changed_target(l, t->value);
    if (t->kind == NODE_TUPLE || t->kind == NODE_LIST)
        for (int i = 0; i < t->items.n; i++) changed_target(l, t->items.at[i]);
    if (t->kind == NODE_SUBSCRIPT && t->subscript.index->kind == NODE_STRING && is_names(t->subscript.value))
        changed_add(l, t->subscript.index->string.text);
    if (t->kind != NODE_ATTRIBUTE) return;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (node_is_name(t->attribute.value, own[i])) return;
    changed_add(l, t->attribute.name);
}

static void find_changed(void *arg, const Node *n) {
    Library *l = arg;
    switch (n->kind) {
    case NODE_ASSIGN:
        for (int i = 0; i < n->assign.targets.n; i++) changed_target(l, n->assign.targets.at[i]);
        break;
    case NODE_ANNASSIGN: changed_target(l, n->annassign.target); break;
    case NODE_AUGASSIGN: changed_target(l, n->augassign.target); break;
    case NODE_FOR: changed_target(l, n->loop.target); break;
    case NODE_COMPFOR: changed_target(l, n->compfor.target); break;
    case NODE_WITHITEM:
        if (n->withitem.target) changed_target(l, n->withitem.target);
        break;
    case NODE_DELETE:
        for (int i = 0; i < n->items.n; i++) changed_target(l, n->items.at[i]);
        break;
    case NODE_CALL:
        if ((node_is_name(n->call.func, "setattr") || node_is_name(n->call.func, "delattr")) &&
            n->call.args.n > 1 && n->call.args.at[1]->kind == NODE_STRING)
            changed_add(l, n->call.args.at[1]->string.text);
        break;
    default: break;
    }
    node_each_child(n, find_changed, l); // a tree's height is bounded
}

bool library_changes(Library *l, Str name) {
    for (int i = 0; i < l->files && !l->looked; i++) {
        const Node *module = library_module(l, &l->file[i]);
        if (module) find_changed(l, module);
    }
    l->looked = true;
    for (int i = 0; i < l->changes; i++)
        if (str_eq(l->changed[i], name)) return true;
    return l->changes_more;
}

// ---- files that change torch or another module when they are imported

typedef struct {
    const Node *module;
    Str root; // of what is given a member
    bool any;
} Patch;

static bool brings(const Node *module, const Node *s, Str name) {
    for (int i = 0; s->kind == NODE_IMPORT && !library_of(module, s) && i < s->import.names.n; i++) {
        const Node *a = s->import.names.at[i];
        Str bound = a->alias.as.len ? a->alias.as : a->alias.name;
        const char *dot = a->alias.as.len ? NULL : memchr(bound.p, '.', bound.len);
        if (dot) bound.len = (size_t)(dot - bound.p);
        if (str_eq(bound, name)) return true;
    }
    return false;
}
static void find_bringing(void *arg, const Node *n) {
    Patch *p = arg;
    p->any |= brings(p->module, n, p->root);
    node_each_child(n, find_bringing, p); // a tree's height is bounded
}

// torch.f = g, and of what an import gives: Autotuner.run = g. Flags below torch.backends are no functions.
static void patch_target(Patch *p, const Node *t) {
    if (t->kind == NODE_TUPLE || t->kind == NODE_LIST)
        for (int i = 0; i < t->items.n; i++) patch_target(p, t->items.at[i]);
    if (t->kind == NODE_STARRED) return patch_target(p, t->value);
    if (t->kind != NODE_ATTRIBUTE) return;
    for (; t->kind == NODE_ATTRIBUTE; t = t->attribute.value)
        if (str_is(t->attribute.name, "backends")) return;
    if (t->kind != NODE_NAME) return;
    p->root = t->name;
    find_bringing(p, p->module);
}

static void find_patches(void *arg, const Node *n) {
    Patch *p = arg;
    if (n->kind == NODE_ASSIGN)
        for (int i = 0; i < n->assign.targets.n; i++) patch_target(p, n->assign.targets.at[i]);
    if (n->kind == NODE_ANNASSIGN) patch_target(p, n->annassign.target);
    if (n->kind == NODE_AUGASSIGN) patch_target(p, n->augassign.target);
    if (n->kind == NODE_FOR) patch_target(p, n->loop.target);
    if (n->kind == NODE_WITHITEM && n->withitem.target) patch_target(p, n->withitem.target);
    if (n->kind == NODE_DELETE)
        for (int i = 0; i < n->items.n; i++) patch_target(p, n->items.at[i]);
    if (n->kind == NODE_CALL && n->call.args.n > 1 &&
        (node_is_name(n->call.func, "setattr") || node_is_name(n->call.func, "delattr"))) {
        const Node *t = n->call.args.at[0];
        while (t->kind == NODE_ATTRIBUTE) t = t->attribute.value;
        if (t->kind == NODE_NAME) p->root = t->name, find_bringing(p, p->module);
    }
    node_each_child(n, find_patches, p); // a tree's height is bounded
}

typedef struct {
    Library *library;
    LibraryFile *file;
} Importer;
static void look_at_imports(void *arg, const Node *n) {
    const Importer *by = arg;
    Library *l = by->library;
    for (int i = -1; n->kind == NODE_IMPORT && i < n->import.names.n; i++) {
        const LibraryFile *f = NULL;
        Str name = i < 0 ? (Str){0} : n->import.names.at[i]->alias.name;
        if (n->import.from)
            f = i < 0 ? library_of(by->file->module, n)
                      : library_submodule(l->arena, by->file->module, n, name);
        for (int k = 0; i >= 0 && !n->import.from && k < l->files; k++)
            if (str_eq(l->file[k].name, name)) f = &l->file[k];
        if (f) by->file->patches |= f->patches;
    }
    node_each_child(n, look_at_imports, arg); // a tree's height is bounded
}

// The packages around a file are imported before it.
static void look_at_packages(const Library *l, LibraryFile *f) {
    for (Str package = parent_of(f->name); package.len; package = parent_of(package))
        for (int i = 0; i < l->files; i++)
            if (l->file[i].package && str_eq(l->file[i].name, package)) f->patches |= l->file[i].patches;
}

bool library_patches(Library *l, LibraryFile *file) {
    bool any = false;
    for (int i = 0; !l->patches_known && i < l->files; i++) {
        Patch p = {.module = library_module(l, &l->file[i])};
        if (p.module) find_patches(&p, p.module);
        any |= l->file[i].patches =
            !p.module || p.any || import_effects(p.module); // what cannot be read may do anything
    }
    for (bool more = any; more;) { // files may import from one another in a circle
        more = false;
        for (int i = 0; i < l->files; i++) {
            LibraryFile *f = &l->file[i];
            if (f->patches || !f->module) continue;
            look_at_packages(l, f);
            look_at_imports(&(Importer){l, f}, f->module);
            more |= f->patches;
        }
    }
    l->patches_known = true;
    return file->patches;
}

static bool brings_all(const Node *s) {
    for (int i = 0; s->kind == NODE_IMPORT && i < s->import.names.n; i++)
        if (str_is(s->import.names.at[i]->alias.name, "*")) return true;
    return false;
}

bool library_unsure(const Node *module, Str name) {
    Library *l = module->module.library;
    Bound b = {.name = name};
    bool ours = false;
    for (int i = 0; l && !ours && i < l->files; i++) {
        ours = l->file[i].module == module;
        if (ours && library_patches(l, &l->file[i])) return true;
    }
    if (ours && library_changes(l, name)) return true;
    bool star = false; // an import of everything, behind what binds the name
    const Node *alias, *def = ours ? module_binding(module, name, &alias) : NULL;
    for (int i = 0; ours && !b.found && i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (!is_plain(s)) find_bound(&b, s);
        star = s != def && (star || brings_all(s));
    }
    return b.found || star || (ours && !def && module_binding(module, STR("__getattr__"), &alias));
}

LibraryFile *library_submodule(Arena *a, const Node *module, const Node *import, Str name) {
    Node of = *import;
    Str package = import->import.module;
    of.import.module =
        package.len ? str_of(arena_printf(a, "%.*s.%.*s", STR_ARG(package), STR_ARG(name))) : name;
    return library_of(module, &of);
}

const char *library_names(Arena *a, const Library *l) {
    enum { SHOWN = 5 };
    Buf b = BUF(a);
    for (int i = 0; i < l->files && i < SHOWN; i++)
        buf_printf(&b, "%s%.*s", i ? ", " : "", STR_ARG(l->file[i].name));
    if (l->files > SHOWN) buf_puts(&b, ", ...");
    return buf_cstr(&b);
}
