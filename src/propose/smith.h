// smith.h - proposers: something that, asked for an op, writes kernel files. A smith sees what an op computes
// and its shapes, or a prompt that says so; it knows nothing of how the referee judges. One interface for the
// grammar smith, models that run here, models that run elsewhere, and programs. smith.def is the table of
// kinds.
#pragma once
#include "op/op.h"

enum {
    REPLY_MAX = 1 << 20, // bytes of one reply; what is longer is cut and counts as cut by the limit
    STOPS_MAX = 8,
};

typedef struct {
    double temperature, top_p, min_p; // min_p 0: all
    int top_k;                        // 0: all
    int max_tokens;
    Str stop[STOPS_MAX]; // strings that end a reply
    int stops;
} ReplySettings;

// What a model is asked. Made by prompt.h.
typedef struct {
    Str system; // p == NULL: no system turn
    Str user;
    Str raw; // p != NULL: the whole text for a model that runs here, control tokens and all; its own chat
             // template stays unused. Models elsewhere get the turns.
    char sha256[65]; // of all three
} Prompt;

// A draft that is asked for again: its own number, and a question that says what was wrong with it.
typedef struct {
    int index;
    Prompt prompt;
} Retry;

typedef struct {
    int64_t m, n; // the shape to optimise for; 0: the headline shape
    uint64_t seed;
    int first, count;     // drafts `first` to `first + count - 1`
    const char *flaw;     // NULL, or a name of flaw.def: plausible kernels that are wrong in this way
    const Prompt *prompt; // of a smith that takes_prompt
    const Retry *retry;   // NULL, or [count] for a smith that takes_prompt: in place of `first` and `prompt`
    ReplySettings settings;
} SmithRequest;

// The number and the question of the i-th draft of a request.
static inline int smith_index(const SmithRequest *q, int i) {
    return q->retry ? q->retry[i].index : q->first + i;
}
static inline const Prompt *smith_prompt(const SmithRequest *q, int i) {
    return q->retry ? &q->retry[i].prompt : q->prompt;
}

// One draft. Texts live during the call that hands it over.
typedef struct {
    int index;            // of those asked for, in any order, each at most once
    Str text;             // takes_prompt: what was said, to be read by extract.h; else a kernel file
    bool cut;             // by the token limit
    int tokens;           // of the reply; 0: nobody counted
    const char *schedule; // how it works, a few words: "looped, 2 passes, block 1024"; "" when unknown
    const char *flaw;     // the mistake it was asked to make; NULL: none
} Reply;

// Where drafts go. All calls come from the thread that asked.
typedef struct {
    // Whether more is wanted. A smith asks at least ten times a second; on false it stops soon and returns
    // true. Drafts that are not finished by then are lost.
    bool (*wanted)(void *arg);
    void (*grew)(void *arg, int tokens);      // so many more tokens of any draft; for the display
    bool (*reply)(void *arg, const Reply *r); // a finished draft; false: as wanted
    // May be NULL: for the person who watches, what has been waited for in silence for a while.
    void (*waits)(void *arg, const char *sentence);
    void *arg;
} SmithSink;

typedef struct Smith Smith;
struct Smith {
    const char *name;    // "grammar", or what stood behind --smith
    const char *profile; // the prompts it was made for, by name; NULL: no opinion
    bool takes_prompt;   // false: it reads the op itself
    bool slow;           // a draft takes long: judging begins while it writes
    // Hands over up to q->count drafts; fewer when it has no more ideas. The same seed, prompt and index give
    // the same draft wherever that is in its power. False: the reason, and what was handed over is good all
    // the same; ERR_INPUT or ERR_LIMIT when this op is beyond it, ERR_IO when the smith is in trouble.
    bool (*draft)(Smith *s, const Op *op, const SmithRequest *q, const SmithSink *sink, Err *e);
    void (*close)(Smith *s); // may be NULL
    // What stands behind the name, as 64 hexadecimal digits: the same path may hold another model tomorrow.
    // NULL: that cannot be seen from here.
    void (*identify)(Smith *s, char out[65]);
    const char *warning; // for whoever chose it; NULL: none
    void *state;
};

typedef struct {
    const char *adapter; // --adapter, for a model that runs here; NULL: none
    const char *kv;      // --kv, for a model that runs here: f16 or f32; NULL: f16
    const char
        *chat;   // --chat-family, for a model that runs here: a name of text/chat.def; NULL: as its files say
    int timeout; // seconds without a sign of life from what runs elsewhere; 0: 120
} SmithOptions;

// By the text behind --smith; options may be NULL. ERR_USAGE lists what is known. A smith may start threads
// and processes: open it after the referee.
MUST_CHECK bool smith_open(Arena *a, const char *which, const SmithOptions *o, Smith **out, Err *e);
void smith_close(Smith *s); // NULL is allowed
// The rows of smith.def: how it is spelled and what it is. False at the end.
bool smith_kind(int i, const char **spelling, const char **words);

// A proposal that nobody judges: kernels of replies, all at once.
typedef struct {
    Str source;           // a kernel file
    const char *schedule; // "" when unknown
    const char *flaw;     // NULL: none
} Proposal;
// Up to q->count proposals in order of their index; replies without a kernel are left out.
MUST_CHECK bool smith_propose(Smith *s, Arena *a, const Op *op, const SmithRequest *q, Proposal *out,
                              int *written, Err *e);

// Drops proposals whose canonical program (lang/ast.h, print_canonical) was seen before; keeps order. A
// source that does not parse counts by its text. Returns how many stay.
int smith_distinct(Arena *a, Proposal *p, int n);
