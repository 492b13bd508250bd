// judging.h - what the verbs that judge have in common.
#pragma once
#include "base/progress.h"
#include "cmd/line/cmd.h"
#include "mint/attempt.h"

// Says on standard error which op plain words were taken for, and its inputs; nothing for a name or a path.
void op_understood(const char *verb, const char *text, const Op *op);
// The same of what a file without `run` is entered by (entry_choice.h); nothing for NULL.
void entry_understood(const char *verb, const char *chosen);
// --layout and --domain, NULL where not given.
MUST_CHECK bool domain_of(const char *layout, const char *domain, DomainAsked *out, Err *e);
// --shapes of a reference in module form, NULL where not given.
MUST_CHECK bool shapes_of(const char *shapes, DomainAsked *out, Err *e);
// --library of one, NULL where not given.
MUST_CHECK bool library_asked(const char *library, DomainAsked *out, Err *e);
MUST_CHECK bool filter_of(const Shape *shape, const char *dtype, DrawFilter *out, Err *e);
int verdict_exit(const Verdict *v);
// "accepted" or "rejected: incorrect", feedback, evidence, each line behind `prefix`.
void verdict_text(Buf *out, const Verdict *v, const char *prefix);
enum { EVIDENCE_HANG = 2 };
// The same for standard output: where that is a terminal, lines are broken to fit it.
void verdict_shown(Buf *out, const Verdict *v);

// How tokens are drawn, as far as options say it.
typedef struct {
    Number temperature, top_p, min_p, top_k;
} SamplingChoice;
// ERR_USAGE names the one that cannot be. top_k is a whole number.
MUST_CHECK bool sampling_said(const SamplingChoice *c, double hottest, ReplySettings *out, Err *e);

// --smith and what goes with it.
typedef struct {
    const char *smith, *adapter, *chat, *kv, *profile;
    SamplingChoice sampling;
    int max_tokens, timeout; // 0: not given
    bool modules;            // drafts are of references in module form
} SmithChoice;
#define SMITH_OPTIONS(c)                                                                                    \
    {"--smith", OPTION_TEXT, &(c).smith}, {"--adapter", OPTION_TEXT, &(c).adapter},                         \
        {"--chat-family", OPTION_TEXT, &(c).chat}, {"--kv", OPTION_TEXT, &(c).kv},                          \
        {"--profile", OPTION_TEXT, &(c).profile},                                                           \
        {"--temperature", OPTION_NUMBER, &(c).sampling.temperature},                                        \
        {"--top-p", OPTION_NUMBER, &(c).sampling.top_p}, {"--min-p", OPTION_NUMBER, &(c).sampling.min_p},   \
        {"--top-k", OPTION_NUMBER, &(c).sampling.top_k}, {"--max-tokens", OPTION_COUNT, &(c).max_tokens}, { \
        "--timeout", OPTION_COUNT, &(c).timeout                                                             \
    }
typedef struct {
    Smith *smith; // to be closed
    Profile profile;
    ReplySettings settings;
} ChosenSmith;
// Opens the smith and the profile: the one given, else the one the smith was made for, else the default. Of
// modules the latter alone: no smith here was made for them.
MUST_CHECK bool smith_chosen(Arena *a, const SmithChoice *c, ChosenSmith *out, Err *e);

// From now on the first Ctrl-C (SIGINT, or SIGTERM) is remembered, the second one ends the process. A signal
// that was ignored stays so.
void interrupts_catch(void);
bool interrupts_seen(void *unused);
// "draft 3: rejected: incorrect: sentence", on one line.
void attempt_line(Buf *out, const Attempt *t);
// A line on standard error while a bar may stand there.
void notice(Progress *bar, const char *verb, const char *sentence);
// "12 judged 3 accepted 41 tok/s", for the progress line.
void tally_note(char *out, size_t bytes, const AttemptTally *t);
