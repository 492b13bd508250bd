#include "corpus/phrasing.h"

#include "base/numeric/rng.h"

const char *const phrase_kind_name[PHRASE_KINDS] = {"implementation", "conversion"};

static const struct {
    PhraseKind kind;
    const char *text;
} phrases[] = {
#define PHRASE(kind, text) {PHRASE_##kind, text},
#include "corpus/phrase.def"
#undef PHRASE
};
enum { PHRASES = sizeof phrases / sizeof *phrases };

// ---- the reference

static bool is_rounding(const Op *op, Str name) {
    for (int i = 0; i < op->roundings; i++)
        if (str_eq(op->rounding[i].function, name)) return true;
    return false;
}

// What declares the domain, or how kernels may round: nothing that is computed.
static bool is_declaration(const Op *op, const Node *n) {
    static const char *const names[] = {"inputs", "outputs",   "dims",       "invariant", "roundings",
                                        "layout", "published", "allow_tf32", "giant"};
    if (n->kind == NODE_FUNCTION) return is_rounding(op, n->function.name);
    if (n->kind != NODE_ASSIGN) return n->kind == NODE_EXPRSTMT; // the docstring
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (node_is_name(n->assign.targets.at[0], names[i])) return true;
    return false;
}

static void put_reference(Buf *b, const Op *op) {
    const Nodes *body = &op->module->module.body;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (is_declaration(op, n)) continue;
        bool function = n->kind == NODE_FUNCTION;
        if (b->len && function) buf_puts(b, "\n\n");
        buf_str_put(b, str_dup(b->arena, (Str){op->source.p + n->span.at, n->span.len}));
        while (b->len && b->p[b->len - 1] == '\n') b->len--;
        buf_putc(b, '\n');
    }
}

Str reference_text(Arena *a, const Op *op) {
    Buf b = BUF(a);
    put_reference(&b, op);
    return buf_str(&b);
}

Str reference_module(Arena *a, const Op *op) {
    Buf b = BUF(a), names = BUF(a);
    for (int i = 0; i < op->inputs; i++)
        buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(op->input[i].name));
    buf_puts(&b, "import torch\n\n\n");
    Buf body = BUF(a);
    put_reference(&body, op);
    buf_str_put(&b, buf_str(&body));
    const char *given = buf_cstr(&names);
    buf_printf(
        &b, "\n\nclass Model(torch.nn.Module):\n    def forward(self, %s):\n        return reference(%s)\n",
        given, given);
    return buf_str(&b);
}

// ---- a row

// "a_norm_b" as "a norm b".
static void put_words(Buf *out, Str name) {
    for (size_t i = 0; i < name.len; i++) buf_putc(out, name.p[i] == '_' ? ' ' : name.p[i]);
}

static void put_hold(Buf *out, const Op *op, const DrawFilter *filter, Str hold) {
    if (str_is(hold, "op")) put_words(out, op->name);
    if (str_is(hold, "name")) buf_str_put(out, op->name);
    if (str_is(hold, "notes")) buf_str_put(out, op->notes);
    if (str_is(hold, "signature")) {
        buf_putc(out, '`');
        op_signature(out, op);
        buf_putc(out, '`');
    }
    if (str_is(hold, "reference")) put_reference(out, op);
    if (str_is(hold, "dtype") && filter->dtype >= 0)
        buf_printf(out, " for %s tensors", dtype_info[filter->dtype].torch);
}

static Str filled(Arena *a, const char *text, const Op *op, const DrawFilter *filter) {
    Buf b = BUF(a);
    while (*text) {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        if (end) {
            Buf part = BUF(a);
            put_hold(&part, op, filter, (Str){text + 1, (size_t)(end - text - 1)});
            buf_str_put(&b, buf_str(&part));
        } else
            buf_putc(&b, *text);
        text = end ? end + 1 : text + 1;
    }
    return buf_str(&b);
}

static const char *phrase_of(PhraseKind kind, Rng *r) {
    int n = 0;
    for (int i = 0; i < PHRASES; i++) n += phrases[i].kind == kind;
    int k = (int)rng_below(r, (uint64_t)n);
    for (int i = 0; i < PHRASES; i++)
        if (phrases[i].kind == kind && k-- == 0) return phrases[i].text;
    return phrases[0].text;
}

void phrase_row(Arena *a, const PhraseAsk *q, Str source, Phrased *out) {
    enum { PARTS = 1 << 20 };
    Rng r = rng_at(q->choice, 0);
    bool convert = (double)rng_below(&r, PARTS) < q->conversions * PARTS;
    out->kind = convert ? PHRASE_CONVERT : PHRASE_IMPLEMENT;
    out->prompt = filled(a, phrase_of(out->kind, &r), q->op, q->filter);
    Buf b = BUF(a);
    buf_puts(&b, "```python\n");
    buf_str_put(&b, source);
    if (source.len && source.p[source.len - 1] != '\n') buf_putc(&b, '\n');
    buf_puts(&b, "```\n");
    out->completion = buf_str(&b);
}
