// What raises or prints; what only counts; options of launches.
#include "sandbox/unreached/harmless.h"

#include "host/policy/scope.h"
#include "host/policy/screen.h"
#include "host/python/look_up.h"
#include "sandbox/unreached/unreached_numbers.h"
#include "tile/check/check.h"

// A file of more is not looked at that closely.
enum { OPTION_NODES = 64, LOOKS_MAX = 64 };
typedef struct {
    const Node
        *node; // what gives the option its number: a conditional expression, or an assignment to a name
    bool warps;
} Option;

struct Harmless {
    Arena *arena;
    const Node *module;
    const Cover *cover;
    // Attributes and lists or dictionaries of the module that something reads whose answer may follow from
    // it, or that are more than a place for a value.
    Names read_attributes, read_state;
    Names state, functions;
    bool more, unknown; // one was found in this look; nothing is known
    Option option[OPTION_NODES];
    int options, named;
    int64_t warps; // the most that a launch has had by one of these
};

// ---- what may do anything

// Functions and methods: a call of such a name may be one of them.
static void find_functions(void *arg, const Node *n) {
    if (n->kind == NODE_FUNCTION) names_add(arg, n->function.name);
    node_each_child(n, find_functions, arg);
}

// What stands in a condition or in what is printed: sizes, texts, numbers. Not where something is launched,
// or a function of the file is called, which may do anything.
typedef struct {
    const Harmless *h;
    bool found;
} Work;
static void find_work(void *arg, const Node *n) {
    Work *w = arg;
    Str name;
    w->found |= n->kind == NODE_CALL && (!name_called(n, &name) || names_have(&w->h->functions, name));
    node_each_child(n, find_work, w);
}
bool harmless_works(const Harmless *h, const Node *n) {
    Work w = {.h = h};
    if (n) find_work(&w, n);
    return w.found;
}

// ---- what raises or prints

static bool is_quiet_call(const Harmless *h, const Node *n) {
    static const char *const all[] = {"static_assert", "device_assert", "static_print",
                                      "device_print",  "print",         "warn",
                                      "debug",         "info",          "warning"};
    Str name;
    if (n->kind != NODE_CALL || !name_called(n, &name) || harmless_works(h, n)) return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    return false;
}

bool ends_in_raise(const Nodes *body) {
    for (int i = 0; i < body->n; i++)
        if (node_returns(body->at[i])) return false;
    return body->n > 0 && body->at[body->n - 1]->kind == NODE_RAISE;
}

// A call of a function that can only raise, by a name that stands for nothing else.
static bool calls_raiser(const Harmless *h, const Node *n) {
    if (n->kind != NODE_CALL || n->call.func->kind != NODE_NAME) return false;
    const Node *f = module_function(h->module, n->call.func->name);
    if (!f || f->function.body.n == 0 || f->function.body.at[0]->kind != NODE_RAISE) return false;
    Bindings names = {0};
    names_of_module(&names, h->arena, h->module);
    return bound_once(&names, n->call.func->name);
}

// ---- what only counts
//
// `self.calls` and `_calls[0]` where all that reads them is what changes them, and conditions under which
// nothing else stands. Objects of all classes are taken together, by the name of the attribute.

// Numbers, texts and arithmetic: evaluating them calls nothing, not even a property, and extends no list that
// others may hold.
static bool is_plain(const Harmless *h, const Node *n) {
    switch (n->kind) {
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_STRING:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE: return true;
    case NODE_NAME: return true;
    case NODE_ATTRIBUTE:
        return is_plain(h, n->attribute.value) && !names_have(&h->functions, n->attribute.name);
    case NODE_SUBSCRIPT: return is_plain(h, n->subscript.value) && is_plain(h, n->subscript.index);
    case NODE_UNARY: return is_plain(h, n->unary.operand);
    case NODE_BINARY:
        return is_plain(h, n->binary.left) && is_plain(h, n->binary.right) &&
               (!n->binary.grows || n->binary.right->kind == NODE_INT);
    case NODE_COMPARE:
        for (int i = 0; i < n->compare.rest.n; i++)
            if (!is_plain(h, n->compare.rest.at[i])) return false;
        return is_plain(h, n->compare.left);
    case NODE_BOOLOP:
        for (int i = 0; i < n->boolop.items.n; i++)
            if (!is_plain(h, n->boolop.items.at[i])) return false;
        return true;
    case NODE_IFEXP:
        return is_plain(h, n->ifexp.cond) && is_plain(h, n->ifexp.then) && is_plain(h, n->ifexp.otherwise);
    default: return false;
    }
}

