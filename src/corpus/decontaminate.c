#include "corpus/decontaminate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "corpus/row.h"
#include "lang/ast.h"
#include "service/stream_read.h"

static void add(Against *g, Str source) {
    if (g->n == g->room) {
        g->room = 2 * g->room + 256;
        for (int k = 0; k < 3; k++) g->at[k] = MORE(&g->arena, Sha256, g->at[k], g->n, g->room);
    }
    Identity id = identity_of(source);
    g->at[0][g->n] = id.canonical;
    g->at[1][g->n] = id.structure;
    g->at[2][g->n++] = id.skeleton;
}

static void add_line(Against *g, Str line) {
    Arena a = {0};
    Row row;
    Err why = {0};
    if (row_read(&a, line, &row, &why))
        add(g, row.source);
    else
        g->unread++;
    arena_free(&a);
}

static bool add_lines(Against *g, LineReader *r, Err *e) {
    for (;;) {
        Str line;
        switch (reader_next(r, &line)) {
        case LINE_END: return true;
        case LINE_NONE:
            if (!reader_fill(r, e)) return false;
            break;
        case LINE_TOO_LONG: g->unread++; break;
        case LINE_READY: add_line(g, line); break;
        }
    }
}

bool against_add(Against *g, const char *path, Err *e) {
    if (str_ends(str_of(path), ".py")) {
        Str source;
        if (!io_read_file(&g->arena, path, SOURCE_MAX, &source, e)) return false;
        add(g, source);
        return true;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    LineReader r = {0};
    bool ok = reader_open(&r, fd, e) && (add_lines(g, &r, e) || err_ctx(e, "%s", path));
    reader_close(&r);
    close(fd);
    return ok;
}

static int by_bytes(const void *x, const void *y) { return memcmp(x, y, sizeof(Sha256)); }

void against_ready(Against *g) {
    for (int k = 0; k < 3 && g->n; k++) qsort(g->at[k], (size_t)g->n, sizeof(Sha256), by_bytes);
}

bool against_has(const Against *g, const StoredProgram *p) {
    const Sha256 *of[] = {&p->canonical, &p->structure, &p->skeleton};
    for (int k = 0; k < 3 && g->n; k++)
        if (bsearch(of[k], g->at[k], (size_t)g->n, sizeof(Sha256), by_bytes)) return true;
    return false;
}

void against_free(Against *g) { arena_free(&g->arena); }
