// tokenizer.json. What changes ids and is not implemented here is refused by name; unknown keys are refused,
// because nobody knows what they change.
#include <stdlib.h>

#include "base/json.h"
#include "text/vocab.h"

enum { JSON_MAX = 256 << 20 };
// The pattern of ByteLevel with use_regex.
#define BYTE_LEVEL "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

typedef struct {
    Arena *arena;
    VocabSpec *spec;
    json_t *root;
    Err *e;
} Reader;

#define refuse(r, ...) (err_set((r)->e, ERR_INPUT, __VA_ARGS__), err_ctx((r)->e, "%s", (r)->spec->name))

static bool is_text(const json_t *j, const char *what) {
    return json_is_string(j) && str_is(json_str(j), what);
}

// An object all of whose keys are in the list.
static bool check_keys(Reader *r, json_t *o, const char *where, const char *const *known) {
    if (!json_is_object(o)) return refuse(r, "%s is not an object", where);
    const char *key;
    json_t *value;
    json_object_foreach(o, key, value) {
        int i = 0;
        while (known[i] && strcmp(known[i], key) != 0) i++;
        if (!known[i])
            return refuse(r, "%s: the key \"%s\" is not supported", where, text_shown(r->arena, str_of(key)));
    }
    return true;
}

static bool read_flag(Reader *r, json_t *o, const char *where, const char *key, bool missing, bool *out) {
    Json j = {.file = where, .root = r->root, .e = r->e};
    *out = missing;
    return json_get_bool(&j, o, key, out) || err_ctx(r->e, "%s", r->spec->name);
}

// The type of an object that may have one.
static bool read_type(Reader *r, json_t *o, const char *where, const char **type) {
    json_t *j = json_is_object(o) ? json_object_get(o, "type") : NULL;
    if (!json_is_string(j)) return refuse(r, "%s has no type", where);
    *type = text_shown(r->arena, json_str(j));
    return true;
}

// ---- the model ----

static bool read_vocab(Reader *r, json_t *vocab) {
    VocabSpec *s = r->spec;
    if (!json_is_object(vocab)) return refuse(r, "model.vocab is not an object");
    const char *key;
    size_t length;
    json_t *value;
    json_int_t last = -1;
    json_object_foreach(vocab, key, value) {
        json_int_t id = json_is_integer(value) ? json_integer_value(value) : -1;
        if (id < 0 || id >= VOCAB_MAX)
            return refuse(r, "model.vocab: the id of \"%s\" is not a number from 0 to %d",
                          text_shown(r->arena, str_of(key)), VOCAB_MAX - 1);
        if (id > last) last = id;
    }
    s->size = (int)last + 1;
    s->token = NEWN(r->arena, Str, (size_t)s->size);
    s->kind = NEWN(r->arena, uint8_t, (size_t)s->size);
    memset(s->kind, TOKEN_NORMAL, (size_t)s->size);
    json_object_keylen_foreach(vocab, key, length, value) {
        Str *token = &s->token[json_integer_value(value)];
        if (token->p)
            return refuse(r, "model.vocab: two tokens have the id %d", (int)json_integer_value(value));
        *token = (Str){key, length};
    }
    return true;
}

// "a b", or ["a", "b"].
static bool read_merges(Reader *r, json_t *merges) {
    VocabSpec *s = r->spec;
    if (!json_is_array(merges)) return refuse(r, "model.merges is not a list");
    size_t n = json_array_size(merges);
    if (n > VOCAB_MAX) return refuse(r, "model.merges: %zu of them, at most %d are supported", n, VOCAB_MAX);
    s->merge = NEWN(r->arena, MergeSpec, n);
    for (size_t i = 0; i < n; i++) {
        json_t *m = json_array_get(merges, i);
        if (json_is_array(m) && json_array_size(m) == 2 && json_is_string(json_array_get(m, 0)) &&
            json_is_string(json_array_get(m, 1))) {
            s->merge[i] = (MergeSpec){json_str(json_array_get(m, 0)), json_str(json_array_get(m, 1))};
            continue;
        }
        Str both = json_is_string(m) ? json_str(m) : (Str){"", 0};
        const char *space = memchr(both.p, ' ', both.len);
        size_t left = space ? (size_t)(space - both.p) : 0;
        if (!space || memchr(space + 1, ' ', both.len - left - 1))
            return refuse(r, "model.merges: entry %zu is not two tokens", i);
        s->merge[i] = (MergeSpec){{both.p, left}, {space + 1, both.len - left - 1}};
    }
    s->merges = (int)n;
    return true;
}

