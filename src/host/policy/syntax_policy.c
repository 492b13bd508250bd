// What host code may contain by its form alone: which imports, decorators, contexts and classes, and what
// stands at module level.
#include "host/policy/screen.h"
#include "lang/library.h"

const FormRule form_rule[] = {
#define FORM(id, kind, reason) {DIAG_##kind, reason},
#include "host/policy/refused.def"
};

Form node_form(NodeKind kind) {
    switch (kind) {
    case NODE_TRY:
    case NODE_EXCEPT: return FORM_TRY;
    case NODE_WITH:
    case NODE_WITHITEM: return FORM_WITH;
    case NODE_CLASS: return FORM_CLASS;
    case NODE_GLOBAL: return FORM_GLOBAL;
    case NODE_YIELD: return FORM_YIELD;
    case NODE_AWAIT: return FORM_AWAIT;
    default: return FORM_OTHER;
    }
}

// --- contexts ---

// `root.a.b` as ".a.b"; an empty text for anything else.
static Str path_from(const Node *f, const char *root, char *path, size_t room) {
    size_t n = 0;
    // Read from the right: torch . cuda . device
    for (; f->kind == NODE_ATTRIBUTE; f = f->attribute.value) {
        Str part = f->attribute.name;
        if (n + part.len + 1 > room) return (Str){0};
        memmove(path + part.len + 1, path, n);
        path[0] = '.';
        memcpy(path + 1, part.p, part.len);
        n += part.len + 1;
    }
    return node_is_name(f, root) ? (Str){path, n} : (Str){0};
}
static Str torch_path(const Node *f, char *path, size_t room) { return path_from(f, "torch", path, room); }

bool context_quiet(const Node *item) {
    static const char *const quiet[] = {".cuda.device",
                                        ".cuda._DeviceGuard",
                                        ".cuda.device_of",
                                        ".no_grad",
                                        ".enable_grad",
                                        ".inference_mode",
                                        ".autocast",
                                        ".amp.autocast",
                                        ".cuda.amp.autocast",
                                        ".cuda.nvtx.range",
                                        ".profiler.record_function",
                                        ".autograd.profiler.record_function"};
    const Node *call = item->withitem.value;
    char path[48];
    if (item->withitem.target || call->kind != NODE_CALL) return false;
    Str name = torch_path(call->call.func, path, sizeof path);
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (str_is(name, quiet[i])) return true;
    return false;
}

// The same as a decorator: @torch.no_grad() says about gradients what is true here anyway.
static bool context_decorates(const Node *d) {
    char path[32];
    if (d->kind == NODE_CALL && (d->call.args.n || d->call.keywords.n)) return false;
    Str name = torch_path(d->kind == NODE_CALL ? d->call.func : d, path, sizeof path);
    return str_is(name, ".no_grad") || str_is(name, ".inference_mode");
}

// --- imports and decorators ---

static bool alias_is(const Node *n, const char *module, const char *name, const char *as) {
    if (!str_is(n->import.module, module) || n->import.names.n != 1 || n->import.dots) return false;
    const Node *a = n->import.names.at[0];
    return str_is(a->alias.name, name) && (a->alias.as.len ? str_is(a->alias.as, as) : strcmp(name, as) == 0);
}

// Names for annotations, which nobody evaluates, and the flag of those who do (normalize.c). Not under other
// names: those could be ones that mean something.
static bool names_types(const Node *n) {
    static const char *const type[] = {
        "Any",      "Annotated", "Callable", "ClassVar",  "Dict",     "Final",        "Generator", "Iterable",
        "Iterator", "List",      "Literal",  "Mapping",   "NoReturn", "Optional",     "Self",      "Sequence",
        "Set",      "Tuple",     "Type",     "TypeAlias", "Union",    "TYPE_CHECKING"};
    static const char *const abstract[] = {"Callable", "Iterable", "Iterator", "Mapping", "Sequence", "Set"};
    bool abc = str_is(n->import.module, "collections.abc");
    const char *const *known = abc ? abstract : type;
    int types = abc ? sizeof abstract / sizeof *abstract : sizeof type / sizeof *type;
    if (!n->import.from || n->import.dots || n->import.names.n < 1 ||
        !(abc || str_is(n->import.module, "typing")))
        return false;
    for (int i = 0; i < n->import.names.n; i++) {
        const Node *a = n->import.names.at[i];
        int k = 0;
        while (k < types && !str_is(a->alias.name, known[k])) k++;
        if (k == types || a->alias.as.len) return false;
    }
    return true;
}

