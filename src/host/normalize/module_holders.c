// What modules of torch hold, and what fills it. A class ModelNew may keep its parameters in nn.LayerNorm,
// nn.Linear and the like: each becomes a class of the file that holds the same parameters and computes
// nothing, under a name that no source has. `self.register_parameter("w", p)` is `self.w = p`, and so is a
// buffer. What gives parameters their first values has no effect, because those are inputs of the op here: of
// `nn.init.normal_(self.weight, std=s)` the numbers remain. Only where it is a parameter for sure that is
// filled, and only while the object is made.
#include "host/normalize/normalize.h"
#include "host/policy/library_names.h"

// new_form: in files that are judged as a ModelNew of a reference in module form. Elsewhere an op has no
// weights for them. What a parameter is made of says its shape, which is asked for there alone.
// forward: what it computes when it is called, where a caller allows its operators to the library
// (policy/library.def). Those without parameters stand for nothing else.
typedef struct {
    const char *name;
    bool new_form;
    const char *text, *forward;
} Holder;
static const Holder holder[] = {
#include "host/normalize/holder.def"
};
enum { HOLDERS = sizeof holder / sizeof *holder };

typedef struct {
    Arena *arena;
    Node *module;
    Str self;
    const Node *method; // whose statements are looked at
    bool used[HOLDERS];
    LibraryUse allowed;
} Held;

// Whether it computes, too.
static bool computes(const Held *h, int k) {
    return holder[k].forward && library_has(h->allowed, library_needs(str_of(holder[k].name)));
}

// nn.NAME, torch.nn.NAME
static bool is_of_nn(const Node *n) {
    if (n->kind != NODE_ATTRIBUTE) return false;
    const Node *nn = n->attribute.value;
    return node_is_name(nn, "nn") || (nn->kind == NODE_ATTRIBUTE && str_is(nn->attribute.name, "nn") &&
                                      node_is_name(nn->attribute.value, "torch"));
}

static void use_holder(void *arg, const Node *n) {
    Held *h = arg;
    node_each_child(n, use_holder, arg); // a tree's height is bounded
    if (n->kind != NODE_CALL || !is_of_nn(n->call.func)) return;
    for (int k = 0; k < HOLDERS; k++) {
        if (!str_is(n->call.func->attribute.name, holder[k].name + 3)) continue;
        if (holder[k].new_form && !h->module->module.model) continue;
        if (!memmem(holder[k].text, strlen(holder[k].text), "nn.Parameter", 12) && !computes(h, k)) continue;
        Node *f = (Node *)(uintptr_t)n->call.func; // the tree is this process's own
        *f = (Node){.kind = NODE_NAME, .span = f->span, .height = 1, .name = str_of(holder[k].name)};
        h->used[k] = true;
    }
}

// ---- register_parameter, register_buffer

// Names with a `_` that nn.Module has for itself; there it refuses them.
static bool is_own_of_modules(Str s) {
    static const char *const begin[] = {
        "_parameters", "_buffers",    "_modules", "_non_persistent", "_backward", "_forward",
        "_is_full",    "_state_dict", "_load_",   "_save_",          "_version",  "_apply",
        "_call_impl",  "_compiled",   "_get_",    "_named_",         "_register", "_replicate",
        "_maybe",      "_slow",       "_wrapped", "_infer"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (str_starts(s, begin[i])) return true;
    return false;
}

static bool is_identifier(Str s) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
    }
    return s.len > 0 && !str_starts(s, "__") && !is_own_of_modules(s);
}

// An argument by its place or by its name.
static Node *given(const Node *call, int place, const char *name) {
    Node *found = place < call->call.args.n ? call->call.args.at[place] : NULL;
    for (int i = 0; i < call->call.keywords.n; i++) {
        if (!str_is(call->call.keywords.at[i]->keyword.name, name)) continue;
        if (found) return NULL;
        found = call->call.keywords.at[i]->keyword.value;
    }
    return found;
}

