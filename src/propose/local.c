// The smith "PATH": a model folder, a .gguf file or hf:org/name, run on this machine.
#include "propose/local.h"
#include <strings.h>
#include <sys/stat.h>

#include "propose/prompt.h"
#include "propose/smith_kind.h"

enum { TOGETHER_MAX = 16 };

// ---- a model, ready ----

static bool open_parts(Arena *a, const char *path, const char *adapter, const char *family, LocalModel *m,
                       Err *e) {
    if (!checkpoint_open(a, path, &m->checkpoint, e)) return false;
    const Checkpoint *c = m->checkpoint;
    if (c->no_vocabulary) return err_set(e, ERR_INPUT, "%s", c->no_vocabulary);
    if (!tokenizer_open(a, &c->vocabulary, &m->tokenizer, e)) return false;
    if (tokenizer_size(m->tokenizer) > c->config.vocab)
        return err_set(e, ERR_INPUT, "%s: the tokenizer has %d tokens and the model rows for %d", c->path,
                       tokenizer_size(m->tokenizer), c->config.vocab);
    if (family ? !chat_by_name(family, &m->chat, e) : !chat_detect(c->chat_template, &m->chat, &m->no_chat)) {
        m->chat = NULL;
        if (family) return false;
    }
    if (adapter && !adapter_open(a, adapter, c, &m->adapter, e)) return false;
    m->pool = pool_open(0);
    return model_open(a, c, m->pool, &m->model, e);
}

bool local_model_open(Arena *a, const char *path, const char *adapter, const char *family, LocalModel *m,
                      Err *e) {
    *m = (LocalModel){0};
    if (open_parts(a, path, adapter, family, m, e)) return true;
    local_model_close(m);
    return false;
}

void local_model_close(LocalModel *m) {
    if (m->pool) pool_close(m->pool);
    if (m->adapter) adapter_close(m->adapter);
    if (m->tokenizer) tokenizer_close(m->tokenizer);
    if (m->checkpoint) checkpoint_close(m->checkpoint);
    *m = (LocalModel){0};
}

bool local_model_kv(const char *name, KvType *out, Err *e) {
    *out = name && strcmp(name, "f32") == 0 ? KV_F32 : KV_F16;
    return !name || *out == KV_F32 || strcmp(name, "f16") == 0 ||
           err_set(e, ERR_USAGE, "--kv is f16 or f32, not \"%s\"", name);
}

const char *local_model_warning(Arena *a, const LocalModel *m) {
    if (!m->chat || tokenizer_find(m->tokenizer, chat_end(m->chat)) >= 0) return NULL;
    return arena_printf(a, "%s has no token %.*s, with which turns of the chat family %s end",
                        m->checkpoint->path, STR_ARG(chat_end(m->chat)), chat_name(m->chat));
}

const char *local_model_profile(const Checkpoint *c, const char *path) {
    Arena a = {0};
    Str name;
    bool known = false;
    for (int i = 0; !known && c->config.profile[0] && profile_name(&a, i, &name); i++)
        known = str_is(name, c->config.profile);
    arena_free(&a);
    return known ? c->config.profile : strcasestr(path, "kwen") ? "kwen" : NULL;
}

bool local_model_tokens(const LocalModel *m, Arena *a, const Prompt *p, bool think, Tokens *out, Err *e) {
    const char *path = m->checkpoint->path;
    if (p->raw.p)
        return tokenizer_encode(m->tokenizer, a, p->raw, ENCODE_SPECIAL | ENCODE_BEGIN, out, e) ||
               err_ctx(e, "%s", path);
    if (!m->chat) return err_set(e, m->no_chat.code, "%s: %.400s", path, m->no_chat.msg);
    Buf b = BUF(a);
    chat_render(m->chat, &(ChatTurn){.system = p->system, .user = p->user, .think = think}, &b);
    return tokenizer_encode(m->tokenizer, a, buf_str(&b), ENCODE_SPECIAL, out, e) || err_ctx(e, "%s", path);
}

