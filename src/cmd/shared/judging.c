#include "cmd/shared/judging.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "cmd/line/wrap.h"
#include "host/policy/library_names.h"
#include "judge/verdict/evidence.h"
#include "judge/verdict/module_evidence.h"
#include "judge/verdict/traffic.h"
#include "lang/text.h"
#include "service/request.h"

void op_understood(const char *verb, const char *text, const Op *op) {
    bool path = strchr(text, '/') || str_ends(str_of(text), ".py");
    if (path || str_is(op->name, text)) return;
    Arena a = {0};
    fprintf(stderr, "ouroboros %s: \"%s\" is understood as %.*s, of ", verb, text_escaped(&a, text),
            STR_ARG(op->name));
    arena_free(&a);
    for (int i = 0; i < op->inputs; i++) fprintf(stderr, "%s%.*s", i ? ", " : "", STR_ARG(op->input[i].name));
    fputc('\n', stderr);
}

void entry_understood(const char *verb, const char *chosen) {
    if (chosen) fprintf(stderr, "ouroboros %s: entry: %s\n", verb, chosen);
}

bool filter_of(const Shape *shape, const char *dtype, DrawFilter *out, Err *e) {
    *out = (DrawFilter){.m = shape->m, .n = shape->n, .dtype = -1};
    if (!dtype) return true;
    if (filter_dtype(str_of(dtype), &out->dtype)) return true;
    return err_set(e, ERR_USAGE, "--dtype is one of fp16, bf16, fp32, not \"%s\"", dtype);
}

bool domain_of(const char *layout, const char *domain, DomainAsked *out, Err *e) {
    *out = (DomainAsked){.published = domain && strcmp(domain, "published") == 0};
    if (layout && !layout_by_name(str_of(layout), &out->layout))
        return err_set(e, ERR_USAGE, "--layout is any or contiguous");
    if (domain && !out->published && strcmp(domain, "declared") != 0)
        return err_set(e, ERR_USAGE, "--domain is declared or published");
    return true;
}

bool shapes_of(const char *shapes, DomainAsked *out, Err *e) {
    out->shapes = shapes && strcmp(shapes, "published") == 0;
    if (!shapes || out->shapes || strcmp(shapes, "small") == 0) return true;
    return err_set(e, ERR_USAGE, "--shapes is small or published");
}

bool library_asked(const char *library, DomainAsked *out, Err *e) {
    LibraryUse use;
    if (!library) return true;
    if (!library_use_by_name(str_of(library), &use))
        return err_set(e, ERR_USAGE, "--library is none, light or all");
    return out->library = 1 + (int)use, true;
}

int verdict_exit(const Verdict *v) {
    switch (status_class(v->decision.status)) {
    case CLASS_ACCEPTED: return EXIT_OK;
    case CLASS_REJECTED: return EXIT_REJECTED;
    case CLASS_UNDECIDED: break;
    }
    return verdict_of_world(v) ? EXIT_WORLD : EXIT_UNDECIDED;
}

void verdict_text(Buf *out, const Verdict *v, const char *prefix) {
    buf_printf(out, "%s%.*s: %s", prefix, STR_ARG(v->op),
               status_class_name(status_class(v->decision.status)));
    domain_words(out, v);
    if (verdict_accepted(v) && verdict_restricted(v)) restricted_words(out, v);
    buf_printf(out, " (%s, level %s)\n", status_name(v->decision.status), level_name(v->judged.level));
    buf_printf(out, "%s%s\n", prefix, v->decision.feedback);
    evidence_text(out, v, prefix);
    if (v->traffic.bytes_ideal > 0)
        buf_printf(out,
                   "%smemory traffic (counted, not timed): %lld bytes loaded, %lld stored, %.2f times the "
                   "least possible %lld; %lld launch%s\n",
                   prefix, (long long)v->traffic.count.bytes_loaded, (long long)v->traffic.count.bytes_stored,
                   traffic_ratio(&v->traffic), (long long)v->traffic.bytes_ideal,
                   (long long)v->traffic.count.launches, v->traffic.count.launches == 1 ? "" : "es");
    buf_printf(out, "%ssource sha256 %s, seed %llu%s, referee %s\n", prefix, v->source_sha256,
               (unsigned long long)v->judged.seed, v->judged.replay ? " (replay)" : "", OUROBOROS_VERSION);
    if (v->module) module_evidence_text(out, v, prefix);
}