static bool is_cell(const Harmless *h, const Node *n) {
    if (h->unknown) return false;
    if (n->kind == NODE_ATTRIBUTE)
        return n->attribute.value->kind == NODE_NAME && !names_have(&h->read_attributes, n->attribute.name);
    return n->kind == NODE_SUBSCRIPT && n->subscript.value->kind == NODE_NAME &&
           names_have(&h->state, n->subscript.value->name) &&
           !names_have(&h->read_state, n->subscript.value->name) && is_plain(h, n->subscript.index);
}

bool harmless_change(const Harmless *h, const Node *n) {
    const Node *value = NULL, *one = NULL;
    Nodes targets = {(Node **)&one, 1};
    if (n->kind == NODE_PASS) return true;
    if (n->kind == NODE_ASSIGN) targets = n->assign.targets, value = n->assign.value;
    if (n->kind == NODE_ANNASSIGN) one = n->annassign.target, value = n->annassign.value;
    if (n->kind == NODE_AUGASSIGN) one = n->augassign.target, value = n->augassign.value;
    if (!value || !is_plain(h, value)) return false;
    for (int i = 0; i < targets.n; i++)
        if (!is_cell(h, targets.at[i])) return false;
    return true;
}

static bool only_changes(const Harmless *h, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (!harmless_change(h, n) && !(n->kind == NODE_IF && harmless_branch(h, n))) return false;
    }
    return true;
}

bool harmless_branch(const Harmless *h, const Node *branch) {
    return is_plain(h, branch->branch.cond) && only_changes(h, &branch->branch.then) &&
           only_changes(h, &branch->branch.otherwise);
}

static void note_read(Harmless *h, Names *names, Str name) {
    h->more |= !names_have(names, name);
    names_add(names, name);
}

static void reads(void *arg, const Node *n);

// What stands on the left of an assignment is read but for its last part.
static void target_reads(Harmless *h, const Node *n) {
    if (n->kind == NODE_ATTRIBUTE)
        reads(h, n->attribute.value);
    else if (n->kind == NODE_SUBSCRIPT && n->subscript.value->kind == NODE_NAME &&
             names_have(&h->state, n->subscript.value->name))
        reads(h, n->subscript.index);
    else if (n->kind != NODE_NAME)
        reads(h, n);
}

// All that is read where it can matter.
static void reads(void *arg, const Node *n) {
    Harmless *h = arg;
    if (harmless_change(h, n)) return;
    if (n->kind == NODE_IF && harmless_branch(h, n)) return;
    if (n->kind == NODE_NAME && names_have(&h->state, n->name)) note_read(h, &h->read_state, n->name);
    if (n->kind == NODE_ATTRIBUTE) note_read(h, &h->read_attributes, n->attribute.name);
    if (n->kind == NODE_CLASS)
        for (int i = 0; i < n->klass.body.n; i++)
            if (n->klass.body.at[i]->kind == NODE_FUNCTION) // a method, or a property
                note_read(h, &h->read_attributes, n->klass.body.at[i]->function.name);
    if (n->kind == NODE_ASSIGN) {
        for (int i = 0; i < n->assign.targets.n; i++) target_reads(h, n->assign.targets.at[i]);
        return reads(h, n->assign.value);
    }
    if (n->kind == NODE_ANNASSIGN) {
        target_reads(h, n->annassign.target);
        if (n->annassign.value) reads(h, n->annassign.value);
        return;
    }
    node_each_child(n, reads, h); // a tree's height is bounded
}

