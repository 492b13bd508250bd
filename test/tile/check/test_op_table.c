// The language, counted: every name of op.def is used by a program of ours that runs and gives what it must,
// and misused by one that is refused. Programs: test/tile/coverage/*.py, cases of the form
//     # case: name
//     # launch: arguments, as launch.h reads them; *fp32:1,2,3 is an input with these elements
//     # gives: the first elements of the first output (a second line: of the second output, ...)
//     # error: part of the first message | # unsupported: part of it | # finds: part of a run-time finding
//     source
// names.txt lists what Triton 3.6 offers, by tier: tiers 1 and 2 must be here, tier 3 must be refused by
// name. What stands under tier 0 belongs to tier 1 or 2 and is not here yet: it must be refused, so that the
// list stays true.
#include "base/io.h"
#include "tile/check/checker.h"
#include "tile/run.h"
#include <dirent.h>

enum { OUTPUTS_MAX = 4, SPELLINGS_MAX = 1024 };

typedef struct {
    Str name, launch, want, source;
    Str gives[OUTPUTS_MAX];
    int outputs;
    enum { NONE, GIVES, FINDS, ERROR, UNSUPPORTED } kind;
} Case;

static Str line_at(Str text, size_t at) {
    const char *nl = memchr(text.p + at, '\n', text.len - at);
    return (Str){text.p + at, nl ? (size_t)(nl - text.p - (ptrdiff_t)at) : text.len - at};
}
static bool after(Str line, const char *prefix, Str *rest) {
    if (!str_starts(line, prefix)) return false;
    size_t n = strlen(prefix);
    *rest = (Str){line.p + n, line.len - n};
    return true;
}

static bool next_case(Str text, size_t *at, Case *c) {
    Str rest, line;
    while (*at < text.len && !after(line = line_at(text, *at), "# case: ", &rest)) *at += line.len + 1;
    if (*at >= text.len) return false;
    *c = (Case){.name = rest};
    *at += line.len + 1;
    size_t start = *at;
    for (; *at < text.len; *at += line.len + 1) {
        line = line_at(text, *at);
        if (after(line, "# case: ", &rest)) break;
        if (after(line, "# launch:", &rest)) c->launch = rest;
        if (after(line, "# gives: ", &rest) && c->outputs < OUTPUTS_MAX)
            c->kind = GIVES, c->gives[c->outputs++] = rest;
        if (after(line, "# error: ", &c->want)) c->kind = ERROR;
        if (after(line, "# unsupported: ", &c->want)) c->kind = UNSUPPORTED;
        if (after(line, "# finds: ", &c->want)) c->kind = FINDS;
    }
    if (*at > text.len) *at = text.len;
    c->source = (Str){text.p + start, *at - start};
    return true;
}

// ---- which spellings a program uses ----

typedef struct {
    char text[64]; // as op.def writes it: "exp", "math.exp", ".exp", "libdevice.tanh"
    const OpRow *row;
    int right, wrong; // programs
} Spelling;
static Spelling spelling[SPELLINGS_MAX];
static int spellings;

static void list_spellings(void) {
    spellings = 0;
    for (int i = 0; i < oprow_count; i++) {
        for (const char *p = oprows[i].names; *p;) {
            size_t n = strcspn(p, " ");
            assert_true(spellings < SPELLINGS_MAX && n < sizeof spelling[0].text);
            Spelling *s = &spelling[spellings++];
            *s = (Spelling){.row = &oprows[i]};
            memcpy(s->text, p, n);
            p += n + (p[n] == ' ');
        }
    }
}

// The spelling of a called function; a method's receiver is whatever is no module.
static bool spell(Arena *a, const Node *func, const char **out) {
    if (func->kind != NODE_ATTRIBUTE) return false;
    const char *tail = "";
    const Node *n = func;
    for (; n->kind == NODE_ATTRIBUTE; n = n->attribute.value)
        tail = arena_printf(a, "%.*s%s%s", STR_ARG(n->attribute.name), *tail ? "." : "", tail);
    *out = tail;
    if (node_is_name(n, "triton") || node_is_name(n, "libdevice"))
        *out = arena_printf(a, "%.*s.%s", STR_ARG(n->name), tail);
    else if (!node_is_name(n, "tl"))
        *out = arena_printf(a, ".%.*s", STR_ARG(func->attribute.name));
    return true;
}

static void count_spelling(const char *text, bool right) {
    for (int i = 0; i < spellings; i++) // "desc.load" is a method, too: ".load"
        if (strcmp(spelling[i].text + (strncmp(spelling[i].text, "desc.", 5) ? 0 : 4), text) == 0)
            right ? spelling[i].right++ : spelling[i].wrong++;
}

