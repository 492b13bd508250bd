#include "op/op.h"

static void put_shape(Buf *out, const Op *op, const OpInput *in) {
    buf_puts(out, "[");
    for (int i = 0; i < in->rank; i++) {
        if (i) buf_puts(out, ", ");
        if (in->dim[i] >= 0)
            buf_str_put(out, op->dim[in->dim[i]].name);
        else
            buf_printf(out, "%lld", (long long)in->size[i]);
    }
    buf_puts(out, "]");
}

void op_signature(Buf *out, const Op *op) {
    buf_puts(out, "run(");
    for (int i = 0; i < op->inputs; i++) {
        buf_printf(out, "%s%.*s: Tensor", i ? ", " : "", STR_ARG(op->input[i].name));
        put_shape(out, op, &op->input[i]);
    }
    buf_puts(out, ") -> Tensor");
}

static void put_values(Buf *out, const Op *op, const OpInput *in) {
    static const char *const roles[] = {
        [ROLE_DATA] = "", [ROLE_WEIGHT] = ", a weight", [ROLE_BIAS] = ", a bias"};
    if (in->range_dim >= 0) {
        buf_printf(out, ", indices from 0 to %.*s - 1", STR_ARG(op->dim[in->range_dim].name));
        return;
    }
    if (in->ranged) {
        buf_printf(out, ", values from %g to %g%s", in->range_lo, in->range_hi,
                   in->both_signs ? ", of either sign" : "");
        return;
    }
    buf_printf(out, "%s, scales from %g to %g", roles[in->role], in->scale_lo, in->scale_hi);
    if (in->shift > 0) buf_printf(out, ", rows shifted by up to %g either way", in->shift);
    if (in->large) buf_puts(out, ", rows up to +-65504");
    if (in->neg_inf) buf_puts(out, ", -inf in some places but never in a whole row");
    if (in->keep >= 0) buf_printf(out, " and never where %.*s points", STR_ARG(op->input[in->keep].name));
}

static void put_move(Buf *out, const Op *op, const OpInvariant *v) {
    const OpInput *in = &op->input[v->input];
    bool rows = in->dim[0] >= 0 && in->dim[0] == op->rows_dim;
    buf_puts(out, v->shift ? "a number added to " : "");
    buf_printf(out, "%s%.*s%s ", rows ? "a row of " : "", STR_ARG(in->name),
               v->shift ? "" : " times a positive number");
    if (v->degree == 0)
        buf_puts(out, "changes nothing\n");
    else if (v->degree == 1)
        buf_puts(out, "multiplies the answer by it\n");
    else
        buf_printf(out, "multiplies the answer by its power of %d\n", v->degree);
}

void op_domain(Buf *out, const Op *op) {
    for (int i = 0; i < op->inputs; i++) {
        const OpInput *in = &op->input[i];
        buf_printf(out, "%.*s", STR_ARG(in->name));
        put_shape(out, op, in);
        buf_printf(out, ": %s", in->any_float ? "float16, bfloat16 or float32" : dtype_info[in->dtype].torch);
        put_values(out, op, in);
        buf_puts(out, "\n");
    }
    for (int i = 0; i < op->dims; i++) {
        const OpDim *d = &op->dim[i];
        if (d->multiple_of > 1)
            buf_printf(out, "%.*s is a multiple of %lld\n", STR_ARG(d->name), (long long)d->multiple_of);
        if (d->min > 1) buf_printf(out, "%.*s is at least %lld\n", STR_ARG(d->name), (long long)d->min);
        if (d->max < OP_SIZE_MAX)
            buf_printf(out, "%.*s is at most %lld\n", STR_ARG(d->name), (long long)d->max);
        if (d->usual) buf_printf(out, "%.*s is usually %lld\n", STR_ARG(d->name), (long long)d->usual);
    }
    if (op->domain.contiguous)
        buf_puts(out,
                 "inputs are contiguous: no gaps, but storage offsets and bases aligned to their element "
                 "only\n");
    if (op->domain.published) buf_puts(out, "values of the published domain only\n");
    for (int i = 0; i < op->inputs && op->has_published && !op->domain.published; i++) {
        Buf wide = BUF(out->arena), narrow = BUF(out->arena);
        put_values(&wide, op, &op->input[i]);
        put_values(&narrow, op, &op->published[i]);
        if (strcmp(buf_cstr(&wide), buf_cstr(&narrow)) != 0)
            buf_printf(out, "in the published domain (--domain published), %.*s: %s\n",
                       STR_ARG(op->input[i].name), buf_cstr(&narrow) + strlen(", "));
    }
    if (op->large) buf_puts(out, "tensors have more than 2^31 elements, too: addresses need 64 bits\n");
    for (int i = 0; i < op->invariants; i++) put_move(out, op, &op->invariant[i]);
}
