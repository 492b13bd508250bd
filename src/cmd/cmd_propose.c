#include <stdio.h>

#include "base/json.h"
#include "base/numeric/rng.h"
#include "cases/modules/modules_domain.h"
#include "cmd/shared/judging.h"

typedef struct {
    SmithChoice choice;
    const char *flaw, *suite;
    int count;
    Seed seed;
    Shape shape;
    bool json;
} ProposeOptions;

// Who was asked for what.
typedef struct {
    const Op *op;
    const char *text; // what the user calls the op
    const Smith *smith;
} Source;

// A line that `referee --stream` takes as it is: it answers with the id, which says what was proposed.
static bool put_line(Buf *out, const Source *from, const Proposal *p, int index, Err *e) {
    const Op *op = from->op;
    const char *text = from->text;
    json_t *id = json_pack("{s:s, s:s, s:s?, s:i}", "op", text, "schedule", p->schedule, "flaw", p->flaw,
                           "index", index);
    json_t *o = json_pack("{s:o, s:s, s:s%, s:s, s:s, s:s?, s:s%}", "id", id, "op", text, "name", op->name.p,
                          op->name.len, "smith", from->smith->name, "schedule", p->schedule, "flaw", p->flaw,
                          "source", p->source.p, p->source.len);
    enum { DIGITS = 17 };
    if (!json_put_precise(out, o, DIGITS)) return err_set(e, ERR_INPUT, "a proposal is no UTF-8 text");
    buf_putc(out, '\n');
    return true;
}

static void put_text(Buf *out, const Proposal *p, int index) {
    buf_printf(out, "%s# %d: %s%s%s\n", index ? "\n\n" : "", index + 1, p->schedule,
               p->flaw ? "; flaw: " : "", p->flaw ? p->flaw : "");
    buf_str_put(out, p->source);
}

static bool propose_with(Arena *a, const Op *op, const char *text, const ProposeOptions *o,
                         const ChosenSmith *chosen, Err *e) {
    int n = 0;
    Prompt prompt;
    SmithRequest ask = {.m = o->shape.m,
                        .n = o->shape.n,
                        .seed = o->seed.value,
                        .count = o->count,
                        .flaw = o->flaw,
                        .settings = chosen->settings};
    if (chosen->smith->takes_prompt) {
        if (o->flaw) return err_set(e, ERR_USAGE, "--flaw is for the grammar smith");
        if (!o->seed.given && !rng_entropy(&ask.seed, sizeof ask.seed, e)) return false;
        const PromptAsk about = {op, -1, rows_class(o->shape.n), NULL};
        if (!prompt_make(a, &chosen->profile, &about, &prompt, e)) return false;
        ask.prompt = &prompt;
    }
    Proposal *p = NEWN(a, Proposal, (size_t)o->count);
    if (!smith_propose(chosen->smith, a, op, &ask, p, &n, e)) return false;
    Buf out = BUF(a);
    for (int i = 0; i < n; i++) {
        if (!o->json)
            put_text(&out, &p[i], i);
        else if (!put_line(&out, &(Source){op, text, chosen->smith}, &p[i], i, e))
            return false;
    }
    if (out.len) fwrite(out.p, 1, out.len, stdout);
    return true;
}

// Nothing is judged by it: a module that nobody could judge by may be asked about, too.
static bool op_for_drafts(Arena *a, const char *text, Op *out, Err *e) {
    Str source;
    ModulesDomain *m;
    if (!module_file(a, text, &source)) return op_resolve(a, text, out, e);
    if (!modules_open(a, &(ModulesAsk){.path = text, .source = source}, &m, e)) return false;
    *out = m->op;
    return true;
}

static bool propose(Arena *a, const char *text, const ProposeOptions *o, int *code, Err *e) {
    Op op;
    ChosenSmith chosen;
    if (o->suite && !op_suite_add(a, o->suite, e)) return false;
    if (!op_for_drafts(a, text, &op, e)) return false;
    if (op.form && (o->shape.m || o->flaw))
        return err_set(e, ERR_USAGE, "%s: --shape and --flaw belong to ops", text);
    SmithChoice choice = o->choice;
    choice.modules = op.form != NULL;
    if (!smith_chosen(a, &choice, &chosen, e)) return false;
    op_understood("propose", text, &op);
    bool ok = propose_with(a, &op, text, o, &chosen, e);
    smith_close(chosen.smith);
    if (ok) *code = EXIT_OK;
    return ok;
}

int cmd_propose(int argc, char **argv) {
    ProposeOptions o = {.choice = {.smith = "grammar"}, .count = 1};
    const Option options[] = {
        SMITH_OPTIONS(o.choice),
        {"-n", OPTION_COUNT, &o.count},
        {"--seed", OPTION_SEED, &o.seed},
        {"--flaw", OPTION_TEXT, &o.flaw},
        {"--shape", OPTION_SHAPE, &o.shape},
        {"--json", OPTION_FLAG, &o.json},
        {"--suite", OPTION_TEXT, &o.suite},
    };
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"propose", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("propose", &e);
    Arena a = {0};
    int code = EXIT_WORLD;
    if (!propose(&a, rest.at[0], &o, &code, &e)) code = cmd_fail("propose", &e);
    arena_free(&a);
    return code;
}
