// vocab.h - the inside of a tokenizer, shared by the files of this folder. A source (tokenizer_json.c,
// tokenizer_gguf.c) writes a VocabSpec; vocab_build() checks it and makes the tables that encoding reads.
#pragma once
#include "text/pretokenizer.h"
#include "text/tokenizer.h"

enum {
    VOCAB_MAX = 1 << 22,       // ids
    VOCAB_TOKEN_MAX = 1 << 15, // bytes of one token
    ADDED_MAX = 1 << 16,       // added tokens
    ADDED_BYTES_MAX = 1024,    // of one of them
    SPLITS_MAX = 8,
    BEGIN_MAX = 16, // tokens that the post-processor puts first
};

typedef struct {
    Str content; // as it stands in text
    int32_t id;
    bool special;    // not matched when special tokens are off
    bool normalized; // looked for behind the normaliser
    bool lstrip, rstrip;
} AddedToken;

typedef struct {
    Str left, right; // byte-mapped
} MergeSpec;

// Borrowed by vocab_build() until it returns.
typedef struct {
    const char *name;
    Str *token;    // [size] of the model, byte-mapped; p == NULL: the model has none with this id
    uint8_t *kind; // [size], TokenKind
    int size;      // of token and kind; added tokens may lie beyond
    MergeSpec *merge;
    int merges;
    AddedToken *added;
    int added_count;
    Str split[SPLITS_MAX];
    int splits;
    bool nfc, ignore_merges;
    bool needs_bytes; // a token for each of the 256, or it is refused
    int32_t begin[BEGIN_MAX];
    int begin_count;
} VocabSpec;
MUST_CHECK bool vocab_from_json(Arena *a, const TokenizerSource *src, VocabSpec *out, void **json, Err *e);
void vocab_json_free(void *json); // what the spec borrows from
MUST_CHECK bool vocab_from_arrays(Arena *a, const TokenizerSource *src, VocabSpec *out, Err *e);

// Bytes to ids: open addressing, a power of two of slots, at most half of them used.
typedef struct {
    int32_t *slot; // id, -1: free
    size_t mask;
} IdTable;

// A pair of neighbours that merges, its rank and what becomes of it.
typedef struct {
    uint64_t pair; // left << 32 | right; PAIR_FREE: no entry
    uint32_t rank; // its place in the list: lower goes first
    int32_t id;
} Merge;
#define PAIR_FREE UINT64_MAX

// The contents of added tokens as a tree of bytes, for the longest match at a place.
typedef struct {
    int32_t child, sibling; // nodes; -1: none
    int32_t added;          // index of the token that ends here; -1: none
    uint8_t byte;
} TrieNode;
typedef struct {
    TrieNode *node; // node[0] is the root
    int nodes;
    bool starts[256]; // bytes that some token begins with
} Trie;

struct Tokenizer {
    const char *name;
    int size;
    uint8_t *bytes; // of all tokens
    uint32_t *at;   // [size + 1], into bytes
    uint8_t *kind;  // [size]
    uint64_t salt;  // of the hash: whoever wrote the file cannot make entries collide
    IdTable whole;  // tokens of the model that pieces can become
    Merge *merge;
    size_t merge_mask;
    int32_t byte_id[256];
    const AddedToken *added;
    int added_count;
    Trie raw, normal; // found before and behind the normaliser
    Split *split[SPLITS_MAX];
    int splits;
    bool nfc, ignore_merges;
    int32_t begin[BEGIN_MAX];
    int begin_count;
};
MUST_CHECK bool vocab_build(Arena *a, const VocabSpec *spec, Tokenizer *t, Err *e);

uint64_t vocab_hash(const uint8_t *p, size_t n, uint64_t salt);
int32_t vocab_whole(const Tokenizer *t, const uint8_t *p, size_t n); // -1: no such token of the model

static inline uint64_t merge_hash(uint64_t pair, uint64_t salt) {
    uint64_t h = (pair ^ salt) * 0x9e3779b97f4a7c15u;
    return (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
}
// NULL: the two do not merge.
static inline const Merge *vocab_merge(const Tokenizer *t, int32_t left, int32_t right) {
    uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    for (size_t i = merge_hash(pair, t->salt) >> 20;; i++) {
        const Merge *m = &t->merge[i & t->merge_mask];
        if (m->pair == pair) return m;
        if (m->pair == PAIR_FREE) return NULL;
    }
}

// Text that a file brought, for a message: printable ASCII, shortened. A few calls in one message are fine.
const char *text_shown(Arena *a, Str s);
