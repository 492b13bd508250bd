// The part of a kernel file that stays beside a written `run`: the launched kernels and what they reach.
#include "service/manifest/manifest_source.h"

#include "host/normalize/normalize.h"
#include "service/manifest/uses.h"

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

void names_bound(void *arg, const Node *n) {
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
    case NODE_CASE: {
        const Node *p = n->matchcase.pattern;
        while (p->kind == NODE_BINARY) p = p->binary.right; // each half of `|` binds the same names
        names_of_target(names, p, 0);
        break;
    }
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

// ---- kernels without what chooses their constants

static bool is_plain(const ManifestSource *m, Str name) {
    for (int i = 0; i < m->kernels; i++)
        if (m->kernel[i].plain && str_eq(m->kernel[i].name, name)) return true;
    return false;
}

static bool is_jit(const Node *n) {
    if (n->kind == NODE_CALL) n = n->call.func;
    Str name = n->kind == NODE_NAME ? n->name : n->kind == NODE_ATTRIBUTE ? n->attribute.name : (Str){0};
    return str_is(name, "jit");
}

static bool stays_decorator(const ManifestSource *m, const Node *f, int i) {
    return !is_plain(m, f->function.name) || is_jit(f->function.decorators.at[i]);
}

// `name = f(name)`: what a decorator does, written as a call.
static const Node *wraps(const Node *n, Str name) {
    bool one = n->kind == NODE_ASSIGN && n->assign.targets.n == 1 &&
               n->assign.targets.at[0]->kind == NODE_NAME && str_eq(n->assign.targets.at[0]->name, name) &&
               n->assign.value->kind == NODE_CALL;
    const Node *call = one ? n->assign.value : NULL;
    one = call && call->call.args.n == 1 && !call->call.keywords.n &&
          call->call.args.at[0]->kind == NODE_NAME && str_eq(call->call.args.at[0]->name, name);
    return one ? call->call.func : NULL;
}

bool manifest_made_jit(const Node *module, Str name) {
    const Node *f = module ? module_function(module, name) : NULL;
    bool made = false;
    for (int i = 0; f && i < module->module.body.n; i++) {
        const Node *by = wraps(module->module.body.at[i], name);
        made |= by && by->kind != NODE_CALL && is_jit(by);
    }
    return made && !is_jit_function(f);
}

static bool drops(const ManifestSource *m, const Node *n) {
    for (int i = 0; i < m->kernels; i++)
        if (m->kernel[i].plain && wraps(n, m->kernel[i].name)) return true;
    return false;
}

// The backward half of an autograd.Function is not judged.
static bool is_skipped(void *module, const Node *klass, const Node *method) {
    return is_backward(module, klass, method);
}

// Names that a statement takes from the module. A function's own variables are none of those.
static void uses_of(const ManifestSource *m, const Node *n, Names *reached) {
    Node kept = *n;
    if (n->kind == NODE_FUNCTION) {
        kept.function.decorators = (Nodes){NEWN(m->arena, Node *, (size_t)n->function.decorators.n + 1), 0};
        for (int i = 0; i < n->function.decorators.n; i++)
            if (stays_decorator(m, n, i))
                kept.function.decorators.at[kept.function.decorators.n++] = n->function.decorators.at[i];
    }
    names_used(m->arena, reached, &kept, is_skipped, (void *)(uintptr_t)m->module);
}

// Which statements of the module stay: all that bind a name that is reached.
static void mark_reached(const ManifestSource *m, Names *reached, bool *stays) {
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
            bool wanted = misleads || binds || binds_one_of(m->arena, n, reached);
            if (stays[i] || !wanted || drops(m, n)) continue;
            stays[i] = more = true;
            uses_of(m, n, reached);
        }
    }
}

// Beside an entry, what changes something else when the file is imported stays as well, and is judged.
static void mark_changing(const ManifestSource *m, Names *reached, bool *stays) {
    const Nodes *body = &m->module->module.body;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < body->n; i++) {
            const Node *n = body->at[i];
            if (stays[i] || is_main_guard(n) || !statement_leaves(m->arena, m->module, reached, n)) continue;
            stays[i] = more = true;
            names_bound(reached, n); // f = T.update: who calls f changes T
            uses_of(m, n, reached);
        }
        if (more) mark_reached(m, reached, stays);
    }
}

