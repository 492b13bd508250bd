// held_out.h - which programs train and which test: the list of what is held out (op/suite/held_out.txt, or a
// file of the user's), and a share of structures that only measures.
#pragma once
#include "cases/draw.h"
#include "store/store.h"

typedef enum { SPLIT_TRAIN, SPLIT_VALIDATION, SPLIT_TEST, SPLITS } Split;
extern const char *const split_name[SPLITS]; // "train", "validation", "test"

enum { HELD_OUT_MAX = 256 };
typedef enum { HELD_CHAIN, HELD_EPILOGUE, HELD_SCHEDULE } HeldKind;
typedef struct {
    HeldKind kind;
    Str text; // the line, for people
    Str name; // of the epilogue or schedule
    bool residual;
    int norm, epilogue; // numbers of op/suite.h; epilogue -1: none
    int dtype;          // -1: all
} HeldOut;
typedef struct {
    HeldOut at[HELD_OUT_MAX];
    int n;
} HeldOutList;
// NULL: the built-in list. ERR_INPUT names the line that cannot be read.
MUST_CHECK bool held_out_read(Arena *a, const char *path, HeldOutList *out, Err *e);
// The first line that holds a program back, or NULL.
const HeldOut *held_out_by(const HeldOutList *list, const Op *op, const DrawFilter *filter, Str schedule);
// Where a program goes that nothing holds back: all programs of one structure go to one place.
Split split_of(const StoredProgram *p, double validation);
