#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/suggest.h"
#include "cmd/line/cmd.h"
#include "cmd/line/color.h"
#include "cmd/line/option_rows.h"
#include "service/request.h"

static bool parse_number(const char *s, uint64_t max, uint64_t *out) {
    if (*s < '0' || *s > '9') return false;
    char *end;
    errno = 0;
    *out = strtoull(s, &end, 10);
    return errno == 0 && *end == '\0' && *out <= max;
}

static bool parse_decimal(const char *s, double max, double *out) {
    if (*s < '0' || *s > '9') return false;
    char *end;
    *out = strtod(s, &end);
    return *end == '\0' && *out <= max;
}

bool option_value(const Option *o, const char *value, Err *e) {
    enum { COUNT_MAX = 1000000 };
    uint64_t number;
    switch (o->kind) {
    case OPTION_FLAG: break;
    case OPTION_TEXT: *(const char **)o->out = value; return true;
    case OPTION_TEXTS: {
        Texts *t = o->out;
        if (t->n == TEXTS_MAX) return err_set(e, ERR_USAGE, "%s: at most %d of them", o->name, TEXTS_MAX);
        t->at[t->n++] = value;
        return true;
    }
    case OPTION_COUNT:
        if (!parse_number(value, COUNT_MAX, &number) || number == 0)
            return err_set(e, ERR_USAGE, "%s needs a number from 1 to %d, not \"%s\"", o->name, COUNT_MAX,
                           value);
        *(int *)o->out = (int)number;
        return true;
    case OPTION_SEED:
        if (!parse_number(value, INT64_MAX, &number))
            return err_set(e, ERR_USAGE, "%s needs a number from 0 to 2^63 - 1, not \"%s\"", o->name, value);
        *(Seed *)o->out = (Seed){true, number};
        return true;
    case OPTION_NUMBER: {
        Number *n = o->out;
        n->given = true;
        if (!parse_decimal(value, COUNT_MAX, &n->value))
            return err_set(e, ERR_USAGE, "%s needs a number from 0 to %d, such as 0.7, not \"%s\"", o->name,
                           COUNT_MAX, value);
        return true;
    }
    case OPTION_SHAPE:
        if (!filter_shape(str_of(value), &((Shape *)o->out)->m, &((Shape *)o->out)->n))
            return err_set(e, ERR_USAGE,
                           "%s needs ROWSxCOLUMNS, such as 8192x4096, each at most 1048576, not \"%s\"",
                           o->name, value);
        return true;
    }
    return true;
}

// ---- the rows of a verb

// The argument's name, without "=VALUE".
static Str name_of(const char *arg) { return (Str){arg, strcspn(arg, "=")}; }

static bool is_option(const char *arg) { return arg[0] == '-' && arg[1] != '\0'; }

// "it is one of mint, eval": the verbs that have an option of this name.
static const char *owners(Arena *a, Str name) {
    Buf out = BUF(a);
    const VerbRow *v = verb_rows();
    for (int i = 0; i < VERBS; i++)
        if (option_named(&v[i], name)) buf_printf(&out, "%s%s", out.len ? ", " : "it is one of ", v[i].name);
    return buf_cstr(&out);
}

static bool refuse_unknown(const VerbRow *v, Str name, Err *e) {
    Arena a = {0};
    const OptionRow *other = option_anywhere(name), *row;
    Nearest near = nearest_to(name);
    for (int i = 0; (row = option_row(v, i)); i++) {
        const char *at = row->names;
        for (Str word; row_word(&at, ' ', &word);) nearest_offer(&near, word);
    }
    const char *words = nearest_words(&a, &near);
    if (other && !near.best.len)
        err_record(e, ERR_USAGE, "no option %.*s; %s", STR_ARG(name), owners(&a, name));
    else
        err_record(e, ERR_USAGE, "no option %.*s%s", STR_ARG(name), words);
    arena_free(&a);
    return false;
}

// A value that is one of a few words.
static bool check_choice(const OptionRow *row, Str name, const char *value, Err *e) {
    const char *at = row->value;
    Nearest near = nearest_to(str_of(value));
    Arena a = {0};
    Buf all = BUF(&a);
    for (Str word; row_word(&at, '|', &word);) {
        if (str_is(word, value)) return arena_free(&a), true;
        nearest_offer(&near, word);
        const char *between = !all.len ? "" : *at ? ", " : " or ";
        buf_printf(&all, "%s%.*s", between, STR_ARG(word));
    }
    err_record(e, ERR_USAGE, "%.*s is %s, not \"%s\"%s", STR_ARG(name), buf_cstr(&all), value,
               nearest_words(&a, &near));
    arena_free(&a);
    return false;
}

