// text.h - how floats and strings are spelled, for the printer, Python values and people's terminals.
#pragma once
#include "base/str.h"

// Shortest decimal that reads back as the same bits, in the form of Python's repr: "1e-05", "0.1", "1e+16",
// "inf".
void float_repr(Buf *out, double v);

typedef enum { BRACES_PLAIN, BRACES_DOUBLED, BRACES_ESCAPED } BraceStyle;
typedef struct {
    char quote;        // that will stand around the text
    bool triple;       // three of them: line ends stand as they are
    bool bytes;        // \xNN beyond ASCII; otherwise the text is valid UTF-8
    BraceStyle braces; // in the text of an f-string, or in its format specifications
} StringStyle;
void string_body(Buf *out, Str s, StringStyle style); // without the quotes
bool char_printable(uint32_t code); // neither a control character nor one that reorders or hides text
// Text that quotes what came from outside, for a terminal: line ends stand, everything else that is not
// printable UTF-8 is escaped ("\x1b"). Lives in `a`, or is `text` itself.
const char *text_escaped(Arena *a, const char *text);
// One line break at p, in bytes: 2 for "\r\n", 1 for "\n" or "\r", 0 for none.
int line_break(const char *p, const char *end);
