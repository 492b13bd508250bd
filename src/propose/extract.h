// extract.h - the kernel in a model's reply. The first fenced code block, as the published harness reads it:
// ```(?:python)?\s*(.*?)``` with any character in between. Without a closed block: the text from the first of
// "@triton", "import ", "def run", "def _". A think block before it is dropped. Any bytes are allowed.
#pragma once
#include "base/str.h"

typedef enum { EXTRACT_KERNEL, EXTRACT_NONE, EXTRACT_TRUNCATED } Extraction;
// cut: the reply met its limit. *source borrows from the reply; it is empty unless there is a kernel: text
// that defines a function. TRUNCATED: cut before a block was closed.
Extraction extract_kernel(Str reply, bool cut, Str *source);
// The reply behind a leading <think>...</think>; all of it when there is none. A block whose beginning the
// prompt held counts, too. One that was never closed leaves nothing.
Str extract_answer(Str reply);