void verdict_shown(Buf *out, const Verdict *v) {
    Arena a = {0};
    Buf whole = BUF(&a);
    verdict_text(&whole, v, "");
    wrap_text(out, buf_str(&whole), screen_columns(stdout), EVIDENCE_HANG);
    arena_free(&a);
}

// ---- smiths ----

bool sampling_said(const SamplingChoice *c, double hottest, ReplySettings *out, Err *e) {
    if (c->temperature.given) out->temperature = c->temperature.value;
    if (c->top_p.given) out->top_p = c->top_p.value;
    if (c->min_p.given) out->min_p = c->min_p.value;
    if (c->top_k.given) out->top_k = (int)c->top_k.value;
    if (out->temperature > hottest)
        return err_set(e, ERR_USAGE, "--temperature is at most %g, not %g", hottest, out->temperature);
    if (!(out->top_p > 0 && out->top_p <= 1))
        return err_set(e, ERR_USAGE, "--top-p is more than 0 and at most 1 (1: all), not %g", out->top_p);
    if (out->min_p > 1) return err_set(e, ERR_USAGE, "--min-p is at most 1, not %g", out->min_p);
    return !c->top_k.given || (double)out->top_k == c->top_k.value ||
           err_set(e, ERR_USAGE, "--top-k is a whole number (0: all), not %g", c->top_k.value);
}

bool smith_chosen(Arena *a, const SmithChoice *c, ChosenSmith *out, Err *e) {
    SmithOptions options = {.adapter = c->adapter, .chat = c->chat, .kv = c->kv, .timeout = c->timeout};
    *out = (ChosenSmith){0};
    if (!smith_open(a, c->smith, &options, &out->smith, e)) return false;
    const char *profile = c->profile            ? c->profile
                          : c->modules          ? PROFILE_MODULES
                          : out->smith->profile ? out->smith->profile
                                                : PROFILE_DEFAULT;
    const SamplingChoice *drawn = &c->sampling;
    bool tuned = c->profile || drawn->temperature.given || drawn->top_p.given || drawn->min_p.given ||
                 drawn->top_k.given || c->max_tokens;
    bool ok = out->smith->takes_prompt || !tuned ||
              err_set(e, ERR_USAGE, "--profile, --temperature and the like: the %s smith is no model",
                      out->smith->name);
    ok = ok && (!out->smith->takes_prompt || profile_open(a, profile, &out->profile, e));
    ReplySettings s = out->profile.settings;
    ok = ok && (!out->smith->takes_prompt || sampling_said(&c->sampling, 10, &s, e));
    if (c->max_tokens) s.max_tokens = c->max_tokens;
    out->settings = s;
    if (ok && out->smith->warning) fprintf(stderr, "ouroboros: %s\n", out->smith->warning);
    if (!ok) smith_close(out->smith);
    return ok;
}

static atomic_int interrupts;

static void on_interrupt(int number) {
    (void)number;
    atomic_store(&interrupts, 1);
}

void interrupts_catch(void) {
    static const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        struct sigaction now,
            then = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(numbers[i], &then, NULL);
    }
}

bool interrupts_seen(void *unused) {
    (void)unused;
    return atomic_load(&interrupts) != 0;
}

void attempt_line(Buf *out, const Attempt *t) {
    buf_printf(out, "draft %d", t->index + 1);
    if (t->retry) buf_printf(out, ", try %d", t->retry + 1);
    if (verdict_accepted(&t->verdict))
        buf_printf(out, ": accepted at %s\n", level_name(t->verdict.judged.level));
    else
        buf_printf(out, ": %s: %s\n", status_name(t->verdict.decision.status), t->verdict.decision.feedback);
}

void notice(Progress *bar, const char *verb, const char *sentence) {
    fprintf(stderr, "%souroboros %s: %s\n", bar->shown ? "\r\033[K" : "", verb, sentence);
    bar->last = 0; // the bar was overwritten
}

void tally_note(char *out, size_t bytes, const AttemptTally *t) {
    int n = snprintf(out, bytes, "%d judged %d accepted", t->judged, t->accepted);
    if (t->tokens && t->seconds > 0 && n > 0 && (size_t)n < bytes)
        snprintf(out + n, bytes - (size_t)n, " %.0f tok/s", (double)t->tokens / t->seconds);
}