// ---- what only takes away
//
// for k in list(self.cache): del self.cache[k]. Without a turn there is nothing in it to take out.

// `list(cache.items())[:2]` as what is gone through, by its dotted name.
static bool gone_through(const Node *n, Buf *out) {
    if (n->kind == NODE_SUBSCRIPT) {
        const Node *s = n->subscript.index;
        if (s->kind != NODE_SLICE || s->slice.lo || s->slice.step || !s->slice.hi ||
            s->slice.hi->kind != NODE_INT || s->slice.hi->integer.value < 1)
            return false;
        n = n->subscript.value;
    }
    if (n->kind == NODE_CALL && n->call.args.n == 1 && !n->call.keywords.n &&
        (node_is_name(n->call.func, "list") || node_is_name(n->call.func, "tuple") ||
         node_is_name(n->call.func, "sorted")))
        n = n->call.args.at[0];
    const Node *f = n->kind == NODE_CALL ? n->call.func : n;
    if (n->kind == NODE_CALL && f->kind == NODE_ATTRIBUTE && !n->call.args.n && !n->call.keywords.n &&
        (str_is(f->attribute.name, "keys") || str_is(f->attribute.name, "items") ||
         str_is(f->attribute.name, "values")))
        n = f->attribute.value;
    return node_dotted(n, out);
}

static bool is_called(Arena *a, const Node *n, Str name) {
    Buf text = BUF(a);
    return node_dotted(n, &text) && str_eq(buf_str(&text), name);
}

static bool only_takes(const Harmless *h, const Nodes *body, Str from) {
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        const Node *call = n->kind == NODE_EXPRSTMT && n->value->kind == NODE_CALL ? n->value : NULL;
        bool ok = n->kind == NODE_PASS;
        if (n->kind == NODE_IF)
            ok = is_plain(h, n->branch.cond) && only_takes(h, &n->branch.then, from) &&
                 only_takes(h, &n->branch.otherwise, from);
        if (n->kind == NODE_DELETE && n->items.n == 1 && n->items.at[0]->kind == NODE_SUBSCRIPT)
            ok = is_called(h->arena, n->items.at[0]->subscript.value, from) &&
                 is_plain(h, n->items.at[0]->subscript.index);
        if (call && call->call.func->kind == NODE_ATTRIBUTE && str_is(call->call.func->attribute.name, "pop"))
            ok = is_called(h->arena, call->call.func->attribute.value, from) && call->call.args.n > 0 &&
                 is_plain(h, call->call.args.at[0]) && !harmless_works(h, call->call.args.at[0]);
        if (!ok) return false;
    }
    return true;
}

bool harmless_taking(const Harmless *h, const Node *loop) {
    Buf of = BUF(h->arena);
    return loop->kind == NODE_FOR && !loop->loop.otherwise.n && gone_through(loop->loop.iter, &of) &&
           only_takes(h, &loop->loop.body, buf_str(&of));
}

// ---- options of launches
//
// kernel[grid](..., num_warps=4 if n < 100 else 8): of a kernel under @triton.jit alone nobody else sees it,
// and no value follows from it. Fewer threads than any case had are another matter: with more lanes for each,
// a load may meet what another thread of the program stores (tile/vm/layout.c).

// T.get(n, 4), T[n]: of a table that is found when it has been looked into.
static bool is_look_up(const Node *n) {
    Str name;
    if (n->kind == NODE_SUBSCRIPT) return n->subscript.index->kind != NODE_SLICE;
    return n->kind == NODE_CALL && n->call.func->kind == NODE_ATTRIBUTE && name_called(n, &name) &&
           str_is(name, "get") && n->call.args.n > 0;
}

