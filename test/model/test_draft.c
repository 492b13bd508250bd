// Many replies to one prompt: each is the same whoever it is computed with; how they end; what is told.
#include "base/numeric/rng.h"
#include "golden.h"
#include "model/draft.h"

enum { TOKENS = 40, SIXTEEN = 16, THREADS = 3 };

typedef struct {
    Golden g;
    Tokenizer *tokenizer;
    Tokens prompt;
} Setting;

static Setting setting_open(const char *name, int threads) {
    Setting s = {.g = golden_open(name, threads)};
    Err e = {0};
    must(tokenizer_open(&s.g.a, &s.g.checkpoint->vocabulary, &s.tokenizer, &e), &e);
    int n;
    const int32_t *prompt = golden_find(&s.g, "prompt", &n);
    s.prompt = (Tokens){(int32_t *)(uintptr_t)prompt, n};
    return s;
}

static void setting_close(Setting *s) {
    tokenizer_close(s->tokenizer);
    golden_close(&s->g);
}

// Drafts `first` to `first + count - 1` of one prompt.
static void ask_for(Setting *s, DraftRequest *q, Tokens prompt, int first, int count) {
    q->ask = draft_asks(&s->g.a, prompt, first, count);
    q->count = count;
}

static DraftRequest request_of(Setting *s) {
    DraftRequest q = {.model = s->g.model,
                      .tokenizer = s->tokenizer,
                      .together = 1,
                      .max_tokens = TOKENS,
                      .sampling = {0.9, 0, 0.97, 0},
                      .seed = 42,
                      .logprobs = true,
                      .kv = KV_F16};
    ask_for(s, &q, s->prompt, 0, 1);
    return q;
}

static Draft *drafts_of(Setting *s, const DraftRequest *q, int *done) {
    Err e = {0};
    Draft *d = NEWN(&s->g.a, Draft, (size_t)q->count);
    must(draft_run(&s->g.a, q, d, done, &e), &e);
    return d;
}

static void same_draft(const Draft *a, const Draft *b) {
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->token, b->token, (size_t)a->count * sizeof *a->token);
    assert_memory_equal(a->logprob, b->logprob, (size_t)a->count * sizeof *a->logprob);
    assert_true(str_eq(a->text, b->text));
}

static void test_alone_or_among_sixteen(void **state) {
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        Setting many = setting_open(GOLDEN[i], THREADS), single = setting_open(GOLDEN[i], 1);
        DraftRequest q = request_of(&many);
        ask_for(&many, &q, many.prompt, 0, SIXTEEN);
        q.together = SIXTEEN;
        q.adapter = i == 1 ? many.g.adapter : NULL;
        int done;
        Draft *all = drafts_of(&many, &q, &done);
        assert_int_equal(done, SIXTEEN);
        // Others alive beside it, others before it: three at a time, the middle ones only.
        q.together = 3;
        ask_for(&many, &q, many.prompt, 4, 9);
        Draft *some = drafts_of(&many, &q, &done);
        assert_int_equal(done, 9);
        for (int k = 0; k < 9; k++) same_draft(&some[k], &all[k + 4]);
        int different = 0;
        for (int k = 0; k < SIXTEEN; k++) {
            DraftRequest one = request_of(&single);
            ask_for(&single, &one, single.prompt, k, 1);
            one.adapter = i == 1 ? single.g.adapter : NULL;
            Draft *alone = drafts_of(&single, &one, &done);
            same_draft(alone, &all[k]);
            different += k && !str_eq(all[k].text, all[0].text);
        }
        assert_true(different > 10); // drafts are not copies of each other
        DraftRequest other = request_of(&many);
        other.seed++;
        assert_false(str_eq(drafts_of(&many, &other, &done)->text, all[0].text));
        setting_close(&many);
        setting_close(&single);
    }
}

// Prompts of their own, in any order of numbers: equal ones, beginnings of others, longer ones, and at last
// one that has nothing in common with the rest.
static void test_prompts_of_their_own(void **state) {
    (void)state;
    enum { DRAFTS = 9 };
    static const int number[DRAFTS] = {12, 3, 7, 0, 5, 1, 14, 2, 40},
                     cut[DRAFTS] = {0, 2, 0, 1, 5, 2, 0, 4, 3};
    for (int apart = 0; apart < 2; apart++) {
        Setting s = setting_open(GOLDEN[apart], THREADS);
        DraftAsk ask[DRAFTS];
        for (int i = 0; i < DRAFTS; i++) {
            int n = s.prompt.count - cut[i], tail = i % 3;
            int32_t *id = NEWN(&s.g.a, int32_t, (size_t)(n + tail));
            memcpy(id, s.prompt.id, (size_t)n * sizeof *id);
            for (int k = 0; k < tail; k++) id[n + k] = 30 + i + k;
            if (apart && i == 4) id[0] = id[0] == 40 ? 41 : 40;
            ask[i] = (DraftAsk){number[i], {id, n + tail}};
        }
        DraftRequest q = request_of(&s), one = q;
        q.ask = ask, q.count = DRAFTS;
        for (q.together = 1; q.together <= DRAFTS; q.together += 4) {
            int done;
            Draft *all = drafts_of(&s, &q, &done);
            assert_int_equal(done, DRAFTS);
            for (int i = 0; i < DRAFTS; i++) {
                one.ask = &ask[i];
                same_draft(drafts_of(&s, &one, &done), &all[i]);
            }
        }
        setting_close(&s);
    }
}

