#include "service/manifest/manifest_source.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "host/policy/screen.h"
#include "lang/library.h"
#include "service/manifest/entry_choice.h"
#include "service/manifest/manifest_fit.h"

enum { IMPORTS_MAX = 16, LAUNCHES_MAX = 16, ARGS_MAX = 64, TENSORS_MAX = 16, GRID_MAX = 3, RANK_MAX = 8 };

typedef struct {
    Arena *arena;
    const char *file;
    Err *e;
    const Op *op;
    const Node *module; // NULL: the source does not parse, which is the judge's business
    bool kernels_exist, launches_fit;
    ManifestNames names;
    Buf out;
    Str answer[OP_OUTPUTS_MAX]; // names of the outputs, in the op's order
    ManifestKernel kernel[LAUNCHES_MAX];
    int kernels;
    bool copies; // some tensor starts as a copy
    ManifestImport import[IMPORTS_MAX];
    int imports;
} Manifest;

PRINTF(3, 4) static bool bad(Manifest *m, const char *key, const char *fmt, ...) {
    char text[384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(m->e, ERR_USAGE, "%s: \"%.80s\": %s", m->file, key, text);
}

static const char *path_at(Manifest *m, const char *path, size_t i) {
    return arena_printf(m->arena, "%s[%zu]", path, i);
}
static const char *path_key(Manifest *m, const char *path, const char *key) {
    return *path ? arena_printf(m->arena, "%s.%.64s", path, key) : arena_printf(m->arena, "%.64s", key);
}

// Every key is one of the words.
static bool keys_known(Manifest *m, const char *path, const json_t *o, const char *words) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)o, key, v) {
        size_t n = strlen(key);
        bool known = false;
        for (const char *w = words; *w && !known;) {
            size_t len = strcspn(w, " ");
            known = len == n && memcmp(w, key, n) == 0;
            w += len + (w[len] == ' ');
        }
        if (!known) return bad(m, path_key(m, path, key), "no such key; there are: %s", words);
    }
    return true;
}

// ---- expressions

// JSON has neither infinities nor NaN.
static void put_real(Buf *out, double x) {
    const char *text = arena_printf(out->arena, "%.17g", x);
    buf_printf(out, "(%s%s)", text, strpbrk(text, ".e") ? "" : ".0");
}

// A text is an expression; numbers, true, false and null stand for themselves.
static bool put_expr(Manifest *m, const char *path, const json_t *v, bool tensor) {
    switch (v ? json_typeof(v) : JSON_OBJECT) {
    case JSON_INTEGER: buf_printf(&m->out, "(%lld)", (long long)json_integer_value(v)); return true;
    case JSON_REAL: put_real(&m->out, json_real_value(v)); return true;
    case JSON_TRUE: buf_puts(&m->out, "True"); return true;
    case JSON_FALSE: buf_puts(&m->out, "False"); return true;
    case JSON_NULL: buf_puts(&m->out, "None"); return true;
    case JSON_STRING: break;
    default: return bad(m, path, "an expression is a text such as \"x.shape[1]\", or a number");
    }
    const char *why = manifest_expr(m->arena, json_str(v), &m->names, tensor, &m->out);
    if (!why) return true;
    return bad(m, path, "\"%.60s\": %s; write %s", json_string_value(v), why,
               tensor ? "a tensor's name, or an expression such as \"x.stride(0)\""
                      : "an expression such as \"x.shape[1]\" or \"triton.cdiv(N, 128)\"");
}

static bool put_list(Manifest *m, const char *path, const json_t *list, size_t most, bool tensors) {
    if (!json_is_array(list)) return bad(m, path, "a list of expressions belongs here");
    if (json_array_size(list) > most) return bad(m, path, "at most %zu expressions", most);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (i) buf_puts(&m->out, ", ");
        if (!put_expr(m, path_at(m, path, i), json_array_get(list, i), tensors)) return false;
    }
    return true;
}

// ---- names

