#include "text/vocab.h"
#include <assert.h>

#include "base/numeric/rng.h"
#include "text/nfc.h"

// ---- the byte map ----

// Bytes that print stand for themselves, the other 68 for U+0100 and what follows, in order.
static bool stands_for_itself(int byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

typedef struct {
    int16_t byte[256 + 68]; // by code point; -1: not of the map
} ByteMap;

static ByteMap byte_map(void) {
    ByteMap m;
    int next = 256;
    for (int i = 0; i < 256 + 68; i++) m.byte[i] = -1;
    for (int b = 0; b < 256; b++) m.byte[stands_for_itself(b) ? b : next++] = (int16_t)b;
    return m;
}

static int64_t unmap(const ByteMap *m, Str s, uint8_t *out) {
    int64_t n = 0;
    for (size_t i = 0; i < s.len;) {
        uint8_t c = (uint8_t)s.p[i++];
        unsigned code = c;
        if (c >= 0x80) {
            if ((c & 0xe0) != 0xc0 || i == s.len) return -1; // the map ends below U+0800
            code = (c & 0x1fu) << 6 | ((uint8_t)s.p[i++] & 0x3fu);
        }
        if (code >= 256 + 68 || m->byte[code] < 0) return -1;
        out[n++] = (uint8_t)m->byte[code];
    }
    return n;
}

const char *text_shown(Arena *a, Str s) {
    enum { SHOWN = 60 };
    size_t n = s.len < SHOWN ? s.len : SHOWN;
    char *out = arena_strndup(a, n ? s.p : "", n);
    for (size_t i = 0; i < n; i++)
        if (out[i] < ' ' || out[i] > '~') out[i] = '?';
    if (n < s.len) memcpy(out + n - 3, "...", 3);
    return out;
}

// ---- tables ----

static uint64_t word_of(const uint8_t *p, size_t n) { // n < 8
    uint64_t w = 0;
    for (size_t i = 0; i < n; i++) w |= (uint64_t)p[i] << (8 * i);
    return w;
}

uint64_t vocab_hash(const uint8_t *p, size_t n, uint64_t salt) {
    uint64_t h = salt ^ n * 0x9e3779b97f4a7c15u;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t w;
        memcpy(&w, p, sizeof w);
        h = (h ^ w) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    h = (h ^ word_of(p, n)) * 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static size_t slots_for(size_t entries) {
    size_t n = 16;
    while (n < 2 * entries) n *= 2;
    return n;
}

int32_t vocab_whole(const Tokenizer *t, const uint8_t *p, size_t n) {
    for (size_t i = vocab_hash(p, n, t->salt);; i++) {
        int32_t id = t->whole.slot[i & t->whole.mask];
        if (id < 0) return -1;
        uint32_t at = t->at[id];
        if (t->at[id + 1] - at == n && memcmp(t->bytes + at, p, n) == 0) return id;
    }
}

// false: the table has these bytes.
static bool whole_add(Tokenizer *t, int32_t id) {
    const uint8_t *p = t->bytes + t->at[id];
    size_t n = t->at[id + 1] - t->at[id];
    if (vocab_whole(t, p, n) >= 0) return false;
    size_t i = vocab_hash(p, n, t->salt);
    while (t->whole.slot[i & t->whole.mask] >= 0) i++;
    t->whole.slot[i & t->whole.mask] = id;
    return true;
}

// Each token's bytes: through the map where all characters are of it, as they are elsewhere (so does the
// decoder). `pieces` marks those of the model that a piece of text can become.
static bool fill_tokens(Arena *a, Arena *scratch, const VocabSpec *s, Tokenizer *t, Err *e) {
    Str *text = NEWN(scratch, Str, (size_t)t->size + 1);
    bool *piece = NEWN(scratch, bool, (size_t)t->size + 1);
    size_t room = 0, pieces = 0;
    for (int i = 0; i < s->size; i++) text[i] = s->token[i], t->kind[i] = s->kind[i];
    for (int i = 0; i < s->size; i++) piece[i] = text[i].p && text[i].len;
    for (int i = 0; i < s->added_count; i++) {
        int32_t id = s->added[i].id;
        if (!text[id].p) text[id] = s->added[i].content;
        t->kind[id] = s->added[i].special ? TOKEN_CONTROL : TOKEN_USER_DEFINED;
    }
    for (int i = 0; i < t->size; i++) {
        if (text[i].len > VOCAB_TOKEN_MAX)
            return err_set(e, ERR_LIMIT, "%s: token %d has %zu bytes, at most %d are supported", t->name, i,
                           text[i].len, VOCAB_TOKEN_MAX);
        room += text[i].len;
    }
    if (room > UINT32_MAX / 2)
        return err_set(e, ERR_LIMIT, "%s: the tokens have %zu bytes in all", t->name, room);
    t->bytes = arena_raw(a, room + 1, 1);
    t->at = NEWN(a, uint32_t, (size_t)t->size + 1);
    ByteMap map = byte_map();
    uint32_t at = 0;
    for (int i = 0; i < t->size; i++) {
        t->at[i] = at;
        if (!text[i].p) {
            t->kind[i] = TOKEN_UNUSED;
            continue;
        }
        int64_t n = unmap(&map, text[i], t->bytes + at);
        if (n < 0) {
            memcpy(t->bytes + at, text[i].p, text[i].len);
            n = (int64_t)text[i].len;
            piece[i] = false;
        }
        at += (uint32_t)n;
        pieces += piece[i];
    }
    t->at[t->size] = at;
    t->whole.mask = slots_for(pieces) - 1;
    t->whole.slot = NEWN(a, int32_t, t->whole.mask + 1);
    memset(t->whole.slot, 0xff, (t->whole.mask + 1) * sizeof *t->whole.slot);
    for (int i = 0; i < t->size; i++)
        if (piece[i] && !whole_add(t, i))
            return err_set(e, ERR_INPUT, "%s: token %d has the same text as token %d", t->name, i,
                           vocab_whole(t, t->bytes + t->at[i], t->at[i + 1] - t->at[i]));
    for (int b = 0; b < 256; b++) {
        uint8_t byte = (uint8_t)b;
        t->byte_id[b] = vocab_whole(t, &byte, 1);
        if (t->byte_id[b] < 0 && s->needs_bytes)
            return err_set(
                e, ERR_INPUT,
                "%s: model.unk_token and byte_fallback are supported where every byte has a token; 0x%02x "
                "has none",
                t->name, b);
    }
    return true;
}

static bool fill_merges(Arena *a, Arena *scratch, const VocabSpec *s, Tokenizer *t, Err *e) {
    t->merge_mask = slots_for((size_t)s->merges) - 1;
    t->merge = arena_raw(a, (t->merge_mask + 1) * sizeof *t->merge, _Alignof(Merge));
    for (size_t i = 0; i <= t->merge_mask; i++) t->merge[i].pair = PAIR_FREE;
    ByteMap map = byte_map();
    uint8_t *both = arena_raw(scratch, 2 * VOCAB_TOKEN_MAX, 1);
    for (int i = 0; i < s->merges; i++) {
        const MergeSpec *m = &s->merge[i];
        if (m->left.len > VOCAB_TOKEN_MAX || m->right.len > VOCAB_TOKEN_MAX)
            return err_set(e, ERR_LIMIT, "%s: merge %d is too long", t->name, i);
        int64_t l = unmap(&map, m->left, both), r = l < 0 ? -1 : unmap(&map, m->right, both + l);
        int32_t left = l < 0 ? -1 : vocab_whole(t, both, (size_t)l);
        int32_t right = r < 0 ? -1 : vocab_whole(t, both + l, (size_t)r);
        int32_t id = r < 0 ? -1 : vocab_whole(t, both, (size_t)(l + r));
        if (left < 0 || right < 0 || id < 0)
            return err_set(e, ERR_INPUT, "%s: merge %d (%s and %s): %s is not in the vocabulary", t->name, i,
                           text_shown(scratch, m->left), text_shown(scratch, m->right),
                           left < 0    ? "the left one"
                           : right < 0 ? "the right one"
                                       : "what they become");
        uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
        size_t at = merge_hash(pair, t->salt) >> 20;
        while (t->merge[at & t->merge_mask].pair != PAIR_FREE && t->merge[at & t->merge_mask].pair != pair)
            at++;
        t->merge[at & t->merge_mask] = (Merge){pair, (uint32_t)i, id}; // a pair named twice: the last counts
    }
    return true;
}

// ---- added tokens ----

static void trie_add(Trie *t, Str content, int added) {
    int32_t at = 0;
    t->starts[(uint8_t)content.p[0]] = true;
    for (size_t i = 0; i < content.len; i++) {
        uint8_t byte = (uint8_t)content.p[i];
        int32_t c = t->node[at].child;
        while (c >= 0 && t->node[c].byte != byte) c = t->node[c].sibling;
        if (c < 0) {
            c = t->nodes++;
            t->node[c] = (TrieNode){.child = -1, .sibling = t->node[at].child, .added = -1, .byte = byte};
            t->node[at].child = c;
        }
        at = c;
    }
    if (t->node[at].added < 0) t->node[at].added = added;
}

static bool fill_added(Arena *a, Arena *scratch, const VocabSpec *s, Tokenizer *t, Err *e) {
    AddedToken *added = NEWN(a, AddedToken, (size_t)s->added_count);
    Str *search = NEWN(scratch, Str, (size_t)s->added_count);
    size_t nodes[2] = {1, 1};
    for (int i = 0; i < s->added_count; i++) {
        const AddedToken *from = &s->added[i];
        if (from->content.len > ADDED_BYTES_MAX)
            return err_set(e, ERR_LIMIT, "%s: added token %d has %zu bytes, at most %d are supported",
                           t->name, from->id, from->content.len, ADDED_BYTES_MAX);
        added[i] = *from;
        added[i].content = str_dup(a, from->content);
        search[i] = from->content;
        if (from->normalized && s->nfc) {
            Buf b = BUF(scratch);
            nfc_put(from->content, &b);
            search[i] = buf_str(&b);
        }
        nodes[from->normalized] += search[i].len;
    }
    t->added = added;
    t->added_count = s->added_count;
    for (int n = 0; n < 2; n++) {
        Trie *trie = n ? &t->normal : &t->raw;
        trie->node = NEWN(a, TrieNode, nodes[n]);
        trie->node[0] = (TrieNode){.child = -1, .sibling = -1, .added = -1};
        trie->nodes = 1;
        for (int i = 0; i < s->added_count; i++)
            if (added[i].normalized == n) trie_add(trie, search[i], i);
        assert((size_t)trie->nodes <= nodes[n]);
    }
    return true;
}

// ---- all of it ----

static bool check_spec(const VocabSpec *s, Tokenizer *t, Err *e) {
    if (s->size < 1 || s->size > VOCAB_MAX)
        return err_set(e, ERR_LIMIT, "%s: %d tokens; 1 to %d are supported", s->name, s->size, VOCAB_MAX);
    if (s->added_count > ADDED_MAX)
        return err_set(e, ERR_LIMIT, "%s: %d added tokens, at most %d are supported", s->name, s->added_count,
                       ADDED_MAX);
    t->size = s->size;
    for (int i = 0; i < s->added_count; i++) {
        int32_t id = s->added[i].id;
        assert(s->added[i].content.len);
        if (id < 0 || id >= VOCAB_MAX)
            return err_set(e, ERR_INPUT, "%s: the id %d of an added token is out of range", s->name, id);
        if (id >= t->size) t->size = id + 1;
    }
    for (int i = 0; i < s->begin_count; i++)
        if (s->begin[i] < 0 || s->begin[i] >= t->size)
            return err_set(e, ERR_INPUT, "%s: the id %d that begins every text is not a token", s->name,
                           s->begin[i]);
    return true;
}

bool vocab_build(Arena *a, const VocabSpec *s, Tokenizer *t, Err *e) {
    *t = (Tokenizer){.name = arena_strndup(a, s->name, strlen(s->name)),
                     .nfc = s->nfc,
                     .ignore_merges = s->ignore_merges,
                     .begin_count = s->begin_count};
    if (!rng_entropy(&t->salt, sizeof t->salt, e) || !check_spec(s, t, e)) return false;
    memcpy(t->begin, s->begin, sizeof t->begin);
    t->kind = NEWN(a, uint8_t, (size_t)t->size);
    Arena scratch = {0};
    // What lies beyond the model's own tokens has no text until an added token gives it one.
    VocabSpec wide = *s;
    wide.token = NEWN(&scratch, Str, (size_t)t->size);
    wide.kind = NEWN(&scratch, uint8_t, (size_t)t->size);
    memcpy(wide.token, s->token, (size_t)s->size * sizeof *s->token);
    memcpy(wide.kind, s->kind, (size_t)s->size);
    bool ok = fill_tokens(a, &scratch, &wide, t, e) && fill_merges(a, &scratch, s, t, e) &&
              fill_added(a, &scratch, s, t, e);
    for (int i = 0; ok && i < s->splits; i++) {
        ok = split_open(a, s->split[i], &t->split[i], e) ||
             err_ctx(e, "%s: pattern %d of the pre-tokenizer", s->name, i + 1);
        t->splits += ok;
    }
    arena_free(&scratch);
    return ok;
}
