// define.c - reads a definition: strict about everything it understands, and says what to write instead.
// What is said of inputs is in define_inputs.c.
#include "op/definition.h"
#include "op/suite.h"
#include <math.h>

enum { SENTENCE_MAX = 300, USUAL_MAX = 1 << 20 };

// ---- outputs ----

static bool read_init(Reader *r, const Node *n, OpOutput *out) {
    Op *op = r->op;
    Str input;
    if (!literal_text(r->diags, n, "init", &input)) return false;
    int at = definition_input(op, input);
    if (at < 0) return wrong(r, n, "\"init\" must name an input");
    if (op_output_in(op, at) >= 0)
        return wrong(r, n, "\"%.*s\" is changed in place by another output already", STR_ARG(input));
    out->init = at;
    return true;
}

static bool read_output(Reader *r, const Node *key, const Node *dict) {
    Op *op = r->op;
    Str name = key->string.text;
    if (op->outputs == OP_OUTPUTS_MAX) return wrong(r, key, "more than %d outputs", OP_OUTPUTS_MAX);
    if (!literal_is_word(name))
        return wrong(r, key, "an output's name is an identifier of at most %d characters", WORD_MAX);
    if (!literal_dict(r->diags, dict, "an output", "{\"init\": \"x\"}, or {}")) return false;
    OpOutput *o = &op->output[op->outputs++];
    *o = (OpOutput){.name = name, .init = -1};
    for (int i = 0; i < dict->dict.keys.n; i++) {
        if (!str_is(dict->dict.keys.at[i]->string.text, "init"))
            return wrong(r, dict->dict.keys.at[i],
                         "an output has one key: init, the input that is changed in place; its shape and "
                         "dtype are those of what reference returns");
        if (!read_init(r, dict->dict.values.at[i], o)) return false;
    }
    int named = definition_input(op, name);
    if (named >= 0 && named != o->init)
        return wrong(r, key, "\"%.*s\" is an input: give this output another name", STR_ARG(name));
    return true;
}

static bool read_outputs(Reader *r) {
    Op *op = r->op;
    const Node *n = r->outputs;
    if (!n) {
        op->output[op->outputs++] = (OpOutput){.init = -1};
        return true;
    }
    if (!literal_dict(r->diags, n, "outputs", "outputs = {\"y\": {}, \"mean\": {}}")) return false;
    if (!n->dict.keys.n) return wrong(r, n, "outputs is empty: name what reference returns");
    for (int i = 0; i < n->dict.keys.n; i++)
        if (!read_output(r, n->dict.keys.at[i], n->dict.values.at[i])) return false;
    return true;
}

// ---- dims ----

static bool read_dim_limits(Reader *r, const Node *key, const Node *dict) {
    int at = definition_dim(r->op, key->string.text);
    if (at < 0) return wrong(r, key, "no input has this dimension");
    OpDim *d = &r->op->dim[at];
    if (d->of >= 0) return wrong(r, key, "this size follows from another; limit that one");
    if (!literal_dict(r->diags, dict, "a dimension", "{\"multiple_of\": 2, \"min\": 2}")) return false;
    for (int i = 0; i < dict->dict.keys.n; i++) {
        Str name = dict->dict.keys.at[i]->string.text;
        int64_t *field = str_is(name, "multiple_of") ? &d->multiple_of
                         : str_is(name, "min")       ? &d->min
                         : str_is(name, "max")       ? &d->max
                         : str_is(name, "usual")     ? &d->usual
                                                     : NULL;
        if (!field)
            return wrong(r, dict->dict.keys.at[i],
                         "the keys of a dimension are multiple_of, min, max and usual");
        int64_t most = field == &d->usual ? USUAL_MAX : OP_SIZE_MAX;
        if (!literal_count(r->diags, dict->dict.values.at[i], str_cdup(r->arena, name), 1, most, field))
            return false;
    }
    if (d->max / d->multiple_of * d->multiple_of < d->min)
        return wrong(r, dict, "no size satisfies these limits: no multiple of %lld between %lld and %lld",
                     (long long)d->multiple_of, (long long)d->min, (long long)d->max);
    if (d->usual && (d->usual < d->min || d->usual > d->max || d->usual % d->multiple_of))
        return wrong(r, dict, "the usual size is outside the limits beside it");
    return true;
}

