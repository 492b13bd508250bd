#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "cmd/shared/judging.h"
#include "model/model.h"
#include "propose/local.h"
#include "propose/prompt.h"
#include "weights/model_info.h"
#include "weights/quant/quantize.h"

// What `model info` tells the memory for: an op's prompt and a kernel's reply.
enum { PROMPT_TOKENS = 800, REPLY_TOKENS = 768, DRAFTS = 8 };

int cmd_model_info(int argc, char **argv) {
    Positionals rest;
    Err e = {0};
    bool json = false;
    int drafts = DRAFTS;
    const Option options[] = {{"--json", OPTION_FLAG, &json}, {"-n", OPTION_COUNT, &drafts}};
    if (!options_parse(&(CommandLine){"model info", argc, argv}, options, sizeof options / sizeof *options,
                       &rest, &e))
        return cmd_fail("model info", &e);
    Arena a = {0};
    Checkpoint *c;
    int code = EXIT_OK;
    if (!checkpoint_open(&a, rest.at[0], &c, &e)) {
        code = cmd_fail("model info", &e);
    } else {
        ModelInfo f = describe_checkpoint(&a, c);
        Buf out = BUF(&a);
        int64_t positions = PROMPT_TOKENS + (int64_t)drafts * REPLY_TOKENS;
        f.profile = local_model_profile(c, rest.at[0]);
        if (!f.profile) f.profile = PROFILE_DEFAULT;
        f.drafts = drafts;
        f.prompt_tokens = PROMPT_TOKENS;
        f.reply_tokens = REPLY_TOKENS;
        f.kv_f16 = kv_bytes(&c->config, KV_F16, drafts, positions);
        f.kv_f32 = kv_bytes(&c->config, KV_F32, drafts, positions);
        if (json)
            describe_json(&f, &out);
        else
            describe_text(&f, &out);
        fwrite(out.p, 1, out.len, stdout);
        checkpoint_close(c);
    }
    arena_free(&a);
    return code;
}

// ---- quantize

static void quantise_step(void *arg, size_t read, size_t of) {
    (void)of;
    progress_step(arg, read >> 20, NULL);
}

static void print_report(const QuantiseRequest *q, const QuantiseReport *r, Arena *a) {
    printf("%s: %zu tensors, %s from %s", q->path, r->tensors, size_text(a, r->bytes_out),
           size_text(a, r->bytes_in));
    const char *between = ": ";
    for (int t = 0; t < W_COUNT; t++)
        if (r->type_count[t]) {
            printf("%s%zu of %s", between, r->type_count[t], WEIGHT_TYPE[t].name);
            between = ", ";
        }
    printf("\n");
    if (r->fallbacks)
        printf("%d matrices have rows that do not divide into the blocks of %s, and got a larger type\n",
               r->fallbacks, filetype_name(q->type));
    if (r->ends_left)
        printf("%d of the tokens that end a reply are not named: GGUF has keys for three\n", r->ends_left);
    if (q->from->no_vocabulary) printf("without a tokenizer (%s)\n", q->from->no_vocabulary);
}

int cmd_model_quantize(int argc, char **argv) {
    Positionals rest;
    Err e = {0};
    const char *type = NULL;
    int jobs = 0;
    const Option options[] = {{"--type", OPTION_TEXT, &type}, {"--jobs", OPTION_COUNT, &jobs}};
    if (!options_parse(&(CommandLine){"model quantize", argc, argv}, options,
                       sizeof options / sizeof *options, &rest, &e))
        return cmd_fail("model quantize", &e);
    QuantiseRequest q = {.path = rest.at[1]};
    if (!type || !filetype_by_name(type, &q.type))
        return cmd_usage("model quantize", "--type is missing: f16, q8_0, q4_k_m, q5_k_m or q6_k");
    Arena a = {0};
    Checkpoint *c;
    int code = EXIT_OK;
    if (!checkpoint_open(&a, rest.at[0], &c, &e)) {
        code = cmd_fail("model quantize", &e);
    } else {
        Progress bar;
        QuantiseReport report;
        q.from = c;
        q.pool = pool_open(jobs);
        q.progress = quantise_step;
        q.arg = &bar;
        q.stop = interrupts_seen;
        interrupts_catch();
        progress_start(&bar, "MB", c->bytes >> 20);
        bool ok = checkpoint_quantise(&a, &q, &report, &e);
        progress_end(&bar);
        if (ok)
            print_report(&q, &report, &a);
        else
            code = cmd_fail("model quantize", &e);
        pool_close(q.pool);
        checkpoint_close(c);
    }
    arena_free(&a);
    return code;
}
