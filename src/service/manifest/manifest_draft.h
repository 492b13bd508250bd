// manifest_draft.h - a first manifest for a kernel: from its signature and, where the file launches it, from
// the host code that does. What neither tells is a gap: a text that begins with "?", which is no expression.
#pragma once
#include "base/json.h"
#include "op/op.h"

typedef struct {
    Str source;
    const char *kernel; // NULL: the file's only one that no other kernel calls
    const Op *op;       // its inputs name the tensors, in order; or NULL
} DraftRequest;
// What it does not say itself: how many gaps it has, and how many launches of the kernel the file has: it is
// of the first of them.
typedef struct {
    int gaps, launches;
    int line, other; // of the first launch, and of the second
} DraftNotes;
// The manifest, which the caller releases; NULL with an error.
json_t *manifest_draft(Arena *a, const DraftRequest *q, DraftNotes *notes, Err *e);
