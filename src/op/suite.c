#include "op/suite.h"
#include "op/embed.h"

bool suite_source(Str name, Str *source) {
    for (const EmbeddedFile *f = embedded_files; f->name; f++) {
        size_t n = strlen(f->name);
        if (n != name.len + 3 || memcmp(f->name, name.p, name.len) != 0 ||
            strcmp(f->name + name.len, ".py") != 0)
            continue;
        if (memchr(f->name, '/', n)) continue;
        *source = (Str){f->text, f->len};
        return true;
    }
    return false;
}

Str str_trim(Str s) {
    while (s.len && strchr(" \t\r\n", s.p[s.len - 1])) s.len--;
    while (s.len && strchr(" \t\r\n", s.p[0])) s = (Str){s.p + 1, s.len - 1};
    return s;
}

bool str_piece(Str *rest, char separator, Str *piece) {
    if (!rest->len) return false;
    const char *end = memchr(rest->p, separator, rest->len);
    size_t n = end ? (size_t)(end - rest->p) : rest->len;
    *piece = str_trim((Str){rest->p, n});
    *rest = end ? (Str){end + 1, rest->len - n - 1} : (Str){rest->p + n, 0};
    return true;
}

Str source_header(Str source, const char *key) {
    enum { LINES = 16 };
    Str rest = source, line;
    for (int i = 0; i < LINES && str_piece(&rest, '\n', &line); i++) {
        if (!str_starts(line, "#")) continue;
        line = str_trim((Str){line.p + 1, line.len - 1});
        if (!str_starts(line, key)) continue;
        line = (Str){line.p + strlen(key), line.len - strlen(key)};
        if (str_starts(line, ":")) return str_trim((Str){line.p + 1, line.len - 1});
    }
    return (Str){0};
}
