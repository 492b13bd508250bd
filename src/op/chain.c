#include "op/suite.h"

typedef enum { ALWAYS, RESIDUAL, BIASED } TakenBy;
typedef struct {
    const char *name;
    TakenBy by;
    bool summand; // h begins as the sum of these
    const char *domain;
} Input;
typedef struct {
    bool biased;
    const char *code, *normalised, *rest;
    bool rounded;
    const char *summand, *bare, *plain; // summand, bare: what is declared invariant
} Norm;
typedef struct {
    const char *code, *plain;
} Epilogue;

static const Input inputs[] = {
#define CHAIN_INPUT(name, by, summand, domain) {#name, by, summand, domain},
#include "op/chain.def"
#undef CHAIN_INPUT
};
static const ChainPart residual_name =
#define CHAIN_RESIDUAL(name, plain, words) {#name, words};
#include "op/chain.def"
#undef CHAIN_RESIDUAL
    static const char residual_plain[] =
#define CHAIN_RESIDUAL(name, plain, words) plain;
#include "op/chain.def"
#undef CHAIN_RESIDUAL
        static const ChainPart norm_names[] = {
#define CHAIN_NORM(name, biased, code, normalised, rest, rounded, summand, bare, plain, words) {#name, words},
#include "op/chain.def"
#undef CHAIN_NORM
};
static const Norm norms[] = {
#define CHAIN_NORM(name, biased, code, normalised, rest, rounded, summand, bare, plain, words) \
    {biased, code, normalised, rest, rounded, summand, bare, plain},
#include "op/chain.def"
#undef CHAIN_NORM
};
static const ChainPart epilogue_names[] = {
#define CHAIN_EPILOGUE(name, code, plain, words) {#name, words},
#include "op/chain.def"
#undef CHAIN_EPILOGUE
};
static const Epilogue epilogues[] = {
#define CHAIN_EPILOGUE(name, code, plain, words) {code, plain},
#include "op/chain.def"
#undef CHAIN_EPILOGUE
};
enum {
    INPUTS = sizeof inputs / sizeof *inputs,
    NORMS = sizeof norms / sizeof *norms,
    EPILOGUES = sizeof epilogues / sizeof *epilogues,
};

int chain_norms(const ChainPart **out) {
    *out = norm_names;
    return NORMS;
}

int chain_epilogues(const ChainPart **out) {
    *out = epilogue_names;
    return EPILOGUES;
}

const ChainPart *chain_residual(void) { return &residual_name; }

void chain_bare_name(Buf *out, bool residual, int norm) {
    if (residual) buf_printf(out, "%s_", residual_name.name);
    buf_puts(out, norm_names[norm].name);
}

static int part_index(const ChainPart *parts, int n, Str name) {
    for (int i = 0; i < n; i++)
        if (str_is(name, parts[i].name)) return i;
    return -1;
}

// The epilogue whose name starts here, the longest where one name begins another; -1: none.
static int epilogue_at(Str rest) {
    int best = -1;
    size_t longest = 0;
    for (int i = 0; i < EPILOGUES; i++) {
        size_t n = strlen(epilogue_names[i].name);
        if (n <= longest || !str_starts(rest, epilogue_names[i].name)) continue;
        if (rest.len > n && rest.p[n] != '_') continue;
        best = i;
        longest = n;
    }
    return best;
}

// A trailing or doubled underscore leaves a piece that is no part.
bool chain_parse(Str name, Chain *out) {
    *out = (Chain){0};
    if (name.len > OP_NAME_MAX || str_ends(name, "_")) return false;
    Str rest = name, piece;
    if (!str_piece(&rest, '_', &piece)) return false;
    if (str_is(piece, residual_name.name)) {
        out->residual = true;
        if (!str_piece(&rest, '_', &piece)) return false;
    }
    out->norm = part_index(norm_names, NORMS, piece);
    if (out->norm < 0) return false;
    while (rest.len) {
        int i = epilogue_at(rest);
        if (i < 0 || out->epilogues == OP_EPILOGUES_MAX) return false;
        out->epilogue[out->epilogues++] = i;
        size_t n = strlen(epilogue_names[i].name) + 1;
        rest = n < rest.len ? (Str){rest.p + n, rest.len - n} : (Str){0};
    }
    return true;
}

