// `@pointwise_dynamic(...)` of FlagGems above a `@triton.jit` function of scalars, by its meaning: a host
// function that broadcasts its tensors, gives each output the type that torch's rules name, and runs the
// scalar function on every element. It is written as such:
//
//     @pointwise_dynamic(promotion_methods=[(0, 1, "DEFAULT")])     @triton.jit
//     @triton.jit                                                   def f_of_scalars(x, y): ...
//     def f(x, y): ...                                              @triton.jit
//                                                                   def f_over_tensors(in0_ptr, in1_ptr,
//                                                                   out0_ptr, ...): ... def f(in0, in1, /, *,
//                                                                   out0=None): ...
//
// What it calls beside is in host/candidate/pointwise_calls.c. How the library cuts the work into tiles is
// left out: it changes no value. Complex numbers do not exist here, so that what a file says of them has
// nothing to do.
#include "host/normalize/normalize.h"

enum { OPERANDS_MAX = 12, OUTPUTS_MAX = 4, STEPS = 4 };

typedef struct {
    Arena *arena;
    Node *module;
    const Names *names; // `pointwise_dynamic` as the file calls it
    DiagList *d;
    Bindings bound;
    Names made; // functions that are written here
} Writer;

typedef struct {
    Str name;
    bool tensor[OPERANDS_MAX];
    int operands, outputs;
    const Node *methods;
} Pointwise;

static bool say(const Writer *w, const Node *n, const char *what) {
    diag_clean(w->d, DIAG_UNSUPPORTED, n->span, "@pointwise_dynamic: %s", what);
    return false;
}
static bool fails(const Writer *w, const Node *n, const char *what) {
    diag_clean(w->d, DIAG_REFUSED, n->span, "@pointwise_dynamic: %s", what);
    return false;
}

// ---- what the decorator says

static bool read_count(const Node *n, int *out) {
    if (n->kind != NODE_INT || n->integer.too_big || n->integer.value < 1 || n->integer.value > OPERANDS_MAX)
        return false;
    return *out = (int)n->integer.value, true;
}

static bool is_list(const Node *n) { return n->kind == NODE_LIST || n->kind == NODE_TUPLE; }

// (0, 1, "DEFAULT")
static bool is_method_row(const Node *n, int operands) {
    static const char *const known[] = {"DEFAULT",      "NO_OPMATH",   "INT_TO_FLOAT",
                                        "BOOL_TO_LONG", "ALWAYS_BOOL", "COMPLEX_TO_FLOAT"};
    if (!is_list(n) || n->items.n < 2) return false;
    for (int i = 0; i + 1 < n->items.n; i++) {
        const Node *at = n->items.at[i];
        if (at->kind != NODE_INT || at->integer.too_big || at->integer.value >= (uint64_t)operands)
            return false;
    }
    const Node *word = n->items.at[n->items.n - 1];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (word->kind == NODE_STRING && str_is(word->string.text, known[i])) return true;
    return false;
}

typedef struct {
    const Node *is_tensor, *dtypes;
    int inputs, outputs;
} Options;

static bool read_options(const Writer *w, const Node *d, Options *o, Pointwise *p) {
    for (int i = 0; i < d->call.keywords.n; i++) {
        Str name = d->call.keywords.at[i]->keyword.name;
        const Node *v = d->call.keywords.at[i]->keyword.value;
        bool list = is_list(v) && v->items.n <= OPERANDS_MAX;
        if (str_is(name, "num_inputs") && read_count(v, &o->inputs)) continue;
        if (str_is(name, "num_outputs") && read_count(v, &o->outputs)) continue;
        if (str_is(name, "config") && v->kind == NODE_NONE) continue;
        if (!list) return say(w, v, "only options that are written down are read, and no `config`");
        if (str_is(name, "is_tensor"))
            o->is_tensor = v;
        else if (str_is(name, "dtypes"))
            o->dtypes = v;
        else if (str_is(name, "promotion_methods"))
            p->methods = v;
        else
            return say(w, v, "an option that is not known here");
    }
    return true;
}

