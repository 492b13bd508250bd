// Lines of data: each form, and each way in which one can be wrong.
#include "making.h"
#include "text/bpe_train.h"
#include "train/documents.h"
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    Arena a;
    Tokenizer *t;
    Documents d;
    char said[4000];
    int64_t bad[100];
    int bads;
} Reading;

static bool tell(void *arg, int64_t line, const Err *why) {
    Reading *r = arg;
    size_t n = strlen(r->said);
    snprintf(r->said + n, sizeof r->said - n, "%d: %s\n", (int)line, why->msg);
    r->bad[r->bads++] = line;
    return true;
}

static Reading reading_open(void) {
    Reading r = {0};
    Err e = {0};
    Buf json = BUF(&r.a);
    int size;
    static const Str text = STR_INIT("softmax softmax kernel kernel"), special = STR_INIT("<|im_end|>");
    must(bpe_train(&(BpeTrain){&text, 1, 270, &special, 1}, &json, &size, &e), &e);
    TokenizerSource src = {.name = "t", .json = buf_str(&json), .bos = -1, .add_bos = -1};
    must(tokenizer_open(&r.a, &src, &r.t, &e), &e);
    return r;
}
static void reading_close(Reading *r) {
    tokenizer_close(r->t);
    arena_free(&r->a);
}

static void read_text(Reading *r, const char *text, size_t n, const ChatFamily *chat) {
    Err e = {0};
    char path[] = "/tmp/ouroboros-documents-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t at = 0; at < n;) at += (size_t)write(fd, text + at, n - at);
    close(fd);
    DocumentReader reader = {r->t, chat, 0, 128, tell, r};
    bool ok = documents_read(&r->a, &reader, path, &r->d, &e);
    unlink(path);
    must(ok, &e);
}

static void the_forms_become_tokens(void **state) {
    (void)state;
    Reading r = reading_open();
    Err e = {0};
    const ChatFamily *chat;
    must(chat_by_name("qwen25", &chat, &e), &e);
    static const char text[] =
        "{\"prompt\":\"a\",\"completion\":\"bcd\"}\n\n"
        "{\"op\":\"softmax\",\"source\":\"kernel\",\"schedule\":7}\n"
        "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"u\"},"
        "{\"role\":\"assistant\",\"content\":\"v\"}]}";
    read_text(&r, text, sizeof text - 1, chat);
    assert_int_equal(r.d.count, r.bads ? -1 : 3);
    const Document *d = r.d.at;
    assert_int_equal(d[0].count, 5); // a b c d, the end
    assert_int_equal(d[0].prompt, 1);
    assert_int_equal(d[0].token[4], 0);
    assert_int_equal(d[0].group, -1);
    assert_int_equal(d[1].group, 0);
    assert_true(str_is(r.d.group[0].name, "softmax"));
    assert_int_equal(d[2].count, d[2].prompt + 2);
    int turns = 0;
    for (int i = 0; i < d[2].prompt; i++) turns += d[2].token[i] == 0; // <|im_end|> stands for itself there
    assert_int_equal(turns, 2);
    assert_int_equal(r.d.tokens, d[0].count + d[1].count + d[2].count);
    reading_close(&r);
}

static void bad_lines_are_told_one_by_one(void **state) {
    (void)state;
    Reading r = reading_open();
    static const struct {
        const char *line, *says;
    } bad[] = {
        {"{\"prompt\":\"a\"", "this line"},
        {"[1]", "object"},
        {"{\"prompt\":\"a\",\"prompt\":\"b\",\"completion\":\"c\"}", "uplicate"},
        {"{\"prompt\":1,\"completion\":\"c\"}", "\"prompt\": a text belongs here"},
        {"{\"prompt\":\"a\",\"completion\":\"\xff\"}", "decode byte 0xff"},
        {"{\"prompt\":\"a\"}", "neither"},
        {"{\"prompt\":\"\",\"completion\":\"c\"}", "the prompt is empty"},
        {"{\"prompt\":\"c\",\"completion\":\"\"}", "the completion is empty"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"u\"}]}", "holds 1 messages"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"tool\",\"content\":\"u\"}]}",
         "assistant belongs here"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"assistant\",\"content\":\"u\"}]}",
         "no chat format"},
        {"{\"prompt\":"
         "\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrs"
         "tuvwxyz\",\"completion\":"
         "\"abcdefghijklmnopqrstuvwxyz\"}",
         "at most 128"},
    };
    enum { N = sizeof bad / sizeof *bad };
    Buf text = BUF(&r.a);
    for (int i = 0; i < N; i++)
        buf_printf(&text, "%s\n{\"prompt\":\"a\",\"completion\":\"b\"}\n", bad[i].line);
    read_text(&r, text.p, text.len, NULL);
    assert_int_equal(r.bads, N);
    assert_int_equal(r.d.count, N); // the good ones between them
    assert_int_equal(r.d.lines, 2 * N);
    const char *at = r.said;
    for (int i = 0; i < N; i++) {
        assert_int_equal(r.bad[i], 2 * i + 1);
        const char *end = strchr(at, '\n');
        Str said = {at, (size_t)(end - at)};
        if (!strstr(str_cdup(&r.a, said), bad[i].says))
            fail_msg("\"%.*s\" does not say \"%s\"", STR_ARG(said), bad[i].says);
        at = end + 1;
    }
    reading_close(&r);
}

// A line that never ends costs no more than the limit.
static void a_long_line_is_one_error(void **state) {
    (void)state;
    Reading r = reading_open();
    size_t n = (size_t)DOCUMENT_LINE_MAX + (1 << 20);
    char *text = arena_raw(&r.a, n + 60, 1);
    memset(text, 'x', n);
    int more = snprintf(text + n, 60, "\n{\"prompt\":\"a\",\"completion\":\"b\"}\n");
    read_text(&r, text, n + (size_t)more, NULL);
    assert_int_equal(r.d.count, 1);
    assert_string_equal(r.said, "1: longer than 16 MiB\n");
    reading_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_forms_become_tokens),
                                       cmocka_unit_test(bad_lines_are_told_one_by_one),
                                       cmocka_unit_test(a_long_line_is_one_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
