// What a compile worker sends and what lies in the cache, read as hostile: every length, number and section.
#include "measure/compile/compile_answer.h"

#include <assert.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../hostile.h"
#include "base/io.h"
#include "measure/compile/compile_cache.h"

static Arena a;
static const RunKernel kernel = {
    .name = STR_INIT("plain"),
    .source = STR_INIT("import triton\n"),
    .option = {.num_warps = 4, .num_stages = 3, .num_ctas = 1, .fp_fusion = true}};

// A header, no code, names, three sections.
static Str image(void) {
    static const char names[] = "\0.shstrtab\0.text.plain";
    Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, 1},
                    .e_type = 2,
                    .e_machine = 190,
                    .e_shoff = sizeof h + 32,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 3,
                    .e_shstrndx = 1};
    const Elf64_Shdr section[3] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = sizeof h, .sh_size = sizeof names},
        {.sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = sizeof h, .sh_size = 0}};
    Buf b = BUF(&a);
    buf_put(&b, &h, sizeof h);
    buf_put(&b, names, sizeof names);
    while (b.len < h.e_shoff) buf_putc(&b, '\0');
    buf_put(&b, section, sizeof section);
    return buf_str(&b);
}

static Cubin cubin(void) {
    return (Cubin){.image = image(),
                   .entry = kernel.name,
                   .shared = 64,
                   .num_warps = 4,
                   .num_ctas = 1,
                   .global_scratch = 128,
                   .global_scratch_align = 16,
                   .profile_scratch_align = 1};
}

// An answer that is taken is one about this kernel, with the bounds of a launch.
static bool read_frame(void *arg, Str frame) {
    (void)arg;
    CompileAnswer out;
    Err e = {0};
    ArenaMark m = arena_mark(&a);
    size_t bytes;
    bool whole = compile_frame_bytes(frame, &bytes);
    bool taken = compile_answer_read(&a, frame, &kernel, &out, &e);
    if (taken) assert_true(whole && bytes == frame.len);
    if (taken && out.ok) {
        const Cubin *c = &out.cubin;
        assert_true(str_is(c->entry, "plain") && c->num_ctas == 1 && c->num_warps >= 4 && c->num_warps <= 64);
        assert_true(c->shared >= 0 && c->shared <= 256 << 10 && c->global_scratch >= 0 && c->image.len >= 64);
        assert_true(c->global_scratch_align >= 1 && !c->cooperative && !c->pdl);
    }
    if (taken && !out.ok) assert_true(out.why.len > 0);
    arena_reset(&a, m);
    return taken;
}

static Str framed(Str text, Str blob) {
    Buf b = BUF(&a);
    uint32_t n[2] = {(uint32_t)text.len, (uint32_t)blob.len};
    buf_put(&b, n, sizeof n);
    buf_str_put(&b, text);
    buf_str_put(&b, blob);
    return buf_str(&b);
}

typedef struct {
    Hostile *frames;
    Str blob;
} Wrapped;
static bool read_wrapped(void *arg, Str text) {
    const Wrapped *w = arg;
    Str frame = framed(text, w->blob);
    hostile_try(w->frames, frame.p, frame.len);
    return read_frame(NULL, frame);
}

static void test_hostile_frames(void **state) {
    (void)state;
    const Cubin c = cubin();
    Str frame = compile_frame(&a, &c);
    Hostile h = {.read = read_frame};
    assert_true(read_frame(NULL, frame));
    hostile_bytes(&h, frame, 1); // lengths, text, headers, names, sections
    assert_true(h.tried > 3000 && h.taken < h.tried / 2);
    uint32_t text;
    memcpy(&text, frame.p, sizeof text);
    Wrapped w = {&h, {frame.p + 8 + text, frame.len - 8 - text}};
    Hostile values = {.read = read_wrapped, .arg = &w};
    hostile_json(&values, (Str){frame.p + 8, text});
    assert_true(values.tried > 300 && values.taken < values.tried);
    // Lengths that no frame has: of 4 GiB, of nothing, that together are beyond a word.
    static const uint32_t lengths[][2] = {{UINT32_MAX, UINT32_MAX}, {0, 0}, {1, UINT32_MAX}, {UINT32_MAX, 1}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t bytes;
        assert_false(compile_frame_bytes((Str){(const char *)lengths[i], 8}, &bytes));
    }
}

static void test_hostile_sections(void **state) {
    (void)state;
    static const size_t field[] = {offsetof(Elf64_Ehdr, e_shoff),    offsetof(Elf64_Ehdr, e_shnum),
                                   offsetof(Elf64_Ehdr, e_shstrndx), 64 + 32 + 64 + 24 /* sh_offset */,
                                   64 + 32 + 64 + 32 /* sh_size */,  64 + 32 + 128 /* sh_name */};
    static const uint64_t bad[] = {UINT64_MAX, INT64_MAX, (uint64_t)1 << 32, UINT32_MAX, 65535, 4096};
    const Cubin c = cubin();
    Str frame = compile_frame(&a, &c);
    size_t at = frame.len - c.image.len;
    char *own = arena_strndup(&a, frame.p, frame.len);
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
            for (size_t bytes = 2; bytes <= 8; bytes *= 2) {
                memcpy(own, frame.p, frame.len);
                memcpy(own + at + field[i], &bad[k], bytes);
                Hostile h = {.read = read_frame};
                hostile_try(&h, own, frame.len);
            }
    assert_true(read_frame(NULL, frame));
}

// Files of the cache: the sum covers all of it; with a right sum the frame is still read as a worker's.
static void test_hostile_cache_files(void **state) {
    (void)state;
    char folder[] = "/tmp/test_compile_answer-XXXXXX", path[160], hex[65];
    Err e = {0};
    Cubin c = cubin(), got;
    const Sha256 key = sha256_of(STR("key"));
    Str whole;
    assert_non_null(mkdtemp(folder));
    sha256_hex(key, hex);
    snprintf(path, sizeof path, "%s/%s.cubin", folder, hex);
    assert_true(compile_cache_keep(folder, key, &c, &e));
    assert_true(compile_cache_find(&a, folder, key, &kernel, &got) && str_eq(got.image, c.image));
    assert_true(io_read_file(&a, path, 1 << 20, &whole, &e));
    for (size_t n = 0; n < whole.len; n += 7) { // cut off; with one bit changed
        char *own = arena_strndup(&a, whole.p, whole.len);
        assert_true(io_write_atomic(path, (Str){own, n}, &e));
        assert_false(compile_cache_find(&a, folder, key, &kernel, &got));
        own[n] ^= 4;
        assert_true(io_write_atomic(path, (Str){own, whole.len}, &e));
        assert_false(compile_cache_find(&a, folder, key, &kernel, &got));
    }
    c.num_warps = 2; // less than the kernel's options say
    assert_true(compile_cache_keep(folder, key, &c, &e));
    assert_false(compile_cache_find(&a, folder, key, &kernel, &got));
    c.num_warps = 4;
    assert_true(compile_cache_keep(folder, key, &c, &e));
    assert_true(compile_cache_find(&a, folder, key, &kernel, &got));
    unlink(path);
    rmdir(folder);
}

static int end(void **state) {
    (void)state;
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_hostile_frames, end),
        cmocka_unit_test_teardown(test_hostile_sections, end),
        cmocka_unit_test_teardown(test_hostile_cache_files, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
