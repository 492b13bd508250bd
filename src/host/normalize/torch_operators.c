// Operators that a file registers with torch, and calls by their path: torch.ops.mylib.glu(x) is the
// function.
//
//     lib = torch.library.Library("mylib", "FRAGMENT")       def glu(x): ...
//     lib.define("glu(Tensor x) -> Tensor")
//     @torch.library.impl(lib, "glu", "CUDA")
//     def glu(x): ...
//
// What is registered for other devices, or tells a compiler about shapes, nothing here asks for.
#include "host/normalize/normalize.h"

static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; } // the tree is this process's own

// ---- torch.ops.mylib.glu, and its .default

typedef struct {
    Arena *arena;
    Str path, name;
} Operator;
static void name_operator(void *arg, const Node *n) {
    const Operator *o = arg;
    Buf path = BUF(o->arena);
    if (n->kind != NODE_ATTRIBUTE || !node_dotted(n, &path)) return node_each_child(n, name_operator, arg);
    Str whole = buf_str(&path);
    if (!str_eq(whole, o->path) && !(str_ends(whole, ".default") && whole.len == o->path.len + 8 &&
                                     memcmp(whole.p, o->path.p, o->path.len) == 0))
        return node_each_child(n, name_operator, arg);
    *mine(n) = (Node){.kind = NODE_NAME, .span = n->span, .height = 1, .name = o->name};
}
void operator_use(Arena *a, const Node *module, Str space, Str op, Str function) {
    Operator o = {a, str_of(arena_printf(a, "torch.ops.%.*s.%.*s", STR_ARG(space), STR_ARG(op))), function};
    node_each_child(module, name_operator, &o);
}

// ---- what a file registers

enum { LIBRARIES_MAX = 8 };
typedef struct {
    Arena *arena;
    Node *module;
    Bindings bound;
    Str library[LIBRARIES_MAX], space[LIBRARIES_MAX]; // names of the file, and what they register for
    int libraries;
    Names used; // operators that stand for a function
} Operators;

// Once each: of several functions torch would choose by their keys.
static bool use(Operators *o, Str space, Str op, Str function) {
    Str path = str_of(arena_printf(o->arena, "%.*s::%.*s", STR_ARG(space), STR_ARG(op)));
    if (names_have(&o->used, path)) return false;
    names_add(&o->used, path);
    operator_use(o->arena, o->module, space, op, function);
    return true;
}

static Str text_at(const Nodes *args, int i) {
    bool is = i < args->n && args->at[i]->kind == NODE_STRING && !args->at[i]->string.bytes;
    return is ? args->at[i]->string.text : (Str){0};
}
static Str text_named(const Node *call, const char *name) {
    for (int i = 0; i < call->call.keywords.n; i++)
        if (str_is(call->call.keywords.at[i]->keyword.name, name))
            return text_at(&(Nodes){&call->call.keywords.at[i]->keyword.value, 1}, 0);
    return (Str){0};
}
static Str name_named(const Node *call, const char *name) {
    for (int i = 0; i < call->call.keywords.n; i++) {
        const Node *v = call->call.keywords.at[i]->keyword.value;
        if (str_is(call->call.keywords.at[i]->keyword.name, name) && v->kind == NODE_NAME) return v->name;
    }
    return (Str){0};
}

// torch.library.impl, and `impl` that an import of torch.library brings.
static bool is_of_library(const Operators *o, const Node *n, const char *name) {
    Buf path = BUF(o->arena);
    if (is_brought(o->module, &o->bound, n, "torch.library", name)) return true;
    return n->kind == NODE_ATTRIBUTE && node_dotted(n, &path) &&
           str_is(buf_str(&path), arena_printf(o->arena, "torch.library.%s", name));
}

static int library_at(const Operators *o, const Node *n) {
    for (int i = 0; i < o->libraries; i++)
        if (n->kind == NODE_NAME && str_eq(n->name, o->library[i])) return i;
    return -1;
}

static bool names_library(Operators *o, const Node *s) {
    const Node *call = s->kind == NODE_ASSIGN && s->assign.targets.n == 1 ? s->assign.value : NULL;
    if (!call || call->kind != NODE_CALL || !is_of_library(o, call->call.func, "Library") ||
        s->assign.targets.at[0]->kind != NODE_NAME || call->call.args.n != 2 || call->call.keywords.n ||
        !text_at(&call->call.args, 0).len || o->libraries == LIBRARIES_MAX ||
        !bound_once(&o->bound, s->assign.targets.at[0]->name))
        return false;
    o->library[o->libraries] = s->assign.targets.at[0]->name;
    o->space[o->libraries++] = text_at(&call->call.args, 0);
    return true;
}

typedef enum { FOR_OTHERS, FOR_GPU, FOR_NOBODY_KNOWN } For;
static For meant_for(Str key) {
    static const char *const gpu[] = {"CUDA", "cuda", "CompositeExplicitAutograd",
                                      "CompositeImplicitAutograd"};
    static const char *const others[] = {"CPU", "cpu", "Meta", "XPU", "xpu", "HPU"};
    for (size_t i = 0; i < sizeof gpu / sizeof *gpu; i++)
        if (str_is(key, gpu[i])) return FOR_GPU;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (str_is(key, others[i])) return FOR_OTHERS;
    return FOR_NOBODY_KNOWN;
}

