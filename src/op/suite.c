#include "op/suite.h"
#include "base/io.h"
#include "op/embed.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

enum { ADDED_MAX = 256 };
// What op_suite_add read: set before anything is looked up, never changed after.
static Definition added[ADDED_MAX];
static int added_count;

static bool embedded_definition(const EmbeddedFile *f, Definition *out) {
    Str name = str_of(f->name);
    if (memchr(name.p, '/', name.len) || !str_ends(name, ".py")) return false;
    *out = (Definition){.name = {name.p, name.len - 3}, .source = {f->text, f->len}};
    return true;
}

// *at counts the embedded files up, then the added definitions down from -1.
bool suite_next(int *at, Definition *out) {
    while (*at >= 0 && embedded_files[*at].name)
        if (embedded_definition(&embedded_files[(*at)++], out)) return true;
    if (*at >= 0) *at = -1;
    if (-*at > added_count) return false;
    *out = added[-*at - 1];
    (*at)--;
    return true;
}

bool suite_find(Str name, Definition *out) {
    int at = 0;
    while (suite_next(&at, out))
        if (str_eq(out->name, name)) return true;
    return false;
}

// ---- a folder of definitions ----

// Names without ".py", sorted: the order of a folder is the file system's.
static bool folder_names(Arena *a, const char *dir, Str name[ADDED_MAX], int *count, Err *e) {
    DIR *d = opendir(dir);
    if (!d) return err_set(e, ERR_IO, "cannot open the folder %s: %s", dir, strerror(errno));
    *count = 0;
    bool fits = true;
    for (const struct dirent *f; fits && (f = readdir(d)) != NULL;) {
        Str file = str_of(f->d_name);
        if (file.p[0] == '.' || !str_ends(file, ".py")) continue;
        fits = *count < ADDED_MAX - added_count;
        if (fits) name[(*count)++] = str_dup(a, (Str){file.p, file.len - 3});
    }
    closedir(d);
    if (!fits) return err_set(e, ERR_INPUT, "%s: at most %d definitions can be added", dir, ADDED_MAX);
    if (!*count) return err_set(e, ERR_INPUT, "%s holds no .py definition", dir);
    qsort(name, (size_t)*count, sizeof *name, str_cmp_at);
    return true;
}

// Names become words of the command line and of journals: what an identifier may hold.
static bool is_op_name(Str s) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
    }
    return s.len > 0 && s.len <= OP_NAME_MAX;
}

static bool add_one(Arena *a, const char *dir, Str name, Err *e) {
    Definition *add = &added[added_count];
    const char *path = arena_printf(a, "%s/%.*s.py", dir, STR_ARG(name));
    Op op;
    if (!is_op_name(name))
        return err_set(e, ERR_INPUT, "%s: an op's name has letters, digits and _, at most %d of them", path,
                       OP_NAME_MAX);
    if (op_find(a, name, &op)) return err_set(e, ERR_INPUT, "%s: the suite has an op of this name", path);
    *add = (Definition){.name = name, .user = true};
    if (!io_read_file(a, path, OP_SOURCE_MAX, &add->source, e)) return false;
    DiagList d = DIAGS(a);
    if (!op_define(a, name, add->source, true, &op, &d)) {
        const Diag *first = diag_first(&d);
        LineCol at = line_col(add->source, first ? first->span.at : 0);
        return err_set(e, ERR_INPUT, "%s:%d:%d: %s", path, at.line, at.col,
                       first ? first->msg : "not a definition");
    }
    added_count++;
    return true;
}

bool op_suite_add(Arena *a, const char *dir, Err *e) {
    Str name[ADDED_MAX];
    int count;
    if (!folder_names(a, dir, name, &count, e)) return false;
    for (int i = 0; i < count; i++)
        if (!add_one(a, dir, name[i], e)) return false;
    return true;
}

// ---- text ----

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0; }

static Str trim_left(Str s) {
    while (s.len && is_blank(s.p[0])) s = (Str){s.p + 1, s.len - 1};
    return s;
}

Str str_trim(Str s) {
    while (s.len && is_blank(s.p[s.len - 1])) s.len--;
    return trim_left(s);
}

bool str_piece(Str *rest, char separator, Str *piece) {
    if (!rest->len) return false;
    const char *end = memchr(rest->p, separator, rest->len);
    size_t n = end ? (size_t)(end - rest->p) : rest->len;
    *piece = str_trim((Str){rest->p, n});
    *rest = end ? (Str){end + 1, rest->len - n - 1} : (Str){rest->p + n, 0};
    return true;
}

// Six headers of each of a thousand programs: lines of code are passed over without a look at their ends.
Str source_header(Str source, const char *key) {
    enum { LINES = 16 };
    Str rest = source;
    for (int i = 0; i < LINES && rest.len; i++) {
        const char *end = memchr(rest.p, '\n', rest.len);
        Str line = {rest.p, end ? (size_t)(end - rest.p) : rest.len};
        rest = (Str){line.p + line.len + (end != NULL), rest.len - line.len - (end != NULL)};
        line = trim_left(line);
        if (!str_starts(line, "#")) continue;
        line = trim_left((Str){line.p + 1, line.len - 1});
        if (!str_starts(line, key)) continue;
        line = (Str){line.p + strlen(key), line.len - strlen(key)};
        if (str_starts(line, ":")) return str_trim((Str){line.p + 1, line.len - 1});
    }
    return (Str){0};
}
