#include "propose/distinct.h"

Sha256 program_hash(Str source) {
    Arena scratch = {0};
    DiagList diags = DIAGS(&scratch);
    const Node *module = parse_module(&scratch, source, &diags);
    Buf b = BUF(&scratch);
    if (module) print_canonical(&b, module);
    Sha256 h = sha256_of(module ? buf_str(&b) : source);
    arena_free(&scratch);
    return h;
}

static bool in_word(char c) { return char_is_word(c) || c == '$'; }

static bool is_option(Str word) {
    return str_is(word, "num_warps") || str_is(word, "num_stages") || str_is(word, "num_ctas");
}

// Functions and their parameters keep their spelling in the canonical text, because others refer to them.
typedef struct {
    Str at[128];
    int n;
} Names;

static size_t name_add(Names *out, Str s, size_t i) {
    size_t start = i;
    while (i < s.len && in_word(s.p[i])) i++;
    Str word = {s.p + start, i - start};
    bool known = word.len == 0 || word.p[0] == '$' || out->n == sizeof out->at / sizeof *out->at;
    for (int k = 0; k < out->n; k++) known = known || str_eq(out->at[k], word);
    if (!known) out->at[out->n++] = word;
    return i;
}

static void find_names(Str s, Names *out) {
    for (size_t i = 0; i + 4 < s.len; i++) {
        if (memcmp(s.p + i, "def ", 4) != 0 || (i && in_word(s.p[i - 1]))) continue;
        i = name_add(out, s, i + 4);
        for (int depth = 0; i < s.len; i++) {
            depth += (s.p[i] == '(' || s.p[i] == '[') - (s.p[i] == ')' || s.p[i] == ']');
            if (depth == 0) break;
            if (depth > 1 || (s.p[i] != '(' && s.p[i] != ',')) continue;
            while (i + 1 < s.len && (s.p[i + 1] == ' ' || s.p[i + 1] == '*')) i++;
            i = name_add(out, s, i + 1) - 1;
        }
    }
}

static void put_word(Buf *out, const Names *names, Str word) {
    for (int k = 0; k < names->n; k++)
        if (str_eq(names->at[k], word)) {
            buf_printf(out, "$N%d", k);
            return;
        }
    buf_str_put(out, word);
}

// Behind an argument, on the comma or parenthesis that ends it.
static size_t past_argument(Str s, size_t i) {
    for (int depth = 0; i < s.len; i++) {
        depth += (s.p[i] == '(' || s.p[i] == '[' || s.p[i] == '{') -
                 (s.p[i] == ')' || s.p[i] == ']' || s.p[i] == '}');
        if (depth < 0 || (depth == 0 && s.p[i] == ',')) break;
    }
    return i;
}

static size_t past_string(Str s, size_t i) {
    char quote = s.p[i++];
    for (; i < s.len && s.p[i] != quote; i++) i += s.p[i] == '\\';
    return i + 1;
}

// Numbers and strings become #, `num_warps=...` and its like go away. The text is the printer's.
static void put_structure(Buf *out, Str s) {
    Names names = {.n = 0};
    find_names(s, &names);
    for (size_t i = 0; i < s.len;) {
        size_t start = i;
        if (s.p[i] == '"' || s.p[i] == '\'') {
            buf_putc(out, '#');
            i = past_string(s, i);
            continue;
        }
        bool number = (s.p[i] >= '0' && s.p[i] <= '9') ||
                      (s.p[i] == '.' && i + 1 < s.len && s.p[i + 1] >= '0' && s.p[i + 1] <= '9');
        while (i < s.len && (in_word(s.p[i]) || (number && s.p[i] == '.') ||
                             (number && (s.p[i] == '-' || s.p[i] == '+') && s.p[i - 1] == 'e')))
            i++;
        Str word = {s.p + start, i - start};
        if (number)
            buf_putc(out, '#');
        else if (is_option(word) && i < s.len && s.p[i] == '=')
            i = past_argument(s, i);
        else if (word.len)
            put_word(out, &names, word);
        else
            buf_putc(out, s.p[i++]);
    }
}

bool program_structure(Str source, Sha256 *out) {
    Arena scratch = {0};
    DiagList diags = DIAGS(&scratch);
    const Node *module = parse_module(&scratch, source, &diags);
    Buf canonical = BUF(&scratch), b = BUF(&scratch);
    if (module) print_canonical(&canonical, module);
    put_structure(&b, buf_str(&canonical));
    *out = sha256_of(buf_str(&b));
    arena_free(&scratch);
    return module != NULL;
}

bool seen_before(SeenPrograms *s, Sha256 h) {
    for (int i = 0; i < s->n; i++)
        if (memcmp(&s->at[i], &h, sizeof h) == 0) return true;
    if (s->n == s->cap) {
        s->at = MORE(s->arena, Sha256, s->at, s->n, s->cap * 2 + 16);
        s->cap = s->cap * 2 + 16;
    }
    s->at[s->n++] = h;
    return false;
}

int smith_distinct(Arena *a, Proposal *p, int n) {
    SeenPrograms seen = {.arena = a};
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!seen_before(&seen, program_hash(p[i].source))) p[kept++] = p[i];
    return kept;
}
