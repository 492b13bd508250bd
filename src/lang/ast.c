#include "lang/ast.h"

#include "lang/node_fields.h"
#include <assert.h>

static const char *const oper_texts[OPER_COUNT] = {
#define OPERATOR(id, text, method, kind) text,
#include "lang/operator.def"
#undef OPERATOR
};
static const char *const oper_methods[OPER_COUNT] = {
#define OPERATOR(id, text, method, kind) method,
#include "lang/operator.def"
#undef OPERATOR
};
static const char *const kind_names[NODE_COUNT] = {
#define NODE(id, doc) #id,
#include "lang/node.def"
#undef NODE
};
const Field node_shape[NODE_COUNT][FIELDS_MAX] = {
#define F(what, member)   {FIELD_##what, offsetof(Node, member)},
#define SHAPE(id, fields) [NODE_##id] = {fields{FIELD_END, 0}},
#include "lang/node_fields.def"
#undef SHAPE
#undef F
};

const char *oper_text(Oper o) { return oper_texts[o]; }
const char *oper_method(Oper o) { return oper_methods[o]; }
const char *node_kind_name(NodeKind k) { return kind_names[k]; }

void node_each_child(const Node *n, void (*fn)(void *arg, const Node *child), void *arg) {
    for (const Field *f = node_shape[n->kind]; f->kind != FIELD_END; f++) {
        if (f->kind == FIELD_NODE) {
            const Node *child = *field_node(f, n);
            if (child) fn(arg, child);
        } else if (f->kind == FIELD_NODES) {
            const Nodes *list = field_nodes(f, n);
            for (int i = 0; i < list->n; i++)
                if (list->at[i]) fn(arg, list->at[i]); // a key of `**value` is NULL
        }
    }
}

// Integers beyond 64 bits are compared by their digits, which the parser has freed of `_` and capitals.
static bool integer_equal(const Node *a, const Node *b) {
    if (a->integer.too_big != b->integer.too_big) return false;
    if (a->integer.too_big) return str_eq(a->integer.text, b->integer.text);
    return a->integer.value == b->integer.value;
}

static bool nodes_equal(const Nodes *a, const Nodes *b) {
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++)
        if (!node_equal(a->at[i], b->at[i])) return false;
    return true;
}

static bool field_equal(const Field *f, const Node *a, const Node *b) {
    const char *pa = (const char *)a + f->offset, *pb = (const char *)b + f->offset;
    switch ((FieldKind)f->kind) {
    case FIELD_END: return true;
    case FIELD_NODE: return node_equal(*field_node(f, a), *field_node(f, b));
    case FIELD_NODES: return nodes_equal(field_nodes(f, a), field_nodes(f, b));
    case FIELD_STR: return str_eq(*field_str(f, a), *field_str(f, b));
    case FIELD_FLAG: return *pa == *pb;
    case FIELD_ENUM:
    case FIELD_COUNT: return memcmp(pa, pb, sizeof(int)) == 0;
    case FIELD_OPS:
        return a->compare.rest.n == 0 ||
               memcmp(a->compare.ops, b->compare.ops, sizeof(Oper) * (size_t)a->compare.rest.n) == 0;
    case FIELD_INTEGER: return integer_equal(a, b);
    case FIELD_REAL: return memcmp(pa, pb, sizeof(double)) == 0;
    }
    return false;
}
static_assert(sizeof(Oper) == sizeof(int) && sizeof(ParamKind) == sizeof(int) &&
                  sizeof(CompKind) == sizeof(int),
              "ENUM fields are compared as ints");
static_assert(sizeof(bool) == sizeof(char), "FLAG fields are compared as chars");

// Recursion is bounded by HEIGHT_MAX, which the parser enforces.
bool node_equal(const Node *a, const Node *b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind) return false;
    for (const Field *f = node_shape[a->kind]; f->kind != FIELD_END; f++)
        if (!field_equal(f, a, b)) return false;
    return true;
}

const Node *module_function(const Node *module, Str name) {
    for (int i = module->module.body.n - 1; i >= 0; i--) {
        const Node *n = module->module.body.at[i];
        if (n->kind == NODE_FUNCTION && str_eq(n->function.name, name)) return n;
    }
    return NULL;
}

static bool binds(const Node *target, Str name) {
    return target->kind == NODE_NAME && str_eq(target->name, name);
}

