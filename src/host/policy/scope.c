#include "host/policy/scope.h"

#include <stdarg.h>
#include <stdio.h>

// Which names a piece of code binds in its own scope, so that a read before the first assignment is Python's
// error and not a global of the same name. Depth is limited like everything that walks a tree from outside.

void diag_clean(DiagList *d, DiagKind kind, Span at, const char *fmt, ...) {
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (char *p = text; *p; p++)
        if (*p < 0x20 || *p > 0x7e) *p = '?';
    diag_record(d, kind, at, "%s", text);
}

static int *names_slot(const Names *names, Str name) {
    for (uint32_t i = (uint32_t)str_hash(name);; i++) {
        int *slot = &names->slot[i & (uint32_t)(2 * names->cap - 1)];
        if (!*slot || str_eq(names->at[*slot - 1], name)) return slot;
    }
}

bool names_have(const Names *names, Str name) { return names->cap && *names_slot(names, name); }

void names_add(Names *names, Str name) {
    if (names_have(names, name)) return;
    if (names->n == names->cap) {
        Names grown = {.arena = names->arena, .cap = names->cap ? names->cap * 2 : 8};
        grown.at = NEWN(names->arena, Str, (size_t)grown.cap);
        grown.slot = NEWN(names->arena, int, (size_t)grown.cap * 2);
        for (int i = 0; i < names->n; i++) {
            grown.at[i] = names->at[i];
            *names_slot(&grown, names->at[i]) = ++grown.n;
        }
        *names = grown;
    }
    names->at[names->n] = name;
    *names_slot(names, name) = ++names->n;
}

void names_of_target(Names *names, const Node *target, int depth) {
    if (depth > WALK_MAX) return;
    switch (target->kind) {
    case NODE_NAME: names_add(names, target->name); break;
    case NODE_STARRED: names_of_target(names, target->value, depth + 1); break;
    case NODE_TUPLE:
    case NODE_LIST:
        for (int i = 0; i < target->items.n; i++) names_of_target(names, target->items.at[i], depth + 1);
        break;
    default: break; // attributes and subscripts bind no name
    }
}

static void names_of_exprs(Names *names, const Nodes *list, int depth) {
    for (int i = 0; i < list->n; i++)
        if (list->at[i]) names_of_expr(names, list->at[i], depth);
}

// Only := binds inside an expression. Lambdas have their own scope; comprehensions hand := outwards.
void names_of_expr(Names *names, const Node *n, int depth) {
    if (!n || ++depth > WALK_MAX) return;
    switch (n->kind) {
    case NODE_WALRUS:
        names_add(names, n->walrus.name);
        names_of_expr(names, n->walrus.value, depth);
        break;
    case NODE_FSTRING:
    case NODE_TUPLE:
    case NODE_LIST:
    case NODE_SET: names_of_exprs(names, &n->items, depth); break;
    case NODE_DICT:
        names_of_exprs(names, &n->dict.keys, depth);
        names_of_exprs(names, &n->dict.values, depth);
        break;
    case NODE_UNARY: names_of_expr(names, n->unary.operand, depth); break;
    case NODE_BINARY:
        names_of_expr(names, n->binary.left, depth);
        names_of_expr(names, n->binary.right, depth);
        break;
    case NODE_BOOLOP: names_of_exprs(names, &n->boolop.items, depth); break;
    case NODE_COMPARE:
        names_of_expr(names, n->compare.left, depth);
        names_of_exprs(names, &n->compare.rest, depth);
        break;
    case NODE_CALL:
        names_of_expr(names, n->call.func, depth);
        names_of_exprs(names, &n->call.args, depth);
        names_of_exprs(names, &n->call.keywords, depth);
        break;
    case NODE_KEYWORD: names_of_expr(names, n->keyword.value, depth); break;
    case NODE_ATTRIBUTE: names_of_expr(names, n->attribute.value, depth); break;
    case NODE_SUBSCRIPT:
        names_of_expr(names, n->subscript.value, depth);
        names_of_expr(names, n->subscript.index, depth);
        break;
    case NODE_SLICE:
        names_of_expr(names, n->slice.lo, depth);
        names_of_expr(names, n->slice.hi, depth);
        names_of_expr(names, n->slice.step, depth);
        break;
    case NODE_IFEXP:
        names_of_expr(names, n->ifexp.cond, depth);
        names_of_expr(names, n->ifexp.then, depth);
        names_of_expr(names, n->ifexp.otherwise, depth);
        break;
    case NODE_STARRED: names_of_expr(names, n->value, depth); break;
    case NODE_COMP:
        names_of_expr(names, n->comp.element, depth);
        names_of_expr(names, n->comp.val, depth);
        for (int i = 0; i < n->comp.fors.n; i++) {
            names_of_expr(names, n->comp.fors.at[i]->compfor.iter, depth);
            names_of_exprs(names, &n->comp.fors.at[i]->compfor.conds, depth);
        }
        break;
    default: break;
    }
}

