#include "host/candidate/written_gpu.h"

// Triton compiles for majors from 7 on; beyond 12 there is no GPU yet.
enum { MAJOR_LEAST = 7, MAJOR_MOST = 12, MINORS = 10, COUNT_MOST = 16, NAME_MOST = 64 };

static void find_questions(void *arg, const Node *n) {
    static const struct {
        const char *name;
        unsigned what;
    } question[] = {
        {"multi_processor_count", GPU_ASKS_ANY},
        {"get_device_properties", GPU_ASKS_ANY},
        {"get_device_name", GPU_ASKS_ANY | GPU_ASKS_NAME},
        {"get_device_capability", GPU_ASKS_ANY | GPU_ASKS_KIND},
        {"get_current_target", GPU_ASKS_ANY | GPU_ASKS_KIND},
        {"device_count", GPU_ASKS_ANY | GPU_ASKS_COUNT},
        {"current_device", GPU_ASKS_INDEX},
        {"get_current_device", GPU_ASKS_INDEX},
        {"index", GPU_ASKS_INDEX},
    };
    unsigned *asked = arg;
    for (size_t i = 0; n->kind == NODE_ATTRIBUTE && i < sizeof question / sizeof *question; i++)
        if (str_is(n->attribute.name, question[i].name)) *asked |= question[i].what;
    node_each_child(n, find_questions, arg); // a tree's height is bounded
}

unsigned gpu_asked(const Node *module) {
    unsigned asked = 0;
    find_questions(&asked, module);
    return asked;
}

int written_gpu_shown(unsigned asked) { return (asked & GPU_ASKS_INDEX ? 1 : 0); }

// Counts down to the one that is looked for.
typedef struct {
    int64_t left;
    unsigned asked;
    bool found;
    GpuModel *out;
} Pick;

static void pick(Pick *p, GpuModel m) {
    if (!p->found && p->left-- == 0) *p->out = m, p->found = true;
}

static GpuModel usual(void) { return *gpu_model(GPU_WRITTEN); }

// With as much shared memory as a known one of its major.
static GpuModel of_kind(int64_t major, int64_t minor) {
    GpuModel m = usual();
    const GpuModel *k;
    for (int i = 0; (k = gpu_model_at(i)); i++)
        if (k->major == major) m.shared = k->shared;
    m.major = (int32_t)major;
    m.minor = (int32_t)minor;
    return m;
}

static bool whole(const Node *n, int64_t most, int64_t *out) {
    return n->kind == NODE_INT && !n->integer.too_big && n->integer.value <= (uint64_t)most &&
           (*out = (int64_t)n->integer.value, true);
}

// (7, 0), "sm" or an architecture as a number, 70: beyond those that are tried in any event.
static void of_node(void *arg, const Node *n) {
    enum { FAR = 99 };
    Pick *p = arg;
    int64_t a, b;
    bool pair = n->kind == NODE_TUPLE && n->items.n == 2 && whole(n->items.at[0], FAR, &a) &&
                whole(n->items.at[1], FAR, &b);
    if (!pair && whole(n, FAR * MINORS, &a) && a >= MINORS) pair = true, b = a % MINORS, a /= MINORS;
    bool tried = pair && a >= MAJOR_LEAST && a <= MAJOR_MOST && b < MINORS;
    if (pair && !tried && a > 0 && (p->asked & GPU_ASKS_KIND)) pick(p, of_kind(a, b));
    if (n->kind == NODE_STRING && (p->asked & GPU_ASKS_NAME) && n->string.text.len < NAME_MOST) {
        GpuModel m = usual();
        m.name_text = n->string.text;
        pick(p, m);
    }
    node_each_child(n, of_node, p);
}

bool written_gpu(const Node *module, int64_t number, GpuModel *out) {
    if (number < GPU_WRITTEN || number > GPU_WRITTEN_MOST) return false;
    Pick p = {number - GPU_WRITTEN, gpu_asked(module), false, out};
    GpuModel second = usual();
    second.count = 2;
    second.index = 1;
    if (p.asked & GPU_ASKS_INDEX) pick(&p, second);
    for (int n = 1; (p.asked & GPU_ASKS_COUNT) && n <= COUNT_MOST; n++) {
        GpuModel m = usual();
        m.count = n;
        pick(&p, m);
    }
    for (int major = MAJOR_LEAST; (p.asked & GPU_ASKS_KIND) && major <= MAJOR_MOST; major++)
        for (int minor = 0; minor < MINORS; minor++) pick(&p, of_kind(major, minor));
    if (p.asked) of_node(&p, module);
    return p.found;
}
