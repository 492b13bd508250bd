// "{} of {n!r}".format(a, n=b), of a text that is written down, as the f-string that says the same. A
// template with anything but places, names, conversions and plain specifications stays, and so does a call
// with stars.
#include "host/desugar/desugar.h"

typedef struct {
    Arena *arena;
    const Node *call;
    Str text;
    size_t at;
    int next, places; // of the places without a number; all of them
    Nodes out;
} Template;

static Node *make(const Template *t, NodeKind kind, int height) {
    Node *n = NEW(t->arena, Node);
    *n = (Node){.kind = kind, .span = t->call->span, .height = (uint16_t)height};
    return n;
}

static void put_literal(Template *t, const char *p, size_t len) {
    if (!len) return;
    Node *n = make(t, NODE_STRING, 1);
    n->string.text = (Str){p, len};
    t->out.at[t->out.n++] = n;
}

// What a place stands for, by its number, its name or its turn.
static Node *argument(Template *t, Str name) {
    const Nodes *args = &t->call->call.args, *named = &t->call->call.keywords;
    int at = 0;
    if (!name.len) return t->next < args->n ? args->at[t->next++] : NULL;
    for (size_t i = 0; i < name.len; i++) {
        if (name.p[i] < '0' || name.p[i] > '9') at = -1;
        if (at >= 0) at = at * 10 + (name.p[i] - '0');
    }
    if (at >= 0) return name.len < 3 && at < args->n && t->next == 0 ? args->at[at] : NULL;
    for (int i = 0; i < named->n; i++)
        if (str_eq(named->at[i]->keyword.name, name)) return named->at[i]->keyword.value;
    return NULL;
}

// `{name!r:spec}`, behind its first brace.
static bool put_place(Template *t) {
    size_t end = t->at;
    while (end < t->text.len && t->text.p[end] != '}') {
        if (t->text.p[end] == '{' || t->text.p[end] == '[' || t->text.p[end] == '.') {
            bool in_spec = memchr(t->text.p + t->at, ':', end - t->at) != NULL;
            if (t->text.p[end] != '.' || !in_spec) return false;
        }
        end++;
    }
    if (end == t->text.len) return false;
    Str whole = {t->text.p + t->at, end - t->at}, name = whole, spec = {0};
    char conversion = 0;
    const char *colon = memchr(whole.p, ':', whole.len);
    if (colon) {
        name.len = (size_t)(colon - whole.p);
        spec = (Str){colon + 1, whole.len - name.len - 1};
    }
    const char *mark = memchr(name.p, '!', name.len);
    if (mark) {
        if (name.len != (size_t)(mark - name.p) + 2) return false;
        conversion = mark[1];
        if (conversion != 'r' && conversion != 's' && conversion != 'a') return false;
        name.len = (size_t)(mark - name.p);
    }
    Node *value = argument(t, name);
    if (!value) return false;
    t->places++;
    t->at = end + 1;
    if (value->kind == NODE_STRING && !conversion && !spec.len) // a text among the literal ones
        return put_literal(t, value->string.text.p, value->string.text.len), !value->string.bytes;
    if (conversion || spec.len) {
        Node *f = make(t, NODE_FORMAT, value->height + 3);
        f->format.value = value;
        f->format.conversion = conversion;
        if (spec.len) {
            Node *s = make(t, NODE_FSTRING, 2), *literal = make(t, NODE_STRING, 1);
            literal->string.text = spec;
            s->items = (Nodes){NEWN(t->arena, Node *, 1), 1};
            s->items.at[0] = literal;
            f->format.spec = s;
        }
        value = f;
    }
    t->out.at[t->out.n++] = value;
    return true;
}

static bool fill(Template *t) {
    size_t from = 0;
    t->out.at = NEWN(t->arena, Node *, 2 * t->text.len + 2);
    while (t->at < t->text.len) {
        char c = t->text.p[t->at];
        if (c != '{' && c != '}') {
            t->at++;
            continue;
        }
        put_literal(t, t->text.p + from, t->at - from);
        bool twice = t->at + 1 < t->text.len && t->text.p[t->at + 1] == c;
        if (twice) {
            put_literal(t, t->text.p + t->at, 1);
            t->at += 2;
        } else {
            t->at++;
            if (c == '}' || !put_place(t)) return false;
        }
        from = t->at;
    }
    put_literal(t, t->text.p + from, t->at - from);
    return true;
}

static void visit(void *arg, const Node *n) {
    if (n->kind == NODE_FUNCTION && is_jit_function(n)) return;
    node_each_child(n, visit, arg); // a tree's height is bounded
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    if (!f || f->kind != NODE_ATTRIBUTE || !str_is(f->attribute.name, "format") ||
        f->attribute.value->kind != NODE_STRING || f->attribute.value->string.bytes)
        return;
    for (int i = 0; i < n->call.args.n; i++)
        if (n->call.args.at[i]->kind == NODE_STARRED) return;
    for (int i = 0; i < n->call.keywords.n; i++)
        if (!n->call.keywords.at[i]->keyword.name.len) return;
    Template t = {.arena = arg, .call = n, .text = f->attribute.value->string.text};
    if (!fill(&t) || t.places != n->call.args.n + n->call.keywords.n) return; // each argument has its place
    Node *own = (Node *)(uintptr_t)n; // the tree is this process's own
    int height = 1;
    for (int i = 0; i < t.out.n; i++)
        if (t.out.at[i]->height > height) height = t.out.at[i]->height;
    if (height + 1 > own->height + 3) return;
    *own = (Node){.kind = NODE_FSTRING, .span = n->span, .height = (uint16_t)(height + 1)};
    own->items = t.out;
}

void text_formats_normalize(Arena *a, Node *module) { node_each_child(module, visit, a); }
