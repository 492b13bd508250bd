// written_numbers.h - the whole numbers that a source writes down, and results of arithmetic on such: what
// sizes may be compared with, and where something may end.
#pragma once
#include "lang/ast.h"

// Calls add(arg, x) for each x from 2 to INT32_MAX, in the order of the text; some come several times.
void written_numbers(const Node *module, void (*add)(void *arg, int64_t x), void *arg);
