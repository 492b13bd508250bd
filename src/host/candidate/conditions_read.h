// conditions_read.h - the tree of a kernel, read for what launch_conditions.c asks of it in each launch. A
// search launches a kernel thousands of times, and most of a kernel is about tensors: names become places in
// a list, and what can neither be a whole number nor be noted is known to be so.
#pragma once
#include "host/candidate/launch_conditions.h"

typedef enum {
    CALL_OTHER,
    CALL_TO,
    CALL_NUM_PROGRAMS,
    CALL_PROGRAM_ID,
    CALL_ARANGE,
    CALL_ABS,
    CALL_CDIV,
    CALL_MIN,
    CALL_MAX,
} Callee;

// An expression. Its parts are in the order of node_each_child().
typedef struct Part Part;
struct Part {
    const Node *n;
    Part *part;
    int parts;
    int name;      // of a NAME: its place in Conditions.name; -1: nothing binds it
    Callee callee; // of a CALL
    bool member;   // the same: of what is an attribute
    int bits;      // x.to(tl.int64): 64
    bool knows;    // it may be a whole number that is known
    bool notes;    // asking for that number may note something
    bool ranges;   // it may be a range
    bool looks;    // it, or something in it, is worth a look
};
enum { LEFT, RIGHT, FUNC = 0, ARGS, COND = 1 }; // operands of a COMPARE, BINARY; CALL; IFEXP

typedef struct {
    int name;
    bool whole; // all of the statement's value; otherwise a part of it, or what is not known
} Bind;

typedef struct Step Step;
typedef struct {
    Step *at;
    int n;
} Steps;
struct Step { // a statement
    const Node *n;
    Part value; // or a condition, or what a loop goes through. n: NULL where there is none
    Bind *bind;
    int binds;
    Steps then, otherwise;
};

// A name that is bound to a whole number which is known; one that is bound to something else is there, too.
typedef struct {
    bool there, known;
    int bits;
    int64_t value; // if not known, and not 0: all numbers below it
    // What that number is made of: 1 + the place of a parameter, or ORIGIN_GRID + an axis, and a constant
    // more. 0: not known.
    int of;
    int64_t plus;
} Named;
enum { ORIGIN_GRID = 1 << 16 };

struct Conditions {
    const Node *kernel;
    Str *name;           // the parameters come first
    bool *maybe, *range; // of each: it may be known, it may be a range
    Named *now;          // of each, in the present launch
    int names, cap;
    Steps body;
    // Of the launch that was seen last: for each axis of its grid 1 + the parameter that gets the same
    // number, or 0.
    const Node *call;
    int same[3];
    Conditions *next;
};
