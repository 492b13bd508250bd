#include "corpus/import.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "corpus/module_pair.h"
#include "corpus/program_hashes.h"
#include "corpus/row.h"
#include "corpus/store_answer.h"
#include "service/stream_read.h"

static const double TOGETHER_SECONDS = 0.5;
enum { MODULES_WAITING = 64 }; // each holds a definition of its own, of a megabyte and more

typedef struct {
    const ImportRequest *q;
    ImportTally *out;
    Ladder *ladder;
    Recorder recorder;
    Arena ops;     // as long as verdicts come in
    const Op **of; // [count]
    int count, room;
    const char *file;
    double last;
} Import;

static bool is_interrupted(const Import *v) { return v->q->interrupted && v->q->interrupted(v->q->arg); }

// ---- answers

static void count_answer(ImportTally *t, const LadderAnswer *n, Recorded put) {
    t->lost += n->lost;
    t->fresh += put.fresh;
    t->known += put.known; // a line like an earlier one, which was still being judged
    if (put.known) return;
    t->accepted += n->accepted;
    t->rejected += !n->lost && n->decided && !n->accepted;
    t->undecided += !n->lost && !n->decided;
}

static bool put_answers(Import *v, double seconds, Err *e) {
    LadderAnswer *list = ladder_take(v->ladder, seconds);
    v->last = clock_seconds();
    if (!list) return true;
    bool ok = store_begin(v->q->store, e);
    for (const LadderAnswer *n = list; ok && n; n = n->next) {
        Recorded put = {0};
        if (!n->lost) ok = record_answer(&v->recorder, n->of, n, &put, e);
        if (ok) count_answer(v->out, n, put);
    }
    ok = ok && store_commit(v->q->store, e);
    if (!ok) store_rollback(v->q->store);
    for (const LadderAnswer *n = list; n; n = n->next) pending_release(n->of);
    ladder_release(list);
    if (v->q->told) v->q->told(v->q->arg, v->out);
    return ok;
}

// ---- lines

// By its exact name only: a line from elsewhere names no file. NULL: there is none. A definition of the
// user's that is refused ends the import.
static bool op_named(Import *v, Str name, const Op **out, Err *e) {
    *out = NULL;
    for (int i = 0; i < v->count && !*out; i++)
        if (str_eq(v->of[i]->name, name)) *out = v->of[i];
    if (*out || !name.len) return true;
    Op *op = NEW(&v->ops, Op);
    name = str_dup(&v->ops, name);
    if (!op_find(&v->ops, name, op)) return true;
    if (op->user && !service_op(v->q->service, &v->ops, str_cdup(&v->ops, name), &(DomainAsked){0}, op, e))
        return false;
    if (v->count == v->room) {
        v->room = 2 * v->room + 64;
        v->of = MORE(&v->ops, const Op *, v->of, v->count, v->room);
    }
    v->of[v->count++] = *out = op;
    return true;
}

static bool keep_unverifiable(Import *v, const Pending *k, Err *e) {
    int64_t id;
    bool fresh;
    if (!store_begin(v->q->store, e)) return false;
    bool ok = store_program_put(v->q->store, &k->program, &id, &fresh, e) && store_commit(v->q->store, e);
    if (!ok) store_rollback(v->q->store);
    v->out->fresh += ok && fresh;
    v->out->unverifiable++;
    return ok;
}

// The pair of a row that names no op becomes one of its module. What is wrong with the module is told in
// `why`; only what fails here is an error.
static bool op_of_pair(Import *v, Pending *k, const Row *row, ModulePair *pair, const char **why, Err *e) {
    Err bad = {0};
    if (!module_pair(&k->arena, row->module, row->source, pair)) {
        *why = "its module has no class X of which its kernels have XNew";
        return true;
    }
    Op *op = NEW(&k->arena, Op);
    if (service_module(v->q->service, &k->arena, pair->reference, &(DomainAsked){0}, op, &bad)) {
        k->op = op;
        return true;
    }
    if (bad.code == ERR_IO) {
        *e = bad;
        return false;
    }
    *why = arena_printf(&k->arena, "its module: %s", bad.msg);
    return true;
}

static Str why_not(const Row *row, const char *module) {
    if (row->op.len) return STR("no op of this name is known");
    return row->module.len ? str_of(module) : STR("no op is named");
}

// Until few wait, of which none waits for company.
static bool wait_for_modules(Import *v, Err *e) {
    if (ladder_waiting(v->ladder) < MODULES_WAITING) return true;
    bool ok = true;
    service_gather(v->q->service, GATHER_NONE);
    while (ok && ladder_waiting(v->ladder) > MODULES_WAITING / 2 && !is_interrupted(v) &&
           !service_failed(v->q->service))
        ok = put_answers(v, TOGETHER_SECONDS, e);
    service_gather(v->q->service, GATHER_FAST);
    return ok;
}

