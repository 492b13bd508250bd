// local.h - a published model that runs here, ready to be asked: its weights, tokenizer, chat family and,
// when there is one, its adapter. `generate` talks to it directly; the smith PATH asks it for kernels. It
// starts threads: open it after the referee, whose processes must come from a program that has none.
#pragma once
#include "model/draft.h"
#include "propose/smith.h"
#include "text/chat.h"

typedef struct {
    Checkpoint *checkpoint;
    Adapter *adapter; // NULL: none
    Tokenizer *tokenizer;
    const ChatFamily *chat; // NULL: no_chat tells why
    Err no_chat;
    Pool *pool;
    Model *model;
    KvType kv; // of its keys and values; the caller may change it
} LocalModel;

// adapter, family (a name of chat.def, instead of what the files say) may be NULL. On failure nothing stays
// open.
MUST_CHECK bool local_model_open(Arena *a, const char *path, const char *adapter, const char *family,
                                 LocalModel *out, Err *e);
void local_model_close(LocalModel *m);
// "f16", "f32", or NULL for f16. ERR_USAGE: something else.
MUST_CHECK bool local_model_kv(const char *name, KvType *out, Err *e);
// A chat family whose turns end with what is no token of this model belongs to another one; NULL: it does
// not.
const char *local_model_warning(Arena *a, const LocalModel *m);
// The built-in profile of prompts that a model was trained with, as far as its files or its name tell; NULL:
// no opinion.
const char *local_model_profile(const Checkpoint *c, const char *path);

// raw: as the text of a whole prompt, with what the tokenizer puts first; otherwise turns in the model's chat
// template, which puts it there itself. Control tokens in the text count. ERR_INPUT: there is no known
// template.
MUST_CHECK bool local_model_tokens(const LocalModel *m, Arena *a, const Prompt *p, bool think, Tokens *out,
                                   Err *e);
// Everything but seed and callbacks; ask: [count]. What is alive at a time stays below LOCAL_BYTES_MAX, where
// one draft does.
#define LOCAL_BYTES_MAX ((size_t)4 << 30)
DraftRequest local_model_request(const LocalModel *m, Arena *a, const DraftAsk *ask, const ReplySettings *s,
                                 int count);
