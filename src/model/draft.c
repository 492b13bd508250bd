#include "model/draft.h"
#include "base/numeric/rng.h"
#include <assert.h>

// A draft that is being written. It has a sequence of the cache; `logits` are those of its next token.
typedef struct {
    Draft *draft; // NULL: free
    int seq;
    int limit; // of its tokens
    const float *logits;
    int32_t *token;
    float *logprob;
    Buf text;
    Detok detok;
    size_t told; // bytes that `grew` has seen
} Live;

typedef struct {
    const DraftRequest *q;
    Arena *arena; // of the results
    Arena own;    // of this run
    Kv *kv;
    Live *live;                  // [together]
    int together, common, vocab; // common: tokens that all prompts begin with
    Draft *out;
    int joined, done;
    float *prompt_logits; // [vocab], behind what all prompts begin with
    float *joined_logits; // [together][vocab], of those that have just joined; NULL: prompts are all the same
    float *logits;        // [together][vocab], in order of the last step
    uint8_t *sampling;    // [together] rooms
    bool cut;
} Run;

enum { SEQ_PROMPT };  // slot i has sequence i + 1
enum { PIECE = 128 }; // tokens of a prompt: a layer of them takes a fraction of a second in large models, too

static int together_of(const DraftRequest *q) {
    int n = q->together < q->count ? q->together : q->count;
    return n < 1 ? 1 : n > DRAFT_TOGETHER_MAX ? DRAFT_TOGETHER_MAX : n;
}
// Tokens that a draft may have.
static int limit_of(const DraftRequest *q, int i) {
    int room = model_config(q->model)->context - q->ask[i].prompt.count;
    return q->max_tokens < room ? q->max_tokens : room;
}
static int common_of(const DraftRequest *q) {
    Tokens first = q->ask[0].prompt;
    int n = first.count;
    for (int i = 1; i < q->count; i++) {
        Tokens t = q->ask[i].prompt;
        if (t.count < n) n = t.count;
        for (int k = 0; k < n && t.id != first.id; k++)
            if (t.id[k] != first.id[k]) n = k;
    }
    return n;
}
// In the worst order of joining.
static int64_t positions_of(const DraftRequest *q) {
    int common = common_of(q), most = 0;
    for (int i = 0; i < q->count; i++) {
        int own = q->ask[i].prompt.count - common + limit_of(q, i);
        if (own > most) most = own;
    }
    return common + (int64_t)together_of(q) * most;
}
static bool has_tails(const DraftRequest *q) {
    int common = common_of(q);
    for (int i = 0; i < q->count; i++)
        if (q->ask[i].prompt.count > common) return true;
    return false;
}
static size_t sampling_stride(int vocab) { return (sample_room(vocab) + 63) & ~(size_t)63; }

size_t draft_bytes(const DraftRequest *q) {
    const ModelConfig *c = model_config(q->model);
    size_t n = (size_t)together_of(q), vocab = (size_t)c->vocab;
    if (q->count < 1) return 0;
    for (int i = 0; i < q->count; i++)
        if (limit_of(q, i) < 1) return 0;
    return kv_bytes(c, q->kv, (int)n + 1, positions_of(q)) +
           ((has_tails(q) ? 2 * n : n) + 1) * vocab * sizeof(float) + n * sampling_stride(c->vocab) +
           model_room(c);
}

static bool request_check(const DraftRequest *q, Err *e) {
    if (!sampling_check(&q->sampling, e)) return false;
    if (q->count < 0 || q->max_tokens < 1)
        return err_set(e, ERR_INPUT, "%d drafts with at most %d tokens: nothing to do", q->count,
                       q->max_tokens);
    for (int i = 0; i < q->count; i++) {
        const DraftAsk *ask = &q->ask[i];
        if (ask->index < 0) return err_set(e, ERR_INPUT, "a draft with number %d", ask->index);
        if (ask->prompt.count < 1) return err_set(e, ERR_INPUT, "the prompt is empty");
        if (limit_of(q, i) < 1)
            return err_set(e, ERR_LIMIT,
                           "the prompt has %d tokens, and the model was made for %d positions in all",
                           ask->prompt.count, model_config(q->model)->context);
    }
    if (q->stops > DRAFT_STOPS_MAX)
        return err_set(e, ERR_LIMIT, "%d stop strings; at most %d are kept in sight", q->stops,
                       DRAFT_STOPS_MAX);
    for (int i = 0; i < q->stops; i++)
        if (q->stop[i].len < 1 || q->stop[i].len > DRAFT_STOP_BYTES_MAX)
            return err_set(e, ERR_INPUT, "stop string %d has %zu bytes; it needs 1 to %d", i + 1,
                           q->stop[i].len, DRAFT_STOP_BYTES_MAX);
    return true;
}

static bool is_wanted(void *arg) {
    Run *r = arg;
    r->cut = !r->q->wanted(r->q->arg);
    return !r->cut;
}

static bool step(Run *r, ModelStep *s, float *logits, Err *e) {
    s->adapter = r->q->adapter;
    if (r->q->wanted) s->wanted = is_wanted;
    s->arg = r;
    return model_step(r->q->model, r->kv, s, logits, e);
}