static bool read_model(Reader *r, json_t *m) {
    static const char *const keys[] = {"type",
                                       "dropout",
                                       "unk_token",
                                       "continuing_subword_prefix",
                                       "end_of_word_suffix",
                                       "fuse_unk",
                                       "byte_fallback",
                                       "ignore_merges",
                                       "vocab",
                                       "merges",
                                       NULL};
    if (!check_keys(r, m, "model", keys)) return false;
    json_t *type = json_object_get(m, "type"), *dropout = json_object_get(m, "dropout");
    if (type && !is_text(type, "BPE"))
        return refuse(r, "model.type %s is not supported, only BPE is", text_shown(r->arena, json_str(type)));
    if (!json_absent(dropout) && json_number_value(dropout) != 0)
        return refuse(r, "model.dropout is not supported: it makes ids random");
    if (!json_is_nothing(json_object_get(m, "continuing_subword_prefix")))
        return refuse(r, "model.continuing_subword_prefix is not supported");
    if (!json_is_nothing(json_object_get(m, "end_of_word_suffix")))
        return refuse(r, "model.end_of_word_suffix is not supported");
    bool fallback, fuse;
    if (!read_flag(r, m, "model", "byte_fallback", false, &fallback) ||
        !read_flag(r, m, "model", "fuse_unk", false, &fuse) || // without unk_token it does nothing
        !read_flag(r, m, "model", "ignore_merges", false, &r->spec->ignore_merges))
        return false;
    // Both say what becomes of text that the vocabulary lacks: nothing can be lacking when it has every byte.
    r->spec->needs_bytes = fallback || !json_absent(json_object_get(m, "unk_token"));
    return read_vocab(r, json_object_get(m, "vocab")) && read_merges(r, json_object_get(m, "merges"));
}

// ---- what happens to text before ----

static bool read_normalizer(Reader *r, json_t *n, int depth) {
    const char *type;
    if (json_absent(n)) return true;
    if (!read_type(r, n, "normalizer", &type)) return false;
    if (strcmp(type, "NFC") == 0) {
        static const char *const keys[] = {"type", NULL};
        r->spec->nfc = true;
        return check_keys(r, n, "normalizer", keys);
    }
    if (strcmp(type, "Sequence") != 0 || depth) return refuse(r, "the normalizer %s is not supported", type);
    static const char *const keys[] = {"type", "normalizers", NULL};
    json_t *list = json_object_get(n, "normalizers");
    if (!check_keys(r, n, "normalizer", keys)) return false;
    if (!json_is_array(list)) return refuse(r, "normalizer.normalizers is not a list");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_absent(json_array_get(list, i)) || !read_normalizer(r, json_array_get(list, i), depth + 1))
            return r->e->code != ERR_NONE ? false : refuse(r, "normalizer.normalizers holds null");
    return true;
}

static bool add_split(Reader *r, Str pattern) {
    if (r->spec->splits == SPLITS_MAX)
        return refuse(r, "pre_tokenizer: more than %d patterns are not supported", SPLITS_MAX);
    r->spec->split[r->spec->splits++] = pattern;
    return true;
}

