#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "base/suggest.h"
#include "base/version.h"
#include "cmd/line/cmd.h"
#include "cmd/line/help.h"
#include "cmd/line/option_rows.h"
#include "lang/text.h"

// ---- errors

static bool errors_as_json; // the verb was given --json

static const char *error_kind(ErrCode code) {
    switch (code) {
    case ERR_USAGE: return "usage";
    case ERR_INPUT: return "input";
    case ERR_LIMIT: return "limit";
    case ERR_SANDBOX: return "sandbox";
    case ERR_IO:
    case ERR_NONE: break;
    }
    return "io";
}

void cmd_say(const char *verb, const Err *e) {
    Arena a = {0};
    fprintf(stderr, "ouroboros %s: %s\n", verb, text_escaped(&a, e->msg));
    if (!errors_as_json) return arena_free(&a);
    Buf out = BUF(&a);
    json_put(&out, json_pack("{s:{s:s, s:o}}", "error", "kind", error_kind(e->code), "message",
                             json_quoted(str_of(e->msg))));
    buf_putc(&out, '\n');
    fwrite(out.p, 1, out.len, stdout);
    arena_free(&a);
}

int cmd_fail(const char *verb, const Err *e) {
    cmd_say(verb, e);
    if (e->code != ERR_USAGE) return EXIT_WORLD;
    fprintf(stderr, "see: ouroboros %s%s--help\n", verb, *verb ? " " : "");
    return EXIT_USAGE;
}

int cmd_usage(const char *verb, const char *why) {
    Err e = {0};
    err_record(&e, ERR_USAGE, "%s", why);
    return cmd_fail(verb, &e);
}

// ---- which verb

static int no_verb(const char *word) {
    Arena a = {0};
    Nearest near = nearest_to(str_of(word));
    const VerbRow *v = verb_rows();
    for (int i = 0; i < VERBS; i++) nearest_offer(&near, (Str){v[i].name, strcspn(v[i].name, " ")});
    fprintf(stderr, "ouroboros: no verb \"%s\"%s\nsee: ouroboros --help\n", text_escaped(&a, word),
            nearest_words(&a, &near));
    arena_free(&a);
    return EXIT_USAGE;
}

// "model" alone: which of its verbs?
static int no_part(const char *group, const char *word) {
    Arena a = {0};
    Buf all = BUF(&a);
    const VerbRow *v = verb_rows();
    for (int i = 0; i < VERBS; i++)
        if (verb_in_group(&v[i], str_of(group)))
            buf_printf(&all, "%s%s", all.len ? " or " : "", v[i].name + strlen(group) + 1);
    fprintf(stderr, "ouroboros %s: %s belongs here%s%s\nsee: ouroboros %s --help\n", group, buf_cstr(&all),
            *word ? ", not " : "", text_escaped(&a, word), group);
    arena_free(&a);
    return EXIT_USAGE;
}

static bool is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

static int print_version(void) {
    return printf("ouroboros %s\n", version_described + VERSION_MARK) > 0 ? EXIT_OK : EXIT_WORLD;
}

static int run_verb(const VerbRow *v, int argc, char **argv) {
    Asked asked = options_asked(v->name, argc, argv);
    errors_as_json = asked.json;
    if (asked.help) return help_print(v->name);
    if (asked.version) return print_version();
    return v->run(argc, argv);
}

static int run(int argc, char **argv) { // without the program's name
    const char *word = argc ? argv[0] : "", *next = argc > 1 ? argv[1] : "";
    int taken;
    const VerbRow *v = verb_of_words(argc, argv, &taken);
    if (v) return run_verb(v, argc - taken, argv + taken);
    if (is_help(word)) return help_print("");
    if (strcmp(word, "--version") == 0) return print_version();
    if (verb_is_group(str_of(word))) return is_help(next) ? help_print(word) : no_part(word, next);
    if (*word) return no_verb(word);
    help_usage(stderr);
    return EXIT_USAGE;
}

// Started without a standard stream, the next file that is opened (the journal, a child's socket) would stand
// in its place, and be read or written. In its place stands what gives the error of a closed one.
static bool hold_standard_streams(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            return false;
    return true;
}

int main(int argc, char **argv) {
    if (!hold_standard_streams()) return EXIT_WORLD;
    // A closed pipe and a limit of file sizes are errors of write, not deaths that nobody explains.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    int code = argc > 0 ? run(argc - 1, argv + 1) : run(0, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (errno != EPIPE) // whoever closed the pipe has seen enough
        fprintf(stderr, "ouroboros%s%s: cannot write the result to standard output\n", argc > 1 ? " " : "",
                argc > 1 ? argv[1] : "");
    return EXIT_WORLD;
}
