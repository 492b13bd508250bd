// Names that a module gives to a function it has already: `go = functools.partial(f, BLOCK=128)` becomes the
// function that it is, and `run = KERNELS["square"]`, of a table that is written down above it, `run = f`. So
// what reads the tree afterwards sees functions alone. Only names that the whole file binds once.
#include "host/module_level/module_level.h"
#include "lang/library.h"

typedef struct {
    Arena *arena;
    Node *module;
    Bindings bound;
} File;

// ---- partial

static bool is_partial(const File *f, const Node *func) {
    const Node *alias, *root = func->kind == NODE_ATTRIBUTE ? func->attribute.value : func;
    if (root->kind != NODE_NAME || !bound_once(&f->bound, root->name)) return false;
    const Node *s = module_binding(f->module, root->name, &alias);
    if (!s || s->kind != NODE_IMPORT || s->import.dots || library_of(f->module, s)) return false;
    if (func->kind == NODE_NAME)
        return s->import.from && str_is(s->import.module, "functools") &&
               str_is(alias->alias.name, "partial");
    return !s->import.from && str_is(alias->alias.name, "functools") &&
           str_is(func->attribute.name, "partial");
}

static const Node *function_before(const File *f, int before, const Node *name) {
    const Nodes *body = &f->module->module.body;
    if (name->kind != NODE_NAME || !bound_once(&f->bound, name->name)) return NULL;
    for (int i = 0; i < before; i++) {
        const Node *s = body->at[i];
        if (s->kind == NODE_FUNCTION && !is_jit_function(s) && str_eq(s->function.name, name->name)) return s;
    }
    return NULL;
}

static const Node *keyword_of(const Nodes *keywords, Str name) {
    for (int i = 0; i < keywords->n; i++)
        if (str_eq(keywords->at[i]->keyword.name, name)) return keywords->at[i];
    return NULL;
}

// A number or a text, or a name that the module has given to one.
static bool is_fixed(const File *f, const Node *n) {
    const Node *alias, *s = n->kind == NODE_NAME ? module_binding(f->module, n->name, &alias) : NULL;
    if (s && (s->kind != NODE_ASSIGN || s->span.at > n->span.at || !bound_once(&f->bound, n->name)))
        return false;
    const Node *value = s ? s->assign.value : n;
    return is_written(value) || value->kind == NODE_FLOAT;
}

// What may stand in the header of another function: a number, a text, a member of a class (Kind.SUM), which
// stay what they are.
static bool is_default(const File *f, const Node *n) {
    const Node *of = n->kind == NODE_ATTRIBUTE ? n->attribute.value : n, *alias;
    if (of == n) return is_written(n) || n->kind == NODE_FLOAT;
    const Node *s = of->kind == NODE_NAME ? module_binding(f->module, of->name, &alias) : NULL;
    return s && s->kind == NODE_CLASS && bound_once(&f->bound, of->name);
}

// Plain parameters, all keywords among them, and arguments that are the same whenever they are evaluated.
static bool fits(const File *f, const Node *call, const Node *of) {
    const Nodes *params = &of->function.params, *args = &call->call.args, *keywords = &call->call.keywords;
    int found = 0;
    if (of->function.async || of->function.decorators.n || args->n - 1 > params->n) return false;
    for (int i = 0; i < params->n; i++) {
        const Node *p = params->at[i], *def = p->param.def;
        bool keyed = p->param.kind == PARAM_KWONLY || (p->param.kind == PARAM_STAR && !p->param.name.len);
        if ((p->param.kind != PARAM_PLAIN && !(keyed && i >= args->n - 1)) || p->param.positional_only ||
            str_eq(p->param.name, of->function.name) || (def && !is_default(f, def)))
            return false;
        found += i >= args->n - 1 && p->param.name.len && keyword_of(keywords, p->param.name) != NULL;
    }
    for (int i = 1; i < args->n; i++)
        if (args->at[i]->kind == NODE_STARRED || !is_fixed(f, args->at[i])) return false;
    for (int i = 0; i < keywords->n; i++)
        if (!keywords->at[i]->keyword.name.len || !is_fixed(f, keywords->at[i]->keyword.value)) return false;
    return found == keywords->n;
}

