// A library to preload: a unit test that test/threaded.txt does not name, and that starts a thread all the
// same, fails and says so. ThreadSanitizer looks at those alone that the list names.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *arg) {
    if (strncmp(program_invocation_short_name, "test_", 5) == 0) {
        dprintf(2, "%s starts a thread: test/threaded.txt has to name it\n", program_invocation_short_name);
        _exit(1);
    }
    // A program that a test runs, such as Python, is no test.
    Create *next = (Create *)dlsym(RTLD_NEXT, "pthread_create");
    return next ? next(thread, how, run, arg) : EAGAIN;
}
