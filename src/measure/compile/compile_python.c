#include "measure/compile/compile_python.h"
#include "base/clock.h"
#include "base/json.h"
#include "op/embed.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 120, SAID_MAX = 1 << 16, LIST_MAX = 128 };
static const char loader[] = "/lib64/ld-linux-x86-64.so.2";

const char *compile_worker_text(void) {
    for (const EmbeddedFile *f = embedded_files; f->name; f++)
        if (strcmp(f->name, "src/measure/compile/compile_worker.py") == 0) return f->text;
    return "";
}

// ---- asking

static _Noreturn void ask(const char *program, int out) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(out, 1);
    dup2(out, 2);
    const char *const argv[] = {program, "-B", "-c", compile_worker_text(), "probe", NULL};
    execvp(program, (char *const *)(uintptr_t)argv);
    _exit(127);
}

static bool hear(int fd, Buf *said) {
    char part[4096];
    double deadline = clock_seconds() + SECONDS;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        double left = deadline - clock_seconds();
        int n = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        ssize_t got = read(fd, part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0;
        if (said->len + (size_t)got > SAID_MAX) return false;
        buf_put(said, part, (size_t)got);
    }
}

static bool probe(Arena *a, const char *program, Str *out, Err *e) {
    int pair[2], status = 0;
    if (pipe2(pair, O_CLOEXEC) != 0) return err_set(e, ERR_IO, "%s: pipe: %s", program, strerror(errno));
    pid_t pid = fork();
    if (pid == 0) ask(program, pair[1]);
    close(pair[1]);
    Buf said = BUF(a);
    bool whole = pid > 0 && hear(pair[0], &said);
    close(pair[0]);
    if (pid > 0 && !whole) kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (pid < 0) return err_set(e, ERR_IO, "%s: fork: %s", program, strerror(errno));
    if (!whole) return err_set(e, ERR_IO, "%s: it does not say which Triton it has", program);
    *out = buf_str(&said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return err_set(e, ERR_IO, "%s: no such program; --python names a Python with Triton 3.6", program);
    if (!said.len) return err_set(e, ERR_IO, "%s: it ends without a word", program);
    if (memmem(said.p, said.len, "No module named 'triton'", 24))
        return err_set(e, ERR_IO, "%s has no Triton: install triton==3.6.0, or name another with --python",
                       program);
    Str last = str_last_part((Str){said.p, said.len ? said.len - 1 : 0}, '\n');
    return err_set(e, ERR_IO, "%s: %.*s", program, (int)(last.len < 200 ? last.len : 200), last.p);
}

// ---- the answer

static bool list(const Json *j, Arena *a, const char *key, const char **item, int *n) {
    const json_t *all = json_object_get(j->root, key);
    for (size_t i = 0; i < json_array_size(all); i++) {
        Str s = json_str(json_array_get(all, i));
        if (!s.p || s.len == 0 || s.p[0] != '/' || memchr(s.p, 0, s.len) || *n == LIST_MAX)
            return err_set(j->e, ERR_INPUT, "%s: \"%s\" names no files", j->file, key);
        item[(*n)++] = str_cdup(a, s);
    }
    return json_is_array(all) || err_set(j->e, ERR_INPUT, "%s: no \"%s\"", j->file, key);
}

static bool versions(Arena *a, const Json *j, CompilePython *out) {
    Str triton = {0}, ptxas = {0}, python = {0}, program = {0};
    if (!json_get_text(j, j->root, "triton", &triton) || !json_get_text(j, j->root, "ptxas", &ptxas) ||
        !json_get_text(j, j->root, "python", &python) || !json_get_text(j, j->root, "program", &program))
        return false;
    if (!str_starts(triton, "3.6."))
        return err_set(j->e, ERR_IO, "%s has Triton %.*s; kernels are compiled with 3.6", j->file,
                       STR_ARG(triton));
    if (!program.len || program.p[0] != '/') return err_set(j->e, ERR_IO, "%s: no program", j->file);
    out->program = str_cdup(a, program);
    out->versions = arena_printf(a, "Triton %.*s, ptxas %.*s, Python %.*s", STR_ARG(triton), STR_ARG(ptxas),
                                 STR_ARG(python));
    return true;
}

static bool understand(Arena *a, const Json *j, CompilePython *out) {
    const char **read = NEWN(a, const char *, LIST_MAX + 8), **run = NEWN(a, const char *, LIST_MAX + 8),
               **path = NEWN(a, const char *, LIST_MAX);
    int reads = 0, runs = 0, paths = 0;
    if (!versions(a, j, out) || !list(j, a, "read", read, &reads) || !list(j, a, "run", run, &runs) ||
        !list(j, a, "path", path, &paths))
        return false;
    static const char *const libraries[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) read[reads++] = libraries[i];
    run[runs++] = loader;
    Buf all = BUF(a);
    for (int i = 0; i < paths; i++) buf_printf(&all, "%s%s", i ? ":" : "", path[i]);
    out->path = buf_cstr(&all);
    out->read = read;
    out->run = run;
    return true;
}

bool compile_python_find(Arena *a, const char *named, CompilePython *out, Err *e) {
    const char *program = named ? named : getenv("OUROBOROS_PYTHON");
    Str said;
    Json j;
    if (!program || !*program) program = "python3";
    if (!probe(a, program, &said, e)) return false;
    bool ok = json_parse(program, said, &j, e) && understand(a, &j, out);
    json_close(&j);
    return ok;
}
