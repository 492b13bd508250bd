// `match` as the `if` that does the same, so that nothing later knows of it:
//
//     match x.dtype:                      match 0 = x.dtype
//         case torch.float16 | None: A    if match 0 == torch.float16 or match 0 is None: A
//         case n if n > 3: B              elif [n := match 0] and n > 3: B
//
// Names are bound when the whole pattern holds and before the guard is asked, as Python does. A pattern of
// several parts is compared with a subject that is written down as such a tuple; any other sequence, and what
// is nested too deeply, stays what it is, and is not read.
#include "host/desugar/desugar.h"

enum { LEVELS_MAX = 200 }; // of `if` in one another that one function may come to

typedef struct {
    Arena *arena;
    int made; // subjects with a name of their own
} Matcher;

// ---- nodes

static void tallest(void *arg, const Node *n) {
    uint16_t *most = arg;
    if (n->height > *most) *most = n->height;
}
static Node *done(Node *n) {
    uint16_t most = 0;
    node_each_child(n, tallest, &most);
    n->height = (uint16_t)(most + 1);
    return n;
}
static Node *make(Matcher *m, NodeKind kind, Span at) {
    Node *n = NEW(m->arena, Node);
    *n = (Node){.kind = kind, .span = at, .height = 1};
    return n;
}
static Node *named(Matcher *m, Str name, Span at) {
    Node *n = make(m, NODE_NAME, at);
    n->name = name;
    return n;
}
static void append(Matcher *m, Nodes *list, Node *n) {
    if ((list->n & (list->n - 1)) == 0) { // as much room as there are items, each time it is full
        Node **at = NEWN(m->arena, Node *, 2 * (size_t)list->n + 1);
        for (int i = 0; i < list->n; i++) at[i] = list->at[i];
        list->at = at;
    }
    list->at[list->n++] = n;
}
static Node *all_of(Matcher *m, Oper op, const Nodes *parts, Span at) {
    if (parts->n == 1) return parts->at[0];
    Node *n = make(m, NODE_BOOLOP, at);
    n->boolop.op = op;
    n->boolop.items = *parts;
    return done(n);
}

// ---- one pattern

// What is matched: a name, or an item of it.
typedef struct {
    Str name;
    int item;  // -1: the whole
    int items; // of a subject that is written down as a tuple; 0: of any other
} Subject;

static Node *read_subject(Matcher *m, const Subject *s, Span at) {
    Node *whole = named(m, s->name, at);
    if (s->item < 0) return whole;
    Node *index = make(m, NODE_INT, at), *n = make(m, NODE_SUBSCRIPT, at);
    index->integer.value = (uint64_t)s->item;
    n->subscript.value = whole;
    n->subscript.index = index;
    return done(n);
}

// Adds what has to hold to `test` and what is bound then to `bound`; false: a pattern that is not read here.
static bool add_pattern(Matcher *m, const Subject *s, Node *p, Nodes *test, Nodes *bound) {
    if (p->kind == NODE_NAME) {
        if (str_is(p->name, "_")) return true;
        Node *w = make(m, NODE_WALRUS, p->span);
        w->walrus.name = p->name;
        w->walrus.value = read_subject(m, s, p->span);
        append(m, bound, done(w));
        return true;
    }
    if (p->kind == NODE_TUPLE || p->kind == NODE_LIST) {
        if (s->item >= 0 || !s->items) return false;
        if (s->items != p->items.n) { // a tuple of another length
            append(m, test, make(m, NODE_FALSE, p->span));
            return true;
        }
        for (int i = 0; i < p->items.n; i++)
            if (!add_pattern(m, &(Subject){s->name, i, 0}, p->items.at[i], test, bound)) return false;
        return true;
    }
    if (p->kind == NODE_BINARY) {
        Nodes sides = {0};
        for (int k = 0; k < 2; k++) {
            Nodes side = {0};
            if (!add_pattern(m, s, k ? p->binary.right : p->binary.left, &side, bound) || !side.n)
                return false;
            append(m, &sides, all_of(m, OPER_AND, &side, p->span));
        }
        append(m, test, all_of(m, OPER_OR, &sides, p->span));
        return true;
    }
    bool same = p->kind == NODE_NONE || p->kind == NODE_TRUE || p->kind == NODE_FALSE;
    Node *c = make(m, NODE_COMPARE, p->span);
    c->compare.left = read_subject(m, s, p->span);
    c->compare.ops = NEWN(m->arena, Oper, 1);
    c->compare.ops[0] = same ? OPER_IS : OPER_EQ;
    append(m, &c->compare.rest, p);
    append(m, test, done(c));
    return true;
}