static bool take_row(Import *v, Arena *a, const Row *row, Err *e) {
    static const DrawFilter everything = {.dtype = -1};
    const Op *op;
    if (!op_named(v, row->op, &op, e)) return false;
    Pending *k = pending_new();
    ModulePair pair = {.candidate = row->source};
    const char *why = NULL;
    if (!row->op.len && row->module.len && !op_of_pair(v, k, row, &pair, &why, e))
        return pending_release(k), false;
    const bool by_module = k->op != NULL;
    if (by_module) op = k->op;
    Str licence = row->licence.len ? row->licence : v->q->licence;
    Str origin = row->origin.len ? row->origin : STR("import");
    k->op = op;
    k->program = (StoredProgram){.op = by_module ? STR(MODULE_OP)
                                       : op      ? op->name
                                                 : row->op,
                                 .domain = by_module ? str_of(module_key(a, op))
                                           : op      ? str_of(domain_key(a, op, &everything))
                                                     : (Str){0},
                                 .source = row->source,
                                 .smith = row->smith,
                                 .model = row->model,
                                 .prompt = row->prompt,
                                 .licence = licence,
                                 .origin = origin,
                                 .module = row->module,
                                 .seed = -1};
    if (!op) k->program.unverifiable = why_not(row, why);
    pending_keep(k);
    int64_t standing = 0;
    bool ok = op ? record_known(&v->recorder, k, &standing, e) : keep_unverifiable(v, k, e);
    v->out->known += standing > 0;
    if (!ok || !op || standing) return pending_release(k), ok;
    ladder_ask(v->ladder, op, &everything, by_module ? pair.candidate : k->program.source, k);
    return !by_module || wait_for_modules(v, e);
}

static bool take_line(Import *v, LineState state, Str line, int64_t number, Err *e) {
    Arena a = {0};
    Row row;
    Err why = {0};
    bool ok = true, read = state == LINE_TOO_LONG
                               ? err_set(&why, ERR_LIMIT, "longer than %d MiB", STREAM_REQUEST_MAX >> 20)
                               : row_read(&a, line, &row, &why);
    v->out->lines++;
    if (read)
        ok = take_row(v, &a, &row, e);
    else {
        v->out->bad++;
        v->q->bad(v->q->arg, v->file, number, &why);
    }
    arena_free(&a);
    return ok && (clock_seconds() - v->last < TOGETHER_SECONDS || put_answers(v, 0, e));
}

static bool is_blank(Str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!char_is_space(s.p[i])) return false;
    return true;
}

static bool take_lines(Import *v, LineReader *r, Err *e) {
    while (!is_interrupted(v) && !service_failed(v->q->service)) {
        Str line;
        LineState state = reader_next(r, &line);
        if (state == LINE_END) return true;
        if (state == LINE_NONE) {
            if (!reader_fill(r, e)) return false;
            continue;
        }
        if (state == LINE_READY && is_blank(line)) continue;
        if (!take_line(v, state, line, r->line, e)) return false;
    }
    return true;
}

static bool take_file(Import *v, const char *path, Err *e) {
    bool input = strcmp(path, "-") == 0;
    int fd = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    LineReader r = {0};
    v->file = input ? "standard input" : path;
    bool ok = reader_open(&r, fd, e) && (take_lines(v, &r, e) || err_ctx(e, "%s", v->file));
    reader_close(&r);
    if (!input) close(fd);
    return ok;
}

static bool take_all(Import *v, const char *const *file, int files, Err *e) {
    service_gather(v->q->service, GATHER_FAST);
    for (int i = 0; i < files && !is_interrupted(v); i++)
        if (!take_file(v, file[i], e)) return false;
    service_gather(v->q->service, GATHER_NONE);
    while (ladder_waiting(v->ladder) > 0) {
        if (is_interrupted(v)) ladder_cancel(v->ladder);
        if (!put_answers(v, TOGETHER_SECONDS, e)) return false;
    }
    return true;
}

bool corpus_import(const ImportRequest *q, const char *const *file, int files, ImportTally *out, Err *e) {
    *out = (ImportTally){0};
    Arena a = {0};
    Import v = {
        .q = q, .out = out, .recorder = {.store = q->store, .build = q->build}, .last = clock_seconds()};
    bool ok = ladder_open(&a, q->service, &v.ladder, e);
    if (ok) ok = ladder_close(v.ladder, pending_drop, take_all(&v, file, files, e), e);
    arena_free(&v.ops);
    arena_free(&a);
    return ok;
}