static void count_calls(void *arg, const Node *n) {
    const char *text;
    if (n->kind == NODE_CALL && spell(arg, n->call.func, &text)) count_spelling(text, true);
    node_each_child(n, count_calls, arg);
}

// The innermost call around a finding is what was misused.
typedef struct {
    Span span;
    const Node *call;
} Around;
static void find_call(void *arg, const Node *n) {
    Around *a = arg;
    if (n->span.at > a->span.at || n->span.at + n->span.len < a->span.at + a->span.len) return;
    if (n->kind == NODE_CALL) a->call = n;
    node_each_child(n, find_call, arg);
}

// ---- running a case ----

static int failures, cases;
static bool quiet; // while a failure is what is tested
static bool wrong(const char *file, const Case *c, const char *what) {
    if (!quiet) print_error("%s: case %.*s: %s\n", file, STR_ARG(c->name), what);
    failures++;
    return false;
}

static Str next_word(Str *s, char separator) {
    while (s->len && *s->p == ' ') s->p++, s->len--;
    size_t n = 0;
    while (n < s->len && s->p[n] != separator && s->p[n] != ' ') n++;
    Str word = {s->p, n};
    s->p += n, s->len -= n;
    if (s->len && *s->p == separator) s->p++, s->len--;
    return word;
}

// *type:1,2,3 anywhere in the launch line becomes an input.
static void fill_inputs(Run *r, LaunchText *l, Str line) {
    int index = 0;
    for (Str word; (word = next_word(&line, ' ')).len; index++) {
        const char *colon = memchr(word.p, ':', word.len), *star = memchr(word.p, '*', word.len);
        if (!colon || !star) continue;
        DType t;
        assert_true(dtype_by_triton_name((Str){star + 1, (size_t)(colon - star - 1)}, &t));
        float value[256];
        int n = 0;
        Str list = {colon + 1, (size_t)(word.p + word.len - colon - 1)};
        for (Str one; n < 256 && (one = next_word(&list, ',')).len;)
            value[n++] = strtof(str_cdup(&r->arena, one), NULL);
        int before = r->args;
        input_of(r, t, value, n);
        l->arg[index].kind = ARG_TENSOR;
        l->arg[index].tensor = r->arg[before].tensor;
        r->args = before;
    }
}

// Without the values, which launch.h does not know.
static Str plain_line(Arena *a, Str line) {
    Buf b = BUF(a);
    for (size_t i = 0; i < line.len;) {
        if (line.p[i] == ':')
            while (i < line.len && line.p[i] != ' ') i++;
        else
            buf_putc(&b, line.p[i++]);
    }
    return buf_str(&b);
}

static bool compare(Run *r, const LaunchText *l, const char *file, const Case *c) {
    int output = 0;
    for (int i = 0; i < l->args && output < c->outputs; i++) {
        if (l->arg[i].kind != ARG_TENSOR || l->arg[i].tensor->storage->read_only) continue;
        const Tensor *t = l->arg[i].tensor;
        Str list = c->gives[output++];
        int k = 0;
        for (Str word; (word = next_word(&list, ' ')).len; k++) {
            double want = strtod(str_cdup(&r->arena, word), NULL), got = at(t, k);
            bool stored = t->storage->shadow[k * dtype_bytes(t->dtype)] & SHADOW_STORED;
            bool same =
                want != want ? got != got : want == got || fabs(want - got) <= 1e-6 * (fabs(want) + 1e-3);
            if (!same || !stored)
                return wrong(file, c,
                             arena_printf(&r->arena, "output %d element %d is %.9g%s, not %.*s", output - 1,
                                          k, got, stored ? "" : " (not stored)", STR_ARG(word)));
        }
    }
    return output == c->outputs || wrong(file, c, "fewer outputs than `gives` lines");
}