void names_of_block(Names *names, const Nodes *body, int depth) {
    if (++depth > WALK_MAX) return;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        switch (s->kind) {
        case NODE_FUNCTION: names_add(names, s->function.name); break;
        case NODE_CLASS: names_add(names, s->klass.name); break;
        case NODE_ASSIGN:
            for (int k = 0; k < s->assign.targets.n; k++)
                names_of_target(names, s->assign.targets.at[k], depth);
            names_of_expr(names, s->assign.value, depth);
            break;
        case NODE_AUGASSIGN:
            names_of_target(names, s->augassign.target, depth);
            names_of_expr(names, s->augassign.value, depth);
            break;
        case NODE_ANNASSIGN:
            names_of_target(names, s->annassign.target, depth);
            names_of_expr(names, s->annassign.value, depth);
            break;
        case NODE_EXPRSTMT:
        case NODE_RETURN: names_of_expr(names, s->value, depth); break;
        case NODE_ASSERT: names_of_expr(names, s->assertion.cond, depth); break;
        case NODE_IF:
            names_of_expr(names, s->branch.cond, depth);
            names_of_block(names, &s->branch.then, depth);
            names_of_block(names, &s->branch.otherwise, depth);
            break;
        case NODE_FOR:
            names_of_target(names, s->loop.target, depth);
            names_of_expr(names, s->loop.iter, depth);
            names_of_block(names, &s->loop.body, depth);
            names_of_block(names, &s->loop.otherwise, depth);
            break;
        case NODE_WHILE:
            names_of_expr(names, s->whileloop.cond, depth);
            names_of_block(names, &s->whileloop.body, depth);
            names_of_block(names, &s->whileloop.otherwise, depth);
            break;
        case NODE_WITH: names_of_block(names, &s->with.body, depth); break;
        case NODE_DELETE:
            for (int k = 0; k < s->items.n; k++) names_of_target(names, s->items.at[k], depth);
            break;
        default: break;
        }
    }
}

void names_of_import(Names *names, const Node *import) {
    for (int i = 0; i < import->import.names.n; i++) {
        const Node *a = import->import.names.at[i];
        Str name = a->alias.as.len ? a->alias.as : a->alias.name;
        const char *dot = a->alias.as.len || import->import.from ? NULL : memchr(name.p, '.', name.len);
        if (dot) name.len = (size_t)(dot - name.p); // `import a.b` binds a
        names_add(names, name);
    }
}

static void names_inside(void *arg, const Node *n) {
    Names *names = arg;
    if (n->kind == NODE_FUNCTION) {
        names_of_params(names, &n->function.params);
        names_of_block(names, &n->function.body, 0);
    }
    if (n->kind == NODE_LAMBDA) names_of_params(names, &n->lambda.params);
    if (n->kind == NODE_COMPFOR) names_of_target(names, n->compfor.target, 0);
    node_each_child(n, names_inside, names); // a tree's height is bounded
}

static void names_more(Bindings *b, const Names *bound) {
    for (int i = 0; i < bound->n; i++) {
        if (names_have(&b->all, bound->at[i])) names_add(&b->more, bound->at[i]);
        names_add(&b->all, bound->at[i]);
    }
}

void names_of_module(Bindings *b, Arena *a, const Node *module) {
    *b = (Bindings){.all.arena = a, .more.arena = a};
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        Names level = {.arena = a}, inside = {.arena = a};
        if (s->kind == NODE_IMPORT)
            names_of_import(&level, s);
        else
            names_of_block(&level, &(Nodes){&module->module.body.at[i], 1}, 0);
        names_inside(&inside, s);
        names_more(b, &level);
        names_more(b, &inside);
    }
}

bool bound_once(const Bindings *b, Str name) {
    return names_have(&b->all, name) && !names_have(&b->more, name);
}

void names_of_params(Names *names, const Nodes *params) {
    for (int i = 0; i < params->n; i++)
        if (params->at[i]->param.name.len) names_add(names, params->at[i]->param.name);
}

static void returns_within(void *arg, const Node *n) { *(bool *)arg |= node_returns(n); }
bool node_returns(const Node *n) {
    bool any = n->kind == NODE_RETURN;
    if (n->kind != NODE_FUNCTION && n->kind != NODE_LAMBDA) node_each_child(n, returns_within, &any);
    return any;
}
