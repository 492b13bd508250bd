// Logits and greedy text of the tiny models against transformers, and four mistakes that the goldens must
// see.
#include "model/logits.h"

static void test_prefill_token_by_token_and_pieces(void **state) {
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        Golden g = golden_open(GOLDEN[i], 2);
        int count, n;
        const int32_t *prompt = golden_find(&g, "prompt", &count);
        const float *base = golden_find(&g, "prompt_logits", &n), *lora = golden_find(&g, "prompt_lora", &n);
        assert_int_equal(n, count * g.vocab);
        for (int with = 0; with < 2; with++) {
            const Adapter *ad = with ? g.adapter : NULL;
            float *whole = golden_logits(&g, g.model, ad, KV_F32, prompt, count, count);
            double d = largest_difference(whole, with ? lora : base, (size_t)n);
            print_message("%s%s: %.2g\n", GOLDEN[i], with ? " with adapter" : "", d);
            if (d > CLOSE) fail_msg("%s, adapter %d: %g away", GOLDEN[i], with, d);
            static const int piece[] = {1, 7, 64};
            for (int k = 0; k < 3; k++) {
                float *parts = golden_logits(&g, g.model, ad, KV_F32, prompt, count, piece[k]);
                assert_memory_equal(parts, whole, (size_t)n * sizeof *parts);
            }
            // The cache in F16 is near, and not the same.
            float *half = golden_logits(&g, g.model, ad, KV_F16, prompt, count, count);
            d = largest_difference(half, whole, (size_t)n);
            if (d > 0.05 || d == 0) fail_msg("%s: a cache in F16 is %g away", GOLDEN[i], d);
        }
        golden_close(&g);
    }
}

// Eight sequences of different lengths in one step, then what each gives alone.
static void test_ragged_batch(void **state) {
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        Golden g = golden_open(GOLDEN[i], 2);
        int n, total, values;
        const int32_t *count = golden_find(&g, "ragged_count", &n),
                      *ids = golden_find(&g, "ragged_ids", &total);
        const float *base = golden_find(&g, "ragged_logits", &values),
                    *lora = golden_find(&g, "ragged_lora", &values);
        assert_int_equal(n, 8);
        int *seq = NEWN(&g.a, int, (size_t)total);
        bool *want = NEWN(&g.a, bool, (size_t)total);
        for (int s = 0, at = 0; s < n; s++) {
            for (int t = 0; t < count[s]; t++) seq[at++] = s;
            want[at - 1] = true;
        }
        float *logits = NEWN(&g.a, float, (size_t)values);
        for (int with = 0; with < 2; with++) {
            Err e = {0};
            Kv *kv;
            must(kv_open(g.model, KV_F32, n, total, &kv, &e), &e);
            ModelStep step = {
                .token = ids, .seq = seq, .want = want, .count = total, .adapter = with ? g.adapter : NULL};
            must(model_step(g.model, kv, &step, logits, &e), &e);
            kv_close(kv);
            double d = largest_difference(logits, with ? lora : base, (size_t)values);
            if (d > CLOSE) fail_msg("%s, adapter %d: %g away", GOLDEN[i], with, d);
            for (int s = 0, at = 0; s < n; at += count[s++]) {
                float *alone = golden_logits(&g, g.model, step.adapter, KV_F32, ids + at, count[s], 16);
                assert_memory_equal(alone + (size_t)(count[s] - 1) * (size_t)g.vocab,
                                    logits + (size_t)s * (size_t)g.vocab, (size_t)g.vocab * sizeof(float));
            }
        }
        golden_close(&g);
    }
}

static void test_greedy_text(void **state) {
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        Golden g = golden_open(GOLDEN[i], 2);
        int count, n;
        const int32_t *prompt = golden_find(&g, "prompt", &count);
        int *seq = NEWN(&g.a, int, (size_t)count);
        bool *want = NEWN(&g.a, bool, (size_t)count);
        want[count - 1] = true;
        float *logits = NEWN(&g.a, float, (size_t)g.vocab);
        for (int with = 0; with < 2; with++) {
            const int32_t *expected = golden_find(&g, with ? "greedy_lora" : "greedy", &n);
            Err e = {0};
            Kv *kv;
            must(kv_open(g.model, KV_F32, 1, count + n, &kv, &e), &e);
            ModelStep step = {.token = prompt,
                              .seq = seq,
                              .want = want,
                              .count = count,
                              .adapter = with ? g.adapter : NULL};
            must(model_step(g.model, kv, &step, logits, &e), &e);
            for (int k = 0; k < n; k++) {
                int32_t id = golden_argmax(logits, g.vocab);
                assert_int_equal(id, expected[k]);
                bool yes = true;
                step =
                    (ModelStep){.token = &id, .seq = seq, .want = &yes, .count = 1, .adapter = step.adapter};
                must(model_step(g.model, kv, &step, logits, &e), &e);
            }
            kv_close(kv);
        }
        golden_close(&g);
    }
}

