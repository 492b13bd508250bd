#include "cmd/shared/problem_set.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "host/policy/library_names.h"
#include "op/suite.h"

typedef struct {
    const char *level, *name; // folder; file without .py
} Problem;

typedef struct {
    Problem at[PROBLEMS_MAX];
    int n;
} Problems;

// "level2" before "level10", "3_x" before "12_y": by the numbers in them.
static int by_numbers(const char *x, const char *y) {
    while (*x && *y) {
        bool digits = *x >= '0' && *x <= '9' && *y >= '0' && *y <= '9';
        if (!digits && *x != *y) return *x < *y ? -1 : 1;
        if (!digits) {
            x++, y++;
            continue;
        }
        char *x_end, *y_end;
        unsigned long long a = strtoull(x, &x_end, 10), b = strtoull(y, &y_end, 10);
        if (a != b) return a < b ? -1 : 1;
        x = x_end, y = y_end;
    }
    return (*x != 0) - (*y != 0);
}

static int by_problem(const void *a, const void *b) {
    const Problem *x = a, *y = b;
    int order = by_numbers(x->level, y->level);
    return order ? order : by_numbers(x->name, y->name);
}

static bool asked_for(Arena *a, const char *globs, const char *path) {
    Str rest = str_of(globs ? globs : "*"), glob;
    while (str_piece(&rest, ',', &glob))
        if (fnmatch(str_cdup(a, glob), path, 0) == 0) return true;
    return false;
}

static bool list_level(Arena *a, const ProblemSet *set, const char *level, Problems *out, Err *e) {
    DIR *d = opendir(arena_printf(a, "%s/%s", set->dir, level));
    bool ok = true;
    for (const struct dirent *f; ok && d && (f = readdir(d));) {
        if (!str_ends(str_of(f->d_name), ".py")) continue;
        const char *name = arena_strndup(a, f->d_name, strlen(f->d_name) - 3);
        if (!asked_for(a, set->globs, arena_printf(a, "%s/%s", level, name))) continue;
        ok = out->n < PROBLEMS_MAX ||
             err_set(e, ERR_LIMIT, "%s: more than %d problems", set->dir, PROBLEMS_MAX);
        if (ok) out->at[out->n++] = (Problem){level, name};
    }
    if (d) closedir(d);
    return ok;
}

static bool list_all(Arena *a, const ProblemSet *set, Problems *out, Err *e) {
    DIR *d = opendir(set->dir);
    if (!d) return err_set(e, ERR_USAGE, "--kernelbench %s: %s", set->dir, strerror(errno));
    bool ok = true;
    for (const struct dirent *f; ok && (f = readdir(d));)
        if (str_starts(str_of(f->d_name), "level"))
            ok = list_level(a, set, arena_strndup(a, f->d_name, strlen(f->d_name)), out, e);
    closedir(d);
    qsort(out->at, (size_t)out->n, sizeof *out->at, by_problem);
    return ok;
}

bool problem_set_read(Arena *a, ProblemSet *set, Err *e) {
    Problems *p = NEW(a, Problems);
    if (!list_all(a, set, p, e)) return false;
    if (!p->n)
        return err_set(e, ERR_USAGE, "--kernelbench %s: no level*/*.py%s%s", set->dir,
                       set->globs ? " is called like " : "", set->globs ? set->globs : "");
    set->row = NEWN(a, EvaluationOp, (size_t)p->n);
    set->rows = p->n;
    for (int i = 0; i < p->n; i++) {
        const Problem *x = &p->at[i];
        EvaluationOp *row = &set->row[i];
        Err why = {0};
        const char *path = arena_printf(a, "%s/%s/%s.py", set->dir, x->level, x->name);
        if (set->read) set->read(set->arg, i, p->n);
        DomainAsked domain = set->domain;
        if (!domain.library && strcmp(x->level, "level1") == 0) domain.library = 1 + LIBRARY_NONE;
        if (!service_op(set->service, a, path, &domain, &row->op, &why))
            row->unjudged = arena_printf(a, "%s", why.msg);
        else if (!row->op.form)
            return err_set(e, ERR_INPUT, "%s: not a reference in module form", path);
        row->op.name = str_of(arena_printf(a, "%s/%s", x->level, x->name));
        row->group = str_of(x->level);
    }
    return true;
}