const Node *module_binding(const Node *module, Str name, const Node **alias) {
    Nodes body = module->module.body;
    for (int i = body.n - 1; i >= 0; i--) {
        const Node *s = body.at[i];
        switch (s->kind) {
        case NODE_FUNCTION:
            if (str_eq(s->function.name, name)) return s;
            break;
        case NODE_CLASS:
            if (str_eq(s->klass.name, name)) return s;
            break;
        case NODE_ASSIGN:
            for (int k = 0; k < s->assign.targets.n; k++)
                if (binds(s->assign.targets.at[k], name)) return s;
            break;
        case NODE_ANNASSIGN:
            if (s->annassign.value && binds(s->annassign.target, name)) return s;
            break;
        case NODE_IMPORT:
            for (int k = s->import.names.n - 1; k >= 0; k--) {
                const Node *a = s->import.names.at[k];
                Str bound = a->alias.as.len ? a->alias.as : a->alias.name;
                const char *dot = a->alias.as.len || s->import.from ? NULL : memchr(bound.p, '.', bound.len);
                if (dot) bound.len = (size_t)(dot - bound.p); // `import a.b` binds a
                if (str_eq(bound, name)) return *alias = a, s;
            }
            break;
        default: break;
        }
    }
    return NULL;
}

uint32_t node_part_place(const Node *n, const Node *part) {
    if (n->kind == NODE_IFEXP && part == n->ifexp.then) return n->ifexp.cond->span.at; // behind `if`
    if (n->kind == NODE_COMP) return n->comp.fors.at[0]->compfor.target->span.at;      // behind `for`
    return part->span.at;
}

static bool combines(Oper op) {
    return op == OPER_BITAND || op == OPER_BITOR || op == OPER_BITXOR || op == OPER_MUL || op == OPER_ADD ||
           op == OPER_SUB || op == OPER_DIV;
}

const Node *node_combined_part(const Node *n) {
    if (n->kind == NODE_BINARY) return combines(n->binary.op) ? n->binary.right : NULL;
    if (n->kind == NODE_AUGASSIGN) return combines(n->augassign.op) ? n->augassign.value : NULL;
    if (n->kind == NODE_BOOLOP) return n->boolop.items.at[1];
    if (n->kind != NODE_CALL || n->call.args.n < 2) return NULL;
    const Node *f = n->call.func;
    bool chooses =
        f->kind == NODE_ATTRIBUTE && (str_is(f->attribute.name, "where") || str_is(f->attribute.name, "fma"));
    return chooses || node_extreme(n) ? n->call.args.at[1] : NULL;
}

bool node_is_name(const Node *n, const char *name) {
    return n && n->kind == NODE_NAME && str_is(n->name, name);
}

bool node_extreme(const Node *n) {
    if (n->kind != NODE_CALL || n->call.args.n < 2) return false;
    const Node *f = n->call.func;
    if (f->kind == NODE_ATTRIBUTE)
        return str_is(f->attribute.name, "minimum") || str_is(f->attribute.name, "maximum");
    return node_is_name(f, "min") || node_is_name(f, "max");
}

bool node_saturates(const Node *n) {
    if (n->kind == NODE_CALL)
        return node_is_name(n->call.func, "abs") || node_is_name(n->call.func, "len") ||
               node_is_name(n->call.func, "int");
    if (n->kind != NODE_BINARY) return false;
    switch (n->binary.op) {
    case OPER_ADD:
    case OPER_SUB:
    case OPER_FLOORDIV:
    case OPER_MOD:
    case OPER_POW:
    case OPER_SHR:
    case OPER_BITAND:
    case OPER_BITXOR: return true;
    default: return false;
    }
}

bool node_dotted(const Node *n, Buf *out) {
    enum { DOTS_MAX = 5 }; // triton.language.extra.cuda.libdevice.tanh
    Str part[DOTS_MAX];
    int parts = 0;
    for (; n && n->kind == NODE_ATTRIBUTE; n = n->attribute.value) {
        if (parts == DOTS_MAX) return false;
        part[parts++] = n->attribute.name;
    }
    if (!n || n->kind != NODE_NAME) return false;
    buf_str_put(out, n->name);
    while (parts > 0) {
        buf_putc(out, '.');
        buf_str_put(out, part[--parts]);
    }
    return true;
}
