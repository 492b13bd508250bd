// The data card beside an export: what stands in it, where it comes from, what was left out and why.
#include "base/version.h"
#include "corpus/export.h"

static void put_head(Buf *b, const Card *c) {
    buf_puts(b, "---\nconfigs:\n- config_name: default\n  data_files:\n");
    for (int i = 0; i < SPLITS; i++)
        if (c->t->rows[i]) buf_printf(b, "  - split: %s\n    path: %s.jsonl\n", split_name[i], split_name[i]);
    buf_puts(b,
             "tags:\n- triton\n- code\n- synthetic\n---\n\n# Triton kernels that a referee has accepted\n\n");
}

static void put_rows(Buf *b, const Card *c) {
    const ExportTally *t = c->t;
    buf_puts(b, "| split | rows | ops | implementation | conversion |\n|---|---|---|---|---|\n");
    for (int i = 0; i < SPLITS; i++)
        buf_printf(b, "| %s | %lld | %d | %lld | %lld |\n", split_name[i], (long long)t->rows[i], t->ops[i],
                   (long long)t->kinds[i][PHRASE_IMPLEMENT], (long long)t->kinds[i][PHRASE_CONVERT]);
    buf_printf(
        b,
        "\nRows of an op in train: %lld to %lld, at most %d, taken from its structures in turns. Structures "
        "(programs that\ndiffer in more than literals and launch options) in the store that train draws "
        "from: %lld.\n",
        (long long)t->fewest, (long long)t->most, c->q->per_op, (long long)t->structures);
}

static void put_left_out(Buf *b, const Card *c) {
    const ExportTally *t = c->t;
    buf_printf(b, "\n## What was left out\n\nOf %lld programs that were accepted at level full:\n\n",
               (long long)t->programs);
    buf_puts(b, "| why | programs |\n|---|---|\n");
    buf_printf(b, "| no licence is known | %lld |\n", (long long)t->unlicensed);
    buf_printf(
        b, "| in the files of --against (%lld programs) by canonical text, structure or skeleton | %lld |\n",
        (long long)t->against, (long long)t->contaminated);
    buf_printf(b, "| of the structure of a kernel that is held out, though for another op | %lld |\n",
               (long long)t->tested);
    buf_printf(b, "| judged by another definition of the op than today's | %lld |\n", (long long)t->stale);
    if (t->modules)
        buf_printf(b, "| judged by the module that it came with, no op | %lld |\n", (long long)t->modules);
    buf_printf(b, "| judged on one shape, or in a narrower domain than the op's own | %lld |\n",
               (long long)t->narrow);
    buf_printf(b, "| beyond the share of its op | %lld |\n", (long long)t->beyond);
    if (c->q->profile) buf_printf(b, "| without a prompt in the profile | %lld |\n", (long long)t->unsaid);
}

static void put_names(Buf *b, const char *title, const StoreTally *at, int n) {
    buf_printf(b, "\n| %s | rows |\n|---|---|\n", title);
    for (int i = 0; i < n; i++)
        buf_printf(b, "| %.*s | %lld |\n", STR_ARG(at[i].name.len ? at[i].name : STR("none is known")),
                   (long long)at[i].n);
}

static void put_held(Buf *b, const Card *c) {
    buf_puts(
        b,
        "\n## What is held out\n\nRows that match a line go into test, never into train or validation. "
        "`chain NORM RESIDUAL EPILOGUE DTYPE` is an op of these parts: `add` or none (`-`), an epilogue or "
        "none (`-`), a dtype or all (`*`).\n\n");
    buf_puts(b, "| line | rows |\n|---|---|\n");
    for (int i = 0; i < c->held->n; i++)
        buf_printf(b, "| `%.*s` | %lld |\n", STR_ARG(c->held->at[i].text), (long long)c->t->held[i]);
    buf_printf(b, "\nValidation is a share (%g) of the other structures: no structure stands in both.\n",
               c->q->validation);
}

void card_put(Buf *b, const Card *c) {
    static const char *const format[] = {"chat (`messages`)", "`prompt` and `completion`",
                                         "KernelBook's (`python_code` and `triton_code`)"};
    put_head(b, c);
    put_rows(b, c);
    buf_printf(b, "\nFormat: %s. Seed %llu, share of conversions %g. Written by ouroboros %s.\n",
               format[c->q->format], (unsigned long long)c->q->seed,
               c->q->format == EXPORT_KERNELBOOK ? 1.0 : c->q->conversions, OUROBOROS_VERSION);
    if (c->q->profile)
        buf_printf(b, "\nPrompts of the profile %s; an answer begins with the %s.\n", c->q->profile->name,
                   c->q->no_plan ? "code" : "schedule as a comment");
    buf_puts(b, "\nEach kernel was run by a referee on the CPU, on hostile inputs, against a float64 "
                "reference, at level "
                "full.\nAcceptance says nothing of speed.\n\n## Where it comes from\n");
    put_names(b, "written by", c->smith, c->smiths);
    put_names(b, "licence", c->licence, c->licences);
    put_left_out(b, c);
    put_held(b, c);
}
