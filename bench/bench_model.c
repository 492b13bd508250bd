// A model of MiniCPM5-1B's shape with random weights against llama.cpp on the same file and threads: tokens
// per second of decode, of a prompt of 512, and of eight drafts that share a prompt of 800. Runs alternate;
// medians. llama.cpp runs with the better of its two ways to hold weights.
//   bench_model [--rounds N] [--files DIR] [TYPE ...]     TYPE: q8_0 q4_k_m (default: both)
// Models are made in DIR (default build/bench) when they are not there. Needs a Python ($PYTHON, default
// python3) with numpy, gguf and llama-cpp-python, the last built for this machine.
#include "base/arena.h"
#include "base/pool.h"
#include "bench.h"
#include "model/model.h"
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DECODE_AT = 64, DECODE = 32, PROMPT = 512, SHARED = 800, DRAFTS = 8, EACH = 12, ROUNDS_MAX = 99 };

static const char *python;
static int rounds = 5;

static void die(const char *what, const char *why) {
    fprintf(stderr, "bench_model: %s: %s\n", what, why);
    exit(1);
}

// --- llama.cpp, in a process that does what a line says and answers with a line of seconds ---

typedef struct {
    FILE *to, *from;
    pid_t pid;
} Peer;

static void run_python(const char *script, const char *a, const char *b) {
    pid_t pid = fork();
    if (pid == 0) {
        execlp(python, python, script, a, b, (char *)NULL);
        _exit(127);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        die(script, "failed; it needs:  python3 -m pip install numpy gguf");
}

static Peer peer_open(const char *file, int threads, bool extra) {
    int down[2], up[2];
    char n[16];
    snprintf(n, sizeof n, "%d", threads);
    if (pipe(down) != 0 || pipe(up) != 0) die("pipe", "refused");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(down[0], 0), dup2(up[1], 1);
        close(down[1]), close(up[0]);
        execlp(python, python, "bench/model_peer.py", file, n, extra ? "1" : "0", (char *)NULL);
        _exit(127);
    }
    close(down[0]), close(up[1]);
    return (Peer){fdopen(down[1], "w"), fdopen(up[0], "r"), pid};
}

static bool peer_answers(Peer *p, char *out, int size) { return fgets(out, size, p->from) != NULL; }

static void peer_line(Peer *p, char *out, int size) {
    if (!peer_answers(p, out, size))
        die("llama.cpp does not answer",
            "bench/model_peer.py says how to install it; name that Python in PYTHON");
}

static void peer_say(Peer *p, const char *line) {
    fprintf(p->to, "%s\n", line);
    fflush(p->to);
}

static void peer_ask(Peer *p, const char *line, double *a, double *b) {
    char answer[256];
    peer_say(p, line);
    peer_line(p, answer, sizeof answer);
    char *end;
    *a = strtod(answer, &end);
    *b = strtod(end, NULL);
}

static void peer_close(Peer *p) {
    fclose(p->to), fclose(p->from);
    waitpid(p->pid, NULL, 0);
}

// Seconds for a prompt and a decode, both warm; infinite where llama.cpp cannot do it, as on some processors
// whose extra instructions crash it.
static double peer_try(const char *file, int threads, bool extra) {
    char answer[256];
    double total = 0;
    Peer p = peer_open(file, threads, extra);
    bool there = peer_answers(&p, answer, sizeof answer);
    for (int i = 0; there && i < 4; i++) {
        char line[64];
        if (i % 2)
            snprintf(line, sizeof line, "decode %d %d", DECODE_AT, DECODE);
        else
            snprintf(line, sizeof line, "prefill %d", PROMPT);
        peer_say(&p, line);
        there = peer_answers(&p, answer, sizeof answer);
        if (i >= 2) total += strtod(answer, NULL);
    }
    peer_close(&p);
    return there ? total : (double)INFINITY;
}

// llama.cpp's best setting for this file.
static bool peer_best(const char *file, int threads) {
    double with = peer_try(file, threads, true), without = peer_try(file, threads, false);
    return with < without;
}

// --- ours ---

typedef struct {
    Arena arena;
    Checkpoint *checkpoint;
    Tokenizer *tokenizer;
    Model *model;
    Kv *kv;
    float *logits;
} Ours;

static Ours ours_open(const char *file, Pool *pool) {
    Ours o = {0};
    Err e = {0};
    if (!checkpoint_open(&o.arena, file, &o.checkpoint, &e) ||
        !tokenizer_open(&o.arena, &o.checkpoint->vocabulary, &o.tokenizer, &e) ||
        !model_open(&o.arena, o.checkpoint, pool, &o.model, &e) ||
        !kv_open(o.model, KV_F16, DRAFTS + 1, 4096, &o.kv, &e))
        die(file, e.msg);
    o.logits = arena_raw(&o.arena, DRAFTS * (size_t)model_config(o.model)->vocab * sizeof(float), 64);
    return o;
}

