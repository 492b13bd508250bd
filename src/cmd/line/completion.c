// Completion for bash, zsh and fish, from the rows of cmd.def and option.def.
#include "cmd/line/help.h"
#include "cmd/line/option_rows.h"

static const char ops_command[] = "ouroboros ops 2>/dev/null | sed -n 's/^\\([a-z][a-z0-9_]*\\) .*/\\1/p'";

// The first words of the verbs, each once.
static bool first_word(int i, Str *out) {
    const VerbRow *v = verb_rows();
    *out = (Str){v[i].name, strcspn(v[i].name, " ")};
    for (int k = 0; k < i; k++)
        if (str_eq((Str){v[k].name, strcspn(v[k].name, " ")}, *out)) return false;
    return true;
}

// What a menu has room for: the help up to where its first sentence, or the part before a semicolon, ends.
static const char *short_help(Arena *a, const char *help) {
    size_t n = strcspn(help, ";");
    const char *stop = strstr(help, ". ");
    if (stop && (size_t)(stop - help) < n) n = (size_t)(stop - help);
    return arena_printf(a, "%.*s", (int)n, help);
}

// "info, quantize": the verbs that begin with this word; of any other, what it does.
static const char *verb_words(Arena *a, const VerbRow *v, Str word) {
    if (!verb_is_group(word)) return v->does;
    Buf b = BUF(a);
    for (int k = 0; k < VERBS; k++)
        if (verb_in_group(&verb_rows()[k], word))
            buf_printf(&b, "%s%s", b.len ? ", " : "", verb_rows()[k].name + word.len + 1);
    return buf_cstr(&b);
}

static Str choice_words(Arena *a, const char *value) {
    Buf b = BUF(a);
    for (Str word; row_word(&value, '|', &word);) buf_printf(&b, "%s%.*s", b.len ? " " : "", STR_ARG(word));
    return buf_str(&b);
}

// ---- bash

static void bash_values(Buf *out, const char *value) {
    switch (value_kind(value)) {
    case VALUE_CHOICE: {
        Str words = choice_words(out->arena, value);
        buf_printf(out, "COMPREPLY=($(compgen -W '%.*s' -- \"$cur\"))", STR_ARG(words));
        break;
    }
    case VALUE_OP:
        buf_puts(out,
                 "COMPREPLY=($(compgen -W \"$(_ouroboros_ops)\" -- \"$cur\") $(compgen -f -- \"$cur\"))");
        break;
    case VALUE_DIR: buf_puts(out, "COMPREPLY=($(compgen -d -- \"$cur\"))"); break;
    case VALUE_FILE: buf_puts(out, "COMPREPLY=($(compgen -f -- \"$cur\"))"); break;
    case VALUE_VERB: buf_puts(out, "COMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))"); break;
    case VALUE_ANY: buf_puts(out, "COMPREPLY=()"); break;
    }
}

static void bash_verb(Buf *out, const VerbRow *v) {
    const OptionRow *o;
    const ArgumentRow *a = argument_row(v, 0);
    buf_printf(out, "    '%s')\n        case $prev in\n", v->name);
    for (int i = 0; (o = option_row(v, i)); i++) {
        if (!*o->value) continue;
        const char *at = o->names;
        buf_puts(out, "        ");
        bool first = true;
        for (Str name; row_word(&at, ' ', &name); first = false)
            buf_printf(out, "%s%.*s", first ? "" : "|", STR_ARG(name));
        buf_puts(out, ") ");
        bash_values(out, o->value);
        buf_puts(out, "; return ;;\n");
    }
    buf_puts(out, "        esac\n        if [[ $cur == -* ]]; then\n            COMPREPLY=($(compgen -W '");
    for (int i = 0; (o = option_row(v, i)); i++) buf_printf(out, "%s%s", i ? " " : "", o->names);
    buf_puts(out, "' -- \"$cur\"))\n        else\n            ");
    bash_values(out, a ? a->name : "");
    buf_puts(out, "\n        fi ;;\n");
}

