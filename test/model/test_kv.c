// The cache: sequences that begin alike share pages and do not see each other; its room is what was told, and
// what does not fit changes nothing.
#include <limits.h>
#include <math.h>

#include "base/numeric/rng.h"
#include "golden.h"

static void step_one(const Golden *g, Kv *kv, int seq, int32_t token, float *logits) {
    Err e = {0};
    bool yes = true;
    ModelStep s = {.token = &token, .seq = &seq, .want = &yes, .count = 1};
    must(model_step(g->model, kv, &s, logits, &e), &e);
}

static int pages_held(const Kv *kv) { return kv->pages - kv->idle_count; }

// A random life of several sequences against what each token sequence gives alone.
static void test_forks_do_not_meet(void **state) {
    (void)state;
    enum { SEQUENCES = 5, LONGEST = 150, STEPS = 500 };
    Golden g = golden_open("llama3", 2);
    Rng r = rng_at(3, 0);
    Err e = {0};
    Kv *kv;
    must(kv_open(g.model, KV_F16, SEQUENCES, SEQUENCES * LONGEST, &kv, &e), &e);
    static int32_t text[SEQUENCES][LONGEST];
    int length[SEQUENCES] = {0}, shared = 0, checked = 0;
    float *last = NEWN(&g.a, float, (size_t)SEQUENCES *(size_t)g.vocab);
    for (int round = 0; round < STEPS; round++) {
        uint64_t what = rng_below(&r, 40);
        int s = (int)rng_below(&r, SEQUENCES), other = (int)rng_below(&r, SEQUENCES);
        if (what == 0) {
            kv_drop(kv, s);
            length[s] = 0;
        } else if (what < 3 && s != other) {
            kv_fork(kv, s, other);
            memcpy(text[other], text[s], sizeof *text);
            memcpy(last + other * g.vocab, last + s * g.vocab, (size_t)g.vocab * sizeof *last);
            length[other] = length[s];
        } else {
            // Every sequence that has room, by one to three tokens, in one step.
            int32_t token[3 * SEQUENCES];
            int seq[3 * SEQUENCES], n = 0, of[SEQUENCES], wanted = 0;
            bool want[3 * SEQUENCES] = {0};
            for (int i = 0; i < SEQUENCES; i++) {
                int more = (int)rng_between(&r, 0, 3);
                if (more == 0 || length[i] + more > LONGEST) continue;
                for (int k = 0; k < more; k++, n++) {
                    token[n] = text[i][length[i]++] = (int32_t)rng_below(&r, (uint64_t)g.vocab);
                    seq[n] = i;
                }
                want[n - 1] = true;
                of[wanted++] = i;
            }
            float *logits = NEWN(&g.a, float, (size_t)SEQUENCES *(size_t)g.vocab);
            ModelStep step = {.token = token, .seq = seq, .want = want, .count = n};
            must(model_step(g.model, kv, &step, logits, &e), &e);
            for (int k = 0; k < wanted; k++)
                memcpy(last + of[k] * g.vocab, logits + k * g.vocab, (size_t)g.vocab * sizeof *last);
        }
        for (int p = 0; p < kv->pages; p++) shared += kv->refs[p] > 1;
        if (round % 100 != 99) continue;
        for (int i = 0; i < SEQUENCES; i++) {
            assert_int_equal(kv_length(kv, i), length[i]);
            if (!length[i]) continue;
            float *alone = golden_logits(&g, g.model, NULL, KV_F16, text[i], length[i], 40);
            assert_memory_equal(last + i * g.vocab, alone + (length[i] - 1) * g.vocab,
                                (size_t)g.vocab * sizeof *last);
            checked++;
        }
    }
    assert_true(shared > 100 && checked > 10);
    for (int i = 0; i < SEQUENCES; i++) kv_drop(kv, i);
    assert_int_equal(pages_held(kv), 0);
    kv_close(kv);
    golden_close(&g);
}

static void test_sharing_costs_one_page(void **state) {
    (void)state;
    enum { PROMPT = 3 * KV_PAGE + 5, DRAFTS = 4 };
    Golden g = golden_open("qwen2", 1);
    Err e = {0};
    Kv *kv;
    must(kv_open(g.model, KV_F32, DRAFTS + 1, PROMPT + DRAFTS * 3, &kv, &e), &e);
    int32_t token[PROMPT];
    int seq[PROMPT] = {0};
    bool want[PROMPT] = {false};
    for (int i = 0; i < PROMPT; i++) token[i] = i % 250;
    ModelStep step = {.token = token, .seq = seq, .want = want, .count = PROMPT};
    must(model_step(g.model, kv, &step, NULL, &e), &e); // nothing wanted: no logits
    assert_int_equal(pages_held(kv), 4);
    float *logits = NEWN(&g.a, float, (size_t)g.vocab);
    for (int d = 1; d <= DRAFTS; d++) kv_fork(kv, 0, d);
    assert_int_equal(pages_held(kv), 4);
    for (int d = 1; d <= DRAFTS; d++) {
        step_one(&g, kv, d, 7, logits);
        assert_int_equal(pages_held(kv), 4 + d); // the page that both would write to
        step_one(&g, kv, d, 8, logits);
        assert_int_equal(pages_held(kv), 4 + d);
    }
    kv_drop(kv, 0); // the drafts keep what they share
    assert_int_equal(pages_held(kv), 3 + DRAFTS);
    kv_drop(kv, 1);
    assert_int_equal(pages_held(kv), 3 + DRAFTS - 1);
    // Of the two that are left on a page the last to write needs no copy.
    for (int d = 3; d <= DRAFTS; d++) kv_drop(kv, d);
    kv_fork(kv, 2, 3);
    int held = pages_held(kv);
    step_one(&g, kv, 3, 9, logits);
    step_one(&g, kv, 2, 9, logits);
    assert_int_equal(pages_held(kv), held + 1);
    kv_close(kv);
    golden_close(&g);
}