static bool check_count(const VerbRow *v, const Positionals *rest, Err *e) {
    int least = 0, most = 0;
    const ArgumentRow *row;
    for (int i = 0; (row = argument_row(v, i)); i++) {
        least += row->least;
        most += row->most;
        if (rest->n < least) return err_set(e, ERR_USAGE, "%s is missing: %s", row->name, row->help);
    }
    return rest->n <= most || err_set(e, ERR_USAGE, "one argument too many: \"%s\"", rest->at[most]);
}

// Where the option goes: by the first of its names.
static const Option *target_of(const OptionRow *row, const Option *options, int count) {
    Str first = {row->names, strcspn(row->names, " ")};
    for (int i = 0; i < count; i++)
        if (str_is(first, options[i].name)) return &options[i];
    return NULL;
}

// ---- the command line

enum { SEEN_MAX = 64 };
typedef struct {
    const VerbRow *verb;
    const Option *options;
    int count;
    const OptionRow *seen[SEEN_MAX]; // of those that count once
    int seens;
} Parser;

// Options of all verbs have no target; those of this verb have one, of a kind that fits.
static bool rows_have_targets(const Parser *p) {
    const OptionRow *row;
    int n = 0;
    for (int i = 0; (row = option_row(p->verb, i)); i++) {
        const Option *to = target_of(row, p->options, p->count);
        if (option_for_all(row)) continue;
        if (!to || (to->kind == OPTION_FLAG) != !*row->value) return false;
        if ((to->kind == OPTION_TEXTS) != option_repeats(row)) return false;
        n++;
    }
    return n == p->count;
}

static bool once(Parser *p, const OptionRow *row, const char *arg, Err *e) {
    for (int i = 0; i < p->seens; i++)
        if (p->seen[i] == row) return err_set(e, ERR_USAGE, "%.*s is given twice", STR_ARG(name_of(arg)));
    assert(p->seens < SEEN_MAX);
    p->seen[p->seens++] = row;
    return true;
}

// One option; *i is moved to its value, if that stands behind it.
static bool parse_option(Parser *p, int argc, char **argv, int *i, Err *e) {
    const char *arg = argv[*i];
    Str name = name_of(arg);
    const OptionRow *row = option_named(p->verb, name);
    if (!row) return refuse_unknown(p->verb, name, e);
    const Option *to = target_of(row, p->options, p->count);
    if (!*row->value) {
        if (arg[name.len]) return err_set(e, ERR_USAGE, "%.*s takes no value", STR_ARG(name));
        if (to) *(bool *)to->out = true;
        return true;
    }
    const char *value = arg[name.len] ? arg + name.len + 1 : *i + 1 < argc ? argv[++*i] : NULL;
    if (!value) return err_set(e, ERR_USAGE, "%.*s needs a value: %s", STR_ARG(name), row->value);
    if (!option_repeats(row) && !once(p, row, arg, e)) return false;
    if (value_is_choice(row->value) && !check_choice(row, name, value, e)) return false;
    if (option_for_all(row)) return color_choose(value), true;
    assert(to);
    return option_value(to, value, e);
}

bool options_parse(const CommandLine *line, const Option *options, int count, Positionals *rest, Err *e) {
    int argc = line->argc;
    char **argv = line->argv;
    Parser p = {.verb = verb_named(line->verb), .options = options, .count = count};
    bool only_positionals = false;
    rest->n = 0;
    if (!rows_have_targets(&p))
        return err_set(e, ERR_USAGE,
                       "its rows in option.def and its targets differ: a mistake of the program");
    for (int i = 0; i < argc; i++) {
        if (!only_positionals && strcmp(argv[i], "--") == 0) {
            only_positionals = true;
        } else if (!only_positionals && is_option(argv[i])) {
            if (!parse_option(&p, argc, argv, &i, e)) return false;
        } else {
            if (rest->n == POSITIONALS_MAX)
                return err_set(e, ERR_USAGE, "more than %d arguments", POSITIONALS_MAX);
            rest->at[rest->n++] = argv[i];
        }
    }
    return check_count(p.verb, rest, e);
}

Asked options_asked(const char *verb, int argc, char **argv) {
    const VerbRow *v = verb_named(verb);
    Asked asked = {0};
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!is_option(argv[i])) continue;
        Str name = name_of(argv[i]);
        const OptionRow *row = option_named(v, name);
        if (!row) continue;
        asked.help |= str_is(name, "--help") || str_is(name, "-h");
        asked.version |= str_is(name, "--version");
        asked.json |= str_is(name, "--json");
        if (*row->value && !argv[i][name.len]) i++; // its value
    }
    return asked;
}
