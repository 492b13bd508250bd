// What the GPU here can do at most, by our own kernels: facts of the device, what a launch takes, plain
// streaming from one and two inputs, for buffers of half a megabyte to 512. JSON lines. With --twins N: a
// kernel beside its twin, N times, and beside one that moves 3 % more. With --rows N: one kernel in N fresh
// processes. With --order N [--mb 64]: streaming from two inputs by loads with and without L2 hints, alone,
// beside copies and beside copies without evict_last, with the time of every round of N jobs: does it depend
// on who ran before? Each kind of job once with the L2 cleared before a window, as it is always done, and
// once without: the control, which has to show that it does.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "measure/timing/measurer.h"
#include "measure/timing/timing.h"
#include "measure/timing/yardstick.h"

static Err e;
static int input_fd;

static void fail(const char *what) {
    fprintf(stderr, "gpu_floors: %s: %s\n", what, e.msg);
    exit(3);
}

// The seed of job i. The measurer gets all of it but the lowest bit.
static uint64_t even_seed(int i) { return 2 * (uint64_t)i; }

static void job_begin(TimingJob *job, TimingContender *contender, int inputs, int64_t bytes) {
    *job = (TimingJob){.seed = 11,
                       .rounds = 7,
                       .checked = 1,
                       .target_us = 500,
                       .seconds = 10,
                       .l2_times = 5,
                       .output = {bytes},
                       .outputs = 1,
                       .inputs = inputs,
                       .contender = contender};
    for (int i = 0; i < inputs; i++) job->input[i] = (TimingInput){0, bytes, 0};
}

static void streams_tell(Measurer *m, int inputs, int64_t bytes) {
    Arena a = {0};
    TimingContender contender[4];
    TimingJob job;
    Measured seen;
    int64_t each[2] = {bytes, bytes};
    job_begin(&job, contender, inputs, bytes);
    for (int unroll = 1; unroll <= 8; unroll *= 2) {
        contender[job.contenders] =
            (TimingContender){str_of(arena_printf(&a, "unroll %d", unroll)), true, {0}};
        streaming_run(&a, each, inputs, bytes, unroll, &contender[job.contenders++].run);
    }
    if (!measurer_run(&a, m, &job, input_fd, &seen, &e)) fail("streams");
    const TimingResult r = seen.result;
    printf("{\"stream\":%d,\"mb\":%.1f,\"sets\":%d,\"cold\":%d,\"floor_us\":%.3f,\"sm_mhz\":%.0f", inputs,
           (double)bytes / (1 << 20), r.sets, r.cold, r.floor_us, median_of(r.sm_mhz, r.clocks));
    for (int i = 0; i < r.contenders; i++) {
        const TimedContender *c = &r.contender[i];
        double us = median_of(c->cold, c->colds);
        printf(",\"%.*s\":{\"us\":%.3f,\"gb_s\":%.0f,\"hot_us\":%.3f,\"call_us\":%.3f,\"checked_us\":%.3f,"
               "\"calls\":%d,\"why\":\"%s\"}",
               STR_ARG(c->name), us, us > 0 ? (double)(inputs + 1) * (double)bytes / us / 1e3 : 0,
               median_of(c->hot, c->hots), median_of(c->call, c->calls), c->checked_us, c->calls_of_window,
               c->why);
    }
    printf(",\"seconds\":%.2f}\n", r.seconds);
    arena_free(&a);
}

// The same kernel three times in one job; the third moves 3 % more.
static void twins_tell(Measurer *m, int n) {
    const int64_t bytes = 32 << 20;
    for (int i = 0; i < n; i++) {
        Arena a = {0};
        TimingContender contender[3];
        TimingJob job;
        Measured seen;
        job_begin(&job, contender, 1, bytes);
        job.seed = even_seed(i);
        for (int k = 0; k < 3; k++) {
            contender[k] = (TimingContender){str_of(k == 0 ? "one" : k == 1 ? "twin" : "slower"), false, {0}};
            streaming_run(&a, &bytes, 1, bytes, 2, &contender[k].run);
        }
        for (int k = 0; k < 2; k++) { // these move less
            TimedStep *s = contender[k].run.step;
            s->arg[2].bits = s->arg[3].bits = s->arg[2].bits * 100 / 103;
            s->grid[0] = s->grid[0] * 100 / 103 + 1;
        }
        job.contenders = 3;
        if (!measurer_run(&a, m, &job, input_fd, &seen, &e)) fail("twins");
        const TimingResult r = seen.result;
        double t[3];
        for (int k = 0; k < 3; k++) t[k] = median_of(r.contender[k].cold, r.contender[k].colds);
        printf("{\"pair\":%d,\"us\":%.3f,\"twin\":%.5f,\"slower\":%.5f}\n", i, t[0], t[1] / t[0],
               t[2] / t[0]);
        arena_free(&a);
    }
}

