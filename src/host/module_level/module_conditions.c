// Conditions at module level that have one answer wherever a file is judged: versions of Triton and torch,
// which the language that is judged here fixes, flags that are written down, whether Triton has a name. The
// half of an `if` that they choose takes its place, so that kernels and host code see what it binds. Whether
// a package is there that is unknown here has no one answer: a flag that says so is tried with both.
#include "host/module_level/module_level.h"
#include "tile/check/check.h"

typedef struct {
    Arena *arena;
    const Node *module;
    Bindings bound;
} Conditions;

// ---- versions

// What this version judges; a file may ask whether it has at least an older one.
static const struct {
    const char *package;
    int part[2];
} known_version[] = {{"triton", {3, 6}}, {"torch", {2, 10}}};
enum { VERSIONS = sizeof known_version / sizeof *known_version };

// version.parse(x), Version(x): x; else NULL.
static const Node *inside_version(const Node *n) {
    if (n->kind != NODE_CALL || n->call.args.n != 1 || n->call.keywords.n) return NULL;
    const Node *f = n->call.func;
    Str name = f->kind == NODE_ATTRIBUTE ? f->attribute.name : f->kind == NODE_NAME ? f->name : (Str){0};
    return str_is(name, "parse") || str_is(name, "Version") ? n->call.args.at[0] : NULL;
}

// "3.0.0" as its first two numbers; `late` where a third one is more than 0, or there is anything else.
static bool read_version(Str s, int part[2], bool *late) {
    size_t i = 0;
    int at = 0;
    part[0] = part[1] = 0;
    *late = false;
    for (; at < 3; at++) {
        int x = 0;
        size_t from = i;
        while (i < s.len && s.p[i] >= '0' && s.p[i] <= '9' && i - from < 4) x = x * 10 + (s.p[i++] - '0');
        if (i == from) return false;
        if (at < 2) part[at] = x;
        *late |= at == 2 && x > 0;
        if (i == s.len) return true;
        if (s.p[i++] != '.') return false;
    }
    return false;
}

typedef enum { NOT_KNOWN, IS_FALSE, IS_TRUE } Truth;

static Truth compare_version(Str package, Oper op, Str literal) {
    int part[2];
    bool late;
    size_t k = 0;
    while (k < VERSIONS && !str_is(package, known_version[k].package)) k++;
    if (k == VERSIONS || !read_version(literal, part, &late)) return NOT_KNOWN;
    const int *is = known_version[k].part;
    bool older = part[0] < is[0] || (part[0] == is[0] && part[1] < is[1]);
    bool same = part[0] == is[0] && part[1] == is[1] && !late;
    if (!older && !(same && (op == OPER_GE || op == OPER_LT))) return NOT_KNOWN;
    if (op == OPER_GE || op == OPER_GT || op == OPER_NE) return IS_TRUE;
    return op == OPER_LT || op == OPER_LE || op == OPER_EQ ? IS_FALSE : NOT_KNOWN;
}

static bool is_version(const Node *n) {
    return n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "__version__") &&
           n->attribute.value->kind == NODE_NAME;
}

// triton.__version__ >= "3.0.0": texts, which compare letter by letter. Only with the first version of a kind
// that is older, so that later ones give the same answer as long as their numbers have one digit.
static Truth text_truth(const Node *n) {
    const Node *left = n->compare.left, *right = n->compare.rest.at[0];
    int part[2];
    bool late;
    Oper op = n->compare.ops[0];
    if (n->compare.rest.n != 1 || !is_version(left) || right->kind != NODE_STRING || right->string.bytes ||
        !read_version(right->string.text, part, &late) || part[0] > 9 || part[1] > 0 || late)
        return NOT_KNOWN;
    return op == OPER_GE || op == OPER_GT || op == OPER_LT || op == OPER_LE
               ? compare_version(left->attribute.value->name, op, right->string.text)
               : NOT_KNOWN;
}

static Truth version_truth(const Node *n) {
    const Node *left = inside_version(n->compare.left), *right = inside_version(n->compare.rest.at[0]);
    if (n->compare.rest.n == 1 && !left && !right) return text_truth(n);
    if (n->compare.rest.n != 1 || !left || !right || right->kind != NODE_STRING || !is_version(left))
        return NOT_KNOWN;
    return compare_version(left->attribute.value->name, n->compare.ops[0], right->string.text);
}

