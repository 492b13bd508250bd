// Duplicates: which record may answer for which source, and what it then says.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/sha256.h"
#include "service/verdict_cache.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char dir[64], file[128];
static Arena arena;
static Journal *journal;
static VerdictCache *cache;
static Op op;

static void open_all(off_t bytes) {
    Err e = {0};
    if (!journal_open(dir, &journal, &e) || !verdict_cache_open(journal, bytes, (Extras){0}, &cache, &e))
        fail_msg("%s", e.msg);
}
static void close_all(void) {
    verdict_cache_close(cache);
    journal_close(journal);
}

static int start(void **state) {
    (void)state;
    snprintf(dir, sizeof dir, "%s/memo-XXXXXX", access("build", W_OK) == 0 ? "build" : "/tmp");
    if (!mkdtemp(dir)) return -1;
    snprintf(file, sizeof file, "%s/%s", dir, JOURNAL_FILE);
    open_all(0);
    return op_find(&arena, STR("softmax"), &op) ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    close_all();
    arena_free(&arena);
    unlink(file);
    return rmdir(dir);
}

static VerdictKey key_of(const char *source) {
    return verdict_cache_key(cache, &op, LEVEL_QUICK, &(DrawFilter){.dtype = -1}, str_of(source));
}

static Verdict verdict_on(const char *source, Status status, const char *feedback) {
    Verdict v = {.decision = {.status = status, .rule = "r", .feedback = feedback},
                 .op = STR("softmax"),
                 .judged.seed = 5};
    sha256_hex(sha256_of(str_of(source)), v.source_sha256);
    return v;
}

// Journals the verdict as a round does, and remembers it.
static bool keep(const char *source, const Verdict *v) {
    VerdictKey key = key_of(source);
    json_t *more = verdict_cache_note(&key, v), *o = json_pack("{s:s}", "record", "verdict");
    if (more) json_object_update(o, more);
    bool noted = more != NULL;
    json_decref(more);
    json_object_update_new(o, verdict_object(v));
    Buf b = BUF(&arena);
    json_put(&b, o);
    Str line = buf_str(&b);
    Err e = {0};
    off_t at;
    if (!journal_append(journal, &line, 1, &at, &e)) fail_msg("%s", e.msg);
    if (noted) verdict_cache_put(cache, &key, at);
    return noted;
}

// The feedback of the answer; NULL: none.
static const char *ask(const char *source) {
    VerdictKey key = key_of(source);
    json_t *o = verdict_cache_find(cache, &key, str_of(source));
    if (!o) return NULL;
    char hex[65];
    sha256_hex(sha256_of(str_of(source)), hex);
    assert_string_equal(json_string_value(json_object_get(o, "source_sha256")), hex);
    assert_true(json_is_true(json_object_get(o, "cached")));
    assert_null(json_object_get(o, "record"));
    assert_null(json_object_get(o, "key"));
    assert_null(json_object_get(o, "exact"));
    const char *text = json_string_value(json_object_get(o, "feedback"));
    text = arena_strndup(&arena, text, strlen(text));
    json_decref(o);
    return text;
}

static const char first[] = "def run(x):\n    acc = x.foo\n    return acc\n";
static const char renamed[] = "# spelled otherwise\n\ndef run(x):\n  total = (x.foo)\n  return total\n";
static const char other[] = "def run(x):\n    acc = x.bar\n    return acc\n";

static Verdict finding(const char *source, const char *what, const char *feedback) {
    Verdict v = verdict_on(source, STATUS_compile_fail, feedback);
    v.decision.found = v.decision.placed = true;
    v.decision.place = (Span){(uint32_t)(strstr(source, what) - source), (uint32_t)strlen(what)};
    return v;
}

static void a_record_answers_for_the_same_program_only(void **state) {
    (void)state;
    Verdict v = verdict_on(first, STATUS_ok, "fine");
    assert_null(ask(first));
    assert_true(keep(first, &v));
    assert_string_equal(ask(first), "fine");
    assert_string_equal(ask(renamed), "fine");
    assert_null(ask(other));
    // What does not parse is known by its bytes.
    Verdict broken = verdict_on("def (", STATUS_parse_reject, "no");
    assert_true(keep("def (", &broken));
    assert_string_equal(ask("def ("), "no");
    assert_null(ask("def ( "));
}

