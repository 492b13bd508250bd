// A libcuda for tests: the functions of driver.def, with a GPU that is our virtual machine (vm_device, beside
// this library) and a clock that is computed. Kernels work on real buffers and give real answers; what they
// take follows from the bytes that they move, and from the environment variable VM_GPU, words separated by
// spaces:
//   jitter=20       windows take up to so many per cent more, at random
//   drift=5         each replay of a graph takes so many per cent more than the one before
//   heat=1          so does each replay of any graph
//   slow=NAME:30    kernels of a module whose text holds NAME take so many per cent more
//   hang=NAME fault=NAME   such kernels never end, or end with an illegal address
//   gone=NAME       with such a kernel the card's memory breaks
//   refuse=NAME     such a module is not loaded: the driver's compiler of PTX is missing
//   unlaunched=NAME such kernels are loaded, and their launches fail
//   oom=N           the Nth allocation fails
//   late=NAME:5     such a kernel does not end from its sixth run on
//   wrong=NAME      they store one wrong byte in the first answer that they write
//   trample=NAME    they write behind the end of their last buffer
//   nudge=NAME:5    such a kernel changes a byte of the first input that it reads, in its fifth run alone
//   warm=NAME:5     such kernels take so many per cent less while the L2 holds what another kernel has read;
//                   the kernel "reads" clears it, given as many bytes as the L2 has
//   scale=N         everything takes N times as long: windows are filled by fewer calls
//   memory=N l2=N   bytes
//   none            there is no device
#define _GNU_SOURCE
#include "vm_device.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUS    "0000:0A:00.0"
#define EXPORT __attribute__((visibility("default")))
enum {
    OK,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_IMAGE = 200,
    ECC_UNCORRECTABLE = 214,
    NO_JIT_COMPILER = 221,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719
};
enum { MODULES = 4096, PAGE = 4096, LAUNCH_NS = 1000, NODE_NS = 700, BYTES_A_NS = 100 };

typedef struct Module Module;
struct Module {
    Module *next;
    char *text;
    int kernel, args, inputs, unroll; // kernel: of vm_device; -1: one of our own PTX texts
    int bytes[VM_ARGS];
    bool stream, clocks, reads, demotes, sums;
    int runs;
};
typedef struct Work Work;
struct Work {
    Work *next;
    enum { WORK_LAUNCH, WORK_FILL, WORK_COPY } kind;
    Module *module;
    int64_t grid[3];
    uint64_t value[VM_ARGS], to, from, count, pitch;
    unsigned pattern;
    int width;
};
typedef struct Graph {
    Work *first, *last;
    int replays;
    struct Graph *next; // of all that are there
} Graph;
typedef struct {
    unsigned grid[3], block[3], shared;
    void *stream, *attribute;
    unsigned attributes;
} Launch;

static char *memory;
static int line = -1, kernels;
static uint64_t used, limit = (uint64_t)1 << 30, l2 = 1 << 16;
static bool warm; // the L2 holds what was read by a kernel that warm= does not name
static double now_ns, scale = 1;
static int lost; // an error that stays
static bool hangs;
static Graph *capture;
static Module *modules; // all that are loaded
static Graph *graphs;   // and captured
static char steer[1024];
static unsigned long noise = 88172645463325252ul;

static double random_unit(void) {
    noise ^= noise << 13;
    noise ^= noise >> 7;
    noise ^= noise << 17;
    return (double)(noise >> 11) * 0x1p-53;
}

// The text behind "word=", up to a blank; "" where it is not there.
static const char *steered(const char *word) {
    static char value[4][256];
    static int turn;
    char *out = value[turn++ % 4], key[64];
    out[0] = 0;
    int n = snprintf(key, sizeof key, "%s=", word);
    for (const char *p = steer; (p = strstr(p, key)); p++)
        if (p == steer || p[-1] == ' ') {
            size_t len = strcspn(p + n, " ");
            snprintf(out, 256, "%.*s", (int)len, p + n);
            return out;
        }
    return out;
}
static bool concerns(const char *word, const Module *m) {
    char name[256];
    snprintf(name, sizeof name, "%s", steered(word));
    name[strcspn(name, ":")] = 0;
    return *name && strstr(m->text, name);
}
static double per_cent(const char *word) {
    const char *v = steered(word), *colon = strchr(v, ':');
    return atof(colon ? colon + 1 : v) / 100;
}

// ---- the process that runs kernels

