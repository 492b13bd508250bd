// What names mean: locals, the module's functions and imports, constexpr globals, Python's few builtins; and
// what stands behind a dot.
#include "lang/library.h"
#include "tile/check/checker.h"
#include <math.h>

// ---- annotations ----

static Str last_part(const Node *n) {
    if (n->kind == NODE_NAME) return n->name;
    if (n->kind == NODE_ATTRIBUTE) return n->attribute.name;
    if (n->kind == NODE_STRING && !n->string.bytes) return n->string.text;
    return (Str){0};
}
bool annotation_is_constexpr(const Node *annotation) {
    return annotation &&
           (str_is(last_part(annotation), "constexpr") || str_ends(last_part(annotation), ".constexpr"));
}

// ---- dotted paths ----

static const struct {
    const char *name;
    double value;
} math_constants[] = {{"pi", 0x1.921fb54442d18p+1},
                      {"e", 0x1.5bf0a8b145769p+1},
                      {"tau", 0x1.921fb54442d18p+2},
                      {"inf", INFINITY},
                      {"nan", NAN}};

static bool triton_member(Checker *c, const Node *at, Str path, Val *out) {
    const char *why;
    switch (triton_find(c->arena, path, out, &why)) {
    case FOUND: return true;
    case FOUND_UNSUPPORTED: return checker_unsupported(c, at, "%s", why);
    case FOUND_NOTHING: break;
    }
    Str now = c->frame->module->module.old_names ? triton_old_name(c->arena, path) : (Str){0};
    if (!now.len)
        return checker_fail(c, at, NULL, "AttributeError(\"%s\")%s", why, triton_instead(c->arena, path));
    checker_warn(c, at, "%.*s is a name of older versions; Triton 3.6 has %.*s", STR_ARG(path), STR_ARG(now));
    return triton_member(c, at, now, out);
}

static Str inductor_module(Str name) {
    return str_is(name, "libdevice") ? STR("triton.language.extra")
           : str_is(name, "math")    ? STR("triton.language")
                                     : STR(INDUCTOR_HELPERS);
}

static bool path_member(Checker *c, const Node *at, Str module, Str name, Val *out) {
    if (str_is(module, INDUCTOR_HELPERS)) module = inductor_module(name);
    Str path = str_join(c->arena, module, '.', name);
    if (str_is(module, "triton") || str_starts(module, "triton.")) return triton_member(c, at, path, out);
    if (str_is(module, "math")) {
        for (size_t i = 0; i < sizeof math_constants / sizeof *math_constants; i++)
            if (str_is(name, math_constants[i].name)) return *out = val_float(math_constants[i].value), true;
        const Builtin *b = pymath_named(path);
        if (b) return *out = (Val){.kind = VAL_BUILTIN, .builtin = {.row = b, .name = name}}, true;
        return checker_fail(c, at, NULL, "AttributeError(\"module 'math' has no attribute '%.*s'\")",
                            STR_ARG(name));
    }
    return checker_fail(c, at, "TypeError", "%.*s cannot be used from within @jit'ed function",
                        STR_ARG(path));
}

// What a statement of a module's top level makes of a name that it binds.
typedef struct {
    const Node *home, *statement, *alias;
} Global;
static bool global_name(Checker *c, const Node *at, Global g, Str name, Val *out);

static bool unsure(Checker *c, const Node *at, Str name) {
    return checker_unsupported(
        c, at,
        "`%.*s`: the file of --include that it is from binds it under a condition that has "
        "no one answer here, or changes it",
        STR_ARG(name));
}

static bool included_name(Checker *c, const Node *at, Global by, LibraryFile *file, Str name, Val *out) {
    Global g = {.home = library_module(by.home->module.library, file)};
    if (!g.home) return checker_unsupported(c, at, "%s", file->fault);
    c->visits += g.home->module.body.n / 16;
    if (library_unsure(g.home, name)) return unsure(c, at, name);
    g.statement = module_binding(g.home, name, &g.alias);
    if (!g.statement && library_submodule(c->arena, by.home, by.statement, name))
        return checker_unsupported(c, at,
                                   "import of `%.*s`: a module of --include is read where its importer only "
                                   "asks it for members, by a name that stands for nothing else",
                                   STR_ARG(name));
    if (!g.statement)
        return checker_fail(c, at, "ImportError", "cannot import name '%.*s' from '%.*s'", STR_ARG(name),
                            STR_ARG(file->name));
    if (!checker_enter(c, at)) return false; // files may import from one another in a circle
    bool ok = global_name(c, at, g, name, out);
    checker_leave(c);
    return ok;
}

