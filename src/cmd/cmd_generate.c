#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/numeric/rng.h"
#include "base/progress.h"
#include "cmd/shared/judging.h"
#include "propose/local.h"

enum { PROMPT_MAX = 4 << 20, TOKENS_USUAL = 768 };
_Static_assert((int)TEXTS_MAX <= (int)STOPS_MAX, "every --stop has a place");

typedef struct {
    const char *prompt, *system, *adapter, *family, *kv;
    Texts stop;
    SamplingChoice sampling;
    int count, max_tokens;
    Seed seed;
    bool raw, chat, think, json, logprobs;
} GenerateOptions;

// One run, as its callbacks see it.
typedef struct {
    const GenerateOptions *o;
    bool streams; // one draft, as text: printed while it grows
    Progress bar;
    bool bar_shown;
    double started, first; // seconds; first: of the first token, 0: none yet
    int64_t tokens;
    int finished;
} Shown;

static const char *end_name(DraftEnd end) {
    switch (end) {
    case DRAFT_EOS: return "eos";
    case DRAFT_STOP: return "stop";
    case DRAFT_LENGTH: return "length";
    case DRAFT_CUT: break;
    }
    return "cut";
}

static bool on_token(void *arg, int index, Str text, int tokens) {
    Shown *s = arg;
    (void)index, (void)tokens;
    double now = clock_seconds();
    if (s->first <= 0) s->first = now;
    s->tokens++;
    if (s->streams && text.len) {
        fwrite(text.p, 1, text.len, stdout);
        fflush(stdout);
    }
    if (s->bar_shown) {
        char note[64];
        snprintf(note, sizeof note, "%.1f tok/s",
                 now > s->first ? (double)(s->tokens - 1) / (now - s->first) : 0.0);
        progress_step(&s->bar, (size_t)s->finished, note);
    }
    return !interrupts_seen(NULL) && !ferror(stdout);
}

static bool on_prompt(void *arg) {
    (void)arg;
    return !interrupts_seen(NULL);
}

static bool put_json(const Draft *d) {
    json_t *o = json_pack("{s:i, s:s%, s:i, s:s}", "index", d->index, "text", d->text.p ? d->text.p : "",
                          d->text.len, "tokens", d->count, "end", end_name(d->end));
    if (o && d->logprob) {
        json_t *ids = json_array(), *logprobs = json_array();
        for (int i = 0; i < d->count; i++) {
            json_array_append_new(ids, json_integer(d->token[i]));
            json_array_append_new(logprobs, json_real((double)d->logprob[i]));
        }
        json_object_set_new(o, "ids", ids);
        json_object_set_new(o, "logprobs", logprobs);
    }
    enum { DIGITS = 17 };
    Arena a = {0};
    Buf line = BUF(&a);
    bool ok = json_put_precise(&line, o, DIGITS);
    if (ok) puts(buf_cstr(&line));
    arena_free(&a);
    return ok;
}

static bool on_draft(void *arg, const Draft *d) {
    Shown *s = arg;
    if (d->end == DRAFT_CUT) return true;
    if (s->bar_shown) progress_end(&s->bar);
    if (s->o->json) {
        if (!put_json(d)) return false;
    } else if (s->streams) {
        fputs("\n", stdout);
    } else {
        printf("== draft %d, %d tokens, %s\n%.*s\n", d->index + 1, d->count, end_name(d->end),
               STR_ARG(d->text));
    }
    fflush(stdout);
    s->finished++;
    return !ferror(stdout);
}

// What the options say, else what the model's generation_config says, else 0.7 and 0.95.
static bool settings_of(const GenerateOptions *o, const ModelConfig *c, ReplySettings *out, Err *e) {
    *out = (ReplySettings){.temperature = c->generation.temperature >= 0 ? c->generation.temperature : 0.7,
                           .top_p = c->generation.top_p >= 0 ? c->generation.top_p : 0.95,
                           .min_p = c->generation.min_p >= 0 ? c->generation.min_p : 0,
                           .top_k = c->generation.top_k >= 0 ? c->generation.top_k : 0,
                           .max_tokens = o->max_tokens ? o->max_tokens : TOKENS_USUAL};
    for (int i = 0; i < o->stop.n; i++) {
        Str text = str_of(o->stop.at[i]);
        if (!text.len || text.len > DRAFT_STOP_BYTES_MAX ||
            !utf8_valid(text)) // half a character cuts one in two
            return err_set(e, ERR_USAGE, "--stop is UTF-8 text of 1 to %d bytes", DRAFT_STOP_BYTES_MAX);
        out->stop[out->stops++] = text;
    }
    return sampling_said(&o->sampling, 100, out, e);
}

static bool text_read(Arena *a, const char *path, Str *out, Err *e) {
    if (!io_read(a, path, PROMPT_MAX, out, e)) return false;
    return utf8_valid(*out) || err_set(e, ERR_INPUT, "%s: a prompt is UTF-8 text, which this is not",
                                       strcmp(path, "-") == 0 ? "standard input" : path);
}