// The text of a streaming kernel whose loads have a policy of the L2.
static Str hinted(Arena *a, Str ptx, const char *policy) {
    static const char load[] = "ld.global.v4.u32 ", first[] = "    mov.u32 %b, %ctaid.x;", at[] = "[%place];";
    Buf out = BUF(a);
    while (ptx.len) {
        const char *end = memchr(ptx.p, '\n', ptx.len);
        Str line = {ptx.p, end ? (size_t)(end - ptx.p) + 1 : ptx.len};
        const char *from = memmem(line.p, line.len, load, sizeof load - 1),
                   *to = from ? memmem(line.p, line.len, at, sizeof at - 1) : NULL;
        ptx = (Str){ptx.p + line.len, ptx.len - line.len};
        if (str_starts(line, first))
            buf_printf(&out, "    .reg .b64 %%hint;\n    createpolicy.fractional.L2::%s.b64 %%hint, 1.0;\n",
                       policy);
        if (to)
            buf_printf(&out, "%.*sld.global.L2::cache_hint.v4.u32 %.*s[%%place], %%hint;\n",
                       (int)(from - line.p), line.p, (int)(to - from - (int)sizeof load + 1),
                       from + sizeof load - 1);
        else
            buf_put(&out, line.p, line.len);
    }
    const char *text = buf_cstr(&out);
    return (Str){text, out.len};
}

typedef struct {
    bool copies, last, cleared; // last: beside loads that are to be evicted last
} OrderKind;

static void order_tell(Measurer *m, int jobs, int64_t bytes, OrderKind kind) {
    static const char *const hint[] = {NULL, "evict_first", "evict_last"};
    const int64_t each[2] = {bytes, bytes};
    for (int i = 0; i < jobs; i++) {
        Arena a = {0};
        TimingContender contender[9];
        TimingJob job;
        Measured seen;
        job_begin(&job, contender, 2, bytes);
        job.seed = even_seed(i);
        job.rounds = 21;
        job.uncleared = !kind.cleared;
        for (int k = 0; k < 6; k++) {
            if (k % 3 == 2 && !kind.last) continue;
            const char *policy = hint[k % 3],
                       *name = arena_printf(&a, "%s %d", policy ? policy : "plain", k < 3 ? 1 : 4);
            TimingContender *c = &contender[job.contenders++];
            *c = (TimingContender){str_of(name), false, {0}};
            streaming_run(&a, each, 2, bytes, k < 3 ? 1 : 4, &c->run);
            if (policy) c->run.kernel[0].image = hinted(&a, c->run.kernel[0].image, policy);
        }
        for (int k = 0; k < 3 && kind.copies; k++) {
            TimingContender *c = &contender[job.contenders++];
            *c = (TimingContender){str_of(arena_printf(&a, "copy %d", 1 << k)), false, {0}};
            (void)copying_run(&a, &contender[0].run, 1 << k, &c->run);
        }
        if (!measurer_run(&a, m, &job, input_fd, &seen, &e)) fail("order");
        TimingJob as_run = job;
        as_run.seed >>= 1;
        for (int k = 0; k < seen.result.contenders; k++) {
            const TimedContender *c = &seen.result.contender[k];
            printf("{\"job\":%d,\"copies\":%d,\"last\":%d,\"cleared\":%d,\"contenders\":%d,\"place\":%d,"
                   "\"name\":\"%.*s\",\"why\":\"%s\",\"us\":[",
                   i, kind.copies, kind.last, kind.cleared, job.contenders, k, STR_ARG(c->name), c->why);
            for (int j = 0; j < c->colds; j++) printf("%s%.3f", j ? "," : "", c->cold[j]);
            printf("],\"rounds\":[");
            for (int j = 0; j < c->colds; j++) {
                int turn[9];
                timing_turns(&as_run, j, turn);
                int before = 0;
                for (int t = 1; t < job.contenders; t++)
                    if (turn[t] == k) before = turn[t - 1] + 1;
                printf("%s%d", j ? "," : "", before - 1);
            }
            printf("]}\n");
        }
        arena_free(&a);
    }
}