static bool chain_takes(const Chain *c, TakenBy by) {
    switch (by) {
    case ALWAYS: return true;
    case RESIDUAL: return c->residual;
    case BIASED: return norms[c->norm].biased;
    }
    return false;
}

static void put_sentence(Buf *out, const Chain *c) {
    Buf b = BUF(out->arena);
    buf_puts(&b, norms[c->norm].plain);
    if (c->residual) buf_printf(&b, ", of %s", residual_plain);
    for (int i = 0; i < c->epilogues; i++) buf_printf(&b, ", then %s", epilogues[c->epilogue[i]].plain);
    Str s = buf_str(&b);
    buf_printf(out, "\"\"\"%c%.*s.\"\"\"\n", s.p[0] - ('a' - 'A'), (int)(s.len - 1), s.p + 1);
}

static void put_invariant(Buf *out, const Chain *c) {
    const Norm *n = &norms[c->norm];
    Buf b = BUF(out->arena);
    for (int i = 0; *n->summand && i < INPUTS; i++)
        if (chain_takes(c, inputs[i].by) && inputs[i].summand)
            buf_printf(&b, "%s\"%s\": %s", b.len ? ", " : "", inputs[i].name, n->summand);
    if (*n->bare && c->epilogues == 0) buf_printf(&b, "%s%s", b.len ? ", " : "", n->bare);
    if (b.len) buf_printf(out, "invariant = {%s}\n", buf_cstr(&b));
}

// Where kernels in use round to the type of x on the way: as Hugging Face, Liger and Unsloth do.
enum { ROUND_SUM = 1, ROUND_NORMALISED = 2 };
static const struct {
    const char *name, *function;
    int points;
} roundings[] = {{"sum", "rounded_sum", ROUND_SUM},
                 {"normalised", "rounded_normalised", ROUND_NORMALISED},
                 {"both", "rounded_both", ROUND_SUM | ROUND_NORMALISED}};

static void put_function(Buf *b, const Chain *c, const char *name, int round) {
    const Norm *n = &norms[c->norm];
    const char *comma = "";
    buf_printf(b, "\n\ndef %s(", name);
    for (int i = 0; i < INPUTS; i++) {
        if (!chain_takes(c, inputs[i].by)) continue;
        buf_printf(b, "%s%s", comma, inputs[i].name);
        comma = ", ";
    }
    buf_puts(b, "):\n    h = x.float()");
    if (c->residual) buf_puts(b, " + residual.float()");
    buf_puts(b, round & ROUND_SUM ? "\n    h = h.to(x.dtype).float()\n" : "\n");
    buf_puts(b, n->code);
    if (round & ROUND_NORMALISED)
        buf_printf(b, "    h = (%s).to(x.dtype).float()%s\n", n->normalised, n->rest);
    else
        buf_printf(b, "    h = %s%s\n", n->normalised, n->rest);
    for (int i = 0; i < c->epilogues; i++) buf_printf(b, "    h = %s\n", epilogues[c->epilogue[i]].code);
    buf_puts(b, "    return h.to(x.dtype)\n");
}

bool chain_source(Arena *a, Str name, Str *source) {
    Chain c;
    if (!chain_parse(name, &c)) return false;
    Buf b = BUF(a);
    put_sentence(&b, &c);
    buf_puts(&b, "inputs = {\n");
    for (int i = 0; i < INPUTS; i++)
        if (chain_takes(&c, inputs[i].by))
            buf_printf(&b, "    \"%s\": %s,\n", inputs[i].name, inputs[i].domain);
    buf_puts(&b, "}\n");
    put_invariant(&b, &c);
    put_function(&b, &c, "reference", 0);
    Buf names = BUF(a);
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        bool sum = roundings[i].points & ROUND_SUM, norm = roundings[i].points & ROUND_NORMALISED;
        if ((sum && !c.residual) || (norm && !norms[c.norm].rounded)) continue;
        put_function(&b, &c, roundings[i].function, roundings[i].points);
        buf_printf(&names, "%s\"%s\": %s", names.len ? ", " : "", roundings[i].name, roundings[i].function);
    }
    if (names.len) buf_printf(&b, "\n\nroundings = {%s}\n", buf_cstr(&names));
    *source = buf_str(&b);
    return true;
}
