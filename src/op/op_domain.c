// The domain that an op is judged on: as its definition says, or as a caller asks.
#include "op/suite.h"

bool layout_by_name(Str name, LayoutAsked *out) {
    if (str_is(name, "any")) return *out = LAYOUT_ANY, true;
    if (str_is(name, "contiguous")) return *out = LAYOUT_CONTIGUOUS, true;
    return false;
}

const char *op_layout(const Op *op) { return op->domain.contiguous ? "contiguous" : "any"; }

bool op_input_within(const OpInput *in, const OpInput *of) {
    if (in->ranged != of->ranged || in->range_dim != of->range_dim) return false;
    if (in->ranged)
        return in->range_lo >= of->range_lo && in->range_hi <= of->range_hi &&
               in->both_signs <= of->both_signs;
    return in->scale_lo >= of->scale_lo && in->scale_hi <= of->scale_hi && in->shift <= of->shift &&
           in->large <= of->large && in->neg_inf <= of->neg_inf;
}

static bool is_core(const Op *op, const Node *n) {
    const Node *target = n->kind == NODE_ASSIGN ? n->assign.targets.at[0] : NULL;
    if (target && (node_is_name(target, "roundings") || node_is_name(target, "published"))) return false;
    for (int i = 0; n->kind == NODE_FUNCTION && i < op->roundings; i++)
        if (str_eq(op->rounding[i].function, n->function.name)) return false;
    return true;
}

Sha256 op_core(const Op *op) {
    Arena a = {0};
    Buf b = BUF(&a);
    const Nodes *body = &op->module->module.body;
    size_t at = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (is_core(op, n)) continue;
        buf_put(&b, op->source.p + at, n->span.at - at);
        at = n->span.at + n->span.len;
        at += at < op->source.len && op->source.p[at] == '\n';
    }
    bool whole = at == 0;
    buf_put(&b, op->source.p + at, op->source.len - at);
    while (!whole && b.len > 1 && b.p[b.len - 1] == '\n' && b.p[b.len - 2] == '\n') b.len--;
    Sha256 hash = sha256_of(buf_str(&b));
    arena_free(&a);
    return hash;
}

// The definition's own text keeps its hash: what is kept by it stays where it is.
static Sha256 in_domain(const Op *op, Sha256 hash) {
    Arena a = {0};
    Buf b = BUF(&a);
    char text[65];
    sha256_hex(hash, text);
    buf_printf(&b, "%s layout %s values %s", text, op_layout(op), op->domain.published ? "published" : "all");
    hash = sha256_of(buf_str(&b));
    arena_free(&a);
    return hash;
}

bool op_in_domain(Op *op, const DomainAsked *asked, Err *e) {
    OpDomain was = op->domain;
    if (asked->shapes)
        return err_set(e, ERR_INPUT, "%.*s: published shapes belong to modules", STR_ARG(op->name));
    if (asked->ragged)
        return err_set(e, ERR_INPUT, "%.*s: ragged sizes belong to modules", STR_ARG(op->name));
    if (asked->library)
        return err_set(e, ERR_INPUT, "%.*s: library calls belong to modules", STR_ARG(op->name));
    if (asked->tf32)
        return err_set(e, ERR_INPUT, "%.*s: TF32 belongs to modules; an op says allow_tf32 in its definition",
                       STR_ARG(op->name));
    if (asked->layout != LAYOUT_DECLARED) op->domain.contiguous = asked->layout == LAYOUT_CONTIGUOUS;
    if (asked->published && !op->has_published)
        return err_set(e, ERR_INPUT, "%.*s: its definition declares no published domain", STR_ARG(op->name));
    if (asked->published && !was.published) {
        op->input = op->published;
        op->domain.published = true;
    }
    if (op->domain.contiguous != was.contiguous || op->domain.published != was.published) {
        op->hash = in_domain(op, op->hash);
        op->core = in_domain(op, op->core);
    }
    return true;
}
