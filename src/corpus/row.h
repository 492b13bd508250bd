// row.h - one line of a data set from elsewhere: hostile JSON. Three forms:
//     {"op": "NAME", "source": "..."}                           ours, as propose and eval write it, too
//     {"python_code": "...", "triton_code": "..."}              KernelBook: a PyTorch module and its kernels
//     {"prompt": ..., "completion": ...}, {"messages": [...]}   what models are tuned on; the kernel is in
//     the
//                                                               last message's first code block
// "op" may stand in any form. What a line says about verdicts, statuses and times is not read.
#pragma once
#include "base/json.h"

typedef struct {
    Str op;     // empty: none is named
    Str source; // of the kernel file
    Str module; // text in PyTorch; empty: none
    Str licence, model, smith, prompt, origin;
} Row;
// ERR_INPUT: what is wrong with the line, in words that fit on one. Texts live in `a`.
MUST_CHECK bool row_read(Arena *a, Str line, Row *out, Err *e);
