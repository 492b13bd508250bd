// tokenizer.h - byte-level BPE, as the published models use it: text to token ids and back, exactly as
// Hugging Face `tokenizers` does it. Two sources: tokenizer.json, or the arrays of a GGUF file. Both come
// from outside: bounded and validated; regular expressions run under match limits, so a hostile pattern ends
// in an error.
#pragma once
#include "base/str.h"

// Kinds of tokens, numbered as in GGUF (tokenizer.ggml.token_type).
typedef enum {
    TOKEN_NORMAL = 1,
    TOKEN_UNKNOWN,
    TOKEN_CONTROL,      // special: found in text only when `special` is asked for, left out of replies
    TOKEN_USER_DEFINED, // added: always found in text
    TOKEN_UNUSED,
    TOKEN_BYTE,
} TokenKind;

// Where a vocabulary comes from: either `json`, or the arrays. Borrowed: must outlive the tokenizer.
typedef struct {
    const char *name;  // the file, for messages
    Str json;          // tokenizer.json, whole
    const Str *tokens; // [count], byte-mapped as GGUF stores them
    const int32_t *kinds;
    int count;
    const Str *merges; // [merge_count], "a b"
    int merge_count;
    Str pre;     // tokenizer.ggml.pre, a row of pre.def
    int bos;     // -1: none
    int add_bos; // tokenizer.ggml.add_bos_token; -1: not said, then as the family of `pre` does
} TokenizerSource;

typedef struct Tokenizer Tokenizer; // immutable once open; shared by threads
MUST_CHECK bool tokenizer_open(Arena *a, const TokenizerSource *src, Tokenizer **out, Err *e);
void tokenizer_close(Tokenizer *t); // what PCRE2 holds

typedef struct {
    int32_t *id;
    int count;
} Tokens;
typedef enum {
    ENCODE_SPECIAL = 1, // control tokens in the text stand for themselves (a rendered chat template);
                        // otherwise their letters are ordinary text (what a user wrote)
    ENCODE_BEGIN = 2,   // with what the post-processor adds: a leading BOS
} EncodeFlags;
// ERR_INPUT: not UTF-8; ERR_LIMIT: longer than TOKENIZER_TEXT_MAX, or a pattern met its match limit.
enum { TOKENIZER_TEXT_MAX = 16 << 20 };
MUST_CHECK bool tokenizer_encode(const Tokenizer *t, Arena *a, Str text, unsigned flags, Tokens *out, Err *e);
int tokenizer_size(const Tokenizer *t);              // ids are in [0, size)
int tokenizer_find(const Tokenizer *t, Str content); // the id of exactly this text; -1: none
TokenKind tokenizer_kind(const Tokenizer *t, int id);
Str tokenizer_bytes(const Tokenizer *t, int id); // what the token stands for; may be part of a character

// Bytes of a growing reply as whole UTF-8 characters. Zero-initialised; one per reply.
typedef struct {
    char held[4]; // the beginning of a character
    int count;
} Detok;
// Appends what is complete now; control tokens add nothing unless `special`. Bytes that can never become
// UTF-8 turn into U+FFFD, as `tokenizers` decodes them.
void detok_push(Detok *d, const Tokenizer *t, int id, bool special, Buf *out);
void detok_end(Detok *d, Buf *out);
