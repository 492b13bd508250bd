// getattr, hasattr and setattr with a name that is written down. They are written as the members that they
// mean, so that whatever reads the tree afterwards, and refuses by name, meets these:
//
//     setattr(self, "ws", v)        self.ws = v
//     getattr(self, "ws")           self.ws
//     getattr(self, "ws", None)     self.ws if <has>(self, "ws") else None
//     hasattr(self, "ws")           <has>(self, "ws"), a name of api.def that no file can write
//     hasattr(tl, "gather")         True or False, as Triton has it
//
// Of a module's parameters: `next(self.parameters()).device` is the device, and what says that they need no
// gradients has no effect, since none are computed here:
//
//     nn.Parameter(x).requires_grad_(False)                  nn.Parameter(x)
//     for p in self.parameters(): p.requires_grad_(False)    pass
//
// What every __init__ of the class sets is there, and what no line of the file sets is not. A name that is
// computed stays, and is refused.
#include "host/desugar/desugar.h"
#include "host/policy/api_names.h"
#include "tile/check/check.h"

typedef struct {
    Arena *arena;
    const Node *module;
    Bindings bound;
    Names set, deleted; // members that some line sets or takes away
    const Node *klass;  // around what is looked at, and the first parameter of its method
    Str self;
    bool building; // in __init__
} Attributes;

static Node *mine(const Node *n) { return (Node *)(uintptr_t)n; } // the tree is this process's own

