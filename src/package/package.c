#include "package/package.h"

#include <sys/stat.h>

#include "base/io.h"
#include "base/version.h"
#include "lang/text.h"
#include "op/embed.h"
#include "op/suite.h"

// Rows of this length are in the cases of level full, whatever its sizes say.
enum { ROW_OF_FULL = 65537, ELEMENTS_OF_32_BITS = 0x7fffffff };
static const char package_name[] = "ouroboros_kernels";

// ---- what a record says

// "bfloat16 5x134161": the length of a row.
static int64_t row_of(Str shape) {
    int64_t n = 0;
    Str digits = str_last_part(shape, 'x');
    if (digits.len == 0 || digits.len > 9) return 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (!char_is_digit(digits.p[i])) return 0;
        n = 10 * n + digits.p[i] - '0';
    }
    return n;
}

static bool longest_row(const Json *j, const json_t *verdict, int64_t *out) {
    const json_t *sizes = json_object_get(verdict, "sizes"), *size;
    size_t i;
    *out = ROW_OF_FULL;
    json_array_foreach(sizes, i, size) {
        Str shape = {0}, said = {0};
        if (!json_is_object(size)) return err_set(j->e, ERR_INPUT, "%s: sizes are no objects", j->file);
        if (!json_get_text(j, size, "shape", &shape) || !json_get_text(j, size, "said", &said)) return false;
        if (str_is(said, "right") && row_of(shape) > *out) *out = row_of(shape);
    }
    return true;
}

static bool most_elements(const Json *j, const json_t *verdict, int64_t *out) {
    const json_t *giant = json_object_get(verdict, "giant");
    *out = ELEMENTS_OF_32_BITS;
    return !json_is_object(giant) || json_get_int(j, giant, "safe_elements", 1, INT64_MAX, out);
}

// A function's name in Python.
static bool is_name(Arena *a, Str name) {
    DiagList d = DIAGS(a);
    Buf text = BUF(a);
    for (size_t i = 0; i < name.len; i++)
        if (!char_is_word(name.p[i])) return false;
    buf_printf(&text, "def %.*s():\n    pass\n", STR_ARG(name));
    return name.len && parse_module(a, buf_str(&text), &d) && !diag_first(&d);
}

static bool is_of_rows(const Op *op) {
    bool rows = op->inputs > 0 && op->rows_dim >= 0 && op->input[0].dim[0] == op->rows_dim;
    for (int i = 0; i < op->inputs; i++)
        for (int k = 1; k < op->input[i].rank; k++) rows &= op->input[i].dim[k] != op->rows_dim;
    return rows;
}

bool packaged_op(Arena *a, const Op *op, const ChampionRecord *k, const Json *j, PackagedOp *out, Err *e) {
    char hash[65];
    bool accepted = false;
    Str level = {0}, values = {0}, layout = {0};
    const json_t *verdict = json_object_get(j->root, "verdict"), *domain = json_object_get(verdict, "domain");
    sha256_hex(op->hash, hash);
    *out = (PackagedOp){.op = *op};
    if (!str_is(k->op_hash, hash))
        return err_set(e, ERR_INPUT,
                       "judged by another definition of this op; champions OP --gpu searches again");
    if (!json_is_object(verdict) || !json_is_object(domain))
        return err_set(e, ERR_INPUT, "%s: no verdict with a domain", j->file);
    if (!json_get_bool(j, verdict, "accepted", &accepted) || !json_get_text(j, verdict, "level", &level) ||
        !json_get_text(j, verdict, "feedback", &out->feedback) ||
        !json_get_text(j, verdict, "version", &out->version) ||
        !json_get_text(j, domain, "values", &values) || !json_get_text(j, domain, "layout", &layout) ||
        !longest_row(j, verdict, &out->longest_row) || !most_elements(j, verdict, &out->most_elements))
        return false;
    if (!accepted || !str_is(level, "full")) return err_set(e, ERR_INPUT, "it was not accepted at full");
    if (!str_is(values, "declared") || !str_is(layout, op_layout(op)))
        return err_set(e, ERR_INPUT, "it was judged in another domain than the definition declares");
    if (!op_returns_one(op))
        return err_set(e, ERR_INPUT, "a package holds ops that return one tensor and change no input");
    if (!is_of_rows(op)) return err_set(e, ERR_INPUT, "a package holds ops whose first input has rows");
    if (!is_name(a, op->name)) return err_set(e, ERR_INPUT, "its name is none of a Python function");
    out->source = k->source;
    out->source_sha256 = str_dup(a, k->source_sha256);
    out->op_hash = str_dup(a, k->op_hash);
    out->gpu = str_dup(a, k->gpu);
    out->feedback = str_dup(a, out->feedback);
    out->version = str_dup(a, out->version);
    return true;
}

