// compile_answer.h - what a compile worker says, read as hostile; and the same thing on disk. Private to
// measure/.
#pragma once
#include "measure/compile/compile.h"

enum { ANSWER_TEXT_MAX = 1 << 16 };
typedef struct {
    int64_t id;
    bool ok, crashed;
    Cubin cubin;
    Str why; // printable
} CompileAnswer;

// How many bytes the frame at the beginning of `got` has; 0: not known yet. False: none that there can be.
MUST_CHECK bool compile_frame_bytes(Str got, size_t *bytes);
// A whole frame. False, with the reason, where it is no answer about this kernel.
MUST_CHECK bool compile_answer_read(Arena *a, Str frame, const RunKernel *k, CompileAnswer *out, Err *e);
// The request for a kernel, as a frame.
typedef struct {
    int64_t id;
    int capability, seconds; // after so many it gives up by itself
} CompileAsk;
MUST_CHECK bool compile_request(Arena *a, const RunKernel *k, CompileAsk ask, Str *out, Err *e);

// A frame without its number, for the cache; equal kernels compiled alike give equal bytes.
Str compile_frame(Arena *a, const Cubin *c);
