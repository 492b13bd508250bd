#include "base/json.h"
#include "propose/remote.h"
#include "propose/smith_kind.h"

void answer_begin(Answer *s, Arena *a, int asked, bool events) {
    *s = (Answer){.arena = a,
                  .events = events,
                  .choice = NEWN(a, Choice, (size_t)asked + 1),
                  .asked = asked,
                  .line = BUF(a),
                  .event = BUF(a),
                  .tokens = -1};
    for (int i = 0; i < asked; i++) s->choice[i].text = BUF(a);
}

static void add_text(Choice *c, const json_t *text) {
    size_t n = json_string_length(text);
    if (!n || c->done) return;
    c->pieces++;
    if (n > REPLY_MAX - c->text.len) {
        n = REPLY_MAX - c->text.len;
        c->cut = c->done = true;
    }
    buf_put(&c->text, json_string_value(text), n);
}

// A text, or a list of parts: of those that are no text, such as thoughts, nothing is kept.
static bool add_content(Choice *c, const json_t *content) {
    if (json_is_string(content)) {
        add_text(c, content);
        return true;
    }
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *part = json_array_get(content, i), *type = json_object_get(part, "type");
        if (!json_is_string(type)) return false;
        if (strcmp(json_string_value(type), "text") == 0) add_text(c, json_object_get(part, "text"));
    }
    return json_is_array(content);
}

// Streams send "delta"s, other responses a "message".
static bool read_choice(Answer *s, const json_t *o, size_t place, Err *e) {
    const json_t *index = json_object_get(o, "index"), *finish = json_object_get(o, "finish_reason");
    const json_t *delta = json_object_get(o, "delta"), *message = json_object_get(o, "message");
    if (!json_is_object(o) || (!json_absent(index) && !json_is_integer(index)))
        return err_set(e, ERR_INPUT, "a choice is no object with an index");
    json_int_t i = json_absent(index) ? (json_int_t)place : json_integer_value(index);
    if (i < 0 || i >= s->asked)
        return err_set(e, ERR_INPUT, "choice %lld of the %d asked for", (long long)i, s->asked);
    Choice *c = &s->choice[i];
    const json_t *text = json_object_get(json_absent(delta) ? message : delta, "content");
    if (!json_absent(text) && !add_content(c, text))
        return err_set(e, ERR_INPUT, "the content of a choice is no text");
    if (json_is_string(finish) && !c->done) {
        c->done = true;
        c->cut = strcmp(json_string_value(finish), "length") == 0;
    }
    if (!json_absent(message) && !s->events) c->done = true;
    return true;
}

static bool read_object(Answer *s, const json_t *o, Err *e) {
    const json_t *error = json_object_get(o, "error"), *choices = json_object_get(o, "choices"),
                 *usage = json_object_get(json_object_get(o, "usage"), "completion_tokens");
    if (!json_absent(error)) {
        const json_t *message = json_is_object(error) ? json_object_get(error, "message") : error;
        Str words = json_is_string(message) ? json_str(message) : STR("without a message");
        return err_set(e, ERR_IO, "the server reports an error: %s", smith_words(s->arena, words, 300));
    }
    if (!json_is_array(choices) && !usage) return err_set(e, ERR_INPUT, "the response has no \"choices\"");
    if (json_is_integer(usage) && json_integer_value(usage) >= 0 && json_integer_value(usage) < 1 << 30)
        s->tokens = (int)json_integer_value(usage);
    for (size_t i = 0; i < json_array_size(choices); i++)
        if (!read_choice(s, json_array_get(choices, i), i, e)) return false;
    return true;
}

static bool read_json(Answer *s, Str text, Err *e) {
    json_error_t why;
    json_t *o = json_loadb(text.p ? text.p : "", text.len, JSON_ALLOW_NUL, &why);
    if (!o)
        return err_set(e, ERR_INPUT, "the response is no JSON: %s",
                       smith_words(s->arena, str_of(why.text), 200));
    bool ok = read_object(s, o, e);
    json_decref(o);
    return ok;
}

static bool end_event(Answer *s, Err *e) {
    Str data = buf_str(&s->event);
    s->event.len = 0;
    if (!data.len || s->done) return true;
    if (str_is(data, "[DONE]")) {
        s->done = true;
        // Some servers leave out why a text ends; that it has ended they have said now.
        for (int i = 0; i < s->asked; i++) s->choice[i].done |= s->choice[i].pieces > 0;
        return true;
    }
    return read_json(s, data, e);
}

// One line of a stream: "data: ...", empty at the end of an event; comments and other fields mean nothing
// here.
static bool read_line(Answer *s, Str line, Err *e) {
    if (line.len && line.p[line.len - 1] == '\r') line.len--;
    if (!line.len) return end_event(s, e);
    if (!str_starts(line, "data:")) return true;
    Str value = {line.p + 5, line.len - 5};
    if (str_starts(value, " ")) value = (Str){value.p + 1, value.len - 1};
    if (s->event.len + value.len + 1 > REMOTE_LINE_MAX)
        return err_set(e, ERR_LIMIT, "an event of more than %d bytes", REMOTE_LINE_MAX);
    if (s->event.len) buf_putc(&s->event, '\n');
    buf_str_put(&s->event, value);
    return true;
}

static const char data_field[] = "data:";

