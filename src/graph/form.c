#include "graph/form.h"

static const struct {
    BoundOp op;
    Form form;
} rows[] = {
#define FORM(id, bind, text) {BOUND_##id, {BIND_##bind, text}},
#include "graph/form.def"
#undef FORM
};
enum { ROWS = sizeof rows / sizeof *rows };

int form_count(BoundOp op) {
    int n = 0;
    for (int i = 0; i < ROWS; i++) n += rows[i].op == op;
    return n;
}

const Form *form_of(BoundOp op, int choice) {
    int n = form_count(op), skip = n ? choice % n : 0;
    for (int i = 0; i < ROWS; i++)
        if (rows[i].op == op && skip-- == 0) return &rows[i].form;
    return NULL;
}