bool import_canonical(const Node *n, bool candidate, const char **why) {
    static const struct {
        const char *module, *name, *as;
        bool candidate, reference;
    } line[] = {
        {"", "torch", "torch", true, true},
        {"", "triton", "triton", true, false},
        {"", "triton.language", "tl", true, false},
        {"triton.language.extra", "libdevice", "libdevice", true, false},
        {"triton.tools.tensor_descriptor", "TensorDescriptor", "TensorDescriptor", true, false},
        {"", "torch.nn", "nn", true, false},
        {"torch", "nn", "nn", true, false},
        {"", "math", "math", true, true},
        // Of a candidate it may stand there, as it does in most files; what it offers is refused by name.
        {"", "torch.nn.functional", "F", true, true},
        {"torch.nn", "functional", "F", true, true},
        {"torch", "Tensor", "Tensor", true, true},
        {"", "typing", "typing", true, true},
        {"__future__", "annotations", "annotations", true, true}};
    if (names_types(n)) return true;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        if (candidate ? !line[i].candidate : !line[i].reference) continue;
        if (n->import.from == (line[i].module[0] != 0) &&
            alias_is(n, line[i].module, line[i].name, line[i].as))
            return true;
    }
    *why = candidate ? form_rule[FORM_IMPORT].why
                     : "import: a definition imports only torch, math and `import torch.nn.functional as F`";
    // "import torch, triton" is several of the lines in one; so is "from torch import nn, Tensor".
    if (n->import.names.n > 1) {
        for (int i = 0; i < n->import.names.n; i++) {
            Node one = *n;
            one.import.names = (Nodes){&n->import.names.at[i], 1};
            if (!import_canonical(&one, candidate, why)) return false;
        }
        return true;
    }
    return false;
}

bool import_allowed(const Node *n, bool candidate, const char **why) {
    return import_canonical(n, candidate, why) || (candidate && import_harmless(n));
}

bool decorators_allowed(const Node *function, bool *jit, Form *why) {
    *jit = is_jit_function(function);
    for (int i = 0; i < function->function.decorators.n; i++) {
        const Node *d = function->function.decorators.at[i];
        bool call = d->kind == NODE_CALL;
        if (call) d = d->call.func;
        bool of_triton = d->kind == NODE_ATTRIBUTE && node_is_name(d->attribute.value, "triton");
        Str name = of_triton ? d->attribute.name : d->kind == NODE_NAME ? d->name : (Str){0};
        if (str_is(name, "jit")) {
            *why = FORM_JIT_ELSEWHERE;
            if (!of_triton) return false;
            if (i + 1 == function->function.decorators.n) continue;
            *why = FORM_JIT_PLACE;
            return false;
        }
        if (*jit && of_triton && call && (str_is(name, "autotune") || str_is(name, "heuristics"))) continue;
        if (!*jit && of_triton && !call && str_is(name, "constexpr_function")) continue; // plain to host code
        if (!*jit && !call && d->kind == NODE_ATTRIBUTE && node_is_name(d->attribute.value, "tl") &&
            str_is(d->attribute.name, "constexpr"))
            continue; // the function, as a constant of kernels
        if (!*jit && context_decorates(function->function.decorators.at[i])) continue;
        *why = *jit ? FORM_KERNEL_DECORATOR : FORM_HOST_DECORATOR;
        return false;
    }
    return true;
}

// --- classes ---

bool is_super_init(const Node *n) {
    const Node *f = n->kind == NODE_CALL ? n->call.func : n;
    if (n->kind != NODE_CALL || f->kind != NODE_ATTRIBUTE || !str_is(f->attribute.name, "__init__") ||
        n->call.args.n || n->call.keywords.n)
        return false;
    const Node *super = f->attribute.value;
    if (super->kind != NODE_CALL || !node_is_name(super->call.func, "super") || super->call.keywords.n)
        return false;
    for (int i = 0; i < super->call.args.n; i++)
        if (super->call.args.at[i]->kind != NODE_NAME) return false;
    return super->call.args.n == 0 || super->call.args.n == 2;
}

ClassKind class_kind(const Node *n) {
    if (n->klass.decorators.n || n->klass.keywords.n || n->klass.bases.n > 1) return CLASS_NONE;
    if (!n->klass.bases.n) return CLASS_PLAIN;
    static const struct {
        const char *first, *second, *third;
        ClassKind kind;
    } base[] = {{"nn", "Module", NULL, CLASS_MODULE},
                {"torch", "nn", "Module", CLASS_MODULE},
                {"torch", "autograd", "Function", CLASS_AUTOGRAD}};
    for (size_t i = 0; i < sizeof base / sizeof *base; i++) {
        const Node *b = n->klass.bases.at[0];
        const char *last = base[i].third ? base[i].third : base[i].second;
        if (b->kind != NODE_ATTRIBUTE || !str_is(b->attribute.name, last)) continue;
        b = b->attribute.value;
        if (base[i].third) {
            if (b->kind != NODE_ATTRIBUTE || !str_is(b->attribute.name, base[i].second)) continue;
            b = b->attribute.value;
        }
        if (node_is_name(b, base[i].first)) return base[i].kind;
    }
    return CLASS_NONE;
}

