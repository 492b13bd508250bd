#include "op/suite.h"

typedef enum { ALWAYS, RESIDUAL, BIASED } TakenBy;
typedef struct {
    const char *name;
    TakenBy by;
    const char *domain;
} Input;
typedef struct {
    bool biased;
    const char *code, *plain;
} Norm;
typedef struct {
    const char *code, *plain;
} Epilogue;

static const Input inputs[] = {
#define CHAIN_INPUT(name, by, domain) {#name, by, domain},
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
#define CHAIN_NORM(name, biased, code, plain, words) {#name, words},
#include "op/chain.def"
#undef CHAIN_NORM
};
static const Norm norms[] = {
#define CHAIN_NORM(name, biased, code, plain, words) {biased, code, plain},
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

typedef struct {
    bool residual;
    int norm;
    int epilogue[OP_EPILOGUES_MAX], epilogues;
} Chain;

static int part_index(const ChainPart *parts, int n, Str name) {
    for (int i = 0; i < n; i++)
        if (str_is(name, parts[i].name)) return i;
    return -1;
}

// A trailing or doubled underscore leaves an empty piece, which is no part; str_piece cannot show a trailing
// one.
static bool chain_parse(Str name, Chain *out) {
    *out = (Chain){0};
    if (str_ends(name, "_")) return false;
    Str rest = name, piece;
    if (!str_piece(&rest, '_', &piece)) return false;
    if (str_is(piece, residual_name.name)) {
        out->residual = true;
        if (!str_piece(&rest, '_', &piece)) return false;
    }
    out->norm = part_index(norm_names, NORMS, piece);
    if (out->norm < 0) return false;
    while (str_piece(&rest, '_', &piece)) {
        int i = part_index(epilogue_names, EPILOGUES, piece);
        if (i < 0 || out->epilogues == OP_EPILOGUES_MAX) return false;
        out->epilogue[out->epilogues++] = i;
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

bool chain_source(Arena *a, Str name, Str *source) {
    Chain c;
    if (name.len > OP_NAME_MAX || !chain_parse(name, &c)) return false;
    Buf b = BUF(a);
    put_sentence(&b, &c);
    buf_puts(&b, "inputs = {\n");
    for (int i = 0; i < INPUTS; i++)
        if (chain_takes(&c, inputs[i].by))
            buf_printf(&b, "    \"%s\": %s,\n", inputs[i].name, inputs[i].domain);
    buf_puts(&b, "}\n\n\ndef reference(");
    const char *comma = "";
    for (int i = 0; i < INPUTS; i++) {
        if (!chain_takes(&c, inputs[i].by)) continue;
        buf_printf(&b, "%s%s", comma, inputs[i].name);
        comma = ", ";
    }
    buf_puts(&b, "):\n    h = x.float()");
    if (c.residual) buf_puts(&b, " + residual.float()");
    buf_puts(&b, "\n");
    buf_puts(&b, norms[c.norm].code);
    for (int i = 0; i < c.epilogues; i++) buf_printf(&b, "    h = %s\n", epilogues[c.epilogue[i]].code);
    buf_puts(&b, "    return h.to(x.dtype)\n");
    *source = buf_str(&b);
    return true;
}
