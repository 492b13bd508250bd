// literal.h - the literals that a definition is made of. A false result has its finding; `what` begins its
// sentence.
#pragma once
#include "lang/ast.h"

enum { WORD_MAX = 31 }; // characters of an identifier

bool literal_number(DiagList *d, const Node *n, const char *what, double *out, bool *is_int); // finite
bool literal_count(DiagList *d, const Node *n, const char *what, int64_t lo, int64_t hi, int64_t *out);
bool literal_flag(DiagList *d, const Node *n, const char *what, bool *out);
bool literal_text(DiagList *d, const Node *n, const char *what, Str *out);
bool literal_pair(DiagList *d, const Node *n, const char *what, const Node *out[2]);
// With distinct plain string keys.
bool literal_dict(DiagList *d, const Node *n, const char *what, const char *example);
bool literal_is_word(Str s); // an identifier of letters, digits and underscores
