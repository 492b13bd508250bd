#include "propose/extract.h"

static const size_t absent = (size_t)-1;

static size_t find(Str s, size_t from, const char *what) {
    if (from > s.len) return absent;
    const char *at = memmem(s.p + from, s.len - from, what, strlen(what));
    return at ? (size_t)(at - s.p) : absent;
}

static Str behind(Str s, size_t at) { return (Str){s.p + at, s.len - at}; }

static Str skip_space(Str s) {
    size_t i = 0;
    while (i < s.len && char_is_space(s.p[i])) i++;
    return behind(s, i);
}

Str extract_answer(Str reply) {
    if (!reply.len) return reply;
    size_t open = find(reply, 0, "<think>"), close = find(reply, 0, "</think>");
    bool leads = str_starts(skip_space(reply), "<think>");
    if (close == absent) return leads ? (Str){reply.p, 0} : reply;
    if (open < close && !leads) return reply; // somebody else's words
    return behind(reply, close + strlen("</think>"));
}

static bool in_tag(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_+.-", c);
}

// What stands on the line of the fence names a language when it is one word and alone; "python" goes even
// when code follows on the same line.
static Str skip_tag(Str s) {
    size_t word = 0;
    while (word < s.len && s.p[word] && in_tag(s.p[word])) word++;
    size_t end = word;
    while (end < s.len && (s.p[end] == ' ' || s.p[end] == '\t' || s.p[end] == '\r')) end++;
    if (end < s.len && s.p[end] == '\n') return behind(s, end);
    return str_starts(s, "python") ? behind(s, strlen("python")) : s;
}

static bool fenced(Str s, Str *out) {
    size_t open = s.len ? find(s, 0, "```") : absent;
    if (open == absent) return false;
    size_t close = find(s, open + 3, "```");
    if (close == absent) return false;
    *out = skip_space(skip_tag((Str){s.p + open + 3, close - open - 3}));
    return true;
}

// Code without a fence before it; one behind it may close what the prompt opened.
static bool bare(Str s, bool cut, Str *out) {
    static const char *const beginnings[] = {"@triton", "import ", "def run", "def _"};
    size_t first = absent;
    for (size_t i = 0; s.len && i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t at = find(s, 0, beginnings[i]);
        if (at < first) first = at;
    }
    if (first == absent) return false;
    size_t close = find(s, first, "```");
    if (cut && close == absent) return false;
    *out = (Str){s.p + first, (close == absent ? s.len : close) - first};
    return true;
}

Extraction extract_kernel(Str reply, bool cut, Str *source) {
    Str answer = extract_answer(reply), code = {0};
    *source = (Str){reply.p, 0};
    if (!fenced(answer, &code) && !bare(answer, cut, &code)) return cut ? EXTRACT_TRUNCATED : EXTRACT_NONE;
    if (!code.len || find(code, 0, "def ") == absent) return cut ? EXTRACT_TRUNCATED : EXTRACT_NONE;
    *source = code;
    return EXTRACT_KERNEL;
}
