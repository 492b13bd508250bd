// The right answer of a case: its inputs as tensors, given to the reference of the definition.
#include "cases/domain/case.h"

#include "host/host.h"

enum { REFERENCE_STEPS = 1 << 20 }; // interpreter steps of one evaluation of a reference
// Work of one evaluation, in elements of all its operations.
static const int64_t ORACLE_ELEMENTS = (int64_t)1 << 32;

Tensor draw_input(const uint8_t *mapping, const CaseTensor *t, Storage *storage) {
    *storage = (Storage){.data = (uint8_t *)(uintptr_t)(mapping + t->at), // const in deed: read_only
                         .bytes = (size_t)t->bytes,
                         .dtype = (DType)t->dtype,
                         .read_only = true};
    Tensor x = {.storage = storage, .dtype = (DType)t->dtype, .rank = t->rank, .offset = t->offset};
    memcpy(x.shape, t->shape, sizeof x.shape);
    memcpy(x.stride, t->stride, sizeof x.stride);
    return x;
}

// Which outputs there are says the definition, once: what the reference returns has to agree.
static bool answer_fits(const Op *op, const Bound *answer, const Bound *const *in, DiagList *diags) {
    int n = 0;
    for (const Bound *b = answer; b; b = b->also) n++;
    Span at = {op->reference->span.at, 0};
    if (n != op->outputs)
        return op->output[0].name.len
                   ? diag_add(diags, DIAG_HOST, at, "reference() returned %d tensors, but outputs names %d",
                              n, op->outputs)
                   : diag_add(
                         diags, DIAG_HOST, at,
                         "reference() returned %d tensors; name them: outputs = {\"y\": {}, \"mean\": {}}",
                         n);
    const Bound *b = answer;
    for (int k = 0; k < n; k++, b = b->also) {
        const OpOutput *o = &op->output[k];
        const Bound *x = o->init >= 0 ? in[o->init] : b;
        if (x->dtype == b->dtype && x->rank == b->rank &&
            memcmp(x->shape, b->shape, sizeof *x->shape * (size_t)x->rank) == 0)
            continue;
        return diag_add(
            diags, DIAG_HOST, at,
            "output %.*s is the input %.*s, changed in place: reference() must return that input's "
            "shape and dtype for it",
            STR_ARG(o->name), STR_ARG(op->input[o->init].name));
    }
    return true;
}

const Bound *draw_reference(Arena *a, const Op *op, const uint8_t *mapping, const CaseSpec *spec,
                            const OtherBytes *other, DiagList *diags) {
    BoundCtx ctx = {.arena = a,
                    .elements_left = ORACLE_ELEMENTS,
                    .allow_tf32 = op->allow_tf32,
                    .any_order = op->any_order};
    if (op->rounded) {
        ctx.rounds = true;
        ctx.function = op->rounding[op->rounded - 1].function;
    }
    const Bound *in[OP_INPUTS_MAX];
    Storage store[OP_INPUTS_MAX];
    for (int k = 0; k < op->inputs; k++) {
        Tensor x = draw_input(mapping, &spec->input[k], &store[k]);
        if (other && k == other->input)
            store[k].data = (uint8_t *)(uintptr_t)other->data; // never written either
        in[k] = bound_input(&ctx, &x, k);
    }
    const Bound *b = host_reference(&ctx, op->module, in, op->inputs, REFERENCE_STEPS, diags);
    return b && answer_fits(op, b, in, diags) ? b : NULL;
}
