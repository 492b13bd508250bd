#include "host/candidate/conditions_read.h"

typedef struct {
    Arena *arena;
    Conditions *c;
} Reader;

static int name_find(const Conditions *c, Str name) {
    for (int i = 0; i < c->names; i++)
        if (str_eq(c->name[i], name)) return i;
    return -1;
}

static int name_place(Reader *r, Str name) {
    Conditions *c = r->c;
    int i = name_find(c, name);
    if (i >= 0) return i;
    if (c->names == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 32;
        c->name = MORE(r->arena, Str, c->name, c->names, c->cap);
        c->maybe = MORE(r->arena, bool, c->maybe, c->names, c->cap);
        c->range = MORE(r->arena, bool, c->range, c->names, c->cap);
    }
    c->name[c->names] = name;
    c->maybe[c->names] = c->range[c->names] = false;
    return c->names++;
}

static Callee callee_of(Str name) {
    static const struct {
        const char *name;
        Callee is;
    } all[] = {{"to", CALL_TO},     {"num_programs", CALL_NUM_PROGRAMS},
               {"abs", CALL_ABS},   {"program_id", CALL_PROGRAM_ID},
               {"cdiv", CALL_CDIV}, {"arange", CALL_ARANGE},
               {"min", CALL_MIN},   {"minimum", CALL_MIN},
               {"max", CALL_MAX},   {"maximum", CALL_MAX}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i].name)) return all[i].is;
    return CALL_OTHER;
}

static bool all_known(const Part *p) {
    for (int i = 0; i < p->parts; i++)
        if (!p->part[i].knows) return false;
    return true;
}

static void read_call(Part *p) {
    const Node *f = p->n->call.func;
    int args = p->n->call.args.n;
    const Part *func = &p->part[FUNC], *arg = p->part + ARGS;
    p->member = f->kind == NODE_ATTRIBUTE;
    p->callee = p->member              ? callee_of(f->attribute.name)
                : f->kind == NODE_NAME ? callee_of(f->name)
                                       : CALL_OTHER;
    if (p->callee == CALL_TO) {
        if (!p->member) return;
        const Part *of = &func->part[0];
        const Node *to = args == 1 ? p->n->call.args.at[0] : NULL;
        if (to && to->kind == NODE_ATTRIBUTE)
            p->bits = str_is(to->attribute.name, "int64") ? 64 : str_is(to->attribute.name, "int32") ? 32 : 0;
        p->knows = p->bits && of->knows;
        p->notes = p->bits && of->notes;
        p->ranges = of->ranges;
        return;
    }
    if (args == 0) return;
    bool first = arg[0].knows, second = args == 2 && arg[1].knows;
    p->notes = arg[0].notes || (args == 2 && arg[1].notes);
    p->ranges =
        p->member && ((p->callee == CALL_PROGRAM_ID && args == 1) || (p->callee == CALL_ARANGE && args == 2));
    switch (p->callee) {
    case CALL_NUM_PROGRAMS: p->knows = first; break;
    case CALL_ABS: p->knows = first && args == 1; break;
    case CALL_CDIV:
    case CALL_MIN:
    case CALL_MAX: p->knows = first && second; break;
    default: break;
    }
    p->notes |= p->knows && node_extreme(p->n);
}

static void read_one(const Reader *r, Part *p) {
    const Node *n = p->n;
    bool below = false;
    for (int i = 0; i < p->parts; i++) below |= p->part[i].notes;
    switch (n->kind) {
    case NODE_INT:
    case NODE_TRUE:
    case NODE_FALSE: p->knows = true; break;
    case NODE_NAME:
        p->name = name_find(r->c, n->name);
        p->knows = p->name >= 0 && r->c->maybe[p->name];
        p->ranges = p->name >= 0 && r->c->range[p->name];
        break;
    case NODE_SUBSCRIPT: p->ranges = p->part[0].ranges; break;
    case NODE_UNARY:
    case NODE_BINARY:
        p->knows = all_known(p);
        p->notes = below || (n->kind == NODE_BINARY && p->knows);
        break;
    case NODE_COMPARE:
        p->knows = all_known(p);
        p->notes = below || p->part[LEFT].ranges || p->part[RIGHT].ranges ||
                   (p->part[LEFT].knows && p->part[RIGHT].knows);
        break;
    case NODE_BOOLOP:
        p->knows = all_known(p);
        p->notes = below || p->knows;
        break;
    case NODE_CALL: read_call(p); break;
    default: break;
    }
}

static bool worth_a_look(const Part *p) {
    switch (p->n->kind) {
    case NODE_COMPARE:
    case NODE_BOOLOP:
    case NODE_BINARY:
    case NODE_CALL: return p->notes;
    case NODE_IFEXP: return p->part[COND].knows || p->part[COND].notes;
    default: return false;
    }
}

static void count_part(void *arg, const Node *n) {
    (void)n;
    ++*(int *)arg;
}

typedef struct {
    Reader *r;
    Part *next;
} Filler;
static void read_part(Reader *r, const Node *n, Part *p);
static void fill_part(void *arg, const Node *n) {
    Filler *f = arg;
    read_part(f->r, n, f->next++);
}

