// torch_process.h - a Python with PyTorch, in a process of its own that runs a script of ours and answers a
// line of JSON with a line of JSON. It gets a folder of its own and may write nowhere else (write_fence.h):
// it does not start where that is impossible. It has no network where the system lets us take it away, and is
// killed with all it has started when it is late.
#pragma once
#include "base/err.h"
#include "base/str.h"

// BASELINE: the definition's reference and nothing else. USER_CALLS: a candidate's kernels beside it.
// RECORDED_CALL is a part of it. Each may use those before it.
typedef enum { TORCH_BASELINE, TORCH_RECORDED_CALL, TORCH_USER_CALLS } TorchScript;
Str torch_script_text(TorchScript s);

typedef struct TorchProcess TorchProcess;
// `python` NULL: $OUROBOROS_PYTHON, else python3. Starts when it is first asked.
TorchProcess *torch_process_open(const char *python, TorchScript script);
void torch_process_close(TorchProcess *p); // NULL is allowed
// "torch 2.11.0, triton 3.6.0, Python 3.12.3", as that Python's packages say, asked once; empty: they do not.
const char *torch_process_versions(TorchProcess *p);
// `request` ends with a newline. False: no Python with PyTorch and a GPU, or no answer in time; the next call
// starts another process.
MUST_CHECK bool torch_process_ask(Arena *a, TorchProcess *p, Str request, Str *answer, Err *e);
// A copy of a file in its folder, where it may read it: Landlock closes /proc to it. The path lives as long
// as the process; the next copy takes its place.
MUST_CHECK bool torch_process_give(TorchProcess *p, int file, const char **path, Err *e);
void torch_process_end(TorchProcess *p); // the next call starts another one
