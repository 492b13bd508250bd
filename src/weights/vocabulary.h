// vocabulary.h - the tokenizer of a model folder as the arrays that GGUF has for it.
#pragma once
#include "text/tokenizer.h"

// size: rows of the embedding; ids without a token become [PAD<i>] of kind TOKEN_UNUSED. ERR_INPUT: a
// tokenizer whose way of splitting text has no name in GGUF.
MUST_CHECK bool vocabulary_arrays(Arena *a, const TokenizerSource *json, int size, TokenizerSource *out,
                                  Err *e);
// The name that GGUF has for the way it splits text: "qwen2".
MUST_CHECK bool vocabulary_split(Arena *a, const TokenizerSource *src, Str *out, Err *e);
