// compile_sandbox.h - what a compile worker is closed in with: Landlock for files (and network and signals,
// where the kernel's Landlock knows them), a filter of system calls for everything else. Everything is made
// before the fork; entering it takes a few system calls and no memory. Private to measure/.
#pragma once
#include "base/err.h"
#include "base/str.h"

typedef struct CompileSandbox CompileSandbox;
typedef struct {
    const char *const *read; // files and folders, NULL-terminated; those that do not exist are passed over
    const char *const *run;  // programs that may be started, and the loader that starts them
    const char *own;         // the worker's folder: it may write there, and start nothing
} CompileFiles;

// ERR_SANDBOX where this system has no Landlock or takes no filter.
MUST_CHECK bool compile_sandbox_make(const CompileFiles *files, CompileSandbox **out, Err *e);
void compile_sandbox_free(CompileSandbox *s);
// In the child, right before execve(); descriptors from 3 on are closed. False: the child must end.
MUST_CHECK bool compile_sandbox_enter(const CompileSandbox *s);