static void everything_that_decides_is_in_the_key(void **state) {
    (void)state;
    Op short_rows = op, redefined = op;
    short_rows.name = STR("softmax_short");
    redefined.hash.byte[0] ^= 1;
    DrawFilter all = {.dtype = -1}, m = {.m = 8, .dtype = -1}, n = {.n = 8, .dtype = -1}, t = {.dtype = 1};
    Str s = str_of(first);
    VerdictKey key[] = {verdict_cache_key(cache, &op, LEVEL_QUICK, &all, s),
                        verdict_cache_key(cache, &op, LEVEL_FULL, &all, s),
                        verdict_cache_key(cache, &short_rows, LEVEL_QUICK, &all, s),
                        verdict_cache_key(cache, &redefined, LEVEL_QUICK, &all, s),
                        verdict_cache_key(cache, &op, LEVEL_QUICK, &m, s),
                        verdict_cache_key(cache, &op, LEVEL_QUICK, &n, s),
                        verdict_cache_key(cache, &op, LEVEL_QUICK, &t, s)};
    enum { KEYS = sizeof key / sizeof *key };
    for (int i = 0; i < KEYS; i++)
        for (int k = 0; k < i; k++) assert_string_not_equal(key[i].hex, key[k].hex);
    VerdictKey again = verdict_cache_key(cache, &op, LEVEL_QUICK, &all, str_of(renamed));
    assert_string_equal(again.hex, key[0].hex);
}

static void what_is_undecided_or_replayed_is_never_kept(void **state) {
    (void)state;
    for (Status s = 0; s < STATUS_COUNT; s++) {
        Verdict v = verdict_on(first, s, "x");
        bool never = status_class(s) == CLASS_UNDECIDED || s == STATUS_crash;
        assert_int_equal(keep(first, &v), !never);
    }
    Verdict v = verdict_on(other, STATUS_ok, "x");
    v.judged.replay = true;
    assert_false(keep(other, &v));
    assert_null(ask(other));
}

static void a_finding_answers_for_its_own_text_only(void **state) {
    (void)state;
    static const char *const said[] = {
        "line 2:11: 'x' has no foo, see `run`, costs $3.",
        "line 2:11: `x.acc` has no place.",
        "line 2:11: acc has no foo.",
        "no place at all.",
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        Verdict v = finding(first, "x.foo", said[i]);
        assert_true(keep(first, &v));
        assert_string_equal(ask(first), said[i]);
        assert_null(ask(renamed));
    }
    Verdict without = verdict_on(first, STATUS_host_error, "no place at all.");
    without.decision.found = true;
    assert_true(keep(first, &without));
    assert_string_equal(ask(first), without.decision.feedback);
    assert_null(ask(renamed));
}

// What names nothing of the source is the referee's own words, about any spelling.
static void so_does_a_note_of_the_checker(void **state) {
    (void)state;
    Verdict noted = verdict_on(first, STATUS_incorrect, "Wrong in row 3. Note that acc is no place.");
    assert_true(keep(first, &noted));
    assert_string_equal(ask(renamed), noted.decision.feedback);
    noted.decision.noted = true;
    assert_true(keep(first, &noted));
    assert_string_equal(ask(first), noted.decision.feedback);
    assert_null(ask(renamed));
}

// Evidence that names a line answers for its own text only; lines that no case has executed are left out.
static void lines_are_not_told_of_another_spelling(void **state) {
    (void)state;
    Verdict v = verdict_on(first, STATUS_ok, "fine");
    v.evidence.coverage.lines = 1;
    v.evidence.coverage.line[0] = 3;
    assert_true(keep(first, &v));
    VerdictKey key = key_of(first);
    json_t *own = verdict_cache_find(cache, &key, str_of(first)),
           *another = verdict_cache_find(cache, &key, str_of(renamed));
    assert_non_null(json_object_get(own, "unexecuted"));
    assert_true(another && !json_object_get(another, "unexecuted"));
    json_decref(own);
    json_decref(another);
    v.evidence.large = (LargeTensors){.asked = true, .fails = 1, .at = {2, 11}};
    assert_true(keep(first, &v));
    assert_string_equal(ask(first), "fine");
    assert_null(ask(renamed));
}

// ---- records that no judgment wrote

