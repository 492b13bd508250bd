#include "base/own_program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/version.h"

// A program has several megabytes, and every command that judges hashes its own: SHA-256 of them took four
// times as long as all else that such a command does before it works. So words are mixed into few first.
// Each step of a lane can be undone, so that one word that differs always shows.
enum { LANES = 4, LANE_BYTES = 8, STRIPE = LANES * LANE_BYTES };
typedef struct {
    uint64_t at[LANES];
} Mixed;

static void mix_stripe(Mixed *m, const uint64_t *word) {
    for (int k = 0; k < LANES; k++) {
        uint64_t x = (m->at[k] ^ word[k]) * 0x9e3779b97f4a7c15u; // odd
        m->at[k] = x ^ x >> 29;
    }
}

static void mix(Mixed *m, const uint8_t *p, size_t n) {
    uint64_t word[LANES] = {n}; // a last stripe ends in zeros, so lengths count, too
    mix_stripe(m, word);
    for (; n >= STRIPE; n -= STRIPE, p += STRIPE) {
        memcpy(word, p, STRIPE);
        mix_stripe(m, word);
    }
    memset(word, 0, sizeof word);
    if (n) memcpy(word, p, n);
    mix_stripe(m, word);
}

// ---- the file

typedef struct {
    uint8_t *map; // private: what does not count is cleared here alone
    size_t bytes;
} File;

static bool file_open(const char *path, File *f, Err *e) {
    *f = (File){0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_set(e, ERR_IO, "%s: %s", path, strerror(errno));
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (ok) f->bytes = (size_t)st.st_size;
    if (ok && f->bytes) {
        void *p = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        ok = p != MAP_FAILED;
        if (ok) f->map = p;
    }
    close(fd);
    return ok || err_set(e, ERR_IO, "%s: cannot be mapped", path);
}

typedef struct {
    const Elf64_Phdr *at;
    int n; // 0: no program whose parts all lie in the file
} Parts;

static Parts parts_of(const File *f) {
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->map;
    if (f->bytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_phentsize != sizeof(Elf64_Phdr) ||
        h->e_phoff % _Alignof(Elf64_Phdr) || h->e_phoff > f->bytes ||
        (f->bytes - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
        return (Parts){0};
    Parts p = {(const Elf64_Phdr *)(f->map + h->e_phoff), h->e_phnum};
    int loaded = 0;
    for (int i = 0; i < p.n; i++) {
        if (p.at[i].p_offset > f->bytes || p.at[i].p_filesz > f->bytes - p.at[i].p_offset) return (Parts){0};
        loaded += p.at[i].p_type == PT_LOAD;
    }
    return loaded ? p : (Parts){0};
}

static void clear_version(const File *f) {
    uint8_t *described = f->bytes ? memmem(f->map, f->bytes, version_described, VERSION_MARK) : NULL;
    if (described && f->bytes - (size_t)(described - f->map) >= VERSION_BYTES)
        memset(described, 0, VERSION_BYTES);
}

// Of the notes of one part, which are padded to whole words, the linker's hash.
static void clear_link_hash(uint8_t *at, size_t left) {
    Elf64_Nhdr note;
    while (left >= sizeof note) {
        memcpy(&note, at, sizeof note);
        size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3,
               size = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (left - sizeof note < name || left - sizeof note - name < size) return;
        bool hash = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
                    memcmp(at + sizeof note, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
        if (hash) memset(at + sizeof note + name, 0, size);
        at += sizeof note + name + size;
        left -= sizeof note + name + size;
    }
}

bool program_file_hash(const char *path, Sha256 *out, Err *e) {
    File f;
    Mixed m = {{1, 2, 3, 4}};
    if (!file_open(path, &f, e)) return false;
    Parts p = parts_of(&f);
    clear_version(&f);
    for (int i = 0; i < p.n; i++)
        if (p.at[i].p_type == PT_NOTE && p.at[i].p_align == 4)
            clear_link_hash(f.map + p.at[i].p_offset, p.at[i].p_filesz);
    for (int i = 0; i < p.n; i++)
        if (p.at[i].p_type == PT_LOAD) mix(&m, f.map + p.at[i].p_offset, p.at[i].p_filesz);
    if (!p.n) mix(&m, f.map, f.bytes);
    *out = sha256_of((Str){(char *)m.at, sizeof m.at});
    if (f.map) munmap(f.map, f.bytes);
    return true;
}

bool own_program_hash(Sha256 *out, Err *e) { return program_file_hash("/proc/self/exe", out, e); }
