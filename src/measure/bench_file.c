#include "measure/bench_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"

enum { FILE_MOST = 64 << 20, CELLS_MOST = 4096, FILES_MOST = 4096 };

// ---- the first line

static json_t *first_line(const BenchFileRequest *q) {
    const Timer *t = q->timer;
    char definition[65];
    sha256_hex(q->op->hash, definition);
    const char *torch = t->baseline ? torch_process_versions(t->baseline) : "";
    return json_pack("{s:s,s:s,s:o,s:s,s:s,s:o,s:i,s:s,s:s,s:i,s:b,s:i}", "record", "bench", "version",
                     OUROBOROS_VERSION, "op", json_quoted(q->op->name), "definition", definition,
                     "source_sha256", q->source_sha256, "gpu", json_quoted(str_of(t->gpu.name)), "cuda",
                     t->gpu.version, "compiler", compilers_versions(t->compilers), "torch", torch, "rounds",
                     t->o.rounds, "alone", t->o.alone, "stability", t->o.again);
}

static const char *value_text(Arena *a, const json_t *v) {
    Buf b = BUF(a);
    if (!v) return "nothing";
    json_put(&b, json_incref((json_t *)(uintptr_t)v));
    return buf_cstr(&b);
}

// `was` belongs to the file at `path`.
static bool first_lines_agree(Arena *a, const char *path, const json_t *was, const json_t *now, Err *e) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)now, key, v) {
        const json_t *old = json_object_get(was, key);
        if (!old && strcmp(key, "torch") == 0) continue; // begun by an older version, which did not say it
        if (!json_equal(old, v))
            return err_set(e, ERR_INPUT,
                           "%s was begun with \"%s\": %s, and here it is %s; give another folder", path, key,
                           value_text(a, old), value_text(a, v));
    }
    return true;
}

// ---- lines

typedef struct {
    Arena *a;
    const char *path;
    Json first;
    bool has_first;
    CellTimes *cell;
    int cells;
    size_t whole; // bytes of whole lines
} Lines;

static bool line_read(Lines *l, Str text, Err *e) {
    Json j;
    Str kind = {0};
    bool ok = json_parse(l->path, text, &j, e) && json_get_text(&j, j.root, "record", &kind);
    if (ok && !l->has_first) {
        if (!str_is(kind, "bench")) ok = err_set(e, ERR_INPUT, "%s holds no measurements of bench", l->path);
        l->has_first = ok;
        l->first = j;
        if (!ok) json_close(&j);
        return ok;
    }
    if (ok && str_is(kind, "cell") && l->cells < CELLS_MOST)
        ok = cell_read(l->a, &j, j.root, &l->cell[l->cells++]);
    json_close(&j);
    return ok;
}

// A last line that a crash has cut off does not count.
static bool lines_read(Lines *l, Str text, Err *e) {
    l->cell = NEWN(l->a, CellTimes, CELLS_MOST);
    for (size_t at = 0; at < text.len;) {
        const char *end = memchr(text.p + at, '\n', text.len - at);
        if (!end) break;
        Str line = {text.p + at, (size_t)(end - text.p) - at};
        if (line.len && !line_read(l, line, e)) return false;
        at += line.len + 1;
        l->whole = at;
    }
    return true;
}

// ---- a file

static const char *file_of(Arena *a, const BenchFileRequest *q) {
    return arena_printf(a, "%s/%.*s-%.12s.jsonl", q->folder, STR_ARG(q->op->name), q->source_sha256);
}

static bool line_write(BenchFile *f, json_t *value, Err *e) {
    Arena a = {0};
    Buf b = BUF(&a);
    json_put_precise(&b, value, 9);
    buf_putc(&b, '\n');
    bool ok = io_write_all(f->fd, b.p, b.len, e) &&
              (fsync(f->fd) == 0 || err_set(e, ERR_IO, "%s", strerror(errno)));
    arena_free(&a);
    if (!ok) err_prefix(e, "%s", f->path);
    return ok;
}

