// Lines of the stream and records of the journal as a duplicate meets them, on any bytes: no crash, no read
// outside, and no answer from a record that is not about the same program under the same key.
#include "base/sha256.h"
#include "service/queue.h"
#include "service/request.h"
#include "service/verdict_cache.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Exactly as long as the text, so that a read beyond it is seen.
static Str exact(const uint8_t *p, size_t n, char **owner) {
    *owner = malloc(n ? n : 1);
    memcpy(*owner, p, n);
    return (Str){*owner, n};
}

static void one_line(Arena *a, Str text) {
    const char *nl = text.len ? memchr(text.p, '\n', text.len) : NULL;
    if (nl) text.len = (size_t)(nl - text.p); // as the reader gives them out
    StreamRequest l;
    stream_request_read(a, text, 1, LEVELS_QUICK, &l);
    if (!l.id.len || memchr(l.id.p, '\n', l.id.len)) abort(); // it is printed on one line
    json_error_t error;
    json_t *id = json_loadb(l.id.p, l.id.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!id) abort();
    json_decref(id);
    if (l.bad) {
        if (strchr(l.bad, '\n')) abort();
        return;
    }
    if (!l.op.p || !l.source.p || l.filter.m < 0 || l.filter.n < 0 || l.filter.m > 1 << 20) abort();
}

static void one_record(Str text, Str source) {
    json_error_t error;
    json_t *record = json_loadb(text.p, text.len, JSON_REJECT_DUPLICATES, &error);
    if (!record) return;
    VerdictKey key;
    memset(key.hex, 'a', 64);
    key.hex[64] = 0;
    json_t *answer = json_is_object(record) ? verdict_cache_answer(record, &key, source) : NULL;
    if (answer) {
        const char *its = json_string_value(json_object_get(record, "key"));
        if (!its || strcmp(its, key.hex) != 0 || json_object_get(answer, "key")) abort();
        char hex[65];
        sha256_hex(sha256_of(source), hex);
        if (strcmp(json_string_value(json_object_get(answer, "source_sha256")), hex) != 0) abort();
        const char *judged = json_string_value(json_object_get(record, "source_sha256"));
        if (json_object_get(record, "exact") && strcmp(judged, hex) != 0) abort();
    }
    json_decref(answer);
    json_decref(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    // Two bytes cut the rest in two.
    size_t n = size - 2, cut = (data[0] | (size_t)data[1] << 8) % (n + 1);
    char *own[2];
    Str first = exact(data + 2, cut, &own[0]), second = exact(data + 2 + cut, n - cut, &own[1]);
    Arena a = {0};
    one_line(&a, first);
    one_record(second, first);
    arena_free(&a);
    free(own[0]);
    free(own[1]);
    return 0;
}