void completion_bash(Buf *out) {
    const VerbRow *v = verb_rows();
    buf_puts(out, "# bash completion for ouroboros: ouroboros help --completion bash\n");
    buf_printf(out, "_ouroboros_ops() { %s; }\n_ouroboros() {\n", ops_command);
    buf_puts(
        out,
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}\n"
        "    local verbs='");
    for (int i = 0; i < VERBS; i++) {
        Str word;
        if (first_word(i, &word)) buf_printf(out, "%s%.*s", i ? " " : "", STR_ARG(word));
    }
    buf_puts(out, "'\n    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                  "        COMPREPLY=($(compgen -W \"$verbs --help --version\" -- \"$cur\"))\n        "
                  "return\n    fi\n");
    for (int i = 0; i < VERBS; i++) {
        Str word;
        if (!first_word(i, &word) || !verb_is_group(word)) continue;
        buf_printf(out,
                   "    if [ \"$verb\" = %.*s ]; then\n        if [ \"$COMP_CWORD\" = 2 ]; then\n"
                   "            COMPREPLY=($(compgen -W '",
                   STR_ARG(word));
        bool first = true;
        for (int k = 0; k < VERBS; k++) {
            if (!verb_in_group(&v[k], word)) continue;
            buf_printf(out, "%s%s", first ? "" : " ", v[k].name + word.len + 1);
            first = false;
        }
        buf_puts(out, "' -- \"$cur\"))\n            return\n        fi\n"
                      "        verb=\"$verb ${COMP_WORDS[2]}\"\n    fi\n");
    }
    buf_puts(out, "    case $verb in\n");
    for (int i = 0; i < VERBS; i++) bash_verb(out, &v[i]);
    buf_puts(out, "    esac\n}\ncomplete -o filenames -F _ouroboros ouroboros\n");
}

// ---- zsh

// In single quotes, inside of an _arguments specification.
static void put_zsh(Buf *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'')
            buf_puts(out, "'\\''");
        else {
            if (strchr("[]:\\", *text)) buf_putc(out, '\\');
            buf_putc(out, *text);
        }
    }
}

static void zsh_values(Buf *out, const char *value) {
    buf_putc(out, ':');
    put_zsh(out, value_is_choice(value) ? "value" : value);
    buf_putc(out, ':');
    switch (value_kind(value)) {
    case VALUE_CHOICE: {
        Str words = choice_words(out->arena, value);
        buf_printf(out, "(%.*s)", STR_ARG(words));
        break;
    }
    case VALUE_OP: buf_puts(out, "_ouroboros_ops"); break;
    case VALUE_DIR: buf_puts(out, "_files -/"); break;
    case VALUE_FILE: buf_puts(out, "_files"); break;
    case VALUE_VERB: buf_puts(out, "_ouroboros_verbs"); break;
    case VALUE_ANY: buf_putc(out, ' '); break;
    }
}

static void zsh_verb(Buf *out, const VerbRow *v) {
    const OptionRow *o;
    const ArgumentRow *a;
    buf_printf(out, "    '%s')\n        _arguments -S", v->name);
    for (int i = 0; (o = option_row(v, i)); i++) {
        const char *at = o->names;
        for (Str name; row_word(&at, ' ', &name);) {
            buf_printf(out, " \\\n            '%s%.*s[", option_repeats(o) ? "*" : "", STR_ARG(name));
            put_zsh(out, short_help(out->arena, o->help));
            buf_putc(out, ']');
            if (*o->value) zsh_values(out, o->value);
            buf_putc(out, '\'');
        }
    }
    for (int i = 0; (a = argument_row(v, i)); i++) {
        buf_printf(out, " \\\n            '%s", a->most > 1 ? "*" : a->least ? "" : ":");
        zsh_values(out, a->name);
        buf_putc(out, '\'');
    }
    buf_puts(out, " ;;\n");
}

void completion_zsh(Buf *out) {
    const VerbRow *v = verb_rows();
    buf_puts(out, "#compdef ouroboros\n# zsh completion for ouroboros: ouroboros help --completion zsh\n");
    buf_printf(out, "_ouroboros_ops() { local -a ops; ops=(${(f)\"$(%s)\"}); compadd -a ops; _files; }\n",
               ops_command);
    buf_puts(out, "_ouroboros_verbs() {\n    local -a verbs\n    verbs=(\n");
    for (int i = 0; i < VERBS; i++) {
        Str word;
        if (!first_word(i, &word)) continue;
        buf_printf(out, "        '%.*s:", STR_ARG(word));
        put_zsh(out, verb_words(out->arena, &v[i], word));
        buf_puts(out, "'\n");
    }
    buf_puts(out, "    )\n    _describe verb verbs\n}\n_ouroboros() {\n"
                  "    if (( CURRENT == 2 )); then _ouroboros_verbs; return; fi\n"
                  "    local verb=$words[2]\n");
    for (int i = 0; i < VERBS; i++) {
        Str word;
        if (!first_word(i, &word) || !verb_is_group(word)) continue;
        buf_printf(out, "    if [[ $verb == %.*s ]]; then\n        if (( CURRENT == 3 )); then compadd",
                   STR_ARG(word));
        for (int k = 0; k < VERBS; k++)
            if (verb_in_group(&v[k], word)) buf_printf(out, " %s", v[k].name + word.len + 1);
        buf_puts(out, "; return; fi\n        verb=\"$verb $words[3]\"\n        shift words\n"
                      "        (( CURRENT-- ))\n    fi\n");
    }
    buf_puts(out, "    shift words\n    (( CURRENT-- ))\n    case $verb in\n");
    for (int i = 0; i < VERBS; i++) zsh_verb(out, &v[i]);
    buf_puts(out, "    esac\n}\n_ouroboros \"$@\"\n");
}

