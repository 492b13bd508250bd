#include "corpus/export.h"

#include <stdlib.h>

#include "base/io.h"
#include "base/json.h"
#include "base/numeric/rng.h"
#include "corpus/decontaminate.h"
#include "corpus/op_lookup.h"

enum { NAMES_MAX = 64 }; // different licences, and smiths, that a card counts one by one

typedef struct {
    StoreTally at[NAMES_MAX];
    int n;
} NameCount;

typedef struct {
    const ExportRequest *q;
    ExportTally *t;
    HeldOutList held;
    Against against;
    Sha256 *tests; // structures of what is held out, sorted: no training row has one of them
    int testing, room;
    OpLookup ops;
    Arena names; // of licences and smiths
    NameCount licence, smith;
    IoFile file[SPLITS];
    Buf text[SPLITS];
    Arena buffer;
} Export;

// A program of the op at hand.
typedef struct {
    StoredProgram program;
    OpFound of;
    Split split;
    int held;     // line that holds it back; -1: none
    uint64_t key; // its place among equals, by the seed
    int turn;     // how many of its structure come before it
} Candidate;

typedef struct {
    Candidate *at;
    int n, room;
} Candidates;

bool export_format(Str name, ExportFormat *out) {
    static const char *const names[] = {"chat", "prompt-completion", "kernelbook"};
    for (int i = 0; i < 3; i++)
        if (str_is(name, names[i])) return *out = (ExportFormat)i, true;
    return false;
}

// ---- choosing

static uint64_t key_of(const Export *x, const StoredProgram *p) {
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) v = v << 8 | p->canonical.byte[i];
    return rng_mix(x->q->seed, v);
}

// False: this program is left out, and counted.
static bool may_go(Export *x, const StoredRow *row, const OpFound *of) {
    x->t->programs++;
    if (of->module) { // no prompt says what its module does
        x->t->modules++;
        return false;
    }
    bool stale = !of->op || memcmp(&row->definition, &of->op->hash, sizeof row->definition) != 0;
    // The prompt would ask for more than was judged.
    bool narrow = !stale && of->narrow;
    bool bare = !row->program.licence.len && !x->q->unlicensed;
    bool known = against_has(&x->against, &row->program);
    x->t->stale += stale;
    x->t->narrow += narrow;
    x->t->unlicensed += !stale && !narrow && bare;
    x->t->contaminated += !stale && !narrow && !bare && known;
    return !stale && !narrow && !bare && !known;
}

static int by_bytes(const void *x, const void *y) { return memcmp(x, y, sizeof(Sha256)); }

static bool is_tested(const Export *x, const StoredProgram *p) {
    return x->testing && bsearch(&p->skeleton, x->tests, (size_t)x->testing, sizeof(Sha256), by_bytes);
}

static bool take(Export *x, Arena *a, const StoredRow *row, Candidates *c, Err *e) {
    Candidate k = {.program = row->program, .held = -1};
    if (!op_lookup(&x->ops, &row->program, &k.of, e)) return false;
    if (!may_go(x, row, &k.of)) return true;
    const HeldOut *h = held_out_by(&x->held, k.of.op, &k.of.filter, row->program.schedule);
    if (h) k.held = (int)(h - x->held.at);
    k.split = h ? SPLIT_TEST : split_of(&row->program, x->q->validation);
    if (!h && is_tested(x, &row->program)) {
        x->t->tested++;
        return true;
    }
    k.key = key_of(x, &row->program);
    if (c->n == c->room) {
        c->room = 2 * c->room + 256;
        c->at = MORE(a, Candidate, c->at, c->n, c->room);
    }
    c->at[c->n++] = k;
    return true;
}