typedef struct {
    int asked, enough;
} Patience;
static bool still_wanted(void *arg) {
    Patience *p = arg;
    return p->asked++ < p->enough;
}

// Asked at every layer; what is not wanted any more is cut, wherever it was.
static void test_prompts_are_cut(void **state) {
    (void)state;
    Setting s = setting_open("llama", 1);
    int32_t id[4][12];
    DraftAsk ask[4];
    for (int i = 0; i < 4; i++) {
        memcpy(id[i], s.prompt.id, 11 * sizeof **id);
        id[i][11] = 40 + i;
        ask[i] = (DraftAsk){i, {id[i], 12}};
    }
    DraftRequest q = request_of(&s);
    q.ask = ask, q.count = q.together = 4;
    q.wanted = still_wanted;
    int layers = s.g.checkpoint->config.layers;
    for (int enough = 0; enough < 5 * layers + 2;
         enough++) { // what they share, each one's own, the first step
        Patience p = {.enough = enough};
        q.arg = &p;
        int done;
        Draft *d = drafts_of(&s, &q, &done);
        assert_int_equal(done, 0);
        assert_int_equal(p.asked, enough + 1);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(d[i].end, DRAFT_CUT);
            assert_int_equal(d[i].count, enough >= 5 * layers);
        }
    }
    Patience endless = {.enough = 1 << 30};
    q.arg = &endless;
    int done;
    drafts_of(&s, &q, &done);
    assert_int_equal(done, 4);
    setting_close(&s);
}

// The same draft by hand: the prompt in pieces, then one step and one number of (seed, draft, position) each.
static void test_by_hand(void **state) {
    (void)state;
    Setting s = setting_open("qwen2", 2);
    Golden *g = &s.g;
    DraftRequest q = request_of(&s);
    ask_for(&s, &q, s.prompt, 5, 1);
    int done;
    Draft *d = drafts_of(&s, &q, &done);
    Err e = {0};
    Kv *kv;
    must(kv_open(g->model, q.kv, 1, s.prompt.count + TOKENS, &kv, &e), &e);
    float *logits = NEWN(&g->a, float, (size_t)g->vocab);
    void *room = arena_raw(&g->a, sample_room(g->vocab), 64);
    int seq[7] = {0};
    for (int at = 0; at < s.prompt.count; at += 7) {
        int n = s.prompt.count - at < 7 ? s.prompt.count - at : 7;
        bool want[7] = {0};
        want[n - 1] = true;
        ModelStep step = {.token = s.prompt.id + at, .seq = seq, .want = want, .count = n};
        must(model_step(g->model, kv, &step, logits, &e), &e);
    }
    uint64_t key = rng_mix(q.seed, 0x6472616674);
    for (int i = 0; i < d->count; i++) {
        Philox4 p = philox4x32((Philox4){{(uint32_t)i, 0, 5, 0}}, (uint32_t)key, (uint32_t)(key >> 32));
        double u = (double)(((uint64_t)p.v[1] << 32 | p.v[0]) >> 11) * 0x1p-53;
        int32_t id = sample_token(logits, g->vocab, &q.sampling, u, room);
        assert_int_equal(id, d->token[i]);
        assert_true(d->logprob[i] == sample_logprob(logits, g->vocab, id) && d->logprob[i] <= 0);
        bool yes = true;
        must(model_step(g->model, kv, &(ModelStep){.token = &id, .seq = seq, .want = &yes, .count = 1},
                        logits, &e),
             &e);
    }
    kv_close(kv);
    setting_close(&s);
}

static void test_greedy_as_transformers(void **state) {
    (void)state;
    Setting s = setting_open("llama3", 2);
    for (int with = 0; with < 2; with++) {
        int n, done;
        const int32_t *expected = golden_find(&s.g, with ? "greedy_lora" : "greedy", &n);
        DraftRequest q = request_of(&s);
        q.sampling = (Sampling){0, 0, 1, 0};
        q.kv = KV_F32;
        q.max_tokens = n;
        q.adapter = with ? s.g.adapter : NULL;
        Draft *d = drafts_of(&s, &q, &done);
        for (int i = 0; i < d->count; i++) assert_int_equal(d->token[i], expected[i]);
        assert_true(d->count == n || d->end == DRAFT_EOS);
    }
    setting_close(&s);
}