static void test_full_changes_nothing(void **state) {
    (void)state;
    Golden g = golden_open("llama", 2);
    Err e = {0};
    Kv *kv;
    must(kv_open(g.model, KV_F32, 2, KV_PAGE, &kv, &e), &e); // 1 + 2 * 2 pages
    int room = kv->pages * KV_PAGE;
    static int32_t token[MODEL_STEP_MAX];
    static int seq[MODEL_STEP_MAX];
    static bool want[MODEL_STEP_MAX];
    float *logits = NEWN(&g.a, float, (size_t)g.vocab * 2), *after = NEWN(&g.a, float, (size_t)g.vocab * 2);
    // The context ends before the room of one sequence does.
    int context = g.checkpoint->config.context;
    assert_true(context < room);
    for (int i = 0; i < MODEL_STEP_MAX; i++) token[i] = i % 200, seq[i] = 0;
    ModelStep step = {.token = token, .seq = seq, .want = want, .count = context + 1};
    assert_false(model_step(g.model, kv, &step, logits, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    assert_int_equal(kv_length(kv, 0), 0);
    assert_int_equal(pages_held(kv), 0);

    step.count = 100;
    e = (Err){0};
    must(model_step(g.model, kv, &step, logits, &e), &e);
    kv_fork(kv, 0, 1);
    int held = pages_held(kv);
    // Both go on in turns until a page is missing, in the middle of the step.
    int n = 0;
    for (; n < MODEL_STEP_MAX - 100; n++) seq[n] = n % 2;
    step.count = n;
    assert_false(model_step(g.model, kv, &step, logits, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    assert_int_equal(kv_length(kv, 0), 100);
    assert_int_equal(kv_length(kv, 1), 100);
    assert_int_equal(pages_held(kv), held);
    // What remains is what it was: the same logits as without the failure.
    seq[0] = 0, seq[1] = 1, want[0] = want[1] = true;
    token[0] = token[1] = 33;
    step.count = 2;
    e = (Err){0};
    must(model_step(g.model, kv, &step, after, &e), &e);
    assert_memory_equal(after, after + g.vocab, (size_t)g.vocab * sizeof *after);
    int32_t whole[101];
    for (int i = 0; i < 100; i++) whole[i] = i % 200;
    whole[100] = 33;
    float *alone = golden_logits(&g, g.model, NULL, KV_F32, whole, 101, 101);
    assert_memory_equal(after, alone + (size_t)100 * (size_t)g.vocab, (size_t)g.vocab * sizeof *after);
    kv_close(kv);
    golden_close(&g);
}

static void test_told_in_advance(void **state) {
    (void)state;
    Golden g = golden_open("llama", 1);
    const ModelConfig *c = model_config(g.model);
    Err e = {0};
    Kv *kv;
    for (int type = KV_F16; type <= KV_F32; type++) {
        must(kv_open(g.model, (KvType)type, 3, 500, &kv, &e), &e);
        assert_int_equal(kv->bytes, kv_bytes(c, (KvType)type, 3, 500));
        assert_int_equal(kv->bytes, (size_t)kv->pages * kv->page_bytes);
        kv_close(kv);
    }
    assert_int_equal(kv_bytes(c, KV_F32, 3, 500), 2 * kv_bytes(c, KV_F16, 3, 500));
    // More than can be counted is refused, not tried.
    assert_false(kv_open(g.model, KV_F32, 3, INT64_C(1) << 60, &kv, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    // And more than the machine has, before any of it is used.
    e = (Err){0};
    assert_false(kv_open(g.model, KV_F32, 3, INT64_C(1) << 29, &kv, &e));
    assert_int_equal(e.code, ERR_LIMIT);
    assert_non_null(strstr(e.msg, "MiB"));
    golden_close(&g);
}

static bool not_any_more(void *arg) { return --*(int *)arg >= 0; }

// A step that is given up between two layers has not happened, in pages that are shared as well.
static void test_a_step_can_be_given_up(void **state) {
    (void)state;
    Golden g = golden_open("llama", 1);
    Err e = {0};
    Kv *kv;
    must(kv_open(g.model, KV_F32, 2, 64, &kv, &e), &e);
    int32_t token[21];
    int first[20] = {0}, second[21];
    bool want[21] = {0};
    for (int i = 0; i < 21; i++) token[i] = i * 7, second[i] = 1;
    size_t bytes = (size_t)g.vocab * sizeof(float);
    float *logits = arena_raw(&g.a, bytes, 64), *untouched = arena_raw(&g.a, bytes, 64);
    memset(logits, 0x55, bytes);
    memcpy(untouched, logits, bytes);
    must(model_step(g.model, kv, &(ModelStep){.token = token, .seq = first, .want = want, .count = 3}, NULL,
                    &e),
         &e);
    kv_fork(kv, 0, 1);
    int held = pages_held(kv);
    want[17] = true;
    for (int layers = 0; layers < g.checkpoint->config.layers; layers++) {
        int left = layers;
        ModelStep step = {.token = token + 3,
                          .seq = second,
                          .want = want,
                          .count = 18,
                          .wanted = not_any_more,
                          .arg = &left};
        must(model_step(g.model, kv, &step, logits, &e), &e);
        assert_int_equal(left, -1);
        assert_int_equal(kv_length(kv, 1), 3);
        assert_int_equal(pages_held(kv), held);
        assert_memory_equal(logits, untouched, bytes);
    }
    int enough = 1000;
    ModelStep step = {
        .token = token + 3, .seq = second, .want = want, .count = 18, .wanted = not_any_more, .arg = &enough};
    must(model_step(g.model, kv, &step, logits, &e), &e);
    float *alone = golden_logits(&g, g.model, NULL, KV_F32, token, 21, 21);
    assert_memory_equal(logits, alone + (size_t)20 * (size_t)g.vocab, bytes);
    kv_close(kv);
    golden_close(&g);
}

// What F16 does not hold is no smaller number and no zero: the step fails, and nothing of it is left.
static void test_beyond_f16(void **state) {
    (void)state;
    Golden g = golden_open("llama", 2);
    static const float scales[] = {1e12f, NAN};
    int32_t token[] = {100, 101, 102};
    int seq[3] = {0};
    float *want = NEWN(&g.a, float, (size_t)g.vocab), *got = NEWN(&g.a, float, (size_t)g.vocab);
    for (int role = 0; role < 2; role++) // keys alone, then values alone
        for (int k = 0; k < 2; k++)
            for (KvType type = KV_F16; type <= KV_F32; type++) {
                Kv *kv;
                Err e = {0}, why = {0};
                must(kv_open(g.model, type, 1, 16, &kv, &e), &e);
                step_one(&g, kv, 0, 99, want);
                LoraPart kept[64], *part = (LoraPart *)(uintptr_t)g.adapter->part;
                memcpy(kept, part, (size_t)g.adapter->count * sizeof *part);
                for (int i = 0; i < g.adapter->count; i++)
                    if (part[i].role == (role ? ROLE_V : ROLE_K)) part[i].scale = scales[k];
                bool logits[3] = {false, false, true};
                ModelStep s = {.token = token, .seq = seq, .want = logits, .count = 3, .adapter = g.adapter};
                bool ok = model_step(g.model, kv, &s, got, &why);
                memcpy(part, kept, (size_t)g.adapter->count * sizeof *part);
                assert_int_equal(ok, type == KV_F32);
                if (ok) {
                    kv_close(kv);
                    continue;
                }
                assert_int_equal(why.code, ERR_INPUT);
                assert_non_null(strstr(why.msg, "--kv f32"));
                assert_int_equal(kv->sequence[0].length, 1);
                step_one(&g, kv, 0, 100, got); // as if nothing had been
                kv_drop(kv, 0);
                step_one(&g, kv, 0, 99, want);
                step_one(&g, kv, 0, 100, want);
                assert_memory_equal(got, want, (size_t)g.vocab * sizeof *want);
                kv_close(kv);
            }
    golden_close(&g);
}

// A model may say that it was made for as many positions as a number holds.
static void test_endless_context(void **state) {
    (void)state;
    Golden g = golden_open("llama", 1);
    ModelConfig *c = (ModelConfig *)(uintptr_t)model_config(g.model);
    float *want = NEWN(&g.a, float, (size_t)g.vocab), *got = NEWN(&g.a, float, (size_t)g.vocab);
    Err e = {0};
    for (int endless = 0; endless < 2; endless++) {
        Kv *kv;
        if (endless) c->context = INT_MAX;
        must(kv_open(g.model, KV_F16, 2, 100, &kv, &e), &e);
        assert_true(kv->pages_max >= 1 && kv->pages_max <= kv->pages);
        for (int i = 0; i < 70; i++) step_one(&g, kv, 0, i, endless ? got : want);
        kv_close(kv);
    }
    assert_memory_equal(got, want, (size_t)g.vocab * sizeof *want);
    golden_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forks_do_not_meet),      cmocka_unit_test(test_sharing_costs_one_page),
        cmocka_unit_test(test_full_changes_nothing),   cmocka_unit_test(test_told_in_advance),
        cmocka_unit_test(test_a_step_can_be_given_up), cmocka_unit_test(test_beyond_f16),
        cmocka_unit_test(test_endless_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
