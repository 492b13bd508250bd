#include "base/json.h"

#include <stdlib.h>

bool json_parse(const char *name, Str text, Json *out, Err *e) {
    json_error_t why;
    *out = (Json){.file = name, .e = e};
    out->root = json_loadb(text.p ? text.p : "", text.len, JSON_REJECT_DUPLICATES, &why);
    for (char *p = why.text; !out->root && *p;
         p++) // it may quote the file, whose bytes are not for a terminal
        if (*p < ' ' || *p > '~') *p = '?';
    if (!out->root)
        return err_set(e, ERR_INPUT, "%s: line %d, column %d: %s", name, why.line, why.column, why.text);
    if (!json_is_object(out->root)) return err_set(e, ERR_INPUT, "%s: a JSON object belongs here", name);
    return true;
}

void json_close(Json *j) {
    json_decref(j->root); // NULL is fine
    j->root = NULL;
}

Str json_str(const json_t *text) { return (Str){json_string_value(text), json_string_length(text)}; }

json_t *json_quoted(Str text) {
    if (utf8_valid(text)) return json_stringn(text.p ? text.p : "", text.len);
    Arena a = {0};
    Buf b = BUF(&a);
    for (;;) {
        size_t good = utf8_prefix(text);
        buf_put(&b, text.p, good);
        if (good == text.len) break;
        utf8_put(&b, 0xfffd);
        text = (Str){text.p + good + 1, text.len - good - 1};
    }
    json_t *o = json_stringn(b.p, b.len);
    arena_free(&a);
    return o;
}

bool json_get_int(const Json *j, const json_t *o, const char *key, int64_t min, int64_t max, int64_t *out) {
    const json_t *v = json_object_get(o, key);
    if (json_absent(v)) return true;
    if (!json_is_integer(v))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": a whole number belongs here", j->file, key);
    long long n = json_integer_value(v);
    if (n < min || n > max)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\" is %lld; from %lld to %lld can be", j->file, key, n,
                       (long long)min, (long long)max);
    *out = n;
    return true;
}

bool json_get_real(const Json *j, const json_t *o, const char *key, double *out) {
    const json_t *v = json_object_get(o, key);
    if (json_absent(v)) return true;
    if (!json_is_number(v))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": a number belongs here", j->file, key);
    *out = json_number_value(v);
    return true;
}

bool json_get_bool(const Json *j, const json_t *o, const char *key, bool *out) {
    const json_t *v = json_object_get(o, key);
    if (json_absent(v)) return true;
    if (!json_is_boolean(v))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": true or false belongs here", j->file, key);
    *out = json_is_true(v);
    return true;
}

bool json_get_text(const Json *j, const json_t *o, const char *key, Str *out) {
    const json_t *v = json_object_get(o, key);
    if (json_absent(v)) return true;
    if (!json_is_string(v)) return err_set(j->e, ERR_INPUT, "%s: \"%s\": a text belongs here", j->file, key);
    *out = json_str(v);
    return true;
}

bool json_is_nothing(const json_t *value) {
    if (json_absent(value) || json_is_false(value)) return true;
    if (json_is_number(value)) return json_number_value(value) == 0;
    if (json_is_string(value)) return json_string_length(value) == 0;
    if (json_is_array(value)) return json_array_size(value) == 0;
    return json_is_object(value) && json_object_size(value) == 0;
}

// U+2028 and U+2029 end a line for JavaScript and for some readers of lines, though JSON lets them stand.
static void put_escaped(Buf *out, const char *text) {
    for (const char *at; (at = strstr(text, "\xe2\x80")); text = at + 3) {
        bool separates = ((unsigned char)at[2] & 0xfe) == 0xa8;
        buf_put(out, text, (size_t)(at - text) + (separates ? 0 : 3));
        if (separates) buf_puts(out, at[2] & 1 ? "\\u2029" : "\\u2028");
    }
    buf_puts(out, text);
}

bool json_put_precise(Buf *out, json_t *o, int digits) {
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(digits) | JSON_ENCODE_ANY) : NULL;
    json_decref(o);
    if (text) put_escaped(out, text);
    free(text);
    return text;
}

void json_put(Buf *out, json_t *o) {
    enum { DIGITS = 6 };
    if (!json_put_precise(out, o, DIGITS)) buf_puts(out, "null");
}
