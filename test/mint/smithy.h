// smithy.h - for tests of attempts: smiths that answer from a list, and a judging service.
#pragma once
#include "mint/attempt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "grammar/smith_test.h"
#include "mint/mint.h"

#define HEAD                                                                                             \
    "@triton.jit\ndef k(x, y, n, B: tl.constexpr):\n    r = tl.program_id(0)\n    c = tl.arange(0, B)\n" \
    "    v = tl.load(x + r * n + c, mask=c < n, other=0.0).to(tl.float32)\n"
#define TAIL                                                                                    \
    "    tl.store(y + r * n + c, v, mask=c < n)\n\n\ndef run(x):\n    M, N = x.shape\n    x = " \
    "x.contiguous()\n"                                                                          \
    "    y = torch.empty_like(x)\n    k[(M,)](x, y, N, B=triton.next_power_of_2(N))\n    return y\n"
#define RIGHT        HEAD "    v = v * 2.0\n" TAIL
#define WRONG        HEAD "    v = v * 3.0\n" TAIL
#define FENCED(code) "```python\n" code "```\n"

static Referee *referee;
static Service *service;
static char state_dir[] = "/tmp/attempt-test-XXXXXX";

static inline int set_up(void **state) {
    (void)state;
    Err e = {0};
    RefereeConfig c = {.jobs = 2, .state = mkdtemp(state_dir)};
    bool ok = referee_open(&c, &referee, &e) && service_open(referee, &(ServiceConfig){0}, &service, &e);
    return ok ? 0 : -1;
}

static inline int tear_down(void **state) {
    (void)state;
    service_close(service);
    referee_close(referee);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", state_dir);
    return system(command);
}

static inline Op twice(Arena *a) {
    return define(a, "twice",
                  "\"\"\"Twice x.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
                  "dims = {\"N\": {\"max\": 512}, \"M\": {\"max\": 64}}\n\n\n"
                  "def reference(x):\n    return (x.float() * 2.0).to(x.dtype)\n");
}

// ---- a smith that says what it was told to ----

typedef struct {
    const char *say[8]; // draft i says say[i % says]; for a prompt with feedback: `then`
    int says;
    const char *then;
    bool backwards, cut;
    int fails_after; // 0: does not fail
    double pause;    // seconds between drafts
    int asked, questions, prompts_with_feedback, gave;
    char last_user[4096];
} Script;

static inline bool recite(Smith *s, const Op *op, const SmithRequest *q, const SmithSink *sink, Err *e) {
    (void)op;
    Script *t = s->state;
    t->asked += q->count;
    t->questions++;
    for (int i = 0; i < q->count; i++) {
        int at = smith_index(q, t->backwards ? q->count - 1 - i : i);
        const Prompt *p = smith_prompt(q, t->backwards ? q->count - 1 - i : i);
        bool again = p && memmem(p->user.p, p->user.len, "harness feedback: ", 18);
        t->prompts_with_feedback += again;
        if (p) snprintf(t->last_user, sizeof t->last_user, "%.*s", STR_ARG(p->user));
        if (t->fails_after && i == t->fails_after) return err_set(e, ERR_IO, "out of words");
        if (!sink->wanted(sink->arg)) return true;
        const char *text = again ? t->then : t->say[at % t->says];
        Reply r = {.index = at, .text = str_of(text), .cut = t->cut, .tokens = 10, .schedule = ""};
        t->gave++;
        sink->grew(sink->arg, 10);
        if (!sink->reply(sink->arg, &r)) return true;
        if (t->pause > 0) usleep((useconds_t)(t->pause * 1e6));
    }
    return true;
}

static inline Smith speaker(Script *t) {
    return (Smith){.name = "speaker", .takes_prompt = true, .slow = true, .draft = recite, .state = t};
}
