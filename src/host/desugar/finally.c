// try: ... finally: ... without handlers: nothing here goes on behind an exception, so that what stands there
// in the end is what would follow.
//
//     try:                        launch(x, y)
//         launch(x, y)            back 0 = y
//         return y                torch.cuda.set_device(before)
//     finally:                    return back 0
//         torch.cuda.set_device(before)
//
// Only where no other line of it returns, breaks or goes on. A handler that ends in `raise`, and before that
// only says something, is the same as none: the call fails either way.
#include "host/desugar/desugar.h"

typedef struct {
    Arena *arena;
    const Nodes *module; // those that stand there guard imports: other passes know them
    int made;
} Finally;

static void find_leaving(void *arg, const Node *n) {
    *(bool *)arg |= n->kind == NODE_RETURN || n->kind == NODE_BREAK || n->kind == NODE_CONTINUE;
    if (n->kind != NODE_FUNCTION) node_each_child(n, find_leaving, arg); // a tree's height is bounded
}
static bool leaves(const Nodes *body, int n) {
    bool any = false;
    for (int i = 0; i < n; i++) find_leaving(&any, body->at[i]);
    return any;
}

// print(...), traceback.print_exc(), logger.error(...): said of what went wrong.
static bool is_said(const Node *n) {
    static const char *const all[] = {"print", "print_exc", "print_exception", "warn",      "debug",
                                      "info",  "warning",   "error",           "exception", "critical"};
    if (n->kind != NODE_EXPRSTMT) return n->kind == NODE_PASS;
    if (n->value->kind == NODE_STRING) return true;
    const Node *f = n->value->kind == NODE_CALL ? n->value->call.func : n->value;
    Str name = f->kind == NODE_ATTRIBUTE ? f->attribute.name : f->kind == NODE_NAME ? f->name : (Str){0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (n->value->kind == NODE_CALL && str_is(name, all[i])) return true;
    return false;
}
static bool only_raises(const Node *handler) {
    const Nodes *body = &handler->handler.body;
    for (int i = 0; i + 1 < body->n; i++)
        if (!is_said(body->at[i])) return false;
    return body->n > 0 && body->at[body->n - 1]->kind == NODE_RAISE;
}

static bool is_plain(const Node *t) {
    const Nodes *body = &t->attempt.body, *last = &t->attempt.final;
    for (int i = 0; i < t->attempt.handlers.n; i++)
        if (!only_raises(t->attempt.handlers.at[i])) return false;
    if (t->attempt.otherwise.n || (!t->attempt.handlers.n && !last->n) || leaves(last, last->n)) return false;
    bool back = body->n > 0 && body->at[body->n - 1]->kind == NODE_RETURN;
    return !last->n || !leaves(body, body->n - back);
}

static void spread(Finally *f, const Node *t, Nodes *out) {
    const Nodes *body = &t->attempt.body, *last = &t->attempt.final;
    const Node *end = body->n ? body->at[body->n - 1] : NULL;
    bool back = end && end->kind == NODE_RETURN && last->n > 0;
    for (int i = 0; i < body->n - back; i++) out->at[out->n++] = body->at[i];
    if (!back) {
        for (int i = 0; i < last->n; i++) out->at[out->n++] = last->at[i];
        return;
    }
    Str name = str_of(arena_printf(f->arena, "back %d", f->made++)); // no source has it
    Node *keep = NEW(f->arena, Node), *names[2];
    for (int i = 0; i < 2; i++) {
        names[i] = NEW(f->arena, Node);
        *names[i] = (Node){.kind = NODE_NAME, .span = end->span, .height = 1, .name = name};
    }
    *keep = (Node){.kind = NODE_ASSIGN, .span = end->span, .height = (uint16_t)(end->height + 1)};
    keep->assign.targets = (Nodes){NEWN(f->arena, Node *, 1), 1};
    keep->assign.targets.at[0] = names[0];
    keep->assign.value = end->value;
    Node *give = NEW(f->arena, Node);
    *give = *end;
    give->value = names[1];
    if (end->value) out->at[out->n++] = keep;
    for (int i = 0; i < last->n; i++) out->at[out->n++] = last->at[i];
    out->at[out->n++] = end->value ? give : (Node *)(uintptr_t)end;
}

static bool stands_in(const Nodes *body, const Node *n) {
    for (int i = 0; i < body->n; i++)
        if (body->at[i] == n) return true;
    return false;
}

static bool replaces(void *arg, Node *n, Nodes *out) {
    Finally *f = arg;
    if (n->kind != NODE_TRY || !is_plain(n) || stands_in(f->module, n)) return false;
    const Nodes *body = &n->attempt.body, *last = &n->attempt.final;
    *out = (Nodes){NEWN(f->arena, Node *, (size_t)(body->n + last->n) + 1), 0};
    spread(f, n, out);
    return true;
}

void finally_normalize(Arena *a, Node *module) {
    Finally f = {.arena = a, .module = &module->module.body};
    statements_replace(a, module, replaces, &f);
}
