#include <stdio.h>

#include "base/progress.h"
#include "cmd/exploits.h"

static const char *const kind_name[] = {"gold", "wrong", "cheat", "honest"};

// All programs of one op share one draw.
static bool judge_op(Referee *r, Arena *a, const Program *p, int n, int first, const uint64_t *seed,
                     Verdict *out, Err *e) {
    Op op;
    if (!op_find(a, p[first].op, &op))
        return err_set(e, ERR_INPUT, "self-test program %s names no op: \"%.*s\"", p[first].name,
                       STR_ARG(p[first].op));
    Str *source = NEWN(a, Str, (size_t)n);
    int *member = NEWN(a, int, (size_t)n), k = 0;
    for (int i = first; i < n; i++) {
        if (!str_eq(p[i].op, p[first].op)) continue;
        source[k] = p[i].source;
        member[k++] = i;
    }
    Verdict *v = NEWN(a, Verdict, (size_t)k);
    JudgeRequest q = {.op = &op, .level = LEVEL_FULL, .filter = {.dtype = -1}, .seed = seed};
    if (!referee_judge(r, a, &q, source, k, v, e)) return false;
    for (int i = 0; i < k; i++) out[member[i]] = v[i];
    return true;
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

static bool selftest(Referee *r, Arena *a, bool exploits, bool json, const uint64_t *seed, int *code,
                     Err *e) {
    int n, kept = 0;
    const Program *all = op_programs(a, &n);
    Program *p = NEWN(a, Program, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        if (!exploits || all[i].attack.len) p[kept++] = all[i];
    Verdict *v = NEWN(a, Verdict, (size_t)kept + 1);
    Progress bar;
    progress_start(&bar, "self-test", (size_t)kept);
    bool ok = kept > 0 || err_set(e, ERR_INPUT, "no self-test programs are built in");
    for (int i = 0; ok && i < kept; i++) {
        if (!v[i].decision.rule) ok = judge_op(r, a, p, kept, i, seed, v, e);
        progress_step(&bar, (size_t)i + 1, NULL);
    }
    progress_end(&bar);
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
    if (!selftest(r, &a, exploits, json, seed.given ? &seed.value : NULL, &code, &e))
        code = cmd_fail("selftest", &e);
    arena_free(&a);
    referee_close(r);
    return code;
}
