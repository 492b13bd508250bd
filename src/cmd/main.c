#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "judge/verdict.h"

static const struct {
    const char *name, *args, *doc;
    int (*run)(int argc, char **argv);
} verbs[] = {
#define CMD(verb, args, doc) {#verb, args, doc, cmd_##verb},
#include "cmd/cmd.def"
#undef CMD
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static void print_help(FILE *f) {
    fprintf(f, "ouroboros %s: GPU kernels that a referee has verified\n\n", OUROBOROS_VERSION);
    for (int i = 0; i < VERBS; i++)
        fprintf(f, "  ouroboros %s %s\n      %s\n", verbs[i].name, verbs[i].args, verbs[i].doc);
    fprintf(f,
            "\nOP is a name (ouroboros ops), a description in plain words, or the path of a .py definition.\n"
            "Verbs that judge keep a journal in $XDG_STATE_HOME/ouroboros; --state DIR puts it elsewhere.\n"
            "Exit codes: 0 done or accepted, 1 rejected, 2 wrong usage, 3 the world failed, 4 undecided.\n");
}

int cmd_usage(const char *verb, const char *why) {
    if (why) fprintf(stderr, "ouroboros %s: %s\n", verb, why);
    for (int i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, verb) == 0)
            fprintf(stderr, "usage: ouroboros %s %s\n", verb, verbs[i].args);
    return EXIT_USAGE;
}

int cmd_fail(const char *verb, const Err *e) {
    if (e->code == ERR_USAGE) return cmd_usage(verb, e->msg);
    fprintf(stderr, "ouroboros %s: %s\n", verb, e->msg);
    return EXIT_WORLD;
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
    signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of write, not a death that nobody explains
    const char *verb = argc > 1 ? argv[1] : "";
    for (int i = 0; i < VERBS; i++)
        if (strcmp(verb, verbs[i].name) == 0) {
            int code = verbs[i].run(argc - 2, argv + 2);
            if (fflush(stdout) != 0 || ferror(stdout)) {
                fprintf(stderr, "ouroboros %s: cannot write the result to standard output\n", verb);
                return EXIT_WORLD;
            }
            return code;
        }
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0 || strcmp(verb, "help") == 0) {
        print_help(stdout);
        return EXIT_OK;
    }
    if (strcmp(verb, "--version") == 0) {
        printf("ouroboros %s\n", OUROBOROS_VERSION);
        return EXIT_OK;
    }
    if (*verb) fprintf(stderr, "ouroboros: no verb \"%s\"\n\n", verb);
    print_help(stderr);
    return EXIT_USAGE;
}
