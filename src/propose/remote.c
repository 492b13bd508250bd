// The smith "URL#model": a server that speaks the OpenAI chat API, asked over libcurl, which is found at run
// time. All drafts are asked for in one request where the server heeds "n", else in several at a time.
// Replies are streamed. What may pass (429, 5xx, a broken connection) is tried again after a pause that
// doubles, or that the server names; drafts that are finished are never asked for twice. The key comes from
// OUROBOROS_API_KEY, or from OPENAI_API_KEY where nobody can listen: over https, or to this machine.
#include "propose/remote.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/numeric/rng.h"
#include "base/version.h"
#include "propose/smith_kind.h"

enum {
    TOGETHER = 4,     // requests at a time to a server that ignores "n"
    CHOICES_MAX = 64, // in one request
    TRIES = 5,        // without any draft in between
    PAUSE_MAX = 120,  // seconds, whatever the server asks for
    CONNECT_SECONDS = 10,
    REQUEST_SECONDS = 3600,
    ERROR_BODY_MAX = 16 << 10,
};

// ---- libcurl ----

typedef struct {
#define CURL(name, result, parameters) result(*name) parameters;
#include "propose/curl.def"
#undef CURL
} Curl;

static bool load_curl(Curl *c, Err *e) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *lib = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return err_set(e, ERR_IO,
                       "servers are asked over libcurl, which is missing: apt-get install libcurl4");
    const struct {
        const char *name;
        void **at;
    } table[] = {
#define CURL(name, result, parameters) {"curl_" #name, (void **)&c->name},
#include "propose/curl.def"
#undef CURL
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!(*table[i].at = dlsym(lib, table[i].name)))
            return err_set(e, ERR_IO, "libcurl is too old: it has no %s", table[i].name);
    CURLcode code = c->global_init(CURL_GLOBAL_DEFAULT);
    return code == CURLE_OK || err_set(e, ERR_IO, "libcurl: %s", c->easy_strerror(code));
}

// ---- the smith ----

// Parameters beyond what every server knows. One that a server names in its refusal is left out from then on.
typedef enum { EXTRA_THINKING, EXTRA_USAGE, EXTRA_SEED, EXTRA_N, EXTRA_MAX_TOKENS, EXTRAS } Extra;
static const char *const extra_name[EXTRAS] = {"chat_template_kwargs", "stream_options", "seed", "n",
                                               "max_tokens"};

typedef struct {
    Curl curl;
    Endpoint to;
    const char *key; // NULL: none
    int timeout;
    bool dropped[EXTRAS]; // max_tokens: goes by its newer name instead
    bool single;          // the server ignores "n"
    CURLM *multi;
} Remote;

typedef struct {
    Arena arena;
    CURL *easy; // NULL: not in flight
    struct curl_slist *headers;
    int index[CHOICES_MAX]; // drafts of the request, from 0
    int count;
    double heard; // when the last byte came
    bool begun;   // the status is known
    long status;
    Answer answer;
    Buf error;  // the body of a response that is no 200
    Err broken; // code ERR_NONE: nothing wrong with the answer so far
} Transfer;

typedef struct {
    Remote *r;
    const SmithRequest *q;
    const SmithSink *sink;
    bool *got, *asked; // [q->count]; asked: in flight
    int left;
    bool more;  // the sink wants more
    int failed; // in a row
    double due; // no request before
    Transfer transfer[TOGETHER];
} Session;

// For `count` drafts from the i-th of the request.
static json_t *body_of(const Remote *r, const SmithRequest *q, int i, int count) {
    const ReplySettings *s = &q->settings;
    const Prompt *p = smith_prompt(q, i);
    json_t *messages = json_array();
    if (p->system.p)
        json_array_append_new(
            messages, json_pack("{s:s, s:s%}", "role", "system", "content", p->system.p, p->system.len));
    json_array_append_new(messages,
                          json_pack("{s:s, s:s%}", "role", "user", "content", p->user.p, p->user.len));
    json_t *o =
        json_pack("{s:s, s:o, s:b, s:f, s:f, s:i}", "model", r->to.model, "messages", messages, "stream", 1,
                  "temperature", s->temperature, "top_p", s->top_p,
                  r->dropped[EXTRA_MAX_TOKENS] ? "max_completion_tokens" : "max_tokens", s->max_tokens);
    if (!o) return NULL;
    if (!r->dropped[EXTRA_N]) json_object_set_new(o, "n", json_integer(count));
    if (!r->dropped[EXTRA_SEED])
        json_object_set_new(o, "seed",
                            json_integer((json_int_t)(rng_mix(q->seed, (uint64_t)smith_index(q, i)) >> 33)));
    if (!r->dropped[EXTRA_USAGE])
        json_object_set_new(o, "stream_options", json_pack("{s:b}", "include_usage", 1));
    if (!r->dropped[EXTRA_THINKING])
        json_object_set_new(o, "chat_template_kwargs", json_pack("{s:b}", "enable_thinking", 0));
    if (s->stops) {
        json_t *stops = json_array();
        for (int k = 0; k < s->stops; k++)
            json_array_append_new(stops, json_stringn(s->stop[k].p, s->stop[k].len));
        json_object_set_new(o, "stop", stops);
    }
    return o;
}