// What the callbacks see.
typedef struct {
    Arena *a;
    Buf text[SIXTEEN];
    int tokens[SIXTEEN], finished, last, stop_after;
    bool broken, late;
} Heard;

static bool hear(void *arg, int index, Str text, int tokens) {
    Heard *h = arg;
    h->text[index].arena = h->a;
    buf_str_put(&h->text[index], text);
    h->broken |= !utf8_valid(text);
    h->broken |= tokens != ++h->tokens[index];
    return --h->stop_after != 0;
}
static bool hear_end(void *arg, const Draft *d) {
    Heard *h = arg;
    h->finished++;
    h->broken |= !str_eq(buf_str(&h->text[d->index]), d->text) || h->tokens[d->index] != d->count;
    return true;
}

static void test_told_as_it_grows(void **state) {
    (void)state;
    Setting s = setting_open("llama", 2);
    Heard h = {.a = &s.g.a};
    DraftRequest q = request_of(&s);
    ask_for(&s, &q, s.prompt, 0, SIXTEEN);
    q.together = 5;
    q.grew = hear, q.finished = hear_end, q.arg = &h;
    int done;
    Draft *d = drafts_of(&s, &q, &done);
    assert_int_equal(h.finished, SIXTEEN);
    assert_false(h.broken);
    bool eos = false, length = false;
    for (int i = 0; i < SIXTEEN; i++) {
        assert_true(utf8_valid(d[i].text));
        eos |= d[i].end == DRAFT_EOS;
        length |= d[i].end == DRAFT_LENGTH;
        assert_true(d[i].end == DRAFT_LENGTH ? d[i].count == TOKENS : d[i].count <= TOKENS);
        int last = d[i].token[d[i].count - 1];
        assert_int_equal(d[i].end == DRAFT_EOS, last == 257 || last == 258);
    }
    assert_true(eos && length);
    setting_close(&s);
}

// The place of `part` in `text`; SIZE_MAX: nowhere.
static size_t place_of(Str text, Str part) {
    for (size_t at = 0; at + part.len <= text.len; at++)
        if (memcmp(text.p + at, part.p, part.len) == 0) return at;
    return SIZE_MAX;
}

// Whole characters of a text, from about one byte to about another.
static Str part_of(Str t, size_t from, size_t to) {
    while (from < t.len && (t.p[from] & 0xc0) == 0x80) from++;
    while (to < t.len && (t.p[to] & 0xc0) == 0x80) to++;
    return (Str){t.p + from, to - from};
}

static void test_stop_strings(void **state) {
    (void)state;
    Setting s = setting_open("qwen2", 2);
    DraftRequest q = request_of(&s);
    ask_for(&s, &q, s.prompt, 0, SIXTEEN);
    q.together = SIXTEEN;
    int done, stopped = 0;
    Draft *free_text = drafts_of(&s, &q, &done);
    // Ends of real texts as stop strings: of one character, of several tokens, and what never comes.
    for (int i = 0; i < SIXTEEN; i++) {
        if (free_text[i].text.len < 24) continue;
        Str t = free_text[i].text,
            stop[2] = {STR("never to be seen"), i % 2 ? part_of(t, 9, 16) : part_of(t, 14, 17)};
        Heard h = {.a = &s.g.a};
        q.stop = stop, q.stops = 2;
        q.grew = hear, q.finished = hear_end, q.arg = &h;
        Draft *d = drafts_of(&s, &q, &done);
        for (int k = 0; k < SIXTEEN; k++) {
            size_t at = place_of(free_text[k].text, stop[1]);
            if (at == SIZE_MAX) {
                assert_true(str_eq(d[k].text, free_text[k].text));
                assert_int_equal(d[k].end, free_text[k].end);
                continue;
            }
            stopped++;
            assert_int_equal(d[k].end, DRAFT_STOP);
            assert_int_equal(d[k].text.len, at);
            assert_memory_equal(d[k].text.p, free_text[k].text.p, at);
            assert_true(d[k].count <= free_text[k].count);
        }
        assert_false(h.broken); // nothing was told that had to be taken back
    }
    assert_true(stopped > 5);

    q = request_of(&s);
    q.stop_id = &free_text[0].token[4], q.stop_ids = 1;
    Draft *d = drafts_of(&s, &q, &done);
    int first = 0;
    while (free_text[0].token[first] != *q.stop_id) first++;
    assert_int_equal(d->end, DRAFT_STOP);
    assert_int_equal(d->count, first + 1);
    assert_memory_equal(d->text.p, free_text[0].text.p, d->text.len);
    setting_close(&s);
}

