// A server's answer, in pieces of any size: what it says, and every way in which it can be broken.
#include "propose/remote.h"

#include "grammar/smith_test.h"

static const char *const stream =
    ": hello\n\nevent: x\ndata: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
    "data:{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b1\"}},{\"index\":0,\"delta\":{\"content\":"
    "\"a1\"}}]}\r\n\r\n"
    "data: {\"choices\":[{\"index\":0,\n"
    "data: \"delta\":{\"content\":\"a2\"},\"finish_reason\":null}],\"usage\":null}\n\n"
    "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":null},\"finish_reason\":\"length\"}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"completion_tokens\":17}}\n\ndata: [DONE]\n\ndata: not json\n\n";

static bool feed(Answer *s, Arena *a, bool events, const char *text, size_t step, Err *e) {
    answer_begin(s, a, 2, events);
    for (size_t i = 0, n = strlen(text); i < n; i += step)
        if (!answer_feed(s, (Str){text + i, n - i < step ? n - i : step}, e)) return false;
    return answer_end(s, e);
}

static void streams_in_pieces_of_any_size(void **state) {
    (void)state;
    for (size_t step = 1; step <= strlen(stream); step += step < 40 ? 1 : 61) {
        Arena a = {0};
        Answer s;
        Err e = {0};
        if (!feed(&s, &a, true, stream, step, &e)) fail_msg("step %zu: %s", step, e.msg);
        assert_true(str_is(buf_str(&s.choice[0].text), "a1a2") && str_is(buf_str(&s.choice[1].text), "b1"));
        assert_true(s.choice[0].done && !s.choice[0].cut && s.choice[0].pieces == 2);
        assert_true(s.choice[1].done && s.choice[1].cut && s.choice[1].pieces == 1);
        assert_true(s.done && s.tokens == 17);
        arena_free(&a);
    }
}

static void a_stream_that_ends_early_leaves_what_was_done(void **state) {
    (void)state;
    Arena a = {0};
    Answer s;
    Err e = {0};
    answer_begin(&s, &a, 2, true);
    size_t n = (size_t)(strstr(stream, "data: {\"choices\":[{\"index\":0,\"delta\":{},") - stream);
    assert_true(answer_feed(&s, (Str){stream, n}, &e) && answer_end(&s, &e));
    assert_true(s.choice[1].done && !s.choice[0].done && !s.done);
    // The last event needs no empty line behind it.
    assert_true(feed(&s, &a, true,
                     "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}", 7,
                     &e));
    assert_true(s.choice[0].done && str_is(buf_str(&s.choice[0].text), "x"));
    arena_free(&a);
}

static void whole_responses(void **state) {
    (void)state;
    Arena a = {0};
    Answer s;
    Err e = {0};
    assert_true(feed(&s, &a, false,
                     "{\"choices\":[{\"message\":{\"content\":\"one\"},\"finish_reason\":\"stop\"},"
                     "{\"index\":1,\"message\":{\"content\":\"two\"},\"finish_reason\":\"length\"}],"
                     "\"usage\":{\"completion_tokens\":5}}",
                     10, &e));
    assert_true(s.choice[0].done && str_is(buf_str(&s.choice[0].text), "one") && !s.choice[0].cut);
    assert_true(s.choice[1].done && str_is(buf_str(&s.choice[1].text), "two") && s.choice[1].cut);
    assert_int_equal(s.tokens, 5);
    // A reasoning model that spent everything on thinking: no content, but an answer.
    assert_true(feed(&s, &a, false,
                     "{\"choices\":[{\"message\":{\"content\":null,\"reasoning_content\":\"hm\"},\"finish_"
                     "reason\":\"length\"}]}",
                     99, &e));
    assert_true(s.choice[0].done && s.choice[0].cut && s.choice[0].text.len == 0);
    // Members that are null are not there.
    assert_true(feed(&s, &a, false,
                     "{\"error\":null,\"usage\":null,\"choices\":[{\"index\":null,\"delta\":null,\"message\":"
                     "{\"content\":\"one\"},\"finish_reason\":null}]}",
                     99, &e));
    assert_true(s.choice[0].done && str_is(buf_str(&s.choice[0].text), "one"));
    arena_free(&a);
}