// ---- one transfer ----

// The first bytes: by now the status and the type are those of the last response, redirects done.
static void begin_answer(const Curl *c, Transfer *t) {
    const char *type = NULL;
    c->easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &t->status);
    c->easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
    t->begun = true;
    answer_begin(&t->answer, &t->arena, t->count, type && strncasecmp(type, "text/event-stream", 17) == 0);
    t->error = BUF(&t->arena);
}

typedef struct {
    const Curl *curl;
    Transfer *t;
} Receiver;

static size_t receive(char *p, size_t one, size_t n, void *arg) {
    (void)one;
    const Receiver *k = arg;
    Transfer *t = k->t;
    if (!t->begun) begin_answer(k->curl, t);
    t->heard = clock_seconds();
    if (t->status == 200) return answer_feed(&t->answer, (Str){p, n}, &t->broken) ? n : 0;
    size_t room = ERROR_BODY_MAX - t->error.len;
    buf_put(&t->error, p, n < room ? n : room);
    return n;
}

static void drop_transfer(const Remote *r, Transfer *t) {
    if (t->easy) {
        r->curl.multi_remove_handle(r->multi, t->easy);
        r->curl.easy_cleanup(t->easy);
        r->curl.slist_free_all(t->headers);
    }
    arena_free(&t->arena);
    *t = (Transfer){0};
}

static bool add_header(const Curl *c, Transfer *t, const char *line, Err *e) {
    struct curl_slist *more = c->slist_append(t->headers, line);
    if (!more) return err_set(e, ERR_IO, "no memory for a header");
    t->headers = more;
    return true;
}

static bool set_up(const Remote *r, Transfer *t, const SmithRequest *q, Err *e) {
    const Curl *c = &r->curl;
    json_t *o = body_of(r, q, t->index[0], t->count);
    if (!o) return err_set(e, ERR_INPUT, "the prompt is no UTF-8 text");
    Buf body = BUF(&t->arena);
    json_put(&body, o);
    if (!(t->easy = c->easy_init())) return err_set(e, ERR_IO, "libcurl has no memory");
    if (!add_header(c, t, "Content-Type: application/json", e) || !add_header(c, t, "Expect:", e) ||
        !add_header(c, t, "Accept: text/event-stream, application/json", e))
        return false;
    if (r->key && !add_header(c, t, arena_printf(&t->arena, "Authorization: Bearer %s", r->key), e))
        return false;
    Receiver *receiver = NEW(&t->arena, Receiver);
    *receiver = (Receiver){c, t};
    // What a setting protects from must not depend on whether this libcurl knows it.
    CURLcode bad = CURLE_OK;
#define SET(option, value) bad = bad ? bad : c->easy_setopt(t->easy, option, value)
    SET(CURLOPT_URL, r->to.url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_REDIR_PROTOCOLS_STR, r->to.https ? "https" : "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, 3L);
    SET(CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    const char *authorities = getenv("SSL_CERT_FILE");
    if (authorities && *authorities) SET(CURLOPT_CAINFO, authorities);
    SET(CURLOPT_HTTPHEADER, t->headers);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
    SET(CURLOPT_COPYPOSTFIELDS, body.p);
    SET(CURLOPT_WRITEFUNCTION, receive);
    SET(CURLOPT_WRITEDATA, receiver);
    SET(CURLOPT_PRIVATE, t);
    SET(CURLOPT_ACCEPT_ENCODING,
        "identity"); // events are wanted as they come; what is packed all the same is unpacked
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_USERAGENT, "ouroboros/" OUROBOROS_VERSION);
    SET(CURLOPT_CONNECTTIMEOUT, (long)(r->timeout < CONNECT_SECONDS ? r->timeout : CONNECT_SECONDS));
    SET(CURLOPT_TIMEOUT, (long)REQUEST_SECONDS);
#undef SET
    t->heard = clock_seconds();
    if (bad) return err_set(e, ERR_IO, "libcurl: %s", c->easy_strerror(bad));
    return c->multi_add_handle(r->multi, t->easy) == CURLM_OK ||
           err_set(e, ERR_IO, "libcurl takes no request");
}

// ---- a session: until all drafts are there ----

static void hand_over(Session *s, Transfer *t) {
    Answer *a = &t->answer;
    for (int i = 0; t->begun && i < t->count && s->more; i++) {
        Choice *c = &a->choice[i];
        if (!c->done || c->taken) continue;
        int index = t->index[i], tokens = a->events || a->tokens < 0 ? c->pieces : a->tokens / t->count;
        c->taken = s->got[index] = true;
        s->left--;
        s->failed = 0;
        Reply r = {.index = smith_index(s->q, index),
                   .text = buf_str(&c->text),
                   .cut = c->cut,
                   .tokens = tokens,
                   .schedule = ""};
        if (!r.text.p) r.text = STR("");
        s->sink->grew(s->sink->arg, tokens);
        s->more = s->sink->reply(s->sink->arg, &r);
    }
}

// Waits longer each time, unless the server says how long. Requests that fail together count as one.
static bool later(Session *s, double asked_for, const char *why, Err *e) {
    double now = clock_seconds();
    s->failed += s->failed == 0 || now >= s->due;
    if (s->failed >= TRIES) return err_set(e, ERR_IO, "%s (tried %d times)", why, TRIES);
    double pause = 0.5 * (double)(1 << (s->failed - 1));
    if (asked_for > pause) pause = asked_for < PAUSE_MAX ? asked_for : PAUSE_MAX;
    if (now + pause > s->due) s->due = now + pause;
    return true;
}

static bool names(Str body, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= body.len; i++)
        if (memcmp(body.p + i, word, n) == 0 && (i == 0 || !char_is_word(body.p[i - 1])) &&
            (i + n == body.len || !char_is_word(body.p[i + n])))
            return true;
    return false;
}