static bool is_option_number(const Node *n) {
    if (is_look_up(n)) return true;
    if (n->kind == NODE_IFEXP) return is_option_number(n->ifexp.then) && is_option_number(n->ifexp.otherwise);
    return n->kind == NODE_INT && !n->integer.too_big && n->integer.value <= 64;
}

static void option_add(Harmless *h, const Node *n, bool warps) {
    if (n->kind != NODE_IFEXP && n->kind != NODE_ASSIGN && !is_look_up(n)) return;
    if (h->options < OPTION_NODES) h->option[h->options++] = (Option){n, warps};
    if (n->kind == NODE_ASSIGN) return option_add(h, n->assign.value, warps);
    if (n->kind != NODE_IFEXP) return;
    option_add(h, n->ifexp.then, warps);
    option_add(h, n->ifexp.otherwise, warps);
}

// kernel[grid](...) of a kernel of the file's own, which has no such parameter and nothing above it but
// @triton.jit.
static bool is_plain_launch(const Harmless *h, const Node *n) {
    const Node *f = n->kind == NODE_CALL ? n->call.func : n;
    if (f->kind != NODE_SUBSCRIPT || f->subscript.value->kind != NODE_NAME) return false;
    const Node *k = module_function(h->module, f->subscript.value->name);
    if (!k || !is_jit_function(k) || k->function.decorators.n != 1) return false;
    for (int i = 0; i < k->function.params.n; i++)
        if (str_starts(k->function.params.at[i]->param.name, "num_")) return false;
    return true;
}

// One name of a function, and where it stands there.
typedef struct {
    Harmless *h;
    const Node *function;
    Str name;
    int uses, options; // all places of it, and those where it is an option or gets a number
    bool warps, add;
} Named;

static bool option_of(const Node *keyword, bool *warps) {
    *warps = str_is(keyword->keyword.name, "num_warps");
    return *warps || str_is(keyword->keyword.name, "num_stages");
}

static void find_named(void *arg, const Node *n) {
    Named *m = arg;
    bool warps;
    m->uses += n->kind == NODE_NAME && str_eq(n->name, m->name);
    m->uses += n->kind == NODE_PARAM && str_eq(n->param.name, m->name);
    m->uses += n->kind == NODE_WALRUS && str_eq(n->walrus.name, m->name);
    m->uses += n->kind == NODE_GLOBAL;
    for (int i = 0; n->kind == NODE_CALL && is_plain_launch(m->h, n) && i < n->call.keywords.n; i++) {
        const Node *k = n->call.keywords.at[i];
        if (!option_of(k, &warps) || k->keyword.value->kind != NODE_NAME ||
            !str_eq(k->keyword.value->name, m->name))
            continue;
        m->options++;
        m->warps |= warps;
    }
    if (n->kind == NODE_ASSIGN && n->assign.targets.n == 1 && n->assign.targets.at[0]->kind == NODE_NAME &&
        str_eq(n->assign.targets.at[0]->name, m->name) && is_option_number(n->assign.value)) {
        m->options++;
        if (m->add) option_add(m->h, n, m->warps);
    }
    node_each_child(n, find_named, m);
}

static void find_options(void *arg, const Node *n) {
    Named *in = arg;
    Named f = *in;
    bool warps;
    if (n->kind == NODE_FUNCTION) f.function = n;
    for (int i = 0; n->kind == NODE_CALL && is_plain_launch(f.h, n) && i < n->call.keywords.n; i++) {
        const Node *k = n->call.keywords.at[i], *value = k->keyword.value;
        if (!option_of(k, &warps)) continue;
        if (is_option_number(value)) option_add(f.h, value, warps);
        if (value->kind != NODE_NAME || !f.function || ++f.h->named > OPTION_NODES) continue;
        Named m = {.h = f.h, .function = f.function, .name = value->name};
        node_each_child(f.function, find_named, &m);
        if (m.uses != m.options) continue;
        m.add = true;
        node_each_child(f.function, find_named, &m);
    }
    node_each_child(n, find_options, &f);
}