static void test_ends(void **state) {
    (void)state;
    Setting s = setting_open("llama", 2);
    // The context is the end of it all.
    DraftRequest q = request_of(&s);
    q.max_tokens = 1 << 30;
    ask_for(&s, &q, s.prompt, 0, 6);
    q.together = 6;
    int done, context = s.g.checkpoint->config.context;
    Draft *d = drafts_of(&s, &q, &done);
    bool full = false;
    for (int i = 0; i < q.count; i++) {
        full |= d[i].end == DRAFT_LENGTH;
        assert_true(d[i].count <= context - s.prompt.count);
        assert_true(d[i].end != DRAFT_LENGTH || d[i].count == context - s.prompt.count);
    }
    // One token each.
    q.max_tokens = 1;
    d = drafts_of(&s, &q, &done);
    for (int i = 0; i < q.count; i++) assert_int_equal(d[i].count, 1);
    (void)full; // whether any got there is chance; the numbers above hold either way

    // Cut in the middle: what was finished stays, the rest says so.
    Heard h = {.a = &s.g.a, .stop_after = 60};
    q = request_of(&s);
    ask_for(&s, &q, s.prompt, 0, SIXTEEN);
    q.together = 2;
    q.grew = hear, q.finished = hear_end, q.arg = &h;
    d = drafts_of(&s, &q, &done);
    int kept = 0;
    for (int i = 0; i < SIXTEEN; i++) kept += d[i].end != DRAFT_CUT;
    assert_int_equal(kept, done);
    assert_int_equal(h.finished, done);
    assert_true(done >= 1 && done < SIXTEEN);
    assert_int_equal(d[SIXTEEN - 1].count, 0);
    q.count = 0;
    drafts_of(&s, &q, &done);
    assert_int_equal(done, 0);
    setting_close(&s);
}

static void refused(const DraftRequest *q, ErrCode code, const char *says) {
    Arena a = {0};
    Draft d[4];
    int done = -1;
    Err e = {0};
    assert_false(draft_run(&a, q, d, &done, &e));
    assert_int_equal(e.code, code);
    assert_non_null(strstr(e.msg, says));
    assert_int_equal(done, 0);
    arena_free(&a);
}

static void test_refusals(void **state) {
    (void)state;
    Setting s = setting_open("llama", 1);
    DraftRequest q = request_of(&s);
    ask_for(&s, &q, (Tokens){NULL, 0}, 0, 1);
    refused(&q, ERR_INPUT, "empty");
    q = request_of(&s);
    q.sampling.top_p = 0;
    refused(&q, ERR_INPUT, "top_p");
    q = request_of(&s);
    Str nothing = STR("");
    q.stop = &nothing, q.stops = 1;
    refused(&q, ERR_INPUT, "stop string");
    q = request_of(&s);
    int32_t ids[300] = {0};
    ask_for(&s, &q, (Tokens){ids, 256}, 0, 1);
    refused(&q, ERR_LIMIT, "256");
    ids[3] = s.g.vocab;
    ask_for(&s, &q, (Tokens){ids, 9}, 0, 1);
    refused(&q, ERR_INPUT, "vocabulary");
    DraftAsk mixed[] = {{0, s.prompt}, {1, {ids, 256}}}; // one of several
    q = request_of(&s);
    q.ask = mixed, q.count = 2;
    refused(&q, ERR_LIMIT, "256");
    // A broken model is an error and not a text.
    q = request_of(&s);
    float *norm = (float *)(uintptr_t)s.g.model->norm;
    norm[5] = __builtin_nanf("");
    refused(&q, ERR_INPUT, "no numbers");
    setting_close(&s);
}

static void test_memory_is_told(void **state) {
    (void)state;
    Setting s = setting_open("llama", 1);
    DraftRequest q = request_of(&s);
    ask_for(&s, &q, s.prompt, 0, 100);
    size_t before = 0;
    for (q.together = 1; q.together <= 64; q.together *= 2) {
        size_t bytes = draft_bytes(&q);
        assert_true(bytes > before);
        assert_true(bytes >= kv_bytes(&s.g.checkpoint->config, q.kv, q.together + 1,
                                      s.prompt.count + q.together * q.max_tokens));
        before = bytes;
    }
    setting_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone_or_among_sixteen),
        cmocka_unit_test(test_prompts_of_their_own),
        cmocka_unit_test(test_prompts_are_cut),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_greedy_as_transformers),
        cmocka_unit_test(test_told_as_it_grows),
        cmocka_unit_test(test_stop_strings),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
