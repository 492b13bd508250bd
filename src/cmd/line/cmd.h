// cmd.h - verbs. One verb, one file, one row of cmd.def; the only place that prints results and picks exit
// codes.
#pragma once
#include "base/str.h"

enum { EXIT_OK = 0, EXIT_REJECTED = 1, EXIT_USAGE = 2, EXIT_WORLD = 3, EXIT_UNDECIDED = 4 };

#define CMD(verb, usage, doc) int cmd_##verb(int argc, char **argv);
#include "cmd/line/cmd.def"

// Where the options of one verb go: each of its rows in option.def has one. What stands without an option is
// a positional argument.
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
    const char *name; // the first of the row's names; "--seed S" and "--seed=S" are the same
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
enum { POSITIONALS_MAX = 1000 };
typedef struct {
    const char *at[POSITIONALS_MAX];
    int n;
} Positionals;
MUST_CHECK bool option_value(const Option *o, const char *value, Err *e); // one value, validated by its kind
typedef struct {
    const char *verb;
    int argc;
    char **argv; // behind the verb
} CommandLine;
// As many positional arguments as the verb's rows in cmd.def ask for. --color is heard here, for all verbs.
MUST_CHECK bool options_parse(const CommandLine *line, const Option *options, int count, Positionals *rest,
                              Err *e);
// What is known before anything is checked: --help and --version are heard everywhere, and where the verb has
// --json, errors are JSON, too.
typedef struct {
    bool help, version, json;
} Asked;
Asked options_asked(const char *verb, int argc, char **argv);

// Prints "ouroboros VERB: message" on standard error, with --json also {"error":{"kind","message"}} on
// standard output; the exit code that its kind asks for.
int cmd_fail(const char *verb, const Err *e);
// The same where --json may print several lines: only says it, without where to read more.
void cmd_say(const char *verb, const Err *e);
int cmd_usage(const char *verb, const char *why);