#define PTX_HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"
static const char illegal[] = PTX_HEAD ".visible .entry wild()\n{\n    .reg .b64 %a;\n    mov.u64 %a, 4096;\n"
                                       "    st.global.u64 [%a], %a;\n    ret;\n}\n";
static const char endless[] =
    PTX_HEAD ".visible .entry wild()\n{\n    .reg .b64 %c;\nagain:\n    mov.u64 %c, %clock64;\n"
             "    bra again;\n}\n";

static void fault_tell(Measurer *m, const char *name, const char *ptx) {
    Arena a = {0};
    const int64_t bytes = 1 << 20;
    TimedStep step = {.kind = STEP_LAUNCH, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    TimedKernel kernel = {.entry = STR("wild"), .image = str_of(ptx), .cluster = 1};
    TimedBuffer buffer = {-1, bytes};
    TimingContender contender = {STR("wild"), false, {&buffer, 1, &kernel, 1, &step, 1, 0, {{0, 0}}, 1}};
    TimingJob job;
    Measured seen;
    job_begin(&job, &contender, 1, bytes);
    job.contenders = 1;
    job.seconds = 2;
    double from = clock_seconds();
    bool ok = measurer_run(&a, m, &job, input_fd, &seen, &e);
    printf("{\"fault\":\"%s\",\"answered\":%s,\"end\":%d,\"why\":\"%s\",\"seconds\":%.2f}\n", name,
           ok ? "true" : "false", ok ? (int)seen.result.contender[0].end : -1,
           ok ? seen.result.contender[0].why : e.msg, clock_seconds() - from);
    e = (Err){0};
    from = clock_seconds();
    streams_tell(m, 1, 8 << 20);
    printf("{\"after\":\"%s\",\"processes\":%d,\"seconds\":%.2f}\n", name, measurer_processes(m),
           clock_seconds() - from);
    arena_free(&a);
}

int main(int argc, char **argv) {
    int twins = 0, processes = 0, faults = 0, orders = 0, mb = 64;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--twins") == 0) twins = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--rows") == 0) processes = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--order") == 0) orders = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--mb") == 0) mb = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--faults") == 0) faults = atoi(argv[i + 1]);
    }
    const int64_t most = (int64_t)512 << 20;
    input_fd = memfd_create("input", 0);
    if (input_fd < 0 || ftruncate(input_fd, most) != 0) return 3;
    Measurer *m;
    DeviceFacts f;
    if (!measurer_open(NULL, &m, &e) || !measurer_facts(m, &f, &e)) fail("the GPU");
    printf("{\"name\":\"%s\",\"cuda\":%d,\"capability\":\"%d.%d\",\"processors\":%d,\"sm_khz\":%d,\"memory_"
           "khz\":%d,\"bus_bits\":%d,"
           "\"l2_bytes\":%lld,\"memory_bytes\":%lld,\"free_bytes\":%lld,\"shared_most\":%d}\n",
           f.name, f.version, f.major, f.minor, f.processors, f.sm_khz, f.memory_khz, f.bus_bits,
           (long long)f.l2_bytes, (long long)f.memory_bytes, (long long)f.free_bytes, f.shared_most);
    for (int i = 0; i < faults; i++) {
        fault_tell(m, "illegal address", illegal);
        fault_tell(m, "no end", endless);
    }
    if (faults) {
        measurer_close(m);
        return 0;
    }
    if (orders) {
        static const OrderKind kind[] = {{false, true, true},  {true, true, true},  {true, false, true},
                                         {false, true, false}, {true, true, false}, {true, false, false}};
        for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
            order_tell(m, orders, (int64_t)mb << 20, kind[k]);
    } else if (twins) {
        twins_tell(m, twins);
    } else if (processes) {
        for (int i = 0; i < processes; i++) {
            measurer_close(m);
            if (!measurer_open(NULL, &m, &e)) fail("the GPU");
            streams_tell(m, 1, 32 << 20);
        }
    } else {
        for (int64_t bytes = 1 << 19; bytes <= most; bytes *= 2) streams_tell(m, 1, bytes);
        streams_tell(m, 2, 64 << 20);
    }
    measurer_close(m);
    return 0;
}
