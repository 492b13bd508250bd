// Any bytes as a manifest, and as the kernel file beside it (behind a byte 0xFF): an answer, never a crash.
// What is written either does not parse because the file does not, or holds one more statement than stays of
// the file.
#include "host/host.h"
#include "service/manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char kernels[] = "import torch; import triton\n"
                              "import triton.language as tl\n"
                              "@triton.jit\n"
                              "def first(x, y, n, BLOCK: tl.constexpr):\n"
                              "    pass\n";
static const char definition[] =
    "\"\"\"A product.\"\"\"\n"
    "inputs = {\"x\": {\"shape\": (\"M\", \"N\")}, \"w\": {\"shape\": (\"N\",)}}\n"
    "def reference(x, w):\n"
    "    return (x.float() * w.float()).to(x.dtype)\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Arena forever;
    static Op op;
    if (!op.inputs) {
        DiagList d = DIAGS(&forever);
        if (!op_define(&forever, STR("product"), STR(definition), true, &op, &d)) __builtin_trap();
    }
    const uint8_t *cut = size ? memchr(data, 0xff, size) : NULL;
    size_t n = cut ? (size_t)(cut - data) : size;
    Arena a = {0};
    Str json = str_dup(&a, (Str){(const char *)data, n}), text;
    Str source = cut ? str_dup(&a, (Str){(const char *)cut + 1, size - n - 1}) : STR(kernels);
    for (int exist = 0; exist < 2; exist++) {
        Err e = {0};
        if (!manifest_apply(&a, &(ManifestRequest){"m.json", json, &op, source, exist, {0}, exist}, &text,
                            &e)) {
            if (e.code != ERR_USAGE) __builtin_trap();
            for (const char *p = e.msg; *p; p++)
                if (*p < ' ' || *p > '~') __builtin_trap();
            continue;
        }
        DiagList d = DIAGS(&a);
        const Node *module = parse_module(&a, text, &d);
        if (!module && cut) continue;
        const Nodes *body = module ? &module->module.body : NULL;
        if (!body || !body->n || body->at[body->n - 1]->kind != NODE_FUNCTION ||
            !str_is(body->at[body->n - 1]->function.name, "run"))
            __builtin_trap();
        if (!host_screen(module, &d) && !cut) __builtin_trap(); // nothing but shape arithmetic comes through
    }
    arena_free(&a);
    return 0;
}
