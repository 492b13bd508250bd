#include "measure/compile/compile_answer.h"
#include <elf.h>

// ---- frames

static uint32_t number_at(const char *p) {
    uint32_t n;
    memcpy(&n, p, sizeof n);
    return n;
}

bool compile_frame_bytes(Str got, size_t *bytes) {
    *bytes = 0;
    if (got.len < 8) return true;
    uint32_t text = number_at(got.p), blob = number_at(got.p + 4);
    if (text == 0 || text > ANSWER_TEXT_MAX || blob > CUBIN_MAX) return false;
    *bytes = 8 + (size_t)text + blob;
    return true;
}

bool compile_request(Arena *a, const RunKernel *k, CompileAsk ask, Str *out, Err *e) {
    Buf b = BUF(a);
    buf_put(&b, "\0\0\0\0", 4);
    buf_printf(&b, "{\"id\":%lld,\"capability\":%d,\"seconds\":%d,\"kernel\":{", (long long)ask.id,
               ask.capability, ask.seconds);
    run_kernel_form(&b, k);
    buf_puts(&b, "},\"source\":");
    if (!json_put_precise(&b, json_stringn(k->source.p ? k->source.p : "", k->source.len), 17))
        return err_set(e, ERR_INPUT, "%.*s: its source is no text", STR_ARG(k->name));
    buf_putc(&b, '}');
    uint32_t n = (uint32_t)(b.len - 4);
    memcpy(b.p, &n, sizeof n);
    *out = buf_str(&b);
    return true;
}

Str compile_frame(Arena *a, const Cubin *c) {
    Buf b = BUF(a);
    buf_put(&b, "\0\0\0\0\0\0\0\0", 8);
    buf_printf(&b,
               "{\"id\":0,\"ok\":true,\"name\":\"%.*s\",\"shared\":%d,\"num_warps\":%d,\"num_ctas\":%d,"
               "\"global_scratch\":%lld,\"global_scratch_align\":%d,\"profile_scratch\":%lld,"
               "\"profile_scratch_align\":%d,\"cooperative\":%s,\"pdl\":%s}",
               STR_ARG(c->entry), c->shared, c->num_warps, c->num_ctas, (long long)c->global_scratch,
               c->global_scratch_align, (long long)c->profile_scratch, c->profile_scratch_align,
               c->cooperative ? "true" : "false", c->pdl ? "true" : "false");
    uint32_t text = (uint32_t)(b.len - 8), blob = (uint32_t)c->image.len;
    memcpy(b.p, &text, sizeof text);
    memcpy(b.p + 4, &blob, sizeof blob);
    buf_str_put(&b, c->image);
    return buf_str(&b);
}

// ---- the cubin

static bool inside(uint64_t at, uint64_t bytes, size_t all) { return at <= all && bytes <= all - at; }

// A 64-bit ELF file for CUDA with code for the entry: ".text.NAME" among its sections.
static bool cubin_holds(Str image, Str entry) {
    enum { CUDA_MACHINE = 190 };
    Elf64_Ehdr h;
    if (image.len < sizeof h) return false;
    memcpy(&h, image.p, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_machine != CUDA_MACHINE || h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shstrndx >= h.e_shnum ||
        !inside(h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr), image.len))
        return false;
    Elf64_Shdr names, s;
    memcpy(&names, image.p + h.e_shoff + (size_t)h.e_shstrndx * sizeof names, sizeof names);
    if (!inside(names.sh_offset, names.sh_size, image.len)) return false;
    const char *text = image.p + names.sh_offset;
    for (int i = 0; i < h.e_shnum; i++) {
        memcpy(&s, image.p + h.e_shoff + (size_t)i * sizeof s, sizeof s);
        if (!inside(s.sh_offset, s.sh_type == SHT_NOBITS ? 0 : s.sh_size, image.len)) return false;
        if (!inside(s.sh_name, 6 + entry.len + 1, names.sh_size)) continue;
        const char *name = text + s.sh_name;
        if (memcmp(name, ".text.", 6) == 0 && memcmp(name + 6, entry.p, entry.len) == 0 &&
            !name[6 + entry.len])
            return true;
    }
    return false;
}

// ---- the answer