// The condition under which a case is taken; NULL with *always where it surely is.
static Node *condition(Matcher *m, const Subject *s, Node *c, bool *always, bool *ok) {
    Nodes test = {0}, bound = {0};
    *always = false;
    *ok = add_pattern(m, s, c->matchcase.pattern, &test, &bound);
    if (!*ok) return NULL;
    if (bound.n) { // a list that holds something is true
        Node *list = make(m, NODE_LIST, c->matchcase.pattern->span);
        list->items = bound;
        append(m, &test, done(list));
    }
    if (c->matchcase.guard) append(m, &test, c->matchcase.guard);
    *always = test.n == 0;
    return *always ? NULL : all_of(m, OPER_AND, &test, c->matchcase.pattern->span);
}

// ---- the statement

static int rewrite_block(Matcher *m, Nodes *body, int levels);

static bool rewrite_match(Matcher *m, Node *n, Nodes *out) {
    Node *subject = n->match.subject;
    Subject s = {.item = -1, .items = subject->kind == NODE_TUPLE ? subject->items.n : 0};
    for (int i = 0; s.items && i < subject->items.n; i++)
        if (subject->items.at[i]->kind == NODE_STARRED) return false;
    s.name = str_of(arena_printf(m->arena, "match %d", m->made++)); // no source has it
    Nodes rest = {0};
    for (int i = n->match.cases.n - 1; i >= 0; i--) {
        Node *c = n->match.cases.at[i];
        bool always, ok;
        Node *cond = condition(m, &s, c, &always, &ok);
        if (!ok) return false;
        if (always) { // the last one
            rest = c->matchcase.body;
            continue;
        }
        Node *branch = make(m, NODE_IF, c->span);
        branch->branch.cond = cond;
        branch->branch.then = c->matchcase.body;
        branch->branch.otherwise = rest;
        rest = (Nodes){NEWN(m->arena, Node *, 1), 1};
        rest.at[0] = done(branch);
    }
    Node *set = make(m, NODE_ASSIGN, n->span);
    append(m, &set->assign.targets, named(m, s.name, subject->span));
    set->assign.value = subject;
    append(m, out, done(set));
    for (int i = 0; i < rest.n; i++) append(m, out, rest.at[i]);
    return true;
}

// Blocks within a statement; how many levels they come to.
static int rewrite_inside(Matcher *m, Node *s, int levels) {
    int most = 0, n = 0;
    Nodes *block[2] = {NULL, NULL};
    switch (s->kind) {
    case NODE_FUNCTION:
        if (!is_jit_function(s)) block[0] = &s->function.body;
        break;
    case NODE_CLASS:
        for (int i = 0; i < s->klass.body.n; i++)
            if (s->klass.body.at[i]->kind == NODE_FUNCTION)
                (void)rewrite_inside(m, s->klass.body.at[i], levels);
        return 0;
    case NODE_IF: block[0] = &s->branch.then, block[1] = &s->branch.otherwise; break;
    case NODE_FOR: block[0] = &s->loop.body, block[1] = &s->loop.otherwise; break;
    case NODE_WHILE: block[0] = &s->whileloop.body, block[1] = &s->whileloop.otherwise; break;
    case NODE_WITH: block[0] = &s->with.body; break;
    case NODE_MATCH:
        n = s->match.cases.n;
        for (int i = 0; i < n; i++) {
            int inner = rewrite_block(m, &s->match.cases.at[i]->matchcase.body, levels + n);
            if (inner > most) most = inner;
        }
        return most + n;
    default: break;
    }
    for (int k = 0; k < 2 && block[k]; k++) {
        int inner = rewrite_block(m, block[k], levels);
        if (inner > most) most = inner;
    }
    return most;
}

static int rewrite_block(Matcher *m, Nodes *body, int levels) {
    int most = 0;
    Nodes out = {0};
    bool any = false;
    for (int i = 0; i < body->n; i++) any |= body->at[i]->kind == NODE_MATCH;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        int inner = levels < LEVELS_MAX ? rewrite_inside(m, s, levels) : LEVELS_MAX;
        if (inner > most) most = inner;
        if (!any) continue;
        if (s->kind != NODE_MATCH || levels + inner > LEVELS_MAX || !rewrite_match(m, s, &out))
            append(m, &out, s);
    }
    if (any) *body = out;
    return most;
}

static void find_match(void *arg, const Node *n) {
    bool *found = arg;
    *found |= n->kind == NODE_MATCH;
    if (!*found) node_each_child(n, find_match, found);
}

void matches_normalize(Arena *a, Node *module) {
    bool found = false;
    find_match(&found, module);
    if (found) (void)rewrite_block(&(Matcher){.arena = a}, &module->module.body, 0);
}
