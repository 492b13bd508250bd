// inside [FROM [TO]] - the self-test's programs by number, each on some small cases, by the code that runs in
// a verdict's children, but outside of any sandbox: for valgrind, which knows no seccomp. Every program has a
// process of its own, so that what one leaves in memory hides nothing of the next. Fails when one of them
// ends badly, which is what valgrind makes of an error.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/draw.h"
#include "op/op.h"
#include "sandbox/fork_server.h"

static int fail(const char *why) {
    fprintf(stderr, "inside: %s\n", why);
    return 1;
}

static int child_outside(const Op *op, Str source, Pool *pool, int number) {
    static const DType dtype[] = {DT_F32, DT_F16, DT_BF16};
    enum { MEMORY = 96 << 20 };
    Arena a = {0};
    Err e = {0};
    DrawFilter small = {.m = 3 + number % 3, .n = number % 2 ? 34 : 130, .dtype = (int)dtype[number % 3]};
    DrawFilter any = {.m = small.m, .n = small.n, .dtype = -1};
    Draw d;
    // An op of one dtype has no cases of others.
    if (!draw_make(&a, pool,
                   &(DrawRequest){.op = op, .level = LEVEL_QUICK, .seed = (uint64_t)number, .filter = &small},
                   &d, &e) &&
        !draw_make(&a, pool,
                   &(DrawRequest){.op = op, .level = LEVEL_QUICK, .seed = (uint64_t)number, .filter = &any},
                   &d, &e))
        return fail(e.msg);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    ChildJob job = {.draw = d.mapping, .draw_bytes = d.bytes, .report_fd = null};
    JobHeader header = {.magic = WIRE_MAGIC, .source_len = (uint32_t)source.len, .arena_bytes = MEMORY};
    job.job_bytes = sizeof header + source.len;
    // From malloc, not from an arena: what lies beyond, and what nobody has set, is seen.
    uint8_t *text = malloc(job.job_bytes);
    job.output_bytes = (size_t)d.output_bytes;
    job.output = calloc(1, job.output_bytes + 1);
    job.arena = malloc(MEMORY);
    job.arena_bytes = MEMORY;
    if (null < 0 || !text || !job.output || !job.arena) return fail(strerror(errno));
    memcpy(text, &header, sizeof header);
    memcpy(text + sizeof header, source.p, source.len);
    job.job = text;
    int code = child_interpret(&job);
    free(text);
    free(job.output);
    free(job.arena);
    close(null);
    draw_free(&d);
    arena_free(&a);
    return code;
}

static int run_all(int from, int to) {
    Arena a = {0};
    int n, bad = 0, ran = 0;
    const Program *p = op_programs(&a, &n);
    for (int i = from; i < n && i < to; i++, ran++) {
        pid_t pid = fork();
        if (pid < 0) return fail(strerror(errno));
        if (pid == 0) {
            Pool *pool = pool_open(1);
            Op op;
            int code = op_find(&a, p[i].op, &op) ? child_outside(&op, p[i].source, pool, i) : 1;
            pool_close(pool);
            arena_free(&a);
            exit(code);
        }
        int status;
        if (waitpid(pid, &status, 0) == pid && status == 0) continue;
        bad++;
        printf("%s: %s %d\n", p[i].name, WIFEXITED(status) ? "exit" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    arena_free(&a);
    printf("%d programs, %d ended badly\n", ran, bad);
    return bad > 0;
}

int main(int argc, char **argv) {
    // Controls: these two must be noticed, the third must not.
    char *volatile p = malloc(16);
    if (argc == 2 && strcmp(argv[1], "--read-unset") == 0) {
        int code = p && p[7] == 'x' ? 3 : 0;
        free(p);
        return code;
    }
    if (argc == 2 && strcmp(argv[1], "--lose") == 0) return p = NULL, 0;
    free(p);
    if (argc == 2 && strcmp(argv[1], "--nothing") == 0) return 0;
    return run_all(argc > 1 ? atoi(argv[1]) : 0, argc > 2 ? atoi(argv[2]) : INT32_MAX);
}