static bool name_taken(const Manifest *m, Str name) {
    static const char *const fixed[] = {"torch", "triton", "tl",    "math", "libdevice", "run",
                                        "META",  "min",    "max",   "abs",  "int",       "float",
                                        "bool",  "len",    "round", "sum"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (str_is(name, fixed[i])) return true;
    for (int i = 0; i < m->names.n; i++)
        if (str_eq(m->names.at[i].name, name)) return true;
    for (int i = 0; m->module && i < m->module->module.body.n; i++) {
        const Node *n = m->module->module.body.at[i];
        if (n->kind == NODE_FUNCTION && is_jit_function(n) && str_eq(n->function.name, name)) return true;
    }
    return false;
}

static bool name_new(Manifest *m, const char *path, Str name, ManifestNameKind kind) {
    if (!manifest_identifier(m->arena, name)) return bad(m, path, "the key has to be a plain Python name");
    if (name_taken(m, name))
        return bad(m, path, "the name %.*s means something already; choose another", STR_ARG(name));
    if (m->names.n == MANIFEST_NAMES_MAX)
        return bad(m, path, "at most %d inputs, values and tensors", MANIFEST_NAMES_MAX);
    m->names.at[m->names.n++] = (ManifestName){str_dup(m->arena, name), kind};
    return true;
}

// ---- parts

// "triton.language.extra.libdevice.tanh": names of these two packages alone.
static bool is_path(Manifest *m, Str path) {
    int parts = 0;
    for (size_t from = 0, i = 0; i <= path.len; i++) {
        if (i < path.len && path.p[i] != '.') continue;
        if (!manifest_identifier(m->arena, (Str){path.p + from, i - from})) return false;
        from = i + 1;
        parts++;
    }
    return parts > 1 && path.len < 128 && (str_starts(path, "triton.") || str_starts(path, "torch."));
}

static bool read_imports(Manifest *m, const json_t *imports) {
    if (!imports) return true;
    if (!json_is_object(imports) || json_object_size(imports) > IMPORTS_MAX)
        return bad(m, "imports", "an object of at most %d names and what they are belongs here", IMPORTS_MAX);
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)imports, key, v) {
        const char *path = path_key(m, "imports", key);
        if (!json_is_string(v) || !is_path(m, json_str(v)))
            return bad(m, path, "a name of triton or torch belongs here, such as \"triton.language.cast\"");
        if (!manifest_identifier(m->arena, str_of(key)))
            return bad(m, path, "the key has to be a plain Python name");
        if (m->module && !manifest_imports(m->arena, m->module, str_of(key)))
            return bad(m, path, "the kernel file imports no such name, outside of functions and conditions");
        m->import[m->imports++] =
            (ManifestImport){str_dup(m->arena, str_of(key)), str_dup(m->arena, json_str(v))};
    }
    return true;
}

static bool put_values(Manifest *m, const json_t *values) {
    if (!values) return true;
    if (!json_is_object(values)) return bad(m, "values", "an object of names and expressions belongs here");
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)values, key, v) {
        const char *path = path_key(m, "values", key);
        if (!manifest_identifier(m->arena, str_of(key)))
            return bad(m, path, "the key has to be a plain Python name");
        buf_printf(&m->out, "    %s = ", key);
        if (!put_expr(m, path, v, false) || !name_new(m, path, str_of(key), NAME_VALUE)) return false;
        buf_putc(&m->out, '\n');
    }
    return true;
}

// A tensor that starts as a copy of another one: a kernel of our own copies it, as any file's would have to.
#define COPY_KERNEL "manifest_copy"
static const char copy_kernel[] =
    "\n@triton.jit\ndef " COPY_KERNEL "(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
    "    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)\n\n\n";

static bool put_copy(Manifest *m, const char *path, const char *name, const json_t *t) {
    const char *of = json_string_value(json_object_get(t, "copy"));
    bool known = false;
    for (int i = 0; of && i < m->names.n; i++)
        known |= m->names.at[i].kind == NAME_TENSOR && str_is(m->names.at[i].name, of);
    if (!known)
        return bad(m, path_key(m, path, "copy"), "the name of an input, or of a tensor before this one");
    if (json_object_size(t) != 1)
        return bad(m, path, "a copy has the shape and dtype of what it copies: \"copy\" stands alone");
    buf_printf(&m->out, "    %s = torch.empty(%s.shape, dtype=%s.dtype, device=%s.device)\n", name, of, of,
               of);
    buf_printf(&m->out,
               "    " COPY_KERNEL
               "[(triton.cdiv(%s.numel(), 1024),)](%s.contiguous(), %s, %s.numel(), BLOCK=1024)\n",
               of, of, name, of);
    m->copies = true;
    return name_new(m, path, str_of(name), NAME_TENSOR);
}

