#include "train/documents.h"
#include "base/json.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// ---- a line's texts, whatever its form

typedef struct {
    bool chat;
    Str system, prompt, completion, op; // system p NULL: none
} Row;

Str document_prompt(Arena *a, Str op) { return str_of(arena_printf(a, "# op: %.*s\n", STR_ARG(op))); }

static bool row_message(const Json *j, const json_t *m, const char *role, Str *out) {
    Str said = {0};
    *out = (Str){0};
    if (!json_is_object(m)) return err_set(j->e, ERR_INPUT, "\"messages\" holds what is no object");
    if (!json_get_text(j, m, "role", &said) || !json_get_text(j, m, "content", out)) return false;
    if (!str_is(said, role))
        return err_set(j->e, ERR_INPUT, "\"messages\": a message of the %s belongs here", role);
    return out->p || err_set(j->e, ERR_INPUT, "\"messages\": the content of the %s is missing", role);
}

static bool row_chat(const Json *j, const json_t *list, Row *out) {
    size_t n = json_is_array(list) ? json_array_size(list) : 0, at = 0;
    Str first = {0};
    out->chat = true;
    if (n && !json_get_text(j, json_array_get(list, 0), "role", &first)) return false;
    if (str_is(first, "system") && !row_message(j, json_array_get(list, at++), "system", &out->system))
        return false;
    if (n != at + 2)
        return err_set(j->e, ERR_INPUT,
                       "\"messages\" holds %zu messages: one of the user and one of the assistant, "
                       "maybe behind one of the system, are read",
                       n);
    return row_message(j, json_array_get(list, at), "user", &out->prompt) &&
           row_message(j, json_array_get(list, at + 1), "assistant", &out->completion);
}

// The texts live as long as the JSON, or in `a`.
static bool row_read(Arena *a, const Json *j, Row *out) {
    Str source = {0};
    const json_t *messages = json_object_get(j->root, "messages");
    *out = (Row){0};
    if (!json_get_text(j, j->root, "op", &out->op)) return false;
    if (!json_absent(messages)) return row_chat(j, messages, out);
    if (!json_get_text(j, j->root, "prompt", &out->prompt) ||
        !json_get_text(j, j->root, "completion", &out->completion) ||
        !json_get_text(j, j->root, "source", &source))
        return false;
    if (!out->prompt.p && out->op.p && source.p) {
        out->prompt = document_prompt(a, out->op);
        out->completion = source;
    }
    if (!out->prompt.p || !out->completion.p)
        return err_set(j->e, ERR_INPUT,
                       "neither \"prompt\" and \"completion\", nor \"messages\", nor \"op\" and "
                       "\"source\"");
    return true;
}

// ---- as tokens

static int group_of(Arena *a, Documents *d, Str name, Document first) {
    for (int i = 0; i < d->groups; i++)
        if (str_eq(d->group[i].name, name)) return i;
    if (d->groups == d->group_room) {
        d->group_room = 2 * d->group_room + 16;
        d->group = MORE(a, DocumentGroup, d->group, d->groups, d->group_room);
    }
    d->group[d->groups] = (DocumentGroup){str_dup(a, name), first};
    return d->groups++;
}

static bool row_tokens(Arena *a, const DocumentReader *r, const Row *row, Document *out, Err *e) {
    Arena own = {0};
    Tokens prompt = {0}, reply = {0};
    Buf text = BUF(&own);
    if (row->chat && !r->chat)
        return err_set(e, ERR_INPUT,
                       "\"messages\", but the model has no chat format that is known; give it rows of "
                       "prompt and completion");
    if (row->chat) chat_render(r->chat, &(ChatTurn){.system = row->system, .user = row->prompt}, &text);
    bool ok = row->chat ? tokenizer_encode(r->tokenizer, &own, buf_str(&text), ENCODE_SPECIAL, &prompt, e)
                        : tokenizer_encode(r->tokenizer, &own, row->prompt, ENCODE_BEGIN, &prompt, e);
    ok = ok && tokenizer_encode(r->tokenizer, &own, row->completion, 0, &reply, e);
    int64_t count = (int64_t)prompt.count + reply.count + 1;
    if (ok && !prompt.count) ok = err_set(e, ERR_INPUT, "the prompt is empty");
    if (ok && !reply.count) ok = err_set(e, ERR_INPUT, "the completion is empty");
    if (ok && count > r->context)
        ok = err_set(e, ERR_LIMIT, "%lld tokens; documents of at most %d are learned from", (long long)count,
                     r->context);
    if (ok) {
        int32_t *token = NEWN(a, int32_t, (size_t)count);
        memcpy(token, prompt.id, (size_t)prompt.count * sizeof *token);
        memcpy(token + prompt.count, reply.id, (size_t)reply.count * sizeof *token);
        token[count - 1] = r->end;
        *out = (Document){token, (int)count, prompt.count, -1};
    }
    arena_free(&own);
    return ok;
}

