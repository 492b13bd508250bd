// Modules of a package of --include that a file imports by name: `from package import module`, and members of
// it, `module.f`. Each such member is imported by itself, as `from package.module import f`, under a name
// that nothing else has. Only where the package has no such name of its own, and the module is asked for
// members alone.
#include "host/normalize/normalize.h"
#include "lang/library.h"

typedef struct {
    Arena *arena;
    Node *module;
    Str name;      // of the module, as the file calls it
    Names members; // that are asked for
    int alone;     // how often it stands without a member, or gets one, besides its own import
} Submodule;

static Str called(const Node *alias) { return alias->alias.as.len ? alias->alias.as : alias->alias.name; }

// Whether a package's own file may have the name: what it binds goes before a module.
static bool may_bind(const Node *tree, Str name) {
    const Node *alias;
    bool any = module_function(tree, STR("__getattr__")) != NULL;
    for (int i = 0; i < tree->module.body.n; i++) {
        const Node *s = tree->module.body.at[i];
        for (int k = 0; s->kind == NODE_IMPORT && k < s->import.names.n; k++)
            any |= str_is(s->import.names.at[k]->alias.name, "*");
    }
    return any || module_binding(tree, name, &alias) || library_unsure(tree, name);
}

// The import of the module itself; NULL: --include holds none.
static const Node *import_of(Arena *a, const Node *module, const Node *s, const Node *alias) {
    Node *n = NEW(a, Node);
    *n = *s;
    n->import.module =
        s->import.module.len
            ? str_of(arena_printf(a, "%.*s.%.*s", STR_ARG(s->import.module), STR_ARG(alias->alias.name)))
            : alias->alias.name;
    LibraryFile *package = library_of(module, s);
    const Node *tree = package ? library_module(module->module.library, package) : NULL;
    LibraryFile *file = library_of(module, n);
    if (!file || (package && !tree) || library_patches(module->module.library, file)) return NULL;
    return tree && may_bind(tree, alias->alias.name) ? NULL : n;
}

// m.S = 2 changes what the module's own functions read.
static void target_seen(Submodule *s, const Node *t) {
    if (t->kind == NODE_TUPLE || t->kind == NODE_LIST)
        for (int i = 0; i < t->items.n; i++) target_seen(s, t->items.at[i]);
    if (t->kind == NODE_STARRED) return target_seen(s, t->value);
    while (t->kind == NODE_ATTRIBUTE) t = t->attribute.value;
    s->alone += t->kind == NODE_NAME && str_eq(t->name, s->name);
}

static void find_targets(Submodule *s, const Node *n) {
    if (n->kind == NODE_ASSIGN)
        for (int i = 0; i < n->assign.targets.n; i++) target_seen(s, n->assign.targets.at[i]);
    if (n->kind == NODE_DELETE)
        for (int i = 0; i < n->items.n; i++) target_seen(s, n->items.at[i]);
    if (n->kind == NODE_ANNASSIGN) target_seen(s, n->annassign.target);
    if (n->kind == NODE_AUGASSIGN) target_seen(s, n->augassign.target);
    if (n->kind == NODE_FOR) target_seen(s, n->loop.target);
    if (n->kind == NODE_COMPFOR) target_seen(s, n->compfor.target);
    if (n->kind == NODE_WITHITEM && n->withitem.target) target_seen(s, n->withitem.target);
    if (n->kind == NODE_EXCEPT) s->alone += str_eq(n->handler.name, s->name);
    if (n->kind == NODE_FUNCTION) s->alone += str_eq(n->function.name, s->name);
    if (n->kind == NODE_CLASS) s->alone += str_eq(n->klass.name, s->name);
}

static void find_global(void *arg, const Node *n) {
    *(bool *)arg |= n->kind == NODE_GLOBAL;
    node_each_child(n, find_global, arg);
}

// Where a function or lambda has a variable of that name of its own, its inside says nothing of the module.
static bool hides(const Submodule *s, const Node *n) {
    Names own = {.arena = s->arena};
    if (n->kind != NODE_FUNCTION && n->kind != NODE_LAMBDA) return false;
    names_of_params(&own, n->kind == NODE_FUNCTION ? &n->function.params : &n->lambda.params);
    if (n->kind == NODE_FUNCTION) names_of_block(&own, &n->function.body, 0);
    bool global = false;
    if (names_have(&own, s->name)) find_global(&global, n);
    return names_have(&own, s->name) && !global;
}