static bool put_tensor(Manifest *m, const char *path, const char *name, const json_t *t) {
    if (!json_is_object(t)) return bad(m, path, "an object with shape and dtype belongs here");
    if (!keys_known(m, path, t, "shape dtype fill copy")) return false;
    if (json_object_get(t, "copy")) return put_copy(m, path, name, t);
    const json_t *shape = json_object_get(t, "shape"), *dtype = json_object_get(t, "dtype"),
                 *fill = json_object_get(t, "fill");
    if (!shape || !dtype)
        return bad(m, path, "%s is missing",
                   shape ? "dtype, such as \"x.dtype\"" : "shape, such as [\"x.shape[0]\", 128]");
    if (!json_is_string(dtype)) return bad(m, path_key(m, path, "dtype"), "a text such as \"x.dtype\"");
    if (fill && !json_is_number(fill)) return bad(m, path_key(m, path, "fill"), "a number belongs here");
    bool zero = fill && json_number_value(fill) == 0;
    const char *at = path_key(m, path, "shape");
    buf_printf(&m->out, "    %s = torch.%s(", name, !fill ? "empty" : zero ? "zeros" : "full");
    if (json_is_string(shape)) {
        if (!put_expr(m, at, shape, false)) return false;
    } else {
        buf_putc(&m->out, '(');
        if (!put_list(m, at, shape, RANK_MAX, false)) return false;
        buf_puts(&m->out, json_array_size(shape) ? ",)" : ")");
    }
    if (fill && !zero) {
        buf_puts(&m->out, ", ");
        if (!put_expr(m, path, fill, false)) return false;
    }
    buf_puts(&m->out, ", dtype=");
    if (!put_expr(m, path_key(m, path, "dtype"), dtype, false)) return false;
    buf_printf(&m->out, ", device=%.*s.device)\n", STR_ARG(m->op->input[0].name));
    return name_new(m, path, str_of(name), NAME_TENSOR);
}

static bool put_tensors(Manifest *m, const char *part, const json_t *tensors) {
    if (!json_is_object(tensors)) return bad(m, part, "an object of tensors by name belongs here");
    if (json_object_size(tensors) > TENSORS_MAX) return bad(m, part, "at most %d tensors", TENSORS_MAX);
    const char *key;
    json_t *t;
    json_object_foreach((json_t *)(uintptr_t)tensors, key, t) {
        const char *path = path_key(m, part, key);
        if (!manifest_identifier(m->arena, str_of(key)))
            return bad(m, path, "the key has to be a plain Python name");
        if (!put_tensor(m, path, key, t)) return false;
    }
    return true;
}

static const char *output_names(Manifest *m) {
    Buf b = BUF(m->arena);
    for (int k = 0; k < m->op->outputs; k++)
        buf_printf(&b, "%s%.*s", k ? ", " : "", STR_ARG(m->op->output[k].name));
    return buf_cstr(&b);
}

// The op's outputs, each by its name; those that are changed in place are the inputs themselves.
static bool put_named_outputs(Manifest *m, const json_t *outputs) {
    const char *key;
    json_t *t;
    json_object_foreach((json_t *)(uintptr_t)outputs, key, t) {
        int k = 0;
        while (k < m->op->outputs && !str_is(m->op->output[k].name, key)) k++;
        if (k == m->op->outputs)
            return bad(m, path_key(m, "outputs", key), "the op has no output of this name; it has %s",
                       output_names(m));
    }
    for (int k = 0; k < m->op->outputs; k++) {
        const OpOutput *o = &m->op->output[k];
        const char *name = str_cdup(m->arena, o->name), *path = path_key(m, "outputs", name);
        t = json_object_get(outputs, name);
        m->answer[k] = o->init >= 0 ? m->op->input[o->init].name : o->name;
        if (o->init < 0 && !t) return bad(m, path, "missing; the op's outputs are %s", output_names(m));
        if (o->init < 0 && !put_tensor(m, path, name, t)) return false;
        if (o->init < 0 || !t) continue;
        const char *init = json_string_value(json_object_get(t, "init"));
        if (json_object_size(t) != 1 || !init || !str_is(m->op->input[o->init].name, init))
            return bad(m, path, "this output is the input %.*s, changed in place: write {\"init\": \"%.*s\"}",
                       STR_ARG(m->op->input[o->init].name), STR_ARG(m->op->input[o->init].name));
    }
    return true;
}

