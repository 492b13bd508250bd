// cmd.h - verbs. One verb, one file, one row of cmd.def; the only place that prints results and picks exit
// codes.
#pragma once
#include "base/str.h"

enum { EXIT_OK = 0, EXIT_REJECTED = 1, EXIT_USAGE = 2, EXIT_WORLD = 3, EXIT_UNDECIDED = 4 };

#define CMD(verb, args, doc) int cmd_##verb(int argc, char **argv);
#include "cmd/cmd.def"
#undef CMD

// Options of one verb: a table, filled in place. Everything else is a positional argument.
typedef enum {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_TEXTS,
    OPTION_COUNT,
    OPTION_SEED,
    OPTION_SHAPE,
    OPTION_NUMBER
} OptionKind;
typedef struct {
    const char *name; // "--seed"; also matches "--seed=S"
    OptionKind kind;
    void *out; // bool, const char *, Texts, int (1 to 1,000,000), Seed, Shape, Number
} Option;
enum { TEXTS_MAX = 8 };
typedef struct {
    const char *at[TEXTS_MAX]; // of an option that may stand there several times
    int n;
} Texts;
typedef struct {
    bool given;
    uint64_t value; // below 2^63
} Seed;
typedef struct {
    int64_t m, n; // 0: not given
} Shape;
typedef struct {
    bool given;
    double value; // 0 to 1,000,000
} Number;
enum { POSITIONALS_MAX = 2 };
typedef struct {
    const char *at[POSITIONALS_MAX];
    int n;
} Positionals;
MUST_CHECK bool option_value(const Option *o, const char *value, Err *e); // one value, validated by its kind
MUST_CHECK bool options_parse(int argc, char **argv, const Option *options, int count, Positionals *rest,
                              Err *e);

// Prints "ouroboros VERB: message" on standard error; the exit code that its kind asks for.
int cmd_fail(const char *verb, const Err *e);
int cmd_usage(const char *verb, const char *why);
