// The file of an evaluation: what was put is read again, and damage is told with its line.
#include "mint/folder.h"

static json_t *settings(double temperature) {
    return json_pack("{s:s, s:f, s:i, s:n}", "smith", "x", "temperature", temperature, "seed", 7, "dtype");
}

static Attempt draft(int index, Status status) {
    Attempt t = {
        .index = index,
        .reply = STR("```python\ndef run(x): pass\n```"),
        .source = STR("def run(x): pass\n"),
        .tokens = 5,
        .cut = index == 1,
        .schedule = "",
        .prompt = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .verdict = {
            .decision.status = status, .op = STR("softmax"), .decision.rule = "x", .decision.feedback = "y"}};
    return t;
}

static void put(Ledger *l, const Op *op, int index, Status status) {
    Attempt t = draft(index, status);
    Err e = {0};
    if (!ledger_put(l, op, &t, &e)) fail_msg("%s", e.msg);
}

static void what_was_put_is_read_again(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Err e = {0};
    assert_true(op_find(&a, STR("softmax"), &op));
    const char *path = arena_printf(&a, "%s/a.jsonl", folder);
    json_t *s = settings(0.7), *other = settings(0.8);
    Ledger *l;
    assert_true(ledger_open(path, s, false, &l, &e));
    put(l, &op, 0, STATUS_ok);
    put(l, &op, 1, STATUS_truncated);
    assert_true(ledger_sync(l, &e));
    Ledger *second;
    assert_false(ledger_open(path, s, true, &second, &e)); // one writer
    assert_non_null(strstr(e.msg, "another process"));
    ledger_close(l);
    e = (Err){0};
    assert_false(ledger_open(path, s, false, &l, &e));
    assert_int_equal(e.code, ERR_USAGE);
    e = (Err){0};
    assert_false(ledger_open(path, other, true, &l, &e));
    assert_non_null(strstr(e.msg, "was begun with temperature 0.7"));

    // A torn line, as kill -9 or a full disk leaves it.
    FILE *f = fopen(path, "a");
    fputs("{\"record\":\"draft\",\"op\":\"soft", f);
    fclose(f);
    e = (Err){0};
    if (!ledger_open(path, s, true, &l, &e)) fail_msg("%s", e.msg);
    put(l, &op, 2, STATUS_incorrect);
    ledger_close(l);
    uint64_t seed = 0;
    assert_true(ledger_seed(path, &seed) && seed == 7);
    assert_true(ledger_open(path, s, true, &l, &e));
    int n;
    const LedgerDraft *d = ledger_drafts(l, &n);
    assert_int_equal(n, 3);
    static const Status status[] = {STATUS_ok, STATUS_truncated, STATUS_incorrect};
    char hash[65];
    sha256_hex(op.hash, hash);
    for (int i = 0; i < 3; i++) {
        assert_true(str_is(d[i].op, "softmax"));
        assert_int_equal(d[i].index, i);
        assert_int_equal(d[i].status, status[i]);
        assert_int_equal(d[i].tokens, 5);
        assert_int_equal(d[i].cut, i == 1);
        assert_string_equal(d[i].definition, hash);
        assert_int_equal(strlen(d[i].prompt), 64);
    }
    ledger_close(l);
    json_decref(s);
    json_decref(other);
    arena_free(&a);
}

#define BEGIN \
    "{\"record\":\"eval\",\"settings\":{\"smith\":\"x\",\"temperature\":0.7,\"seed\":7,\"dtype\":null}}\n"
#define DRAFT(index, status)                                                                   \
    "{\"record\":\"draft\",\"op\":\"a\",\"definition\":\"\",\"prompt\":\"\",\"end\":\"stop\"," \
    "\"index\":" index ",\"verdict\":{\"status\":\"" status "\"}}\n"

static void damage_is_told_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } table[] = {
        {"hello\n", "f:1: no JSON"},
        {"{}\n", "f:1: not a file of an evaluation"},
        {"{\"record\":\"eval\"}\n", "f:1: no settings"},
        {"{\"record\":\"eval\",\"settings\":{\"smith\":\"x\"}}\n", "was begun with temperature unsaid"},
        {"{\"record\":\"eval\",\"settings\":{\"smith\":\"x\",\"temperature\":0.7,\"seed\":7,\"dtype\":null,"
         "\"new\":1}}\n",
         "f was begun with new 1, not unsaid"},
        {BEGIN "{}\n", "f:2: neither"},
        {BEGIN BEGIN, "f:2: neither"},
        {BEGIN DRAFT("0", "ok") "{\"rec\n" DRAFT("1", "ok"), "f:3: no JSON"},
        {BEGIN DRAFT("0", "okay"), "f:2: its status is unknown"},
        {BEGIN DRAFT("-1", "ok"), "f:2: \"index\" is -1"},
        {BEGIN DRAFT("99999999999", "ok"), "f:2: \"index\" is 99999999999"},
        {BEGIN DRAFT("\"0\"", "ok"), "f:2: \"index\": a whole number belongs here"},
        {BEGIN DRAFT("null", "ok"), "f:2: \"index\" is missing"},
        {BEGIN "{\"record\":\"draft\"}\n", "f:2: \"op\" is missing"},
        {BEGIN "{\"record\":\"draft\",\"op\":\"a\",\"end\":\"stop\"}\n", "f:2: \"status\" is missing"},
        {BEGIN DRAFT("3", "ok") DRAFT("4", "ok") DRAFT("3", "incorrect"), "draft 3 of a is there twice"},
    };
    json_t *s = settings(0.7);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Ledger *l = ledger_blank();
        Err e = {0};
        if (ledger_read(l, "f", str_of(table[i].text), s, &e)) fail_msg("taken: %s", table[i].text);
        if (!strstr(e.msg, table[i].says)) fail_msg("%s: %s", table[i].text, e.msg);
        ledger_close(l);
    }
    Ledger *l = ledger_blank();
    Err e = {0};
    int n;
    if (!ledger_read(l, "f", STR(BEGIN DRAFT("0", "ok") DRAFT("1", "ok") "{\"torn"), s, &e))
        fail_msg("%s", e.msg);
    ledger_drafts(l, &n);
    assert_int_equal(n, 2);
    ledger_close(l);
    json_decref(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_read_again),
        cmocka_unit_test(damage_is_told_with_its_line),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