// What of such a function is evaluated outside of it.
static void each_outside(const Node *n, void (*visit)(void *arg, const Node *n), void *arg) {
    const Nodes *params = n->kind == NODE_FUNCTION ? &n->function.params : &n->lambda.params;
    for (int i = 0; i < params->n; i++) visit(arg, params->at[i]);
    for (int i = 0; n->kind == NODE_FUNCTION && i < n->function.decorators.n; i++)
        visit(arg, n->function.decorators.at[i]);
    if (n->kind == NODE_FUNCTION && n->function.returns) visit(arg, n->function.returns);
}

static void find_members(void *arg, const Node *n) {
    Submodule *s = arg;
    if (hides(s, n)) return each_outside(n, find_members, arg);
    find_targets(s, n);
    if (n->kind == NODE_NAME) s->alone += str_eq(n->name, s->name);
    if (n->kind == NODE_IMPORT) {
        Names bound = {.arena = s->arena};
        names_of_import(&bound, n);
        s->alone += names_have(&bound, s->name);
    }
    if (n->kind == NODE_ATTRIBUTE && n->attribute.value->kind == NODE_NAME &&
        str_eq(n->attribute.value->name, s->name)) {
        names_add(&s->members, n->attribute.name);
        return;
    }
    node_each_child(n, find_members, arg); // a tree's height is bounded
}

static Str own_name(const Submodule *s, Str member) {
    return str_of(arena_printf(s->arena, "%.*s_%.*s", STR_ARG(s->name), STR_ARG(member)));
}

static void name_members(void *arg, const Node *n) {
    const Submodule *s = arg;
    if (hides(s, n)) return each_outside(n, name_members, arg);
    node_each_child(n, name_members, arg);
    if (n->kind != NODE_ATTRIBUTE || n->attribute.value->kind != NODE_NAME ||
        !str_eq(n->attribute.value->name, s->name))
        return;
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    Str name = own_name(s, n->attribute.name);
    own->kind = NODE_NAME;
    own->name = name;
}

// Every name is free that a member gets.
static bool can_name(const Submodule *s) {
    for (int i = 0; i < s->members.n; i++)
        if (name_uses(s->module, own_name(s, s->members.at[i]))) return false;
    return s->alone == 0;
}

static Node *alias_of(const Submodule *s, const Node *alias, Str member) {
    Node *n = NEW(s->arena, Node);
    *n = *alias;
    n->alias.name = member;
    n->alias.as = own_name(s, member);
    return n;
}

// How many statements of the module's own level bind the name.
static int times_bound(Arena *a, const Node *module, Str name) {
    int n = 0;
    for (int i = 0; i < module->module.body.n; i++) {
        Names one = {.arena = a};
        if (module->module.body.at[i]->kind == NODE_IMPORT)
            names_of_import(&one, module->module.body.at[i]);
        else
            names_of_block(&one, &(Nodes){&module->module.body.at[i], 1}, 0);
        n += names_have(&one, name);
    }
    return n;
}

// One name of an import: its members in its place. NULL: it stays.
static Node *members_import(Arena *a, Node *module, const Node *s, const Node *alias) {
    const Node *of = import_of(a, module, s, alias);
    Submodule sub = {.arena = a, .module = module, .name = called(alias), .members.arena = a, .alone = -1};
    if (!of || times_bound(a, module, sub.name) != 1) return NULL;
    find_members(&sub, module);
    if (!can_name(&sub)) return NULL;
    Node *n = NEW(a, Node);
    *n = *of;
    n->import.names = (Nodes){NEWN(a, Node *, (size_t)sub.members.n + 1), 0};
    for (int i = 0; i < sub.members.n; i++)
        n->import.names.at[n->import.names.n++] = alias_of(&sub, alias, sub.members.at[i]);
    name_members(&sub, module);
    return n;
}

void submodules_normalize(Arena *a, Node *module) {
    if (!module->module.library) return;
    Nodes all = {0};
    int most = module->module.body.n;
    for (int i = 0; i < module->module.body.n; i++)
        if (module->module.body.at[i]->kind == NODE_IMPORT) most += module->module.body.at[i]->import.names.n;
    all.at = NEWN(a, Node *, (size_t)most + 1);
    for (int i = 0; i < module->module.body.n; i++) {
        Node *s = module->module.body.at[i];
        all.at[all.n++] = s;
        if (s->kind != NODE_IMPORT || !s->import.from) continue;
        Nodes rest = {NEWN(a, Node *, (size_t)s->import.names.n + 1), 0};
        for (int k = 0; k < s->import.names.n; k++) {
            Node *n = members_import(a, module, s, s->import.names.at[k]);
            if (!n)
                rest.at[rest.n++] = s->import.names.at[k];
            else if (n->import.names.n)
                all.at[all.n++] = n;
        }
        if (rest.n)
            s->import.names = rest;
        else
            statement_drop(s);
    }
    module->module.body = all;
}
