// rows_class.h - which rows a kernel is written for, as a word of a prompt.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Which rows a kernel is meant for. It is right for all of them.
typedef enum { ROWS_ANY, ROWS_SHORT, ROWS_LONG, ROWS_CLASSES } RowsClass;
enum { ROWS_SHORT_MOST = 1024, ROWS_LONG_LEAST = 16384 }; // columns
RowsClass rows_class(int64_t n);                          // n 0: any
extern const char *const rows_class_name[ROWS_CLASSES];   // "any", "short", "long"
// Whether kernels of that schedule, by its words (plan_words), are a good choice for such rows.
bool rows_class_suits(RowsClass c, const char *schedule);
