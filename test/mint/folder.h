// folder.h - for tests of evaluations: a folder of their own.
#pragma once
#include "mint/ledger.h"
#include "mint/pass_at_k.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/numeric/rng.h"
#include "grammar/smith_test.h"

// ---- the file ----

static char folder[] = "/tmp/ledger-test-XXXXXX";
static inline int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}
static inline int tear_down(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}