static void rewrite(const char *from, const char *to, bool sum) {
    static char text[1 << 16];
    int fd = open(file, O_RDWR | O_CLOEXEC);
    ssize_t n = read(fd, text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = 0;
    char *at = strstr(text, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    if (sum) {
        char *start = at, hex[9];
        while (start > text && start[-1] != '\n') start--;
        size_t len = (size_t)(strchr(start, '\n') - start) - JOURNAL_PREFIX;
        snprintf(hex, sizeof hex, "%08x", journal_crc((Str){start + JOURNAL_PREFIX, len}));
        memcpy(start, hex, 8);
    }
    assert_int_equal(pwrite(fd, text, (size_t)n, 0), n);
    close(fd);
}

static void a_damaged_record_does_not_answer(void **state) {
    (void)state;
    Verdict v = verdict_on(first, STATUS_incorrect, "wrong");
    assert_true(keep(first, &v));
    rewrite("\"incorrect\"", "\"ok\"       ", false);
    assert_null(ask(first)); // while it runs
    close_all();
    open_all(0);
    assert_null(ask(first)); // and after the next start
    rewrite("\"ok\"       ", "\"incorrect\"", false);
    close_all();
    open_all(0);
    assert_string_equal(ask(first), "wrong"); // undamaged again
}

// Even with a right checksum: only a verdict's record whose own key is the one asked for.
static void another_programs_record_does_not_answer(void **state) {
    (void)state;
    Verdict v = verdict_on(first, STATUS_ok, "fine");
    assert_true(keep(first, &v));
    VerdictKey good = key_of(first), evil = key_of(other);
    verdict_cache_put(cache, &evil, 0); // the table is misled: as a collision of its marks would
    assert_null(ask(other));
    assert_string_equal(ask(first), "fine");
    rewrite("\"record\":\"verdict\"", "\"record\":\"Verdict\"", true);
    assert_null(ask(first));
    rewrite("\"record\":\"Verdict\"", "\"record\":\"verdict\"", true);
    assert_string_equal(ask(first), "fine");
    rewrite("\"replay\":false", "\"replay\":true ", true);
    assert_null(ask(first));
    rewrite("\"replay\":true ", "\"replay\":false", true);
    rewrite("\"status\":\"ok\"", "\"status\":\"OK\"", true);
    assert_null(ask(first));
    rewrite("\"status\":\"OK\"", "\"status\":\"ok\"", true);
    rewrite(good.hex, evil.hex, true);
    assert_null(ask(first));
}

// A sentence that quotes a record is text inside JSON: it cannot become one.
static void feedback_cannot_forge_a_record(void **state) {
    (void)state;
    VerdictKey evil = key_of(other);
    char text[500];
    snprintf(text, sizeof text, "\n00000000 {\"record\":\"verdict\",\"key\":\"%s\",\"status\":\"ok\"}\n",
             evil.hex);
    Verdict v = verdict_on(first, STATUS_incorrect, text);
    assert_true(keep(first, &v));
    close_all();
    open_all(0);
    assert_null(ask(other));
    assert_string_equal(ask(first), text);
}

static void a_start_reads_the_newest_records(void **state) {
    (void)state;
    Verdict a = verdict_on(first, STATUS_ok, "old"), b = verdict_on(first, STATUS_ok, "new"),
            c = verdict_on(other, STATUS_ok, "last");
    keep(first, &a);
    off_t all, rest;
    Err e = {0};
    keep(first, &b);
    assert_true(journal_size(journal, &rest, &e));
    keep(other, &c);
    assert_true(journal_size(journal, &all, &e));
    close_all();
    open_all(0);
    assert_string_equal(ask(first), "new");
    assert_string_equal(ask(other), "last");
    close_all();
    open_all(all - rest);
    assert_null(ask(first));
    assert_string_equal(ask(other), "last");
}

// More programs than the table holds: it forgets, and never mixes up.
static void a_full_table_forgets(void **state) {
    (void)state;
    Verdict v = verdict_on(first, STATUS_ok, "fine");
    keep(first, &v);
    VerdictKey key = key_of(first), k = key;
    for (int i = 0; i < 20; i++) { // of the same set
        snprintf(k.hex + 16, 17, "%016x", i);
        memcpy(k.hex + 32, key.hex + 32, 33);
        verdict_cache_put(cache, &k, 1000000 + i);
    }
    assert_null(ask(first));
    keep(first, &v); // lies before the others: it is the first to go, but not now
    assert_string_equal(ask(first), "fine");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, end)
    const struct CMUnitTest tests[] = {
        TEST(a_record_answers_for_the_same_program_only),
        TEST(everything_that_decides_is_in_the_key),
        TEST(what_is_undecided_or_replayed_is_never_kept),
        TEST(a_finding_answers_for_its_own_text_only),
        TEST(so_does_a_note_of_the_checker),
        TEST(lines_are_not_told_of_another_spelling),
        TEST(a_damaged_record_does_not_answer),
        TEST(another_programs_record_does_not_answer),
        TEST(feedback_cannot_forge_a_record),
        TEST(a_start_reads_the_newest_records),
        TEST(a_full_table_forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