// self.register_buffer("name", tensor, persistent=False): an attribute, and like any other judged as state.
static void registered(const Held *h, Node *s) {
    Node *call = s->value, *f = call->call.func;
    if (call->kind != NODE_CALL || f->kind != NODE_ATTRIBUTE || f->attribute.value->kind != NODE_NAME ||
        !str_eq(f->attribute.value->name, h->self))
        return;
    bool buffer = str_is(f->attribute.name, "register_buffer");
    if (!buffer && !str_is(f->attribute.name, "register_parameter")) return;
    Node *name = given(call, 0, "name"), *value = given(call, 1, buffer ? "tensor" : "param");
    Node *persistent = buffer ? given(call, 2, "persistent") : NULL;
    int known = (name != NULL) + (value != NULL) + (persistent != NULL);
    if (!name || !value || call->call.args.n + call->call.keywords.n != known || name->kind != NODE_STRING ||
        !is_identifier(name->string.text) || (persistent && !is_written(persistent)) ||
        value->kind == NODE_STARRED)
        return;
    Node *target = NEW(h->arena, Node);
    *target = *f;
    target->attribute.name = name->string.text;
    s->kind = NODE_ASSIGN;
    s->assign.targets = (Nodes){NEWN(h->arena, Node *, 1), 1};
    s->assign.targets.at[0] = target;
    s->assign.value = value;
}

// ---- first values

typedef struct {
    Str name;
    bool parameters; // asked: is it always a parameter; otherwise: a module of torch
    bool or_none;    // None beside that is no other value
    bool found, other;
} Assigned;

static bool is_parameter_value(const Node *n) {
    if (n->kind == NODE_IFEXP)
        return is_parameter_value(n->ifexp.then) &&
               (n->ifexp.otherwise->kind == NODE_NONE || is_parameter_value(n->ifexp.otherwise));
    return is_parameter(n) || (n->kind == NODE_CALL && node_is_name(n->call.func, "Parameter"));
}
static bool is_holder_value(const Node *n) {
    return n->kind == NODE_CALL && n->call.func->kind == NODE_NAME && str_starts(n->call.func->name, "nn.");
}

static void find_assigned(void *arg, const Node *n) {
    Assigned *a = arg;
    const Nodes *targets = n->kind == NODE_ASSIGN ? &n->assign.targets : &(Nodes){0};
    for (int i = 0; i < targets->n; i++) {
        const Node *t = targets->at[i];
        if (t->kind != NODE_ATTRIBUTE || !str_eq(t->attribute.name, a->name)) continue;
        bool fits = a->parameters ? is_parameter_value(n->assign.value) : is_holder_value(n->assign.value);
        a->found |= fits;
        a->other |= !fits && !(a->or_none && n->assign.value->kind == NODE_NONE);
    }
    bool in_list = n->kind == NODE_TUPLE || n->kind == NODE_LIST; // (self.a, self.b) = ...
    for (int i = 0; in_list && i < n->items.n; i++)
        a->other |= n->items.at[i]->kind == NODE_ATTRIBUTE && str_eq(n->items.at[i]->attribute.name, a->name);
    const Node *t = n->kind == NODE_AUGASSIGN   ? n->augassign.target
                    : n->kind == NODE_ANNASSIGN ? n->annassign.target
                                                : NULL;
    a->other |= t && t->kind == NODE_ATTRIBUTE && str_eq(t->attribute.name, a->name);
    node_each_child(n, find_assigned, arg);
}
static bool always(const Held *h, Str name, bool parameters) {
    Assigned a = {.name = name, .parameters = parameters, .or_none = h->module->module.model != NULL};
    find_assigned(&a, h->module);
    return a.found && !a.other;
}

// ---- w = torch.empty(...), of which nothing is made but an nn.Parameter

typedef struct {
    Str name;
    int all, known;
} LocalUse;