// A size that is divided must divide.
static bool check_quotients(Reader *r) {
    const Op *op = r->op;
    for (int i = 0; i < op->dims; i++) {
        const OpDim *d = &op->dim[i];
        if (d->of >= 0 && op->dim[d->of].multiple_of % d->divisor)
            return wrong(r, r->dims ? r->dims : r->inputs,
                         "\"%.*s\" needs dims = {\"%.*s\": {\"multiple_of\": %d}}", STR_ARG(d->name),
                         STR_ARG(op->dim[d->of].name), d->divisor);
    }
    return true;
}

static bool read_dims(Reader *r) {
    if (!r->dims) return true;
    if (!literal_dict(r->diags, r->dims, "dims", "dims = {\"N\": {\"multiple_of\": 2}}")) return false;
    for (int i = 0; i < r->dims->dict.keys.n; i++)
        if (!read_dim_limits(r, r->dims->dict.keys.at[i], r->dims->dict.values.at[i])) return false;
    return true;
}

// ---- the domain ----

static bool read_layout(Reader *r) {
    Str text;
    LayoutAsked layout;
    if (!r->layout) return true;
    if (!literal_text(r->diags, r->layout, "layout", &text)) return false;
    if (!layout_by_name(text, &layout))
        return wrong(r, r->layout, "layout must be \"any\" or \"contiguous\"");
    r->op->domain.contiguous = layout == LAYOUT_CONTIGUOUS;
    return true;
}

// ---- roundings ----

static const Node *function_named(const Op *op, Str name) {
    const Nodes *body = &op->module->module.body;
    for (int i = 0; i < body->n; i++)
        if (body->at[i]->kind == NODE_FUNCTION && str_eq(body->at[i]->function.name, name))
            return body->at[i];
    return NULL;
}

static bool takes_the_inputs(const Op *op, const Node *f) {
    bool same = f->function.params.n == op->inputs;
    for (int i = 0; same && i < op->inputs; i++) {
        const Node *p = f->function.params.at[i];
        same = p->param.kind == PARAM_PLAIN && !p->param.def && str_eq(p->param.name, op->input[i].name);
    }
    return same;
}

static bool read_rounding(Reader *r, const Node *key, const Node *value) {
    Op *op = r->op;
    const Node *f = value->kind == NODE_NAME ? function_named(op, value->name) : NULL;
    if (op->roundings == OP_ROUNDINGS_MAX) return wrong(r, key, "more than %d roundings", OP_ROUNDINGS_MAX);
    if (!literal_is_word(key->string.text))
        return wrong(r, key, "a rounding's name is an identifier of at most %d characters", WORD_MAX);
    if (!f || f == op->reference || f->span.at > value->span.at)
        return wrong(r, value,
                     "a rounding is another function of this file, defined above: {\"gate\": rounded_gate}");
    if (!takes_the_inputs(op, f))
        return wrong(r, f, "a rounding takes the inputs in their order, as reference does");
    op->rounding[op->roundings++] = (OpRounding){key->string.text, f->function.name};
    return true;
}

static bool read_roundings(Reader *r) {
    const Node *n = r->roundings;
    if (!n) return true;
    if (!literal_dict(r->diags, n, "roundings", "roundings = {\"gate\": rounded_gate}")) return false;
    for (int i = 0; i < n->dict.keys.n; i++)
        if (!read_rounding(r, n->dict.keys.at[i], n->dict.values.at[i])) return false;
    return true;
}

// ---- invariant ----

static bool read_degree(Reader *r, const Node *n, int *out) {
    enum { DEGREE_MAX = 8 };
    double x;
    bool is_int;
    if (!literal_number(r->diags, n, "the power of a scale", &x, &is_int)) return false;
    if (!is_int || fabs(x) > DEGREE_MAX)
        return wrong(r, n, "the power of a scale is an integer from %d to %d", -DEGREE_MAX, DEGREE_MAX);
    *out = (int)x;
    return true;
}

