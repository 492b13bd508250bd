#include "text/bpe.h"
#include "text/nfc.h"

bool tokenizer_open(Arena *a, const TokenizerSource *src, Tokenizer **out, Err *e) {
    Tokenizer *t = NEW(a, Tokenizer);
    Arena scratch = {0};
    VocabSpec spec = {.name = src->name};
    void *json = NULL;
    bool ok = (src->json.len ? vocab_from_json(&scratch, src, &spec, &json, e)
                             : vocab_from_arrays(&scratch, src, &spec, e)) &&
              vocab_build(a, &spec, t, e);
    vocab_json_free(json);
    arena_free(&scratch);
    if (!ok) tokenizer_close(t);
    *out = ok ? t : NULL;
    return ok;
}

void tokenizer_close(Tokenizer *t) {
    for (int i = 0; t && i < t->splits; i++) split_close(t->split[i]);
    if (t) t->splits = 0;
}

int tokenizer_size(const Tokenizer *t) { return t->size; }

TokenKind tokenizer_kind(const Tokenizer *t, int id) {
    return id < 0 || id >= t->size ? TOKEN_UNUSED : (TokenKind)t->kind[id];
}

Str tokenizer_bytes(const Tokenizer *t, int id) {
    if (id < 0 || id >= t->size) return (Str){"", 0};
    return (Str){(const char *)t->bytes + t->at[id], t->at[id + 1] - t->at[id]};
}

int tokenizer_find(const Tokenizer *t, Str content) {
    for (int i = 0; i < t->added_count; i++)
        if (str_eq(t->added[i].content, content)) return t->added[i].id;
    return vocab_whole(t, (const uint8_t *)content.p, content.len);
}

// ---- encoding ----

typedef struct {
    BpeRun bpe;
    SplitRun *split;
    Arena *scratch;
    bool special;
    Err *e;
} Encoder;

// Split i of the pre-tokenizer, and those behind it inside each piece.
static bool encode_splits(Encoder *x, int i, Str text, bool ascii) {
    const Tokenizer *t = x->bpe.t;
    if (i == t->splits) return bpe_piece(&x->bpe, text, x->e);
    for (size_t at = 0; at < text.len;) {
        SplitMatch m;
        if (!split_next(t->split[i], x->split, (SplitText){text, ascii}, at, &m, x->e)) return false;
        Str gap = {text.p + at, m.start > at ? m.start - at : 0}, piece = {text.p + m.start, m.end - m.start};
        if (gap.len && !encode_splits(x, i + 1, gap, ascii)) return false;
        if (piece.len && !encode_splits(x, i + 1, piece, ascii)) return false;
        at = m.end;
    }
    return true;
}

static bool encode_plain(Encoder *x, Str text) {
    bool ascii = true;
    for (size_t i = 0; i < text.len && ascii; i++) ascii = (uint8_t)text.p[i] < 0x80;
    return encode_splits(x, 0, text, ascii);
}

// The longest token at a place; -1: none.
static int trie_match(const Trie *t, Str text, size_t at, size_t *end) {
    int found = -1;
    for (int32_t node = 0; at < text.len;) {
        uint8_t byte = (uint8_t)text.p[at++];
        for (node = t->node[node].child; node >= 0 && t->node[node].byte != byte;)
            node = t->node[node].sibling;
        if (node < 0) break;
        if (t->node[node].added >= 0) found = t->node[node].added, *end = at;
    }
    return found;
}

// White space as Unicode's property has it: how many bytes of it end at `end`, or begin at p.
static size_t space_at(const uint8_t *p, size_t n) { // bytes of the one character, 0: something else
    if (n && ((*p >= 9 && *p <= 13) || *p == ' ')) return 1;
    if (n > 1 && p[0] == 0xc2 && (p[1] == 0x85 || p[1] == 0xa0)) return 2;
    if (n < 3) return 0;
    unsigned c = p[0] == 0xe1 || p[0] == 0xe2 || p[0] == 0xe3
                     ? (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u)
                     : 0;
    return c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
                   c == 0x205f || c == 0x3000
               ? 3
               : 0;
}

static size_t spaces_before(Str s, size_t end) {
    const uint8_t *p = (const uint8_t *)s.p;
    size_t at = end;
    for (size_t n = 1; n <= 3 && n <= at; n++)
        if (space_at(p + at - n, n) == n) at -= n, n = 0;
    return end - at;
}

static size_t spaces_behind(Str s, size_t from) {
    size_t at = from;
    for (size_t n; (n = space_at((const uint8_t *)s.p + at, s.len - at)) > 0;) at += n;
    return at - from;
}

// Cuts added tokens out of the text; `between` gets what is left.
static bool encode_added(Encoder *x, const Trie *trie, Str text, bool (*between)(Encoder *, Str)) {
    size_t done = 0;
    for (size_t at = 0; at < text.len;) {
        size_t end = 0;
        int which = trie->starts[(uint8_t)text.p[at]] ? trie_match(trie, text, at, &end) : -1;
        if (which < 0) {
            at++;
            continue;
        }
        const AddedToken *token = &x->bpe.t->added[which];
        size_t start = at;
        at = end;
        if (token->special && !x->special) continue; // its letters are ordinary ones
        if (token->lstrip) {
            start -= spaces_before(text, start);
            if (start < done) start = done;
        }
        if (token->rstrip) end += spaces_behind(text, end);
        if (start > done && !between(x, (Str){text.p + done, start - done})) return false;
        bpe_put(&x->bpe, token->id);
        done = end;
    }
    return done >= text.len || between(x, (Str){text.p + done, text.len - done});
}

static bool encode_normal(Encoder *x, Str text) {
    const Tokenizer *t = x->bpe.t;
    Buf b = BUF(x->scratch);
    if (t->nfc && !nfc_plain(text)) {
        nfc_put(text, &b);
        text = buf_str(&b);
    }
    return t->normal.nodes > 1 ? encode_added(x, &t->normal, text, encode_plain) : encode_plain(x, text);
}

bool tokenizer_encode(const Tokenizer *t, Arena *a, Str text, unsigned flags, Tokens *out, Err *e) {
    *out = (Tokens){0};
    if (text.len > TOKENIZER_TEXT_MAX)
        return err_set(e, ERR_LIMIT, "text of %zu bytes; at most %d are supported", text.len,
                       TOKENIZER_TEXT_MAX);
    if (!utf8_valid(text)) return err_set(e, ERR_INPUT, "text is not UTF-8");
    Arena scratch = {0};
    Encoder x = {.scratch = &scratch, .special = flags & ENCODE_SPECIAL, .e = e};
    // A tenth of a microsecond a byte is usual.
    double seconds = 10 + 4e-6 * (double)text.len;
    if (!split_start(&scratch, seconds, &x.split, e)) return false;
    bpe_start(&x.bpe, t, &scratch, text.len);
    for (int i = 0; flags & ENCODE_BEGIN && i < t->begin_count; i++) bpe_put(&x.bpe, t->begin[i]);
    bool ok = encode_added(&x, &t->raw, text, encode_normal);
    if (ok) {
        out->count = (int)x.bpe.count;
        out->id = arena_raw(a, (x.bpe.count + 1) * sizeof *out->id, _Alignof(int32_t));
        memcpy(out->id, x.bpe.id, x.bpe.count * sizeof *out->id);
    }
    split_stop(x.split);
    arena_free(&scratch);
    return ok;
}
