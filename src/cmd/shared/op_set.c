#include "cmd/shared/op_set.h"

#include <fnmatch.h>
#include <stdio.h>

#include "base/io.h"
#include "cmd/shared/judging.h"
#include "op/suite.h"

static bool add_op(Arena *a, OpSet *v, const Op *op, Err *e) {
    for (int i = 0; i < v->count; i++)
        if (str_eq(v->op[i].name, op->name)) return true;
    if (v->count == OPS_MAX) return err_set(e, ERR_USAGE, "--ops: more than %d ops", OPS_MAX);
    if (v->count == v->room) {
        v->room = 2 * v->room + 64;
        v->op = MORE(a, Op, v->op, v->count, v->room);
    }
    v->op[v->count++] = *op;
    return true;
}

static bool add_matching(Arena *a, OpSet *v, const char *glob, Err *e) {
    int n, before = v->count;
    const Str *names = op_names(a, &n);
    for (int i = 0; i < n; i++) {
        Op op;
        if (fnmatch(glob, str_cdup(a, names[i]), 0) == 0 && op_find(a, names[i], &op) &&
            !(op_in_domain(&op, &v->domain, e) && add_op(a, v, &op, e)))
            return false;
    }
    return v->count > before || err_set(e, ERR_USAGE, "--ops: no new op is called like '%s'", glob);
}

static bool add_ops(Arena *a, OpSet *v, Str set, int depth, Err *e);

static bool add_item(Arena *a, OpSet *v, const char *item, int depth, Err *e) {
    if (strcmp(item, "all") == 0) return add_matching(a, v, "*", e);
    if (strpbrk(item, "*?[")) return add_matching(a, v, item, e);
    if (item[0] == '@') {
        Str text;
        if (depth) return err_set(e, ERR_USAGE, "%s: files of ops do not name further files", item);
        return io_read(a, item + 1, 1 << 20, &text, e) && add_ops(a, v, text, 1, e);
    }
    Op op;
    if (!service_op(v->service, a, item, &v->domain, &op, e)) {
        if (!v->skips || e->code != ERR_INPUT) return false;
        fprintf(stderr, "ouroboros %s: left out: %s\n", v->verb, e->msg);
        *e = (Err){0};
        v->skipped++;
        return true;
    }
    op_understood(v->verb, item, &op);
    return add_op(a, v, &op, e);
}

// Items between commas and newlines; behind '#' a comment.
static bool add_ops(Arena *a, OpSet *v, Str set, int depth, Err *e) {
    for (Str line; str_piece(&set, '\n', &line);) {
        const char *comment = line.len ? memchr(line.p, '#', line.len) : NULL;
        if (comment) line.len = (size_t)(comment - line.p);
        for (Str item; str_piece(&line, ',', &item);)
            if (item.len && !add_item(a, v, str_cdup(a, item), depth, e)) return false;
    }
    return true;
}

bool op_set_read(Arena *a, OpSet *set, const char *text, Err *e) {
    if (!add_ops(a, set, str_of(text), 0, e)) return false;
    return set->count > 0 || err_set(e, ERR_USAGE, "--ops names no op");
}
