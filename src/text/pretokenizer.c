#include "text/pretokenizer.h"
#include <assert.h>
#include <utf8proc.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/clock.h"

enum {
    PATTERN_MAX = 2048, // bytes
    DEPTH_MAX = 32,     // of groups
    REPEAT_MAX = 64,    // in {n,m}
    STEPS_MAX = 200000, // of one match, a millisecond or two; and for each byte of the text:
    STEPS_PER_BYTE = 8, // a run of blanks is walked a few times, back and forth
    HEAP_KIB = 4096,    // where there is no JIT
    CLOCK_EVERY = 256,  // matches between two looks at the clock
    STACK_FIRST = 32 << 10,
    STACK_MAX = 1 << 20,
};

struct Split {
    pcre2_code *code[2]; // [0] for any text, [1] for ASCII; the latter may be NULL
    bool jit[2];
};
struct SplitRun {
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    double until; // of clock_worked()
    unsigned matches;
};

// ---- the pattern: checked and rewritten ----

typedef struct {
    Str in;
    size_t at;
    bool ascii;
    Buf *out;
    Arena *arena;
    Err *e;
} Rewriter;

static bool refuse(Rewriter *r, const char *what) {
    return err_set(r->e, ERR_INPUT, "%s at byte %zu is not supported", what, r->at);
}
static int peek(const Rewriter *r, size_t ahead) {
    return r->at + ahead < r->in.len ? (uint8_t)r->in.p[r->at + ahead] : -1;
}

static const struct {
    char name[2];
    uint32_t from, to;
} NEWER[] = {
#define NEWER(name, from, to) {#name, from, to},
#include "text/newer.def"
#undef NEWER
};

// What is white space to Oniguruma: PCRE2's \s takes U+180E, too.
#define SPACES                                                                                               \
    "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{" \
    "3000}"
#define SPACES_ASCII "\\x09-\\x0d\\x20"
// Stands in classes of the ASCII pattern, so that none is empty; no such byte is in the text.
#define NOTHING_ASCII "\\xff"

static char category_of(int c) { return *utf8proc_category_string(c); }

// The members of a category, as the inside of a class.
static void put_category(Rewriter *r, char name) {
    if (!r->ascii) {
        buf_printf(r->out, "\\p{%c}", name);
        for (size_t i = 0; i < sizeof NEWER / sizeof *NEWER; i++)
            if (NEWER[i].name[0] == name) buf_printf(r->out, "\\x{%x}-\\x{%x}", NEWER[i].from, NEWER[i].to);
        return;
    }
    buf_puts(r->out, NOTHING_ASCII);
    for (int c = 0; c < 128; c++) {
        if (category_of(c) != name) continue;
        int from = c;
        while (c < 127 && category_of(c + 1) == name) c++;
        buf_printf(r->out, "\\x%02x-\\x%02x", from, c);
    }
}

// \p{L} and its like; at the p.
static bool read_category(Rewriter *r, char *name) {
    if (peek(r, 1) != '{' || peek(r, 3) != '}' || peek(r, 2) <= 0 || !strchr("LMNPS", peek(r, 2)))
        return refuse(r, "a property other than \\p{L}, \\p{M}, \\p{N}, \\p{P} and \\p{S}");
    *name = (char)peek(r, 2);
    r->at += 4;
    return true;
}

