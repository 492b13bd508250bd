// The vocabulary of a GGUF file.
#include "text/vocab.h"

typedef struct {
    const char *name, *split[2];
    bool nfc, ignore_merges, add_bos;
} Pre;
static const Pre PRES[] = {
#define PRE(name, first, second, nfc, ignore_merges, add_bos) \
    {name, {first, second}, nfc, ignore_merges, add_bos},
#include "text/pre.def"
#undef PRE
};

static const Pre *pre_find(Str name) {
    for (size_t i = 0; i < sizeof PRES / sizeof *PRES; i++)
        if (str_is(name, PRES[i].name)) return &PRES[i];
    return NULL;
}

static bool read_merges(Arena *a, const TokenizerSource *src, VocabSpec *s, Err *e) {
    s->merge = NEWN(a, MergeSpec, (size_t)src->merge_count);
    s->merges = src->merge_count;
    for (int i = 0; i < src->merge_count; i++) {
        Str m = src->merges[i];
        const char *space = m.len ? memchr(m.p, ' ', m.len) : NULL;
        if (!space) return err_set(e, ERR_INPUT, "%s: merge %d is not two tokens and a space", src->name, i);
        size_t left = (size_t)(space - m.p);
        s->merge[i] = (MergeSpec){{m.p, left}, {space + 1, m.len - left - 1}};
    }
    return true;
}

bool vocab_from_arrays(Arena *a, const TokenizerSource *src, VocabSpec *s, Err *e) {
    const Pre *pre = pre_find(src->pre);
    if (!pre)
        return err_set(e, ERR_INPUT,
                       "%s: the pre-tokenizer \"%s\" (tokenizer.ggml.pre) is not supported; known are "
                       "llama-bpe, qwen2, qwen35 and minicpm5",
                       src->name, text_shown(a, src->pre));
    if (src->count < 1 || src->count > VOCAB_MAX)
        return err_set(e, ERR_LIMIT, "%s: %d tokens; 1 to %d are supported", src->name, src->count,
                       VOCAB_MAX);
    *s = (VocabSpec){
        .name = src->name, .size = src->count, .nfc = pre->nfc, .ignore_merges = pre->ignore_merges};
    for (int i = 0; i < 2 && pre->split[i]; i++) s->split[s->splits++] = str_of(pre->split[i]);
    s->token = NEWN(a, Str, (size_t)src->count);
    s->kind = NEWN(a, uint8_t, (size_t)src->count);
    int added = 0;
    for (int i = 0; i < src->count; i++) {
        int32_t kind = src->kinds ? src->kinds[i] : TOKEN_NORMAL;
        if (kind < TOKEN_NORMAL || kind > TOKEN_BYTE)
            return err_set(e, ERR_INPUT, "%s: token %d is of the unknown type %d", src->name, i, (int)kind);
        if (!utf8_valid(src->tokens[i]))
            return err_set(e, ERR_INPUT, "%s: token %d is not UTF-8", src->name, i);
        s->kind[i] = (uint8_t)kind;
        bool is_added = (kind == TOKEN_CONTROL || kind == TOKEN_USER_DEFINED) && src->tokens[i].len;
        added += is_added;
        // What fills the rows up to a round number is no text.
        if (!is_added && kind != TOKEN_UNUSED) s->token[i] = src->tokens[i];
    }
    s->added = NEWN(a, AddedToken, (size_t)added);
    for (int i = 0; i < src->count; i++)
        if ((s->kind[i] == TOKEN_CONTROL || s->kind[i] == TOKEN_USER_DEFINED) && src->tokens[i].len)
            s->added[s->added_count++] =
                (AddedToken){.content = src->tokens[i], .id = i, .special = s->kind[i] == TOKEN_CONTROL};
    if (src->add_bos < 0 ? pre->add_bos : src->add_bos > 0) {
        if (src->bos < 0) {
            if (src->add_bos > 0)
                return err_set(e, ERR_INPUT, "%s: a BOS is to come first, and the file names none",
                               src->name);
        } else {
            s->begin[s->begin_count++] = src->bos;
        }
    }
    return read_merges(a, src, s, e);
}
