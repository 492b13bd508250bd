#include "service/verdict_cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/own_program.h"

// SETS x WAYS places; within a set the record that lies first in the journal makes room.
enum { WAYS = 8, SETS = 1 << 17 };
static const off_t READ_MOST = (off_t)1 << 30;

typedef struct {
    uint64_t mark; // bits of the key that did not choose the set
    uint64_t at;   // place in the journal + 1; 0: free
} Slot;

struct VerdictCache {
    Journal *journal;
    Sha256 build; // of the program that judges
    Extras extras;
    pthread_mutex_t lock;
    Slot slot[SETS][WAYS];
};

// ---- keys

// The canonical text's hash; the text's own if it is not in the language. The two never meet in one key.
static void put_program(Buf *b, Str source) {
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    const Node *module = source.len <= SOURCE_MAX ? parse_module(&a, source, &diags) : NULL;
    Buf text = BUF(&a);
    if (module) print_canonical(&text, module);
    char hex[65];
    sha256_hex(sha256_of(module ? buf_str(&text) : source), hex);
    buf_printf(b, "%s %s\n", module ? "canonical" : "text", hex);
    arena_free(&a);
}

VerdictKey verdict_cache_key(const VerdictCache *m, const Op *op, Level level, const DrawFilter *filter,
                             Str source) {
    Arena a = {0};
    Buf b = BUF(&a);
    VerdictKey key;
    char build[65], definition[65];
    sha256_hex(m->build, build);
    sha256_hex(op->hash, definition);
    buf_printf(&b, "verdict %s %s\nop %zu %.*s\ndefinition %s\nlevel %s\nfilter %lld %lld %d\n",
               OUROBOROS_VERSION, build, op->name.len, STR_ARG(op->name), definition, level_name(level),
               (long long)filter->m, (long long)filter->n, filter->dtype);
    if (m->extras.include.len) {
        char files[65];
        sha256_hex(sha256_of(m->extras.include), files);
        buf_printf(&b, "include %s\n", files);
    }
    if (m->extras.old_names) buf_puts(&b, "old names\n");
    put_program(&b, source);
    sha256_hex(sha256_of(buf_str(&b)), key.hex);
    arena_free(&a);
    return key;
}

static uint64_t key_bits(const char *hex, int from) {
    uint64_t v = 0;
    for (int i = from; i < from + 16; i++)
        v = v << 4 | (uint64_t)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
    return v;
}

static bool is_key(Str s) {
    if (s.len != 64) return false;
    for (int i = 0; i < 64; i++)
        if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f'))) return false;
    return true;
}

// ---- the table

static void remember(VerdictCache *m, const char *hex, off_t at) {
    Slot *set = m->slot[key_bits(hex, 0) % SETS], *to = &set[0];
    uint64_t mark = key_bits(hex, 16);
    for (int i = 0; i < WAYS; i++) {
        if (set[i].at && set[i].mark == mark) {
            to = &set[i];
            break;
        }
        if (set[i].at < to->at) to = &set[i];
    }
    *to = (Slot){mark, (uint64_t)at + 1};
}

void verdict_cache_put(VerdictCache *m, const VerdictKey *key, off_t at) {
    pthread_mutex_lock(&m->lock);
    remember(m, key->hex, at);
    pthread_mutex_unlock(&m->lock);
}

// Records of verdicts that may answer start like this (verdict_record, verdict_cache_note).
static bool index_record(void *arg, Str json, off_t at) {
    static const char start[] = "{\"record\":\"verdict\",\"key\":\"";
    size_t n = sizeof start - 1;
    if (json.len > n + 64 && memcmp(json.p, start, n) == 0 && is_key((Str){json.p + n, 64}) &&
        json.p[n + 64] == '"')
        remember(arg, json.p + n, at);
    return true;
}