static bool import_value(Checker *c, const Node *at, Global g, Val *out) {
    const Node *import = g.statement, *alias = g.alias;
    LibraryFile *file = library_of(g.home, import);
    if (file) return included_name(c, at, g, file, alias->alias.name, out);
    if (!import->import.from) {
        Str path = alias->alias.name;
        const char *dot = alias->alias.as.len ? NULL : memchr(path.p, '.', path.len);
        if (dot) path.len = (size_t)(dot - path.p);
        return *out = (Val){.kind = VAL_MODULE, .path = path}, true;
    }
    return path_member(c, at, import->import.module, alias->alias.name, out);
}

// ---- names ----

// The note stands where it helps: a message has no room for all of Triton's text.
static bool plain_global(Checker *c, const Node *at, Str name, bool annotated) {
    return checker_fail(
        c, at, "NameError",
        "Cannot access global variable %.*s from within @jit'ed function. Triton kernels can only access "
        "global variables that are instanstiated as constexpr (`x = triton.language.constexpr(42)`).%s",
        STR_ARG(name),
        annotated ? " Note that this is different from annotating a variable as constexpr (`x: "
                    "triton.language.constexpr = 42`), which is not supported."
                  : "");
}

static bool is_constexpr_call(const Node *n) {
    return n->kind == NODE_CALL && str_is(last_part(n->call.func), "constexpr");
}

bool check_outside(Checker *c, const Node *at, const Node *home, const Node *value, Val *out) {
    Frame module = {.module = home, .caller = c->frame}, *frame = c->frame;
    bool allowed = c->globals_allowed;
    const Node *foreign = c->foreign;
    if (!foreign && home != frame->module) c->foreign = at;
    c->frame = &module;
    c->globals_allowed = true;
    bool ok = check_expr(c, value, out);
    c->frame = frame;
    c->foreign = foreign;
    c->globals_allowed = allowed;
    return ok;
}

typedef struct {
    Checker *c;
    bool ok;
} Annotation;

static void find_unknown(void *arg, const Node *n) {
    Annotation *a = arg;
    const Node *root = n;
    Val v = {.kind = VAL_MODULE};
    while (root->kind == NODE_ATTRIBUTE) root = root->attribute.value;
    if (!a->ok) return;
    if (root->kind != NODE_NAME) return node_each_child(n, find_unknown, a);
    a->ok = check_name(a->c, root, root->name, &v);
    bool of_triton = v.kind == VAL_MODULE && str_starts(v.path, "triton");
    if (a->ok && n != root && of_triton) a->ok = check_expr(a->c, n, &v);
    if (a->ok && val_is_tensor(&v)) // as Triton says it when it compares the two
        a->ok = checker_fail(a->c, n, "ValueError",
                             "Did you forget to add @triton.jit ? (`_semantic` argument must be provided "
                             "outside of JIT functions.)");
}

// An annotation as Triton evaluates it: like any expression of a kernel. Of Python's types it knows int,
// float, list and range.
bool check_annotation(Checker *c, const Node *annotation) {
    Annotation a = {c, true};
    find_unknown(&a, annotation);
    return a.ok;
}

// The name in `typing` that the node stands for, or none.
static Str name_of_typing(const Node *module, const Node *n) {
    bool member = n->kind == NODE_ATTRIBUTE && n->attribute.value->kind == NODE_NAME;
    if (!member && n->kind != NODE_NAME) return (Str){0};
    const Node *alias, *s = module_binding(module, member ? n->attribute.value->name : n->name, &alias);
    if (!s || s->kind != NODE_IMPORT || s->import.from == member) return (Str){0};
    if (member) return str_is(alias->alias.name, "typing") ? n->attribute.name : (Str){0};
    return str_is(s->import.module, "typing") ? alias->alias.name : (Str){0};
}

// Triton looks for functions of the host that a kernel refers to, and takes for one what can be called and is
// no class: most of typing.
static void find_typing(void *arg, const Node *n) {
    static const char *const no_functions[] = {
        "Annotated", "Any",  "AnyStr", "BinaryIO", "Generic",      "IO",         "NewType",      "ParamSpec",
        "Protocol",  "Text", "TextIO", "TypeVar",  "TypeVarTuple", "ForwardRef", "TYPE_CHECKING"};
    Annotation *a = arg;
    if (!a->ok) return;
    Str name = name_of_typing(a->c->frame->module, n);
    bool function = name.len > 0 && !str_starts(name, "Supports");
    for (size_t i = 0; i < sizeof no_functions / sizeof *no_functions; i++)
        function &= !str_is(name, no_functions[i]);
    if (function)
        a->ok = checker_fail(a->c, n, "RuntimeError", "Unsupported function referenced: typing.%.*s",
                             STR_ARG(name));
    node_each_child(n, find_typing, a);
}

