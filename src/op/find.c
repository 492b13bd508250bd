// find.c - from what a person typed to an op. Plain words are cut into known phrases (ops, parts of chains,
// order words, filler); a description counts only if every word is understood, so that "... backward" or "...
// without weight" lists the nearest ops instead of quietly naming another one.
#include "base/io.h"
#include "base/suggest.h"
#include "op/suite.h"
#include <assert.h>

enum { TEXT_MAX = 200, WORDS_MAX = 32, PHRASES_MAX = 4096, PHRASE_WORDS = 10, NEAREST = 5 };

// ---- names ----

static const struct {
    const char *name, *words;
    int64_t m, n;
} variants[] = {
#define VARIANT(name, m, n, words) {#name, words, m, n},
#include "op/variant.def"
#undef VARIANT
};
enum { VARIANTS = sizeof variants / sizeof *variants };

bool op_variant(int i, Str *name, Str *words) {
    if (i < 0 || i >= VARIANTS) return false;
    *name = str_of(variants[i].name);
    *words = str_of(variants[i].words);
    return true;
}

const Str *op_names(Arena *a, int *count) {
    const ChainPart *norm, *epilogue;
    int norms = chain_norms(&norm), epilogues = chain_epilogues(&epilogue), n = 0, at = 0;
    Str *all = NEWN(a, Str, SUITE_MAX + 1);
    Definition d;
    while (suite_next(&at, &d) && !d.user) all[n++] = d.name;
    for (int form = 0; form < 2 * norms; form++) {
        for (int e = -1; e < epilogues; e++) {
            Buf b = BUF(a);
            chain_bare_name(&b, form >= norms, form % norms);
            if (e >= 0) buf_printf(&b, "_%s", epilogue[e].name);
            assert(n < SUITE_MAX);
            all[n++] = buf_str(&b);
        }
    }
    for (at = 0; suite_next(&at, &d);)
        if (d.user && n < SUITE_MAX) all[n++] = d.name;
    *count = n;
    return all;
}

static bool find_plain(Arena *a, Str name, Op *out) {
    Definition def;
    if (name.len > OP_NAME_MAX) return false;
    if (!suite_find(name, &def)) {
        def = (Definition){0};
        if (!chain_source(a, name, &def.source)) return false;
    }
    DiagList d = DIAGS(a);
    // A definition of the suite that does not read is our mistake; an added one was read when it was added.
    bool defined = op_define(a, str_dup(a, name), def.source, def.user, out, &d);
    assert(defined);
    return defined;
}

bool op_find(Arena *a, Str name, Op *out) {
    if (find_plain(a, name, out)) return true;
    for (int i = 0; i < VARIANTS; i++) {
        size_t n = strlen(variants[i].name) + 1;
        if (!str_ends(name, variants[i].name) || name.len <= n || name.p[name.len - n] != '_') continue;
        if (!find_plain(a, (Str){name.p, name.len - n}, out) || out->rows_dim < 0) return false;
        out->name = str_dup(a, name);
        out->variant = str_of(variants[i].name);
        out->dim[out->rows_dim].usual = variants[i].m;
        out->dim[out->row_dim].usual = variants[i].n;
        return true;
    }
    return false;
}

void op_usual_shape(const Op *op, int64_t *m, int64_t *n) {
    *m = op->rows_dim >= 0 ? op->dim[op->rows_dim].usual : 0;
    *n = op->row_dim >= 0 ? op->dim[op->row_dim].usual : 0;
}

void op_sizes_fit(const Op *op, int64_t size[OP_DIMS_MAX]) {
    for (int i = 0; i < op->dims; i++)
        if (op->dim[i].of >= 0) size[i] = size[op->dim[i].of] / op->dim[i].divisor;
}

// ---- phrases ----