// A parameter that the server refuses by name, and that can be done without. A single letter must be quoted.
static bool drop_refused(Remote *r, Str body) {
    for (int i = 0; i < EXTRAS; i++) {
        bool named = i == EXTRA_N ? names(body, "'n'") || names(body, "\"n\"") || names(body, "\\\"n\\\"")
                                  : names(body, extra_name[i]);
        if (!named || r->dropped[i]) continue;
        r->dropped[i] = true;
        if (i == EXTRA_N) r->single = true;
        return true;
    }
    return false;
}

static bool refused(Session *s, Transfer *t, Err *e) {
    Str body = buf_str(&t->error);
    Arena a = {0};
    curl_off_t wait = 0;
    s->r->curl.easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &wait);
    const char *why = arena_printf(&a, "status %ld: %s", t->status, answer_error(&a, body));
    bool passing =
        t->status == 408 || t->status == 425 || t->status == 429 || (t->status >= 500 && t->status != 501);
    bool ok;
    if (passing)
        ok = later(s, (double)wait, why, e);
    else if ((t->status == 400 || t->status == 422) && drop_refused(s->r, body))
        ok = true;
    else if (t->status == 401 || t->status == 403)
        ok = err_set(e, ERR_IO, "%s%s", why,
                     s->r->key
                         ? ""
                         : "; no key was sent: set OUROBOROS_API_KEY (OPENAI_API_KEY goes only over https)");
    else
        ok = err_set(e, ERR_IO, "%s", why);
    arena_free(&a);
    return ok;
}

static bool finish(Session *s, Transfer *t, CURLcode code, Err *e) {
    const Curl *c = &s->r->curl;
    if (!t->begun && code == CURLE_OK) begin_answer(c, t);
    bool whole =
        code == CURLE_OK && t->status == 200 && !t->broken.code && answer_end(&t->answer, &t->broken);
    hand_over(s, t);
    if (!s->more) return true;
    if (t->begun && t->status != 200 && code == CURLE_OK) return refused(s, t, e);
    int missing = 0;
    for (int i = 0; i < t->count; i++) missing += !s->got[t->index[i]];
    if (!missing) return true;
    if (whole && missing < t->count) {
        s->r->single = true;
        return true;
    }
    if (t->broken.code == ERR_LIMIT) return err_set(e, ERR_LIMIT, "%s", t->broken.msg);
    if (t->broken.code) return later(s, 0, t->broken.msg, e);
    if (code == CURLE_UNSUPPORTED_PROTOCOL)
        return err_set(e, ERR_IO,
                       "the server sends the request on to another kind of address, where it does not go");
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
        return err_set(e, ERR_IO,
                       "the server is not who it says it is: %s (SSL_CERT_FILE names further authorities)",
                       c->easy_strerror(code));
    if (code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_URL_MALFORMAT)
        return err_set(e, ERR_IO, "%s", c->easy_strerror(code));
    return later(s, 0, code ? c->easy_strerror(code) : "the response ended before a draft was finished", e);
}