// Triton evaluates the annotations of a function's parameters where it begins to compile it.
bool check_annotations(Checker *c, const Node *home, const Node *function) {
    Frame module = {.module = home, .caller = c->frame}, *frame = c->frame;
    Annotation a = {c, true};
    const Nodes *params = &function->function.params;
    c->frame = &module;
    if (function->function.returns) find_typing(&a, function->function.returns);
    for (int i = 0; i < params->n; i++)
        if (params->at[i]->param.annotation) find_typing(&a, params->at[i]->param.annotation);
    for (int i = 0; a.ok && i < params->n; i++) {
        const Node *p = params->at[i];
        if (p->param.kind == PARAM_PLAIN && p->param.annotation)
            a.ok = check_annotation(c, p->param.annotation);
    }
    c->frame = frame;
    return a.ok;
}

static bool global_name(Checker *c, const Node *at, Global g, Str name, Val *out) {
    const Node *s = g.statement, *home = g.home;
    if (s->kind == NODE_IMPORT) return import_value(c, at, g, out);
    if (s->kind == NODE_FUNCTION) {
        Str last = s->function.decorators.n ? last_part(s->function.decorators.at[0]) : (Str){0};
        if (str_is(last, "constexpr_function"))
            return checker_unsupported(c, at,
                                       "functions of @triton.constexpr_function are not run inside kernels");
        if (!is_jit_function(s)) return plain_global(c, at, name, false);
        return *out = (Val){.kind = VAL_FUNCTION, .function = s, .home = home}, true;
    }
    if (s->kind == NODE_CLASS) return plain_global(c, at, name, false);
    const Node *value = s->kind == NODE_ASSIGN ? s->assign.value : s->annassign.value;
    if (is_constexpr_call(value) || c->globals_allowed) return check_outside(c, at, home, value, out);
    // A type or a function of tl under another name is no plain variable.
    bool alias_of = value->kind == NODE_ATTRIBUTE;
    for (const Node *n = value; alias_of && n->kind != NODE_NAME; n = n->attribute.value)
        alias_of = n->kind == NODE_ATTRIBUTE;
    // So is a @triton.jit function's second name.
    const Node *of = value->kind == NODE_NAME ? module_function(home, value->name) : NULL;
    if (of && is_jit_function(of) && module_binding(home, value->name, &g.alias) == of)
        return *out = (Val){.kind = VAL_FUNCTION, .function = of, .home = home}, true;
    if (alias_of && check_outside(c, at, home, value, out) && (out->kind == VAL_TYPE || out->kind == VAL_OP))
        return true;
    return plain_global(c, at, name,
                        s->kind == NODE_ANNASSIGN && annotation_is_constexpr(s->annassign.annotation));
}

