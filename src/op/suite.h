// suite.h - what the files of op/ share: the built-in definitions, the chain grammar, and the words of both.
#pragma once
#include "op/op.h"

// A chain's name:  [add_]NORM[_EPILOGUE[_EPILOGUE[_EPILOGUE]]]  with the rows of chain.def.
typedef struct {
    bool residual;
    int norm;
    int epilogue[OP_EPILOGUES_MAX], epilogues;
} Chain;
bool chain_parse(Str name, Chain *out);
// The text of a chain's definition; false when `name` is no chain.
bool chain_source(Arena *a, Str name, Str *source);

// The rows of chain.def, for naming and searching. `words` holds phrases separated by '|'.
typedef struct {
    const char *name, *words;
} ChainPart;
int chain_norms(const ChainPart **out);
int chain_epilogues(const ChainPart **out);
const ChainPart *chain_residual(void); // the prefix: its name is "add"
void chain_bare_name(Buf *out, bool residual, int norm);

// Op.core, of a definition that has been read.
Sha256 op_core(const Op *op);
// Whether each value that `in` may have is one of `of`.
bool op_input_within(const OpInput *in, const OpInput *of);

// Self-test programs made from CHAIN_PROGRAM rows and the golds of bare norms; chain_program_count of them.
int chain_program_count(void);
void chain_programs(Arena *a, Program *out);

// Definitions with a name of their own: embedded ones, then added ones. False at the end; *at starts at 0.
typedef struct {
    Str name, source;
    bool user;
} Definition;
bool suite_next(int *at, Definition *out);
bool suite_find(Str name, Definition *out);
enum { SUITE_MAX = 512 }; // definitions and listed chains together

// "cut here | and here": the next piece, trimmed; false at the end.
bool str_piece(Str *rest, char separator, Str *piece);
Str str_trim(Str s);
// The value of a header comment "# key: value" among the first lines of a source; empty when there is none.
Str source_header(Str source, const char *key);
