// export: champions as a Python package.
#include <stdio.h>
#include <string.h>

#include "cmd/line/cmd.h"
#include "cmd/shared/op_set.h"
#include "op/suite.h"
#include "package/package.h"

typedef struct {
    const char *champions, *folder;
} ExportOptions;

typedef struct {
    Arena *a;
    const ExportOptions *o;
    Service *service;
    PackagedOp *op; // that can be packaged
    int n, refused;
    bool unread; // of those refused, one could not even be read
} Export;

// What cannot be packaged is told, and the list goes on.
static void take(Export *x, const char *name) {
    Json j;
    Err why = {0};
    ChampionRecord k;
    Op op;
    const DomainAsked domain = {0};
    bool read = champion_read(x->a, x->o->champions, str_of(name), &j, &k, &why);
    if (read && service_op(x->service, x->a, name, &domain, &op, &why) &&
        packaged_op(x->a, &op, &k, &j, &x->op[x->n], &why)) {
        x->n++;
    } else {
        printf("%s: not exported: %s\n", name, why.msg);
        x->unread |= !read && !k.changed;
        x->refused++;
    }
    json_close(&j);
}

typedef struct {
    const char **name;
    int n;
} Names;

static bool has(const Names *list, const char *name) {
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->name[i], name) == 0) return true;
    return false;
}

// Globs choose among the champions that are there; an op that is named has to be there.
static bool chosen(Export *x, const char *ops, const Names *kept, Names *out, Err *e) {
    Str rest = str_of(ops);
    out->name = NEWN(x->a, const char *, OPS_MAX);
    for (Str item; str_piece(&rest, ',', &item);) {
        const char *text = str_cdup(x->a, item);
        const bool choose = strpbrk(text, "*?[@") || strcmp(text, "all") == 0;
        OpSet set = {.verb = "export", .service = x->service};
        if (!op_set_read(x->a, &set, text, e)) return false;
        for (int i = 0; i < set.count && out->n < OPS_MAX; i++) {
            const char *name = str_cdup(x->a, set.op[i].name);
            if ((!choose || has(kept, name)) && !has(out, name)) out->name[out->n++] = name;
        }
    }
    return out->n > 0 || err_set(e, ERR_INPUT, "%s: no champion of such an op is kept here", x->o->champions);
}

static bool take_all(Export *x, const char *ops, Err *e) {
    Names kept = {0}, all = {0};
    if (!champion_names(x->a, x->o->champions, "--champions", &kept.name, &kept.n, e)) return false;
    if (ops && !chosen(x, ops, &kept, &all, e)) return false;
    if (!ops) all = kept;
    x->op = NEWN(x->a, PackagedOp, all.n);
    for (int i = 0; i < all.n; i++) take(x, all.name[i]);
    return true;
}

// As a shell takes it for one word, which pip takes for a folder.
static const char *shell_word(Arena *a, const char *path) {
    bool plain = *path != '-';
    Buf out = BUF(a);
    for (const char *p = path; *p; p++) plain &= char_is_word(*p) || strchr("/.-+,:=@%", *p) != NULL;
    if (plain) return path;
    buf_puts(&out, *path == '-' ? "'./" : "'");
    for (const char *p = path; *p; p++) buf_puts(&out, *p == '\'' ? "'\\''" : (const char[]){*p, 0});
    buf_putc(&out, '\'');
    return buf_cstr(&out);
}

static bool export(Export *x, const char *ops, Err *e) {
    if (!take_all(x, ops, e)) return false;
    if (x->n && !package_write(x->o->folder, x->op, x->n, e)) return false;
    if (x->n)
        printf("%d op%s in %s; to use %s: pip install %s\n", x->n, x->n == 1 ? "" : "s", x->o->folder,
               x->n == 1 ? "it" : "them", shell_word(x->a, x->o->folder));
    return true;
}

int cmd_export(int argc, char **argv) {
    ExportOptions o = {.champions = "champions", .folder = "ouroboros-kernels"};
    const Option options[] = {{"--champions", OPTION_TEXT, &o.champions}, {"-o", OPTION_TEXT, &o.folder}};
    Positionals rest;
    Err e = {0};
    if (!options_parse(&(CommandLine){"export", argc, argv}, options, sizeof options / sizeof *options, &rest,
                       &e))
        return cmd_fail("export", &e);
    Arena a = {0};
    Export x = {.a = &a, .o = &o};
    Referee *r = NULL;
    bool ok = referee_open(&(RefereeConfig){.no_journal = true}, &r, &e) &&
              service_open(r, &(ServiceConfig){0}, &x.service, &e) &&
              export(&x, rest.n ? rest.at[0] : NULL, &e);
    int code = !ok ? cmd_fail("export", &e) : x.unread ? EXIT_WORLD : x.refused ? EXIT_REJECTED : EXIT_OK;
    service_close(x.service);
    if (r) referee_close(r);
    arena_free(&a);
    return code;
}