static bool read_split(Reader *r, json_t *p) {
    static const char *const keys[] = {"type", "pattern", "behavior", "invert", NULL};
    json_t *pattern = json_object_get(p, "pattern"), *regex = json_object_get(pattern, "Regex");
    bool invert;
    if (!check_keys(r, p, "pre_tokenizer Split", keys) ||
        !read_flag(r, p, "pre_tokenizer Split", "invert", false, &invert))
        return false;
    if (invert) return refuse(r, "pre_tokenizer Split: invert is not supported");
    if (!is_text(json_object_get(p, "behavior"), "Isolated"))
        return refuse(r, "pre_tokenizer Split: only the behavior Isolated is supported");
    if (!json_is_string(regex) || json_object_size(pattern) != 1)
        return refuse(r, "pre_tokenizer Split: only a pattern {\"Regex\": ...} is supported");
    return add_split(r, json_str(regex));
}

static bool read_byte_level(Reader *r, json_t *p) {
    static const char *const keys[] = {"type", "add_prefix_space", "trim_offsets", "use_regex", NULL};
    bool prefix, offsets, regex;
    if (!check_keys(r, p, "pre_tokenizer ByteLevel", keys) ||
        !read_flag(r, p, "pre_tokenizer ByteLevel", "add_prefix_space", true, &prefix) ||
        !read_flag(r, p, "pre_tokenizer ByteLevel", "trim_offsets", true, &offsets) || // not about ids
        !read_flag(r, p, "pre_tokenizer ByteLevel", "use_regex", true, &regex))
        return false;
    if (prefix) return refuse(r, "pre_tokenizer ByteLevel: add_prefix_space is not supported");
    return !regex || add_split(r, STR(BYTE_LEVEL));
}

static bool read_pre_tokenizer(Reader *r, json_t *p) {
    const char *type;
    if (json_absent(p)) return refuse(r, "there is no pre_tokenizer; ByteLevel is needed");
    if (!read_type(r, p, "pre_tokenizer", &type)) return false;
    if (strcmp(type, "ByteLevel") == 0) return read_byte_level(r, p);
    if (strcmp(type, "Sequence") != 0) return refuse(r, "the pre_tokenizer %s is not supported", type);
    static const char *const keys[] = {"type", "pretokenizers", NULL};
    json_t *list = json_object_get(p, "pretokenizers");
    if (!check_keys(r, p, "pre_tokenizer", keys)) return false;
    if (!json_is_array(list) || !json_array_size(list))
        return refuse(r, "pre_tokenizer.pretokenizers is not a list with something in it");
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *one = json_array_get(list, i);
        bool last = i + 1 == json_array_size(list);
        if (!read_type(r, one, "pre_tokenizer", &type)) return false;
        if (strcmp(type, last ? "ByteLevel" : "Split") != 0)
            return refuse(
                r,
                "the pre_tokenizer %s is not supported in this place: a sequence is Splits, then ByteLevel",
                type);
        if (!(last ? read_byte_level(r, one) : read_split(r, one))) return false;
    }
    return true;
}

// ---- what happens to ids behind ----

