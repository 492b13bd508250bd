#include "op/embed.h"
#include "op/suite.h"

static const struct {
    const char *folder;
    ProgramKind kind;
} folders[] = {{"gold/", PROGRAM_GOLD},
               {"wrong/", PROGRAM_WRONG},
               {"exploit/", PROGRAM_CHEAT},
               {"honest/", PROGRAM_HONEST}};

static bool program_read(Arena *a, const EmbeddedFile *f, Program *out) {
    Str path = str_of(f->name);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (!str_starts(path, folders[i].folder) || !str_ends(path, ".py")) continue;
        size_t skip = strlen(folders[i].folder);
        Str source = {f->text, f->len};
        Str expect = source_header(source, "expect");
        *out = (Program){
            .name = arena_strndup(a, path.p + skip, path.len - skip - 3),
            .source = source,
            .op = source_header(source, "op"),
            .expect = expect.len ? expect : STR("ok"),
            .about = source_header(source, "about"),
            .attack = source_header(source, "attack"),
            .needs = source_header(source, "needs"),
            .level = source_header(source, "level"),
            .kind = folders[i].kind,
        };
        return true;
    }
    return false;
}

const Program *op_programs(Arena *a, int *count) {
    int files = 0;
    while (embedded_files[files].name) files++;
    Program *all = NEWN(a, Program, (size_t)(files + chain_program_count()) + 1);
    *count = 0;
    for (int i = 0; i < files; i++) *count += program_read(a, &embedded_files[i], &all[*count]);
    chain_programs(a, all + *count);
    *count += chain_program_count();
    return all;
}

static const Attack attacks[] = {
#define EXPLOIT(id, name, how, answer, tests) {#id, name, how, answer, tests},
#include "op/suite/exploit.def"
#undef EXPLOIT
};

const Attack *op_attacks(int *count) { return *count = sizeof attacks / sizeof *attacks, attacks; }

bool program_attacks(const Program *p, const Attack *attack) {
    Str rest = p->attack, id;
    while (str_piece(&rest, ' ', &id))
        if (str_is(id, attack->id)) return true;
    return false;
}
