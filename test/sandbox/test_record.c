// Recording in a real child: the built-in programs at a large size, an autotuned one, one that keeps things
// between calls; and children that lie.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "op/op.h"
#include "sandbox/record.h"
#include <stdio.h>
#include <stdlib.h>

static ForkServers *servers;
static Arena a;

static bool record(const char *op_name, int64_t rows, int64_t row, Str source, Recording *out) {
    Op op;
    Err e = {0};
    RecordOrder order;
    int64_t size[OP_DIMS_MAX] = {0};
    assert_true(op_find(&a, str_of(op_name), &op));
    for (int i = 0; i < op.dims; i++) {
        size[i] = i == op.rows_dim ? rows : i == op.row_dim ? row : op.dim[i].usual ? op.dim[i].usual : 8;
        if (op.dim[i].of >= 0) size[i] = size[op.dim[i].of] / op.dim[i].divisor;
    }
    bool ok = record_order(&op, size, DT_F16, 132, &order, &e) &&
              record_run(servers, &a, source, (Extras){0}, &order, out, &e);
    if (!ok) fail_msg("%s", e.msg);
    return out->ok;
}

static void one(void **state) {
    (void)state;
    const char *path = getenv("RECORD_FILE");
    if (!path) return;
    static char text[1 << 20];
    FILE *f = fopen(path, "r");
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    Recording r;
    Err e = {0};
    Buf b = BUF(&a);
    if (!record(getenv("RECORD_OP"), 8192, 8192, (Str){text, n}, &r)) { printf("NOT %s: %.*s\n", path, STR_ARG(r.why)); return; }
    assert_true(recorded_run_write(&b, &r.run, &e));
    printf("%s\n", buf_cstr(&b));
    for (int i = 0; i < r.run.kernels; i++) printf("%.*s\n", STR_ARG(r.run.kernel[i].source));
}

static int setup(void **state) {
    (void)state;
    Err e = {0};
    return fork_servers_open(child_interpret, &servers, &e) ? 0 : -1;
}
static int teardown(void **state) {
    (void)state;
    fork_servers_close(servers);
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
