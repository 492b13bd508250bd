// knocked.h - who did the work: one launch of a call is made to leave other numbers than it has stored, and
// the call goes on. A result that is right all the same owes nothing to that launch: what it stored was
// overwritten, multiplied by zero, or not read (judge/own_work.h). What the launch has stored is also
// compared with what the call has without it: inputs, parameters, and what the library gave.
#pragma once
#include "host/python/interp.h"

enum { KNOCKED_MAX = 32, KNOCKED_TENSORS_MAX = 16 }; // launches of a call; tensors that one stores to

typedef struct {
    const Storage *storage;
    uint8_t *before; // its shadow before the launch, which then sets SHADOW_STORED anew
    uint8_t *stored; // of each element, whether the launch has stored it; NULL: it has stored none
    uint8_t *after;  // its bytes behind the launch, before they are changed
} KnockedTensor;

typedef struct Knocked {
    int which;        // the launch that is changed, from 0; the last number stands for all further ones
    int launches;     // so far
    Span at;          // of that launch in the source; len 0: it has not been made
    int64_t bytes;    // that it has loaded and stored
    bool replaceable; // all that it has stored is there without it
    KnockedTensor tensor[KNOCKED_TENSORS_MAX];
    int tensors;
} Knocked;

// Around a launch with such arguments. The first is for the tensors that it may store to.
void knocked_before(Interp *in, const Binding *b);
void knocked_after(Interp *in, Span at, const Counters *before);
// When the call is over: sets `replaceable`.
void knocked_end(Machine *m);
