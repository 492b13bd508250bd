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
#include "host/normalize/normalize.h"

typedef struct {
    Arena *arena;
    int made;
} Finally;

static void rewrite(void *arg, const Node *n);

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

static void rewrite_block(Finally *f, Nodes *body) {
    bool any = false;
    int most = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        rewrite(f, n);
        bool is = n->kind == NODE_TRY && is_plain(n);
        any |= is;
        most += is ? n->attempt.body.n + n->attempt.final.n + 2 : 1;
    }
    if (!any) return;
    Nodes out = {NEWN(f->arena, Node *, (size_t)most + 1), 0};
    for (int i = 0; i < body->n; i++) {
        if (body->at[i]->kind == NODE_TRY && is_plain(body->at[i]))
            spread(f, body->at[i], &out);
        else
            out.at[out.n++] = body->at[i];
    }
    *body = out;
}

static void rewrite(void *arg, const Node *n) {
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    switch (n->kind) {
    case NODE_FUNCTION:
        if (!is_jit_function(n)) rewrite_block(arg, &own->function.body);
        return;
    case NODE_CLASS: return rewrite_block(arg, &own->klass.body);
    case NODE_IF: rewrite_block(arg, &own->branch.then); return rewrite_block(arg, &own->branch.otherwise);
    case NODE_FOR: rewrite_block(arg, &own->loop.body); return rewrite_block(arg, &own->loop.otherwise);
    case NODE_WHILE: return rewrite_block(arg, &own->whileloop.body);
    case NODE_WITH: return rewrite_block(arg, &own->with.body);
    case NODE_TRY: rewrite_block(arg, &own->attempt.body); return rewrite_block(arg, &own->attempt.final);
    default: return;
    }
}

void finally_normalize(Arena *a, Node *module) {
    Finally f = {.arena = a};
    for (int i = 0; i < module->module.body.n; i++)
        if (module->module.body.at[i]->kind != NODE_TRY) rewrite(&f, module->module.body.at[i]);
}
