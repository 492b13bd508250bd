// Any bytes either give one syntax error with a place inside the source, or a tree that survives printing:
// reading the print gives an equal tree, whose canonical text is the same. Half of the work happens in a
// fixed arena, as in the child that runs a candidate.
#include <stdlib.h>

#include "lang/ast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok) {
    if (!ok) abort();
}

static void check_error(Arena *a, Str source, const DiagList *d) {
    must(d->count == 1 && d->at[0].kind == DIAG_SYNTAX && d->at[0].msg[0]);
    must(d->at[0].span.at <= source.len && d->at[0].span.len <= source.len - d->at[0].span.at);
    Buf shown = BUF(a);
    diag_render(&shown, "fuzz", source, &d->at[0]);
    must(shown.len < 2000);
}

static void check_tree(Arena *a, const Node *n) {
    Buf text = BUF(a), canon = BUF(a), canon_again = BUF(a);
    print_module(&text, n);
    DiagList d = DIAGS(a);
    const Node *again = parse_module(a, buf_str(&text), &d);
    // A print may be longer than its source (indentation, escapes), beyond the limit of size and nothing
    // else.
    if (!again && (text.len > SOURCE_MAX || strstr(d.at[0].msg, "tokens"))) return;
    must(again && node_equal(n, again));
    print_canonical(&canon, n);
    print_canonical(&canon_again, again);
    must(str_eq(buf_str(&canon), buf_str(&canon_again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { FIXED = 64 << 20 };
    static void *memory;
    if (!memory) must((memory = malloc(FIXED)) != NULL);
    Arena a = {0};
    if (size % 2) arena_over(&a, memory, FIXED);
    Str source = {(const char *)data, size};
    DiagList d = DIAGS(&a);
    const Node *n = parse_module(&a, source, &d);
    if (n)
        check_tree(&a, n);
    else
        check_error(&a, source, &d);
    arena_free(&a);
    return 0;
}
