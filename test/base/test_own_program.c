// Which build is running: whatever is loaded of a program's file counts, but for the version's text.
#include "base/own_program.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/version.h"

// A program of one loaded part, which has a note of the linker and the version's text in it; behind it come
// bytes that nobody loads.
enum { HASH = 20, LOADED = 700, WHOLE = 733 };
typedef struct {
    Elf64_Ehdr head;
    Elf64_Phdr part[2];
    Elf64_Nhdr note;
    char name[4];
    uint8_t hash[HASH];
    char version[VERSION_BYTES];
} Start;
typedef union {
    Start start;
    uint8_t byte[WHOLE];
} Program;

static Program program(void) {
    Program p;
    for (int i = 0; i < WHOLE; i++) p.byte[i] = (uint8_t)(i * 7);
    p.start.head =
        (Elf64_Ehdr){.e_phoff = offsetof(Start, part), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2};
    memcpy(p.start.head.e_ident, ELFMAG, SELFMAG);
    p.start.head.e_ident[EI_CLASS] = ELFCLASS64;
    p.start.part[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = LOADED};
    p.start.part[1] = (Elf64_Phdr){.p_type = PT_NOTE,
                                   .p_offset = offsetof(Start, note),
                                   .p_filesz = offsetof(Start, version) - offsetof(Start, note),
                                   .p_align = 4};
    p.start.note = (Elf64_Nhdr){.n_namesz = 4, .n_descsz = HASH, .n_type = NT_GNU_BUILD_ID};
    memcpy(p.start.name, ELF_NOTE_GNU, 4);
    memcpy(p.start.version, version_described, VERSION_BYTES);
    return p;
}

static Sha256 hash_of(const void *bytes, size_t n) {
    char path[] = "/tmp/own_program.XXXXXX";
    int fd = mkstemp(path);
    Sha256 h = {{0}};
    Err e = {0};
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
    assert_true(program_file_hash(path, &h, &e));
    unlink(path);
    return h;
}

static bool same(Sha256 x, Sha256 y) { return memcmp(&x, &y, sizeof x) == 0; }

static bool counts(size_t at) {
    size_t hash = offsetof(Start, hash), text = offsetof(Start, version) + VERSION_MARK;
    if (at >= hash && at < hash + HASH) return false;
    if (at >= text && at < text + VERSION_BYTES - VERSION_MARK) return false;
    return at < LOADED;
}

static void test_what_is_loaded_counts(void **state) {
    (void)state;
    const Program p = program();
    Sha256 want = hash_of(&p, WHOLE);
    assert_true(same(want, hash_of(&p, WHOLE)));
    int counted = 0;
    for (size_t i = 0; i < WHOLE; i++) {
        Program other = p;
        other.byte[i] ^= 0x10;
        if (same(want, hash_of(&other, WHOLE)) == counts(i)) fail_msg("byte %zu", i);
        counted += counts(i);
    }
    assert_int_equal(counted, LOADED - HASH - (VERSION_BYTES - VERSION_MARK));
}

// Of what is no program, and of one whose parts do not lie in the file, each byte counts.
static void test_other_files_count_whole(void **state) {
    (void)state;
    Program p = program(), q = p;
    p.start.head.e_ident[0] = 'x';
    q.start.part[0].p_filesz = WHOLE + 1;
    const Program *of[] = {&p, &q};
    for (int k = 0; k < 2; k++) {
        Sha256 want = hash_of(of[k], WHOLE);
        Program other = *of[k];
        other.byte[WHOLE - 1] ^= 1;
        assert_false(same(want, hash_of(&other, WHOLE)));
        assert_false(same(want, hash_of(of[k], WHOLE - 1)));
    }
    static const uint8_t zero[64];
    for (size_t n = 0; n < sizeof zero; n++) assert_false(same(hash_of(zero, n), hash_of(zero, n + 1)));
}

static void test_own(void **state) {
    (void)state;
    Sha256 own, other;
    Err e = {0};
    assert_true(own_program_hash(&own, &e));
    assert_true(program_file_hash("/proc/self/exe", &other, &e));
    assert_true(same(own, other));
    assert_false(program_file_hash("/nowhere/program", &other, &e));
    assert_non_null(strstr(e.msg, "/nowhere/program"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_loaded_counts),
        cmocka_unit_test(test_other_files_count_whole),
        cmocka_unit_test(test_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
