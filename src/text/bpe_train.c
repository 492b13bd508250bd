#include "text/bpe_train.h"
#include "base/json.h"
#include "text/pretokenizer.h"
#include <stdlib.h>

// Words with the space before them, runs of digits of at most three, signs, line ends: what published models
// cut at, so that any of their tools reads the file.
#define PATTERN                                                                                              \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" \
    "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

// A piece of text that occurs `count` times, as the ids that it is at the moment.
typedef struct {
    Str text;
    int32_t *id;
    int length;
    int64_t count;
} Word;

// Open addressing over words, then over pairs.
typedef struct {
    uint32_t *slot; // index + 1; 0: free
    size_t mask, used;
} Table;

typedef struct {
    uint64_t pair; // left << 32 | right
    int64_t count;
    int32_t *word; // where it has been seen, maybe more than once, maybe no more
    int words, room;
} Pair;

typedef struct {
    Arena *a;
    Word *word;
    int words, word_room;
    Table by_text;
    Pair *pair;
    int pairs, pair_room;
    Table by_pair;
    uint64_t *heap; // indices of pairs; the best on top, by what they counted when they were put there
    int64_t *heap_count;
    int heap_size, heap_room;
} Trainer;

static void table_grow(Table *t, Arena *a, uint64_t (*hash)(const void *, uint32_t), const void *of,
                       uint32_t n) {
    size_t slots = t->mask ? 2 * (t->mask + 1) : 1024;
    t->slot = NEWN(a, uint32_t, slots);
    t->mask = slots - 1;
    for (uint32_t i = 0; i < n; i++) {
        size_t at = hash(of, i) & t->mask;
        while (t->slot[at]) at = (at + 1) & t->mask;
        t->slot[at] = i + 1;
    }
}

// ---- words

static uint64_t word_hash(const void *words, uint32_t i) { return str_hash(((const Word *)words)[i].text); }

static void word_count(Trainer *t, Str text) {
    if (2 * (size_t)t->words >= t->by_text.mask)
        table_grow(&t->by_text, t->a, word_hash, t->word, (uint32_t)t->words);
    size_t at = str_hash(text) & t->by_text.mask;
    for (; t->by_text.slot[at]; at = (at + 1) & t->by_text.mask) {
        Word *w = &t->word[t->by_text.slot[at] - 1];
        if (!str_eq(w->text, text)) continue;
        w->count++;
        return;
    }
    if (t->words == t->word_room) {
        t->word_room = 2 * t->word_room + 256;
        t->word = MORE(t->a, Word, t->word, t->words, t->word_room);
    }
    t->word[t->words++] = (Word){.text = text, .count = 1};
    t->by_text.slot[at] = (uint32_t)t->words;
}

static bool text_cut(Trainer *t, const Split *split, SplitRun *run, Str text, Err *e) {
    SplitText whole = {.text = text};
    for (size_t at = 0; at < text.len;) {
        SplitMatch m;
        if (!split_next(split, run, whole, at, &m, e)) return false;
        if (m.start > at) word_count(t, (Str){text.p + at, m.start - at});
        if (m.end > m.start) word_count(t, (Str){text.p + m.start, m.end - m.start});
        at = m.end;
    }
    return true;
}

// ---- pairs

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}
static uint64_t pair_hash(const void *pairs, uint32_t i) { return mix(((const Pair *)pairs)[i].pair); }

static Pair *pair_at(Trainer *t, uint64_t pair) {
    if (2 * (size_t)t->pairs >= t->by_pair.mask)
        table_grow(&t->by_pair, t->a, pair_hash, t->pair, (uint32_t)t->pairs);
    size_t at = mix(pair) & t->by_pair.mask;
    for (; t->by_pair.slot[at]; at = (at + 1) & t->by_pair.mask)
        if (t->pair[t->by_pair.slot[at] - 1].pair == pair) return &t->pair[t->by_pair.slot[at] - 1];
    if (t->pairs == t->pair_room) {
        t->pair_room = 2 * t->pair_room + 1024;
        t->pair = MORE(t->a, Pair, t->pair, t->pairs, t->pair_room);
    }
    t->pair[t->pairs++] = (Pair){.pair = pair};
    t->by_pair.slot[at] = (uint32_t)t->pairs;
    return &t->pair[t->pairs - 1];
}

