// attempt.h - drafts of one op from the question to the verdict. The smith writes in the caller's thread
// while the service judges what has arrived. A draft that was rejected can be tried again with the referee's
// sentence in the prompt.
#pragma once
#include "propose/prompt.h"
#include "service/service.h"

typedef struct {
    int index;  // of the draft; its retries share it
    int retry;  // 0: the first answer; k: after k sentences of feedback
    Str reply;  // as the smith gave it
    Str source; // what was judged: the kernel in it; empty when there is none
    bool cut;   // by the token limit
    int tokens; // 0: nobody counted
    const char *schedule, *flaw;
    char prompt[65]; // sha256 of what was asked; "" for a smith that reads the op
    Sha256 program;  // canonical
    int same_as;     // number of an earlier attempt at the same program, whose verdict this one has; -1
    bool judged;     // has a verdict
    Verdict verdict; // no_kernel and truncated are said of the reply: no referee ran, nothing is journaled
} Attempt;

typedef struct {
    int asked;   // replies that were asked for so far, retries included
    int replies; // that came
    int judged, accepted, undecided;
    long tokens;    // of all replies, finished or not
    double seconds; // since the first question
} AttemptTally;

typedef struct {
    Service *service;
    const Op *op;
    Smith *smith;
    const Profile *profile; // for a smith that takes_prompt
    SmithRequest ask; // its prompt and settings are used for a smith that takes_prompt: settings as given,
                      // the prompt is made from the profile
    DrawFilter filter;
    Level level;
    int feedback; // how often a rejected draft is tried again
    // May be NULL. True: stop asking, judge one round more of what is there.
    bool (*interrupted)(void *arg);
    // May be NULL. After a verdict, from any thread, one at a time; `t` is NULL when only the tally moved.
    // False: nothing more is wanted, neither drafts nor verdicts (what has a draw gets one all the same).
    bool (*told)(void *arg, const AttemptTally *tally, const Attempt *t);
    void (*waits)(void *arg, const char *sentence); // may be NULL: what a silent smith is waited for
    void *arg;
} AttemptRequest;

typedef struct {
    Attempt *at; // in order of (index, retry)
    int count;
    AttemptTally tally;
    bool stopped;    // by `interrupted` or `told`
    Err smith_error; // code ERR_NONE: none. What came before it is here and judged
} AttemptResult;

// False when the service fails or the op cannot be asked about; a smith that fails is a result.
MUST_CHECK bool attempts_run(Arena *a, const AttemptRequest *q, AttemptResult *out, Err *e);

// The verdict of a reply without a kernel, or cut before its end.
void attempt_refuse(Attempt *t, const Op *op, Level level, bool truncated);
