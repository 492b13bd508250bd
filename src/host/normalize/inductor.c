// Files that torch's compiler wrote, and those that were made of them: names of torch's own inside that host
// code of such a file uses, and the many that it only has at hand.
//
//     empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
//     buf0 = empty_strided_cuda((4, 16), (16, 1), torch.float32)
#include "host/normalize/normalize.h"

// What a name of these stands for, as a function of the file.
static const struct {
    const char *path, *text;
} known[] = {
    {"torch._C._dynamo.guards.assert_size_stride",
     "def f(item, size, stride, name=None):\n"
     "    assert item.dim() == len(size), 'wrong number of dimensions'\n"
     "    for i in range(len(size)):\n"
     "        assert item.size(i) == size[i] and (size[i] == 1 or item.stride(i) == stride[i]), 'wrong size "
     "or "
     "stride'\n"},
    {"torch._C._dynamo.guards._empty_strided_cuda",
     "def f(size, stride, dtype):\n"
     "    return torch.empty_strided(size, stride, dtype=dtype, device='cuda')\n"},
};

static Str value_name(const Node *s, const Node **value) {
    if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 || s->assign.targets.at[0]->kind != NODE_NAME)
        return (Str){0};
    *value = s->assign.value;
    return s->assign.targets.at[0]->name;
}

// `aten = torch.ops.aten`, which nothing asks for.
static bool is_at_hand(Arena *a, const Node *module, const Node *s) {
    const Node *value = NULL;
    Str name = value_name(s, &value);
    Buf path = BUF(a);
    if (!name.len || value->kind != NODE_ATTRIBUTE || !node_dotted(value, &path) ||
        (!str_starts(buf_str(&path), "torch.ops.") &&
         !str_starts(buf_str(&path), "torch._C._dynamo.guards.")))
        return false;
    return name_uses(module, name) == 1;
}

// async_compile = AsyncCompile(); async_compile.wait(globals()); del async_compile
static void drop_compiler(const Node *module, const Bindings *bound) {
    const Nodes *body = &module->module.body;
    for (int i = 0; i < body->n; i++) {
        const Node *value = NULL;
        Str name = value_name(body->at[i], &value);
        if (!name.len || value->kind != NODE_CALL || value->call.args.n ||
            !is_brought(module, bound, value->call.func, "torch._inductor.async_compile", "AsyncCompile"))
            continue;
        int quiet = 1; // uses that only wait for it
        for (int k = i + 1; k < body->n; k++) {
            const Node *s = body->at[k];
            const Node *f =
                s->kind == NODE_EXPRSTMT && s->value->kind == NODE_CALL ? s->value->call.func : NULL;
            bool waits = f && f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, "wait");
            if (waits || s->kind == NODE_DELETE) quiet += name_uses(s, name);
        }
        if (name_uses(module, name) != quiet) continue; // it compiles what stands in texts
        for (int k = i; k < body->n; k++)
            if (name_uses(body->at[k], name)) statement_drop(body->at[k]);
    }
}

void inductor_normalize(Arena *a, Node *module) {
    const Nodes *body = &module->module.body;
    Bindings bound;
    names_of_module(&bound, a, module);
    const Node *alias, *torch = module_binding(module, STR("torch"), &alias);
    if (torch && torch->kind != NODE_IMPORT) return;
    for (int i = 0; i < body->n; i++) {
        const Node *value = NULL;
        Str name = value_name(body->at[i], &value);
        Buf path = BUF(a);
        if (!name.len || value->kind != NODE_ATTRIBUTE || !node_dotted(value, &path) ||
            !bound_once(&bound, name))
            continue;
        if (is_at_hand(a, module, body->at[i])) {
            statement_drop(body->at[i]);
            continue;
        }
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            Node *f =
                str_is(buf_str(&path), known[k].path) ? tree_of(a, known[k].text, body->at[i]->span) : NULL;
            if (!f) continue;
            f->function.name = name;
            body->at[i] = f;
            break;
        }
    }
    drop_compiler(module, &bound);
}
