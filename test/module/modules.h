// modules.h - what the tests of module/ share: a file in module form from text, evaluated.
#pragma once
#include "host/support.h"

#include "module/module.h"
#include <math.h>

static Arena arena;
static __attribute__((unused)) int arena_teardown(void **state) {
    (void)state;
    arena_free(&arena);
    arena = (Arena){0};
    return 0;
}

static inline ModuleFile file_of(const char *source) {
    ModuleFile m = {0};
    DiagList d = DIAGS(&arena);
    if (!module_read(&arena, str_of(source), &m, &d)) fail_msg("%s\n%s", d.at[0].msg, source);
    return m;
}

static inline ModuleRun evaluated(const ModuleFile *m, const ModuleAsk *asked) {
    ModuleRun *shapes = NEW(&arena, ModuleRun), run;
    DiagList d = DIAGS(&arena);
    ModuleAsk ask = *asked;
    ask.shapes = true;
    if (!module_evaluate(&arena, m, &ask, shapes, &d)) fail_msg("%s", d.at[0].msg);
    if (asked->shapes) return *shapes;
    ask.shapes = false;
    ask.known = shapes;
    ask.work_max = (int64_t)1 << 30;
    if (!module_evaluate(&arena, m, &ask, &run, &d)) fail_msg("%s", d.at[0].msg);
    return run;
}

// A model whose forward(self, x, y, z) is `body`, with `init` in its __init__ and these inputs.
static inline const char *model_text(const char *init, const char *body, const char *inputs) {
    Buf b = BUF(&arena);
    buf_printf(&b,
               "import math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"
               "class Model(nn.Module):\n    def __init__(self):\n        super(Model, self).__init__()\n"
               "        %s\n\n    def forward(self, x, y=None, z=None, more=None):\n        %s\n\n"
               "def get_inputs():\n    return [%s]\n\ndef get_init_inputs():\n    return []\n",
               init, body, inputs);
    return buf_cstr(&b);
}

static inline void refused_model(const char *source, DiagKind kind, const char *part) {
    ModuleFile m = {0};
    ModuleRun run;
    DiagList d = DIAGS(&arena);
    if (module_read(&arena, str_of(source), &m, &d) &&
        module_evaluate(&arena, &m, &(ModuleAsk){.shapes = true}, &run, &d))
        fail_msg("accepted, expected '%s':\n%s", part, source);
    expect_finding(&d, kind, part, source);
}

static inline const Bound *tensor_named(const ModuleRun *r, const char *name) {
    for (int i = 0; i < r->tensors; i++)
        if (str_is(r->tensor[i].name, name)) return r->tensor[i].value;
    fail_msg("no parameter %s", name);
    return NULL;
}

static inline double at(const Bound *b, int i, int j, int k) { // of rank up to 3
    int64_t s1 = b->rank > 1 ? b->shape[1] : 1, s2 = b->rank > 2 ? b->shape[2] : 1;
    return b->v[b->rank > 2 ? (i * s1 + j) * s2 + k : b->rank > 1 ? i * s1 + j : i];
}