static bool split(Str id, Str *space, Str *op) {
    const char *mark = memmem(id.p, id.len, "::", 2);
    if (!mark) return false;
    *space = (Str){id.p, (size_t)(mark - id.p)};
    *op = (Str){mark + 2, id.len - space->len - 2};
    const char *paren = memchr(op->p, '(', op->len);
    if (paren) op->len = (size_t)(paren - op->p);
    return space->len && op->len;
}

static bool is_host_function(const Operators *o, Str name) {
    const Node *f = name.len && bound_once(&o->bound, name) ? module_function(o->module, name) : NULL;
    return f && !is_jit_function(f);
}

// lib.define("..."), lib.impl("glu", glu, "CUDA"), torch.library.define("mylib::glu", "...")
static bool registers(Operators *o, const Node *call) {
    const Node *f = call->call.func;
    const Nodes *args = &call->call.args;
    if (is_of_library(o, f, "define")) return text_at(args, 0).len > 0;
    int lib = f->kind == NODE_ATTRIBUTE ? library_at(o, f->attribute.value) : -1;
    if (lib < 0) return false;
    if (str_is(f->attribute.name, "define")) return text_at(args, 0).len > 0;
    if (!str_is(f->attribute.name, "impl") || args->n < 2 || args->at[1]->kind != NODE_NAME) return false;
    Str key = args->n > 2 ? text_at(args, 2) : text_named(call, "dispatch_key");
    For whom = meant_for(key);
    if (whom == FOR_NOBODY_KNOWN || !text_at(args, 0).len) return false;
    if (whom == FOR_OTHERS) return true;
    if (!is_host_function(o, args->at[1]->name)) return false;
    return use(o, o->space[lib], text_at(args, 0), args->at[1]->name);
}

// direct_register_custom_op(op_name="glu", op_func=glu, ...) of vLLM and SGLang.
static bool registers_directly(Operators *o, const Node *call) {
    static const struct {
        const char *module, *space;
    } known[] = {{"vllm.utils", "vllm"},
                 {"vllm.utils.torch_utils", "vllm"},
                 {"sglang.srt.utils", "sglang"},
                 {"sglang.srt.utils.common", "sglang"}};
    const char *space = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_brought(o->module, &o->bound, call->call.func, known[i].module, "direct_register_custom_op"))
            space = known[i].space;
    Str op = text_named(call, "op_name"), f = name_named(call, "op_func");
    Str lib = name_named(call, "target_lib");
    if (!op.len) op = text_at(&call->call.args, 0);
    if (!f.len && call->call.args.n > 1 && call->call.args.at[1]->kind == NODE_NAME)
        f = call->call.args.at[1]->name;
    if (!space || !op.len || !is_host_function(o, f)) return false;
    Str of = str_of(space);
    for (int i = 0; lib.len && i < o->libraries; i++)
        if (str_eq(o->library[i], lib)) of = o->space[i];
    return use(o, of, op, f);
}

// Under @torch.library.impl(lib, "glu", "CUDA"), @impl("mylib::glu", "cuda"), @register_fake("mylib::glu").
// What is left of the decorators; *gone: nobody asks for the function.
static void take_off(Operators *o, Node *f, bool *gone) {
    Nodes *d = &f->function.decorators;
    int n = 0;
    for (int i = 0; i < d->n; i++) {
        const Node *call = d->at[i];
        Str space = {0}, op = {0};
        const Nodes *args = &call->call.args;
        bool is_call = call->kind == NODE_CALL;
        bool fake = is_call && (is_of_library(o, call->call.func, "register_fake") ||
                                is_of_library(o, call->call.func, "impl_abstract"));
        if (fake && split(text_at(args, 0), &space, &op)) {
            *gone = true;
            continue;
        }
        bool impl = is_call && is_of_library(o, call->call.func, "impl"), named = false;
        int lib = impl && args->n == 3 ? library_at(o, args->at[0]) : -1;
        if (lib >= 0) space = o->space[lib], op = text_at(args, 1), named = op.len > 0;
        if (impl && args->n == 2) named = split(text_at(args, 0), &space, &op);
        For whom = named ? meant_for(text_at(args, args->n - 1)) : FOR_NOBODY_KNOWN;
        if (whom == FOR_NOBODY_KNOWN || (whom == FOR_GPU && (!is_host_function(o, f->function.name) ||
                                                             !use(o, space, op, f->function.name)))) {
            d->at[n++] = d->at[i];
            continue;
        }
        if (whom == FOR_OTHERS) *gone = true;
    }
    d->n = n;
}

void operators_normalize(Arena *a, Node *module) {
    Operators o = {.arena = a, .module = module, .used.arena = a};
    const Nodes *body = &module->module.body;
    names_of_module(&o.bound, a, module);
    if (!names_have(&o.bound.all, STR("torch")) &&
        !names_have(&o.bound.all, STR("direct_register_custom_op")))
        return;
    for (int i = 0; i < body->n; i++)
        if (names_library(&o, body->at[i])) statement_drop(body->at[i]);
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        bool gone = false;
        if (s->kind == NODE_EXPRSTMT && s->value->kind == NODE_CALL &&
            (registers(&o, s->value) || registers_directly(&o, s->value)))
            statement_drop(s);
        if (s->kind == NODE_FUNCTION && !is_jit_function(s) && s->function.decorators.n)
            take_off(&o, s, &gone);
        if (gone && !s->function.decorators.n) statement_drop(s);
    }
}
