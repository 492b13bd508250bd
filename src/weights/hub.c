#include "weights/hub.h"

#include <ctype.h>
#include <stdlib.h>

#include "weights/files.h"
#include "weights/format/mapped.h"
#include "weights/format/shown.h"

typedef struct {
    Str org, name, revision, sub; // revision: "main" unless given; sub.len 0: none
} HubName;

bool hub_names(const char *path) { return strncmp(path, "hf:", 3) == 0; }

// Parts between slashes: letters, digits, '-', '_', '.', and never "." or ".." - they become parts of paths
// and of a command that is shown.
static bool parts_plain(Str s, int most) {
    int parts = 0;
    for (size_t i = 0; i <= s.len; i++) {
        size_t from = i;
        while (i < s.len && s.p[i] != '/') {
            if (!isalnum((unsigned char)s.p[i]) && !strchr("-_.", s.p[i])) return false;
            i++;
        }
        Str part = {s.p + from, i - from};
        if (!part.len || part.len > 200 || str_is(part, ".") || str_is(part, "..") || part.p[0] == '-')
            return false;
        if (++parts > most) return false;
    }
    return true;
}

static bool hub_parse(const char *path, HubName *out) {
    Str rest = str_of(path + 3);
    const char *colon = memchr(rest.p, ':', rest.len);
    *out = (HubName){.revision = STR("main")};
    if (colon) {
        out->sub = (Str){colon + 1, (size_t)(rest.p + rest.len - colon - 1)};
        rest.len = (size_t)(colon - rest.p);
        if (!parts_plain(out->sub, 16)) return false;
    }
    const char *at = memchr(rest.p, '@', rest.len);
    if (at) {
        out->revision = (Str){at + 1, (size_t)(rest.p + rest.len - at - 1)};
        rest.len = (size_t)(at - rest.p);
        if (!parts_plain(out->revision, 4)) return false;
    }
    const char *slash = memchr(rest.p, '/', rest.len);
    if (!slash) return false;
    out->org = (Str){rest.p, (size_t)(slash - rest.p)};
    out->name = (Str){slash + 1, (size_t)(rest.p + rest.len - slash - 1)};
    return parts_plain(out->org, 1) && parts_plain(out->name, 1);
}

const char *hub_instead(Arena *a, const char *path) {
    HubName h;
    const char *name = arena_printf(a, "hf:%s", path);
    bool plain = path[0] != '.' && !str_ends(str_of(path), ".gguf") && hub_parse(name, &h);
    return plain ? arena_printf(a, "; a model of the Hugging Face cache is named %s", name) : "";
}

// HF_HUB_CACHE, HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub
static const char *hub_cache(Arena *a) {
    static const struct {
        const char *variable, *below;
    } places[] = {{"HF_HUB_CACHE", ""},
                  {"HUGGINGFACE_HUB_CACHE", ""},
                  {"HF_HOME", "/hub"},
                  {"XDG_CACHE_HOME", "/huggingface/hub"},
                  {"HOME", "/.cache/huggingface/hub"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *v = getenv(places[i].variable);
        if (!v || !*v) continue;
        // Written between quotes, a shell leaves the ~ to whoever reads it; Hugging Face's programs do.
        const char *home = v[0] == '~' && (!v[1] || v[1] == '/') ? getenv("HOME") : NULL;
        return arena_printf(a, "%s%s%s", home ? home : "", home ? v + 1 : v, places[i].below);
    }
    return ".cache/huggingface/hub";
}

static bool is_commit(Str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!isxdigit((unsigned char)s.p[i])) return false;
    return s.len == 40;
}

static const char *hub_command(Arena *a, const HubName *h) {
    Buf get = BUF(a);
    buf_printf(&get, "hf download %.*s/%.*s", STR_ARG(h->org), STR_ARG(h->name));
    if (h->sub.len && str_ends(h->sub, ".gguf"))
        buf_printf(&get, " %.*s", STR_ARG(h->sub));
    else if (h->sub.len)
        buf_printf(&get, " --include \"%.*s/*\"", STR_ARG(h->sub));
    if (!str_is(h->revision, "main")) buf_printf(&get, " --revision %.*s", STR_ARG(h->revision));
    return buf_cstr(&get);
}

static bool hub_missing(Arena *a, const HubName *h, const char *where, Err *e) {
    return err_set(e, ERR_IO, "%s is not there; get it with: %s", where, hub_command(a, h));
}

static Str part_until(const char **at, const char *end) {
    const char *stop = strstr(*at, end);
    Str s = {*at, stop ? (size_t)(stop - *at) : strlen(*at)};
    *at = stop ? stop + strlen(end) : *at + s.len;
    return s;
}

const char *hub_rest(Arena *a, const char *folder) {
    static const char *const repo = "/models--";
    const char *at = strstr(folder, repo);
    if (!at) return "";
    at += strlen(repo);
    HubName h = {0};
    h.org = part_until(&at, "--");
    h.name = part_until(&at, "/snapshots/");
    h.revision = part_until(&at, "/");
    h.sub = str_of(at);
    while (h.sub.len && h.sub.p[h.sub.len - 1] == '/') h.sub.len--;
    if (!parts_plain(h.org, 1) || !parts_plain(h.name, 1) || !is_commit(h.revision) ||
        (h.sub.len && !parts_plain(h.sub, 16)))
        return "";
    return arena_printf(a, "; get it with: %s", hub_command(a, &h));
}

bool hub_path(Arena *a, const char *path, const char **out, Err *e) {
    HubName h;
    if (!hub_parse(path, &h))
        return err_set(e, ERR_USAGE, "\"%s\": write hf:org/name[@revision][:subfolder]",
                       shown(str_of(path)).at);
    const char *repo =
        arena_printf(a, "%s/models--%.*s--%.*s", hub_cache(a), STR_ARG(h.org), STR_ARG(h.name));
    Str commit = h.revision;
    if (!is_commit(commit)) {
        const char *ref = arena_printf(a, "%s/refs/%.*s", repo, STR_ARG(h.revision));
        if (!file_exists(ref)) return hub_missing(a, &h, ref, e);
        if (!small_read(a, ref, 256, &commit, e)) return false;
        while (commit.len && isspace((unsigned char)commit.p[commit.len - 1])) commit.len--;
        if (!is_commit(commit)) return err_set(e, ERR_INPUT, "%s: no commit (40 hexadecimal digits)", ref);
    }
    const char *at = arena_printf(a, "%s/snapshots/%.*s", repo, STR_ARG(commit));
    if (h.sub.len) at = arena_printf(a, "%s/%.*s", at, STR_ARG(h.sub));
    if (!file_exists(at)) return hub_missing(a, &h, at, e);
    *out = at;
    return true;
}
