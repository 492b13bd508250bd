#include "mutate/mutate.h"
#include "mutate/reached.h"

#include "lang/node_fields.h"
#include "tile/check/check.h"

typedef enum { KERNEL, HOST, FULL } Where;
static const struct {
    const char *name, *doc;
    Where where;
    MutateFn *mutate;
} mutators[MUTATOR_COUNT] = {
#define MUTATOR(kind, where, doc) {#kind, doc, where, mutate_##kind},
#include "mutate/mutant.def"
#undef MUTATOR
};
const char *mutator_name(Mutator m) { return mutators[m].name; }
const char *mutator_doc(Mutator m) { return mutators[m].doc; }

bool mutator_by_name(Str name, Mutator *out) {
    for (*out = 0; *out < MUTATOR_COUNT; (*out)++)
        if (str_is(name, mutators[*out].name)) return true;
    return false;
}

// ---- a tree with one node replaced

static const Node removed = {.kind = NODE_PASS}, pass = {.kind = NODE_PASS, .height = 1};

static Node *replaced(Arena *a, const Node *n, const Node *target, const Node *with);

// The list with its changed members; the same list when nothing in it changed.
static Nodes replaced_list(Arena *a, const Nodes *list, const Node *target, const Node *with) {
    Nodes out = *list;
    bool changed = false;
    for (int i = 0; i < list->n; i++) {
        Node *child = list->at[i] ? replaced(a, list->at[i], target, with) : NULL;
        if (child == list->at[i] && !changed) continue;
        if (!changed) {
            out.at = NEWN(a, Node *, (size_t)list->n);
            memcpy(out.at, list->at, (size_t)i * sizeof *out.at);
            out.n = i;
            changed = true;
        }
        if (child != &removed) out.at[out.n++] = child;
    }
    if (changed && out.n == 0) out.at[out.n++] = (Node *)(uintptr_t)&pass; // only statements are left out
    return out;
}

// Recursion is bounded by HEIGHT_MAX, which the parser enforces; what is not on the way to the target is
// shared.
static Node *replaced(Arena *a, const Node *n, const Node *target, const Node *with) {
    if (n == target) return (Node *)(uintptr_t)with;
    Node *copy = NULL;
    for (const Field *f = node_shape[n->kind]; f->kind != FIELD_END; f++) {
        if (f->kind == FIELD_NODE) {
            Node *child = *field_node(f, n);
            Node *now = child ? replaced(a, child, target, with) : NULL;
            if (now == child) continue;
            if (!copy) copy = NEW(a, Node), *copy = *n;
            *field_node(f, copy) = now;
        } else if (f->kind == FIELD_NODES) {
            Nodes now = replaced_list(a, field_nodes(f, n), target, with);
            if (now.at == field_nodes(f, n)->at) continue;
            if (!copy) copy = NEW(a, Node), *copy = *n;
            *field_nodes(f, copy) = now;
        }
    }
    return copy ? copy : (Node *)(uintptr_t)n;
}

const Node *node_replaced(Arena *a, const Node *root, const Node *target, const Node *with) {
    return replaced(a, root, target, with);
}

// ---- collecting

typedef struct {
    Arena *arena;
    Mutants *out;
    Str source;
    Mutator kind;
    uint64_t *hash; // of the kept texts; the original's is at MUTANTS_MAX
    size_t bytes;
} Collector;

static bool known(const Collector *c, Str text, uint64_t hash) {
    if (hash == c->hash[MUTANTS_MAX] && str_eq(text, c->out->original)) return true;
    for (int i = 0; i < c->out->n; i++)
        if (c->hash[i] == hash && str_eq(text, c->out->at[i].text)) return true;
    return false;
}

static Str first_line(Str *rest) {
    const char *end = memchr(rest->p, '\n', rest->len);
    size_t n = end ? (size_t)(end - rest->p) : rest->len;
    Str line = {rest->p, n};
    *rest = (Str){rest->p + n + (end != NULL), rest->len - n - (end != NULL)};
    return line;
}

// `part` of a text as lines without indentation.
static Str unindented(Arena *a, Str part) {
    Buf b = BUF(a);
    while (part.len) {
        Str line = first_line(&part);
        while (line.len && line.p[0] == ' ') line.p++, line.len--;
        if (b.len) buf_putc(&b, '\n');
        buf_str_put(&b, line);
    }
    return buf_str(&b);
}