// ---- fish

static void put_fish(Buf *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') buf_putc(out, '\\');
        buf_putc(out, *text);
    }
}

static void fish_values(Buf *out, const char *value) {
    switch (value_kind(value)) {
    case VALUE_CHOICE: {
        Str words = choice_words(out->arena, value);
        buf_printf(out, " -f -a '%.*s'", STR_ARG(words));
        break;
    }
    case VALUE_OP: buf_puts(out, " -a '(__ouroboros_ops)'"); break;
    case VALUE_DIR: buf_puts(out, " -f -a '(__fish_complete_directories)'"); break;
    case VALUE_FILE: buf_puts(out, " -F"); break;
    case VALUE_VERB: buf_puts(out, " -f -a '(__ouroboros_verbs)'"); break;
    case VALUE_ANY: buf_puts(out, " -f"); break;
    }
}

static void fish_condition(Buf *out, const VerbRow *v) {
    const char *at = v->name;
    bool first = true;
    buf_puts(out, "complete -c ouroboros -n '");
    for (Str word; row_word(&at, ' ', &word); first = false)
        buf_printf(out, "%s__fish_seen_subcommand_from %.*s", first ? "" : "; and ", STR_ARG(word));
    buf_putc(out, '\'');
}

static void fish_verb(Buf *out, const VerbRow *v) {
    const OptionRow *o;
    const ArgumentRow *a = argument_row(v, 0);
    if (a) {
        fish_condition(out, v);
        fish_values(out, a->name);
        buf_putc(out, '\n');
    }
    for (int i = 0; (o = option_row(v, i)); i++) {
        const char *at = o->names;
        fish_condition(out, v);
        for (Str name; row_word(&at, ' ', &name);) {
            bool is_long = str_starts(name, "--");
            buf_printf(out, " -%c %.*s", is_long ? 'l' : 's', (int)name.len - 1 - is_long,
                       name.p + 1 + is_long);
        }
        if (*o->value) {
            buf_puts(out, " -r");
            fish_values(out, o->value);
        }
        buf_puts(out, " -d '");
        put_fish(out, short_help(out->arena, o->help));
        buf_puts(out, "'\n");
    }
}

void completion_fish(Buf *out) {
    const VerbRow *v = verb_rows();
    buf_puts(out, "# fish completion for ouroboros: ouroboros help --completion fish\n");
    buf_printf(out, "function __ouroboros_ops\n    %s\nend\n", ops_command);
    buf_puts(out, "function __ouroboros_verbs\n    printf '%s\\n'");
    for (int i = 0; i < VERBS; i++) {
        Str word;
        if (first_word(i, &word)) buf_printf(out, " %.*s", STR_ARG(word));
    }
    buf_puts(out, "\nend\ncomplete -c ouroboros -f\n");
    for (int i = 0; i < VERBS; i++) {
        Str word;
        if (!first_word(i, &word)) continue;
        buf_printf(out, "complete -c ouroboros -n '__fish_is_first_arg' -a %.*s -d '", STR_ARG(word));
        put_fish(out, verb_words(out->arena, &v[i], word));
        buf_puts(out, "'\n");
        if (!verb_is_group(word)) continue;
        for (int k = 0; k < VERBS; k++)
            if (verb_in_group(&v[k], word))
                buf_printf(out,
                           "complete -c ouroboros -n 'test (count (commandline -opc)) -eq 2; and "
                           "__fish_seen_subcommand_from %.*s' -a %s\n",
                           STR_ARG(word), v[k].name + word.len + 1);
    }
    for (int i = 0; i < VERBS; i++) fish_verb(out, &v[i]);
}
