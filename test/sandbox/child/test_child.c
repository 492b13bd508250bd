// The real child behind the real filter: what it reports for an accepted program and for each kind of
// finding.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "sandbox/fork_server.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CASES = 3, ROOM = 4096 };
static ForkServer *fork_server;

// ---- no memory from the system ----
// The fork server's heap has free space that a forked child could use without any system call, so the filter
// alone does not notice every allocation. Here each one is the end. (Sanitizers bring their own malloc.)

static bool closed_in;
enum { EXIT_ALLOCATED = 90 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OTHER_MALLOC 1
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(OTHER_MALLOC) && \
    defined(__GLIBC__)
#define OWN_MALLOC 1
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n) {
    if (closed_in) _exit(EXIT_ALLOCATED);
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    if (closed_in) _exit(EXIT_ALLOCATED);
    return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
    if (closed_in) _exit(EXIT_ALLOCATED);
    return __libc_realloc(p, n);
}
#else
#define OWN_MALLOC 0
#endif

static int child_without_malloc(const ChildJob *j) {
    closed_in = true;
    if (j->job_bytes > sizeof(JobHeader) && j->job[sizeof(JobHeader)] == '!') {
        void *volatile kept = malloc(10); // or a compiler leaves the call out
        return kept ? 0 : 1;
    }
    return child_interpret(j);
}

// ---- a draw: x (float32) in three shapes, the second one strided with an offset ----

typedef struct {
    DrawHeader header;
    CaseSpec spec[CASES];
    CaseTensor input[CASES];
    float data[3][1024];
} Draw;

static const int64_t rows[CASES] = {1, 3, 2}, row[CASES] = {1000, 17, 64};

static float input_at(int index, int64_t i) { return (float)(i % 97) - 40 + (float)index; }

static void draw_init(Draw *d, int64_t steps) {
    *d = (Draw){.header = {.magic = WIRE_MAGIC, .cases = CASES}};
    for (int k = 0; k < CASES; k++) {
        CaseSpec *s = &d->spec[k];
        int64_t pitch = k == 1 ? row[k] + 5 : row[k], offset = k == 1 ? 3 : 0;
        *s = (CaseSpec){.inputs = 1,
                        .outputs = 1,
                        .output_at = k * ROOM,
                        .output_bytes = rows[k] * row[k] * 4,
                        .output = {{0, rows[k] * row[k] * 4, -1}},
                        .steps = steps};
        s->order_seed = (uint64_t)k;
        s->inputs_at = (int64_t)offsetof(Draw, input) + k * (int64_t)sizeof(CaseTensor);
        CaseTensor *t = &d->input[k];
        *t = (CaseTensor){.dtype = DT_F32, .rank = 2, .offset = offset};
        t->shape[0] = rows[k];
        t->shape[1] = row[k];
        t->stride[0] = pitch;
        t->stride[1] = 1;
        t->at = (int64_t)offsetof(Draw, data) + k * (int64_t)sizeof d->data[k];
        t->bytes = (offset + rows[k] * pitch) * 4;
        for (int64_t r = 0; r < rows[k]; r++)
            for (int64_t c = 0; c < row[k]; c++)
                d->data[k][offset + r * pitch + c] = input_at(k, r * row[k] + c);
    }
}

typedef struct {
    Arena arena;
    ChildResult r;
    WireEnd end;
    const char *why;
} Run;

