#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
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

bool options_parse(int argc, char **argv, const Option *options, int count, Positionals *rest, Err *e) {
    *rest = (Positionals){0};
    bool only_positionals = false;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        if (only_positionals || arg[0] != '-' || arg[1] == '\0') {
            if (rest->n == POSITIONALS_MAX)
                return err_set(e, ERR_USAGE, "one argument too many: \"%s\"", arg);
            rest->at[rest->n++] = arg;
            continue;
        }
        if (strcmp(arg, "--") == 0) {
            only_positionals = true;
            continue;
        }
        size_t len = strcspn(arg, "=");
        const Option *o = NULL;
        for (int k = 0; k < count && !o; k++)
            if (strlen(options[k].name) == len && strncmp(options[k].name, arg, len) == 0) o = &options[k];
        if (!o) return err_set(e, ERR_USAGE, "no option %s", arg);
        if (o->kind == OPTION_FLAG) {
            if (arg[len]) return err_set(e, ERR_USAGE, "%s takes no value", o->name);
            *(bool *)o->out = true;
            continue;
        }
        const char *value = arg[len] ? arg + len + 1 : i + 1 < argc ? argv[++i] : NULL;
        if (!value) return err_set(e, ERR_USAGE, "%s needs a value", o->name);
        if (!option_value(o, value, e)) return false;
    }
    return true;
}
