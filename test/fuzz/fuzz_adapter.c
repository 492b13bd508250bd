// Any text as adapter_config.json (and, behind a NUL, as config.json): refused with a message, or it answers
// for every module of a model, always the same.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "weights/config.h"
#include "weights/peft.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const modules[] = {"model.layers.0.self_attn.q_proj", "model.layers.11.mlp.down_proj",
                                      "lm_head", "model.embed_tokens"};

static int memory_file(const void *p, size_t n, char path[64]) {
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, p, n) != (ssize_t)n) abort();
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void adapter(const uint8_t *data, size_t size) {
    char path[64];
    int fd = memory_file(data, size, path);
    Arena a = {0};
    Err e = {0};
    Peft *p;
    bool ok = peft_open(&a, path, &p, &e);
    if (ok == (e.code != ERR_NONE)) abort();
    for (size_t i = 0; ok && i < sizeof modules / sizeof *modules; i++) {
        bool first = false, second = false;
        int rank = 0;
        float scale = 0;
        Err why = {0}, again = {0};
        bool told = peft_adapts(p, modules[i], i < 2, &first, &why);
        if (told != peft_adapts(p, modules[i], i < 2, &second, &again) || first != second) abort();
        Err scaled = {0};
        if (peft_scale(p, modules[i], &rank, &scale, &scaled) && (rank < 1 || !(scale > 0))) abort();
    }
    peft_close(p);
    arena_free(&a);
    close(fd);
}

static void config(const uint8_t *data, size_t size) {
    // One folder for all runs, in memory where there is such a place: a disk would be most of the work.
    static char memory[] = "/dev/shm/fuzz-config-XXXXXX", disk[] = "/tmp/fuzz-config-XXXXXX";
    static const char *kept;
    char path[64];
    if (!kept) kept = mkdtemp(memory);
    if (!kept) kept = mkdtemp(disk);
    if (!kept) abort();
    snprintf(path, sizeof path, "%s/config.json", kept);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
    Arena a = {0};
    Err e = {0};
    ModelConfig c;
    bool ok = config_of_folder(&a, kept, &c, &e);
    if (ok == (e.code != ERR_NONE)) abort();
    if (ok && (c.heads < 1 || c.kv_heads < 1 || c.heads % c.kv_heads || c.head_dim % 2 ||
               c.layers > CHECKPOINT_LAYERS_MAX || !(c.rope_theta > 0) || !(c.norm_eps > 0)))
        abort();
    arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t n = nul ? (size_t)(nul - data) : size;
    if (n) adapter(data, n);
    if (nul) config(nul + 1, size - n - 1);
    return 0;
}