// sys.version_info >= (3, 10): Triton 3.6 runs under Python 3.10 to 3.14.
static Truth python_truth(Arena *a, const Node *n) {
    enum { OLDEST = 10 };
    Buf path = BUF(a);
    const Node *left = n->compare.left, *right = n->compare.rest.at[0];
    if (left->kind == NODE_SUBSCRIPT) left = left->subscript.value; // [:2]
    if (n->compare.rest.n != 1 || right->kind != NODE_TUPLE || right->items.n < 2 ||
        !node_dotted(left, &path) || !str_is(buf_str(&path), "sys.version_info") ||
        right->items.at[0]->kind != NODE_INT || right->items.at[1]->kind != NODE_INT)
        return NOT_KNOWN;
    uint64_t major = right->items.at[0]->integer.value, minor = right->items.at[1]->integer.value;
    Oper op = n->compare.ops[0];
    if (major > 3 || (major == 3 && minor > OLDEST)) return NOT_KNOWN;
    return op == OPER_GE ? IS_TRUE : op == OPER_LT ? IS_FALSE : NOT_KNOWN;
}

// Comparisons of versions, wherever host code has them. What a file calls Version or sys itself is its own.
typedef struct {
    Arena *arena;
    const Node *module;
    Bindings bound;
} VersionFile;
static bool is_imported(const VersionFile *c, const Node *n) {
    const Node *alias, *s;
    if (n->kind == NODE_CALL) n = n->call.func;
    while (n->kind == NODE_ATTRIBUTE || n->kind == NODE_SUBSCRIPT)
        n = n->kind == NODE_ATTRIBUTE ? n->attribute.value : n->subscript.value;
    if (n->kind != NODE_NAME) return n->kind == NODE_STRING || n->kind == NODE_TUPLE;
    s = module_binding(c->module, n->name, &alias);
    return s && s->kind == NODE_IMPORT && bound_once(&c->bound, n->name);
}
static void answer_compared(void *arg, const Node *n) {
    const VersionFile *c = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, answer_compared, arg); // a tree's height is bounded
    if (n->kind != NODE_COMPARE || !is_imported(c, n->compare.left) || !is_imported(c, n->compare.rest.at[0]))
        return;
    Truth t = version_truth(n);
    if (t == NOT_KNOWN) t = python_truth(c->arena, n);
    if (t == NOT_KNOWN) return;
    *(Node *)(uintptr_t)n = (Node){// the tree is this process's own
                                   .kind = t == IS_TRUE ? NODE_TRUE : NODE_FALSE,
                                   .span = n->span,
                                   .height = n->height};
}

// ---- what else is known

static Truth call_truth(const Conditions *c, const Node *n) {
    Buf path = BUF(c->arena);
    if (n->call.keywords.n || !node_dotted(n->call.func, &path)) return NOT_KNOWN;
    const Nodes *args = &n->call.args;
    Str name = buf_str(&path);
    if (str_is(name, "torch.cuda.is_available") && args->n == 0) return IS_TRUE;
    if (str_is(name, "hasattr") && args->n == 2 && args->at[1]->kind == NODE_STRING) {
        Buf of = BUF(c->arena);
        if (!node_dotted(args->at[0], &of)) return NOT_KNOWN;
        Str module = buf_str(&of);
        if (str_is(module, "tl") || str_starts(module, "tl."))
            module =
                str_of(arena_printf(c->arena, "triton.language%.*s", (int)(module.len - 2), module.p + 2));
        if (!str_is(module, "triton.language") && !str_starts(module, "triton.language.")) return NOT_KNOWN;
        return triton_import_fault(c->arena, module, args->at[1]->string.text, false) ? IS_FALSE : IS_TRUE;
    }
    // A text of foreign.def that says one thing: is_npu_available().
    const Node *f = module_function(c->module, name);
    bool ours = f && f->span.len == 0 && args->n == 0 && f->function.params.n == 0 && f->function.body.n == 1;
    const Node *says =
        ours && f->function.body.at[0]->kind == NODE_RETURN ? f->function.body.at[0]->value : NULL;
    if (says && (says->kind == NODE_TRUE || says->kind == NODE_FALSE))
        return says->kind == NODE_TRUE ? IS_TRUE : IS_FALSE;
    // Liger's, whose text stands there, too.
    f = module_function(c->module, STR("compare_version"));
    if (str_is(name, "compare_version") && f && f->span.len == 0 && args->n == 3 &&
        args->at[0]->kind == NODE_STRING && args->at[1]->kind == NODE_ATTRIBUTE &&
        args->at[2]->kind == NODE_STRING) {
        static const struct {
            const char *name;
            Oper op;
        } op[] = {{"ge", OPER_GE}, {"gt", OPER_GT}, {"le", OPER_LE}, {"lt", OPER_LT}};
        for (size_t i = 0; i < sizeof op / sizeof *op; i++)
            if (str_is(args->at[1]->attribute.name, op[i].name))
                return compare_version(args->at[0]->string.text, op[i].op, args->at[2]->string.text);
    }
    return NOT_KNOWN;
}