static bool read_move(Reader *r, const Node *key, const Node *n) {
    Op *op = r->op;
    int input = definition_input(op, key->string.text);
    if (input < 0) return wrong(r, key, "invariant must name inputs");
    OpInvariant *v = &op->invariant[op->invariants++]; // keys are distinct
    *v = (OpInvariant){.input = input};
    bool pair = (n->kind == NODE_TUPLE || n->kind == NODE_LIST) && n->items.n == 2;
    const Node *word = pair ? n->items.at[0] : n;
    bool text = word->kind == NODE_STRING && !word->string.bytes;
    v->shift = text && !pair && str_is(word->string.text, "shift");
    if (!v->shift && !(text && str_is(word->string.text, "scale")))
        return wrong(r, n, "an invariance is \"shift\", \"scale\" or (\"scale\", 2)");
    if (pair && !read_degree(r, n->items.at[1], &v->degree)) return false;
    const OpInput *in = &op->input[input];
    if (!definition_is_float(in)) return wrong(r, key, "only a float input can be shifted or scaled");
    if (v->shift && in->ranged)
        return wrong(r, key, "an input with a range cannot be shifted: its values would leave it");
    return true;
}

static bool read_invariant(Reader *r) {
    const Node *n = r->invariant;
    if (!n) return true;
    if (!literal_dict(r->diags, n, "invariant", "invariant = {\"x\": \"shift\"}")) return false;
    r->op->invariant = NEWN(r->arena, OpInvariant, (size_t)n->dict.keys.n + 1);
    for (int i = 0; i < n->dict.keys.n; i++)
        if (!read_move(r, n->dict.keys.at[i], n->dict.values.at[i])) return false;
    return true;
}

// ---- the file ----

// One line: what stands before the first blank line, runs of space as one, control characters dropped.
static Str first_paragraph(Arena *a, Str s) {
    Buf b = BUF(a);
    bool gap = false;
    int newlines = 0;
    for (size_t i = 0; i < s.len && b.len < SENTENCE_MAX; i++) {
        if (char_is_space(s.p[i])) {
            newlines += s.p[i] == '\n';
            if (newlines > 1 && b.len) break;
            gap = b.len > 0;
            continue;
        }
        newlines = 0;
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f) continue;
        if (gap) buf_putc(&b, ' ');
        gap = false;
        buf_putc(&b, s.p[i]);
    }
    while (b.len && !utf8_valid(buf_str(&b))) b.len--; // the limit may have cut a character
    return buf_str(&b);
}

static bool read_docstring(Reader *r) {
    const Nodes *body = &r->op->module->module.body;
    const Node *first = body->n ? body->at[0] : NULL;
    bool text = first && first->kind == NODE_EXPRSTMT && first->value->kind == NODE_STRING &&
                !first->value->string.bytes;
    if (text) r->op->notes = first_paragraph(r->arena, first->value->string.text);
    if (r->op->notes.len) return true;
    Span start = {0, first ? first->span.len : 0};
    return diag_add(
        r->diags, DIAG_REFUSED, start,
        "a definition starts with a docstring: one plain sentence that says what the op computes");
}

static bool is_constant(const Node *n) {
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NEG) n = n->unary.operand;
    return n->kind == NODE_INT || n->kind == NODE_FLOAT || n->kind == NODE_TRUE || n->kind == NODE_FALSE;
}

static bool read_assignment(Reader *r, const Node *s) {
    const Node *target = s->assign.targets.at[0];
    if (s->assign.targets.n != 1 || target->kind != NODE_NAME)
        return wrong(r, s, "a definition holds plain assignments only: NAME = value");
    const Node **slot = node_is_name(target, "inputs")       ? &r->inputs
                        : node_is_name(target, "outputs")    ? &r->outputs
                        : node_is_name(target, "dims")       ? &r->dims
                        : node_is_name(target, "allow_tf32") ? &r->tf32
                        : node_is_name(target, "giant")      ? &r->large
                        : node_is_name(target, "invariant")  ? &r->invariant
                        : node_is_name(target, "layout")     ? &r->layout
                        : node_is_name(target, "published")  ? &r->published
                        : node_is_name(target, "roundings")  ? &r->roundings
                                                             : NULL;
    if (slot && *slot) return wrong(r, s, "%.*s is assigned twice; keep one", STR_ARG(target->name));
    if (slot) {
        *slot = s->assign.value;
        return true;
    }
    if (node_is_name(target, "reference"))
        return wrong(r, s, "reference must be a function: def reference(...):");
    if (!is_constant(s->assign.value))
        return wrong(r, s->assign.value,
                     "beside inputs, outputs, dims and invariant only numbers may be assigned here");
    return true;
}