// What is left of two texts without the lines that they share at both ends.
static void differing_lines(Arena *a, Str x, Str y, Str *before, Str *after) {
    size_t head = 0, least = x.len < y.len ? x.len : y.len;
    for (size_t i = 0; i < least && x.p[i] == y.p[i]; i++)
        if (x.p[i] == '\n') head = i + 1;
    size_t tail = 0;
    for (size_t i = 1; i <= least - head && x.p[x.len - i] == y.p[y.len - i]; i++) {
        bool begins_x = x.len == i || x.p[x.len - i - 1] == '\n',
             begins_y = y.len == i || y.p[y.len - i - 1] == '\n';
        if (begins_x && begins_y) tail = i;
    }
    *before = unindented(a, (Str){x.p + head, x.len - head - tail});
    *after = unindented(a, (Str){y.p + head, y.len - head - tail});
}

void mutant_propose(Maker *m, const Node *target, const Node *with) {
    Collector *c = m->out;
    Mutants *out = c->out;
    if (out->n == MUTANTS_MAX || c->bytes > MUTANT_BYTES_MAX) {
        out->cut = true;
        return;
    }
    out->sites[c->kind]++;
    ArenaMark mark = arena_mark(m->scratch);
    Buf text = BUF(m->scratch);
    print_module(&text, replaced(m->scratch, m->module, target, with ? with : &removed));
    c->bytes += text.len + 1;
    uint64_t hash = str_hash(buf_str(&text));
    if (known(c, buf_str(&text), hash)) {
        out->same[c->kind]++;
    } else {
        Mutant *k = &out->at[out->n];
        *k = (Mutant){.kind = c->kind,
                      .line = line_col(c->source, target->span.at).line,
                      .text = str_dup(c->arena, buf_str(&text))};
        differing_lines(c->arena, out->original, k->text, &k->before, &k->after);
        c->hash[out->n++] = hash;
    }
    arena_reset(m->scratch, mark);
}

// ---- walking

// What `*args` spreads over cannot be told from the text.
static bool is_spread(const Node *n) {
    for (int i = 0; n->kind == NODE_CALL && i < n->call.args.n; i++)
        if (n->call.args.at[i]->kind == NODE_STARRED) return true;
    return false;
}

static void walk(void *arg, const Node *n) {
    Maker *m = arg;
    Collector *c = m->out;
    if (c->out->cut || m->depth > HEIGHT_MAX) return;
    ArenaMark mark = arena_mark(m->scratch);
    if (!is_spread(n)) mutators[c->kind].mutate(m, n);
    arena_reset(m->scratch, mark);
    m->above[m->depth++] = n;
    node_each_child(n, walk, m);
    m->depth--;
}

static void walk_module(Maker *m, const Reached *reached, Where where) {
    for (int i = 0; i < m->module->module.body.n; i++) {
        const Node *n = m->module->module.body.at[i];
        if (!reached_has(reached, n)) continue;
        bool kernel = n->kind == NODE_FUNCTION && is_jit_function(n);
        if (kernel != (where == KERNEL)) continue;
        m->function = NULL;
        if (!kernel) {
            walk(m, n);
            continue;
        }
        mutate_enter(m, n);
        m->above[m->depth++] = n;
        for (int k = 0; k < n->function.body.n; k++) walk(m, n->function.body.at[k]);
        m->depth--;
    }
}

void mutants_make(Arena *a, const Node *module, Str source, bool full, Mutants *out) {
    *out = (Mutants){.at = NEWN(a, Mutant, MUTANTS_MAX)};
    Buf text = BUF(a);
    print_module(&text, module);
    out->original = buf_str(&text);
    out->cut = text.len > MUTANT_SOURCE_MAX || source.len > MUTANT_SOURCE_MAX;
    if (out->cut) return;
    Arena scratch = {0};
    Collector c = {
        .arena = a, .out = out, .source = source, .hash = NEWN(&scratch, uint64_t, MUTANTS_MAX + 1)};
    c.hash[MUTANTS_MAX] = str_hash(out->original);
    Maker m = {.scratch = &scratch,
               .module = module,
               .above = NEWN(&scratch, const Node *, HEIGHT_MAX + 2),
               .out = &c};
    Reached reached;
    reached_find(&scratch, module, &reached);
    for (c.kind = 0; c.kind < MUTATOR_COUNT; c.kind++)
        if (full || mutators[c.kind].where != FULL) walk_module(&m, &reached, mutators[c.kind].where);
    arena_free(&scratch);
}
