#include "gpu/kernel_print.h"
#include "tile/check/check.h"

typedef struct {
    const Node *statement; // of the module
    bool shown;            // false: a plain variable, which no kernel can read
} Item;

typedef struct {
    Arena *a;
    const Node *module;
    Err *e;
    const Node *kernel; // the entry: its arguments are all given, so that defaults and most annotations go
    Item *item;         // statements of the module, in no order
    int items, cap;
    bool libdevice, math; // implied imports that are used
    bool ok;
} Print;

#define refuse(p, ...) ((p)->ok = err_set((p)->e, ERR_INPUT, __VA_ARGS__))

// ---- names

// What a module of ours may not give another meaning: our own imports, Python's builtins that kernels and
// constants call, and everything with a meaning between underscores.
static bool reserved(Str name) {
    static const char *const names[] = {
        "triton",  "tl",      "libdevice",  "math",    "torch",   "range", "len",   "min",
        "max",     "abs",     "float",      "int",     "bool",    "str",   "print", "round",
        "sum",     "pow",     "tuple",      "list",    "dict",    "set",   "type",  "slice",
        "zip",     "divmod",  "isinstance", "getattr", "setattr", "eval",  "exec",  "open",
        "compile", "globals", "locals",     "vars",    "super",   "object"};
    return str_is_any(name, names, sizeof names / sizeof *names) || str_starts(name, "__");
}

// Module-level names: what the statement at the end of the file that binds one makes of it.
static const Node *global_of(const Print *p, Str name, const Node **alias) {
    return module_binding(p->module, name, alias);
}

static Item *item_of(const Print *p, const Node *statement) {
    for (int i = 0; i < p->items; i++)
        if (p->item[i].statement == statement) return &p->item[i];
    return NULL;
}

static void reach(Print *p, const Node *statement);

// ---- constants

// Functions that make constants: pure, and of a fixed cost.
static bool constant_call(Str path) {
    static const char *const names[] = {
        "tl.constexpr", "triton.language.constexpr", "float", "int", "bool", "min", "max", "abs", "round"};
    if (str_is_any(path, names, sizeof names / sizeof *names)) return true;
    static const char *const of_math[] = {"math.log", "math.log2", "math.log10", "math.exp", "math.sqrt",
                                          "math.pi",  "math.e",    "math.inf",   "math.nan", "math.tau"};
    return str_is_any(path, of_math, sizeof of_math / sizeof *of_math);
}

static bool dotted(Print *p, const Node *n, Str *out) {
    Buf b = BUF(p->a);
    bool ok = node_dotted(n, &b);
    *out = buf_str(&b);
    return ok;
}

// "tl.float16", "tl.math.exp2": members of Triton, without names that are none of its surface.
static bool triton_path(Str path) {
    if (!str_starts(path, "tl.") && !str_starts(path, "triton.language.") && !str_starts(path, "libdevice."))
        return false;
    for (size_t i = 0; i + 1 < path.len; i++)
        if (path.p[i] == '.' && path.p[i + 1] == '_') return false;
    return true;
}

// Whether an expression of the module's level may be printed; names in it are reached.
static bool constant(Print *p, const Node *n);
static bool constants(Print *p, const Nodes *list) {
    for (int i = 0; i < list->n; i++)
        if (!constant(p, list->at[i])) return false;
    return true;
}

static bool constant_name(Print *p, Str name) {
    const Node *alias, *s = global_of(p, name, &alias);
    if (!s || s->kind == NODE_CLASS || s->kind == NODE_IMPORT) return false;
    if (s->kind == NODE_FUNCTION && !is_jit_function(s)) return false;
    reach(p, s);
    return p->ok;
}

// A power or a shift can be made to take all memory. 2 ** 31 cannot.
static bool bounded(const Node *n) {
    const Node *l = n->binary.left, *r = n->binary.right;
    return l->kind == NODE_INT && r->kind == NODE_INT && !l->integer.too_big && !r->integer.too_big &&
           l->integer.value <= UINT32_MAX && r->integer.value <= 64;
}