// The type that a server names does not count, nor does a mark before the text.
static void the_beginning_tells_the_kind(void **state) {
    (void)state;
    static const char json[] =
        "{\"choices\":[{\"message\":{\"content\":\"one\"},\"finish_reason\":\"stop\"}]}",
                      lines[] = "data: {\"choices\":[{\"delta\":{\"content\":\"one\"},"
                                "\"finish_reason\":\"stop\"}]}\n\n",
                      mark[] = "\xef\xbb\xbf";
    static const char *const before[] = {"", mark, "\r\n \t", "\xef\xbb\xbf\n"};
    for (size_t i = 0; i < 4; i++)
        for (int events = 0; events < 2; events++)
            for (int claimed = 0; claimed < 2; claimed++)
                for (size_t step = 1; step < 200; step += 13) {
                    Arena a = {0};
                    Answer s;
                    Err e = {0};
                    const char *text = arena_printf(&a, "%s%s", before[i], events ? lines : json);
                    if (!feed(&s, &a, claimed, text, step, &e)) fail_msg("%s: %s", text, e.msg);
                    assert_true(s.choice[0].done && str_is(buf_str(&s.choice[0].text), "one"));
                    assert_int_equal(s.events, events);
                    arena_free(&a);
                }
}

// "[DONE]" ends what has begun, also without a reason; the end of the connection alone does not.
// A beginning that is "data:" up to some place means the same in pieces of every size.
static void what_only_begins_like_a_field_is_none(void **state) {
    (void)state;
    static const char *const text[] = {"d",
                                       "da\r\n\r\n",
                                       "data",
                                       "dat{\"choices\":[]}",
                                       "datadata: x\n\n",
                                       " \n da",
                                       "\xef\xbb\xbf"
                                       "dat:x\n",
                                       "\xef\xbb"
                                       "data:x\n\n"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int events = 0; events < 2; events++)
            for (size_t step = 1; step < 6; step++) {
                Arena a = {0};
                Answer whole, pieces;
                Err e1 = {0}, e2 = {0};
                bool ok = feed(&whole, &a, events, text[i], 100, &e1);
                if (feed(&pieces, &a, events, text[i], step, &e2) != ok || whole.events != pieces.events ||
                    strcmp(e1.msg, e2.msg) != 0)
                    fail_msg("text %zu in pieces of %zu: '%s' and '%s'", i, step, e1.msg, e2.msg);
                if (i < 7) assert_int_equal(whole.events, events);
                arena_free(&a);
            }
}

static void done_is_done(void **state) {
    (void)state;
    static const char begun[] = ": hello\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}\n\n";
    for (int done = 0; done < 2; done++) {
        Arena a = {0};
        Answer s;
        Err e = {0};
        assert_true(
            feed(&s, &a, true, arena_printf(&a, "%s%s", begun, done ? "data: [DONE]\n\n" : ""), 7, &e));
        assert_int_equal(s.choice[0].done, done);
        assert_false(s.choice[0].cut || s.choice[1].done); // nothing has come of the second
        arena_free(&a);
    }
}

static void parts_of_a_content(void **state) {
    (void)state;
    Arena a = {0};
    Answer s;
    Err e = {0};
    assert_true(feed(&s, &a, false,
                     "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[1]},"
                     "{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\" two\"}]}},"
                     "{\"message\":{\"content\":[]}}]}",
                     9, &e));
    assert_true(str_is(buf_str(&s.choice[0].text), "one two") && s.choice[1].done && !s.choice[1].text.len);
    arena_free(&a);
}