static int by_key(const Candidate *a, const Candidate *b) {
    return a->key != b->key
               ? (a->key > b->key) - (a->key < b->key)
               : memcmp(&a->program.canonical, &b->program.canonical, sizeof a->program.canonical);
}
static int by_structure(const void *x, const void *y) {
    const Candidate *a = x, *b = y;
    int order = memcmp(&a->program.skeleton, &b->program.skeleton, sizeof a->program.skeleton);
    return order ? order : by_key(a, b);
}
static int by_turn(const void *x, const void *y) {
    const Candidate *a = x, *b = y;
    return a->turn != b->turn ? a->turn - b->turn : by_key(a, b);
}

// Structures take turns: the first of each, then the second of each.
static void put_in_turns(Export *x, Candidates *c) {
    if (!c->n) return;
    qsort(c->at, (size_t)c->n, sizeof *c->at, by_structure);
    for (int i = 0; i < c->n; i++) {
        bool more =
            i && memcmp(&c->at[i].program.skeleton, &c->at[i - 1].program.skeleton, sizeof(Sha256)) == 0;
        c->at[i].turn = more ? c->at[i - 1].turn + 1 : 0;
        x->t->structures += !more && c->at[i].split == SPLIT_TRAIN;
    }
    qsort(c->at, (size_t)c->n, sizeof *c->at, by_turn);
}

// ---- writing

static void count_name(Export *x, NameCount *c, Str name) {
    for (int i = 0; i < c->n; i++)
        if (str_eq(c->at[i].name, name)) {
            c->at[i].n++;
            return;
        }
    if (c->n == NAMES_MAX)
        c->at[NAMES_MAX - 1].n++;
    else
        c->at[c->n++] = (StoreTally){c->n == NAMES_MAX - 1 ? STR("others") : str_dup(&x->names, name), 1};
}

static json_t *text(Str s) { return json_quoted(s); }

// Who wrote it, without where it was asked: the store alone knows addresses and folders.
static Str model_name(Str model) {
    size_t from = model.len;
    while (from && model.p[from - 1] != '#' && model.p[from - 1] != '/') from--;
    return (Str){model.p + from, model.len - from};
}

static json_t *row_json(const Export *x, Arena *a, const Candidate *k, const Phrased *p) {
    char id[65];
    sha256_hex(k->program.canonical, id);
    Str licence = k->program.licence;
    if (x->q->format == EXPORT_KERNELBOOK)
        return json_pack("{s:s, s:s, s:s, s:o, s:o, s:b, s:[o], s:o, s:o}", "uuid", id, "entry_point",
                         "Model", "module_name", "Model", "python_code", text(reference_module(a, k->of.op)),
                         "triton_code", text(k->program.source), "synthetic", true, "licenses", text(licence),
                         "op", text(k->program.op), "model", text(model_name(k->program.model)));
    json_t *o = x->q->format == EXPORT_CHAT
                    ? json_pack("{s:[{s:s, s:o}, {s:s, s:o}]}", "messages", "role", "user", "content",
                                text(p->prompt), "role", "assistant", "content", text(p->completion))
                    : json_pack("{s:o, s:o}", "prompt", text(p->prompt), "completion", text(p->completion));
    json_object_set_new(o, "op", text(k->program.op));
    json_object_set_new(o, "kind", json_string(phrase_kind_name[p->kind]));
    json_object_set_new(o, "licence", text(licence));
    json_object_set_new(o, "model", text(model_name(k->program.model)));
    json_object_set_new(o, "canonical_sha256", json_string(id));
    return o;
}

static void write_row(Export *x, Arena *a, const Candidate *k, const Phrased *p) {
    json_put(&x->text[k->split], row_json(x, a, k, p));
    buf_putc(&x->text[k->split], '\n');
    x->t->rows[k->split]++;
    x->t->kinds[k->split][p->kind]++;
    if (k->held >= 0) x->t->held[k->held]++;
    count_name(x, &x->licence, k->program.licence);
    count_name(x, &x->smith, k->program.smith);
}

