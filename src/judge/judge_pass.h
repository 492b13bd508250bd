// judge_pass.h - one program on the cases of one draw: a child, and what is decided of what it has written.
#pragma once
#include "judge/judge.h"
#include "judge/shapes/asked_ahead.h"

typedef struct {
    int tune;     // which turn of the configs comes next
    int configs;  // of the kernel with most of them, as the child tells it
    Ahead *ahead; // not NULL: its child has the cases, too, unless it has run
} Passes;

// One pass over the cases of b->draw; calls of one object are drawn for a program that keeps something
// between them. False where the world failed.
MUST_CHECK bool judge_pass(Candidates *b, size_t i, Verdict *v, Passes *had, Err *e);