static void put_literal(Rewriter *r, int c) {
    if (c < 0x80 && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9'))
        buf_printf(r->out, "\\x%02x", (unsigned)c);
    else
        buf_putc(r->out, (char)c);
}

static bool is_word(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A backslash and what follows that stands for one character; *c < 0: it is none of these.
static void read_escaped(Rewriter *r, int *c) {
    int next = peek(r, 1);
    *c = next == 'r' ? '\r' : next == 'n' ? '\n' : next == 't' ? '\t' : -1;
    if (*c < 0 && next >= '!' && next <= '~' && !is_word(next)) *c = next;
    if (*c >= 0) r->at += 2;
}

static bool put_class(Rewriter *r) {
    buf_putc(r->out, '[');
    r->at++;
    bool negated = peek(r, 0) == '^';
    r->at += negated;
    if (negated) buf_putc(r->out, '^');
    if (peek(r, 0) == ']') return refuse(r, "an empty class");
    if (r->ascii) buf_puts(r->out, NOTHING_ASCII);
    int low = -1; // a character that may begin a range
    bool range = false;
    for (;;) {
        int c = peek(r, 0);
        if (c < 0) return refuse(r, "a class without an end");
        if (c == ']') break;
        if (c == '[' || c >= 0x80 || c < ' ' || (c == '&' && peek(r, 1) == '&'))
            return refuse(r, "a class with this character");
        if (c == '-') {
            r->at++;
            if (low < 0 || range || peek(r, 0) == ']') return refuse(r, "a hyphen here");
            range = true;
            continue;
        }
        if (c == '\\') {
            if (peek(r, 1) == 's' || peek(r, 1) == 'p') {
                if (range) return refuse(r, "a range to a class");
                char name = 0;
                r->at++;
                if (peek(r, 0) == 'p' && !read_category(r, &name)) return false;
                if (name)
                    put_category(r, name);
                else
                    buf_puts(r->out, r->ascii ? SPACES_ASCII : SPACES), r->at++;
                low = -1;
                continue;
            }
            read_escaped(r, &c);
            if (c < 0) return refuse(r, "this escape in a class");
        } else {
            r->at++;
        }
        if (range && c < low) return refuse(r, "a range that runs backwards");
        if (range) buf_putc(r->out, '-');
        put_literal(r, c);
        low = range ? -1 : c;
        range = false;
    }
    buf_putc(r->out, ']');
    r->at++;
    return true;
}

// {n}, {n,} or {n,m}.
static bool put_counts(Rewriter *r) {
    size_t n = 1;
    unsigned count[2] = {0, 0};
    bool comma = false, some[2] = {false, false};
    for (;; n++) {
        int c = peek(r, n);
        if (c >= '0' && c <= '9') {
            count[comma] = count[comma] * 10 + (unsigned)(c - '0');
            some[comma] = true;
            if (count[comma] > REPEAT_MAX) return refuse(r, "so large a count");
        } else if (c == ',' && !comma) {
            comma = true;
        } else {
            break;
        }
    }
    if (peek(r, n) != '}' || !some[0] || (some[1] && count[1] < count[0])) return refuse(r, "this brace");
    if (peek(r, n + 1) == '?' || peek(r, n + 1) == '+') return refuse(r, "a mark behind a count");
    buf_put(r->out, r->in.p + r->at, n + 1);
    r->at += n + 1;
    return true;
}

// Letters of a caseless group: only what folds to single letters in every alphabet.
static bool put_caseless(Rewriter *r) {
    static const char *const several[] = {"ss", "ff", "fi", "fl", "st"}; // each equals one character, too
    for (; peek(r, 0) != ')'; r->at++) {
        int c = peek(r, 0), next = peek(r, 1);
        if (c != '\'' && c != '|' && !is_word(c)) return refuse(r, "this in a group without case");
        for (size_t i = 0; i < sizeof several / sizeof *several; i++)
            if ((c | 32) == several[i][0] && (next | 32) == several[i][1])
                return refuse(r, "these letters in a group without case");
        buf_putc(r->out, (char)c);
    }
    return true;
}

typedef struct {
    bool look[DEPTH_MAX]; // the group is a look-ahead
    int depth;
    bool item; // something that can be repeated stands before
} Groups;

static bool put_group(Rewriter *r, Groups *g) {
    static const struct {
        const char *text;
        bool look;
    } kinds[] = {{"(?:", false}, {"(?!", true}, {"(?=", true}, {"(?i:", false}};
    if (g->depth == DEPTH_MAX) return refuse(r, "deeper nesting");
    Str rest = {r->in.p + r->at, r->in.len - r->at};
    size_t kind = 0, length = 1;
    g->look[g->depth] = false;
    if (peek(r, 1) == '?') {
        while (kind < 4 && !str_starts(rest, kinds[kind].text)) kind++;
        if (kind == 4) return refuse(r, "a group of this kind");
        length = strlen(kinds[kind].text);
        g->look[g->depth] = kinds[kind].look;
    }
    buf_puts(r->out, kinds[kind].text); // what a group captures is of no use
    g->depth++;
    g->item = false;
    r->at += length;
    return kind != 3 || put_caseless(r);
}

static bool put_item(Rewriter *r, Groups *g) {
    int c = peek(r, 0);
    switch (c) {
    case '(': return put_group(r, g);
    case ')':
        if (!g->depth) return refuse(r, "a parenthesis that closes nothing");
        buf_putc(r->out, ')');
        r->at++;
        g->item = !g->look[--g->depth];
        return true;
    case '|':
        buf_putc(r->out, '|');
        r->at++;
        g->item = false;
        return true;
    case '?':
    case '*':
    case '+':
        if (!g->item) return refuse(r, "a repetition of nothing");
        g->item = false;
        buf_putc(r->out, (char)c);
        r->at++;
        if (peek(r, 0) != '?' && peek(r, 0) != '+') return true;
        buf_putc(r->out, (char)peek(r, 0)); // lazy, or possessive
        r->at++;
        return true;
    case '{':
        if (!g->item) return refuse(r, "a repetition of nothing");
        g->item = false;
        return put_counts(r);
    case '[': g->item = true; return put_class(r);
    case '^':
    case '$':
    case ']':
    case '}': return refuse(r, "this character");
    case '.':
        buf_putc(r->out, '.');
        r->at++;
        g->item = true;
        return true;
    default: break;
    }
    g->item = true;
    if (c != '\\') {
        if (c >= 0x80 || c < ' ') return refuse(r, "this character");
        put_literal(r, c);
        r->at++;
        return true;
    }
    int kind = peek(r, 1);
    if (kind == 's' || kind == 'S') {
        buf_puts(r->out, kind == 's' ? "[" : "[^");
        buf_puts(r->out, r->ascii ? SPACES_ASCII : SPACES);
        buf_putc(r->out, ']');
        r->at += 2;
        return true;
    }
    if (kind == 'p' || kind == 'P') {
        char name;
        r->at++;
        if (!read_category(r, &name)) return false;
        buf_puts(r->out, kind == 'p' ? "[" : "[^");
        put_category(r, name);
        buf_putc(r->out, ']');
        return true;
    }
    read_escaped(r, &c);
    if (c < 0) return refuse(r, "this escape");
    put_literal(r, c);
    return true;
}

bool split_translate(Arena *a, Str pattern, bool ascii, Buf *out, Err *e) {
    Rewriter r = {.in = pattern, .ascii = ascii, .out = out, .arena = a, .e = e};
    Groups g = {0};
    if (pattern.len > PATTERN_MAX)
        return err_set(e, ERR_LIMIT, "%zu bytes long, at most %d are supported", pattern.len, PATTERN_MAX);
    while (r.at < pattern.len)
        if (!put_item(&r, &g)) return false;
    if (g.depth) return refuse(&r, "a group without an end");
    return true;
}

// ---- compiling and matching ----

bool split_open(Arena *a, Str pattern, Split **out, Err *e) {
    Split *s = NEW(a, Split);
    Arena scratch = {0};
    bool ok = true;
    for (int ascii = 0; ok && ascii < 2; ascii++) {
        Buf text = BUF(&scratch);
        int number;
        PCRE2_SIZE where;
        ok = split_translate(&scratch, pattern, ascii, &text, e);
        if (!ok) break;
        uint32_t options = PCRE2_NEVER_BACKSLASH_C | (ascii ? 0 : PCRE2_UTF | PCRE2_UCP);
        s->code[ascii] = pcre2_compile((PCRE2_SPTR)text.p, text.len, options, &number, &where, NULL);
        if (s->code[ascii]) {
            s->jit[ascii] = pcre2_jit_compile(s->code[ascii], PCRE2_JIT_COMPLETE) == 0;
        } else {
            char why[160] = "";
            pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
            ok = err_set(e, ERR_INPUT, "%s", why);
        }
    }
    arena_free(&scratch);
    if (!ok) split_close(s);
    *out = ok ? s : NULL;
    return ok;
}

void split_close(Split *s) {
    for (int i = 0; s && i < 2; i++) pcre2_code_free(s->code[i]);
}

void split_interpret(Split *s) { s->jit[0] = s->jit[1] = false; }

bool split_start(Arena *a, double seconds, SplitRun **out, Err *e) {
    SplitRun *r = NEW(a, SplitRun);
    *out = r;
    r->until = clock_worked() + seconds;
    r->data = pcre2_match_data_create(1, NULL);
    r->context = pcre2_match_context_create(NULL);
    r->stack = pcre2_jit_stack_create(STACK_FIRST, STACK_MAX, NULL); // NULL without JIT: then it is not used
    if (!r->data || !r->context) {
        split_stop(r);
        return err_set(e, ERR_LIMIT, "no memory for matching");
    }
    pcre2_set_heap_limit(r->context, HEAP_KIB);
    if (r->stack) pcre2_jit_stack_assign(r->context, NULL, r->stack);
    return true;
}

void split_stop(SplitRun *r) {
    pcre2_match_data_free(r->data);
    pcre2_match_context_free(r->context);
    pcre2_jit_stack_free(r->stack);
}

bool split_next(const Split *s, SplitRun *r, SplitText t, size_t from, SplitMatch *out, Err *e) {
    Str text = t.text;
    const pcre2_code *code = s->code[t.ascii];
    if (++r->matches % CLOCK_EVERY == 0 && clock_worked() > r->until)
        return err_set(e, ERR_LIMIT,
                       "the pattern of the pre-tokenizer takes too long; it has come to byte %zu", from);
    pcre2_set_match_limit(r->context, STEPS_MAX + STEPS_PER_BYTE * (uint32_t)text.len);
    int got =
        s->jit[t.ascii]
            ? pcre2_jit_match(code, (PCRE2_SPTR)text.p, text.len, from, 0, r->data, r->context)
            : pcre2_match(code, (PCRE2_SPTR)text.p, text.len, from, PCRE2_NO_UTF_CHECK, r->data, r->context);
    *out = (SplitMatch){text.len, text.len};
    if (got == PCRE2_ERROR_NOMATCH) return true;
    if (got < 0) {
        char why[160] = "";
        pcre2_get_error_message(got, (PCRE2_UCHAR *)why, sizeof why);
        return err_set(e, ERR_LIMIT, "the pattern of the pre-tokenizer fails at byte %zu: %s", from, why);
    }
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(r->data);
    *out = (SplitMatch){at[0], at[1]};
    if (at[1] <= at[0])
        return err_set(e, ERR_INPUT, "the pattern of the pre-tokenizer matches nothing at byte %zu", at[0]);
    return true;
}
