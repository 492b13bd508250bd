// syscall_filter.h - the door that closes behind the child. syscall.def is the whole list of what stays
// possible.
#pragma once
#include "base/err.h"

// The one descriptor that a child keeps has always this number, so that the filter can name it.
enum { SANDBOX_FD = 3 };

// Prepared once in the fork server (needs memory), entered in each child (needs none).
typedef struct Sandbox Sandbox;
MUST_CHECK bool sandbox_prepare(Sandbox **out, Err *e);
void sandbox_free(Sandbox *s);
// Resource limits, no new privileges, not dumpable, signals back to their defaults, `keep` moved to
// SANDBOX_FD and every other descriptor closed, then the filter. After a true return every system call
// outside the table kills the process. After a false one the process must end: its descriptors may be gone.
MUST_CHECK bool sandbox_enter(const Sandbox *s, int keep, Err *e);
// Forks a child that enters, writes a byte and then tries a forbidden call: ERR_SANDBOX unless the byte
// arrives and SIGSYS ends the child. Only for a process without threads.
MUST_CHECK bool sandbox_probe(const Sandbox *s, Err *e);
int sandbox_table_rows(void);
bool sandbox_allows(long syscall_number); // in this build
