// node_fields.h - the members of each kind of node as data (node_fields.def), for code that treats all kinds
// alike. For whoever walks or copies trees.
#pragma once
#include "lang/ast.h"

typedef enum {
    FIELD_END,
    FIELD_NODE,
    FIELD_NODES,
    FIELD_STR,
    FIELD_FLAG,
    FIELD_ENUM,
    FIELD_COUNT,
    FIELD_OPS,
    FIELD_INTEGER,
    FIELD_REAL,
} FieldKind;

typedef struct {
    uint8_t kind;    // FieldKind
    uint16_t offset; // in Node
} Field;

enum { FIELDS_MAX = 8 };
extern const Field node_shape[NODE_COUNT][FIELDS_MAX]; // each row ends with FIELD_END

static inline Node **field_node(const Field *f, const Node *n) { return (Node **)((char *)n + f->offset); }
static inline Nodes *field_nodes(const Field *f, const Node *n) { return (Nodes *)((char *)n + f->offset); }
static inline Str *field_str(const Field *f, const Node *n) { return (Str *)((char *)n + f->offset); }