// ---- texts

static void put_quoted(Buf *out, Str text) {
    buf_putc(out, '"');
    string_body(out, text, (StringStyle){.quote = '"'});
    buf_putc(out, '"');
}

static void put_inputs(Buf *out, const Op *op) {
    for (int i = 0; i < op->inputs; i++) buf_printf(out, "%s%.*s", i ? ", " : "", STR_ARG(op->input[i].name));
}

// A docstring; each line but the first behind `indent`.
static void put_docstring(Buf *out, Str text, const char *indent) {
    Str line;
    buf_printf(out, "%s\"\"\"", indent);
    for (bool first = true; str_piece(&text, '\n', &line); first = false) {
        if (!first) buf_printf(out, "\n%s", line.len ? indent : "");
        string_body(out, line, (StringStyle){.quote = '"', .triple = true});
    }
    buf_printf(out, "\n%s\"\"\"\n", indent);
}

static void put_about(Buf *out, const Op *op) {
    Buf domain = BUF(out->arena);
    op_domain(&domain, op);
    buf_printf(out, "%.*s\n\n", STR_ARG(op->notes));
    buf_puts(out, "The kernel was judged on:\n\n");
    Str all = buf_str(&domain), line;
    while (str_piece(&all, '\n', &line))
        if (line.len) buf_printf(out, "    %.*s\n", STR_ARG(line));
    buf_puts(out, "\nM stands for all leading dimensions together. Inputs that the kernel was not judged on, "
                  "and gradients, "
                  "are computed by the definition's reference.");
}

static Str op_module(Arena *a, const PackagedOp *p) {
    const Op *op = &p->op;
    Buf out = BUF(a), about = BUF(a), evidence = BUF(a);
    put_about(&about, op);
    buf_printf(
        &evidence,
        "%.*s\n\nThe kernel is kernels/%.*s.py, sha256 %.*s.\nThe definition is "
        "definitions/%.*s.py; the hash of the op is %.*s.\nFound on %.*s; judged at full by ouroboros %.*s:\n"
        "%.*s\n",
        STR_ARG(op->notes), STR_ARG(op->name), STR_ARG(p->source_sha256), STR_ARG(op->name),
        STR_ARG(p->op_hash), STR_ARG(p->gpu), STR_ARG(p->version), STR_ARG(p->feedback));
    put_docstring(&out, buf_str(&evidence), "");
    buf_printf(&out,
               "\nfrom .._op import register\nfrom ..definitions import %.*s as definition\n\n_operator = "
               "register(\n    ",
               STR_ARG(op->name));
    put_quoted(&out, op->name);
    buf_printf(&out,
               ",\n    definition,\n    longest_row=%lld,\n    most_elements=%lld,\n    contiguous=%s,\n"
               "    source_sha256=\"%.*s\",\n    op_hash=\"%.*s\",\n    gpu=",
               (long long)p->longest_row, (long long)p->most_elements,
               op->domain.contiguous ? "True" : "False", STR_ARG(p->source_sha256), STR_ARG(p->op_hash));
    put_quoted(&out, p->gpu);
    buf_puts(&out, ",\n    verdict=");
    put_quoted(&out, p->feedback);
    buf_printf(&out, ",\n)\n\n\ndef %.*s(", STR_ARG(op->name));
    put_inputs(&out, op);
    buf_puts(&out, "):\n");
    put_docstring(&out, buf_str(&about), "    ");
    buf_puts(&out, "    return _operator(");
    put_inputs(&out, op);
    buf_puts(&out, ")\n");
    return buf_str(&out);
}

