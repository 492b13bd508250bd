// suite.h - what the files of op/ share: the built-in definitions, the chain grammar, and the words of both.
#pragma once
#include "op/op.h"

// The text of a chain's definition; false when `name` is no chain. Chains are
//     [add_]NORM[_EPILOGUE[_EPILOGUE[_EPILOGUE]]]        with the rows of chain.def
bool chain_source(Arena *a, Str name, Str *source);

// The rows of chain.def, for naming and searching. `words` holds phrases separated by '|'.
typedef struct {
    const char *name, *words;
} ChainPart;
int chain_norms(const ChainPart **out);
int chain_epilogues(const ChainPart **out);
const ChainPart *chain_residual(void); // the prefix: its name is "add"

// The embedded definition of an op; false when there is none. `name` without ".py".
bool suite_source(Str name, Str *source);
// "cut here | and here": the next piece, trimmed; false at the end.
bool str_piece(Str *rest, char separator, Str *piece);
Str str_trim(Str s);
// The value of a header comment "# key: value" among the first lines of a source; empty when there is none.
Str source_header(Str source, const char *key);
