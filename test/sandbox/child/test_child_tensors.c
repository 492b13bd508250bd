// Inputs of which the mapping holds the first rows alone, because all others are copies of them: programs see
// all rows, and an answer that repeats itself in the same way is told by its first rows.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox/child/child.h"
#include "sandbox/fork_server.h"

enum { HELD_ROWS = 7, ROWS = 4001, WIDTH = 64, ROW_BYTES = WIDTH * 4, MEMORY = 64 << 20 };

static ForkServer *fork_server;

typedef struct {
    DrawHeader header;
    CaseSpec spec;
    CaseTensor input;
    float data[HELD_ROWS][WIDTH];
} Draw;

static float input_at(int64_t row, int64_t column) { return (float)(row % HELD_ROWS * 100 + column) - 40; }

static void draw_init(Draw *d, int changed) {
    *d = (Draw){.header = {.magic = WIRE_MAGIC, .cases = 1}};
    d->spec = (CaseSpec){.inputs = 1,
                         .outputs = 1,
                         .output_bytes = ROWS * ROW_BYTES,
                         .output = {{0, ROWS * ROW_BYTES, changed}},
                         .inputs_at = (int64_t)offsetof(Draw, input),
                         .period = HELD_ROWS,
                         .order_seed = 3,
                         .steps = 100000000};
    d->input = (CaseTensor){.dtype = DT_F32,
                            .rank = 2,
                            .shape = {ROWS, WIDTH},
                            .stride = {WIDTH, 1},
                            .at = (int64_t)offsetof(Draw, data),
                            .bytes = ROWS * ROW_BYTES,
                            .held = HELD_ROWS * ROW_BYTES};
    for (int64_t r = 0; r < HELD_ROWS; r++)
        for (int64_t c = 0; c < WIDTH; c++) d->data[r][c] = input_at(r, c);
}

typedef struct {
    Arena arena;
    ChildResult r;
} Run;

