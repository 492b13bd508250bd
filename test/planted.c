// Mistakes that a sanitizer must report: tools/planted.sh runs each of them. One is made in this program, on
// the arena of the library that it is linked with, as a unit test is.
#include "base/arena.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int zero;
static void *volatile kept;

__attribute__((noinline)) static int past_the_heap(void) {
    char *p = calloc(1, 16);
    int found = p ? p[16 + zero] : 0;
    free(p);
    return found;
}
__attribute__((noinline)) static int past_the_stack(void) {
    char a[16] = {0}, *volatile p = a; // of an array itself, the other sanitizer would say it first
    return p[16 + zero];
}
__attribute__((noinline)) static int past_the_arena(void) {
    Arena a = {0};
    char *p = NEWN(&a, char, 16);
    p[0] = 0;
    int found = p[16 + zero];
    arena_free(&a);
    return found;
}
__attribute__((noinline)) static int after_free(void) {
    char *p = calloc(1, 16);
    free(p);
    kept = p;
    return *(char *)kept;
}
__attribute__((noinline)) static int signed_overflow(void) { return INT_MAX - zero + 1 - zero; }
__attribute__((noinline)) static int no_bool(void) {
    unsigned char byte = (unsigned char)(128 + zero);
    bool b;
    memcpy(&b, &byte, 1);
    return b;
}
__attribute__((noinline)) static int leak(void) {
    kept = malloc(16);
    kept = NULL;
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(void);
    } mistakes[] = {{"past_the_heap", past_the_heap},
                    {"past_the_stack", past_the_stack},
                    {"past_the_arena", past_the_arena},
                    {"after_free", after_free},
                    {"signed_overflow", signed_overflow},
                    {"no_bool", no_bool},
                    {"leak", leak}};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (argc == 2 && strcmp(argv[1], mistakes[i].name) == 0) {
            printf("%d\n", mistakes[i].run());
            return 0;
        }
    return argc == 1 ? 0 : 2; // without a mistake: nothing to report
}