static void ours_close(Ours *o) {
    kv_close(o->kv);
    tokenizer_close(o->tokenizer);
    checkpoint_close(o->checkpoint);
    arena_free(&o->arena);
}

static int32_t token(const Ours *o, int i) {
    return 1000 + (int32_t)((int64_t)i * 7919 % (model_config(o->model)->vocab - 2000));
}

static void step(Ours *o, const ModelStep *s) {
    Err e = {0};
    if (!model_step(o->model, o->kv, s, o->logits, &e)) die("model_step", e.msg);
}

static void prompt(Ours *o, int n) {
    int32_t t[MODEL_STEP_MAX];
    int seq[MODEL_STEP_MAX] = {0};
    bool want[MODEL_STEP_MAX] = {0};
    for (int at = 0; at < n; at += MODEL_STEP_MAX) {
        int count = n - at < MODEL_STEP_MAX ? n - at : MODEL_STEP_MAX;
        for (int i = 0; i < count; i++) t[i] = token(o, at + i);
        want[count - 1] = at + count == n;
        step(o, &(ModelStep){.token = t, .seq = seq, .want = want, .count = count});
    }
}

static void clear(Ours *o) {
    for (int s = 0; s <= DRAFTS; s++) kv_drop(o->kv, s);
}

static double ours_prefill(Ours *o) {
    clear(o);
    double begin = clock_seconds();
    prompt(o, PROMPT);
    return clock_seconds() - begin;
}

static double ours_decode(Ours *o) {
    clear(o);
    prompt(o, DECODE_AT);
    double begin = clock_seconds();
    for (int i = 0; i < DECODE; i++) {
        int32_t t = token(o, i);
        step(o, &(ModelStep){.token = &t, .seq = (int[]){0}, .want = (bool[]){true}, .count = 1});
    }
    return clock_seconds() - begin;
}

static void ours_drafts(Ours *o, double *shared, double *drafts) {
    clear(o);
    double begin = clock_seconds();
    prompt(o, SHARED);
    *shared = clock_seconds() - begin;
    int32_t t[DRAFTS];
    int seq[DRAFTS];
    bool want[DRAFTS];
    for (int d = 0; d < DRAFTS; d++) {
        seq[d] = d;
        want[d] = true;
        if (d) kv_fork(o->kv, 0, d);
    }
    for (int i = 0; i < EACH; i++) {
        for (int d = 0; d < DRAFTS; d++) t[d] = token(o, i + 31 * d);
        step(o, &(ModelStep){.token = t, .seq = seq, .want = want, .count = DRAFTS});
    }
    *drafts = clock_seconds() - begin - *shared;
}

// --- the rate at which this machine reads the file's bytes ---

typedef struct {
    const uint8_t *at;
    size_t bytes;
    uint64_t sum[256];
} Reading;
enum { READ_PIECE = 1 << 20 };
typedef uint64_t Words __attribute__((vector_size(64)));

static void read_piece(void *arg, size_t item, int worker) {
    Reading *r = arg;
    const uint8_t *p = r->at + item * READ_PIECE;
    Words a = {0}, b = {0}, c = {0}, d = {0};
    for (size_t i = 0; i < READ_PIECE; i += 256) {
        Words w[4];
        memcpy(w, p + i, sizeof w);
        a += w[0], b += w[1], c += w[2], d += w[3];
    }
    a += b + c + d;
    r->sum[worker] += a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
}

static double read_rate(Pool *pool, const Ours *o) { // gigabytes per second, over the layers' weights
    static Reading r;
    const Weight *first = checkpoint_weight(o->checkpoint, ROLE_GATE, 0);
    const Weight *last = checkpoint_weight(o->checkpoint, ROLE_GATE, model_config(o->model)->layers - 1);
    if (last->data < first->data) die("read", "layers are not in order");
    r.at = first->data;
    size_t pieces = (size_t)(last->data - first->data) / READ_PIECE;
    double begin = clock_seconds();
    pool_run(pool, pieces, read_piece, &r);
    return (double)(pieces * READ_PIECE) / 1e9 / (clock_seconds() - begin);
}

static double resident(const char *key) { // megabytes
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    double kb = 0;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0) kb = strtod(line + strlen(key) + 1, NULL);
    if (f) fclose(f);
    return kb / 1024;
}

// What a decoded token reads: everything but the rows of the embedding.
static double token_bytes(const Ours *o) {
    double n = (double)o->checkpoint->bytes;
    const Weight *embed = checkpoint_weight(o->checkpoint, ROLE_EMBED, 0);
    if (checkpoint_weight(o->checkpoint, ROLE_HEAD, 0))
        n -= (double)weight_row_bytes(embed) * (double)embed->rows;
    return n;
}