static Truth truth_of(const Conditions *c, const Node *n, int depth);

static Truth name_truth(const Conditions *c, Str name, int depth) {
    const Node *alias, *s = module_binding(c->module, name, &alias);
    if (!s || s->kind != NODE_ASSIGN || s->assign.targets.n != 1 ||
        s->assign.targets.at[0]->kind != NODE_NAME || !bound_once(&c->bound, name))
        return NOT_KNOWN;
    return truth_of(c, s->assign.value, depth);
}

static Truth truth_of(const Conditions *c, const Node *n, int depth) {
    if (++depth > WALK_MAX) return NOT_KNOWN;
    switch (n->kind) {
    case NODE_TRUE: return IS_TRUE;
    case NODE_FALSE:
    case NODE_NONE: return IS_FALSE;
    case NODE_NAME: return name_truth(c, n->name, depth);
    case NODE_UNARY: {
        Truth t = n->unary.op == OPER_NOT ? truth_of(c, n->unary.operand, depth) : NOT_KNOWN;
        return t == NOT_KNOWN ? t : t == IS_TRUE ? IS_FALSE : IS_TRUE;
    }
    case NODE_BOOLOP: {
        Truth ends = n->boolop.op == OPER_OR ? IS_TRUE : IS_FALSE;
        for (int i = 0; i < n->boolop.items.n; i++) {
            Truth t = truth_of(c, n->boolop.items.at[i], depth);
            if (t == NOT_KNOWN || t == ends) return t;
        }
        return ends == IS_TRUE ? IS_FALSE : IS_TRUE;
    }
    case NODE_COMPARE: return version_truth(n);
    case NODE_CALL: return call_truth(c, n);
    default: return NOT_KNOWN;
    }
}

// ---- if, at module level

static bool splice_ifs(Conditions *c, Node *module) {
    const Nodes *body = &module->module.body;
    bool any = false;
    int most = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *s = body->at[i];
        any |= s->kind == NODE_IF && !is_main_guard(s);
        most += s->kind == NODE_IF ? s->branch.then.n + s->branch.otherwise.n + 1 : 1;
    }
    if (!any) return false;
    names_of_module(&c->bound, c->arena, module);
    Nodes out = {NEWN(c->arena, Node *, (size_t)most + 1), 0};
    any = false;
    for (int i = 0; i < body->n; i++) {
        Node *s = body->at[i];
        Nodes part = {&s, 1};
        Truth t = s->kind == NODE_IF && !is_main_guard(s) ? truth_of(c, s->branch.cond, 0) : NOT_KNOWN;
        if (t != NOT_KNOWN) any = true, part = t == IS_TRUE ? s->branch.then : s->branch.otherwise;
        for (int k = 0; k < part.n; k++) out.at[out.n++] = part.at[k];
    }
    module->module.body = out;
    return any;
}

// ---- what is asked of the environment

