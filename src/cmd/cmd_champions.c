// champions: the fastest kernel of each op of a list, found on the GPU here and kept in a folder with its
// evidence; or the kernels of such a folder, judged again.
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/progress.h"
#include "cmd/line/color.h"
#include "cmd/shared/corpus.h"
#include "cmd/shared/judging.h"
#include "cmd/shared/op_set.h"
#include "cmd/shared/searching.h"
#include "package/champion_record.h"

// Of the first op: compilers and GPU are brought up meanwhile.
enum { SEARCH_SECONDS = 15, START_SECONDS = 12 };
static const char folder_default[] = "champions";

typedef struct {
    const char *folder, *state, *python;
    Texts shape;
    int seconds;
    bool gpu, again, check;
} ChampionsOptions;

typedef struct {
    Arena *a;
    const ChampionsOptions *o;
    Service *service;
    Measurer *measurer;
    DeviceFacts gpu;
    Shape shape[TEXTS_MAX];
    int shapes; // 0: those that are usual for the op
    Searching searching;
    Progress bar;
    const Op *op; // that is searched for
    int done, total;
} Champions;

// Found before, for the same definition, on such a GPU.
static bool is_kept(const Champions *c, const Op *op) {
    Arena a = {0};
    Json j;
    Err e = {0};
    ChampionRecord kept;
    char hash[65];
    sha256_hex(op->hash, hash);
    bool ok = champion_read(&a, c->o->folder, op->name, &j, &kept, &e) && str_is(kept.op_hash, hash) &&
              str_is(kept.gpu, c->gpu.name);
    json_close(&j);
    arena_free(&a);
    return ok;
}

// The kernel first: a record without one is no champion, and a kernel without a record is searched again.
static bool keep(const Champions *c, Arena *a, const Op *op, const SearchResult *r, json_t *bf16, Err *e) {
    char hash[65], sha[65];
    sha256_hex(op->hash, hash);
    sha256_hex(sha256_of(r->best.source), sha);
    json_t *o = json_pack("{s:s%,s:s,s:s,s:s,s:i,s:o,s:o,s:O,s:o}", "op", op->name.p, op->name.len, "op_hash",
                          hash, "source_sha256", sha, "gpu", c->gpu.name, "cuda", c->gpu.version, "search",
                          searching_json(r), "verdict", verdict_object(&r->best.verdict), "times",
                          r->best.times, "times_bf16", bf16 ? bf16 : json_null());
    Buf text = BUF(a);
    json_put_precise(&text, o, 6);
    buf_putc(&text, '\n');
    return io_write_atomic(champion_path(a, c->o->folder, op->name, ".py"), r->best.source, e) &&
           io_write_atomic(champion_path(a, c->o->folder, op->name, ".json"), buf_str(&text), e);
}

// In the store, too: a program with its verdict and its times.
static void keep_times(const Champions *c, const Op *op, const SearchResult *r, const json_t *bf16) {
    static const DrawFilter everything = {.dtype = -1};
    Timed t = {op,  &everything, r->best.source,  r->best.times, &r->best.verdict, STR("grammar"),
               {0}, STR("MIT"),  STR("champions")};
    const char *dir = referee_state(service_referee(c->service));
    times_kept("champions", dir, &t);
    t.times = bf16;
    times_kept("champions", dir, &t);
}

// ---- searching

static void show(void *arg, int timed, double left) {
    Champions *c = arg;
    char note[96];
    snprintf(note, sizeof note, "%.*s: %d timed, %.0f s left",
             (int)(c->op->name.len < 40 ? c->op->name.len : 40), c->op->name.p, timed, left > 0 ? left : 0);
    progress_step(&c->bar, (size_t)c->done, note);
}

static int places_of(const Champions *c, const Op *op, CellPlace out[TIMED_CELLS_MAX]) {
    if (!c->shapes) return places_searched(op, DT_F16, out);
    for (int i = 0; i < c->shapes; i++) out[i] = (CellPlace){c->shape[i].m, c->shape[i].n, DT_F16};
    return c->shapes;
}

// False: the world. What has no champion is told, and the list goes on.
static bool search_op(Champions *c, bool first, bool *found, Err *e) {
    Arena a = {0};
    CellPlace place[TIMED_CELLS_MAX];
    SearchResult r;
    const Op *op = c->op;
    const int n = places_of(c, op, place);
    SearchingAsk ask = {.seconds = c->o->seconds,
                        .start = first ? START_SECONDS : 0,
                        .place = place,
                        .places = n,
                        .filter = {.dtype = -1},
                        .told = show,
                        .arg = c};
    bool ok = searching_run(&a, &c->searching, op, &ask, &r, e);
    Buf line = BUF(&a);
    *found = ok && r.found;
    if (*found) {
        json_t *bf16 = searching_more(&a, &c->searching, op, &r.best, DT_BF16, &ask);
        if (bf16) {
            keep_times(c, op, &r, bf16);
            ok = keep(c, &a, op, &r, bf16, e);
        } else
            r.why = "the GPU took the verdict back, in bfloat16", *found = false;
        json_decref(r.best.times);
    }
    if (ok && *found) {
        buf_printf(&line, "%.*s\n", STR_ARG(op->name));
        searching_text(&line, &r, &ask, "  ");
        print_text(stdout, buf_str(&line));
    } else if (ok) {
        printf("%.*s: no champion: %s (%d proposed, %d accepted, %d timed)\n", STR_ARG(op->name), r.why,
               r.proposed, r.accepted, r.timed);
    } else if (e->code == ERR_INPUT) { // beyond rows and columns: the generator has nothing for it
        printf("%.*s: no champion: %s\n", STR_ARG(op->name), e->msg);
        ok = true;
    }
    fflush(stdout);
    json_decref(r.tried);
    arena_free(&a);
    return ok;
}

