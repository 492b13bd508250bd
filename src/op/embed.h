// embed.h - files of src/op/suite, src/propose/profile and test/exploit as text inside the program; made by
// tools/embed.sh.
#pragma once
#include <stddef.h>

typedef struct {
    const char *name; // relative to src/op/suite, src/propose or test; NULL ends the table
    const char *text;
    size_t len;
} EmbeddedFile;
extern const EmbeddedFile embedded_files[];