static void run_case(const char *file, const Case *c, bool counted) {
    Run r;
    run_begin(&r);
    LaunchText l;
    Launchable k;
    int before = failures;
    cases++;
    bool ok = launch_text(&r.arena, &r.diags, c->source, plain_line(&r.arena, c->launch), &l);
    r.machine.storages = l.storages;
    bool checked = false;
    if (ok) {
        fill_inputs(&r, &l, c->launch);
        checked = launch_check(&l, NULL, &k);
        ok = checked && vm_launch(&r.machine, k.code, k.cells, (int64_t[3]){1, 1, 1});
    }
    const Diag *first = diag_first(&r.diags);
    const char *msg = first ? first->msg : "no message";
    if (c->kind == NONE) {
        wrong(file, c, "says nothing about what it gives");
    } else if (c->kind == GIVES) {
        if (!ok)
            wrong(file, c, msg);
        else
            compare(&r, &l, file, c);
    } else if (ok || !first) {
        wrong(file, c, "accepted");
    } else {
        DiagKind kind = first->kind;
        bool right = c->kind == ERROR         ? kind == DIAG_COMPILE
                     : c->kind == UNSUPPORTED ? kind == DIAG_UNSUPPORTED
                                              : checked;
        if (!right || !memmem(msg, strlen(msg), c->want.p, c->want.len))
            wrong(file, c, arena_printf(&r.arena, "%s: %s", diag_name(kind), msg));
    }
    if (counted && failures == before && l.module) {
        const char *text;
        Around a = {first ? first->span : (Span){0}, NULL};
        if (c->kind == GIVES)
            count_calls(&r.arena, l.module);
        else
            find_call(&a, l.module);
        if (a.call && spell(&r.arena, a.call->call.func, &text)) count_spelling(text, false);
    }
    run_end(&r);
}

static int is_python(const struct dirent *e) { return str_ends(str_of(e->d_name), ".py"); }

static void run_programs(void) {
    const char *dir = "test/tile/coverage";
    struct dirent **list;
    int n = scandir(dir, &list, is_python, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        Arena a = {0};
        Err e = {0};
        Str text;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
        if (!io_read(&a, path, 1 << 20, &text, &e)) fail_msg("%s", e.msg);
        Case c;
        for (size_t at = 0; next_case(text, &at, &c);) run_case(path, &c, true);
        arena_free(&a);
        free(list[i]);
    }
    free(list);
}

static bool methods_only(const OpRow *row) {
    for (const char *p = row->names; *p; p += strcspn(p, " "), p += *p == ' ')
        if (*p != '.') return false;
    return true;
}

static bool refused(Spelling *s, const char *arguments, const char *want) {
    char source[512];
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable k;
    bool bare = strncmp(s->text, "triton.", 7) == 0 || strncmp(s->text, "libdevice.", 10) == 0 ||
                strncmp(s->text, "desc.", 5) == 0;
    snprintf(source, sizeof source,
             "from triton.language.extra import libdevice\n@triton.jit\ndef k(x):\n    v = tl.arange(0, 8)\n"
             "    h = v.to(tl.float16)\n    desc = tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8, 8])\n"
             "    w = %s%s(%s)\n",
             *s->text == '.' ? "v"
             : bare          ? ""
                             : "tl.",
             s->text, arguments);
    bool ok = launch_text(&a, &d, str_of(source), STR("*fp32"), &l) && launch_check(&l, NULL, &k);
    const Diag *first = diag_first(&d);
    ok = !ok && first && first->kind == DIAG_COMPILE && strstr(first->msg, want);
    arena_free(&a);
    return ok;
}

// A keyword that no function has, on every spelling; and on libdevice's, a type that none has.
static bool refuses_keyword(Spelling *s) {
    if (s->row->run == check_static_print) return true; // its arguments are not looked at
    if (!refused(s, "no_such_keyword=1", "no_such_keyword")) return false;
    if (strncmp(s->text, "libdevice.", 10) != 0) return true;
    char list[64] = "h";
    for (const char *p = s->row->signature; (p = strchr(p, ',')); p++) strcat(list, ", h");
    s->wrong += refused(s, list, "fp16");
    return s->wrong > 0;
}

static void test_every_name(void **state) {
    (void)state;
    list_spellings();
    run_programs();
    assert_int_equal(failures, 0);
    int bad = 0, right = 0, misused = 0;
    for (int i = 0; i < spellings; i++) {
        Spelling *s = &spelling[i];
        bool keyword = refuses_keyword(s);
        right += s->right > 0;
        misused += s->wrong > 0;
        if (s->right && keyword) continue;
        print_error("%s: %s\n", s->text, s->right ? "takes any keyword or type" : "no program uses it");
        bad++;
    }
    for (int i = 0; i < oprow_count; i++) {
        int refused = 0;
        for (int k = 0; k < spellings; k++)
            if (spelling[k].row == &oprows[i]) refused += spelling[k].wrong;
        if (refused || !*oprows[i].signature || strstr(oprows[i].doc, "no effect") ||
            methods_only(&oprows[i]))
            continue;
        print_error("%s: no program misuses it\n", oprows[i].id);
        bad++;
    }
    print_message("%d rows, %d spellings: %d used by programs that run, %d misused by programs that are "
                  "refused; %d programs\n",
                  oprow_count, spellings, right, misused, cases);
    assert_int_equal(bad, 0);
}

