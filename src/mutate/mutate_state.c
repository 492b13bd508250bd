// What a program keeps between calls: the host function becomes a method of an object that computes once, once
// for each shape, or into one tensor.
#include "mutate/mutate.h"
#include "mutate/mutate_make.h"

// Names alone, without defaults or stars.
static bool plain_parameters(const Nodes *params) {
    for (int i = 0; i < params->n; i++)
        if (params->at[i]->param.kind != PARAM_PLAIN || params->at[i]->param.def) return false;
    return params->n > 0;
}

static void put_names(Buf *out, const Nodes *params) {
    for (int i = 0; i < params->n; i++)
        buf_printf(out, "%s%.*s", i ? ", " : "", STR_ARG(params->at[i]->param.name));
}

static Node *method(const Node *klass, const char *name) {
    for (int i = 0; i < klass->klass.body.n; i++) {
        Node *f = klass->klass.body.at[i];
        if (f->kind == NODE_FUNCTION && str_is(f->function.name, name)) return f;
    }
    return NULL;
}

// A class of that text, the body of `run` in its method `compute`. NULL: too deep.
static Node *object_of(Maker *m, const Node *run, const char *when) {
    Buf text = BUF(m->scratch);
    DiagList diags = DIAGS(m->scratch);
    buf_puts(&text, "class ModelNew(torch.nn.Module):\n"
                    "    def __init__(self):\n"
                    "        super().__init__()\n"
                    "        self.kept = None\n"
                    "        self.shape = None\n"
                    "    def compute(self, ");
    put_names(&text, &run->function.params);
    buf_puts(&text, "):\n        pass\n    def forward(self, ");
    put_names(&text, &run->function.params);
    buf_printf(&text, "):\n        if self.kept is None%s:\n            self.kept = self.compute(", when);
    put_names(&text, &run->function.params);
    buf_printf(&text, ")\n            self.shape = %.*s.shape\n        return self.kept\n",
               STR_ARG(run->function.params.at[0]->param.name));
    Node *module = parse_module(m->scratch, buf_str(&text), &diags);
    if (!module || module->module.body.n != 1) return NULL;
    Node *klass = module->module.body.at[0];
    method(klass, "compute")->function.body = run->function.body;
    return klass;
}

static bool is_allocation(const Node *n) {
    if (n->kind != NODE_ASSIGN || n->assign.value->kind != NODE_CALL ||
        n->assign.value->call.func->kind != NODE_ATTRIBUTE)
        return false;
    return str_starts(n->assign.value->call.func->attribute.name, "empty");
}

// `out = torch.empty_like(x)` becomes a tensor that the object keeps, for as long as the first input's shape
// stays; the method that computes is the whole program.
static Node *buffer_of(Maker *m, const Node *run, const char *when) {
    Node *klass = object_of(m, run, when);
    for (int i = 0; klass && i < run->function.body.n; i++) {
        Node *made = run->function.body.at[i];
        if (!is_allocation(made) || made->assign.targets.n != 1) continue;
        Node *forward = method(klass, "forward"), *keep = forward->function.body.at[0];
        Node *assign = keep->branch.then.at[0];
        Node *kept = assign->assign.targets.at[0];
        assign->assign.value = made->assign.value;
        Nodes body = run->function.body;
        body.at = NEWN(m->scratch, Node *, (size_t)body.n + 1);
        memcpy(body.at, run->function.body.at, (size_t)i * sizeof *body.at);
        body.at[i] = keep;
        body.at[i + 1] = make_assign(m, made, made->assign.targets.at[0], kept);
        memcpy(body.at + i + 2, run->function.body.at + i + 1, (size_t)(body.n - i - 1) * sizeof *body.at);
        body.n++;
        forward->function.body = body;
        method(klass, "compute")->function.body = (Nodes){.n = 1, .at = NEW(m->scratch, Node *)};
        method(klass, "compute")->function.body.at[0] = make_node(m, NODE_PASS, made);
        return klass;
    }
    return NULL;
}

void mutate_state(Maker *m, const Node *n) {
    if (n->kind != NODE_FUNCTION || m->depth > 0 || !str_is(n->function.name, "run")) return;
    const Nodes *params = &n->function.params;
    if (!plain_parameters(params)) return;
    Buf shape = BUF(m->scratch);
    buf_printf(&shape, " or self.shape != %.*s.shape", STR_ARG(params->at[0]->param.name));
    const char *other_shape = buf_cstr(&shape);
    Node *once = object_of(m, n, ""), *of_shape = object_of(m, n, other_shape),
         *buffer = buffer_of(m, n, other_shape);
    if (once) mutant_propose(m, n, once);
    if (of_shape) mutant_propose(m, n, of_shape);
    if (buffer) mutant_propose(m, n, buffer);
}