static Run run(const Draw *d, const char *source) {
    int fd = memfd_create("draw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, d, sizeof *d), sizeof *d);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW), 0);
    ForkJob job = {.draw_fd = fd,
                   .draw_bytes = sizeof *d,
                   .source = str_of(source),
                   .output_bytes = ROWS * ROW_BYTES,
                   .arena_bytes = MEMORY + memory_repeated(&d->input, 1),
                   .wall_seconds = 30,
                   .max_reports = 2};
    Run run = {0};
    Err e = {0};
    if (!fork_server_run(fork_server, &run.arena, &job, &run.r, &e)) fail_msg("%s", e.msg);
    close(fd);
    return run;
}

static void run_free(Run *run) {
    child_result_free(fork_server, &run->r);
    arena_free(&run->arena);
}

// What element (row, column) of the answer is to be.
typedef float Expected(int64_t row, int64_t column);

static void answers(const char *source, int changed, Expected *expected, int repeats) {
    Draw d;
    const char *why;
    draw_init(&d, changed);
    Run got = run(&d, source);
    assert_true(got.r.end == CHILD_EXITED && got.r.code == 0);
    WireEnd end = wire_check(got.r.report, got.r.reports, 1, strlen(source), &why);
    if (end != WIRE_DONE) fail_msg("%s: %s", got.r.reports ? got.r.report[0].message : why, source);
    const ReportOutput *o = &got.r.report[0].output[0];
    if (o->repeats != repeats) fail_msg("repeats %d: %s", o->repeats, source);
    assert_int_equal(o->unwritten, 0);
    for (int64_t r = 0; r < (repeats ? HELD_ROWS : ROWS); r++)
        for (int64_t c = 0; c < WIDTH; c++) {
            float x;
            memcpy(&x, got.r.output + (r * WIDTH + c) * 4, 4);
            if (x != expected(r, c)) fail_msg("element (%d, %d): %g\n%s", (int)r, (int)c, (double)x, source);
        }
    run_free(&got);
}

#define KERNEL(body)                                                                                 \
    "import torch\nimport triton\nimport triton.language as tl\n"                                    \
    "@triton.jit\ndef k(x, o, M, N: tl.constexpr):\n    r = tl.program_id(0)\n    c = tl.arange(0, " \
    "N)\n" body "@triton.jit\ndef first(o, N: tl.constexpr):\n    c = tl.arange(0, N)\n"             \
    "    tl.store(o + c, tl.load(o + c) + 1)\n"                                                      \
    "def run(x):\n    M, N = x.shape\n    o = torch.empty_like(x)\n"
#define TWICE    "    tl.store(o + r * N + c, tl.load(x + r * N + c) * 2)\n"
#define LAUNCH   "    k[(M,)](x, o, M, N)\n"
#define RETURNED "    return o\n"

static float twice(int64_t row, int64_t column) { return 2 * input_at(row, column); }
static float four_times(int64_t row, int64_t column) { return 4 * input_at(row, column); }
static float backwards(int64_t row, int64_t column) { return input_at(ROWS - 1 - row, column); }
static float with_a_special_row(int64_t row, int64_t column) {
    return (row == 3000 ? 3 : 2) * input_at(row, column);
}
static float with_another_first(int64_t row, int64_t column) {
    return twice(row, column) + (float)(row == 0);
}

static void an_answer_is_told_by_its_first_rows(void **state) {
    (void)state;
    answers(KERNEL(TWICE) LAUNCH RETURNED, -1, twice, 1);
    answers(KERNEL("    tl.store(o + r * N + c, tl.load(x + (M - 1 - r) * N + c))\n") LAUNCH RETURNED, -1,
            backwards, 1);
    // Scratch that repeats itself, two rows for a program, two programs for a row.
    answers(KERNEL(TWICE) LAUNCH "    s = torch.empty_like(x)\n    k[(M,)](o, s, M, N)\n    return s\n", -1,
            four_times, 1);
    answers(KERNEL("    a = (2 * r + tl.arange(0, 2))[:, None] * N + c[None, :]\n    m = a < M * N\n"
                   "    tl.store(o + a, tl.load(x + a, mask=m) * 2, mask=m)\n") "    k[((M + 1) // 2,)](x, "
                                                                                "o, M, N)\n" RETURNED,
            -1, twice, 1);
    answers(KERNEL("    h = tl.arange(0, N // 2) + tl.program_id(1) * (N // 2)\n"
                   "    tl.store(o + r * N + h, tl.load(x + r * N + h) * 2)\n") "    k[(M, 2)](x, o, M, "
                                                                                "N)\n" RETURNED,
            -1, twice, 1);
}

static void other_answers_are_handed_out_whole(void **state) {
    (void)state;
    answers(KERNEL("    v = tl.load(x + r * N + c)\n"
                   "    tl.store(o + r * N + c, tl.where(r == 3000, v * 3, v * 2))\n") LAUNCH RETURNED,
            -1, with_a_special_row, 0);
    // What is changed later is not copied.
    answers(KERNEL(TWICE) LAUNCH "    first[(1,)](o, N)\n" RETURNED, -1, with_another_first, 0);
    // No program of its own for a row; all rows read and changed in place.
    answers(KERNEL("    for a in range(r, M, 40):\n        tl.store(o + a * N + c, tl.load(x + a * N + c) * "
                   "2)\n") "    k[(40,)](x, o, M, N)\n" RETURNED,
            -1, twice, 0);
    answers(KERNEL(TWICE) "    k[(M,)](x, x, M, N)\n", 0, twice, 0);
}

// Its last rows are missing.
static void what_nobody_stores_is_not_told_by_others(void **state) {
    (void)state;
    const char *why, *source = KERNEL(TWICE) "    k[(M - 5,)](x, o, M, N)\n" RETURNED;
    Draw d;
    draw_init(&d, -1);
    Run got = run(&d, source);
    assert_int_equal(wire_check(got.r.report, got.r.reports, 1, strlen(source), &why), WIRE_DONE);
    assert_int_equal(got.r.report[0].output[0].repeats, 0);
    assert_int_equal(got.r.report[0].output[0].unwritten, 5 * WIDTH);
    assert_int_equal(got.r.report[0].output[0].first_unwritten, (ROWS - 5) * WIDTH);
    run_free(&got);
}

static void a_broken_mapping_is_our_fault(void **state) {
    (void)state;
    static const int64_t held[] = {-1, ROWS * ROW_BYTES, ROWS * ROW_BYTES + 1, HELD_ROWS * ROW_BYTES + 64};
    for (size_t k = 0; k < sizeof held / sizeof *held; k++) {
        Draw d;
        draw_init(&d, -1);
        d.input.held = held[k];
        Run got = run(&d, KERNEL(TWICE) LAUNCH RETURNED);
        assert_true(got.r.end == CHILD_EXITED && got.r.code != 0);
        run_free(&got);
    }
}

static long faults(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_minflt;
}

// The pages of a buffer that was used before are mapped many at a time where something is handed out. Those
// of the other half, which nobody asked for, come one by one when they are written to.
static void room_is_mapped_where_it_is_asked_for(void **state) {
    (void)state;
    enum { ALL = 4 << 20, HALF = ALL / 2 };
    int fd = memfd_create("outputs", MFD_CLOEXEC);
    assert_int_equal(ftruncate(fd, ALL), 0);
    uint8_t *before = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(before != MAP_FAILED);
    memset(before, 1, ALL);
    ChildJob job = {.output = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
                    .output_bytes = ALL};
    assert_true(job.output != MAP_FAILED);
    Child c = {.job = &job};
    long at = faults();
    uint8_t *to = output_place(&c, 4096 + 8, HALF - 4096 - 8);
    assert_ptr_equal(to, job.output + 4096 + 8);
    memset(to, 2, HALF - 4096 - 8);
    long asked = faults() - at;
    memset(job.output + HALF, 2, HALF);
    long others = faults() - at - asked;
    enum { LARGE_PAGES = 64 }; // the system maps so much at once that there is nothing to gain
    assert_true(asked < others / 2 || others < LARGE_PAGES);
    assert_true(before[4096 + 7] == 1 && before[4096 + 8] == 2 && before[HALF - 1] == 2);
    assert_ptr_equal(output_place(&c, ALL, 0), job.output + ALL); // nothing, behind the end
    munmap(before, ALL);
    munmap(job.output, ALL);
    close(fd);
}

int main(void) {
    Err e = {0};
    if (!fork_server_open(child_interpret, &fork_server, &e)) return fprintf(stderr, "%s\n", e.msg), 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_told_by_its_first_rows),
        cmocka_unit_test(other_answers_are_handed_out_whole),
        cmocka_unit_test(what_nobody_stores_is_not_told_by_others),
        cmocka_unit_test(a_broken_mapping_is_our_fault),
        cmocka_unit_test(room_is_mapped_where_it_is_asked_for),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fork_server_close(fork_server);
    return failed;
}