typedef enum { IS_FILLER, IS_THEN, IS_OF, IS_RESIDUAL, IS_NORM, IS_EPILOGUE, IS_OP, IS_UNKNOWN } Means;
typedef struct {
    Means means;
    int index; // of the norm, epilogue or op
} Meaning;
typedef struct {
    Str word[PHRASE_WORDS];
    int words;
    Meaning meaning;
} Phrase;
typedef struct {
    Arena *arena;
    Phrase phrase[PHRASES_MAX];
    int phrases;
    Str op[SUITE_MAX]; // of IS_OP
    int ops;
} Lexicon;

static const char filler[] = "a|an|the|and|with|on|in|for|to|by|its|it|over|along|across|per|each|every|into|"
                             "fused|fuse|op|operator|operation|"
                             "kernel|triton|function|layer|activation|loss|one|x|input|inputs|tensor|row|"
                             "rows|row wise|rowwise|last|dim|"
                             "dimension|axis|last dimension|last dim|last "
                             "axis|please|make|give|me|want|i|need|using|use|apply|applied|"
                             "compute|computes|fast|efficient|gpu|which|that|is|are";
static const char then_words[] = "then|and then|followed by|before|afterwards|next|finally|later";
static const char of_words[] = "of|after|following|on top of";

// Lower-case words of letters and digits. A "(" glued to a word reads as "of": tanh(norm(x)). "+" reads as
// "plus".
static int split_words(Arena *a, Str text, Str *word, int max) {
    int n = 0;
    for (size_t i = 0; i < text.len;) {
        unsigned char c = (unsigned char)text.p[i];
        bool glued = i > 0 && text.p[i - 1] != ' ';
        if ((c == '(' && glued) || c == '+') {
            if (n == max) return -1;
            word[n++] = c == '+' ? STR("plus") : STR("of");
            i++;
            continue;
        }
        Buf b = BUF(a);
        for (; i < text.len; i++) {
            c = (unsigned char)text.p[i];
            bool upper = c >= 'A' && c <= 'Z';
            if (!(upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80)) break;
            buf_putc(&b, (char)(upper ? c + 32 : c));
        }
        if (!b.len) {
            i++;
            continue;
        }
        if (n == max) return -1;
        word[n++] = buf_str(&b);
    }
    return n;
}

static void add_phrases(Lexicon *x, Str phrases, char separator, Means means, int index) {
    Str one;
    while (str_piece(&phrases, separator, &one)) {
        if (x->phrases == PHRASES_MAX) return; // words of added definitions are anybody's
        Phrase *p = &x->phrase[x->phrases];
        *p = (Phrase){.meaning = {means, index}};
        p->words = split_words(x->arena, one, p->word, PHRASE_WORDS);
        if (p->words > 0) x->phrases++;
    }
}

static void add_part(Lexicon *x, const ChainPart *part, Means means, int index) {
    add_phrases(x, str_of(part->name), '|', means, index);
    add_phrases(x, str_of(part->words), '|', means, index);
}

static Lexicon *lexicon(Arena *a) {
    Lexicon *x = NEW(a, Lexicon);
    x->arena = a;
    add_phrases(x, str_of(filler), '|', IS_FILLER, 0);
    add_phrases(x, str_of(then_words), '|', IS_THEN, 0);
    add_phrases(x, str_of(of_words), '|', IS_OF, 0);
    const ChainPart *norm, *epilogue;
    int norms = chain_norms(&norm), epilogues = chain_epilogues(&epilogue);
    for (int i = 0; i < norms; i++) add_part(x, &norm[i], IS_NORM, i);
    for (int i = 0; i < epilogues; i++) add_part(x, &epilogue[i], IS_EPILOGUE, i);
    add_part(x, chain_residual(), IS_RESIDUAL, 0);
    Definition d;
    for (int at = 0; x->ops < SUITE_MAX && suite_next(&at, &d);) {
        add_phrases(x, d.name, '|', IS_OP, x->ops);
        add_phrases(x, source_header(d.source, "words"), '|', IS_OP, x->ops);
        x->op[x->ops++] = d.name;
    }
    return x;
}