static Str init_module(Arena *a, const PackagedOp *op, int n) {
    Buf out = BUF(a);
    buf_printf(
        &out,
        "\"\"\"Kernels that ouroboros found and judged, as functions and as operators of PyTorch "
        "(torch.ops.ouroboros).\n\nWritten by ouroboros export; each module of ops/ says what its kernel was "
        "judged on.\n\"\"\"\n\n__version__ = \"%s\"\n\nfrom ._op import OPS, why_reference\n",
        OUROBOROS_VERSION);
    for (int i = 0; i < n; i++)
        buf_printf(&out, "from .ops.%.*s import %.*s\n", STR_ARG(op[i].op.name), STR_ARG(op[i].op.name));
    buf_puts(&out, "\n__all__ = [\n    \"OPS\",\n    \"why_reference\",\n");
    for (int i = 0; i < n; i++) buf_printf(&out, "    \"%.*s\",\n", STR_ARG(op[i].op.name));
    buf_puts(&out, "]\n");
    return buf_str(&out);
}

static Str project_file(Arena *a) {
    Buf out = BUF(a);
    buf_printf(
        &out,
        "# The backend lies in this folder and needs nothing: `pip install` of this folder works without a "
        "network.\n[build-system]\nrequires = []\nbuild-backend = \"plain_wheel\"\nbackend-path = "
        "[\"build_backend\"]\n\n[project]\nname = \"ouroboros-kernels\"\nversion = \"%s\"\n"
        "description = \"Triton kernels that ouroboros found and judged, as operators of PyTorch\"\n"
        "readme = \"README.md\"\nlicense = \"MIT\"\nrequires-python = \">=3.9\"\ndependencies = "
        "[\"torch>=2.4\"]\n",
        OUROBOROS_VERSION);
    return buf_str(&out);
}

static Str readme(Arena *a, const PackagedOp *op, int n) {
    Buf out = BUF(a), inputs = BUF(a);
    put_inputs(&inputs, &op[0].op);
    buf_printf(
        &out,
        "# Ouroboros kernels\n\nWritten by `ouroboros export`: %d kernel%s, as plain functions and as "
        "operators of "
        "PyTorch.\n\n```\npip install .                # needs no network where PyTorch 2.4 or newer is "
        "installed\n```\n\n```python\nfrom ouroboros_kernels import %.*s\n\ny = %.*s(%s)\n```\n\n",
        n, n == 1 ? "" : "s", STR_ARG(op[0].op.name), STR_ARG(op[0].op.name), buf_cstr(&inputs));
    buf_puts(
        &out,
        "- Inputs may have any number of leading dimensions; they stand for the rows `M`. Inputs with rows "
        "must agree in them:\n"
        "  nothing is broadcast.\n"
        "- The kernel runs on an NVIDIA GPU of compute capability 8.0 or higher, in float16, bfloat16 or "
        "float32, all of one dtype,\n"
        "  within the sizes that its verdict covers. Everywhere else the definition's reference runs, in "
        "PyTorch: on a CPU, without\n"
        "  Triton, for mixed dtypes, for empty tensors. `why_reference(\"OP\", inputs...)` says why, or "
        "`None`.\n"
        "- Strides: a tensor with a stride inside of its rows, or with rows that overlap, is copied first. "
        "The answer is contiguous.\n"
        "- The reference computes in float32: a float64 input gets no more precision than that.\n"
        "- There are no kernels for gradients: the backward pass evaluates the reference and differentiates "
        "that.\n"
        "- `torch.compile(fullgraph=True)` takes every op: it is opaque to the compiler, and nothing is "
        "fused into it.\n"
        "- There is no rule for `torch.vmap`: leading dimensions do the same.\n"
        "- Constants, such as an eps, are those of the definition.\n\n"
        "`kernels/` holds the judged files, byte for byte; `ouroboros referee kernels/OP.py --op OP` judges "
        "one again.\n\n"
        "| op | what it computes | found on | rows up to | sha256 of the kernel |\n|---|---|---|---|---|\n");
    for (int i = 0; i < n; i++) {
        Buf call = BUF(a);
        put_inputs(&call, &op[i].op);
        buf_printf(&out, "| `%.*s(%s)` | %.*s | %.*s | %lld | %.16s |\n", STR_ARG(op[i].op.name),
                   buf_cstr(&call), STR_ARG(op[i].op.notes), STR_ARG(op[i].gpu), (long long)op[i].longest_row,
                   op[i].source_sha256.p);
    }
    return buf_str(&out);
}