static bool is_of_init(const Node *call) {
    const Node *f = call->call.func;
    return f->kind == NODE_ATTRIBUTE && f->attribute.value->kind == NODE_ATTRIBUTE &&
           str_is(f->attribute.value->attribute.name, "init") && is_of_nn(f->attribute.value);
}
static void find_local_uses(void *arg, const Node *n) {
    LocalUse *u = arg;
    u->all += n->kind == NODE_NAME && str_eq(n->name, u->name);
    if (n->kind == NODE_ASSIGN)
        for (int i = 0; i < n->assign.targets.n; i++)
            u->known += n->assign.targets.at[i]->kind == NODE_NAME &&
                        str_eq(n->assign.targets.at[i]->name, u->name) && n->assign.value->kind == NODE_CALL;
    if (n->kind == NODE_CALL && n->call.args.n > 0 && (is_parameter(n) || is_of_init(n)))
        u->known += n->call.args.at[0]->kind == NODE_NAME && str_eq(n->call.args.at[0]->name, u->name);
    node_each_child(n, find_local_uses, u);
}
static bool is_local(const Held *h, const Node *n) {
    LocalUse u = {.name = n->kind == NODE_NAME ? n->name : (Str){0}};
    if (n->kind != NODE_NAME || !h->module->module.model || !h->method) return false;
    node_each_child(h->method, find_local_uses, &u);
    return u.all > 1 && u.all == u.known;
}

// w = torch.empty(n).uniform_(-b, b): without what fills it.
static void local_filled(const Held *h, Node *s) {
    static const char *const fill[] = {"normal_", "uniform_", "zero_", "fill_"};
    if (s->assign.targets.n != 1 || !is_local(h, s->assign.targets.at[0])) return;
    for (Node *v = s->assign.value; v->kind == NODE_CALL && v->call.func->kind == NODE_ATTRIBUTE;
         v = s->assign.value) {
        bool fills = false;
        for (size_t i = 0; i < sizeof fill / sizeof *fill; i++)
            fills |= str_is(v->call.func->attribute.name, fill[i]);
        if (!fills) break;
        s->assign.value = v->call.func->attribute.value;
    }
    // Random numbers are the referee's: a tensor of their sizes is left.
    Node *v = s->assign.value, *f = v->kind == NODE_CALL ? v->call.func : NULL;
    if (f && f->kind == NODE_ATTRIBUTE && node_is_name(f->attribute.value, "torch") &&
        (str_is(f->attribute.name, "randn") || str_is(f->attribute.name, "rand")))
        f->attribute.name = STR("empty");
}

// fan_in, fan_out = nn.init._calculate_fan_in_and_fan_out(self.weight): two numbers of its shape.
static bool is_held(const Held *h, const Node *n);
static void fans(const Held *h, Node *s) {
    Node *call = s->assign.value;
    if (!h->module->module.model || call->kind != NODE_CALL || !is_of_init(call) || call->call.args.n != 1 ||
        !str_is(call->call.func->attribute.name, "_calculate_fan_in_and_fan_out") ||
        !is_held(h, call->call.args.at[0]))
        return;
    Span at = call->call.args.at[0]->span;
    Str w = {h->module->module.source.p + at.at, at.len};
    if ((uint64_t)at.at + at.len > h->module->module.source.len) return;
    DiagList d = DIAGS(h->arena);
    const Node *m = parse_module(
        h->arena,
        str_of(arena_printf(h->arena, "(%.*s.numel() // %.*s.shape[0], %.*s.numel() // %.*s.shape[1])\n",
                            STR_ARG(w), STR_ARG(w), STR_ARG(w), STR_ARG(w))),
        &d);
    if (!m || m->module.body.n != 1 || m->module.body.at[0]->kind != NODE_EXPRSTMT) return;
    Node *pair = m->module.body.at[0]->value;
    tree_place(pair, (Span){call->span.at, 0});
    s->assign.value = pair;
}

