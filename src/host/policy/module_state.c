// Lists and dictionaries of a module that its functions fill: `_cache[N] = block`, `_calls[0] += 1`. They are
// state between calls, like what an object of ModelNew keeps, and are judged like that: called again and
// again (sandbox/child/child_calls.c), with every condition on them counted (host/varies). To stay within
// what that sees:
//
//   - the whole file binds the name once, to a display of numbers and texts, or to nothing in it;
//   - what is put there are numbers, texts and the like (value.c): tensors are for objects to keep;
//   - they are read and changed in calls alone: not while the file is read or a ModelNew is made, which no
//     later call does again, nor where functools or Triton's tuner keep what comes out (env_read in eval.c).
//
// What a module holds beside these nobody may change.
#include "host/policy/screen.h"
#include "tile/check/check.h"

static bool is_number(const Node *n) {
    if (n->kind == NODE_UNARY) n = n->unary.operand;
    return is_written(n) || n->kind == NODE_FLOAT;
}

static bool is_named(const Bindings *bound, const Node *n, const char *name) {
    return node_is_name(n, name) && !names_have(&bound->all, n->name);
}

// OrderedDict, and collections.OrderedDict, by an import of them.
static bool is_ordered(const Node *module, const Bindings *bound, const Node *n) {
    bool member = n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "OrderedDict");
    const Node *root = member ? n->attribute.value : n, *alias;
    if (root->kind != NODE_NAME || !bound_once(bound, root->name)) return false;
    const Node *s = module_binding(module, root->name, &alias);
    if (!s || s->kind != NODE_IMPORT || s->import.dots || s->import.from == member) return false;
    return member ? str_is(alias->alias.name, "collections")
                  : str_is(s->import.module, "collections") && str_is(alias->alias.name, "OrderedDict");
}

static bool is_plain_display(const Node *module, const Bindings *bound, const Node *n) {
    if (n->kind == NODE_CALL)
        return !n->call.args.n && !n->call.keywords.n &&
               (is_ordered(module, bound, n->call.func) || is_named(bound, n->call.func, "dict") ||
                is_named(bound, n->call.func, "list") || is_named(bound, n->call.func, "set"));
    if (n->kind != NODE_LIST && n->kind != NODE_DICT) return false;
    const Nodes *items = n->kind == NODE_LIST ? &n->items : &n->dict.values;
    for (int i = 0; i < items->n; i++) {
        const Node *key = n->kind == NODE_DICT ? n->dict.keys.at[i] : items->at[i];
        if (!key || !is_number(key) || !is_number(items->at[i])) return false;
    }
    return true;
}

// ---- names that the file's functions store to

static void stored_to(Names *names, const Node *target) {
    if (target->kind == NODE_STARRED) stored_to(names, target->value);
    for (int i = 0; (target->kind == NODE_TUPLE || target->kind == NODE_LIST) && i < target->items.n; i++)
        stored_to(names, target->items.at[i]);
    if (target->kind == NODE_SUBSCRIPT && target->subscript.value->kind == NODE_NAME)
        names_add(names, target->subscript.value->name);
}

static bool is_change(Str method) {
    static const char *const all[] = {"append",     "extend",  "insert",     "pop",     "update",
                                      "setdefault", "add",     "discard",    "popitem", "clear",
                                      "remove",     "reverse", "move_to_end"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(method, all[i])) return true;
    return false;
}

static void find_stores(void *arg, const Node *n) {
    Names *names = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++)
        stored_to(names, n->assign.targets.at[i]);
    if (n->kind == NODE_AUGASSIGN) stored_to(names, n->augassign.target);
    if (n->kind == NODE_ANNASSIGN) stored_to(names, n->annassign.target);
    if (n->kind == NODE_FOR) stored_to(names, n->loop.target);
    for (int i = 0; n->kind == NODE_DELETE && i < n->items.n; i++) stored_to(names, n->items.at[i]);
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    if (f && f->kind == NODE_ATTRIBUTE && f->attribute.value->kind == NODE_NAME &&
        is_change(f->attribute.name))
        names_add(names, f->attribute.value->name);
    node_each_child(n, find_stores, names); // a tree's height is bounded
}