static bool constant(Print *p, const Node *n) {
    Str path;
    switch (n->kind) {
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_STRING:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE: return true;
    case NODE_TUPLE:
    case NODE_LIST: return constants(p, &n->items);
    case NODE_UNARY: return constant(p, n->unary.operand);
    case NODE_BINARY:
        return (bounded(n) || (n->binary.op != OPER_POW && n->binary.op != OPER_SHL)) &&
               constant(p, n->binary.left) && constant(p, n->binary.right);
    case NODE_NAME: return constant_name(p, n->name);
    case NODE_ATTRIBUTE:
        if (!dotted(p, n, &path)) return false;
        if (str_starts(path, "math.")) return p->math = true, constant_call(path);
        p->libdevice |= str_starts(path, "libdevice.");
        return triton_path(path);
    case NODE_CALL:
        if (!dotted(p, n->call.func, &path) || !constant_call(path) || n->call.keywords.n) return false;
        if (n->call.func->kind == NODE_NAME) { // Python's own, unless the file has taken the name
            const Node *alias;
            if (global_of(p, path, &alias)) return false;
        }
        p->math |= str_starts(path, "math.");
        return constants(p, &n->call.args);
    default: return false;
    }
}

// ---- what a kernel reaches

static void find(void *arg, const Node *n);

// `from triton.language.extra import libdevice`: modules of Triton alone, by names that are no secret.
static bool import_of_triton(Str module) {
    return (str_is(module, "triton") || str_starts(module, "triton.")) &&
           !memmem(module.p, module.len, "._", 2) && !memmem(module.p, module.len, "runtime", 7) &&
           !memmem(module.p, module.len, "backends", 8) && !memmem(module.p, module.len, "compiler", 8);
}

static const Node *assigned(const Node *s) {
    return s->kind == NODE_ASSIGN ? s->assign.value : s->kind == NODE_ANNASSIGN ? s->annassign.value : NULL;
}

static bool is_constexpr_call(Print *p, const Node *n) {
    Str path;
    return n->kind == NODE_CALL && dotted(p, n->call.func, &path) && str_ends(path, "constexpr");
}

// Plain variables of the module are none of a kernel's: what has such a name there is its own.
static bool kernel_reads(Print *p, const Node *s) {
    const Node *value = assigned(s);
    if (value)
        return is_constexpr_call(p, value) || value->kind == NODE_ATTRIBUTE || value->kind == NODE_NAME;
    return s->kind == NODE_IMPORT || (s->kind == NODE_FUNCTION && is_jit_function(s));
}

static void name_used(Print *p, Str name) {
    const Node *alias, *s = global_of(p, name, &alias);
    if (str_is(name, "libdevice")) p->libdevice = true;
    if (str_is(name, "math")) p->math = true;
    if (s && s->kind == NODE_FUNCTION && is_constexpr_function(s))
        refuse(p, "%.*s: a constexpr_function cannot be printed", STR_ARG(name));
    if (!s || !kernel_reads(p, s)) return;
    if (s->kind == NODE_IMPORT) {
        bool known = reserved(name); // ours
        Str module = s->import.from ? s->import.module : alias->alias.name;
        if (known || str_is(module, "typing") || str_is(module, "torch")) return;
        bool lent = str_is(module, INDUCTOR_HELPERS) &&
                    (str_is(alias->alias.name, "libdevice") || str_is(alias->alias.name, "math"));
        if (!import_of_triton(module) && !str_is(module, "math") && !lent)
            refuse(p, "%.*s of %.*s cannot be printed", STR_ARG(name), STR_ARG(module));
    }
    reach(p, s);
}

static void find(void *arg, const Node *n) {
    Print *p = arg;
    if (!p->ok) return;
    if (n->kind == NODE_NAME) name_used(p, n->name);
    if (n->kind == NODE_ATTRIBUTE && str_starts(n->attribute.name, "__"))
        refuse(p, "'.%.*s' has no place in a kernel", STR_ARG(n->attribute.name));
    if (n->kind == NODE_LAMBDA || n->kind == NODE_FUNCTION || n->kind == NODE_CLASS || n->kind == NODE_IMPORT)
        refuse(p, "a %s within a kernel cannot be printed", node_kind_name(n->kind));
    node_each_child(n, find, p); // a tree's height is bounded
}

static void function_reached(Print *p, const Node *f) {
    for (int i = 0; i < f->function.body.n; i++) find(p, f->function.body.at[i]);
    for (int i = 0; i < f->function.params.n; i++) {
        const Node *def = f->function.params.at[i]->param.def;
        if (def && f != p->kernel && p->ok && !constant(p, def) && p->ok)
            refuse(p, "the default of '%.*s' of %.*s cannot be printed",
                   STR_ARG(f->function.params.at[i]->param.name), STR_ARG(f->function.name));
    }
}