static Node *copy_of(const File *f, const Node *n) {
    Node *c = NEW(f->arena, Node);
    *c = *n;
    return c;
}
static Node *name_node(const File *f, Str name, Span at) {
    Node *n = NEW(f->arena, Node);
    *n = (Node){.kind = NODE_NAME, .span = at, .height = 1, .name = name};
    return n;
}

// go = partial(f, 3, BLOCK=128)  ->  def go(x, other=None, *, BLOCK=128): return f(3, x, other, BLOCK=BLOCK)
// What the partial gives by its name a call may give anew, by its name, too, and so all that stands behind
// it.
static void define_partial(const File *f, Node *s, const Node *of) {
    Node *call = s->assign.value, *back = NEW(f->arena, Node);
    const Nodes *params = &of->function.params, given = call->call.keywords;
    int first = call->call.args.n - 1, height = call->height;
    Nodes args = {NEWN(f->arena, Node *, (size_t)params->n + 1), 0}, own = args,
          keywords = {NEWN(f->arena, Node *, (size_t)params->n + 1), 0};
    bool keyed = false; // behind a bare *
    own.at = NEWN(f->arena, Node *, (size_t)params->n + 2);
    for (int i = 0; i < first; i++) args.at[args.n++] = call->call.args.at[i + 1];
    for (int i = first; i < params->n; i++) {
        Node *p = copy_of(f, params->at[i]);
        if (!p->param.name.len) {
            if (!keyed) own.at[own.n++] = p;
            keyed = true;
            continue;
        }
        const Node *k = keyword_of(&given, p->param.name);
        Node *value = name_node(f, p->param.name, s->span);
        if (k) p->param.def = k->keyword.value;
        if (k && p->height < 2) p->height = 2;
        if (p->height > height) height = p->height;
        if (k && !keyed) {
            Node *star = own.at[own.n++] = copy_of(f, p);
            star->param.name = (Str){0};
            star->param.kind = PARAM_STAR;
            star->param.def = star->param.annotation = NULL;
            keyed = true;
        }
        p->param.kind = keyed ? PARAM_KWONLY : PARAM_PLAIN;
        own.at[own.n++] = p;
        if (!keyed) {
            args.at[args.n++] = value;
            continue;
        }
        Node *pass = NEW(f->arena, Node);
        *pass = (Node){.kind = NODE_KEYWORD, .span = s->span, .height = 2};
        pass->keyword.name = p->param.name;
        pass->keyword.value = value;
        keywords.at[keywords.n++] = pass;
    }
    Str name = s->assign.targets.at[0]->name;
    call->call.func = name_node(f, of->function.name, call->span);
    call->call.args = args;
    call->call.keywords = keywords;
    call->height = (uint16_t)(height + 2);
    *back = (Node){.kind = NODE_RETURN, .span = call->span, .height = (uint16_t)(height + 3)};
    back->value = call;
    *s = (Node){.kind = NODE_FUNCTION, .span = s->span, .height = (uint16_t)(height + 4)};
    s->function.name = name;
    s->function.params = own;
    s->function.body = (Nodes){NEWN(f->arena, Node *, 1), 1};
    s->function.body.at[0] = back;
}

// ---- an item of a table

// What TABLE["key"] is, where the table is written down once and nobody changes it: it stands at module
// level.
typedef struct {
    Str name;
    int n;
} Mentions;
static void count_mentions(void *arg, const Node *n) {
    Mentions *m = arg;
    m->n += n->kind == NODE_NAME && str_eq(n->name, m->name);
    node_each_child(n, count_mentions, arg); // a tree's height is bounded
}
// Nothing happens where it stands.
static bool is_plain_table(const Node *table) {
    for (int i = 0; i < table->dict.values.n; i++)
        if (table->dict.values.at[i]->kind != NODE_LAMBDA && table->dict.values.at[i]->kind != NODE_NAME)
            return false;
    return true;
}

