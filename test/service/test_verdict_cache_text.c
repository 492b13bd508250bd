// What the answering of duplicates rests on: programs with one canonical text get one verdict, and a sentence
// that a record gives to another spelling is the very sentence that its own judgment would have given.
// Every STEP-th of the embedded programs, or all with SPELLING_ALL=1 in the environment.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "lang/ast.h"
#include "service/verdict_cache.h"
#include <stdio.h>
#include <stdlib.h>

enum { STEP = 17 };
static Referee *referee;

static Str canonical(Arena *a, Str source) {
    DiagList d = DIAGS(a);
    const Node *module = parse_module(a, source, &d);
    Buf text = BUF(a);
    if (module) print_canonical(&text, module);
    return buf_str(&text);
}

// The canonical text with names again: decoration gone, layout and every local name another.
static Str respelled(Arena *a, Str source) {
    Str text = canonical(a, source);
    Buf out = BUF(a);
    if (!text.len) return (Str){0};
    buf_puts(&out, "# the same, spelled otherwise\n\n");
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] == '$' && i + 1 < text.len && text.p[i + 1] >= '0' && text.p[i + 1] <= '9')
            buf_puts(&out, "zq_");
        else
            buf_putc(&out, text.p[i]);
    return buf_str(&out);
}

// What the first one's record says of the second: its feedback, or NULL when it does not answer.
static const char *remembered(Arena *a, const Verdict *v, Str source) {
    VerdictKey key;
    memset(key.hex, 'a', 64);
    key.hex[64] = 0;
    Verdict drawn = *v; // a record of a replay would never answer
    drawn.judged.replay = false;
    json_t *record = json_pack("{s:s}", "record", "verdict"), *more = verdict_cache_note(&key, &drawn);
    if (more) json_object_update(record, more);
    json_decref(more);
    json_object_update_new(record, verdict_object(&drawn));
    json_t *answer = verdict_cache_answer(record, &key, source);
    const char *text = json_string_value(json_object_get(answer, "feedback"));
    if (text) text = arena_strndup(a, text, strlen(text));
    json_decref(answer);
    json_decref(record);
    return text;
}

typedef struct {
    int from_memory, anew; // another spelling
} Tally;

static void check_program(const Program *p, Tally *tally) {
    Arena a = {0};
    Err e = {0};
    Op op;
    Str source[2] = {p->source, respelled(&a, p->source)};
    if (!source[1].p || !op_find(&a, p->op, &op) ||
        !str_eq(canonical(&a, source[0]), canonical(&a, source[1]))) { // a dollar in a text
        arena_free(&a);
        return;
    }
    uint64_t seed = 77;
    Verdict v[2];
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed};
    if (!referee_judge(referee, &a, &q, source, 2, v, &e)) fail_msg("%s: %s", p->name, e.msg);
    if (v[0].decision.status != v[1].decision.status || strcmp(v[0].decision.rule, v[1].decision.rule) != 0 ||
        v[0].cases.worst.use != v[1].cases.worst.use ||
        v[0].cases.worst.error_ulp != v[1].cases.worst.error_ulp || v[0].cases.passed != v[1].cases.passed ||
        v[0].cases.run != v[1].cases.run ||
        memcmp(&v[0].traffic.count, &v[1].traffic.count, sizeof v[0].traffic.count) != 0)
        fail_msg("%s: two verdicts for one program: %s (%s), and %s (%s)\n%.*s", p->name,
                 status_name(v[0].decision.status), v[0].decision.feedback, status_name(v[1].decision.status),
                 v[1].decision.feedback, STR_ARG(source[1]));
    bool keeps =
        status_class(v[0].decision.status) != CLASS_UNDECIDED && v[0].decision.status != STATUS_crash;
    const char *same = remembered(&a, &v[0], source[0]), *other = remembered(&a, &v[0], source[1]);
    assert_int_equal(same != NULL, keeps);
    if (same) assert_string_equal(same, v[0].decision.feedback);
    if (other && strcmp(other, v[1].decision.feedback) != 0)
        fail_msg("%s: from memory: %s\nitself: %s", p->name, other, v[1].decision.feedback);
    assert_int_equal(other != NULL, keeps && !v[0].decision.found && !v[0].decision.noted);
    tally->from_memory += other != NULL;
    tally->anew += keeps && !other;
    arena_free(&a);
}

static void one_canonical_text_one_verdict(void **state) {
    (void)state;
    Arena a = {0};
    int n;
    Tally tally = {0};
    const Program *p = op_programs(&a, &n);
    for (int i = 3; i < n; i += getenv("SPELLING_ALL") ? 1 : STEP) check_program(&p[i], &tally);
    assert_true(tally.from_memory > 0 && tally.anew > 0);
    if (getenv("SPELLING_ALL"))
        printf("%d programs: another spelling answered from memory %d, judged anew %d\n", n,
               tally.from_memory, tally.anew);
    arena_free(&a);
}

int main(void) {
    Err e = {0};
    if (!referee_open(&(RefereeConfig){.jobs = 2, .no_journal = true}, &referee, &e))
        return fprintf(stderr, "%s\n", e.msg), 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_canonical_text_one_verdict)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    referee_close(referee);
    return failed;
}
