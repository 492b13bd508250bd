// The backward half of an autograd.Function: nothing asks for gradients where a forward pass is judged, so
// that no case ever runs it. It goes, whatever it holds, unless the file itself names it:
//
//     class Silu(torch.autograd.Function):
//         @staticmethod
//         def forward(ctx, x): ...
//         @staticmethod
//         def backward(ctx, dy):                  pass
//             return dy * torch.sigmoid(x)
#include "host/normalize/normalize.h"

static const char *const halves[] = {"backward", "vjp", "jvp", "vmap"};
enum { HALVES = sizeof halves / sizeof *halves };

static int half_of(Str name) {
    for (int i = 0; i < HALVES; i++)
        if (str_is(name, halves[i])) return i;
    return -1;
}

// Silu.backward(ctx, dy) of a class of the file, and texts, as getattr() has them. On any other value the
// screen refuses that member, where it is reached.
typedef struct {
    const Node *module;
    bool half[HALVES];
} Named;
static bool is_class(const Node *module, const Node *n) {
    const Node *alias, *s = n->kind == NODE_NAME ? module_binding(module, n->name, &alias) : NULL;
    return n->kind == NODE_NAME &&
           ((s && s->kind == NODE_CLASS) || node_is_name(n, "cls") || node_is_name(n, "self"));
}
static void find_named(void *arg, const Node *n) {
    Named *named = arg;
    int i = n->kind == NODE_ATTRIBUTE && is_class(named->module, n->attribute.value)
                ? half_of(n->attribute.name)
            : n->kind == NODE_STRING ? half_of(n->string.text)
                                     : -1;
    if (i >= 0) named->half[i] = true;
    node_each_child(n, find_named, arg); // a tree's height is bounded
}

// @staticmethod, @once_differentiable, @torch.amp.custom_bwd(...): of an import, which do nothing by standing
// there.
static bool is_quiet(const Node *module, const Node *d) {
    if (node_is_name(d, "staticmethod")) return true;
    if (d->kind == NODE_CALL) d = d->call.func;
    while (d->kind == NODE_ATTRIBUTE) d = d->attribute.value;
    const Node *alias, *s = d->kind == NODE_NAME ? module_binding(module, d->name, &alias) : NULL;
    return s && s->kind == NODE_IMPORT;
}
static bool all_quiet(const Node *module, const Node *f) {
    for (int i = 0; i < f->function.decorators.n; i++)
        if (!is_quiet(module, f->function.decorators.at[i])) return false;
    return true;
}

// torch.autograd.Function and its like, of an import.
static bool is_autograd(const Node *module, const Node *c) {
    const Node *base = c->klass.bases.n == 1 ? c->klass.bases.at[0] : c, *root = base, *alias;
    while (root->kind == NODE_ATTRIBUTE) root = root->attribute.value;
    Str last = base->kind == NODE_ATTRIBUTE ? base->attribute.name
               : base->kind == NODE_NAME    ? base->name
                                            : (Str){0};
    const Node *s = root->kind == NODE_NAME ? module_binding(module, root->name, &alias) : NULL;
    return str_is(last, "Function") && (!s || s->kind == NODE_IMPORT);
}

bool is_backward(const Node *module, const Node *klass, const Node *f) {
    Named named = {.module = module};
    int half = f->kind == NODE_FUNCTION ? half_of(f->function.name) : -1;
    if (half < 0 || !is_autograd(module, klass) || !all_quiet(module, f)) return false;
    find_named(&named, module);
    return !named.half[half];
}

void backwards_drop(Node *module) {
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *c = module->module.body.at[i];
        for (int k = 0; c->kind == NODE_CLASS && k < c->klass.body.n; k++)
            if (is_backward(module, c, c->klass.body.at[k])) statement_drop(c->klass.body.at[k]);
    }
}