static Run run_with(const Draw *d, Str source, size_t memory) {
    int fd = memfd_create("draw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, d, sizeof *d), sizeof *d);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW), 0);
    ForkJob job = {.draw_fd = fd,
                   .draw_bytes = sizeof *d,
                   .source = source,
                   .output_bytes = CASES * ROOM,
                   .arena_bytes = memory,
                   .wall_seconds = 30,
                   .max_reports = CASES + 1};
    Run run = {0};
    Err e = {0};
    if (!fork_server_run(fork_server, &run.arena, &job, &run.r, &e)) fail_msg("%s", e.msg);
    close(fd);
    if (run.r.end != CHILD_EXITED || run.r.code)
        fail_msg("child: end %d, code %d: %.*s", run.r.end, run.r.code, STR_ARG(source));
    run.end = wire_check(run.r.report, run.r.reports, CASES, source.len, &run.why);
    assert_false(run.r.garbage);
    return run;
}

static Run run_source(const char *source) {
    Draw d;
    draw_init(&d, 10000000);
    return run_with(&d, str_of(source), 64 << 20);
}

static void run_free(Run *run) {
    child_result_free(fork_server, &run->r);
    arena_free(&run->arena);
}

#define HEAD "import torch\nimport triton\nimport triton.language as tl\n\n"
#define KERNEL(body)                                        \
    HEAD "@triton.jit\n"                                    \
         "def k(x, out, stride, N, BLOCK: tl.constexpr):\n" \
         "    r = tl.program_id(0)\n"                       \
         "    i = tl.arange(0, BLOCK)\n" body "\n"
#define HOST                                                                 \
    "def run(x):\n"                                                          \
    "    M, N = x.shape\n"                                                   \
    "    out = torch.empty((M, N), dtype=x.dtype, device=x.device)\n"        \
    "    k[(M,)](x, out, x.stride(0), N, BLOCK=triton.next_power_of_2(N))\n" \
    "    return out\n"
#define LOAD "    v = tl.load(x + r * stride + i, mask=i < N, other=0.0)\n"

// ---- tests ----

static void an_allocation_would_be_noticed(void **state) {
    (void)state;
    if (!OWN_MALLOC) skip();
    Draw d;
    draw_init(&d, 1);
    int fd = memfd_create("draw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, &d, sizeof d), sizeof d);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK), 0);
    ForkJob job = {.draw_fd = fd,
                   .draw_bytes = sizeof d,
                   .source = STR("!"),
                   .output_bytes = CASES * ROOM,
                   .arena_bytes = 1 << 20,
                   .wall_seconds = 30,
                   .max_reports = CASES + 1};
    Arena a = {0};
    ChildResult r;
    Err e = {0};
    assert_true(fork_server_run(fork_server, &a, &job, &r, &e));
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.code, EXIT_ALLOCATED);
    child_result_free(fork_server, &r);
    arena_free(&a);
    close(fd);
}

// Two jobs of one source in one child, with memory of different sizes: what is told of the second one is what
// a child of its own says.
static void jobs_of_one_child_are_like_jobs_alone(const char *source, const size_t memory[2], int told) {
    Draw d[2];
    ForkJob job[2];
    Err e = {0};
    Arena a = {0};
    ForkParts both;
    for (int k = 0; k < 2; k++) {
        draw_init(&d[k], k ? 10000000 : 9000000);
        for (int i = 0; k && i < CASES; i++) d[k].spec[i].order_seed += 7;
        int fd = memfd_create("draw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        assert_int_equal(write(fd, &d[k], sizeof d[k]), sizeof d[k]);
        assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW), 0);
        job[k] = (ForkJob){.draw_fd = fd,
                           .draw_bytes = sizeof d[k],
                           .source = str_of(source),
                           .output_bytes = CASES * ROOM,
                           .arena_bytes = memory[k],
                           .wall_seconds = 30,
                           .max_reports = CASES + 1};
    }
    if (!fork_server_run_parts(fork_server, &a, job, 2, &both, &e)) fail_msg("%s", e.msg);
    assert_int_equal(both.told, told);
    for (int k = 0; k < told; k++) {
        Run alone = run_with(&d[k], str_of(source), memory[k]);
        const ChildResult *r = &both.part[k];
        const char *why;
        assert_int_equal(wire_check(r->report, r->reports, CASES, strlen(source), &why), alone.end);
        assert_int_equal(r->reports, alone.r.reports);
        assert_memory_equal(r->report, alone.r.report, sizeof *r->report * (size_t)r->reports);
        assert_memory_equal(r->output, alone.r.output, CASES * ROOM);
        run_free(&alone);
    }
    child_result_free(fork_server, &both.all);
    arena_free(&a);
    for (int k = 0; k < 2; k++) close(job[k].draw_fd);
}

