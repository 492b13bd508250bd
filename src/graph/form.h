// form.h - how each elementwise operation of a graph may be written in Triton: rows of form.def.
#pragma once
#include "tensor/bound.h"

typedef enum { BIND_ANY, BIND_BITS, BIND_SUM, BIND_PRODUCT, BIND_SIGNED, BIND_ATOM } Bind;
typedef struct {
    Bind bind;
    const char *text;
} Form;
const Form *form_of(BoundOp op, int choice); // choice is taken modulo the number of forms; NULL: no form
int form_count(BoundOp op);