static bool is_call_of(const Attributes *x, const Node *n, const char *name, int least, int most) {
    if (n->kind != NODE_CALL || !node_is_name(n->call.func, name) || n->call.keywords.n ||
        n->call.args.n < least || n->call.args.n > most || names_have(&x->bound.all, n->call.func->name))
        return false;
    const Node *word = n->call.args.at[1];
    if (word->kind != NODE_STRING || word->string.bytes || !word->string.text.len) return false;
    Str s = word->string.text;
    for (size_t i = 0; i < s.len; i++) {
        bool letter = (s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z', digit = s.p[i] >= '0' && s.p[i] <= '9';
        if (!letter && s.p[i] != '_' && !(digit && i > 0)) return false;
    }
    return !str_starts(s, "__");
}
static bool asks_any(const Attributes *x, const Node *n) {
    return is_call_of(x, n, "getattr", 2, 3) || is_call_of(x, n, "hasattr", 2, 2) ||
           is_call_of(x, n, "setattr", 3, 3);
}

// ---- what the file sets

static void note_set(void *arg, const Node *n) {
    Attributes *x = arg;
    if (n->kind == NODE_CALL && node_is_name(n->call.func, "setattr") && n->call.args.n > 1 &&
        n->call.args.at[1]->kind == NODE_STRING)
        names_add(&x->set, n->call.args.at[1]->string.text);
    // Of nn.Module: by a name that is written down.
    bool named = n->kind == NODE_CALL && n->call.func->kind == NODE_ATTRIBUTE && n->call.args.n > 0 &&
                 n->call.args.at[0]->kind == NODE_STRING;
    if (named) names_add(&x->set, n->call.args.at[0]->string.text);
    Nodes one = {(Node *[]){n->kind == NODE_AUGASSIGN   ? n->augassign.target
                            : n->kind == NODE_ANNASSIGN ? n->annassign.target
                            : n->kind == NODE_FOR       ? n->loop.target
                                                        : NULL},
                 1};
    const Nodes *targets = n->kind == NODE_ASSIGN ? &n->assign.targets : &one;
    for (int i = 0; i < targets->n && targets->at[i]; i++) {
        const Node *t = targets->at[i];
        bool several = t->kind == NODE_TUPLE || t->kind == NODE_LIST;
        for (int k = 0; k < (several ? t->items.n : 1); k++) {
            const Node *item = several ? t->items.at[k] : t;
            if (item->kind == NODE_ATTRIBUTE) names_add(&x->set, item->attribute.name);
        }
    }
    for (int i = 0; n->kind == NODE_DELETE && i < n->items.n; i++)
        if (n->items.at[i]->kind == NODE_ATTRIBUTE) names_add(&x->deleted, n->items.at[i]->attribute.name);
    if (n->kind == NODE_CLASS) names_of_block(&x->set, &n->klass.body, 0);
    node_each_child(n, note_set, arg); // a tree's height is bounded
}

// A statement of __init__ itself, before which it cannot return.
static bool is_made(const Node *klass, Str name) {
    for (int i = 0; i < klass->klass.body.n; i++) {
        const Node *f = klass->klass.body.at[i];
        if (is_class_value(f)) {
            const Node *t = f->kind == NODE_ASSIGN ? f->assign.targets.at[0] : f->annassign.target;
            if (t->kind == NODE_NAME && str_eq(t->name, name)) return true;
        }
        if (f->kind != NODE_FUNCTION) continue;
        if (str_eq(f->function.name, name)) return true;
        if (!str_is(f->function.name, "__init__") || !f->function.params.n) continue;
        Str self = f->function.params.at[0]->param.name;
        for (int k = 0; k < f->function.body.n; k++) {
            const Node *s = f->function.body.at[k];
            if (node_returns(s)) break;
            for (int t = 0; s->kind == NODE_ASSIGN && t < s->assign.targets.n; t++) {
                const Node *to = s->assign.targets.at[t];
                if (to->kind == NODE_ATTRIBUTE && str_eq(to->attribute.name, name) &&
                    to->attribute.value->kind == NODE_NAME && str_eq(to->attribute.value->name, self))
                    return true;
            }
        }
    }
    return false;
}

bool is_member_of_modules(Str name) {
    static const char *const all[] = {"T_destination",
                                      "add_module",
                                      "apply",
                                      "bfloat16",
                                      "buffers",
                                      "call_super_init",
                                      "children",
                                      "compile",
                                      "cpu",
                                      "cuda",
                                      "double",
                                      "dump_patches",
                                      "eval",
                                      "extra_repr",
                                      "float",
                                      "forward",
                                      "get_buffer",
                                      "get_extra_state",
                                      "get_parameter",
                                      "get_submodule",
                                      "half",
                                      "ipu",
                                      "load_state_dict",
                                      "modules",
                                      "mtia",
                                      "named_buffers",
                                      "named_children",
                                      "named_modules",
                                      "named_parameters",
                                      "parameters",
                                      "requires_grad_",
                                      "set_extra_state",
                                      "set_submodule",
                                      "share_memory",
                                      "state_dict",
                                      "to",
                                      "to_empty",
                                      "train",
                                      "training",
                                      "type",
                                      "xpu",
                                      "zero_grad"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    static const char *const begin[] = {
        "register_", "_parameters", "_buffers",    "_modules",  "_non_persistent", "_backward",
        "_forward",  "_is_full",    "_state_dict", "_load",     "_save",           "_register",
        "_replica",  "_apply",      "_call_impl",  "_compiled", "_wrapped",        "_slow",
        "_get_",     "_named",      "_infer",      "_maybe",    "_version",        "_dynamo",
        "_torch",    "_has",        "_fsdp",       "_hook"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (str_starts(name, begin[i])) return true;
    return false;
}

typedef enum { MAY_HAVE, HAS, HAS_NOT } Has;

static Has own_has(const Attributes *x, const Node *of, Str name) {
    bool self = x->klass && of->kind == NODE_NAME && x->self.len && str_eq(of->name, x->self);
    if (!self || names_have(&x->deleted, name)) return MAY_HAVE;
    if (!x->building && is_made(x->klass, name)) return HAS;
    bool module = class_kind(x->klass) == CLASS_MODULE && is_member_of_modules(name);
    return !names_have(&x->set, name) && !module ? HAS_NOT : MAY_HAVE;
}

// Of triton.language and torch, by what their tables know.
static Has module_has(const Attributes *x, const Node *of, Str name) {
    Buf path = BUF(x->arena);
    if (!node_dotted(of, &path)) return MAY_HAVE;
    Str module = buf_str(&path);
    if (str_is(module, "tl") || str_starts(module, "tl."))
        module = str_of(arena_printf(x->arena, "triton.language%.*s", (int)(module.len - 2), module.p + 2));
    if (str_is(module, "triton.language") || str_starts(module, "triton.language."))
        return triton_import_fault(x->arena, module, name, false) ? HAS_NOT : HAS;
    if (!str_is(module, "torch") && !str_is(module, "triton") && !str_is(module, "torch.cuda"))
        return MAY_HAVE;
    Str full = str_of(arena_printf(x->arena, "%.*s.%.*s", STR_ARG(module), STR_ARG(name)));
    return api_named(full, true) || api_refused_itself(full) || api_is_module(full, true) ? HAS : MAY_HAVE;
}

// ---- rewriting

static Node *make(const Attributes *x, NodeKind kind, const Node *at, int height) {
    Node *n = NEW(x->arena, Node);
    *n = (Node){.kind = kind, .span = at->span, .height = (uint16_t)height};
    return n;
}
static Node *member(const Attributes *x, Node *of, const Node *word) {
    Node *n = make(x, NODE_ATTRIBUTE, word, of->height + 1);
    n->attribute.value = of;
    n->attribute.name = word->string.text;
    return n;
}

// What gives the same however often it is evaluated, and whether it is.
static bool is_still(const Node *n) {
    while (n->kind == NODE_ATTRIBUTE) n = n->attribute.value;
    return n->kind == NODE_NAME || n->kind == NODE_FLOAT || is_written(n) ||
           ((n->kind == NODE_TUPLE || n->kind == NODE_LIST) && n->items.n == 0) ||
           (n->kind == NODE_DICT && n->dict.keys.n == 0) ||
           (n->kind == NODE_UNARY && n->unary.operand->kind <= NODE_FLOAT && is_written(n->unary.operand));
}

static void becomes(const Node *n, const Node *other) {
    uint16_t height = n->height;
    *mine(n) = *other;
    if (mine(n)->height < height) mine(n)->height = height;
}

static void answer(const Attributes *x, const Node *n) {
    Node *of = n->call.args.at[0], *word = n->call.args.at[1];
    bool get = node_is_name(n->call.func, "getattr");
    Str name = word->string.text;
    Node *otherwise = get && n->call.args.n == 3 ? n->call.args.at[2] : NULL;
    Has has = own_has(x, of, name);
    if (has == MAY_HAVE) has = module_has(x, of, name);
    if (get && (!otherwise || (has == HAS && is_still(otherwise)))) return becomes(n, member(x, of, word));
    if (get && (!is_still(of) || !is_still(otherwise))) return;
    if (get && has == HAS_NOT) return becomes(n, otherwise);
    if (!get && has != MAY_HAVE) {
        *mine(n) = (Node){.kind = has == HAS ? NODE_TRUE : NODE_FALSE, .span = n->span, .height = n->height};
        return;
    }
    Node *asks = make(x, NODE_CALL, n, n->height), *func = make(x, NODE_NAME, n, 1);
    func->name = STR("<has>");
    asks->call.func = func;
    asks->call.args = (Nodes){NEWN(x->arena, Node *, 2), 2};
    asks->call.args.at[0] = of;
    asks->call.args.at[1] = word;
    if (!get) return becomes(n, asks);
    Node *choice = make(x, NODE_IFEXP, n, n->height + 1);
    choice->ifexp.cond = asks;
    choice->ifexp.then = member(x, of, word);
    choice->ifexp.otherwise = otherwise;
    becomes(n, choice);
}

// ---- parameters of a module

// self.parameters(), self.norm.parameters()
static bool is_parameters(const Attributes *x, const Node *n) {
    if (n->kind != NODE_CALL || n->call.args.n || n->call.keywords.n ||
        n->call.func->kind != NODE_ATTRIBUTE || !str_is(n->call.func->attribute.name, "parameters") ||
        !x->klass || !x->self.len || class_kind(x->klass) != CLASS_MODULE ||
        names_have(&x->set, STR("parameters")))
        return false;
    const Node *of = n->call.func->attribute.value;
    if (of->kind == NODE_ATTRIBUTE) of = of->attribute.value;
    return of->kind == NODE_NAME && str_eq(of->name, x->self);
}

static void find_parameter(void *arg, const Node *n) {
    *(bool *)arg |= is_parameter(n);
    node_each_child(n, find_parameter, arg);
}

static void answer_device(const Attributes *x, const Node *n) {
    const Node *next = n->kind == NODE_ATTRIBUTE ? n->attribute.value : n;
    bool has = false;
    if (n->kind != NODE_ATTRIBUTE || !str_is(n->attribute.name, "device") || next->kind != NODE_CALL ||
        !node_is_name(next->call.func, "next") || next->call.args.n != 1 || next->call.keywords.n ||
        names_have(&x->bound.all, next->call.func->name) || !is_parameters(x, next->call.args.at[0]))
        return;
    if (x->klass) find_parameter(&has, x->klass);
    DiagList d = DIAGS(x->arena);
    Node *m = has ? parse_module(x->arena, STR("torch.device('cuda:0')\n"), &d) : NULL;
    if (!m) return; // without one Python raises StopIteration
    tree_place(m->module.body.at[0], n->span);
    becomes(n, m->module.body.at[0]->value);
}

// p.requires_grad_(False), p.requires_grad = False
static bool is_about_gradients(const Node *s, Str name) {
    const Node *call = s->kind == NODE_EXPRSTMT ? s->value : NULL;
    const Node *member = call && call->kind == NODE_CALL ? call->call.func : NULL;
    if (s->kind == NODE_ASSIGN && s->assign.targets.n == 1 && is_written(s->assign.value))
        member = s->assign.targets.at[0];
    if (!member || member->kind != NODE_ATTRIBUTE || member->attribute.value->kind != NODE_NAME ||
        !str_eq(member->attribute.value->name, name))
        return false;
    if (call && (call->call.keywords.n || call->call.args.n > 1 ||
                 (call->call.args.n == 1 && !is_written(call->call.args.at[0]))))
        return false;
    return str_is(member->attribute.name, call ? "requires_grad_" : "requires_grad");
}

static void drop_gradients(const Attributes *x, const Node *n) {
    bool loop = n->kind == NODE_FOR && n->loop.target->kind == NODE_NAME && !n->loop.otherwise.n &&
                is_parameters(x, n->loop.iter);
    for (int i = 0; loop && i < n->loop.body.n; i++)
        loop = is_about_gradients(n->loop.body.at[i], n->loop.target->name);
    if (loop) *mine(n) = (Node){.kind = NODE_PASS, .span = n->span, .height = n->height};
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_ATTRIBUTE ||
        !str_is(n->call.func->attribute.name, "requires_grad_") || n->call.args.n > 1 ||
        (n->call.args.n == 1 && !is_written(n->call.args.at[0])) || n->call.keywords.n)
        return;
    if (is_parameter(n->call.func->attribute.value)) becomes(n, n->call.func->attribute.value);
}

static void rewrite(void *arg, const Node *n) {
    Attributes *x = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, rewrite, arg); // a tree's height is bounded
    answer_device(x, n);
    drop_gradients(x, n);
    if (is_call_of(x, n, "getattr", 2, 3) || is_call_of(x, n, "hasattr", 2, 2)) answer(x, n);
    if (n->kind != NODE_EXPRSTMT || !is_call_of(x, n->value, "setattr", 3, 3)) return;
    const Nodes args = n->value->call.args;
    Node *s = mine(n);
    s->kind = NODE_ASSIGN;
    s->assign.targets = (Nodes){NEWN(x->arena, Node *, 1), 1};
    s->assign.targets.at[0] = member(x, args.at[0], args.at[1]);
    s->assign.value = args.at[2];
    s->assign.kept = false;
    s->height++;
}

typedef struct {
    const Attributes *x;
    bool any;
} Asks;
static void look(void *arg, const Node *n) {
    Asks *a = arg;
    a->any |= asks_any(a->x, n) ||
              (n->kind == NODE_ATTRIBUTE &&
               (str_is(n->attribute.name, "parameters") || str_is(n->attribute.name, "requires_grad_")));
    node_each_child(n, look, arg);
}

void attributes_normalize(Arena *a, Node *module) {
    Attributes x = {.arena = a, .module = module, .set.arena = a, .deleted.arena = a};
    Asks asks = {&x, false};
    look(&asks, module);
    if (!asks.any) return;
    names_of_module(&x.bound, a, module);
    note_set(&x, module);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (s->kind != NODE_CLASS) {
            rewrite(&x, s);
            continue;
        }
        x.klass = s;
        for (int k = 0; k < s->klass.body.n; k++) {
            const Node *f = s->klass.body.at[k];
            MethodKind kind;
            bool method = f->kind == NODE_FUNCTION && is_method(f, &kind) && kind != METHOD_STATIC &&
                          kind != METHOD_OF_CLASS && f->function.params.n > 0;
            x.self = method ? f->function.params.at[0]->param.name : (Str){0};
            x.building = method && str_is(f->function.name, "__init__");
            rewrite(&x, f);
        }
        x.klass = NULL;
    }
}