// Servers, and what stands between, name wrong types or none. A byte order mark may come first. The first
// bytes may come one at a time: what may yet become a field is held back.
static Str find_kind(Answer *s, Str bytes) {
    static const char mark[] = "\xef\xbb\xbf";
    for (; bytes.len && !s->known; bytes = (Str){bytes.p + 1, bytes.len - 1}) {
        char c = *bytes.p;
        bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (s->held == 0 && s->marked < 3 && c == mark[s->marked]) {
            s->marked++;
            continue;
        }
        if (c == data_field[s->held]) {
            s->held++;
            if (data_field[s->held]) continue;
            s->events = s->known = true;
            bytes = (Str){bytes.p + 1, bytes.len - 1};
            break;
        }
        if (s->held == 0 && blank) continue;
        if (s->held == 0 && (c == '{' || c == '[')) s->events = false;
        if (s->held == 0 && c == ':') s->events = true;
        s->known = true;
        break;
    }
    return bytes;
}

static void put_held(Answer *s) {
    buf_put(&s->line, data_field, s->held);
    s->held = 0;
}

bool answer_feed(Answer *s, Str bytes, Err *e) {
    s->bytes += bytes.len;
    if (s->bytes > REMOTE_BYTES_MAX)
        return err_set(e, ERR_LIMIT, "a response of more than %d bytes", REMOTE_BYTES_MAX);
    bytes = find_kind(s, bytes);
    if (!s->known) return true;
    put_held(s);
    if (!s->events) {
        buf_str_put(&s->line, bytes);
        return true;
    }
    while (bytes.len) {
        const char *end = memchr(bytes.p, '\n', bytes.len);
        size_t n = end ? (size_t)(end - bytes.p) : bytes.len;
        if (s->line.len + n > REMOTE_LINE_MAX)
            return err_set(e, ERR_LIMIT, "a line of more than %d bytes", REMOTE_LINE_MAX);
        buf_put(&s->line, bytes.p, n);
        if (!end) return true;
        bytes = (Str){end + 1, bytes.len - n - 1};
        Str line = buf_str(&s->line);
        s->line.len = 0;
        if (!read_line(s, line, e)) return false;
    }
    return true;
}

bool answer_end(Answer *s, Err *e) {
    put_held(s);
    if (!s->events) return read_json(s, buf_str(&s->line), e);
    Str line = buf_str(&s->line);
    s->line.len = 0;
    return (!line.len || read_line(s, line, e)) && end_event(s, e);
}

const char *answer_error(Arena *a, Str body) {
    enum { WORDS = 300 };
    json_t *o = body.len ? json_loadb(body.p, body.len, JSON_ALLOW_NUL, NULL) : NULL;
    const json_t *error = json_object_get(o, "error");
    const json_t *const places[] = {json_object_get(error, "message"), error, json_object_get(o, "message"),
                                    json_object_get(o, "detail")};
    Str words = body;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (json_is_string(places[i])) {
            words = json_str(places[i]);
            break;
        }
    const char *out = smith_words(a, words.len ? words : STR("no message"), WORDS);
    json_decref(o);
    return out;
}

// ---- where to ask ----

// Names that nobody else can answer to: "localhost" itself, and addresses made of numbers.
static bool is_loopback(Str host) {
    if (str_starts(host, "[::1]")) return true;
    const char *port = host.len ? memchr(host.p, ':', host.len) : NULL;
    if (port) host.len = (size_t)(port - host.p);
    bool numbers = true;
    for (size_t i = 0; i < host.len; i++)
        numbers &= host.p[i] == '.' || (host.p[i] >= '0' && host.p[i] <= '9');
    return str_is(host, "localhost") || (numbers && str_starts(host, "127."));
}

bool endpoint_read(Arena *a, const char *which, Endpoint *out, Err *e) {
    static const char *const completions = "/chat/completions";
    *out = (Endpoint){.https = strncmp(which, "https://", 8) == 0};
    if (!out->https && strncmp(which, "http://", 7) != 0)
        return err_set(e, ERR_USAGE, "a server's address begins with https:// or http://");
    const char *hash = strchr(which, '#');
    if (!hash || !hash[1])
        return err_set(e, ERR_USAGE, "name the model behind a #, such as http://localhost:8000/v1#MODEL");
    Str url = {which, (size_t)(hash - which)};
    for (const char *c = which; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 127)
            return err_set(e, ERR_USAGE, "a server's address has no spaces");
    if (!utf8_valid(str_of(which))) return err_set(e, ERR_USAGE, "a server's address and a model are UTF-8");
    size_t scheme = out->https ? 8 : 7;
    Str rest = {url.p + scheme, url.len - scheme};
    size_t host = 0;
    while (host < rest.len && rest.p[host] != '/' && rest.p[host] != '?') host++;
    if (!host) return err_set(e, ERR_USAGE, "a server's address needs a host");
    if (memchr(rest.p, '@', host))
        return err_set(e, ERR_USAGE,
                       "no user or password in the address: the key stands in OUROBOROS_API_KEY");
    out->loopback = is_loopback((Str){rest.p, host});
    out->model = arena_printf(a, "%s", hash + 1);
    while (url.len > scheme + host && url.p[url.len - 1] == '/') url.len--;
    const char *more = str_ends(url, completions) ? ""
                       : url.len == scheme + host ? "/v1/chat/completions"
                                                  : completions;
    out->url = arena_printf(a, "%.*s%s", STR_ARG(url), more);
    return true;
}
