#include <pthread.h>
#include <stdio.h>

#include "base/progress.h"
#include "cmd/exploits.h"
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
static bool judge_all(Service *s, Arena *a, const Program *p, int n, const uint64_t *seed, Verdict *out,
                      Err *e) {
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
            slot[i] = (Slot){&run, &out[i]};
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

static int table_put(Buf *out, const Program *p, const Verdict *v, int n, bool json) {
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

static bool selftest(Service *s, Arena *a, bool exploits, bool json, const uint64_t *seed, int *code,
                     Err *e) {
    int n, kept = 0;
    const Program *all = op_programs(a, &n);
    Program *p = NEWN(a, Program, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        if (!exploits || all[i].attack.len) p[kept++] = all[i];
    Verdict *v = NEWN(a, Verdict, (size_t)kept + 1);
    bool ok = kept > 0 || err_set(e, ERR_INPUT, "no self-test programs are built in");
    ok = ok && judge_all(s, a, p, kept, seed, v, e);
    if (!ok) return false;
    Buf out = BUF(a);
    int bad = exploits ? exploits_put(&out, p, v, kept, json) : table_put(&out, p, v, kept, json);
    fwrite(out.p, 1, out.len, stdout);
    *code = bad ? EXIT_REJECTED : EXIT_OK;
    return true;
}

int cmd_selftest(int argc, char **argv) {
    bool exploits = false, json = false;
    const char *state = NULL;
    Seed seed = {0};
    const Option options[] = {{"--exploits", OPTION_FLAG, &exploits},
                              {"--json", OPTION_FLAG, &json},
                              {"--state", OPTION_TEXT, &state},
                              {"--seed", OPTION_SEED, &seed}};
    Positionals rest;
    Err e = {0};
    if (!options_parse("selftest", argc, argv, options, sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("selftest", &e);
    Referee *r;
    RefereeConfig config = {.no_journal = state == NULL, .state = state};
    if (!referee_open(&config, &r, &e)) return cmd_fail("selftest", &e);
    Arena a = {0};
    int code = EXIT_WORLD;
    Service *s = NULL;
    if (!service_open(r, &(ServiceConfig){0}, &s, &e) ||
        !selftest(s, &a, exploits, json, seed.given ? &seed.value : NULL, &code, &e))
        code = cmd_fail("selftest", &e);
    service_close(s);
    arena_free(&a);
    referee_close(r);
    return code;
}
