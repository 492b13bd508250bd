// compile_python.h - which Python compiles, and what it needs to see. Private to measure/.
#pragma once
#include "base/str.h"

typedef struct {
    const char *program;     // absolute
    const char *versions;    // "Triton 3.6.0, ptxas 12.8.93, Python 3.11.7"
    const char *path;        // of its modules: PYTHONPATH
    const char *const *read; // files and folders, NULL-terminated
    const char *const *run;  // programs: itself and ptxas, and the loader
} CompilePython;

// Asks the program, without a sandbox and without anything of a candidate's. Named: what --python says, or
// NULL. ERR_IO where there is none, or none with Triton 3.6.
MUST_CHECK bool compile_python_find(Arena *a, const char *named, CompilePython *out, Err *e);
// The text that workers run: compile_worker.py.
const char *compile_worker_text(void);
