// The smith PATH on a tiny model: drafts by number, wishes of the sink, adapters, and what it takes for a
// place.
#include "propose/local.h"
#include "weights/config.h"
#include "propose/smith_kind.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char model[] = "test/model/golden/llama";

typedef struct {
    Arena *a;
    int replies, grown, stop_after; // stop_after: tokens; 0: never
    Str text[64];
    bool cut[64];
} Sink;

static bool wanted(void *arg) {
    Sink *s = arg;
    return !s->stop_after || s->grown < s->stop_after;
}
static void grew(void *arg, int tokens) { ((Sink *)arg)->grown += tokens; }
static bool reply(void *arg, const Reply *r) {
    Sink *s = arg;
    assert_in_range(r->index, 0, 63);
    assert_null(s->text[r->index].p);
    s->text[r->index] = str_dup(s->a, r->text);
    s->cut[r->index] = r->cut;
    assert_true(r->tokens > 0 && r->schedule);
    s->replies++;
    return true;
}

static Smith *open_smith(Arena *a, const char *which, const char *adapter) {
    Err e = {0};
    Smith *s;
    SmithOptions o = {.adapter = adapter};
    if (!smith_open(a, which, &o, &s, &e)) fail_msg("%s", e.msg);
    return s;
}

static SmithRequest request(const Prompt *p, int first, int count) {
    return (SmithRequest){.seed = 11,
                          .first = first,
                          .count = count,
                          .prompt = p,
                          .settings = {.temperature = 1, .top_p = 1, .max_tokens = 8}};
}

static void ask(Smith *s, const SmithRequest *q, Sink *k) {
    Err e = {0};
    SmithSink sink = {.wanted = wanted, .grew = grew, .reply = reply, .arg = k};
    if (!s->draft(s, NULL, q, &sink, &e)) fail_msg("%s", e.msg);
}

static void test_drafts_by_number(void **state) {
    (void)state;
    Arena a = {0};
    Smith *s = open_smith(&a, model, NULL);
    assert_true(s->takes_prompt && s->slow && !s->profile);
    assert_string_equal(s->name, model);
    Prompt p = {.raw = STR("def run(x):")};
    SmithRequest all = request(&p, 0, 20), some = request(&p, 7, 3);
    Sink many = {.a = &a}, few = {.a = &a}, cut = {.a = &a, .stop_after = 3};
    ask(s, &all, &many);
    ask(s, &some, &few);
    assert_int_equal(many.replies, 20);
    assert_int_equal(few.replies, 3);
    int differ = 0, at_the_limit = 0;
    for (int i = 0; i < 20; i++) at_the_limit += many.cut[i];
    for (int i = 7; i < 10; i++) assert_true(str_eq(few.text[i], many.text[i]));
    for (int i = 1; i < 20; i++) differ += !str_eq(many.text[i], many.text[0]);
    assert_true(differ > 10 && at_the_limit > 0);
    assert_true(many.grown >= 20 && many.grown <= 160);
    ask(s, &all, &cut);
    assert_true(cut.grown < 40 && cut.replies < 20);
    // Nothing is wanted from the beginning: not even the prompt is computed.
    Sink never = {.a = &a, .stop_after = 1, .grown = 1};
    ask(s, &all, &never);
    assert_true(never.grown == 1 && !never.replies);
    some.count = 0;
    ask(s, &some, &cut);
    smith_close(s);
    arena_free(&a);
}

// Retries: numbers and prompts of their own, and each draft is the one that is asked for alone.
static void test_retries(void **state) {
    (void)state;
    Arena a = {0};
    Smith *s = open_smith(&a, model, NULL);
    Retry retry[] = {{9, {.raw = STR("def run(x): # wrong")}},
                     {2, {.raw = STR("def run(x): # slow")}},
                     {5, {.raw = STR("def run(x):")}}};
    SmithRequest q = request(NULL, 0, 3);
    q.retry = retry;
    Sink all = {.a = &a}, single = {.a = &a}, first = {.a = &a};
    ask(s, &q, &all);
    assert_int_equal(all.replies, 3);
    for (int i = 0; i < 3; i++) {
        SmithRequest one = request(&retry[i].prompt, retry[i].index, 1);
        ask(s, &one, &single);
        assert_true(str_eq(all.text[retry[i].index], single.text[retry[i].index]));
    }
    SmithRequest other = request(&retry[2].prompt, 9, 1);
    ask(s, &other, &first);
    assert_false(str_eq(first.text[9], all.text[9])); // the prompt makes a difference
    smith_close(s);
    arena_free(&a);
}