// --- prompts ---

// Tokens of a prompt at the end of a sequence; `logits` are those behind the last one.
static bool feed(Run *r, int sequence, const int32_t *id, int count, float *logits, Err *e) {
    const DraftRequest *q = r->q;
    int seq[MODEL_STEP_MAX];
    int most = q->wanted ? PIECE : MODEL_STEP_MAX; // how a prompt is cut shows in no result
    for (int i = 0; i < most; i++) seq[i] = sequence;
    for (int at = 0, n; at < count && !r->cut; at += n) {
        bool want[MODEL_STEP_MAX] = {0};
        int left = count - at;
        n = left < most ? left : most;
        want[n - 1] = n == left;
        if (!step(r, &(ModelStep){.token = id + at, .seq = seq, .want = want, .count = n}, logits, e))
            return false;
    }
    return true;
}

// --- one draft ---

static bool join(Run *r, size_t slot, Err *e) {
    Live *l = &r->live[slot];
    int i = r->joined++;
    const DraftAsk *ask = &r->q->ask[i];
    *l = (Live){.draft = &r->out[i],
                .seq = l->seq,
                .limit = limit_of(r->q, i),
                .logits = r->prompt_logits,
                .text = BUF(r->arena)};
    size_t n = (size_t)l->limit;
    l->token = NEWN(r->arena, int32_t, n);
    if (r->q->logprobs) l->logprob = NEWN(r->arena, float, n);
    *l->draft = (Draft){.index = ask->index, .token = l->token, .logprob = l->logprob, .end = DRAFT_CUT};
    kv_fork(r->kv, SEQ_PROMPT, l->seq);
    int tail = ask->prompt.count - r->common;
    if (!tail) return true;
    float *own = r->joined_logits + slot * (size_t)r->vocab;
    l->logits = own;
    return feed(r, l->seq, ask->prompt.id + r->common, tail, own, e);
}

static void draw(void *arg, size_t item, int worker) {
    Run *r = arg;
    (void)worker;
    Live *l = &r->live[item];
    if (!l->draft) return;
    const DraftRequest *q = r->q;
    uint64_t key = rng_mix(q->seed, 0x6472616674); // "draft": other uses of the seed do not meet this one
    Philox4 counter = {{(uint32_t)l->draft->count, 0, (uint32_t)l->draft->index, 0}};
    Philox4 random = philox4x32(counter, (uint32_t)key, (uint32_t)(key >> 32));
    double u = (double)(((uint64_t)random.v[1] << 32 | random.v[0]) >> 11) * 0x1p-53;
    int id =
        sample_token(l->logits, r->vocab, &q->sampling, u, r->sampling + item * sampling_stride(r->vocab));
    l->token[l->draft->count] = id;
    if (l->logprob && id >= 0) l->logprob[l->draft->count] = sample_logprob(l->logits, r->vocab, id);
}

static bool id_among(const int32_t *id, int n, int32_t wanted) {
    for (int i = 0; i < n; i++)
        if (id[i] == wanted) return true;
    return false;
}

// Where the first stop string begins in text whose part up to `seen` holds none; SIZE_MAX: nowhere.
static size_t stop_find(const DraftRequest *q, Str text, size_t seen) {
    size_t first = SIZE_MAX;
    for (int i = 0; i < q->stops; i++) {
        Str s = q->stop[i];
        size_t from = seen >= s.len ? seen - s.len + 1 : 0;
        for (size_t at = from; at + s.len <= text.len && at < first; at++)
            if (memcmp(text.p + at, s.p, s.len) == 0) first = at;
    }
    return first;
}

// The longest end of the text that may become a stop string.
static size_t held_back(const DraftRequest *q, Str text) {
    size_t most = 0;
    for (int i = 0; i < q->stops; i++) {
        size_t n = q->stop[i].len - 1 < text.len ? q->stop[i].len - 1 : text.len;
        while (n > most && memcmp(text.p + text.len - n, q->stop[i].p, n) != 0) n--;
        if (n > most) most = n;
    }
    return most;
}

// Says whether the draft goes on; its text grows by what the token stands for.
static bool take_token(const Run *r, Live *l) {
    const DraftRequest *q = r->q;
    const ModelConfig *c = model_config(q->model);
    Draft *d = l->draft;
    int32_t id = l->token[d->count++];
    for (int i = 0; i < c->eos_count; i++)
        if (c->eos[i] == id) return d->end = DRAFT_EOS, false;
    if (id_among(q->stop_id, q->stop_ids, id)) return d->end = DRAFT_STOP, false;
    size_t before = l->text.len;
    // Published embeddings have more rows than the vocabulary has words: those stand for nothing.
    if (id < tokenizer_size(q->tokenizer)) detok_push(&l->detok, q->tokenizer, id, false, &l->text);
    size_t stop = stop_find(q, buf_str(&l->text), before);
    if (stop != SIZE_MAX) {
        l->text.len = stop;
        l->detok = (Detok){0};
        return d->end = DRAFT_STOP, false;
    }
    if (d->count == l->limit) return d->end = DRAFT_LENGTH, false;
    return true;
}