static bool phrase_is_at(const Phrase *p, const Str *word, int left) {
    if (p->words > left) return false;
    for (int i = 0; i < p->words; i++)
        if (!str_eq(p->word[i], word[i])) return false;
    return true;
}

// The longest phrase that starts here; the first of equals.
static Meaning meaning_at(const Lexicon *x, const Str *word, int left, int *words) {
    const Phrase *best = NULL;
    for (int i = 0; i < x->phrases; i++) {
        const Phrase *p = &x->phrase[i];
        if ((!best || p->words > best->words) && phrase_is_at(p, word, left)) best = p;
    }
    *words = best ? best->words : 1;
    return best ? best->meaning : (Meaning){IS_UNKNOWN, 0};
}

// ---- descriptions ----

// What has been understood of a description, left to right. `link` is the last order word since the last
// part.
typedef struct {
    int op, norm;          // -1: none yet
    bool residual, broken; // broken: says something that no op of ours does, or can be read in two ways
    int before[OP_EPILOGUES_MAX], befores, after[OP_EPILOGUES_MAX], afters;
    int then_links, of_links; // between epilogues that stand before the norm
    Means link;
} Reading;

static void read_epilogue(Reading *s, int index) {
    bool past = s->norm >= 0;
    int *list = past ? s->after : s->before, *n = past ? &s->afters : &s->befores;
    if (*n == OP_EPILOGUES_MAX || (past && s->link == IS_OF)) { // "norm of tanh" applies tanh first
        s->broken = true;
        return;
    }
    if (!past && *n) {
        if (s->link == IS_OF)
            s->of_links++;
        else
            s->then_links++;
    }
    list[(*n)++] = index;
}

static void read_part(Reading *s, Meaning m) {
    switch (m.means) {
    case IS_FILLER: return;
    case IS_THEN:
    case IS_OF: s->link = m.means; return;
    case IS_UNKNOWN: s->broken = true; return;
    case IS_OP:
        if (s->op >= 0 && s->op != m.index) s->broken = true;
        s->op = m.index;
        break;
    case IS_RESIDUAL: // only a sum before the norm is in the grammar
        if (s->norm >= 0 && s->link == IS_THEN) s->broken = true;
        s->residual = true;
        break;
    case IS_NORM:
        if (s->norm >= 0) s->broken = true;
        if (s->befores && s->link != IS_OF) s->broken = true; // "tanh then norm" is not tanh of the norm
        if (s->residual && !s->befores && s->link == IS_OF) s->broken = true; // "residual add after the norm"
        s->norm = m.index;
        break;
    case IS_EPILOGUE: read_epilogue(s, m.index); break;
    }
    s->link = IS_FILLER;
}

static bool chain_name(const Reading *s, Buf *name) {
    if ((s->of_links && s->then_links) || s->befores + s->afters > OP_EPILOGUES_MAX) return false;
    const ChainPart *epilogue;
    chain_epilogues(&epilogue);
    if (s->norm < 0) { // an epilogue on its own: an op where the suite has one of that name
        Definition d;
        if (s->residual || s->befores != 1 || !suite_find(str_of(epilogue[s->before[0]].name), &d))
            return false;
        buf_str_put(name, d.name);
        return true;
    }
    chain_bare_name(name, s->residual, s->norm);
    for (int i = 0; i < s->befores; i++) // "tanh of relu of norm" applies the last one first
        buf_printf(name, "_%s", epilogue[s->before[s->of_links ? s->befores - 1 - i : i]].name);
    for (int i = 0; i < s->afters; i++) buf_printf(name, "_%s", epilogue[s->after[i]].name);
    return true;
}

static bool is_step(Means m) { return m == IS_NORM || m == IS_EPILOGUE; }

static Means next_means(const Lexicon *x, const Str *word, int words) {
    Meaning m = {IS_FILLER, 0};
    for (int i = 0, used; i < words && m.means == IS_FILLER; i += used)
        m = meaning_at(x, word + i, words - i, &used);
    return m.means;
}