static bool put_outputs(Manifest *m, const json_t *outputs) {
    bool named = m->op->output[0].name.len > 0;
    if (named && (!outputs || json_is_object(outputs))) return put_named_outputs(m, outputs);
    if (!outputs)
        return bad(m, "outputs",
                   "missing; write {\"out\": {\"shape\": [\"x.shape[0]\"], \"dtype\": \"x.dtype\"}}");
    if (!json_is_object(outputs) || json_object_size(outputs) != 1)
        return bad(m, "outputs", "%s",
                   named ? "an object of the op's outputs by name belongs here"
                         : "exactly one tensor is the answer; others belong under \"scratch\"");
    if (!put_tensors(m, "outputs", outputs)) return false;
    m->answer[0] = m->names.at[m->names.n - 1].name;
    return true;
}

// ---- launches

static const Node *kernel_find(const Manifest *m, Str name) {
    const Node *f = m->module ? module_function(m->module, name) : NULL;
    return f && is_jit_function(f) ? f : NULL;
}

// "decorators": "jit" leaves out those that choose constants.
static bool read_decorators(Manifest *m, const char *path, const json_t *v, bool *plain) {
    const char *text = json_string_value(v);
    *plain = text && strcmp(text, "jit") == 0;
    return !v || *plain ||
           bad(m, path, "\"jit\" belongs here: of the kernel's decorators that one alone stays");
}

static bool put_kernel(Manifest *m, const char *path, const json_t *kernel, bool plain) {
    if (!json_is_string(kernel)) return bad(m, path, "the name of a @triton.jit function belongs here");
    Str name = json_str(kernel);
    if (!manifest_identifier(m->arena, name)) return bad(m, path, "\"%.60s\" is not a plain name", name.p);
    for (int i = 0; i < m->names.n; i++)
        if (str_eq(m->names.at[i].name, name))
            return bad(m, path, "%.*s is an input, value or tensor; rename the kernel", STR_ARG(name));
    bool there = kernel_find(m, name) || (plain && manifest_made_jit(m->module, name));
    if (m->kernels_exist && m->module && !there) {
        Buf known = BUF(m->arena);
        for (int i = 0; i < m->module->module.body.n; i++) {
            const Node *n = m->module->module.body.at[i];
            if (n->kind != NODE_FUNCTION || !is_jit_function(n) || known.len > 160) continue;
            buf_printf(&known, "%s%.*s", known.len ? ", " : "", STR_ARG(n->function.name));
        }
        if (manifest_made_jit(m->module, name))
            return bad(m, path,
                       "%.*s becomes a kernel by a call of triton.jit(); write \"decorators\": \"jit\"",
                       STR_ARG(name));
        return bad(m, path, "the kernel file has no @triton.jit function %.*s; it has %s", STR_ARG(name),
                   known.len ? buf_cstr(&known) : "none");
    }
    if (m->kernels < LAUNCHES_MAX) m->kernel[m->kernels++] = (ManifestKernel){str_dup(m->arena, name), plain};
    buf_printf(&m->out, "    %.*s[", STR_ARG(name));
    return true;
}

// Programs per dimension; with META in it, a function of the kernel's arguments.
static bool put_grid(Manifest *m, const char *path, const json_t *grid) {
    if (!json_is_array(grid) || !json_array_size(grid))
        return bad(m, path, "a list of one to three expressions belongs here, such as [\"x.shape[0]\"]");
    int before = m->names.n;
    if (before < MANIFEST_NAMES_MAX) m->names.at[m->names.n++] = (ManifestName){STR("META"), NAME_META};
    bool meta = false;
    for (size_t i = 0; i < json_array_size(grid); i++) {
        const json_t *v = json_array_get(grid, i);
        meta |= json_is_string(v) && strstr(json_string_value(v), "META");
    }
    buf_puts(&m->out, meta ? "lambda META: (" : "(");
    bool ok = put_list(m, path, grid, GRID_MAX, false);
    m->names.n = before;
    buf_puts(&m->out, ",)](");
    return ok;
}

// Of a file that goes with its manifest. Of a kernel that a model writes for a manifest, it is the kernel
// that does not fit.
static bool fits_kernel(Manifest *m, const char *path, const json_t *launch, bool plain) {
    const Node *f =
        m->module ? module_function(m->module, json_str(json_object_get(launch, "kernel"))) : NULL;
    const json_t *constexprs = json_object_get(launch, "constexprs");
    const char *key;
    if (!m->launches_fit || !f || (constexprs && !json_is_object(constexprs))) return true;
    const char *why = manifest_fit(m->arena, &(ManifestFit){m->module, f, plain, launch}, &key);
    return !why || bad(m, path_key(m, path, key), "%s", why);
}

