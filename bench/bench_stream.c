// The stream over a mixed load of many ops: verdicts per second, processor time for each, and memory.
//   bench_stream [SECONDS]               the rate over SECONDS (default 8), everything judged, nothing
//   cached,
//                                        beside what plain C takes on all cores together, before and after
//   bench_stream --soak N [SECONDS [SAME]]
//                                        N verdicts or as many as SECONDS allow; fails when memory at the end
//                                        is more than 64 MB above memory after the first 10,000. SAME of 100
//                                        requests repeat an earlier one and are answered from the journal
//                                        (default 0)
// Runs build/ouroboros (or $OUROBOROS) with a journal of its own in build/.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pool.h"
#include "bench.h"
#include "plain.h"
#include "propose/smith.h"
#include <jansson.h>

enum { OPS = 24, EACH = 12, FLAWED = 2, WARM = 10000 };
static const long allowed_kb = 64 << 10;

typedef struct {
    char *head, *tail; // of a line: a number, and another after it, make a new program of it
} Ask;

static Ask asks[OPS * (EACH + FLAWED + 1)];
static int asks_n, ops_n;
static int to, from;
static int same; // of 100
static atomic_bool enough;
static atomic_long sent;

static void die(const char *what, const char *why) {
    fprintf(stderr, "bench_stream: %s: %s\n", what, why);
    exit(1);
}

// A module's constant that nobody reads: another program by its canonical text, the same work.
static void add(Str op, Str source) {
    json_t *o = json_pack("{s:s%, s:s%}", "op", op.p, op.len, "source", source.p, source.len);
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    text[strlen(text) - 2] = 0; // its quote and brace
    asks[asks_n++] = (Ask){text, "\\nTHIS_ONE = "};
}

static void fill_asks(void) {
    Arena a = {0};
    Err e = {0};
    Smith *smith;
    int names_n;
    const Str *name = op_names(&a, &names_n);
    if (!smith_open(&a, "grammar", NULL, &smith, &e)) die("smith", e.msg);
    for (int i = 0; i < names_n && ops_n < OPS; i++) {
        Op op;
        Proposal p[EACH];
        SmithRequest q = {.seed = 1, .count = EACH},
                     wrong = {.seed = 1, .count = FLAWED, .flaw = "contiguous"};
        int got;
        if (!op_find(&a, name[i], &op) || !smith_propose(smith, &a, &op, &q, p, &got, &e)) continue;
        for (int k = 0; k < got; k++) add(op.name, p[k].source);
        if (smith_propose(smith, &a, &op, &wrong, p, &got, &e))
            for (int k = 0; k < got; k++) add(op.name, p[k].source);
        add(op.name, STR("def run(x):\n    return (x"));
        ops_n++;
    }
    arena_free(&a);
    if (ops_n < 20) die("ops", "fewer than 20");
}

static void *write_all(void *arg) {
    (void)arg;
    uint64_t x = 88172645463325252u;
    static char line[1 << 16];
    for (long i = 0; !enough; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const Ask *q = &asks[x % (uint64_t)asks_n];
        long number = (int)(x >> 32 & 0xffff) % 100 < same ? -1 : i;
        int n = snprintf(line, sizeof line, "{\"id\":%ld,%s%s%ld\"}\n", i, q->head + 1, q->tail, number);
        for (int at = 0; at < n;) {
            ssize_t w = write(to, line + at, (size_t)(n - at));
            if (w < 0 && errno != EINTR) return NULL;
            if (w > 0) at += (int)w;
        }
        sent++;
    }
    close(to);
    return NULL;
}

static long status_kb(pid_t pid, const char *what) {
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, what, strlen(what)) == 0) kb = atol(line + strlen(what));
    if (f) fclose(f);
    return kb;
}

// Of the stream, its fork server and its keeper; the least of some moments, since draws come and go.
static long memory_kb(pid_t pid) {
    long least = 0;
    for (int k = 0; k < 20; k++) {
        char path[64];
        long kb = status_kb(pid, "VmRSS:");
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
        FILE *f = fopen(path, "re");
        for (int child; f && fscanf(f, "%d", &child) == 1;) kb += status_kb(child, "VmRSS:");
        if (f) fclose(f);
        if (k == 0 || kb < least) least = kb;
        usleep(20000);
    }
    return least;
}

