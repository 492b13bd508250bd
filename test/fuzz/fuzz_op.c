// Any bytes as a definition, and as what a user types to name an op: an answer, never a crash.
#include "op/op.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_definition(Arena *a, Str text) {
    Op op;
    DiagList d = DIAGS(a);
    if (!op_define(a, STR("fuzz"), text, true, &op, &d)) {
        if (!diag_first(&d) || diag_first(&d)->span.at > text.len) __builtin_trap();
        return;
    }
    Buf b = BUF(a);
    op_signature(&b, &op);
    op_domain(&b, &op);
    if (op.row_dim < 0 || op.row_dim >= op.dims || !op.reference) __builtin_trap();
}

static void as_words(Arena *a, Str text) {
    const char *typed = str_cdup(a, text);
    size_t n = strlen(typed);
    if (strchr(typed, '/') || (n >= 3 && strcmp(typed + n - 3, ".py") == 0)) return; // a path: reads files
    while (n && strchr(" \t\r\n", typed[n - 1])) n--;
    if (n >= 3 && memcmp(typed + n - 3, ".py", 3) == 0) return;
    Op op;
    Err e = {0};
    if (!op_resolve(a, typed, &op, &e) && e.code != ERR_USAGE) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena a = {0};
    Str text = {(const char *)data, size};
    as_definition(&a, text);
    as_words(&a, text);
    arena_free(&a);
    return 0;
}
