#include "corpus/held_out.h"

#include "base/io.h"
#include "op/embed.h"
#include "op/suite.h"
#include "service/request.h"

const char *const split_name[SPLITS] = {"train", "validation", "test"};
enum { LIST_BYTES = 64 << 10 };

static int part_named(const ChainPart *part, int n, Str name) {
    for (int i = 0; i < n; i++)
        if (str_is(name, part[i].name)) return i;
    return -1;
}

static bool read_chain(Str rest, HeldOut *h) {
    const ChainPart *norm, *epilogue;
    int norms = chain_norms(&norm), epilogues = chain_epilogues(&epilogue);
    Str word[4] = {{0}};
    for (int i = 0; i < 4; i++)
        if (!str_piece(&rest, ' ', &word[i])) return false;
    h->norm = part_named(norm, norms, word[0]);
    h->residual = str_is(word[1], chain_residual()->name);
    h->epilogue = part_named(epilogue, epilogues, word[2]);
    h->dtype = -1;
    return !rest.len && h->norm >= 0 && (h->residual || str_is(word[1], "-")) &&
           (h->epilogue >= 0 || str_is(word[2], "-")) &&
           (str_is(word[3], "*") || filter_dtype(word[3], &h->dtype));
}

static bool read_line(Arena *a, Str line, HeldOut *h) {
    Str rest = str_dup(a, line), kind;
    const ChainPart *epilogue;
    int epilogues = chain_epilogues(&epilogue);
    h->text = rest;
    if (!str_piece(&rest, ' ', &kind)) return false;
    h->name = str_trim(rest);
    h->kind = str_is(kind, "chain") ? HELD_CHAIN : str_is(kind, "epilogue") ? HELD_EPILOGUE : HELD_SCHEDULE;
    if (h->kind == HELD_CHAIN) return read_chain(rest, h);
    if (h->kind == HELD_EPILOGUE) return (h->epilogue = part_named(epilogue, epilogues, h->name)) >= 0;
    return str_is(kind, "schedule") && h->name.len;
}

static Str built_in(void) {
    for (const EmbeddedFile *f = embedded_files; f->name; f++)
        if (strcmp(f->name, "held_out.txt") == 0) return (Str){f->text, f->len};
    return (Str){0};
}

bool held_out_read(Arena *a, const char *path, HeldOutList *out, Err *e) {
    Str text = built_in();
    const char *name = path ? path : "held_out.txt";
    *out = (HeldOutList){0};
    if (path && !io_read(a, path, LIST_BYTES, &text, e)) return false;
    int number = 0;
    for (Str line; str_piece(&text, '\n', &line);) {
        number++;
        if (!line.len || line.p[0] == '#') continue;
        if (out->n == HELD_OUT_MAX) return err_set(e, ERR_LIMIT, "%s: at most %d lines", name, HELD_OUT_MAX);
        if (!read_line(a, line, &out->at[out->n++]))
            return err_set(e, ERR_INPUT,
                           "%s:%d: a line is \"epilogue NAME\", \"schedule WORDS\", or \"chain NORM add|- "
                           "EPILOGUE|- DTYPE|*\"",
                           name, number);
    }
    return true;
}

static bool chain_is(const HeldOut *h, const Chain *c, const DrawFilter *filter) {
    bool epilogue = h->epilogue < 0 ? c->epilogues == 0 : c->epilogues == 1 && c->epilogue[0] == h->epilogue;
    // A program for all dtypes shows this one, too.
    bool dtype = h->dtype < 0 || filter->dtype < 0 || filter->dtype == h->dtype;
    return h->norm == c->norm && h->residual == c->residual && epilogue && dtype;
}

static bool has_epilogue(const Chain *c, int epilogue) {
    for (int i = 0; i < c->epilogues; i++)
        if (c->epilogue[i] == epilogue) return true;
    return false;
}

const HeldOut *held_out_by(const HeldOutList *list, const Op *op, const DrawFilter *filter, Str schedule) {
    Chain c;
    Str name = op->name;
    if (op->variant.len && name.len > op->variant.len + 1) name.len -= op->variant.len + 1;
    bool chain = chain_parse(name, &c);
    for (int i = 0; i < list->n; i++) {
        const HeldOut *h = &list->at[i];
        if (h->kind == HELD_CHAIN && chain && chain_is(h, &c, filter)) return h;
        if (h->kind == HELD_EPILOGUE && chain && has_epilogue(&c, h->epilogue)) return h;
        if (h->kind == HELD_SCHEDULE && schedule.len >= h->name.len &&
            memcmp(schedule.p, h->name.p, h->name.len) == 0)
            return h;
    }
    return NULL;
}

Split split_of(const StoredProgram *p, double validation) {
    const uint8_t *h = p->skeleton.byte;
    double at = (h[0] * 65536.0 + h[1] * 256.0 + h[2]) / 16777216.0;
    return at < validation ? SPLIT_VALIDATION : SPLIT_TRAIN;
}