static uint64_t pair_of(int32_t left, int32_t right) {
    return (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
}

static Pair *pair_add(Trainer *t, uint64_t pair, int32_t word, int64_t count) {
    Pair *p = pair_at(t, pair);
    p->count += count;
    if (count > 0 && (!p->words || p->word[p->words - 1] != word)) {
        if (p->words == p->room) {
            p->room = 2 * p->room + 4;
            p->word = MORE(t->a, int32_t, p->word, p->words, p->room);
        }
        p->word[p->words++] = word;
    }
    return p;
}

// ---- the heap: counts only shrink after a pair was put there, so what comes up is looked at again

static bool before(const Trainer *t, int i, int j) {
    if (t->heap_count[i] != t->heap_count[j]) return t->heap_count[i] > t->heap_count[j];
    return t->pair[t->heap[i]].pair < t->pair[t->heap[j]].pair;
}
static void exchange(Trainer *t, int i, int j) {
    uint64_t h = t->heap[i];
    int64_t c = t->heap_count[i];
    t->heap[i] = t->heap[j], t->heap_count[i] = t->heap_count[j];
    t->heap[j] = h, t->heap_count[j] = c;
}
static void heap_put(Trainer *t, const Pair *p) {
    if (t->heap_size == t->heap_room) {
        t->heap_room = 2 * t->heap_room + 1024;
        t->heap = MORE(t->a, uint64_t, t->heap, t->heap_size, t->heap_room);
        t->heap_count = MORE(t->a, int64_t, t->heap_count, t->heap_size, t->heap_room);
    }
    int i = t->heap_size++;
    t->heap[i] = (uint64_t)(p - t->pair);
    t->heap_count[i] = p->count;
    for (; i && before(t, i, (i - 1) / 2); i = (i - 1) / 2) exchange(t, i, (i - 1) / 2);
}
static void heap_drop(Trainer *t) {
    exchange(t, 0, --t->heap_size);
    for (int i = 0, child; (child = 2 * i + 1) < t->heap_size; i = child) {
        if (child + 1 < t->heap_size && before(t, child + 1, child)) child++;
        if (!before(t, child, i)) break;
        exchange(t, child, i);
    }
}
// The pair that occurs most often, at least twice; NULL: there is none.
static const Pair *best_pair(Trainer *t) {
    while (t->heap_size) {
        const Pair *p = &t->pair[t->heap[0]];
        int64_t said = t->heap_count[0];
        heap_drop(t);
        if (p->count < 2) continue;
        if (p->count == said) return p;
        heap_put(t, p);
    }
    return NULL;
}

// ---- merging

static void merge_word(Trainer *t, int32_t index, int32_t left, int32_t right, int32_t becomes) {
    Word *w = &t->word[index];
    for (int i = 0; i + 1 < w->length; i++) {
        if (w->id[i] != left || w->id[i + 1] != right) continue;
        if (i) pair_add(t, pair_of(w->id[i - 1], left), index, -w->count);
        if (i + 2 < w->length) pair_add(t, pair_of(right, w->id[i + 2]), index, -w->count);
        w->id[i] = becomes;
        memmove(w->id + i + 1, w->id + i + 2, (size_t)(w->length - i - 2) * sizeof *w->id);
        w->length--;
        if (i) heap_put(t, pair_add(t, pair_of(w->id[i - 1], becomes), index, w->count));
        if (i + 1 < w->length) heap_put(t, pair_add(t, pair_of(becomes, w->id[i + 1]), index, w->count));
    }
}

static void merge_pair(Trainer *t, Pair p, int32_t becomes) {
    int32_t left = (int32_t)(p.pair >> 32), right = (int32_t)(uint32_t)p.pair;
    for (int i = 0; i < p.words; i++) merge_word(t, p.word[i], left, right, becomes);
    pair_at(t, p.pair)->count = 0;
}

// ---- the file

static void byte_mapped(Buf *out, Str bytes) {
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned b = (unsigned char)bytes.p[i], above = 0;
        bool itself = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
        for (unsigned k = 0; k < b; k++)
            above += !((k >= 33 && k <= 126) || (k >= 161 && k <= 172) || k >= 174);
        utf8_put(out, itself ? b : 256 + above);
    }
}
static json_t *text_of(Arena *a, Str bytes) {
    Buf b = BUF(a);
    byte_mapped(&b, bytes);
    return json_stringn(b.p, b.len);
}

static json_t *special_row(const BpeTrain *q, int i) {
    return json_pack("{s:i, s:s%, s:b, s:b, s:b, s:b, s:b}", "id", i, "content", q->special[i].p,
                     q->special[i].len, "single_word", 0, "lstrip", 0, "rstrip", 0, "normalized", 0,
                     "special", 1);
}

