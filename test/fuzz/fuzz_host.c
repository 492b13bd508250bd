// Any text as a kernel file and as a definition: parsed, screened, and run with a small budget on 4x8 inputs,
// whether or not the screen lets it pass. Nothing but findings may come out, and the same ones each time.
#include "host/host.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 64 << 20 };
static const float input[32] = {1, -2, 0.5f, 3};

static void inputs_open(StorageTable *table, Tensor out[2]) {
    for (int i = 0; i < 2; i++) {
        out[i] = (Tensor){.dtype = DT_F32, .rank = 2, .shape = {4, 8}, .stride = {8, 1}};
        if (!storage_wrap(table, DT_F32, input, sizeof input, &out[i].storage)) abort();
        tensor_expose(&out[i], SHADOW_ALLOC | SHADOW_INIT);
    }
}

// What the run came to, as text.
static void candidate(Arena *a, const Node *module, Buf *report) {
    DiagList d = DIAGS(a);
    Machine m;
    Tensor in[2], out;
    machine_init(&m, a, &d, 1 << 16);
    inputs_open(&m.storages, in);
    bool ok = host_run(&m, code_cache_new(a), module, in, 2, &out);
    if (ok == (diag_first(&d) != NULL)) abort(); // a finding exactly where there is no result
    if (ok) buf_printf(report, "rank %d numel %lld\n", out.rank, (long long)tensor_numel(&out));
    for (int i = 0; i < d.count; i++)
        buf_printf(report, "%s %u %s\n", diag_name(d.at[i].kind), d.at[i].span.at, d.at[i].msg);
}

static void reference(Arena *a, const Node *module, Buf *report) {
    DiagList d = DIAGS(a);
    BoundCtx c = {.arena = a, .elements_left = 1 << 14};
    StorageTable table = {.arena = a};
    Tensor in[2];
    inputs_open(&table, in);
    const Bound *b[2] = {bound_input(&c, &in[0], 0), bound_input(&c, &in[1], 1)};
    const Bound *out = host_reference(&c, module, b, 2, 1 << 10, &d);
    if (!out == !diag_first(&d)) abort();
    if (out)
        buf_printf(report, "rank %d numel %lld op %s\n", out->rank, (long long)out->numel,
                   bound_name(out->op));
    for (int i = 0; i < d.count; i++)
        buf_printf(report, "%s %u %s\n", diag_name(d.at[i].kind), d.at[i].span.at, d.at[i].msg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void *memory;
    if (!memory && !(memory = malloc(ARENA_BYTES))) abort();
    Arena keep = {0};
    Buf first = BUF(&keep);
    for (int round = 0; round < 2; round++) {
        Arena a = {0};
        arena_over(&a, memory, ARENA_BYTES);
        DiagList d = DIAGS(&a);
        Buf report = BUF(&a);
        Node *module = parse_module(&a, (Str){(const char *)data, size}, &d);
        if (module) {
            DiagList settled = DIAGS(&a), screened = DIAGS(&a);
            if (host_normalize(&a, module, &settled) == (diag_first(&settled) != NULL)) abort();
            if (host_screen(module, &screened) == (diag_first(&screened) != NULL)) abort();
            candidate(&a, module, &report);
            reference(&a, module, &report);
        }
        if (round == 0) buf_str_put(&first, buf_str(&report));
        if (round == 1 && !str_eq(buf_str(&first), buf_str(&report))) abort();
        arena_free(&a);
    }
    arena_free(&keep);
    return 0;
}