// ---- files

static Str embedded(const char *name) {
    for (const EmbeddedFile *f = embedded_files; f->name; f++)
        if (strcmp(f->name, name) == 0) return (Str){f->text, f->len};
    return (Str){0};
}

typedef struct {
    Arena *a;
    const char *folder;
} Target;

static bool put_file(const Target *t, const char *path, Str text, Err *e) {
    return io_write_atomic(arena_printf(t->a, "%s/%s", t->folder, path), text, e);
}

static bool put_folder(const Target *t, const char *path, Err *e) {
    return io_make_dirs(arena_printf(t->a, "%s/%s", t->folder, path), e);
}

static const char *module_path(const Target *t, const char *room, Str name) {
    return arena_printf(t->a, "%s/%s/%.*s.py", package_name, room, STR_ARG(name));
}

static bool put_op(const Target *t, const PackagedOp *p, Err *e) {
    Buf definition = BUF(t->a);
    buf_puts(&definition, "import torch\n\n"); // implied in a definition
    buf_str_put(&definition, p->op.source);
    return put_file(t, module_path(t, "kernels", p->op.name), p->source, e) &&
           put_file(t, module_path(t, "definitions", p->op.name), buf_str(&definition), e) &&
           put_file(t, module_path(t, "ops", p->op.name), op_module(t->a, p), e);
}

static bool put_shared(const Target *t, Err *e) {
    static const struct {
        const char *path, *text;
    } shared[] = {{"ouroboros_kernels/_op.py", "src/package/python/_op.py"},
                  {"build_backend/plain_wheel.py", "clients/python/build_backend/plain_wheel.py"}};
    static const struct {
        const char *room, *about;
    } rooms[] = {
        {"kernels", "\"\"\"The kernels, byte for byte as they were judged.\"\"\"\n"},
        {"definitions", "\"\"\"The ops' definitions, as ouroboros ops prints them.\"\"\"\n"},
        {"ops", "\"\"\"One module for each op: the function, and the evidence for its kernel.\"\"\"\n"}};
    if (!put_folder(t, "build_backend", e)) return false;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        const char *path = arena_printf(t->a, "%s/%s", package_name, rooms[i].room);
        if (!put_folder(t, path, e) ||
            !put_file(t, arena_printf(t->a, "%s/__init__.py", path), str_of(rooms[i].about), e))
            return false;
    }
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (!put_file(t, shared[i].path, embedded(shared[i].text), e)) return false;
    return true;
}

// A folder may hold other things, but nothing that the package would write over or be mixed with.
static bool has_room(const Target *t, Err *e) {
    static const char *const own[] = {package_name, "build_backend", "README.md", "pyproject.toml"};
    struct stat there;
    if (!*t->folder) return err_set(e, ERR_USAGE, "-o names a folder");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const char *path = arena_printf(t->a, "%s/%s", t->folder, own[i]);
        if (lstat(path, &there) == 0)
            return err_set(e, ERR_INPUT, "%s is there already: remove it, or name another folder by -o",
                           path);
    }
    return true;
}

bool package_write(const char *folder, const PackagedOp *op, int n, Err *e) {
    Arena a = {0};
    const Target t = {&a, folder};
    bool ok = has_room(&t, e) && put_shared(&t, e);
    for (int i = 0; i < n && ok; i++) ok = put_op(&t, &op[i], e);
    ok = ok && put_file(&t, arena_printf(&a, "%s/__init__.py", package_name), init_module(&a, op, n), e) &&
         put_file(&t, "README.md", readme(&a, op, n), e) &&
         put_file(&t, "pyproject.toml", project_file(&a), e);
    arena_free(&a);
    return ok;
}
