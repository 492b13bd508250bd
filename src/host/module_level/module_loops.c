// Lists and dictionaries that a loop of the module fills, as what a function makes:
//
//     WARPS = {}                          def made 0():
//     for b in BLOCKS:                        WARPS = {}
//         WARPS[b] = max(1, b // 256)         for b in BLOCKS:
//                                                 WARPS[b] = max(1, b // 256)
//                                             return WARPS
//                                         WARPS = made 0()
//
// Only where what else the loop binds is used nowhere in the file, and where nothing asks for the list or
// dictionary in between. `del b` behind it goes.
#include "host/module_level/module_level.h"

static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; } // the tree is this process's own

typedef struct {
    Arena *arena;
    Node *module;
    Names filled;
    int made;
} Loops;

// X of X[k] = v and X.append(v).
static void find_filled(void *arg, const Node *n) {
    Names *filled = arg;
    for (int i = 0; n->kind == NODE_ASSIGN && i < n->assign.targets.n; i++) {
        const Node *t = n->assign.targets.at[i];
        if (t->kind == NODE_SUBSCRIPT && t->subscript.value->kind == NODE_NAME)
            names_add(filled, t->subscript.value->name);
    }
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    if (f && f->kind == NODE_ATTRIBUTE && f->attribute.value->kind == NODE_NAME &&
        (str_is(f->attribute.name, "append") || str_is(f->attribute.name, "extend") ||
         str_is(f->attribute.name, "update") || str_is(f->attribute.name, "add")))
        names_add(filled, f->attribute.value->name);
    node_each_child(n, find_filled, filled); // a tree's height is bounded
}

static Str given_name(const Node *s, const Node **value) {
    const Node *t = s->kind == NODE_ANNASSIGN                            ? s->annassign.target
                    : s->kind == NODE_ASSIGN && s->assign.targets.n == 1 ? s->assign.targets.at[0]
                                                                         : NULL;
    *value = s->kind == NODE_ANNASSIGN ? s->annassign.value : s->kind == NODE_ASSIGN ? s->assign.value : NULL;
    return t && t->kind == NODE_NAME && *value ? t->name : (Str){0};
}

// Where the module gives the name an empty list or dictionary, the last time before `loop`; -1: nowhere, or
// something asks for it in between.
static int begins(const Loops *l, int loop, Str name) {
    for (int i = loop - 1; i >= 0; i--) {
        const Node *s = l->module->module.body.at[i], *value;
        if (str_eq(given_name(s, &value), name)) {
            bool display = value->kind == NODE_LIST || value->kind == NODE_DICT;
            bool call = value->kind == NODE_CALL && !value->call.args.n && !value->call.keywords.n &&
                        (node_is_name(value->call.func, "list") || node_is_name(value->call.func, "dict") ||
                         node_is_name(value->call.func, "set"));
            return display || call ? i : -1;
        }
        if (s->kind != NODE_FUNCTION && s->kind != NODE_CLASS && name_uses(s, name)) return -1;
    }
    return -1;
}

static void find_leaving(void *arg, const Node *n) {
    *(bool *)arg |= n->kind == NODE_IMPORT || n->kind == NODE_FUNCTION || n->kind == NODE_CLASS ||
                    n->kind == NODE_GLOBAL || n->kind == NODE_WALRUS;
    node_each_child(n, find_leaving, arg);
}

// What a loop binds is its own: nothing else in the file has it, but `del`.
static bool is_own(const Loops *l, int loop, const Names *bound) {
    for (int i = 0; i < l->module->module.body.n; i++) {
        const Node *s = l->module->module.body.at[i];
        if (i == loop || s->kind == NODE_DELETE) continue;
        if (s->kind == NODE_FUNCTION || s->kind == NODE_CLASS) {
            Names used = {.arena = l->arena}, own = {.arena = l->arena};
            names_mentioned(&used, s);
            if (s->kind == NODE_FUNCTION) {
                names_of_params(&own, &s->function.params);
                names_of_block(&own, &s->function.body, 0);
            }
            for (int k = 0; k < bound->n; k++)
                if (names_have(&used, bound->at[k]) && !names_have(&own, bound->at[k])) return false;
            continue;
        }
        for (int k = 0; k < bound->n; k++)
            if (name_uses(s, bound->at[k])) {
                const Node *other = s->kind == NODE_FOR ? s : NULL; // another loop that binds it anew
                Names its = {.arena = l->arena};
                if (other) names_of_block(&its, &(Nodes){&l->module->module.body.at[i], 1}, 0);
                if (!other || !names_have(&its, bound->at[k])) return false;
            }
    }
    return true;
}

static bool make(Loops *l, int at) {
    Node *loop = l->module->module.body.at[at];
    Names filled = {.arena = l->arena}, bound = {.arena = l->arena};
    bool leaves = false;
    node_each_child(loop, find_filled, &filled);
    names_of_block(&bound, &(Nodes){&loop, 1}, 0);
    node_each_child(loop, find_leaving, &leaves);
    const Node *value;
    int begin = filled.n == 1 && !leaves ? begins(l, at, filled.at[0]) : -1;
    if (begin < 0 || names_have(&bound, filled.at[0]) || !is_own(l, at, &bound)) return false;
    Node *first = l->module->module.body.at[begin];
    Str name = given_name(first, &value), hidden = str_of(arena_printf(l->arena, "made %d", l->made++));
    Node *f = tree_of(l->arena, "def f():\n    pass\n    pass\n    return f\n", loop->span);
    Node *call = tree_of(l->arena, "f = f()\n", loop->span), *own = NEW(l->arena, Node);
    Node *init = tree_of(l->arena, "f = f\n", loop->span);
    if (!f || !call || !init) return false;
    *own = *loop;
    init->assign.targets.at[0]->name = name;
    init->assign.value = mine(value);
    init->height = (uint16_t)(value->height + 1);
    f->function.name = hidden;
    f->function.body.at[0] = init;
    f->function.body.at[1] = own;
    f->function.body.at[2]->value->name = name;
    f->height = (uint16_t)((own->height > init->height ? own->height : init->height) + 1);
    call->assign.targets.at[0]->name = name;
    call->assign.value->call.func->name = hidden;
    // The function stands where its list began, its call where the loop was.
    l->module->module.body.at[begin] = f;
    l->module->module.body.at[at] = call;
    for (int i = 0; i < l->module->module.body.n; i++) {
        Node *s = l->module->module.body.at[i];
        bool gone = s->kind == NODE_DELETE;
        for (int k = 0; gone && k < s->items.n; k++)
            gone = s->items.at[k]->kind == NODE_NAME && names_have(&bound, s->items.at[k]->name);
        if (gone) statement_drop(s);
    }
    return true;
}

void module_loops_normalize(Arena *a, Node *module) {
    Loops l = {.arena = a, .module = module};
    for (int i = 0; i < module->module.body.n; i++)
        if (module->module.body.at[i]->kind == NODE_FOR) (void)make(&l, i);
}
