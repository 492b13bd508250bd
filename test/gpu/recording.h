// recording.h - for tests: host code recorded in this process, on tensors that are not there.
#pragma once
#include "gpu/recorder.h"
#include "host/support.h"
#include <sys/mman.h>

enum { SPARSE_BYTES = 1 << 30 };
typedef struct {
    Arena arena, keeps; // of the call; of what is recorded
    DiagList d;
    Machine m;
    Recorder *r;
    Tensor in[2];
    Node *module;
    RecordedRun run;
    void *room;
} Recorded;

// run(x, y): x float16[64, 128], y float32[64] that begins 4 bytes behind an aligned address. False: a
// finding.
static inline bool record(Recorded *w, const char *source) {
    *w = (Recorded){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, 1 << 26);
    w->m.gpu.processors = 132;
    w->m.autotune.pruned = tuned_new(&w->keeps);
    w->room =
        mmap(NULL, SPARSE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(w->room != MAP_FAILED);
    storage_sparse_open(&w->m.storages, w->room, SPARSE_BYTES, 16);
    w->in[0] = (Tensor){.dtype = DT_F16, .rank = 2, .shape = {64, 128}, .stride = {128, 1}};
    w->in[1] = (Tensor){.dtype = DT_F32, .rank = 1, .shape = {64}, .stride = {1}, .offset = 1};
    for (int i = 0; i < 2; i++) {
        size_t bytes = i ? 65 * 4 : 64 * 128 * 2;
        assert_true(storage_wrap_open(&w->m.storages, w->in[i].dtype, storage_sparse(&w->m.storages, bytes),
                                      bytes, &w->in[i].storage));
    }
    w->module = parse_module(&w->keeps, str_of(source), &w->d);
    if (!w->module || !host_normalize(&w->keeps, w->module, &w->d)) fail_msg("%s", w->d.at[0].msg);
    w->r = recorder_new(&w->keeps, &w->m, w->in, 2);
    HostProgram *p = host_program(&w->m, code_cache_new(&w->keeps), w->module);
    Tensor out;
    Err e = {0};
    if (!host_build(p, w->in, 2)) return false;
    recorder_setup_ends(w->r);
    if (!host_call(p, w->in, 2, &out)) return false;
    assert_true(recorder_run(w->r, &w->run, &e));
    // What it says of itself holds.
    Buf text = BUF(&w->keeps);
    RecordedRun back;
    if (!recorded_run_write(&text, &w->run, &e) ||
        !recorded_run_read(&w->keeps, "run", buf_str(&text), false, &back, &e))
        fail_msg("%s", e.msg);
    return true;
}

static inline void record_ok(Recorded *w, const char *source) {
    if (!record(w, source)) fail_msg("%s\n%s", diag_first(&w->d)->msg, source);
}

static inline void record_close(Recorded *w) {
    munmap(w->room, SPARSE_BYTES);
    arena_free(&w->arena);
    arena_free(&w->keeps);
}