// In the order in which the library looks at them.
static bool read_operands(const Writer *w, const Node *f, const Options *o, Pointwise *p) {
    const Node *types = o->is_tensor ? o->is_tensor : o->dtypes;
    p->operands = o->inputs ? o->inputs : types ? types->items.n : f->function.params.n;
    if (p->operands < 1 || p->operands > OPERANDS_MAX) return say(w, f, "more operands than are read here");
    if ((o->is_tensor && o->is_tensor->items.n != p->operands) ||
        (o->dtypes && o->dtypes->items.n != p->operands))
        return fails(w, f, "AssertionError: lists of different lengths");
    for (int i = 0; i < p->operands; i++) {
        const Node *says = o->is_tensor ? o->is_tensor->items.at[i] : NULL;
        if (says && says->kind != NODE_TRUE && says->kind != NODE_FALSE)
            return say(w, says, "`is_tensor` holds True and False");
        p->tensor[i] = says                      ? says->kind == NODE_TRUE
                       : o->dtypes && !o->inputs ? o->dtypes->items.at[i]->kind == NODE_NONE
                                                 : true;
    }
    return true;
}

static bool read_decorator(const Writer *w, const Node *f, const Node *d, Pointwise *p) {
    Options o = {0};
    int tensors = 0;
    *p = (Pointwise){.name = f->function.name};
    if (d->kind == NODE_CALL && d->call.args.n) return say(w, d, "its options are named");
    if (d->kind == NODE_CALL && !read_options(w, d, &o, p)) return false;
    if (!p->methods)
        return fails(w, d,
                     "ValueError: No type promotion method provided! You must provide type promotion method "
                     "for each output!");
    if (!read_operands(w, f, &o, p)) return false;
    p->outputs = p->methods->items.n;
    if (p->outputs < 1 || (o.outputs && o.outputs != p->outputs))
        return fails(w, d, "AssertionError: as many promotion methods as outputs");
    if (p->outputs > OUTPUTS_MAX) return say(w, d, "more outputs than are read here");
    for (int i = 0; i < p->operands; i++) tensors += p->tensor[i];
    if (!tensors) return say(w, d, "without a tensor among its operands");
    for (int i = 0; i < p->outputs; i++)
        if (!is_method_row(p->methods->items.at[i], p->operands))
            return say(w, p->methods->items.at[i], "a promotion method is like (0, 1, \"DEFAULT\")");
    return true;
}

// ---- the text

static void operands(Buf *b, const Pointwise *p, const char *behind) { // in0_ptr, val0
    for (int i = 0, t = 0, v = 0; i < p->operands; i++)
        buf_printf(b, p->tensor[i] ? "in%d%s, " : "val%d%.0s, ", p->tensor[i] ? t : v, behind),
            t += p->tensor[i], v += !p->tensor[i];
}
static int tensors_of(const Pointwise *p) {
    int n = 0;
    for (int i = 0; i < p->operands; i++) n += p->tensor[i];
    return n;
}
static void several(Buf *b, const char *stem, int n, const char *behind) {
    for (int i = 0; i < n; i++) buf_printf(b, "%s%d%s, ", stem, i, behind);
}

static void addresses(Buf *b, const char *stem, int n, bool flat) {
    for (int i = 0; i < n; i++) {
        if (flat)
            buf_printf(b, "        %s%d_at = %s%d_ptr + at * %s%d_d3\n", stem, i, stem, i, stem, i);
        else
            buf_printf(
                b, "        %s%d_at = %s%d_ptr + i0 * %s%d_d0 + i1 * %s%d_d1 + i2 * %s%d_d2 + i3 * %s%d_d3\n",
                stem, i, stem, i, stem, i, stem, i, stem, i, stem, i);
    }
}