bool is_method(const Node *f, MethodKind *kind) {
    static const char *const word[] = {NULL, "staticmethod", "classmethod", "property"};
    Str name = f->function.name;
    const Nodes *d = &f->function.decorators;
    *kind = METHOD_PLAIN;
    if (f->function.async) return false;
    for (int i = 0; i < d->n; i++) {
        if (context_decorates(d->at[i])) continue;
        int k = METHOD_STATIC;
        while (k <= METHOD_PROPERTY && !node_is_name(d->at[i], word[k])) k++;
        if (i > 0 || k > METHOD_PROPERTY) return false; // the outermost one, once
        *kind = (MethodKind)k;
    }
    if (*kind > METHOD_STATIC && str_starts(name, "__")) return false;
    return !str_starts(name, "__") || str_is(name, "__init__") || str_is(name, "__call__");
}

// --- module level ---

bool is_written(const Node *n) {
    return n->kind == NODE_INT || n->kind == NODE_STRING || n->kind == NODE_TRUE || n->kind == NODE_FALSE ||
           n->kind == NODE_NONE;
}

bool is_written_list(const Node *n, bool whole) {
    if (n->kind != NODE_LIST && n->kind != NODE_TUPLE) return false;
    for (int i = 0; i < n->items.n; i++) {
        NodeKind kind = n->items.at[i]->kind;
        if (kind != NODE_STRING && !(whole && kind == NODE_INT)) return false;
    }
    return true;
}

bool is_type_name(const Node *module, const Node *n) {
    const Node *of = n->kind == NODE_SUBSCRIPT ? n->subscript.value : NULL, *alias;
    if (of && of->kind == NODE_ATTRIBUTE) return node_is_name(of->attribute.value, "typing");
    const Node *s = of && of->kind == NODE_NAME ? module_binding(module, of->name, &alias) : NULL;
    return s && s->kind == NODE_IMPORT && names_types(s);
}

bool is_device_alias(const Node *n) {
    const Node *root = n;
    Str first = {0}; // behind the root
    while (root->kind == NODE_ATTRIBUTE) {
        if (str_starts(root->attribute.name, "__")) return false;
        first = root->attribute.name;
        root = root->attribute.value;
    }
    if (node_is_name(root, "triton")) return str_is(first, "language") && n->attribute.value != root;
    return n->kind == NODE_ATTRIBUTE && (node_is_name(root, "tl") || node_is_name(root, "libdevice"));
}

bool is_main_guard(const Node *n) {
    if (n->kind != NODE_IF || n->branch.otherwise.n) return false;
    const Node *c = n->branch.cond;
    return c->kind == NODE_COMPARE && c->compare.rest.n == 1 && c->compare.ops[0] == OPER_EQ &&
           node_is_name(c->compare.left, "__name__") && c->compare.rest.at[0]->kind == NODE_STRING &&
           !c->compare.rest.at[0]->string.bytes && str_is(c->compare.rest.at[0]->string.text, "__main__");
}

// What stays the same as long as a process runs.
static bool is_device_fact(const Node *f) {
    static const char *const fact[] = {".device", ".cuda.is_available", ".cuda.current_device",
                                       ".cuda.get_device_properties"};
    char path[64];
    Str name = path_from(f, "triton", path, sizeof path);
    if (str_is(name, ".runtime.driver.active.utils.get_device_properties") ||
        str_is(name, ".runtime.driver.active.get_current_target") ||
        str_is(name, ".runtime.driver.active.get_active_torch_device"))
        return true;
    name = torch_path(f, path, sizeof path);
    for (size_t i = 0; i < sizeof fact / sizeof *fact; i++)
        if (str_is(name, fact[i])) return true;
    return false;
}