static bool search_all(Champions *c, const OpSet *set, int *code, Err *e) {
    bool ok = true, first = true;
    if (!io_make_dirs(c->o->folder, e)) return false;
    searching_open(c->service, c->measurer, c->o->python, &c->searching);
    c->searching.known = NEW(c->a, Plans);
    c->total = set->count;
    progress_start(&c->bar, "champions", (size_t)c->total);
    for (int i = 0; i < set->count && ok && !interrupts_seen(NULL); i++, c->done++) {
        bool found = true;
        c->op = &set->op[i];
        if (!c->o->again && is_kept(c, c->op)) continue;
        ok = search_op(c, first, &found, e);
        first = false;
        if (!found) *code = EXIT_REJECTED;
    }
    progress_end(&c->bar);
    Err late = {0};
    if (!searching_close(&c->searching, ok ? e : &late)) ok = false;
    return ok;
}

// ---- judging a folder again

// Whether the kernel is still accepted, by this referee and the definition as it is now. What cannot be read
// is neither right nor wrong.
typedef enum { CHECK_RIGHT, CHECK_WRONG, CHECK_UNREAD } Checked;
static bool check_one(const Champions *c, Arena *a, const char *name, Checked *out, Err *e) {
    Json j;
    ChampionRecord kept;
    Op op;
    Verdict v;
    const DomainAsked domain = {0};
    Err why = {0};
    *out = CHECK_WRONG;
    if (!champion_read(a, c->o->folder, str_of(name), &j, &kept, &why)) {
        if (!kept.changed) *out = CHECK_UNREAD;
        printf("%s: %s\n", name, why.msg);
    } else if (!service_op(c->service, a, name, &domain, &op, &why)) {
        printf("%s: %s\n", name, why.msg);
    } else {
        Submission q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .source = kept.source};
        if (!service_judge(c->service, a, &q, 1, &v, e)) return json_close(&j), false;
        if (verdict_accepted(&v))
            *out = CHECK_RIGHT;
        else
            printf("%s: %s: %s\n", name, status_name(v.decision.status), v.decision.feedback);
    }
    json_close(&j);
    return true;
}

static bool check_all(const Champions *c, int *code, Err *e) {
    const char **name;
    int n = 0, right = 0, unread = 0;
    if (!champion_names(c->a, c->o->folder, "-o", &name, &n, e)) return false;
    for (int i = 0; i < n; i++) {
        Arena a = {0};
        Checked checked;
        bool ok = check_one(c, &a, name[i], &checked, e);
        arena_free(&a);
        if (!ok) return false;
        right += checked == CHECK_RIGHT;
        unread += checked == CHECK_UNREAD;
    }
    printf("%d of %d champions are accepted at quick\n", right, n);
    if (right < n) *code = unread ? EXIT_WORLD : EXIT_REJECTED;
    return true;
}

// ---- the verb

static bool champions(Champions *c, const char *ops, int *code, Err *e) {
    const ChampionsOptions *o = c->o;
    if (o->check) return check_all(c, code, e);
    OpSet set = {.verb = "champions", .service = c->service};
    for (int i = 0; i < o->shape.n; i++, c->shapes++) {
        const Option option = {"--shape", OPTION_SHAPE, &c->shape[i]};
        if (!option_value(&option, o->shape.at[i], e)) return false;
    }
    if (!measurer_facts(c->measurer, &c->gpu, e)) return false;
    return op_set_read(c->a, &set, ops, e) && search_all(c, &set, code, e);
}

int cmd_champions(int argc, char **argv) {
    ChampionsOptions o = {.folder = folder_default, .seconds = SEARCH_SECONDS};
    const Option options[] = {
        {"--shape", OPTION_TEXTS, &o.shape},    {"--gpu", OPTION_FLAG, &o.gpu},
        {"--check", OPTION_FLAG, &o.check},     {"--again", OPTION_FLAG, &o.again},
        {"--search", OPTION_COUNT, &o.seconds}, {"-o", OPTION_TEXT, &o.folder},
        {"--state", OPTION_TEXT, &o.state},     {"--python", OPTION_TEXT, &o.python},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"champions", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("champions", &e);
    if (o.gpu == o.check || o.check == (rest.n > 0))
        return cmd_usage("champions", "OPS with --gpu, or --check without any");
    _Static_assert((int)TEXTS_MAX <= (int)TIMED_CELLS_MAX, "as many shapes as are timed together");
    Arena a = {0};
    Champions c = {.a = &a, .o = &o};
    Referee *r = NULL;
    const RefereeConfig config = {.state = o.state, .no_journal = o.check};
    int code = EXIT_OK;
    if (o.gpu && !measurer_open(NULL, &c.measurer, &e)) return cmd_fail("champions", &e);
    bool ok = referee_open(&config, &r, &e) && service_open(r, &(ServiceConfig){0}, &c.service, &e);
    interrupts_catch();
    if (!ok || !champions(&c, rest.n ? rest.at[0] : NULL, &code, &e)) code = cmd_fail("champions", &e);
    service_close(c.service);
    if (r) referee_close(r);
    measurer_close(c.measurer);
    arena_free(&a);
    return code;
}