// As a model of that profile is asked: now and then for a dtype, or for rows that the schedule suits.
static bool profile_row(Arena *a, const Export *x, const Candidate *k, Phrased *out) {
    enum { NOW_AND_THEN = 3 };
    static const int dtypes[] = {DT_F16, DT_BF16, DT_F32};
    Rng r = rng_at(k->key, 1);
    PromptAsk ask = {.op = k->of.op, .dtype = k->of.filter.dtype};
    const bool typed = rng_below(&r, NOW_AND_THEN) == 0;
    const int dtype = dtypes[rng_below(&r, 3)];
    const bool shaped = rng_below(&r, NOW_AND_THEN) == 0;
    const RowsClass rows = (RowsClass)(1 + rng_below(&r, ROWS_CLASSES - 1));
    if (typed && ask.dtype < 0) ask.dtype = dtype;
    if (shaped && rows_class_suits(rows, str_cdup(a, k->program.schedule))) ask.rows = rows;
    Prompt prompt;
    Err why = {0};
    if (!prompt_make(a, x->q->profile, &ask, &prompt, &why)) return false;
    Buf b = BUF(a);
    if (!x->q->no_plan) buf_printf(&b, "# %.*s\n", STR_ARG(k->program.schedule));
    buf_str_put(&b, k->program.source);
    *out = (Phrased){PHRASE_IMPLEMENT, prompt.raw.p ? prompt.raw : prompt.user, buf_str(&b)};
    return true;
}

static void put_row(Export *x, const Candidate *k) {
    Arena a = {0};
    Phrased p;
    if (x->q->profile) {
        if (profile_row(&a, x, k, &p)) {
            write_row(x, &a, k, &p);
        } else
            x->t->unsaid++;
        arena_free(&a);
        return;
    }
    // All of a KernelBook row's pairs are conversions.
    double share = x->q->format == EXPORT_KERNELBOOK ? 1 : x->q->conversions;
    PhraseAsk ask = {k->of.op, &k->of.filter, k->key, share};
    phrase_row(&a, &ask, k->program.source, &p);
    write_row(x, &a, k, &p);
    arena_free(&a);
}

static bool flush(Export *x, Err *e) {
    bool ok = true;
    for (int i = 0; ok && i < SPLITS; i++)
        ok = !x->text[i].len || io_write_all(x->file[i].fd, x->text[i].p, x->text[i].len, e);
    arena_reset(&x->buffer, (ArenaMark){0});
    for (int i = 0; i < SPLITS; i++) x->text[i] = BUF(&x->buffer);
    return ok;
}

static bool put_op(Export *x, Candidates *c, Err *e) {
    int64_t of[SPLITS] = {0};
    put_in_turns(x, c);
    for (int i = 0; i < c->n; i++) {
        Split s = c->at[i].split;
        // What only measures need not be more than what is learned from.
        if (of[s] >= x->q->per_op) {
            x->t->beyond++;
            continue;
        }
        of[s]++;
        put_row(x, &c->at[i]);
    }
    for (int s = 0; s < SPLITS; s++) x->t->ops[s] += of[s] > 0;
    int64_t n = of[SPLIT_TRAIN];
    if (n && (!x->t->fewest || n < x->t->fewest)) x->t->fewest = n;
    if (n > x->t->most) x->t->most = n;
    return flush(x, e);
}

// What is held out, all of it, before the first row is written: the same structure may serve another op, too.
static bool find_tests(Export *x, Arena *a, Err *e) {
    Arena text = {0};
    StorePage *page = NEW(a, StorePage);
    StorePlace at = {0};
    bool ok = true;
    do {
        Arena next = {0};
        ok = store_page(x->q->store, &next, &(StoreFilter){.accepted_full = true}, &at, page, e);
        arena_free(&text); // the place lived there
        text = next;
        for (int i = 0; ok && i < page->n; i++) {
            const StoredProgram *p = &page->row[i].program;
            OpFound of;
            ok = op_lookup(&x->ops, p, &of, e);
            if (!ok || !of.op || !held_out_by(&x->held, of.op, &of.filter, p->schedule)) continue;
            if (x->testing == x->room) {
                x->room = 2 * x->room + 256;
                x->tests = MORE(a, Sha256, x->tests, x->testing, x->room);
            }
            x->tests[x->testing++] = p->skeleton;
        }
    } while (ok && page->n);
    arena_free(&text);
    if (x->testing) qsort(x->tests, (size_t)x->testing, sizeof(Sha256), by_bytes);
    return ok;
}