static void kernel_text(Buf *b, const Pointwise *p) {
    int in = tensors_of(p);
    buf_puts(b, "@triton.jit(do_not_specialize=[");
    for (int i = 0; i < p->operands - in; i++) buf_printf(b, "\"val%d\", ", i);
    buf_printf(b, "])\ndef %.*s_over_tensors(", STR_ARG(p->name));
    operands(b, p, "_ptr");
    several(b, "out", p->outputs, "_ptr");
    buf_puts(b, "n, s1, s2, s3, ");
    for (int i = 0; i < in + p->outputs; i++)
        for (int k = 0; k < STEPS; k++)
            buf_printf(b, "%s%d_d%d, ", i < in ? "in" : "out", i < in ? i : i - in, k);
    buf_puts(b, "RANK: tl.constexpr, BLOCK: tl.constexpr):\n"
                "    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)\n"
                "    mask = at < n\n"
                "    if RANK == 1:\n");
    addresses(b, "in", in, true);
    addresses(b, "out", p->outputs, true);
    buf_puts(b, "    else:\n"
                "        i3 = at % s3\n"
                "        i2 = at // s3 % s2\n"
                "        i1 = at // s3 // s2 % s1\n"
                "        i0 = at // s3 // s2 // s1\n");
    addresses(b, "in", in, false);
    addresses(b, "out", p->outputs, false);
    for (int i = 0; i < in; i++)
        buf_printf(b, "    in%d = tl.load(in%d_at, mask=mask).to(in%d_ptr.type.element_ty)\n", i, i, i);
    buf_puts(b, "    ");
    for (int i = 0; i < p->outputs; i++) buf_printf(b, "%sout%d", i ? ", " : "", i);
    buf_printf(b, " = %.*s_of_scalars(", STR_ARG(p->name));
    operands(b, p, "");
    buf_puts(b, ")\n");
    for (int i = 0; i < p->outputs; i++) buf_printf(b, "    tl.store(out%d_at, out%d, mask=mask)\n", i, i);
}

static void tuple_of(Buf *b, const char *stem, int n) {
    buf_puts(b, "(");
    several(b, stem, n, "");
    buf_puts(b, ")");
}

static void launch_text(Buf *b, const Pointwise *p) {
    buf_puts(b, "    pointwise_plan = pointwise_steps(pointwise_size, (");
    several(b, "in", tensors_of(p), "");
    several(b, "out", p->outputs, "");
    buf_printf(b,
               "))\n"
               "    %.*s_over_tensors[(triton.cdiv(pointwise_plan[1], 512),)](",
               STR_ARG(p->name));
    operands(b, p, "");
    several(b, "out", p->outputs, "");
    buf_puts(b, "*pointwise_plan[1:], RANK=pointwise_plan[0], BLOCK=512)\n    return ");
    for (int i = 0; i < p->outputs; i++) buf_printf(b, "%sout%d", i ? ", " : "", i);
    buf_puts(b, "\n");
}

static void check_text(Buf *b, const Pointwise *p, const char *indent) {
    buf_printf(b, "%spointwise_check((", indent);
    operands(b, p, "");
    buf_puts(b, "), (");
    for (int i = 0; i < p->operands; i++) buf_puts(b, p->tensor[i] ? "True, " : "False, ");
    buf_printf(b, "))\n%spointwise_size, pointwise_like = pointwise_task(", indent);
    tuple_of(b, "in", tensors_of(p));
    buf_puts(b, ", ");
    tuple_of(b, "out", p->outputs);
    buf_puts(b, ")\n");
}

static void operand_name(Buf *b, const Pointwise *p, uint64_t which) {
    int at = 0;
    for (uint64_t i = 0; i < which; i++) at += p->tensor[i] == p->tensor[which];
    buf_printf(b, "%s%d", p->tensor[which] ? "in" : "val", at);
}

