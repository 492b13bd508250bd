// The process behind the libcuda of the tests: runs kernels in our virtual machine, on the memory that both
// map.
#include "vm_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/json.h"
#include "lang/ast.h"
#include "tile/check/check.h"

enum { KERNELS = 4096 };
static const size_t SCRATCH = (size_t)512 << 20; // addresses; pages are taken where they are touched
typedef struct {
    Arena arena;
    CodeCache *cache;
    const Node *module, *kernel;
    LaunchArg arg[VM_ARGS]; // constants are there already
    bool constant[VM_ARGS];
    DType type[VM_ARGS];
    int params, warps, stages;
} Kernel;

static char *memory;
static Arena scratch; // of a launch; the pages stay for the next one
static int line;
static Kernel *kernel[KERNELS];
static int kernels;

static bool whole(bool sends, void *p, size_t n) {
    for (char *at = p; n > 0;) {
        ssize_t done = sends ? send(line, at, n, MSG_NOSIGNAL) : recv(line, at, n, 0);
        if (done <= 0) return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

static void explain(VmReply *r, const DiagList *d, const char *what) {
    r->end = VM_FAILED;
    snprintf(r->why, sizeof r->why, "%s: %s", what, d->count ? d->at[0].msg : "no reason");
}

static PyValue value_of(Arena *a, const json_t *v) {
    if (json_is_boolean(v)) return (PyValue){.kind = PY_BOOL, .b = json_is_true(v)};
    if (json_is_integer(v)) return (PyValue){.kind = PY_INT, .i = json_integer_value(v)};
    if (json_is_real(v)) return (PyValue){.kind = PY_FLOAT, .f = json_real_value(v)};
    if (json_is_string(v)) return (PyValue){.kind = PY_STR, .s = str_dup(a, json_str(v))};
    return (PyValue){.kind = PY_NONE};
}

static bool param_read(Kernel *k, const json_t *o, VmReply *r) {
    Str type = json_str(json_object_get(o, "type")), name = json_str(json_object_get(o, "name"));
    LaunchArg *arg = &k->arg[k->params];
    *arg = (LaunchArg){.name = str_dup(&k->arena, name), .kind = ARG_PLAIN};
    bool *constant = &k->constant[k->params];
    DType *t = &k->type[k->params++];
    if (str_is(type, "constexpr")) {
        *constant = true;
        arg->value = value_of(&k->arena, json_object_get(o, "value"));
        Str dtype = json_str(json_object_get(o, "dtype"));
        if (!dtype.p) return true;
        arg->kind = ARG_DTYPE;
        return dtype_by_triton_name(dtype, &arg->dtype);
    }
    if (type.len > 1 && type.p[0] == '*') arg->kind = ARG_TENSOR;
    Str bare = {type.p + (type.p[0] == '*'), type.len - (type.p[0] == '*')};
    bool known = dtype_by_triton_name(bare, t);
    static const struct {
        const char *name;
        DType type;
    } word[] = {{"i1", DT_BOOL}, {"u1", DT_BOOL}, {"i8", DT_I8},   {"i16", DT_I16}, {"i32", DT_I32},
                {"i64", DT_I64}, {"u8", DT_U8},   {"u16", DT_U16}, {"u32", DT_U32}, {"u64", DT_U64}};
    for (size_t i = 0; !known && i < sizeof word / sizeof *word; i++)
        if (str_is(bare, word[i].name)) *t = word[i].type, known = true;
    r->bytes[r->args++] = arg->kind == ARG_TENSOR ? 8 : known ? dtype_bytes(*t) : 0;
    return known;
}

static void load(Str text, VmReply *r) {
    Kernel *k = calloc(1, sizeof *k);
    Json j;
    Err e = {0};
    DiagList d = DIAGS(&k->arena);
    kernel[kernels++] = k;
    if (!json_parse("cubin", text, &j, &e)) {
        r->end = VM_FAILED;
        snprintf(r->why, sizeof r->why, "%.200s", e.msg);
        return;
    }
    Str source = str_dup(&k->arena, json_str(json_object_get(j.root, "source")));
    Str name = json_str(json_object_get(j.root, "kernel"));
    k->warps = (int)json_integer_value(json_object_get(j.root, "warps"));
    k->stages = (int)json_integer_value(json_object_get(j.root, "stages"));
    k->cache = code_cache_new(&k->arena);
    k->module = parse_module(&k->arena, source, &d);
    for (int i = 0; k->module && i < k->module->module.body.n; i++) {
        const Node *n = k->module->module.body.at[i];
        if (n->kind == NODE_FUNCTION && str_eq(n->function.name, name)) k->kernel = n;
    }
    if (!k->kernel) explain(r, &d, "no such kernel");
    const json_t *list = json_object_get(j.root, "params");
    for (size_t i = 0; k->kernel && i < json_array_size(list); i++)
        if (!param_read(k, json_array_get(list, i), r)) explain(r, &d, "a parameter");
    json_close(&j);
}

// The allocation that an address lies in, as a storage of its own that may be read and written everywhere.
static bool pointer(Machine *m, uint64_t at, DType type, LaunchArg *arg) {
    const VmTable *t = (const VmTable *)memory;
    for (uint64_t i = 0; i < t->count; i++) {
        uint64_t from = t->allocation[i].at, bytes = t->allocation[i].bytes;
        if (!from || at < from || at >= from + bytes) continue;
        Storage *s;
        if (!storage_new(&m->storages, type, bytes, &s)) return false;
        storage_reach(s, 0, bytes);
        s->data = (uint8_t *)memory + (from - VM_BASE);
        memset(s->shadow, SHADOW_ALLOC | SHADOW_INIT, bytes);
        Tensor *x = NEW(m->arena, Tensor);
        int64_t n = (int64_t)(bytes - (at - from)) / dtype_bytes(type);
        *x = (Tensor){.storage = s,
                      .dtype = type,
                      .rank = 1,
                      .shape = {n},
                      .stride = {1},
                      .offset = (int64_t)(at - from) / dtype_bytes(type)};
        arg->tensor = x;
        return true;
    }
    return false;
}

static PyValue scalar(DType t, const void *p) {
    if (t == DT_BOOL) return (PyValue){.kind = PY_BOOL, .b = *(const uint8_t *)p != 0};
    if (t == DT_I64) return (PyValue){.kind = PY_INT, .i = *(const int64_t *)p};
    if (dtype_is_int(t)) return (PyValue){.kind = PY_INT, .i = (int64_t)dtype_load(t, p)};
    return (PyValue){.kind = PY_FLOAT, .f = dtype_load(t, p)};
}

static void launch(const VmRequest *q, VmReply *r) {
    Kernel *k = kernel[q->kernel];
    ArenaMark before = arena_mark(&scratch);
    DiagList d = DIAGS(&scratch);
    static Machine m;
    Binding b;
    Launchable l;
    LaunchArg *arg = NEWN(&scratch, LaunchArg, VM_ARGS);
    machine_init(&m, &scratch, &d, INT64_MAX / 2);
    for (int i = 0, at = 0; i < k->params && r->end == VM_DONE; i++) {
        arg[i] = k->arg[i];
        if (k->constant[i]) continue;
        uint64_t v = q->value[at++];
        if (arg[i].kind != ARG_TENSOR)
            arg[i].value = scalar(k->type[i], &v);
        else if (!pointer(&m, v, k->type[i], &arg[i]))
            explain(r, &d, "an address outside of all memory"), r->end = VM_ILLEGAL_ADDRESS;
    }
    if (r->end == VM_DONE &&
        (!launch_bind(&scratch, &(LaunchCall){k->module, k->kernel, arg, k->params, k->kernel->span}, &b,
                      &d) ||
         (b.num_warps = k->warps, !kernel_check(&scratch, k->cache, &b, &l, &d))))
        explain(r, &d, "check");
    if (r->end == VM_DONE && !vm_launch(&m, l.code, l.cells, q->grid)) {
        explain(r, &d, "run");
        if (d.at[0].kind == DIAG_OOB) r->end = VM_ILLEGAL_ADDRESS;
    }
    r->moved = m.count.bytes_loaded + m.count.bytes_stored;
    arena_reset(&scratch, before);
}

int main(int argc, char **argv) {
    static VmRequest q;
    static VmReply r;
    if (argc != 3) return 2;
    line = atoi(argv[1]);
    memory = mmap(NULL, VM_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, atoi(argv[2]), 0);
    void *room =
        mmap(NULL, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || room == MAP_FAILED) return 1;
    arena_over(&scratch, room, SCRATCH);
    while (whole(false, &q, sizeof q)) {
        memset(&r, 0, sizeof r);
        if (q.order == VM_LOAD) {
            char *text = malloc(q.text_bytes + 1);
            if (!whole(false, text, q.text_bytes)) return 1;
            if (kernels < KERNELS) load((Str){text, q.text_bytes}, &r);
            free(text);
        } else {
            launch(&q, &r);
        }
        if (!whole(true, &r, sizeof r)) return 1;
    }
    return 0;
}