static bool whole(bool sends, void *p, size_t n) {
    for (char *at = p; n > 0;) {
        ssize_t done = sends ? send(line, at, n, MSG_NOSIGNAL) : recv(line, at, n, 0);
        if (done <= 0) return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

static bool start(void) {
    Dl_info here;
    char path[4096], fds[2][16];
    int pair[2], file = memfd_create("device memory", 0);
    if (file < 0 || ftruncate(file, VM_MEMORY) != 0) return false;
    memory = mmap(NULL, VM_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    used = (sizeof(VmTable) + PAGE - 1) / PAGE * PAGE;
    if (memory == MAP_FAILED || !dladdr((void *)&steered, &here) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return false;
    snprintf(path, sizeof path, "%s", here.dli_fname);
    char *slash = strrchr(path, '/');
    snprintf(slash ? slash + 1 : path, 32, "vm_device");
    if (fork() == 0) {
        close(pair[0]);
        snprintf(fds[0], 16, "%d", pair[1]);
        snprintf(fds[1], 16, "%d", file);
        execl(path, "vm_device", fds[0], fds[1], (char *)NULL);
        perror(path);
        _exit(1);
    }
    close(pair[1]);
    close(file);
    line = pair[0];
    return true;
}

// ---- running what is queued

static char *bytes_at(uint64_t at) { return memory + (at - VM_BASE); }

static int64_t run_stream(const Work *w) {
    int n = w->module->inputs;
    const uint64_t *at = w->value, *pieces = w->value + n + 1;
    int64_t moved = 0;
    for (uint64_t i = 0; i < 16 * pieces[n]; i += sizeof(uint64_t)) { // by single bytes, tests take seconds
        uint64_t x = 0, word;
        for (int k = 0; k < n; k++) {
            if (i >= 16 * pieces[k]) continue;
            memcpy(&word, bytes_at(at[k]) + i, sizeof word);
            x ^= word;
        }
        memcpy(bytes_at(at[n]) + i, &x, sizeof x);
    }
    for (int k = 0; k <= n; k++) moved += (int64_t)(16 * pieces[k]);
    return moved;
}

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
    return x ^ x >> 33;
}
static void run_sums(const Work *w) {
    uint64_t sum = 0, *to = (uint64_t *)bytes_at(w->value[3]);
    for (uint64_t i = 0; i < w->value[1]; i++) {
        uint64_t x[2], key = w->value[2] + i * 0x9e3779b97f4a7c15;
        memcpy(x, bytes_at(w->value[0]) + 16 * i, sizeof x);
        sum += mixed(x[0] ^ key) + mixed(x[1] ^ (key + 0x6a09e667f3bcc909));
    }
    *to += sum;
}

static void spoil(const Work *w) {
    Module *m = w->module;
    if (concerns("hang", m)) hangs = true;
    if (concerns("late", m) && ++m->runs > 100 * per_cent("late")) hangs = true;
    if (concerns("fault", m)) lost = ILLEGAL_ADDRESS;
    if (concerns("gone", m)) lost = ECC_UNCORRECTABLE;
    VmTable *t = (VmTable *)memory;
    if (concerns("nudge", m) && ++m->runs == (int)(100 * per_cent("nudge") + 0.5))
        bytes_at(w->value[0])[9] ^= 1;
    uint64_t last = 0;
    for (int i = 0; i < m->args; i++)
        if (m->bytes[i] == 8 && w->value[i] > VM_BASE) last = w->value[i];
    if (last && concerns("wrong", m)) bytes_at(last)[1] ^= 0x55;
    for (uint64_t i = 0; i < t->count && last && concerns("trample", m); i++)
        if (last >= t->allocation[i].at && last < t->allocation[i].at + t->allocation[i].bytes)
            bytes_at(t->allocation[i].at)[t->allocation[i].bytes - 1] = 7;
}

static double run_launch(const Work *w) {
    const Module *m = w->module;
    VmReply r = {0};
    if (m->stream) {
        r.moved = run_stream(w);
    } else if (m->clocks) {
        ((uint64_t *)bytes_at(w->value[0]))[0] = 100000;
        ((uint64_t *)bytes_at(w->value[0]))[1] = 50000;
    } else if (m->reads) {
        if (16 * w->value[1] >= l2) warm = false;
        return NODE_NS + 16 * (double)w->value[1] / BYTES_A_NS;
    } else if (m->demotes) {
        return NODE_NS;
    } else if (m->sums) {
        run_sums(w);
        return NODE_NS + 16 * (double)w->value[1] / BYTES_A_NS;
    } else if (m->kernel >= 0) {
        static VmRequest q;
        q = (VmRequest){.order = VM_LAUNCH, .kernel = m->kernel};
        memcpy(q.grid, w->grid, sizeof q.grid);
        memcpy(q.value, w->value, sizeof q.value);
        if (!whole(true, &q, sizeof q) || !whole(false, &r, sizeof r)) r.end = VM_FAILED;
        if (r.end == VM_ILLEGAL_ADDRESS) lost = ILLEGAL_ADDRESS;
        if (r.end == VM_FAILED) lost = LAUNCH_FAILED;
        if (r.end) fprintf(stderr, "vm gpu: %s\n", r.why);
        spoil(w);
    }
    double ns = NODE_NS + (double)r.moved / BYTES_A_NS;
    if (concerns("warm", m)) {
        if (warm) ns *= 1 - per_cent("warm");
    } else if (r.moved) {
        warm = true;
    }
    return concerns("slow", m) ? ns * (1 + per_cent("slow")) : ns;
}

static double run_work(const Work *w) {
    if (lost || hangs) return 0;
    if (w->kind == WORK_LAUNCH) return run_launch(w);
    if (w->kind == WORK_COPY) {
        memmove(bytes_at(w->to), bytes_at(w->from), w->count);
        return NODE_NS + 2 * (double)w->count / BYTES_A_NS;
    }
    for (uint64_t i = 0; i < w->count; i++)
        memcpy(bytes_at(w->to) + i * w->pitch, &w->pattern, (size_t)w->width);
    return NODE_NS + (double)w->count * w->width / BYTES_A_NS;
}

static int queue(Work w) {
    if (lost) return lost;
    if (!capture) {
        now_ns += scale * (LAUNCH_NS + run_work(&w));
        return OK;
    }
    Work *kept = malloc(sizeof *kept);
    *kept = w;
    kept->next = NULL;
    if (capture->last)
        capture->last->next = kept;
    else
        capture->first = kept;
    capture->last = kept;
    return OK;
}

// ---- the functions

EXPORT int cuInit(unsigned flags) {
    (void)flags;
    snprintf(steer, sizeof steer, "%s", getenv("VM_GPU") ? getenv("VM_GPU") : "");
    if (strstr(steer, "none")) return NO_DEVICE;
    if (*steered("memory")) limit = strtoull(steered("memory"), NULL, 10);
    if (*steered("scale")) scale = atof(steered("scale"));
    if (*steered("l2")) l2 = strtoull(steered("l2"), NULL, 10);
    return line >= 0 || start() ? OK : NO_DEVICE;
}
EXPORT int cuDriverGetVersion(int *version) {
    *version = 13000;
    return OK;
}
static const struct {
    int code;
    const char *name, *text;
} error_table[] = {
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {NO_JIT_COMPILER, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}};
static int error_text(int error, const char **out, bool name) {
    for (size_t i = 0; i < sizeof error_table / sizeof *error_table; i++)
        if (error_table[i].code == error) {
            *out = name ? error_table[i].name : error_table[i].text;
            return OK;
        }
    return INVALID_VALUE;
}
EXPORT int cuGetErrorName(int error, const char **name) { return error_text(error, name, true); }
EXPORT int cuGetErrorString(int error, const char **text) { return error_text(error, text, false); }
EXPORT int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return ordinal ? INVALID_VALUE : OK;
}
EXPORT int cuDeviceGetName(char *name, int size, int device) {
    (void)device;
    snprintf(name, (size_t)size, "virtual machine");
    return OK;
}
EXPORT int cuDeviceGetPCIBusId(char *bus, int size, int device) {
    (void)device;
    snprintf(bus, (size_t)size, "%s", BUS);
    return OK;
}
// The management library's functions, for OUROBOROS_LIBNVML: one card, at the address that is told above.
EXPORT int nvmlInit_v2(void) { return OK; }
EXPORT int nvmlShutdown(void) { return OK; }
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) {
    *device = &kernels;
    return strcmp(bus, BUS) == 0 ? OK : INVALID_VALUE;
}
EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
    *milliwatts = 345500;
    return device == &kernels ? OK : INVALID_VALUE;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
    case 13: *value = 2000000; break;
    case 16: *value = 132; break;
    case 36: *value = 2600000; break;
    case 37: *value = 5120; break;
    case 38: *value = (int)l2; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    case 97: *value = 232448; break;
    default: return INVALID_VALUE;
    }
    return OK;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = limit;
    return OK;
}
EXPORT int cuCtxCreate_v2(void **context, unsigned flags, int device) {
    (void)flags, (void)device;
    *context = (void *)1;
    return OK;
}
static void module_free(Module *m) {
    for (Module **at = &modules; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    free(m->text);
    free(m);
}
static void graph_free(Graph *g) {
    for (Graph **at = &graphs; *at; at = &(*at)->next)
        if (*at == g) {
            *at = g->next;
            break;
        }
    for (Work *w = g->first, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    free(g);
}
// Its modules and graphs go with a context.
EXPORT int cuCtxDestroy_v2(void *context) {
    (void)context;
    while (modules) module_free(modules);
    while (graphs) graph_free(graphs);
    return OK;
}
EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
    *free_bytes = limit;
    *total = limit;
    return lost;
}
EXPORT int cuMemAlloc_v2(uint64_t *at, size_t bytes) {
    VmTable *t = (VmTable *)memory;
    static int asked;
    if (lost) return lost;
    if (++asked == atoi(steered("oom"))) return OUT_OF_MEMORY;
    if (bytes > limit || used + bytes > limit || t->count == VM_ALLOCATIONS) return OUT_OF_MEMORY;
    *at = VM_BASE + used;
    t->allocation[t->count].at = *at;
    t->allocation[t->count++].bytes = bytes;
    used += (bytes + PAGE) / PAGE * PAGE;
    return OK;
}
// All of it is given back when nothing of it is used.
EXPORT int cuMemFree_v2(uint64_t at) {
    VmTable *t = (VmTable *)memory;
    bool any = false;
    for (uint64_t i = 0; i < t->count; i++) {
        if (t->allocation[i].at == at) t->allocation[i].at = 0;
        any |= t->allocation[i].at != 0;
    }
    if (any) return lost;
    used = (sizeof(VmTable) + PAGE - 1) / PAGE * PAGE;
    t->count = 0;
    return lost;
}
EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    if (!lost) memcpy(bytes_at(to), from, bytes);
    return lost;
}
EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    if (!lost) memcpy(to, bytes_at(from), bytes);
    return lost;
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    (void)stream;
    return queue((Work){.kind = WORK_COPY, .to = to, .from = from, .count = bytes});
}
static int fill(uint64_t to, unsigned value, int width, size_t count, size_t pitch) {
    return queue((Work){
        .kind = WORK_FILL, .to = to, .pattern = value, .width = width, .count = count, .pitch = pitch});
}
EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
    (void)stream;
    return fill(to, value, 1, count, 1);
}
EXPORT int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
    (void)stream;
    return fill(to, value, 2, count, 2);
}
EXPORT int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
    (void)stream;
    return fill(to, value, 4, count, 4);
}
EXPORT int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height,
                              void *stream) {
    (void)stream;
    return width == 1 ? fill(to, value, 4, height, pitch) : INVALID_VALUE;
}
EXPORT int cuStreamCreate(void **stream, unsigned flags) {
    (void)flags;
    *stream = (void *)2;
    return OK;
}
EXPORT int cuStreamDestroy_v2(void *stream) {
    (void)stream;
    return OK;
}
EXPORT int cuStreamQuery(void *stream) {
    (void)stream;
    return lost ? lost : hangs ? NOT_READY : OK;
}
EXPORT int cuStreamBeginCapture_v2(void *stream, int mode) {
    (void)stream, (void)mode;
    capture = calloc(1, sizeof *capture);
    capture->next = graphs;
    graphs = capture;
    return lost;
}
EXPORT int cuStreamEndCapture(void *stream, void **graph) {
    (void)stream;
    *graph = capture;
    capture = NULL;
    return lost;
}
EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
    (void)flags;
    *executable = graph;
    return lost;
}
EXPORT int cuGraphUpload(void *executable, void *stream) {
    (void)executable, (void)stream;
    return lost;
}
EXPORT int cuGraphLaunch(void *executable, void *stream) {
    (void)stream;
    Graph *g = executable;
    double ns = 0;
    for (const Work *w = g->first; w; w = w->next) ns += run_work(w);
    ns *= 1 + per_cent("jitter") * random_unit();
    static int replays;
    ns *= 1 + per_cent("drift") * g->replays++;
    ns *= 1 + per_cent("heat") * replays++;
    now_ns += scale * (LAUNCH_NS + ns);
    return lost;
}
EXPORT int cuGraphExecDestroy(void *executable) {
    (void)executable;
    return OK;
}
EXPORT int cuGraphDestroy(void *graph) {
    graph_free(graph);
    return OK;
}
EXPORT int cuEventCreate(void **event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof(double));
    return OK;
}
EXPORT int cuEventDestroy_v2(void *event) {
    free(event);
    return OK;
}
EXPORT int cuEventRecord(void *event, void *stream) {
    (void)stream;
    *(double *)event = now_ns;
    return lost;
}
EXPORT int cuEventElapsedTime(float *ms, void *from, void *to) {
    *ms = (float)((*(double *)to - *(double *)from) * 1e-6);
    return lost;
}
// The text of a "cubin" as the stand-in for Triton's compiler makes it: an ELF file with the text in it,
// NUL-terminated.
static const char *text_of(const char *image) {
    if (memcmp(image, "\177ELF", 4) != 0) return image;
    uint64_t sections;
    uint16_t count;
    memcpy(&sections, image + 40, sizeof sections);
    memcpy(&count, image + 60, sizeof count);
    const char *text = memmem(image, sections + 64u * count, "{\"kernel\":", 10);
    return text ? text : "no text of the stand-in";
}
static int no_module(Module *m, int error) {
    module_free(m);
    return error;
}
EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned options, int *option, void **value) {
    (void)options, (void)option, (void)value;
    Module *m = calloc(1, sizeof *m);
    m->text = strdup(text_of(image));
    m->kernel = -1;
    m->next = modules;
    modules = m;
    *module = NULL;
    if (concerns("refuse", m)) return no_module(m, NO_JIT_COMPILER);
    if (sscanf(m->text, "// ouroboros stream inputs=%d unroll=%d", &m->inputs, &m->unroll) == 2) {
        m->stream = true;
        m->args = 2 * (m->inputs + 1);
        for (int i = 0; i < m->args; i++) m->bytes[i] = 8;
    } else if (strncmp(m->text, "// ouroboros clocks", 19) == 0) {
        m->clocks = true;
        m->args = 1;
        m->bytes[0] = 8;
    } else if (strncmp(m->text, "// ouroboros reads", 18) == 0) {
        m->reads = true;
        m->args = 2;
        m->bytes[0] = m->bytes[1] = 8;
    } else if (strncmp(m->text, "// ouroboros demotes", 20) == 0) {
        m->demotes = true;
        m->args = 2;
        m->bytes[0] = m->bytes[1] = 8;
    } else if (strncmp(m->text, "// ouroboros sums", 17) == 0) {
        m->sums = true;
        m->args = 4;
        for (int i = 0; i < m->args; i++) m->bytes[i] = 8;
    } else if (m->text[0] == '{') {
        static VmReply r;
        VmRequest q = {.order = VM_LOAD, .text_bytes = strlen(m->text)};
        if (!whole(true, &q, sizeof q) || !whole(true, m->text, q.text_bytes) ||
            !whole(false, &r, sizeof r) || r.end) {
            fprintf(stderr, "vm gpu: %s\n", r.why);
            return no_module(m, INVALID_IMAGE);
        }
        m->kernel = kernels++;
        m->args = r.args;
        for (int i = 0; i < r.args; i++) m->bytes[i] = r.bytes[i];
    } else if (strncmp(m->text, "// ouroboros nothing", 20) != 0) {
        return no_module(m, INVALID_IMAGE);
    }
    *module = m;
    return lost;
}
EXPORT int cuModuleUnload(void *module) {
    module_free(module);
    return OK;
}
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
    *function = module;
    return strstr(((Module *)module)->text, name) ? OK : NOT_FOUND;
}
EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function) {
    (void)function;
    *value = attribute == 4 ? 32 : 0;
    return OK;
}
// What the last launch asked for, for tests that look it up by name; the measurer's own kernel, which sums up
// inputs behind all others, is not meant.
EXPORT VmLaunched vm_launched;
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
    (void)function;
    if (attribute < 0 || attribute >= VM_FUNCTION_ATTRIBUTES) return INVALID_VALUE;
    vm_launched.function[attribute] = value;
    return OK;
}
EXPORT int cuFuncSetCacheConfig(void *function, int config) {
    (void)function;
    vm_launched.cache_config = config;
    return OK;
}
static void launch_noted(const Launch *config) {
    vm_launched.shared = config->shared;
    vm_launched.attributes = config->attributes;
    memcpy(vm_launched.grid, config->grid, sizeof config->grid);
    memcpy(vm_launched.block, config->block, sizeof config->block);
    memcpy(vm_launched.attribute, config->attribute, config->attributes * sizeof *vm_launched.attribute);
}
EXPORT int cuLaunchKernelEx(const Launch *config, void *function, void **params, void **extra) {
    (void)extra;
    Module *m = function;
    if (config->attributes > VM_LAUNCH_ATTRIBUTES) return INVALID_VALUE;
    if (!m->sums) launch_noted(config);
    Work w = {.kind = WORK_LAUNCH, .module = m};
    for (int d = 0; d < 3; d++) w.grid[d] = config->grid[d];
    for (int i = 0; i < m->args; i++) memcpy(&w.value[i], params[i], (size_t)m->bytes[i]);
    if (concerns("unlaunched", m)) return INVALID_VALUE;
    return queue(w);
}
