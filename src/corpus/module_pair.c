#include "corpus/module_pair.h"

#include <stdlib.h>

// The name of a class whose statement begins a line at `at`; empty: none does.
static Str class_at(Str text, size_t at) {
    static const Str word = STR("class ");
    if ((at && text.p[at - 1] != '\n') || text.len - at < word.len ||
        memcmp(text.p + at, word.p, word.len) != 0)
        return (Str){0};
    size_t from = at + word.len, end = from;
    while (end < text.len && char_is_word(text.p[end])) end++;
    return (Str){text.p + from, end - from};
}

// Names in order, so that texts of thousands of classes are no long search.
typedef struct {
    Str *name;
    size_t n;
} Classes;

static Classes classes_of(Arena *a, Str text) {
    Classes c = {0};
    size_t room = 0;
    for (size_t i = 0; i < text.len; i++) {
        const Str name = class_at(text, i);
        if (!name.len) continue;
        if (c.n == room) {
            room = 2 * room + 16;
            c.name = MORE(a, Str, c.name, c.n, room);
        }
        c.name[c.n++] = name;
    }
    if (c.n) qsort(c.name, c.n, sizeof *c.name, str_cmp_at);
    return c;
}
static bool has_class(Classes c, Str name) {
    return c.n && bsearch(&name, c.name, c.n, sizeof *c.name, str_cmp_at) != NULL;
}

// What is built of [[...], {...}], and called with whatever X takes.
static Str wrapped(Arena *a, Str text, const char *model, Str inner, const char *suffix) {
    Buf b = BUF(a);
    buf_str_put(&b, text);
    buf_printf(&b,
               "\n\nimport torch\n\n\nclass %s(torch.nn.Module):\n    def __init__(self, args, kwargs):\n"
               "        super().__init__()\n        self.inner = %.*s%s(*args, **kwargs)\n\n"
               "    def forward(self, *inputs):\n        return self.inner(*inputs)\n",
               model, STR_ARG(inner), suffix);
    return buf_str(&b);
}

bool module_pair(Arena *a, Str module, Str kernels, ModulePair *out) {
    static const Str ending = STR("New");
    const Classes in = classes_of(a, module);
    *out = (ModulePair){.name = {0}};
    for (size_t i = 0; i < kernels.len; i++) {
        Str name = class_at(kernels, i);
        if (name.len <= ending.len || memcmp(name.p + name.len - ending.len, ending.p, ending.len) != 0)
            continue;
        name.len -= ending.len;
        if (has_class(in, name)) out->name = name; // the last one
    }
    if (!out->name.len) return false;
    const bool taken = str_is(out->name, "Model") || has_class(in, STR("Model")) ||
                       has_class(classes_of(a, kernels), STR("ModelNew"));
    // Of that name already: its own arguments are what get_init_inputs() has to give.
    out->reference = taken ? module : wrapped(a, module, "Model", out->name, "");
    out->candidate = taken ? kernels : wrapped(a, kernels, "ModelNew", out->name, "New");
    return true;
}