bool verdict_cache_open(Journal *j, off_t bytes, Extras extras, VerdictCache **out, Err *e) {
    // From calloc: pages of the table that nobody touched are not there.
    VerdictCache *m = calloc(1, sizeof *m);
    if (!m) return err_set(e, ERR_LIMIT, "out of memory for the table of duplicates");
    m->journal = j;
    m->extras = extras;
    pthread_mutex_init(&m->lock, NULL);
    off_t size;
    int damaged;
    if (bytes <= 0) bytes = READ_MOST;
    if (!own_program_hash(&m->build, e) || !journal_size(j, &size, e) ||
        !journal_each(j, size > bytes ? size - bytes : 0, index_record, m, &damaged, e)) {
        verdict_cache_close(m);
        return false;
    }
    *out = m;
    return true;
}

void verdict_cache_close(VerdictCache *m) {
    if (!m) return;
    pthread_mutex_destroy(&m->lock);
    free(m);
}

// ---- records

static bool may_answer(Status s, bool replay) {
    return !replay && status_class(s) != CLASS_UNDECIDED && s != STATUS_crash;
}

// Words and lines of the text that was judged.
static bool speaks_of_source(const Verdict *v) {
    const Production *p = &v->evidence.production;
    for (int i = 0; i < p->notes; i++)
        if (p->note[i].said == PRODUCTION_REFUSED) return true;
    return v->decision.found || v->decision.noted || v->evidence.large.at.line > 0;
}

json_t *verdict_cache_note(const VerdictKey *key, const Verdict *v) {
    if (!may_answer(v->decision.status, v->judged.replay)) return NULL;
    json_t *o = json_pack("{s:s}", "key", key->hex);
    if (speaks_of_source(v)) json_object_set_new(o, "exact", json_true());
    return o;
}

json_t *verdict_cache_answer(const json_t *record, const VerdictKey *key, Str source) {
    const char *kind, *its_key, *status_text, *sha, *feedback;
    int replay;
    Status status;
    if (json_unpack((json_t *)(uintptr_t)record, "{s:s, s:s, s:s, s:s, s:s, s:b}", "record", &kind, "key",
                    &its_key, "status", &status_text, "source_sha256", &sha, "feedback", &feedback, "replay",
                    &replay) != 0)
        return NULL;
    if (strcmp(kind, "verdict") != 0 || strcmp(its_key, key->hex) != 0 ||
        !status_by_name(str_of(status_text), &status) || !may_answer(status, replay))
        return NULL;
    char hex[65];
    sha256_hex(sha256_of(source), hex);
    bool same = strcmp(hex, sha) == 0;
    if (!same && json_object_get(record, "exact")) return NULL;
    json_t *o = json_copy((json_t *)(uintptr_t)record);
    static const char *const inner[] = {"record", "key", "exact"};
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) json_object_del(o, inner[i]);
    if (!same) json_object_del(o, "unexecuted"); // lines of another text
    json_object_set_new(o, "source_sha256", json_string(hex));
    json_object_set_new(o, "elapsed_ms", json_real(0));
    json_object_set_new(o, "cached", json_true());
    return o;
}

json_t *verdict_cache_find(VerdictCache *m, const VerdictKey *key, Str source) {
    const Slot *set = m->slot[key_bits(key->hex, 0) % SETS];
    uint64_t mark = key_bits(key->hex, 16), at = 0;
    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < WAYS; i++)
        if (set[i].at && set[i].mark == mark) at = set[i].at;
    pthread_mutex_unlock(&m->lock);
    if (!at) return NULL;
    Arena a = {0};
    Str text;
    json_t *answer = NULL;
    if (journal_read(m->journal, &a, (off_t)(at - 1), &text)) {
        json_error_t error;
        json_t *record = json_loadb(text.p, text.len, JSON_REJECT_DUPLICATES, &error);
        if (record) answer = verdict_cache_answer(record, key, source);
        json_decref(record);
    }
    arena_free(&a);
    return answer;
}