static void row(const char *what, double *ours, double *theirs, int n, double tokens, double must) {
    double a = bench_median(ours, n), b = bench_median(theirs, n);
    printf("  %-34s %8.1f %8.1f tokens/s   %5.2f x", what, tokens / a, tokens / b, b / a);
    if (must > 0) printf("  (at least %.1f)", must);
    printf("\n");
    fflush(stdout);
}

static void bench_file(const char *file, Pool *pool) {
    double ready[5], rate[ROUNDS_MAX], o[4][ROUNDS_MAX], p[4][ROUNDS_MAX], none;
    for (int i = 0; i < 5; i++) {
        double begin = clock_seconds();
        Ours ours = ours_open(file, pool);
        ready[i] = clock_seconds() - begin;
        ours_close(&ours);
    }
    bool extra = peer_best(file, pool_size(pool));
    Peer peer = peer_open(file, pool_size(pool), extra);
    char line[256];
    peer_line(&peer, line, sizeof line);
    double peer_ready = strtod(line + strcspn(line, " "), NULL);
    Ours ours = ours_open(file, pool);
    printf("%s: %.0f MB, %.0f MB for a token\n", file, (double)ours.checkpoint->bytes / 1e6,
           token_bytes(&ours) / 1e6);
    printf("  llama.cpp %s extra buffers (use_extra_bufts), which is faster for this file\n",
           extra ? "with" : "without");
    printf("  %-34s %8.3f %8.3f s\n", "ready", bench_median(ready, 5), peer_ready);
    ours_prefill(&ours); // both have read the file once
    char ask[3][64];
    snprintf(ask[0], sizeof ask[0], "decode %d %d", DECODE_AT, DECODE);
    snprintf(ask[1], sizeof ask[1], "prefill %d", PROMPT);
    snprintf(ask[2], sizeof ask[2], "drafts %d %d %d", SHARED, DRAFTS, EACH);
    peer_ask(&peer, ask[1], &none, &none);
    for (int r = 0; r < rounds; r++) {
        rate[r] = read_rate(pool, &ours);
        o[0][r] = ours_decode(&ours);
        peer_ask(&peer, ask[0], &p[0][r], &none);
        o[1][r] = ours_prefill(&ours);
        peer_ask(&peer, ask[1], &p[1][r], &none);
        ours_drafts(&ours, &o[3][r], &o[2][r]);
        peer_ask(&peer, ask[2], &p[3][r], &p[2][r]);
        o[3][r] += o[2][r], p[3][r] += p[2][r];
    }
    double speed = bench_median(o[0], rounds) / DECODE, fastest = bench_median(rate, rounds);
    row("decode, one stream", o[0], p[0], rounds, DECODE, 1.3);
    row("prompt of 512", o[1], p[1], rounds, PROMPT, 1.5);
    row("8 drafts after 800 shared tokens", o[2], p[2], rounds, DRAFTS * EACH, 2.4);
    row("  the same, with their prompt", o[3], p[3], rounds, SHARED + DRAFTS * EACH, 0);
    printf("  decode reads %.1f GB/s; reading alone, on as many threads, %.1f GB/s: %.0f %%\n",
           token_bytes(&ours) / speed / 1e9, fastest, 100 * token_bytes(&ours) / speed / 1e9 / fastest);
    double rss, peak;
    peer_ask(&peer, "memory", &rss, &peak);
    printf("  memory: %.0f MB resident of which %.0f MB are the mapped file; llama.cpp %.0f MB\n",
           resident("VmRSS"), resident("RssFile"), peak / 1048576);
    peer_close(&peer);
    ours_close(&ours);
}

int main(int argc, char **argv) {
    const char *folder = "build/bench", *type[8] = {"q8_0", "q4_k_m"};
    int types = 0;
    python = getenv("PYTHON") ? getenv("PYTHON") : "python3";
    signal(SIGPIPE, SIG_IGN);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--files") == 0 && i + 1 < argc)
            folder = argv[++i];
        else if (types < 8)
            type[types++] = argv[i];
    }
    if (rounds < 1 || rounds > ROUNDS_MAX) die("--rounds", "1 to 99");
    if (!types) types = 2;
    Pool *pool = pool_open(0);
    printf("ours, llama.cpp; %d threads each; medians of %d alternating runs\n", pool_size(pool), rounds);
    for (int i = 0; i < types; i++) {
        char file[512];
        snprintf(file, sizeof file, "%s/minicpm5-1b-%s.gguf", folder, type[i]);
        if (access(file, R_OK) != 0) run_python("bench/model_file.py", type[i], file);
        bench_file(file, pool);
    }
    pool_close(pool);
    return 0;
}