static bool is_constant_at(const Node *n, int depth) {
    if (depth > WALK_MAX) return false;
    switch (n->kind) {
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_STRING:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE:
    case NODE_NAME: return true;
    case NODE_ATTRIBUTE: return is_constant_at(n->attribute.value, depth + 1);
    case NODE_SUBSCRIPT:
        return n->subscript.value->kind != NODE_ATTRIBUTE && is_constant_at(n->subscript.value, depth + 1) &&
               is_constant_at(n->subscript.index, depth + 1);
    case NODE_TUPLE:
        for (int i = 0; i < n->items.n; i++)
            if (!is_constant_at(n->items.at[i], depth + 1)) return false;
        return true;
    case NODE_UNARY: return is_constant_at(n->unary.operand, depth + 1);
    case NODE_IFEXP:
        return is_constant_at(n->ifexp.cond, depth + 1) && is_constant_at(n->ifexp.then, depth + 1) &&
               is_constant_at(n->ifexp.otherwise, depth + 1);
    case NODE_BINARY:
        return is_constant_at(n->binary.left, depth + 1) && is_constant_at(n->binary.right, depth + 1);
    case NODE_CALL: {
        const Node *f = n->call.func;
        bool ok = node_is_name(f, "float") || node_is_name(f, "int") || node_is_name(f, "min") ||
                  node_is_name(f, "max");
        if (f->kind == NODE_ATTRIBUTE)
            ok = is_device_fact(f) || node_is_name(f->attribute.value, "math") ||
                 (node_is_name(f->attribute.value, "tl") && str_is(f->attribute.name, "constexpr")) ||
                 (node_is_name(f->attribute.value, "triton") &&
                  (str_is(f->attribute.name, "cdiv") || str_is(f->attribute.name, "next_power_of_2")));
        for (int i = 0; ok && i < n->call.args.n; i++) ok = is_constant_at(n->call.args.at[i], depth + 1);
        return ok && n->call.keywords.n == 0;
    }
    default: return false;
    }
}
bool is_constant(const Node *n) { return is_constant_at(n, 0); }

static bool is_config(const Node *n) {
    return n->kind == NODE_CALL && n->call.func->kind == NODE_ATTRIBUTE &&
           node_is_name(n->call.func->attribute.value, "triton") &&
           str_is(n->call.func->attribute.name, "Config");
}
bool is_configs(const Node *n) {
    if (n->kind == NODE_COMP) return n->comp.kind == COMP_LIST && is_config(n->comp.element);
    if (n->kind != NODE_LIST && n->kind != NODE_TUPLE) return false;
    for (int i = 0; i < n->items.n; i++)
        if (!is_config(n->items.at[i])) return false;
    return n->items.n > 0;
}

static bool is_collection_at(const Node *n, int depth);

// dict(BLOCK=1024, num_warps=4)
static bool is_dict_call(const Node *n, int depth) {
    if (n->kind != NODE_CALL || !node_is_name(n->call.func, "dict") || n->call.args.n) return false;
    for (int i = 0; i < n->call.keywords.n; i++)
        if (!n->call.keywords.at[i]->keyword.name.len ||
            !is_collection_at(n->call.keywords.at[i]->keyword.value, depth + 1))
            return false;
    return n->call.keywords.n > 0;
}

static bool is_collection_at(const Node *n, int depth) {
    if (depth > WALK_MAX) return false;
    if (is_dict_call(n, depth)) return true;
    bool dict = n->kind == NODE_DICT;
    if (!dict && n->kind != NODE_LIST && n->kind != NODE_TUPLE) return is_constant(n);
    const Nodes *items = dict ? &n->dict.values : &n->items;
    for (int i = 0; i < items->n; i++)
        if ((dict && (!n->dict.keys.at[i] || !is_constant(n->dict.keys.at[i]))) ||
            !is_collection_at(items->at[i], depth + 1))
            return false;
    return true;
}
// An empty one could only be meant to be filled.
bool is_collection(const Node *n) {
    if (is_dict_call(n, 0)) return true;
    return n->kind == NODE_DICT ? n->dict.values.n > 0 && is_collection_at(n, 0)
                                : n->kind == NODE_LIST && n->items.n > 0 && is_collection_at(n, 0);
}

bool host_stays(const Node *module, const Node *n) {
    const char *why;
    const Node *value = n->kind == NODE_ASSIGN ? n->assign.value : NULL;
    if (n->kind == NODE_ANNASSIGN) value = n->annassign.value;
    if (n->kind == NODE_FUNCTION) return is_jit_function(n) || is_constexpr_function(n);
    if (n->kind == NODE_IMPORT)
        return library_of(module, n) || import_canonical(n, true, &why) || import_brings(n);
    return value && (is_constant(value) || is_configs(value));
}

const Node *entry_model(const Node *module) {
    const Nodes *body = &module->module.body;
    const Node *found = NULL;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        if (n->kind == NODE_CLASS && str_is(n->klass.name, "ModelNew") && class_kind(n) == CLASS_MODULE)
            found = n;
    }
    return module_function(module, STR("run")) && !module->module.model ? NULL : found;
}

bool is_parameter(const Node *n) {
    if (n->kind != NODE_CALL || n->call.args.n != 1 || n->call.func->kind != NODE_ATTRIBUTE) return false;
    const Node *nn = n->call.func->attribute.value;
    for (int i = 0; i < n->call.keywords.n; i++)
        if (!str_is(n->call.keywords.at[i]->keyword.name, "requires_grad")) return false;
    bool from_torch = nn->kind == NODE_ATTRIBUTE && node_is_name(nn->attribute.value, "torch") &&
                      str_is(nn->attribute.name, "nn");
    return str_is(n->call.func->attribute.name, "Parameter") && (from_torch || node_is_name(nn, "nn"));
}
