// Checker and VM: bytes become a kernel (random_kernel.h), or are one if they look like a file; it is bound
// to small tensors, checked and run. Whatever the kernel does ends in findings or in results; and the results
// of a launch without findings depend neither on the order of its programs nor on how registers share space.
#include "random_kernel.h"
#include "tile/check/check.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LANES = 1 << 18, ELEMENTS = 1100, PROGRAMS_MAX = 3, FILE_BYTES_MAX = 32 << 20, ARGS = 24 };

static void must(bool ok) {
    if (!ok) abort();
}

typedef struct {
    DType type[KERNEL_TENSORS];
    int64_t elements, programs, n, s;
    double f;
    uint8_t fill;
} Setting;

static Setting read_setting(Bytes *b) {
    static const int64_t elements[] = {ELEMENTS, ELEMENTS, 300, 17}, ns[] = {100, 0, 1, 16, 1000, -3};
    static const double reals[] = {0.5, 0, -1e30, 3};
    Setting s = {0};
    for (int i = 0; i < KERNEL_TENSORS; i++) {
        int t = pick(b, TENSOR_TYPES);
        if (pick(b, 3) == 0) t = i % 2 ? 4 : 0; // mostly what the writer has in mind
        must(dtype_by_triton_name(str_of(tensor_types[t]), &s.type[i]));
    }
    s.elements = elements[pick(b, 4)];
    s.programs = 1 + pick(b, PROGRAMS_MAX);
    s.n = ns[pick(b, 6)];
    s.s = pick(b, 3);
    s.f = reals[pick(b, 4)];
    s.fill = (uint8_t)byte_of(b);
    return s;
}

// ---- memory ----

static void fill(uint8_t *at, DType t, int64_t n, uint8_t seed) {
    uint32_t x = seed;
    for (int64_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        double v = seed % 3 == 0       ? (double)(x >> 28)
                   : dtype_is_float(t) ? (double)(int32_t)x * 0x1p-29
                                       : (double)(x % 97);
        dtype_store(t, at + i * dtype_bytes(t), t == DT_BOOL ? (double)(x >> 31) : v);
    }
}

typedef struct {
    Tensor *tensor[KERNEL_TENSORS];
    Machine m;
    DiagList d;
} World;

// Two inputs, and two that may be written; the last of them has been written before.
static void world_open(World *w, Arena *a, const Setting *s) {
    w->d = DIAGS(a);
    machine_init(&w->m, a, &w->d, LANES);
    for (int i = 0; i < KERNEL_TENSORS; i++) {
        Tensor *x = w->tensor[i] = NEW(a, Tensor);
        *x = (Tensor){.dtype = s->type[i], .rank = 1, .shape = {s->elements}, .stride = {1}};
        size_t bytes = (size_t)s->elements * (size_t)dtype_bytes(s->type[i]);
        if (i < 2) {
            uint8_t *data = arena_raw(a, bytes, 64);
            fill(data, s->type[i], s->elements, (uint8_t)(s->fill + i));
            must(storage_wrap(&w->m.storages, s->type[i], data, bytes, &x->storage));
            tensor_expose(x, SHADOW_ALLOC | SHADOW_INIT);
        } else {
            must(storage_new(&w->m.storages, s->type[i], bytes, &x->storage));
            if (i == 3) fill(x->storage->data, s->type[i], s->elements, s->fill);
            if (i == 3) tensor_expose(x, SHADOW_ALLOC | SHADOW_INIT);
        }
    }
}

// ---- arguments ----

static bool mentions(Str name, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= name.len; i++)
        if (memcmp(name.p + i, word, n) == 0) return true;
    return false;
}

// By name where the kernel is a file: pointers in turn, constexprs 16, numbers the n of the setting.
static int arguments(const World *w, const Node *kernel, const Setting *s, LaunchArg *arg) {
    int n = 0, tensors = 0;
    for (int i = 0; i < kernel->function.params.n && n < ARGS; i++) {
        const Node *p = kernel->function.params.at[i];
        if (p->kind != NODE_PARAM) continue;
        Str name = p->param.name;
        LaunchArg *x = &arg[n++];
        *x = (LaunchArg){.value = {.kind = PY_INT, .i = s->n}};
        bool pointer =
            mentions(name, "ptr") || mentions(name, "pointer") || (name.len == 2 && name.p[0] == 'p');
        if (pointer) {
            x->kind = ARG_TENSOR;
            x->tensor = w->tensor[tensors++ % KERNEL_TENSORS];
        } else if (p->param.annotation)
            x->value.i = 16;
        else if (str_is(name, "s"))
            x->value.i = s->s;
        else if (str_is(name, "f") || str_is(name, "eps"))
            x->value = (PyValue){.kind = PY_FLOAT, .f = s->f};
    }
    return n;
}

static const Node *last_kernel(const Node *module) {
    for (int i = module->module.body.n - 1; i >= 0; i--) {
        const Node *n = module->module.body.at[i];
        if (n->kind == NODE_FUNCTION && is_jit_function(n)) return n;
    }
    return NULL;
}

// ---- one run ----

static size_t rounded(size_t n) { return (n + 63) / 64 * 64; }

// Every register in a place of its own: what packing must not change.
static bool spread_out(Code *c) {
    size_t at = 0;
    for (int r = 0; r < c->regs && at < FILE_BYTES_MAX; r++) {
        const TileType *t = &c->reg[r].type;
        size_t lanes = (size_t)tile_lanes(t);
        c->reg[r].offset = at;
        c->reg[r].poison_offset = at + rounded(lanes * (size_t)tile_lane_bytes(t)) + 64;
        at = c->reg[r].poison_offset + rounded(lanes) + 64;
    }
    if (at >= FILE_BYTES_MAX) return false;
    c->file_bytes = at;
    return true;
}

