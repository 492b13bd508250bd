// chain_program.c - self-test programs of chains, made of two texts: the gold kernel of the bare norm, and
// the statements of an epilogue in the place of its line "# epilogue".
#include "op/embed.h"
#include "op/suite.h"
#include <assert.h>

static const struct {
    const char *epilogue, *wrong, *expect, *about, *code;
    ProgramKind kind;
} rows[] = {
#define KIND_gold  PROGRAM_GOLD
#define KIND_wrong PROGRAM_WRONG
#define CHAIN_PROGRAM(epilogue, kind, name, expect, about, code) \
    {#epilogue, name, expect, about, code, KIND_##kind},
#include "op/chain.def"
#undef CHAIN_PROGRAM
};
enum { ROWS = sizeof rows / sizeof *rows };

// With and without a residual.
static int forms(void) {
    const ChainPart *norm;
    return 2 * chain_norms(&norm);
}

int chain_program_count(void) { return ROWS * forms(); }

static Str gold_of(Arena *a, Str name) {
    const char *file = arena_printf(a, "gold/%.*s.py", STR_ARG(name));
    for (const EmbeddedFile *f = embedded_files; f->name; f++)
        if (strcmp(f->name, file) == 0) return (Str){f->text, f->len};
    assert(false); // every bare norm has a gold
    return (Str){0};
}

// The template's own header is left out: it speaks of the bare norm.
static void put_body(Buf *out, Str body, const char *code) {
    bool head = true;
    int marks = 0;
    while (body.len) {
        const char *end = memchr(body.p, '\n', body.len);
        Str line = {body.p, end ? (size_t)(end - body.p) + 1 : body.len};
        body = (Str){body.p + line.len, body.len - line.len};
        Str text = str_trim(line);
        head = head && str_starts(line, "#");
        if (head) continue;
        if (!str_is(text, "# epilogue")) {
            buf_str_put(out, line);
            continue;
        }
        marks++;
        Str rest = str_of(code), statement;
        while (str_piece(&rest, '\n', &statement))
            buf_printf(out, "%.*s%.*s\n", (int)(text.p - line.p), line.p, STR_ARG(statement));
    }
    assert(marks == 1);
}

static Program program_of(Arena *a, int row, Str bare) {
    Program p = {
        .kind = rows[row].kind, .expect = str_of(rows[row].expect), .about = str_of(rows[row].about)};
    p.op = str_of(arena_printf(a, "%.*s_%s", STR_ARG(bare), rows[row].epilogue));
    p.name = *rows[row].wrong ? arena_printf(a, "%.*s_%s", STR_ARG(p.op), rows[row].wrong) : p.op.p;
    Buf b = BUF(a);
    buf_printf(&b, "# op: %.*s\n", STR_ARG(p.op));
    if (!str_is(p.expect, "ok")) buf_printf(&b, "# expect: %.*s\n", STR_ARG(p.expect));
    buf_printf(&b, "# about: %.*s\n", STR_ARG(p.about));
    put_body(&b, gold_of(a, bare), rows[row].code);
    p.source = buf_str(&b);
    return p;
}

void chain_programs(Arena *a, Program *out) {
    int norms = forms() / 2;
    for (int form = 0; form < 2 * norms; form++) {
        Buf bare = BUF(a);
        chain_bare_name(&bare, form >= norms, form % norms);
        for (int row = 0; row < ROWS; row++) *out++ = program_of(a, row, buf_str(&bare));
    }
}