static bool start_more(Session *s, Err *e) {
    if (clock_seconds() < s->due) return true;
    bool busy = false, single = s->r->single || s->q->retry; // "n" is for one question
    for (int k = 0; k < TOGETHER; k++) busy |= s->transfer[k].easy != NULL;
    for (int k = 0; k < TOGETHER; k++) {
        Transfer *t = &s->transfer[k];
        if (t->easy || (busy && !single)) continue;
        int most = single ? 1 : CHOICES_MAX;
        for (int i = 0; i < s->q->count && t->count < most; i++)
            if (!s->got[i] && !s->asked[i]) {
                s->asked[i] = true;
                t->index[t->count++] = i;
            }
        if (!t->count) return true;
        busy = true;
        if (!set_up(s->r, t, s->q, e)) return false;
        if (s->failed) return true; // one at a time until something works again
    }
    return true;
}

static void end_transfer(Session *s, Transfer *t) {
    for (int i = 0; i < t->count; i++) s->asked[t->index[i]] = false;
    drop_transfer(s->r, t);
}

// libcurl averages over seconds before it calls a server silent; this is to the second.
static bool give_up(Session *s, Transfer *t, Err *e) {
    char why[64];
    snprintf(why, sizeof why, "silent for %d seconds (--timeout)", s->r->timeout);
    end_transfer(s, t);
    return later(s, 0, why, e);
}

static bool turn(Session *s, Err *e) {
    const Curl *c = &s->r->curl;
    int running, queued;
    if (!start_more(s, e)) return false;
    if (c->multi_perform(s->r->multi, &running) != CURLM_OK) return err_set(e, ERR_IO, "libcurl gave up");
    for (int k = 0; k < TOGETHER; k++) hand_over(s, &s->transfer[k]);
    for (CURLMsg *m; s->more && (m = c->multi_info_read(s->r->multi, &queued)) != NULL;) {
        if (m->msg != CURLMSG_DONE) continue;
        Transfer *t = NULL;
        CURLcode code = m->data.result;
        c->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
        bool ok = finish(s, t, code, e);
        end_transfer(s, t);
        if (!ok) return false;
    }
    for (int k = 0; k < TOGETHER; k++)
        if (s->transfer[k].easy && clock_seconds() - s->transfer[k].heard > s->r->timeout &&
            !give_up(s, &s->transfer[k], e))
            return false;
    if (!s->left || !s->more) return true;
    if (running)
        c->multi_poll(s->r->multi, NULL, 0, 100, NULL);
    else if (clock_seconds() < s->due)
        poll(NULL, 0, 50);
    return true;
}

static bool draft(Smith *smith, const Op *op, const SmithRequest *q, const SmithSink *sink, Err *e) {
    (void)op;
    Arena a = {0};
    Session *s = NEW(&a, Session);
    *s = (Session){.r = smith->state,
                   .q = q,
                   .sink = sink,
                   .got = NEWN(&a, bool, (size_t)q->count + 1),
                   .asked = NEWN(&a, bool, (size_t)q->count + 1),
                   .left = q->count,
                   .more = true};
    bool ok = true;
    while (ok && s->left && s->more && (s->more = sink->wanted(sink->arg))) ok = turn(s, e);
    for (int k = 0; k < TOGETHER; k++) drop_transfer(s->r, &s->transfer[k]);
    arena_free(&a);
    if (ok) return true;
    e->code = ERR_IO; // whatever was wrong with a response: it is the server's fault, not the op's
    return err_ctx(e, "%s", smith->name);
}

static void close_remote(Smith *smith) {
    Remote *r = smith->state;
    r->curl.multi_cleanup(r->multi);
}

static bool find_key(Arena *a, Remote *r, Err *e) {
    const char *key = getenv("OUROBOROS_API_KEY");
    if ((!key || !*key) && (r->to.https || r->to.loopback)) key = getenv("OPENAI_API_KEY");
    if (!key || !*key) return true;
    for (const char *c = key; *c; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 127)
            return err_set(e, ERR_USAGE, "the API key in the environment has characters that no key has");
    r->key = arena_printf(a, "%s", key);
    return true;
}

bool remote_takes(const char *which) {
    return *which != '/' && strncmp(which, "./", 2) != 0 && strstr(which, "://"); // those are paths
}

bool remote_open(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e) {
    Remote *r = NEW(a, Remote);
    if (!smith_elsewhere(o, e)) return false;
    if (!endpoint_read(a, which, &r->to, e) || !find_key(a, r, e) || !load_curl(&r->curl, e)) return false;
    r->timeout = o->timeout ? o->timeout : SMITH_TIMEOUT;
    if (!(r->multi = r->curl.multi_init())) return err_set(e, ERR_IO, "libcurl has no memory");
    *out = NEW(a, Smith);
    **out = (Smith){.name = arena_printf(a, "%s", which),
                    .takes_prompt = true,
                    .slow = true,
                    .draft = draft,
                    .close = close_remote,
                    .state = r};
    return true;
}
