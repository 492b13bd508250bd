// remote.h - replies of servers that speak the OpenAI chat API, as they arrive in pieces: server-sent events,
// or one JSON object. Pure functions, for the transport (remote.c), tests and fuzzing. Any bytes are allowed.
#pragma once
#include "propose/smith.h"

enum {
    REMOTE_BYTES_MAX = 64 << 20, // of one response
    REMOTE_LINE_MAX = 8 << 20,   // of one event
};

typedef struct {
    Buf text;
    bool done;  // it has a finish_reason
    bool cut;   // which is "length", or the text is longer than REPLY_MAX
    int pieces; // in which it came: about as many as tokens
    bool taken; // by the reader of this struct
} Choice;

typedef struct {
    Arena *arena;
    bool events; // server-sent events; otherwise one JSON object
    bool known;  // which of them: the first bytes have said so
    int marked;  // bytes of a byte order mark before them
    size_t held; // bytes of "data:" so far, while they are not known
    Choice *choice;
    int asked;
    Buf line;  // the line that is not whole yet; without events: everything
    Buf event; // its data lines so far
    size_t bytes;
    bool done;  // "[DONE]" came
    int tokens; // "usage" says so; -1: it does not
} Answer;

// events: what the server says; how the response begins goes before that.
void answer_begin(Answer *s, Arena *a, int asked, bool events);
// ERR_INPUT or ERR_LIMIT: the response is broken from here on; choices that are done stay good. ERR_IO: the
// server tells of an error.
MUST_CHECK bool answer_feed(Answer *s, Str bytes, Err *e);
MUST_CHECK bool answer_end(Answer *s, Err *e); // the response is over
// The message in the body of an error: error.message, error, message or detail of a JSON object, else the
// text itself, on one line.
const char *answer_error(Arena *a, Str body);

// "https://host/v1#model": where to ask, and for what. A path that does not end in /chat/completions is
// completed; none at all becomes /v1/chat/completions.
typedef struct {
    const char *url, *model;
    bool https, loopback;
} Endpoint;
MUST_CHECK bool endpoint_read(Arena *a, const char *which, Endpoint *out, Err *e);