DraftRequest local_model_request(const LocalModel *m, Arena *a, const DraftAsk *ask, const ReplySettings *s,
                                 int count) {
    Str *stop = NEWN(a, Str, STOPS_MAX);
    memcpy(stop, s->stop, sizeof s->stop);
    DraftRequest q = {
        .model = m->model,
        .tokenizer = m->tokenizer,
        .adapter = m->adapter,
        .ask = ask,
        .count = count,
        .together = count < TOGETHER_MAX ? count : TOGETHER_MAX,
        .max_tokens = s->max_tokens,
        .sampling = {.temperature = s->temperature, .top_k = s->top_k, .top_p = s->top_p, .min_p = s->min_p},
        .stop = stop,
        .stops = s->stops,
        .kv = m->kv,
    };
    // What ends a turn ends a reply, also where the files name another token only.
    int end = m->chat ? tokenizer_find(m->tokenizer, chat_end(m->chat)) : -1;
    if (end >= 0) {
        int32_t *id = NEW(a, int32_t);
        *id = end;
        q.stop_id = id;
        q.stop_ids = 1;
    }
    while (q.together > 1 && draft_bytes(&q) > LOCAL_BYTES_MAX) q.together--;
    return q;
}

// ---- the smith ----

typedef struct {
    LocalModel model;
} Local;

typedef struct {
    const SmithSink *sink;
    const LocalModel *model;
} Asked;

static bool on_token(void *arg, int index, Str text, int tokens) {
    const Asked *k = arg;
    (void)index, (void)text, (void)tokens;
    k->sink->grew(k->sink->arg, 1);
    return k->sink->wanted(k->sink->arg);
}

static bool on_prompt(void *arg) {
    const Asked *k = arg;
    return k->sink->wanted(k->sink->arg);
}

static bool on_draft(void *arg, const Draft *d) {
    const Asked *k = arg;
    if (d->end == DRAFT_CUT) return true;
    Str text = k->model->chat ? chat_reply(k->model->chat, d->text) : d->text;
    bool cut = d->end == DRAFT_LENGTH || text.len > REPLY_MAX;
    if (text.len > REPLY_MAX) text.len = REPLY_MAX;
    Reply r = {.index = d->index, .text = text, .cut = cut, .tokens = d->count, .schedule = ""};
    return k->sink->reply(k->sink->arg, &r);
}

static bool draft(Smith *s, const Op *op, const SmithRequest *q, const SmithSink *sink, Err *e) {
    (void)op;
    LocalModel *m = &((Local *)s->state)->model;
    Arena a = {0};
    int n = q->count, done;
    DraftAsk *each = NEWN(&a, DraftAsk, (size_t)n + 1);
    Asked k = {sink, m};
    bool ok = true, beyond = false;
    for (int i = 0; i < n && ok; i++) {
        each[i].index = smith_index(q, i);
        if (i && smith_prompt(q, i) == smith_prompt(q, i - 1))
            each[i].prompt = each[i - 1].prompt;
        else
            ok = local_model_tokens(m, &a, smith_prompt(q, i), false, &each[i].prompt, e);
        beyond |= ok && each[i].prompt.count >= m->checkpoint->config.context;
    }
    if (ok && n > 0) {
        DraftRequest ask = local_model_request(m, &a, each, &q->settings, n);
        ask.seed = q->seed;
        ask.grew = on_token;
        ask.finished = on_draft;
        ask.wanted = on_prompt;
        ask.arg = &k;
        ok = draft_run(&a, &ask, NEWN(&a, Draft, (size_t)n), &done, e) || err_ctx(e, "%s", s->name);
    }
    arena_free(&a);
    if (!ok && !beyond) e->code = ERR_IO; // no template, wrong settings, damaged weights: not the op's fault
    return ok;
}

static void identify(Smith *s, char out[65]) {
    const LocalModel *m = &((Local *)s->state)->model;
    checkpoint_identity(m->checkpoint, m->adapter, out);
}

static void close_local(Smith *s) { local_model_close(&((Local *)s->state)->model); }

// Whatever looks like a place: names of smiths do not.
bool local_takes(const char *which) {
    struct stat st;
    if (*which == '/' || strncmp(which, "./", 2) == 0) return true;
    if (strstr(which, "://")) return false;
    return strncmp(which, "hf:", 3) == 0 || strchr(which, '/') || str_ends(str_of(which), ".gguf") ||
           (stat(which, &st) == 0 && S_ISDIR(st.st_mode));
}

bool local_open(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e) {
    Local *l = NEW(a, Local);
    KvType kv;
    if (!local_model_kv(o->kv, &kv, e) || !local_model_open(a, which, o->adapter, o->chat, &l->model, e))
        return false;
    l->model.kv = kv;
    *out = NEW(a, Smith);
    **out = (Smith){.name = smith_words(a, str_of(which), SMITH_NAME_MAX),
                    .profile = local_model_profile(l->model.checkpoint, which),
                    .takes_prompt = true,
                    .slow = true,
                    .draft = draft,
                    .close = close_local,
                    .identify = identify,
                    .warning = local_model_warning(a, &l->model),
                    .state = l};
    return true;
}