bool bench_file_open(Arena *a, const BenchFileRequest *q, BenchFile *out, Err *e) {
    Str text = {0};
    *out = (BenchFile){.path = file_of(a, q), .fd = -1};
    Lines l = {.a = a, .path = out->path};
    json_t *now = first_line(q);
    bool ok = io_make_dirs(q->folder, e);
    out->fd = ok ? open(out->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (ok && out->fd < 0) ok = err_set(e, ERR_IO, "%s: %s", out->path, strerror(errno));
    ok = ok && io_read_file(a, out->path, FILE_MOST, &text, e) && lines_read(&l, text, e);
    if (ok && l.has_first) ok = first_lines_agree(a, out->path, l.first.root, now, e);
    if (ok && (ftruncate(out->fd, (off_t)l.whole) != 0 || lseek(out->fd, 0, SEEK_END) < 0))
        ok = err_set(e, ERR_IO, "%s: %s", out->path, strerror(errno));
    if (ok && !l.has_first) ok = line_write(out, json_incref(now), e);
    json_decref(now);
    if (l.has_first) json_close(&l.first);
    out->cell = l.cell;
    out->cells = l.cells;
    if (!ok) bench_file_close(out);
    return ok;
}

void bench_file_close(BenchFile *f) {
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

const CellTimes *bench_file_find(const BenchFile *f, CellPlace p) {
    for (int i = f->cells; i-- > 0;) {
        const CellPlace *q = &f->cell[i].place;
        if (q->rows == p.rows && q->columns == p.columns && q->dtype == p.dtype) return &f->cell[i];
    }
    return NULL;
}

bool bench_file_add(BenchFile *f, const CellTimes *c, Err *e) {
    if (c->status == TIMES_failed) return true;
    json_t *line = json_pack("{s:s}", "record", "cell"), *cell = cell_json(c);
    json_object_update(line, cell);
    json_decref(cell);
    return line_write(f, line, e);
}

// ---- a folder

static bool record_read(Arena *a, const char *path, BenchRecord *out, Err *e) {
    Str text;
    int64_t cuda = 0;
    Lines l = {.a = a, .path = path};
    *out = (BenchRecord){0};
    if (!io_read_file(a, path, FILE_MOST, &text, e)) return false;
    bool ok = lines_read(&l, text, e);
    if (ok && l.has_first)
        ok = json_get_text(&l.first, l.first.root, "op", &out->op) &&
             json_get_text(&l.first, l.first.root, "gpu", &out->gpu) &&
             json_get_text(&l.first, l.first.root, "compiler", &out->compiler) &&
             json_get_int(&l.first, l.first.root, "cuda", 0, INT32_MAX, &cuda);
    out->op = str_dup(a, out->op);
    out->gpu = str_dup(a, out->gpu);
    out->compiler = str_dup(a, out->compiler);
    out->cuda = (int)cuda;
    out->cell = l.cell;
    out->cells = l.cells;
    if (l.has_first) json_close(&l.first);
    return ok;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool bench_folder_read(Arena *a, const char *folder, BenchRecord **out, int *n, Err *e) {
    const char **name = NEWN(a, const char *, FILES_MOST);
    int names = 0;
    DIR *d = opendir(folder);
    *n = 0;
    if (!d) return err_set(e, ERR_IO, "%s: %s", folder, strerror(errno));
    for (const struct dirent *f; (f = readdir(d)) && names < FILES_MOST;)
        if (str_ends(str_of(f->d_name), ".jsonl"))
            name[names++] = arena_strndup(a, f->d_name, strlen(f->d_name));
    closedir(d);
    qsort(name, (size_t)names, sizeof *name, by_name);
    *out = NEWN(a, BenchRecord, (size_t)names + 1);
    for (int i = 0; i < names; i++) {
        if (!record_read(a, arena_printf(a, "%s/%s", folder, name[i]), &(*out)[*n], e)) return false;
        if ((*out)[*n].cells) (*n)++;
    }
    return true;
}