static bool read_import(Reader *r, const Node *s) {
    Str name = s->import.from      ? s->import.module
               : s->import.names.n ? s->import.names.at[0]->alias.name
                                   : (Str){0};
    bool one = s->import.from || s->import.names.n == 1;
    if (one && !s->import.dots &&
        (str_is(name, "torch") || str_starts(name, "torch.") || str_is(name, "math")))
        return true;
    return wrong(r, s, "a definition imports only torch and math");
}

static bool read_statement(Reader *r, const Node *s) {
    switch (s->kind) {
    case NODE_ASSIGN: return read_assignment(r, s);
    case NODE_IMPORT: return read_import(r, s);
    case NODE_PASS: return true;
    case NODE_EXPRSTMT:
        if (s->value->kind == NODE_STRING) return true;
        break;
    case NODE_FUNCTION:
        if (s->function.decorators.n || s->function.async)
            return wrong(r, s, "functions of a definition are plain: no decorators, not async");
        if (!str_is(s->function.name, "reference")) return true;
        if (r->op->reference) return wrong(r, s, "reference is defined twice; keep one");
        r->op->reference = s;
        return true;
    default: break;
    }
    return wrong(r, s,
                 "a definition holds a docstring, inputs, outputs, dims, layout, published, roundings, "
                 "invariant, allow_tf32, giant, constants and functions; nothing else runs in it");
}

static bool check_reference(Reader *r) {
    const Op *op = r->op;
    const Node *f = op->reference;
    Buf want = BUF(r->arena);
    for (int i = 0; i < op->inputs; i++)
        buf_printf(&want, "%s%.*s", i ? ", " : "", STR_ARG(op->input[i].name));
    if (takes_the_inputs(op, f)) return true;
    return wrong(r, f, "reference takes the inputs in their order and nothing else: def reference(%s):",
                 buf_cstr(&want));
}

// A reference in module form is told as such: nobody who has one misses a docstring.
static bool no_module(Reader *r) {
    const Nodes *body = &r->op->module->module.body;
    const Node *model = NULL, *gets = NULL;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        if (s->kind == NODE_CLASS && (str_is(s->klass.name, "Model") || !model)) model = s;
        if (s->kind == NODE_FUNCTION && str_is(s->function.name, "get_inputs")) gets = s;
        if (s->kind == NODE_FUNCTION && str_is(s->function.name, "reference")) return true;
    }
    bool named = model && str_is(model->klass.name, "Model");
    if (!gets && !named) return true;
    if (gets && named)
        return wrong(r, model,
                     "a reference in module form (class Model, get_inputs): `ouroboros referee NEW --module "
                     "FILE` judges by it, `ouroboros ops FILE` reads it; all else takes a definition: see "
                     "doc/ops.md");
    return wrong(r, gets ? gets : model,
                 "a reference in module form has `class Model(nn.Module)` and "
                 "`get_inputs()`: %s is missing",
                 gets ? "`class Model`" : "`get_inputs()`");
}

bool op_define(Arena *a, Str name, Str source, bool user, Op *out, DiagList *d) {
    *out = (Op){.name = name, .source = source, .user = user, .rows_dim = -1, .row_dim = -1};
    Reader r = {.arena = a, .diags = d, .op = out};
    Span all = {0, 0};
    if (source.len > OP_SOURCE_MAX)
        return diag_add(d, DIAG_REFUSED, all, "a definition has at most %d bytes", OP_SOURCE_MAX);
    out->module = parse_module(a, source, d);
    if (!out->module) return false;
    out->hash = sha256_of(source);
    if (!no_module(&r) || !read_docstring(&r)) return false;
    const Nodes *body = &out->module->module.body;
    for (int i = 0; i < body->n; i++)
        if (!read_statement(&r, body->at[i])) return false;
    if (!r.inputs)
        return diag_add(
            d, DIAG_REFUSED, all,
            "no inputs: add inputs = {\"x\": {\"shape\": (\"M\", \"N\")}} and say each input's domain");
    if (!out->reference)
        return diag_add(d, DIAG_REFUSED, all, "no reference: add def reference(...) that returns one tensor");
    if (r.tf32 && !literal_flag(d, r.tf32, "allow_tf32", &out->allow_tf32)) return false;
    if (r.large && !literal_flag(d, r.large, "giant", &out->large)) return false;
    return definition_inputs(&r) && read_outputs(&r) && read_dims(&r) && read_layout(&r) &&
           definition_published(&r) && read_invariant(&r) && check_quotients(&r) && check_reference(&r) &&
           read_roundings(&r) && (out->core = op_core(out), true);
}
