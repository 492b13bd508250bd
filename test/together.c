// Many unit tests as one program. Its file has the name of each of them, and which one is started says what
// runs. Linking a program for every test takes ten seconds of a build.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEST(path, run) int run(void);
#include "gen/together.def"
#undef TEST

static const struct {
    const char *path;
    int (*run)(void);
} test[] = {
#define TEST(path, run) {"/" path, run},
#include "gen/together.def"
#undef TEST
};

int main(void) {
    char file[4096];
    ssize_t n = readlink("/proc/self/exe", file, sizeof file - 1);
    size_t length = n < 0 ? 0 : (size_t)n;
    file[length] = 0;
    for (size_t i = 0; i < sizeof test / sizeof *test; i++) {
        size_t end = strlen(test[i].path);
        if (end <= length && strcmp(file + length - end, test[i].path) == 0) return test[i].run();
    }
    fprintf(stderr, "\"%s\" is the name of no test\n", file);
    return 2;
}