void manifest_reached(const ManifestSource *m, Names *reached, bool *stays) {
    mark_reached(m, reached, stays);
    mark_changing(m, reached, stays);
}

// Whether another statement stands before this one on its line.
static bool shares_line(Str source, const Nodes *body, int i) {
    uint32_t at = body->at[i]->span.at;
    while (at > 0 && (source.p[at - 1] == ' ' || source.p[at - 1] == '\t')) at--;
    return i > 0 && at > 0 && source.p[at - 1] != '\n' && source.p[at - 1] != '\r';
}

// ---- imports

bool manifest_imports(Arena *a, const Node *module, Str name) {
    for (int i = 0; module && i < module->module.body.n; i++) {
        Names brought = {.arena = a};
        if (module->module.body.at[i]->kind != NODE_IMPORT) continue;
        names_of_import(&brought, module->module.body.at[i]);
        if (names_have(&brought, name)) return true;
    }
    return false;
}

static Str brought_by(Arena *a, const Node *import, int i) {
    Node one = *import;
    Names brought = {.arena = a};
    one.import.names = (Nodes){&import->import.names.at[i], 1};
    names_of_import(&brought, &one);
    return brought.n ? brought.at[0] : (Str){0};
}

static const ManifestImport *replaced(const ManifestSource *m, Str name) {
    for (int i = 0; i < m->imports; i++)
        if (str_eq(m->import[i].name, name)) return &m->import[i];
    return NULL;
}

// An import brings no more than what is reached, and that from where the manifest says. NULL: nothing is left
// of it.
static Node *trimmed(const ManifestSource *m, const Node *n, const Names *reached, Buf *others) {
    Node *to = NEW(m->arena, Node);
    *to = *n;
    to->import.names = (Nodes){NEWN(m->arena, Node *, (size_t)n->import.names.n), 0};
    for (int i = 0; i < n->import.names.n; i++) {
        Str name = brought_by(m->arena, n, i);
        const ManifestImport *by = replaced(m, name);
        if (!names_have(reached, name)) continue;
        if (!by) {
            to->import.names.at[to->import.names.n++] = n->import.names.at[i];
            continue;
        }
        const char *dot = memrchr(by->path.p, '.', by->path.len); // there is one
        buf_printf(others, "%sfrom %.*s import %.*s as %.*s", others->len ? "; " : "",
                   (int)(dot - by->path.p), by->path.p, (int)(by->path.p + by->path.len - dot - 1), dot + 1,
                   STR_ARG(name));
    }
    return to->import.names.n ? to : NULL;
}

static void put_blank(Buf *out, Str source, uint32_t from, uint32_t to) {
    for (; from < to; from++) {
        char c = source.p[from];
        buf_putc(out, c == '\n' || c == '\r' ? c : ' ');
    }
}

// A function without the decorators that go, on the same lines.
static void put_function(const ManifestSource *m, const Node *n, Buf *out) {
    uint32_t at = n->span.at, end = n->span.at + n->span.len;
    for (int i = 0; i < n->function.decorators.n; i++) {
        const Node *d = n->function.decorators.at[i];
        uint32_t from = d->span.at, to = d->span.at + d->span.len;
        if (stays_decorator(m, n, i)) continue;
        while (from > at && m->source.p[from] != '@') from--;
        buf_put(out, m->source.p + at, from - at);
        put_blank(out, m->source, from, to);
        at = to;
    }
    bool first = is_plain(m, n->function.name) && !is_jit_function(n);
    if (first) buf_puts(out, "@triton.jit\n");
    buf_put(out, m->source.p + at, end - at);
}