// self.weight, self.norm.weight
static bool is_held(const Held *h, const Node *n) {
    if (is_local(h, n)) return true;
    if (n->kind != NODE_ATTRIBUTE || !always(h, n->attribute.name, true)) return false;
    const Node *of = n->attribute.value;
    if (of->kind == NODE_ATTRIBUTE) {
        if (!always(h, of->attribute.name, false)) return false;
        of = of->attribute.value;
    }
    return of->kind == NODE_NAME && str_eq(of->name, h->self);
}

static bool is_word(const char *const *word, size_t n, Str name) {
    for (size_t i = 0; i < n; i++)
        if (str_is(name, word[i])) return true;
    return false;
}

// nn.init.normal_(self.weight, ...), self.weight.data.normal_(...): how many arguments are none of its
// numbers.
static int fills(const Held *h, const Node *call) {
    static const char *const of_init[] = {"ones_",           "zeros_",         "constant_",
                                          "normal_",         "uniform_",       "trunc_normal_",
                                          "xavier_uniform_", "xavier_normal_", "kaiming_uniform_",
                                          "kaiming_normal_", "eye_",           "orthogonal_"};
    static const char *const of_data[] = {"fill_", "zero_", "normal_", "uniform_"};
    const Node *f = call->call.func;
    if (f->kind != NODE_ATTRIBUTE || f->attribute.value->kind != NODE_ATTRIBUTE) return -1;
    const Node *of = f->attribute.value;
    if (str_is(of->attribute.name, "init") && is_of_nn(of))
        return call->call.args.n > 0 && is_held(h, call->call.args.at[0]) &&
                       is_word(of_init, sizeof of_init / sizeof *of_init, f->attribute.name)
                   ? 1
                   : -1;
    return str_is(of->attribute.name, "data") && is_held(h, of->attribute.value) &&
                   is_word(of_data, sizeof of_data / sizeof *of_data, f->attribute.name)
               ? 0
               : -1;
}

static void unfill(const Held *h, Node *s) {
    Node *call = s->value;
    int skip = call->kind == NODE_CALL ? fills(h, call) : -1;
    if (skip < 0) return;
    Nodes numbers = {NEWN(h->arena, Node *, (size_t)(call->call.args.n + call->call.keywords.n) + 1), 0};
    for (int i = skip; i < call->call.args.n; i++) numbers.at[numbers.n++] = call->call.args.at[i];
    for (int i = 0; i < call->call.keywords.n; i++)
        numbers.at[numbers.n++] = call->call.keywords.at[i]->keyword.value;
    call->kind = NODE_TUPLE;
    call->items = numbers;
}

// self.w.data = self.w.data.to(x.device): what moves a parameter to where it is already. What is left says no
// more than the right side: of another device or type, that it computes.
static void moved(void *arg, const Node *n) {
    static const char *const move[] = {"to", "cuda"};
    Node *s = (Node *)(uintptr_t)n; // the tree is this process's own
    node_each_child(n, moved, arg);
    if (n->kind != NODE_ASSIGN || n->assign.targets.n != 1 || n->assign.value->kind != NODE_CALL) return;
    const Node *to = n->assign.targets.at[0], *f = n->assign.value->call.func;
    bool same = to->kind == NODE_ATTRIBUTE && str_is(to->attribute.name, "data") &&
                f->kind == NODE_ATTRIBUTE && is_word(move, 2, f->attribute.name) &&
                node_equal(to, f->attribute.value);
    if (!same) return;
    Node *value = s->assign.value;
    value->call.func->attribute.value = to->attribute.value; // self.w.to(x.device)
    s->kind = NODE_EXPRSTMT;
    s->value = value;
}

// A function within may be called later, when a parameter is the caller's.
static void statements(void *arg, const Node *n) {
    Held *h = arg;
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    if (n->kind == NODE_FUNCTION || n->kind == NODE_LAMBDA) return;
    if (n->kind == NODE_EXPRSTMT) registered(h, own);
    if (n->kind == NODE_EXPRSTMT) unfill(h, own);
    if (n->kind == NODE_ASSIGN) fans(h, own), local_filled(h, own);
    node_each_child(n, statements, arg);
}