// Special tokens that come first; then the text.
static bool read_template(Reader *r, json_t *p) {
    static const char *const keys[] = {"type", "single", "pair", "special_tokens", NULL};
    json_t *single = json_object_get(p, "single"), *table = json_object_get(p, "special_tokens");
    VocabSpec *s = r->spec;
    bool text = false;
    if (!check_keys(r, p, "post_processor TemplateProcessing", keys)) return false;
    if (!json_is_array(single)) return refuse(r, "post_processor TemplateProcessing: single is not a list");
    if (s->begin_count) return refuse(r, "post_processor: two templates are not supported");
    for (size_t i = 0; i < json_array_size(single); i++) {
        json_t *piece = json_array_get(single, i);
        json_t *token = json_object_get(piece, "SpecialToken"),
               *sequence = json_object_get(piece, "Sequence");
        if (sequence && !text && is_text(json_object_get(sequence, "id"), "A")) {
            text = true;
            continue;
        }
        json_t *name = json_object_get(token, "id");
        if (!json_is_string(name) || text)
            return refuse(
                r, "post_processor TemplateProcessing: only tokens in front of one text are supported");
        json_t *ids = json_object_get(json_object_get(table, json_string_value(name)), "ids");
        if (!json_is_array(ids))
            return refuse(r, "post_processor TemplateProcessing: special_tokens lacks %s",
                          text_shown(r->arena, json_str(name)));
        for (size_t k = 0; k < json_array_size(ids); k++) {
            json_t *id = json_array_get(ids, k);
            if (s->begin_count == BEGIN_MAX)
                return refuse(r, "post_processor TemplateProcessing: more than %d tokens in front",
                              BEGIN_MAX);
            if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) >= VOCAB_MAX)
                return refuse(r, "post_processor TemplateProcessing: an id is not a token's");
            s->begin[s->begin_count++] = (int32_t)json_integer_value(id);
        }
    }
    return text || refuse(r, "post_processor TemplateProcessing: single lacks the text");
}

static bool read_post_processor(Reader *r, json_t *p, int depth) {
    const char *type;
    if (json_absent(p)) return true;
    if (!read_type(r, p, "post_processor", &type)) return false;
    if (strcmp(type, "ByteLevel") == 0) return true; // about offsets only
    if (strcmp(type, "TemplateProcessing") == 0) return read_template(r, p);
    if (strcmp(type, "Sequence") != 0 || depth)
        return refuse(r, "the post_processor %s is not supported", type);
    json_t *list = json_object_get(p, "processors");
    if (!json_is_array(list)) return refuse(r, "post_processor.processors is not a list");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!read_post_processor(r, json_array_get(list, i), depth + 1)) return false;
    return true;
}

static bool read_decoder(Reader *r, json_t *d) {
    const char *type;
    if (json_absent(d)) return refuse(r, "there is no decoder; ByteLevel is needed");
    if (!read_type(r, d, "decoder", &type)) return false;
    return strcmp(type, "ByteLevel") == 0 || refuse(r, "the decoder %s is not supported", type);
}

// ---- added tokens ----

static int by_id(const void *a, const void *b) {
    int32_t x = ((const AddedToken *)a)->id, y = ((const AddedToken *)b)->id;
    return (x > y) - (x < y);
}

static bool read_one_added(Reader *r, json_t *o, AddedToken *out) {
    static const char *const keys[] = {"id",     "content",    "single_word", "lstrip",
                                       "rstrip", "normalized", "special",     NULL};
    json_t *id = json_object_get(o, "id"), *content = json_object_get(o, "content");
    bool word;
    if (!check_keys(r, o, "added_tokens", keys)) return false;
    if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) >= VOCAB_MAX)
        return refuse(r, "added_tokens: an id is not a number from 0 to %d", VOCAB_MAX - 1);
    if (!json_is_string(content)) return refuse(r, "added_tokens: a token has no content");
    *out = (AddedToken){.content = json_str(content), .id = (int32_t)json_integer_value(id)};
    if (!read_flag(r, o, "added_tokens", "single_word", false, &word) ||
        !read_flag(r, o, "added_tokens", "lstrip", false, &out->lstrip) ||
        !read_flag(r, o, "added_tokens", "rstrip", false, &out->rstrip) ||
        !read_flag(r, o, "added_tokens", "special", false, &out->special) ||
        !read_flag(r, o, "added_tokens", "normalized", !out->special, &out->normalized))
        return false;
    return !word ||
           refuse(r, "added_tokens: single_word (%s) is not supported", text_shown(r->arena, out->content));
}