static void tell(Run *r, Live *l, bool goes_on) {
    size_t sure = l->text.len;
    if (goes_on) sure -= held_back(r->q, buf_str(&l->text));
    if (sure < l->told) sure = l->told;
    Str grown = {l->text.p ? l->text.p + l->told : "", sure - l->told};
    l->told = sure;
    if (r->q->grew && !r->q->grew(r->q->arg, l->draft->index, grown, l->draft->count)) r->cut = true;
}

static void leave(Run *r, Live *l) {
    kv_drop(r->kv, l->seq);
    l->draft->text = buf_str(&l->text);
    r->done++;
    if (r->q->finished && !r->q->finished(r->q->arg, l->draft)) r->cut = true;
    l->draft = NULL;
}

// --- all of them ---

static bool step_all(Run *r, Err *e) {
    int32_t token[DRAFT_TOGETHER_MAX];
    int seq[DRAFT_TOGETHER_MAX], n = 0;
    bool want[DRAFT_TOGETHER_MAX];
    for (int i = 0; i < r->together; i++) {
        Live *l = &r->live[i];
        if (!l->draft) continue;
        token[n] = l->token[l->draft->count - 1];
        seq[n] = l->seq;
        want[n] = true;
        l->logits = r->logits + (size_t)n++ * (size_t)r->vocab;
    }
    if (!n) return true;
    return step(r, &(ModelStep){.token = token, .seq = seq, .want = want, .count = n}, r->logits, e);
}

static bool draw_all(Run *r, Err *e) {
    pool_run(model_pool(r->q->model), (size_t)r->together, draw, r);
    for (int i = 0; i < r->together && !r->cut; i++) {
        Live *l = &r->live[i];
        if (!l->draft) continue;
        if (l->token[l->draft->count] < 0)
            return err_set(
                e, ERR_INPUT,
                "draft %d, token %d: the model computes values that are no numbers; its weights are damaged",
                l->draft->index, l->draft->count);
        bool goes_on = take_token(r, l);
        if (!goes_on) detok_end(&l->detok, &l->text);
        tell(r, l, goes_on);
        if (!goes_on) leave(r, l);
    }
    return true;
}

static bool run(Run *r, Err *e) {
    if (!feed(r, SEQ_PROMPT, r->q->ask[0].prompt.id, r->common, r->prompt_logits, e)) return false;
    while (!r->cut) {
        bool alive = false;
        for (int i = 0; i < r->together; i++) {
            if (!r->live[i].draft && r->joined < r->q->count && !r->cut && !join(r, (size_t)i, e))
                return false;
            alive |= r->live[i].draft != NULL;
        }
        if (!alive) return true;
        if (!r->cut && !draw_all(r, e)) return false;
        if (!r->cut && !step_all(r, e)) return false;
    }
    return true;
}

static bool run_open(Run *r, Err *e) {
    const DraftRequest *q = r->q;
    size_t vocab = (size_t)r->vocab, n = (size_t)r->together;
    if (!kv_open(q->model, q->kv, r->together + 1, positions_of(q), &r->kv, e)) return false;
    r->live = NEWN(&r->own, Live, n);
    for (int i = 0; i < r->together; i++) r->live[i].seq = i + 1;
    r->prompt_logits = arena_raw(&r->own, vocab * sizeof(float), 64);
    r->logits = arena_raw(&r->own, n * vocab * sizeof(float), 64);
    if (has_tails(q)) r->joined_logits = arena_raw(&r->own, n * vocab * sizeof(float), 64);
    r->sampling = arena_raw(&r->own, n * sampling_stride(r->vocab), 64);
    return true;
}

const DraftAsk *draft_asks(Arena *a, Tokens prompt, int first, int count) {
    DraftAsk *ask = NEWN(a, DraftAsk, (size_t)(count < 0 ? 0 : count) + 1);
    for (int i = 0; i < count; i++) ask[i] = (DraftAsk){first + i, prompt};
    return ask;
}

bool draft_run(Arena *a, const DraftRequest *q, Draft *out, int *done, Err *e) {
    *done = 0;
    for (int i = 0; i < q->count; i++) out[i] = (Draft){.index = q->ask[i].index, .end = DRAFT_CUT};
    if (!request_check(q, e)) return false;
    if (!q->count) return true;
    Run r = {.q = q,
             .arena = a,
             .together = together_of(q),
             .common = common_of(q),
             .vocab = model_config(q->model)->vocab,
             .out = out};
    bool ok = run_open(&r, e) && run(&r, e);
    for (int i = 0; r.live && i < r.together; i++) {
        Live *l = &r.live[i];
        if (!l->draft) continue;
        l->draft->end = DRAFT_CUT; // with what it has so far
        l->draft->text = (Str){l->text.p, l->told};
    }
    *done = r.done;
    kv_close(r.kv);
    arena_free(&r.own);
    return ok;
}
