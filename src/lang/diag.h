// diag.h - what is wrong with the user's program: a list of findings with places, never a failure of ours.
// Parser, checker, VM and host all report here; the referee maps the kind to a status. The first finding that
// is not a warning or a note decides. Messages are plain ASCII text without a trailing newline.
#pragma once
#include "base/str.h"

// A range of bytes of the source.
typedef struct {
    uint32_t at, len;
} Span;

typedef enum {
#define DIAG(id, doc) DIAG_##id,
#include "lang/diag.def"
#undef DIAG
    DIAG_COUNT
} DiagKind;

typedef struct {
    DiagKind kind;
    Span span;
    const char *msg;
} Diag;

typedef struct {
    Arena *arena; // messages live here
    Diag at[16];  // later findings are dropped
    int count;
} DiagList;

#define DIAGS(a) ((DiagList){.arena = (a)})
// Always false, so that `return diag_add(...)` reads well.
#define diag_add(d, kind, span, ...) (diag_record((d), (kind), (span), __VA_ARGS__), err_no())
void diag_record(DiagList *d, DiagKind kind, Span span, const char *fmt, ...) PRINTF(4, 5);
const Diag *diag_first(const DiagList *d); // the first that rejects; NULL if none
const char *diag_name(DiagKind k);

// 1-based line and column (in characters, not bytes) of a place.
typedef struct {
    int line, col;
} LineCol;
LineCol line_col(Str source, uint32_t at);
Str source_line(Str source, int line); // without its newline
// "file:3:14: msg", the source line, and a caret under the span.
void diag_render(Buf *out, const char *file, Str source, const Diag *d);
