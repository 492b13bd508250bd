// large_text.h - the program's own code in large pages.
#pragma once
#include <stdbool.h>

// Moves the code and the constants of this program, not of its libraries, into anonymous memory at the same
// addresses, in pages of 2 MiB where the system gives them. For a process that forks often: pages of a file
// are not handed on to a child, which has to map them again, one fault for every few. False, and nothing has
// changed, where anything stands in the way. Call it before there are threads. Profilers find no names there:
// OUROBOROS_TEXT=file in the environment leaves all as it is. Not under AddressSanitizer, to which constants
// have gaps that nobody may read.
bool large_text(void);