// A plus sign between two steps, where no word names a further input, is "and then".
static bool joins_steps(const Lexicon *x, Means before, const Str *word, int words, int used) {
    return used == 1 && str_is(word[0], "plus") && is_step(before) &&
           is_step(next_means(x, word + 1, words - 1));
}

static bool description_name(const Lexicon *x, const Str *word, int words, Buf *name) {
    Reading s = {.op = -1, .norm = -1, .link = IS_FILLER};
    Means before = IS_FILLER;
    for (int i = 0, used; i < words; i += used) {
        Meaning m = meaning_at(x, word + i, words - i, &used);
        if (joins_steps(x, before, word + i, words - i, used)) m.means = IS_THEN;
        read_part(&s, m);
        if (m.means != IS_FILLER) before = m.means;
    }
    if (s.broken) return false;
    if (s.op < 0) return chain_name(&s, name);
    if (s.norm >= 0 || s.residual || s.befores || s.afters) return false;
    buf_str_put(name, x->op[s.op]);
    return true;
}

// ---- nearest ----

static bool word_is_near(Str a, Str b) {
    int slips = a.len >= 8 ? 2 : a.len >= 4 ? 1 : 0;
    return str_eq(a, b) || (slips && edit_distance(a, b) <= slips);
}

// How many of the typed words that mean something occur among an op's phrases, and how many of its name's
// parts were typed.
typedef struct {
    int score, distance;
    Str name;
} Near;

static bool word_fits(const Lexicon *x, Str word, Means means, int index) {
    for (int i = 0; i < x->phrases; i++) {
        const Phrase *p = &x->phrase[i];
        if (p->meaning.means != means || p->meaning.index != index) continue;
        for (int k = 0; k < p->words; k++)
            if (word_is_near(word, p->word[k])) return true;
    }
    return false;
}

static bool word_is_filler(const Lexicon *x, Str word) {
    for (int i = 0; i < x->phrases; i++) {
        const Phrase *p = &x->phrase[i];
        if (p->meaning.means <= IS_OF && p->words == 1 && str_eq(p->word[0], word)) return true;
    }
    return false;
}

static bool word_in_name(Str name, Str word) {
    Str piece;
    while (str_piece(&name, '_', &piece))
        if (word_is_near(word, piece)) return true;
    return false;
}

static int parts_of(const Lexicon *x, Str name, Meaning out[2 + OP_EPILOGUES_MAX]) {
    for (int i = 0; i < x->ops; i++) {
        if (!str_eq(x->op[i], name)) continue;
        out[0] = (Meaning){IS_OP, i};
        return 1;
    }
    Chain c;
    int n = 0;
    if (!chain_parse(name, &c)) return 0;
    if (c.residual) out[n++] = (Meaning){IS_RESIDUAL, 0};
    out[n++] = (Meaning){IS_NORM, c.norm};
    for (int i = 0; i < c.epilogues; i++) out[n++] = (Meaning){IS_EPILOGUE, c.epilogue[i]};
    return n;
}

static Near near_of(const Lexicon *x, Str name, Str typed, const Str *word, int words) {
    Meaning part[2 + OP_EPILOGUES_MAX];
    int parts = parts_of(x, name, part), hits = 0, missed = 0;
    for (int k = 0; k < parts; k++) {
        bool typed_it = false;
        for (int i = 0; i < words && !typed_it; i++)
            typed_it = !word_is_filler(x, word[i]) && word_fits(x, word[i], part[k].means, part[k].index);
        missed += !typed_it;
    }
    for (int i = 0; i < words; i++) {
        bool fits = false;
        for (int k = 0; k < parts && !fits; k++)
            fits = !word_is_filler(x, word[i]) && word_fits(x, word[i], part[k].means, part[k].index);
        hits += fits * (word_in_name(name, word[i]) ? 3 : 2);
    }
    // A name with a slip or two in it beats one of which some words are spelled right.
    int distance = edit_distance(typed, name);
    return (Near){hits - 2 * missed + (distance <= 2 ? 8 : 0), distance, name};
}

