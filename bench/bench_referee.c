// Verdicts per second on this machine, where the time goes, a whole mint, and peak memory. Argument: seconds
// for each measurement (default 4).
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "cases/domain/plan.h"
#include "judge/referee.h"
#include "mint/mint.h"

static void die(const char *what, const Err *e) {
    fprintf(stderr, "bench_referee: %s: %s\n", what, e->msg);
    exit(1);
}

static Str gold_of(Arena *a, Str op) {
    int n;
    const Program *p = op_programs(a, &n);
    for (int i = 0; i < n; i++)
        if (p[i].kind == PROGRAM_GOLD && str_eq(p[i].op, op)) return p[i].source;
    return STR("");
}

static double seconds_of(const struct rusage *u) {
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static double core_seconds(int who) {
    struct rusage u;
    getrusage(who, &u);
    return seconds_of(&u);
}

static Referee *open_referee(void) {
    Err e = {0};
    Referee *r;
    RefereeConfig config = {.no_journal = true};
    if (!referee_open(&config, &r, &e)) die("open", &e);
    return r;
}

typedef struct {
    double per_second, child, compare, other; // shares of the time, summed over candidates
    double parent_ms, child_ms;               // of a core, for a verdict
    double production_ms;                     // of these: production shapes
} Rate;

// Closes the referee: its children's time is known once its fork server has been reaped.
static Rate judge_rate(Referee *r, const Op *op, Str gold, Level level, int batch, double seconds) {
    double self = core_seconds(RUSAGE_SELF), children = core_seconds(RUSAGE_CHILDREN);
    double t0 = clock_seconds(), child = 0, compare = 0, production = 0;
    int verdicts = 0;
    do {
        Arena a = {0};
        Err e = {0};
        Str *source = NEWN(&a, Str, (size_t)batch);
        Verdict *v = NEWN(&a, Verdict, (size_t)batch);
        for (int i = 0; i < batch; i++) source[i] = gold;
        JudgeRequest q = {.op = op, .level = level, .filter = {.dtype = -1}};
        if (!referee_judge(r, &a, &q, source, batch, v, &e)) die("judge", &e);
        for (int i = 0; i < batch; i++) {
            if (!verdict_accepted(&v[i])) {
                fprintf(stderr, "bench_referee: the gold of %.*s was not accepted: %s\n", STR_ARG(op->name),
                        v[i].decision.feedback);
                exit(1);
            }
            child += v[i].judged.seconds_child;
            compare += v[i].judged.seconds_compare;
            production += v[i].judged.core_production;
        }
        verdicts += batch;
        arena_free(&a);
    } while (clock_seconds() - t0 < seconds);
    double wall = clock_seconds() - t0;
    int cores = pool_size(referee_pool(r));
    self = core_seconds(RUSAGE_SELF) - self;
    referee_close(r);
    children = core_seconds(RUSAGE_CHILDREN) - children;
    return (Rate){.per_second = verdicts / wall,
                  .child = child / (wall * cores),
                  .compare = compare / (wall * cores),
                  .other = 1 - (child + compare) / (wall * cores),
                  .parent_ms = 1e3 * self / verdicts,
                  .child_ms = 1e3 * children / verdicts,
                  .production_ms = 1e3 * production / verdicts};
}

static void draw_shares(Referee *r, const Op *op, Level level) {
    Arena a = {0};
    Err e = {0};
    Draw d;
    DrawFilter all = {.dtype = -1};
    double inputs[5], oracle[5], core[5];
    for (int i = 0; i < 5; i++) {
        core[i] = -core_seconds(RUSAGE_SELF);
        if (!draw_make(&a, referee_pool(r),
                       &(DrawRequest){.op = op, .level = level, .seed = (uint64_t)i, .filter = &all}, &d, &e))
            die("draw", &e);
        inputs[i] = d.seconds_inputs;
        oracle[i] = d.seconds_oracle;
        draw_free(&d);
        core[i] += core_seconds(RUSAGE_SELF);
    }
    printf("  one draw at %s: %d cases, %.2f million input elements, inputs %.1f ms, oracle %.1f ms; %.1f ms "
           "of a core\n",
           level_name(level), d.cases, (double)d.input_elements / 1e6, 1e3 * bench_median(inputs, 5),
           1e3 * bench_median(oracle, 5), 1e3 * bench_median(core, 5));
    arena_free(&a);
}

static const char *const ops[] = {"softmax", "add_rmsnorm_gelu", "add_rmsnorm_silu", "swiglu"};
static const struct {
    const char *what;
    Level level;
    int batch;
} runs[] = {{"quick, batches of 64 that share a draw", LEVEL_QUICK, 64},
            {"quick, one draw for each source", LEVEL_QUICK, 1},
            {"full, batches of 16 that share a draw", LEVEL_FULL, 16}};
enum { OPS = sizeof ops / sizeof *ops, RUNS = sizeof runs / sizeof *runs };

static void bench_op(Referee *r, Referee *const own[RUNS], const char *name, double seconds) {
    Arena a = {0};
    Op op;
    if (!op_find(&a, str_of(name), &op)) exit(1);
    Str gold = gold_of(&a, op.name);
    printf("%s\n", name);
    draw_shares(r, &op, LEVEL_QUICK);
    draw_shares(r, &op, LEVEL_FULL);
    for (int i = 0; i < RUNS; i++) {
        Rate x = judge_rate(own[i], &op, gold, runs[i].level, runs[i].batch, seconds);
        printf("  %-38s %7.1f verdicts/s, %5.2f ms of a core each (children %.2f, referee %.2f; production "
               "shapes %.2f); of the cores' "
               "time: child %.0f %%, compare %.0f %%, inputs, oracle and the rest %.0f %%\n",
               runs[i].what, x.per_second, x.parent_ms + x.child_ms, x.child_ms, x.parent_ms, x.production_ms,
               100 * x.child, 100 * x.compare, 100 * x.other);
    }
    arena_free(&a);
}

static void bench_mint(Referee *r, const char *name) {
    double t[5];
    for (int i = 0; i < 5; i++) {
        Arena a = {0};
        Err e = {0};
        Op op;
        MintRequest q = {.op = &op, .ask = {.count = 16, .seed = (uint64_t)i}, .filter = {.dtype = -1}};
        MintResult m;
        Service *s = NULL;
        double t0 = clock_seconds();
        if (!op_resolve(&a, name, &op, &e) || !smith_open(&a, "grammar", NULL, &q.smith, &e) ||
            !service_open(r, &(ServiceConfig){0}, &s, &e) || !mint_run(s, &a, &q, &m, &e))
            die("mint", &e);
        t[i] = clock_seconds() - t0;
        service_close(s);
        if (!m.found) {
            fprintf(stderr, "bench_referee: nothing minted for %s\n", name);
            exit(1);
        }
        arena_free(&a);
    }
    printf("mint %-24s 16 proposals: %.2f s (median of 5)\n", name, bench_median(t, 5));
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 4;
    // All of them first: a fork server that is forked later makes children with more memory to copy.
    Referee *r = open_referee(), *own[OPS][RUNS];
    for (int i = 0; i < OPS * RUNS; i++) own[i / RUNS][i % RUNS] = open_referee();
    printf("%d cores\n", pool_size(referee_pool(r)));
    for (int i = 0; i < OPS; i++) bench_op(r, own[i], ops[i], seconds);
    bench_mint(r, "add_rmsnorm_gelu");
    bench_mint(r, "cross_entropy");
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    referee_close(r); // the fork server's children count once it is reaped
    getrusage(RUSAGE_CHILDREN, &children);
    printf("peak memory: %.0f MB in the referee, %.0f MB in the largest child\n",
           (double)self.ru_maxrss / 1024, (double)children.ru_maxrss / 1024);
    return 0;
}