static bool put_launch(Manifest *m, const char *path, const json_t *l) {
    const json_t *args = json_object_get(l, "args"), *constexprs = json_object_get(l, "constexprs");
    bool plain;
    if (!read_decorators(m, path_key(m, path, "decorators"), json_object_get(l, "decorators"), &plain) ||
        !put_kernel(m, path_key(m, path, "kernel"), json_object_get(l, "kernel"), plain) ||
        !put_grid(m, path_key(m, path, "grid"), json_object_get(l, "grid")))
        return false;
    if (args && !put_list(m, path_key(m, path, "args"), args, ARGS_MAX, true)) return false;
    if (!fits_kernel(m, path, l, plain)) return false;
    bool first = !args || !json_array_size(args);
    const char *at = path_key(m, path, "constexprs");
    if (constexprs && !json_is_object(constexprs))
        return bad(m, at, "an object of parameter names and expressions belongs here");
    if (json_object_size(constexprs) > ARGS_MAX) return bad(m, at, "at most %d parameters", ARGS_MAX);
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)constexprs, key, v) {
        const char *its = path_key(m, at, key);
        if (!manifest_identifier(m->arena, str_of(key)))
            return bad(m, its, "the key has to be a parameter's name");
        if (strcmp(key, "num_warps") == 0 || strcmp(key, "num_stages") == 0)
            return bad(m, its, "it stands beside \"grid\", not among the constexprs");
        buf_printf(&m->out, "%s%s=", first ? "" : ", ", key);
        if (!put_expr(m, its, v, true)) return false;
        first = false;
    }
    static const char *const option[] = {"num_warps", "num_stages"};
    for (size_t i = 0; i < sizeof option / sizeof *option; i++) {
        if (!(v = json_object_get(l, option[i]))) continue;
        int64_t n = json_is_integer(v) ? json_integer_value(v) : 1;
        if (i == 0 && (n < 1 || n > 32 || (n & (n - 1))))
            return bad(m, path_key(m, path, option[i]), "a power of two from 1 to 32 belongs here");
        if (i == 1 && n < 1) return bad(m, path_key(m, path, option[i]), "a number from 1 on belongs here");
        buf_printf(&m->out, "%s%s=", first ? "" : ", ", option[i]);
        if (!put_expr(m, path_key(m, path, option[i]), v, false)) return false;
        first = false;
    }
    buf_puts(&m->out, ")\n");
    return true;
}

#define LAUNCH_KEYS "kernel args constexprs grid num_warps num_stages decorators"

static bool put_launches(Manifest *m, const json_t *o) {
    const json_t *list = json_object_get(o, "launches");
    if (!list) return put_launch(m, "", o);
    if (!json_is_array(list) || !json_array_size(list) || json_array_size(list) > LAUNCHES_MAX)
        return bad(m, "launches", "a list of 1 to %d launches belongs here", LAUNCHES_MAX);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *l = json_array_get(list, i);
        const char *path = path_at(m, "launches", i);
        if (!json_is_object(l)) return bad(m, path, "an object with kernel, args and grid belongs here");
        if (!keys_known(m, path, l, LAUNCH_KEYS) || !put_launch(m, path, l)) return false;
    }
    return true;
}

static bool put_run(Manifest *m, const json_t *o) {
    if (!json_is_object(o)) return bad(m, "", "a manifest is a JSON object");
    bool several = json_object_get(o, "launches") != NULL;
    if (!keys_known(m, "", o,
                    several ? "imports values outputs scratch launches"
                            : "imports values outputs scratch launches " LAUNCH_KEYS) ||
        !read_imports(m, json_object_get(o, "imports")))
        return false;
    const json_t *scratch = json_object_get(o, "scratch");
    buf_puts(&m->out, "def run(");
    for (int i = 0; i < m->op->inputs; i++) {
        Str name = m->op->input[i].name;
        if (name_taken(m, name))
            return bad(m, "kernel", "%.*s is an input of the op and a kernel of the file; rename the kernel",
                       STR_ARG(name));
        m->names.at[m->names.n++] = (ManifestName){name, NAME_TENSOR};
        buf_printf(&m->out, "%s%.*s", i ? ", " : "", STR_ARG(name));
    }
    // The file may import less than this function wants.
    buf_puts(&m->out, "):\n    import math, torch, triton\n    import triton.language as tl\n");
    if (!put_values(m, json_object_get(o, "values")) || !put_outputs(m, json_object_get(o, "outputs")) ||
        (scratch && !put_tensors(m, "scratch", scratch)) || !put_launches(m, o))
        return false;
    for (int k = 0; k < m->op->outputs; k++)
        buf_printf(&m->out, "%s%.*s", k ? ", " : "    return ", STR_ARG(m->answer[k]));
    buf_putc(&m->out, '\n');
    return true;
}

