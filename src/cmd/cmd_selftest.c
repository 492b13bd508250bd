#include <pthread.h>
#include <stdio.h>

#include "base/io.h"
#include "base/progress.h"
#include "cmd/shared/exploits.h"
#include "lang/text.h"
#include "service/service.h"

static const char *const kind_name[] = {"gold", "wrong", "cheat", "honest"};

typedef struct {
    pthread_mutex_t lock; // of everything below
    Arena *a;
    Progress bar;
    int judged;
    bool failed;
    Err why;
} Run;

typedef struct {
    Run *run;
    Verdict *out;
} Slot;

typedef struct {
    Program *program;
    Verdict *verdict;
    int n;
} Table;

static void answered(void *arg, const Answer *a) {
    const Slot *slot = arg;
    Run *r = slot->run;
    pthread_mutex_lock(&r->lock);
    *slot->out = *a->verdict;
    slot->out->decision.feedback =
        arena_strndup(r->a, a->verdict->decision.feedback, strlen(a->verdict->decision.feedback));
    if (a->kind != ANSWER_JUDGED && !r->failed) {
        r->failed = true;
        r->why = *a->why;
    }
    progress_step(&r->bar, (size_t)++r->judged, NULL);
    pthread_mutex_unlock(&r->lock);
}

static bool find_ops(Arena *a, const Program *p, int n, const Op **op, Err *e) {
    for (int i = 0; i < n; i++) {
        int first = 0;
        while (!str_eq(p[first].op, p[i].op)) first++;
        op[i] = op[first];
        if (op[i]) continue;
        Op *found = NEW(a, Op);
        if (!op_find(a, p[i].op, found))
            return err_set(e, ERR_INPUT, "self-test program %s names no op: \"%.*s\"", p[i].name,
                           STR_ARG(p[i].op));
        op[i] = found;
    }
    return true;
}

// All at once, those of one op behind each other: they share draws.
static bool judge_all(Service *s, Arena *a, const Table *t, const uint64_t *seed, Err *e) {
    const Program *p = t->program;
    int n = t->n;
    const Op **op = NEWN(a, const Op *, (size_t)n);
    Slot *slot = NEWN(a, Slot, (size_t)n);
    if (!find_ops(a, p, n, op, e)) return false;
    Run run = {.a = a};
    pthread_mutex_init(&run.lock, NULL);
    progress_start(&run.bar, "self-test", (size_t)n);
    service_gather(s, GATHER_FAST);
    for (int first = 0; first < n; first++)
        for (int i = first; i < n; i++) {
            if (op[i] != op[first] || slot[i].run) continue;
            slot[i] = (Slot){&run, &t->verdict[i]};
            service_submit(s, &(Submission){.op = op[i],
                                            .level = LEVEL_FULL,
                                            .filter = {.dtype = -1},
                                            .seed = seed,
                                            .source = p[i].source,
                                            .answered = answered,
                                            .arg = &slot[i]});
        }
    bool ok = service_wait(s, e);
    progress_end(&run.bar);
    pthread_mutex_destroy(&run.lock);
    if (ok && run.failed) *e = run.why;
    return ok && !run.failed;
}

static void put_row(Buf *out, const Program *p, const Verdict *v, bool good, bool json) {
    if (json) {
        json_put(out, json_pack("{s:s, s:s, s:s%, s:s%, s:s, s:b, s:s}", "program", p->name, "kind",
                                kind_name[p->kind], "op", p->op.p, p->op.len, "expected", p->expect.p,
                                p->expect.len, "status", status_name(v->decision.status), "as_expected", good,
                                "feedback", v->decision.feedback));
        buf_putc(out, '\n');
        return;
    }
    buf_printf(out, "%-4s %-7s %-34s %-16.*s %s\n", good ? "ok" : "BAD", kind_name[p->kind], p->name,
               STR_ARG(p->op), status_name(v->decision.status));
    if (!good) buf_printf(out, "       expected %.*s: %s\n", STR_ARG(p->expect), v->decision.feedback);
}

static int table_put(Buf *out, const Table *t, bool json) {
    const Program *p = t->program;
    const Verdict *v = t->verdict;
    int n = t->n;
    int bad = 0, seen[STATUS_COUNT] = {0};
    for (int i = 0; i < n; i++) {
        bool good = status_expected(p[i].expect, v[i].decision.status);
        bad += !good;
        seen[v[i].decision.status]++;
        put_row(out, &p[i], &v[i], good, json);
    }
    if (json) return bad;
    buf_puts(out, "\nstatuses shown:");
    for (Status s = 0; s < STATUS_COUNT; s++)
        if (seen[s]) buf_printf(out, " %s %d", status_name(s), seen[s]);
    buf_printf(out, "\n%d as expected, %d not\n", n - bad, bad);
    return bad;
}