static void reach(Print *p, const Node *s) {
    if (!p->ok || item_of(p, s)) return;
    if (p->items == p->cap) {
        p->cap = 2 * p->cap + 16;
        p->item = MORE(p->a, Item, p->item, p->items, p->cap);
    }
    p->item[p->items++] = (Item){s, true};
    if (s->kind == NODE_FUNCTION) function_reached(p, s);
    const Node *value = assigned(s);
    if (!value || constant(p, value) || !p->ok) return;
    item_of(p, s)->shown = false;
    if (is_constexpr_call(p, value))
        refuse(p, "the constant at line %d cannot be printed",
               line_col(p->module->module.source, s->span.at).line);
}

// ---- printing

static Node *node_of(Arena *a, NodeKind kind) {
    Node *n = NEW(a, Node);
    n->kind = kind;
    return n;
}

static Node *path_node(Arena *a, const char *root, const char *member) {
    Node *name = node_of(a, NODE_NAME), *n = node_of(a, NODE_ATTRIBUTE);
    name->name = str_of(root);
    n->attribute.value = name;
    n->attribute.name = str_of(member);
    return n;
}

// An annotation, in words of our own: a constant, or the type of a scalar.
static Node *annotation(Arena *a, const Node *n) {
    DType t;
    if (annotation_is_constexpr(n)) return path_node(a, "tl", "constexpr");
    if (!annotated_type(n, &t)) return NULL;
    return path_node(a, "tl", dtype_info[t].torch); // tl.int64: the names of scalars are torch's
}

static Nodes params_of(Print *p, const Node *f) {
    Nodes list = {NEWN(p->a, Node *, (size_t)f->function.params.n + 1), f->function.params.n};
    for (int i = 0; i < list.n; i++) {
        Node *n = list.at[i] = NEW(p->a, Node);
        *n = *f->function.params.at[i];
        n->param.annotation = annotation(p->a, n->param.annotation);
        if (f == p->kernel) n->param.def = NULL;
    }
    return list;
}

// @triton.jit, and of its arguments the one that changes code.
static Node *decorator(Print *p, const Node *f) {
    Node *jit = path_node(p->a, "triton", "jit");
    const Nodes *all = &f->function.decorators;
    const Node *last = all->n ? all->at[all->n - 1] : NULL;
    for (int i = 0; last && last->kind == NODE_CALL && i < last->call.keywords.n; i++) {
        const Node *k = last->call.keywords.at[i];
        if (!str_is(k->keyword.name, "noinline") || k->keyword.value->kind != NODE_TRUE) continue;
        Node *call = node_of(p->a, NODE_CALL), *key = node_of(p->a, NODE_KEYWORD);
        key->keyword.name = STR("noinline");
        key->keyword.value = node_of(p->a, NODE_TRUE);
        call->call.func = jit;
        call->call.keywords = (Nodes){NEW(p->a, Node *), 1};
        call->call.keywords.at[0] = key;
        return call;
    }
    return jit;
}

static void put_statement(Buf *out, const Node *n) {
    print_node(out, n);
    if (out->p[out->len - 1] != '\n') buf_putc(out, '\n');
}

static void put_function(Print *p, Buf *out, const Node *f) {
    Node shown = *f;
    shown.function.decorators = (Nodes){NEW(p->a, Node *), 1};
    shown.function.decorators.at[0] = decorator(p, f);
    shown.function.params = params_of(p, f);
    shown.function.returns = NULL;
    buf_puts(out, "\n\n");
    put_statement(out, &shown);
}

// A constant's annotation says nothing that counts, and would be evaluated.
static void put_assign(Buf *out, const Node *s) {
    Node shown = {.kind = NODE_ASSIGN, .span = s->span};
    Node *target = s->kind == NODE_ANNASSIGN ? s->annassign.target : NULL;
    shown.assign.value = s->kind == NODE_ANNASSIGN ? s->annassign.value : s->assign.value;
    shown.assign.targets = s->kind == NODE_ANNASSIGN ? (Nodes){&target, 1} : s->assign.targets;
    put_statement(out, &shown);
}

// torch's helpers lend Triton's own modules.
static void put_import(Buf *out, const Node *s) {
    bool lent = str_is(s->import.module, INDUCTOR_HELPERS);
    for (int i = 0; i < s->import.names.n; i++) {
        Node shown = *s;
        Str name = s->import.names.at[i]->alias.name;
        shown.import.names = (Nodes){&s->import.names.at[i], 1};
        if (lent)
            shown.import.module =
                str_is(name, "libdevice") ? STR("triton.language.extra") : STR("triton.language");
        put_statement(out, &shown);
    }
}

