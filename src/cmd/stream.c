#include "cmd/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"

// ---- lines
// ---------------------------------------------------------------------------------------------------------

typedef struct {
    int fd;
    char *buf; // from malloc: it outlives every batch
    size_t len, cap;
    bool ended, skipping; // skipping: inside a line that is too long
    long line;
} Reader;

typedef enum { LINE_NONE, LINE_READY, LINE_TOO_LONG, LINE_END } LineState;

// A complete line without its newline, if one is in the buffer; it is valid until the next call of
// reader_fill.
static LineState reader_next(Reader *r, size_t *at, Str *out) {
    char *nl = r->len > *at ? memchr(r->buf + *at, '\n', r->len - *at) : NULL;
    if (!nl) {
        if (r->len - *at >= STREAM_LINE_MAX) {
            r->skipping = true;
            *at = r->len;
        }
        if (!r->ended) return LINE_NONE;
        if (*at >= r->len) return LINE_END;
        *out = (Str){r->buf + *at, r->len - *at};
        *at = r->len;
    } else {
        *out = (Str){r->buf + *at, (size_t)(nl - (r->buf + *at))};
        *at = (size_t)(nl - r->buf) + 1;
    }
    r->line++;
    bool too_long = r->skipping || out->len > STREAM_LINE_MAX;
    r->skipping = false;
    return too_long ? LINE_TOO_LONG : LINE_READY;
}

// Drops what was consumed and reads more. False on a read error.
static bool reader_fill(Reader *r, size_t consumed, bool wait, bool *got, Err *e) {
    memmove(r->buf, r->buf + consumed, r->len - consumed);
    r->len -= consumed;
    *got = false;
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    if (!wait && poll(&p, 1, 0) <= 0) return true;
    if (r->cap - r->len < 65536) {
        size_t cap = r->cap ? r->cap * 2 : 1 << 18;
        char *grown = realloc(r->buf, cap);
        if (!grown) return err_set(e, ERR_LIMIT, "out of memory for a line of the stream");
        r->buf = grown;
        r->cap = cap;
    }
    ssize_t n;
    do n = read(r->fd, r->buf + r->len, r->cap - r->len);
    while (n < 0 && errno == EINTR);
    if (n < 0) return err_set(e, ERR_IO, "cannot read the stream: %s", strerror(errno));
    if (n == 0) r->ended = true;
    r->len += (size_t)n;
    *got = true;
    return true;
}

// ---- requests
// ------------------------------------------------------------------------------------------------------

typedef struct {
    json_t *id; // owned; NULL when the line gave none
    Str source;
    Op *op;
    Level level;
    DrawFilter filter;
    const char *bad; // why the line cannot be judged; NULL: it can
    bool answered;
} Request;

typedef struct {
    char *text;
    Op op;
    char *bad;
} KnownOp;
enum { KNOWN_MAX = 256 };

typedef struct {
    Referee *referee;
    Arena ops; // definitions live as long as the stream
    KnownOp known[KNOWN_MAX];
    int knowns;
    Level level;
    int out;
} Stream;

// Definitions are read and checked once, so that every request of a run is judged by the same text.
static KnownOp *known_op(Stream *s, const char *text) {
    for (int i = 0; i < s->knowns; i++)
        if (strcmp(s->known[i].text, text) == 0) return &s->known[i];
    if (s->knowns == KNOWN_MAX) return NULL;
    KnownOp *k = &s->known[s->knowns++];
    Err e = {0};
    k->text = arena_strndup(&s->ops, text, strlen(text));
    if (!op_for_judging(s->referee, &s->ops, text, &k->op, &e))
        k->bad = arena_strndup(&s->ops, e.msg, strlen(e.msg));
    return k;
}

static const char *read_filter(Arena *a, json_t *o, DrawFilter *out) {
    *out = (DrawFilter){.dtype = -1};
    json_t *shape = json_object_get(o, "shape"), *dtype = json_object_get(o, "dtype");
    Shape wanted = {0};
    if (shape) {
        const Option option = {"\"shape\"", OPTION_SHAPE, &wanted};
        const char *value = json_string_value(shape);
        Err e = {0};
        if (!value || !option_value(&option, value, &e))
            return value ? arena_strndup(a, e.msg, strlen(e.msg))
                         : "\"shape\" is a text such as \"8192x4096\"";
    }
    if (dtype && !json_is_string(dtype)) return "\"dtype\" is a text such as \"fp16\"";
    Err e = {0};
    if (!filter_of(&wanted, json_string_value(dtype), out, &e)) return arena_strndup(a, e.msg, strlen(e.msg));
    return NULL;
}