static void jobs_follow_each_other(void **state) {
    (void)state;
    static const size_t grows[] = {64 << 20, 96 << 20}, shrinks[] = {96 << 20, 64 << 20},
                        small[] = {2 << 20, 2 << 20};
    static const char right[] = KERNEL(LOAD "    tl.store(out + r * N + i, v * 2.0 + 1.0, mask=i < N)") HOST;
    // A branch that some cases take: coverage is told of each job by itself.
    static const char branches[] = KERNEL(LOAD "    if r > 1:\n        v = v + 1.0\n"
                                               "    tl.store(out + r * N + i, v, mask=i < N)") HOST;
    // Wrong in every job: the second one comes behind a finding.
    static const char outside[] = KERNEL(LOAD "    tl.store(out + r * N + i + 1, v, mask=i < N)") HOST;
    const char *const source[] = {right, branches, outside};
    for (int i = 0; i < 3; i++) {
        jobs_of_one_child_are_like_jobs_alone(source[i], grows, 2);
        jobs_of_one_child_are_like_jobs_alone(source[i], shrinks, 2);
    }
    // So little memory that each job lays it out in its own way; and a source that does not even read.
    jobs_of_one_child_are_like_jobs_alone(right, small, 1);
    jobs_of_one_child_are_like_jobs_alone("def run(x):\n", grows, 1);
}

static void a_right_program_runs_every_case(void **state) {
    (void)state;
    Run run = run_source(KERNEL(LOAD "    tl.store(out + r * N + i, v * 2.0 + 1.0, mask=i < N)") HOST);
    if (run.end != WIRE_DONE)
        fail_msg("%s", run.end == WIRE_BROKEN ? run.why : run.r.report[run.r.reports - 1].message);
    for (int k = 0; k < CASES; k++) {
        const CaseReport *r = &run.r.report[k];
        assert_int_equal(r->output[0].dtype, DT_F32);
        assert_int_equal(r->output[0].rank, 2);
        assert_int_equal(r->output[0].shape[0], rows[k]);
        assert_int_equal(r->output[0].shape[1], row[k]);
        assert_int_equal(r->output[0].unwritten, 0);
        assert_int_equal(r->count.launches, 1);
        assert_int_equal(r->count.programs, rows[k]);
        assert_true(r->count.bytes_loaded >= rows[k] * row[k] * 4);
        const float *out = (const float *)(const void *)(run.r.output + k * ROOM);
        for (int64_t i = 0; i < rows[k] * row[k]; i++)
            if (out[i] != input_at(k, i) * 2 + 1)
                fail_msg("case %d element %d: %g", k, (int)i, (double)out[i]);
    }
    run_free(&run);
}

// The short cases go through the configs of an autotuned kernel, one after the other.
#define TUNED(configs)                                                                           \
    HEAD "@triton.autotune(configs=[triton.Config({'F': f}) for f in " configs "], key=['N'])\n" \
         "@triton.jit\n"                                                                         \
         "def k(x, out, stride, N, BLOCK: tl.constexpr, F: tl.constexpr):\n"                     \
         "    r = tl.program_id(0)\n"                                                            \
         "    i = tl.arange(0, BLOCK)\n" LOAD "    tl.store(out + r * N + i, v * F, mask=i < N)\n" HOST
static void short_cases_share_the_configs(void **state) {
    (void)state;
    Run run = run_source(TUNED("(2, 3)"));
    if (run.end != WIRE_DONE) fail_msg("%s", run.r.report[run.r.reports - 1].message);
    for (int k = 1; k < CASES; k++) {
        const float *out = (const float *)(const void *)(run.r.output + k * ROOM);
        for (int64_t i = 0; i < rows[k] * row[k]; i++)
            assert_true(out[i] == input_at(k, i) * (k == 1 ? 2 : 3));
    }
    run_free(&run);
    run = run_source(TUNED("(2, 2, 2)")); // more than there are short cases: not all could be judged
    assert_int_equal(run.end, WIRE_FINDING);
    const CaseReport *last = &run.r.report[run.r.reports - 1];
    assert_int_equal(last->finding, DIAG_UNSUPPORTED);
    assert_non_null(strstr(last->message, "3 configs"));
    run_free(&run);
}