static bool is_listed(Str name) {
    static const char *const listed[] = {
#define ENVIRONMENT(names) names,
#include "host/module_level/questions.def"
#undef ENVIRONMENT
    };
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        for (const char *p = listed[i]; *p;) {
            size_t n = strcspn(p, " ");
            if (n == name.len && memcmp(p, name.p, n) == 0) return true;
            p += n + (p[n] == ' ');
        }
    return false;
}

// os.environ.get("NAME", "0"), os.getenv("NAME"): "1" if the device is another than the usual one ("0" where
// "1" is the default), else the default.
static void answer_environment(void *arg, const Node *n) {
    Arena *a = arg;
    node_each_child(n, answer_environment, a); // a tree's height is bounded
    Buf path = BUF(a);
    const Nodes *args = n->kind == NODE_CALL ? &n->call.args : NULL;
    if (!args || args->n < 1 || args->n > 2 || n->call.keywords.n || args->at[0]->kind != NODE_STRING ||
        args->at[0]->string.bytes || !is_listed(args->at[0]->string.text) ||
        !node_dotted(n->call.func, &path) ||
        !(str_is(buf_str(&path), "os.environ.get") || str_is(buf_str(&path), "os.getenv")))
        return;
    static const char
        text[] = "f = '1' if torch.cuda.get_device_properties(0).multi_processor_count != 132 else None\n",
        other[] = "f = '0' if torch.cuda.get_device_properties(0).multi_processor_count != 132 else None\n";
    bool one = args->n == 2 && args->at[1]->kind == NODE_STRING && str_is(args->at[1]->string.text, "1");
    DiagList d = DIAGS(a);
    Node *m = parse_module(a, str_of(one ? other : text), &d), *call = (Node *)(uintptr_t)n, *standard = NULL;
    if (!m) return;
    if (args->n == 2) standard = args->at[1];
    Node *answer = m->module.body.at[0]->assign.value;
    tree_place(answer, n->span);
    if (standard) answer->ifexp.otherwise = standard;
    uint16_t height = call->height > answer->height ? call->height : answer->height;
    *call = *answer;
    call->height = height;
}

// ---- what the process lets torch's own products round to
//
// torch.backends.cuda.matmul.allow_tf32, off usually, and the same of cudnn, on usually: whoever runs the
// file says so, and a file that sets it is refused. Both answers are tried, by which device it is.

static void answer_precision(void *arg, const Node *n) {
    static const struct {
        const char *path, *text;
    } flag[] = {{"torch.backends.cuda.matmul.allow_tf32",
                 "f = torch.cuda.get_device_properties(0).multi_processor_count != 132\n"},
                {"torch.backends.cudnn.allow_tf32",
                 "f = torch.cuda.get_device_properties(0).multi_processor_count == 132\n"}};
    Arena *a = arg;
    Buf path = BUF(a);
    if (n->kind == NODE_ASSIGN) return answer_precision(arg, n->assign.value); // what is set stays
    if (n->kind == NODE_AUGASSIGN || n->kind == NODE_DELETE) return;
    bool named = n->kind == NODE_ATTRIBUTE && node_dotted(n, &path);
    for (size_t i = 0; named && i < sizeof flag / sizeof *flag; i++) {
        if (!str_is(buf_str(&path), flag[i].path)) continue;
        DiagList d = DIAGS(a);
        Node *m = parse_module(a, str_of(flag[i].text), &d), *own = (Node *)(uintptr_t)n;
        if (!m) return;
        Node *answer = m->module.body.at[0]->assign.value;
        tree_place(answer, n->span);
        uint16_t height = own->height > answer->height ? own->height : answer->height;
        *own = *answer;
        own->height = height;
        return;
    }
    node_each_child(n, answer_precision, a); // a tree's height is bounded
}

// ---- which torch it is
//
// One for GPUs of NVIDIA, as all that is judged here: torch.version.hip is None, torch.version.cuda some
// text. Which text nobody says, so that nothing but whether there is one can be asked.

static bool is_version_of(Arena *a, const Node *n, const char *name) {
    Buf path = BUF(a);
    return n->kind == NODE_ATTRIBUTE && node_dotted(n, &path) && str_is(buf_str(&path), name);
}
static void becomes(const Node *n, NodeKind kind) {
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    *own = (Node){.kind = kind, .span = n->span, .height = n->height};
}

