#include "service/taken_back.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/io.h"

static void rewrite(Arena *a, const TakenBack *t, json_t *verdict) {
    static const char *const evidence[] = {"row_bits",    "invariant_bits", "giant",       "sizes",
                                           "op_strength", "unexecuted",     "sizes_tried", "lengths_tried",
                                           "rows_tried",  "sizes_untested", "every_size"};
    Buf where = BUF(a);
    cell_put_place(&where, t->cell);
    json_object_set_new(verdict, "accepted", json_false());
    json_object_set_new(verdict, "status", json_string(status_name(STATUS_incorrect)));
    json_object_set_new(verdict, "rule", json_string("gpu"));
    json_object_set_new(verdict, "feedback", json_quoted(str_of(cell_refutes(a, t->cell))));
    for (size_t i = 0; i < sizeof evidence / sizeof *evidence; i++) json_object_del(verdict, evidence[i]);
    json_object_set_new(verdict, "taken_back",
                        json_pack("{s:o,s:o,s:i,s:s}", "at", json_quoted(buf_str(&where)), "gpu",
                                  json_quoted(str_of(t->timer->gpu.name)), "cuda", t->timer->gpu.version,
                                  "compiler", compilers_versions(t->timer->compilers)));
}

// For whoever asks at either level, of the shape and dtype that were judged or of all.
static int keys_of(const VerdictCache *m, const TakenBack *t, VerdictKey *out) {
    const DrawFilter all = {.dtype = -1};
    int n = 0;
    for (int level = LEVEL_QUICK; level <= LEVEL_FULL; level++)
        for (int f = 0; f < 2; f++) {
            bool restricted = t->filter.m > 0 || t->filter.dtype > 0;
            if (f && !restricted) continue;
            out[n++] = verdict_cache_key(m, t->op, (Level)level, f ? &t->filter : &all, t->source);
        }
    return n;
}

static bool records_write(Arena *a, Journal *j, VerdictCache *m, const TakenBack *t, const json_t *verdict,
                          Err *e) {
    enum { KEYS_MAX = 4 };
    VerdictKey key[KEYS_MAX];
    Str record[KEYS_MAX];
    off_t at[KEYS_MAX];
    int n = keys_of(m, t, key);
    for (int i = 0; i < n; i++) {
        Buf b = BUF(a);
        json_t *o = json_pack("{s:s,s:s}", "record", "verdict", "key", key[i].hex);
        json_object_update(o, (json_t *)(uintptr_t)verdict);
        json_object_del(o, "id");
        json_object_del(o, "cached");
        json_object_del(o, "times");
        json_put(&b, o);
        record[i] = buf_str(&b);
    }
    if (!journal_append(j, record, n, at, e)) return false;
    for (int i = 0; i < n; i++) verdict_cache_put(m, &key[i], at[i]);
    return true;
}

// The whole case in a file of its own, beside the journal: the program, and what its inputs can be drawn from
// again.
static bool archive(Arena *a, const char *state, const TakenBack *t, Err *e) {
    const CellPlace *p = &t->cell->place;
    const char *folder = arena_printf(a, "%s/gpu/taken_back", state);
    char source[65], definition[65];
    sha256_hex(sha256_of(t->source), source);
    sha256_hex(t->op->hash, definition);
    Buf text = BUF(a), b = BUF(a);
    if (t->op->form) // a reference in module form has no tree here
        buf_str_put(&text, t->op->source);
    else
        print_module(&text, t->op->module);
    json_put(&b, json_pack("{s:s,s:o,s:s,s:o,s:s,s:o,s:[I,I],s:s,s:I,s:I,s:o,s:i,s:s,s:o}", "version",
                           OUROBOROS_VERSION, "op", json_quoted(t->op->name), "definition_sha256", definition,
                           "definition", json_quoted(buf_str(&text)), "source_sha256", source, "source",
                           json_quoted(t->source), "shape", (json_int_t)p->rows, (json_int_t)p->columns,
                           "dtype", dtype_info[p->dtype].torch, "inputs_seed",
                           (json_int_t)t->cell->inputs_seed, "sets_seed", (json_int_t)t->cell->sets_seed,
                           "gpu", json_quoted(str_of(t->timer->gpu.name)), "cuda", t->timer->gpu.version,
                           "compiler", compilers_versions(t->timer->compilers), "feedback",
                           json_quoted(str_of(cell_refutes(a, t->cell)))));
    buf_putc(&b, '\n');
    return io_make_dirs(folder, e) &&
           io_write_atomic(arena_printf(a, "%s/%.16s-%" PRId64 "x%" PRId64 "-%s.json", folder, source,
                                        p->rows, p->columns, dtype_info[p->dtype].torch),
                           buf_str(&b), e);
}

bool verdict_take_back(Referee *r, VerdictCache *cache, const TakenBack *t, json_t *verdict, Err *e) {
    Arena a = {0};
    VerdictCache *own = NULL;
    Journal *j = referee_journal(r);
    rewrite(&a, t, verdict);
    bool ok = true;
    if (j) ok = archive(&a, referee_state(r), t, e);
    if (j && !cache && ok) ok = verdict_cache_open(j, 0, referee_extras(r), &own, e);
    if (j && ok) ok = records_write(&a, j, cache ? cache : own, t, verdict, e);
    verdict_cache_close(own);
    arena_free(&a);
    return ok;
}
