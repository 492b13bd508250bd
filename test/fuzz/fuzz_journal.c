// The journal's scanner on any bytes: no crash, no read outside, and what it passes on is a record with a
// right checksum. The input is also cut in two anywhere: scanning the rest from where the first part ended
// finds the same.
#include "judge/verdict/journal.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    int records, stop_after;
    uint64_t hash;
} Seen;

static bool see(void *arg, Str json) {
    Seen *s = arg;
    if (json.len < 2 || json.p[0] != '{' || json.p[json.len - 1] != '}' || memchr(json.p, '\n', json.len))
        abort();
    char sum[10];
    uint32_t crc = journal_crc(json);
    for (int i = 0; i < 8; i++) sum[i] = "0123456789abcdef"[crc >> (28 - 4 * i) & 15];
    if (memcmp(json.p - 9, sum, 8) != 0) abort();
    s->hash = s->hash * 31 + str_hash(json);
    return ++s->records != s->stop_after;
}

// Lines with right checksums are beyond a fuzzer's luck: "#" at the start of a line stands for the sum of the
// rest.
static size_t with_sums(const uint8_t *data, size_t size, char *out) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i] != '#' || (i && data[i - 1] != '\n')) {
            out[n++] = (char)data[i];
            continue;
        }
        const uint8_t *end = memchr(data + i + 1, '\n', size - i - 1);
        Str rest = {(const char *)data + i + 1, (end ? (size_t)(end - data) : size) - i - 1};
        uint32_t crc = journal_crc(rest);
        for (int k = 0; k < 8; k++) out[n++] = "0123456789abcdef"[crc >> (28 - 4 * k) & 15];
        out[n++] = ' ';
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    char *text = malloc(9 * size);
    size_t n = with_sums(data + 2, size - 2, text);
    // Exactly as long as the text, so that a read beyond it is seen.
    char *exact = malloc(n ? n : 1);
    memcpy(exact, text, n);
    free(text);

    bool stopped;
    Seen all = {0}, parts = {0}, one = {.stop_after = 1};
    int damaged = 0, damaged_parts = 0, damaged_one = 0;
    size_t used = journal_lines((Str){exact, n}, see, &all, &damaged, &stopped);
    if (stopped || used > n || (used && exact[used - 1] != '\n') || memchr(exact + used, '\n', n - used))
        abort();

    size_t cut = n ? (data[0] | (size_t)data[1] << 8) % (n + 1) : 0;
    size_t first = journal_lines((Str){exact, cut}, see, &parts, &damaged_parts, &stopped);
    if (first > cut) abort();
    size_t second = journal_lines((Str){exact + first, n - first}, see, &parts, &damaged_parts, &stopped);
    if (first + second != used || parts.hash != all.hash || parts.records != all.records ||
        damaged_parts != damaged)
        abort();

    journal_lines((Str){exact, n}, see, &one, &damaged_one, &stopped);
    if (stopped != (all.records > 0) || one.records != (all.records > 0)) abort();
    free(exact);
    return 0;
}