static Node *item_of(const File *f, int before, const Node *n) {
    if (n->kind != NODE_SUBSCRIPT || n->subscript.value->kind != NODE_NAME ||
        !is_written(n->subscript.index) || !bound_once(&f->bound, n->subscript.value->name))
        return NULL;
    const Nodes *body = &f->module->module.body;
    const Node *table = NULL, *statement = NULL, *key = n->subscript.index;
    for (int i = 0; i < before; i++) {
        const Node *s = body->at[i];
        if (s->kind == NODE_ASSIGN && s->assign.targets.n == 1 &&
            node_is_name(s->assign.targets.at[0],
                         arena_printf(f->arena, "%.*s", STR_ARG(n->subscript.value->name))))
            table = s->assign.value, statement = s;
    }
    if (!table || table->kind != NODE_DICT || key->kind != NODE_STRING) return NULL;
    Node *found = NULL;
    for (int i = 0; i < table->dict.keys.n; i++) {
        const Node *k = table->dict.keys.at[i];
        if (!k || k->kind != NODE_STRING) return NULL;
        if (str_eq(k->string.text, key->string.text)) found = table->dict.values.at[i];
    }
    if (!found || (found->kind != NODE_NAME && found->kind != NODE_LAMBDA)) return NULL;
    // One without a name is taken out of a table that nothing else asks for anything.
    Mentions m = {.name = n->subscript.value->name};
    count_mentions(&m, f->module);
    if (found->kind == NODE_LAMBDA && (m.n != 2 || !is_plain_table(table))) return NULL; // with the binding
    if (found->kind == NODE_LAMBDA) *(Node *)(uintptr_t)statement = (Node){.kind = NODE_PASS, .height = 1};
    return found;
}

// ---- another name for a function

typedef struct {
    Str from, to;
} Renaming;
static void rename_all(void *arg, const Node *n) {
    const Renaming *r = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    if (n->kind == NODE_NAME && str_eq(n->name, r->from))
        ((Node *)(uintptr_t)n)->name = r->to; // the tree is this process's own
    node_each_child(n, rename_all, arg);
}

// norm = fast_norm: the file's functions are told apart by their names.
static void take_alias(const File *f, Node *s, Str name) {
    Renaming r = {s->assign.targets.at[0]->name, name};
    *s = (Node){.kind = NODE_PASS, .span = s->span, .height = 1};
    node_each_child(f->module, rename_all, &r);
}

// ---- tuned = triton.autotune(...)(kernel)

static bool is_tuner(const File *f, const Node *n) {
    if (n->kind != NODE_CALL) return false;
    const Node *func = n->call.func, *alias;
    bool member = func->kind == NODE_ATTRIBUTE && node_is_name(func->attribute.value, "triton");
    Str name = member ? func->attribute.name : func->kind == NODE_NAME ? func->name : (Str){0};
    if (!str_is(name, "autotune") && !str_is(name, "heuristics")) return false;
    const Node *s = member ? NULL : module_binding(f->module, name, &alias);
    return member || (s && s->kind == NODE_IMPORT && str_is(s->import.module, "triton"));
}

// What `name` stands for, if that is a tuner which the module binds once.
static const Node *tuner_named(const File *f, const Node *n) {
    const Node *alias, *s = n->kind == NODE_NAME ? module_binding(f->module, n->name, &alias) : NULL;
    if (!s || s->kind != NODE_ASSIGN || s->assign.targets.n != 1 || !bound_once(&f->bound, n->name))
        return NULL;
    return is_tuner(f, s->assign.value) ? s->assign.value : NULL;
}