typedef struct {
    bool exploits, json;
    const char *state, *folder;
    Seed seed;
    Positionals names;
} SelftestOptions;

// Each of the names is a program or a kind of programs; none at all means every program.
static bool choose(Arena *a, const SelftestOptions *o, Table *out, Err *e) {
    const Positionals *names = &o->names;
    int all;
    const Program *p = op_programs(a, &all);
    bool *found = NEWN(a, bool, (size_t)names->n + 1);
    out->program = NEWN(a, Program, (size_t)all + 1);
    for (int i = 0; i < all; i++) {
        // One run for all tables judges all programs; the table of attacks alone needs no other.
        bool wanted = names->n == 0 && (!o->exploits || o->folder || p[i].attack.len);
        for (int k = 0; k < names->n; k++)
            if (!strcmp(names->at[k], p[i].name) || !strcmp(names->at[k], kind_name[p[i].kind]))
                wanted = found[k] = true;
        if (wanted) out->program[out->n++] = p[i];
    }
    for (int k = 0; k < names->n; k++)
        if (!found[k])
            return err_set(e, ERR_USAGE,
                           "%s is no program of the self-test, and no kind: gold, wrong, honest or cheat",
                           text_escaped(a, names->at[k]));
    return out->n > 0 || err_set(e, ERR_INPUT, "no self-test programs are built in");
}

// What a run has to say: of all programs or of the attacks, as text or as JSON lines. Returns how many are
// bad.
static int report(Buf *out, Arena *a, const Table *t, bool exploits, bool json) {
    if (!exploits) return table_put(out, t, json);
    Program *attack = NEWN(a, Program, (size_t)t->n + 1);
    Verdict *v = NEWN(a, Verdict, (size_t)t->n + 1);
    int kept = 0;
    for (int i = 0; i < t->n; i++) {
        if (!t->program[i].attack.len) continue;
        attack[kept] = t->program[i];
        v[kept++] = t->verdict[i];
    }
    return exploits_put(out, attack, v, kept, json);
}

static bool write_all(const char *folder, Arena *a, const Table *t, Err *e) {
    static const char *const name[2][2] = {{"selftest.txt", "selftest.jsonl"},
                                           {"exploits.txt", "exploits.jsonl"}};
    if (!io_make_dirs(folder, e)) return false;
    for (int exploits = 0; exploits < 2; exploits++)
        for (int json = 0; json < 2; json++) {
            Buf out = BUF(a);
            report(&out, a, t, exploits, json);
            const char *path = arena_printf(a, "%s/%s", folder, name[exploits][json]);
            if (!io_write_atomic(path, buf_str(&out), e)) return false;
        }
    return true;
}

static bool selftest(Service *s, Arena *a, const SelftestOptions *o, int *code, Err *e) {
    Table t = {0};
    if (!choose(a, o, &t, e)) return false;
    t.verdict = NEWN(a, Verdict, (size_t)t.n);
    if (!judge_all(s, a, &t, o->seed.given ? &o->seed.value : NULL, e)) return false;
    if (o->folder && !write_all(o->folder, a, &t, e)) return false;
    Buf out = BUF(a);
    int bad = report(&out, a, &t, o->exploits, o->json);
    fwrite(out.p, 1, out.len, stdout);
    *code = bad ? EXIT_REJECTED : EXIT_OK;
    return true;
}

int cmd_selftest(int argc, char **argv) {
    SelftestOptions o = {0};
    const Option options[] = {{"--exploits", OPTION_FLAG, &o.exploits},
                              {"--json", OPTION_FLAG, &o.json},
                              {"--state", OPTION_TEXT, &o.state},
                              {"-o", OPTION_TEXT, &o.folder},
                              {"--seed", OPTION_SEED, &o.seed}};
    Err e = {0};
    if (!options_parse(&(CommandLine){"selftest", argc, argv}, options, sizeof options / sizeof *options,
                       &o.names, &e))
        return cmd_fail("selftest", &e);
    // A part of the programs leaves most attacks without any.
    if (o.names.n > 0 && (o.exploits || o.folder) &&
        !err_set(&e, ERR_USAGE, "--exploits and -o are about all programs: name none"))
        return cmd_fail("selftest", &e);
    Referee *r;
    RefereeConfig config = {.no_journal = o.state == NULL, .state = o.state};
    if (!referee_open(&config, &r, &e)) return cmd_fail("selftest", &e);
    Arena a = {0};
    int code = EXIT_WORLD;
    Service *s = NULL;
    if (!service_open(r, &(ServiceConfig){0}, &s, &e) || !selftest(s, &a, &o, &code, &e))
        code = cmd_fail("selftest", &e);
    service_close(s);
    arena_free(&a);
    referee_close(r);
    return code;
}