static void type_text(Buf *b, const Pointwise *p, int output) {
    const Node *row = p->methods->items.at[output];
    buf_printf(b, "pointwise_type(\"%.*s\"", STR_ARG(row->items.at[row->items.n - 1]->string.text));
    for (int i = 0; i + 1 < row->items.n; i++) {
        buf_puts(b, ", ");
        operand_name(b, p, row->items.at[i]->integer.value);
    }
    buf_puts(b, ")");
}

// Outputs are allocated like the first tensor that has the shape of all.
static void host_text(Buf *b, const Pointwise *p) {
    buf_printf(b, "def %.*s(", STR_ARG(p->name));
    operands(b, p, "");
    buf_puts(b, "/, *, ");
    several(b, "out", p->outputs, "=None");
    buf_puts(b, "):\n");
    check_text(b, p, "    ");
    for (int i = 0; i < p->outputs; i++) {
        buf_printf(b, "    if out%d is None:\n        out%d = torch.empty_like(pointwise_like, dtype=", i, i);
        type_text(b, p, i);
        buf_puts(b, ") if pointwise_like is not None else torch.empty(pointwise_size, dtype=");
        type_text(b, p, i);
        buf_puts(b, ", device=in0.device)\n");
    }
    launch_text(b, p);
}

// f.instantiate(rank): all outputs given, all of one shape and rank.
static void instance_text(Buf *b, const Pointwise *p) {
    buf_printf(b, "def %.*s_of_rank(ndim):\n    def overload(", STR_ARG(p->name));
    operands(b, p, "");
    buf_puts(b, "/, *, ");
    several(b, "out", p->outputs, "");
    buf_puts(b, "):\n        assert ");
    for (int i = 0; i < tensors_of(p); i++) buf_printf(b, "in%d.shape == ", i);
    for (int i = 0; i < p->outputs; i++) buf_printf(b, "%sout%d.shape", i ? " == " : "", i);
    buf_puts(b, ", 'operand shapes mismatch'\n        assert in0.ndim == ndim\n");
    buf_printf(b, "        return %.*s(", STR_ARG(p->name));
    operands(b, p, "");
    for (int i = 0; i < p->outputs; i++) buf_printf(b, "out%d=out%d, ", i, i);
    buf_puts(b, ")\n    return overload\n");
}

// ---- into the tree

// Names that no file can write.
static void hide_names(void *arg, const Node *n) {
    static const char *const word[] = {"type", "check", "task", "steps"};
    node_each_child(n, hide_names, arg); // a tree's height is bounded
    for (size_t i = 0; n->kind == NODE_NAME && i < sizeof word / sizeof *word; i++)
        if (str_starts(n->name, "pointwise_") && str_is((Str){n->name.p + 10, n->name.len - 10}, word[i]))
            ((Node *)(uintptr_t)n)->name = str_of(arena_printf(arg, "<pointwise_%s>", word[i]));
}

static const Node *decorator_of(const Writer *w, const Node *f) {
    for (int i = 0; f->kind == NODE_FUNCTION && i < f->function.decorators.n; i++) {
        const Node *d = f->function.decorators.at[i], *name = d->kind == NODE_CALL ? d->call.func : d;
        if (name->kind == NODE_NAME && names_have(w->names, name->name)) return d;
    }
    return NULL;
}

static bool is_free(const Writer *w, Str stem, const char *end) {
    return !names_have(&w->bound.all, str_of(arena_printf(w->arena, "%.*s_%s", STR_ARG(stem), end)));
}

