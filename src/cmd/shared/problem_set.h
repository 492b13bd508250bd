// problem_set.h - the problems of a folder as KernelBench has them: a folder for each level, in it one
// reference in module form a file.
#pragma once
#include "mint/evaluation.h"

enum { PROBLEMS_MAX = 4096 };
typedef struct {
    const char *dir, *globs; // globs: of LEVEL/NAME without .py, with commas between; NULL: all
    Service *service;
    DomainAsked domain;
    void (*read)(void *arg, int done, int all); // how many have been read
    void *arg;
    EvaluationOp *row; // what came of it: in order of level, then number
    int rows;
} ProblemSet;
// What no program can be judged by is a row that says why. ERR_USAGE where nothing is there.
MUST_CHECK bool problem_set_read(Arena *a, ProblemSet *set, Err *e);