// `tokenizers` gives the ids itself: the model's own for what is in its vocabulary, the next free one
// otherwise, and only warns when the file says something else. Such a file means two things: refused.
static bool check_ids(Reader *r, size_t in_model) {
    VocabSpec *s = r->spec;
    int32_t next = (int32_t)in_model, before = -1;
    for (int i = 0; i < s->added_count; i++) {
        const AddedToken *t = &s->added[i];
        bool own = t->id < s->size && s->token[t->id].p && str_eq(s->token[t->id], t->content);
        if (t->id == before) return refuse(r, "added_tokens: two tokens have the id %d", t->id);
        if (!own && t->id != next)
            return refuse(r, "added_tokens: %s has the id %d; its place gives it %d",
                          text_shown(r->arena, t->content), t->id, next);
        if (t->id >= next) next = t->id + 1;
        before = t->id;
    }
    return true;
}

static bool check_contents(Reader *r) {
    int n = r->spec->added_count;
    Str *content = NEWN(r->arena, Str, (size_t)n + 1);
    for (int i = 0; i < n; i++) content[i] = r->spec->added[i].content;
    qsort(content, (size_t)n, sizeof *content, str_cmp_at);
    for (int i = 1; i < n; i++)
        if (str_eq(content[i - 1], content[i]))
            return refuse(r, "added_tokens: two tokens are %s", text_shown(r->arena, content[i]));
    return true;
}

static bool read_added(Reader *r, json_t *list, size_t in_model) {
    VocabSpec *s = r->spec;
    if (json_absent(list)) return true;
    if (!json_is_array(list)) return refuse(r, "added_tokens is not a list");
    size_t n = json_array_size(list);
    if (n > ADDED_MAX) return refuse(r, "added_tokens: %zu of them, at most %d are supported", n, ADDED_MAX);
    s->added = NEWN(r->arena, AddedToken, n);
    for (size_t i = 0; i < n; i++) {
        if (!read_one_added(r, json_array_get(list, i), &s->added[s->added_count])) return false;
        s->added_count += s->added[s->added_count].content.len > 0; // an empty one is never found
    }
    if (s->added_count) qsort(s->added, (size_t)s->added_count, sizeof *s->added, by_id);
    return check_contents(r) && check_ids(r, in_model);
}

// ---- all of it ----

bool vocab_from_json(Arena *a, const TokenizerSource *src, VocabSpec *s, void **json, Err *e) {
    static const char *const keys[] = {
        "version",       "truncation",     "padding", "added_tokens", "normalizer",
        "pre_tokenizer", "post_processor", "decoder", "model",        NULL};
    *s = (VocabSpec){.name = src->name};
    Reader r = {.arena = a, .spec = s, .e = e};
    json_error_t error;
    if (src->json.len > JSON_MAX)
        return err_set(e, ERR_LIMIT, "%s: %zu bytes, at most %d are supported", src->name, src->json.len,
                       JSON_MAX);
    json_t *o = json_loadb(src->json.p, src->json.len, JSON_REJECT_DUPLICATES, &error);
    *json = r.root = o;
    if (!o)
        return err_set(e, ERR_INPUT, "%s: line %d, column %d: %s", src->name, error.line, error.column,
                       text_shown(a, str_of(error.text)));
    if (!check_keys(&r, o, "the file", keys)) return false;
    json_t *version = json_object_get(o, "version"), *model = json_object_get(o, "model");
    if (version && !is_text(version, "1.0")) return refuse(&r, "only version 1.0 is supported");
    // truncation and padding are what a training run left; whoever encodes one text switches them off.
    return read_model(&r, model) && read_normalizer(&r, json_object_get(o, "normalizer"), 0) &&
           read_pre_tokenizer(&r, json_object_get(o, "pre_tokenizer")) &&
           read_post_processor(&r, json_object_get(o, "post_processor"), 0) &&
           read_decoder(&r, json_object_get(o, "decoder")) &&
           read_added(&r, json_object_get(o, "added_tokens"),
                      json_object_size(json_object_get(model, "vocab")));
}

void vocab_json_free(void *json) { json_decref(json); }
