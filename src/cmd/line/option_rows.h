// option_rows.h - the rows of cmd.def and option.def, for whoever reads the command line or explains it.
#pragma once
#include "base/str.h"
#include <stdio.h>

typedef struct {
    const char *id;           // "model_info"
    const char *name;         // "model info"
    const char *usage, *does; // usage: lines
    int (*run)(int argc, char **argv);
} VerbRow;
enum {
#define CMD(verb, usage, doc) VERB_##verb,
#include "cmd/line/cmd.def"
    VERBS
};
const VerbRow *verb_rows(void); // VERBS of them
const VerbRow *verb_named(const char *name);
// The verb that the words begin with, and how many of them it takes; NULL: none.
const VerbRow *verb_of_words(int n, char **word, int *taken);
bool verb_in_group(const VerbRow *v, Str group); // "model info" is in "model"
bool verb_is_group(Str word);

typedef struct {
    const char *verb, *name;
    int least, most;
    const char *help;
} ArgumentRow;
// The i-th argument of a verb; NULL behind the last.
const ArgumentRow *argument_row(const VerbRow *v, int i);

typedef struct {
    const char *names, *value, *initial, *verbs, *help;
} OptionRow;
// The i-th option of a verb, those of all verbs last; NULL behind the last.
const OptionRow *option_row(const VerbRow *v, int i);
// A verb's option by one of its names; NULL: it has none.
const OptionRow *option_named(const VerbRow *v, Str name);
// Some option of that name, of any verb.
const OptionRow *option_anywhere(Str name);
bool option_is_for(const OptionRow *o, const VerbRow *v);
bool option_for_all(const OptionRow *o);
bool option_repeats(const OptionRow *o); // may be given several times
// The next of names or values, which have `between` between them; false behind the last.
bool row_word(const char **at, char between, Str *out);
// Whether a value is one of a few words, to be read with row_word(&value, '|', ...).
bool value_is_choice(const char *value);
// What a value or argument stands for, for completion.
typedef enum { VALUE_ANY, VALUE_CHOICE, VALUE_OP, VALUE_FILE, VALUE_DIR, VALUE_VERB } ValueKind;
ValueKind value_kind(const char *value);

// The documented exit codes, in order; false behind the last.
bool exit_row(int i, int *code, const char **means);