static const Node *entry_value(const Node *table, int i) {
    return table->kind == NODE_DICT ? table->dict.values.at[i] : table->items.at[i];
}

static void find_most(Harmless *h, const Node *n, bool ran);
static void find_most_looked_up(Harmless *h, const Node *n) {
    const Cover *c = h->cover;
    for (int i = 0; i < c->look_ups; i++) {
        const Node *table = c->look_up[i].made;
        const Nodes *entries = table_entries(table);
        for (int k = 0; k < entries->n && c->look_up[i].at == look_up_place(n->span); k++)
            find_most(h, entry_value(table, k),
                      cover_truth_of(c, look_up_entry(entries->at[k])) & COVER_TRUE);
    }
    if (n->kind == NODE_CALL && n->call.args.n > 1) find_most(h, n->call.args.at[1], true);
}

// The most warps that a number has given which ran.
static void find_most(Harmless *h, const Node *n, bool ran) {
    if (n->kind == NODE_INT && ran && (int64_t)n->integer.value > h->warps)
        h->warps = (int64_t)n->integer.value;
    if (n->kind == NODE_ASSIGN) find_most(h, n->assign.value, cover_ran(h->cover, n, false));
    if (is_look_up(n)) find_most_looked_up(h, n);
    if (n->kind != NODE_IFEXP) return;
    find_most(h, n->ifexp.then, part_ran(h->cover, false, n, n->ifexp.then));
    find_most(h, n->ifexp.otherwise, part_ran(h->cover, false, n, n->ifexp.otherwise));
}

static bool is_small_change(const Harmless *h, const Option *o, const Node *n) {
    if (n->kind == NODE_IFEXP)
        return is_small_change(h, o, n->ifexp.then) && is_small_change(h, o, n->ifexp.otherwise);
    return n->kind == NODE_INT && (!o->warps || (int64_t)n->integer.value >= h->warps);
}

static const Option *option_at(const Harmless *h, const Node *n) {
    for (int i = 0; i < h->options; i++)
        if (h->option[i].node == n) return &h->option[i];
    return NULL;
}

bool harmless_entry(const Harmless *h, const Node *look_up, const Node *table, int i) {
    const Option *o = option_at(h, look_up);
    return o && is_small_change(h, o, entry_value(table, i));
}

bool harmless_arm(const Harmless *h, const Node *ifexp, const Node *arm) {
    const Option *o = option_at(h, ifexp);
    return o && is_small_change(h, o, arm);
}

// ----

bool harmless_statement(const Harmless *h, const Node *n) {
    if (n->kind == NODE_RAISE) return true;
    if (n->kind == NODE_ASSERT) return !harmless_works(h, n);
    if (n->kind == NODE_ASSIGN) {
        const Option *o = cover_ran(h->cover, n, false) ? NULL : option_at(h, n);
        if (o && is_small_change(h, o, n->assign.value)) return true;
    }
    return harmless_change(h, n) ||
           (n->kind == NODE_EXPRSTMT && (is_quiet_call(h, n->value) || calls_raiser(h, n->value)));
}

Harmless *harmless_new(Arena *a, const Node *module, const Cover *cover) {
    Harmless *h = NEW(a, Harmless);
    *h = (Harmless){.arena = a, .module = module, .cover = cover};
    h->read_attributes.arena = h->read_state.arena = h->state.arena = a;
    names_of_state(&h->state, module);
    h->functions.arena = a;
    find_functions(&h->functions, module);
    h->more = true;
    for (int look = 0; h->more; look++) {
        h->more = false;
        node_each_child(module, reads, h);
        h->unknown |= look == LOOKS_MAX;
    }
    node_each_child(module, find_options, &(Named){.h = h});
    for (int i = 0; i < h->options; i++)
        if (h->option[i].warps) find_most(h, h->option[i].node, false);
    return h;
}