static const char *read_request(Stream *s, Arena *a, json_t *o, Request *q) {
    if (!json_is_object(o)) return "a request is a JSON object";
    json_t *id = json_object_get(o, "id"), *op = json_object_get(o, "op"),
           *source = json_object_get(o, "source"), *level = json_object_get(o, "level");
    if (id) q->id = json_incref(id);
    if (!json_is_string(op)) return "\"op\" is missing or not a text";
    if (!json_is_string(source)) return "\"source\" is missing or not a text";
    q->source = str_dup(a, (Str){json_string_value(source), json_string_length(source)});
    if (level && (!json_is_string(level) || !level_by_name(str_of(json_string_value(level)), &q->level)))
        return "\"level\" is \"quick\" or \"full\"";
    const char *bad = read_filter(a, o, &q->filter);
    if (bad) return bad;
    KnownOp *k = known_op(s, json_string_value(op));
    if (!k) return "too many different ops in one stream";
    if (k->bad) return k->bad;
    q->op = &k->op;
    return NULL;
}

static void parse_line(Stream *s, Arena *a, Str line, LineState state, long number, Request *q) {
    *q = (Request){.level = s->level};
    if (state == LINE_TOO_LONG) {
        q->bad = arena_printf(a, "line %ld is longer than %d bytes", number, STREAM_LINE_MAX);
        return;
    }
    json_error_t error;
    json_t *o = json_loadb(line.p, line.len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    if (!o) {
        q->bad = arena_printf(a, "line %ld, column %d: %s", number, error.column, error.text);
        return;
    }
    const char *bad = read_request(s, a, o, q);
    if (bad) q->bad = arena_printf(a, "line %ld: %s", number, bad);
    json_decref(o);
}

// ---- answers
// -------------------------------------------------------------------------------------------------------

static bool same_batch(const Request *a, const Request *b) {
    return a->op == b->op && a->level == b->level && a->filter.m == b->filter.m &&
           a->filter.n == b->filter.n && a->filter.dtype == b->filter.dtype;
}

static void put_answer(Buf *out, const Request *q, const Verdict *v) {
    json_t *id = q->id ? json_incref(q->id) : json_null();
    verdict_json(out, v, "id", id);
    json_decref(id);
    buf_putc(out, '\n');
}

static bool judge_batch(Stream *s, Arena *a, Request *q, int n, int first, Err *e) {
    Str source[STREAM_WAITING];
    int member[STREAM_WAITING], k = 0;
    Verdict verdict[STREAM_WAITING];
    for (int i = first; i < n; i++) {
        if (q[i].answered || q[i].bad || !same_batch(&q[first], &q[i])) continue;
        source[k] = q[i].source;
        member[k++] = i;
        q[i].answered = true;
    }
    JudgeRequest ask = {.op = q[first].op, .level = q[first].level, .filter = q[first].filter};
    if (!referee_judge(s->referee, a, &ask, source, k, verdict, e)) return false;
    Buf out = BUF(a);
    for (int i = 0; i < k; i++) put_answer(&out, &q[member[i]], &verdict[i]);
    return io_write_all(s->out, out.p, out.len, e);
}

static bool answer_bad(Stream *s, Arena *a, Request *q, Err *e) {
    Verdict v = {.status = STATUS_referee_error,
                 .op = STR(""),
                 .rule = "request",
                 .feedback = q->bad,
                 .level = q->level};
    Buf out = BUF(a);
    q->answered = true;
    put_answer(&out, q, &v);
    return io_write_all(s->out, out.p, out.len, e);
}

static bool answer_all(Stream *s, Arena *a, Request *q, int n, Err *e) {
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        if (q[i].answered) continue;
        ok = q[i].bad ? answer_bad(s, a, &q[i], e) : judge_batch(s, a, q, n, i, e);
    }
    for (int i = 0; i < n; i++)
        if (q[i].id) json_decref(q[i].id);
    return ok;
}

static bool is_blank(Str line) {
    for (size_t i = 0; i < line.len; i++)
        if (!strchr(" \t\r", line.p[i]) || !line.p[i]) return false;
    return true;
}

static bool stream_loop(Stream *s, Reader *r, Err *e) {
    Arena a = {0};
    bool ok = true, over = false;
    while (ok && !over) {
        Request q[STREAM_WAITING];
        int n = 0;
        size_t at = 0;
        bool drained = false;
        while (ok && n < STREAM_WAITING && !drained) {
            Str line;
            LineState state = reader_next(r, &at, &line);
            if (state == LINE_END) {
                over = drained = true;
            } else if (state == LINE_NONE) {
                bool got;
                ok = reader_fill(r, at, n == 0, &got, e);
                at = 0;
                drained = !got;
            } else if (state == LINE_TOO_LONG || !is_blank(line)) {
                parse_line(s, &a, line, state, r->line, &q[n++]);
            }
        }
        ok = ok && answer_all(s, &a, q, n, e);
        memmove(r->buf, r->buf + at, r->len - at);
        r->len -= at;
        arena_reset(&a, (ArenaMark){0});
    }
    arena_free(&a);
    return ok;
}

bool stream_run(Referee *referee, int in, int out, Level level, Err *e) {
    Reader r = {.fd = in, .cap = 1 << 18, .buf = malloc(1 << 18)};
    if (!r.buf) return err_set(e, ERR_LIMIT, "out of memory for the stream");
    Stream *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->referee = referee;
    s->level = level;
    s->out = out;
    bool ok = stream_loop(s, &r, e);
    arena_free(&s->ops);
    free(s);
    free(r.buf);
    return ok;
}
