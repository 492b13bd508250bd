#include "base/large_text.h"
#include "base/build.h"
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL = 4096, LARGE = 2 << 20 };

typedef struct {
    uintptr_t from, to; // whole small pages
} Range;

static uintptr_t down(uintptr_t at, uintptr_t page) { return at & ~(page - 1); }
static uintptr_t up(uintptr_t at, uintptr_t page) { return down(at + page - 1, page); }

// The program comes first, its libraries behind it. The Makefile asks the linker for one segment of code and
// constants, at a multiple of large pages.
static int find_code(struct dl_phdr_info *info, size_t size, void *arg) {
    Range *r = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_X)) continue;
        r->from = down(info->dlpi_addr + h->p_vaddr, SMALL);
        r->to = up(info->dlpi_addr + h->p_vaddr + h->p_memsz, SMALL);
    }
    return 1;
}

static void *anonymous(void *at, size_t bytes, int protection, int flags) {
    void *p = mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

// A large page at the end holds what lies between the code and what follows it, too: nothing may be there.
static bool claim(uintptr_t from, uintptr_t to) {
    return from == to || anonymous((void *)from, to - from, PROT_NONE, MAP_FIXED_NOREPLACE) == (void *)from;
}

// False: what was there still is.
static bool move(Range code, size_t room) {
    char *fresh = anonymous(NULL, room + LARGE, PROT_READ | PROT_WRITE, 0);
    if (!fresh) return false;
    char *copy = (char *)up((uintptr_t)fresh, LARGE);
    (void)madvise(copy, room, MADV_HUGEPAGE); // a hint
    memcpy(copy, (const void *)code.from, code.to - code.from);
    // The same bytes before and after: the code that asks for it goes on as if nothing had happened.
    bool moved = mprotect(copy, room, PROT_READ | PROT_EXEC) == 0 &&
                 mremap(copy, room, room, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)code.from) != MAP_FAILED;
    // What is left: all of it, or what was too much before and behind the aligned part.
    if (!moved) munmap(copy, room);
    if (copy > fresh) munmap(fresh, (size_t)(copy - fresh));
    munmap(copy + room, (size_t)(fresh + LARGE - copy));
    return moved;
}

bool large_text(void) {
    Range code = {0};
    const char *wanted = getenv("OUROBOROS_TEXT");
    if (BUILD_ASAN || (wanted && strcmp(wanted, "file") == 0)) return false;
    dl_iterate_phdr(find_code, &code);
    uintptr_t end = up(code.to, LARGE);
    if (!code.from || code.from % LARGE || !claim(code.to, end)) return false;
    bool moved = move(code, end - code.from);
    if (!moved && end > code.to) munmap((void *)code.to, end - code.to);
    return moved;
}
