// compile_kernels PYTHON CACHE [OP-PREFIX | FILE.py...] - records what the built-in right programs ask of a
// GPU at two sizes, and compiles all of their kernels with the Triton of PYTHON, in the sandbox: a line for
// each program, counts at the end. For a program whose kernels Triton refuses the line says why; exit 1 where
// more than the expected ones do.
#include "base/clock.h"
#include "base/io.h"
#include "measure/compile/compile.h"
#include "sandbox/record.h"
#include <stdio.h>
#include <stdlib.h>

static ForkServers *servers;
static Compilers *compilers;
static int programs, recorded, kernels, compiled, refused;

// Kernels that the referee accepts and Triton 3.6 does not compile, or not in a minute: an early return of a
// helper within a loop; a sort of 8,192 elements. doc/trust.md tells of such.
static bool known_to_fail(Str kernel) { return str_is(kernel, "some_rows") || str_is(kernel, "sm_kernel"); }

static bool order_for(const Op *op, int64_t rows, int64_t row, RecordOrder *out) {
    int64_t size[OP_DIMS_MAX] = {0};
    Err e = {0};
    for (int i = 0; i < op->dims; i++) {
        size[i] = i == op->rows_dim ? rows : i == op->row_dim ? row : op->dim[i].usual ? op->dim[i].usual : 8;
        if (op->dim[i].of >= 0) size[i] = size[op->dim[i].of] / op->dim[i].divisor;
    }
    return record_order(op, size, DT_F16, 132, out, &e);
}

static bool compile_all(Arena *a, const Recording *r, const char *label, Err *e) {
    const RunKernel **list = NEWN(a, const RunKernel *, (size_t)r->run.kernels + 1);
    Compiled *out = NEWN(a, Compiled, (size_t)r->run.kernels + 1);
    for (int i = 0; i < r->run.kernels; i++) list[i] = &r->run.kernel[i];
    if (!compilers_run(a, compilers, list, r->run.kernels, out, e)) return false;
    for (int i = 0; i < r->run.kernels; i++) {
        kernels++;
        compiled += out[i].ok;
        refused += !out[i].ok && !known_to_fail(list[i]->name);
        if (!out[i].ok)
            printf("%s %.*s: not compiled: %.*s\n", label, STR_ARG(list[i]->name), STR_ARG(out[i].why));
        else
            printf("%s %.*s: %zu bytes, shared %d, %d warps, %.0f ms%s\n", label, STR_ARG(list[i]->name),
                   out[i].cubin.image.len, out[i].cubin.shared, out[i].cubin.num_warps,
                   (double)out[i].elapsed_us * 1e-3, out[i].cached ? ", cached" : "");
    }
    return true;
}

static bool one(const Program *p, int64_t row, Err *e) {
    Arena a = {0};
    Op op;
    RecordAsk ask = {.source = p->source};
    Recording r;
    char label[200];
    snprintf(label, sizeof label, "%s %lld", p->name, (long long)row);
    bool ok = op_find(&a, p->op, &op) && order_for(&op, 4096, row, &ask.order);
    if (ok) {
        programs++;
        ok = record_run(servers, &a, &ask, &r, e);
        if (ok && !r.ok) printf("%s: not recorded: %.*s\n", label, STR_ARG(r.why));
        if (ok && r.ok) recorded++, ok = compile_all(&a, &r, label, e);
        fflush(stdout);
    }
    arena_free(&a);
    return ok;
}

// Of files the first lines say which op: "# op: NAME".
static bool file(Arena *a, const char *path, Program *out, Err *e) {
    *out = (Program){.name = path, .kind = PROGRAM_HONEST};
    if (!io_read(a, path, 1 << 20, &out->source, e)) return false;
    const char *at = memmem(out->source.p, out->source.len, "# op: ", 6);
    size_t left = at ? (size_t)(out->source.p + out->source.len - at - 6) : 0;
    const char *end = at ? memchr(at + 6, '\n', left) : NULL;
    if (!end) return err_set(e, ERR_INPUT, "%s: no line \"# op: NAME\"", path);
    out->op = (Str){at + 6, (size_t)(end - at - 6)};
    return true;
}

int main(int argc, char **argv) {
    Arena a = {0};
    Err e = {0};
    if (argc < 3) return fprintf(stderr, "usage: compile_kernels PYTHON CACHE [OP-PREFIX | FILE.py...]\n"), 2;
    CompileOptions o = {.python = argv[1],
                        .cache = argv[2],
                        .workers = getenv("WORKERS") ? atoi(getenv("WORKERS")) : 2,
                        .recheck = getenv("RECHECK") ? atoi(getenv("RECHECK")) : 0,
                        .target = {90}};
    double begun = clock_seconds();
    bool ok = fork_servers_open(child_interpret, &servers, &e) && compilers_open(&a, &o, &compilers, &e);
    if (ok) printf("%s, ready after %.1f s\n", compilers_versions(compilers), clock_seconds() - begun);
    int n = 0;
    const Program *all = ok ? op_programs(&a, &n) : NULL;
    bool files = argc > 3 && str_ends(str_of(argv[3]), ".py");
    for (int i = 3; ok && files && i < argc; i++) {
        Program p;
        ok = file(&a, argv[i], &p, &e) && one(&p, 1024, &e) && one(&p, 8192, &e);
    }
    for (int i = 0; ok && !files && i < n; i++)
        if ((all[i].kind == PROGRAM_GOLD || all[i].kind == PROGRAM_HONEST) &&
            str_starts(all[i].op, argc > 3 ? argv[3] : ""))
            ok = one(&all[i], 1024, &e) && one(&all[i], 8192, &e);
    if (ok) {
        CompileCounts c = compilers_counts(compilers);
        printf("%d programs and sizes, %d recorded; %d kernels, %d compiled; %.1f s\n"
               "cache hits %lld, rechecked %lld, differed %lld, restarts %lld\n",
               programs, recorded, kernels, compiled, clock_seconds() - begun, (long long)c.cache_hits,
               (long long)c.rechecked, (long long)c.differed, (long long)c.restarts);
    }
    compilers_close(compilers);
    fork_servers_close(servers);
    if (!ok) return fprintf(stderr, "compile_kernels: %s\n", e.msg), 3;
    return recorded == programs && refused == 0 && kernels > 0 ? 0 : 1;
}