// ---- nn.ModuleList
//
// self.norms = nn.ModuleList([nn.LayerNorm(n) for _ in range(2)]) is the list, where that cannot be told from
// one: it is made of holders, and nothing is done with it but to count its items, to go through them and to
// take one.

typedef struct {
    Str name;
    int all, plain;
    bool stored;
} ListUse;

static bool is_list_use(const ListUse *u, const Node *n) {
    return n && n->kind == NODE_ATTRIBUTE && str_eq(n->attribute.name, u->name) &&
           n->attribute.value->kind == NODE_NAME;
}
static void find_stored(void *arg, const Node *n) {
    ListUse *u = arg;
    u->stored |= n->kind == NODE_ATTRIBUTE && str_eq(n->attribute.name, u->name);
    node_each_child(n, find_stored, u); // a tree's height is bounded
}

static void find_uses(void *arg, const Node *n) {
    ListUse *u = arg;
    u->all += n->kind == NODE_ATTRIBUTE && str_eq(n->attribute.name, u->name);
    switch (n->kind) {
    case NODE_ASSIGN:
        for (int i = 0; i < n->assign.targets.n; i++) find_stored(u, n->assign.targets.at[i]);
        break;
    case NODE_AUGASSIGN: find_stored(u, n->augassign.target); break;
    case NODE_ANNASSIGN: find_stored(u, n->annassign.target); break;
    case NODE_DELETE: find_stored(u, n); break;
    case NODE_FOR:
        find_stored(u, n->loop.target);
        u->plain += is_list_use(u, n->loop.iter);
        break;
    case NODE_WITHITEM:
        if (n->withitem.target) find_stored(u, n->withitem.target);
        break;
    case NODE_COMPFOR: u->plain += is_list_use(u, n->compfor.iter); break;
    case NODE_SUBSCRIPT:
        u->plain += is_list_use(u, n->subscript.value) && n->subscript.index->kind != NODE_SLICE;
        break;
    case NODE_CALL:
        if (n->call.args.n == 1 && !n->call.keywords.n &&
            (node_is_name(n->call.func, "len") || node_is_name(n->call.func, "enumerate")))
            u->plain += is_list_use(u, n->call.args.at[0]);
        break;
    default: break;
    }
    node_each_child(n, find_uses, u);
}

static bool is_of_holders(const Node *n) {
    if (n->kind == NODE_COMP) return n->comp.kind == COMP_LIST && is_holder_value(n->comp.element);
    if (n->kind != NODE_LIST || !n->items.n) return false;
    for (int i = 0; i < n->items.n; i++)
        if (!is_holder_value(n->items.at[i])) return false;
    return true;
}

static void module_list(const Held *h, const Node *init, Node *s) {
    if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 || s->assign.value->kind != NODE_CALL) return;
    const Node *to = s->assign.targets.at[0], *call = s->assign.value;
    if (to->kind != NODE_ATTRIBUTE || !node_is_name(to->attribute.value, "self") ||
        !init->function.params.n || !str_is(init->function.params.at[0]->param.name, "self") ||
        !is_of_nn(call->call.func) || !str_is(call->call.func->attribute.name, "ModuleList") ||
        call->call.args.n != 1 || call->call.keywords.n || !is_of_holders(call->call.args.at[0]))
        return;
    Node *target = s->assign.targets.at[0];
    const Node kept = *target;
    ListUse u = {.name = to->attribute.name};
    *target = (Node){.kind = NODE_NONE, .span = kept.span, .height = 1}; // this one does not count
    find_uses(&u, h->module);
    *target = kept;
    if (!u.stored && u.all == u.plain) s->assign.value = call->call.args.at[0];
}

static void module_lists(const Held *h, const Node *klass) {
    for (int i = 0; i < klass->klass.body.n; i++) {
        const Node *f = klass->klass.body.at[i];
        for (int k = 0;
             f->kind == NODE_FUNCTION && str_is(f->function.name, "__init__") && k < f->function.body.n; k++)
            module_list(h, f, f->function.body.at[k]);
    }
}

