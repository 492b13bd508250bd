#include "weights/vocabulary.h"

#include "text/vocab.h"
#include "weights/format/shown.h"

static const struct {
    const char *name, *split[2];
    bool nfc, ignore_merges;
} pres[] = {
#define PRE(name, first, second, nfc, ignore_merges, add_bos) {name, {first, second}, nfc, ignore_merges},
#include "text/pre.def"
#undef PRE
};
enum { PRES = sizeof pres / sizeof *pres };

static bool splits_as(const VocabSpec *s, int pre) {
    for (int i = 0; i < 2; i++) {
        const char *want = pres[pre].split[i];
        if (want ? i >= s->splits || !str_is(s->split[i], want) : i < s->splits) return false;
    }
    return s->splits <= 2 && s->ignore_merges == pres[pre].ignore_merges;
}

static bool find_pre(const char *file, const VocabSpec *s, Str *out, Err *e) {
    // NFC last: GGUF cannot say it, and llama.cpp never does it.
    for (int exact = 1; exact >= 0; exact--)
        for (int i = 0; i < PRES; i++)
            if (splits_as(s, i) && (!exact || s->nfc == pres[i].nfc)) {
                *out = str_of(pres[i].name);
                return true;
            }
    return err_set(e, ERR_INPUT,
                   "%s: GGUF has no name for the way this tokenizer splits text (it has: llama-bpe, qwen2, "
                   "qwen35, minicpm5)",
                   file);
}

static bool put_tokens(Arena *a, const VocabSpec *s, int size, TokenizerSource *out, Err *e) {
    Str *token = NEWN(a, Str, (size_t)size);
    int32_t *kind = NEWN(a, int32_t, (size_t)size);
    if (s->size > size)
        return err_set(e, ERR_INPUT, "%s: a token %d, but the embedding has %d rows", out->name, s->size - 1,
                       size);
    for (int i = 0; i < s->size; i++)
        if (s->token[i].p) {
            token[i] = str_dup(a, s->token[i]);
            kind[i] = s->kind[i];
        }
    for (int i = 0; i < s->added_count; i++) {
        const AddedToken *t = &s->added[i];
        if (t->id < 0 || t->id >= size)
            return err_set(e, ERR_INPUT, "%s: the token \"%s\" has the id %d, but the embedding has %d rows",
                           out->name, shown(t->content).at, (int)t->id, size);
        if (t->lstrip || t->rstrip)
            return err_set(e, ERR_INPUT,
                           "%s: the token \"%s\" takes the blanks beside it, which GGUF cannot say",
                           out->name, shown(t->content).at);
        token[t->id] = str_dup(a, t->content);
        kind[t->id] = t->special ? TOKEN_CONTROL : TOKEN_USER_DEFINED;
    }
    for (int i = 0; i < size; i++)
        if (!token[i].p) {
            token[i] = str_of(arena_printf(a, "[PAD%d]", i));
            kind[i] = TOKEN_UNUSED;
        }
    out->tokens = token;
    out->kinds = kind;
    out->count = size;
    return true;
}

static bool spec_arrays(Arena *a, const VocabSpec *s, int size, TokenizerSource *out, Err *e) {
    if (!find_pre(out->name, s, &out->pre, e) || !put_tokens(a, s, size, out, e)) return false;
    if (s->begin_count > 1 || (s->begin_count && s->begin[0] != out->bos))
        return err_set(e, ERR_INPUT,
                       "%s: its post-processor puts more than the bos token first, which GGUF cannot say",
                       out->name);
    out->add_bos = s->begin_count == 1;
    Str *merge = NEWN(a, Str, (size_t)s->merges);
    for (int i = 0; i < s->merges; i++)
        merge[i] =
            str_of(arena_printf(a, "%.*s %.*s", STR_ARG(s->merge[i].left), STR_ARG(s->merge[i].right)));
    out->merges = merge;
    out->merge_count = s->merges;
    return true;
}

bool vocabulary_arrays(Arena *a, const TokenizerSource *json, int size, TokenizerSource *out, Err *e) {
    VocabSpec s = {0};
    void *held = NULL;
    *out = (TokenizerSource){.name = json->name, .bos = json->bos};
    bool ok = vocab_from_json(a, json, &s, &held, e) && spec_arrays(a, &s, size, out, e);
    vocab_json_free(held);
    return ok;
}

bool vocabulary_split(Arena *a, const TokenizerSource *src, Str *out, Err *e) {
    if (!src->json.len) {
        *out = src->pre;
        return true;
    }
    VocabSpec s = {0};
    void *held = NULL;
    bool ok = vocab_from_json(a, src, &s, &held, e) && find_pre(src->name, &s, out, e);
    vocab_json_free(held);
    return ok;
}
