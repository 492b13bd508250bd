// A program's answers, line by line: what may stand in one. test/cmd/test_smith_pipe.sh runs programs.
#include "propose/extract.h"

#include "grammar/smith_test.h"
#include "propose/pipe.h"

static void answers_of_programs(void **state) {
    (void)state;
    Arena a = {0};
    PipeAnswer r;
    Err e = {0};
    assert_true(pipe_answer_read(
        &a,
        STR("{\"id\":\"1\",\"text\":\"x\\u0000y\",\"end\":\"length\",\"index\":3,\"tokens\":12,\"more\":[]}"),
        &r, &e));
    assert_true(str_is(r.id, "1") && r.text.len == 3 && r.cut && r.index == 3 && r.tokens == 12 &&
                !r.error.p);
    assert_true(pipe_answer_read(&a, STR("{\"id\":\"1\",\"text\":\"\"}"), &r, &e));
    assert_true(!r.cut && r.index == -1 && r.tokens == 0);
    assert_true(pipe_answer_read(&a, STR("{\"id\":\"1\",\"text\":\"\",\"index\":-5,\"tokens\":-1}"), &r, &e));
    assert_true(r.index == INT64_MAX && r.tokens == 0);
    assert_true(pipe_answer_read(&a, STR("{\"id\":\"1\",\"error\":\"no\"}"), &r, &e));
    assert_true(str_is(r.error, "no"));
    // Null is as if it were not there.
    assert_true(pipe_answer_read(
        &a, STR("{\"id\":\"1\",\"text\":\"x\",\"error\":null,\"end\":null,\"index\":null,\"tokens\":null}"),
        &r, &e));
    assert_true(str_is(r.text, "x") && !r.error.p && !r.cut && r.index == -1 && r.tokens == 0);
    assert_true(pipe_answer_read(&a, STR("{\"id\":\"1\",\"text\":null,\"error\":\"no\"}"), &r, &e));
    assert_true(str_is(r.error, "no") && !r.text.p);
    static const char *const wrong[] = {
        "{\"id\":null,\"text\":\"x\"}",
        "{\"id\":\"1\",\"text\":7}",
        "{\"id\":\"1\",\"text\":null,\"error\":null}",
        "{\"id\":\"1\",\"text\":\"x\",\"error\":7}",
        "",
        "hello",
        "[]",
        "{}",
        "{\"id\":1,\"text\":\"x\"}",
        "{\"id\":\"1\"}",
        "{\"id\":\"1\",\"text\":null}",
        "{\"id\":\"1\",\"text\":\"x\",\"end\":1}",
        "{\"id\":\"1\",\"text\":\"x\",\"index\":\"0\"}",
        "{\"id\":\"1\",\"text\":\"x\",\"tokens\":1.5}",
        "{\"id\":\"1\",\"text\":\"x\",\"text\":\"y\"}",
        "{\"id\":\"1\",\"text\":\"x\"} trailing",
        "{\"id\":\"1\",\"text\":\"\xff\"}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        e = (Err){0};
        if (pipe_answer_read(&a, str_of(wrong[i]), &r, &e)) fail_msg("taken: %s", wrong[i]);
        assert_int_equal(e.code, ERR_INPUT);
    }
    assert_false(pipe_answer_read(&a, (Str){0}, &r, &e));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