static bool is_python(Str name) {
    static const char *const all[] = {"abs",       "all",     "any",     "bool",       "dict",  "divmod",
                                      "enumerate", "map",     "pow",     "set",        "round", "str",
                                      "reversed",  "sum",     "sorted",  "zip",        "os",    "sys",
                                      "math",      "hasattr", "getattr", "isinstance", "tuple", "version"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (str_is(name, all[i])) return true;
    return false;
}

bool check_name(Checker *c, const Node *n, Str name, Val *out) {
    const Val *local = scope_find(c, name);
    if (local) return *out = *local, true;
    Global g = {.home = c->frame->module};
    c->visits += g.home->module.body.n / 16;
    if (library_unsure(g.home, name)) return unsure(c, n, name);
    g.statement = module_binding(g.home, name, &g.alias);
    if (g.statement) return global_name(c, n, g, name, out);
    const Builtin *b = builtin_named(name);
    if (b) return *out = (Val){.kind = VAL_BUILTIN, .builtin = {.row = b, .name = name}}, true;
    // Kernels are often written down without their imports.
    if (str_is(name, "tl")) return *out = (Val){.kind = VAL_MODULE, .path = STR("triton.language")}, true;
    if (str_is(name, "libdevice"))
        return *out = (Val){.kind = VAL_MODULE, .path = STR("triton.language.extra.libdevice")}, true;
    if (str_is(name, "triton") || str_is(name, "torch"))
        return *out = (Val){.kind = VAL_MODULE, .path = name}, true;
    if (c->globals_allowed && is_python(name)) // Python itself evaluates what stands outside of kernels
        return checker_unsupported(c, n, "`%.*s` in a constant of the module that a kernel uses",
                                   STR_ARG(name));
    return checker_fail(c, n, "NameError", "%.*s is not defined", STR_ARG(name));
}

// ---- attributes ----

static bool tuple_of_shape(Checker *c, const TileType *t, Val *out) {
    Val *at = NEWN(c->arena, Val, TILE_RANK_MAX);
    for (int i = 0; i < t->rank; i++) at[i] = val_int(t->shape[i]);
    *out = val_tuple(at, t->rank);
    return true;
}

static bool tensor_attribute(Checker *c, const Node *n, const Val *v, Str name, Val *out) {
    const TileType *t = &v->t.type;
    if (str_is(name, "dtype"))
        return *out = val_type((TileType){.elem = t->elem, .pointer = t->pointer}), true;
    if (str_is(name, "type")) return *out = val_type(*t), true;
    if (str_is(name, "shape")) return tuple_of_shape(c, t, out);
    if (str_is(name, "numel")) return *out = val_int(tile_lanes(t)), true;
    const OpRow *row = oprow_member(str_is(name, "T") ? STR("trans") : name);
    Val *self = NEW(c->arena, Val);
    *self = *v;
    if (row && str_is(name, "T") && t->rank > 2)
        return checker_fail(c, n, "ValueError", "permute dims must have the same length as input shape");
    if (row && str_is(name, "T")) return check_op(c, n, (OpUse){row, STR("trans"), self}, NULL, 0, out);
    if (row) return *out = (Val){.kind = VAL_OP, .op = {row, name, self}}, true;
    return checker_fail(c, n, "AttributeError", "'tensor' object has no attribute '%.*s'", STR_ARG(name));
}

static bool type_attribute(Checker *c, const Node *n, const Val *v, Str name, Val *out) {
    const TileType *t = &v->type;
    TileType scalar = {.elem = t->elem, .pointer = t->pointer},
             element = {.elem = t->elem, .pointer = t->pointer && t->rank};
    if (v->to_tile && str_is(name, "scalar")) return *out = *v, true;
    if (v->to_tile && str_is(name, "element_ty")) {
        *out = val_type(*t);
        out->type.pointer = false;
        return true;
    }
    if (str_is(name, "element_ty") && (t->pointer || t->rank)) return *out = val_type(element), true;
    if (str_is(name, "scalar")) return *out = val_type(scalar), true;
    if (str_is(name, "shape") && t->rank) return tuple_of_shape(c, t, out);
    if (str_is(name, "name")) return *out = val_str(str_of(type_text(c, t))), true;
    int bits = t->pointer ? 64 : dtype_bits(t->elem);
    if (str_is(name, "primitive_bitwidth")) return *out = val_int(bits), true;
    if (str_is(name, "itemsize")) return *out = val_int((bits + 7) / 8), true;
    if (str_is(name, "int_bitwidth") && type_is_integer(t)) return *out = val_int(bits), true;
    const Builtin *b = builtin_member(name);
    Val *self = NEW(c->arena, Val);
    *self = *v;
    if (b) return *out = (Val){.kind = VAL_BUILTIN, .builtin = {b, name, self}}, true;
    return checker_fail(c, n, "AttributeError", "'%s' object has no attribute '%.*s'", val_class(v),
                        STR_ARG(name));
}

bool check_attribute(Checker *c, const Node *n, Val *out) {
    Val v;
    return check_expr(c, n->attribute.value, &v) && check_member(c, n, v, n->attribute.name, out);
}

bool check_member(Checker *c, const Node *n, Val v, Str name, Val *out) {
    switch (v.kind) {
    case VAL_MODULE: return path_member(c, n, v.path, name, out);
    case VAL_TENSOR: return tensor_attribute(c, n, &v, name, out);
    case VAL_BLOCK: return check_block_attribute(c, n, &v, name, out);
    case VAL_TYPE:
        if (!v.wrapped || !str_is(name, "value")) return type_attribute(c, n, &v, name, out);
        v.wrapped = false;
        return *out = v, true;
    case VAL_PY:
        if (str_is(name, "value")) return *out = v, true;
        return checker_fail(c, n, "AttributeError", "'%s' object has no attribute '%.*s'",
                            py_type_name(v.py.kind), STR_ARG(name));
    default:
        return checker_fail(c, n, "AttributeError", "'%s' object has no attribute '%.*s'", val_class(&v),
                            STR_ARG(name));
    }
}