// ---- gaps that `ouroboros manifest` left

typedef struct {
    const char *path, *text; // of the first
    int n;
} Gaps;

static void find_gaps(Manifest *m, const char *path, const json_t *v, Gaps *g) { // jansson bounds the depth
    const char *key, *text = json_string_value(v);
    const json_t *item;
    if (text && *text == '?' && g->n++ == 0) g->path = path, g->text = text;
    if (json_is_object(v))
        json_object_foreach((json_t *)(uintptr_t)v, key, item) find_gaps(m, path_key(m, path, key), item, g);
    for (size_t i = 0; json_is_array(v) && i < json_array_size(v); i++)
        find_gaps(m, path_at(m, path, i), json_array_get(v, i), g);
}

// Where the first text stands that begins so; jansson does not tell.
static int line_of_gap(Str json) {
    int line = 1;
    bool inside = false;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.p[i];
        if (c == '\n') line++;
        if (inside && c == '\\') i++;
        if (c != '"') continue;
        inside = !inside;
        if (inside && i + 1 < json.len && json.p[i + 1] == '?') break;
    }
    return line;
}

static bool no_gaps(Manifest *m, Str json, const json_t *o) {
    Gaps g = {0};
    find_gaps(m, "", o, &g);
    return g.n == 0 ||
           err_set(m->e, ERR_USAGE, "%s:%d: \"%.80s\" is a gap, which is still to be filled: \"%.100s\"%s",
                   m->file, line_of_gap(json), g.path, g.text,
                   g.n > 1 ? arena_printf(m->arena, "; %d texts here begin with \"?\"", g.n) : "");
}

// Messages quote what came from outside.
static void one_line(char *text) {
    for (char *p = text; *p; p++)
        if (*p < ' ' || *p > '~') *p = '?';
}

bool manifest_apply(Arena *a, const ManifestRequest *q, Str *out, Err *e) {
    Manifest m = {
        .arena = a, .file = q->file, .e = e, .op = q->op, .kernels_exist = q->kernels_exist, .out = BUF(a)};
    m.launches_fit = q->launches_fit;
    if (q->json.len > MANIFEST_MAX)
        return err_set(e, ERR_USAGE, "%s: a manifest has at most %d bytes", q->file, MANIFEST_MAX);
    json_error_t error;
    json_t *o = json_loadb(q->json.p, q->json.len, JSON_REJECT_DUPLICATES, &error);
    if (!o) {
        (void)err_set(e, ERR_USAGE, "%s:%d:%d: not a JSON object: %.200s", q->file, error.line, error.column,
                      error.text);
        one_line(e->msg);
        return false;
    }
    DiagList d = DIAGS(a);
    Node *module = q->source.len <= SOURCE_MAX ? parse_module(a, q->source, &d) : NULL;
    if (module && q->include.len && !library_open(a, q->include, &module->module.library))
        return err_set(e, ERR_INPUT, "the helper files are damaged");
    m.module = module;
    bool ok = no_gaps(&m, q->json, o) && put_run(&m, o);
    json_decref(o);
    if (!ok) {
        one_line(e->msg);
        return false;
    }
    Buf text = BUF(a);
    manifest_source(&(ManifestSource){a, m.module, q->source, m.kernel, m.kernels, m.import, m.imports, {0}},
                    &m.out, &text);
    if (m.module && times_named(buf_str(&text), "run"))
        return bad(&m, "kernel",
                   "the file's kernels or constants use the name `run`, which the function "
                   "that launches them gets; rename it in the file");
    if (m.copies && m.module && times_named(buf_str(&text), COPY_KERNEL))
        return bad(&m, "kernel", "the file uses the name " COPY_KERNEL ", which the kernel that copies gets");
    buf_putc(&text, '\n');
    if (m.copies) buf_puts(&text, copy_kernel);
    buf_str_put(&text, buf_str(&m.out));
    *out = buf_str(&text);
    return true;
}