static Node *target_of(const Node *s, Node **value) {
    if (s->kind == NODE_ANNASSIGN) return *value = s->annassign.value, s->annassign.target;
    if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1) return NULL;
    return *value = s->assign.value, s->assign.targets.at[0];
}

void module_state_normalize(Arena *a, Node *module) {
    const Nodes *body = &module->module.body;
    Bindings bound;
    Names stored = {.arena = a};
    bool learnt = false;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i], *value = NULL;
        const Node *target = target_of(s, &value);
        if (!target || target->kind != NODE_NAME || !value ||
            (value->kind != NODE_LIST && value->kind != NODE_DICT && value->kind != NODE_CALL))
            continue;
        if (!learnt) names_of_module(&bound, a, module), find_stores(&stored, module);
        learnt = true;
        if (!names_have(&stored, target->name) || !bound_once(&bound, target->name) ||
            !is_plain_display(module, &bound, value))
            continue;
        if (s->kind == NODE_ASSIGN)
            s->assign.kept = true;
        else
            s->annassign.kept = true;
    }
}

// ---- what a class holds for all of its objects

// self._cache[N] = block, ModelNew._cache.pop(N): by the attribute's name.
static void attribute_stored(Names *names, const Node *of) {
    if (of->kind == NODE_ATTRIBUTE) names_add(names, of->attribute.name);
}
static void find_attribute_stores(void *arg, const Node *n) {
    Names *names = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    const Nodes *targets = n->kind == NODE_ASSIGN   ? &n->assign.targets
                           : n->kind == NODE_DELETE ? &n->items
                                                    : NULL;
    for (int i = 0; targets && i < targets->n; i++)
        if (targets->at[i]->kind == NODE_SUBSCRIPT) attribute_stored(names, targets->at[i]->subscript.value);
    const Node *target = n->kind == NODE_AUGASSIGN ? n->augassign.target : NULL;
    if (target && target->kind == NODE_SUBSCRIPT) attribute_stored(names, target->subscript.value);
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    if (f && f->kind == NODE_ATTRIBUTE && is_change(f->attribute.name))
        attribute_stored(names, f->attribute.value);
    node_each_child(n, find_attribute_stores, names); // a tree's height is bounded
}

void class_state_normalize(Arena *a, Node *module) {
    Bindings bound;
    Names stored = {.arena = a};
    bool learnt = false;
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *c = module->module.body.at[i];
        for (int k = 0; c->kind == NODE_CLASS && k < c->klass.body.n; k++) {
            Node *s = c->klass.body.at[k], *value = NULL;
            const Node *target = target_of(s, &value);
            if (!target || target->kind != NODE_NAME || !value) continue;
            if (!learnt) names_of_module(&bound, a, module), find_attribute_stores(&stored, module);
            learnt = true;
            if (!names_have(&stored, target->name) || !is_plain_display(module, &bound, value)) continue;
            if (s->kind == NODE_ASSIGN)
                s->assign.kept = true;
            else
                s->annassign.kept = true;
        }
    }
}

bool is_class_value(const Node *s) {
    Node *value = NULL;
    const Node *target = target_of(s, &value);
    if (!target || target->kind != NODE_NAME || !value) return false;
    bool kept = s->kind == NODE_ASSIGN ? s->assign.kept : s->annassign.kept;
    bool empty =
        (value->kind == NODE_DICT && !value->dict.keys.n) || (value->kind == NODE_LIST && !value->items.n);
    return kept || empty || is_constant(value) || is_collection(value);
}

void names_of_state(Names *names, const Node *module) {
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (s->kind == NODE_ASSIGN && s->assign.kept) names_add(names, s->assign.targets.at[0]->name);
        if (s->kind == NODE_ANNASSIGN && s->annassign.kept) names_add(names, s->annassign.target->name);
    }
}