// One block size for all cases: what was compiled for the first one serves the others.
static void a_kernel_compiled_once_serves_later_cases(void **state) {
    (void)state;
    Run run = run_source(KERNEL(
        LOAD "    tl.store(out + r * N + i, v - 1.0, mask=i < N)") "def run(x):\n"
                                                                   "    out = torch.empty_like(x, "
                                                                   "memory_format=torch.contiguous_format)\n"
                                                                   "    k[(x.shape[0],)](x, out, "
                                                                   "x.stride(0), x.shape[1], BLOCK=1024)\n"
                                                                   "    return out\n");
    if (run.end != WIRE_DONE)
        fail_msg("%s", run.end == WIRE_BROKEN ? run.why : run.r.report[run.r.reports - 1].message);
    for (int k = 0; k < CASES; k++) {
        const float *out = (const float *)(const void *)(run.r.output + k * ROOM);
        for (int64_t i = 0; i < rows[k] * row[k]; i++)
            if (out[i] != input_at(k, i) - 1) fail_msg("case %d element %d: %g", k, (int)i, (double)out[i]);
    }
    run_free(&run);
}

// A kernel that just fits is compiled for every case anew: a program never fails for having run before.
static void room_for_code_does_not_run_out_over_the_cases(void **state) {
    (void)state;
    const char *source = KERNEL(LOAD "    for j in tl.static_range(300):\n        v = v * 1.0 + j - j\n"
                                     "    tl.store(out + r * N + i, v, mask=i < N)") HOST;
    Draw d;
    draw_init(&d, 100000000);
    int fits = 0, too_small = 0;
    for (size_t kib = 384; kib <= 32 << 10; kib += kib / 4) {
        Run run = run_with(&d, str_of(source), kib << 10);
        const CaseReport *last = &run.r.report[run.r.reports - 1];
        if (run.end != WIRE_DONE && (run.end != WIRE_FINDING || !strstr(last->message, "memory")))
            fail_msg("%zu KiB: %s", kib, last->message);
        if (run.end == WIRE_FINDING && last->case_index > 0)
            fail_msg("%zu KiB: case %d failed", kib, last->case_index);
        run.end == WIRE_DONE ? fits++ : too_small++;
        run_free(&run);
    }
    assert_true(fits > 0 && too_small > 0);
}

// Found with the C library's sort: beyond a kilobyte it asks the system how much memory there is.
static void many_loops_in_one_kernel(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    buf_puts(&b, KERNEL(LOAD));
    for (int i = 0; i < 300; i++) buf_printf(&b, "    for j%d in range(0, 2):\n        v = v + 1.0\n", i);
    buf_puts(&b, "    tl.store(out + r * N + i, v, mask=i < N)\n" HOST);
    Draw d;
    draw_init(&d, 100000000);
    Run run = run_with(&d, buf_str(&b), 64 << 20);
    assert_int_equal(run.end, WIRE_DONE);
    const float *out = (const float *)(const void *)run.r.output;
    assert_true(out[7] == input_at(0, 7) + 600);
    run_free(&run);
    arena_free(&a);
}