typedef struct {
    bool checked, clean, atomics;
    const char *first; // finding
    Buf bytes;         // of what may be written, and its shadow
} Outcome;

typedef enum { RUN_PLAIN, RUN_SHUFFLED, RUN_SPREAD } Mode;

static Outcome run_once(Arena *a, const Node *module, const Node *kernel, const Setting *s, Mode mode) {
    World *w = NEW(a, World);
    Outcome out = {.bytes = BUF(a)};
    LaunchArg arg[ARGS];
    Binding b;
    Launchable k;
    world_open(w, a, s);
    int args = arguments(w, kernel, s, arg);
    out.checked = launch_bind(a, &(LaunchCall){module, kernel, arg, args, kernel->span}, &b, &w->d) &&
                  kernel_check(a, NULL, &b, &k, &w->d);
    must(out.checked || diag_first(&w->d));
    if (!out.checked) {
        out.first = diag_first(&w->d)->msg;
        return out;
    }
    const char *why;
    must(code_verify(k.code, &why));
    out.atomics = k.code->atomics;
    if (mode == RUN_SPREAD && !spread_out(k.code)) return out;
    w->m.order.seed = mode == RUN_SHUFFLED ? 0x9e3779b97f4a7c15u : 0;
    out.clean = vm_launch(&w->m, k.code, k.cells, (int64_t[3]){s->programs, 1, 1});
    must(out.clean == !diag_first(&w->d));
    if (!out.clean) out.first = diag_first(&w->d)->msg;
    must(w->m.steps_left <= LANES);
    for (int i = 2; i < KERNEL_TENSORS; i++) {
        Storage *x = w->tensor[i]->storage;
        storage_reach(x, 0, x->bytes);
        buf_put(&out.bytes, x->data, x->bytes);
        buf_put(&out.bytes, x->shadow, x->bytes);
    }
    return out;
}

// Text of which every statement has passed the checker behind those before it; one in sixteen is kept that
// has not.
static void write_kernel(Arena *a, Bytes in, const Setting *s, Buf *text) {
    Writer *w = NEW(a, Writer), *before = NEW(a, Writer);
    *w = (Writer){.in = in, .out = text};
    put_head(w);
    for (int i = 0; i < KERNEL_STATEMENTS && w->in.p < w->in.end; i++) {
        size_t len = text->len;
        *before = *w;
        put_statement(w);
        Arena scratch = {0};
        World *world = NEW(&scratch, World);
        LaunchArg arg[ARGS];
        Binding b;
        Launchable k;
        world_open(world, &scratch, s);
        const Node *module = parse_module(&scratch, buf_str(text), &world->d);
        must(module); // whatever the bytes are, this is Python
        const Node *kernel = last_kernel(module);
        int args = arguments(world, kernel, s, arg);
        bool fits =
            launch_bind(&scratch, &(LaunchCall){module, kernel, arg, args, kernel->span}, &b, &world->d) &&
            kernel_check(&scratch, NULL, &b, &k, &world->d);
        must(fits == !diag_first(&world->d));
        arena_free(&scratch);
        if (fits || pick(&w->in, 16) == 15) continue;
        text->len = len;
        before->in = w->in;
        *w = *before;
    }
}

static void compare(const Outcome *x, const Outcome *y, bool same_order) {
    must(x->checked == y->checked);
    if (!x->checked) must(strcmp(x->first, y->first) == 0);
    if (!x->checked || (x->atomics && !same_order)) return;
    if (same_order && !x->clean && !y->clean) must(strcmp(x->first, y->first) == 0);
    if (same_order || (x->clean && y->clean)) {
        must(x->clean == y->clean);
        must(str_eq(buf_str(&x->bytes), buf_str(&y->bytes)));
    }
}

static bool is_text(const uint8_t *data, size_t size) {
    return size > 20 && (data[0] == '#' || data[0] == '@' || data[0] == 'i');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena a = {0};
    Bytes in = {data, data + size};
    Setting s;
    Buf text = BUF(&a);
    bool file = is_text(data, size);
    if (file) {
        s = (Setting){.type = {DT_F32, DT_F16, DT_F32, DT_F32},
                      .elements = ELEMENTS,
                      .programs = 2,
                      .n = 100,
                      .f = 0.5};
        buf_put(&text, data, size);
    } else {
        s = read_setting(&in);
        write_kernel(&a, in, &s, &text);
    }
    DiagList d = DIAGS(&a);
    const Node *module = parse_module(&a, buf_str(&text), &d), *kernel = module ? last_kernel(module) : NULL;
    if (kernel) {
        Outcome plain = run_once(&a, module, kernel, &s, RUN_PLAIN);
        if (getenv("FUZZ_SHOW"))
            fprintf(stderr, "%.*s\n# %s\n", (int)text.len, text.p, plain.first ? plain.first : "clean");
        Outcome shuffled = run_once(&a, module, kernel, &s, RUN_SHUFFLED);
        compare(&plain, &shuffled, false);
        if (plain.checked) {
            Outcome spread = run_once(&a, module, kernel, &s, RUN_SPREAD);
            if (spread.bytes.len) compare(&plain, &spread, true);
        }
    }
    arena_free(&a);
    return 0;
}