static bool int_of(const Json *j, const char *key, int min, int max, int *out) {
    int64_t x = INT64_MIN;
    if (!json_get_int(j, j->root, key, min, max, &x)) return false;
    if (x == INT64_MIN) return err_set(j->e, ERR_INPUT, "%s: no \"%s\"", j->file, key);
    return *out = (int)x, true;
}

static bool scratch_of(const Json *j, const char *key, int64_t *out) {
    const int64_t most = (int64_t)1 << 30;
    return json_get_int(j, j->root, key, 0, most, out);
}

// Blocks of a cluster and warps are what was asked for; a compiler that splits its warps among tasks takes
// more of them.
static bool cubin_read(const Json *j, const RunKernel *k, Cubin *c) {
    enum { SHARED_MAX = 256 << 10, ALIGN_MAX = 4096, WARPS_MAX = 64 };
    if (!int_of(j, "shared", 0, SHARED_MAX, &c->shared) ||
        !int_of(j, "num_warps", k->option.num_warps, WARPS_MAX, &c->num_warps) ||
        !int_of(j, "num_ctas", k->option.num_ctas, k->option.num_ctas, &c->num_ctas) ||
        !int_of(j, "global_scratch_align", 1, ALIGN_MAX, &c->global_scratch_align) ||
        !int_of(j, "profile_scratch_align", 1, ALIGN_MAX, &c->profile_scratch_align) ||
        !scratch_of(j, "global_scratch", &c->global_scratch) ||
        !scratch_of(j, "profile_scratch", &c->profile_scratch) ||
        !json_get_bool(j, j->root, "cooperative", &c->cooperative) ||
        !json_get_bool(j, j->root, "pdl", &c->pdl))
        return false;
    if (c->cooperative != k->option.cooperative || c->pdl != k->option.pdl)
        return err_set(j->e, ERR_INPUT, "%s: other launch attributes than were asked for", j->file);
    return cubin_holds(c->image, c->entry) ||
           err_set(j->e, ERR_INPUT, "%s: no cubin with %.*s", j->file, STR_ARG(c->entry));
}

// Text for people: what a compiler said, on one line.
static Str printable(Arena *a, Str s) {
    enum { WHY_MAX = 1024 };
    Str out = str_dup(a, (Str){s.p, s.len < WHY_MAX ? s.len : WHY_MAX});
    for (size_t i = 0; i < out.len; i++)
        if (out.p[i] < ' ' || out.p[i] > '~') ((char *)(uintptr_t)out.p)[i] = ' ';
    return out;
}

static bool failure_read(Arena *a, const Json *j, Str blob, CompileAnswer *out) {
    Str why = {0};
    if (!json_get_text(j, j->root, "why", &why) || !json_get_bool(j, j->root, "crashed", &out->crashed))
        return false;
    if (!why.len || blob.len) return err_set(j->e, ERR_INPUT, "%s: a failure without a reason", j->file);
    out->why = printable(a, why);
    return true;
}

static bool text_read(Arena *a, const Json *j, Str blob, const RunKernel *k, CompileAnswer *out) {
    Str name = {0};
    int64_t id = -1;
    if (!json_get_int(j, j->root, "id", 0, INT64_MAX, &id) || !json_get_bool(j, j->root, "ok", &out->ok) ||
        !json_get_text(j, j->root, "name", &name))
        return false;
    out->id = id;
    if (!out->ok) return failure_read(a, j, blob, out);
    if (!str_eq(name, k->name))
        return err_set(j->e, ERR_INPUT, "%s: an answer about another kernel", j->file);
    out->cubin.entry = str_dup(a, name);
    char *image = arena_raw(a, blob.len + 1, 64); // a driver reads it as it lies there
    memcpy(image, blob.p, blob.len);
    out->cubin.image = (Str){image, blob.len};
    return cubin_read(j, k, &out->cubin);
}

bool compile_answer_read(Arena *a, Str frame, const RunKernel *k, CompileAnswer *out, Err *e) {
    size_t bytes;
    Json j;
    *out = (CompileAnswer){0};
    if (!compile_frame_bytes(frame, &bytes) || bytes != frame.len || frame.len < 8)
        return err_set(e, ERR_INPUT, "compile worker: no answer");
    Str text = {frame.p + 8, number_at(frame.p)};
    Str blob = {text.p + text.len, number_at(frame.p + 4)};
    bool ok = json_parse("compile worker", text, &j, e) && text_read(a, &j, blob, k, out);
    json_close(&j);
    return ok;
}
