#include "service/manifest.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "host/policy/screen.h"
#include "lang/library.h"
#include "service/entry_choice.h"

enum { LAUNCHES_MAX = 16, ARGS_MAX = 64, TENSORS_MAX = 16, GRID_MAX = 3, RANK_MAX = 8 };

typedef struct {
    Arena *arena;
    const char *file;
    Err *e;
    const Op *op;
    const Node *module; // NULL: the source does not parse, which is the judge's business
    bool kernels_exist;
    ManifestNames names;
    Buf out;
    Str answer[OP_OUTPUTS_MAX]; // names of the outputs, in the op's order
    Str kernel[LAUNCHES_MAX];
    int kernels;
    bool copies; // some tensor starts as a copy
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

static bool put_kernel(Manifest *m, const char *path, const json_t *kernel) {
    if (!json_is_string(kernel)) return bad(m, path, "the name of a @triton.jit function belongs here");
    Str name = json_str(kernel);
    if (!manifest_identifier(m->arena, name)) return bad(m, path, "\"%.60s\" is not a plain name", name.p);
    for (int i = 0; i < m->names.n; i++)
        if (str_eq(m->names.at[i].name, name))
            return bad(m, path, "%.*s is an input, value or tensor; rename the kernel", STR_ARG(name));
    if (m->kernels_exist && m->module && !kernel_find(m, name)) {
        Buf known = BUF(m->arena);
        for (int i = 0; i < m->module->module.body.n; i++) {
            const Node *n = m->module->module.body.at[i];
            if (n->kind != NODE_FUNCTION || !is_jit_function(n) || known.len > 160) continue;
            buf_printf(&known, "%s%.*s", known.len ? ", " : "", STR_ARG(n->function.name));
        }
        return bad(m, path, "the kernel file has no @triton.jit function %.*s; it has %s", STR_ARG(name),
                   known.len ? buf_cstr(&known) : "none");
    }
    if (m->kernels < LAUNCHES_MAX) m->kernel[m->kernels++] = str_dup(m->arena, name);
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

static bool put_launch(Manifest *m, const char *path, const json_t *l) {
    const json_t *args = json_object_get(l, "args"), *constexprs = json_object_get(l, "constexprs");
    if (!put_kernel(m, path_key(m, path, "kernel"), json_object_get(l, "kernel")) ||
        !put_grid(m, path_key(m, path, "grid"), json_object_get(l, "grid")))
        return false;
    if (args && !put_list(m, path_key(m, path, "args"), args, ARGS_MAX, true)) return false;
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
        buf_printf(&m->out, "%s%s=", first ? "" : ", ", option[i]);
        if (!put_expr(m, path_key(m, path, option[i]), v, false)) return false;
        first = false;
    }
    buf_puts(&m->out, ")\n");
    return true;
}

#define LAUNCH_KEYS "kernel args constexprs grid num_warps num_stages"

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
                    several ? "values outputs scratch launches"
                            : "values outputs scratch launches " LAUNCH_KEYS))
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

// ---- the file

typedef struct {
    const char *as, *module;
} Standard;
static const Standard standard[] = {{"torch", "torch"},
                                    {"triton", "triton"},
                                    {"tl", "triton.language"},
                                    {"math", "math"},
                                    {"libdevice", "triton.language.extra.libdevice"}};
enum { STANDARDS = sizeof standard / sizeof *standard };

// An import that gives a module's usual name to something else.
static bool import_misleads(Arena *a, const Node *n) {
    for (int i = 0; i < n->import.names.n; i++) {
        const Node *alias = n->import.names.at[i];
        Str name = alias->alias.name, as = alias->alias.as.len ? alias->alias.as : name;
        Str full = n->import.from
                       ? str_of(arena_printf(a, "%.*s.%.*s", STR_ARG(n->import.module), STR_ARG(name)))
                       : name;
        if (str_is(name, "*")) return true;
        for (int k = 0; k < STANDARDS; k++)
            if (str_is(as, standard[k].as) && (n->import.dots || !str_is(full, standard[k].module)))
                return true;
    }
    return false;
}