static bool write_one(Writer *w, Node *f, Nodes *out) {
    Pointwise p;
    const Node *d = decorator_of(w, f);
    if (d != f->function.decorators.at[0] || f->function.decorators.n != 2)
        return say(w, d, "it stands alone above @triton.jit");
    if (!read_decorator(w, f, d, &p)) return false;
    if (!bound_once(&w->bound, p.name) || !is_free(w, p.name, "of_scalars") ||
        !is_free(w, p.name, "over_tensors") || !is_free(w, p.name, "of_rank"))
        return say(w, f, "its name, or one that begins with it, stands for something else in this file");
    Buf text = BUF(w->arena);
    kernel_text(&text, &p);
    host_text(&text, &p);
    instance_text(&text, &p);
    DiagList none = DIAGS(w->arena);
    Node *m = parse_module(w->arena, buf_str(&text), &none);
    if (!m) return say(w, f, "a name of this file does not fit into its code");
    hide_names(w->arena, m);
    for (int i = 0; i < m->module.body.n; i++) tree_place(m->module.body.at[i], (Span){f->span.at, 0});
    f->function.name = str_of(arena_printf(w->arena, "%.*s_of_scalars", STR_ARG(p.name)));
    f->function.decorators = (Nodes){f->function.decorators.at + 1, 1};
    out->at[out->n++] = f;
    for (int i = 0; i < m->module.body.n; i++) out->at[out->n++] = m->module.body.at[i];
    names_add(&w->made, p.name);
    return true;
}

// f.instantiate(...) is a call of what stands for it.
static void instances(void *arg, const Node *n) {
    const Writer *w = arg;
    node_each_child(n, instances, arg); // a tree's height is bounded
    if (n->kind != NODE_ATTRIBUTE || !str_is(n->attribute.name, "instantiate") ||
        n->attribute.value->kind != NODE_NAME || !names_have(&w->made, n->attribute.value->name))
        return;
    Str name = str_of(arena_printf(w->arena, "%.*s_of_rank", STR_ARG(n->attribute.value->name)));
    *(Node *)(uintptr_t)n = (Node){.kind = NODE_NAME, .span = n->span, .height = n->height, .name = name};
}

// f.register_complex(...): for numbers that no tensor here has.
static bool is_for_complex(const Writer *w, const Node *s) {
    if (s->kind != NODE_EXPRSTMT || s->value->kind != NODE_CALL || s->value->call.args.n) return false;
    const Node *f = s->value->call.func;
    if (f->kind != NODE_ATTRIBUTE || !str_is(f->attribute.name, "register_complex") ||
        f->attribute.value->kind != NODE_NAME || !names_have(&w->made, f->attribute.value->name))
        return false;
    for (int i = 0; i < s->value->call.keywords.n; i++) {
        const Node *v = s->value->call.keywords.at[i]->keyword.value;
        if (v->kind == NODE_ATTRIBUTE) v = v->attribute.value;
        if (v->kind != NODE_NAME && !is_written(v)) return false;
    }
    return true;
}

static bool has_import_of_tl(const Node *module) {
    const Node *alias, *s = module_binding(module, STR("tl"), &alias);
    return s && s->kind == NODE_IMPORT;
}

bool pointwise_normalize(Arena *a, Node *module, const Names *names, DiagList *d) {
    enum { PARTS = 4 }; // statements for one
    Writer w = {.arena = a, .module = module, .names = names, .d = d, .made.arena = a};
    Nodes *body = &module->module.body, out = {NEWN(a, Node *, (size_t)body->n * PARTS + 2), 0};
    names_of_module(&w.bound, a, module);
    if (!has_import_of_tl(module)) {
        DiagList none = DIAGS(a);
        Node *m = parse_module(a, STR("import triton.language as tl\n"), &none);
        if (m) tree_place(m->module.body.at[0], (Span){0, 0}), out.at[out.n++] = m->module.body.at[0];
    }
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        if (!decorator_of(&w, s))
            out.at[out.n++] = s;
        else if (!write_one(&w, s, &out))
            return false;
    }
    *body = out;
    for (int i = 0; i < body->n; i++) {
        if (is_for_complex(&w, body->at[i])) {
            body->at[i]->kind = NODE_PASS;
            body->at[i]->height = 1;
        }
        instances(&w, body->at[i]);
    }
    return true;
}