// How far the prompt's logits are from the golden ones with a model that was tampered with.
static double miss(const Golden *g, Model *m, const Adapter *ad) {
    int count, n;
    const int32_t *prompt = golden_find(g, "prompt", &count);
    const float *right = golden_find(g, ad ? "prompt_lora" : "prompt_logits", &n);
    return largest_difference(golden_logits(g, m, ad, KV_F32, prompt, count, count), right, (size_t)n);
}

static void test_mistakes_show(void **state) {
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        Golden g = golden_open(GOLDEN[i], 2);
        Err e = {0};
        Model *m;
        Checkpoint wrong = *g.checkpoint;
        wrong.config.rope_theta *= 2;
        must(model_open(&g.a, &wrong, g.pool, &m, &e), &e);
        assert_true(miss(&g, m, NULL) > 100 * CLOSE);

        wrong = *g.checkpoint;
        wrong.rope_neighbours = true; // as if a GGUF's q and k had not been permuted
        must(model_open(&g.a, &wrong, g.pool, &m, &e), &e);
        assert_true(miss(&g, m, NULL) > 100 * CLOSE);

        if (g.checkpoint->config.llama3_rope) {
            wrong = *g.checkpoint;
            wrong.config.llama3_rope = false;
            must(model_open(&g.a, &wrong, g.pool, &m, &e), &e);
            assert_true(miss(&g, m, NULL) > 100 * CLOSE);
        }
        if (g.checkpoint->config.arch == ARCH_QWEN2) {
            must(model_open(&g.a, g.checkpoint, g.pool, &m, &e), &e);
            for (int l = 0; l < g.checkpoint->config.layers; l++) m->layer[l].v_bias = NULL;
            assert_true(miss(&g, m, NULL) > 100 * CLOSE);
        }
        Adapter half = *g.adapter;
        LoraPart *part = NEWN(&g.a, LoraPart, (size_t)half.count);
        for (int k = 0; k < half.count; k++) {
            part[k] = half.part[k];
            part[k].scale /= 2;
        }
        half.part = part;
        assert_true(miss(&g, g.model, &half) > 100 * CLOSE);
        assert_true(miss(&g, g.model, g.adapter) <= CLOSE); // and nothing was left behind
        golden_close(&g);
    }
}

// A twin as GGUF files have it: q and k permuted so that neighbours turn.
static void test_neighbours(void **state) {
    (void)state;
    Golden g = golden_open("llama", 2);
    Err e = {0};
    Checkpoint twin = *g.checkpoint;
    twin.rope_neighbours = true;
    Model *m;
    must(model_open(&g.a, &twin, g.pool, &m, &e), &e);
    const ModelConfig *c = &twin.config;
    for (int l = 0; l < c->layers; l++) {
        const Weight **of[] = {&m->layer[l].q, &m->layer[l].k};
        for (int k = 0; k < 2; k++) {
            Weight *w = NEW(&g.a, Weight);
            *w = **of[k];
            size_t row = weight_row_bytes(w);
            uint8_t *data = arena_raw(&g.a, row * (size_t)w->rows, 64);
            int half = c->head_dim / 2;
            for (int r = 0; r < w->rows; r++) {
                int head = r / c->head_dim, in = r % c->head_dim;
                int to = head * c->head_dim + in % half * 2 + in / half;
                memcpy(data + (size_t)to * row, w->data + (size_t)r * row, row);
            }
            w->data = data;
            *of[k] = w;
        }
    }
    assert_true(miss(&g, m, NULL) <= CLOSE);
    golden_close(&g);
}

static void test_refusals(void **state) {
    (void)state;
    Golden g = golden_open("llama", 1);
    Err e = {0};
    Kv *kv;
    must(kv_open(g.model, KV_F32, 1, 10, &kv, &e), &e);
    int32_t beyond[] = {1, g.vocab};
    int seq[2] = {0};
    bool want[2] = {false, true};
    float *logits = NEWN(&g.a, float, (size_t)g.vocab);
    ModelStep step = {.token = beyond, .seq = seq, .want = want, .count = 2};
    assert_false(model_step(g.model, kv, &step, logits, &e));
    assert_int_equal(e.code, ERR_INPUT);
    assert_int_equal(kv_length(kv, 0), 0);

    LoraPart part = g.adapter->part[0];
    part.in += 1;
    Adapter ad = {.path = "wide", .part = &part, .count = 1};
    beyond[1] = 2;
    step.adapter = &ad;
    e = (Err){0};
    assert_false(model_step(g.model, kv, &step, logits, &e));
    assert_int_equal(e.code, ERR_INPUT);
    kv_close(kv);

    Checkpoint odd = *g.checkpoint;
    odd.config.heads = 3;
    Model *m;
    e = (Err){0};
    assert_false(model_open(&g.a, &odd, g.pool, &m, &e));
    odd = *g.checkpoint;
    odd.config.intermediate++;
    e = (Err){0};
    assert_false(model_open(&g.a, &odd, g.pool, &m, &e));
    assert_non_null(strstr(e.msg, "gate_proj"));
    golden_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefill_token_by_token_and_pieces),
        cmocka_unit_test(test_ragged_batch),
        cmocka_unit_test(test_greedy_text),
        cmocka_unit_test(test_mistakes_show),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