static bool prompt_of(Arena *a, const GenerateOptions *o, Prompt *p, Err *e) {
    Str text;
    *p = (Prompt){0};
    if (!text_read(a, o->prompt, &text, e)) return false;
    if (!o->chat) {
        p->raw = text.p ? text : (Str){"", 0};
        return true;
    }
    p->user = text;
    return !o->system || text_read(a, o->system, &p->system, e);
}

static void tell(const Shown *s, const Tokens *prompt, uint64_t seed) {
    double now = clock_seconds(), writing = s->first > 0 ? now - s->first : 0;
    fprintf(stderr,
            "%d draft%s, %lld tokens, %.1f tok/s; prompt: %d tokens, %.1f s to the first; seed %llu\n",
            s->finished, s->finished == 1 ? "" : "s", (long long)s->tokens,
            writing > 0 ? (double)(s->tokens - 1) / writing : 0.0, prompt->count,
            s->first > 0 ? s->first - s->started : 0.0, (unsigned long long)seed);
}

static bool generate_with(Arena *a, const LocalModel *m, const GenerateOptions *o, Err *e) {
    Prompt prompt;
    Tokens tokens;
    uint64_t seed = o->seed.value;
    int done;
    if (!o->seed.given && !rng_entropy(&seed, sizeof seed, e)) return false;
    if (!o->seed.given) seed >>= 1; // so that --seed takes it
    ReplySettings settings;
    if (!settings_of(o, model_config(m->model), &settings, e) || !prompt_of(a, o, &prompt, e) ||
        !local_model_tokens(m, a, &prompt, o->think, &tokens, e))
        return false;
    Shown s = {.o = o, .streams = o->count == 1 && !o->json, .started = clock_seconds()};
    DraftRequest q = local_model_request(m, a, draft_asks(a, tokens, 0, o->count), &settings, o->count);
    q.seed = seed;
    q.logprobs = o->logprobs;
    q.grew = on_token;
    q.finished = on_draft;
    q.wanted = on_prompt;
    q.arg = &s;
    interrupts_catch();
    s.bar_shown = !s.streams || !isatty(STDOUT_FILENO); // the text itself tells how far it is
    if (s.bar_shown) progress_start(&s.bar, "drafts", (size_t)o->count);
    bool ok = draft_run(a, &q, NEWN(a, Draft, (size_t)o->count), &done, e);
    if (s.bar_shown) progress_end(&s.bar);
    if (s.streams && !s.finished && s.tokens) fputs("\n", stdout);
    fflush(stdout);
    if (ok || s.tokens) tell(&s, &tokens, seed);
    if (ok && ferror(stdout)) return err_set(e, ERR_IO, "cannot write to standard output");
    if (ok && !s.finished) return err_set(e, ERR_IO, "interrupted before a draft was finished");
    return ok;
}

static bool generate(Arena *a, const char *path, const GenerateOptions *o, Err *e) {
    LocalModel m;
    KvType kv;
    if (!local_model_kv(o->kv, &kv, e) || !local_model_open(a, path, o->adapter, o->family, &m, e))
        return false;
    m.kv = kv;
    const char *warning = o->chat ? local_model_warning(a, &m) : NULL;
    if (warning) fprintf(stderr, "ouroboros generate: %s\n", warning);
    bool ok = generate_with(a, &m, o, e);
    local_model_close(&m);
    return ok;
}

int cmd_generate(int argc, char **argv) {
    GenerateOptions o = {.prompt = "-", .count = 1};
    const Option options[] = {
        {"--prompt", OPTION_TEXT, &o.prompt},
        {"--system", OPTION_TEXT, &o.system},
        {"--raw", OPTION_FLAG, &o.raw},
        {"--chat", OPTION_FLAG, &o.chat},
        {"--chat-family", OPTION_TEXT, &o.family},
        {"--think", OPTION_FLAG, &o.think},
        {"--adapter", OPTION_TEXT, &o.adapter},
        {"--kv", OPTION_TEXT, &o.kv},
        {"-n", OPTION_COUNT, &o.count},
        {"--temperature", OPTION_NUMBER, &o.sampling.temperature},
        {"--top-p", OPTION_NUMBER, &o.sampling.top_p},
        {"--min-p", OPTION_NUMBER, &o.sampling.min_p},
        {"--top-k", OPTION_NUMBER, &o.sampling.top_k},
        {"--max-tokens", OPTION_COUNT, &o.max_tokens},
        {"--stop", OPTION_TEXTS, &o.stop},
        {"--seed", OPTION_SEED, &o.seed},
        {"--json", OPTION_FLAG, &o.json},
        {"--logprobs", OPTION_FLAG, &o.logprobs},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"generate", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("generate", &e);
    if (o.raw && o.chat) return cmd_usage("generate", "--raw or --chat, not both");
    if (o.logprobs && !o.json) return cmd_usage("generate", "--logprobs goes with --json");
    if (!o.chat && (o.system || o.think || o.family))
        return cmd_usage("generate", "--system, --think and --chat-family go with --chat");
    Arena a = {0};
    int code = generate(&a, rest.at[0], &o, &e) ? EXIT_OK : cmd_fail("generate", &e);
    arena_free(&a);
    return code;
}