// Names that a statement binds in its own scope, in statements that no host code has, too.
static void names_bound(void *arg, const Node *n) {
    Names *names = arg;
    Node *self = (Node *)(uintptr_t)n;
    Nodes one = {&self, 1};
    switch (n->kind) {
    case NODE_CLASS: names_add(names, n->klass.name); return;
    case NODE_FUNCTION: names_add(names, n->function.name); return;
    case NODE_IMPORT: names_of_import(names, n); return;
    case NODE_WITHITEM:
        if (n->withitem.target) names_of_target(names, n->withitem.target, 0);
        return;
    case NODE_EXCEPT:
        if (n->handler.name.len) names_add(names, n->handler.name);
        break;
    default:
        if (n->kind < NODE_MODULE) return names_of_expr(names, n, 0);
        names_of_block(names, &one, 0);
    }
    node_each_child(n, names_bound, names);
}

// Names that keep their meaning: of kernels and constants that stay, and of modules.
static bool binds_one_of(Arena *a, const Node *n, const Names *stay) {
    Names its = {.arena = a};
    names_bound(&its, n);
    bool given = n->kind == NODE_ASSIGN || n->kind == NODE_ANNASSIGN || n->kind == NODE_CLASS ||
                 n->kind == NODE_FUNCTION;
    for (int i = 0; i < its.n; i++) {
        if (names_have(stay, its.at[i])) return true;
        for (int k = 0; given && k < STANDARDS; k++)
            if (str_is(its.at[i], standard[k].as)) return true;
    }
    return false;
}

// ---- what the launched kernels reach

typedef struct {
    Names *reached;
    const Names *own; // of the function around
} Uses;

static void find_uses(void *arg, const Node *n) {
    const Uses *u = arg;
    if (n->kind == NODE_NAME && !(u->own && names_have(u->own, n->name))) names_add(u->reached, n->name);
    node_each_child(n, find_uses, arg); // a tree's height is bounded
}

static void find_uses_of(Uses *u, const Nodes *list) {
    for (int i = 0; i < list->n; i++) find_uses(u, list->at[i]);
}

// Names that a statement takes from the module. A function's own variables are none of those.
static void uses_of(Arena *a, const Node *n, Names *reached) {
    Uses outside = {reached, NULL};
    if (n->kind == NODE_IMPORT) return;
    if (n->kind != NODE_FUNCTION) return find_uses(&outside, n);
    Names own = {.arena = a};
    names_of_params(&own, &n->function.params);
    names_of_block(&own, &n->function.body, 0);
    find_uses_of(&outside, &n->function.decorators);
    find_uses_of(&outside, &n->function.params);
    find_uses_of(&(Uses){reached, &own}, &n->function.body);
}

// Which statements of the module stay: all that bind a name that is reached.
static void mark_reached(Manifest *m, Names *reached, bool *stays) {
    const Nodes *body = &m->module->module.body;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < body->n; i++) {
            const Node *n = body->at[i];
            bool misleads = n->kind == NODE_IMPORT && import_misleads(m->arena, n);
            Names brought = {.arena = m->arena};
            bool binds = false;
            if (n->kind == NODE_IMPORT) names_of_import(&brought, n);
            for (int k = 0; k < brought.n; k++) binds |= names_have(reached, brought.at[k]);
            if (stays[i] || !(misleads || binds || binds_one_of(m->arena, n, reached))) continue;
            stays[i] = more = true;
            uses_of(m->arena, n, reached);
        }
    }
}

// Whether another statement stands before this one on its line.
static bool shares_line(Str source, const Nodes *body, int i) {
    uint32_t at = body->at[i]->span.at;
    while (at > 0 && (source.p[at - 1] == ' ' || source.p[at - 1] == '\t')) at--;
    return i > 0 && at > 0 && source.p[at - 1] != '\n' && source.p[at - 1] != '\r';
}

// An import brings no more than what is reached.
static Node *trimmed(Arena *a, const Node *n, const Names *reached) {
    Node *to = NEW(a, Node);
    *to = *n;
    to->import.names = (Nodes){NEWN(a, Node *, (size_t)n->import.names.n), 0};
    for (int i = 0; i < n->import.names.n; i++) {
        Node one = *n;
        Names brought = {.arena = a};
        one.import.names = (Nodes){&n->import.names.at[i], 1};
        names_of_import(&brought, &one);
        if (names_have(reached, brought.at[0]))
            to->import.names.at[to->import.names.n++] = n->import.names.at[i];
    }
    return to->import.names.n ? to : NULL;
}