static bool binds_reserved(Print *p, const Node *s) {
    Str name = {0};
    if (s->kind == NODE_FUNCTION) name = s->function.name;
    const Nodes *targets = s->kind == NODE_ASSIGN ? &s->assign.targets : NULL;
    for (int i = 0; targets && i < targets->n; i++) {
        if (targets->at[i]->kind != NODE_NAME)
            return refuse(p, "a constant that is unpacked cannot be printed"), true;
        if (reserved(targets->at[i]->name)) name = targets->at[i]->name;
    }
    if (s->kind == NODE_ANNASSIGN && s->annassign.target->kind == NODE_NAME) name = s->annassign.target->name;
    for (int i = 0; s->kind == NODE_IMPORT && i < s->import.names.n; i++) {
        const Node *n = s->import.names.at[i];
        Str as = n->alias.as.len ? n->alias.as : n->alias.name;
        if (str_is(as, "*")) return refuse(p, "an import of all names cannot be printed"), true;
        if (reserved(as) || str_starts(n->alias.name, "_")) name = as;
    }
    if (!name.len || !reserved(name)) return false;
    return refuse(p, "'%.*s' has a meaning of its own and cannot be the name of something else",
                  STR_ARG(name)),
           true;
}

static bool put_module(Print *p, Buf *out) {
    buf_puts(out, "import triton\nimport triton.language as tl\n");
    if (p->libdevice) buf_puts(out, "from triton.language.extra import libdevice\n");
    if (p->math) buf_puts(out, "import math\n");
    const Nodes *all = &p->module->module.body;
    for (int i = 0; i < all->n; i++) {
        const Node *s = all->at[i];
        const Item *item = item_of(p, s);
        if (!item || !item->shown) continue;
        if (binds_reserved(p, s)) return false;
        if (s->kind == NODE_FUNCTION)
            put_function(p, out, s);
        else if (s->kind == NODE_IMPORT)
            put_import(out, s);
        else
            put_assign(out, s);
    }
    return true;
}

// ---- the whole

static void constants_reached(Print *p, const RunConst *c) {
    for (int i = 0; i < c->items && c->kind == CONST_TUPLE; i++) constants_reached(p, &c->item[i]);
    if (c->kind != CONST_FUNCTION) return;
    const Node *alias, *s = global_of(p, c->function, &alias);
    if (!s || s->kind != NODE_FUNCTION || !is_jit_function(s))
        refuse(p, "there is no @triton.jit function '%.*s'", STR_ARG(c->function));
    else
        reach(p, s);
}

static void params_reached(Print *p, const RunParam *param, int n) {
    for (int i = 0; i < n; i++) {
        constants_reached(p, &param[i].value);
        params_reached(p, param[i].item, param[i].items);
    }
}

// The function that the child has named. Names are looked up at the end of the module, so a kernel that
// another binding of its name hides has no module of its own.
static const Node *kernel_find(Print *p, const RunKernel *k) {
    const Node *alias, *s = global_of(p, k->name, &alias);
    if (!s || s->kind != NODE_FUNCTION || s->span.at != k->at || !is_jit_function(s))
        return refuse(p, "there is no one kernel '%.*s'", STR_ARG(k->name)), NULL;
    if (s->function.params.n != k->params)
        return refuse(p, "'%.*s' has other parameters", STR_ARG(k->name)), NULL;
    for (int i = 0; i < k->params; i++)
        if (!str_eq(s->function.params.at[i]->param.name, k->param[i].name))
            return refuse(p, "'%.*s' has other parameters", STR_ARG(k->name)), NULL;
    return s;
}

bool kernel_print(Arena *a, const Node *module, const RunKernel *k, Str *out, Err *e) {
    Print p = {.a = a, .module = module, .e = e, .ok = true};
    Buf text = BUF(a);
    p.kernel = kernel_find(&p, k);
    if (!p.kernel) return false;
    reach(&p, p.kernel);
    if (p.ok) params_reached(&p, k->param, k->params);
    if (!p.ok || !put_module(&p, &text)) return err_ctx(e, "%.*s", STR_ARG(k->name));
    *out = buf_str(&text);
    return true;
}

bool run_print(Arena *a, const Node *module, RecordedRun *run, Err *e) {
    for (int i = 0; i < run->kernels; i++) {
        RunKernel *k = &run->kernel[i];
        if (!kernel_print(a, module, k, &k->source, e)) return false;
        for (int j = 0; j < i; j++)
            if (str_eq(run->kernel[j].source, k->source)) k->source = run->kernel[j].source;
    }
    return true;
}