// Nanoseconds that plain C takes for a lane on each core while all of them work: where others use the
// machine, too, a rate says little without it.
static void plain_run(void *arg, size_t item, int worker) {
    enum { ROUNDS = 200000 };
    static const float x[PLAIN_LANES], y[PLAIN_LANES];
    float out[PLAIN_LANES];
    (void)worker;
    double t0 = clock_seconds();
    plain_arithmetic(x, y, out, ROUNDS);
    ((double *)arg)[item] = 1e9 * (clock_seconds() - t0) / ROUNDS / PLAIN_LANES;
}
static double plain_ns(void) {
    enum { RUNS = 8 }; // on each core
    Pool *pool = pool_open(0);
    int n = RUNS * pool_size(pool);
    double *t = calloc((size_t)n, sizeof *t), median;
    if (!t) die("memory", "none");
    pool_run(pool, (size_t)n, plain_run, t);
    median = bench_median(t, n);
    free(t);
    pool_close(pool);
    return median;
}

static pid_t start(const char *state) {
    const char *program = getenv("OUROBOROS");
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) die("pipe", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execl(program ? program : "build/ouroboros", "ouroboros", "referee", "--stream", "--state", state,
              NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to = in[1];
    from = out[0];
    return pid;
}

int main(int argc, char **argv) {
    bool soak = argc > 2 && strcmp(argv[1], "--soak") == 0;
    long wanted = soak ? atol(argv[2]) : 0;
    same = soak && argc > 4 ? atoi(argv[4]) : 0;
    double limit = soak ? (argc > 3 ? atof(argv[3]) : 1e9) : argc > 1 ? atof(argv[1]) : 8;
    signal(SIGPIPE, SIG_IGN);
    fill_asks();
    double plain_before = soak ? 0 : plain_ns();
    char state[64], path[128];
    Err e = {0};
    snprintf(state, sizeof state, "build/bench-stream-%d", (int)getpid());
    if (!io_make_dirs(state, &e)) die("state", e.msg);
    pid_t pid = start(state);
    pthread_t writer;
    pthread_create(&writer, NULL, write_all, NULL);

    FILE *f = fdopen(from, "r");
    static char line[1 << 16];
    long answers = 0, undecided = 0, accepted = 0, counted = 0, cached = 0, warm_kb = 0, end_kb = 0;
    // The rate is that of the steady state: from the first answer after a second on.
    double t0 = clock_seconds(), first = 0, last = 0;
    while (f && fgets(line, sizeof line, f)) {
        if (!strchr(line, '\n')) die("answer", "longer than it should be");
        answers++;
        accepted += strstr(line, "\"accepted\":true") != NULL;
        undecided += strstr(line, "referee_error") != NULL;
        cached += strstr(line, "\"cached\"") != NULL;
        double now = clock_seconds();
        if (!enough) {
            last = now;
            if (first <= 0 && now - t0 > 1)
                first = now;
            else if (first > 0)
                counted++;
        }
        if (answers == WARM) warm_kb = memory_kb(pid);
        if (!enough && (now - t0 > limit || (soak && answers >= wanted))) {
            end_kb = memory_kb(pid);
            enough = true;
        }
    }
    pthread_join(writer, NULL);
    int status;
    struct rusage used;
    waitpid(pid, &status, 0);
    getrusage(RUSAGE_CHILDREN, &used);
    snprintf(path, sizeof path, "%s/journal.log", state);
    unlink(path);
    rmdir(state);
    if (status != 0) die("the stream", "did not end well");
    if (answers != sent) die("answers", "not as many as requests");
    double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    printf("stream, %d ops mixed, %ld quick verdicts (%ld accepted, %ld undecided, %ld from the journal): "
           "%.0f verdicts/s, %.2f ms of "
           "processor time each; memory %ld MB",
           ops_n, answers, accepted, undecided, cached,
           first > 0 && last > first ? (double)counted / (last - first) : 0, 1e3 * cpu / (double)answers,
           end_kb / 1024);
    if (warm_kb) printf(", %+ld MB since the first %d", (end_kb - warm_kb) / 1024, WARM);
    if (!soak) printf("; plain C %.3f and %.3f ns a lane", plain_before, plain_ns());
    printf("\n");
    if (cached && !same) die("answers from the journal", "there should be none");
    if (undecided) die("undecided verdicts", "there should be none");
    if (!soak) return 0;
    if (!warm_kb) die("soak", "fewer than 10,000 verdicts: nothing to compare");
    if (answers < wanted) printf("  (%ld were asked for; the time ended before)\n", wanted);
    return end_kb - warm_kb > allowed_kb ? (die("memory", "grew by more than 64 MB"), 1) : 0;
}