// Where only truth counts.
static void answer_truth(Arena *a, const Node *n) {
    if (is_version_of(a, n, "torch.version.cuda")) becomes(n, NODE_TRUE);
    for (int i = 0; n->kind == NODE_BOOLOP && i < n->boolop.items.n; i++)
        answer_truth(a, n->boolop.items.at[i]);
}

static void answer_version(void *arg, const Node *n) {
    Arena *a = arg;
    node_each_child(n, answer_version, a); // a tree's height is bounded
    if (is_version_of(a, n, "torch.version.hip")) return becomes(n, NODE_NONE);
    const Node *of = n->kind == NODE_CALL && node_is_name(n->call.func, "bool") && n->call.args.n == 1 &&
                             !n->call.keywords.n
                         ? n->call.args.at[0]
                         : NULL;
    if (of && (of->kind == NODE_NONE || of->kind == NODE_FALSE)) return becomes(n, NODE_FALSE);
    if (of && of->kind == NODE_TRUE) return becomes(n, NODE_TRUE);
    if (n->kind == NODE_IF) answer_truth(a, n->branch.cond);
    if (n->kind == NODE_IFEXP) answer_truth(a, n->ifexp.cond);
    if (n->kind == NODE_UNARY && n->unary.op == OPER_NOT) answer_truth(a, n->unary.operand);
    if (n->kind != NODE_COMPARE || n->compare.rest.n != 1) return;
    const Node *left = n->compare.left, *right = n->compare.rest.at[0];
    Oper op = n->compare.ops[0];
    bool cuda = is_version_of(a, left, "torch.version.cuda");
    if (right->kind == NODE_NONE && (cuda || left->kind == NODE_NONE) && (op == OPER_IS || op == OPER_ISNOT))
        becomes(n, (op == OPER_IS) == cuda ? NODE_FALSE : NODE_TRUE);
}

static bool is_module_os(const Node *module, const Bindings *bound) {
    const Node *alias, *s = module_binding(module, STR("os"), &alias);
    return s && s->kind == NODE_IMPORT && !s->import.from && str_is(alias->alias.name, "os") &&
           !alias->alias.as.len && bound_once(bound, STR("os"));
}

// X = tl.constexpr(4): X.value is what X is in host code.
typedef struct {
    const Conditions *c;
} Values;
static void take_values(void *arg, const Node *n) {
    const Values *v = arg;
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, take_values, arg);
    if (n->kind != NODE_ATTRIBUTE || !str_is(n->attribute.name, "value") ||
        n->attribute.value->kind != NODE_NAME)
        return;
    const Node *alias, *s = module_binding(v->c->module, n->attribute.value->name, &alias);
    Buf path = BUF(v->c->arena);
    const Node *value = !s                          ? NULL
                        : s->kind == NODE_ASSIGN    ? s->assign.value
                        : s->kind == NODE_ANNASSIGN ? s->annassign.value
                                                    : NULL;
    if (!value || value->kind != NODE_CALL || !node_dotted(value->call.func, &path) ||
        !(str_is(buf_str(&path), "tl.constexpr") || str_is(buf_str(&path), "triton.language.constexpr")) ||
        !bound_once(&v->c->bound, n->attribute.value->name))
        return;
    Node *own = (Node *)(uintptr_t)n;
    *own = *n->attribute.value;
}

void versions_normalize(Arena *a, Node *module) {
    VersionFile c = {.arena = a, .module = module};
    names_of_module(&c.bound, a, module);
    answer_compared(&c, module);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (s->kind != NODE_FUNCTION || !is_jit_function(s)) answer_version(a, s);
    }
}

void questions_normalize(Arena *a, Node *module) {
    Conditions c = {.arena = a, .module = module};
    names_of_module(&c.bound, a, module);
    bool os = is_module_os(module, &c.bound);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (s->kind == NODE_FUNCTION && is_jit_function(s)) continue;
        if (os) answer_environment(a, s);
        answer_precision(a, s);
        take_values(&(Values){&c}, s);
    }
}

bool conditions_normalize(Arena *a, Node *module) {
    Conditions c = {.arena = a, .module = module};
    return splice_ifs(&c, module);
}
