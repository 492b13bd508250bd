#include "cmd/shared/training.h"

#include <stdio.h>

#include "base/io.h"
#include "text/bpe_train.h"
#include "weights/config.h"

enum { LINES_SHOWN = 20 };

bool line_told(void *arg, int64_t line, const Err *why) {
    LinesTold *t = arg;
    if (t->told++ < LINES_SHOWN)
        fprintf(stderr, "ouroboros %s: %s, line %lld: %s\n", t->verb, t->path, (long long)line, why->msg);
    return true;
}

// ---- a vocabulary

typedef struct {
    Arena *a;
    Str *at;
    size_t n, room;
} Kept;
static void text_keep(void *arg, Str text) {
    Kept *t = arg;
    if (t->n == t->room) {
        t->room = 2 * t->room + 256;
        t->at = MORE(t->a, Str, t->at, t->n, t->room);
    }
    t->at[t->n++] = text;
}

bool vocabulary_train(Arena *a, const char *verb, const Texts *data, int vocab, Vocabulary *made, Err *e) {
    Arena own = {0};
    Kept texts = {.a = &own};
    LinesTold told = {.verb = verb};
    Str special = STR(REPLY_END);
    Buf out = BUF(a);
    bool ok = true;
    for (int i = 0; ok && i < data->n; i++) {
        told.path = data->at[i];
        TextReader one = {text_keep, line_told, &texts, &told};
        ok = documents_texts(&own, &one, data->at[i], e);
    }
    if (ok && !texts.n) ok = err_set(e, ERR_INPUT, "%s: no line can be used", data->at[0]);
    ok = ok && bpe_train(&(BpeTrain){texts.at, texts.n, vocab, &special, 1}, &out, &made->size, e);
    made->json = buf_str(&out);
    arena_free(&own);
    return ok;
}

// ---- a model

static bool vocabulary_open(Arena *a, const TrainedChoice *c, TokenizerSource *src, Trained *out, Err *e) {
    Vocabulary made;
    enum { BYTES_MAX = 128 << 20 };
    *src = (TokenizerSource){
        .name = c->tokenizer ? c->tokenizer : "the trained vocabulary", .bos = -1, .add_bos = -1};
    if (c->tokenizer ? !io_read_file(a, c->tokenizer, BYTES_MAX, &src->json, e)
                     : !vocabulary_train(a, "train sft", &c->data, c->vocab, &made, e))
        return false;
    if (!c->tokenizer) src->json = made.json;
    if (!tokenizer_open(a, src, &out->tokenizer, e)) return false;
    out->end = tokenizer_find(out->tokenizer, STR(REPLY_END));
    return out->end >= 0 ||
           err_set(e, ERR_INPUT, "%s: it has no token " REPLY_END ", which ends a reply", src->name);
}

static bool open_fresh(Arena *a, const TrainedChoice *c, Trained *out, Err *e) {
    Checkpoint *base = NEW(a, Checkpoint);
    *base = (Checkpoint){.path = "a new model"};
    if (!vocabulary_open(a, c, &base->vocabulary, out, e)) return false;
    NewModel new = {(int)c->fresh.m, (int)c->fresh.n, tokenizer_size(out->tokenizer), c->context, out->end};
    if (!config_of_new(&new, &base->config, e)) return err_ctx(e, "--fresh");
    if (c->profile) config_profile(&base->config, str_of(c->profile));
    out->base = base;
    out->parameters = parameters_lay(a, &base->config, 0, 0, 0);
    parameters_draw(out->parameters, c->seed);
    return true;
}

// The chat format, and the token that ends a reply: of a turn, or else of the model.
static bool reply_end(const TrainedChoice *c, Trained *out, Err *e) {
    const Checkpoint *m = out->opened;
    Err none = {0};
    if (c->chat && !chat_by_name(c->chat, &out->chat, e)) return false;
    if (!c->chat && (!m->chat_template.len || !chat_detect(m->chat_template, &out->chat, &none)))
        out->chat = NULL;
    out->end = out->chat ? tokenizer_find(out->tokenizer, chat_end(out->chat)) : -1;
    if (out->end < 0 && m->config.eos_count) out->end = m->config.eos[0];
    return out->end >= 0 || err_set(e, ERR_INPUT, "%s: no token ends a reply (eos_token_id)", m->path);
}

static bool open_model(Arena *a, const TrainedChoice *c, Trained *out, Err *e) {
    enum { ALL_ROLES = (1 << LORA_ROLES) - 1 };
    Adapter *adapter;
    if (!checkpoint_open(a, c->model, &out->opened, e)) return false;
    const Checkpoint *m = out->base = out->opened;
    if (m->no_vocabulary) return err_set(e, ERR_INPUT, "%s", m->no_vocabulary);
    if (m->is_gguf && !c->rank)
        return err_set(
            e, ERR_USAGE,
            "%s: a GGUF file is trained beside, with --lora; all of a model is trained from a folder",
            m->path);
    if (!tokenizer_open(a, &m->vocabulary, &out->tokenizer, e) || !reply_end(c, out, e)) return false;
    out->parameters = parameters_lay(a, &m->config, c->rank, (float)c->alpha, ALL_ROLES);
    if (!c->rank)
        parameters_take(out->parameters, m);
    else
        parameters_draw(out->parameters, c->seed);
    if (!c->adapter) return true;
    if (!adapter_open(a, c->adapter, m, &adapter, e)) return false;
    bool ok = parameters_take_adapter(out->parameters, adapter, e);
    adapter_close(adapter);
    return ok;
}

bool trained_open(Arena *a, const TrainedChoice *c, Trained *out, Err *e) {
    *out = (Trained){0};
    if (c->model ? open_model(a, c, out, e) : open_fresh(a, c, out, e)) return true;
    trained_close(out);
    return false;
}

void trained_close(Trained *t) {
    if (t->tokenizer) tokenizer_close(t->tokenizer);
    if (t->opened) checkpoint_close(t->opened);
}
