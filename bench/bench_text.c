// Tokenizers: megabytes a second of processor time, beside Hugging Face `tokenizers` on one thread, with the
// same vocabularies and texts, in turns; the ids have to be equal. Then what opening a tokenizer takes.
//   bench_text [PYTHON]     a Python that has `tokenizers`; otherwise $OUROBOROS_PYTHON, otherwise the one of
//   `make conformance`
#include <string.h>
#include <time.h>

#include "base/io.h"
#include "bench.h"
#include "text/tokenizer.h"

enum { ROUNDS = 5, FILE_MAX = 64 << 20, PIECES_MAX = 1 << 16 };
static const char folder[] = "build/bench/text";
static const char *const families[] = {"llama31", "qwen25", "qwen35", "minicpm5"};
static const char *const kinds[] = {"code", "prose"};

static int fail(const char *why) {
    fprintf(stderr, "bench_text: %s\n", why);
    return 1;
}

typedef struct {
    double seconds;
    unsigned long tokens, check;
} Result;

// Of this process alone: other programs on the machine do not count, here as in the peer.
static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool peer(const char *python, const char *family, const char *kind, Result *out) {
    char command[512];
    snprintf(command, sizeof command, "%s bench/text_peer.py time %s %s %s", python, folder, family, kind);
    FILE *f = popen(command, "r");
    int got = f ? fscanf(f, "%lf %lu %lu", &out->seconds, &out->tokens, &out->check) : 0;
    return f && pclose(f) == 0 && got == 3;
}

static bool ours(const Tokenizer *t, const Str *piece, int pieces, Result *out, Err *e) {
    uint32_t check = 0;
    *out = (Result){0};
    Arena a = {0};
    for (int i = 0; i < pieces; i++) {
        Tokens ids;
        ArenaMark mark = arena_mark(&a);
        double start = processor_seconds();
        if (!tokenizer_encode(t, &a, piece[i], ENCODE_SPECIAL, &ids, e)) return false;
        out->seconds += processor_seconds() - start;
        out->tokens += (unsigned long)ids.count;
        for (int k = 0; k < ids.count; k++) check = check * 31 + (uint32_t)ids.id[k];
        arena_reset(&a, mark);
    }
    out->check = check;
    arena_free(&a);
    return true;
}

static int split(Str all, Str *piece) {
    int n = 0;
    for (size_t at = 0; at <= all.len && n < PIECES_MAX;) {
        const char *end = at < all.len ? memchr(all.p + at, 0, all.len - at) : NULL;
        size_t to = end ? (size_t)(end - all.p) : all.len;
        piece[n++] = (Str){all.p + at, to - at};
        at = to + 1;
    }
    return n;
}

static int run(const char *python, const char *family, const char *kind) {
    static Str piece[PIECES_MAX];
    Arena a = {0};
    Err e = {0};
    Str json, all;
    Tokenizer *t = NULL;
    if (!io_read(&a, arena_printf(&a, "%s/%s.json", folder, family), FILE_MAX, &json, &e) ||
        !io_read(&a, arena_printf(&a, "%s/%s", folder, kind), FILE_MAX, &all, &e))
        return fail(e.msg);
    double open[ROUNDS], mine[ROUNDS], theirs[ROUNDS];
    Result o = {0}, p = {0};
    int pieces = split(all, piece);
    for (int i = 0; i < ROUNDS; i++) {
        double start = processor_seconds();
        if (t) tokenizer_close(t);
        if (!tokenizer_open(&a, &(TokenizerSource){.name = family, .json = json}, &t, &e)) return fail(e.msg);
        open[i] = processor_seconds() - start;
        if (!ours(t, piece, pieces, &o, &e)) return fail(e.msg);
        if (!peer(python, family, kind, &p)) return fail("the Python peer failed: it needs `tokenizers`");
        if (o.tokens != p.tokens || o.check != p.check) return fail("the ids differ");
        mine[i] = o.seconds;
        theirs[i] = p.seconds;
    }
    double m = bench_median(mine, ROUNDS), h = bench_median(theirs, ROUNDS), mb = (double)all.len / 1e6;
    printf("  %-9s %-6s %6.1f MB/s   tokenizers %5.1f MB/s   ratio %5.1f   %.2f bytes a token   opens in "
           "%.1f ms\n",
           family, kind, mb / m, mb / h, h / m, (double)all.len / (double)o.tokens,
           1e3 * bench_median(open, ROUNDS));
    fflush(stdout);
    tokenizer_close(t);
    arena_free(&a);
    return 0;
}

int main(void) {
    const char *python = getenv("PYTHON") ? getenv("PYTHON") : "python3";
    char command[512];
    snprintf(command, sizeof command, "%s bench/text_peer.py make %s", python, folder);
    if (system(command) != 0)
        return fail(
            "no Python with `tokenizers`; python3 -m pip install tokenizers  and name that Python in PYTHON");
    printf("tokenizers, processor time of one thread, 16 KB a text:\n");
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (run(python, families[f], kinds[k])) return 1;
    return 0;
}