static bool export_op(Export *x, Str op, Err *e) {
    Arena a = {0};
    Candidates c = {0};
    StorePage *page = NEW(&a, StorePage);
    StorePlace at = {0};
    StoreFilter filter = {.op = op, .accepted_full = true};
    bool ok = true;
    do {
        ok = store_page(x->q->store, &a, &filter, &at, page, e);
        for (int i = 0; ok && i < page->n; i++) ok = take(x, &a, &page->row[i], &c, e);
    } while (ok && page->n);
    ok = ok && put_op(x, &c, e);
    arena_free(&a);
    return ok;
}

static bool export_all(Export *x, Err *e) {
    Arena a = {0};
    StoreCount *ops;
    int n;
    bool ok = store_counts(x->q->store, &a, &ops, &n, e);
    for (int i = 0; ok && i < n; i++) {
        if (x->q->interrupted && x->q->interrupted(x->q->arg)) ok = err_set(e, ERR_IO, "interrupted");
        if (ok && ops[i].op.len && ops[i].accepted_full) ok = export_op(x, ops[i].op, e);
    }
    arena_free(&a);
    return ok;
}

// ---- the files

static bool write_card(Export *x, Err *e) {
    Arena a = {0};
    Buf out = BUF(&a);
    Card c = {.q = x->q,
              .t = x->t,
              .held = &x->held,
              .licence = x->licence.at,
              .smith = x->smith.at,
              .licences = x->licence.n,
              .smiths = x->smith.n};
    card_put(&out, &c);
    bool ok = io_write_atomic(arena_printf(&a, "%s/README.md", x->q->dir), buf_str(&out), e);
    arena_free(&a);
    return ok;
}

static bool write_splits(Export *x, Arena *a, Err *e) {
    int open = 0;
    bool ok = true;
    for (; ok && open < SPLITS; open++)
        ok = io_begin(&x->file[open], arena_printf(a, "%s/%s.jsonl", x->q->dir, split_name[open]), e);
    if (!ok) open--;
    ok = ok && export_all(x, e);
    for (int i = 0; i < open; i++) {
        if (ok)
            ok = io_commit(&x->file[i], e);
        else
            io_abandon(&x->file[i]);
    }
    return ok && write_card(x, e);
}

bool corpus_export(const ExportRequest *q, ExportTally *out, Err *e) {
    Arena a = {0};
    Export *x = NEW(&a, Export);
    *out = (ExportTally){0};
    x->q = q;
    x->t = out;
    x->ops.store = q->store;
    for (int i = 0; i < SPLITS; i++) x->text[i] = BUF(&x->buffer);
    bool ok = held_out_read(&a, q->held_out, &x->held, e);
    for (int i = 0; ok && i < q->againsts; i++) ok = against_add(&x->against, q->against[i], e);
    against_ready(&x->against);
    out->against = x->against.n;
    if (ok && x->against.unread && !x->against.n)
        ok = err_set(e, ERR_INPUT, "--against: no line holds a program");
    ok = ok && io_make_dirs(q->dir, e) && find_tests(x, &a, e) && write_splits(x, &a, e);
    against_free(&x->against);
    op_lookup_free(&x->ops);
    arena_free(&x->names);
    arena_free(&x->buffer);
    arena_free(&a);
    return ok;
}