static void test_adapter_and_turns(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Prompt p = {.raw = STR("def run(x):")}, turns = {.user = STR("def run(x):")};
    SmithRequest q = request(&p, 0, 4), of_turns = request(&turns, 0, 4);
    Sink bare = {.a = &a}, with = {.a = &a}, none = {.a = &a};
    Smith *s = open_smith(&a, model, NULL);
    ask(s, &q, &bare);
    SmithSink sink = {.wanted = wanted, .grew = grew, .reply = reply, .arg = &none};
    assert_false(s->draft(s, NULL, &of_turns, &sink, &e)); // the folder has no chat template
    assert_non_null(strstr(e.msg, "chat template"));
    const char *named = strstr(e.msg, s->name);
    assert_non_null(named);
    assert_null(strstr(named + 1, s->name)); // once
    // What is wrong with the model, or with what was asked of it, is not the op's fault; a long prompt is.
    assert_int_equal(e.code, ERR_IO);
    SmithRequest cold = q;
    cold.settings.top_p = 0;
    e = (Err){0};
    assert_false(s->draft(s, NULL, &cold, &sink, &e));
    assert_int_equal(e.code, ERR_IO);
    char *many = NEWN(&a, char, 300);
    memset(many, 'x', 256);
    Prompt lengthy = {.raw = {many, 255}}, beyond = {.raw = {many, 256}};
    SmithRequest fits = request(&lengthy, 0, 1), fails = request(&beyond, 0, 1);
    ask(s, &fits, &none);
    assert_int_equal(none.replies, 1);
    e = (Err){0};
    assert_false(s->draft(s, NULL, &fails, &sink, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    assert_non_null(strstr(e.msg, "256 tokens"));
    smith_close(s);
    s = open_smith(&a, model, "test/model/golden/llama/adapter");
    ask(s, &q, &with);
    int differ = 0;
    for (int i = 0; i < 4; i++) differ += !str_eq(bare.text[i], with.text[i]);
    assert_true(differ > 0);
    smith_close(s);
    e = (Err){0};
    LocalModel m;
    Tokens raw, chat;
    if (!local_model_open(&a, model, NULL, "qwen25", &m, &e)) fail_msg("%s", e.msg);
    assert_true(local_model_tokens(&m, &a, &p, false, &raw, &e) &&
                local_model_tokens(&m, &a, &turns, false, &chat, &e));
    assert_true(chat.count > raw.count + 20);
    local_model_close(&m);
    assert_false(local_model_open(&a, model, "test/model/golden/qwen2/adapter", NULL, &m, &e));
    assert_null(m.model);
    arena_free(&a);
}

// The same path, another model: whoever keeps drafts of it can tell.
static void test_identity(void **state) {
    (void)state;
    Arena a = {0};
    char id[4][65];
    const SmithOptions options[] = {{0}, {.kv = "f32"}, {.adapter = "test/model/golden/llama/adapter"}, {0}};
    for (int i = 0; i < 4; i++) {
        Err e = {0};
        Smith *s;
        if (!smith_open(&a, i < 3 ? model : "test/model/golden/llama3", &options[i], &s, &e))
            fail_msg("%s", e.msg);
        s->identify(s, id[i]);
        assert_int_equal(strlen(id[i]), 64);
        smith_close(s);
    }
    assert_string_equal(id[0], id[1]);
    assert_string_not_equal(id[0], id[2]);
    assert_string_not_equal(id[0], id[3]);
    Err e = {0};
    Smith *s = open_smith(&a, model, NULL);
    assert_null(s->warning);
    smith_close(s);
    assert_true(smith_open(&a, model, &(SmithOptions){.chat = "qwen25"}, &s, &e));
    assert_non_null(strstr(s->warning, "no token <|im_end|>"));
    smith_close(s);
    arena_free(&a);
}

static void test_places(void **state) {
    (void)state;
    Arena a = {0};
    assert_true(local_takes("hf:org/name") && local_takes("./x") && local_takes("x.gguf") &&
                local_takes("test"));
    assert_false(local_takes("grammer") || local_takes("https://host/v1#m"));
    Checkpoint silent = {0}, marked = {0}, other = {0};
    config_profile(&marked.config, STR("seedling"));
    config_profile(&other.config, STR("of_somebody"));
    assert_string_equal(local_model_profile(&silent, "/m/Kwen2.5-1.5b"), "kwen");
    assert_null(local_model_profile(&silent, "/m/MiniCPM5-1B"));
    assert_string_equal(local_model_profile(&marked, "/m/any"), "seedling");
    assert_null(local_model_profile(&other, "/m/any"));
    config_profile(&marked.config, STR("../../etc/passwd"));
    assert_string_equal(marked.config.profile, "");
    Smith *s;
    Err e = {0};
    assert_false(smith_open(&a, "./no/such/model", NULL, &s, &e));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drafts_by_number),
        cmocka_unit_test(test_retries),
        cmocka_unit_test(test_adapter_and_turns),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
