#include "measure/write_fence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../gpu/vm_gpu.h"

static bool may_write(const char *folder) {
    char path[200];
    snprintf(path, sizeof path, "%s/file", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

// Bits of what a fenced child could do.
enum { FENCED = 1, OWN = 2, OTHER = 4, READS = 8, DEVICES = 16 };
static int child(const char *own, const char *other) {
    int seen = write_fence_enter(own) ? FENCED : 0;
    if (may_write(own)) seen |= OWN;
    if (may_write(other)) seen |= OTHER;
    if (access("/proc/self/exe", R_OK) == 0) seen |= READS;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) seen |= DEVICES;
    return seen;
}

static void test_only_its_own_folder_is_open(void **state) {
    (void)state;
    char own[] = "/tmp/ouroboros-fence-XXXXXX", other[] = "/tmp/ouroboros-fence-XXXXXX";
    assert_non_null(mkdtemp(own));
    assert_non_null(mkdtemp(other));
    assert_true(may_write(other)); // without a fence
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) _exit(child(own, other));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    assert_true(WIFEXITED(status));
    bool fenced = WEXITSTATUS(status) & FENCED;
    if (!fenced) print_message("no Landlock here: nothing was fenced\n");
    assert_int_equal(WEXITSTATUS(status), OWN | READS | DEVICES | (fenced ? FENCED : OTHER));
    char path[64];
    const char *folder[] = {own, other};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/file", folder[i]);
        unlink(path);
        rmdir(folder[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_its_own_folder_is_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