static void put_blank(Buf *out, Str source, uint32_t from, uint32_t to) {
    for (; from < to; from++) {
        char c = source.p[from];
        buf_putc(out, c == '\n' || c == '\r' ? c : ' ');
    }
}

static void put_statement(Manifest *m, Str source, const Node *n, const Names *reached, Buf *out) {
    Str text = {source.p + n->span.at, n->span.len};
    bool plain =
        n->kind == NODE_IMPORT && !import_misleads(m->arena, n) && !str_is(n->import.module, "__future__");
    Node *cut = plain ? trimmed(m->arena, n, reached) : NULL;
    if (!cut || cut->import.names.n == n->import.names.n) return buf_str_put(out, text);
    Buf printed = BUF(m->arena);
    size_t lines = 0;
    print_node(&printed, cut);
    for (size_t i = 0; i < text.len; i++) lines += text.p[i] == '\n';
    if (printed.len && printed.p[printed.len - 1] == '\n') printed.len--;
    if (printed.len + lines > text.len) return buf_str_put(out, text);
    buf_str_put(out, buf_str(&printed)); // and as many bytes and lines as there were
    for (size_t i = printed.len + lines; i < text.len; i++) buf_putc(out, ' ');
    while (lines--) buf_putc(out, '\n');
}

// A name for what is left out: a function, a class, a variable; empty for what needs none.
static Str told_name(const Node *n) {
    if (n->kind == NODE_FUNCTION) return n->function.name;
    if (n->kind == NODE_CLASS) return n->klass.name;
    if (n->kind == NODE_ASSIGN && n->assign.targets.at[0]->kind == NODE_NAME)
        return n->assign.targets.at[0]->name;
    return (Str){0};
}

static void put_left_out(Manifest *m, const bool *stays, Buf *out) {
    enum { SHOWN = 12 };
    const Nodes *body = &m->module->module.body;
    int left = 0;
    for (int i = 0; i < body->n; i++) {
        Str name = stays[i] ? (Str){0} : told_name(body->at[i]);
        if (!name.len || name.len > 64) continue;
        if (left++ < SHOWN)
            buf_printf(out, "%s%.*s",
                       left == 1 ? "\n# Left out, since no launched kernel reaches it: " : ", ",
                       STR_ARG(name));
    }
    if (left > SHOWN) buf_printf(out, " and %d more", left - SHOWN);
    if (left) buf_putc(out, '\n');
}

// The source with blanks in place of what is left out: lines stay what they are.
static void put_source(Manifest *m, Str source, Buf *out) {
    if (!m->module) return buf_str_put(out, source);
    const Nodes *body = &m->module->module.body;
    bool *stays = NEWN(m->arena, bool, (size_t)body->n + 1);
    Names reached = {.arena = m->arena};
    for (int i = 0; i < m->kernels; i++) names_add(&reached, m->kernel[i]);
    for (int i = 0; i < body->n; i++)
        stays[i] = body->at[i]->kind == NODE_IMPORT && str_is(body->at[i]->import.module, "__future__");
    mark_reached(m, &reached, stays);
    for (int i = body->n - 1; i > 0; i--) // it would look indented without what stands before it
        if (stays[i] && shares_line(source, body, i)) stays[i - 1] = true;
    uint32_t at = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (!stays[i]) continue;
        if (i && stays[i - 1] && shares_line(source, body, i))
            buf_put(out, source.p + at, n->span.at - at);
        else
            put_blank(out, source, at, n->span.at);
        put_statement(m, source, n, &reached, out);
        at = n->span.at + n->span.len;
    }
    put_blank(out, source, at, (uint32_t)source.len);
    put_left_out(m, stays, &m->out);
}

// Messages quote what came from outside.
static void one_line(char *text) {
    for (char *p = text; *p; p++)
        if (*p < ' ' || *p > '~') *p = '?';
}

bool manifest_apply(Arena *a, const ManifestRequest *q, Str *out, Err *e) {
    Manifest m = {
        .arena = a, .file = q->file, .e = e, .op = q->op, .kernels_exist = q->kernels_exist, .out = BUF(a)};
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
    bool ok = put_run(&m, o);
    json_decref(o);
    if (!ok) {
        one_line(e->msg);
        return false;
    }
    Buf text = BUF(a);
    put_source(&m, q->source, &text);
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