// ---- which methods

typedef struct {
    Str name, self;
    int found;
} Mention;
static void find_mention(void *arg, const Node *n) {
    Mention *m = arg;
    m->found += n->kind == NODE_ATTRIBUTE && str_eq(n->attribute.name, m->name);
    node_each_child(n, find_mention, m);
}
static void find_plain_call(void *arg, const Node *n) {
    Mention *m = arg;
    if (n->kind == NODE_FUNCTION || n->kind == NODE_LAMBDA) return;
    const Node *f = n->kind == NODE_EXPRSTMT && n->value->kind == NODE_CALL ? n->value->call.func : NULL;
    m->found += f && f->kind == NODE_ATTRIBUTE && str_eq(f->attribute.name, m->name) &&
                f->attribute.value->kind == NODE_NAME && str_eq(f->attribute.value->name, m->self);
    node_each_child(n, find_plain_call, m);
}
// __init__, and methods that nobody mentions but the __init__ of the class, to call them.
static bool while_made(const Held *h, const Node *klass, const Node *f) {
    static const char *const entry[] = {"forward", "__call__"};
    Mention all = {.name = f->function.name}, plain = all;
    if (str_is(f->function.name, "__init__")) return true;
    if (is_word(entry, 2, f->function.name)) return false;
    find_mention(&all, h->module);
    for (int i = 0; i < klass->klass.body.n; i++) {
        const Node *init = klass->klass.body.at[i];
        if (init->kind != NODE_FUNCTION || !str_is(init->function.name, "__init__") ||
            !init->function.params.n)
            continue;
        plain.self = init->function.params.at[0]->param.name;
        node_each_child(init, find_plain_call, &plain);
    }
    return all.found == plain.found;
}

static void put_in_front(Held *h, int at, int k) {
    DiagList d = DIAGS(h->arena);
    // Everything is on the GPU already.
    static const char moves[] = "    def to(self, device=None):\n        return self\n"
                                "    def cuda(self, device=None):\n        return self\n";
    Node *m = parse_module(
        h->arena,
        str_of(arena_printf(h->arena, "%s%s%s", holder[k].text, h->module->module.model ? moves : "",
                            computes(h, k) ? holder[k].forward : "")),
        &d);
    Nodes *body = &h->module->module.body, out = {NEWN(h->arena, Node *, (size_t)body->n + 1), 0};
    if (!m) return;
    Node *c = m->module.body.at[0];
    c->klass.name = str_of(holder[k].name);
    tree_place(c, (Span){body->at[at]->span.at, 0});
    for (int i = 0; i < body->n; i++) {
        if (i == at) out.at[out.n++] = c;
        out.at[out.n++] = body->at[i];
    }
    *body = out;
    if (h->module->height < c->height + 1) h->module->height = (uint16_t)(c->height + 1);
}

void module_holders_normalize(Arena *a, Node *module) {
    Held h = {.arena = a, .module = module, .allowed = library_allowed(module)};
    int first = -1;
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *n = module->module.body.at[i];
        if (n->kind != NODE_CLASS || class_kind(n) != CLASS_MODULE) continue;
        if (first < 0) first = i;
        if (entry_model(module)) use_holder(&h, n), module_lists(&h, n);
        if (module->module.model) moved(&h, n);
    }
    for (int k = HOLDERS - 1; k >= 0; k--)
        if (h.used[k]) put_in_front(&h, first, k);
    for (int i = 0; first >= 0 && i < module->module.body.n; i++) {
        const Node *n = module->module.body.at[i];
        for (int k = 0; n->kind == NODE_CLASS && class_kind(n) == CLASS_MODULE && k < n->klass.body.n; k++) {
            const Node *f = n->klass.body.at[k];
            if (f->kind != NODE_FUNCTION || !f->function.params.n || f->function.decorators.n) continue;
            h.self = f->function.params.at[0]->param.name;
            h.method = f;
            if (while_made(&h, n, f)) node_each_child(f, statements, &h);
        }
    }
}