static void read_part(Reader *r, const Node *n, Part *p) { // a tree's height is bounded
    *p = (Part){.n = n, .name = -1};
    node_each_child(n, count_part, &p->parts);
    p->part = NEWN(r->arena, Part, (size_t)p->parts);
    node_each_child(n, fill_part, &(Filler){r, p->part});
    read_one(r, p);
    p->looks = worth_a_look(p);
    for (int i = 0; i < p->parts; i++) p->looks |= p->part[i].looks;
}

// Before the rest is read: what a turn of a loop binds is there in the next one.
static void place_names(Reader *r, const Node *target, const Node *value) {
    if (target->kind == NODE_NAME) {
        int i = name_place(r, target->name);
        bool may =
            value && (value->kind == NODE_NAME || value->kind == NODE_SUBSCRIPT || value->kind == NODE_CALL);
        if (may) r->c->range[i] = true;
    }
    if (target->kind != NODE_TUPLE && target->kind != NODE_LIST) return;
    for (int i = 0; i < target->items.n; i++) place_names(r, target->items.at[i], NULL);
}

static void place_bound(Reader *r, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        switch (s->kind) {
        case NODE_ASSIGN:
            for (int k = 0; k < s->assign.targets.n; k++)
                place_names(r, s->assign.targets.at[k], s->assign.value);
            break;
        case NODE_ANNASSIGN: place_names(r, s->annassign.target, s->annassign.value); break;
        case NODE_AUGASSIGN: place_names(r, s->augassign.target, NULL); break;
        case NODE_IF:
            place_bound(r, &s->branch.then);
            place_bound(r, &s->branch.otherwise);
            break;
        case NODE_FOR:
            place_names(r, s->loop.target, NULL);
            place_bound(r, &s->loop.body);
            break;
        case NODE_WHILE: place_bound(r, &s->whileloop.body); break;
        default: break;
        }
    }
}

static void read_bind(Reader *r, Step *s, const Node *target, bool whole) {
    if (target->kind == NODE_NAME) {
        int name = name_place(r, target->name);
        s->bind = MORE(r->arena, Bind, s->bind, s->binds, s->binds + 1);
        s->bind[s->binds++] = (Bind){name, whole};
        r->c->maybe[name] |= whole && s->value.knows;
    }
    if (target->kind != NODE_TUPLE && target->kind != NODE_LIST) return;
    for (int i = 0; i < target->items.n; i++) read_bind(r, s, target->items.at[i], false);
}

static Steps read_block(Reader *r, const Nodes *body);

static void read_step(Reader *r, const Node *n, Step *s) {
    *s = (Step){.n = n};
    switch (n->kind) {
    case NODE_ASSIGN:
        read_part(r, n->assign.value, &s->value);
        for (int i = 0; i < n->assign.targets.n; i++) read_bind(r, s, n->assign.targets.at[i], true);
        break;
    case NODE_ANNASSIGN:
        if (!n->annassign.value) break;
        read_part(r, n->annassign.value, &s->value);
        read_bind(r, s, n->annassign.target, true);
        break;
    case NODE_AUGASSIGN:
        read_part(r, n->augassign.value, &s->value);
        if (n->augassign.target->kind == NODE_NAME) read_bind(r, s, n->augassign.target, false);
        break;
    case NODE_IF:
        read_part(r, n->branch.cond, &s->value);
        s->then = read_block(r, &n->branch.then);
        s->otherwise = read_block(r, &n->branch.otherwise);
        break;
    case NODE_FOR:
        read_part(r, n->loop.iter, &s->value);
        read_bind(r, s, n->loop.target, false);
        s->then = read_block(r, &n->loop.body);
        break;
    case NODE_WHILE:
        read_part(r, n->whileloop.cond, &s->value);
        s->then = read_block(r, &n->whileloop.body);
        break;
    case NODE_EXPRSTMT:
    case NODE_RETURN:
        if (n->value) read_part(r, n->value, &s->value);
        break;
    default: break;
    }
}

static Steps read_block(Reader *r, const Nodes *body) {
    Steps out = {NEWN(r->arena, Step, (size_t)body->n), body->n};
    for (int i = 0; i < body->n; i++) read_step(r, body->at[i], &out.at[i]);
    return out;
}

Conditions *conditions_of(Arena *a, Conditions **known, const Node *kernel) {
    for (Conditions *c = *known; c; c = c->next)
        if (c->kernel == kernel) return c;
    Conditions *c = NEW(a, Conditions);
    Reader r = {a, c};
    const Nodes *params = &kernel->function.params;
    *c = (Conditions){.kernel = kernel, .next = *known};
    for (int i = 0; i < params->n; i++) {
        int name = name_place(&r, params->at[i]->param.name);
        c->maybe[name] = true;
    }
    place_bound(&r, &kernel->function.body);
    c->body = read_block(&r, &kernel->function.body);
    c->now = NEWN(a, Named, (size_t)c->names);
    return *known = c;
}