static void each_kind_of_finding(void **state) {
    (void)state;
    static const struct {
        DiagKind kind;
        int index; // -1: of the source
        const char *source;
    } bad[] = {
        {DIAG_SYNTAX, -1, "def run(x:\n"},
        {DIAG_SYNTAX, -1, ""},
        {DIAG_REFUSED, -1, HEAD "def run(x):\n    global y\n    return x\n"},
        {DIAG_UNSUPPORTED, -1,
         HEAD "def run(x):\n    try:\n        return x\n    except:\n        return x\n"},
        {DIAG_REFUSED, -1, HEAD "def run(x):\n    return torch.softmax(x, dim=-1)\n"},
        {DIAG_COMPILE, 0, KERNEL(LOAD "    tl.store(out + r * N + i, tl.nothing(v), mask=i < N)") HOST},
        {DIAG_OOB, 0,
         KERNEL("    v = tl.load(x + r * stride + i)\n    tl.store(out + r * N + i, v, mask=i < N)") HOST},
        {DIAG_OOB, 1,
         KERNEL("    v = tl.load(x + r * N + i, mask=i < N, other=0.0)\n"
                "    tl.store(out + r * N + i, v, mask=i < N)") HOST},
        {DIAG_UNINIT, 0,
         KERNEL("    v = tl.load(out + r * N + i, mask=i < N, other=0.0)\n"
                "    tl.store(out + r * N + i, v, mask=i < N)") HOST},
        {DIAG_WRITE, 0, KERNEL(LOAD "    tl.store(x + r * stride + i, v, mask=i < N)") HOST},
        {DIAG_RACE, 1, KERNEL(LOAD "    tl.store(out + i, v, mask=i < N)") HOST},
        {DIAG_BUDGET, 0,
         KERNEL(LOAD "    n = N\n    while n > 0:\n        n += 1\n        n -= 1\n"
                     "    tl.store(out + r * N + i, v, mask=i < N)") HOST},
        {DIAG_VALUE, 0,
         KERNEL(LOAD "    z = (i // (r * 0)).to(tl.float32)\n"
                     "    tl.store(out + r * N + i, v + z, mask=i < N)") HOST},
        {DIAG_HOST, 0, HEAD "def run(x):\n    return x.shape[7]\n"},
        {DIAG_HOST, 0, HEAD "def run(x):\n    return torch.empty(1 << 40, dtype=x.dtype, device=x.device)\n"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Run run = run_source(bad[i].source);
        if (run.end != WIRE_FINDING) fail_msg("%s:\n%s", run.why ? run.why : "accepted", bad[i].source);
        const CaseReport *r = &run.r.report[run.r.reports - 1];
        if (r->finding != (int)bad[i].kind || r->case_index != bad[i].index)
            fail_msg("%s in case %d: %s\n%s", diag_name((DiagKind)r->finding), r->case_index, r->message,
                     bad[i].source);
        assert_int_equal(run.r.reports, (bad[i].index < 0 ? 0 : bad[i].index) + 1);
        assert_true(r->message[0] != 0);
        run_free(&run);
    }
}

static void what_no_kernel_wrote_is_counted(void **state) {
    (void)state;
    // The first two and the last elements of each row are left out; case 1 has rows of 17.
    Run run = run_source(KERNEL(LOAD "    tl.store(out + r * N + i, v, mask=(i >= 2) & (i < N - 1))") HOST);
    assert_int_equal(run.end, WIRE_DONE);
    for (int k = 0; k < CASES; k++) {
        assert_int_equal(run.r.report[k].output[0].unwritten, 3 * rows[k]);
        assert_int_equal(run.r.report[k].output[0].first_unwritten, 0);
    }
    run_free(&run);
    run = run_source(KERNEL(LOAD "    tl.store(out + r * N + i, v, mask=i < N - 1)") HOST);
    assert_int_equal(run.r.report[1].output[0].unwritten, rows[1]);
    assert_int_equal(run.r.report[1].output[0].first_unwritten, row[1] - 1);
    run_free(&run);
    // An input passed through, and bytes that the host filled in, were written by no kernel.
    run = run_source(HEAD "def run(x):\n    return x\n");
    assert_int_equal(run.end, WIRE_DONE);
    for (int k = 0; k < CASES; k++) assert_int_equal(run.r.report[k].output[0].unwritten, rows[k] * row[k]);
    run_free(&run);
    run = run_source(HEAD "def run(x):\n    return torch.zeros_like(x)\n");
    assert_int_equal(run.end, WIRE_DONE);
    for (int k = 0; k < CASES; k++) assert_int_equal(run.r.report[k].output[0].unwritten, rows[k] * row[k]);
    run_free(&run);
}

static void an_output_without_room_is_only_described(void **state) {
    (void)state;
    Run run =
        run_source(HEAD "def run(x):\n    return torch.zeros((x.shape[0] + 1, x.shape[1]), dtype=x.dtype, "
                        "device=x.device)\n");
    assert_int_equal(run.end, WIRE_DONE);
    assert_int_equal(run.r.report[0].output[0].shape[0], rows[0] + 1);
    for (size_t i = 0; i < run.r.output_bytes; i++) assert_int_equal(run.r.output[i], 0);
    run_free(&run);
    run = run_source(HEAD
                     "def run(x):\n    return torch.empty(x.shape, dtype=torch.float64, device=x.device)\n");
    assert_int_equal(run.end, WIRE_DONE);
    assert_int_equal(run.r.report[0].output[0].dtype, DT_F64);
    for (size_t i = 0; i < run.r.output_bytes; i++) assert_int_equal(run.r.output[i], 0);
    run_free(&run);
}

static void too_little_memory_is_a_finding(void **state) {
    (void)state;
    // Every statement costs nodes of the tree: more than a quarter of 4 MiB, whatever their size.
    Arena a = {0};
    Buf b = BUF(&a);
    buf_puts(&b, HEAD "def run(x):\n");
    for (int i = 0; i < 20000; i++) buf_printf(&b, "    a%d = [1, 2, 3]\n", i);
    buf_puts(&b, "    return x\n");
    Draw d;
    draw_init(&d, 1000000000);
    Run run = run_with(&d, buf_str(&b), 4 << 20);
    assert_int_equal(run.end, WIRE_FINDING);
    assert_int_equal(run.r.report[0].finding, DIAG_UNSUPPORTED);
    assert_int_equal(run.r.report[0].case_index, -1);
    assert_non_null(strstr(run.r.report[0].message, "out of memory"));
    run_free(&run);
    run = run_with(&d, buf_str(&b), 256 << 20); // and enough
    assert_int_equal(run.end, WIRE_DONE);
    run_free(&run);
    arena_free(&a);
}

static void nothing_survives_a_case(void **state) {
    (void)state;
    // A module's list would count the calls if it lived on; so would a default argument.
    Run run = run_source(HEAD "seen = []\n\ndef run(x, n=[0]):\n    seen.append(1)\n    n[0] += 1\n"
                              "    return torch.zeros((len(seen), n[0]), dtype=x.dtype, device=x.device)\n");
    // Either the host refuses such state altogether, or every call starts afresh.
    if (run.end == WIRE_FINDING) {
        assert_true(run.r.report[0].finding == DIAG_REFUSED || run.r.report[0].finding == DIAG_HOST);
    } else {
        assert_int_equal(run.end, WIRE_DONE);
        for (int k = 0; k < CASES; k++) {
            assert_int_equal(run.r.report[k].output[0].shape[0], 1);
            assert_int_equal(run.r.report[k].output[0].shape[1], 1);
        }
    }
    run_free(&run);
}

static void the_same_job_twice_gives_the_same_bytes(void **state) {
    (void)state;
    const char *source = KERNEL(LOAD "    tl.store(out + r * N + i, tl.exp(v * 0.01), mask=i < N)") HOST;
    Run a = run_source(source), b = run_source(source);
    assert_int_equal(a.end, WIRE_DONE);
    assert_int_equal(a.r.reports, b.r.reports);
    assert_memory_equal(a.r.report, b.r.report, (size_t)a.r.reports * sizeof(CaseReport));
    assert_memory_equal(a.r.output, b.r.output, a.r.output_bytes);
    run_free(&a);
    run_free(&b);
}

// x itself is doubled; its gaps stay out of bounds, the mapping stays as it was, and a second run of the same
// case finds the first one's values.
static void an_input_changed_in_place_is_a_copy(void **state) {
    (void)state;
#define DOUBLE(at)                                                      \
    HEAD "@triton.jit\ndef k(x, stride, N, BLOCK: tl.constexpr):\n"     \
         "    r = tl.program_id(0)\n    i = tl.arange(0, BLOCK)\n"      \
         "    v = tl.load(x + r * stride + i, mask=i < N, other=0.0)\n" \
         "    tl.store(x + " at ", v * 2.0, mask=i < N)\n"              \
         "def run(x):\n    M, N = x.shape\n"                            \
         "    k[(M,)](x, x.stride(0), N, BLOCK=triton.next_power_of_2(N))\n"
    Draw d;
    draw_init(&d, 100000000);
    for (int k = 0; k < CASES; k++) {
        d.spec[k].output[0].input = 0;
        d.spec[k].again = 1;
    }
    Run run = run_with(&d, STR(DOUBLE("r * stride + i")), 32 << 20);
    if (run.end != WIRE_DONE) fail_msg("%s", run.r.report[run.r.reports - 1].message);
    for (int k = 0; k < CASES; k++)
        for (int64_t i = 0; i < rows[k] * row[k]; i++) {
            float got;
            memcpy(&got, run.r.output + d.spec[k].output_at + i * 4, 4);
            assert_true(got == 2 * input_at(k, i));
        }
    assert_int_equal(run.r.report[0].output[0].unwritten, 0);
    run_free(&run);
    run = run_with(&d, STR(DOUBLE("r * N + i")), 32 << 20);
    const CaseReport *last = &run.r.report[run.r.reports - 1];
    assert_true(run.end == WIRE_FINDING && (last->finding == DIAG_OOB || last->finding == DIAG_RACE));
    assert_int_equal(last->case_index, 1); // the one with gaps
    run_free(&run);
    d.spec[0].output[0].input = -1; // nothing says that x may be written
    run = run_with(&d, STR(DOUBLE("r * stride + i")), 32 << 20);
    assert_true(run.end == WIRE_FINDING && run.r.report[0].finding == DIAG_WRITE);
    run_free(&run);
}

static void outputs_lie_apart(void **state) {
    (void)state;
    static const struct {
        const char *returned;
        int finding; // 0: none
    } cases[] = {{"out, torch.zeros_like(out)", 0}, {"out, out", DIAG_OVERLAP}, {"out, x", DIAG_OVERLAP}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Draw d;
        Arena a = {0};
        draw_init(&d, 100000000);
        for (int k = 0; k < CASES; k++) {
            CaseSpec *s = &d.spec[k];
            int64_t bytes = rows[k] * row[k] * 4;
            s->outputs = 2;
            s->output[1].input = -1;
            spec_outputs(s, (const int64_t[]){bytes, bytes});
        }
        Buf source = BUF(&a);
        const char *host = strstr(HOST, "return out");
        buf_puts(&source, KERNEL(LOAD "    tl.store(out + r * N + i, v, mask=i < N)"));
        buf_put(&source, HOST, (size_t)(host - HOST));
        buf_printf(&source, "return %s\n", cases[i].returned);
        Run run = run_with(&d, buf_str(&source), 32 << 20);
        const CaseReport *last = &run.r.report[run.r.reports - 1];
        if (cases[i].finding == 0) {
            assert_int_equal(run.end, WIRE_DONE);
            assert_int_equal(run.r.report[2].output[0].unwritten, 0);
            assert_int_equal(run.r.report[2].output[1].unwritten, rows[2] * row[2]); // zeros are no store
        } else {
            assert_int_equal(run.end, WIRE_FINDING);
            assert_int_equal(last->finding, cases[i].finding);
        }
        run_free(&run);
        arena_free(&a);
    }
}

static void broken_mappings_are_our_fault(void **state) {
    (void)state;
    Draw d;
    struct {
        JobHeader header;
        char source[8];
    } job = {.source = "def f():"};
    ChildJob good = {.draw = (const uint8_t *)&d,
                     .draw_bytes = sizeof d,
                     .job = (const uint8_t *)&job,
                     .job_bytes = sizeof job};
    Arena memory = {0};
    good.report_fd = -1;
    good.arena_bytes = 1 << 20;
    good.arena = arena_raw(&memory, good.arena_bytes, 4096);
    for (int i = 0; i < 14; i++) {
        draw_init(&d, 1);
        job.header = (JobHeader){.magic = WIRE_MAGIC, .source_len = 8, .arena_bytes = 1 << 20};
        ChildJob j = good;
        if (i == 0) d.header.magic++;
        if (i == 1) d.header.cases = WIRE_CASES_MAX + 1;
        if (i == 2) d.header.cases = CASES + 1000;
        if (i == 3) job.header.magic++;
        if (i == 4) job.header.source_len++;
        if (i == 5) j.draw_bytes = 4;
        if (i == 6) job.header.watch_at = -64; // what is watched has to lie among the outputs
        if (i == 7) job.header.watch_at = 64;
        if (i == 8) job.header.watch_at = INT64_MAX & ~(int64_t)63;
        if (i == 9) job.header.include_len = -1;
        if (i == 10) job.header.include_len = 1;
        if (i == 11) job.header.source_len = 4, job.header.include_len = 4; // no packed files
        if (i == 12) job.header.sparse_bytes = -1;
        if (i == 13) job.header.sparse_bytes = (1 << 20) + 1;
        assert_int_not_equal(child_interpret(&j), 0);
    }
    arena_free(&memory);
}

// Which place a program gets from a counter is its place in the order, plus one.
#define TICKETS(atomic)                                                                  \
    HEAD "@triton.jit\n"                                                                 \
         "def k(x, out, counter, N, BLOCK: tl.constexpr):\n"                             \
         "    i = tl.arange(0, BLOCK)\n"                                                 \
         "    t = " atomic "\n"                                                          \
         "    tl.store(out + tl.program_id(0) * N + i, 1.0 + t + 0.0 * i, mask=i < N)\n" \
         "def run(x):\n"                                                                 \
         "    M, N = x.shape\n"                                                          \
         "    out = torch.empty((M, N), dtype=x.dtype, device=x.device)\n"               \
         "    c = torch.zeros((1,), dtype=torch.int32, device=x.device)\n"               \
         "    k[(M,)](x, out, c, N, BLOCK=triton.next_power_of_2(N))\n"                  \
         "    return out\n"

static void a_second_order_is_the_first_one_backwards(void **state) {
    (void)state;
    for (int atomics = 0; atomics < 2; atomics++) {
        Draw d;
        draw_init(&d, 10000000);
        for (int k = 0; k < CASES; k++) d.spec[k].again = 1;
        Run run =
            run_with(&d, str_of(atomics ? TICKETS("tl.atomic_add(counter, 1)") : TICKETS("tl.program_id(0)")),
                     64 << 20);
        if (run.end != WIRE_DONE) fail_msg("%s", run.why ? run.why : run.r.report[run.r.reports - 1].message);
        for (int k = 0; k < CASES; k++) {
            // One program has no other order; without atomics one case in four is run again, the first one
            // here.
            const CaseReport *r = &run.r.report[k];
            assert_int_equal(r->again, atomics && rows[k] > 1);
            assert_int_equal(r->atomic_launches, atomics);
            for (int64_t m = 0; atomics && rows[k] > 1 && m < rows[k]; m++) {
                float one, two;
                memcpy(&one, run.r.output + spec_output_at(&d.spec[k], 0) + m * row[k] * 4, 4);
                memcpy(&two, run.r.output + spec_output_at(&d.spec[k], 1) + m * row[k] * 4, 4);
                assert_true(one + two == (float)(rows[k] + 1));
            }
        }
        run_free(&run);
    }
}

int main(void) {
    Err e = {0};
    if (!fork_server_open(child_without_malloc, &fork_server, &e)) return fprintf(stderr, "%s\n", e.msg), 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation_would_be_noticed),
        cmocka_unit_test(jobs_follow_each_other),
        cmocka_unit_test(a_right_program_runs_every_case),
        cmocka_unit_test(a_second_order_is_the_first_one_backwards),
        cmocka_unit_test(short_cases_share_the_configs),
        cmocka_unit_test(a_kernel_compiled_once_serves_later_cases),
        cmocka_unit_test(room_for_code_does_not_run_out_over_the_cases),
        cmocka_unit_test(many_loops_in_one_kernel),
        cmocka_unit_test(each_kind_of_finding),
        cmocka_unit_test(what_no_kernel_wrote_is_counted),
        cmocka_unit_test(an_output_without_room_is_only_described),
        cmocka_unit_test(too_little_memory_is_a_finding),
        cmocka_unit_test(nothing_survives_a_case),
        cmocka_unit_test(the_same_job_twice_gives_the_same_bytes),
        cmocka_unit_test(broken_mappings_are_our_fault),
        cmocka_unit_test(an_input_changed_in_place_is_a_copy),
        cmocka_unit_test(outputs_lie_apart),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fork_server_close(fork_server);
    return failed;
}
