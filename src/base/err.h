// err.h - one way to fail when the world is wrong (a file, a limit, the sandbox).
// A fallible function takes `Err *e` last and returns bool; true is success. The first cause is kept, callers
// prefix context on the way up, and only cmd/ turns an Err into an exit status.
// A wrong program of the user is not an Err: see lang/diag.h. A broken invariant of ours is an assert.
#pragma once
#include <stdbool.h>

typedef enum {
    ERR_NONE,
    ERR_USAGE,   // the command line: exit 2
    ERR_INPUT,   // a file or line from outside has the wrong form
    ERR_LIMIT,   // a size or a budget
    ERR_IO,      // the operating system said no
    ERR_SANDBOX, // the sandbox cannot be built: never run weaker
} ErrCode;

typedef struct {
    ErrCode code;
    char msg[512];
} Err;

#define MUST_CHECK   __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))

// Both are `false`, so that `return err_set(...)` reads well and the compiler sees that a failing path
// never uses its results.
#define err_set(e, code, ...) (err_record((e), (code), __VA_ARGS__), err_no())
#define err_ctx(e, ...)       (err_prefix((e), __VA_ARGS__), err_no())
static inline bool err_no(void) { return false; }

void err_record(Err *e, ErrCode code, const char *fmt, ...) PRINTF(3, 4);
void err_prefix(Err *e, const char *fmt, ...) PRINTF(2, 3); // "while doing": cause
