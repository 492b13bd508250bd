#include "corpus/row.h"

#include "lang/ast.h"
#include "propose/extract.h"

enum { SAID_MAX = 400, MODULE_MAX = 1 << 20 }; // bytes of a name or a licence; of a module

static bool short_text(Arena *a, const Json *j, const char *key, Str *out) {
    Str s = {0};
    if (!json_get_text(j, j->root, key, &s)) return false;
    if (s.len > SAID_MAX)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\" is longer than %d bytes", j->file, key, SAID_MAX);
    if (s.len) *out = str_dup(a, s);
    return true;
}

static bool long_text(Arena *a, const Json *j, const char *key, Str *out) {
    Str s = {0};
    if (!json_get_text(j, j->root, key, &s)) return false;
    if (s.len > MODULE_MAX)
        return err_set(j->e, ERR_LIMIT, "%s: \"%s\" is longer than %d KiB", j->file, key, MODULE_MAX >> 10);
    if (s.p) *out = str_dup(a, s);
    return true;
}

// A text, or a list of texts.
static bool licences(Arena *a, const Json *j, Str *out) {
    const json_t *list = json_object_get(j->root, "licenses");
    if (json_absent(list) || json_is_string(list)) return short_text(a, j, "licenses", out);
    if (!json_is_array(list))
        return err_set(j->e, ERR_INPUT, "%s: \"licenses\": a list belongs here", j->file);
    Buf b = BUF(a);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_string(one) || b.len + json_string_length(one) > SAID_MAX)
            return err_set(j->e, ERR_INPUT, "%s: \"licenses\": short texts belong here", j->file);
        if (b.len) buf_puts(&b, ", ");
        buf_str_put(&b, json_str(one));
    }
    if (b.len) *out = buf_str(&b);
    return true;
}

static bool provenance(Arena *a, const Json *j, Row *out) {
    return short_text(a, j, "op", &out->op) && licences(a, j, &out->licence) &&
           short_text(a, j, "licence", &out->licence) && short_text(a, j, "license", &out->licence) &&
           short_text(a, j, "model", &out->model) && short_text(a, j, "smith", &out->smith) &&
           short_text(a, j, "prompt_sha256", &out->prompt) && short_text(a, j, "repo_name", &out->origin) &&
           short_text(a, j, "repo_link", &out->origin);
}

// The content of the last message of a list.
static bool last_content(const Json *j, const json_t *list, const char *key, Str *out) {
    size_t n = json_array_size(list);
    const json_t *last = json_array_get(list, n - 1);
    if (!n || !json_is_object(last))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": messages belong here", j->file, key);
    Str role = {0};
    if (!json_get_text(j, last, "role", &role) || !json_get_text(j, last, "content", out)) return false;
    if (!str_is(role, "assistant") || !out->p)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": the last message is none of the assistant", j->file,
                       key);
    return true;
}

static bool kernel_in_reply(Arena *a, const Json *j, const char *key, Row *out) {
    const json_t *v = json_object_get(j->root, key);
    Str reply = {0}, source;
    bool ok = json_is_array(v) ? last_content(j, v, key, &reply) : json_get_text(j, j->root, key, &reply);
    if (!ok) return false;
    if (extract_kernel(reply, false, &source) != EXTRACT_KERNEL)
        return err_set(j->e, ERR_INPUT, "%s: \"%s\" holds no kernel", j->file, key);
    out->source = str_dup(a, source);
    return true;
}

static bool read_form(Arena *a, const Json *j, Row *out) {
    if (json_object_get(j->root, "source")) return long_text(a, j, "source", &out->source);
    if (json_object_get(j->root, "triton_code"))
        return long_text(a, j, "pytorch_code", &out->module) &&
               long_text(a, j, "python_code", &out->module) && long_text(a, j, "triton_code", &out->source);
    if (json_object_get(j->root, "completion")) return kernel_in_reply(a, j, "completion", out);
    if (json_object_get(j->root, "messages")) return kernel_in_reply(a, j, "messages", out);
    return err_set(j->e, ERR_INPUT,
                   "%s: neither \"source\", nor \"triton_code\", nor \"completion\", nor \"messages\"",
                   j->file);
}

bool row_read(Arena *a, Str line, Row *out, Err *e) {
    Json j;
    *out = (Row){0};
    bool ok = json_parse("this line", line, &j, e) && provenance(a, &j, out) && read_form(a, &j, out);
    if (ok && !out->source.len) ok = err_set(e, ERR_INPUT, "this line: its kernel is empty");
    if (ok && out->source.len > SOURCE_MAX)
        ok = err_set(e, ERR_LIMIT, "this line: its kernel is longer than %d KiB", SOURCE_MAX >> 10);
    json_close(&j);
    return ok;
}
