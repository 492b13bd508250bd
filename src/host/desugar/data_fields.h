// data_fields.h - what `field(...)` says of a field of a data class, and calls that follow from it.
#pragma once
#include "host/policy/screen.h"

enum { DATA_FIELDS_MAX = 64, DATA_CLASSES_MAX = 16 };
typedef struct {
    const Node *statement; // of the class body
    Str klass, name;
    Node *makes; // what the field is where nobody gives it
    bool given;  // a parameter of __init__; else nobody may give it
} DataField;
typedef struct {
    Arena *arena;
    Node *module;
    DataField field[DATA_FIELDS_MAX];
    int fields;
    const Node *klass[DATA_CLASSES_MAX]; // as they are written then
    int classes;
} DataFields;

// Takes `field(...)` out of a class; false where it says more than is read.
bool data_fields_read(DataFields *f, const Bindings *bound, Node *klass);
const DataField *data_field(const DataFields *f, const Node *statement); // or NULL: a plain one
bool data_constant(const Node *klass,
                   const Node *statement); // of the class: SIZE = 4, SIZE: ClassVar[int] = 4
// __post_init__ under a name that can be called, and its call at the end of __init__.
void data_post_init(Arena *a, const Nodes *body, Node *init);
void data_class_add(DataFields *f, const Node *klass);
// Plan(8) as Plan(8, options={}); replace(plan, n=4) and asdict(plan) written out.
void data_calls_rewrite(DataFields *f, const Bindings *bound);
