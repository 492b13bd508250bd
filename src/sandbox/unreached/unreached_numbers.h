// unreached_numbers.h - the numbers of what a file may leave out: statements, parts of expressions,
// comparisons, expressions that are asked for their truth. Two reports of one file can be put together by
// them. Private to unreached.c.
#pragma once
#include "sandbox/unreached/unreached.h"

enum { TRUTHS_MAX = UNREACHED_MAX / 2, TABLES_MAX = 64 };
typedef struct {
    const Cover *cover;
    Str source;
    Unreached *out;
    // By their place in the source: the number of a statement, a part of an expression or a comparison,
    // from 1.
    uint16_t *leaves, *parts, *compares;
    struct {
        const Node *node;
        unsigned number; // the first of its two
    } truth[TRUTHS_MAX]; // expressions that are asked for their truth
    int truths;
    struct {
        const Node *node; // what is looked up in: a dictionary, a list or a tuple
        unsigned number;  // of its first entry; those of the others follow
    } table[TABLES_MAX];
    int tables;
    bool mixes; // some arithmetic may (FACT_MIXED)
    unsigned numbered;
    bool kernel, kernels; // within one; their arithmetic gets its numbers now
} UnreachedNumbers;
// What no call has come to is set in out->idle.
void numbers_give(Arena *a, const Node *module, const Cover *c, Unreached *out, UnreachedNumbers *n);
// Of an expression that is asked for its truth: that it was never true; the next one: that it was never
// false. More than UNREACHED_MAX: there was no room for it.
unsigned numbers_truth(const UnreachedNumbers *n, const Node *of);

// That no key has met this entry of a table. More than UNREACHED_MAX: it has no number.
unsigned numbers_entry(const UnreachedNumbers *n, const Node *table, int entry);

// Keys of a dictionary, items of a list or tuple: what entries are known by.
const Nodes *table_entries(const Node *table);
// Whether a part of an expression was evaluated.
bool part_ran(const Cover *c, bool kernel, const Node *n, const Node *part);
// The last part of the name of what is called.
bool name_called(const Node *n, Str *name);
// What says by itself how it comes out: comparisons, and what is made of them.
bool node_has_ways(const Node *n);
// A call of a function or method of Python that gives True or False. What a function of the file gives shows
// there.
bool node_gives_truth(const Node *n);