static void broken_responses_say_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        bool events;
        const char *text, *says;
    } table[] = {
        {false, "", "no JSON"},
        {false, "<html>", "no JSON"},
        {false, "{}", "has no \"choices\""},
        {false, "{\"choices\":{}}", "has no \"choices\""},
        {false, "{\"choices\":[1]}", "no object"},
        {false, "{\"choices\":[{\"index\":\"0\"}]}", "no object with an index"},
        {false, "{\"choices\":[{\"index\":2,\"message\":{}}]}", "choice 2 of the 2"},
        {false, "{\"choices\":[{\"index\":-1,\"message\":{}}]}", "choice -1 of the 2"},
        {false, "{\"choices\":[{},{},{}]}", "choice 2 of the 2"},
        {false, "{\"choices\":[{\"message\":{\"content\":[1]}}]}", "is no text"},
        {false, "{\"choices\":[{\"message\":{\"content\":{}}}]}", "is no text"},
        {false, "{\"choices\":[{\"message\":{\"content\":[{\"text\":\"x\"}]}}]}", "is no text"},
        {false, "denied", "no JSON"},
        {false, "{\"error\":{\"message\":\"a\\u001b[31m\\nb\"}}", "an error: a [31m b"},
        {false, "{\"error\":\"words\"}", "an error: words"},
        {false, "{\"error\":{}}", "without a message"},
        {true, "data: {\"choices\": [\n\n", "no JSON"},
        {true, "data: [DONE\n\n", "no JSON"},
        {true, "data: {\"error\":{\"message\":\"busy\"}}\n\n", "an error: busy"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        Arena a = {0};
        Answer s;
        Err e = {0};
        if (feed(&s, &a, table[i].events, table[i].text, 3, &e)) fail_msg("taken: %s", table[i].text);
        if (!strstr(e.msg, table[i].says)) fail_msg("%s: %s", table[i].text, e.msg);
        arena_free(&a);
    }
}

static void sizes_are_bounded(void **state) {
    (void)state;
    Arena a = {0};
    Answer s;
    Err e = {0};
    size_t n = 1 << 20;
    char *x = arena_raw(&a, n, 1);
    memset(x, 'x', n);
    answer_begin(&s, &a, 1, true);
    int fed = 0;
    while (answer_feed(&s, (Str){x, n}, &e)) assert_true(++fed <= REMOTE_LINE_MAX / (1 << 20));
    assert_int_equal(e.code, ERR_LIMIT);
    // Many lines that mean nothing.
    x[n - 1] = '\n';
    e = (Err){0};
    answer_begin(&s, &a, 1, true);
    for (fed = 0; answer_feed(&s, (Str){x, n}, &e);) assert_true(++fed <= REMOTE_BYTES_MAX / (1 << 20));
    assert_int_equal(e.code, ERR_LIMIT);
    // A reply that is too long is cut.
    e = (Err){0};
    answer_begin(&s, &a, 1, true);
    Buf event = BUF(&a);
    buf_puts(&event, "data: {\"choices\":[{\"delta\":{\"content\":\"");
    buf_put(&event, x, 600000);
    buf_puts(&event, "\"}}]}\n\n");
    for (int i = 0; i < 3; i++) assert_true(answer_feed(&s, buf_str(&event), &e));
    assert_true(s.choice[0].done && s.choice[0].cut && s.choice[0].text.len == REPLY_MAX);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_in_pieces_of_any_size),
        cmocka_unit_test(a_stream_that_ends_early_leaves_what_was_done),
        cmocka_unit_test(whole_responses),
        cmocka_unit_test(the_beginning_tells_the_kind),
        cmocka_unit_test(what_only_begins_like_a_field_is_none),
        cmocka_unit_test(done_is_done),
        cmocka_unit_test(parts_of_a_content),
        cmocka_unit_test(broken_responses_say_what_is_wrong),
        cmocka_unit_test(sizes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