// bytes[id]: what a token stands for; merge[i]: the pair that token first + i came from.
static void file_put(Arena *a, const BpeTrain *q, const Str *bytes, const uint64_t *merge, int merges,
                     Buf *out) {
    json_t *vocab = json_object(), *list = json_array(), *added = json_array();
    int first = q->specials + 256;
    for (int i = 0; i < q->specials; i++) {
        json_array_append_new(added, special_row(q, i));
        json_object_setn_new(vocab, q->special[i].p, q->special[i].len, json_integer(i));
    }
    for (int id = q->specials; id < first + merges; id++) {
        Buf key = BUF(a);
        byte_mapped(&key, bytes[id]);
        json_object_setn_new(vocab, key.p, key.len, json_integer(id));
    }
    for (int i = 0; i < merges; i++)
        json_array_append_new(list, json_pack("[o, o]", text_of(a, bytes[merge[i] >> 32]),
                                              text_of(a, bytes[(uint32_t)merge[i]])));
    json_t *split = json_pack("{s:s, s:{s:s}, s:s, s:b}", "type", "Split", "pattern", "Regex", PATTERN,
                              "behavior", "Isolated", "invert", 0);
    json_t *level = json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", 0,
                              "trim_offsets", 1, "use_regex", 0);
    json_t *model = json_pack("{s:s, s:n, s:n, s:n, s:n, s:b, s:b, s:b, s:o, s:o}", "type", "BPE", "dropout",
                              "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0,
                              "byte_fallback", 0, "ignore_merges", 1, "vocab", vocab, "merges", list);
    json_put(out, json_pack("{s:s, s:n, s:n, s:o, s:n, s:{s:s, s:[o, o]}, s:n, s:{s:s, s:b, s:b, s:b}, s:o}",
                            "version", "1.0", "truncation", "padding", "added_tokens", added, "normalizer",
                            "pre_tokenizer", "type", "Sequence", "pretokenizers", split, level,
                            "post_processor", "decoder", "type", "ByteLevel", "add_prefix_space", 1,
                            "trim_offsets", 1, "use_regex", 1, "model", model));
    buf_putc(out, '\n');
}

static bool sane(const BpeTrain *q, Err *e) {
    if (q->specials > BPE_TRAIN_SPECIALS_MAX)
        return err_set(e, ERR_LIMIT, "%d special tokens; at most %d", q->specials, BPE_TRAIN_SPECIALS_MAX);
    if (q->vocab < 256 + q->specials || q->vocab > BPE_TRAIN_VOCAB_MAX)
        return err_set(e, ERR_INPUT,
                       "a vocabulary of %d: it holds 256 bytes and %d special tokens at least, %d at most",
                       q->vocab, q->specials, BPE_TRAIN_VOCAB_MAX);
    for (int i = 0; i < q->specials; i++) {
        if (!q->special[i].len || !utf8_valid(q->special[i]))
            return err_set(e, ERR_INPUT, "special token %d is empty, or no UTF-8", i + 1);
        for (int k = 0; k < i; k++)
            if (str_eq(q->special[i], q->special[k]))
                return err_set(e, ERR_INPUT, "two special tokens are the same");
    }
    return true;
}

static void words_begin(Trainer *t, int first) {
    for (int i = 0; i < t->words; i++) {
        Word *w = &t->word[i];
        w->length = (int)w->text.len;
        w->id = NEWN(t->a, int32_t, w->text.len);
        for (int k = 0; k < w->length; k++) w->id[k] = first + (unsigned char)w->text.p[k];
        for (int k = 0; k + 1 < w->length; k++) pair_add(t, pair_of(w->id[k], w->id[k + 1]), i, w->count);
    }
    for (int i = 0; i < t->pairs; i++) heap_put(t, &t->pair[i]);
}

static bool cut_all(Trainer *t, const BpeTrain *q, Err *e) {
    enum { SECONDS = 600 };
    Split *split;
    SplitRun *run;
    if (!split_open(t->a, STR(PATTERN), &split, e)) return false;
    bool ok = split_start(t->a, SECONDS, &run, e);
    for (size_t i = 0; ok && i < q->texts; i++) {
        ok = utf8_valid(q->text[i]) || err_set(e, ERR_INPUT, "text %zu is not UTF-8", i + 1);
        ok = ok && text_cut(t, split, run, q->text[i], e);
    }
    split_stop(run);
    split_close(split);
    return ok;
}

bool bpe_train(const BpeTrain *q, Buf *json, int *size, Err *e) {
    Arena own = {0};
    Trainer t = {.a = &own};
    if (!sane(q, e)) return false;
    bool ok = cut_all(&t, q, e);
    Str *bytes = NEWN(&own, Str, (size_t)q->vocab);
    uint64_t *merge = NEWN(&own, uint64_t, (size_t)q->vocab);
    char *all = NEWN(&own, char, 256);
    for (int i = 0; i < 256; i++) all[i] = (char)i, bytes[q->specials + i] = (Str){all + i, 1};
    if (ok) words_begin(&t, q->specials);
    int merges = 0;
    for (const Pair *p; ok && q->specials + 256 + merges < q->vocab && (p = best_pair(&t)) != NULL;
         merges++) {
        int32_t becomes = q->specials + 256 + merges;
        Str l = bytes[p->pair >> 32], r = bytes[(uint32_t)p->pair];
        char *joined = NEWN(&own, char, l.len + r.len);
        memcpy(joined, l.p, l.len);
        memcpy(joined + l.len, r.p, r.len);
        bytes[becomes] = (Str){joined, l.len + r.len};
        merge[merges] = p->pair;
        merge_pair(&t, *p, becomes);
    }
    if (ok) file_put(&own, q, bytes, merge, merges, json);
    *size = q->specials + 256 + merges;
    arena_free(&own);
    return ok;
}
