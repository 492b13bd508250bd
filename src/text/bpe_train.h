// bpe_train.h - makes a byte-level BPE vocabulary from text (Sennrich, Haddow, Birch 2016), as `tokenizers`
// does it, and writes it as tokenizer.json. The same text gives the same file on every machine: of pairs that
// occur equally often, the one with the smaller ids goes first.
#pragma once
#include "text/tokenizer.h"

enum { BPE_TRAIN_VOCAB_MAX = 1 << 17, BPE_TRAIN_SPECIALS_MAX = 64 };
// Special tokens get the first ids, then come the 256 bytes, then merges.
typedef struct {
    const Str *text; // [texts]; UTF-8
    size_t texts;
    int vocab;          // ids in all, at most; fewer when no pair occurs twice any more
    const Str *special; // [specials]
    int specials;
} BpeTrain;
// *size: ids of the vocabulary that came out.
MUST_CHECK bool bpe_train(const BpeTrain *t, Buf *json, int *size, Err *e);
