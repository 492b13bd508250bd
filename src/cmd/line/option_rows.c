#include "cmd/line/option_rows.h"

#include "cmd/line/cmd.h"

static const VerbRow verb_row[] = {
#define CMD(verb, usage, doc) {#verb, NULL, usage, doc, cmd_##verb},
#include "cmd/line/cmd.def"
};
static const ArgumentRow arguments[] = {
#define ARGUMENT(verb, name, least, most, doc) {#verb, name, least, most, doc},
#include "cmd/line/cmd.def"
};
static const OptionRow options[] = {
#define OPTION(names, value, initial, verbs, help) {names, value, initial, verbs, help},
#include "cmd/line/option.def"
};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments, OPTIONS = sizeof options / sizeof *options };

// ---- verbs

const VerbRow *verb_rows(void) {
    enum { LONGEST = 24 };
    static VerbRow named[VERBS];
    static char name[VERBS][LONGEST];
    for (int i = 0; i < VERBS && !named[i].name; i++) {
        named[i] = verb_row[i];
        snprintf(name[i], LONGEST, "%s", verb_row[i].id);
        for (char *p = name[i]; *p; p++)
            if (*p == '_') *p = ' ';
        named[i].name = name[i];
    }
    return named;
}

const VerbRow *verb_named(const char *name) {
    const VerbRow *v = verb_rows();
    for (int i = 0; i < VERBS; i++)
        if (strcmp(v[i].name, name) == 0) return &v[i];
    return NULL;
}

const VerbRow *verb_of_words(int n, char **word, int *taken) {
    const VerbRow *v = verb_rows();
    for (int i = 0; i < VERBS; i++) {
        const char *at = v[i].name;
        bool same = true;
        int k = 0;
        for (Str part; same && row_word(&at, ' ', &part); k++) same = k < n && str_is(part, word[k]);
        if (same) return *taken = k, &v[i];
    }
    return NULL;
}

bool verb_in_group(const VerbRow *v, Str group) {
    return strlen(v->name) > group.len && memcmp(v->name, group.p, group.len) == 0 &&
           v->name[group.len] == ' ';
}

bool verb_is_group(Str word) {
    const VerbRow *v = verb_rows();
    for (int i = 0; i < VERBS; i++)
        if (verb_in_group(&v[i], word)) return true;
    return false;
}

// ---- arguments and options

const ArgumentRow *argument_row(const VerbRow *v, int i) {
    for (int k = 0; k < ARGUMENTS; k++)
        if (strcmp(arguments[k].verb, v->id) == 0 && i-- == 0) return &arguments[k];
    return NULL;
}

bool row_word(const char **at, char between, Str *out) {
    while (**at == between) ++*at;
    const char *from = *at;
    while (**at && **at != between) ++*at;
    *out = (Str){from, (size_t)(*at - from)};
    return out->len > 0;
}

bool option_for_all(const OptionRow *o) { return strcmp(o->verbs, "*") == 0; }

bool option_is_for(const OptionRow *o, const VerbRow *v) {
    const char *at = o->verbs;
    for (Str word; row_word(&at, ' ', &word);)
        if (str_is(word, v->id)) return true;
    return option_for_all(o);
}

const OptionRow *option_row(const VerbRow *v, int i) {
    for (int k = 0; k < OPTIONS; k++)
        if (option_is_for(&options[k], v) && i-- == 0) return &options[k];
    return NULL;
}

static bool has_name(const OptionRow *o, Str name) {
    const char *at = o->names;
    for (Str word; row_word(&at, ' ', &word);)
        if (str_eq(word, name)) return true;
    return false;
}

const OptionRow *option_named(const VerbRow *v, Str name) {
    for (int k = 0; k < OPTIONS; k++)
        if (option_is_for(&options[k], v) && has_name(&options[k], name)) return &options[k];
    return NULL;
}

const OptionRow *option_anywhere(Str name) {
    for (int k = 0; k < OPTIONS; k++)
        if (has_name(&options[k], name)) return &options[k];
    return NULL;
}

bool option_repeats(const OptionRow *o) { return str_ends(str_of(o->value), "..."); }

bool value_is_choice(const char *value) { return strchr(value, '|') != NULL; }

ValueKind value_kind(const char *value) {
    static const struct {
        const char *value;
        ValueKind kind;
    } known[] = {{"OP", VALUE_OP},     {"SET", VALUE_OP},    {"FILE", VALUE_FILE},     {"DIR", VALUE_DIR},
                 {"PATH", VALUE_FILE}, {"VERB", VALUE_VERB}, {"OUT.gguf", VALUE_FILE}, {"SMITH", VALUE_FILE}};
    if (value_is_choice(value)) return VALUE_CHOICE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].value, value) == 0) return known[i].kind;
    return VALUE_ANY;
}

// ---- exit codes

bool exit_row(int i, int *code, const char **means) {
    static const struct {
        int code;
        const char *means;
    } rows[] = {{EXIT_OK, "done, or accepted"},
                {EXIT_REJECTED, "rejected, or nothing was accepted"},
                {EXIT_USAGE, "the command line is wrong"},
                {EXIT_WORLD, "a file, a limit or the system is in the way"},
                {EXIT_UNDECIDED, "undecided"}};
    if (i < 0 || (size_t)i >= sizeof rows / sizeof *rows) return false;
    *code = rows[i].code;
    *means = rows[i].means;
    return true;
}