static void put_statement(const ManifestSource *m, const Node *n, const Names *reached, Buf *out) {
    Str text = {m->source.p + n->span.at, n->span.len};
    if (n->kind == NODE_FUNCTION) return put_function(m, n, out);
    if (n->kind != NODE_IMPORT || import_misleads(m->arena, n) || str_is(n->import.module, "__future__"))
        return buf_str_put(out, text);
    Buf printed = BUF(m->arena), others = BUF(m->arena);
    size_t lines = 0;
    Node *cut = trimmed(m, n, reached, &others);
    if (!others.len && (!cut || cut->import.names.n == n->import.names.n)) return buf_str_put(out, text);
    if (cut) print_node(&printed, cut);
    if (printed.len && printed.p[printed.len - 1] == '\n') printed.len--;
    if (others.len) buf_printf(&printed, "%s%.*s", printed.len ? "; " : "", STR_ARG(buf_str(&others)));
    for (size_t i = 0; i < text.len; i++) lines += text.p[i] == '\n';
    if (!others.len && printed.len + lines > text.len) return buf_str_put(out, text);
    buf_str_put(out, buf_str(&printed)); // and as many bytes, if they fit, and lines as there were
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

// An import of a module that nobody here knows: what it does when it is imported is not judged.
static bool is_unknown_import(const Node *n) {
    const char *why;
    return n->kind == NODE_IMPORT && !import_harmless(n) && !import_allowed(n, true, &why);
}

// Names of what is left out, each once, and how many other statements.
static bool put_names_left(const ManifestSource *m, const bool *stays, Buf *out) {
    enum { SHOWN = 12 };
    const Nodes *body = &m->module->module.body;
    Names left = {.arena = m->arena};
    int others = 0;
    for (int i = 0; i < body->n; i++) {
        const Node *n = body->at[i];
        Str name = stays[i] ? (Str){0} : told_name(n);
        bool text = n->kind == NODE_EXPRSTMT && n->value->kind == NODE_STRING;
        if (m->entry.len && !stays[i] && is_unknown_import(n)) {
            Str module = n->import.from ? n->import.module : n->import.names.at[0]->alias.name;
            names_add(&left, str_of(arena_printf(m->arena, "import of %.*s%.*s", n->import.dots, "...",
                                                 (int)(module.len < 64 ? module.len : 64), module.p)));
        } else if (name.len && name.len <= 64)
            names_add(&left, name);
        else
            others += m->entry.len && !stays[i] && n->kind != NODE_IMPORT && !text && !is_main_guard(n);
    }
    for (int i = 0; i < left.n && i < SHOWN; i++)
        buf_printf(out, "%s%.*s", i ? ", " : "", STR_ARG(left.at[i]));
    if (left.n > SHOWN) buf_printf(out, " and %d more", left.n - SHOWN);
    if (others)
        buf_printf(out, "%s%d other statement%s", left.n ? ", and " : "", others, others > 1 ? "s" : "");
    return left.n + others > 0;
}

static void put_left_out(const ManifestSource *m, const bool *stays, Buf *out) {
    Buf names = BUF(m->arena);
    if (put_names_left(m, stays, &names))
        buf_printf(out, "\n# Left out, since %s it: %s\n",
                   m->entry.len ? "the entry does not reach" : "no launched kernel reaches",
                   buf_cstr(&names));
    for (int i = 0; i < m->kernels; i++)
        if (m->kernel[i].plain)
            buf_printf(out,
                       "\n# Of the decorators of %.*s only jit is left: its constants are the manifest's.\n",
                       STR_ARG(m->kernel[i].name));
    for (int i = 0; i < m->imports; i++)
        buf_printf(out, "\n# %.*s is %.*s here: the manifest says so.\n", STR_ARG(m->import[i].name),
                   STR_ARG(m->import[i].path));
}

// The source with blanks in place of what is left out: lines stay what they are.
void manifest_source(const ManifestSource *m, Buf *told, Buf *out) {
    Str source = m->source;
    if (!m->module) return buf_str_put(out, source);
    const Nodes *body = &m->module->module.body;
    bool *stays = NEWN(m->arena, bool, (size_t)body->n + 1);
    Names reached = {.arena = m->arena};
    for (int i = 0; i < m->kernels; i++) names_add(&reached, m->kernel[i].name);
    if (m->entry.len) names_add(&reached, m->entry);
    for (int i = 0; i < body->n; i++)
        stays[i] = body->at[i]->kind == NODE_IMPORT && str_is(body->at[i]->import.module, "__future__");
    mark_reached(m, &reached, stays);
    if (m->entry.len) mark_changing(m, &reached, stays);
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
        put_statement(m, n, &reached, out);
        at = n->span.at + n->span.len;
    }
    put_blank(out, source, at, (uint32_t)source.len);
    put_left_out(m, stays, told);
}