// ---- names.txt ----

static bool accepted_name(const char *expr, DiagKind *kind) {
    char source[512];
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable k;
    snprintf(source, sizeof source,
             "from triton.language.extra import libdevice\n@triton.jit\ndef k(x):\n    v = tl.arange(0, 8)\n"
             "    m = v.reshape(2, 4)\n    (%s)\n",
             expr);
    bool ok = launch_text(&a, &d, str_of(source), STR("*fp32"), &l) && launch_check(&l, NULL, &k);
    *kind = ok ? DIAG_COUNT : diag_first(&d)->kind;
    arena_free(&a);
    return ok;
}

static void test_tiers(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Str text;
    if (!io_read(&a, "test/tile/coverage/names.txt", 1 << 20, &text, &e)) fail_msg("%s", e.msg);
    int tier = 0, bad = 0, count[4] = {0};
    for (size_t at = 0; at < text.len;) {
        Str line = line_at(text, at), rest;
        at += line.len + 1;
        if (str_starts(line, "#")) continue;
        if (after(line, "tier ", &rest))
            tier = rest.p[0] - '0';
        else
            for (Str word; (word = next_word(&line, ' ')).len;) {
                char expr[128];
                DiagKind kind;
                bool method = *word.p == '.',
                     bare = str_starts(word, "libdevice.") || str_starts(word, "triton.");
                snprintf(expr, sizeof expr, "%s%.*s", method ? "m" : bare ? "" : "tl.", STR_ARG(word));
                bool ok = accepted_name(expr, &kind);
                count[tier]++;
                if (tier == 3 ? kind == DIAG_UNSUPPORTED : ok == (tier > 0)) continue;
                print_error("tier %d: %s is %s\n", tier, expr, ok ? "accepted" : diag_name(kind));
                bad++;
            }
    }
    print_message("names of Triton 3.6: %d of tiers 1 and 2 here, %d not yet; %d of tier 3 refused by name\n",
                  count[1] + count[2], count[0], count[3]);
    arena_free(&a);
    assert_int_equal(bad, 0);
}

// The runner sees what is wrong: a wrong value, a refusal, an acceptance, another message, silence.
static void test_runner(void **state) {
    (void)state;
    static const char good[] = "@triton.jit\ndef k(y):\n    tl.store(y, 3)\n",
                      bad[] = "@triton.jit\ndef k(y):\n    tl.store(y, z)\n";
    const Case wrong_cases[] = {
        {STR("a"), STR("*fp32"), {0}, STR(good), {STR("4")}, 1, GIVES},
        {STR("b"), STR("*fp32"), {0}, STR(good), {STR("3 3")}, 1, GIVES},
        {STR("c"), STR("*fp32"), {0}, STR(bad), {STR("3")}, 1, GIVES},
        {STR("d"), STR("*fp32"), STR(""), STR(good), {{0}}, 0, ERROR},
        {STR("e"), STR("*fp32"), STR("other words"), STR(bad), {{0}}, 0, ERROR},
        {STR("f"), STR("*fp32"), STR("not defined"), STR(bad), {{0}}, 0, UNSUPPORTED},
        {STR("g"), STR("*fp32"), STR("not defined"), STR(bad), {{0}}, 0, FINDS},
        {STR("h"), STR("*fp32"), {0}, STR(good), {{0}}, 0, NONE},
    };
    int before = failures, n = sizeof wrong_cases / sizeof *wrong_cases;
    const Case right = {STR("i"), STR("*fp32"), {0}, STR(good), {STR("3")}, 1, GIVES};
    quiet = true;
    for (int i = 0; i < n; i++) run_case("runner", &wrong_cases[i], false);
    run_case("runner", &right, false);
    quiet = false;
    assert_int_equal(failures, before + n);
    failures = before;
}

static void test_reference(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    language_reference(&b);
    assert_non_null(strstr(buf_cstr(&b), "tl.load(pointer, mask=None"));
    assert_non_null(strstr(buf_cstr(&b), "libdevice.tanh(arg0)"));
    assert_non_null(strstr(buf_cstr(&b), "tl.bfloat16"));
    assert_null(strstr(buf_cstr(&b), "tl.tanh"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_name), cmocka_unit_test(test_tiers),
                                       cmocka_unit_test(test_runner), cmocka_unit_test(test_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