// Another kernel of the same text, with the tuner above it as a decorator.
static void define_tuned(const File *f, int before, Node *s) {
    Node *call = s->assign.value;
    const Node *tuner = is_tuner(f, call->call.func) ? call->call.func : tuner_named(f, call->call.func);
    const Node *of = call->call.args.at[0], *k = NULL;
    if (!tuner || call->call.args.n != 1 || call->call.keywords.n || of->kind != NODE_NAME ||
        !bound_once(&f->bound, of->name))
        return;
    for (int i = 0; i < before; i++) {
        const Node *n = f->module->module.body.at[i];
        if (n->kind == NODE_FUNCTION && is_jit_function(n) && str_eq(n->function.name, of->name)) k = n;
    }
    if (!k) return;
    Str name = s->assign.targets.at[0]->name;
    Nodes d = {NEWN(f->arena, Node *, (size_t)k->function.decorators.n + 1), 0};
    d.at[d.n++] = (Node *)(uintptr_t)tuner;
    for (int i = 0; i < k->function.decorators.n; i++) d.at[d.n++] = k->function.decorators.at[i];
    uint16_t height = k->height > tuner->height + 1 ? k->height : (uint16_t)(tuner->height + 1);
    *s = *k;
    s->height = height;
    s->function.name = name;
    s->function.decorators = d;
}

// A tuner that has a name: where it stands as a decorator it is written out, and nothing else asks for it.
static void spread_tuners(const File *f) {
    const Nodes *body = &f->module->module.body;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        for (int k = 0; s->kind == NODE_FUNCTION && k < s->function.decorators.n; k++) {
            const Node *tuner = tuner_named(f, s->function.decorators.at[k]);
            if (!tuner) continue;
            s->function.decorators.at[k] = (Node *)(uintptr_t)tuner;
            if (s->height < tuner->height + 1) s->height = (uint16_t)(tuner->height + 1);
        }
    }
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        if (s->kind != NODE_ASSIGN || !is_tuner(f, s->assign.value) || s->assign.targets.n != 1 ||
            s->assign.targets.at[0]->kind != NODE_NAME)
            continue;
        Mentions m = {.name = s->assign.targets.at[0]->name};
        count_mentions(&m, f->module);
        if (m.n == 1) *s = (Node){.kind = NODE_PASS, .span = s->span, .height = 1};
    }
}

void named_values_normalize(Arena *a, Node *module) {
    File f = {.arena = a, .module = module};
    Nodes *body = &module->module.body;
    bool learnt = false, tuners = false;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1 || s->assign.targets.at[0]->kind != NODE_NAME)
            continue;
        const Node *to = s->assign.targets.at[0], *from = s->assign.value;
        bool entry = node_is_name(to, "run") || node_is_name(to, "ModelNew");
        bool call = from->kind == NODE_CALL && from->call.args.n > 0,
             other = !entry && from->kind == NODE_NAME;
        bool tuner = from->kind == NODE_CALL && is_tuner(&f, from);
        tuners |= tuner;
        if ((!call && !tuner && !other && !(entry && from->kind == NODE_SUBSCRIPT))) continue;
        if (!learnt) names_of_module(&f.bound, a, module);
        learnt = true;
        if (!bound_once(&f.bound, to->name) || tuner) continue;
        if (other) {
            const Node *of = function_before(&f, i, from);
            if (of) take_alias(&f, s, of->function.name);
            continue;
        }
        if (call && !entry) define_tuned(&f, i, s);
        if (s->kind != NODE_ASSIGN) continue;
        Node *item = call ? NULL : item_of(&f, i, from);
        if (item) s->assign.value = copy_of(&f, item);
        if (!call || !is_partial(&f, from->call.func)) continue;
        const Node *of = function_before(&f, i, from->call.args.at[0]);
        if (of && fits(&f, from, of)) define_partial(&f, s, of);
    }
    if (tuners) spread_tuners(&f);
}