static bool nearer(const Near *a, const Near *b) {
    return a->score != b->score ? a->score > b->score : a->distance < b->distance;
}

// "did you mean THIS? The nearest are THIS, THAT ..", the first only for a slip or two.
static void put_nearest(Arena *a, const Lexicon *x, Str typed, const Str *word, int words, Buf *out) {
    int count, kept = 0;
    const Str *all = op_names(a, &count);
    Near best[NEAREST + 1];
    Nearest slip = nearest_to(typed);
    for (int i = 0; i < count; i++) {
        Near n = near_of(x, all[i], typed, word, words);
        nearest_offer(&slip, all[i]);
        int at = kept;
        for (; at > 0 && nearer(&n, &best[at - 1]); at--) best[at] = best[at - 1];
        best[at] = n;
        if (kept < NEAREST) kept++;
    }
    buf_puts(out, slip.best.len ? nearest_words(a, &slip) + 2 : "");
    buf_puts(out, slip.best.len ? " The nearest are " : "the nearest are ");
    for (int i = 0; i < kept; i++) buf_printf(out, "%s%.*s", i ? ", " : "", STR_ARG(best[i].name));
}

// ---- resolving ----

static bool is_path(Str text) { return memchr(text.p, '/', text.len) || str_ends(text, ".py"); }

// The file's name without folder and ".py", made an identifier.
static Str path_stem(Arena *a, Str path) {
    for (size_t i = path.len; i > 0; i--) {
        if (path.p[i - 1] != '/') continue;
        path = (Str){path.p + i, path.len - i};
        break;
    }
    if (str_ends(path, ".py")) path.len -= 3;
    if (path.len > OP_NAME_MAX) path.len = OP_NAME_MAX;
    char *name = str_cdup(a, path);
    for (size_t i = 0; i < path.len; i++) {
        char c = name[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!fine) name[i] = '_';
    }
    return path.len ? (Str){name, path.len} : STR("op");
}

static bool resolve_file(Arena *a, const char *path, Op *out, Err *e) {
    Str source;
    if (!io_read_file(a, path, OP_SOURCE_MAX, &source, e)) return false;
    DiagList d = DIAGS(a);
    if (op_define(a, path_stem(a, str_of(path)), source, true, out, &d)) return true;
    const Diag *first = diag_first(&d);
    if (!first) return err_set(e, ERR_INPUT, "%s: not a definition", path);
    LineCol at = line_col(source, first->span.at);
    return err_set(e, ERR_INPUT, "%s:%d:%d: %s", path, at.line, at.col, first->msg);
}

bool op_resolve(Arena *a, const char *text, Op *out, Err *e) {
    Str typed = str_trim(str_of(text));
    if (!typed.len) return err_set(e, ERR_USAGE, "an op is missing; `ouroboros ops` lists them");
    if (op_find(a, typed, out)) return true;
    if (is_path(typed)) return resolve_file(a, str_cdup(a, typed), out, e);
    if (typed.len > TEXT_MAX || !utf8_valid(typed))
        return err_set(e, ERR_USAGE,
                       "an op is a name, a path to a .py file, or at most %d bytes of plain words", TEXT_MAX);
    Str word[WORDS_MAX];
    int words = split_words(a, typed, word, WORDS_MAX);
    if (words < 0) return err_set(e, ERR_USAGE, "a description of an op has at most %d words", WORDS_MAX);
    const Lexicon *x = lexicon(a);
    Buf name = BUF(a);
    if (description_name(x, word, words, &name) && op_find(a, buf_str(&name), out)) return true;
    Buf nearest = BUF(a);
    put_nearest(a, x, typed, word, words, &nearest);
    return err_set(e, ERR_USAGE, "no op is known as \"%.*s\"; %s (`ouroboros ops` lists all)", STR_ARG(typed),
                   buf_cstr(&nearest));
}