bool documents_line(Arena *a, const DocumentReader *r, Str line, Documents *d, Err *e) {
    Arena own = {0};
    Json j;
    Row row;
    Document one;
    if (d->count >= DOCUMENTS_MAX) return err_set(e, ERR_LIMIT, "more than %d documents", DOCUMENTS_MAX);
    bool ok =
        json_parse("this line", line, &j, e) && row_read(&own, &j, &row) && row_tokens(a, r, &row, &one, e);
    if (ok) {
        if (row.op.len) one.group = group_of(a, d, row.op, one);
        if (d->count == d->room) {
            d->room = 2 * d->room + 256;
            d->at = MORE(a, Document, d->at, d->count, d->room);
        }
        d->at[d->count++] = one;
        d->tokens += one.count;
    }
    json_close(&j);
    arena_free(&own);
    return ok;
}

// ---- lines of a file, however long they are

typedef struct {
    int fd;
    const char *path;
    char block[1 << 16];
    size_t at, end;
    bool done;
} Lines;

// The next line; *whole is false where it was longer than is read: the rest of it is skipped.
static bool line_next(Lines *l, Buf *line, bool *whole, bool *any, Err *e) {
    line->len = 0;
    *whole = true;
    *any = false;
    while (!l->done) {
        if (l->at == l->end) {
            ssize_t n = read(l->fd, l->block, sizeof l->block);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return err_set(e, ERR_IO, "%s: %s", l->path, strerror(errno));
            l->at = 0, l->end = (size_t)n, l->done = n == 0;
            continue;
        }
        const char *from = l->block + l->at, *stop = memchr(from, '\n', l->end - l->at);
        size_t n = stop ? (size_t)(stop - from) : l->end - l->at;
        *any = true;
        l->at += n + (stop != NULL);
        if (line->len + n > DOCUMENT_LINE_MAX) *whole = false;
        if (*whole) buf_put(line, from, n);
        if (stop) return true;
    }
    return true;
}

static bool is_blank(Str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!char_is_space(s.p[i])) return false;
    return true;
}

typedef struct {
    bool (*take)(void *arg, Str line, Err *why);
    bool (*bad)(void *reader, int64_t line, const Err *why);
    void *arg, *bad_arg;
    int64_t lines, wrong;
} LineUse;

static bool lines_run(const char *path, LineUse *u, Err *e) {
    Arena own = {0};
    Lines *l = NEW(&own, Lines);
    Buf line = BUF(&own);
    l->path = path;
    l->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool ok = l->fd >= 0 || err_set(e, ERR_IO, "%s: %s", path, strerror(errno)), on = ok, whole, any;
    while (on) {
        Err why = {0};
        ok = line_next(l, &line, &whole, &any, e);
        if (!ok || !any) break;
        u->lines++;
        if (whole && is_blank(buf_str(&line))) continue;
        bool good = whole ? u->take(u->arg, buf_str(&line), &why)
                          : err_set(&why, ERR_LIMIT, "longer than %d MiB", DOCUMENT_LINE_MAX >> 20);
        if (good) continue;
        u->wrong++;
        on = u->bad(u->bad_arg, u->lines, &why);
    }
    if (l->fd > STDIN_FILENO) close(l->fd);
    arena_free(&own);
    return ok;
}

typedef struct {
    Arena *a;
    const DocumentReader *r;
    Documents *d;
} ReadDocuments;
static bool take_document(void *arg, Str line, Err *why) {
    const ReadDocuments *t = arg;
    return documents_line(t->a, t->r, line, t->d, why);
}

bool documents_read(Arena *a, const DocumentReader *r, const char *path, Documents *out, Err *e) {
    ReadDocuments t = {a, r, out};
    LineUse u = {take_document, r->bad, &t, r->arg, 0, 0};
    bool ok = lines_run(path, &u, e);
    out->lines += u.lines;
    out->bad += u.wrong;
    return ok;
}

typedef struct {
    Arena *a;
    const TextReader *r;
} ReadTexts;
static bool take_texts(void *arg, Str line, Err *why) {
    const ReadTexts *t = arg;
    Arena own = {0};
    Json j;
    Row row;
    bool ok = json_parse("this line", line, &j, why) && row_read(&own, &j, &row);
    if (ok) t->r->text(t->r->arg, str_dup(t->a, row.prompt));
    if (ok) t->r->text(t->r->arg, str_dup(t->a, row.completion));
    json_close(&j);
    arena_free(&own);
    return ok;
}

bool documents_texts(Arena *a, const TextReader *r, const char *path, Err *e) {
    ReadTexts t = {a, r};
    LineUse u = {take_texts, r->bad, &t, r->bad_arg, 0, 0};
    return lines_run(path, &u, e);
}
